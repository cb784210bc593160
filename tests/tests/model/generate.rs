//! Random sequences.
//!
//! On a server real time passes as well, and must never decide anything. So time passes in whole minutes, and whatever
//! can be reached lies about half a minute from those: terms are so many minutes and a half, and so is the grace beyond
//! them, and so is the thirtieth of an idle span that has to pass before it is renewed.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::item::{Address, Door, IDS, Item};
use crate::operation::{Change, Default, Number, Operation, Sequence, Settings, Slot, Term, When};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// Seconds: half a minute, more and less than the grace, and more than that.
const TERMS: [u64; 5] = [30, 90, 330, 630, 1_230];
/// Seconds, of which the thirtieth is 31, 51 and 91.
const SPANS: [u64; 3] = [930, 1_530, 2_730];
/// Seconds, so many that no sequence reaches them, however often they are added.
const FAR: i64 = 600_030;

pub(crate) fn sequence() -> impl Strategy<Value = Sequence> {
    (settings(), vec(operation(), 1..=48))
        .prop_map(|(settings, operations)| Sequence { settings, operations })
}

fn settings() -> impl Strategy<Value = Settings> {
    let default = prop_oneof![
        3 => Just(Default::Persistent),
        2 => Just(Default::Ttl(630 * SECOND)),
        3 => Just(Default::Idle(930 * SECOND)),
    ];
    let listening = prop::bool::ANY;
    (default, prop::bool::weighted(0.9), listening).prop_map(|(default, shadow_copy, listening)| Settings {
        default,
        shadow_copy,
        listening,
    })
}

fn operation() -> impl Strategy<Value = Operation> {
    let items = || vec(item(), 2..=3);
    let changes = || vec(change(), 0..=3);
    let refresh = || prop::bool::weighted(0.15);
    // What fails is made smaller towards the first.
    prop_oneof![
        2 => Just(Operation::Count),
        18 => (item(), term()).prop_map(|(item, term)| Operation::Save(item, term)),
        6 => (item(), term()).prop_map(|(item, term)| Operation::Insert(item, term)),
        4 => (items(), term()).prop_map(|(items, term)| Operation::SaveAll(items, term)),
        2 => (items(), term()).prop_map(|(items, term)| Operation::InsertAll(items, term)),
        18 => (id(), changes(), change_term(), refresh())
            .prop_map(|(id, changes, term, refresh)| Operation::Update(id, changes, term, refresh)),
        6 => (id(), changes(), change_term(), refresh())
            .prop_map(|(id, changes, term, refresh)| Operation::UpdateWith(id, changes, term, refresh)),
        4 => (id(), duration(TERMS)).prop_map(|(id, term)| Operation::Expire(id, term)),
        3 => (id(), when()).prop_map(|(id, when)| Operation::ExpireAt(id, when)),
        3 => id().prop_map(Operation::Persist),
        4 => id().prop_map(Operation::DeleteById),
        1 => vec(id(), 1..=3).prop_map(Operation::DeleteAllById),
        1 => Just(Operation::DeleteAll),
        3 => id().prop_map(Operation::Take),
        6 => id().prop_map(Operation::FindById),
        4 => id().prop_map(Operation::ExistsById),
        4 => id().prop_map(Operation::Entry),
        2 => Just(Operation::FindAll),
        2 => vec(id(), 1..=3).prop_map(Operation::FindAllById),
        2 => id().prop_map(Operation::TimeToLive),
        3 => Just(Operation::Sweep),
        12 => minutes().prop_map(|minutes| Operation::Pass(minutes * MINUTE)),
    ]
}

fn id() -> impl Strategy<Value = &'static str> + Clone {
    select(&IDS[..])
}

/// Mostly so few that what ends meanwhile still has its phantom.
fn minutes() -> impl Strategy<Value = u32> {
    prop_oneof![10 => 1..=3_u32, 2 => 5..=10_u32, 2 => 15..=17_u32, 1 => Just(50)]
}

/// Some of these seconds, or what is no term.
fn duration<const N: usize>(seconds: [u64; N]) -> impl Strategy<Value = Duration> {
    let none = [Duration::ZERO, Duration::from_nanos(999_999), Duration::MAX];
    prop_oneof![
        12 => select(seconds.to_vec()).prop_map(Duration::from_secs),
        1 => select(none.to_vec()),
    ]
}

