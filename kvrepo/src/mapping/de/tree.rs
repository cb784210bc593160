//! The fields of a record as a tree, borrowed from it.
//!
//! Fields mostly come in an order in which neighbours share the beginning of their paths, so each is entered from
//! where the last one left off. Children are looked up by index or in a table as soon as there are many: the cost
//! grows with the number of segments, not with its square, for records in any order.

mod table;

use std::cell::Cell;

use self::table::{Budget, Table};
use crate::mapping::Record;
use crate::mapping::fault::Fault;
use crate::mapping::json;
use crate::mapping::path::{HINT, ROOT, Segment};
use crate::mapping::scratch;

/// A node's number. The root is 0, which is nobody's child, so that 0 also says "none".
pub(super) type Id = u32;

/// Deeper than any value can be; what lies below is not taken apart.
const MAX_SEGMENTS: usize = 300;

/// A node with more children than this gets a table of them.
const FEW: u32 = 12;

/// No index.
const NONE: u32 = u32::MAX;

/// Where a value may stand. There are as many of these as fields, so they are kept small.
#[derive(Debug)]
pub(super) struct Node<'a> {
    text: &'a str,
    /// The field of exactly this path.
    own: Option<&'a [u8]>,
    /// The list index that the segment is, or `NONE`.
    index: u32,
    next: Id,
    /// Its place among the families, plus 1, if it has children.
    family: u32,
    bracket: bool,
    /// Whether the field is another writer's type hint.
    hint: bool,
    /// Whether anything is stored here or below that is not a hint.
    live: bool,
}

impl<'a> Node<'a> {
    fn new(segment: Segment<'a>) -> Self {
        Self {
            text: segment.text(),
            own: None,
            index: segment.index().unwrap_or(NONE),
            next: 0,
            family: 0,
            bracket: matches!(segment, Segment::Bracket(_)),
            hint: false,
            live: false,
        }
    }

    #[inline]
    pub(super) fn segment(&self) -> Segment<'a> {
        if self.bracket {
            Segment::Bracket(self.text)
        } else {
            Segment::Name(self.text)
        }
    }

    /// The list index that the segment is.
    #[inline]
    pub(super) fn index(&self) -> Option<u32> {
        if self.index == NONE {
            None
        } else {
            Some(self.index)
        }
    }
}

/// The children of a node.
#[derive(Debug, Default)]
struct Family {
    first: Id,
    last: Id,
    count: u32,
    /// How many were made for what is below them.
    inner: u32,
    /// The first index that is greater than all of theirs.
    beyond: u32,
    /// Its place among the tables, plus 1.
    table: u32,
    /// Whether their indices came in no order.
    disordered: bool,
}

/// All fields of a record.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    families: Vec<Family>,
    tables: Vec<Table<'a>>,
    budget: Budget,
    trail: Trail<'a>,
}

/// What trees are made of.
#[derive(Default)]
struct Room {
    nodes: Vec<Node<'static>>,
    families: Vec<Family>,
    steps: Vec<(Id, usize)>,
}

thread_local! {
    static ROOM: Cell<Room> = const {
        Cell::new(Room {
            nodes: Vec::new(),
            families: Vec::new(),
            steps: Vec::new(),
        })
    };
}

/// The path that was entered last: its nodes, and where in its text each one's segment ends.
#[derive(Debug)]
struct Trail<'a> {
    path: &'a str,
    steps: Vec<(Id, usize)>,
}

impl Trail<'_> {
    /// Goes back to the last node that `path` also leads through.
    fn retrace(&mut self, path: &str) {
        // Mostly none but the length tells already.
        let mut common = None;
        while let Some((_, end)) = self.steps.last() {
            if matches!(path.as_bytes().get(*end), None | Some(b'.'))
                && *end <= *common.get_or_insert_with(|| common_prefix(self.path.as_bytes(), path.as_bytes()))
            {
                break;
            }
            self.steps.pop();
        }
    }
}

/// How many bytes both begin with.
fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    let ((left_words, _), (right_words, _)) = (left.as_chunks::<8>(), right.as_chunks::<8>());
    let words = left_words
        .iter()
        .zip(right_words)
        .take_while(|(a, b)| a == b)
        .count()
        * 8;
    let rest = left
        .iter()
        .zip(right)
        .skip(words)
        .take_while(|(a, b)| a == b)
        .count();
    words + rest
}

impl<'a> Tree<'a> {
    pub(super) fn new(record: &'a Record) -> Self {
        let room = scratch::taken(&ROOM);
        let mut nodes = scratch::emptied(room.nodes);
        nodes.reserve(record.len() + record.len() / 2 + 2);
        nodes.push(Node::new(Segment::Name("")));
        let mut tree = Self {
            nodes,
            families: room.families,
            tables: Vec::new(),
            budget: Budget::of(record.len()),
            trail: Trail {
                path: "",
                steps: room.steps,
            },
        };
        for (path, value) in record.iter() {
            tree.enter(path, value);
        }
        tree
    }

