//! The behaviour's conformance cases, on real servers.

use kvrepo_tests::conformance::behaviour;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_behaves_as_the_cases_say() {
    behaviour::run().await.finish(
        "conformance behaviour: 206 cases, 112 same, 33 deviate, 9 optional, 16 ruled by design.md, 31 text only, \
         5 left out (cluster 3, refused when compiling 2)",
    );
}
