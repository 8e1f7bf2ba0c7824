//! The ways between clicks: hands go in bows, and faster in the middle.

use crate::replay::Moves;
use crate::rmv::{Finding, Findings, Rule};

/// Ways of at least so many squares are looked at.
const SQUARES: i32 = 2;
/// Ways of fewer moves have no shape.
const FEW_MOVES: usize = 6;
/// Points of a way that are looked at.
const POINTS: usize = 12;
/// Pixels beside the line that rounding explains.
const BESIDE_PX: f64 = 0.75;
/// Pixels from where a cursor of constant speed would be.
const OFF_PX: f64 = 1.5;
/// Fewer straight ways may be chance: of a hand's, 1 of 100 is.
const FEW_WAYS: u32 = 4;

/// What is known of the ways.
pub(super) struct Ways {
    /// The least length, squared.
    least: i64,
    all: u32,
    straight: u32,
    even: u32,
}

impl Ways {
    pub const fn new(square: i32) -> Self {
        let least = (square * SQUARES) as i64;
        Self {
            least: least * least,
            all: 0,
            straight: 0,
            even: 0,
        }
    }

    /// A way from one button event to the next, if all of it waits.
    pub fn take(&mut self, moves: &Moves) {
        let Some(start) = moves.way() else {
            return;
        };
        let count = moves.len() - start;
        if count < FEW_MOVES {
            return;
        }
        let (Some(from), Some(to)) = (moves.get(start), moves.get(moves.len() - 1)) else {
            return;
        };
        let (dx, dy) = (i64::from(to.x - from.x), i64::from(to.y - from.y));
        let square = dx * dx + dy * dy;
        if square < self.least {
            return;
        }
        self.all += 1;
        let (dx, dy) = (dx as f64, dy as f64);
        let length = (square as f64).sqrt();
        let total = f64::from(to.time_ms.saturating_sub(from.time_ms));
        let mut is_even = total > 0.0;
        let points = (start..moves.len()).step_by(count.div_ceil(POINTS));
        for point in points.filter_map(|at| moves.get(at)) {
            let (x, y) = (f64::from(point.x - from.x), f64::from(point.y - from.y));
            if (x * dy - y * dx).abs() > BESIDE_PX * length {
                return;
            }
            let share = f64::from(point.time_ms.saturating_sub(from.time_ms)) / total.max(1.0);
            let off = (x - share * dx).hypot(y - share * dy);
            // The clock may be as coarse as a tick.
            is_even &= off <= OFF_PX + length * 8.0 / total.max(1.0);
        }
        self.straight += 1;
        self.even += u32::from(is_even);
    }

    pub fn check(&self, findings: &mut Findings) {
        let Self {
            all: ways,
            straight,
            even,
            ..
        } = *self;
        if straight >= FEW_WAYS && straight * 5 >= ways * 3 {
            findings.push(Finding::new(Rule::Straight {
                straight,
                ways,
                even,
            }));
        }
    }
}
