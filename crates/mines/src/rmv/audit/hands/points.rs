//! Where in its square a click is.

use super::Sample;
use crate::MouseEvent;
use crate::rmv::{Finding, Findings, Rule};

/// What is known of where clicks are.
pub(super) struct Points {
    square: i32,
    /// Square and place in it of the last click.
    last: Option<((i32, i32), (i32, i32))>,
    /// Clicks in another square than the one before.
    clicks: u32,
    /// Those of them that are in the very same place of it.
    same: u32,
    /// Those that are within a pixel of its centre.
    central: u32,
}

/// Fewer say nothing.
const FEW_SAME: u32 = 5;
const FEW_CENTRAL: u32 = 12;

impl Points {
    pub const fn new(square: i32) -> Self {
        Self {
            square,
            last: None,
            clicks: 0,
            same: 0,
            central: 0,
        }
    }

    pub fn take(&mut self, event: &MouseEvent) {
        let Sample { x, y, .. } = Sample {
            time_ms: event.time_ms,
            x: event.x,
            y: event.y,
        };
        let cell = (x.div_euclid(self.square), y.div_euclid(self.square));
        let place = (x.rem_euclid(self.square), y.rem_euclid(self.square));
        if let Some((last_cell, last_place)) = self.last
            && cell != last_cell
        {
            self.clicks += 1;
            self.same += u32::from(place == last_place);
            let off = |at: i32| (2 * at + 1 - self.square).abs();
            self.central += u32::from(off(place.0) <= 3 && off(place.1) <= 3);
        }
        self.last = Some((cell, place));
    }

    pub fn check(&self, findings: &mut Findings) {
        let (clicks, same) = (self.clicks, self.same);
        // Squares of a few pixels have few places.
        if self.square < 12 {
            return;
        }
        if same >= FEW_SAME && same * 2 >= clicks {
            findings.push(Finding::new(Rule::SamePoint { same, clicks }));
        } else if clicks >= FEW_CENTRAL && self.central * 5 >= clicks * 4 {
            let central = self.central;
            findings.push(Finding::new(Rule::HintCentre { central, clicks }));
        }
    }
}
