//! Records a world, from its start or from a tick of another recording.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use gametape_core::tape::{Error, Work};
use gametape_core::text::{Counted, Grouped};
use gametape_core::{Output, Spell as _};

use super::commands::CommandList;
use super::resume::{Recorded, resume};
use crate::engine::{EngineWorld, Outcome, World};
use crate::tape::beside::vouches;
use crate::tape::{MurkError, MurkTape, WorldFile, build, index_path, needed, stopped, unwritable};
use crate::{Command, CommandCheck, Frame, Hash, Header, RecordError, Recorder, Verifier, Writer};

/// Options of a recording.
#[derive(Clone, Default, Debug)]
pub struct RecordOptions {
    /// The file that describes the world; `None` if the recording that is branched from carries its
    /// world.
    pub world: Option<WorldFile>,
    /// The recording whose first ticks are used.
    pub from: Option<Branch>,
    /// Parameters of the world with their new values: see [`World::with_parameter`]. Only the
    /// commands of the other recording are then used, not its hashes.
    pub set: Vec<(String, String)>,
    /// The seed, as [`World::with_seed`] takes it; `None` for the world's own.
    pub seed: Option<u64>,
    /// The number of ticks of the recording, with those of the other recording.
    pub ticks: u64,
    /// The path of the recording.
    pub output: PathBuf,
    /// Continues an existing recording after its last whole frame, instead of refusing. A part that
    /// is cut off must be the start of the next frame; a damaged recording is refused and stays
    /// unchanged.
    pub resume: bool,
}

impl RecordOptions {
    /// Returns the world to record.
    ///
    /// # Errors
    /// If there is none, or it or a changed parameter is not valid, or if it has another seed than the
    /// recording that is branched from.
    pub fn chosen_world(&self) -> Result<World, Error> {
        let (world, kinds) = match (&self.from, &self.world) {
            (Some(branch), given) => (branch.world(given.as_ref())?, branch.tape.kinds()),
            (None, Some(file)) => (file.read()?, &file.kinds),
            (None, None) => return Err(unwritable("there is no world to record")),
        };
        let set = self
            .set
            .iter()
            .map(|(parameter, value)| (&**parameter, &**value));
        let world = world.with_parameters(set, kinds).map_err(unwritable)?;
        match (self.seed, &self.from) {
            (Some(seed), Some(_)) if seed != world.seed => Err(unwritable(format!(
                "a recording that branches from another one keeps its seed, {}",
                world.seed
            ))),
            (Some(seed), _) => Ok(world.with_seed(seed)),
            (None, _) => Ok(world),
        }
    }
}

/// Runs a world and records it, tick by tick. Every frame is written as it is made, so that a
/// recorder that is killed loses no whole frame.
///
/// # Errors
/// If the world or the commands are not valid (before anything is written); if the output can't be
/// written or exists already; if the simulation can't continue; if the existing recording is
/// damaged (it and its index are unchanged then); if the recording that is branched from can't be
/// replayed up to that tick.
pub fn record(options: &RecordOptions, commands: &CommandList) -> Result<Recorded, Error> {
    record_each(options, commands, |_| ControlFlow::Continue(()))
}

/// [`record`] with a callback that gets the progress when the file has been created and after each
/// tick, and may end the recording there.
///
/// # Errors
/// Same as [`record`].
pub fn record_each(
    options: &RecordOptions,
    commands: &CommandList,
    each: impl FnMut(&Recorded) -> ControlFlow<()>,
) -> Result<Recorded, Error> {
    commands.within(0, options.ticks)?;
    let path = &options.output;
    let world = options.chosen_world()?;
    let given = options.world.as_ref().map(|file| file.path.as_path());
    let mut simulation = build(&world, given)?;
    let header = world.header();
    let mut recorded = Recorded::default();
    match path.metadata() {
        Ok(meta) if meta.is_dir() => return Err(MurkError::IsFolder.into()),
        Ok(meta) if !meta.is_file() => {
            return Err(unwritable(
                "is not a regular file: a recording has to be read back",
            ));
        }
        _ => {}
    }
    let taken = taken(options, commands, &mut simulation)?;
    let mut indexed = false;
    let (writer, again) = if path.exists() && options.resume {
        indexed = vouches(path)?;
        resume(path, &header, &mut simulation, commands, &mut recorded)?
    } else {
        (begin(path, &header)?, None)
    };
    let making = Making {
        options,
        commands,
        simulation,
        recorder: Recorder::new(writer, &header),
        again,
        recorded,
    };
    let (recorded, file) = making.all(taken, each)?;
    file.sync_all().map_err(Error::Output)?;
    if indexed && recorded.ticks > 0 {
        // The index belonged to the recording as it was. Any other index stays: it may know more
        // than the recording does. If removing it fails, nothing is lost, because it is refused
        // wherever it is used.
        let _ = fs::remove_file(index_path(path));
    }
    Ok(recorded)
}

