//! Where a field stands in an entity.

use crate::backend::{Ancestor, PathPart, Place};
use crate::mapping::Step;

/// Where a field stands in the hash. That of a declared field is made once for its type, and kept.
#[derive(Debug, Clone)]
pub struct FieldPath {
    /// The path under which it is written.
    pub(crate) path: String,
    /// Other paths under which it is read, by serde's `alias`.
    pub(crate) others: Vec<String>,
    /// What it stands in, the outermost first.
    pub(crate) ancestors: Vec<Ancestor>,
    /// The way from the entity down to it.
    pub(crate) steps: Vec<Step>,
    /// Whether it stands in the elements of a list or a map, and so not at one place.
    pub(crate) many: bool,
}

impl FieldPath {
    /// A field of the entity itself: the name under which it is written, and all others under which it is read.
    #[must_use]
    pub fn root(name: &'static str, others: &[&str]) -> &'static Self {
        Box::leak(Box::new(Self {
            path: name.to_owned(),
            others: others.iter().map(|&name| name.to_owned()).collect(),
            ancestors: Vec::new(),
            steps: vec![Step::Field(name)],
            many: false,
        }))
    }

    /// A field of the struct that stands here, in an `Option` or not.
    #[must_use]
    pub fn child(&self, optional: bool, name: &'static str, others: &[&str]) -> &'static Self {
        let below = |name: &str| format!("{}.{name}", self.path);
        let mut child = self.within(below(name), Step::Field(name), optional, "{}");
        child.others = others.iter().map(|name| below(name)).collect();
        Box::leak(Box::new(child))
    }

    /// What stands one step below this, at a path of its own. Of nothing but it, `marker` would stand here.
    pub(super) fn within(&self, path: String, step: Step, optional: bool, marker: &'static str) -> Self {
        let mut steps = self.steps.clone();
        steps.push(step);
        let mut ancestors = self.ancestors.clone();
        ancestors.push(Ancestor::new(self.path.clone(), optional, marker));
        Self {
            path,
            others: Vec::new(),
            ancestors,
            steps,
            many: self.many,
        }
    }

    /// What stands in each element of this, a list or a map. For indexes: it is at no place of its own.
    pub(crate) fn each(&self, step: Step) -> Self {
        let mut each = self.within(self.path.clone(), step, false, "{}");
        each.many = true;
        each
    }

    /// A path that a value could have, with these keys of maps.
    pub(super) fn sample(&self, keys: &[String]) -> String {
        let parts = parts(&self.steps, keys).into_iter().map(|part| match part {
            PathPart::Text(text) => text,
            PathPart::Position => "0".to_owned(),
        });
        parts.collect()
    }

    pub(crate) fn place(&self) -> Place {
        Place::new(self.path.clone(), self.others.clone(), self.ancestors.clone())
    }
}

/// The parts of the path that a value has at the end of these steps, with these keys of maps.
pub(super) fn parts(steps: &[Step], keys: &[impl AsRef<str>]) -> Vec<PathPart> {
    let (mut parts, mut text, mut keys) = (Vec::new(), String::new(), keys.iter());
    for (at, step) in steps.iter().enumerate() {
        if at > 0 {
            text.push('.');
        }
        match step {
            Step::Field(name) => text.push_str(name),
            Step::Entry => {
                let key = keys.next().map_or("", AsRef::as_ref);
                text.extend(["[", key, "]"]);
            }
            Step::Each => {
                text.push('[');
                parts.extend([PathPart::Text(std::mem::take(&mut text)), PathPart::Position]);
                text.push(']');
            }
        }
    }
    parts.push(PathPart::Text(text));
    parts
}
