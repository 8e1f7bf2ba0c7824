//! Recording a world.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Read, Seek};
use std::path::{Path, PathBuf};

use gametape_murk::engine::{EngineWorld, World};
use gametape_murk::{
    self as format, CommandBuf, Finding, Frame, RecordError, Recorder, Rule, Simulation as _,
    VerifyError, Writer,
};
use serde::Serialize;

use super::{broken, index, index_path, jsonl, world};
use crate::{Error, Format};

/// The commands of each tick, read from lines of JSON.
#[derive(Clone, Default, Debug)]
pub struct Commands {
    ticks: BTreeMap<u64, (u64, CommandBuf)>,
    name: PathBuf,
}

impl Commands {
    /// No commands at all.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads commands, one JSON object a line: a frame as `dump` prints it (its hash is passed
    /// over), or a single command with its `tick`. Fields may be given by the names they have in
    /// `world`, the text of a TOML file. Empty lines count for nothing; the ticks may come in any
    /// order, the commands of one tick stay in theirs.
    ///
    /// # Errors
    /// [`Error::Commands`] names the line; [`Error::World`], [`Error::Io`].
    pub fn read(lines: impl BufRead, name: &Path, world: &str) -> Result<Self, Error> {
        let world = World::from_toml(world).map_err(|error| Error::World {
            path: name.to_owned(),
            message: error.to_string(),
        })?;
        let field = |name: &str| world.field_number(name);
        let mut commands = Self {
            ticks: BTreeMap::new(),
            name: name.to_owned(),
        };
        for (number, line) in (1..).zip(lines.split(b'\n')) {
            let line = line.map_err(|source| Error::Io {
                path: name.to_owned(),
                source,
            })?;
            let wrong = |message| Error::Commands {
                path: name.to_owned(),
                line: number,
                message,
            };
            let line = std::str::from_utf8(&line)
                .map_err(|error| wrong(format!("not UTF-8 at byte {}", error.valid_up_to())))?;
            let line = match number {
                1 => line.strip_prefix('\u{feff}').unwrap_or(line),
                _ => line,
            };
            if line.trim().is_empty() {
                continue;
            }
            let made = |tick: u64| {
                let made: Option<&(u64, CommandBuf)> = commands.ticks.get(&tick);
                made.map_or(0, |(_, buffer)| buffer.as_commands().len() as u64)
            };
            let read = jsonl::read_line(line, &field, &made).map_err(wrong)?;
            let (_, buffer) = commands
                .ticks
                .entry(read.tick)
                .or_insert_with(|| (number, CommandBuf::new()));
            for command in read.commands.as_commands() {
                buffer
                    .push_stored(&command)
                    .map_err(|error| wrong(error.to_string()))?;
            }
        }
        Ok(commands)
    }

    /// The commands of a tick.
    pub(super) fn of(&self, tick: u64) -> format::Commands<'_> {
        self.ticks
            .get(&tick)
            .map_or_else(format::Commands::default, |(_, buffer)| {
                buffer.as_commands()
            })
    }

    /// Refuses commands of ticks that are not made.
    pub(super) fn within(&self, ticks: u64) -> Result<(), Error> {
        let outside = self
            .ticks
            .iter()
            .find(|(tick, _)| **tick == 0 || **tick > ticks);
        match outside {
            None => Ok(()),
            Some((tick, (line, _))) => Err(Error::Commands {
                path: self.name.clone(),
                line: *line,
                message: match ticks {
                    0 => format!("tick {tick} is not made; no tick is"),
                    1 => format!("tick {tick} is not made; tick 1 alone is"),
                    _ => format!("tick {tick} is not made; ticks 1 to {ticks} are"),
                },
            }),
        }
    }
}

/// What to record, and where.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// The world: the text of a TOML file.
    pub world: String,
    /// The name of that file, for messages.
    pub world_path: PathBuf,
    /// Ticks to make.
    pub ticks: u64,
    /// Where the recording goes.
    pub output: PathBuf,
    /// What to do with a recording that is there already: go on behind its last whole frame
    /// instead of refusing. What is cut off has to be the start of the frame that is made next; a
    /// recording that is damaged is refused, and stays as it is.
    pub resume: bool,
}

/// What was recorded.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Recorded {
    /// Ticks that were made now.
    pub ticks: u64,
    /// Ticks that were there already.
    pub resumed_after: u64,
    /// Bytes of a cut frame that were taken off before going on.
    pub dropped: u64,
    /// Commands that were recorded now.
    pub commands: u64,
    /// Of those: how many the world applied.
    pub applied: u64,
    /// Of those: how many had expired.
    pub expired: u64,
    /// Of those: how many could not be applied.
    pub rejected: u64,
    /// Ticks that failed and left the state as it was.
    pub failed_ticks: u64,
    /// Why the last of those failed.
    pub failure: Option<String>,
    /// The hash of the last state, as 16 hexadecimal digits.
    pub last_hash: Option<String>,
}

