//! `gametape play` on a terminal.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use snapbox::cmd::cargo_bin;

use crate::common::refused;

/// Nothing takes that long.
const LONG: Duration = Duration::from_mins(1);

/// A shell on a terminal that runs the command, and then says how the terminal is.
struct Terminal {
    pty: Arc<Pty>,
    shell: Child,
    bytes: Receiver<Vec<u8>>,
    all: Vec<u8>,
    screen: vt100::Parser,
}

impl Terminal {
    fn play(folder: &Path, args: &[&str], env: &[(&str, &str)]) -> Self {
        const SCRIPT: &str = r#""$0" play "$@"; echo "exit $?"; stty -a"#;
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(24, 80)).unwrap();
        let mut command = Command::new("sh")
            .args(["-c", SCRIPT])
            .arg(cargo_bin("gametape"))
            .args(args)
            .current_dir(folder)
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR");
        for (name, value) in env {
            command = command.env(name, value);
        }
        let shell = command.spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let (tell, bytes) = mpsc::channel();
        let reading = Arc::clone(&pty);
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            // At the end of the shell a terminal's reads fail.
            while let Ok(count @ 1..) = (&*reading).read(&mut piece) {
                if tell.send(piece[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            pty,
            shell,
            bytes,
            all: Vec::new(),
            screen: vt100::Parser::default(),
        }
    }

    fn contents(&self) -> String {
        self.screen.screen().contents()
    }

    /// Waits until this is on the screen.
    fn wait(&mut self, for_what: &str) {
        let until = Instant::now() + LONG;
        while !self.contents().contains(for_what) {
            let left = until.saturating_duration_since(Instant::now());
            match self.bytes.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => {
                    panic!("no {for_what:?} on the screen:\n{}", self.contents())
                }
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        self.all.extend_from_slice(bytes);
    }

    fn press(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    /// The command's own process.
    fn pid(&self) -> String {
        let shell = self.shell.id();
        let children = format!("/proc/{shell}/task/{shell}/children");
        let children = std::fs::read_to_string(children).unwrap();
        children.split_whitespace().next().unwrap().to_owned()
    }

    /// Waits for the end and checks that the terminal is restored. Returns the output after that.
    fn restored(mut self, exit: i32) -> String {
        loop {
            match self.bytes.recv_timeout(LONG) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it goes on:\n{}", self.contents()),
            }
        }
        self.shell.wait().unwrap();
        let screen = self.screen.screen();
        assert!(!screen.alternate_screen());
        assert!(!screen.hide_cursor());
        let all = String::from_utf8(self.all.clone()).unwrap();
        let (shown, after) = all
            .rsplit_once("\x1b[?1049l")
            .expect("it leaves the screen");
        assert!(shown.contains("\x1b[?1049h"), "it has a screen of its own");
        assert!(
            after.starts_with("\x1b[?25h"),
            "the cursor is back: {after:?}"
        );
        assert!(after.contains(&format!("exit {exit}\r\n")), "{after:?}");
        let modes: VecDeque<&str> = after.split([' ', ';', '\r', '\n']).collect();
        for mode in ["icanon", "echo", "isig", "icrnl", "opost"] {
            assert!(modes.contains(&mode), "{mode} is on again: {after:?}");
        }
        after.to_owned()
    }
}

fn game(folder: &Path) {
    std::fs::write(folder.join("game.rmv"), gametape_samples::mines::example()).unwrap();
}

#[test]
fn it_shows_the_board_seeks_resizes_and_leaves_the_terminal_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    game(folder.path());
    let mut terminal = Terminal::play(folder.path(), &["game.rmv"], &[]);
    terminal.wait("game.rmv  rmv v2");
    terminal.wait("■ closed");
    terminal.wait("|| 1x  0.000 s");
    terminal.press("g1.5\r");
    terminal.wait("|| 1x  1.4");
    terminal.press("gsoon\r");
    terminal.wait("\"soon\": a moment is a time such as");
    terminal.press("0");
    terminal.wait("step 0");
    terminal.press(".");
    terminal.wait("step 1");
    terminal.press("\x1b[F");
    terminal.wait("2.472 s  step 273");
    terminal.pty.resize(Size::new(40, 120)).unwrap();
    terminal
        .screen
        .screen_mut()
        .set_size(NonZero::new(40).unwrap(), NonZero::new(120).unwrap());
    // The last line is where the last line is.
    let keys = |terminal: &Terminal| {
        let rows: Vec<String> = terminal.screen.screen().rows(0, 120).collect();
        rows[39].starts_with("space play") && rows[0].contains("step 273")
    };
    let until = Instant::now() + LONG;
    while !keys(&terminal) {
        assert!(Instant::now() < until, "{}", terminal.contents());
        if let Ok(bytes) = terminal.bytes.recv_timeout(Duration::from_millis(100)) {
            terminal.take(&bytes);
        }
    }
    terminal.press("7");
    terminal.wait("player_name");
    terminal.press("q");
    terminal.restored(0);
}

#[test]
fn it_plays() {
    let folder = tempfile::tempdir().unwrap();
    game(folder.path());
    let args = ["game.rmv", "--at", "1", "--view", "cursor"];
    let mut terminal = Terminal::play(folder.path(), &args, &[]);
    terminal.wait("|| 1x  0.9");
    terminal.press(" ");
    terminal.wait("> 1x  ");
    terminal.press("++");
    terminal.wait("> 4x  ");
    // To the end, where it stands.
    terminal.wait("|| 4x  2.472 s");
    // As ctrl-c is typed.
    terminal.press("\x03");
    terminal.restored(0);
}

#[test]
fn signals_end_it_and_the_terminal_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    game(folder.path());
    for signal in ["-TERM", "-HUP", "-INT"] {
        let mut terminal = Terminal::play(folder.path(), &["game.rmv"], &[]);
        terminal.wait("■ closed");
        terminal.press(" ");
        terminal.wait("> 1x");
        let kill = std::process::Command::new("kill")
            .args([signal, &terminal.pid()])
            .status();
        assert!(kill.unwrap().success());
        terminal.restored(130);
    }
}

