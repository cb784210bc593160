//! What a finder's name says, once it is read.

use super::operand::role;
use super::operator::Operator;

/// The most conditions a finder can have.
pub(super) const CONDITIONS: usize = 8;
/// The most fields by which it can order.
pub(super) const ORDERS: usize = 4;
/// The most structs a field can stand in, the entity included.
pub(super) const DEPTH: usize = 4;

/// No field, and no value: what pads a way that is shorter, and all there is to a finder that is wrong.
pub const NONE: usize = usize::MAX;

/// The way to a field: its number in each struct's table, the entity's first, and then [`NONE`].
pub(crate) type Way = [usize; DEPTH];

/// What is done with what is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Find,
    Stream,
    Count,
    Exists,
    Delete,
}

/// A finder that is read: conditions, and what is done with those that meet them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finder {
    pub(super) verb: Verb,
    pub(super) limit: Option<u32>,
    pub(super) conditions: [Condition; CONDITIONS],
    pub(super) len: usize,
    pub(super) orders: [Order; ORDERS],
    pub(super) ordered: usize,
}

/// One condition. All of one group have to be met, and of the groups one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) way: Way,
    pub(crate) operator: Operator,
    pub(crate) group: usize,
    /// The number of its first value. Those of [`Operator::True`] and [`Operator::False`], which the name has, come last.
    pub(crate) first: usize,
    /// The field, as the finder's name has it.
    pub(super) name: &'static str,
}

/// A field by which is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) way: Way,
    pub(crate) descending: bool,
    /// The field, as the finder's name has it.
    pub(super) name: &'static str,
}

impl Finder {
    /// Nothing is asked yet.
    pub(super) const EMPTY: Self = Self {
        verb: Verb::Find,
        limit: None,
        conditions: [Condition {
            way: [NONE; DEPTH],
            operator: Operator::Equal,
            group: 0,
            first: NONE,
            name: "",
        }; CONDITIONS],
        len: 0,
        orders: [Order {
            way: [NONE; DEPTH],
            descending: false,
            name: "",
        }; ORDERS],
        ordered: 0,
    };

    /// The conditions, in the order of their groups.
    pub(crate) const fn conditions(&self) -> &[Condition] {
        self.conditions.split_at(self.len).0
    }

    /// The orders, the first of which weighs most.
    pub(crate) const fn orders(&self) -> &[Order] {
        self.orders.split_at(self.ordered).0
    }

    pub(crate) const fn verb(&self) -> Verb {
        self.verb
    }

    pub(crate) const fn limit(&self) -> Option<u32> {
        self.limit
    }

    /// How many values the method is given.
    pub(super) const fn values(&self) -> usize {
        let mut values = 0;
        let mut i = 0;
        while i < self.len {
            values += self.conditions[i].operator.values();
            i += 1;
        }
        values
    }

    /// With the number of each condition's first value.
    pub(super) const fn numbered(mut self) -> Self {
        let (mut given, mut stated) = (0, self.values());
        let mut i = 0;
        while i < self.len {
            let values = self.conditions[i].operator.values();
            if values == 0 {
                self.conditions[i].first = stated;
                stated += 1;
            } else {
                self.conditions[i].first = given;
                given += values;
            }
            i += 1;
        }
        self
    }

    /// The condition that has this value, and which of its values it is.
    const fn of_value(&self, value: usize) -> Option<(&Condition, usize)> {
        let mut i = 0;
        while i < self.len {
            let condition = &self.conditions[i];
            let values = condition.operator.values();
            let has = if values == 0 { 1 } else { values };
            if value >= condition.first && value - condition.first < has {
                return Some((condition, value - condition.first));
            }
            i += 1;
        }
        None
    }

    /// A step of the way to the field that a value belongs to, or [`NONE`].
    #[must_use]
    pub const fn step(&self, value: usize, depth: usize) -> usize {
        match self.of_value(value) {
            Some((condition, _)) => condition.way[depth],
            None => NONE,
        }
    }

    /// What a value is for its field: one of [`role`]'s numbers.
    #[must_use]
    pub const fn role(&self, value: usize) -> usize {
        let Some((condition, which)) = self.of_value(value) else {
            return NONE;
        };
        match (condition.operator, which) {
            (Operator::Equal | Operator::NotEqual | Operator::True | Operator::False, _) => role::VALUE,
            (Operator::In, _) => role::LIST,
            (
                Operator::Between
                | Operator::LessThan
                | Operator::LessThanEqual
                | Operator::GreaterThan
                | Operator::GreaterThanEqual,
                _,
            ) => role::BOUND,
            (Operator::StartingWith, _) => role::PREFIX,
            (Operator::Near, 0) => role::POINT,
            (Operator::Near, _) => role::DISTANCE,
            (Operator::Within, _) => role::SHAPE,
        }
    }

    /// A value that the name has: whether it says `true`.
    #[must_use]
    pub const fn says_true(&self, value: usize) -> bool {
        match self.of_value(value) {
            Some((condition, _)) => matches!(condition.operator, Operator::True),
            None => false,
        }
    }
}