/// Runs a world and records it, tick by tick: every frame is handed to the system as it is made,
/// so that a recorder that is killed loses none that was whole.
///
/// # Errors
/// [`Error::World`], [`Error::Commands`] before anything is written; [`Error::Io`] where the
/// output can't be written or is there already; [`Error::Simulation`]; [`Error::Broken`] where what
/// is there is damaged: neither it nor the index beside it is touched then.
pub fn record(options: &RecordOptions, commands: &Commands) -> Result<Recorded, Error> {
    let path = &options.output;
    let io = |source| Error::Io {
        path: path.clone(),
        source,
    };
    let unwritable = |error: format::WriteError| match error {
        format::WriteError::Io(source) => io(source),
        other => Error::Unwritable {
            path: path.clone(),
            message: other.to_string(),
        },
    };
    Format::Murk.check_name(path)?;
    commands.within(options.ticks)?;
    let world = World::from_toml(&options.world).map_err(|error| Error::World {
        path: options.world_path.clone(),
        message: error.to_string(),
    })?;
    let mut simulation = world::build(&options.world_path, &world)?;
    let header = world.header();
    let mut recorded = Recorded::default();
    match path.metadata() {
        Ok(meta) if meta.is_dir() => return Err(Error::IsFolder { path: path.clone() }),
        Ok(meta) if !meta.is_file() => {
            let message = "is not a regular file: a recording has to be read back".to_owned();
            return Err(Error::Unwritable {
                path: path.clone(),
                message,
            });
        }
        _ => {}
    }
    let there = path.exists() && options.resume;
    let mut again = None;
    let mut indexed = false;
    let writer = if there {
        indexed = index::vouches(path)?;
        let (writer, hash) = resume(path, &header, &mut simulation, commands, &mut recorded)?;
        again = hash;
        writer
    } else {
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(|source| match source.kind() {
                io::ErrorKind::AlreadyExists => io(io::Error::new(
                    source.kind(),
                    "is there already; --resume goes on behind it",
                )),
                io::ErrorKind::NotFound => {
                    let folder = path.parent().unwrap_or(path).display();
                    io(io::Error::new(
                        source.kind(),
                        format!("no such folder: {folder}"),
                    ))
                }
                _ => io(source),
            })?;
        Writer::new(file, &header).map_err(unwritable)?
    };
    let mut recorder = Recorder::new(writer, &header);
    recorder.writer().set_buffer(0);
    recorder.writer().flush().map_err(unwritable)?;
    for tick in recorded.resumed_after.saturating_add(1)..=options.ticks {
        let of_tick = commands.of(tick);
        let made = match again.take() {
            // The world was taken behind this tick, to see what is cut off.
            Some(hash) => recorder
                .writer()
                .push(tick, of_tick, hash)
                .map(|()| hash)
                .map_err(RecordError::Write),
            None => recorder.step(&mut simulation, tick, of_tick),
        };
        let hash = made.map_err(|error| match error {
            RecordError::Write(error) => unwritable(error),
            other => Error::Simulation {
                path: path.clone(),
                message: other.to_string(),
            },
        })?;
        recorded.ticks += 1;
        recorded.commands += of_tick.len() as u64;
        recorded.count(&simulation);
        recorded.last_hash = Some(format!("{hash:016x}"));
    }
    recorder
        .finish()
        .map_err(unwritable)?
        .sync_all()
        .map_err(io)?;
    if indexed && recorded.ticks > 0 {
        // It was of the recording as it was. Any other is left where it is: it may know more than
        // the recording does. If it stays, nothing is lost: it is refused wherever it is met.
        let _ = std::fs::remove_file(index_path(path));
    }
    Ok(recorded)
}

impl Recorded {
    fn count(&mut self, simulation: &EngineWorld) {
        use gametape_murk::engine::Outcome;
        for outcome in simulation.receipts().outcomes() {
            match outcome {
                Outcome::Applied => self.applied += 1,
                Outcome::Expired => self.expired += 1,
                _ => self.rejected += 1,
            }
        }
        if let Some(failure) = simulation.failure() {
            self.failed_ticks += 1;
            self.failure = Some(failure.to_owned());
        }
    }
}

/// Why a recording is not resumed.
const OTHER_WORLD: &str =
    "is a recording of another world, or by another build: it can't be resumed with this one";

/// What is to be done about damage.
const MEND: &str = "nothing was changed: `gametape repair` turns flipped bits back where an index \
                    lies beside the recording";

