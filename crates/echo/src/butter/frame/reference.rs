//! The reference's way of writing: its dialect, its faults that a reader undoes, and the values that it
//! leaves ambiguous: the timers of pauses and the stats of teams.
//!
//! The timers of pauses are 0 in keyframes of the reference, and differences elsewhere.
//!
//! The game returns no stats for a team without players: they disappear when its last player leaves, and
//! come back later. Meanwhile the reference writes nothing, just as for stats that have not changed. When
//! they are back, it writes absolute values, which look like a difference. The number of players tells the
//! two apart; where that is not enough, there is a [`Doubt`].

use super::packed::{PackedPause, PackedStats};
use crate::butter::code::difference::is_zero_half;
use crate::butter::code::primitive::from_half;
use crate::model::{PausedState, TeamId};
use crate::rule::Rule;

/// The kind of writer of a chunk. It decides what a part that is left out means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// A part that is left out has not changed.
    #[default]
    Exact,
    /// The reference. It leaves out a difference whose bytes equal those of the frame before, so a part
    /// that is left out changes by the same difference again.
    Reference,
}

/// The reference's faults that were undone, each with a count.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Mended {
    /// Moves that were left out and repeated.
    pub motion: u64,
    /// Keyframes that store bones as differences from the frame before.
    pub bones: u64,
    /// Keyframes among those without a frame before; their bones are unknown.
    pub bones_lost: u64,
    /// Pauses whose timer has been unknown since the last keyframe.
    pub pause_timers: u64,
    /// Frames whose bones are of another number of players than the frame before.
    pub bone_players: u64,
    /// Counts that fell; the reference's reader adds 256.
    pub wrapped: u64,
}

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
    unstored: bool,
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
        if self.unstored {
            // Truncated differences add up to an error.
            timers.map(|timer| timer.max(0.0))
        } else {
            timers
        }
    }

    /// Whether the keyframe stores 0 and is not the reference's. No later timer is below 0 then.
    pub const fn stays_above_zero(&self) -> bool {
        self.from_zero && !self.unstored
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
        pause.unstored = true;
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
pub struct UnstoredTimers {
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
    found: Vec<UnstoredTimers>,
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
            self.found.push(UnstoredTimers { at, least });
        }
    }

    /// Returns the keyframes that don't store their timers.
    pub fn found(mut self) -> Vec<UnstoredTimers> {
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

/// The stats of a player or a team.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct StatsState {
    pub counts: [u8; 10],
    pub possession_time: f32,
    pub stuns: u16,
}

/// The sum of several players' stats.
#[derive(Clone, Copy, Default, Debug)]
pub struct Sum {
    counts: [u32; 10],
    possession_time: f32,
    stuns: u32,
}

impl FromIterator<StatsState> for Sum {
    fn from_iter<T: IntoIterator<Item = StatsState>>(players: T) -> Self {
        let mut sum = Self::default();
        for stats in players {
            for (sum, count) in sum.counts.iter_mut().zip(stats.counts) {
                *sum += u32::from(count);
            }
            sum.possession_time += stats.possession_time.max(0.0);
            sum.stuns += u32::from(stats.stuns);
        }
        sum
    }
}

impl StatsState {
    pub fn step(&mut self, packed: &PackedStats, mended: &mut Mended) {
        for (count, delta) in self.counts.iter_mut().zip(packed.counts) {
            let (sum, wraps) = count.overflowing_add(delta);
            mended.wrapped += u64::from(wraps);
            *count = sum;
        }
        self.possession_time += from_half(packed.possession_time);
        self.stuns = self.stuns.wrapping_add(packed.stuns);
    }

    /// Returns the stats after a difference.
    fn with(mut self, packed: &PackedStats) -> Self {
        self.step(packed, &mut Mended::default());
        self
    }

