//! What a thread keeps from one entity for the next: memory that is only written over.

use std::cell::Cell;
use std::thread::LocalKey;

/// No more than this is kept of each, or one large entity would hold it for ever.
const MOST: usize = 1024;

thread_local! {
    static PATH: Cell<String> = const { Cell::new(String::new()) };
}

/// An empty path with room.
pub(super) fn path() -> String {
    taken(&PATH)
}

/// To be called with what [`path`] gave.
pub(super) fn keep_path(mut path: String) {
    if path.capacity() <= MOST {
        path.clear();
        keep(&PATH, path);
    }
}

/// What was kept, if anything: who is called within a call finds nothing.
pub(super) fn taken<T: Default>(kept: &'static LocalKey<Cell<T>>) -> T {
    kept.try_with(Cell::take).unwrap_or_default()
}

/// Keeps something, unless the thread is ending.
pub(super) fn keep<T>(kept: &'static LocalKey<Cell<T>>, it: T) {
    let _ = kept.try_with(|kept| kept.set(it));
}

/// A list without elements, of the memory of another one, whose elements are of the same type but for what they borrow. The
/// standard library collects in place; should it cease to, this is only slower.
pub(super) fn emptied<A, B>(mut list: Vec<A>) -> Vec<B> {
    list.clear();
    if list.capacity() > MOST {
        return Vec::new();
    }
    list.into_iter().filter_map(|_| None).collect()
}
