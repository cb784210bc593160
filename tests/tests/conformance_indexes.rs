//! The indexes' conformance cases, on real servers.

use kvrepo_tests::conformance::indexes;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_keys_of_indexes_are_as_the_cases_say() {
    indexes::run().await.finish(
        "conformance indexes: 66 cases, 43 same, 7 deviate, 0 optional, 2 ruled by design.md, 1 text only, \
         13 left out (computed values 3, fields of an enum's variants 3, one key of a map 4, refused when compiling 3)",
    );
}
