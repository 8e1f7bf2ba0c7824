//! One slip explains it: what goes wrong in practice, tried against the hashes behind a divergence.
//!
//! A hash says little of a state, but much of a guess: whoever guesses what went wrong, replays it and
//! comes to the recorded hash has odds of 2⁻⁶⁴ to be there by chance, and every hash behind it says so
//! again. So the slips that happen (a command lost, taken twice, late, at another cell) are tried one
//! by one: each is a changed log, or another simulation, replayed from a state before the divergence.

mod budget;
mod candidates;
mod edit;
mod judge;
mod named;
mod search;
mod steady;
mod variant;
mod window;

use std::time::Duration;

pub(crate) use budget::Budget;
pub use budget::Progress;
#[cfg(feature = "tape")]
pub(crate) use edit::set;
use search::Search;
pub(crate) use search::{Case, Fresh};
pub use variant::{Build, Variant};
pub(crate) use window::Window;

use crate::checks::Checks;
use crate::divergence::{Divergence, Explanation, Parted};
use crate::read::Replay;
use crate::simulation::Checkpoint;
use crate::verify::{VerifyError, replayable};

/// How long is searched, if nothing else is said.
pub const SLIP_TIME: Duration = Duration::from_secs(10);

/// Searches for the one slip that explains a divergence best: of all that explain the diverging hash,
/// those that explain the most hashes behind it.
///
/// `simulation` has to be in its initial state; the recording is replayed up to a little before the
/// divergence, and from there again for each candidate. `limit` bounds the time of the search,
/// [`SLIP_TIME`] does for most.
///
/// Each replay has to be what the first one was, to which the divergence belongs. Where one is not, no slip
/// is named, and [`Explanation::parted`] says at which tick and in which values two of them differ.
///
/// # Errors
/// [`VerifyError::Read`], [`VerifyError::Simulation`] of what comes before the divergence.
///
/// ```
/// use gametape_murk::engine::World;
/// use gametape_murk::{SLIP_TIME, Slip, explain_slip, read, verify};
/// # use gametape_murk::{CommandBuf, Envelope, Payload, Recorder, Writer};
/// let world = World::from_toml(gametape_samples::murk::HEAT)?;
/// # let header = world.header();
/// # let set = |value: f32| {
/// #     let mut commands = CommandBuf::new();
/// #     let set = Payload::SetField { coord: (&[3, 4]).into(), field: 0, value };
/// #     commands.push(&Envelope::default(), &set).map(|()| commands)
/// # };
/// # let mut recorder = Recorder::new(Writer::new(Vec::new(), &header)?, &header);
/// # let mut recorded = world.build()?;
/// # for tick in 1..=20 {
/// #     let commands = if tick == 1 { set(1.0)? } else { CommandBuf::new() };
/// #     recorder.step(&mut recorded, tick, commands.as_commands())?;
/// # }
/// # let lost = recorder.finish()?;
/// # let mut writer = Writer::new(Vec::new(), &header)?;
/// # for frame in read(&lost)?.frames() {
/// #     let frame = frame?;
/// #     let off = set(0.0)?;
/// #     let commands = if frame.tick == 9 { off.as_commands() } else { frame.commands() };
/// #     writer.push(frame.tick, commands, frame.snapshot_hash)?;
/// # }
/// # let bytes = writer.finish()?;
/// // A stove is lit at tick 1. The log says that it was put out at tick 9; but the simulation that
/// // was recorded never heard of that.
/// let replay = read(&bytes)?;
/// let error = verify(&replay, &mut world.build()?).unwrap_err();
/// let divergence = error.divergence().unwrap();
/// assert_eq!(divergence.tick, 9);
///
/// let found = explain_slip(&replay, &mut world.build()?, divergence, SLIP_TIME)?;
/// let Some(Slip::Dropped(command)) = found.best() else { panic!("{found}") };
/// assert_eq!((command.tick, command.command), (9, 0));
/// assert_eq!(found.explained, 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explain_slip<S: Checkpoint>(
    replay: &Replay<'_>,
    simulation: &mut S,
    divergence: &Divergence,
    limit: Duration,
) -> Result<Explanation, VerifyError<S::Error>> {
    explain_slip_with(
        replay,
        simulation,
        divergence,
        limit,
        std::iter::empty(),
        &mut |_| true,
    )
}

/// [`explain_slip`], with other simulations among the candidates, and with somebody who hears how far
/// the search is and may end it (by false).
///
/// # Errors
/// As [`explain_slip`].
pub fn explain_slip_with<'v, S: Checkpoint>(
    replay: &Replay<'_>,
    simulation: &mut S,
    divergence: &Divergence,
    limit: Duration,
    variants: impl Iterator<Item = Variant<'v, S>>,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<Explanation, VerifyError<S::Error>> {
    let fields = replayable(replay.header())?;
    let first = Window::begin(divergence.frame);
    let mut window = Window::new(first, divergence.frame);
    let mut checks = Checks::new(fields);
    let mut again = Ok(());
    for frame in replay.frames() {
        let frame = match frame {
            // What is torn behind the divergence takes nothing from what is before.
            Err(_) if window.len() > window.at() => break,
            frame => frame?,
        };
        if frame.index < first {
            simulation
                .step(frame.tick, frame.commands())
                .map_err(|source| VerifyError::of_step(&frame, source))?;
            again = again.and_then(|()| checks.stepped(simulation, &frame));
        } else if !window.push(&frame) {
            break;
        }
    }
    if let Err(again) = again.and_then(|()| checks.compare(simulation)) {
        return Ok(Explanation::of_parted(&window, Parted::of(&again, false)));
    }
    let case = Case {
        window: &window,
        fields,
        replayed: divergence.replayed_hash,
        went_back: false,
    };
    let budget = Budget::new(limit, watch);
    Ok(explain_window(
        simulation,
        &mut || None,
        case,
        budget,
        variants,
    ))
}

/// [`explain_slip_with`] of a simulation that stands before the window's first frame; `fresh` makes others
/// of the same world.
pub(crate) fn explain_window<'v, S: Checkpoint>(
    simulation: &mut S,
    fresh: Fresh<'_, S>,
    case: Case<'_>,
    budget: Budget<'_>,
    variants: impl Iterator<Item = Variant<'v, S>>,
) -> Explanation {
    let mut search = Search::new(simulation, case, budget);
    let base = search.base();
    if let Some(base) = &base {
        // Of the time, most is for what is likely, and some is kept to run on what is found.
        search.hold_again(fresh, 0.1);
        search.near(base, 0.5);
        search.variants(variants, 0.6);
        search.run_on(0.8);
        search.far(search.share_for_more());
        search.run_on(1.0);
    }
    judge::judge(search, base.as_ref())
}
