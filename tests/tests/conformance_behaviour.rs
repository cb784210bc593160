//! The behaviour's conformance cases, on real servers.

use kvrepo_tests::conformance::behaviour;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_behaves_as_the_cases_say() {
    behaviour::run().await.finish(
        "conformance behaviour: 206 cases, 55 same, 11 deviate, 4 optional, 6 ruled by design.md, 26 text only, \
         104 left out (cluster 3, geo 13, insert 1, partial updates 28, queries 55, references 4)",
    );
}
