//! The service, served on a port of its own.

use std::io;

use kvrepo::{ManualClock, Repository, Store};
use kvrepo_examples::kv_service::{self, Item};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::client::Client;

pub struct Service {
    pub client: Client,
    pub items: Repository<Item>,
    stop: oneshot::Sender<()>,
    served: JoinHandle<io::Result<()>>,
}

impl Service {
    pub async fn on(store: Store) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let client = Client::new(listener.local_addr().expect("an address"));
        let items = store.repository();
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            kv_service::serve(listener, &store, stopped).await
        });
        Self {
            client,
            items,
            stop,
            served,
        }
    }

    /// On the memory backend, whose time the clock is.
    pub async fn in_memory() -> (Self, ManualClock) {
        let clock = ManualClock::new();
        let service = Self::on(Store::in_memory().with_clock(clock.clone())).await;
        (service, clock)
    }

    /// Stops it, and waits until it has.
    pub async fn stop(self) {
        self.stop.send(()).expect("it still serves");
        self.served.await.expect("no panic").expect("no error");
    }
}
