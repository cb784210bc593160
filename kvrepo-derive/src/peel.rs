//! What a field's type is made of, as far as it is written there: an `Option`, a list or a map, and the values in it.

use syn::{GenericArgument, PathArguments, Type};

/// A field's type, taken apart.
pub(crate) struct Peeled<'a> {
    /// Whether it is an `Option`.
    pub(crate) optional: bool,
    pub(crate) holder: Holder,
    /// The values.
    pub(crate) value: &'a Type,
}

/// What values stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    One,
    List,
    Map,
}

/// The types of lists and sets, by their last name.
const LISTS: [&str; 8] = [
    "Vec",
    "VecDeque",
    "LinkedList",
    "HashSet",
    "BTreeSet",
    "BinaryHeap",
    "IndexSet",
    "SmallVec",
];

/// The types of maps, by their last name.
const MAPS: [&str; 3] = ["HashMap", "BTreeMap", "IndexMap"];

impl<'a> Peeled<'a> {
    pub(crate) fn of(ty: &'a Type) -> Self {
        let (optional, ty) = match argument(ty, &["Option"], 0) {
            Some(inner) => (true, inner),
            None => (false, plain(ty)),
        };
        let (holder, value) = if is_bytes(ty) {
            (Holder::One, ty)
        } else if let Some(value) = element(ty) {
            (Holder::List, value)
        } else if let Some(value) = argument(ty, &MAPS, 1) {
            (Holder::Map, value)
        } else {
            (Holder::One, ty)
        };
        Self {
            optional,
            holder,
            value: plain(value),
        }
    }

    /// Whether the values are again something with values in it.
    pub(crate) fn goes_on(&self) -> bool {
        let value = self.value;
        !is_bytes(value)
            && (argument(value, &["Option"], 0).is_some()
                || element(value).is_some()
                || argument(value, &MAPS, 1).is_some())
    }
}

/// Without brackets.
fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => plain(&inner.elem),
        Type::Group(inner) => plain(&inner.elem),
        _ => ty,
    }
}

/// Bytes are stored raw, as one value.
pub(crate) fn is_bytes(ty: &Type) -> bool {
    element(ty).is_some_and(|element| matches!(element, Type::Path(path) if path.path.is_ident("u8")))
        && !matches!(
            name(ty).as_deref(),
            Some("HashSet" | "BTreeSet" | "IndexSet" | "LinkedList" | "VecDeque")
        )
}

fn element(ty: &Type) -> Option<&Type> {
    match plain(ty) {
        Type::Array(array) => Some(&array.elem),
        Type::Slice(slice) => Some(&slice.elem),
        ty => argument(ty, &["Box"], 0)
            .filter(|inner| matches!(plain(inner), Type::Slice(_)))
            .and_then(element)
            .or_else(|| argument(ty, &LISTS, 0)),
    }
}

fn name(ty: &Type) -> Option<String> {
    match plain(ty) {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

/// The type argument at this place, if the type is one of these names.
fn argument<'a>(ty: &'a Type, names: &[&str], at: usize) -> Option<&'a Type> {
    let Type::Path(path) = plain(ty) else { return None };
    let segment = path.path.segments.last()?;
    if !names.iter().any(|name| segment.ident == *name) {
        return None;
    }
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.nth(at)
}

#[cfg(test)]
mod tests {
    use quote::ToTokens;

    use super::*;

    fn peeled(ty: &str) -> (bool, Holder, String, bool) {
        let ty: Type = syn::parse_str(ty).expect("a type");
        let peeled = Peeled::of(&ty);
        let value = peeled.value.to_token_stream().to_string().replace(' ', "");
        (peeled.optional, peeled.holder, value, peeled.goes_on())
    }

    #[test]
    fn types_are_taken_apart() {
        for (ty, optional, holder, value) in [
            ("String", false, Holder::One, "String"),
            ("std::option::Option<u8>", true, Holder::One, "u8"),
            ("Option<Vec<String>>", true, Holder::List, "String"),
            ("HashSet<Tag, S>", false, Holder::List, "Tag"),
            ("[u32; 3]", false, Holder::List, "u32"),
            ("Box<[Tag]>", false, Holder::List, "Tag"),
            ("BTreeMap<String, Grade>", false, Holder::Map, "Grade"),
            ("Vec<u8>", false, Holder::One, "Vec<u8>"),
            ("Option<[u8; 16]>", true, Holder::One, "[u8;16]"),
            ("Ref<Person>", false, Holder::One, "Ref<Person>"),
        ] {
            assert_eq!(peeled(ty), (optional, holder, value.to_owned(), false), "{ty}");
        }
        for ty in [
            "Vec<Option<u8>>",
            "Option<Option<u8>>",
            "Vec<Vec<String>>",
            "BTreeMap<u8, Vec<u16>>",
        ] {
            assert!(peeled(ty).3, "{ty}");
        }
    }
}
