//! What the derive knows of a struct's fields, as a table that is there when compiling.

use super::Holder;

/// One field: its name in Rust, which indexes serve it, and, if it is `#[nested]`, the fields of its struct.
///
/// A field's number is its place in the table; the handles know their fields by the same numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldInfo {
    pub(super) name: &'static str,
    pub(super) uses: Uses,
    pub(super) nested: &'static [Self],
    pub(super) holder: Holder,
}

/// What a field can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Uses {
    pub(super) equality: bool,
    pub(super) range: bool,
    pub(super) text: bool,
    pub(super) geo: bool,
    pub(super) boolean: bool,
    pub(super) sortable: bool,
    pub(super) id: bool,
}

impl FieldInfo {
    /// The table of a struct that is wrong: what its fields can be asked for is unknown until it is right.
    pub const UNKNOWN: &'static [Self] = &[Self::new("")];

    /// Whether it is all there is to [`UNKNOWN`](Self::UNKNOWN).
    pub(super) const fn is_unknown(&self) -> bool {
        self.name.is_empty()
    }

    /// A field that no index serves.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            uses: Uses {
                equality: false,
                range: false,
                text: false,
                geo: false,
                boolean: false,
                sortable: false,
                id: false,
            },
            nested: &[],
            holder: Holder::One,
        }
    }

    /// Entities are found by its value.
    #[must_use]
    pub const fn equality(mut self) -> Self {
        self.uses.equality = true;
        self
    }

    /// Entities are found by what its value is less or greater than.
    #[must_use]
    pub const fn range(mut self) -> Self {
        self.uses.range = true;
        self
    }

    /// Entities are found by what its text begins with.
    #[must_use]
    pub const fn text(mut self) -> Self {
        self.uses.text = true;
        self
    }

    /// Entities are found by where they are.
    #[must_use]
    pub const fn geo(mut self) -> Self {
        self.uses.geo = true;
        self
    }

    /// It is true or false.
    #[must_use]
    pub const fn boolean(mut self) -> Self {
        self.uses.boolean = true;
        self
    }

    /// Entities can be put into its order.
    #[must_use]
    pub const fn sortable(mut self) -> Self {
        self.uses.sortable = true;
        self
    }

    /// It is the id: entities are found by its value, and come in its order where no other is asked for.
    #[must_use]
    pub const fn id(mut self) -> Self {
        self.uses.id = true;
        self.uses.equality = true;
        self.uses.sortable = true;
        self
    }

    /// Its values, or its structs, stand in this.
    #[must_use]
    pub const fn holder(mut self, holder: Holder) -> Self {
        self.holder = holder;
        self
    }

    /// It holds a struct with these fields.
    #[must_use]
    pub const fn nested(mut self, fields: &'static [Self]) -> Self {
        self.nested = fields;
        self
    }
}
