//! What is measured.

use std::time::Duration;

/// The term of all that expires; nothing does while it is measured.
pub(crate) const TERM: Duration = Duration::from_secs(3600);
/// How long a phantom outlives its entity.
pub(crate) const GRACE: Duration = Duration::from_secs(300);
/// Of a page.
pub(crate) const PAGE: usize = 20;

/// By whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Kvrepo,
    /// By hand, with the same promises.
    Raw,
    /// By hand, with fewer: the bytes are the same when nothing goes wrong and nobody races it.
    Unguarded,
}

impl Form {
    pub(crate) const ALL: [Self; 3] = [Self::Kvrepo, Self::Raw, Self::Unguarded];

    /// The database that it works in, so that all can do the same to entities of the same name.
    pub(crate) fn database(self) -> u32 {
        match self {
            Self::Kvrepo => 0,
            Self::Raw => 1,
            Self::Unguarded => 2,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// A new entity, without a term.
    Save,
    /// With a term, and so a phantom and a place among the deadlines.
    SaveTtl,
    /// Without a term, in two indexes.
    SaveIndexed,
    /// With both.
    SaveTtlIndexed,
    /// A save with a term, over what is there.
    Replace,
    /// The same in two indexes, in both of which it moves.
    ReplaceIndexed,
    /// With a term.
    Insert,
    /// One field of an entity with a term.
    Update,
    FindById,
    FindAllById,
    /// Those of one value in each of two indexes.
    Query,
    /// The first of one index, and how many there are.
    Page,
    Count,
    /// With a term.
    SaveAll,
    /// Of an entity with a term.
    Delete,
    /// Of entities with a term.
    DeleteAll,
}

impl Operation {
    pub(crate) const ALL: [Self; 16] = [
        Self::Save,
        Self::SaveTtl,
        Self::SaveIndexed,
        Self::SaveTtlIndexed,
        Self::Replace,
        Self::ReplaceIndexed,
        Self::Insert,
        Self::Update,
        Self::FindById,
        Self::FindAllById,
        Self::Query,
        Self::Page,
        Self::Count,
        Self::SaveAll,
        Self::Delete,
        Self::DeleteAll,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Save => "save",
            Self::SaveTtl => "save_ttl",
            Self::SaveIndexed => "save_indexed",
            Self::SaveTtlIndexed => "save_ttl_indexed",
            Self::Replace => "replace",
            Self::ReplaceIndexed => "replace_indexed",
            Self::Insert => "insert",
            Self::Update => "update",
            Self::FindById => "find_by_id",
            Self::FindAllById => "find_all_by_id",
            Self::Query => "query",
            Self::Page => "page",
            Self::Count => "count",
            Self::SaveAll => "save_all",
            Self::Delete => "delete",
            Self::DeleteAll => "delete_all",
        }
    }

    /// Whether it is measured on entities with indexes.
    pub(crate) fn is_indexed(self) -> bool {
        matches!(
            self,
            Self::SaveIndexed | Self::SaveTtlIndexed | Self::ReplaceIndexed | Self::Query | Self::Page
        )
    }

    pub(crate) fn term(self) -> Option<Duration> {
        (!matches!(self, Self::Save | Self::SaveIndexed)).then_some(TERM)
    }

    /// What has to be there before it.
    pub(crate) fn needs(self) -> Needs {
        match self {
            Self::Save
            | Self::SaveTtl
            | Self::SaveIndexed
            | Self::SaveTtlIndexed
            | Self::Insert
            | Self::SaveAll => Needs::Nothing,
            Self::Replace | Self::ReplaceIndexed => Needs::Written,
            Self::Update | Self::FindById | Self::Count => Needs::Some,
            Self::FindAllById | Self::Query | Self::Page => Needs::Many,
            Self::Delete | Self::DeleteAll => Needs::Own,
        }
    }

    /// Whether it changes nothing.
    pub(crate) fn reads(self) -> bool {
        matches!(
            self,
            Self::FindById | Self::FindAllById | Self::Query | Self::Page | Self::Count
        )
    }

    /// Whether one call is about very many entities; a few at a time is then as much as a machine bears.
    pub(crate) fn is_bulk(self) -> bool {
        matches!(self, Self::SaveAll | Self::DeleteAll)
    }

    /// Whether several callers at once would be in each other's way.
    pub(crate) fn is_alone(self) -> bool {
        self == Self::DeleteAll
    }

    /// Whether there is a form of less promises that is worth its name.
    pub(crate) fn has_unguarded(self) -> bool {
        !matches!(
            self,
            Self::ReplaceIndexed | Self::Insert | Self::FindById | Self::FindAllById | Self::Query
        )
    }
}

/// What has to be on the server before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// An empty database.
    Nothing,
    /// Entities that any number of calls can use.
    Some,
    /// As many as can be found.
    Many,
    /// Entities that are written over, each with others.
    Written,
    /// For each call entities of its own.
    Own,
}
