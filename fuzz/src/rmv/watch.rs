//! A table to play on, and an engine whose output is checked.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use gametape_mines::engine::{Click, ClickKind, Engine, Status};
use gametape_mines::{
    Board, BoardEvent, Buttons, Cell, Cells, Face, Game, Minefield, MouseAction, MouseEvent,
    Version, property,
};

/// The setup of a game.
pub(super) struct Table {
    pub version: Version,
    pub marks: bool,
    /// Whether positions, times and buttons are any numbers, even those that a file cannot store.
    pub wild: bool,
    pub cell_size: u8,
    pub board: Board<'static>,
    pub preflags: Cells<'static>,
}

impl Table {
    pub fn new(script: &mut Unstructured<'_>) -> Result<Self> {
        let flags: u8 = script.arbitrary()?;
        let bit = |n: u8| flags >> n & 1 == 1;
        let large = flags >> 4 == 0xF;
        let mut cells = || -> Result<u32> {
            let byte: u8 = script.arbitrary()?;
            Ok(u32::from(if large { byte.max(1) } else { byte % 9 + 1 }))
        };
        let (cols, rows) = (cells()?, cells()?);
        let version = if bit(0) { Version::V1 } else { Version::V2 };
        let wild = bit(2);
        let cell_size = match (version, script.arbitrary()?) {
            (Version::V1, _) => 16,
            (Version::V2, size) if wild => size,
            (Version::V2, size) => size.max(1),
        };
        let mines = some_cells(script, cols, rows)?;
        let preflags = if bit(3) {
            some_cells(script, cols, rows)?.into_iter().collect()
        } else {
            Cells::default()
        };
        Ok(Self {
            version,
            marks: bit(1),
            wild,
            cell_size,
            board: Board::new(cols, rows, mines, 0).expect("cells inside, each once"),
            preflags,
        })
    }

    pub fn engine(&self) -> Engine {
        let field = Minefield::new(&self.board);
        let mut engine = Engine::new(field, self.cell_size, self.marks);
        engine.preflag(&self.preflags);
        engine
    }

    /// A game without any events.
    pub fn game(&self) -> Game<'static> {
        let mut game = Game::new(self.version, self.board.clone());
        let mut properties = game.properties.to_vec();
        properties[property::MARKS] = self.marks.into();
        if self.version == Version::V2 {
            properties[property::CELL_SIZE] = self.cell_size;
        }
        game.properties = Cow::Owned(properties);
        game.preflags = Some(self.preflags.clone());
        game
    }
}

/// Cells of the board, row by row: any subset on small boards, a random share on large ones.
fn some_cells(script: &mut Unstructured<'_>, cols: u32, rows: u32) -> Result<Vec<Cell>> {
    let all = (0..rows as u8).flat_map(|row| (0..cols as u8).map(move |col| Cell::new(col, row)));
    if cols * rows <= 81 {
        let mut bits = (0u8, 0u8);
        return all
            .filter_map(|cell| {
                if bits.1 == 0 {
                    match script.arbitrary() {
                        Ok(byte) => bits = (byte, 8),
                        Err(error) => return Some(Err(error)),
                    }
                }
                let chosen = bits.0 & 1 == 1;
                bits = (bits.0 >> 1, bits.1 - 1);
                chosen.then_some(Ok(cell))
            })
            .collect();
    }
    let share: u8 = script.arbitrary()?;
    let mut state: u32 = u32::from(script.arbitrary::<u16>()?) << 1 | 1;
    Ok(all
        .filter(|_| {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            // Most boards are sparse, so that openings unfold.
            u32::from(share) * u32::from(share) / 255 > state >> 24
        })
        // A section has at most 65,535 bytes.
        .take(32_000)
        .collect())
}

/// An engine and everything that it has shown so far.
pub(super) struct Watch {
    pub engine: Engine,
    marks: bool,
    /// The displayed face of each cell, pressed or not.
    displayed: Vec<Face>,
    /// The face of each cell when it is not pressed.
    faces: Vec<Face>,
    opened: u32,
    blast: bool,
    cell_size: u8,
    /// The buttons according to the actions, regardless of the recorded states.
    buttons: Buttons,
    pub clicks: Vec<Click>,
    shown: Vec<BoardEvent>,
}

impl Watch {
    pub fn new(table: &Table) -> Self {
        let engine = table.engine();
        let field = engine.field();
        let (cols, rows) = (usize::from(field.cols()), usize::from(field.rows()));
        let mut faces = vec![Face::Closed; cols * rows];
        for cell in table.preflags.iter() {
            faces[usize::from(cell.row) * cols + usize::from(cell.col)] = Face::Flag;
        }
        let watch = Self {
            marks: table.marks,
            displayed: faces.clone(),
            faces,
            opened: 0,
            blast: false,
            cell_size: table.cell_size,
            buttons: Buttons::NONE,
            clicks: Vec::new(),
            shown: Vec::new(),
            engine,
        };
        watch.status();
        watch
    }

    fn place(&self, cell: Cell) -> usize {
        let field = self.engine.field();
        assert!(
            cell.col < field.cols() && cell.row < field.rows(),
            "{cell} is off the board"
        );
        usize::from(cell.row) * usize::from(field.cols()) + usize::from(cell.col)
    }

