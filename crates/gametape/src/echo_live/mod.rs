//! Recording Echo VR live: the game's API is asked again and again, and every answer becomes a frame.
//!
//! The API is there while a match is on, and with the game it comes and goes. The recorder takes all
//! of that as it is: it waits, and goes on where there is something to record.

mod answer;
mod game;
mod lines;
mod schedule;
mod tapes;
mod zip;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gametape_echo::{Session, butter};
use serde::Serialize;

use self::answer::Answer;
use self::game::Game;
use self::schedule::{Clock, Schedule};
use self::tapes::{MatchKey, Tapes};
use crate::Error;

/// How often the recorder looks whether it should stop while it waits.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The game has gone when it gave no frame for so long. A single broken answer says nothing.
const GONE_AFTER: Duration = Duration::from_secs(1);
/// How long bones are not asked for after they were waited for in vain.
const BONES_PAUSE: Duration = Duration::from_secs(5);

/// An address as it may be shown: without the name and the password that may stand in it.
///
/// ```
/// use gametape::echo::shown_url;
/// assert_eq!(shown_url("http://me:secret@10.0.0.2:6721/"), "http://…@10.0.0.2:6721/");
/// ```
#[must_use]
pub fn shown_url(url: &str) -> String {
    let Some((secret, rest)) = url.rsplit_once('@') else {
        return url.to_owned();
    };
    let scheme = secret.split_once("://").map(|(scheme, _)| scheme);
    scheme.map_or_else(
        || format!("…@{rest}"),
        |scheme| format!("{scheme}://…@{rest}"),
    )
}

/// What to record, into which file, and when to stop.
// Each is a question of its own.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// Where the game answers; `/session` behind it may be left out.
    pub url: String,
    /// The file, whose extension says what it becomes: `butter` or `echoreplay`.
    ///
    /// A .butter holds one match: the second goes into `match.2.butter`, and so on.
    pub output: PathBuf,
    /// Frames a second, 1 to 120.
    pub rate: u32,
    /// Ask for the bones of the players, too.
    pub bones: bool,
    /// Go on with a file that is there already; else it is refused.
    pub resume: bool,
    /// A file for each match in an .echoreplay, too.
    pub split: bool,
    /// Make a zip of the .echoreplay at the end. Until then it is text, of which whatever happens
    /// no whole line is lost.
    pub zip: bool,
    /// How a .butter is written.
    pub butter: butter::Options,
    /// Stop after this many frames.
    pub frames: Option<u64>,
    /// Stop after this long.
    pub duration: Option<Duration>,
    /// Stop when no frame has come for this long, once one has.
    pub idle: Option<Duration>,
    /// How long an answer may take.
    pub timeout: Duration,
}

impl RecordOptions {
    /// 30 frames a second with bones from the game on this computer, without end; an answer may
    /// take two seconds.
    ///
    /// ```
    /// let options = gametape::echo::RecordOptions::new("final.butter");
    /// assert_eq!(options.url, "http://127.0.0.1:6721");
    /// assert_eq!(options.rate, 30);
    /// ```
    pub fn new(output: impl Into<PathBuf>) -> Self {
        Self {
            url: "http://127.0.0.1:6721".to_owned(),
            output: output.into(),
            rate: 30,
            bones: true,
            resume: false,
            split: false,
            zip: false,
            butter: butter::Options::default(),
            frames: None,
            duration: None,
            idle: None,
            timeout: Duration::from_secs(2),
        }
    }
}

/// Why there was no frame when the game was asked for one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There is no connection: the game is closed.
    #[error("no answer: {0}")]
    Unreachable(String),
    /// The answer did not come in time.
    #[error("no answer in time")]
    Timeout,
    /// Another HTTP status than 200.
    #[error("HTTP status {0}")]
    Status(u16),
    /// The game says that it is in no match, with this code.
    #[error("no match is on{}", .0.map_or_else(String::new, |code| format!(" (error {code})")))]
    NoMatch(Option<i32>),
    /// The answer is no session, or breaks off.
    #[error("the answer can't be used: {0}")]
    Malformed(String),
}

/// How often what went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Faults {
    /// [`Fault::Unreachable`].
    pub unreachable: u64,
    /// [`Fault::Timeout`].
    pub timeout: u64,
    /// [`Fault::Status`].
    pub status: u64,
    /// [`Fault::NoMatch`].
    pub no_match: u64,
    /// [`Fault::Malformed`].
    pub malformed: u64,
    /// Frames whose bones are missing because of any of these.
    pub bones: u64,
}

impl Faults {
    fn count(&mut self, fault: &Fault) {
        *match fault {
            Fault::Unreachable(_) => &mut self.unreachable,
            Fault::Timeout => &mut self.timeout,
            Fault::Status(_) => &mut self.status,
            Fault::NoMatch(_) => &mut self.no_match,
            Fault::Malformed(_) => &mut self.malformed,
        } += 1;
    }
}

/// A file that was recorded.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RecordedFile {
    /// Where it is.
    pub path: PathBuf,
    /// Frames that were added to it.
    pub frames: u64,
    /// Frames that were in it before.
    pub frames_before: u64,
    /// Its size.
    pub bytes: u64,
}

/// What was recorded, and what was not.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Recorded {
    /// Frames.
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
/// use gametape::echo::{RecordOptions, record};
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
        self.recorded.matches += u64::from(is_next);
        self.key = Some(key);
        self.recorded.frames += 1;
        let time = self.answer.frame.time.0;
        let first = *self.first.get_or_insert(time);
        self.recorded.duration_ms = u64::try_from(time.saturating_sub(first)).unwrap_or(0);
        Ok(())
    }
}
