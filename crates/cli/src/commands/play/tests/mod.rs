//! The show without a terminal: what keys do, what is read, what is seen.

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

use super::desk::Desk;
use super::draw::{self, paint::Paint};
use super::news::News;
use super::player::{Act, Player, Then};
use super::worker;

/// Nothing takes that long.
const LONG: Duration = Duration::from_mins(2);

/// A show of a recording, read as the command reads it.
struct Stage {
    player: Player,
    desk: Arc<Desk>,
    news: mpsc::Receiver<News>,
}

impl Stage {
    /// Opened, and all that is looked for in it found; else why it can't be shown.
    fn open(bytes: Vec<u8>, name: &'static str) -> Result<Self, String> {
        let (tell, news) = mpsc::channel();
        let desk = Arc::new(Desk::default());
        let reading = Arc::clone(&desk);
        std::thread::spawn(move || {
            let open = || Recording::from_bytes(bytes, name);
            worker::serve(open, Secrets::Hide, &reading, &tell);
        });
        let player = match news.recv().unwrap() {
            News::Opened(opened) => Player::new(*opened, Secrets::Hide),
            News::Failed(error) => return Err(error.to_string()),
            News::Nothing(sentence) => return Err(sentence),
            _ => panic!("it is not open yet"),
        };
        let mut stage = Self { player, desk, news };
        stage.settle();
        while !stage.player.searched {
            let told = stage.news.recv_timeout(LONG).unwrap();
            stage.hear(told);
        }
        Ok(stage)
    }

    fn hear(&mut self, told: News) -> Option<u64> {
        match told {
            News::Shot(shot) => {
                let number = shot.number;
                self.player.show(*shot);
                return Some(number);
            }
            News::Refused(number, why) => {
                self.player.refuse(number, why);
                return Some(number);
            }
            News::Findings(marks) => {
                self.player.mark(marks);
                self.player.searched = true;
            }
            News::Marks(marks) => self.player.mark(marks),
            News::Bounds(table, bounds) => self.player.bound(&table, &bounds),
            News::Damage(damage) => self.player.damage = Some(damage),
            News::Events(table, rows) => {
                self.player.whole.insert(table, rows);
            }
            News::Opened(_) | News::Failed(_) | News::Nothing(_) => panic!("it is open"),
        }
        None
    }

    /// Reads until nothing more is wished for.
    fn settle(&mut self) {
        while let Some(wish) = self.player.wish() {
            let number = wish.number;
            self.desk.wish(wish);
            loop {
                let told = self.news.recv_timeout(LONG).unwrap();
                if self.hear(told) == Some(number) {
                    break;
                }
            }
        }
    }

    fn act(&mut self, act: Act) {
        assert_eq!(self.player.act(act), Then::On);
        self.settle();
    }

    /// Types a moment.
    fn go(&mut self, moment: &str) {
        self.act(Act::Ask);
        moment
            .chars()
            .for_each(|letter| self.act(Act::Letter(letter)));
        self.act(Act::Enter);
    }

    fn see(&mut self, view: &str) {
        assert!(self.player.choose(view), "{view}");
        self.settle();
    }

    fn screen(&self, width: u16, height: u16) -> String {
        screen(&self.player, Paint::None, width, height).0
    }
}

/// What is on the screen: its text, and how many cells have a colour.
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