#[test]
fn without_colours_none_are_written() {
    let folder = tempfile::tempdir().unwrap();
    game(folder.path());
    for (env, coloured) in [(("NO_COLOR", "1"), false), (("LANG", "C"), true)] {
        let mut terminal = Terminal::play(folder.path(), &["game.rmv"], &[env]);
        terminal.wait("■ closed");
        terminal.press("q");
        while let Ok(bytes) = terminal.bytes.recv_timeout(LONG) {
            terminal.take(&bytes);
        }
        let all = String::from_utf8(terminal.all).unwrap();
        assert_eq!(all.contains("\x1b[38;5;"), coloured, "{env:?}");
    }
}

#[test]
fn a_recording_that_is_piped_leaves_the_keys_to_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    game(folder.path());
    let (pty, pts) = open().unwrap();
    pty.resize(Size::new(24, 80)).unwrap();
    let mut shell = Command::new("sh")
        .args(["-c", r#""$0" play - < game.rmv; echo "exit $?""#])
        .arg(cargo_bin("gametape"))
        .current_dir(folder.path())
        .spawn(pts)
        .unwrap();
    let (mut screen, mut piece) = (vt100::Parser::default(), [0; 4096]);
    let mut pressed = false;
    while let Ok(count @ 1..) = (&pty).read(&mut piece) {
        screen.process(&piece[..count]);
        if !pressed && screen.screen().contents().contains("■ closed") {
            (&pty).write_all(b"q").unwrap();
            pressed = true;
        }
    }
    shell.wait().unwrap();
    assert!(screen.screen().contents().contains("exit 0"));
}

#[test]
fn a_recording_that_cannot_be_shown_is_refused_with_a_message() {
    let folder = tempfile::tempdir().unwrap();
    game(folder.path());
    refused(
        folder.path(),
        "play game.rmv",
        "play draws on a terminal; standard output is not one",
    );
    refused(
        folder.path(),
        "play --json game.rmv",
        "play draws on a terminal and has no JSON; use dump",
    );
    let bytes = gametape_samples::mines::example();
    std::fs::write(folder.path().join("start.rmv"), &bytes[..40]).unwrap();
    for (args, sentence) in [
        (["start.rmv", "--at", "0"], "gametape: start.rmv: "),
        (["none.rmv", "--at", "0"], "gametape: none.rmv: "),
        (
            ["game.rmv", "--view", "bord"],
            "there is no view \"bord\"; there are board, map",
        ),
    ] {
        let terminal = Terminal::play(folder.path(), &args, &[("NO_COLOR", "1")]);
        let after = terminal.restored(2);
        assert!(after.contains(sentence), "{after:?}");
    }
}
