//! Chooses the best explanation: the one that explains the most hashes.

use super::search::{Base, Found, Search};
use super::window::Window;
use crate::divergence::{Cause, Evidence, Explanation, MAX_SLIPS, Parted, Slip};
use crate::simulation::Checkpoint;

/// A shift: the recorded hashes are those of the replay, some frames earlier or later.
struct Shift {
    /// The place of the first matching hash in the replay.
    place: usize,
    rank: Rank,
}

/// Finds the shift that explains the most hashes.
fn shift(window: &Window, base: &Base) -> Option<Shift> {
    let at = window.at();
    let replayed = |place: usize| match place.checked_sub(at) {
        Some(after) => base.hashes.get(after).copied(),
        None => window.hash(place),
    };
    let (is, recorded) = (replayed(at)?, window.hash(at)?);
    // A state that does not change is the same at many ticks, which proves nothing.
    if is == recorded {
        return None;
    }
    let rank = |place: usize| {
        let pair = |after: usize| (window.hash(at + after), replayed(place + after));
        let explained = (0..base.hashes.len())
            .take_while(|after| matches!(pair(*after), (Some(hash), Some(is)) if hash == is))
            .count();
        // As long as the state does not change, it matches at any shift.
        let at_rest = |explained: usize| {
            (1..explained).all(|after| window.hash(at + after) == Some(recorded))
        };
        if explained > 1 && at_rest(explained) {
            return Rank {
                explained: 1,
                open: false,
            };
        }
        Rank {
            explained: explained as u64,
            // The hashes of the replay end here.
            open: matches!(pair(explained), (Some(_), None)),
        }
    };
    let places = (0..at + base.hashes.len()).filter(|place| *place != at);
    places
        .map(|place| Shift {
            place,
            rank: rank(place),
        })
        .filter(|shift| shift.rank.explained > 0)
        // The nearest one, if several explain as much.
        .min_by_key(|shift| {
            (
                std::cmp::Reverse(shift.rank.explained),
                shift.place.abs_diff(at),
            )
        })
}

/// The number of hashes that a reading or a slip explains, and whether it may explain more because
/// nothing has contradicted it.
#[derive(Clone, Copy)]
struct Rank {
    explained: u64,
    open: bool,
}

impl Rank {
    fn of<S: Checkpoint>(found: &Found<S>) -> Self {
        Self {
            explained: found.explained,
            open: found.open,
        }
    }

    fn most(ranks: impl Iterator<Item = Self>) -> u64 {
        ranks.map(|rank| rank.explained).max().unwrap_or(0)
    }

    /// Returns true if no other candidate is known to explain more. A candidate that was replayed
    /// less far is not worse for that.
    const fn is_best(self, most: u64) -> bool {
        self.open || self.explained == most
    }
}

/// A cause that follows from the diverging hash alone, and the number of hashes that it explains.
struct HashReading {
    rank: Rank,
    /// If two readings explain the same, the more likely one wins.
    likely: u8,
    cause: Cause,
}

/// Returns all possible readings, the best first.
fn readings<S: Checkpoint>(window: &Window, base: &Base, found: &[Found<S>]) -> Vec<HashReading> {
    let mut readings = Vec::new();
    let mut values = Vec::new();
    for one in found {
        match &one.slip {
            Slip::Hash { bits, .. } => readings.push(HashReading {
                rank: Rank::of(one),
                likely: if *bits == 1 { 3 } else { 0 },
                cause: Cause::Hash { bits: *bits },
            }),
            Slip::Value { value, .. } => values.push((Rank::of(one), value.clone())),
            _ => {}
        }
    }
    let most = Rank::most(values.iter().map(|(rank, _)| *rank));
    values.retain(|(rank, _)| rank.is_best(most));
    let least = values.iter().map(|(rank, _)| *rank);
    if let Some(rank) = least.min_by_key(|rank| rank.explained) {
        let mut values: Vec<_> = values.into_iter().map(|(_, value)| value).collect();
        let cause = match values.pop() {
            Some(only) if values.is_empty() => Cause::Value(only),
            last => {
                values.extend(last);
                Cause::Ambiguous(values)
            }
        };
        readings.push(HashReading {
            rank,
            likely: 2,
            cause,
        });
    }
    if let Some(Shift { place, rank }) = shift(window, base) {
        let tick = window.tick(place);
        readings.push(HashReading {
            rank,
            likely: 1,
            cause: Cause::OtherTick { tick },
        });
    }
    let most = Rank::most(readings.iter().map(|reading| reading.rank));
    let after = window.len().saturating_sub(window.at() + 1) as u64;
    readings.sort_by_key(|&HashReading { rank, likely, .. }| {
        std::cmp::Reverse(if rank.is_best(most) {
            (u64::MAX, rank.explained > after, likely)
        } else {
            (rank.explained, false, likely)
        })
    });
    readings
}

