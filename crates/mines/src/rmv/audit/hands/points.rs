//! The position of clicks within their cells.

use crate::rmv::{Finding, Findings, Rule};
use crate::{Board, MouseEvent};

/// Statistics of the positions of clicks.
pub(super) struct Points {
    cell_size: i32,
    /// Columns and rows. Clicks outside of the board are not aimed, so they are ignored.
    size: (i32, i32),
    /// The cell of the last click.
    last: Option<(i32, i32)>,
    /// The number of clicks in a different cell than that of the click before.
    clicks: u32,
    /// The number of these clicks at each position within the cell.
    places: [u16; PLACES],
    /// The number of clicks within one pixel of the cell's centre, and within two.
    central: [u32; 2],
}

/// Enough for the positions of a cell of 32 pixels; in larger cells several positions share an
/// entry.
const PLACES: usize = 1024;
/// Fewer clicks at the same position are not meaningful.
const FEW_SAME: u32 = 5;
/// The least number of clicks for a finding about clicks within one pixel of the centre, and within
/// two.
const FEW_CENTRAL: [u32; 2] = [12, 20];
/// From this number on, a smaller share of clicks at the same position is enough for a finding.
const MANY_SAME: u32 = 8;

impl Points {
    pub const fn new(board: &Board<'_>, cell_size: i32) -> Self {
        Self {
            cell_size,
            size: (board.cols as i32, board.rows as i32),
            last: None,
            clicks: 0,
            places: [0; PLACES],
            central: [0; 2],
        }
    }

    pub fn take(&mut self, event: &MouseEvent) {
        let cell = (
            event.x.div_euclid(self.cell_size),
            event.y.div_euclid(self.cell_size),
        );
        if !(0..self.size.0).contains(&cell.0) || !(0..self.size.1).contains(&cell.1) {
            return;
        }
        let place = (
            event.x - cell.0 * self.cell_size,
            event.y - cell.1 * self.cell_size,
        );
        if self.last.replace(cell).is_some_and(|last| cell != last) {
            self.clicks += 1;
            let at = (place.1 * self.cell_size + place.0) as usize % PLACES;
            if let Some(count) = self.places.get_mut(at) {
                *count = count.saturating_add(1);
            }
            let off = |at: i32| (2 * at + 1 - self.cell_size).abs();
            let off = off(place.0).max(off(place.1));
            let [one, two] = &mut self.central;
            *one += u32::from(off <= 3);
            *two += u32::from(off <= 5);
        }
    }

    pub fn check(&self, findings: &mut Findings) {
        // Cells of a few pixels have few positions.
        if self.cell_size < 12 || self.clicks < FEW_SAME {
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
