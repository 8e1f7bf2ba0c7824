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
    /// 130: it was stopped before all was done, and has said what was found until then. What a shell says of a
    /// command that Ctrl-C ends.
    Stopped,
    /// 141: whoever read the results went away before all of them were said. What a shell says of a
    /// command that a closed pipe ends.
    Unseen,
}

impl Exit {
    /// Its number.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Problems => 1,
            Self::Unusable => 2,
            Self::Loss => 3,
            Self::Stopped => 130,
            Self::Unseen => 141,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}
