//! The search for a single slip that explains a divergence. Practical mistakes are tried against
//! the recorded hashes.
//!
//! A hash says little about a state, but much about a guess: a wrong guess that is replayed leads
//! to the recorded hash with odds of 2⁻⁶⁴, and every later hash confirms it again. So the usual
//! slips (a command that was lost, taken twice, late, or aimed at another cell) are tried one by
//! one. Each is a changed log, or another simulation, which is replayed from a state before the
//! divergence.

mod candidates;
mod edit;
mod judge;
mod search;
mod steady;
mod window;

use std::fmt;
use std::time::{Duration, Instant};

#[cfg(feature = "tape")]
pub(crate) use edit::{set, stored};
use search::{Case, Fresh, Search};
pub(crate) use window::Window;

use crate::divergence::{Divergence, Explanation, Parted, Slip};
use crate::layout::Frame;
use crate::read::Replay;
use crate::replay::comparison::HashComparison;
use crate::replay::verify::{VerifyError, replayable};
use crate::simulation::Checkpoint;

/// The default time limit of a search.
pub const SLIP_TIME: Duration = Duration::from_secs(10);

/// Searches for the slip that explains a divergence best: among the slips that explain the
/// diverging hash, the one that explains the most hashes after it.
///
/// `simulation` must be in its initial state. The recording is replayed up to a little before the
/// divergence, and from there again for each candidate. `limit` is the time limit of the search;
/// [`SLIP_TIME`] is enough for most recordings.
///
/// Each replay must equal the first one, to which the divergence belongs. If one does not, no slip
/// is named, and [`Explanation::parted`] has the tick and the values in which two of them differ.
///
/// # Errors
/// [`VerifyError::Read`] and [`VerifyError::Simulation`] in the part before the divergence.
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

/// [`explain_slip`] with further simulations among the candidates, and with a callback that gets
/// the progress and may stop the search by returning false.
///
/// # Errors
/// Same as [`explain_slip`].
pub fn explain_slip_with<'v, S: Checkpoint>(
    replay: &Replay<'_>,
    simulation: &mut S,
    divergence: &Divergence,
    limit: Duration,
    variants: impl Iterator<Item = Variant<'v, S>>,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<Explanation, VerifyError<S::Error>> {
    let fields = replayable(replay.header())?;
    let mut approach = Approach::new(divergence, fields, 0);
    for frame in replay.frames() {
        let frame = match frame {
            // A torn end after the divergence does not matter.
            Err(_) if approach.is_there() => break,
            frame => frame?,
        };
        let pushed = approach.push(simulation, &frame);
        if !pushed.map_err(|source| VerifyError::of_step(&frame, source))? {
            break;
        }
    }
    let budget = Budget::new(limit, watch);
    Ok(approach.explain(simulation, &mut || None, budget, variants))
}

/// The way of a simulation to the window of a divergence. Each tick must be the same as the first time.
pub(crate) struct Approach {
    window: Window,
    fields: u32,
    checks: HashComparison,
    /// The frame that the simulation is before at the start; a saved state was restored if it is not 0.
    from: u64,
    /// The hash of the first replay at the divergence.
    replayed: u64,
    parted: Option<Parted>,
}

impl Approach {
    pub fn new(divergence: &Divergence, fields: u32, from: u64) -> Self {
        Self {
            window: Window::new(Window::begin(divergence.frame), divergence.frame),
            fields,
            checks: HashComparison::new(fields),
            from,
            replayed: divergence.replayed_hash,
            parted: None,
        }
    }

    /// Takes the next frame of the recording: makes its tick, or keeps it for the search. Returns false if
    /// no further frame is needed.
    pub fn push<S: Checkpoint>(
        &mut self,
        simulation: &mut S,
        frame: &Frame<'_>,
    ) -> Result<bool, S::Error> {
        if frame.index >= self.window.index(0) {
            return Ok(self.window.push(frame));
        }
        if frame.index >= self.from && self.parted.is_none() {
            simulation.step(frame.tick, frame.commands())?;
            let stepped = self.checks.stepped(simulation, frame);
            self.parted = stepped.err().map(|again| Parted::of(&again, self.from > 0));
        }
        Ok(true)
    }