/// Returns the last tick that is taken from another recording, if it and the commands allow it. Where its
/// hashes are taken, too, the world has made these ticks then.
fn taken(
    options: &RecordOptions,
    commands: &CommandList,
    simulation: &mut EngineWorld,
) -> Result<u64, Error> {
    let taken = match &options.from {
        Some(_) if options.resume => {
            let what = "a recording is resumed, or it branches from another one: not both";
            return Err(unwritable(what));
        }
        Some(branch) if options.set.is_empty() => branch.replayed(simulation, &Work::default())?,
        Some(branch) => branch.looked_at()?,
        None => 0,
    };
    commands.within(taken, options.ticks)?;
    if taken > options.ticks {
        return Err(unwritable(format!(
            "it is to have {}, but branches from tick {}",
            Counted(options.ticks, "tick"),
            Grouped(taken)
        )));
    }
    Ok(taken)
}

/// A recording that is being made.
struct Making<'o, O: Output> {
    options: &'o RecordOptions,
    commands: &'o CommandList,
    simulation: EngineWorld,
    recorder: Recorder<O>,
    /// The hash of the first tick, if the world has made it already, to check what is cut off.
    again: Option<u64>,
    recorded: Recorded,
}

impl<O: Output> Making<'_, O> {
    /// Makes all ticks, and returns the output.
    fn all(
        mut self,
        taken: u64,
        mut each: impl FnMut(&Recorded) -> ControlFlow<()>,
    ) -> Result<(Recorded, O), Error> {
        self.recorder.writer().set_buffer(0);
        self.recorder.writer().flush()?;
        if let Some(branch) = &self.options.from {
            let replay = (!self.options.set.is_empty()).then_some(&mut self.simulation);
            branch.take_over(taken, &mut self.recorder, replay)?;
            self.recorded.branched_after = taken;
        }
        let mut goes_on = each(&self.recorded);
        let first = self.recorded.resumed_after.max(taken).saturating_add(1);
        for tick in first..=self.options.ticks {
            if goes_on.is_break() {
                break;
            }
            let of_tick = self.commands.of(tick);
            let made = match self.again.take() {
                Some(hash) => self
                    .recorder
                    .writer()
                    .push(tick, of_tick, hash)
                    .map(|()| hash)
                    .map_err(RecordError::Write),
                None => self.recorder.step(&mut self.simulation, tick, of_tick),
            };
            let hash = made.map_err(|error| match error {
                RecordError::Write(error) => error.into(),
                other => stopped(other.to_string()),
            })?;
            self.recorded.ticks += 1;
            self.recorded.commands += of_tick.len() as u64;
            self.recorded.count(&self.simulation, tick, of_tick);
            self.recorded.last_hash = Some(Hash(hash).to_string());
            goes_on = each(&self.recorded);
        }
        Ok((self.recorded, self.recorder.finish()?))
    }
}

/// Creates a new recording.
fn begin(path: &Path, header: &Header<'_>) -> Result<Writer<File>, Error> {
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(|source| {
            let error = |text: String| io::Error::new(source.kind(), text);
            Error::Output(match source.kind() {
                io::ErrorKind::AlreadyExists => {
                    error("exists already; --resume continues after it".into())
                }
                io::ErrorKind::NotFound => {
                    let folder = path.parent().unwrap_or(path).spelled();
                    error(format!("no such folder: {folder}"))
                }
                _ => source,
            })
        })?;
    Ok(Writer::new(file, header)?)
}

impl Recorded {
    pub(super) fn count(
        &mut self,
        simulation: &EngineWorld,
        tick: u64,
        commands: crate::Commands<'_>,
    ) {
        for (at, outcome) in (0..).zip(simulation.receipts().outcomes()) {
            match outcome {
                Outcome::Applied => self.applied += 1,
                Outcome::Expired => self.expired += 1,
                _ => {
                    self.rejected += 1;
                    self.first_rejected.get_or_insert_with(|| {
                        let command = commands.into_iter().nth(at as usize);
                        let why = command.and_then(|command| rejection(simulation, at, &command));
                        let became = outcome.name().replace('_', " ");
                        let why = why.unwrap_or_else(|| format!("command {at} was {became}"));
                        format!("tick {}: {why}", Grouped(tick))
                    });
                }
            }
        }
        if let Some(failure) = simulation.failure() {
            self.failed_ticks += 1;
            self.failure = Some(failure.to_owned());
        }
    }
}

