//! Many children, to be found at once.

use std::collections::HashMap;

use super::Id;
use crate::mapping::hash::Seeded;
use crate::mapping::path::Segment;

/// How many slots may be spent on lists altogether, so that no index, however great, costs more than its record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn of(fields: usize) -> Self {
        Self(fields.saturating_mul(4).saturating_add(64))
    }

    fn spend(&mut self, slots: usize) -> bool {
        match self.0.checked_sub(slots) {
            Some(left) => {
                self.0 = left;
                true
            }
            None => false,
        }
    }
}

/// The children of a node: list elements by index, as far as the budget goes, and all others by segment.
#[derive(Debug, Default)]
pub(super) struct Table<'a> {
    dense: Vec<Id>,
    named: HashMap<Segment<'a>, Id, Seeded>,
    /// Whether a list element is among the named.
    sparse: bool,
}

impl<'a> Table<'a> {
    pub(super) fn insert(&mut self, segment: Segment<'a>, index: Option<u32>, id: Id, budget: &mut Budget) {
        if let Some(index) = index {
            let index = index as usize;
            let missing = (index + 1).saturating_sub(self.dense.len());
            if missing > 0 && budget.spend(missing) {
                self.dense.resize(index + 1, 0);
            }
            if let Some(slot) = self.dense.get_mut(index) {
                *slot = id;
                return;
            }
            self.sparse = true;
        }
        self.named.insert(segment, id);
    }

    /// The child of this segment, or 0.
    pub(super) fn find(&self, segment: Segment<'_>, index: Option<u32>) -> Id {
        let dense = index
            .and_then(|index| self.dense.get(index as usize))
            .copied()
            .unwrap_or(0);
        if dense != 0 || (index.is_some() && !self.sparse) {
            return dense;
        }
        self.named.get(&segment).copied().unwrap_or(0)
    }
}
