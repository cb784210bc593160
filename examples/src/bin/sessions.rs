//! Two tasks of one service: one saves sessions, the other ends what hangs on them when they expire.
//!
//! Teaches: a default term on the type, a term of the call's own, an event stream in a task of its own, what an
//! event says, and that a session which is saved again in time does not expire.
//!
//! Runs on the memory backend: `cargo run -p kvrepo-examples --bin sessions`.
//! On a server: `KVREPO_URL=redis://127.0.0.1:6379 cargo run -p kvrepo-examples --bin sessions`.

use std::time::{Duration, SystemTime};

use kvrepo::{Expired, KvEntity, Repository, Store};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "sessions", time_to_live = "1s")]
struct Session {
    #[id]
    id: String,
    user: String,
    pages: Vec<String>,
}

#[tokio::main]
async fn main() -> kvrepo::Result<()> {
    let store = match std::env::var("KVREPO_URL") {
        Ok(url) => Store::connect(&url).await?,
        Err(_) => Store::in_memory(),
    };
    let sessions = store.repository::<Session>();

    // Subscribed before anything is saved: whatever expires from now on is heard.
    let expired = sessions.expired().await?;
    let ending = tokio::spawn(end_sessions(expired));
    serve(&sessions).await?;

    let ended = ending.await.expect("the task does not panic")?;
    println!(
        "{ended} sessions have ended, {} are left",
        sessions.count().await?
    );
    Ok(())
}

/// Opens three sessions; Ann's is used once more before its second is over, Cy's gets a term of its own.
async fn serve(sessions: &Repository<Session>) -> kvrepo::Result<()> {
    let mut ann = Session {
        id: "a1".into(),
        user: "ann".into(),
        pages: vec!["/".into()],
    };
    let mut bob = Session {
        id: "b2".into(),
        user: "bob".into(),
        pages: vec![],
    };
    let mut cy = Session {
        id: "c3".into(),
        user: "cy".into(),
        pages: vec!["/cart".into()],
    };
    sessions.save(&mut ann).await?;
    sessions.save(&mut bob).await?;
    sessions
        .save(&mut cy)
        .time_to_live(Duration::from_millis(300))
        .await?;

    tokio::time::sleep(Duration::from_millis(500)).await;
    ann.pages.push("/account".into());
    sessions.save(&mut ann).await?;
    println!("ann came back; {} sessions are alive", sessions.count().await?);
    Ok(())
}

/// Listens until the three sessions have ended.
async fn end_sessions(mut expired: Expired<Session>) -> kvrepo::Result<usize> {
    let mut ended = 0;
    while ended < 3 {
        let Some(event) = expired.next().await else { break };
        let event = event?;
        let late = SystemTime::now()
            .duration_since(event.deadline())
            .unwrap_or_default();
        match event.value() {
            Some(session) => println!(
                "{}'s session ended {late:?} ago, after {:?}",
                session.user, session.pages
            ),
            None => println!("session {} ended; nothing else is known of it", event.id()),
        }
        ended += 1;
    }
    Ok(ended)
}