/// Goes to the end of a recording: its frames are replayed, and have to be right. Where one was cut,
/// it is made again, the simulation is behind it, and its hash is given: damage, of a length above
/// all, looks like a cut, but what was cut is the start of what is made again.
fn resume(
    path: &Path,
    header: &format::Header<'_>,
    simulation: &mut EngineWorld,
    commands: &Commands,
    recorded: &mut Recorded,
) -> Result<(Writer<File>, Option<u64>), Error> {
    let io = |source| Error::Io {
        path: path.to_owned(),
        source,
    };
    let differs = |message: String| Error::Unwritable {
        path: path.to_owned(),
        message,
    };
    // What is there is looked at before anything is cut off.
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .map_err(io)?;
    let mut reader = match format::Reader::new(&file) {
        // Killed before the header was out: nothing was recorded.
        Err(error) if error.is_truncated() => {
            return begin_anew(path, file, header, recorded).map(|writer| (writer, None));
        }
        other => other.map_err(|error| broken(path, error))?,
    };
    if reader.header() != header {
        return Err(differs(OTHER_WORLD.into()));
    }
    let mut verifier =
        format::Verifier::new(header, simulation).map_err(|error| differs(error.to_string()))?;
    let cut = loop {
        let frame = match reader.next_frame() {
            Ok(Some(frame)) => frame,
            Ok(None) => break false,
            Err(error) if error.is_truncated() => break true,
            Err(error) => return Err(damaged(path, error)),
        };
        let before = recorded.resumed_after;
        if frame.tick != before.saturating_add(1) {
            return Err(other_tick(path, before, &frame));
        }
        let given = commands.of(frame.tick);
        if !given.is_empty() && given != frame.commands() {
            return Err(differs(format!(
                "tick {} was recorded with other commands than are given now; {MEND}",
                frame.tick
            )));
        }
        recorded.resumed_after = frame.tick;
        verifier
            .push(&frame)
            .map_err(|error| mismatch(path, &error))?;
    };
    verifier.finish().map_err(|error| mismatch(path, &error))?;
    drop(reader);
    if !cut {
        let (writer, _) = Writer::resume(file).map_err(|error| damaged(path, error))?;
        return Ok((writer, None));
    }
    let tick = recorded.resumed_after.saturating_add(1);
    let given = commands.of(tick);
    simulation.step(tick, given).map_err(|source| {
        mismatch(
            path,
            &VerifyError::Simulation {
                tick,
                frame: recorded.resumed_after,
                source,
            },
        )
    })?;
    let field = |field| simulation.field(field).unwrap_or_default();
    let hash = format::snapshot_hash((0..header.field_count).map(field));
    let next =
        format::write_frame(tick, given, hash).map_err(|error| differs(error.to_string()))?;
    let (writer, resumed) =
        Writer::resume_before(file, &next).map_err(|error| damaged(path, error))?;
    recorded.dropped = resumed.dropped;
    Ok((writer, Some(hash)))
}

/// Ticks are recorded one after the other, from 1. The engine counts them by itself: a replay does
/// not see that one is damaged.
fn other_tick(path: &Path, before: u64, frame: &Frame<'_>) -> Error {
    let now = frame.tick;
    let rule = if now > before {
        Rule::TickGap { before, now }
    } else {
        Rule::TickOrder { before, now }
    };
    let finding = Finding::new(rule)
        .at(frame.offset)
        .in_frame(frame.index, Some(now));
    Error::Broken {
        path: path.to_owned(),
        code: finding.code(),
        offset: finding.offset,
        message: format!("{}: {}; {MEND}", finding.place(), finding.message()),
    }
}

/// What is there is no frame, and none that was cut.
fn damaged(path: &Path, error: format::Error) -> Error {
    let message = match &error {
        format::Error::NotTorn { problem, .. } => format!(
            "{}: {}; this is not the start of the frame that is made next: the recording is \
             damaged, or other commands were given than now",
            problem.place(),
            problem.message()
        ),
        other => other.to_string(),
    };
    match broken(path, error) {
        Error::Broken {
            path, code, offset, ..
        } => Error::Broken {
            path,
            code,
            offset,
            message: format!("{message}; {MEND}, and else keeps the whole frames before it"),
        },
        other => other,
    }
}

/// Starts again in a file that ends in its header, if it is the header of this recording.
fn begin_anew(
    path: &Path,
    mut file: File,
    header: &format::Header<'_>,
    recorded: &mut Recorded,
) -> Result<Writer<File>, Error> {
    let io = |source| Error::Io {
        path: path.to_owned(),
        source,
    };
    let differs = |message: String| Error::Unwritable {
        path: path.to_owned(),
        message,
    };
    let whole = format::write_header(header).map_err(|error| differs(error.to_string()))?;
    let mut there = Vec::new();
    file.rewind().map_err(io)?;
    (&file)
        .take(whole.len() as u64)
        .read_to_end(&mut there)
        .map_err(io)?;
    if !whole.starts_with(&there) {
        return Err(differs(OTHER_WORLD.into()));
    }
    recorded.dropped = there.len() as u64;
    file.set_len(0).map_err(io)?;
    file.rewind().map_err(io)?;
    Writer::new(file, header).map_err(|error| differs(error.to_string()))
}

fn mismatch<E: std::error::Error>(path: &Path, error: &VerifyError<E>) -> Error {
    Error::Simulation {
        path: path.to_owned(),
        message: format!("what is recorded can't be replayed: {error}; {MEND}"),
    }
}
