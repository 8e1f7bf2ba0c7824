//! The course of a game: its events, and the state of its tables after each event.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use gametape_core::Stamp;
use gametape_core::tape::Error;

use super::columns::Counters;
use crate::event::game_time;
use crate::metrics::{Clicks, Moment, moments};
use crate::{BoardEvent, Cell, Engine, Event, Face, Game, MouseEvent};

/// Something that happens in a game.
pub(super) enum Happening<'m> {
    /// The effect of a mouse event by the rules. It comes before the event itself, with the same
    /// stamp.
    Rules(&'m Moment),
    /// An event of the recording.
    Event(Event),
}

/// The stamp of an event. A board event has the time of the mouse event that caused it.
pub(super) fn stamp(step: u32, time_ms: u32) -> Stamp {
    Stamp {
        step: step.into(),
        tick: None,
        time: Some(game_time(time_ms)),
    }
}

/// The events with their stamps.
pub(super) fn events<'g>(game: &'g Game<'_>) -> impl Iterator<Item = (Stamp, Event)> + 'g {
    let mut time_ms = 0;
    (0..).zip(game.events.iter()).map(move |(step, event)| {
        if let Event::Mouse(mouse) = event {
            time_ms = mouse.time_ms;
        }
        (stamp(step, time_ms), event)
    })
}

