//! A wish to stop while results are held back: they are told before the command ends.

use std::process;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::Exit;

static ASKED: AtomicBool = AtomicBool::new(false);

/// From here on Ctrl-C, SIGTERM and SIGHUP do not end the command at once, but a second one does. Where they
/// can't be heard, the system does what it does.
pub fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = ctrlc::set_handler(|| {
            if ASKED.swap(true, Ordering::Relaxed) {
                end(Exit::Stopped);
            }
        });
    });
}

/// Whether it is wanted.
pub fn is_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Ends the command, whatever is still worked on; no temporary file is left behind.
pub fn end(exit: Exit) -> ! {
    gametape::remove_unfinished();
    process::exit(exit.code().into())
}
