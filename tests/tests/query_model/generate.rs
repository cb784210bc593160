//! Random sequences. Values are few, so that what is asked for is there.
//!
//! On a server real time passes as well, and must never decide anything. So time passes in whole minutes, and terms are so
//! many minutes and a half.

use std::collections::BTreeMap;
use std::time::Duration;

use kvrepo::Point;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::ask::{AREAS, Ask, Number, SPOTS, Span};
use crate::change::Change;
use crate::operation::{Operation, Sequence, Term};
use crate::query::{Key, Like, Part, Query, Source};
use crate::thing::{Berth, Home, IDS, Kin, Thing};

const BIG: u64 = 1 << 53;

pub(crate) fn sequence() -> impl Strategy<Value = Sequence> {
    let things = vec(thing(), 0..=8).prop_map(|things| (0, Operation::SaveAll(things, Term::Unset)));
    let operations = vec((0..=1_usize, operation()), 8..=48);
    (things, operations).prop_map(|(things, mut operations)| {
        operations.insert(0, things);
        Sequence(operations)
    })
}

fn operation() -> impl Strategy<Value = Operation> {
    let changes = || vec(change(), 1..=3);
    // What fails is made smaller towards the first.
    prop_oneof![
        1 => Just(Operation::Verify),
        34 => query().prop_map(Operation::Find),
        16 => (thing(), term()).prop_map(|(thing, term)| Operation::Save(thing, term)),
        3 => (thing(), term()).prop_map(|(thing, term)| Operation::Insert(thing, term)),
        4 => (vec(thing(), 2..=4), term()).prop_map(|(things, term)| Operation::SaveAll(things, term)),
        16 => (id(), changes(), term()).prop_map(|(id, changes, term)| Operation::Update(id, changes, term)),
        4 => (id(), changes()).prop_map(|(id, changes)| Operation::UpdateWith(id, changes)),
        2 => id().prop_map(Operation::Delete),
        2 => (id(), ttl()).prop_map(|(id, ttl)| Operation::Expire(id, ttl)),
        1 => id().prop_map(Operation::Persist),
        6 => (1..=3_u64).prop_map(|minutes| Operation::Pass(Duration::from_secs(60 * minutes))),
        1 => Just(Operation::Sweep),
        1 => Just(Operation::Rebuild),
    ]
}

fn id() -> impl Strategy<Value = &'static str> + Clone {
    select(&IDS[..])
}

fn ttl() -> impl Strategy<Value = Duration> {
    select(&[30, 90, 150, 330][..]).prop_map(Duration::from_secs)
}

fn term() -> impl Strategy<Value = Term> {
    prop_oneof![
        6 => Just(Term::Unset),
        4 => ttl().prop_map(Term::Ttl),
        1 => Just(Term::Persistent),
        1 => Just(Term::Keep),
    ]
}

fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = String> + Clone {
    select(texts).prop_map(str::to_owned)
}

fn kind() -> impl Strategy<Value = String> + Clone {
    one_of(&["a", "b", "", "A", "a:b", "*"])
}

fn mood() -> impl Strategy<Value = String> + Clone {
    one_of(&["null", "", "a\0b", "ä"])
}

fn tag() -> impl Strategy<Value = String> + Clone {
    one_of(&["a", "b", "", "[]", "a:b", "red-42"])
}

/// Of which some put together are others.
fn mark_key() -> impl Strategy<Value = String> + Clone {
    one_of(&["a", "a:b", "a.b", "", "%d["])
}

fn mark() -> impl Strategy<Value = String> + Clone {
    one_of(&["c", "b:c", "", ":"])
}

fn kin_key() -> impl Strategy<Value = String> + Clone {
    one_of(&["a", "a.city:b", "b"])
}

fn kin_city() -> impl Strategy<Value = String> + Clone {
    one_of(&["c", "b.city:c", ":"])
}

fn city() -> impl Strategy<Value = String> + Clone {
    one_of(&["Oslo", "oslo", "", "a:b"])
}

fn port() -> impl Strategy<Value = String> + Clone {
    one_of(&["Oslo", "Moss", ""])
}

fn title() -> impl Strategy<Value = String> + Clone {
    one_of(&["", "a", "a\0", "a\0b", "ab", "B", "ä", "\u{10ffff}"])
}

fn mail() -> impl Strategy<Value = String> + Clone {
    one_of(&["a@x", "b@x", "", ":a", "c@x", "d@x"])
}

fn note() -> impl Strategy<Value = String> + Clone {
    one_of(&["n", "", "-"])
}

fn weight() -> impl Strategy<Value = u64> + Clone {
    select(&[0, 7, 10, BIG, BIG + 1, u64::MAX - 1, u64::MAX][..])
}

