//! The player's actions: clicks, flags, the path of the mouse.

use super::openings::Openings;
use crate::engine::{Click, ClickKind};
use crate::minefield::MINE;
use crate::replay::{Moves, Observer, PlayedEvent};
use crate::{BoardEvent, Face};

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
    /// Right clicks that changed a cell.
    pub right_effective: u32,
    /// Chords that opened something.
    pub double_effective: u32,
    /// Chords whose right button had placed a flag just before.
    pub one_and_a_half: u32,
    /// Flags placed.
    pub flags: u32,
    /// Flags removed.
    pub unflags: u32,
    /// Flags placed on cells without a mine.
    pub misflags: u32,
    /// The part of the 3BV that was solved.
    pub solved_bbbv: u32,
    /// Cells opened.
    pub opened: u32,
    /// Mouse events, including moves and events that changed nothing.
    pub mouse_events: u32,
    /// The length of the cursor's path in pixels: the sum of the Euclidean distances from event to
    /// event.
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

/// Counts clicks while a game is replayed.
pub(super) struct ClickCounter<'a> {
    openings: &'a Openings,
    clicks: Clicks,
    /// The number of open zeros, by the label of their opening. One open zero solves the opening.
    zeros: Vec<u32>,
    marks: bool,
}

/// The direction of counting: up, or down for events that were counted and then taken back.
const UP: bool = true;
const DOWN: bool = false;

const fn count<const WAY: bool>(number: &mut u32, by: bool) {
    *number = if WAY {
        number.wrapping_add(by as u32)
    } else {
        number.saturating_sub(by as u32)
    };
}

impl<'a> ClickCounter<'a> {
    pub fn new(openings: &'a Openings, marks: bool) -> Self {
        Self {
            openings,
            clicks: Clicks::default(),
            zeros: vec![0; openings.count() as usize + 1],
            marks,
        }
    }

    /// The counts so far, without the path and the number of mouse events.
    #[cfg(feature = "tape")]
    pub const fn clicks(&self) -> &Clicks {
        &self.clicks
    }

    pub fn finish(self, moves: &Moves) -> Clicks {
        Clicks {
            mouse_events: moves.events(),
            path_px: moves.path_px(),
            ..self.clicks
        }
    }

    fn opened<const WAY: bool>(&mut self, at: usize, number: u8) {
        count::<WAY>(&mut self.clicks.opened, true);
        if self.openings.is_isolated(at) {
            count::<WAY>(&mut self.clicks.solved_bbbv, true);
        } else if number == 0
            && let Some(zeros) = self.zeros.get_mut(usize::from(self.openings.label_at(at)))
        {
            let solved = *zeros > 0;
            count::<WAY>(zeros, true);
            let changed = solved != (*zeros > 0);
            count::<WAY>(&mut self.clicks.solved_bbbv, changed);
        }
    }

    /// Counts the changes of the board.
    #[inline(always)]
    fn changes<const WAY: bool>(&mut self, click: Option<Click>, shown: &[BoardEvent]) {
        let by_right_click = click.is_some_and(|c| c.kind == ClickKind::Right);
        for change in shown {
            let at = self.openings.place(change.cell);
            match change.face {
                Face::Number(number) => self.opened::<WAY>(at, number),
                Face::Flag => {
                    count::<WAY>(&mut self.clicks.flags, true);
                    let wrong = self.openings.number(at) != MINE;
                    count::<WAY>(&mut self.clicks.misflags, wrong);
                }
                // With marks enabled, a flag becomes a question mark before the cell is plain
                // again.
                Face::Question => count::<WAY>(&mut self.clicks.unflags, by_right_click),
                Face::Closed => {
                    let unflags = by_right_click && !self.marks;
                    count::<WAY>(&mut self.clicks.unflags, unflags);
                }
                _ => {}
            }
        }
    }

    const fn effective(&mut self, kind: ClickKind) -> &mut u32 {
        match kind {
            ClickKind::Left => &mut self.clicks.left_effective,
            ClickKind::Right => &mut self.clicks.right_effective,
            ClickKind::Double => &mut self.clicks.double_effective,
        }
    }
}

impl Observer for ClickCounter<'_> {
    fn mouse(&mut self, step: &PlayedEvent<'_>) {
        let click = step.click;
        if let Some(click) = click {
            *match click.kind {
                ClickKind::Left => &mut self.clicks.left,
                ClickKind::Right => &mut self.clicks.right,
                ClickKind::Double => &mut self.clicks.double,
            } += 1;
            *self.effective(click.kind) += u32::from(click.effective);
            self.clicks.one_and_a_half += u32::from(click.one_and_a_half);
        }
        self.changes::<UP>(click, step.shown);
    }

    fn corrected(
        &mut self,
        click: Option<Click>,
        expected: &[BoardEvent],
        recorded: &[BoardEvent],
    ) {
        self.changes::<DOWN>(click, expected);
        self.changes::<UP>(click, recorded);
        if let Some(click) = click {
            let did = recorded.iter().any(|change| match change.face {
                Face::Number(_) | Face::Open | Face::Blast => click.kind != ClickKind::Right,
                Face::Flag | Face::Question | Face::Closed => click.kind == ClickKind::Right,
                Face::Pressed | Face::PressedQuestion => false,
            });
            let effective = self.effective(click.kind);
            count::<DOWN>(effective, click.effective);
            count::<UP>(effective, did);
        }
    }
}
