//! That the oracle sees what is wrong, and only that.

use super::{Call, Entry, History};
use kvrepo_tests::chaos::journal::{Outcome, What};

const SAVE: What = What::Save { term: Some(100) };
const FOR_EVER: What = What::Save { term: None };

fn call(nonce: u64, what: What, began: u64, ended: u64, outcome: Outcome) -> Call {
    Call {
        nonce,
        what,
        began,
        ended: Some((ended, outcome)),
    }
}

/// Executed two milliseconds after it began.
fn save(nonce: u64, began: u64, created: bool) -> Call {
    let deadline = Some(began + 102);
    call(
        nonce,
        SAVE,
        began,
        began + 5,
        Outcome::Saved { created, deadline },
    )
}

fn unanswered(nonce: u64, what: What, began: u64) -> Call {
    Call {
        nonce,
        what,
        began,
        ended: None,
    }
}

fn entry(nonce: u64, deadline: u64) -> Entry {
    Entry {
        written: deadline + 3,
        deadline,
        nonce: Some(nonce),
    }
}

fn right(calls: &[Call], entries: &[Entry]) {
    judged(calls, entries).unwrap();
}

fn wrong(calls: &[Call], entries: &[Entry]) {
    judged(calls, entries).unwrap_err();
}

fn judged(calls: &[Call], entries: &[Entry]) -> Result<(), String> {
    History {
        calls: calls.to_vec(),
        entries: entries.to_vec(),
    }
    .explain()
}

#[test]
fn a_life_has_just_one_event_with_its_value_and_its_deadline() {
    let calls = [save(1, 1000, true)];
    right(&calls, &[entry(1, 1102)]);
    wrong(&calls, &[]);
    wrong(&calls, &[entry(1, 1102), entry(1, 1102)]);
    wrong(&calls, &[entry(2, 1102)]);
    wrong(&calls, &[entry(1, 1103)]);
    let unvalued = |deadline| Entry {
        nonce: None,
        ..entry(0, deadline)
    };
    right(&calls, &[unvalued(1102)]);
    wrong(&calls, &[unvalued(1101)]);
}

#[test]
fn an_event_is_written_after_its_deadline() {
    let at = |written| Entry {
        written,
        ..entry(1, 1102)
    };
    right(&[save(1, 1000, true)], &[at(1103)]);
    wrong(&[save(1, 1000, true)], &[at(1102)]);
    // And before the next save is executed, since that would find it expired.
    let again = [save(1, 1000, true), save(2, 1200, true)];
    right(&again, &[at(1202), entry(2, 1302)]);
    wrong(&again, &[at(1203), entry(2, 1302)]);
}

#[test]
fn what_was_replaced_or_deleted_in_time_has_none() {
    right(&[save(1, 1000, true), save(2, 1050, false)], &[entry(2, 1152)]);
    wrong(
        &[save(1, 1000, true), save(2, 1050, false)],
        &[entry(1, 1102), entry(2, 1152)],
    );
    wrong(
        &[save(1, 1000, true), save(2, 1050, true)],
        &[entry(1, 1102), entry(2, 1152)],
    );
    let deleted = |there| {
        [
            save(1, 1000, true),
            call(2, What::Delete, 1050, 1060, Outcome::There(there)),
        ]
    };
    right(&deleted(true), &[]);
    wrong(&deleted(true), &[entry(1, 1102)]);
    wrong(&deleted(false), &[]);
    wrong(&deleted(false), &[entry(1, 1102)]);
    // A race: it was executed before or behind the deadline.
    let raced = |there| {
        [
            save(1, 1000, true),
            call(2, What::Delete, 1095, 1110, Outcome::There(there)),
        ]
    };
    right(&raced(true), &[]);
    wrong(&raced(true), &[entry(1, 1102)]);
    right(&raced(false), &[entry(1, 1102)]);
    wrong(&raced(false), &[]);
}

#[test]
fn a_lost_reply_is_that_of_something_done_or_of_nothing() {
    let calls = [save(1, 1000, true), unanswered(2, SAVE, 1050)];
    right(&calls, &[entry(1, 1102)]);
    right(&calls, &[entry(2, 1170)]);
    // Both: the connection held it until the first had expired.
    right(&calls, &[entry(1, 1102), entry(2, 1900)]);
    wrong(&calls, &[]);
    wrong(&calls, &[entry(2, 1149)]);
    wrong(&calls, &[entry(2, 1170), entry(2, 1170)]);
    wrong(&calls, &[entry(2, 1170), entry(1, 1102)]);
    let never = call(2, SAVE, 1050, 1060, Outcome::NotExecuted);
    right(&[save(1, 1000, true), never.clone()], &[entry(1, 1102)]);
    wrong(&[save(1, 1000, true), never], &[entry(2, 1170)]);
    // That the next one found nothing tells that it did not happen, or has expired by then.
    let next = [unanswered(2, SAVE, 1050), save(3, 1060, true)];
    right(&next, &[entry(3, 1162)]);
    right(&next, &[entry(3, 1162), entry(2, 2000)]);
    wrong(&next, &[entry(2, 1155), entry(3, 1162)]);
    let next = [unanswered(2, SAVE, 1050), save(3, 1060, false)];
    right(&next, &[entry(3, 1162)]);
    wrong(&[save(3, 1060, false)], &[entry(3, 1162)]);
}

