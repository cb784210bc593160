//! The mapping's conformance cases, in memory.

use kvrepo_tests::conformance::mapping;

#[tokio::test]
async fn values_are_stored_and_read_as_the_cases_say() {
    mapping::run().await.finish(
        "conformance mapping: 139 cases, 95 same, 4 deviate, 10 optional, 6 ruled by design.md, 0 text only, \
         24 left out (enums told apart by `_class` 4, partial updates 20)",
    );
}
