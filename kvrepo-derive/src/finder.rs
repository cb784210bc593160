//! `#[kvrepo::repository(Person)]`: a trait of derived finders, implemented for `Repository<Person>`.
//!
//! The macro sees the trait and not the entity. So it only tells signatures apart; what a method's name says is read by
//! kvrepo's `const fn`s when the code that is written here is compiled, with the tables that the derive has made.

mod argument;
mod expand;
mod method;
mod model;

pub(crate) use expand::repository;
