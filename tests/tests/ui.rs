//! What `#[derive(KvEntity)]` accepts, and what it says of what it refuses.
//!
//! After a change of a message: `TRYBUILD=overwrite cargo test -p kvrepo-tests --test ui`, and read the difference.

// Here as well, since clippy does not see what trybuild compiles.
#[path = "ui/pass/lints.rs"]
mod lints;

#[test]
fn an_entity_compiles_or_says_what_is_wrong() {
    lints::main();
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
