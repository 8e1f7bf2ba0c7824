//! The smallest command log that still diverges.

use std::path::Path;

use gametape_murk::engine::{EngineWorld, World};
use gametape_murk::{
    self as format, Cause, CommandLog, Difference, Header, Simulation, State, Verifier,
    VerifyError, Writer, minimise as search,
};
use serde::Serialize;

use super::{broken, problem, reader, world};
use crate::{Check, Error, Format, Recording};

/// What to look for.
#[derive(Clone, Default, Debug)]
pub struct Minimise {
    /// The world that the recording was made in, if it carries none.
    pub check: Check,
    /// Another world, as the text of a TOML file: the fault is that both differ. Without it, the
    /// fault is where the recording and its replay differ.
    pub against: Option<String>,
    /// How many logs to try at most.
    pub max_trials: u64,
}

/// A recording of the smallest log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Minimised {
    /// The recording. Verified in the same world it diverges as the first one did.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// Ticks before and after.
    pub ticks: [u64; 2],
    /// Commands before and after.
    pub commands: [u64; 2],
    /// Logs that were tried.
    pub trials: u64,
    /// True if no single command more can be left out.
    pub minimal: bool,
    /// The tick at which it diverges.
    pub tick: u64,
    /// How, a sentence.
    pub fault: String,
}

/// The header and the commands of a whole recording.
pub(super) fn log_of(recording: &Recording) -> Result<(Header<'static>, CommandLog), Error> {
    let path = recording.path();
    if recording.format() != Format::Murk {
        return Err(Error::Unsupported {
            path: path.to_owned(),
            message: format!(
                "{} recordings have no commands to run; murk recordings do",
                recording.format()
            ),
        });
    }
    let mut reader = reader(path, recording.source())?;
    let mut log = CommandLog::new();
    while let Some(frame) = reader.next_frame().map_err(|error| broken(path, error))? {
        log.push(frame.tick, frame.commands());
    }
    match problem(path, reader.problem()) {
        None => Ok((reader.header().clone(), log)),
        Some(problem) => Err(problem),
    }
}

/// Finds the smallest log of commands that still shows the fault, and records it.
///
/// Where a second world is given, the fault is that both worlds' states differ. Else it is where
/// the recording and its replay part, and has to be one value: the log then keeps the commands
/// that this value of the replay depends on, and the recording keeps the value that was recorded.
///
/// # Errors
/// [`Error::Unwritable`] where there is no such fault; [`Error::World`], [`Error::Broken`],
/// [`Error::Simulation`].
pub fn minimise(recording: &Recording, options: &Minimise) -> Result<Minimised, Error> {
    let path = recording.path();
    let (header, log) = log_of(recording)?;
    let world = world::needed(path, &header, &options.check)?;
    match &options.against {
        Some(text) => {
            let other = World::from_toml(text).map_err(|error| Error::World {
                path: path.to_owned(),
                message: format!("the second world: {error}"),
            })?;
            against(path, &header, &log, options, &world, &other)
        }
        None => against_recording(recording, &header, &log, options, &world),
    }
}

fn none(path: &Path, message: impl Into<String>) -> Error {
    Error::Unwritable {
        path: path.to_owned(),
        message: message.into(),
    }
}

fn step(
    path: &Path,
    simulation: &mut EngineWorld,
    tick: u64,
    commands: format::Commands<'_>,
) -> Result<(), Error> {
    simulation
        .step(tick, commands)
        .map_err(|error| Error::Simulation {
            path: path.to_owned(),
            message: format!("tick {tick}: {error}"),
        })
}

/// An error of the search's own is an error of writing a command.
struct Failure(Error);

impl From<format::WriteError> for Failure {
    fn from(error: format::WriteError) -> Self {
        Self(none(Path::new(""), error.to_string()))
    }
}

fn against(
    path: &Path,
    header: &Header<'_>,
    log: &CommandLog,
    options: &Minimise,
    world: &World,
    other: &World,
) -> Result<Minimised, Error> {
    let fields = header.field_count;
    let (ours, theirs) = (world.header(), other.header());
    let shape = |header: &Header<'_>| (header.field_count, header.cell_count);
    if shape(&ours) != shape(&theirs) {
        return Err(none(
            path,
            format!(
                "its world has {} fields of {} cells, the second one {} of {}: their states can't be compared",
                ours.field_count, ours.cell_count, theirs.field_count, theirs.cell_count
            ),
        ));
    }
    let shows = |log: &CommandLog| -> Result<Option<usize>, Error> {
        let mut ours = world::build(path, world)?;
        let mut theirs = world::build(path, other)?;
        for (at, (tick, commands)) in log.iter().enumerate() {
            step(path, &mut ours, tick, commands)?;
            step(path, &mut theirs, tick, commands)?;
            if State::of(&ours, fields) != State::of(&theirs, fields) {
                return Ok(Some(at + 1));
            }
        }
        Ok(None)
    };
    let found = search(log, options.max_trials, |log| shows(log).map_err(Failure))
        .map_err(|Failure(error)| error)?
        .ok_or_else(|| none(path, "both worlds have the same state at every tick"))?;
    // The recording has the first world's hashes, but the second one's at the tick in question.
    let mut theirs = world::build(path, other)?;
    for (tick, commands) in found.log.iter() {
        step(path, &mut theirs, tick, commands)?;
    }
    let last = State::of(&theirs, fields).hash();
    written(path, header, log, &found, world, |_| last)
}

