//! The smallest command log that still diverges.

use std::path::Path;

use gametape_core::tape::Error;
use serde::Serialize;

use crate::engine::{EngineWorld, World};
use crate::tape::{MurkTape, WorldFile, build, needed, stopped, unwritable};
use crate::{
    Cause, CommandLog, Commands, Difference, Divergence, Header, Simulation, State, Verifier,
    VerifyError, Writer, minimise as search, read, snapshot_hash, verify,
};

/// What to look for.
#[derive(Clone, Default, Debug)]
pub struct Minimise {
    /// The world that the recording was made in, if it carries none.
    pub world: Option<WorldFile>,
    /// Another world: the fault is that both differ. Without it, the fault is where the recording
    /// and its replay differ.
    pub against: Option<WorldFile>,
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
pub(super) fn log_of(tape: &MurkTape) -> Result<(Header<'static>, CommandLog), Error> {
    let mut log = CommandLog::new();
    let read = tape.each(|frame| {
        log.push(frame.tick, frame.commands());
        Ok::<(), Error>(())
    })?;
    match read.problem {
        None => Ok((read.value, log)),
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
/// [`MurkError::Unwritable`](crate::tape::MurkError) where there is no such fault; what is wrong with a world, or with the
/// recording.
pub fn minimise(tape: &MurkTape, options: &Minimise) -> Result<Minimised, Error> {
    let (header, log) = log_of(tape)?;
    let search = Search {
        world: needed(&header, options.world.as_ref(), tape.kinds())?,
        given: options.world.as_ref().map(|file| file.path.as_path()),
        max_trials: options.max_trials,
        header,
        log,
    };
    match &options.against {
        Some(file) => search.against(&file.read()?, file),
        None => search.against_recording(tape),
    }
}

fn step(simulation: &mut EngineWorld, tick: u64, commands: Commands<'_>) -> Result<(), Error> {
    simulation
        .step(tick, commands)
        .map_err(|error| stopped(format!("tick {tick}: {error}")))
}

/// What is searched in.
struct Search<'o> {
    world: World,
    given: Option<&'o Path>,
    max_trials: u64,
    header: Header<'static>,
    log: CommandLog,
}

impl Search<'_> {
    /// The recording's world, at its start.
    fn start(&self) -> Result<EngineWorld, Error> {
        build(&self.world, self.given)
    }

    fn against(&self, other: &World, file: &WorldFile) -> Result<Minimised, Error> {
        let fields = self.header.field_count;
        let (ours, theirs) = (self.world.header(), other.header());
        let shape = |header: &Header<'_>| (header.field_count, header.cell_count);
        if shape(&ours) != shape(&theirs) {
            return Err(unwritable(format!(
                "its world has {} fields of {} cells, the second one {} of {}: their states can't be compared",
                ours.field_count, ours.cell_count, theirs.field_count, theirs.cell_count
            )));
        }
        let second = || build(other, Some(&file.path));
        let shows = |log: &CommandLog| -> Result<Option<usize>, Error> {
            let mut ours = self.start()?;
            let mut theirs = second()?;
            for (at, (tick, commands)) in log.iter().enumerate() {
                step(&mut ours, tick, commands)?;
                step(&mut theirs, tick, commands)?;
                if State::of(&ours, fields) != State::of(&theirs, fields) {
                    return Ok(Some(at + 1));
                }
            }
            Ok(None)
        };
        let found = search(&self.log, self.max_trials, shows)?
            .ok_or_else(|| unwritable("both worlds have the same state at every tick"))?;
        // The recording has the first world's hashes, but the second one's at the tick in question.
        let mut theirs = second()?;
        for (tick, commands) in found.log.iter() {
            step(&mut theirs, tick, commands)?;
        }
        let last = State::of(&theirs, fields).hash();
        self.written(&found, |_| last)
    }

    /// Where the recording and its replay part.
    fn divergence(&self, tape: &MurkTape) -> Result<Divergence, Error> {
        let mut simulation = self.start()?;
        let mut verifier = Verifier::new(&self.header, &mut simulation)
            .map_err(|error| unwritable(error.to_string()))?;
        let mut reader = tape.reader();
        let mut error = None;
        while let Some(frame) = reader.next_frame()? {
            error = verifier.push(&frame).err();
            if error.is_some() {
                break;
            }
        }
        match error.or_else(|| verifier.finish().err()) {
            None => Err(unwritable(
                "the recording does not diverge; name a second world with --against",
            )),
            Some(VerifyError::SnapshotMismatch(divergence)) => Ok(*divergence),
            Some(other) => Err(unwritable(other.to_string())),
        }
    }

    fn against_recording(&self, tape: &MurkTape) -> Result<Minimised, Error> {
        let divergence = self.divergence(tape)?;
        let Cause::Value(value) = divergence.cause.clone() else {
            return Err(unwritable(format!(
                "tick {}: {divergence}. Only a divergence of one value can be minimised without a second world (--against)",
                divergence.tick
            )));
        };
        let ticks = usize::try_from(divergence.frame + 1).unwrap_or(usize::MAX);
        let mut cut = self.log.clone();
        cut.truncate(ticks);
        let shows = |log: &CommandLog| -> Result<Option<usize>, Error> {
            let mut simulation = self.start()?;
            for (tick, commands) in log.iter() {
                step(&mut simulation, tick, commands)?;
            }
            let found = simulation
                .field(value.field)
                .and_then(|values| values.get(value.element));
            let same = found.map(|found| found.to_bits()) == Some(value.replayed.to_bits());
            Ok(same.then_some(log.len()))
        };
        let found = search(&cut, self.max_trials, shows)?
            .ok_or_else(|| unwritable("the replay is not the same twice: see sync-test"))?;
        self.written(&found, |state| hash_with(state, &value))
    }

    /// Records a log in the world; the last frame's hash is `last` of the state.
    fn written(
        &self,
        found: &crate::Minimised,
        last: impl Fn(&State) -> u64,
    ) -> Result<Minimised, Error> {
        // The recording carries its world, even if the first one did not.
        let header = Header {
            build: self.header.build.clone(),
            ..self.world.header()
        };
        let mut simulation = self.start()?;
        let mut writer = Writer::new(Vec::new(), &header)?;
        let ticks = found.log.len();
        let mut last_tick = 0;
        for (at, (tick, commands)) in found.log.iter().enumerate() {
            step(&mut simulation, tick, commands)?;
            let state = State::of(&simulation, header.field_count);
            let hash = if at + 1 == ticks {
                last(&state)
            } else {
                state.hash()
            };
            writer.push(tick, commands, hash)?;
            last_tick = tick;
        }
        let bytes = writer.finish()?;
        // Said in the words of a verification, which is what the result is for.
        let fault = match verify(&read(&bytes)?, &mut self.start()?) {
            Ok(_) => "the result does not diverge".to_owned(),
            Err(VerifyError::SnapshotMismatch(divergence)) => divergence.to_string(),
            Err(other) => other.to_string(),
        };
        Ok(Minimised {
            ticks: [self.log.len() as u64, ticks as u64],
            commands: [self.log.commands() as u64, found.log.commands() as u64],
            trials: found.trials,
            minimal: found.complete,
            tick: last_tick,
            fault,
            bytes,
        })
    }
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
    snapshot_hash(fields.iter().map(Vec::as_slice))
}
