//! An engine whose output is checked.

use gametape_mines::engine::{Click, ClickKind, Engine, Status};
use gametape_mines::{BoardEvent, Buttons, Cell, Face, MouseAction, MouseEvent};

use super::Table;

/// An engine and everything that it has shown so far.
pub(super) struct Watch {
    pub engine: Engine,
    marks: bool,
    /// The displayed face of each square, pressed or not.
    displayed: Vec<Face>,
    /// The face of each square when it is not pressed.
    faces: Vec<Face>,
    opened: u32,
    blast: bool,
    square_size: u8,
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
            square_size: table.square_size,
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

    /// Only squares near the cursor are pressed; with the left button alone, only the one under it.
    fn held(&mut self, event: &MouseEvent) {
        self.buttons = self.buttons.after(event.action);
        if self.engine.status() != Status::Playing {
            return;
        }
        let (col, row) = event.square(self.square_size);
        let alone = !self.buttons.right() && !self.buttons.middle();
        let reach = u64::from(!alone);
        // Large boards have too many squares to check all of them after each event.
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
            "{event:?} on an open square"
        );
        match event.face {
            Face::Pressed => assert_eq!(self.displayed[at], Face::Closed, "{event:?}"),
            Face::PressedQuestion => assert_eq!(self.displayed[at], Face::Question, "{event:?}"),
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

    /// Checks every square.
    pub fn end(&self) {
        let field = self.engine.field();
        // And the squares just outside of the board.
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
