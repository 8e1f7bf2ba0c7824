//! Builds recordings event by event, as a forger might.

use gametape_mines::rmv::Findings;
use gametape_mines::{
    Board, BoardEvent, Buttons, Cell, Ending, Engine, Event, Face, Game, Minefield, Mode,
    MouseAction, MouseEvent, Outcome, Replayed, Version, property, replay,
};

use super::findings;

/// The time at which the boards were generated, in 2023.
const GENERATED: u32 = 1_700_000_000;

/// The board in a picture: `*` is a mine, `.` a safe cell, one character per cell.
pub fn board(picture: &[&str]) -> Board<'static> {
    let mines = picture.iter().enumerate().flat_map(|(row, line)| {
        let cells = line.bytes().enumerate();
        let mines = cells.filter(|(_, cell)| *cell == b'*');
        mines.map(move |(col, _)| Cell::new(col as u8, row as u8))
    });
    Board::new(
        picture[0].len() as u32,
        picture.len() as u32,
        mines,
        GENERATED,
    )
    .unwrap()
}

/// A mouse event in the middle of a cell.
pub fn mouse(
    action: MouseAction,
    time_ms: u32,
    buttons: Buttons,
    col: i32,
    row: i32,
) -> MouseEvent {
    MouseEvent {
        action,
        time_ms,
        buttons,
        x: col * 16 + 5,
        y: row * 16 + 5,
        reduced: false,
    }
}

/// A game of a program that sees other events than it records: the recording has every action, but
/// its board follows an engine that gets what `seen` makes of each event.
pub fn recorded(
    board: &Board<'static>,
    marks: bool,
    deeds: &[(MouseAction, i32, i32)],
    mut seen: impl FnMut(&Engine, MouseEvent) -> MouseEvent,
) -> Game<'static> {
    recorded_by(board, marks, deeds, |engine, event, shown| {
        let event = seen(engine, event);
        engine.apply(&event, shown);
    })
}

/// A game of a program with rules of its own: `act` plays each event on the engine and appends the
/// board events that the program shows.
pub fn recorded_by(
    board: &Board<'static>,
    marks: bool,
    deeds: &[(MouseAction, i32, i32)],
    mut act: impl FnMut(&mut Engine, MouseEvent, &mut Vec<BoardEvent>),
) -> Game<'static> {
    let mut game = Game::new(Version::V2, board.clone());
    game.properties.to_mut()[property::MARKS] = u8::from(marks);
    let mut engine = Engine::of(&game);
    let mut buttons = Buttons::LEFT;
    for (time_ms, &(action, col, row)) in (0..).zip(deeds) {
        buttons = buttons.after(action);
        let event = mouse(action, time_ms, buttons, col, row);
        if engine.is_over() {
            break;
        }
        game.events.push_shortest(Event::Mouse(event)).unwrap();
        let mut shown = Vec::new();
        act(&mut engine, event, &mut shown);
        for event in shown {
            game.events.push(Event::Board(event)).unwrap();
        }
    }
    game.ending = Some(Ending {
        outcome: engine.status().outcome(),
        time_ms: game.events.last_time_ms(),
    });
    game
}

/// Board events as the specification's name with column and row: `open_210 flag00`.
pub fn text(events: &[BoardEvent]) -> String {
    let text = |e: &BoardEvent| format!("{}{}{}", e.face.name(), e.cell.col, e.cell.row);
    events.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// A recording on the picture of a [`board`]. Board events are given in the notation of [`text`].
pub struct Recording {
    game: Game<'static>,
    engine: Engine,
    buttons: Buttons,
    time_ms: u32,
    /// The cell of the last event.
    at: Option<(i32, i32)>,
    /// Whether buttons are pressed and released without a move to their cell first.
    jumps: bool,
}

impl Recording {
    pub fn new(picture: &[&str]) -> Self {
        let board = board(picture);
        let engine = Engine::new(Minefield::new(&board), 16, false);
        let mut game = Game::new(Version::V2, board);
        let bbbv = gametape_mines::metrics::bbbv(engine.field());
        game.properties.to_mut()[property::BBBV_LOW] = bbbv as u8;
        Self {
            game,
            engine,
            buttons: Buttons::LEFT,
            time_ms: 0,
            at: None,
            jumps: false,
        }
    }

    /// Enables question marks. Call it before the first event.
    pub fn marks(&mut self) -> &mut Self {
        self.game.properties.to_mut()[property::MARKS] = 1;
        self.engine = Engine::of(&self.game);
        self
    }

    /// Sets flags before the game. Call it before the first event.
    pub fn preflags(&mut self, cells: impl IntoIterator<Item = Cell>) -> &mut Self {
        self.game.preflags = Some(cells.into_iter().collect());
        self.engine = Engine::of(&self.game);
        self
    }

    /// Sets the game mode. Call it before the first event.
    pub fn mode(&mut self, mode: Mode) -> &mut Self {
        self.game.properties.to_mut()[property::MODE] = mode.code();
        self
    }

    /// From here on, buttons are pressed and released without a move to their cell.
    pub fn jumps(&mut self) -> &mut Self {
        self.jumps = true;
        self
    }

    fn mouse(&mut self, action: MouseAction, col: i32, row: i32) -> MouseEvent {
        let before = self.at.replace((col, row));
        let moves = before.is_some_and(|before| before != (col, row));
        if moves && action != MouseAction::Move && !self.jumps {
            let there = mouse(MouseAction::Move, self.time_ms, self.buttons, col, row);
            self.game.events.push_shortest(Event::Mouse(there)).unwrap();
            self.follows(&there);
        }
        self.buttons = self.buttons.after(action);
        let event = mouse(action, self.time_ms, self.buttons, col, row);
        self.time_ms += 40;
        self.game.events.push_shortest(Event::Mouse(event)).unwrap();
        event
    }

    /// Records a mouse event and the board events by the rules.
    pub fn plays(&mut self, action: MouseAction, col: i32, row: i32) -> &mut Self {
        let event = self.mouse(action, col, row);
        self.follows(&event);
        self
    }

    /// Records the board events that the rules give.
    fn follows(&mut self, event: &MouseEvent) {
        let mut shown = Vec::new();
        self.engine.apply(event, &mut shown);
        for event in shown {
            self.game.events.push(Event::Board(event)).unwrap();
        }
    }

    /// Clicks with the left button, by the rules.
    pub fn clicks(&mut self, col: i32, row: i32) -> &mut Self {
        let [down, up] = [MouseAction::LeftDown, MouseAction::LeftUp];
        self.plays(down, col, row).plays(up, col, row)
    }

    /// Clicks with the right button, by the rules: sets a flag, or changes it to the next mark.
    pub fn flags(&mut self, col: i32, row: i32) -> &mut Self {
        let [down, up] = [MouseAction::RightDown, MouseAction::RightUp];
        self.plays(down, col, row).plays(up, col, row)
    }

    /// The board events that the rules would give.
    pub fn gives(&mut self, action: MouseAction, col: i32, row: i32) -> String {
        let event = self.mouse(action, col, row);
        let mut shown = Vec::new();
        self.engine.apply(&event, &mut shown);
        text(&shown)
    }

    /// Records a mouse event and the given board events.
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
        (findings(&game), replay(&game))
    }

    /// Ends the game here, as left by the player.
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
