//! The changes of a log that are tried, the likely ones first.

use super::edit::Edit;
use super::window::Window;
use crate::payload::Payload;

/// The most ticks that may be missing.
const MISSING: usize = 8;
/// The most ticks that a command may have been moved by.
const FAR: usize = 8;

/// The candidates that are tried after the dropped commands: at the divergence and in the ticks
/// around it.
pub(super) fn near(window: &Window) -> impl Iterator<Item = Edit> + '_ {
    let at = window.at();
    let count = move |place: usize| window.commands(place).len();
    let here = count(at);
    let before = at.checked_sub(1);
    let frames = (1..=MISSING)
        .map(move |ticks| Edit::Insert { frame: at, ticks })
        .chain([Edit::Remove { frame: at }, Edit::Exchange { frame: at }])
        // If two exchanged frames both match in either order, the state after them is another one.
        .chain((1..=2).filter_map(move |back| {
            let frame = at.checked_sub(back)?;
            Some(Edit::Exchange { frame })
        }));
    let swaps = (1..here).map(move |with| Edit::Swap {
        frame: at,
        command: with - 1,
        with,
    });
    let again = (0..here).map(move |command| Edit::Double {
        frame: at,
        command,
        into: at,
    });
    let beside = before.into_iter().chain([at + 1]);
    let also = beside.clone().flat_map(move |frame| {
        (0..count(frame)).map(move |command| Edit::Double {
            frame,
            command,
            into: at,
        })
    });
    let moves = beside
        .clone()
        .flat_map(move |other| between(window, other, at));
    let across = before
        .into_iter()
        .chain([at])
        .map(|frame| Edit::SwapTicks { frame });
    // A queue that leaves out a single command is the same as dropping that command.
    let cuts = (0..here.saturating_sub(1)).map(move |taken| Edit::Take { frame: at, taken });
    frames
        .chain(moves)
        .chain(swaps)
        .chain(across)
        .chain(also)
        .chain(again)
        .chain(cuts)
}

/// The commands of two ticks, each moved to the other tick.
fn between(window: &Window, one: usize, other: usize) -> impl Iterator<Item = Edit> + '_ {
    [(one, other), (other, one)]
        .into_iter()
        .flat_map(move |(frame, to)| {
            (0..window.commands(frame).len()).flat_map(move |command| {
                [true, false].map(|first| Edit::Move {
                    frame,
                    command,
                    to,
                    first,
                })
            })
        })
}

/// The candidates that are tried if time is left: commands moved by several ticks, and any two
/// commands of a tick swapped.
pub(super) fn far(window: &Window) -> impl Iterator<Item = Edit> + '_ {
    let at = window.at();
    let here = window.commands(at).len();
    let moves = (2..=FAR).flat_map(move |ticks| {
        let beside = at.checked_sub(ticks).into_iter().chain([at + ticks]);
        beside.flat_map(move |other| between(window, other, at))
    });
    let swaps = (0..here).flat_map(move |command| {
        (command + 2..here).map(move |with| Edit::Swap {
            frame: at,
            command,
            with,
        })
    });
    moves.chain(swaps)
}

/// Frames that were left out or doubled before the divergence. A world at rest shows them only if
/// something counts its ticks, such as the expiry of commands.
pub(super) fn frames(window: &Window) -> impl Iterator<Item = Edit> {
    (0..window.at()).rev().flat_map(|frame| {
        (1..=MISSING)
            .map(move |ticks| Edit::Insert { frame, ticks })
            .chain([Edit::Remove { frame }])
    })
}

/// The candidates at a frame before the divergence, for a simulation that may have hidden state.
pub(super) fn back(window: &Window, frame: usize) -> impl Iterator<Item = Edit> + '_ {
    let here = window.commands(frame).len();
    let drops = (0..here).map(move |command| Edit::Drop { frame, command });
    let moves = between(window, frame, frame + 1);
    let swaps = (1..here).map(move |with| Edit::Swap {
        frame,
        command: with - 1,
        with,
    });
    let doubles = [frame, frame + 1].into_iter().flat_map(move |into| {
        (0..here).map(move |command| Edit::Double {
            frame,
            command,
            into,
        })
    });
    let cuts = (0..here.saturating_sub(1)).map(move |taken| Edit::Take { frame, taken });
    drops
        .chain(moves)
        .chain(swaps)
        .chain(std::iter::once(Edit::SwapTicks { frame }))
        .chain(doubles)
        .chain(cuts)
}

/// The most cells that a command is aimed at one by one, if the hash does not determine the cell.
pub(super) const MOST_CELLS: usize = 1 << 16;

/// Each command aimed at each cell.
pub(super) fn cells(
    window: &Window,
    elements: Vec<(u32, usize, Vec<i32>)>,
) -> impl Iterator<Item = Edit> + '_ {
    let at = window.at();
    let commands = window.commands(at).iter().enumerate();
    let sets = commands
        .filter(|(_, command)| matches!(command.payload(), Ok(Payload::SetField { .. })))
        .map(|(command, _)| command);
    sets.flat_map(move |command| {
        let elements = elements.clone();
        elements
            .into_iter()
            .map(move |(field, element, coord)| Edit::Aim {
                frame: at,
                command,
                field,
                element,
                coord,
            })
    })
}

/// Returns true if a frame has the same content as the one before it.
pub(super) fn is_repeated(window: &Window, place: usize) -> bool {
    let before = place.checked_sub(1).and_then(|place| window.frame(place));
    let frame = window.frame(place);
    before.zip(frame).is_some_and(|(before, frame)| {
        before.commands() == frame.commands() && before.snapshot_hash == frame.snapshot_hash
    })
}
