//! Where a type decodes itself by what it finds.
//!
//! The flat text `1` does not say whether it was a string or a number. Most types ask for the one they want; untagged
//! and internally tagged enums, `serde_json::Value` and their like ask for *any*. At such places the value is stored
//! as JSON, which knows its types. Serde offers no way to ask a type where they are, so it is [probed](probe) once,
//! with a deserializer that walks every path of it and notes where *any* was asked for. Most types have no such place,
//! and then nothing is carried along.

mod probe;

use std::any::TypeId;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use serde::de::DeserializeOwned;

use super::Record;
use super::fault::Offer;
use super::hash::Seeded;
use super::record::Size;

/// How many fields of one type may be remembered as required though absent.
const MAX_OFFERS: usize = 10_000;

/// No record is expected to be larger than this because the last one was.
const MAX_ROOM: usize = 4096;

/// Asked for *any*, but by a visitor that asks for types again within: what it reads may be written for such.
const TYPED: u8 = u8::MAX;

/// The elements of a tuple, each of its own type. Of long ones, which are arrays, the first tell enough.
const ELEMENTS: [&str; 16] = [
    "[0]", "[1]", "[2]", "[3]", "[4]", "[5]", "[6]", "[7]", "[8]", "[9]", "[10]", "[11]", "[12]", "[13]",
    "[14]", "[15]",
];

/// What was found out about a type.
#[derive(Debug)]
pub(super) struct Shape {
    /// Empty, or the root first.
    nodes: Vec<Node>,
    /// Fields that are required although nothing may be stored of them.
    offers: RwLock<Arc<Vec<Offer>>>,
    /// How large the last record was.
    size: [AtomicUsize; 3],
}

/// A place, or all the elements of one.
#[derive(Debug, Default)]
struct Node {
    /// Set if *any* is asked for here, inside of that many options (or [`TYPED`]).
    any: Option<u8>,
    /// Whether any text is accepted by what asked, and whether digits are.
    takes_text: bool,
    takes_digits: bool,
    fields: Vec<(&'static str, u32)>,
    each: Option<u32>,
    /// The place further out that is of the same type.
    link: Option<u32>,
}

/// A place in a shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'s> {
    shape: &'s Shape,
    id: u32,
}

impl<'s> At<'s> {
    fn node(self) -> Option<&'s Node> {
        self.shape.nodes.get(self.id as usize)
    }

    fn to(self, id: u32) -> Option<Self> {
        let id = self.shape.nodes.get(id as usize)?.link.unwrap_or(id);
        Some(Self { id, ..self })
    }

    /// Whether the value here decodes itself by what it finds, and inside of how many options.
    pub(super) fn any(self) -> Option<u8> {
        self.node()?.any
    }

    /// Whether the value here is a number in the clothes of a text, such as a decimal: digits mean the same to it with
    /// quotes and without.
    pub(super) fn is_numeral(self) -> bool {
        self.node()
            .is_some_and(|node| node.takes_digits && !node.takes_text)
    }

    /// The field or variant of this name.
    pub(super) fn field(self, name: &str) -> Option<Self> {
        let (_, id) = self.node()?.fields.iter().find(|(field, _)| *field == name)?;
        self.to(*id)
    }

    /// Any element or entry.
    pub(super) fn each(self) -> Option<Self> {
        self.to(self.node()?.each?)
    }

    /// An element of a tuple.
    pub(super) fn element(self, at: usize) -> Option<Self> {
        self.field(ELEMENTS.get(at).or(ELEMENTS.last())?)
    }
}

/// A type by its id, and by what is said of its fields.
type Id = (TypeId, usize, usize);

type Known = HashMap<Id, &'static Shape, Seeded>;

static KNOWN: LazyLock<RwLock<Known>> = LazyLock::new(RwLock::default);

