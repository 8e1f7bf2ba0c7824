//! A second, independent simulator of Minesweeper as ViennaSweeper plays it.
//!
//! It was written from formats/rmv.md ("The engine", laws A to D) and from real files, and its author did not
//! read the engine of `gametape-mines`. So each of the two can judge the other. It favours the simplest code
//! over speed.
//!
//! ```
//! use gametape_mines::{Board, Buttons, Cell, MouseAction, MouseEvent};
//! use gametape_testkit::mines::simulator::Simulator;
//!
//! let board = Board::new(2, 1, [Cell::new(1, 0)], 0)?;
//! let mut simulator = Simulator::new(&board, 16, []);
//! let release = MouseEvent {
//!     action: MouseAction::LeftUp,
//!     time_ms: 0,
//!     buttons: Buttons::NONE,
//!     x: 8,
//!     y: 8,
//!     reduced: false,
//! };
//! let shown: Vec<u8> = simulator.step(&release).iter().map(|event| event.face.code()).collect();
//! assert_eq!(shown, [9, 19], "the cell is pressed, then shows a 1");
//! assert!(simulator.is_won());
//! # Ok::<(), gametape_mines::rmv::WriteError>(())
//! ```

use gametape_mines::{
    Board, BoardEvent, Cell, Cells, Event, Face, Game, MouseAction, MouseEvent, Outcome,
};

use super::mouse_of;

/// How often the player clicked. A click counts when it is complete.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Clicks {
    /// Releases of the left button on the board that ended no chord and followed none.
    pub left: u32,
    /// Presses of the right button that set or removed a flag, and those that did nothing: a press that did
    /// nothing counts when it is released on the board without a chord.
    pub right: u32,
    /// Chords, whether they opened anything or not. A chord counts on the release that ends it.
    pub double: u32,
    /// Clicks that changed the board.
    pub effective: u32,
}

/// What the buttons press.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grip {
    /// Nothing: no button is down, or only the right one, or the left one is what remains of a chord.
    Nothing,
    /// The left button presses the cell under the cursor.
    Single,
    /// Both buttons press the cell under the cursor and its neighbours.
    Chord,
}

/// The right button.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Right {
    Up,
    /// Down, and it has done nothing so far.
    Idle,
    /// Down, and it has changed a flag or was part of a chord.
    Used,
}

/// A game in progress, driven by mouse events.
///
/// Callers must not ask about events whose effect is unknown; see [`is_open_question`](Self::is_open_question).
/// Question marks and the modes of the game are unknown altogether: only the normal mode without question
/// marks is simulated.
///
/// Three rules were chosen here because neither the document nor a known file decides them:
///
/// - A chord with the cursor beside the board presses nothing, not even the cells at the edge.
/// - The game stops at the mine that a chord opens: the cells that were to follow stay as they are.
/// - A chord that ends beside the board counts as one.
#[derive(Clone, Debug)]
pub struct Simulator {
    cell_size: i32,
    /// Rows of columns.
    mines: Vec<Vec<bool>>,
    /// Rows of columns; [`Face::Pressed`] is not in here.
    faces: Vec<Vec<Face>>,
    /// The pressed cells in the order in which they will be released.
    pressed: Vec<Cell>,
    /// The column and the row under the cursor; beside the board, too.
    cursor: (i32, i32),
    started: bool,
    left: bool,
    right: Right,
    grip: Grip,
    outcome: Option<Outcome>,
    clicks: Clicks,
}

impl Simulator {
    /// A new game on `board` with cells of `cell_size` pixels and with flags in these cells.
    pub fn new(board: &Board<'_>, cell_size: u8, preflags: impl IntoIterator<Item = Cell>) -> Self {
        let (cols, rows) = (usize::from(board.cols), usize::from(board.rows));
        let mut mines = vec![vec![false; cols]; rows];
        for Cell { col, row } in board.mines.iter() {
            mines[usize::from(row)][usize::from(col)] = true;
        }
        let mut faces = vec![vec![Face::Closed; cols]; rows];
        for Cell { col, row } in preflags {
            faces[usize::from(row)][usize::from(col)] = Face::Flag;
        }
        Self {
            cell_size: i32::from(cell_size),
            mines,
            faces,
            pressed: Vec::new(),
            cursor: (-1, -1),
            started: false,
            left: false,
            right: Right::Up,
            grip: Grip::Nothing,
            outcome: None,
            clicks: Clicks::default(),
        }
    }

