//! Events in the log, and what they say.

use std::time::Duration;

use kvrepo_tests::harness::TestServer;
use redis::{Arg, Cmd};

use crate::arguments::Arguments;
use crate::contents::{self, Kind};
use crate::meter;
use crate::report::{EventLine, print};
use crate::sample::Sample;

const TERM: Duration = Duration::from_millis(500);
/// The digits of a deadline.
const DEADLINE: usize = 13;

pub(crate) async fn measure<T: Sample>(server: &TestServer, arguments: &Arguments, count: usize) {
    let each = |bytes: u64| bytes as f64 / count as f64;
    for (kind, event) in [(Kind::Expiring, "value"), (Kind::ExpiringNoShadow, "id_alone")] {
        let people = contents::people::<T>(server, kind).await;
        contents::fill(&people, kind, count, TERM).await;
        tokio::time::sleep(TERM * 2).await;
        let swept = people.sweep().await.expect("a sweep");
        drop(people);
        assert_eq!(swept.expired, count as u64, "an event for each");
        let log = format!("{}#expired", T::SCHEMA.keyspace);
        let log = each(meter::usage(server, [log]).await);
        let bytes = each(meter::taken(server).await);
        let payload = (0..count)
            .map(|number| payload(&T::number(number), kind))
            .sum::<usize>() as f64
            / count as f64;
        let line = EventLine {
            event,
            size: T::SIZE,
            bytes,
            payload,
            ratio: bytes / payload,
            most: payload * 1.3 + 100.0,
            log,
            events: count,
        };
        print(&line, arguments.json);
    }
}

fn payload<T: Sample>(entity: &T, kind: Kind) -> usize {
    let mut fields = Cmd::new();
    if kind == Kind::Expiring {
        entity.write(&mut fields);
    }
    let bytes = |arg| match arg {
        Arg::Simple(bytes) => <[u8]>::len(bytes),
        _ => 0,
    };
    entity.key().len() + DEADLINE + fields.args_iter().map(bytes).sum::<usize>()
}
