//! All listeners are down while ten thousand entities expire, and are started again later.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use kvrepo::Position;
use kvrepo_tests::suite::query::Person;
use kvrepo_tests::world::{World, next};

use super::support::{Heard, MANY, done, hear, join, person, see_to, server, writer};

const MINUTE: Duration = Duration::from_secs(60);
const TERM: Duration = Duration::from_secs(30 * 60);

/// C39.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_that_expired_four_minutes_ago_come_with_their_values() {
    start_again_after(4 * MINUTE, MANY).await;
}

/// C47.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_that_expired_longer_ago_than_the_grace_come_without_their_values() {
    start_again_after(6 * MINUTE, 0).await;
}

/// There is somebody who hears everything, and a group; both have come to this position when they go.
async fn listen_for_a_while(world: &World) -> Position {
    let people = world.repository::<Person>().await;
    let (mut all, mut one) = (people.expired().await.unwrap(), join(&people).await);
    let mut first = person(MANY);
    let brief = Duration::from_millis(20);
    people.save(&mut first).time_to_live(brief).await.unwrap();
    assert!(one.next().await.unwrap().unwrap().ack().await.unwrap());
    next(&mut all).await.position()
}

async fn start_again_after(pause: Duration, valued: usize) {
    let world = World::server().await;
    let position = listen_for_a_while(&world).await;
    let people = writer(&world).await;
    let mut many: Vec<Person> = (0..MANY).map(person).collect();
    people.save_all(&mut many).time_to_live(TERM).await.unwrap();
    world.skip(&["folk"], TERM + pause).await;
    assert_eq!(people.count().await.unwrap(), 0, "they have expired");
    let logged: u64 = server(&world).query(&["XLEN", "folk#expired"]).await;
    assert_eq!(logged, 1, "nobody has reaped them");

    // The two of the group share what comes; whoever hears everything goes on where it was.
    let (one, two) = (
        world.repository::<Person>().await,
        world.repository::<Person>().await,
    );
    let mut all = one.expired().from(position).await.unwrap();
    let (first, second) = (join(&one).await, join(&two).await);
    let (mut heard, shared) = (Heard::default(), Arc::<Mutex<Heard>>::default());
    tokio::select! {
        () = see_to(first, &shared) => {}
        () = see_to(second, &shared) => {}
        () = async {
            hear(&mut all, &mut heard, MANY).await;
            done(&one, &shared).await;
        } => {}
    }
    heard.is_all(valued);
    shared.lock().unwrap().is_all(valued);
    drop((all, one, two));

    // Of what was there nothing is left: no id, no index, no phantom.
    let logs = ["folk#expired", "folk#log"];
    let mut keys = world.keys().await;
    keys.retain(|key| key != "folk#reaper");
    assert_eq!(keys, logs);
}