    /// A new game on the board of a recording, with its flags.
    pub fn of(game: &Game<'_>) -> Self {
        let preflags = game.preflags.iter().flat_map(Cells::iter);
        Self::new(&game.board, game.cell_size(), preflags)
    }

    /// True once all safe cells are open or a mine is. Nothing happens afterwards.
    pub fn is_over(&self) -> bool {
        self.outcome.is_some()
    }

    /// True once all safe cells are open.
    pub fn is_won(&self) -> bool {
        self.outcome == Some(Outcome::Win)
    }

    /// How the game ended; [`Outcome::Other`] as long as it is not over.
    pub fn outcome(&self) -> Outcome {
        self.outcome.unwrap_or(Outcome::Other)
    }

    /// The clicks so far.
    pub fn clicks(&self) -> Clicks {
        self.clicks
    }

    pub(super) fn grip(&self) -> Grip {
        self.grip
    }

    /// Whether the game knows that the left button is down.
    pub(super) fn holds_left(&self) -> bool {
        self.left
    }

    /// Whether the game knows that the right button is down.
    pub(super) fn holds_right(&self) -> bool {
        self.right != Right::Up
    }

    /// The face that a cell displays now.
    pub fn face(&self, cell: Cell) -> Face {
        if self.pressed.contains(&cell) {
            return Face::Pressed;
        }
        self.faces[usize::from(cell.row)][usize::from(cell.col)]
    }

    /// Whether nobody knows what ViennaSweeper makes of this event, were it the next one. Do not pass such an
    /// event to [`step`](Self::step):
    ///
    /// - the middle button;
    /// - right goes down beside the board while left is down;
    /// - right goes down again on a flag, after a chord whose left button is still down.
    pub fn is_open_question(&self, event: &MouseEvent) -> bool {
        let place = self.on_board(self.place_of(event));
        match event.action {
            MouseAction::MiddleDown | MouseAction::MiddleUp => true,
            MouseAction::RightDown if self.left => match place {
                None => true,
                Some(cell) => self.grip == Grip::Nothing && self.face(cell) == Face::Flag,
            },
            _ => event.buttons.middle(),
        }
    }

    /// Plays one mouse event. Returns the board events that it causes, in order.
    pub fn step(&mut self, event: &MouseEvent) -> Vec<BoardEvent> {
        let mut shown = Vec::new();
        if self.is_over() {
            return shown;
        }
        let is_first = !std::mem::replace(&mut self.started, true);
        // A button acts where its event is. So the cursor moves there first (law C).
        self.move_to(self.place_of(event), &mut shown);
        match event.action {
            // The press of the first click is not recorded.
            MouseAction::LeftUp if is_first => {
                self.left_down(&mut shown);
                self.left_up(&mut shown);
            }
            MouseAction::LeftDown => self.left_down(&mut shown),
            // The game never saw the press of a button that went down outside the window (law D).
            MouseAction::LeftUp if self.left => self.left_up(&mut shown),
            MouseAction::RightDown => self.right_down(&mut shown),
            MouseAction::RightUp if self.right != Right::Up => self.right_up(&mut shown),
            _ => {}
        }
        shown
    }

    fn move_to(&mut self, place: (i32, i32), shown: &mut Vec<BoardEvent>) {
        if place != self.cursor {
            self.release(shown);
            self.cursor = place;
            self.press(shown);
        }
    }

    fn left_down(&mut self, shown: &mut Vec<BoardEvent>) {
        self.left = true;
        self.grip = if self.right == Right::Up {
            Grip::Single
        } else {
            self.right = Right::Used;
            Grip::Chord
        };
        self.press(shown);
    }

    fn right_down(&mut self, shown: &mut Vec<BoardEvent>) {
        self.right = Right::Used;
        if self.left {
            // Neither is anything released first (law A), nor does it matter whether the left button is what
            // remains of another chord (law B).
            self.grip = Grip::Chord;
            self.press(shown);
            return;
        }
        let cell = self.on_board(self.cursor);
        match cell.map(|cell| (cell, self.face(cell))) {
            Some((cell, Face::Closed)) => self.show(cell, Face::Flag, shown),
            Some((cell, Face::Flag)) => self.show(cell, Face::Closed, shown),
            _ => {
                self.right = Right::Idle;
                return;
            }
        }
        self.clicks.right += 1;
        self.clicks.effective += 1;
    }

