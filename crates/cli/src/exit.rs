//! How the command ends.

use std::process::ExitCode;

/// The exit codes, mildest first: of several, the last one here counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exit {
    /// 0.
    Fine,
    /// 3: done, but something could not be kept.
    Loss,
    /// 1: problems were found.
    Problems,
    /// 2: wrong usage, or input that can't be read at all.
    Unusable,
    /// 141: whoever read the results went away before all of them were said. What a shell says of a
    /// command that a closed pipe ends.
    Unseen,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::Problems => 1,
            Exit::Unusable => 2,
            Exit::Loss => 3,
            Exit::Unseen => 141,
        })
    }
}
