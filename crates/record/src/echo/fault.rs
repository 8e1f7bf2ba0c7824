//! The faults of the game's answers.

use serde::Serialize;

/// The reason why a request to the game gave no frame.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There is no connection: the game is closed.
    #[error("no answer: {0}")]
    Unreachable(String),
    /// The answer did not come in time.
    #[error("no answer in time")]
    Timeout,
    /// The HTTP status was not 200.
    #[error("HTTP status {0}")]
    Status(u16),
    /// The game says that it is in no match, with this code.
    #[error("no match is on{}", .0.map_or_else(String::new, |code| format!(" (error {code})")))]
    NoMatch(Option<i32>),
    /// The answer is not a session, or breaks off.
    #[error("the answer can't be used: {0}")]
    Malformed(String),
}

/// The number of faults of each kind.
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
    /// Frames whose bones are missing because of any of these faults.
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