    fn left_up(&mut self, shown: &mut Vec<BoardEvent>) {
        self.left = false;
        match std::mem::replace(&mut self.grip, Grip::Nothing) {
            // The left button is what remains of a chord.
            Grip::Nothing => {}
            Grip::Single => {
                self.pressed.clear();
                let Some(cell) = self.on_board(self.cursor) else {
                    return;
                };
                self.clicks.left += 1;
                if self.face(cell) == Face::Closed {
                    self.clicks.effective += 1;
                    self.open(cell, shown);
                }
            }
            Grip::Chord => self.end_chord(shown),
        }
    }

    fn right_up(&mut self, shown: &mut Vec<BoardEvent>) {
        let was = std::mem::replace(&mut self.right, Right::Up);
        if self.grip == Grip::Chord {
            self.grip = Grip::Nothing;
            self.end_chord(shown);
        } else if was == Right::Idle && self.on_board(self.cursor).is_some() {
            self.clicks.right += 1;
        }
    }

    /// Opens the neighbours if the cell's number is that of the flags around it. Otherwise, releases them.
    fn end_chord(&mut self, shown: &mut Vec<BoardEvent>) {
        self.clicks.double += 1;
        let around = self.neighbours(self.cursor);
        let flags = around.iter().filter(|&&cell| self.face(cell) == Face::Flag);
        let flags = flags.count();
        let fires = self.on_board(self.cursor).is_some_and(
            |cell| matches!(self.face(cell), Face::Number(n) if usize::from(n) == flags),
        );
        if !fires {
            self.release(shown);
            return;
        }
        self.pressed.clear();
        let before = shown.len();
        for cell in around {
            self.open(cell, shown);
        }
        self.clicks.effective += u32::from(shown.len() > before);
    }

    /// Opens a closed cell; around a 0, its neighbours too, each with all that it opens before the next one.
    fn open(&mut self, cell: Cell, shown: &mut Vec<BoardEvent>) {
        let mut waiting = vec![cell];
        while let Some(cell) = waiting.pop() {
            if self.is_over() || self.face(cell) != Face::Closed {
                continue;
            }
            if self.is_mine(cell) {
                self.outcome = Some(Outcome::Blast);
                self.show(cell, Face::Blast, shown);
                return;
            }
            let around = self.neighbours(place(cell));
            let mines = around.iter().filter(|&&cell| self.is_mine(cell)).count();
            self.show(cell, Face::Number(mines as u8), shown);
            if mines == 0 {
                waiting.extend(around.into_iter().rev());
            }
            self.end_if_won();
        }
    }

    fn end_if_won(&mut self) {
        let mut cells = self.mines.iter().flatten().zip(self.faces.iter().flatten());
        if cells.all(|(is_mine, face)| *is_mine || matches!(face, Face::Number(_))) {
            self.outcome = Some(Outcome::Win);
        }
    }

    /// Presses what the buttons press at the cursor: the neighbours first.
    fn press(&mut self, shown: &mut Vec<BoardEvent>) {
        let centre = self.on_board(self.cursor);
        let area: Vec<Cell> = match self.grip {
            Grip::Nothing => return,
            Grip::Single => centre.into_iter().collect(),
            Grip::Chord => {
                let around = self.neighbours(self.cursor);
                around.into_iter().chain(centre).collect()
            }
        };
        for cell in area {
            if !matches!(self.face(cell), Face::Closed | Face::Pressed) {
                continue;
            }
            shown.push(BoardEvent {
                cell,
                face: Face::Pressed,
            });
            // A cell that was pressed already is now pressed last, and once (law A).
            self.pressed.retain(|&other| other != cell);
            self.pressed.push(cell);
        }
    }

    /// Releases all pressed cells.
    fn release(&mut self, shown: &mut Vec<BoardEvent>) {
        for cell in std::mem::take(&mut self.pressed) {
            self.show(cell, Face::Closed, shown);
        }
    }

    fn show(&mut self, cell: Cell, face: Face, shown: &mut Vec<BoardEvent>) {
        self.faces[usize::from(cell.row)][usize::from(cell.col)] = face;
        shown.push(BoardEvent { cell, face });
    }

