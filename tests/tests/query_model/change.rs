//! Changes of single fields, elements and entries.

use std::collections::BTreeMap;

use kvrepo::Point;

use crate::ask::Number;
use crate::thing::{Berth, Home, Kin, Thing};

#[derive(Debug, Clone)]
pub(crate) enum Change {
    Kind(String),
    Mood(Option<String>),
    Tags(Vec<String>),
    Tag(u32, Option<String>),
    Marks(BTreeMap<String, String>),
    Mark(String, Option<String>),
    Share(Number),
    AddShare(Number),
    Weight(Option<u64>),
    AddWeight(i64),
    Ratio(Option<Number>),
    AddRatio(Number),
    Title(Option<String>),
    Mail(Option<String>),
    Home(Option<Home>),
    City(Option<String>),
    Floor(Option<i64>),
    AddFloor(i64),
    Berths(Vec<Berth>),
    Berth(u32, Option<Berth>),
    AllKin(BTreeMap<String, Kin>),
    Kin(String, Option<Kin>),
    Spot(Option<Point>),
    Note(Option<String>),
    AddCount(i64),
}

/// A thing, and where the elements of its lists are stored: one that is taken out leaves its position free until the thing
/// is written whole.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) thing: Thing,
    tags: Vec<u32>,
    berths: Vec<u32>,
}

/// What cannot be changed.
#[derive(Debug)]
pub(crate) struct Unfit;

impl Held {
    pub(crate) fn new(thing: Thing) -> Self {
        Self {
            tags: positions(&thing.tags),
            berths: positions(&thing.berths),
            thing,
        }
    }
}

fn positions<V>(list: &[V]) -> Vec<u32> {
    (0..).take(list.len()).collect()
}

/// Puts an element at a position, or takes it away.
fn put<V>(list: &mut Vec<V>, positions: &mut Vec<u32>, position: u32, element: Option<V>) {
    match (positions.binary_search(&position), element) {
        (Ok(at), Some(element)) => list[at] = element,
        (Ok(at), None) => {
            list.remove(at);
            positions.remove(at);
        }
        (Err(at), Some(element)) => {
            list.insert(at, element);
            positions.insert(at, position);
        }
        (Err(_), None) => {}
    }
}

fn put_entry<V>(map: &mut BTreeMap<String, V>, key: String, value: Option<V>) {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    };
}

/// A sum that fits.
fn sum<N: Copy + TryFrom<i128>>(before: N, by: i64) -> Result<N, Unfit>
where
    i128: TryFrom<N>,
{
    let before = i128::try_from(before).map_err(|_| Unfit)?;
    N::try_from(before + i128::from(by)).map_err(|_| Unfit)
}

impl Change {
    /// Does it. What is refused changes nothing.
    pub(crate) fn apply(&self, held: &mut Held) -> Result<(), Unfit> {
        let thing = &mut held.thing;
        match self.clone() {
            Self::Kind(kind) => thing.kind = kind,
            Self::Mood(mood) => thing.mood = mood,
            Self::Tags(tags) => {
                held.tags = positions(&tags);
                thing.tags = tags;
            }
            Self::Tag(position, tag) => put(&mut thing.tags, &mut held.tags, position, tag),
            Self::Marks(marks) => thing.marks = marks,
            Self::Mark(key, mark) => put_entry(&mut thing.marks, key, mark),
            Self::Share(share) => thing.share = share.0,
            Self::AddShare(by) => thing.share += by.0,
            Self::Weight(weight) => thing.weight = weight,
            Self::AddWeight(by) => thing.weight = Some(sum(thing.weight.unwrap_or(0), by)?),
            Self::Ratio(ratio) => thing.ratio = ratio.map(|ratio| ratio.0),
            Self::AddRatio(by) => thing.ratio = Some(thing.ratio.unwrap_or(0.0) + by.0),
            Self::Title(title) => thing.title = title,
            Self::Mail(mail) => thing.mail = mail,
            Self::Home(home) => thing.home = home,
            Self::City(city) => match &mut thing.home {
                Some(home) => home.city = city,
                None if city.is_none() => {}
                None => return Err(Unfit),
            },
            Self::Floor(floor) => match &mut thing.home {
                Some(home) => home.floor = floor,
                None if floor.is_none() => {}
                None => return Err(Unfit),
            },
            Self::AddFloor(by) => {
                let home = thing.home.as_mut().ok_or(Unfit)?;
                home.floor = Some(sum(home.floor.unwrap_or(0), by)?);
            }
            Self::Berths(berths) => {
                held.berths = positions(&berths);
                thing.berths = berths;
            }
            Self::Berth(position, berth) => put(&mut thing.berths, &mut held.berths, position, berth),
            Self::AllKin(kin) => thing.kin = kin,
            Self::Kin(key, kin) => put_entry(&mut thing.kin, key, kin),
            Self::Spot(spot) => thing.spot = spot,
            Self::Note(note) => thing.note = note,
            Self::AddCount(by) => thing.count = sum(thing.count, by)?,
        }
        Ok(())
    }

    /// Asks for it in an update.
    pub(crate) fn request<'a>(&self, update: kvrepo::Update<'a, Thing>) -> kvrepo::Update<'a, Thing> {
        let thing = Thing::fields();
        match self.clone() {
            Self::Kind(kind) => update.set(thing.kind, kind),
            Self::Mood(None) => update.unset(thing.mood),
            Self::Mood(mood) => update.set(thing.mood, mood),
            Self::Tags(tags) => update.set(thing.tags, tags),
            Self::Tag(position, None) => update.unset(thing.tags.index(position)),
            Self::Tag(position, Some(tag)) => update.set(thing.tags.index(position), tag),
            Self::Marks(marks) => update.set(thing.marks, marks),
            Self::Mark(key, None) => update.unset(thing.marks.key(&key)),
            Self::Mark(key, Some(mark)) => update.set(thing.marks.key(&key), mark),
            Self::Share(share) => update.set(thing.share, share.0),
            Self::AddShare(by) => update.increment(thing.share, by.0),
            Self::Weight(None) => update.unset(thing.weight),
            Self::Weight(weight) => update.set(thing.weight, weight),
            Self::AddWeight(by) => update.increment(thing.weight, by),
            Self::Ratio(ratio) => update.set(thing.ratio, ratio.map(|ratio| ratio.0)),
            Self::AddRatio(by) => update.increment(thing.ratio, by.0),
            Self::Title(None) => update.unset(thing.title),
            Self::Title(title) => update.set(thing.title, title),
            Self::Mail(mail) => update.set(thing.mail, mail),
            Self::Home(None) => update.unset(thing.home),
            Self::Home(home) => update.set(thing.home, home),
            Self::City(city) => update.set(thing.home.city, city),
            Self::Floor(None) => update.unset(thing.home.floor),
            Self::Floor(floor) => update.set(thing.home.floor, floor),
            Self::AddFloor(by) => update.increment(thing.home.floor, by),
            Self::Berths(berths) => update.set(thing.berths, berths),
            Self::Berth(position, None) => update.unset(thing.berths.index(position)),
            Self::Berth(position, Some(berth)) => update.set(thing.berths.index(position), berth),
            Self::AllKin(kin) => update.set(thing.kin, kin),
            Self::Kin(key, None) => update.unset(thing.kin.key(&key)),
            Self::Kin(key, Some(kin)) => update.set(thing.kin.key(&key), kin),
            Self::Spot(None) => update.unset(thing.spot),
            Self::Spot(spot) => update.set(thing.spot, spot),
            Self::Note(note) => update.set(thing.note, note),
            Self::AddCount(by) => update.increment(thing.count, by),
        }
    }
}