/// Returns the verdict on the divergence: the cause that explains the most. If a slip explains more
/// than any reading of the hash, the readings are not reported. The value that differs in this tick
/// is an exception, because the slip may have changed it.
fn verdict<S: Checkpoint>(
    readings: Vec<HashReading>,
    (best, beyond): (&[Found<S>], u64),
    after: u64,
) -> (Option<Cause>, Option<Evidence>) {
    let evidence = |explained: u64, next: Option<&HashReading>| Evidence {
        explained,
        after,
        next: next.map(|reading| reading.rank.explained),
    };
    let is_reading = |slip: &Slip| matches!(slip, Slip::Hash { .. } | Slip::Value { .. });
    let explained = best.iter().map(|one| one.explained).min().unwrap_or(0);
    if !best.is_empty() && !best.iter().any(|one| is_reading(&one.slip)) {
        let frames = best.iter().any(|one| one.slip.is_of_frames());
        let is_lesser = |first: &HashReading| match first.cause {
            Cause::OtherTick { .. } if !frames => first.rank.explained <= explained,
            _ => !first.rank.open && first.rank.explained < explained,
        };
        if readings.first().is_none_or(is_lesser) {
            let differs = |cause: &Cause| matches!(cause, Cause::Value(_) | Cause::Ambiguous(_));
            let value = readings.iter().find(|one| differs(&one.cause));
            return match (value, best) {
                // The slip explains less by itself.
                (Some(value), _) => (Some(value.cause.clone()), None),
                (None, [only]) if beyond == 0 => {
                    let slip = Box::new(only.slip.clone());
                    (
                        Some(Cause::Slip(slip)),
                        Some(evidence(explained, readings.first())),
                    )
                }
                _ => (Some(Cause::Many), None),
            };
        }
    }
    let mut readings = readings.into_iter();
    let Some(first) = readings.next() else {
        return (None, None);
    };
    let evidence = evidence(first.rank.explained, readings.next().as_ref());
    (Some(first.cause), Some(evidence))
}

impl Explanation {
    /// The explanation if two replays of a window differ.
    pub(crate) fn of_parted(window: &Window, parted: Parted) -> Self {
        Self {
            frame: window.index(window.at()),
            tick: window.tick(window.at()),
            after: window.len().saturating_sub(window.at() + 1) as u64,
            parted: Some(parted),
            ..Self::default()
        }
    }
}

/// Splits the slips into the best and the others. Slips that explain the same are ordered by their
/// freedom.
fn best<S: Checkpoint>(mut found: Vec<Found<S>>, after: u64) -> (Vec<Found<S>>, Vec<Found<S>>) {
    found.sort_by_key(|one| (std::cmp::Reverse(one.explained), one.slip.freedom()));
    let dropped: Vec<(u64, u32, Rank)> = found
        .iter()
        .filter_map(|one| match &one.slip {
            Slip::Dropped(command) => Some((command.frame, command.command, Rank::of(one))),
            _ => None,
        })
        .collect();
    found.retain(|one| match (&one.slip, one.slip.command()) {
        (Slip::Aimed { .. } | Slip::OtherValue { .. }, Some(command)) => {
            !dropped.iter().any(|&(frame, number, rank)| {
                (frame, number) == (command.frame, command.command)
                    && (rank.open || rank.explained >= one.explained)
            })
        }
        _ => true,
    });
    // Every slip that shows in one value looks like a value that changed by itself, and any slip
    // looks like a damaged hash. Those two are reported only if no slip with less freedom explains
    // as much, and was contradicted before they were.
    let most = Rank::most(found.iter().map(Rank::of));
    let is_best = |one: &Found<S>| Rank::of(one).is_best(most);
    let stands = |one: &&Found<S>| one.open || one.explained > after;
    let plain = |one: &Found<S>| match one.slip {
        Slip::Value { .. } => 1,
        Slip::Hash { bits: 2.., .. } => 2,
        _ => 0,
    };
    let equal = || found.iter().filter(|one| is_best(one));
    let standing = equal().filter(stands).map(plain).min();
    if let Some(plainest) = standing.or_else(|| equal().map(plain).min()) {
        found.retain(|one| !is_best(one) || plain(one) <= plainest);
    }
    found.into_iter().partition(is_best)
}

