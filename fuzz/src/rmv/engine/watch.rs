//! An engine under watch.

use gametape_mines::engine::{Click, ClickKind, Engine, Status};
use gametape_mines::{BoardEvent, Cell, Face, MouseEvent};

use super::Table;

/// An engine, and what it has shown so far.
pub(super) struct Watch {
    pub engine: Engine,
    marks: bool,
    /// What each square shows, pressed or not.
    displayed: Vec<Face>,
    /// What each square shows when it is not pressed.
    faces: Vec<Face>,
    opened: u32,
    blast: bool,
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
        self.shown = shown;
        &self.shown
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

    /// Looks at every square.
    pub fn end(&self) {
        let field = self.engine.field();
        // And at those just beyond the edge.
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