/// Returns why the world never applies a command.
fn rejection(simulation: &EngineWorld, at: u32, command: &Command<'_>) -> Option<String> {
    let checker = simulation.checker();
    // What expired is counted by itself.
    let rejection = CommandCheck::check(checker, command, 0)?;
    let payload = command.payload().ok()?;
    Some(rejection.rule(at, command, &payload).to_string())
}

/// The recording whose first ticks are used.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The recording.
    pub tape: MurkTape,
    /// The last tick that is used; `None` for all.
    pub tick: Option<u64>,
}

impl Branch {
    /// Returns its world, or the given one.
    pub(super) fn world(&self, given: Option<&WorldFile>) -> Result<World, Error> {
        let mut reader = self.tape.reader();
        Ok(needed(reader.header()?, given, self.tape.kinds())?)
    }

    /// Takes a world from its start to the last tick that is used, and returns that tick. The
    /// recording must verify up to there.
    ///
    /// # Errors
    /// If it does not, or has no such tick; [`Error::Cancelled`].
    pub fn replayed(&self, simulation: &mut EngineWorld, work: &Work<'_>) -> Result<u64, Error> {
        let mut reader = self.tape.reader();
        let header = reader.header()?.clone();
        let other = |error: String| {
            unwritable(format!(
                "the recording that it branches from can't be replayed: {error}"
            ))
        };
        let verifier = Verifier::new(&header, simulation);
        let mut verifier = verifier.map_err(|error| other(error.to_string()))?;
        let last = self.each(|frame| {
            work.done(frame.offset)?;
            let pushed = verifier.push(frame);
            pushed.map_err(|error| other(error.to_string()))
        })?;
        verifier
            .finish()
            .map_err(|error| other(error.to_string()))?;
        Ok(last)
    }

    /// Returns the last tick that is used, if the recording can be read up to there.
    pub(super) fn looked_at(&self) -> Result<u64, Error> {
        self.each(|_| Ok(()))
    }

    /// Records the frames up to tick `taken`: unchanged, or as a world makes them from their
    /// commands.
    pub(super) fn take_over<O: Output>(
        &self,
        taken: u64,
        recorder: &mut Recorder<O>,
        mut simulation: Option<&mut EngineWorld>,
    ) -> Result<(), Error> {
        if taken == 0 {
            return Ok(());
        }
        let this = Self {
            tape: self.tape.clone(),
            tick: Some(taken),
        };
        let taken = this.each(|frame| {
            let (tick, commands) = (frame.tick, frame.commands());
            match &mut simulation {
                None => Ok(recorder
                    .writer()
                    .push(tick, commands, frame.snapshot_hash)?),
                Some(simulation) => match recorder.step(&mut **simulation, tick, commands) {
                    Ok(_) => Ok(()),
                    Err(RecordError::Write(error)) => Err(error.into()),
                    Err(error) => Err(stopped(error.to_string())),
                },
            }
        });
        taken.map(drop)
    }

    /// Visits the frames up to the last tick that is used, and returns that tick, which must exist.
    pub(super) fn each(
        &self,
        mut visit: impl FnMut(&Frame<'_>) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        let mut reader = self.tape.reader();
        reader.header()?;
        let mut ticks = None;
        while let Some(frame) = reader.next_frame()? {
            if self.tick.is_some_and(|last| frame.tick > last) {
                break;
            }
            let first = ticks.map_or(frame.tick, |(first, _)| first);
            ticks = Some((first, frame.tick));
            visit(&frame)?;
        }
        let last = ticks.map_or(0, |(_, last)| last);
        match self.tick {
            Some(tick) if tick != last => Err(match (reader.findings().problem(), ticks) {
                (Some(problem), _) => problem,
                (None, None) => unwritable(format!(
                    "there is no tick {}: the recording has no ticks",
                    Grouped(tick)
                )),
                (None, Some((first, last))) => unwritable(format!(
                    "there is no tick {} to branch from; the recording has ticks {} to {}",
                    Grouped(tick),
                    Grouped(first),
                    Grouped(last)
                )),
            }),
            Some(_) => Ok(last),
            // All of the recording must be whole.
            None => reader.findings().problem().map_or(Ok(last), Err),
        }
    }
}