    pub(super) fn is_mine(&self, cell: Cell) -> bool {
        self.mines[usize::from(cell.row)][usize::from(cell.col)]
    }

    /// The column and the row of an event, on the board or beside it.
    fn place_of(&self, event: &MouseEvent) -> (i32, i32) {
        (
            event.x.div_euclid(self.cell_size),
            event.y.div_euclid(self.cell_size),
        )
    }

    /// The cell in this column and row; `None` beside the board.
    fn on_board(&self, (col, row): (i32, i32)) -> Option<Cell> {
        let (col_at, row_at) = (usize::try_from(col).ok()?, usize::try_from(row).ok()?);
        self.mines.get(row_at)?.get(col_at)?;
        Some(Cell::new(col as u8, row as u8))
    }

    /// The cells around, row by row, if this is a cell of the board.
    pub(super) fn neighbours(&self, (col, row): (i32, i32)) -> Vec<Cell> {
        let mut cells = Vec::new();
        if self.on_board((col, row)).is_none() {
            return cells;
        }
        for near_row in row - 1..=row + 1 {
            for near_col in col - 1..=col + 1 {
                if (near_col, near_row) != (col, row) {
                    cells.extend(self.on_board((near_col, near_row)));
                }
            }
        }
        cells
    }
}

pub(super) fn place(cell: Cell) -> (i32, i32) {
    (cell.col.into(), cell.row.into())
}

/// Mouse events that a recording stores together, and the board events that follow them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// One event, or a button and the move that it brings (law C).
    pub mouse: Vec<MouseEvent>,
    /// What the board shows then.
    pub board: Vec<BoardEvent>,
}

/// Plays mouse events up to the end of the game.
pub fn steps(simulator: &mut Simulator, mouse: &[MouseEvent]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = 0;
    while at < mouse.len() && !simulator.is_over() {
        let together = if brings_its_move(mouse, at) { 2 } else { 1 };
        let mouse = mouse[at..at + together].to_vec();
        let board = mouse.iter().flat_map(|event| simulator.step(event));
        let board = board.collect();
        steps.push(Step { mouse, board });
        at += together;
    }
    steps
}

/// The events that a recording of these mouse events has, board events included, up to the end of the game.
pub fn stream(simulator: &mut Simulator, mouse: &[MouseEvent]) -> Vec<Event> {
    let steps = steps(simulator, mouse);
    let events = steps.into_iter().flat_map(|step| {
        let board = step.board.into_iter().map(Event::Board);
        step.mouse.into_iter().map(Event::Mouse).chain(board)
    });
    events.collect()
}

/// Whether this event is a button at another pixel than the event before it, and the next event is the move to
/// that pixel that the button brings (law C).
pub fn brings_its_move(mouse: &[MouseEvent], at: usize) -> bool {
    let Some([before, button, next]) = at.checked_sub(1).and_then(|from| mouse.get(from..=at + 1))
    else {
        return false;
    };
    button.action != MouseAction::Move
        && (before.x, before.y) != (button.x, button.y)
        && next.action == MouseAction::Move
        && (next.x, next.y) == (button.x, button.y)
        && next.buttons == button.buttons
        && next.time_ms.saturating_sub(button.time_ms) <= 1
}

/// The events that a recording has if its mouse events are genuine: the same mouse events up to the end of the
/// game, with the right board events in their places.
pub fn expected(game: &Game<'_>) -> Vec<Event> {
    stream(&mut Simulator::of(game), &mouse_of(game))
}

/// The clicks of a recorded game.
pub fn clicks(game: &Game<'_>) -> Clicks {
    let mut simulator = Simulator::of(game);
    for event in mouse_of(game) {
        simulator.step(&event);
    }
    simulator.clicks()
}

/// The mouse events and board events of a game as recorded. [`Face::Open`], by which old releases show a blast,
/// becomes [`Face::Blast`], so that the result can be compared with [`expected`].
pub fn events_of(game: &Game<'_>) -> Vec<Event> {
    let events = game.events.iter().filter_map(|event| match event {
        Event::Board(BoardEvent {
            cell,
            face: Face::Open,
        }) => Some(Event::Board(BoardEvent {
            cell,
            face: Face::Blast,
        })),
        Event::Mouse(_) | Event::Board(_) => Some(event),
        Event::Timestamp(_) => None,
    });
    events.collect()
}
