//! What `#[derive(KvEntity)]` and its like say of what they refuse. What they accept is in `tests/tests/derive.rs`.
//!
//! After a change of a message: `TRYBUILD=overwrite cargo test -p kvrepo-derive --test ui`, and read the difference.

#[test]
fn what_is_wrong_is_said() {
    // Only cases that fail: one that compiled would have all dependencies built a second time, and not merely checked.
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
