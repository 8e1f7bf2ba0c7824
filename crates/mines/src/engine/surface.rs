//! The cells of a game in progress: their covers, and which of them are pressed.

use crate::minefield::{BORDER, MINE, Minefield, neighbours};
use crate::{BoardEvent, Cell, Face, Outcome};

/// The state of the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// Neither won nor lost.
    Playing,
    /// Every safe cell is open.
    Won,
    /// A mine is open.
    Lost,
}

impl Status {
    /// The outcome of a game that ends in this state.
    #[must_use]
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::Won => Outcome::Win,
            Self::Lost => Outcome::Blast,
            Self::Playing => Outcome::Other,
        }
    }
}

/// The cover of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cover {
    Closed,
    Flag,
    Question,
    Open,
    /// The frame around the board.
    Border,
}

#[derive(Clone, Debug)]
pub(super) struct Surface {
    field: Minefield,
    covers: Vec<Cover>,
    marks: bool,
    opened: u32,
    status: Status,
    /// The pressed cells, in the order in which they were pressed.
    pressed: [u32; 9],
    pressed_len: usize,
    /// The way back out of an opening: each place with the index of its next neighbour.
    unfolding: Vec<(u32, u8)>,
    journal: Box<Journal>,
}

/// The changes since the mark, so that a doubtful event can be taken back.
#[derive(Clone, Debug)]
struct Journal {
    on: bool,
    /// Place and previous cover of every cell that changed since the mark, oldest first.
    covers: Vec<(u32, Cover)>,
    opened: u32,
    status: Status,
    pressed: [u32; 9],
    pressed_len: usize,
}

impl Surface {
    pub fn new(field: Minefield, marks: bool) -> Self {
        let mut covers = vec![Cover::Border; field.grid_len()];
        for at in field.places() {
            if let Some(cover) = covers.get_mut(at) {
                *cover = Cover::Closed;
            }
        }
        let status = if field.safe() == 0 {
            Status::Won
        } else {
            Status::Playing
        };
        Self {
            status,
            field,
            covers,
            marks,
            opened: 0,
            pressed: [0; 9],
            pressed_len: 0,
            unfolding: Vec::with_capacity(32),
            journal: Box::new(Journal {
                on: false,
                covers: Vec::new(),
                opened: 0,
                status,
                pressed: [0; 9],
                pressed_len: 0,
            }),
        }
    }

    pub const fn field(&self) -> &Minefield {
        &self.field
    }

    pub const fn status(&self) -> Status {
        self.status
    }

    pub const fn opened(&self) -> u32 {
        self.opened
    }

    pub const fn marks(&self) -> bool {
        self.marks
    }

    #[inline]
    pub fn cover(&self, at: usize) -> Cover {
        self.covers.get(at).copied().unwrap_or(Cover::Border)
    }

    #[inline]
    fn set(&mut self, at: usize, cover: Cover) {
        if let Some(place) = self.covers.get_mut(at) {
            if self.journal.on {
                self.journal.covers.push((at as u32, *place));
            }
            *place = cover;
        }
    }

    /// Sets the mark: [`Self::rewind`] will restore the board as it is now.
    pub fn mark(&mut self) {
        self.journal.on = true;
        self.journal.covers.clear();
        self.journal.opened = self.opened;
        self.journal.status = self.status;
        self.journal.pressed = self.pressed;
        self.journal.pressed_len = self.pressed_len;
    }

    /// Removes the mark: nothing will be taken back.
    pub fn unmark(&mut self) {
        self.journal.on = false;
    }

    /// Restores the board as it was at the mark; the mark stays.
    pub fn rewind(&mut self) {
        while let Some((at, cover)) = self.journal.covers.pop() {
            if let Some(place) = self.covers.get_mut(at as usize) {
                *place = cover;
            }
        }
        self.opened = self.journal.opened;
        self.status = self.journal.status;
        self.pressed = self.journal.pressed;
        self.pressed_len = self.journal.pressed_len;
    }

