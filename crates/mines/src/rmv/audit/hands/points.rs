//! Where in its square a click is.

use crate::rmv::{Finding, Findings, Rule};
use crate::{Board, MouseEvent};

/// What is known of where clicks are.
pub(super) struct Points {
    square: i32,
    /// Columns and rows: nobody aims beside the board.
    size: (i32, i32),
    /// The square of the last click.
    last: Option<(i32, i32)>,
    /// Clicks in another square than the one before.
    clicks: u32,
    /// How many of them are in each place of it.
    places: [u16; PLACES],
    /// Those that are within a pixel of its centre, and within two.
    central: [u32; 2],
}

/// Room for the places of a square of 32 pixels; those of a larger one share it.
const PLACES: usize = 1024;
/// Fewer say nothing.
const FEW_SAME: u32 = 5;
/// Within a pixel of the centre, and within two.
const FEW_CENTRAL: [u32; 2] = [12, 20];
/// So many in one place say more than the share of them does.
const MANY_SAME: u32 = 8;

impl Points {
    pub const fn new(board: &Board<'_>, square: i32) -> Self {
        Self {
            square,
            size: (board.cols as i32, board.rows as i32),
            last: None,
            clicks: 0,
            places: [0; PLACES],
            central: [0; 2],
        }
    }

    pub fn take(&mut self, event: &MouseEvent) {
        let cell = (
            event.x.div_euclid(self.square),
            event.y.div_euclid(self.square),
        );
        if !(0..self.size.0).contains(&cell.0) || !(0..self.size.1).contains(&cell.1) {
            return;
        }
        let place = (
            event.x - cell.0 * self.square,
            event.y - cell.1 * self.square,
        );
        if self.last.replace(cell).is_some_and(|last| cell != last) {
            self.clicks += 1;
            let at = (place.1 * self.square + place.0) as usize % PLACES;
            if let Some(count) = self.places.get_mut(at) {
                *count = count.saturating_add(1);
            }
            let off = |at: i32| (2 * at + 1 - self.square).abs();
            let off = off(place.0).max(off(place.1));
            let [one, two] = &mut self.central;
            *one += u32::from(off <= 3);
            *two += u32::from(off <= 5);
        }
    }

    pub fn check(&self, findings: &mut Findings) {
        // Squares of a few pixels have few places.
        if self.square < 12 || self.clicks < FEW_SAME {
            return;
        }
        let clicks = self.clicks;
        let same = u32::from(self.places.iter().copied().max().unwrap_or_default());
        let is_half = same >= FEW_SAME && same * 2 >= clicks;
        if is_half || (same >= MANY_SAME && same * 4 >= clicks) {
            findings.push(Finding::new(Rule::SamePoint { same, clicks }));
            return;
        }
        let central = FEW_CENTRAL.into_iter().zip(self.central).zip(1..);
        for ((few, central), pixels) in central {
            if clicks >= few && central * 5 >= clicks * 4 {
                findings.push(Finding::new(Rule::HintCentre {
                    central,
                    clicks,
                    pixels,
                }));
                return;
            }
        }
    }
}
