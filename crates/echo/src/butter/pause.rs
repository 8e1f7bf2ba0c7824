//! Pauses, and the timers that the reference does not store: it writes 0 in keyframes, and differences
//! elsewhere.

use super::difference::is_zero_half;
use super::half::from_half;
use super::packed::PackedPause;
use crate::model::PausedState;

/// `paused_timer`, `unpaused_timer`.
pub type Timers = [f32; 2];

/// A sum of differences may be below 0 by less than this, because f32 rounds.
const ROUNDING: f32 = 1.0 / 1_048_576.0;

impl PackedPause {
    pub const fn timers(&self) -> [u16; 2] {
        [self.paused_timer, self.unpaused_timer]
    }

    /// Whether both timers are 0.
    pub const fn is_at_zero(&self) -> bool {
        is_zero_half(self.paused_timer | self.unpaused_timer)
    }

    /// Whether the match stands still or is about to continue.
    pub fn is_on(&self) -> bool {
        matches!(
            PausedState::from_code(self.state),
            Some(PausedState::Pausing | PausedState::Paused | PausedState::Unpausing)
        )
    }
}

/// A pause, as the reader's state.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct PauseState {
    packed: PackedPause,
    /// The timers at the keyframe, if the keyframe stores them.
    start: Timers,
    /// The sum of differences since then.
    sums: Timers,
    /// The keyframe stores 0.
    from_zero: bool,
    /// The keyframe is the reference's, too.
    untold: bool,
}

impl PauseState {
    pub const fn flags(&self) -> u8 {
        self.packed.flags
    }

    pub const fn state(&self) -> u8 {
        self.packed.state
    }

    pub fn timers(&self) -> Timers {
        let [start_a, start_b] = self.start;
        let [a, b] = self.sums;
        let timers = [start_a + a, start_b + b];
        if self.untold {
            // Truncated differences add up to an error.
            timers.map(|timer| timer.max(0.0))
        } else {
            timers
        }
    }

    /// Whether the keyframe stores 0 and is not the reference's. No later timer is below 0 then.
    pub const fn stays_above_zero(&self) -> bool {
        self.from_zero && !self.untold
    }

    /// The pause of a keyframe.
    pub fn of_keyframe(packed: &PackedPause) -> Self {
        let mut pause = Self::default();
        pause.step(packed);
        pause.from_zero = packed.is_at_zero();
        pause
    }

    /// The pause of a keyframe of the reference. If it is the pause of the frame `before`, its timers
    /// continue that frame's. They are at least `least`. Also returns whether the timers were repaired.
    pub fn of_reference(packed: &PackedPause, before: Option<Self>, least: Timers) -> (Self, bool) {
        let mut pause = Self::of_keyframe(packed);
        if !pause.from_zero {
            return (pause, false);
        }
        pause.untold = true;
        pause.start = least;
        if let Some(mut before) = before
            && packed.is_on()
            && (packed.flags, packed.state) == (before.flags(), before.state())
            && before.timers().iter().any(|timer| *timer > 0.0)
        {
            before.run();
            for (start, timer) in pause.start.iter_mut().zip(before.timers()) {
                *start = start.max(timer);
            }
        }
        let raised = pause.start.iter().any(|timer| *timer > 0.0);
        (pause, raised)
    }

    pub fn step(&mut self, packed: &PackedPause) {
        self.packed = *packed;
        self.run();
    }

    /// Lets the timers go on as before.
    pub fn run(&mut self) {
        for (sum, delta) in self.sums.iter_mut().zip(self.packed.timers()) {
            *sum += from_half(delta);
        }
    }
}

/// A keyframe of the reference that stores 0 although its timers fall below that before the next keyframe.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Untold {
    /// The offset in the chunk.
    pub at: usize,
    /// Lower bounds of the timers.
    pub least: Timers,
}

/// Follows the timers of a chunk of the reference, where a part that is left out repeats.
#[derive(Default)]
pub struct Falls {
    keyframe: usize,
    pause: Option<PauseState>,
    timers: [Fall; 2],
    found: Vec<Untold>,
}

/// How far a timer falls after a keyframe.
#[derive(Clone, Copy, Default)]
struct Fall {
    lowest: f32,
    /// The fall, less the most that truncation can have taken from its differences.
    surely: f32,
    cut: f32,
}

impl Fall {
    fn see(&mut self, sum: f32, delta: u16) {
        // Up to the next half.
        let size = delta & 0x7FFF;
        self.cut += from_half(size + 1) - from_half(size);
        self.lowest = self.lowest.min(sum);
        self.surely = self.surely.min(sum + self.cut);
    }

    /// A lower bound of the timer at the keyframe.
    fn least(self) -> f32 {
        if self.surely < -ROUNDING && self.lowest.is_finite() {
            -self.lowest
        } else {
            0.0
        }
    }
}

impl Falls {
    /// Adds the next frame, which starts at byte `at` of the chunk, and its pause, if it has one.
    pub fn see(&mut self, at: usize, keyframe: bool, packed: Option<&PackedPause>) {
        if keyframe {
            self.end();
            self.keyframe = at;
            self.pause = packed
                .filter(|pause| pause.is_at_zero())
                .map(PauseState::of_keyframe);
            return;
        }
        let Some(pause) = &mut self.pause else {
            return;
        };
        match packed {
            Some(packed) => pause.step(packed),
            None => pause.run(),
        }
        let deltas = pause.packed.timers();
        for (fall, (sum, delta)) in self
            .timers
            .iter_mut()
            .zip(pause.sums.into_iter().zip(deltas))
        {
            fall.see(sum, delta);
        }
    }

    fn end(&mut self) {
        let least = std::mem::take(&mut self.timers).map(Fall::least);
        if self.pause.take().is_some() && least.iter().any(|timer| *timer > 0.0) {
            let at = self.keyframe;
            self.found.push(Untold { at, least });
        }
    }

    /// Returns the keyframes that don't store their timers.
    pub fn found(mut self) -> Vec<Untold> {
        self.end();
        self.found
    }
}

/// Detects timers that fall below a keyframe's 0. This crate never writes that, so the keyframe is the
/// reference's.
#[derive(Default)]
pub struct FallsSeen(Option<PauseState>);

impl FallsSeen {
    /// Adds the next frame's pause, if it has one. Returns true once per keyframe.
    pub fn see(&mut self, keyframe: bool, packed: Option<&PackedPause>) -> bool {
        if keyframe {
            let at_zero = packed.filter(|pause| pause.is_at_zero());
            self.0 = at_zero.map(PauseState::of_keyframe);
            return false;
        }
        let (Some(pause), Some(packed)) = (&mut self.0, packed) else {
            return false;
        };
        pause.step(packed);
        let falls = pause.sums.iter().any(|sum| *sum < -ROUNDING);
        if falls {
            self.0 = None;
        }
        falls
    }
}
