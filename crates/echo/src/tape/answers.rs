//! The answers of the game's API, frame by frame.

use gametape_core::InputStream;
use gametape_core::tape::{Error, Secrets};

use super::convert::tame;
use super::frames::{EchoFormat, TapeFrames};
use super::opened::EchoTape;
use crate::echoreplay::{self, Reader, Redactor, write_frame};
use crate::{Error as ReadError, Frame, Time};

/// The answers of the game's API at a time.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Answer {
    /// When it was recorded.
    pub time: Time,
    /// The answer of `/session`, JSON.
    pub session: Vec<u8>,
    /// The answer of `/player_bones`, JSON, if it was recorded.
    pub bones: Option<Vec<u8>>,
}

/// The answers in a recording, in their order. Those of an .echoreplay are the recorded bytes; those of a
/// .butter are the bytes that `convert` writes to an .echoreplay. Broken frames are left out.
///
/// ```
/// use gametape_core::tape::{Format, Options, Secrets, Source};
/// use gametape_echo::tape::{EchoTape, Echoreplay};
///
/// let line = "2022/01/02 03:00:00.034\t{\"sessionid\":\"A\",\"game_clock\":12.50}\r\n";
/// let tape = Echoreplay.open(Source::new(line.as_bytes().to_vec()))?;
/// let tape = tape.of_type::<EchoTape>().expect("a match");
/// let answer = tape.answers(Secrets::Show)?.next_answer()?.expect("one frame");
/// assert_eq!(answer.session, b"{\"sessionid\":\"A\",\"game_clock\":12.50}");
/// assert_eq!(answer.bones, None);
/// # Ok::<(), gametape_core::tape::Error>(())
/// ```
pub struct Answers {
    of: AnswerSource,
    /// Removes names, accounts and addresses.
    redactor: Option<Redactor>,
    line: Vec<u8>,
    frame: Frame,
}

enum AnswerSource {
    Lines(Box<Reader<InputStream>>),
    Frames(TapeFrames<'static>),
}

impl EchoTape {
    /// Returns the answers of the game's API. If secrets are hidden, names, user ids and the address of
    /// the server are [replaced](Redactor).
    ///
    /// # Errors
    /// If nothing can be read.
    pub fn answers(&self, secrets: Secrets) -> Result<Answers, Error> {
        Ok(Answers {
            of: match self.format {
                EchoFormat::Echoreplay => AnswerSource::Lines(Box::new(self.line_reader()?)),
                EchoFormat::Butter => AnswerSource::Frames(self.frames()?),
            },
            redactor: (secrets == Secrets::Hide).then(Redactor::new),
            line: Vec::new(),
            frame: Frame::default(),
        })
    }
}

impl Answers {
    /// Returns the next answer, or `None` at the end.
    ///
    /// # Errors
    /// If nothing after it can be read.
    pub fn next_answer(&mut self) -> Result<Option<Answer>, Error> {
        while self.next_line()? {
            // A line made from a line or a frame always has its parts.
            if let Ok(Some(line)) = echoreplay::read(&self.line).next_line()
                && let Some(time) = line.time()
            {
                let bones = line.bones.filter(|bones| !bones.is_empty());
                return Ok(Some(Answer {
                    time,
                    session: line.session.to_vec(),
                    bones: bones.map(<[u8]>::to_vec),
                }));
            }
        }
        Ok(None)
    }

    /// Writes the next frame that can be read to `line`. Returns false at the end.
    fn next_line(&mut self) -> Result<bool, Error> {
        let Self {
            of,
            redactor,
            line,
            frame,
        } = self;
        loop {
            line.clear();
            match of {
                AnswerSource::Lines(reader) => {
                    let Some(read) = reader.next_line()? else {
                        return Ok(false);
                    };
                    // A line without an answer is broken or incomplete.
                    if read.read_leniently(frame).is_err() {
                        continue;
                    }
                    match redactor {
                        Some(redactor) => read.redacted(redactor, line)?,
                        None => read.write(line),
                    }
                }
                AnswerSource::Frames(frames) => {
                    let Some(read) = ended(frames.next_frame())? else {
                        return Ok(false);
                    };
                    frame.clone_from(read);
                    if let Some(redactor) = redactor {
                        redactor.frame(frame);
                    }
                    tame(frame);
                    if write_frame(frame, line).is_err() {
                        continue;
                    }
                }
            }
            return Ok(true);
        }
    }
}

/// Turns an error, except one of the source, into the end of the recording.
fn ended<T>(read: Result<Option<T>, ReadError>) -> Result<Option<T>, Error> {
    match read {
        Err(error @ ReadError::Io { .. }) => Err(error.into()),
        Err(_) => Ok(None),
        Ok(read) => Ok(read),
    }
}
