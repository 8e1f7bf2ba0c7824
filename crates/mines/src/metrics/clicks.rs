//! What the player did: clicks, flags, the way of the mouse.

use super::openings::Openings;
use crate::engine::{Click, ClickKind};
use crate::minefield::MINE;
use crate::replay::{Observer, Place, Trail};
use crate::{BoardEvent, Face, MouseEvent};

/// Counts of one game.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Clicks {
    /// Left clicks: releases that are not part of a chord.
    pub left: u32,
    /// Right clicks: presses that are not part of a chord.
    pub right: u32,
    /// Double clicks: chords.
    pub double: u32,
    /// Left clicks that opened something.
    pub left_effective: u32,
    /// Right clicks that changed a square.
    pub right_effective: u32,
    /// Chords that opened something.
    pub double_effective: u32,
    /// Chords whose right button had placed a flag just before.
    pub one_and_a_half: u32,
    /// Flags placed.
    pub flags: u32,
    /// Flags taken off.
    pub unflags: u32,
    /// Flags placed on squares without a mine.
    pub misflags: u32,
    /// 3BV that was solved.
    pub solved_bbbv: u32,
    /// Squares opened.
    pub opened: u32,
    /// Mouse events.
    pub mouse_events: u32,
    /// The way of the cursor in pixels: Euclidean distances from event to event.
    pub path_px: f64,
}

impl Clicks {
    /// Cl: all clicks.
    #[must_use]
    pub const fn total(&self) -> u32 {
        self.left + self.right + self.double
    }

    /// Ce: clicks that changed the board.
    #[must_use]
    pub const fn effective(&self) -> u32 {
        self.left_effective + self.right_effective + self.double_effective
    }

    /// Clicks that changed nothing.
    #[must_use]
    pub const fn wasted(&self) -> u32 {
        self.total() - self.effective()
    }
}

/// Counts while a game is replayed.
pub(super) struct Counter<'a> {
    openings: &'a Openings,
    clicks: Clicks,
    /// Openings that are solved, by label.
    solved: Vec<bool>,
    marks: bool,
}

impl<'a> Counter<'a> {
    pub fn new(openings: &'a Openings, marks: bool) -> Self {
        Self {
            openings,
            clicks: Clicks::default(),
            solved: vec![false; openings.count() as usize + 1],
            marks,
        }
    }

    pub fn finish(self, trail: Trail) -> Clicks {
        Clicks {
            mouse_events: trail.events,
            path_px: trail.path_px,
            ..self.clicks
        }
    }

    fn opened(&mut self, at: usize, number: u8) {
        self.clicks.opened += 1;
        if self.openings.is_isolated(at) {
            self.clicks.solved_bbbv += 1;
        } else if number == 0
            && let Some(solved) = self.solved.get_mut(usize::from(self.openings.label_at(at)))
            && !*solved
        {
            *solved = true;
            self.clicks.solved_bbbv += 1;
        }
    }
}

impl Observer for Counter<'_> {
    fn mouse(
        &mut self,
        _: Place,
        _: Option<&MouseEvent>,
        _: &MouseEvent,
        click: Option<Click>,
        shown: &[BoardEvent],
    ) {
        if let Some(click) = click {
            let (all, effective) = match click.kind {
                ClickKind::Left => (&mut self.clicks.left, &mut self.clicks.left_effective),
                ClickKind::Right => (&mut self.clicks.right, &mut self.clicks.right_effective),
                ClickKind::Double => (&mut self.clicks.double, &mut self.clicks.double_effective),
            };
            *all += 1;
            *effective += u32::from(click.effective);
            self.clicks.one_and_a_half += u32::from(click.one_and_a_half);
        }
        let by_right_click = click.is_some_and(|c| c.kind == ClickKind::Right);
        for change in shown {
            let at = self.openings.place(change.cell);
            match change.face {
                Face::Number(number) => self.opened(at, number),
                Face::Flag => {
                    self.clicks.flags += 1;
                    self.clicks.misflags += u32::from(self.openings.number(at) != MINE);
                }
                // With marks on, a flag becomes a question mark before the square is plain again.
                Face::Question if by_right_click => self.clicks.unflags += 1,
                Face::Closed if by_right_click && !self.marks => self.clicks.unflags += 1,
                _ => {}
            }
        }
    }
}
