//! What a keyspace is searched by: its indexes, and the entries that an entity has in them.
//!
//! The entries follow from the fields of the hash alone, so whoever changes these, by whatever call, knows them.
//! `index.lua` derives the same on the server.

mod entry;
mod order;

pub(crate) use entry::{Entry, Misfit, entries, for_each};
pub(crate) use order::Key;
pub use order::Order;

use crate::mapping::{Step, within};

/// What an index can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IndexKind {
    /// Who holds this value: `people:firstname:rand`, a set.
    Equality,
    /// Who holds a value between these: `people#range:age`, a sorted set.
    Range(Order),
    /// Who alone holds this value: `people#unique:email`, a hash.
    Unique,
    /// Who is near: `people:address:location`, a sorted set.
    Geo,
}

/// One index of a keyspace: which of an entity's values are in it, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    kind: IndexKind,
    /// The way to the values.
    path: Vec<Step>,
    /// What the last name is replaced by.
    last: Option<&'static str>,
    /// Its name and the path to its value, which every save asks for.
    name: String,
    plain_path: String,
}

impl Index {
    pub(crate) fn new(kind: IndexKind, path: Vec<Step>, name: Option<&'static str>) -> Self {
        let names = path.iter().filter_map(|step| match step {
            Step::Field(name) => Some(*name),
            Step::Each | Step::Entry => None,
        });
        let plain_path = names.collect::<Vec<_>>().join(".");
        let last = name;
        Self {
            kind,
            name: joined(&path, last, &["*"; 8]),
            path,
            last,
            plain_path,
        }
    }

    /// What it can be asked.
    #[must_use]
    pub fn kind(&self) -> IndexKind {
        self.kind
    }

    /// What it is called: the path without list positions, and with `*` for the keys of maps, which are part of the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn path(&self) -> &[Step] {
        &self.path
    }

    /// The path to the value, of an index of one value.
    pub(crate) fn plain_path(&self) -> &str {
        &self.plain_path
    }

    /// The name, with these keys of maps in it.
    pub(crate) fn name_with(&self, keys: &[&str]) -> String {
        if keys.is_empty() {
            return self.name.clone();
        }
        joined(&self.path, self.last, keys)
    }

    /// Whether a change of what stands at a path, and below it, can be one of its values.
    pub(crate) fn is_touched_by(&self, path: &str) -> bool {
        let names = self.path.iter().map_while(|step| match step {
            Step::Field(name) => Some(*name),
            Step::Each | Step::Entry => None,
        });
        let own = names.collect::<Vec<_>>().join(".");
        within(path, &own) || within(&own, path)
    }

    /// Whether the keys of a map are part of its names.
    pub(crate) fn is_keyed(&self) -> bool {
        self.path.contains(&Step::Entry)
    }

    /// Whether an entity can have several values in it.
    pub(crate) fn is_many(&self) -> bool {
        self.path.iter().any(|step| !matches!(step, Step::Field(_)))
    }
}

/// The names along a path, with `last` for the last and these keys of maps.
fn joined(path: &[Step], last: Option<&str>, keys: &[&str]) -> String {
    let end = path.iter().rposition(|step| matches!(step, Step::Field(_)));
    let (mut name, mut keys) = (String::new(), keys.iter());
    for (at, step) in path.iter().enumerate() {
        let part = match step {
            Step::Field(field) if Some(at) == end => last.unwrap_or(field),
            Step::Field(field) => field,
            Step::Entry => keys.next().copied().unwrap_or_default(),
            Step::Each => continue,
        };
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(part);
    }
    name
}

/// The end of a geo index's key: the last dot of its name is a colon there.
pub(crate) fn geo_key(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((above, last)) => format!("{above}:{last}"),
        None => name.to_owned(),
    }
}

