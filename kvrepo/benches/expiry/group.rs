//! A group, each consumer of which has a store of its own, as processes do.

use kvrepo_tests::harness::TestServer;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinSet;

use crate::arguments::Arguments;
use crate::lag::{Lags, Line};
use crate::table::{save, tables};

pub(crate) async fn measure(server: &TestServer, arguments: &Arguments) -> Line {
    let (told, delivered) = unbounded_channel();
    let mut tasks = JoinSet::new();
    for _ in 0..arguments.groups {
        for table in tables(server, arguments).await {
            table.join("boarding", told.clone(), &mut tasks).await;
        }
    }
    save(&tables(server, arguments).await, arguments).await;
    let lags = Lags::gathered(delivered, arguments.due).await;
    let line = Line::new("kvrepo-group", arguments, lags).with_keyspaces(arguments.keyspaces);
    line.print(arguments);
    line
}