    pub fn count(&self, kind: ClickKind) -> u32 {
        self.clicks
            .iter()
            .filter(|click| click.kind == kind)
            .count() as u32
    }

    pub fn apply(&mut self, event: &MouseEvent) -> &[BoardEvent] {
        let before = self.engine.status();
        let mut shown = std::mem::take(&mut self.shown);
        shown.clear();
        let click = self.engine.apply(event, &mut shown);
        if before != Status::Playing {
            assert!(shown.is_empty() && click.is_none(), "the game was over");
        }
        let mut opens = false;
        for &event in &shown {
            self.show(event);
            opens |= matches!(event.face, Face::Number(_) | Face::Blast);
        }
        for event in &shown {
            let at = self.place(event.cell);
            assert_eq!(self.engine.face(event.cell), Some(self.faces[at]));
        }
        match click {
            Some(click) if click.kind == ClickKind::Right => assert!(!opens),
            Some(click) => assert_eq!(click.effective, opens, "{click:?}: {shown:?}"),
            None => assert!(!opens, "opened without a click: {shown:?}"),
        }
        self.clicks.extend(click);
        self.status();
        self.held(event);
        self.shown = shown;
        &self.shown
    }

    /// Only cells near the cursor are pressed; with the left button alone, only the one under it.
    fn held(&mut self, event: &MouseEvent) {
        self.buttons = self.buttons.after(event.action);
        if self.engine.status() != Status::Playing {
            return;
        }
        let (col, row) = event.cell(self.cell_size);
        let alone = !self.buttons.right() && !self.buttons.middle();
        let reach = u64::from(!alone);
        // Large boards have too many cells to check all of them after each event.
        let rows = self.engine.field().rows().min(9);
        let cols = self.engine.field().cols().min(9);
        for cell in (0..rows).flat_map(|row| (0..cols).map(move |col| Cell::new(col, row))) {
            let at = self.place(cell);
            if matches!(self.displayed[at], Face::Pressed | Face::PressedQuestion) {
                let near = |a: u8, b: i32| i64::from(a).abs_diff(i64::from(b)) <= reach;
                assert!(
                    near(cell.col, col) && near(cell.row, row),
                    "{cell} is pressed"
                );
            }
        }
        if event.action == MouseAction::LeftDown
            && alone
            && let (Ok(col), Ok(row)) = (u8::try_from(col), u8::try_from(row))
            && let cell = Cell::new(col, row)
            && let Some(face) = self.engine.face(cell)
        {
            let expected = match face {
                Face::Closed => Face::Pressed,
                Face::Question => Face::PressedQuestion,
                other => other,
            };
            assert_eq!(self.displayed[self.place(cell)], expected, "{cell}");
        }
    }

    fn show(&mut self, event: BoardEvent) {
        let at = self.place(event.cell);
        let field = self.engine.field();
        let before = self.faces[at];
        assert!(
            !matches!(before, Face::Number(_) | Face::Blast),
            "{event:?} on an open cell"
        );
        match event.face {
            // Both buttons press the cell of a held left button once more.
            Face::Pressed => assert!(
                matches!(self.displayed[at], Face::Closed | Face::Pressed),
                "{event:?}"
            ),
            Face::PressedQuestion => assert!(
                matches!(self.displayed[at], Face::Question | Face::PressedQuestion),
                "{event:?}"
            ),
            Face::Number(number) => {
                assert!(!field.is_mine(event.cell), "{event:?} on a mine");
                assert_eq!(number, field.number(event.cell), "{event:?}");
                assert_ne!(before, Face::Flag, "a flag was opened");
                self.opened += 1;
            }
            Face::Blast => {
                assert!(field.is_mine(event.cell), "{event:?} without a mine");
                assert_ne!(before, Face::Flag, "a flag was opened");
                self.blast = true;
            }
            Face::Question => assert!(self.marks, "{event:?} without marks"),
            Face::Closed | Face::Flag => {}
            Face::Open => panic!("the engine does not use code 14"),
        }
        self.displayed[at] = event.face;
        if !matches!(event.face, Face::Pressed | Face::PressedQuestion) {
            self.faces[at] = event.face;
        }
    }

    fn status(&self) {
        let safe = self.engine.field().safe();
        assert_eq!(self.engine.opened(), self.opened);
        assert!(self.opened <= safe);
        let status = self.engine.status();
        assert_eq!(status == Status::Lost, self.blast);
        assert_eq!(status == Status::Won, self.opened == safe && !self.blast);
    }

    /// Checks every cell.
    pub fn end(&self) {
        let field = self.engine.field();
        // And the cells just outside of the board.
        for row in 0..=field.rows() {
            for col in 0..=field.cols() {
                let cell = Cell::new(col, row);
                let on_board = col < field.cols() && row < field.rows();
                let expected = on_board.then(|| self.faces[self.place(cell)]);
                assert_eq!(self.engine.face(cell), expected, "{cell}");
            }
        }
        let pressed = |face: &&Face| matches!(face, Face::Pressed | Face::PressedQuestion);
        assert!(self.displayed.iter().filter(pressed).count() <= 9);
    }
}
