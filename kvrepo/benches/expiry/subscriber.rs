//! kvrepo: a subscriber for each keyspace, in one store.

use kvrepo_tests::harness::TestServer;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinSet;

use crate::arguments::Arguments;
use crate::lag::{Finds, Lags, Line};
use crate::table::{save, tables};

pub(crate) async fn measure(server: &TestServer, arguments: &Arguments) -> Line {
    let tables = tables(server, arguments).await;
    let (told, delivered) = unbounded_channel();
    let mut tasks = JoinSet::new();
    for table in &tables {
        table.subscribe(told.clone(), &mut tasks).await;
    }
    save(&tables, arguments).await;
    // Beside it somebody reads, to see that the connection for commands stays usable.
    let reader = tables[0].read().await;
    let lags = Lags::gathered(delivered, arguments.due).await;
    tables[0].stop_reading().await;
    let finds = Finds::of(&reader.await.expect("the reader"));
    let line = Line::new("kvrepo", arguments, lags).with_keyspaces(arguments.keyspaces);
    line.print(arguments);
    if arguments.burst {
        line.print_burst(&finds, arguments);
    }
    line
}
