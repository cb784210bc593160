//! Each part of the page suffices for what it is for, without any of what is optional, and with notifications off.

use std::time::{Instant, SystemTime};

use kvrepo::{
    Disagreement, Distance, Error, KeyspaceEvents, KeyspaceSettings, Point, Repository, Store, Swept,
    TimeToLive,
};
use kvrepo_tests::access::{Access, OPTIONAL};
use kvrepo_tests::harness::{ServerOptions, TestServer};
use kvrepo_tests::world::{eventually, next, next_ids};

use super::support::{
    Guest, MINUTE, PASSWORD, PROTOCOLS, data_alone, denied, is_denial, ms, server_for, store,
};

/// What was denied is optional: the connection's name, and what would bring notifications.
async fn only_optional_was_denied(server: &TestServer) {
    let optional = Access::documented();
    let optional = optional.part(OPTIONAL);
    for what in denied(server).await {
        assert!(
            optional.contains(&format!("+{what}").as_str()),
            "{what} was denied"
        );
    }
}

async fn write_read_and_find(guests: &Repository<Guest>) {
    let mut ann = Guest::new("ann", "Oslo", 30);
    guests.insert(&mut ann).time_to_live(MINUTE).await.unwrap();
    assert!(matches!(
        guests.insert(&mut Guest::new("ann", "Oslo", 1)).await,
        Err(Error::AlreadyExists { .. })
    ));
    let mut others: Vec<Guest> = (0..300).map(|i| Guest::new(&i.to_string(), "Moss", i)).collect();
    guests.save_all(&mut others).await.unwrap();
    guests
        .save(&mut Guest::new("idle", "Bergen", 5))
        .idle(MINUTE)
        .await
        .unwrap();
    assert_eq!(guests.find_by_id("ann").await.unwrap(), Some(ann));
    assert_eq!(guests.entry("idle").await.unwrap().unwrap().value.age, 5);
    assert!(guests.exists_by_id("idle").await.unwrap());
    assert_eq!(guests.find_all_by_id(["1", "2", "none"]).await.unwrap().len(), 2);
    assert_eq!(guests.find_all().await.unwrap().len(), 302);
    assert_eq!(guests.count().await.unwrap(), 302);

    let g = Guest::fields();
    assert_eq!(guests.find(g.city.eq("Moss")).count().await.unwrap(), 300);
    assert_eq!(
        guests
            .find(g.city.eq("Moss").or(g.city.eq("Oslo")))
            .await
            .unwrap()
            .len(),
        301
    );
    let page = guests
        .find(g.city.eq("Moss") & g.age.ge(10) & !g.age.eq(20))
        .sort(g.age.desc())
        .limit(3)
        .ids()
        .await
        .unwrap();
    assert_eq!(page, ["299", "298", "297"]);
    assert_eq!(
        guests
            .find(g.email.eq("7@example.org"))
            .one()
            .await
            .unwrap()
            .unwrap()
            .id,
        "7"
    );
    let near = guests
        .find(g.home.near(Point::new(10.0, 60.0), Distance::kilometers(1.0)))
        .limit(2)
        .await
        .unwrap();
    assert_eq!(near.len(), 2);
}

async fn change_and_delete(guests: &Repository<Guest>) {
    let g = Guest::fields();
    guests
        .update("ann")
        .set(g.city, "Bodø".to_owned())
        .increment(g.age, 1)
        .await
        .unwrap();
    guests
        .update_with("ann", |guest| guest.tags.push("c".to_owned()))
        .await
        .unwrap();
    assert_eq!(
        guests.find(g.city.eq("Bodø")).one().await.unwrap().unwrap().age,
        31
    );
    assert!(guests.persist("ann").await.unwrap());
    assert_eq!(guests.time_to_live("ann").await.unwrap(), TimeToLive::Persistent);
    assert!(guests.expire_at("ann", SystemTime::now() + MINUTE).await.unwrap());
    assert!(guests.expire("ann", MINUTE).await.unwrap());
    assert_eq!(guests.take("ann").await.unwrap().unwrap().tags.len(), 3);
    assert!(guests.delete_by_id("1").await.unwrap());
    assert_eq!(guests.find(g.age.lt(10)).delete().await.unwrap(), 10);
    assert_eq!(guests.delete_all().await.unwrap(), 290);
}

/// C96, C97: and `INFO`, `CLIENT` and `PING`, that nobody needs.
#[tokio::test]
async fn data_needs_no_more_than_its_part() {
    let server = server_for(&data_alone()).await;
    for protocol in PROTOCOLS {
        let off = Store::builder().events(KeyspaceEvents::Off);
        let guests = store(&server, off, protocol).await.repository::<Guest>();
        write_read_and_find(&guests).await;
        change_and_delete(&guests).await;
        guests
            .save(&mut Guest::new("brief", "Oslo", 1))
            .time_to_live(ms(20))
            .await
            .unwrap();
        // Its end by the server's clock; what follows is not judged by how soon it comes.
        while guests.exists_by_id("brief").await.unwrap() {
            tokio::time::sleep(ms(5)).await;
        }
        assert_eq!(guests.count().await.unwrap(), 0);
        let swept = guests.sweep().await.unwrap();
        assert_eq!((swept.expired, swept.repaired), (1, 0));
    }
    only_optional_was_denied(&server).await;
}

