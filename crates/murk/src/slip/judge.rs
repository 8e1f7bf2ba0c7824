//! Which explanation is the best: the one that explains the most hashes.

use super::evidence::Evidence;
use super::kinds::Slip;
use super::report::{Explanation, MAX_SLIPS};
use super::search::{Base, Found, Search};
use super::window::Window;
use crate::divergence::Cause;
use crate::simulation::Checkpoint;

/// By how many frames the replay's hashes are those that were recorded, and how many of them.
struct Shift {
    /// The place of the replay's first of them.
    place: usize,
    explained: u64,
}

/// The shift that explains the most hashes, if any does.
fn shift(window: &Window, base: &Base) -> Option<Shift> {
    let at = window.at();
    let replayed = |place: usize| match place.checked_sub(at) {
        Some(behind) => base.hashes.get(behind).copied(),
        None => window.hash(place),
    };
    let (is, recorded) = (replayed(at)?, window.hash(at)?);
    // A state that does not change is the same at many ticks: that says nothing.
    if is == recorded {
        return None;
    }
    let explained = |place: usize| {
        (0..base.hashes.len())
            .take_while(|behind| {
                let hash = window.hash(at + behind);
                hash.is_some() && hash == replayed(place + behind)
            })
            .count() as u64
    };
    let places = (0..at + base.hashes.len()).filter(|place| *place != at);
    places
        .map(|place| Shift {
            place,
            explained: explained(place),
        })
        .filter(|shift| shift.explained > 0)
        // The nearest of several.
        .min_by_key(|shift| (std::cmp::Reverse(shift.explained), shift.place.abs_diff(at)))
}

/// What is known of the divergence: each cause that can be, with what it explains.
fn cause<S: Checkpoint>(
    window: &Window,
    base: &Base,
    found: &[Found<S>],
) -> (Option<Cause>, Option<Evidence>) {
    let mut causes: Vec<(u64, u8, Cause)> = Vec::new();
    let mut values = Vec::new();
    for one in found {
        match &one.slip {
            Slip::Hash { bits, .. } => {
                let rank = if *bits == 1 { 3 } else { 0 };
                causes.push((one.explained, rank, Cause::Hash { bits: *bits }));
            }
            Slip::Value { value, .. } => values.push((one.explained, value.clone())),
            _ => {}
        }
    }
    let most = values.iter().map(|(explained, _)| *explained).max();
    if let Some(most) = most {
        values.retain(|(explained, _)| *explained == most);
        let mut values: Vec<_> = values.into_iter().map(|(_, value)| value).collect();
        let cause = match values.pop() {
            Some(only) if values.is_empty() => Cause::Value(only),
            last => {
                values.extend(last);
                Cause::Ambiguous(values)
            }
        };
        causes.push((most, 2, cause));
    }
    if let Some(shift) = shift(window, base) {
        let tick = window.tick(shift.place);
        causes.push((shift.explained, 1, Cause::OtherTick { tick }));
    }
    causes.sort_by_key(|(explained, rank, _)| std::cmp::Reverse((*explained, *rank)));
    let mut causes = causes.into_iter();
    let Some((explained, _, cause)) = causes.next() else {
        return (None, None);
    };
    let evidence = Evidence {
        explained,
        behind: window.len().saturating_sub(window.at() + 1) as u64,
        next: causes.next().map(|(explained, ..)| explained),
    };
    (Some(cause), Some(evidence))
}

/// What a search comes to.
pub(super) fn judge<S: Checkpoint>(
    mut search: Search<'_, '_, S>,
    base: Option<&Base>,
) -> Explanation {
    let window = search.window();
    let mut found = std::mem::take(&mut search.found);
    let (cause, evidence) = base.map_or((None, None), |base| cause(window, base, &found));
    found.sort_by_key(|one| (std::cmp::Reverse(one.explained), one.slip.freedom()));
    let dropped: Vec<(u64, u32, u64)> = found
        .iter()
        .filter_map(|one| match &one.slip {
            Slip::Dropped(command) => Some((command.frame, command.command, one.explained)),
            _ => None,
        })
        .collect();
    found.retain(|one| match (&one.slip, one.slip.command()) {
        (Slip::Aimed { .. } | Slip::Given { .. }, Some(command)) => {
            !dropped.iter().any(|&(frame, number, explained)| {
                (frame, number) == (command.frame, command.command) && explained >= one.explained
            })
        }
        _ => true,
    });
    // That a value became another is what every slip does that shows in one, and a damaged hash can be
    // any: they are slips of their own only where nothing that leaves less open explains as much.
    let most = found.first().map_or(0, |one| one.explained);
    let plain = |slip: &Slip| match slip {
        Slip::Value { .. } => 1,
        Slip::Hash { bits: 2.., .. } => 2,
        _ => 0,
    };
    let best = found.iter().filter(|one| one.explained == most);
    if let Some(plainest) = best.map(|one| plain(&one.slip)).min() {
        found.retain(|one| one.explained < most || plain(&one.slip) == plainest);
    }
    let (best, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|one| one.explained == most);
    let open = best.iter().any(|one| one.open);
    let equal = best.len() as u64;
    let mut slips: Vec<Slip> = best.into_iter().map(|one| one.slip).collect();
    slips.truncate(MAX_SLIPS);
    Explanation {
        frame: window.index(window.at()),
        tick: window.tick(window.at()),
        more: equal - slips.len() as u64 + search.more,
        slips,
        explained: most,
        behind: search.behind(),
        open,
        next: others.first().map_or(0, |one| one.explained),
        tried: search.tried,
        complete: search.complete,
        cause,
        evidence,
    }
}
