//! Entities, and the plain hashes that they are compared with.

use std::time::Duration;

use kvrepo_tests::harness::TestServer;

use crate::arguments::Arguments;
use crate::contents::{self, Kind, key};
use crate::meter;
use crate::report::{EntityLine, print};
use crate::sample::{self, Sample};

/// Of how many entities the keys of their own are looked at.
const LOOKED_AT: usize = 100;
/// Longer than the benchmark takes.
const TERM: Duration = Duration::from_secs(24 * 3600);

pub(crate) async fn measure<T: Sample>(
    server: &TestServer,
    arguments: &Arguments,
    count: usize,
    kinds: &[Kind],
) {
    let each = |bytes: u64| bytes as f64 / count as f64;
    contents::fill_plainly::<T>(server, count).await;
    let hash = each(meter::taken(server).await);
    for kind in kinds {
        let people = contents::people::<T>(server, *kind).await;
        contents::fill(&people, *kind, count, TERM).await;
        drop(people);
        let base = T::SCHEMA.keyspace;
        let looked_at = count.min(LOOKED_AT);
        let own = async |suffix: &str| {
            let keys = (0..looked_at).map(|number| format!("{}{suffix}", key::<T>(&sample::id(number))));
            meter::usage(server, keys).await as f64 / looked_at as f64
        };
        let mut indexes = Vec::new();
        for field in ["city", "trade"] {
            indexes.extend(
                server
                    .query::<Vec<String>, _>(&["KEYS", &format!("{base}:{field}:*")])
                    .await,
            );
        }
        let mut line = EntityLine {
            entity: T::SIZE,
            kind: kind.name(T::INDEXED),
            bytes: 0.0,
            hash,
            beside: 0.0,
            ids: each(meter::usage(server, [base.to_owned()]).await),
            deadlines: each(meter::usage(server, [format!("{base}#deadlines")]).await),
            phantom: own(":phantom").await,
            indexes: each(meter::usage(server, indexes).await),
            mentions: own(":idx").await,
            entities: count,
        };
        line.bytes = each(meter::taken(server).await);
        line.beside = line.bytes - hash;
        print(&line, arguments.json);
    }
}
