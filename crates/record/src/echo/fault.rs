//! Why there was no frame.

use serde::Serialize;

/// Why there was no frame when the game was asked for one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There is no connection: the game is closed.
    #[error("no answer: {0}")]
    Unreachable(String),
    /// The answer did not come in time.
    #[error("no answer in time")]
    Timeout,
    /// Another HTTP status than 200.
    #[error("HTTP status {0}")]
    Status(u16),
    /// The game says that it is in no match, with this code.
    #[error("no match is on{}", .0.map_or_else(String::new, |code| format!(" (error {code})")))]
    NoMatch(Option<i32>),
    /// The answer is no session, or breaks off.
    #[error("the answer can't be used: {0}")]
    Malformed(String),
}

/// How often what went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Faults {
    /// [`Fault::Unreachable`].
    pub unreachable: u64,
    /// [`Fault::Timeout`].
    pub timeout: u64,
    /// [`Fault::Status`].
    pub status: u64,
    /// [`Fault::NoMatch`].
    pub no_match: u64,
    /// [`Fault::Malformed`].
    pub malformed: u64,
    /// Frames whose bones are missing because of any of these.
    pub bones: u64,
}

impl Faults {
    pub(super) fn count(&mut self, fault: &Fault) {
        *match fault {
            Fault::Unreachable(_) => &mut self.unreachable,
            Fault::Timeout => &mut self.timeout,
            Fault::Status(_) => &mut self.status,
            Fault::NoMatch(_) => &mut self.no_match,
            Fault::Malformed(_) => &mut self.malformed,
        } += 1;
    }
}
