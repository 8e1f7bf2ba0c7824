//! Recordings made event by event, as somebody would forge them.
#![allow(dead_code)] // Each test file takes what it needs.

use gametape_mines::rmv::{self, EventLog, Findings};
use gametape_mines::{
    Board, BoardEvent, Buttons, Cell, Ending, Engine, Event, Face, Game, Minefield, Mode,
    MouseAction, MouseEvent, Outcome, Replayed, Version, property, replay,
};
use gametape_samples::mines::{record, scenarios};

/// The game with this name and seed.
pub fn game(name: &str, seed: u64) -> Game<'static> {
    let scenario = scenarios().into_iter().find(|s| s.name == name).unwrap();
    record(&scenario, seed).unwrap()
}

/// The same game with other events.
pub fn rewritten(game: &Game<'_>, events: impl IntoIterator<Item = Event>) -> Game<'static> {
    let mut game = game.clone().into_owned();
    game.events = EventLog::empty(game.version());
    for event in events {
        game.events.push_shortest(event).unwrap();
    }
    game
}

pub fn codes(findings: &Findings) -> Vec<&'static str> {
    findings.iter().map(rmv::Finding::code).collect()
}

/// A recording on a picture of a board: `*` mine, `.` safe, one square a character.
///
/// Board events are written as the specification's name with column and row: `open_210`.
pub struct Recording {
    game: Game<'static>,
    engine: Engine,
    buttons: Buttons,
    time_ms: u32,
}

impl Recording {
    pub fn new(picture: &[&str]) -> Self {
        let mines = picture.iter().enumerate().flat_map(|(row, line)| {
            line.bytes()
                .enumerate()
                .filter(|(_, square)| *square == b'*')
                .map(move |(col, _)| Cell::new(col as u8, row as u8))
        });
        let board = Board::new(picture[0].len() as u32, picture.len() as u32, mines, 0).unwrap();
        let engine = Engine::new(Minefield::new(&board), 16, false);
        let mut game = Game::new(Version::V2, board);
        let bbbv = gametape_mines::metrics::bbbv(engine.field());
        game.properties.to_mut()[property::BBBV_LOW] = bbbv as u8;
        Self {
            game,
            engine,
            buttons: Buttons::LEFT,
            time_ms: 0,
        }
    }

    /// Turns question marks on; before the first event.
    pub fn marks(&mut self) -> &mut Self {
        self.game.properties.to_mut()[property::MARKS] = 1;
        self.engine = Engine::of(&self.game);
        self
    }

    /// Another game mode; before the first event.
    pub fn mode(&mut self, mode: Mode) -> &mut Self {
        self.game.properties.to_mut()[property::MODE] = mode.code();
        self
    }

    fn mouse(&mut self, action: MouseAction, col: i32, row: i32) -> MouseEvent {
        self.buttons = self.buttons.after(action);
        let event = MouseEvent {
            action,
            time_ms: self.time_ms,
            buttons: self.buttons,
            x: col * 16 + 5,
            y: row * 16 + 5,
            reduced: false,
        };
        self.time_ms += 40;
        self.game.events.push_shortest(Event::Mouse(event)).unwrap();
        event
    }

    /// Plays by the rules.
    pub fn plays(&mut self, action: MouseAction, col: i32, row: i32) -> &mut Self {
        let event = self.mouse(action, col, row);
        let mut shown = Vec::new();
        self.engine.apply(&event, &mut shown);
        for event in shown {
            self.game.events.push(Event::Board(event)).unwrap();
        }
        self
    }

    /// What the rules would give.
    pub fn gives(&mut self, action: MouseAction, col: i32, row: i32) -> String {
        let event = self.mouse(action, col, row);
        let mut shown = Vec::new();
        self.engine.apply(&event, &mut shown);
        let text = |e: &BoardEvent| format!("{}{}{}", e.face.name(), e.cell.col, e.cell.row);
        shown.iter().map(text).collect::<Vec<_>>().join(" ")
    }

    /// A mouse event, and what the recording says of it.
    pub fn says(&mut self, action: MouseAction, col: i32, row: i32, board: &str) -> &mut Self {
        let event = self.mouse(action, col, row);
        self.engine.apply(&event, &mut Vec::new());
        for event in board.split_whitespace().map(board_event) {
            self.game.events.push(Event::Board(event)).unwrap();
        }
        self
    }

    pub fn game(&self, outcome: Outcome) -> Game<'static> {
        let mut game = self.game.clone();
        game.ending = Some(Ending {
            outcome,
            time_ms: game.events.last_time_ms(),
        });
        game
    }

    pub fn ended(&self, outcome: Outcome) -> (Findings, Replayed) {
        let game = self.game(outcome);
        let bytes = rmv::write(&game).unwrap();
        (rmv::audit(&bytes).findings, replay(&game))
    }

    /// The game is left here.
    pub fn left(&self) -> (Findings, Replayed) {
        self.ended(Outcome::Other)
    }
}

fn board_event(text: &str) -> BoardEvent {
    let (name, cell) = text.split_at(text.len() - 2);
    let at = |n: usize| cell.as_bytes()[n] - b'0';
    BoardEvent {
        cell: Cell::new(at(0), at(1)),
        face: (9..=27)
            .filter_map(Face::from_code)
            .find(|face| face.name() == name)
            .unwrap(),
    }
}