    /// Notes that a tick that was made once could not be made again.
    #[cfg(feature = "tape")]
    pub fn failed(&mut self, frame: &Frame<'_>, reason: String) {
        let place = (frame.index, frame.tick);
        self.parted = Some(Parted::failed(
            place,
            frame.snapshot_hash,
            reason,
            self.from > 0,
        ));
    }

    /// Returns true if the diverging frame was taken.
    pub const fn is_there(&self) -> bool {
        self.window.len() > self.window.at()
    }

    /// Returns the number of commands of the diverging frame.
    #[cfg(feature = "tape")]
    pub fn commands(&self) -> u32 {
        self.window.commands(self.window.at()).len() as u32
    }

    /// Searches for the slip; `fresh` makes further simulations of the same world.
    pub fn explain<'v, S: Checkpoint>(
        mut self,
        simulation: &mut S,
        fresh: Fresh<'_, S>,
        budget: Budget<'_>,
        variants: impl Iterator<Item = Variant<'v, S>>,
    ) -> Explanation {
        let went_back = self.from > 0;
        let mut rest = || self.checks.compare(simulation).err();
        let parted = self
            .parted
            .or_else(|| rest().map(|again| Parted::of(&again, went_back)));
        if let Some(parted) = parted {
            return Explanation::of_parted(&self.window, parted);
        }
        let case = Case {
            window: &self.window,
            fields: self.fields,
            replayed: self.replayed,
            went_back,
        };
        explain_window(simulation, fresh, case, budget, variants)
    }
}

fn explain_window<'v, S: Checkpoint>(
    simulation: &mut S,
    fresh: Fresh<'_, S>,
    case: Case<'_>,
    budget: Budget<'_>,
    variants: impl Iterator<Item = Variant<'v, S>>,
) -> Explanation {
    let mut search = Search::new(simulation, case, budget);
    let base = search.base();
    if let Some(base) = &base {
        // Most of the time is for the likely candidates; some is reserved for replaying the found
        // ones further.
        search.check_again(fresh, 0.1);
        search.near(base, 0.5);
        search.variants(variants, 0.6);
        search.run_on(0.8);
        search.far(search.share_for_more());
        search.run_on(1.0);
    }
    judge::judge(search, base.as_ref())
}

/// The progress of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// The number of candidates that were tried.
    pub tried: u64,
    /// The part of the time that has passed, from 0 to 1.
    pub share: f64,
}

/// The time limit of a search, and the callback that may stop it.
pub(crate) struct Budget<'w> {
    start: Instant,
    limit: Duration,
    watch: &'w mut dyn FnMut(Progress) -> bool,
    /// The last call of `watch`.
    watched: Instant,
    stopped: bool,
}

impl<'w> Budget<'w> {
    pub fn new(limit: Duration, watch: &'w mut dyn FnMut(Progress) -> bool) -> Self {
        let start = Instant::now();
        Self {
            start,
            limit,
            watch,
            watched: start,
            stopped: false,
        }
    }

    /// Returns the part of the time that has passed; more than 1 after the limit.
    pub fn share(&self) -> f64 {
        self.start.elapsed().as_secs_f64() / self.limit.as_secs_f64().max(1e-9)
    }

    /// Returns true while less than this share of the time has passed and the caller has not stopped
    /// the search.
    pub fn lasts(&mut self, share: f64, tried: u64) -> bool {
        let spent = self.share();
        if self.watched.elapsed() > Duration::from_millis(100) {
            self.watched = Instant::now();
            self.stopped |= !(self.watch)(Progress {
                tried,
                share: spent.min(1.0),
            });
        }
        !self.stopped && spent < share
    }
}

/// A simulation that differs from the one that diverged, for example by a parameter or by the order
/// of its propagators, and may be the one that was recorded.
pub struct Variant<'v, S: Checkpoint> {
    /// The slip that the variant stands for.
    pub slip: Slip,
    /// Builds the variant at a state that was saved in the simulation that diverged; `None` if that
    /// is not possible.
    pub build: BuildVariant<'v, S>,
}

/// Builds a simulation at a state that was saved in another one. It is called again to see whether the
/// simulation is deterministic.
pub type BuildVariant<'v, S> = Box<dyn Fn(&<S as Checkpoint>::State) -> Option<S> + 'v>;

impl<S: Checkpoint> fmt::Debug for Variant<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variant")
            .field("slip", &self.slip)
            .finish_non_exhaustive()
    }
}
