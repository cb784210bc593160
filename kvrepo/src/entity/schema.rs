//! The names and defaults that an entity's attributes state.

use std::time::Duration;

/// What the attributes of an entity say. Built by `#[derive(KvEntity)]`, and constant.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct EntitySchema {
    /// The type's name, for messages.
    pub entity: &'static str,
    /// The keyspace, unless the store's settings name another.
    pub keyspace: &'static str,
    /// Where the id stands in the hash.
    pub id_path: &'static str,
    /// The default term of `#[kv(time_to_live = "…")]`; `None` is persistent.
    pub time_to_live: Option<Duration>,
    /// The default idle term of `#[kv(idle = "…")]`: it begins anew with each read of the entity by its id.
    pub idle: Option<Duration>,
    /// Where the version stands in the hash, if there is a `#[version]` field.
    pub version_path: Option<&'static str>,
    /// Whether a field holds the term, so that reading has to ask the server for what remains.
    pub reads_remaining: bool,
    /// Whether a field or a method states the term, so that it can differ from entity to entity.
    pub states_term: bool,
    /// Whether a phantom is kept, unless the store's settings say otherwise.
    pub shadow_copy: bool,
    /// What is written as `_class`.
    pub type_alias: Option<&'static str>,
    /// The fields marked `#[kv(json)]`, by path.
    pub json_paths: &'static [&'static str],
    /// The fields in an `Option` that are not indexed, by path; what in an example of the entity counts all the same.
    pub optional_paths: &'static [&'static str],
    /// The fields that are not part of a `#[serde(flatten)]`, by path; empty where nothing is flattened.
    pub plain_paths: &'static [&'static str],
}

impl EntitySchema {
    /// The schema of an entity without any option.
    #[must_use]
    pub const fn new(entity: &'static str, keyspace: &'static str, id_path: &'static str) -> Self {
        Self {
            entity,
            keyspace,
            id_path,
            time_to_live: None,
            idle: None,
            version_path: None,
            reads_remaining: false,
            states_term: false,
            shadow_copy: true,
            type_alias: None,
            json_paths: &[],
            optional_paths: &[],
            plain_paths: &[],
        }
    }

    /// With a default term, in milliseconds.
    #[must_use]
    pub const fn time_to_live_ms(mut self, ms: u64) -> Self {
        self.time_to_live = Some(Duration::from_millis(ms));
        self
    }

    /// With a default idle term, in milliseconds.
    #[must_use]
    pub const fn idle_ms(mut self, ms: u64) -> Self {
        self.idle = Some(Duration::from_millis(ms));
        self
    }

    /// With a version at this path.
    #[must_use]
    pub const fn version_path(mut self, path: &'static str) -> Self {
        self.version_path = Some(path);
        self
    }

    /// With a field that states the term and is read back.
    #[must_use]
    pub const fn reads_remaining(mut self) -> Self {
        self.reads_remaining = true;
        self.states_term = true;
        self
    }

    /// With a method that states the term.
    #[must_use]
    pub const fn states_term(mut self) -> Self {
        self.states_term = true;
        self
    }

    /// With or without a phantom.
    #[must_use]
    pub const fn shadow_copy(mut self, on: bool) -> Self {
        self.shadow_copy = on;
        self
    }

    /// With a `_class` of this text.
    #[must_use]
    pub const fn type_alias(mut self, alias: &'static str) -> Self {
        self.type_alias = Some(alias);
        self
    }

    /// With fields that are stored as JSON.
    #[must_use]
    pub const fn json_paths(mut self, paths: &'static [&'static str]) -> Self {
        self.json_paths = paths;
        self
    }

    /// With fields in an `Option` that are not indexed.
    #[must_use]
    pub const fn optional_paths(mut self, paths: &'static [&'static str]) -> Self {
        self.optional_paths = paths;
        self
    }

    /// With the fields that stand beside a flattened one.
    #[must_use]
    pub const fn plain_paths(mut self, paths: &'static [&'static str]) -> Self {
        self.plain_paths = paths;
        self
    }
}