    /// Whether a difference lowers a count. As an absolute value it would be huge.
    fn falls(&self, by: &PackedStats) -> bool {
        let fell = |known: u8, delta: u8| delta > 127 && known.checked_add(delta).is_none();
        let mut counts = self.counts.into_iter().zip(by.counts);
        counts.any(|(known, delta)| fell(known, delta))
            || by.stuns > 32_767 && self.stuns.checked_add(by.stuns).is_none()
    }

    /// Whether each count is at least that of the players together.
    fn covers(&self, sum: &Sum) -> bool {
        let mut counts = self.counts.iter().zip(sum.counts);
        counts.all(|(&count, sum)| u32::from(count) >= sum) && u32::from(self.stuns) >= sum.stuns
    }

    /// Whether each count equals that of the players together.
    fn equals(&self, sum: &Sum) -> bool {
        let mut counts = self.counts.iter().zip(sum.counts);
        counts.all(|(&count, sum)| u32::from(count) == sum) && u32::from(self.stuns) == sum.stuns
    }

    /// Whether all counts are zero; times may differ.
    fn counts_nothing(&self) -> bool {
        self.counts == [0; 10] && self.stuns == 0
    }
}

/// What a frame contains about a team's stats.
pub struct TeamReport<'t, S> {
    /// Absolute stats or their difference; `None` if the frame has none.
    pub delta: Option<&'t PackedStats>,
    /// The number of players in the team.
    pub players: u8,
    /// The sum of the players' stats, if known.
    pub sum: S,
    /// The writer of the chunk, if known.
    pub dialect: Option<Dialect>,
}

/// Stats of a team that came back and can be understood in two ways.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Doubt {
    /// Whether they are taken to have been gone.
    pub gone: bool,
    /// The stats if they had been gone: the stored values are absolute.
    pub absolute: StatsState,
    /// The stats if they had stayed: the stored values are differences.
    pub sum: StatsState,
}

/// The names of the counts, in the order of the format.
const NAMES: [&str; 10] = [
    "assists",
    "blocks",
    "catches",
    "goals",
    "interceptions",
    "passes",
    "points",
    "saves",
    "steals",
    "shots_taken",
];

impl Doubt {
    /// The rule, with the stat that shows the doubt best: the points, or another count, or any.
    pub fn rule(&self, team: usize) -> Rule {
        let counts = self.absolute.counts.into_iter().zip(self.sum.counts);
        let counts = NAMES.into_iter().zip(counts);
        let open = counts.filter(|(_, (absolute, sum))| absolute != sum);
        let count =
            open.max_by_key(|(name, (absolute, sum))| (*name == "points", absolute.abs_diff(*sum)));
        let [absolute, sum] = [&self.absolute, &self.sum];
        let (stat, absolute, sum) = match count {
            Some((name, (absolute, sum))) => (name, absolute.into(), sum.into()),
            None if absolute.stuns != sum.stuns => {
                ("stuns", absolute.stuns.into(), sum.stuns.into())
            }
            None => (
                "possession_time",
                absolute.possession_time,
                sum.possession_time,
            ),
        };
        let team = u8::try_from(team).ok().and_then(TeamId::from_code);
        Rule::TeamStatsOpen {
            team: team.unwrap_or(TeamId::None),
            stat,
            absolute,
            sum,
            gone: self.gone,
        }
    }
}

/// The stats of a team since a keyframe.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct TeamState {
    /// The last stats.
    stats: Option<StatsState>,
    /// Later frames have stored none.
    quiet: bool,
    /// The last of those frames had no players in the team.
    empty: bool,
    /// One of those frames had no players in the team.
    was_empty: bool,
    /// Stats of a team were stored although it had no players, or were missing although it had some again:
    /// in this match, stats do not disappear with the last player.
    odd: bool,
    /// The stats were less than those of the players together, so that sum proves nothing.
    less: bool,
}

impl TeamState {
    /// The reader's values. They may have disappeared since.
    pub const fn known(&self) -> Option<&StatsState> {
        self.stats.as_ref()
    }

