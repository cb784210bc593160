//! Who can have no cache is told so, and what to do.

use kvrepo::{Error, Repository};
use kvrepo_tests::access::{Access, OPTIONAL};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{ServerOptions, TestServer};
use kvrepo_tests::world::eventually;

use super::support::{have_at_hand, name, near, save, statistics};

fn what(refused: kvrepo::Result<kvrepo::Store>) -> String {
    match refused {
        Err(Error::Unsupported { what }) => what,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn there_is_none_over_resp2() {
    let server = TestServer::start().await;
    let told = what(near().connect(&format!("{}?protocol=resp2", server.url())).await);
    assert!(told.contains("RESP2") && told.contains("URL"), "{told}");
}

async fn restricted(access: &Access) -> TestServer {
    let user = access.user("ann", "secret", &["people"]);
    TestServer::with(ServerOptions::new().user(&user)).await
}

#[tokio::test]
async fn there_is_none_for_a_user_who_may_not() {
    let server = restricted(&Access::required()).await;
    let told = what(near().connect(&server.url_as("ann", "secret")).await);
    assert!(told.contains("`client|tracking`"), "{told}");
}

#[tokio::test]
async fn who_may_not_any_more_reads_from_the_server() {
    let server = restricted(&Access::required()).await;
    let tracking = Access::documented();
    assert!(tracking.part(OPTIONAL).contains(&"+client|tracking"));
    server
        .command(&["ACL", "SETUSER", "ann", "+client|tracking"])
        .await;
    let people: Repository<Person> = near()
        .connect(&server.url_as("ann", "secret"))
        .await
        .unwrap()
        .repository();
    save(&people, "Ann").await;
    server
        .command(&["ACL", "SETUSER", "ann", "-client|tracking"])
        .await;
    server.command(&["CLIENT", "KILL", "USER", "ann"]).await;
    eventually("it to be emptied", async || statistics(&people).emptied == 1).await;
    let hits = statistics(&people).hits;
    for number in 0..3 {
        let new = number.to_string();
        server.command(&["HSET", "people:1", "firstname", &new]).await;
        assert_eq!(name(&people).await, Some(new));
    }
    assert_eq!((statistics(&people).hits, statistics(&people).entries), (hits, 0));
    server
        .command(&["ACL", "SETUSER", "ann", "+client|tracking"])
        .await;
    have_at_hand(&people, "2").await;
}
