//! Finds the smallest command log that still shows a fault, by delta debugging.

use crate::error::WriteError;
use crate::layout::encode::CommandBuf;
use crate::model::command::{Command, Commands};

/// The commands of a recording, tick by tick. Commands can be removed from it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommandLog {
    ticks: Vec<(u64, CommandBuf)>,
}

impl CommandLog {
    /// Creates a log without ticks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tick.
    pub fn push(&mut self, tick: u64, commands: Commands<'_>) {
        let mut buffer = CommandBuf::new();
        buffer.assign(commands);
        self.ticks.push((tick, buffer));
    }

    /// Returns the ticks and their commands.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u64, Commands<'_>)> + Clone {
        self.ticks
            .iter()
            .map(|(tick, commands)| (*tick, commands.as_commands()))
    }

    /// Returns the number of ticks.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ticks.len()
    }

    /// Returns true if there are no ticks.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ticks.is_empty()
    }

    /// Returns the number of commands in all ticks.
    #[must_use]
    pub fn commands(&self) -> usize {
        self.iter().map(|(_, commands)| commands.len()).sum()
    }

    /// Keeps the first `ticks` ticks.
    pub fn truncate(&mut self, ticks: usize) {
        self.ticks.truncate(ticks);
    }

    /// Returns the log with only those commands whose numbers in the whole log are in `kept`, which
    /// rises.
    fn only(&self, kept: &[usize]) -> Result<Self, WriteError> {
        let mut kept = kept.iter().copied().peekable();
        let mut at = 0;
        let mut log = Self::new();
        for (tick, commands) in self.iter() {
            let mut buffer = CommandBuf::new();
            for command in commands {
                let command: Command<'_> = command;
                if kept.next_if_eq(&at).is_some() {
                    buffer.push_stored(&command)?;
                }
                at += 1;
            }
            log.ticks.push((tick, buffer));
        }
        Ok(log)
    }
}

impl<'a> FromIterator<(u64, Commands<'a>)> for CommandLog {
    fn from_iter<I: IntoIterator<Item = (u64, Commands<'a>)>>(ticks: I) -> Self {
        let mut log = Self::new();
        for (tick, commands) in ticks {
            log.push(tick, commands);
        }
        log
    }
}

/// A minimised log.
#[derive(Clone, Debug)]
pub struct Minimised {
    /// The numbers of its commands in the whole log.
    pub kept: Vec<usize>,
    /// The log: no single command of it can be left out (unless `complete` is false).
    pub log: CommandLog,
    /// The number of logs that were tried.
    pub trials: u64,
    /// False if the search stopped at `max_trials`; the log still shows the fault.
    pub complete: bool,
}

/// Finds the smallest log that still shows a fault.
///
/// `shows` runs a log and returns the number of ticks after which the fault shows, or `None`. The
/// ticks after it are removed first; then commands are removed in ever smaller portions as long as
/// the fault shows (Zeller's delta debugging, `ddmin`). The result is minimal in the sense that no
/// single command can be removed. Ticks stay, since a simulation counts them.
///
/// Returns `None` if the whole log does not show the fault.
///
/// # Errors
/// Any error of `shows`.
///
/// ```
/// use gametape_murk::{CommandLog, Payload, minimise, read};
/// # let bytes = gametape_murk::doc_example();
/// let replay = read(&bytes)?;
/// let log: CommandLog = replay
///     .frames()
///     .map(|frame| frame.map(|frame| (frame.tick, frame.commands())))
///     .collect::<Result<_, _>>()?;
/// // The fault: somebody sets a value of 1.
/// let small = minimise(&log, 1000, |log| {
///     Ok::<_, gametape_murk::WriteError>(log.iter().position(|(_, commands)| {
///         commands.iter().any(|command| {
///             matches!(command.payload(), Ok(Payload::SetField { value: 1.0, .. }))
///         })
///     }).map(|tick| tick + 1))
/// })?.unwrap();
/// assert_eq!((small.log.len(), small.log.commands()), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn minimise<E: From<WriteError>>(
    log: &CommandLog,
    max_trials: u64,
    mut shows: impl FnMut(&CommandLog) -> Result<Option<usize>, E>,
) -> Result<Option<Minimised>, E> {
    minimise_kept(log, max_trials, |log, _| shows(log))
}

/// [`minimise`] with a `shows` that also gets the numbers of the commands that are left.
pub(crate) fn minimise_kept<E: From<WriteError>>(
    log: &CommandLog,
    max_trials: u64,
    mut shows: impl FnMut(&CommandLog, &[usize]) -> Result<Option<usize>, E>,
) -> Result<Option<Minimised>, E> {
    let all: Vec<usize> = (0..log.commands()).collect();
    let Some(ticks) = shows(log, &all)? else {
        return Ok(None);
    };
    let mut trials = 1;
    let mut log = log.clone();
    log.truncate(ticks);
    let mut kept: Vec<usize> = (0..log.commands()).collect();
    let mut portions = 2;
    let mut complete = true;
    while !kept.is_empty() {
        let size = kept.len().div_ceil(portions);
        let mut smaller = None;
        for portion in 0..kept.len().div_ceil(size) {
            if trials >= max_trials {
                complete = false;
                break;
            }
            let without: Vec<usize> = kept
                .iter()
                .enumerate()
                .filter(|(at, _)| at / size != portion)
                .map(|(_, &command)| command)
                .collect();
            trials += 1;
            if let Some(ticks) = shows(&log.only(&without)?, &without)? {
                smaller = Some((without, ticks));
                break;
            }
        }
        if !complete {
            break;
        }
        match smaller {
            Some((without, ticks)) => {
                kept = without;
                // The fault may show earlier now; the commands after it are removed at once.
                let before = log.commands();
                log.truncate(ticks);
                if log.commands() < before {
                    let left = log.commands();
                    kept.retain(|&command| command < left);
                }
                portions = (portions - 1).max(2);
            }
            None if size == 1 => break,
            None => portions = (portions * 2).min(kept.len()),
        }
    }
    Ok(Some(Minimised {
        log: log.only(&kept)?,
        kept,
        trials,
        complete,
    }))
}