#[test]
fn a_deletion_without_an_answer_may_have_been_in_time() {
    let calls = [save(1, 1000, true), unanswered(2, What::Delete, 1050)];
    right(&calls, &[]);
    right(&calls, &[entry(1, 1102)]);
    wrong(&[save(1, 1000, true), unanswered(2, What::Delete, 1103)], &[]);
}

#[test]
fn changes_are_of_what_is_there() {
    let update = |nonce, term, at, there| {
        let what = What::Update { term: Some(term) };
        call(nonce, what, at, at + 4, Outcome::There(there))
    };
    right(
        &[save(1, 1000, true), update(2, 300, 1050, true)],
        &[entry(2, 1352)],
    );
    wrong(
        &[save(1, 1000, true), update(2, 300, 1050, true)],
        &[entry(1, 1352)],
    );
    wrong(
        &[save(1, 1000, true), update(2, 300, 1050, true)],
        &[entry(2, 1360)],
    );
    wrong(
        &[save(1, 1000, true), update(2, 300, 1050, false)],
        &[entry(1, 1102)],
    );
    right(
        &[save(1, 1000, true), update(2, 300, 1110, false)],
        &[entry(1, 1102)],
    );
    wrong(
        &[save(1, 1000, true), update(2, 300, 1110, true)],
        &[entry(1, 1102), entry(2, 1412)],
    );
    let renew = |at| {
        call(
            2,
            What::Renew { term: Some(300) },
            at,
            at + 4,
            Outcome::There(true),
        )
    };
    right(&[save(1, 1000, true), renew(1050)], &[entry(1, 1352)]);
    wrong(&[save(1, 1000, true), renew(1050)], &[entry(1, 1102)]);
}

#[test]
fn what_never_expires_has_no_event() {
    let saved = Outcome::Saved {
        created: true,
        deadline: None,
    };
    let calls = [
        call(1, FOR_EVER, 1000, 1005, saved),
        call(2, What::Delete, 9000, 9005, Outcome::There(true)),
    ];
    right(&calls, &[]);
    wrong(&calls, &[entry(1, 1102)]);
    wrong(&calls[..1], &[]);
}

#[test]
fn what_is_read_is_what_was_alive() {
    let read = |at, found| call(9, What::Read, at, at + 4, Outcome::Read(found));
    let (saved, ended) = (save(1, 1000, true), [entry(1, 1102)]);
    right(&[saved.clone(), read(1050, Some(1))], &ended);
    wrong(&[saved.clone(), read(1050, None)], &ended);
    wrong(&[saved.clone(), read(1050, Some(2))], &ended);
    right(&[saved.clone(), read(1100, None)], &ended);
    right(&[saved.clone(), read(1100, Some(1))], &ended);
    wrong(&[saved.clone(), read(1103, Some(1))], &ended);
    wrong(&[saved, call(9, What::Read, 1050, 1060, Outcome::Mixed)], &ended);
}

#[test]
fn an_insertion_is_refused_only_by_what_is_alive() {
    let what = What::Insert { term: Some(100) };
    let inserted = Outcome::Saved {
        created: true,
        deadline: Some(1152),
    };
    let refused = call(2, what, 1050, 1055, Outcome::Exists);
    right(&[save(1, 1000, true), refused.clone()], &[entry(1, 1102)]);
    wrong(&[refused], &[]);
    right(&[call(2, what, 1050, 1055, inserted)], &[entry(2, 1152)]);
    wrong(
        &[save(1, 1000, true), call(2, what, 1050, 1055, inserted)],
        &[entry(2, 1152)],
    );
    // One without an answer does nothing to what is alive.
    right(
        &[save(1, 1000, true), unanswered(2, what, 1050)],
        &[entry(1, 1102)],
    );
    wrong(
        &[save(1, 1000, true), unanswered(2, what, 1050)],
        &[entry(2, 1160)],
    );
}

#[test]
fn an_answer_tells_of_a_time_within_its_call() {
    let late = Outcome::Saved {
        created: true,
        deadline: Some(1110),
    };
    wrong(&[call(1, SAVE, 1000, 1005, late)], &[entry(1, 1110)]);
}
