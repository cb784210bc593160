//! A part of what was found.

use super::Distance;

/// Which part of the finds: the page of this number, counted from 0, if each has this size.
///
/// ```
/// use kvrepo::PageRequest;
///
/// let page = PageRequest::of(2, 10);
/// assert_eq!((page.number, page.size), (2, 10));
/// assert_eq!(PageRequest::first(10).next(), PageRequest::of(1, 10));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PageRequest {
    /// Which page, counted from 0.
    pub number: usize,
    /// How many entities a page has.
    pub size: usize,
}

impl PageRequest {
    /// The page of this number, counted from 0.
    #[must_use]
    pub const fn of(number: usize, size: usize) -> Self {
        Self { number, size }
    }

    /// The first page.
    #[must_use]
    pub const fn first(size: usize) -> Self {
        Self::of(0, size)
    }

    /// The page behind this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self {
            number: self.number.saturating_add(1),
            size: self.size,
        }
    }
}

/// A page of finds, and how many there are in all.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page<T> {
    /// The entities of the page.
    pub items: Vec<T>,
    /// How many there are on all pages, at the moment of the call.
    pub total: u64,
    /// Which page it is.
    pub request: PageRequest,
}

impl<T> Page<T> {
    pub(crate) fn new(items: Vec<T>, total: u64, request: PageRequest) -> Self {
        Self {
            items,
            total,
            request,
        }
    }

    /// How many pages there are.
    #[must_use]
    pub fn total_pages(&self) -> u64 {
        self.total.div_ceil((self.request.size as u64).max(1))
    }

    /// Whether there is a page behind this one.
    #[must_use]
    pub fn has_next(&self) -> bool {
        (self.request.number as u64).saturating_add(1) < self.total_pages()
    }

    /// The page with its entities made into something else.
    #[must_use]
    pub fn map<U>(self, make: impl FnMut(T) -> U) -> Page<U> {
        Page::new(
            self.items.into_iter().map(make).collect(),
            self.total,
            self.request,
        )
    }
}

/// An entity, and how far away it is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Near<T> {
    /// The entity.
    pub value: T,
    /// The distance to the point that was asked for; to a tenth of a millimeter.
    pub distance: Distance,
}

impl<T> Near<T> {
    pub(crate) fn new(value: T, distance: Distance) -> Self {
        Self { value, distance }
    }
}
