//! One game from the first click to the last, recorded while it is played.

use gametape_mines::engine::Status;
use gametape_mines::rmv::{EventLog, WriteError};
use gametape_mines::{
    BoardEvent, Buttons, Cell, Engine, Event, Face, Game, MouseAction, MouseEvent, Outcome, Version,
};

use super::person::{self, Hand};
use super::scenario::{Finish, Habit, Scenario};
use super::solver::{Knowledge, Solver};

/// Events and outcome of a played game.
pub(super) struct Played {
    pub events: EventLog<'static>,
    pub outcome: Outcome,
}

pub(super) fn play(
    scenario: &Scenario,
    game: &Game<'_>,
    first: Cell,
    rng: fastrand::Rng,
    hands: &[Hand],
) -> Result<Played, WriteError> {
    let mut session = Session {
        scenario,
        events: EventLog::empty(scenario.version),
        engine: Engine::of(game),
        solver: Solver::new(game.board.cols, game.board.rows),
        cell_size: i32::from(game.cell_size()),
        rng,
        time_ms: 0,
        at: (0, 0),
        buttons: Buttons::NONE,
        shown: Vec::new(),
        clumsiness: 0,
        hands,
    };
    session.run(first)?;
    Ok(Played {
        events: session.events,
        outcome: session.engine.status().outcome(),
    })
}

/// Lets the bot play on the board of a game, from this first cell, with the moves and clicks of these hands,
/// and returns the events.
///
/// # Errors
/// [`WriteError`] if the format cannot store them.
pub fn play_on(
    scenario: &Scenario,
    game: &Game<'_>,
    first: Cell,
    rng: fastrand::Rng,
    hands: &[Hand],
) -> Result<EventLog<'static>, WriteError> {
    Ok(play(scenario, game, first, rng, hands)?.events)
}

struct Session<'s> {
    scenario: &'s Scenario,
    events: EventLog<'static>,
    engine: Engine,
    solver: Solver,
    /// The size of a cell in pixels.
    cell_size: i32,
    rng: fastrand::Rng,
    time_ms: u32,
    at: (i32, i32),
    buttons: Buttons,
    shown: Vec<BoardEvent>,
    clumsiness: u32,
    /// The hands of people, each for its part of the board; if empty, the bot's own hand is used.
    hands: &'s [Hand],
}

type Done = Result<(), WriteError>;

