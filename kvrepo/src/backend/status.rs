//! What a backend says of itself: its connections, its notifications, what waits to be reaped.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::telemetry;

/// Whether the server tells of expirations as it notices them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Notifications {
    /// Nobody listens.
    #[default]
    Off,
    /// The server has confirmed the subscription, and the connection is there.
    Active,
    /// The server does not let this user subscribe.
    Refused,
    /// The connection is lost, or not yet there; it is being made again.
    Down,
}

/// Whether the server's `notify-keyspace-events` has it tell of expirations. Looked at whenever the notifications'
/// connection comes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum NotificationFlags {
    /// They were not looked at, since nobody listens.
    #[default]
    Unseen,
    /// They could not be looked at, mostly because this user may not use `CONFIG`, and no notification has come yet.
    Unverified,
    /// The server tells of expirations: the flags say so, or it has.
    Sufficient,
    /// These flags are not set, and could not be, or were to be left alone.
    Lacking(&'static str),
}

/// What a backend knows of itself without asking anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct BackendStatus {
    /// Whether notifications come.
    pub notifications: Notifications,
    /// Whether the server is set to send them.
    pub flags: NotificationFlags,
    /// How many connections that had broken were made again.
    pub reconnects: u64,
    /// How many idle terms began anew.
    pub renewals: u64,
    /// The backend's time in milliseconds since 1970, where it can be told without asking a server. Otherwise it is
    /// estimated from [`Reaped::now`](super::Reaped::now).
    pub now: Option<u64>,
}

/// What is past its deadline and not reaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Due {
    /// How many entities.
    pub entities: u64,
    /// For how long the first of them has been due; `None` if none is.
    pub longest: Option<Duration>,
}

impl Due {
    /// So many, the first of them for `longest`, which counts for nothing if there are none.
    #[must_use]
    pub fn new(entities: u64, longest: Duration) -> Self {
        Self {
            entities,
            longest: (entities > 0).then_some(longest),
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            entities: self.entities + other.entities,
            longest: self.longest.max(other.longest),
        }
    }
}

/// Where a backend keeps its status.
#[derive(Default)]
pub(super) struct Board {
    status: Mutex<BackendStatus>,
}

impl Board {
    pub(super) fn read(&self) -> BackendStatus {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<R>(&self, change: impl FnOnce(&mut BackendStatus) -> R) -> R {
        change(&mut self.status.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Says whether that is new.
    pub(super) fn notifications(&self, notifications: Notifications) -> bool {
        self.change(|status| std::mem::replace(&mut status.notifications, notifications) != notifications)
    }

    /// Says whether that is new.
    pub(super) fn flags(&self, flags: NotificationFlags) -> bool {
        self.change(|status| std::mem::replace(&mut status.flags, flags) != flags)
    }

    /// A connection that had broken is there again.
    pub(super) fn reconnected(&self, connection: &'static str) {
        self.change(|status| status.reconnects += 1);
        telemetry::reconnected(connection);
    }

    pub(super) fn renewed(&self, keyspace: &str, entities: u64) {
        if entities > 0 {
            self.change(|status| status.renewals += entities);
            telemetry::renewed(keyspace, entities);
        }
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.read().fmt(f)
    }
}
