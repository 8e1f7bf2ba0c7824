//! Recording a world.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use gametape_core::tape::Error;

use super::commands::Commands;
use super::index::vouches;
use super::recorded::Recorded;
use super::resume::resume;
use crate::engine::EngineWorld;
use crate::tape::{MurkError, WorldFile, build, index_path, stopped, unwritable};
use crate::{Hash, Header, RecordError, Recorder, Writer};

/// What to record, and where.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// The file that describes the world, and where it lies.
    pub world: WorldFile,
    /// Ticks to make.
    pub ticks: u64,
    /// Where the recording goes.
    pub output: PathBuf,
    /// What to do with a recording that is there already: go on behind its last whole frame
    /// instead of refusing. What is cut off has to be the start of the frame that is made next; a
    /// recording that is damaged is refused, and stays as it is.
    pub resume: bool,
}

/// Runs a world and records it, tick by tick: every frame is handed to the system as it is made,
/// so that a recorder that is killed loses none that was whole.
///
/// # Errors
/// Where the world or the commands are wrong, before anything is written; where the output can't be
/// written or is there already; where the simulation can't go on; where what is there is damaged:
/// neither it nor the index beside it is touched then.
pub fn record(options: &RecordOptions, commands: &Commands) -> Result<Recorded, Error> {
    record_each(options, commands, |_| ControlFlow::Continue(()))
}

/// As [`record`]; `each` is told how far it is when the file is there, and behind each tick, and may end
/// it there.
///
/// # Errors
/// As [`record`].
pub fn record_each(
    options: &RecordOptions,
    commands: &Commands,
    mut each: impl FnMut(&Recorded) -> ControlFlow<()>,
) -> Result<Recorded, Error> {
    let path = &options.output;
    commands.within(options.ticks)?;
    let world = options.world.read()?;
    let mut simulation = build(&world, Some(&options.world.path))?;
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
    let mut indexed = false;
    let (writer, mut again) = if path.exists() && options.resume {
        indexed = vouches(path)?;
        resume(path, &header, &mut simulation, commands, &mut recorded)?
    } else {
        (begin(path, &header)?, None)
    };
    let mut recorder = Recorder::new(writer, &header);
    recorder.writer().set_buffer(0);
    recorder.writer().flush()?;
    let mut goes_on = each(&recorded);
    for tick in recorded.resumed_after.saturating_add(1)..=options.ticks {
        if goes_on.is_break() {
            break;
        }
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
            RecordError::Write(error) => error.into(),
            other => stopped(other.to_string()),
        })?;
        recorded.ticks += 1;
        recorded.commands += of_tick.len() as u64;
        recorded.count(&simulation);
        recorded.last_hash = Some(Hash(hash).to_string());
        goes_on = each(&recorded);
    }
    recorder.finish()?.sync_all().map_err(Error::Output)?;
    if indexed && recorded.ticks > 0 {
        // It was of the recording as it was. Any other is left where it is: it may know more than
        // the recording does. If it stays, nothing is lost: it is refused wherever it is met.
        let _ = fs::remove_file(index_path(path));
    }
    Ok(recorded)
}

/// A new recording.
fn begin(path: &Path, header: &Header<'_>) -> Result<Writer<File>, Error> {
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(|source| {
            let said = |text: String| io::Error::new(source.kind(), text);
            Error::Output(match source.kind() {
                io::ErrorKind::AlreadyExists => {
                    said("is there already; --resume goes on behind it".into())
                }
                io::ErrorKind::NotFound => {
                    let folder = path.parent().unwrap_or(path).display();
                    said(format!("no such folder: {folder}"))
                }
                _ => source,
            })
        })?;
    Ok(Writer::new(file, header)?)
}

impl Recorded {
    fn count(&mut self, simulation: &EngineWorld) {
        use crate::engine::Outcome;
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