    /// True if a cell that changed since the mark had a question mark.
    pub fn changed_questions(&self) -> bool {
        let mut changes = self.journal.covers.iter();
        changes.any(|&(_, before)| before == Cover::Question)
    }

    /// Makes a cell show the recorded face, even if the rules disagree.
    pub fn follow(&mut self, at: usize, face: Face) {
        match face {
            Face::Pressed | Face::PressedQuestion => {}
            Face::Closed => self.set(at, Cover::Closed),
            Face::Question => self.set(at, Cover::Question),
            Face::Flag => self.set(at, Cover::Flag),
            Face::Open | Face::Blast => {
                self.set(at, Cover::Open);
                self.status = Status::Lost;
            }
            Face::Number(_) => {
                self.set(at, Cover::Open);
                self.opened += 1;
                if self.opened == self.field.safe() && self.status == Status::Playing {
                    self.status = Status::Won;
                }
            }
        }
    }

    /// The pressed cells.
    pub fn pressed(&self) -> impl Iterator<Item = u32> + '_ {
        self.pressed.iter().take(self.pressed_len).copied()
    }

    /// Makes exactly these cells the pressed ones; of more than nine, the first nine.
    pub fn hold(&mut self, places: impl IntoIterator<Item = u32>) {
        self.pressed_len = 0;
        for (slot, place) in self.pressed.iter_mut().zip(places) {
            *slot = place;
            self.pressed_len += 1;
        }
    }

    /// The place of a cell, if it is on the board.
    pub fn place(&self, (col, row): (i32, i32)) -> Option<usize> {
        let (col, row) = (u8::try_from(col).ok()?, u8::try_from(row).ok()?);
        self.field.index(Cell::new(col, row))
    }

    pub fn face(&self, cell: Cell) -> Option<Face> {
        let at = self.field.index(cell)?;
        Some(match (self.cover(at), self.field.at(at)) {
            (Cover::Closed, _) => Face::Closed,
            (Cover::Flag, _) => Face::Flag,
            (Cover::Question, _) => Face::Question,
            (_, MINE) => Face::Blast,
            (_, number) => Face::Number(number),
        })
    }

    fn show(&self, at: usize, face: Face, shown: &mut Vec<BoardEvent>) {
        let cell = self.field.cell(at);
        shown.push(BoardEvent { cell, face });
    }

    pub fn preflag(&mut self, cell: Cell) {
        if let Some(at) = self.field.index(cell) {
            self.set(at, Cover::Flag);
        }
    }

    /// Sets or removes a flag; returns whether the cell has a flag now, or `None` if it is open.
    pub fn toggle_flag(&mut self, at: usize, shown: &mut Vec<BoardEvent>) -> Option<bool> {
        let (cover, face) = match self.cover(at) {
            Cover::Closed => (Cover::Flag, Face::Flag),
            Cover::Flag if self.marks => (Cover::Question, Face::Question),
            Cover::Flag | Cover::Question => (Cover::Closed, Face::Closed),
            Cover::Open | Cover::Border => return None,
        };
        self.set(at, cover);
        self.show(at, face, shown);
        Some(cover == Cover::Flag)
    }

    /// The face that a cell shows while it is pressed, if it can be.
    #[inline]
    fn pressed_face(&self, at: usize) -> Option<Face> {
        match self.cover(at) {
            Cover::Closed => Some(Face::Pressed),
            Cover::Question => Some(Face::PressedQuestion),
            _ => None,
        }
    }

    fn press(&mut self, at: usize, shown: &mut Vec<BoardEvent>) {
        let Some(face) = self.pressed_face(at) else {
            return;
        };
        if let Some(slot) = self.pressed.get_mut(self.pressed_len) {
            *slot = at as u32;
            self.pressed_len += 1;
            self.show(at, face, shown);
        }
    }

    pub fn press_one(&mut self, place: Option<usize>, shown: &mut Vec<BoardEvent>) {
        if let Some(at) = place {
            self.press(at, shown);
        }
    }

    pub fn press_area(&mut self, place: Option<usize>, shown: &mut Vec<BoardEvent>) {
        if let Some(at) = place {
            for neighbour in neighbours(at, self.field.stride()) {
                self.press(neighbour, shown);
            }
            self.press(at, shown);
        }
    }

    /// Presses the area around a cell that is already pressed. The cell is pressed once more, and
    /// nothing is released before.
    pub fn widen(&mut self, place: Option<usize>, shown: &mut Vec<BoardEvent>) {
        self.pressed_len = 0;
        self.press_area(place, shown);
    }

    /// Returns the pressed cells and forgets them.
    fn take_pressed(&mut self) -> impl Iterator<Item = usize> + use<> {
        let len = std::mem::take(&mut self.pressed_len);
        self.pressed.into_iter().take(len).map(|at| at as usize)
    }

    /// Releases the pressed cells without opening them.
    pub fn release(&mut self, shown: &mut Vec<BoardEvent>) {
        for at in self.take_pressed() {
            match self.cover(at) {
                Cover::Question => self.show(at, Face::Question, shown),
                _ => self.show(at, Face::Closed, shown),
            }
        }
    }

    /// Opens the cell if it is pressed; returns whether the board changed.
    pub fn open_pressed(&mut self, place: Option<usize>, shown: &mut Vec<BoardEvent>) -> bool {
        let opened = self.opened;
        for at in self.take_pressed() {
            if Some(at) == place {
                self.open(at, shown);
            }
        }
        self.opened != opened || self.status == Status::Lost
    }

    /// Opens the cells of a chord if the number of flags around its centre equals the centre's
    /// number; otherwise releases them. Returns whether the board changed.
    pub fn chord(&mut self, place: Option<usize>, shown: &mut Vec<BoardEvent>) -> bool {
        if !place.is_some_and(|at| self.chords_at(at)) {
            self.release(shown);
            return false;
        }
        let opened = self.opened;
        for at in self.take_pressed() {
            self.open(at, shown);
        }
        self.opened != opened || self.status == Status::Lost
    }

    /// Whether a chord at a cell opens its neighbours: the cell is open, and as many flags are
    /// around it as its number says.
    pub fn chords_at(&self, at: usize) -> bool {
        self.cover(at) == Cover::Open && self.flags_around(at) == self.field.at(at)
    }

    pub fn flags_around(&self, at: usize) -> u8 {
        neighbours(at, self.field.stride())
            .into_iter()
            .map(|neighbour| u8::from(self.cover(neighbour) == Cover::Flag))
            .sum()
    }

    /// True if a click or an opening can open the cell.
    #[inline]
    fn can_open(&self, at: usize) -> bool {
        matches!(self.cover(at), Cover::Closed | Cover::Question)
    }

    /// Opens a cell and, if it is a 0, everything that unfolds from it.
    fn open(&mut self, at: usize, shown: &mut Vec<BoardEvent>) {
        if !self.can_open(at) {
            return;
        }
        if self.open_one(at, shown) != 0 {
            return;
        }
        let stride = self.field.stride();
        self.unfolding.clear();
        self.unfolding.push((at as u32, 0));
        'unfolding: while let Some((at, next)) = self.unfolding.pop() {
            let around = neighbours(at as usize, stride);
            for (n, &place) in around.iter().enumerate().skip(next.into()) {
                if self.can_open(place) && self.open_one(place, shown) == 0 {
                    self.unfolding.push((at, n as u8 + 1));
                    self.unfolding.push((place as u32, 0));
                    continue 'unfolding;
                }
            }
        }
    }

    /// Opens one cell and returns its number.
    fn open_one(&mut self, at: usize, shown: &mut Vec<BoardEvent>) -> u8 {
        let number = self.field.at(at);
        debug_assert_ne!(number, BORDER);
        self.set(at, Cover::Open);
        if number == MINE {
            self.status = Status::Lost;
            self.show(at, Face::Blast, shown);
            return number;
        }
        self.opened += 1;
        self.show(at, Face::Number(number), shown);
        if self.opened == self.field.safe() && self.status == Status::Playing {
            self.status = Status::Won;
        }
        number
    }
}