#[tokio::test]
async fn events_need_no_more_than_their_part() {
    let server = server_for(&Access::required().without("Verification").without("Groups")).await;
    for protocol in PROTOCOLS {
        let store_of_one = store(&server, Store::builder(), protocol).await;
        let of_another = store(&server, Store::builder(), protocol).await;
        let (one, another) = (
            store_of_one.repository::<Guest>(),
            of_another.repository::<Guest>(),
        );
        let begun = Instant::now();
        let (mut heard, mut heard_too) = (one.expired().await.unwrap(), another.expired().await.unwrap());
        assert!(begun.elapsed() < ms(2_000), "{:?}", begun.elapsed());
        write_read_and_find(&one).await;
        let mut brief = [Guest::new("x", "Oslo", 1), Guest::new("y", "Oslo", 2)];
        another.save_all(&mut brief).time_to_live(ms(50)).await.unwrap();
        for expired in [&mut heard, &mut heard_too] {
            let event = next(expired).await;
            let late = SystemTime::now()
                .duration_since(event.deadline())
                .unwrap_or_default();
            assert!(late < ms(1_000), "{late:?}");
            assert_eq!(event.value().unwrap().city, "Oslo");
            next(expired).await;
        }
        change_and_delete(&another).await;
        assert_eq!(one.sweep().await.unwrap(), Swept::default());
    }
    only_optional_was_denied(&server).await;
    assert!(denied(&server).await.contains(&"subscribe".to_owned()));
}

#[tokio::test]
async fn groups_need_no_more_than_their_part() {
    let server = server_for(&Access::required().without("Verification")).await;
    for protocol in PROTOCOLS {
        let builder = || {
            let settings = KeyspaceSettings::new().retention(ms(600));
            Store::builder().keyspace::<Guest>(settings)
        };
        let guests = store(&server, builder(), protocol).await.repository::<Guest>();
        let subscribe = || {
            guests
                .expired()
                .group("porter")
                .claim_after(ms(100))
                .max_deliveries(1)
        };
        let mut porter = subscribe().await.unwrap();
        let mut brief = [Guest::new("x", "Oslo", 1), Guest::new("y", "Oslo", 2)];
        guests.save_all(&mut brief).time_to_live(ms(20)).await.unwrap();
        let kept = porter.next().await.unwrap().unwrap();
        assert!(kept.ack().await.unwrap());
        // Not acknowledged, and so put aside as soon as the next one asks.
        porter.next().await.unwrap().unwrap();
        let group = guests.group("porter");
        assert_eq!(group.pending().await.unwrap(), 1);
        drop(porter);
        let mut other = subscribe().await.unwrap();
        let asking = tokio::spawn(async move { other.next().await.unwrap().unwrap().ack().await });
        eventually("it is put aside", async || {
            group.parked().await.unwrap().len() == 1
        })
        .await;
        assert_eq!(group.replay_all().await.unwrap(), 1);
        assert!(asking.await.unwrap().unwrap());
        assert_eq!(group.pending().await.unwrap(), 0);
        // What nobody reads is lost to the group, and it is told so, by whoever may.
        let mut brief = [Guest::new("x", "Oslo", 1), Guest::new("y", "Oslo", 2)];
        guests.save_all(&mut brief).time_to_live(ms(20)).await.unwrap();
        let sweeper = store(&server, builder(), protocol).await.repository::<Guest>();
        let logged = async || server.query::<u64, _>(&["XLEN", "guests#expired"]).await;
        eventually("both to be reaped", async || logged().await == 4).await;
        eventually("both to be dropped", async || {
            sweeper.sweep().await.unwrap();
            logged().await == 0
        })
        .await;
        let mut late = subscribe().await.unwrap();
        assert!(matches!(late.next().await, Some(Err(Error::Gap { .. }))));
        drop(late);
        assert!(group.delete().await.unwrap());
    }
    only_optional_was_denied(&server).await;
}