/// Returns the result of a search.
pub(super) fn judge<S: Checkpoint>(
    mut search: Search<'_, '_, S>,
    base: Option<&Base>,
) -> Explanation {
    let window = search.window();
    let found = std::mem::take(&mut search.found);
    let readings = base.map_or_else(Vec::new, |base| readings(window, base, &found));
    let after = search.after();
    let (best, others) = best(found, after);
    // A slip that is named must give the same result each time, and so must the replay.
    for one in best.iter().take(MAX_SLIPS) {
        if let Some(edit) = &one.edit {
            search.try_again(edit);
        }
    }
    if base.is_some() {
        search.check_divergence();
    }
    if let Some(parted) = search.parted.take() {
        return Explanation {
            tried: search.tried,
            ..Explanation::of_parted(window, parted)
        };
    }
    let explained = best.iter().map(|one| one.explained).min();
    let open = best.iter().any(|one| one.open);
    let equal = best.len() as u64;
    let beyond = explained.map_or(0, |explained| search.beyond(explained));
    let (cause, evidence) = verdict(readings, (&best, beyond), after);
    let mut slips: Vec<Slip> = best.into_iter().map(|one| one.slip).collect();
    slips.truncate(MAX_SLIPS);
    Explanation {
        frame: window.index(window.at()),
        tick: window.tick(window.at()),
        more: equal - slips.len() as u64 + beyond,
        slips,
        explained: explained.unwrap_or(0),
        after,
        open,
        next: others.first().map_or(0, |one| one.explained),
        tried: search.tried,
        complete: search.complete,
        cause,
        evidence,
        parted: None,
    }
}

#[cfg(all(test, feature = "engine"))]
mod tests {
    use super::*;
    use crate::divergence::{CommandAt, Difference};
    use crate::engine::EngineWorld;
    use crate::model::payload::CommandText;

    fn dropped() -> Slip {
        Slip::Dropped(CommandAt {
            frame: 7,
            tick: 8,
            command: 0,
            text: CommandText(String::new()),
        })
    }

    fn value() -> Slip {
        let value = Difference {
            field: 0,
            field_name: None,
            element: 3,
            location: None,
            replayed: 1.0,
            recorded: 0.0,
        };
        Slip::Value { value, lasts: true }
    }

    /// Returns the best of slips, given the number of 101 hashes that each explains and whether it
    /// may explain more.
    fn best_of(found: &[(Slip, u64, bool)]) -> Vec<Slip> {
        let found = found.iter().cloned();
        let found = found.map(|(slip, explained, open)| Found::new(slip, explained, open));
        let (best, _) = best::<EngineWorld>(found.collect(), 100);
        best.into_iter().map(|one| one.slip).collect()
    }

    #[test]
    fn what_was_run_on_less_far_is_no_worse_for_that() {
        let bit = Slip::Hash { bits: 1, bit: 9 };
        for (found, is) in [
            // The time was up: both may explain all.
            (
                [(dropped(), 40, true), (value(), 60, true)],
                vec![dropped()],
            ),
            (
                [(dropped(), 2, true), (bit.clone(), 60, true)],
                vec![bit.clone(), dropped()],
            ),
            // One was contradicted and the other was not.
            (
                [(dropped(), 40, true), (value(), 60, false)],
                vec![dropped()],
            ),
            (
                [(dropped(), 40, false), (value(), 30, true)],
                vec![dropped(), value()],
            ),
            // Both were contradicted.
            (
                [(dropped(), 40, false), (value(), 60, false)],
                vec![value()],
            ),
            (
                [(dropped(), 40, false), (value(), 40, false)],
                vec![dropped()],
            ),
            // One of them explained all, or both did.
            (
                [(dropped(), 101, false), (value(), 60, false)],
                vec![dropped()],
            ),
            (
                [(dropped(), 101, false), (value(), 60, true)],
                vec![dropped()],
            ),
            (
                [(dropped(), 60, false), (value(), 101, false)],
                vec![value()],
            ),
            (
                [(dropped(), 101, false), (value(), 101, false)],
                vec![dropped()],
            ),
        ] {
            assert_eq!(best_of(&found), is, "{found:?}");
        }
    }
}
