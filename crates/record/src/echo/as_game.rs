//! A recording that answers requests as the game did.

use std::mem;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use gametape::core::tape::Error as TapeError;
use gametape::{Error, Recording, Secrets};
use gametape_echo::tape::{Answer, Answers, EchoTape};

/// Options for a recording that answers in place of the game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AsGameOptions {
    /// The speed, in recorded seconds per second.
    pub speed: f64,
    /// Whether to start again from the first frame after the end. Otherwise no match is on after the
    /// end.
    pub again: bool,
    /// The first frame to answer with, counted from 0.
    pub first: u64,
    /// Whether names, user ids and the address of the server are part of the answers.
    pub secrets: Secrets,
}

impl Default for AsGameOptions {
    /// At the recorded speed, once, without secrets.
    fn default() -> Self {
        Self {
            speed: 1.0,
            again: false,
            first: 0,
            secrets: Secrets::Hide,
        }
    }
}

/// An answer: an HTTP status, and JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// 200, or 404 where the game would have no data.
    pub status: u16,
    /// The JSON, as it was recorded.
    pub json: Vec<u8>,
}

/// A recording of a match that answers as the game did: at each moment with the answer that the game
/// gave at the same time after the first frame. Its clock starts with the first request.
///
/// ```no_run
/// use std::time::Instant;
/// use gametape_record::echo::{AsGame, AsGameOptions};
///
/// let recording = gametape::formats().open("final.butter")?;
/// let game = AsGame::new(recording, AsGameOptions::default())?;
/// let reply = game.answer("/session", Instant::now()).expect("a path of the game");
/// assert_eq!(reply.status, 200);
/// # Ok::<(), gametape::Error>(())
/// ```
pub struct AsGame {
    recording: Recording,
    options: AsGameOptions,
    playing: Mutex<Playing>,
}

/// The current place in the recording.
struct Playing {
    answers: Answers,
    /// The time of the first request, and the recorded time of the first frame in milliseconds.
    begun: Option<Instant>,
    first: i64,
    now: Answer,
    next: Option<Answer>,
    /// Milliseconds from the previous frame to this one; the last frame is shown for so long.
    gap: i64,
    over: bool,
}

impl AsGame {
    /// Creates it from a recording of a match.
    ///
    /// # Errors
    /// [`Error::Tape`] if the recording can't be read, is of another game, or has no such frame.
    pub fn new(recording: Recording, options: AsGameOptions) -> Result<Self, Error> {
        let playing = Playing::begin(&recording, options)?;
        Ok(Self {
            playing: Mutex::new(playing),
            recording,
            options,
        })
    }

    /// Returns the game's answer for a path: `/session` or `/player_bones`; `None` for other paths.
    pub fn answer(&self, path: &str, now: Instant) -> Option<Reply> {
        let is_session = match path {
            "/session" => true,
            "/player_bones" => false,
            _ => return None,
        };
        let mut playing = self.playing.lock().unwrap_or_else(PoisonError::into_inner);
        if playing.go_to(now, self.options.speed) && self.options.again {
            // A recording that was removed meanwhile stays at its end.
            if let Ok(again) = Playing::begin(&self.recording, self.options) {
                *playing = again;
                playing.go_to(now, self.options.speed);
            }
        }
        let json = match (is_session, playing.over) {
            (true, false) => Some(playing.now.session.clone()),
            (false, false) => playing.now.bones.clone(),
            (_, true) => None,
        };
        Some(json.map_or_else(Reply::no_match, |json| Reply { status: 200, json }))
    }
}

impl Reply {
    /// Returns the game's answer outside a match.
    fn no_match() -> Self {
        Self {
            status: 404,
            json: br#"{"err_code":-6,"err_description":"not in a match"}"#.to_vec(),
        }
    }
}

impl Playing {
    fn begin(recording: &Recording, options: AsGameOptions) -> Result<Self, Error> {
        let refused = |error| Error::tape(recording.path())(error);
        let of_other = || {
            let format = recording.format().name();
            TapeError::Unsupported(format!("{format} recordings are not of Echo VR"))
        };
        let tape: Option<&EchoTape> = recording.tape_as();
        let begun = tape.ok_or_else(of_other).and_then(|tape| {
            let mut answers = tape.answers(options.secrets)?;
            let mut now = answers.next_answer()?;
            for _ in 0..options.first {
                now = answers.next_answer()?;
            }
            let next = answers.next_answer()?;
            Ok((answers, now, next))
        });
        let (answers, now, next) = begun.map_err(refused)?;
        let Some(now) = now else {
            let none = format!("there is no frame {} to begin with", options.first);
            return Err(refused(TapeError::Unsupported(none)));
        };
        Ok(Self {
            answers,
            begun: None,
            first: now.time.0,
            now,
            next,
            gap: 0,
            over: false,
        })
    }

    /// Goes to the frame of this moment. Returns whether the recording is over.
    fn go_to(&mut self, now: Instant, speed: f64) -> bool {
        let begun = *self.begun.get_or_insert(now);
        let passed = now.saturating_duration_since(begun).as_secs_f64() * speed;
        let passed = (passed * 1000.0) as i64;
        let at = self.first.saturating_add(passed);
        // A recorded clock that goes back delays nothing.
        while let Some(next) = self.next.take_if(|next| next.time.0 <= at) {
            let before = mem::replace(&mut self.now, next);
            self.gap = self.now.time.0.saturating_sub(before.time.0).max(0);
            // A frame that can't be read ends the recording.
            self.next = self.answers.next_answer().unwrap_or_default();
        }
        self.over = self.next.is_none() && at > self.now.time.0.saturating_add(self.gap);
        self.over
    }
}