    /// To be called when all is read.
    pub(super) fn keep_room(self) {
        let room = Room {
            nodes: scratch::emptied(self.nodes),
            families: scratch::emptied(self.families),
            steps: scratch::emptied(self.trail.steps),
        };
        scratch::keep(&ROOM, room);
    }

    fn enter(&mut self, path: &'a str, value: &'a [u8]) {
        self.trail.retrace(path);
        let last = self.trail.steps.last();
        let (mut at, mut start) = last.map_or((0, 0), |(id, end)| (*id, end + 1));
        while start <= path.len() && self.trail.steps.len() < MAX_SEGMENTS {
            let (segment, end) = Segment::at(path, start);
            at = self.child_or_new(at, segment, end == path.len());
            self.trail.steps.push((at, end));
            start = end + 1;
        }
        self.trail.path = path;
        let Some(node) = self.nodes.get_mut(at as usize) else {
            return;
        };
        node.own = Some(value);
        node.hint = !node.bracket && node.text == HINT;
        if !node.hint {
            self.enliven();
        }
        if path == ROOT
            && let Some(root) = self.nodes.first_mut()
        {
            root.own = Some(value);
        }
    }

    /// Something is stored at the end of the trail, and so below all that is on it.
    fn enliven(&mut self) {
        for (id, _) in self.trail.steps.iter().rev() {
            match self.nodes.get_mut(*id as usize) {
                Some(node) if !node.live => node.live = true,
                _ => return,
            }
        }
        if let Some(root) = self.nodes.first_mut() {
            root.live = true;
        }
    }

    /// The child of this segment, for a field that either stands there or below.
    fn child_or_new(&mut self, parent: Id, segment: Segment<'a>, stands: bool) -> Id {
        let child = Node::new(segment);
        let place = self.family_place(parent);
        let Some(family) = self.families.get(place) else {
            return 0;
        };
        let last = family.last;
        let ascending = child.index != NONE && child.index >= family.beyond;
        // A path stands once in a record: a field can only meet a node that was made for what is below it.
        if last != 0 && !ascending && !(stands && family.inner == 0) {
            self.tabulate(place);
            let found = self.find(parent, segment, child.index());
            if found != 0 {
                return found;
            }
        }
        let Ok(id) = Id::try_from(self.nodes.len()) else {
            return 0;
        };
        if let Some(family) = self.families.get_mut(place) {
            family.count += 1;
            family.inner += u32::from(!stands);
            family.last = id;
            if last == 0 {
                family.first = id;
            }
            if child.index != NONE {
                family.disordered |= !ascending;
                family.beyond = family.beyond.max(child.index + 1);
            }
            if let Some(table) = self.tables.get_mut((family.table as usize).wrapping_sub(1)) {
                table.insert(segment, child.index(), id, &mut self.budget);
            }
        }
        if let Some(last) = self.nodes.get_mut(last as usize).filter(|_| last != 0) {
            last.next = id;
        }
        self.nodes.push(child);
        id
    }

    /// Where the family of this node is, made if it had none.
    fn family_place(&mut self, parent: Id) -> usize {
        let new = self.families.len();
        match self.nodes.get_mut(parent as usize) {
            Some(node) if node.family == 0 => {
                node.family = u32::try_from(new + 1).unwrap_or_default();
                self.families.push(Family::default());
                new
            }
            Some(node) => (node.family as usize).wrapping_sub(1),
            None => usize::MAX,
        }
    }

    /// Makes a table of many children.
    fn tabulate(&mut self, place: usize) {
        let Some(family) = self
            .families
            .get(place)
            .filter(|one| one.count > FEW && one.table == 0)
        else {
            return;
        };
        let mut table = Table::default();
        let mut budget = self.budget;
        for (id, node) in self.siblings(family.first) {
            table.insert(node.segment(), node.index(), id, &mut budget);
        }
        self.budget = budget;
        self.tables.push(table);
        let table = self.tables.len();
        if let Some(family) = self.families.get_mut(place) {
            family.table = u32::try_from(table).unwrap_or_default();
        }
    }

