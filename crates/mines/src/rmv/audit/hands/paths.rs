//! The paths between clicks: a hand moves in curves, and faster in the middle.

use super::times::{Clock, ReleaseClock};
use crate::replay::{Moves, Sample};
use crate::rmv::{Finding, Findings, Rule};

/// The least length of a path that is examined, in cells.
const CELLS: i32 = 2;
/// Paths with fewer moves have no meaningful shape.
const FEW_MOVES: usize = 6;
/// The number of points of a path that are examined.
const POINTS: usize = 12;
/// The distance from the straight line that rounding explains, in pixels.
const BESIDE_PX: f64 = 0.75;
/// The ends of the line are rounded, too: a path this many pixels off the line may still be
/// straight, if its speed is constant.
const EVEN_BESIDE_PX: f64 = 1.0;
/// The largest distance, in pixels, from the position that a cursor of constant speed would have.
const OFF_PX: f64 = 1.5;
/// Fewer straight paths may be chance: of the known games, a quarter of one's paths is straight.
const FEW_PATHS: u32 = 4;
/// The number of parts of a path whose speeds are compared.
const PARTS: usize = 8;
/// How far a cursor may be from the position that constant speed along its path would give: a share
/// of the path's length, plus the pixels that rounding explains. 6% of the known paths of hands are off by less than 6%.
const STEADY: f64 = 0.02;
const STEADY_PX: f64 = 1.25;
/// Fewer steady paths may be chance.
const FEW_STEADY: u32 = 6;

/// Statistics of the paths.
pub(super) struct Paths {
    /// The least length of an examined path, squared.
    least: i64,
    /// Paths that are long enough for a jump, with any number of moves.
    far: u32,
    all: u32,
    straight: u32,
    even: u32,
    /// Straight except for rounding, and at constant speed.
    nearly: u32,
    /// At constant speed, straight or not.
    steady: u32,
}

impl Paths {
    pub const fn new(cell_size: i32) -> Self {
        let least = (cell_size * CELLS) as i64;
        Self {
            least: least * least,
            far: 0,
            all: 0,
            straight: 0,
            even: 0,
            nearly: 0,
            steady: 0,
        }
    }

    /// Takes the path that ends at a button event, if all of it is waiting.
    pub fn take(&mut self, moves: &Moves) {
        let Some(start) = moves.path_start() else {
            return;
        };
        let count = moves.len() - start;
        let (Some(from), Some(to)) = (moves.get(start), moves.get(moves.len().saturating_sub(1)))
        else {
            return;
        };
        let (dx, dy) = (i64::from(to.x - from.x), i64::from(to.y - from.y));
        let square = dx * dx + dy * dy;
        // Three quarters of a cell: the least length of a jump.
        self.far += u32::from(square * 64 > self.least * 9);
        if square < self.least || count < FEW_MOVES {
            return;
        }
        self.all += 1;
        self.steady += u32::from(is_steady(moves, start));
        let (dx, dy) = (dx as f64, dy as f64);
        let length = (square as f64).sqrt();
        let total = f64::from(to.time_ms.saturating_sub(from.time_ms));
        let (mut is_even, mut beside) = (total > 0.0, 0.0_f64);
        let points = (start..moves.len()).step_by(count.div_ceil(POINTS));
        for point in points.filter_map(|at| moves.get(at)) {
            let (x, y) = (f64::from(point.x - from.x), f64::from(point.y - from.y));
            beside = beside.max((x * dy - y * dx).abs());
            if beside > EVEN_BESIDE_PX * length {
                return;
            }
            let share = f64::from(point.time_ms.saturating_sub(from.time_ms)) / total.max(1.0);
            let off = (x - share * dx).hypot(y - share * dy);
            // The clock may be as coarse as a tick.
            is_even &= off <= OFF_PX + length * 8.0 / total.max(1.0);
        }
        self.nearly += u32::from(is_even);
        if beside > BESIDE_PX * length {
            return;
        }
        self.straight += 1;
        self.even += u32::from(is_even);
    }

    /// The number of paths longer than three quarters of a cell.
    pub const fn far(&self) -> u32 {
        self.far
    }

    pub fn check(&self, clock: Clock, release: ReleaseClock, findings: &mut Findings) {
        let Self {
            all: ways,
            straight,
            even,
            nearly,
            steady,
            ..
        } = *self;
        let (straight, even) = if nearly * 5 >= ways * 4 {
            (straight.max(nearly), nearly)
        } else {
            (straight, even)
        };
        if straight >= FEW_PATHS && straight * 5 >= ways * 3 {
            findings.push(Finding::new(Rule::Straight {
                straight,
                ways,
                even,
            }));
            return;
        }
        // Other programs may record fewer or different moves.
        let is_known = clock == Clock::Millisecond && release.is_vienna();
        if is_known && steady >= FEW_STEADY && steady * 5 >= ways * 3 {
            findings.push(Finding::new(Rule::Steady { steady, ways }));
        }
    }
}

/// Whether the cursor covers equal distances in equal times along the whole path.
fn is_steady(moves: &Moves, start: usize) -> bool {
    let count = moves.len() - start;
    let at = |part: usize| moves.get(start + (count - 1) * part / PARTS);
    // Quarters are checked first: almost no path of a hand passes this check.
    is_steady_in::<4>(|part| at(part * PARTS / 4)) && is_steady_in::<PARTS>(at)
}

fn is_steady_in<const N: usize>(at: impl Fn(usize) -> Option<Sample>) -> bool {
    let Some(from) = at(0) else {
        return false;
    };
    // For each part, the time of its end and the length of the path up to there.
    let mut ends = [(0.0, 0.0); N];
    let (mut last, mut gone) = (from, 0.0);
    for (slot, part) in ends.iter_mut().zip(1..) {
        let Some(point) = at(part) else {
            return false;
        };
        gone += f64::from(point.x - last.x).hypot(f64::from(point.y - last.y));
        *slot = (f64::from(point.time_ms.saturating_sub(from.time_ms)), gone);
        last = point;
    }
    let Some(&(total_ms, total)) = ends.last().filter(|(ms, _)| *ms > 0.0) else {
        return false;
    };
    let most = STEADY_PX + STEADY * total;
    ends.iter()
        .all(|(ms, gone)| (gone - total * ms / total_ms).abs() <= most)
}
