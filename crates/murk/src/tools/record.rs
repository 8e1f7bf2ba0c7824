//! Records a world.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use gametape_core::Output;
use gametape_core::Spell as _;
use gametape_core::tape::{Error, Work};
use gametape_core::text::{Counted, Grouped};

use super::agent::{Agent, Moment, Reply};
use super::branch::Branch;
use super::commands::Commands;
use super::index::vouches;
use super::jsonl::Reset;
use super::resume::{Recorded, resume};
use crate::engine::{EngineWorld, Outcome, World};
use crate::tape::{MurkError, WorldFile, build, index_path, stopped, unwritable};
use crate::{Command, CommandCheck, Hash, Header, RecordError, Recorder, Writer};

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

/// A recording that an agent made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// What was made.
    pub recorded: Recorded,
    /// Why it ended, if the agent wants to begin again: the next recording is its caller's.
    pub reset: Option<Reset>,
}

/// The source of the commands.
enum Source<'a> {
    List(&'a Commands),
    Agent(&'a mut dyn Agent),
}

/// Runs a world and records it, tick by tick. Every frame is written as it is made, so that a
/// recorder that is killed loses no whole frame.
///
/// # Errors
/// If the world or the commands are not valid (before anything is written); if the output can't be
/// written or exists already; if the simulation can't continue; if the existing recording is
/// damaged (it and its index are unchanged then); if the recording that is branched from can't be
/// replayed up to that tick.
pub fn record(options: &RecordOptions, commands: &Commands) -> Result<Recorded, Error> {
    record_each(options, commands, |_| ControlFlow::Continue(()))
}

/// [`record`] with a callback that gets the progress when the file has been created and after each
/// tick, and may end the recording there.
///
/// # Errors
/// Same as [`record`].
pub fn record_each(
    options: &RecordOptions,
    commands: &Commands,
    each: impl FnMut(&Recorded) -> ControlFlow<()>,
) -> Result<Recorded, Error> {
    commands.within(0, options.ticks)?;
    run(options, Source::List(commands), each).map(|asked| asked.recorded)
}

/// [`record_each`] with an agent that is asked for the commands of each tick, and sees the state
/// after the tick before.
///
/// # Errors
/// Same as [`record`], and errors of the agent. The recording up to then is whole.
pub fn record_asking(
    options: &RecordOptions,
    agent: &mut dyn Agent,
    each: impl FnMut(&Recorded) -> ControlFlow<()>,
) -> Result<Asked, Error> {
    if options.resume {
        let what = "an agent can't repeat its commands: branch from the recording instead";
        return Err(unwritable(what));
    }
    run(options, Source::Agent(agent), each)
}

/// [`record_asking`] without a file: nothing is written to `options.output`.
///
/// # Errors
/// Same as [`record_asking`], but for those of the output.
pub fn ask(
    options: &RecordOptions,
    agent: &mut dyn Agent,
    each: impl FnMut(&Recorded) -> ControlFlow<()>,
) -> Result<Asked, Error> {
    let (world, source) = (options.chosen_world()?, Source::Agent(agent));
    let given = options.world.as_ref().map(|file| file.path.as_path());
    let mut simulation = build(&world, given)?;
    let header = world.header();
    let taken = taken(options, &source, &mut simulation)?;
    let making = Making {
        options,
        source,
        simulation,
        recorder: Recorder::new(Writer::new(Nowhere, &header)?, &header),
        again: None,
        recorded: Recorded::default(),
    };
    making.all(taken, each).map(|(asked, _)| asked)
}

/// The output of a recording that nobody wants.
#[derive(Debug)]
struct Nowhere;

impl Write for Nowhere {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Output for Nowhere {
    fn take_back(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }
}

fn run(
    options: &RecordOptions,
    source: Source<'_>,
    each: impl FnMut(&Recorded) -> ControlFlow<()>,
) -> Result<Asked, Error> {
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
    let taken = taken(options, &source, &mut simulation)?;
    let mut indexed = false;
    let (writer, again) = match &source {
        Source::List(commands) if path.exists() && options.resume => {
            indexed = vouches(path)?;
            resume(path, &header, &mut simulation, commands, &mut recorded)?
        }
        _ => (begin(path, &header)?, None),
    };
    let making = Making {
        options,
        source,
        simulation,
        recorder: Recorder::new(writer, &header),
        again,
        recorded,
    };
    let (asked, file) = making.all(taken, each)?;
    file.sync_all().map_err(Error::Output)?;
    if indexed && asked.recorded.ticks > 0 {
        // The index belonged to the recording as it was. Any other index stays: it may know more
        // than the recording does. If removing it fails, nothing is lost, because it is refused
        // wherever it is used.
        let _ = fs::remove_file(index_path(path));
    }
    Ok(asked)
}

/// Returns the last tick that is taken from another recording, if it and the commands allow it. Where its
/// hashes are taken, too, the world has made these ticks then.
fn taken(
    options: &RecordOptions,
    source: &Source<'_>,
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
    if let Source::List(commands) = source {
        commands.within(taken, options.ticks)?;
    }
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
struct Making<'o, 's, O: Output> {
    options: &'o RecordOptions,
    source: Source<'s>,
    simulation: EngineWorld,
    recorder: Recorder<O>,
    /// The hash of the first tick, if the world has made it already, to check what is cut off.
    again: Option<u64>,
    recorded: Recorded,
}

impl<O: Output> Making<'_, '_, O> {
    /// Makes all ticks, and returns the output.
    fn all(
        mut self,
        taken: u64,
        mut each: impl FnMut(&Recorded) -> ControlFlow<()>,
    ) -> Result<(Asked, O), Error> {
        self.recorder.writer().set_buffer(0);
        self.recorder.writer().flush()?;
        if let Some(branch) = &self.options.from {
            let replay = (!self.options.set.is_empty()).then_some(&mut self.simulation);
            branch.take_over(taken, &mut self.recorder, replay)?;
            self.recorded.branched_after = taken;
        }
        let mut goes_on = each(&self.recorded);
        let first = self.recorded.resumed_after.max(taken).saturating_add(1);
        if goes_on.is_continue() {
            goes_on = self.show(first - 1, None)?;
        }
        let mut reset = None;
        for tick in first..=self.options.ticks {
            if goes_on.is_break() {
                break;
            }
            let asked;
            let of_tick = match &mut self.source {
                Source::List(commands) => commands.of(tick),
                Source::Agent(agent) => match agent.reply(tick)? {
                    Reply::End => break,
                    Reply::Reset(wanted) => {
                        reset = Some(wanted);
                        break;
                    }
                    Reply::Tick(commands) => {
                        asked = commands;
                        asked.as_commands()
                    }
                },
            };
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
            let seen = self.show(tick, Some(hash))?;
            goes_on = if seen.is_break() { seen } else { goes_on };
        }
        let Self {
            recorder, recorded, ..
        } = self;
        Ok((Asked { recorded, reset }, recorder.finish()?))
    }

    /// Shows the state to the agent, if there is one.
    fn show(&mut self, tick: u64, hash: Option<u64>) -> Result<ControlFlow<()>, Error> {
        let world = &self.simulation;
        match &mut self.source {
            Source::List(_) => Ok(ControlFlow::Continue(())),
            Source::Agent(agent) => agent.see(Moment { tick, hash, world }),
        }
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