/// Who may know nothing of groups leaves to others what belongs to them.
#[tokio::test]
async fn who_has_no_part_in_groups_takes_nothing_from_them() {
    let documented = server_for(&data_alone()).await;
    for protocol in PROTOCOLS {
        let settings = KeyspaceSettings::new().retention(ms(50));
        let builder = Store::builder()
            .events(KeyspaceEvents::Off)
            .keyspace::<Guest>(settings);
        let guests = store(&documented, builder, protocol).await.repository::<Guest>();
        let create = ["XGROUP", "CREATE", "guests#expired", "porter", "$", "MKSTREAM"];
        documented.command(&create).await;
        documented.command(&["HSET", "guests#log", "groups", "1"]).await;
        let mut brief = [Guest::new("x", "Oslo", 1)];
        guests.save_all(&mut brief).time_to_live(ms(20)).await.unwrap();
        eventually("it to be reaped", async || {
            guests.sweep().await.unwrap().expired == 1
        })
        .await;
        tokio::time::sleep(ms(60)).await; // the retention
        guests.sweep().await.unwrap();
        assert_eq!(documented.query::<u64, _>(&["XLEN", "guests#expired"]).await, 1);
        assert_eq!(documented.query::<i64, _>(&["TTL", "guests#expired"]).await, -1);
        documented.command(&["FLUSHALL"]).await;
    }
}

#[tokio::test]
async fn verification_needs_no_more_than_its_part() {
    let server = server_for(&Access::required().without("Events").without("Groups")).await;
    for protocol in PROTOCOLS {
        let off = Store::builder().events(KeyspaceEvents::Off);
        let guests = store(&server, off, protocol).await.repository::<Guest>();
        write_read_and_find(&guests).await;
        assert_eq!(guests.verify().await.unwrap(), []);
        // Of each kind of index an entry too many, beside keys of others that the user may not touch.
        server.command(&["SADD", "guests:city:Rome", "1"]).await;
        server.command(&["ZADD", "guests:home", "1", "nobody"]).await;
        server.command(&["HSET", "guests#unique:email", "x@y", "2"]).await;
        server.command(&["ZREM", "guests#deadlines", "ann"]).await;
        server.command(&["SET", "foreign", "x"]).await;
        let found = guests.rebuild_indexes().await.unwrap();
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(
            found
                .iter()
                .any(|found| found.disagreement == Disagreement::Deadline),
            "{found:?}"
        );
        assert_eq!(guests.verify().await.unwrap(), []);
        guests.delete_all().await.unwrap();
    }
    only_optional_was_denied(&server).await;
}

/// A part that is missing is told of, and not waited for in vain.
#[tokio::test]
async fn what_a_part_is_missing_for_is_an_error() {
    let server = server_for(&data_alone()).await;
    for protocol in PROTOCOLS {
        let guests = store(&server, Store::builder(), protocol)
            .await
            .repository::<Guest>();
        for error in [
            guests.expired().await.unwrap_err(),
            guests.verify().await.unwrap_err(),
        ] {
            assert!(
                matches!(error, Error::Backend { transient: false, .. }) && !error.is_outcome_unknown(),
                "{error:?}"
            );
        }
    }
    // Half a part: told as it is, and not as a key that is somebody else's.
    for command in ["hlen", "scard", "zcard"] {
        server
            .command(&["ACL", "SETUSER", "ann", &format!("-{command}")])
            .await;
        let off = Store::builder().events(KeyspaceEvents::Off);
        let guests = store(&server, off, "resp3").await.repository::<Guest>();
        let error = guests.save(&mut Guest::new("1", "Oslo", 1)).await.unwrap_err();
        let Error::Backend { source, .. } = &error else {
            panic!("{error:?}")
        };
        assert!(is_denial(&source.to_string(), command), "{source}");
        assert!(!error.is_outcome_unknown());
        assert_eq!(server.query::<u64, _>(&["DBSIZE"]).await, 0);
        server
            .command(&["ACL", "SETUSER", "ann", &format!("+{command}")])
            .await;
    }
}

/// As managed servers do it: to everybody, by another word than that a right is missing.
#[tokio::test]
async fn commands_that_were_taken_away_from_everybody_are_not_missed() {
    let mut options = ServerOptions::new().user(&format!("ann on >{PASSWORD} ~* &* +@all -info -role -ping"));
    for command in ["CONFIG", "SUBSCRIBE", "PSUBSCRIBE", "CLIENT", "KEYS"] {
        options = options.arg("--rename-command").arg(command).arg("");
    }
    let server = TestServer::with(options).await;
    for protocol in PROTOCOLS {
        let store = store(&server, Store::builder(), protocol).await;
        let guests = store.repository::<Guest>();
        let begun = Instant::now();
        let mut expired = guests.expired().await.unwrap();
        assert!(begun.elapsed() < ms(2_000), "{:?}", begun.elapsed());
        write_read_and_find(&guests).await;
        let mut brief = [Guest::new("x", "Oslo", 1), Guest::new("y", "Oslo", 2)];
        guests.save_all(&mut brief).time_to_live(ms(50)).await.unwrap();
        assert_eq!(next_ids(&mut expired, 2).await, ["x", "y"]);
        change_and_delete(&guests).await;
    }
}