fn against_recording(
    recording: &Recording,
    header: &Header<'_>,
    log: &CommandLog,
    options: &Minimise,
    world: &World,
) -> Result<Minimised, Error> {
    let path = recording.path();
    let mut simulation = world::build(path, world)?;
    let replay = format::read(recording.bytes()).map_err(|error| broken(path, error))?;
    let mut verifier = match Verifier::new(header, &mut simulation) {
        Ok(verifier) => verifier,
        Err(error) => return Err(none(path, error.to_string())),
    };
    let mut error = None;
    for frame in replay.frames() {
        let frame = frame.map_err(|error| broken(path, error))?;
        error = verifier.push(&frame).err();
        if error.is_some() {
            break;
        }
    }
    let error = error.or_else(|| verifier.finish().err());
    let divergence = match error {
        None => {
            return Err(none(
                path,
                "the recording does not diverge; name a second world with --against",
            ));
        }
        Some(VerifyError::SnapshotMismatch(divergence)) => divergence,
        Some(other) => return Err(none(path, other.to_string())),
    };
    let Cause::Value(value) = divergence.cause.clone() else {
        return Err(none(
            path,
            format!(
                "tick {}: {divergence}. Only a divergence of one value can be minimised without a second world (--against)",
                divergence.tick
            ),
        ));
    };
    let ticks = usize::try_from(divergence.frame + 1).unwrap_or(usize::MAX);
    let mut cut = log.clone();
    cut.truncate(ticks);
    let shows = |log: &CommandLog| -> Result<Option<usize>, Error> {
        let mut simulation = world::build(path, world)?;
        for (tick, commands) in log.iter() {
            step(path, &mut simulation, tick, commands)?;
        }
        let found = simulation
            .field(value.field)
            .and_then(|values| values.get(value.element));
        let same = found.map(|found| found.to_bits()) == Some(value.replayed.to_bits());
        Ok(same.then_some(log.len()))
    };
    let found = search(&cut, options.max_trials, |log| shows(log).map_err(Failure))
        .map_err(|Failure(error)| error)?
        .ok_or_else(|| none(path, "the replay is not the same twice: see sync-test"))?;
    written(path, header, log, &found, world, |state| {
        hash_with(state, &value)
    })
}

/// The hash of a state with one value as it was recorded.
fn hash_with(state: &State, value: &Difference) -> u64 {
    let mut fields: Vec<Vec<f32>> = state.fields().map(<[f32]>::to_vec).collect();
    if let Some(place) = fields
        .get_mut(value.field as usize)
        .and_then(|field| field.get_mut(value.element))
    {
        *place = value.recorded;
    }
    format::snapshot_hash(fields.iter().map(Vec::as_slice))
}

/// Records a log in a world; the last frame's hash is `last` of the state.
fn written(
    path: &Path,
    header: &Header<'_>,
    before: &CommandLog,
    found: &format::Minimised,
    world: &World,
    last: impl Fn(&State) -> u64,
) -> Result<Minimised, Error> {
    let unwritable = |error: format::WriteError| none(path, error.to_string());
    // The recording carries its world, even if the first one did not.
    let header = Header {
        build: header.build.clone(),
        ..world.header()
    };
    let mut simulation = world::build(path, world)?;
    let mut writer = Writer::new(Vec::new(), &header).map_err(unwritable)?;
    let ticks = found.log.len();
    let mut last_tick = 0;
    for (at, (tick, commands)) in found.log.iter().enumerate() {
        step(path, &mut simulation, tick, commands)?;
        let state = State::of(&simulation, header.field_count);
        let hash = if at + 1 == ticks {
            last(&state)
        } else {
            state.hash()
        };
        writer.push(tick, commands, hash).map_err(unwritable)?;
        last_tick = tick;
    }
    let bytes = writer.finish().map_err(unwritable)?;
    // Said in the words of a verification, which is what the result is for.
    let replay = format::read(&bytes).map_err(|error| broken(path, error))?;
    let fault = match format::verify(&replay, &mut world::build(path, world)?) {
        Ok(_) => "the result does not diverge".to_owned(),
        Err(VerifyError::SnapshotMismatch(divergence)) => divergence.to_string(),
        Err(other) => other.to_string(),
    };
    Ok(Minimised {
        ticks: [before.len() as u64, ticks as u64],
        commands: [before.commands() as u64, found.log.commands() as u64],
        trials: found.trials,
        minimal: found.complete,
        tick: last_tick,
        fault,
        bytes,
    })
}