thread_local! {
    /// The type that this thread was here for last, which it mostly is again.
    static LAST: Cell<Option<(Id, &'static Shape)>> = const { Cell::new(None) };
}

impl Shape {
    /// What is known of `T`, whose fields beside a flattened one are `plain`.
    ///
    /// What was found out is kept for the life of the process: there are as many of them as there are entity types.
    pub(super) fn of<T: DeserializeOwned + 'static>(plain: &'static [&'static str]) -> &'static Self {
        let id = (TypeId::of::<T>(), plain.as_ptr().addr(), plain.len());
        if let Some((last, shape)) = LAST.get()
            && last == id
        {
            return shape;
        }
        let shape = Self::known::<T>(id, plain);
        LAST.set(Some((id, shape)));
        shape
    }

    fn known<T: DeserializeOwned + 'static>(id: Id, plain: &'static [&'static str]) -> &'static Self {
        if let Some(shape) = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(&id) {
            return shape;
        }
        let mut nodes = probe::probe::<T>(plain);
        unlink(&mut nodes);
        prune(&mut nodes);
        let shape = Self {
            nodes,
            offers: RwLock::default(),
            size: Default::default(),
        };
        KNOWN
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(id)
            .or_insert_with(|| Box::leak(Box::new(shape)))
    }

    /// The entity as a whole, if it has a place that matters.
    pub(super) fn root(&self) -> Option<At<'_>> {
        if self.nodes.is_empty() {
            None
        } else {
            Some(At { shape: self, id: 0 })
        }
    }

    /// An empty record with room for as much as the last one held.
    pub(super) fn record(&self) -> Record {
        let [fields, paths, values] = self
            .size
            .each_ref()
            .map(|size| size.load(Ordering::Relaxed).min(MAX_ROOM));
        Record::with_room(Size {
            fields,
            paths,
            values,
        })
    }

    /// Notes how large a record was.
    pub(super) fn measure(&self, record: &Record) {
        let Size {
            fields,
            paths,
            values,
        } = record.size();
        for (size, now) in self.size.iter().zip([fields, paths, values]) {
            if size.load(Ordering::Relaxed) != now {
                size.store(now, Ordering::Relaxed);
            }
        }
    }

    /// The fields that are to be offered although nothing is stored of them.
    pub(super) fn offers(&self) -> Arc<Vec<Offer>> {
        Arc::clone(&self.offers.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds to these fields, and returns them all; `None` if it was among them.
    pub(super) fn remember(&self, offer: Offer) -> Option<Arc<Vec<Offer>>> {
        let mut offers = self.offers.write().unwrap_or_else(PoisonError::into_inner);
        if offers.len() >= MAX_OFFERS {
            return None;
        }
        if !offers.contains(&offer) {
            Arc::make_mut(&mut offers).push(offer);
        }
        Some(Arc::clone(&offers))
    }
}

/// Takes over what a place links to, where it is a place of its own too.
fn unlink(nodes: &mut [Node]) {
    for id in 0..nodes.len() {
        let Some(node) = nodes.get(id).filter(|node| node.link.is_some()) else {
            continue;
        };
        if node.any.is_none() && node.fields.is_empty() && node.each.is_none() {
            continue;
        }
        let linked = node.link.and_then(|link| nodes.get(link as usize));
        let (fields, each) = linked
            .map(|linked| (linked.fields.clone(), linked.each))
            .unwrap_or_default();
        let Some(node) = nodes.get_mut(id) else { continue };
        node.link = None;
        let mut clash = node.each.is_some() && each.is_some() && node.each != each;
        for (name, to) in fields {
            match node.fields.iter().find(|(field, _)| *field == name) {
                Some((_, other)) => clash |= *other != to,
                None => node.fields.push((name, to)),
            }
        }
        node.each = node.each.or(each);
        if clash && node.any.is_none() {
            node.any = Some(TYPED);
        }
    }
}

/// Forgets the places that neither ask for *any* nor lead to one that does.
fn prune(nodes: &mut Vec<Node>) {
    let mut useful: Vec<bool> = nodes.iter().map(|node| node.any.is_some()).collect();
    loop {
        let mut changed = false;
        for (id, node) in nodes.iter().enumerate() {
            let leads = node
                .fields
                .iter()
                .map(|(_, to)| *to)
                .chain(node.each)
                .chain(node.link);
            let now = leads
                .into_iter()
                .any(|to| useful.get(to as usize).copied().unwrap_or(false));
            if let Some(slot) = useful.get_mut(id)
                && now
                && !*slot
            {
                *slot = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let kept = |to: &u32| useful.get(*to as usize).copied().unwrap_or(false);
    if !kept(&0) {
        nodes.clear();
    }
    for node in nodes {
        node.fields.retain(|(_, to)| kept(to));
        node.each = node.each.filter(kept);
        node.link = node.link.filter(kept);
    }
}
