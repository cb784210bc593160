//! That it is seen when an event does not come, comes otherwise, or comes again.

use kvrepo::Position;
use kvrepo_tests::chaos::journal::{Heard, Record};

use super::{Delivered, broadcast, group};
use crate::oracle::log::{Logged, Logs};

const SPACE: &str = "seats";

fn logs() -> Logs {
    let entry = |millis: u64| Logged {
        position: Position::new(millis, 0),
        id: millis.to_string(),
        deadline: millis - 5,
        nonce: Some(millis),
    };
    Logs {
        entries: [(SPACE, vec![entry(1000), entry(2000)])].into(),
        findings: Vec::new(),
    }
}

fn heard(millis: u64, deliveries: u32) -> Heard {
    Heard {
        at: millis + 1,
        space: SPACE.to_owned(),
        position: Position::new(millis, 0).to_string(),
        id: millis.to_string(),
        deadline: millis - 5,
        nonce: Some(millis),
        whole: true,
        deliveries,
    }
}

fn event(millis: u64, deliveries: u32) -> Record {
    Record::Heard(heard(millis, deliveries))
}

fn started() -> Record {
    Record::Started { at: 0 }
}

fn acknowledged(millis: u64) -> Record {
    Record::Acknowledged {
        at: millis + 2,
        space: SPACE.to_owned(),
        position: Position::new(millis, 0).to_string(),
        was_pending: true,
    }
}

fn right(delivered: Delivered) {
    assert_eq!(delivered.findings, Vec::<String>::new());
}

fn wrong(delivered: Delivered) {
    assert_eq!(delivered.findings.len(), 1, "{:?}", delivered.findings);
}

#[test]
fn a_listener_hears_everything_once_and_in_order() {
    let judged = |noted: &[Record]| broadcast("listener", &logs(), noted);
    right(judged(&[started(), event(1000, 1), started(), event(2000, 1)]));
    wrong(judged(&[event(1000, 1)]));
    wrong(judged(&[event(2000, 1), event(1000, 1)]));
    wrong(judged(&[
        event(1000, 1),
        event(2000, 1),
        started(),
        event(2000, 1),
    ]));
    wrong(judged(&[event(1000, 1), event(2000, 1), event(3000, 1)]));
}

#[test]
fn what_is_heard_is_what_the_log_has() {
    let judged = |changed: Heard| broadcast("listener", &logs(), &[event(1000, 1), Record::Heard(changed)]);
    let rightly = || heard(2000, 1);
    right(judged(rightly()));
    wrong(judged(Heard {
        nonce: Some(1),
        ..rightly()
    }));
    wrong(judged(Heard {
        nonce: None,
        ..rightly()
    }));
    wrong(judged(Heard {
        whole: false,
        ..rightly()
    }));
    wrong(judged(Heard {
        id: "1".to_owned(),
        ..rightly()
    }));
    wrong(judged(Heard {
        at: 1994,
        ..rightly()
    }));
}

#[test]
fn a_group_gets_everything_and_without_crashes_once() {
    let all: [&[Record]; 2] = [&[event(1000, 1)], &[event(2000, 1)]];
    right(group("g", &logs(), &all, true));
    wrong(group("g", &logs(), &all[..1], false));
    let again: [&[Record]; 2] = [&[event(1000, 1)], &[event(1000, 2), event(2000, 1)]];
    let judged = group("g", &logs(), &again, false);
    assert_eq!((judged.events, judged.again), (3, 1));
    right(judged);
    wrong(group("g", &logs(), &again, true));
}

#[test]
fn what_a_process_has_acknowledged_it_does_not_get_again_as_the_same_delivery() {
    let twice = |between: Record, deliveries| {
        let noted = [
            event(1000, 1),
            acknowledged(1000),
            between,
            event(1000, deliveries),
            event(2000, 1),
        ];
        group("g", &logs(), &[&noted], false)
    };
    wrong(twice(acknowledged(1000), 1));
    right(twice(acknowledged(1000), 2));
    right(twice(started(), 1));
}
