//! Asking the game again and again, until it is enough.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gametape::Error;
use gametape_echo::Session;
use serde::Serialize;

use super::answer::Answer;
use super::fault::{Fault, Faults};
use super::game::Game;
use super::options::RecordOptions;
use super::schedule::{Clock, Schedule};
use super::tapes::{MatchKey, RecordedFile, Tapes};

/// How often the recorder looks whether it should stop while it waits.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The game has gone when it gave no frame for so long. A single broken answer says nothing.
const GONE_AFTER: Duration = Duration::from_secs(1);
/// How long bones are not asked for after they were waited for in vain.
const BONES_PAUSE: Duration = Duration::from_secs(5);

/// What was recorded, and what was not.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Recorded {
    /// Frames that were handed to a recording.
    pub frames: u64,
    /// Milliseconds from the first frame to the last.
    pub duration_ms: u64,
    /// Matches that were begun or joined.
    pub matches: u64,
    /// Frames that are missing because an answer took too long.
    pub skipped: u64,
    /// Polls that gave no frame.
    pub faults: Faults,
    /// Whether a recording that was there already was gone on with.
    pub resumed: bool,
    /// Bytes of a cut frame that were taken off before going on.
    pub dropped: u64,
    /// The files. None where there were no frames.
    pub files: Vec<RecordedFile>,
}

