//! Tests of the player without a terminal: its keys, its requests, and its screen.

#![allow(clippy::needless_raw_string_hashes)] // The test tool writes them when it updates.

mod drawn;
mod made;
mod recordings;
mod show;

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use gametape::{Recording, Secrets};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::draw::{self, paint::Paint};
use super::messages::Inbox;
use super::messages::Update;
use super::player::Player;
use super::player::actions::{Action, Then};
use super::reader;

/// A timeout that is never reached.
const LONG: Duration = Duration::from_mins(2);

/// A player with a recording that is read as the command reads it.
struct TestStage {
    player: Player,
    inbox: Arc<Inbox>,
    updates: mpsc::Receiver<Update>,
}

impl TestStage {
    /// Opens a recording and waits for all markers; an error says why it can't be shown.
    fn open(bytes: Vec<u8>, name: &'static str) -> Result<Self, String> {
        let (tell, updates) = mpsc::channel();
        let inbox = Arc::new(Inbox::default());
        let reading = Arc::clone(&inbox);
        std::thread::spawn(move || {
            let open = || Recording::from_bytes(bytes, name);
            reader::serve(open, None, Secrets::Hide, &reading, &tell);
        });
        let player = match updates.recv().unwrap() {
            Update::Opened(opened) => Player::new(*opened, Secrets::Hide),
            Update::Failed(error) => return Err(error.to_string()),
            Update::Nothing(sentence) => return Err(sentence),
            _ => panic!("it is not open yet"),
        };
        let mut stage = Self {
            player,
            inbox,
            updates,
        };
        stage.settle();
        while !stage.player.searched {
            let update = stage.updates.recv_timeout(LONG).unwrap();
            stage.receive(update);
        }
        Ok(stage)
    }

    fn receive(&mut self, update: Update) -> Option<u64> {
        match update {
            Update::Response(response) => {
                let number = response.number;
                self.player.show(*response);
                return Some(number);
            }
            Update::Refused(number, why) => {
                self.player.refuse(number, why);
                return Some(number);
            }
            Update::Findings(marks) => {
                self.player.mark(marks);
                self.player.searched = true;
            }
            Update::Marks(marks) => self.player.mark(marks),
            Update::Bounds(table, bounds) => self.player.bound(&table, &bounds),
            Update::Damage(damage) => self.player.damage = Some(damage),
            Update::Events(table, rows) => {
                self.player.whole.insert(table, rows);
            }
            Update::Opened(_) | Update::Failed(_) | Update::Nothing(_) => panic!("it is open"),
        }
        None
    }

    /// Answers requests until there are none.
    fn settle(&mut self) {
        while let Some(request) = self.player.request() {
            let number = request.number;
            self.inbox.request(request);
            loop {
                let update = self.updates.recv_timeout(LONG).unwrap();
                if self.receive(update) == Some(number) {
                    break;
                }
            }
        }
    }

    fn act(&mut self, act: Action) {
        assert_eq!(self.player.act(act), Then::On);
        self.settle();
    }

    /// Types a moment.
    fn go(&mut self, moment: &str) {
        self.act(Action::Ask);
        moment
            .chars()
            .for_each(|letter| self.act(Action::Letter(letter)));
        self.act(Action::Enter);
    }

    fn see(&mut self, view: &str) {
        assert!(self.player.choose(view), "{view}");
        self.settle();
    }

    fn screen(&self, width: u16, height: u16) -> String {
        screen(&self.player, Paint::None, width, height).0
    }
}

/// The text of the screen, and the number of coloured cells.
fn screen(player: &Player, paint: Paint, width: u16, height: u16) -> (String, usize) {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| draw::draw(frame, paint, player))
        .unwrap();
    let buffer = terminal.backend().buffer();
    let lines = (0..height).map(|y| {
        let line: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
        line.trim_end().to_owned()
    });
    let reset = ratatui::style::Color::Reset;
    let coloured = buffer.content().iter();
    let coloured = coloured.filter(|cell| cell.fg != reset || cell.bg != reset);
    let text: Vec<String> = lines.collect();
    (text.join("\n") + "\n", coloured.count())
}
