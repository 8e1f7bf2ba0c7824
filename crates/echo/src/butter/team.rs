//! The stats of players and teams that a reader has, and when those of a team go away.
//!
//! The game answers none of a team in which nobody plays: they go away where its last player leaves, and
//! come back. The reference writes nothing of them meanwhile, as where they have not changed, and writes
//! them absolute once they are back, as bare of any mark as a difference. What tells the two apart is who
//! plays; where that is not enough, there is a [`Doubt`].

use super::dialect::{Dialect, Mended};
use super::difference::is_zero_half;
use super::half::from_half;
use super::packed::PackedStats;
use crate::model::TeamId;
use crate::rule::Rule;

/// What a player or a team has done.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct StatsState {
    pub counts: [u8; 10],
    pub possession_time: f32,
    pub stuns: u16,
}

/// What several players have done together.
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

    /// The same, by a difference.
    fn with(mut self, packed: &PackedStats) -> Self {
        self.step(packed, &mut Mended::default());
        self
    }

    /// Whether a difference makes one of them less, which as a number of its own would be a huge one.
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

    /// Whether each count is that of the players together.
    fn equals(&self, sum: &Sum) -> bool {
        let mut counts = self.counts.iter().zip(sum.counts);
        counts.all(|(&count, sum)| u32::from(count) == sum) && u32::from(self.stuns) == sum.stuns
    }

    /// Whether nothing but time has passed.
    fn counts_nothing(&self) -> bool {
        self.counts == [0; 10] && self.stuns == 0
    }
}

/// What a frame says of a team's stats, and around them.
pub struct Told<'t, S> {
    /// Stats, or what they differ by; `None` where the frame has none.
    pub delta: Option<&'t PackedStats>,
    /// How many play.
    pub players: u8,
    /// What those have done together, where that is known.
    pub sum: S,
    /// Who wrote the chunk, where that is known.
    pub dialect: Option<Dialect>,
}

/// Stats of a team that were told again, and may be meant in two ways.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Doubt {
    /// They are taken as if they had been gone.
    pub gone: bool,
    /// What they are if they had been gone: as they are told.
    pub absolute: StatsState,
    /// What they are if they had stayed.
    pub sum: StatsState,
}

/// Names of the counts, in the order of the format.
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
    /// By the stat that shows it best: the points, else a count, else what there is.
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
    /// As they were told last.
    stats: Option<StatsState>,
    /// Frames have come since that tell none.
    quiet: bool,
    /// In the last of them, nobody played.
    empty: bool,
    /// In one of them, nobody played.
    was_empty: bool,
    /// Those of a team were told where nobody played, or stayed untold where somebody played again: in this
    /// match stats do not go with the last player.
    odd: bool,
    /// They were less than those of the players together: those say nothing of them.
    less: bool,
}

impl TeamState {
    /// What a reader has: whether they are gone since, nothing tells.
    pub const fn known(&self) -> Option<&StatsState> {
        self.stats.as_ref()
    }

    /// Whether frames have come since they were told.
    pub const fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// What one team shows of the match goes for all.
    #[inline]
    pub fn share(teams: &mut [Self; 3]) {
        let odd = teams.iter().any(|team| team.odd);
        for team in teams {
            team.odd = odd;
        }
    }

    /// Goes on by a frame; what that leaves open.
    #[inline]
    pub fn step(
        &mut self,
        told: Told<'_, impl FnOnce() -> Option<Sum>>,
        mended: &mut Mended,
    ) -> Option<Doubt> {
        let empty = told.players == 0;
        let Some(delta) = told.delta else {
            // Of one that never had any, nothing follows: spectators have none.
            self.odd |= self.empty && !empty && self.stats.is_some();
            self.quiet = true;
            self.empty = empty;
            self.was_empty |= empty;
            return None;
        };
        let sum = (told.sum)();
        let (gone, doubt) = self.read(delta, told.players, sum.as_ref(), told.dialect);
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

    /// Whether stats that are told again are taken to have been gone, and what that leaves open.
    pub fn read(
        &self,
        delta: &PackedStats,
        players: u8,
        sum: Option<&Sum>,
        dialect: Option<Dialect>,
    ) -> (bool, Option<Doubt>) {
        let nothing = StatsState::default();
        let Some(known) = self.stats.filter(|known| self.quiet && *known != nothing) else {
            // They are the same either way, or were there in the frame before.
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
            // The game's way, and the reference's.
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

    /// Whether stats may have been gone though somebody played. The game tells them then; others may not.
    ///
    /// A team has done what its players have done, at least: a difference is mostly less. To whoever does not
    /// know the writer, times say nothing: a writer that asks this has others than a reader will have.
    fn may_be_gone(
        &self,
        known: &StatsState,
        told: &Doubt,
        sum: &Sum,
        dialect: Option<Dialect>,
    ) -> bool {
        let counts = self.less || !told.sum.covers(sum) || told.absolute.covers(sum);
        counts
            && match dialect {
                Some(Dialect::Exact) => false,
                // What is cut off of times is less than a hundredth.
                Some(Dialect::Reference) => {
                    told.absolute.possession_time >= sum.possession_time * 0.99
                }
                None => !known.counts_nothing() && !told.absolute.counts_nothing(),
            }
    }

    /// Whether a frame without them would leave it open what they mean where they are told again: nobody
    /// plays.
    pub fn has_to_be_told(&self, players: usize) -> bool {
        players == 0
            && self
                .stats
                .is_some_and(|stats| stats != StatsState::default())
    }
}
