//! Running many sequences on several threads, and making the first that fails as small as it can be.

use std::fmt::Display;
use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use tokio::runtime::{Builder, Runtime};

pub(crate) fn full() -> bool {
    std::env::var("KVREPO_LOAD").is_ok_and(|load| load == "full")
}

/// The number of the first sequence.
fn first() -> u64 {
    std::env::var("KVREPO_SEED").map_or(4_711, |seed| seed.parse().expect("KVREPO_SEED is a number"))
}

pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// Makes so many sequences and has each of them run, on several threads; ends with the first that fails.
pub(crate) fn sequences<S: Strategy<Value: Display>>(
    count: u64,
    threads: u64,
    shrinks: u32,
    strategy: impl Fn() -> S + Sync,
    run: impl Fn(&Runtime, &S::Value) -> Result<(), String> + Sync,
) {
    let (begun, next, failed) = (Instant::now(), AtomicU64::new(0), OnceLock::new());
    let work = || {
        let (runtime, strategy) = (runtime(), strategy());
        while failed.get().is_none() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                break;
            }
            let number = first() + number;
            let result = runner(number, shrinks).run(&strategy, |sequence| {
                // While one is made smaller the others end.
                if failed.get().is_some_and(|failed| *failed != number) {
                    return Ok(());
                }
                run(&runtime, &sequence).map_err(|wrong| {
                    if failed.set(number).is_ok() {
                        println!("sequence {number} fails after {:?}:\n{wrong}", begun.elapsed());
                    }
                    TestCaseError::fail(wrong)
                })
            });
            match result {
                Ok(()) => {}
                // One that panicked has not said so before.
                Err(TestError::Fail(wrong, sequence)) if *failed.get_or_init(|| number) == number => panic!(
                    "sequence {number} (KVREPO_SEED={number} begins with it), as small as it could be made:\n\
                     {sequence}\n{wrong}\n"
                ),
                Err(TestError::Fail(..)) => break,
                Err(TestError::Abort(why)) => panic!("sequence {number}: {why}"),
            }
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            if let Err(panic) = thread.join() {
                resume_unwind(panic);
            }
        }
    });
    println!("{count} sequences in {:?}", begun.elapsed());
}

/// Makes one sequence from its number, and smaller ones if it fails.
fn runner(number: u64, shrinks: u32) -> TestRunner {
    let config = Config {
        cases: 1,
        failure_persistence: None,
        max_shrink_iters: shrinks,
        max_shrink_time: 20_000,
        ..Config::default()
    };
    // The cheap algorithm: without optimizations the other one takes longer than all the rest. It needs a seed that is mixed.
    let seed = [1_u64, 2].map(|part| {
        part.wrapping_add(number.wrapping_mul(2))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    let seed = seed.map(|part| {
        (part ^ (part >> 29))
            .wrapping_mul(0xbf58_476d_1ce4_e5b9)
            .to_le_bytes()
    });
    TestRunner::new_with_rng(
        config,
        TestRng::from_seed(RngAlgorithm::XorShift, seed.as_flattened()),
    )
}