/// Why an index cannot be, if it cannot.
pub(crate) fn check(indexes: &[Index]) -> Result<(), (String, String)> {
    let mut taken: Vec<(std::mem::Discriminant<IndexKind>, &str)> = Vec::new();
    for index in indexes {
        let name = index.name();
        let refuse = |reason: &str| Err((name.to_owned(), reason.to_owned()));
        if name.is_empty() || name.contains([':', '#']) {
            return refuse(
                "a name with `:` or `#` in it, or none, would blur where the value begins; state another: `name = \"…\"`",
            );
        }
        if index.path.len() > 16 {
            return refuse(
                "it is nested in itself, so its paths have no end; remove the inner `#[nested]` or the attribute",
            );
        }
        if index.is_keyed() && index.kind != IndexKind::Equality {
            return refuse(
                "the values of a map are indexed by equality alone, since each key is an index of its own",
            );
        }
        if index.kind == IndexKind::Geo && index.is_many() {
            return refuse("an entity has one point in a geo index, so it cannot stand in a list");
        }
        let kind = std::mem::discriminant(&index.kind);
        if taken
            .iter()
            .any(|(other, taken)| *other == kind && *taken == name)
        {
            return refuse("two fields are indexed under this name; state another for one: `name = \"…\"`");
        }
        taken.push((kind, name));
    }
    let is = |kind: IndexKind| indexes.iter().filter(move |index| index.kind == kind);
    for geo in is(IndexKind::Geo) {
        let key = geo_key(geo.name());
        for equality in is(IndexKind::Equality) {
            let name = equality.name();
            if key.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')) {
                let reason = format!(
                    "its key `{key}` could be one of the index `{name}`; state another name for one: `name = \"…\"`"
                );
                return Err((geo.name().to_owned(), reason));
            }
        }
    }
    Ok(())
}

/// Whether an entity with this id would have the key of an index.
pub(crate) fn is_index_key(indexes: &[Index], id: &str) -> bool {
    let begins = |name: &str| {
        id.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    indexes.iter().any(|index| match index.kind {
        IndexKind::Range(_) | IndexKind::Unique => false,
        IndexKind::Geo => begins(&geo_key(index.name())),
        IndexKind::Equality if index.is_keyed() => {
            let name = index.name();
            let (above, _) = name.split_once('*').unwrap_or((name, ""));
            id.starts_with(above)
        }
        IndexKind::Equality => begins(index.name()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(kind: IndexKind, path: &[Step]) -> Index {
        Index::new(kind, path.to_vec(), None)
    }

    #[test]
    fn names_are_springs() {
        let nested = [Step::Field("addresses"), Step::Each, Step::Field("city")];
        assert_eq!(index(IndexKind::Equality, &nested).name(), "addresses.city");
        let keyed = [Step::Field("places"), Step::Entry, Step::Field("city")];
        let keyed = index(IndexKind::Equality, &keyed);
        assert_eq!(keyed.name_with(&["long-pier"]), "places.long-pier.city");
        let named = Index::new(IndexKind::Equality, nested.to_vec(), Some("town"));
        assert_eq!(named.name(), "addresses.town");
        assert_eq!(geo_key("a.b.location"), "a.b:location");
        assert_eq!(geo_key("location"), "location");
    }

    #[test]
    fn indexes_that_would_meet_are_refused() {
        let a = |kind| index(kind, &[Step::Field("a")]);
        assert!(check(&[a(IndexKind::Equality), a(IndexKind::Unique)]).is_ok());
        assert!(check(&[a(IndexKind::Equality), a(IndexKind::Equality)]).is_err());
        let point = index(IndexKind::Geo, &[Step::Field("a"), Step::Field("b")]);
        assert!(check(std::slice::from_ref(&point)).is_ok());
        assert!(check(&[point, a(IndexKind::Equality)]).is_err());
        assert!(check(&[index(IndexKind::Unique, &[Step::Field("a"), Step::Entry])]).is_err());
        assert!(check(&[index(IndexKind::Geo, &[Step::Field("a"), Step::Each])]).is_err());
        assert!(check(&[index(IndexKind::Equality, &[Step::Field("a:b")])]).is_err());
    }

    #[test]
    fn ids_that_are_keys_of_an_index_are_known() {
        let indexes = [
            index(IndexKind::Equality, &[Step::Field("firstname")]),
            index(IndexKind::Equality, &[Step::Field("marks"), Step::Entry]),
            index(IndexKind::Geo, &[Step::Field("home"), Step::Field("at")]),
            index(IndexKind::Range(Order::Integer), &[Step::Field("age")]),
        ];
        for id in [
            "firstname",
            "firstname:x",
            "marks.arm",
            "marks.arm:x",
            "home:at",
            "home:at:idx",
        ] {
            assert!(is_index_key(&indexes, id), "{id}");
        }
        for id in ["firstname2", "marks", "home", "age", "age:1", "x"] {
            assert!(!is_index_key(&indexes, id), "{id}");
        }
    }
}
