//! The recording loop.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gametape::Error;
use gametape_echo::Session;
use serde::Serialize;

use super::RecordOptions;
use super::answer::{Answer, Fault, Faults};
use super::game::Game;
use super::schedule::{Clock, Schedule};
use super::tapes::{MatchKey, RecordedFile, Tapes};

/// How often the recorder checks whether it should stop while it waits.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The game counts as gone if it gave no frame for so long; a single broken answer does not count.
const GONE_AFTER: Duration = Duration::from_secs(1);
/// How long no bones are requested after a request for them has timed out.
const BONES_PAUSE: Duration = Duration::from_secs(5);

/// The result of a recording.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Recorded {
    /// Frames that were recorded.
    pub frames: u64,
    /// Milliseconds from the first frame to the last.
    pub duration_ms: u64,
    /// Matches that were recorded, in whole or in part.
    pub matches: u64,
    /// Frames that are missing because an answer took too long.
    pub skipped: u64,
    /// Requests that gave no frame.
    pub faults: Faults,
    /// Whether an existing recording was continued.
    pub resumed: bool,
    /// Bytes of a cut frame that were removed before continuing.
    pub dropped: u64,
    /// The files; empty if there were no frames.
    pub files: Vec<RecordedFile>,
}

/// An event while the recorder runs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The file was created, and the game is about to be asked for the first time.
    Begun,
    /// The game gave no frame at the first request: the recorder waits for it.
    Waiting(&'a Fault),
    /// The game answers, or answers again, and frames are recorded.
    Appeared(&'a Session),
    /// Another match has begun while the game went on answering.
    NextMatch(&'a Session),
    /// A frame was written.
    Frame,
    /// Frames go into another file, because a new match began or the existing file was finished.
    NextFile(&'a Path),
    /// There was no frame for a second; the fault is the last one.
    Disappeared(&'a Fault),
}

/// Records the answers of the game's API until `stop` is set or an option ends it.
///
/// The game may close, restart, answer late or in part, or say that there is no match: such faults
/// are counted, and the recorder waits. Each frame is written as it comes: a recorder that is killed
/// leaves files whose frames can all be read, and that can be continued.
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
/// [`Error::Io`] for an invalid address; [`Error::Unwritable`] and [`Error::Io`] if a file can't be
/// created or written: the frames written before stay readable.
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
    // Files are finished after an error, too: a finished .butter is smaller. A file that can't be
    // finished stays as it is.
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
    /// The time of the first frame, in milliseconds.
    first: Option<i64>,
    no_bones_until: Option<Instant>,
}

impl Recorder<'_> {
    fn run(&mut self, stop: &AtomicBool, on_event: &mut dyn FnMut(Event<'_>)) -> Result<(), Error> {
        let start = Instant::now();
        let mut schedule = Schedule::new(self.options.rate);
        let mut is_there = false;
        // At the previous request: only frames that are missed during a match count as missed.
        let mut was_there = false;
        let mut last_frame: Option<Instant> = None;
        let mut is_reported = false;
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
                    } else if last_frame.is_none() && !is_reported {
                        on_event(Event::Waiting(&fault));
                    }
                    is_reported = true;
                }
            }
        }
    }

    /// Requests a frame from the game.
    fn poll(&mut self) -> Result<(), Fault> {
        let session = self.game.session()?;
        let time = self.clock.now();
        // The session is checked before bones are requested.
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