    /// Whether frames without stats have come since.
    pub const fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Shares what one team shows about the match with all teams.
    #[inline]
    pub fn share(teams: &mut [Self; 3]) {
        let odd = teams.iter().any(|team| team.odd);
        for team in teams {
            team.odd = odd;
        }
    }

    /// Applies the next frame. Returns the doubt that it leaves.
    #[inline]
    pub fn step(
        &mut self,
        report: TeamReport<'_, impl FnOnce() -> Option<Sum>>,
        mended: &mut Mended,
    ) -> Option<Doubt> {
        let empty = report.players == 0;
        let Some(delta) = report.delta else {
            // This proves nothing for a team that never had stats: spectators have none.
            self.odd |= self.empty && !empty && self.stats.is_some();
            self.quiet = true;
            self.empty = empty;
            self.was_empty |= empty;
            return None;
        };
        let sum = (report.sum)();
        let (gone, doubt) = self.read(delta, report.players, sum.as_ref(), report.dialect);
        if gone {
            self.stats = None;
        }
        let stats = self.stats.get_or_insert_default();
        stats.step(delta, mended);
        *self = Self {
            odd: self.odd || empty,
            less: self.less || sum.is_some_and(|sum| !stats.covers(&sum)),
            stats: self.stats,
            ..Self::default()
        };
        doubt
    }

    /// Decides whether stats that came back had been gone, and what doubt that leaves.
    pub fn read(
        &self,
        delta: &PackedStats,
        players: u8,
        sum: Option<&Sum>,
        dialect: Option<Dialect>,
    ) -> (bool, Option<Doubt>) {
        let nothing = StatsState::default();
        let Some(known) = self.stats.filter(|known| self.quiet && *known != nothing) else {
            // Both readings agree, or the stats were in the frame before.
            return (false, None);
        };
        let doubt = Doubt {
            gone: self.empty && dialect != Some(Dialect::Exact),
            absolute: nothing.with(delta),
            sum: known.with(delta),
        };
        let falls = known.falls(delta);
        let open = if self.was_empty {
            let possession = delta.possession_time;
            if possession >> 15 == 1 && !is_zero_half(possession) {
                // No time is below 0.
                return (false, None);
            }
            // Written in the game's way by the reference.
            let plain = dialect == Some(Dialect::Reference) && doubt.gone && players > 0;
            let less = self.less || sum.is_some_and(|sum| !doubt.absolute.covers(sum));
            !plain || self.odd || less || falls
        } else {
            sum.is_some_and(|sum| {
                let plain = !falls || doubt.absolute.equals(sum);
                plain && self.may_be_gone(&known, &doubt, sum, dialect)
            })
        };
        (doubt.gone, open.then_some(doubt))
    }

    /// Whether stats may have been gone although the team had players. The game stores them then; other
    /// writers may not.
    ///
    /// A team has at least the stats of its players, and a difference is mostly less. Times are no evidence
    /// if the writer is unknown: the writer that calls this has other times than a reader will have.
    fn may_be_gone(
        &self,
        known: &StatsState,
        doubt: &Doubt,
        sum: &Sum,
        dialect: Option<Dialect>,
    ) -> bool {
        let counts = self.less || !doubt.sum.covers(sum) || doubt.absolute.covers(sum);
        counts
            && match dialect {
                Some(Dialect::Exact) => false,
                // Truncation takes less than a hundredth from times.
                Some(Dialect::Reference) => {
                    doubt.absolute.possession_time >= sum.possession_time * 0.99
                }
                None => !known.counts_nothing() && !doubt.absolute.counts_nothing(),
            }
    }

    /// Whether a frame has to store the stats because leaving them out would be ambiguous later: the team
    /// has no players.
    pub fn has_to_be_stored(&self, players: usize) -> bool {
        players == 0
            && self
                .stats
                .is_some_and(|stats| stats != StatsState::default())
    }
}