/// Passes everything that happens to `each`, in order, until `each` breaks.
pub(super) fn course(
    game: &Game<'_>,
    mut each: impl FnMut(Stamp, Happening<'_>) -> Result<ControlFlow<()>, Error>,
) -> Result<(), Error> {
    let mut events = events(game).peekable();
    let mut going = Ok(ControlFlow::Continue(()));
    moments(game, |moment| {
        let step = u64::from(moment.step);
        while matches!(going, Ok(ControlFlow::Continue(())))
            && let Some((stamp, event)) = events.next_if(|(stamp, _)| stamp.step < step)
        {
            going = each(stamp, Happening::Event(event));
        }
        if matches!(going, Ok(ControlFlow::Continue(())))
            && let Some((stamp, _)) = events.peek()
        {
            going = each(*stamp, Happening::Rules(moment));
        }
    });
    if going?.is_break() {
        return Ok(());
    }
    for (stamp, event) in events {
        if each(stamp, Happening::Event(event))?.is_break() {
            break;
        }
    }
    Ok(())
}

/// How many pending board events are searched for a cell. Recordings list the effects of a click
/// in almost the same order as the rules.
const NEAR: usize = 64;

/// The source of a face.
#[derive(Clone, Copy)]
enum Side {
    Recorded,
    Rules,
}

/// The state of the tables after an event.
#[derive(Clone)]
pub(super) struct Showing {
    cols: u8,
    rows: u8,
    /// The codes of the faces of each cell, row by row: the recorded one and the one by the
    /// rules.
    faces: Vec<[u8; 2]>,
    pub cursor: Option<MouseEvent>,
    clicks: Clicks,
    mines: u32,
    flags: u32,
    time_ms: u32,
    /// Board events of the last mouse event by the rules that the recording has not reached yet.
    pending: VecDeque<BoardEvent>,
    /// Whether that mouse event itself comes next.
    fresh: bool,
    /// The number of remaining events.
    left: u32,
    /// Cells with a face, recorded or by the rules, that is new since the previous event.
    new: Vec<Cell>,
}

impl Showing {
    /// The state before the first event.
    pub fn new(game: &Game<'_>) -> Self {
        let engine = Engine::of(game);
        let field = engine.field();
        let faces = field.cells().map(|cell| {
            let face = engine.face(cell).unwrap_or(Face::Closed);
            [face.code(); 2]
        });
        let faces: Vec<[u8; 2]> = faces.collect();
        let flagged = |[recorded, _]: &&[u8; 2]| *recorded == Face::Flag.code();
        Self {
            cols: game.board.cols,
            rows: game.board.rows,
            cursor: None,
            clicks: Clicks::default(),
            mines: field.mines(),
            flags: faces.iter().filter(flagged).count() as u32,
            time_ms: 0,
            faces,
            pending: VecDeque::new(),
            fresh: false,
            left: game.events.len(),
            new: Vec::new(),
        }
    }

    /// Copies another state, reusing the allocated memory.
    pub fn copy(&mut self, other: &Self) {
        let mut faces = std::mem::take(&mut self.faces);
        faces.clone_from(&other.faces);
        *self = Self {
            faces,
            clicks: other.clicks.clone(),
            pending: other.pending.clone(),
            new: other.new.clone(),
            ..*other
        };
    }

    /// The size of a copy in bytes.
    pub fn size(&self) -> usize {
        let pending = self.pending.len() * size_of::<BoardEvent>();
        let new = self.new.len() * size_of::<Cell>();
        size_of::<Self>() + self.faces.len() * size_of::<[u8; 2]>() + pending + new
    }

    /// Cells with a face that is new since the previous event. Cells outside of the board are
    /// not included.
    pub fn new_cells(&self) -> &[Cell] {
        &self.new
    }

    /// The cells column by column, which is the order of their keys.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let (cols, rows) = (self.cols, self.rows);
        (0..cols).flat_map(move |col| (0..rows).map(move |row| Cell::new(col, row)))
    }

    fn index(&self, cell: Cell) -> Option<usize> {
        let on = cell.col < self.cols && cell.row < self.rows;
        on.then(|| usize::from(cell.row) * usize::from(self.cols) + usize::from(cell.col))
    }

    /// The recorded face of a cell and the one by the rules; `None` outside of the board.
    pub fn faces(&self, cell: Cell) -> Option<[Face; 2]> {
        let faces = self.faces.get(self.index(cell)?)?;
        Some(faces.map(|code| Face::from_code(code).unwrap_or(Face::Closed)))
    }

    /// Changes a cell. Cells outside of the board are ignored.
    fn set(&mut self, side: Side, change: &BoardEvent) {
        let index = self.index(change.cell);
        let Some([recorded, rules]) = index.and_then(|at| self.faces.get_mut(at)) else {
            return;
        };
        if self.new.last() != Some(&change.cell) {
            self.new.push(change.cell);
        }
        let code = change.face.code();
        match side {
            Side::Rules => *rules = code,
            Side::Recorded => {
                let flag = Face::Flag.code();
                self.flags = self.flags + u32::from(code == flag) - u32::from(*recorded == flag);
                *recorded = code;
            }
        }
    }

    /// Advances the state; returns whether the counters may have changed.
    pub fn take(&mut self, happening: &Happening<'_>) -> bool {
        match happening {
            Happening::Rules(moment) => {
                self.rules(&moment.clicks, &moment.shown);
                true
            }
            Happening::Event(event) => self.event(event),
        }
    }

    /// Takes the effect of the next mouse event by the rules.
    pub fn rules(&mut self, clicks: &Clicks, shown: &[BoardEvent]) {
        self.new.clear();
        self.settle();
        self.clicks.clone_from(clicks);
        self.pending.extend(shown);
        self.fresh = true;
    }

    /// Applies those board events by the rules that the recording has not reached.
    fn settle(&mut self) {
        while let Some(change) = self.pending.pop_front() {
            self.set(Side::Rules, &change);
        }
    }

    /// Takes an event of the recording; returns whether the counters may have changed.
    ///
    /// The recording lists one by one the effects that a mouse event has at once. A cell changes
    /// by the rules at the same event as in the recording. Cells that the recording has not
    /// reached before the next mouse event, or before its end, change then.
    pub fn event(&mut self, event: &Event) -> bool {
        if !self.fresh {
            self.new.clear();
        }
        let counted = self.happen(event);
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.settle();
        }
        counted
    }

    fn happen(&mut self, event: &Event) -> bool {
        match event {
            Event::Mouse(mouse) => {
                if !std::mem::take(&mut self.fresh) {
                    self.settle();
                }
                let before = std::mem::replace(&mut self.time_ms, mouse.time_ms);
                self.cursor = Some(*mouse);
                mouse.time_ms / 1000 != before / 1000
            }
            Event::Board(change) => {
                let before = self.flags;
                self.set(Side::Recorded, change);
                let mut pending = self.pending.iter().take(NEAR);
                let at = pending.position(|rules| rules.cell == change.cell);
                if let Some(rules) = at.and_then(|at| self.pending.remove(at)) {
                    self.set(Side::Rules, &rules);
                }
                self.flags != before
            }
            Event::Timestamp(_) => false,
        }
    }

    /// The time of the last mouse event in milliseconds.
    pub const fn time_ms(&self) -> u32 {
        self.time_ms
    }

    /// The values of the counters.
    pub fn counters(&self) -> Counters {
        Counters {
            clicks: self.clicks.clone(),
            mines: self.mines,
            flags: self.flags,
            time_ms: self.time_ms,
        }
    }
}
