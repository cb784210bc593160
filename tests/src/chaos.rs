//! What a chaos run and its worker processes share: the entities, the journals, chance, and what a worker does.
//!
//! The run itself, its faults and the oracle are in `tests/tests/chaos.rs`.

pub mod entity;
pub mod journal;
pub mod random;
pub mod worker;
