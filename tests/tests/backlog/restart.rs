//! The server restarts in the middle of ten thousand expirations, and has forgotten its notification flags.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use kvrepo_tests::harness::ServerOptions;
use kvrepo_tests::suite::query::Person;
use kvrepo_tests::world::{World, eventually};

use super::support::{Heard, MANY, done, hear, join, person, see_to, server, writer};

/// How many entities have the same term.
const AT_ONCE: usize = 500;
/// How far terms are apart.
const STEP: Duration = Duration::from_millis(150);
/// The first of them.
const LEAD: Duration = Duration::from_secs(2);

async fn flags(world: &World) -> String {
    let set: Vec<String> = server(world)
        .query(&["CONFIG", "GET", "notify-keyspace-events"])
        .await;
    set[1].clone()
}

/// C41.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_come_although_the_server_restarts_in_the_middle_without_its_flags() {
    let world = World::on(ServerOptions::new().append_only()).await;
    let (one, two) = (
        world.repository::<Person>().await,
        world.repository::<Person>().await,
    );
    let mut all = one.expired().await.unwrap();
    let (first, second) = (join(&one).await, join(&two).await);
    assert!(flags(&world).await.contains('x'), "a listener sees to the flags");

    let people = writer(&world).await;
    let saved = async {
        let mut many: Vec<Person> = (0..MANY).map(person).collect();
        for (step, some) in (0..).zip(many.chunks_mut(AT_ONCE)) {
            let term = LEAD + STEP * step;
            people.save_all(some).time_to_live(term).await.unwrap();
        }
    };
    let (mut heard, shared) = (Heard::default(), Arc::<Mutex<Heard>>::default());
    let heard_all = async {
        tokio::join!(hear(&mut all, &mut heard, MANY / 2), saved);
        assert!(people.count().await.unwrap() > 0, "it is in the middle");
        server(&world).restart().await;
        hear(&mut all, &mut heard, MANY).await;
    };
    tokio::select! {
        () = see_to(first, &shared) => {}
        () = see_to(second, &shared) => {}
        () = async {
            heard_all.await;
            done(&one, &shared).await;
        } => {}
    }
    heard.is_all(MANY);
    shared.lock().unwrap().is_all(MANY);
    let set = || async { flags(&world).await.contains('x') };
    eventually("the flags to be set again", set).await;
}
