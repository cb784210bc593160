//! A question: what is looked for, in what order, and what is wanted of it.

use std::cmp::Ordering;

use kvrepo::Sort;

use crate::ask::{Ask, Number, Span};
use crate::thing::Thing;

#[derive(Debug, Clone)]
pub(crate) struct Query {
    pub(crate) source: Source,
    /// Each with whether the greatest comes first. None of them is by the ids.
    pub(crate) sort: Option<Vec<(Key, bool)>>,
    pub(crate) limit: Option<usize>,
    pub(crate) part: Part,
}

#[derive(Debug, Clone)]
pub(crate) enum Source {
    All,
    Asked(Ask),
    Like(Box<Like>),
}

/// An example.
#[derive(Debug, Clone)]
pub(crate) struct Like {
    pub(crate) probe: Thing,
    pub(crate) kind_counts: bool,
    pub(crate) share_counts: bool,
    pub(crate) home_counts: bool,
    pub(crate) any: bool,
}

/// What is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    All,
    Ids,
    Count,
    Exists,
    First,
    One,
    /// The number, and the size.
    Page(usize, usize),
    /// Slice by slice, each as great as the limit.
    Walk,
    Stream,
    Distances,
    Delete,
}

/// What is sorted by.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Key {
    Kind,
    Mood,
    Share,
    Weight,
    Ratio,
    Title,
    Mail,
    City,
    Floor,
    Note,
    Count,
}

/// A value that has a place among others.
#[derive(Debug, PartialEq, PartialOrd)]
enum Value<'t> {
    Text(&'t str),
    Whole(i128),
    Float(f64),
}

impl Key {
    pub(crate) fn sort(self, descending: bool) -> Sort<Thing> {
        let thing = Thing::fields();
        macro_rules! by {
            ($field:expr) => {{
                let field = $field;
                if descending {
                    field.desc()
                } else {
                    field.asc()
                }
            }};
        }
        match self {
            Self::Kind => by!(thing.kind),
            Self::Mood => by!(thing.mood),
            Self::Share => by!(thing.share),
            Self::Weight => by!(thing.weight),
            Self::Ratio => by!(thing.ratio),
            Self::Title => by!(thing.title),
            Self::Mail => by!(thing.mail),
            Self::City => by!(thing.home.city),
            Self::Floor => by!(thing.home.floor),
            Self::Note => by!(thing.note),
            Self::Count => by!(thing.count),
        }
    }

    fn of(self, thing: &Thing) -> Option<Value<'_>> {
        // What is no number has no place.
        let float = |number: f64| Some(Value::Float(number)).filter(|_| !number.is_nan());
        let home = thing.home.as_ref();
        match self {
            Self::Kind => Some(Value::Text(&thing.kind)),
            Self::Mood => thing.mood.as_deref().map(Value::Text),
            Self::Share => float(thing.share),
            Self::Weight => thing.weight.map(|weight| Value::Whole(weight.into())),
            Self::Ratio => thing.ratio.and_then(float),
            Self::Title => thing.title.as_deref().map(Value::Text),
            Self::Mail => thing.mail.as_deref().map(Value::Text),
            Self::City => home?.city.as_deref().map(Value::Text),
            Self::Floor => home?.floor.map(|floor| Value::Whole(floor.into())),
            Self::Note => thing.note.as_deref().map(Value::Text),
            Self::Count => Some(Value::Whole(thing.count.into())),
        }
    }

    pub(crate) fn compare(self, descending: bool, a: &Thing, b: &Thing) -> Ordering {
        let order = self.of(a).partial_cmp(&self.of(b)).expect("they have an order");
        if descending { order.reverse() } else { order }
    }
}

impl Like {
    /// What is asked of indexes.
    pub(crate) fn asks(&self) -> Vec<Ask> {
        let probe = &self.probe;
        let one = |text: &String| vec![text.clone()];
        let mut asks = Vec::new();
        if self.kind_counts {
            asks.push(Ask::Kind(one(&probe.kind)));
        }
        if self.share_counts {
            asks.push(Ask::Share(vec![Number(probe.share)]));
        }
        asks.extend(probe.mood.iter().map(|mood| Ask::Mood(one(mood))));
        asks.extend(probe.tags.iter().map(|tag| Ask::Tags(one(tag))));
        let marks = probe.marks.iter();
        asks.extend(marks.map(|(key, mark)| Ask::Marks(key.clone(), one(mark))));
        asks.extend(probe.weight.map(|weight| Ask::Weight(Span::OneOf(vec![weight]))));
        let ratio = probe.ratio.filter(|ratio| !ratio.is_nan());
        asks.extend(ratio.map(|ratio| Ask::Ratio(Span::OneOf(vec![Number(ratio)]))));
        asks.extend(
            probe
                .title
                .iter()
                .map(|title| Ask::Title(Span::OneOf(one(title)))),
        );
        asks.extend(probe.mail.iter().map(|mail| Ask::Mail(one(mail))));
        if let Some(home) = probe.home.as_ref().filter(|_| self.home_counts) {
            asks.extend(home.city.iter().map(|city| Ask::City(one(city))));
            asks.extend(home.floor.map(|floor| Ask::Floor(Span::OneOf(vec![floor]))));
        }
        for berth in &probe.berths {
            asks.push(Ask::Port(one(&berth.port)));
            asks.push(Ask::Depth(Span::OneOf(vec![berth.depth])));
        }
        let kin = probe.kin.iter();
        asks.extend(kin.map(|(key, kin)| Ask::Kin(key.clone(), one(&kin.city))));
        asks
    }

    /// Whether something counts that is not looked for in an index.
    pub(crate) fn has_others(&self) -> bool {
        self.probe.note.is_some() || self.probe.spot.is_some()
    }

    pub(crate) fn holds(&self, thing: &Thing) -> bool {
        let probe = &self.probe;
        let mut asks = self.asks().into_iter();
        if self.any {
            return asks.any(|ask| ask.holds(thing));
        }
        asks.all(|ask| ask.holds(thing))
            && probe.note.iter().all(|note| thing.note.as_ref() == Some(note))
            && probe.spot.iter().all(|spot| thing.spot.as_ref() == Some(spot))
    }
}
