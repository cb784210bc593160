//! What other clients do is found as soon as the server has said so.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kvrepo::{Repository, Store};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{Proxy, TestServer};

use super::support::{have_at_hand, ms, name, near, round_trip, save, statistics};

async fn at_hand() -> (TestServer, Repository<Person>) {
    let server = TestServer::start().await;
    let people: Repository<Person> = near().connect(&server.url()).await.unwrap().repository();
    save(&people, "Ann").await;
    (server, people)
}

#[tokio::test]
async fn what_others_write_is_found_one_round_trip_after_it() {
    let (server, people) = at_hand().await;
    for number in 0..50 {
        let bob = format!("Bob {number}");
        server.command(&["HSET", "people:1", "firstname", &bob]).await;
        round_trip(&people).await;
        have_at_hand(&people, &bob).await;
    }
    let counted = statistics(&people);
    assert_eq!((counted.invalidations, counted.emptied), (50, 0), "{counted:?}");
}

#[tokio::test]
async fn whatever_others_do_to_a_key_is_found() {
    let (server, people) = at_hand().await;
    for gone in [
        &["DEL", "people:1"][..],
        &["UNLINK", "people:1"],
        &["RENAME", "people:1", "elsewhere"],
        &["PEXPIREAT", "people:1", "1"],
        &["FLUSHALL"],
        &["FLUSHDB"],
        &["EVAL", "return redis.call('DEL', KEYS[1])", "1", "people:1"],
    ] {
        save(&people, "Ann").await;
        server.command(gone).await;
        round_trip(&people).await;
        assert_eq!(name(&people).await, None, "{gone:?}");
    }
    assert_eq!(statistics(&people).emptied, 2);
    for (changed, left) in [
        (&["PEXPIRE", "people:1", "60000"][..], Some(60)),
        (&["EXPIRE", "people:1", "30"], Some(30)),
        (&["PERSIST", "people:1"], None),
    ] {
        save(&people, "Ann").await;
        if left.is_none() {
            server.command(&["PEXPIRE", "people:1", "60000"]).await;
        }
        server.command(changed).await;
        round_trip(&people).await;
        assert_eq!(
            people.find_by_id("1").await.unwrap().unwrap().ttl,
            left,
            "{changed:?}"
        );
    }
    // Of another type, which is no entity.
    save(&people, "Ann").await;
    server.command(&["SET", "people:1", "x"]).await;
    round_trip(&people).await;
    people.find_by_id("1").await.unwrap_err();
}

/// A term that another client gives counts as any.
#[tokio::test]
async fn a_term_that_others_have_given_ends_what_is_at_hand() {
    let (server, people) = at_hand().await;
    server.command(&["PEXPIRE", "people:1", "300"]).await;
    round_trip(&people).await;
    have_at_hand(&people, "Ann").await;
    loop {
        // Asked before: what is there afterwards can have ended in between.
        let left: i64 = server.query(&["PTTL", "people:1"]).await;
        let found = name(&people).await;
        assert!(found.is_none() || left > -2, "found after it has expired");
        if found.is_none() {
            break;
        }
        tokio::time::sleep(ms(1)).await;
    }
}

/// Each has a cache and is another's other client.
#[tokio::test]
async fn two_stores_tell_each_other_by_the_server() {
    let (server, one) = at_hand().await;
    let two: Repository<Person> = near().connect(&server.url()).await.unwrap().repository();
    for number in 0..20 {
        let (writer, reader) = if number % 2 == 0 {
            (&one, &two)
        } else {
            (&two, &one)
        };
        save(writer, &number.to_string()).await;
        round_trip(reader).await;
        have_at_hand(reader, &number.to_string()).await;
    }
}

/// The names of keys are the same in all databases, and so is what the server says of them.
#[tokio::test]
async fn another_database_is_another() {
    let (server, people) = at_hand().await;
    let url = format!("{}/3", server.url().trim_end_matches("/0"));
    let others: Repository<Person> = near().connect(&url).await.unwrap().repository();
    save(&others, "Zoe").await;
    round_trip(&people).await;
    have_at_hand(&people, "Ann").await;
    have_at_hand(&others, "Zoe").await;
}

/// One whose every find is at hand lets those run who hear of changes.
#[tokio::test]
async fn who_does_nothing_but_find_hears_of_changes() {
    let (server, people) = at_hand().await;
    let begun = Instant::now();
    let writer = tokio::spawn(async move {
        server.command(&["HSET", "people:1", "firstname", "Bob"]).await;
        server
    });
    while name(&people).await.as_deref() != Some("Bob") {}
    // They would run after two seconds anyway, when nothing is vouched for any more.
    assert!(begun.elapsed() < ms(1_500), "{:?}", begun.elapsed());
    writer.await.unwrap();
}

/// Others write, replies and what the server says of them are late: found is never less than what was written before the last
/// round trip began, nor less than before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_others_write_is_never_undone() {
    let server = TestServer::start().await;
    for (seed, late) in [(1, Duration::ZERO), (2, Duration::ZERO), (3, ms(2))] {
        let proxy = Proxy::in_front_of(&server).await;
        proxy.delay_directions(Duration::ZERO, late);
        let people: Repository<Person> = near().connect(&proxy.url()).await.unwrap().repository();
        let others: Repository<Person> = Store::connect(&server.url()).await.unwrap().repository();
        save(&people, "0").await;
        let written = Arc::new(AtomicU64::new(0));
        let until = Instant::now() + ms(800);
        let writer = tokio::spawn({
            let written = Arc::clone(&written);
            async move {
                let mut random: u64 = seed;
                for number in 1.. {
                    others
                        .save(&mut Person::new("1", &number.to_string()))
                        .await
                        .unwrap();
                    written.store(number, Ordering::SeqCst);
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    for _ in 0..random >> 58 {
                        tokio::task::yield_now().await;
                    }
                    if Instant::now() >= until {
                        break;
                    }
                }
            }
        });
        let readers = (0..4).map(|_| {
            let (people, written) = (people.clone(), Arc::clone(&written));
            tokio::spawn(async move {
                let mut last = 0;
                for turn in 0.. {
                    let mut least = last;
                    if turn % 8 == 0 {
                        least = written.load(Ordering::SeqCst).max(least);
                        assert_eq!(people.find_by_id("nobody").await.unwrap(), None);
                    }
                    let found: u64 = name(&people).await.unwrap().parse().unwrap();
                    assert!(found >= least, "found {found} after {least}");
                    last = found;
                    if Instant::now() >= until {
                        break;
                    }
                }
            })
        });
        let readers: Vec<_> = readers.collect();
        for task in readers.into_iter().chain([writer]) {
            task.await.expect("nothing is undone");
        }
        let counted = statistics(&people);
        assert!(counted.hits > 20 && counted.invalidations > 5, "{counted:?}");
    }
}
