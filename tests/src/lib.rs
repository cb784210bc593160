//! What kvrepo promises, as a suite that every backend runs, and what the tests need to stand up the outside world.

#[cfg(feature = "suite")]
pub mod access;
#[cfg(feature = "suite")]
pub mod chaos;
#[cfg(feature = "suite")]
pub mod conformance;
#[cfg(feature = "suite")]
pub mod fixture;
pub mod harness;
pub mod meter;
#[cfg(feature = "suite")]
#[macro_use]
pub mod suite;
#[cfg(feature = "suite")]
pub mod world;