fn float() -> impl Strategy<Value = Number> + Clone {
    let numbers = [
        0.0,
        -0.0,
        1.5,
        -1.5,
        1e300,
        5e-324,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    select(numbers.to_vec()).prop_map(Number)
}

fn share() -> impl Strategy<Value = Number> + Clone {
    select(vec![0.0, -0.0, 1.5, f64::NAN]).prop_map(Number)
}

fn floor() -> impl Strategy<Value = i64> + Clone {
    select(&[-10_i64, -9, 0, 9, 10, i64::MIN, i64::MAX][..])
}

fn depth() -> impl Strategy<Value = i32> + Clone {
    select(&[-1_i32, 2, 10][..])
}

fn spot() -> impl Strategy<Value = Point> + Clone {
    select(&SPOTS[..])
}

fn home() -> impl Strategy<Value = Home> + Clone {
    (option::of(city()), option::of(floor())).prop_map(|(city, floor)| Home { city, floor })
}

fn berth() -> impl Strategy<Value = Berth> + Clone {
    (port(), depth()).prop_map(|(port, depth)| Berth { port, depth })
}

fn marks() -> impl Strategy<Value = BTreeMap<String, String>> + Clone {
    btree_map(mark_key(), mark(), 0..=2)
}

fn kin() -> impl Strategy<Value = BTreeMap<String, Kin>> + Clone {
    btree_map(kin_key(), kin_city().prop_map(|city| Kin { city }), 0..=2)
}

fn thing() -> impl Strategy<Value = Thing> + Clone {
    let texts = (id(), kind(), option::of(mood()), vec(tag(), 0..=3), marks());
    let ranged = (option::of(weight()), option::of(float()), option::of(title()));
    let mail = option::weighted(0.4, mail());
    let nested = (option::of(home()), vec(berth(), 0..=2), kin());
    let plain = (option::of(spot()), option::of(note()), 0..=2_u8);
    (texts, share(), ranged, mail, nested, plain).prop_map(
        |(
            (id, kind, mood, tags, marks),
            share,
            (weight, ratio, title),
            mail,
            (home, berths, kin),
            (spot, note, count),
        )| Thing {
            id: id.to_owned(),
            kind,
            mood,
            tags,
            marks,
            share: share.0,
            weight,
            ratio: ratio.map(|ratio| ratio.0),
            title,
            mail,
            home,
            berths,
            kin,
            spot,
            note,
            count,
        },
    )
}

fn change() -> impl Strategy<Value = Change> {
    let by = || select(&[1_i64, -1, 10, i64::MAX, i64::MIN][..]);
    let position = || 0..=3_u32;
    let plain = prop_oneof![
        kind().prop_map(Change::Kind),
        option::of(mood()).prop_map(Change::Mood),
        share().prop_map(Change::Share),
        share().prop_map(Change::AddShare),
        option::of(weight()).prop_map(Change::Weight),
        by().prop_map(Change::AddWeight),
        option::of(float()).prop_map(Change::Ratio),
        float().prop_map(Change::AddRatio),
        option::of(title()).prop_map(Change::Title),
        option::of(mail()).prop_map(Change::Mail),
        option::of(spot()).prop_map(Change::Spot),
        option::of(note()).prop_map(Change::Note),
        by().prop_map(Change::AddCount),
    ];
    let nested = prop_oneof![
        vec(tag(), 0..=3).prop_map(Change::Tags),
        (position(), option::of(tag())).prop_map(|(at, tag)| Change::Tag(at, tag)),
        marks().prop_map(Change::Marks),
        (mark_key(), option::of(mark())).prop_map(|(key, mark)| Change::Mark(key, mark)),
        option::of(home()).prop_map(Change::Home),
        option::of(city()).prop_map(Change::City),
        option::of(floor()).prop_map(Change::Floor),
        by().prop_map(Change::AddFloor),
        vec(berth(), 0..=3).prop_map(Change::Berths),
        (position(), option::of(berth())).prop_map(|(at, berth)| Change::Berth(at, berth)),
        kin().prop_map(Change::AllKin),
        (kin_key(), option::of(kin_city()))
            .prop_map(|(key, city)| Change::Kin(key, city.map(|city| Kin { city }))),
    ];
    prop_oneof![plain, nested]
}

fn span<V: Clone + std::fmt::Debug>(
    value: impl Strategy<Value = V> + Clone + 'static,
) -> impl Strategy<Value = Span<V>> {
    let value = || value.clone();
    prop_oneof![
        vec(value(), 0..=3).prop_map(Span::OneOf),
        value().prop_map(Span::Lt),
        value().prop_map(Span::Le),
        value().prop_map(Span::Gt),
        value().prop_map(Span::Ge),
        (value(), value()).prop_map(|(least, greatest)| Span::Between(least, greatest)),
    ]
}

fn leaf() -> impl Strategy<Value = Ask> {
    let circles: Vec<usize> = (0..AREAS.len()).filter(|area| AREAS[*area].is_circle()).collect();
    let few = |text: BoxedStrategy<String>| vec(text, 0..=3);
    let by_value = prop_oneof![
        3 => few(kind().boxed()).prop_map(Ask::Kind),
        1 => vec(id(), 0..=5).prop_map(Ask::Ids),
        2 => few(mood().boxed()).prop_map(Ask::Mood),
        2 => few(tag().boxed()).prop_map(Ask::Tags),
        3 => (mark_key(), few(mark().boxed())).prop_map(|(key, marks)| Ask::Marks(key, marks)),
        2 => vec(share(), 1..=2).prop_map(Ask::Share),
        2 => few(mail().boxed()).prop_map(Ask::Mail),
        2 => few(city().boxed()).prop_map(Ask::City),
        2 => few(port().boxed()).prop_map(Ask::Port),
        2 => (kin_key(), few(kin_city().boxed())).prop_map(|(key, cities)| Ask::Kin(key, cities)),
    ];
    let by_place = prop_oneof![
        2 => span(weight()).prop_map(Ask::Weight),
        2 => span(float()).prop_map(Ask::Ratio),
        2 => span(title()).prop_map(Ask::Title),
        1 => title().prop_map(Ask::StartsWith),
        2 => span(floor()).prop_map(Ask::Floor),
        2 => span(depth()).prop_map(Ask::Depth),
        2 => select(circles).prop_map(Ask::Near),
        2 => (0..AREAS.len()).prop_map(Ask::Within),
    ];
    prop_oneof![by_value, by_place]
}

fn ask() -> impl Strategy<Value = Ask> {
    leaf().prop_recursive(3, 8, 2, |inner| {
        let two = || (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        prop_oneof![
            two().prop_map(|(a, b)| Ask::And(a, b)),
            two().prop_map(|(a, b)| Ask::Or(a, b)),
            two().prop_map(|(a, b)| Ask::AndNot(a, b)),
            two().prop_map(|(a, b)| Ask::NotAnd(a, b)),
        ]
    })
}

/// A thing of which most is taken away again.
fn like() -> impl Strategy<Value = Like> {
    let kept = vec(prop::bool::weighted(0.2), 11);
    let counts = (
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.7),
    );
    (thing(), kept, counts, prop::bool::weighted(0.3)).prop_map(
        |(thing, kept, (kind_counts, share_counts, home_counts), any)| {
            let mut kept = kept.into_iter();
            let mut keeps = || kept.next().unwrap_or_default();
            let probe = Thing {
                mood: thing.mood.filter(|_| keeps()),
                tags: if keeps() { thing.tags } else { Vec::new() },
                marks: if keeps() | keeps() {
                    thing.marks
                } else {
                    BTreeMap::new()
                },
                weight: thing.weight.filter(|_| keeps()),
                ratio: thing.ratio.filter(|_| keeps()),
                title: thing.title.filter(|_| keeps()),
                mail: thing.mail.filter(|_| keeps()),
                home: thing.home.filter(|_| keeps()),
                berths: if keeps() { thing.berths } else { Vec::new() },
                kin: if keeps() { thing.kin } else { BTreeMap::new() },
                spot: thing.spot.filter(|_| keeps()),
                note: thing.note.filter(|_| home_counts),
                ..thing
            };
            Like {
                probe,
                kind_counts,
                share_counts,
                home_counts,
                any,
            }
        },
    )
}

fn query() -> impl Strategy<Value = Query> {
    let keys = [
        Key::Kind,
        Key::Mood,
        Key::Share,
        Key::Weight,
        Key::Ratio,
        Key::Title,
        Key::Mail,
        Key::City,
        Key::Floor,
        Key::Note,
        Key::Count,
    ];
    let source = prop_oneof![
        2 => Just(Source::All),
        14 => ask().prop_map(Source::Asked),
        4 => like().prop_map(|like| Source::Like(Box::new(like))),
    ];
    let part = prop_oneof![
        6 => Just(Part::All),
        3 => Just(Part::Ids),
        2 => Just(Part::Count),
        1 => Just(Part::Exists),
        2 => Just(Part::First),
        1 => Just(Part::One),
        3 => (0..=3_usize, 0..=3_usize).prop_map(|(number, size)| Part::Page(number, size)),
        4 => Just(Part::Walk),
        2 => Just(Part::Stream),
        2 => Just(Part::Distances),
        1 => Just(Part::Delete),
    ];
    let sort = vec((select(keys.to_vec()), any::<bool>()), 0..=3);
    let limit = option::weighted(0.4, 0..=4_usize);
    (source, option::of(sort), limit, part).prop_map(|(source, sort, limit, part)| Query {
        source,
        sort,
        limit,
        part,
    })
}