/// What happens while the recorder runs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The file is there, and the game is asked for the first time.
    Begun,
    /// The first time the game was asked, it gave no frame: it is waited for.
    Waiting(&'a Fault),
    /// The game is there, or there again, and frames are recorded.
    Appeared(&'a Session),
    /// Another match has begun, while the game stayed.
    NextMatch(&'a Session),
    /// A frame was handed to the system.
    Frame,
    /// Frames go into a further file: it was begun, or the one before was there and finished.
    NextFile(&'a Path),
    /// For a second there was no frame; the fault is the last one.
    Disappeared(&'a Fault),
}

/// Records what the game's API answers until `stop` is set or an option says so.
///
/// Whatever the game does (it closes, restarts, answers late, in part, or that there is no match)
/// is counted and waited out. Each frame is handed to the system as it comes: a recorder that is
/// killed leaves files whose frames can all be read, and gone on with.
///
/// ```no_run
/// use std::sync::atomic::AtomicBool;
/// use gametape_record::echo::{RecordOptions, record};
///
/// let stop = AtomicBool::new(false); // Set it from elsewhere.
/// let recorded = record(&RecordOptions::new("final.butter"), &stop, |_| {})?;
/// println!("{} frames", recorded.frames);
/// # Ok::<(), gametape::Error>(())
/// ```
///
/// # Errors
/// [`Error::Io`] for an address that is none; [`Error::Unwritable`] and [`Error::Io`] where a file
/// can't be made, or not be written any more: what was written before stays readable.
pub fn record(
    options: &RecordOptions,
    stop: &AtomicBool,
    mut on_event: impl FnMut(Event<'_>),
) -> Result<Recorded, Error> {
    let game = Game::new(&options.url, options.timeout)?;
    let tapes = Tapes::open(options)?;
    on_event(Event::Begun);
    if tapes.path() != options.output {
        on_event(Event::NextFile(tapes.path()));
    }
    let mut recorder = Recorder {
        options,
        game,
        clock: Clock::new(tapes.last),
        recorded: Recorded {
            resumed: tapes.resumed,
            dropped: tapes.dropped,
            ..Recorded::default()
        },
        tapes,
        answer: Answer::default(),
        key: None,
        first: None,
        no_bones_until: None,
    };
    let run = recorder.run(stop, &mut on_event);
    let Recorder {
        tapes,
        mut recorded,
        ..
    } = recorder;
    // After a fault, too: a .butter that is finished takes less room. Where that can't be, what is
    // there stays as it is.
    let files = tapes.finish();
    run?;
    recorded.files = files?;
    Ok(recorded)
}

struct Recorder<'a> {
    options: &'a RecordOptions,
    game: Game,
    clock: Clock,
    tapes: Tapes,
    answer: Answer,
    recorded: Recorded,
    /// The match that is recorded.
    key: Option<MatchKey>,
    /// When the first frame came, in milliseconds.
    first: Option<i64>,
    no_bones_until: Option<Instant>,
}

impl Recorder<'_> {
    fn run(&mut self, stop: &AtomicBool, on_event: &mut dyn FnMut(Event<'_>)) -> Result<(), Error> {
        let start = Instant::now();
        let mut schedule = Schedule::new(self.options.rate);
        let mut is_there = false;
        // When it was asked last: what is missed meanwhile is missed of a match.
        let mut was_there = false;
        let mut last_frame: Option<Instant> = None;
        let mut told = false;
        loop {
            let now = Instant::now();
            let since = |mark: Instant| now.saturating_duration_since(mark);
            let over = |limit: Option<Duration>, mark: Option<Instant>| {
                limit
                    .zip(mark)
                    .is_some_and(|(limit, mark)| since(mark) >= limit)
            };
            if stop.load(Ordering::Relaxed)
                || self
                    .options
                    .frames
                    .is_some_and(|most| self.recorded.frames >= most)
                || over(self.options.duration, Some(start))
                || over(self.options.idle, last_frame)
            {
                return Ok(());
            }
            let wait = schedule.wait(now);
            if !wait.is_zero() {
                thread::sleep(wait.min(LOOK_EVERY));
                continue;
            }
            let missed = schedule.take(now);
            if was_there {
                self.recorded.skipped += missed;
            }
            was_there = is_there;
            match self.poll() {
                Ok(()) => {
                    last_frame = Some(Instant::now());
                    self.keep(&mut is_there, on_event)?;
                }
                Err(fault) => {
                    self.recorded.faults.count(&fault);
                    if is_there && last_frame.is_none_or(|mark| mark.elapsed() >= GONE_AFTER) {
                        is_there = false;
                        on_event(Event::Disappeared(&fault));
                    } else if last_frame.is_none() && !told {
                        on_event(Event::Waiting(&fault));
                    }
                    told = true;
                }
            }
        }
    }

    /// Asks the game for a frame.
    fn poll(&mut self) -> Result<(), Fault> {
        let session = self.game.session()?;
        let time = self.clock.now();
        // Whether it is a session is known before bones are asked for.
        self.answer.take(time, &session, None)?;
        if !self.options.bones || self.no_bones_until.is_some_and(|at| Instant::now() < at) {
            self.recorded.faults.bones += u64::from(self.options.bones);
            return Ok(());
        }
        let bones = self.game.bones();
        if matches!(bones, Err(Fault::Timeout)) {
            self.no_bones_until = Some(Instant::now() + BONES_PAUSE);
        }
        let fault = match bones {
            Ok(bones) => self.answer.take(time, &session, Some(&bones))?,
            Err(fault) => Some(fault),
        };
        self.recorded.faults.bones += u64::from(fault.is_some());
        Ok(())
    }

    /// Writes the frame.
    fn keep(
        &mut self,
        is_there: &mut bool,
        on_event: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), Error> {
        let session = &self.answer.frame.session;
        let key = MatchKey::of(session);
        let is_next = self.key.as_ref() != Some(&key);
        if !*is_there {
            *is_there = true;
            on_event(Event::Appeared(session));
        } else if is_next {
            on_event(Event::NextMatch(session));
        }
        if self.tapes.push(&self.answer, &key)? {
            on_event(Event::NextFile(self.tapes.path()));
        }
        on_event(Event::Frame);
        self.recorded.matches += u64::from(is_next);
        self.key = Some(key);
        self.recorded.frames += 1;
        let time = self.answer.frame.time.0;
        let first = *self.first.get_or_insert(time);
        self.recorded.duration_ms = u64::try_from(time.saturating_sub(first)).unwrap_or(0);
        Ok(())
    }
}
