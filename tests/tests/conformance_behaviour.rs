//! The behaviour's conformance cases, on real servers.

use kvrepo_tests::conformance::behaviour;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_behaves_as_the_cases_say() {
    behaviour::run().await.finish(
        "conformance behaviour: 206 cases, 76 same, 17 deviate, 5 optional, 9 ruled by design.md, 27 text only, \
         72 left out (cluster 3, geo 13, queries 56)",
    );
}
