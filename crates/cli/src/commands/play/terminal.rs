//! The terminal: taken over, and restored on every way out.

use std::io::{self, BufWriter, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::style::force_color_output;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

/// Whether the terminal is taken over.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether a signal asked the player to end.
static OVER: AtomicBool = AtomicBool::new(false);
/// The panic message of a thread that does not own the terminal.
static PANIC: Mutex<Option<String>> = Mutex::new(None);
/// The thread that owns the terminal.
static OWNER: OnceLock<ThreadId> = OnceLock::new();

/// The terminal while the player owns it.
pub struct Screen {
    pub terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
}

impl Screen {
    /// Takes the terminal over. From now on a panic or a signal restores it.
    pub fn enter() -> io::Result<Self> {
        // A whole frame fits into the buffer.
        const FRAME: usize = 64 << 10;
        handle_signals_and_panics();
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        let out = BufWriter::with_capacity(FRAME, io::stdout());
        let entered = execute!(io::stdout(), EnterAlternateScreen, Hide);
        let terminal = entered.and_then(|()| Terminal::new(CrosstermBackend::new(out)));
        // `Paint` decides about colours.
        force_color_output(true);
        match terminal {
            Ok(terminal) => Ok(Self { terminal }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal. If it is gone, there is nobody to tell.
fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = disable_raw_mode();
        let mut out = io::stdout();
        let _ = execute!(out, LeaveAlternateScreen, Show);
        let _ = out.flush();
    }
}

/// True after SIGINT, SIGTERM or SIGHUP.
pub fn is_over() -> bool {
    OVER.load(Ordering::SeqCst)
}

/// The panic message of another thread.
pub fn panicked() -> Option<String> {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Handles signals and panics, once per process.
fn handle_signals_and_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = OWNER.set(thread::current().id());
        // Without a handler, the system's default applies.
        let _ = ctrlc::set_handler(|| {
            OVER.store(true, Ordering::SeqCst);
            // The player ends by itself, unless the terminal blocks.
            thread::sleep(Duration::from_secs(2));
            restore();
            std::process::exit(130);
        });
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !TAKEN.load(Ordering::SeqCst) {
                usual(panic);
            } else if OWNER.get() == Some(&thread::current().id()) {
                restore();
                usual(panic);
            } else {
                // The player has to end before anything is printed.
                let mut message = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
                *message = Some(panic.to_string());
            }
        }));
    });
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Read;

    use pty_process::Size;
    use pty_process::blocking::{Command, open};

    use super::*;

    /// Not a test: the test below runs it on a terminal of its own.
    #[test]
    #[ignore = "panics"]
    fn panics() {
        let mut screen = Screen::enter().unwrap();
        screen
            .terminal
            .draw(|frame| frame.render_widget("show", frame.area()))
            .unwrap();
        panic!("in the middle of it");
    }

    /// Not a test either.
    #[test]
    #[ignore = "panics"]
    fn another_panics() {
        let screen = Screen::enter().unwrap();
        let other = thread::spawn(|| panic!("beside it"));
        assert!(other.join().is_err());
        let told = panicked().expect("it is known");
        drop(screen);
        println!("told: {told}");
    }

    /// The output of one of them on a terminal.
    fn written(test: &str) -> String {
        let (mut pty, pts) = open().unwrap();
        pty.resize(Size::new(24, 80)).unwrap();
        let name = format!("commands::play::terminal::tests::{test}");
        let mut test = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &name, "--ignored", "--nocapture"])
            .spawn(pts)
            .unwrap();
        let (mut all, mut piece) = (Vec::new(), [0; 4096]);
        // At the end of the process a terminal's reads fail.
        while let Ok(count @ 1..) = pty.read(&mut piece) {
            all.extend_from_slice(&piece[..count]);
        }
        test.wait().unwrap();
        String::from_utf8(all).unwrap()
    }

    #[test]
    fn a_panic_restores_the_terminal_before_it_is_printed() {
        let all = written("panics");
        let (before, after) = all.split_once("\x1b[?1049l\x1b[?25h").unwrap();
        assert!(before.contains("show"), "{all:?}");
        assert!(!before.contains("in the middle of it"), "{all:?}");
        assert!(after.contains("in the middle of it"), "{all:?}");
        assert!(!after.contains("\x1b[?1049"), "once is enough: {all:?}");
    }

    #[test]
    fn a_panic_of_another_thread_is_told_after_the_terminal_is_restored() {
        let all = written("another_panics");
        let (before, after) = all.split_once("\x1b[?1049l\x1b[?25h").unwrap();
        assert!(!before.contains("beside it"), "{all:?}");
        assert!(
            after.contains("told: ") && after.contains("beside it"),
            "{all:?}"
        );
    }
}
