//! The end of the command: exit codes, and the request to stop.

use std::process::{self, ExitCode};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit codes, mildest first; of several, the worst counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exit {
    /// 0.
    Fine,
    /// 3: finished with loss.
    Loss,
    /// 1: problems were found.
    Problems,
    /// 2: wrong usage, or unreadable input.
    Unusable,
    /// 130: stopped early, after printing the results so far. Shells report the same for Ctrl-C.
    Stopped,
    /// 141: the reader of the results closed the pipe early. Shells report the same for a closed pipe.
    Unseen,
}

impl Exit {
    /// The number of the code.
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

static STOP_ASKED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C, SIGTERM and SIGHUP only ask the command to stop, so that it can print the results so
/// far; a second signal ends it. Without a handler, the system's default applies.
pub fn listen_for_stop() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = ctrlc::set_handler(|| {
            if STOP_ASKED.swap(true, Ordering::Relaxed) {
                end(Exit::Stopped);
            }
        });
    });
}

/// Whether the command was asked to stop.
pub fn is_stop_asked() -> bool {
    STOP_ASKED.load(Ordering::Relaxed)
}

/// Ends the command at once and removes temporary files.
pub fn end(exit: Exit) -> ! {
    gametape::remove_unfinished();
    process::exit(exit.code().into())
}