    #[inline]
    fn get(&self, id: Id) -> Option<&Node<'a>> {
        self.nodes.get(id as usize)
    }

    #[inline]
    fn family(&self, parent: Id) -> Option<&Family> {
        self.families
            .get((self.get(parent)?.family as usize).wrapping_sub(1))
    }

    /// The nodes from `first` on.
    fn siblings(&self, first: Id) -> impl Iterator<Item = (Id, &Node<'a>)> {
        let mut at = first;
        std::iter::from_fn(move || {
            let id = at;
            let node = if id == 0 { None } else { self.get(id) }?;
            at = node.next;
            Some((id, node))
        })
    }

    fn find(&self, parent: Id, segment: Segment<'_>, index: Option<u32>) -> Id {
        let Some(family) = self.family(parent) else {
            return 0;
        };
        match self.tables.get((family.table as usize).wrapping_sub(1)) {
            Some(table) => table.find(segment, index),
            None => self
                .siblings(family.first)
                .find(|(_, node)| node.segment() == segment)
                .map_or(0, |(id, _)| id),
        }
    }

    /// The place that is named so within `parent`: in one segment, or, for names with dots in them, in several. Where
    /// it is `likely`, it is found at once.
    #[inline]
    pub(super) fn named(&self, parent: Id, name: &str, likely: Id) -> Id {
        let segment = Segment::Name(name);
        if likely != 0 && self.get(likely).is_some_and(|node| node.segment() == segment) {
            return likely;
        }
        let found = self.find(parent, segment, None);
        if found != 0 || !name.bytes().any(|byte| matches!(byte, b'.' | b'[')) {
            return found;
        }
        let (mut at, mut start) = (parent, 0);
        while start <= name.len() {
            let (segment, end) = Segment::at(name, start);
            at = self.find(at, segment, segment.index());
            if at == 0 {
                return 0;
            }
            start = end + 1;
        }
        at
    }

    /// The node behind this one.
    #[inline]
    pub(super) fn next(&self, id: Id) -> Id {
        self.get(id).map_or(0, |node| node.next)
    }

    /// The first child.
    #[inline]
    pub(super) fn first(&self, id: Id) -> Id {
        self.family(id).map_or(0, |family| family.first)
    }

    pub(super) fn segment(&self, id: Id) -> Segment<'a> {
        self.get(id).map_or(Segment::Name(""), Node::segment)
    }

    /// The field of exactly this path.
    #[inline]
    pub(super) fn own(&self, id: Id) -> Option<&'a [u8]> {
        self.get(id)?.own
    }

    /// Whether anything is stored here or below that is not a hint.
    #[inline]
    pub(super) fn is_live(&self, id: Id) -> bool {
        id != 0 && self.get(id).is_some_and(|node| node.live)
    }

    /// Whether a type hint is stored here.
    #[inline]
    pub(super) fn is_hint(&self, id: Id) -> bool {
        self.get(id).is_some_and(|node| node.hint)
    }

    /// The children of which something is stored, in the order in which they came.
    pub(super) fn children(&self, id: Id) -> impl Iterator<Item = (Id, &Node<'a>)> {
        self.siblings(self.first(id)).filter(|(_, node)| node.live)
    }

    /// How many children there are, live or not.
    pub(super) fn count(&self, id: Id) -> usize {
        self.family(id).map_or(0, |family| family.count as usize)
    }

    /// Whether the children that are list elements stand by index already.
    pub(super) fn is_ordered(&self, id: Id) -> bool {
        self.family(id).is_none_or(|family| !family.disordered)
    }

    /// The live list element at or behind this node, and its index.
    #[inline]
    pub(super) fn element(&self, id: Id) -> Option<(u32, Id)> {
        self.siblings(id).find_map(|(id, node)| {
            if node.live {
                Some((node.index()?, id))
            } else {
                None
            }
        })
    }

    /// The live children that are list elements, by index.
    pub(super) fn elements(&self, id: Id) -> Vec<(u32, Id)> {
        let Some(family) = self.family(id) else {
            return Vec::new();
        };
        let elements = self
            .children(id)
            .filter_map(|(id, node)| Some((node.index()?, id)));
        if family.disordered && family.beyond / 4 <= family.count {
            let mut slots = vec![0; family.beyond as usize];
            for (index, id) in elements {
                if let Some(slot) = slots.get_mut(index as usize) {
                    *slot = id;
                }
            }
            return (0..).zip(slots).filter(|(_, id)| *id != 0).collect();
        }
        let mut elements: Vec<_> = elements.collect();
        if family.disordered {
            elements.sort_unstable();
        }
        elements
    }

    /// Whether the live children are a list's elements, all of them.
    pub(super) fn is_list(&self, id: Id) -> bool {
        let mut children = self.children(id).peekable();
        children.peek().is_some() && children.all(|(_, node)| node.index != NONE)
    }

    /// Whether a message quotes anything that is stored here or below.
    pub(super) fn mentions(&self, id: Id, message: &str) -> bool {
        let mut left = vec![id];
        while let Some(id) = left.pop() {
            if let Some(own) = self.own(id) {
                let text = String::from_utf8_lossy(own);
                let quoted = |text: &str| !text.is_empty() && message.contains(text);
                if quoted(&text) || quoted(text.trim()) || json::mentions_any(&text, message) {
                    return true;
                }
            }
            left.extend(self.siblings(self.first(id)).map(|(id, _)| id));
        }
        false
    }

    /// Puts the segment in front of where the fault was.
    pub(super) fn locate(&self, id: Id, fault: Fault) -> Fault {
        match self.segment(id) {
            Segment::Name(name) => fault.in_name(name),
            Segment::Bracket(key) => fault.in_bracket(key),
        }
    }
}
