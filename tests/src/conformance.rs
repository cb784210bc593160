//! The conformance cases of `tests/conformance`: what Spring Data stores and does, as data, with the driver that
//! runs it. The `README.md` beside the cases has the notation.
//!
//! | module | |
//! | --- | --- |
//! | [`case`] | a case, and what is expected of kvrepo where that differs from the peer |
//! | [`tally`] | which cases were run, how they went, and which were left out |
//! | [`notation`] | values as the cases write them |
//! | [`mod@reference`] | references as the cases write them |
//! | [`hash`] | hashes as the cases write them, compared |
//! | [`types`] | the types that the cases declare |
//! | [`indexes`] | runs `indexes.json`, on real servers |
//! | [`mapping`] | runs `mapping.json`, in memory |
//! | [`behaviour`] | runs `behaviour.json`, on real servers |

pub mod behaviour;
pub mod case;
pub mod hash;
pub mod indexes;
pub mod mapping;
pub mod notation;
pub mod reference;
pub mod tally;
pub mod types;

/// What a case found, in words, where that is not what it expects.
pub type Check = Result<(), String>;

/// Fails with a message unless something is so.
#[macro_export]
macro_rules! demand {
    ($so:expr, $($message:tt)+) => {
        if !$so {
            return Err(format!($($message)+));
        }
    };
}