impl Session<'_> {
    fn run(&mut self, first: Cell) -> Done {
        self.at = self.point_in(first);
        if self.scenario.old_codes && self.scenario.version == Version::V1 {
            self.events.push(Event::Timestamp(0))?;
        }
        // The press of the first click is not recorded.
        self.act(MouseAction::LeftUp)?;
        while self.playing() {
            if self.finish()? {
                return Ok(());
            }
            if self.scenario.clumsy && self.playing() {
                self.be_clumsy()?;
            }
            if self.playing() {
                self.turn()?;
            }
        }
        Ok(())
    }

    fn playing(&self) -> bool {
        self.engine.status() == Status::Playing
    }

    fn open_share(&self) -> f32 {
        self.engine.opened() as f32 / self.engine.field().safe().max(1) as f32
    }

    /// Ends the game as the scenario requires; returns whether it is over.
    fn finish(&mut self) -> Result<bool, WriteError> {
        match self.scenario.finish {
            Finish::Abort(share) if self.open_share() >= share => Ok(true),
            Finish::Loss(share) if self.open_share() >= share => {
                let mine = self.mine().next();
                if let Some(mine) = mine {
                    self.move_to(mine)?;
                    self.click()?;
                }
                Ok(true)
            }
            Finish::ChordLoss => self.lose_by_chord(),
            _ => Ok(false),
        }
    }

    /// Closed cells with a mine and without a flag.
    fn mine(&self) -> impl Iterator<Item = Cell> + '_ {
        let field = self.engine.field();
        field
            .cells()
            .filter(|&cell| field.is_mine(cell) && self.engine.face(cell) == Some(Face::Closed))
    }

    /// Flags a safe cell next to a 1 whose mine has no flag, and chords there.
    fn lose_by_chord(&mut self) -> Result<bool, WriteError> {
        self.solver.look(&self.engine);
        let trap = self.solver.numbers().find_map(|(cell, number)| {
            let closed: Vec<Cell> = self
                .solver
                .around(cell)
                .filter(|&c| self.solver.face(c) == Face::Closed)
                .collect();
            let flags = self
                .solver
                .around(cell)
                .any(|c| self.solver.face(c) == Face::Flag);
            let safe = closed
                .iter()
                .copied()
                .find(|&c| !self.engine.field().is_mine(c))?;
            (number == 1 && closed.len() >= 2 && !flags).then_some((cell, safe))
        });
        let Some((cell, safe)) = trap else {
            return Ok(false);
        };
        self.flag(safe)?;
        self.move_to(cell)?;
        self.chord()?;
        Ok(true)
    }

    /// One step of solving: a chord, a flag, a click, or a guess.
    fn turn(&mut self) -> Done {
        if let Some(hand) = self.hand() {
            self.time_ms += hand.look(&mut self.rng);
        }
        self.solver.look(&self.engine);
        if self.scenario.habit != Habit::NoFlags
            && let Some(cell) = self.best_chord()
        {
            return self.flag_and_chord(cell);
        }
        let here = self.at;
        let nearest = self
            .solver
            .cells(Knowledge::Safe)
            .filter(|&cell| self.solver.face(cell) != Face::Flag)
            .min_by_key(|&cell| distance(here, self.centre(cell)));
        let cell = match nearest {
            Some(cell) => cell,
            None => match self.guess() {
                Some(cell) => cell,
                None => return self.unflag_something(),
            },
        };
        self.move_to(cell)?;
        self.click()
    }

    /// A lucky guess, next to open numbers if possible.
    fn guess(&mut self) -> Option<Cell> {
        let field = self.engine.field();
        let closed: Vec<Cell> = field
            .cells()
            .filter(|&cell| {
                !field.is_mine(cell)
                    && matches!(self.engine.face(cell), Some(Face::Closed | Face::Question))
            })
            .collect();
        let beside: Vec<Cell> = closed
            .iter()
            .copied()
            .filter(|&cell| {
                self.solver
                    .around(cell)
                    .any(|c| matches!(self.solver.face(c), Face::Number(_)))
            })
            .collect();
        let from = if beside.is_empty() { closed } else { beside };
        self.rng.choice(&from).copied()
    }

    /// Removes a wrong flag, when only cells with wrong flags are left.
    fn unflag_something(&mut self) -> Done {
        let field = self.engine.field();
        let wrong = field
            .cells()
            .find(|&cell| self.engine.face(cell) == Some(Face::Flag) && !field.is_mine(cell));
        match wrong {
            Some(cell) => self.flag(cell),
            // There is nothing to do: the game ends as "other".
            None => Ok(()),
        }
    }

    /// A number whose mines are all known and where a chord opens more cells than the flags cost.
    fn best_chord(&self) -> Option<Cell> {
        let here = self.at;
        self.solver
            .numbers()
            .filter(|&(cell, number)| {
                let mut mines = 0;
                let mut flags_to_set = 0;
                let mut to_open = 0;
                for around in self.solver.around(cell) {
                    let face = self.solver.face(around);
                    match self.solver.knows(around) {
                        _ if matches!(face, Face::Number(_)) => {}
                        Knowledge::Mine => {
                            mines += 1;
                            flags_to_set += i32::from(face != Face::Flag);
                        }
                        // A flag on a cell that is not known to be a mine: do not chord here.
                        _ if face == Face::Flag => return false,
                        Knowledge::Safe => to_open += 1,
                        Knowledge::Unknown => return false,
                    }
                }
                mines == number && to_open > flags_to_set
            })
            .map(|(cell, _)| cell)
            .min_by_key(|&cell| distance(here, self.centre(cell)))
    }

    fn flag_and_chord(&mut self, cell: Cell) -> Done {
        let mines: Vec<Cell> = self
            .solver
            .around(cell)
            .filter(|&around| {
                self.solver.knows(around) == Knowledge::Mine
                    && self.engine.face(around) != Some(Face::Flag)
            })
            .collect();
        let last = mines.len().saturating_sub(1);
        for (at, mine) in mines.into_iter().enumerate() {
            // The right button of the last flag may stay down for the chord: a "1.5 click".
            let keep = at == last
                && self.scenario.habit == Habit::Chords
                && self.engine.face(mine) == Some(Face::Closed)
                && self.rng.bool();
            self.move_to(mine)?;
            self.pause();
            self.act(MouseAction::RightDown)?;
            if keep {
                self.move_to(cell)?;
                self.act(MouseAction::LeftDown)?;
                self.pause();
                self.act(MouseAction::LeftUp)?;
                if self.playing() {
                    self.act(MouseAction::RightUp)?;
                }
                return Ok(());
            }
            self.pause();
            self.act(MouseAction::RightUp)?;
            // With marks enabled, the cell may have become a question mark.
            if self.engine.face(mine) == Some(Face::Question) {
                self.flag(mine)?;
                self.flag(mine)?;
            }
        }
        self.move_to(cell)?;
        self.chord()
    }

    fn be_clumsy(&mut self) -> Done {
        self.clumsiness += 1;
        if !self.clumsiness.is_multiple_of(4) {
            return Ok(());
        }
        let closed: Vec<Cell> = self
            .engine
            .field()
            .cells()
            .filter(|&cell| self.engine.face(cell) == Some(Face::Closed))
            .collect();
        let Some(&cell) = self.rng.choice(&closed) else {
            return Ok(());
        };
        match self.rng.u32(0..5) {
            // Sets a flag and removes it; with marks enabled it becomes a question mark in between.
            0 | 1 => {
                self.flag(cell)?;
                self.flag(cell)?;
                if self.scenario.marks {
                    // A press on the question mark that is dragged off the board.
                    self.move_to(cell)?;
                    self.act(MouseAction::LeftDown)?;
                    self.leave_the_board()?;
                    self.act(MouseAction::LeftUp)?;
                    self.flag(cell)?;
                }
                Ok(())
            }
            // A press that is dragged over the board and released outside of it.
            2 => {
                self.move_to(cell)?;
                self.act(MouseAction::LeftDown)?;
                self.leave_the_board()?;
                self.act(MouseAction::LeftUp)
            }
            // A chord that cannot fire.
            3 => {
                self.move_to(cell)?;
                self.chord()
            }
            // A right click on an open cell.
            _ => {
                let open = (self.engine.field().cells())
                    .find(|&cell| matches!(self.engine.face(cell), Some(Face::Number(_))));
                match open {
                    Some(cell) => self.flag(cell),
                    None => Ok(()),
                }
            }
        }
    }

    fn leave_the_board(&mut self) -> Done {
        let y = self.at.1;
        self.glide((-6, y.min(40)))
    }

    fn flag(&mut self, cell: Cell) -> Done {
        self.move_to(cell)?;
        self.pause();
        self.act(MouseAction::RightDown)?;
        self.pause();
        self.act(MouseAction::RightUp)
    }

    fn click(&mut self) -> Done {
        self.pause();
        self.act(MouseAction::LeftDown)?;
        self.pause();
        self.act(MouseAction::LeftUp)
    }

    /// A chord at the cursor, with its buttons in one of their orders.
    fn chord(&mut self) -> Done {
        use MouseAction::{LeftDown, LeftUp, MiddleDown, MiddleUp, RightDown, RightUp};
        let order: &[MouseAction] = if self.scenario.habit == Habit::MiddleButton {
            &[MiddleDown, MiddleUp]
        } else {
            match self.rng.u32(0..4) {
                0 => &[LeftDown, RightDown, LeftUp, RightUp],
                1 => &[LeftDown, RightDown, RightUp, LeftUp],
                // The right button first would flag a closed cell, so it comes first only if the
                // cell is open.
                _ if !self.on_open_cell() => &[LeftDown, RightDown, LeftUp, RightUp],
                2 => &[RightDown, LeftDown, LeftUp, RightUp],
                _ => &[RightDown, LeftDown, RightUp, LeftUp],
            }
        };
        for &action in order {
            if self.playing() {
                self.pause();
                self.act(action)?;
            }
        }
        Ok(())
    }

    fn on_open_cell(&self) -> bool {
        let cell = Cell::new(
            (self.at.0 / self.cell_size) as u8,
            (self.at.1 / self.cell_size) as u8,
        );
        matches!(self.engine.face(cell), Some(Face::Number(_)))
    }

    /// The hand that plays at the moment.
    fn hand(&self) -> Option<Hand> {
        let parts = self.hands.len() as f32;
        let at = (self.open_share() * parts) as usize;
        let last = self.hands.len().checked_sub(1)?;
        self.hands.get(at.min(last)).copied()
    }

    fn pause(&mut self) {
        self.time_ms += match self.hand() {
            Some(hand) => hand.hold(&mut self.rng),
            None => self.rng.u32(15..90),
        };
    }

    fn centre(&self, cell: Cell) -> (i32, i32) {
        let centre = |n: u8| i32::from(n) * self.cell_size + self.cell_size / 2;
        (centre(cell.col), centre(cell.row))
    }

    fn point_in(&mut self, cell: Cell) -> (i32, i32) {
        let (x, y) = self.centre(cell);
        // A real hand is less exact.
        let reach = match self.hands {
            [] => self.cell_size / 4,
            _ => self.cell_size * 7 / 16,
        };
        (
            x + self.rng.i32(-reach..=reach),
            y + self.rng.i32(-reach..=reach),
        )
    }

    fn move_to(&mut self, cell: Cell) -> Done {
        let to = self.point_in(cell);
        self.glide(to)
    }

    fn glide(&mut self, to: (i32, i32)) -> Done {
        let (from, size) = (self.at, f64::from(self.cell_size));
        let samples = match self.hand() {
            Some(hand) => hand.path(from, to, size, &mut self.rng),
            None => person::path(from, to, size, &mut self.rng),
        };
        for sample in samples {
            self.time_ms += sample.after_ms;
            self.at = (sample.x, sample.y);
            self.act(MouseAction::Move)?;
        }
        Ok(())
    }

    /// Makes a mouse action, and records it together with the board events.
    fn act(&mut self, action: MouseAction) -> Done {
        self.buttons = self.buttons.after(action);
        let time_ms = match self.hand() {
            // The phase of this hand's clock may be ahead of the next one's.
            Some(hand) => hand
                .clock
                .show(self.time_ms)
                .max(self.events.last_time_ms()),
            None => self.time_ms,
        };
        let event = MouseEvent {
            action,
            time_ms,
            buttons: self.buttons,
            x: self.at.0,
            y: self.at.1,
            reduced: false,
        };
        self.events.push_shortest(Event::Mouse(event))?;
        self.shown.clear();
        self.engine.apply(&event, &mut self.shown);
        for &(mut board) in &self.shown {
            if self.scenario.old_codes && board.face == Face::Blast {
                board.face = Face::Open;
            }
            self.events.push(Event::Board(board))?;
        }
        Ok(())
    }
}

fn distance(a: (i32, i32), b: (i32, i32)) -> i32 {
    (a.0 - b.0).pow(2) + (a.1 - b.1).pow(2)
}