fn when() -> impl Strategy<Value = When> {
    prop_oneof![
        10 => select(&TERMS[..]).prop_map(|seconds| When::In(Duration::from_secs(seconds))),
        2 => Just(When::Ago(30 * SECOND)),
        1 => Just(When::Before1970),
        1 => Just(When::TooLate),
    ]
}

/// What a call says of the term of something that it writes whole.
fn term() -> impl Strategy<Value = Term> {
    prop_oneof![8 => Just(Term::Unset), 10 => own_term()]
}

/// What a call says of the term of something that it changes.
fn change_term() -> impl Strategy<Value = Term> {
    prop_oneof![10 => Just(Term::Unset), 5 => own_term()]
}

fn own_term() -> impl Strategy<Value = Term> {
    prop_oneof![
        3 => duration(TERMS).prop_map(Term::Ttl),
        2 => when().prop_map(Term::At),
        4 => duration(SPANS).prop_map(Term::Idle),
        1 => Just(Term::Persistent),
        2 => Just(Term::Keep),
    ]
}

fn text() -> impl Strategy<Value = String> {
    select(&["", "a", "1", "{}", "[]", "ä b"][..]).prop_map(str::to_owned)
}

fn tags() -> impl Strategy<Value = Vec<String>> {
    vec(text(), 0..=3)
}

/// A key with a bracket makes the whole map JSON.
fn attributes() -> impl Strategy<Value = BTreeMap<String, String>> {
    let key = prop_oneof![6 => select(&["a", "b.c", "d"][..]), 1 => Just("e]")];
    btree_map(key.prop_map(str::to_owned), text(), 0..=2)
}

fn visits() -> impl Strategy<Value = Option<u8>> {
    option::of(select(&[0, 1, 250][..]))
}

fn door() -> impl Strategy<Value = Option<Door>> {
    option::of(option::of(text()).prop_map(|code| Door { code }))
}

fn address() -> impl Strategy<Value = Option<Address>> {
    let address = (option::of(text()), visits(), door());
    option::of(address.prop_map(|(city, visits, door)| Address { city, visits, door }))
}

/// Seconds as an item states them.
fn ttl() -> impl Strategy<Value = Option<i64>> {
    prop_oneof![
        12 => Just(None),
        4 => select(&TERMS[..]).prop_map(|seconds| i64::try_from(seconds).ok()),
        2 => Just(Some(-1)),
        1 => select(&[Some(0), Some(-7), Some(i64::MAX)][..]),
    ]
}

fn item() -> impl Strategy<Value = Item> {
    let count = select(&[0_u8, 1, 250][..]);
    let plain = (id(), text(), option::of(text()), tags(), attributes());
    (plain, address(), option::of(text()), count, ttl()).prop_map(
        |((id, text, note, tags, attributes), address, address_note, count, ttl)| Item {
            id: id.to_owned(),
            text,
            note,
            tags,
            attributes,
            address,
            address_note,
            count,
            ttl,
        },
    )
}

fn change() -> impl Strategy<Value = Change> {
    let slots = [
        Slot::Note,
        Slot::Tags,
        Slot::Attributes,
        Slot::Address,
        Slot::City,
        Slot::Visits,
        Slot::Door,
        Slot::Code,
        Slot::AddressNote,
        Slot::Ttl,
    ];
    let small = select(&[1, 5, -1, 100, 300, -300][..]);
    let large = select(&[FAR, i64::MAX, i64::MIN][..]);
    prop_oneof![
        1 => text().prop_map(Change::Text),
        1 => option::of(text()).prop_map(Change::Note),
        2 => tags().prop_map(Change::Tags),
        2 => attributes().prop_map(Change::Attributes),
        2 => address().prop_map(Change::Address),
        2 => option::of(text()).prop_map(Change::City),
        1 => visits().prop_map(Change::Visits),
        2 => door().prop_map(Change::Door),
        2 => option::of(text()).prop_map(Change::Code),
        1 => option::of(text()).prop_map(Change::AddressNote),
        1 => (0..=255_u8).prop_map(Change::Count),
        2 => ttl().prop_map(Change::Ttl),
        7 => select(slots.to_vec()).prop_map(Change::Unset),
        2 => small.clone().prop_map(|by| Change::Add(Number::Count, by)),
        2 => small.prop_map(|by| Change::Add(Number::Visits, by)),
        1 => large.prop_map(|by| Change::Add(Number::Ttl, by)),
    ]
}
