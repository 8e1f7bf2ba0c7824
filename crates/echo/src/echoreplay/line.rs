//! A line, byte for byte.

use super::decode::{self, Fault};
use super::encode;
use super::odd::{self, Odd, Usual};
use super::redact::Redactor;
use crate::error::{Error, Finding, WriteError};
use crate::model::{Frame, SpelledTime, Time, read_time};
use crate::rule::Rule;

/// A line of an .echoreplay, borrowed from the input. [`Line::write`] writes exactly the bytes that were
/// read, whatever they mean.
///
/// ```
/// use gametape_echo::echoreplay;
/// let text = b"2022/01/02 03.00.00.5\t{\"game_clock\":12.5}\n";
/// let line = echoreplay::read(text).next().expect("one line")?;
/// assert_eq!(line.session, br#"{"game_clock":12.5}"#);
/// assert_eq!(line.frame()?.session.game_clock, 12.5);
///
/// let mut out = Vec::new();
/// line.write(&mut out);
/// assert_eq!(out, text);
/// # Ok::<(), gametape_echo::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line<'a> {
    /// The time as it is spelled; see [`Line::time`].
    pub time: &'a [u8],
    /// The response of `/session`: JSON.
    pub session: &'a [u8],
    /// The response of `/player_bones`, if there is a third column: JSON, or empty.
    pub bones: Option<&'a [u8]>,
    /// `\r\n`, `\n` or `\r`; empty at the end of a recording that lacks it.
    pub ending: &'a [u8],
    /// The ordinal of the frame, from 0. Broken lines that were skipped are not counted.
    pub index: u64,
    /// The offset of the line in the recording, in bytes. In a zip, the offset in the text of its file.
    pub offset: u64,
    /// The name of that file.
    pub(crate) within: Option<&'a str>,
    /// When the recording's first line was recorded, if known.
    pub(crate) start: Option<Time>,
}

/// The positions of a line's columns: a [`Line`] without the bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    time: usize,
    session: usize,
    bones: Option<usize>,
    ending: usize,
    index: u64,
    offset: u64,
    start: Option<Time>,
}

impl<'a> Line<'a> {
    /// Splits a line, including its ending, into columns. `is_mac` says that it may end with a lone `\r`.
    pub(super) fn split(
        line: &'a [u8],
        index: u64,
        offset: u64,
        is_mac: bool,
    ) -> Result<Self, Rule> {
        let (body, ending) = match line {
            [body @ .., b'\r', b'\n'] => (body, b"\r\n".as_slice()),
            [body @ .., b'\n'] => (body, b"\n".as_slice()),
            [body @ .., b'\r'] if is_mac => (body, b"\r".as_slice()),
            body => (body, b"".as_slice()),
        };
        let Some((time, answers)) = cut(body) else {
            let found = decode::clip(body);
            return Err(Rule::LineColumns { found });
        };
        // No recorder writes further columns; they count as a part of the third.
        let (session, bones) = match cut(answers) {
            Some((session, bones)) => (session, Some(bones)),
            None => (answers, None),
        };
        let line = Self {
            time,
            session,
            bones,
            ending,
            index,
            offset,
            within: None,
            start: None,
        };
        if line.time().is_none() {
            let found = decode::clip(time);
            return Err(Rule::LineTime { found });
        }
        Ok(line)
    }

    pub(crate) const fn columns(&self) -> Columns {
        Columns {
            time: self.time.len(),
            session: self.session.len(),
            bones: match self.bones {
                Some(bones) => Some(bones.len()),
                None => None,
            },
            ending: self.ending.len(),
            index: self.index,
            offset: self.offset,
            start: self.start,
        }
    }

    /// Restores the line at the start of `bytes`, which was split before.
    pub(crate) fn again(bytes: &'a [u8], columns: Columns) -> Option<Self> {
        let (time, rest) = bytes.split_at_checked(columns.time)?;
        let (session, rest) = rest.get(1..)?.split_at_checked(columns.session)?;
        let (bones, rest) = match columns.bones {
            Some(size) => {
                let (bones, rest) = rest.get(1..)?.split_at_checked(size)?;
                (Some(bones), rest)
            }
            None => (None, rest),
        };
        Some(Self {
            time,
            session,
            bones,
            ending: rest.get(..columns.ending)?,
            index: columns.index,
            offset: columns.offset,
            within: None,
            start: columns.start,
        })
    }

    /// Returns when the line was recorded; `None` if the text is no time, which never happens in lines from
    /// the readers.
    #[must_use]
    pub fn time(&self) -> Option<Time> {
        self.spelled_time().map(|spelled| spelled.time)
    }

    /// The time, and what is odd about its spelling.
    pub(super) fn spelled_time(&self) -> Option<SpelledTime> {
        read_time(self.time)
    }

    /// Writes the bytes that were read.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.write_with(self.session, self.bones, out);
    }

    /// Like [`Line::write`], and adds an ending if there is none.
    pub(super) fn write_ended(&self, out: &mut Vec<u8>) {
        self.write(out);
        if self.ending.is_empty() {
            out.extend_from_slice(b"\r\n");
        }
    }

    /// Writes the line without the names, ids and addresses of the players: see [`Redactor`]. All other
    /// bytes stay as they were read.
    ///
    /// ```
    /// use gametape_echo::echoreplay::{Redactor, read};
    /// let text = b"2022/01/02 03:00:00.000\t{\"sessionip\":\"10.0.0.7\", \"client_name\":\"Ann\"}";
    /// let mut out = Vec::new();
    /// read(text).next().expect("one line")?.redacted(&mut Redactor::new(), &mut out)?;
    /// let right = b"2022/01/02 03:00:00.000\t{\"sessionip\":\"0.0.0.0\", \"client_name\":\"Player 1\"}";
    /// assert_eq!(out, right);
    /// # Ok::<(), gametape_echo::Error>(())
    /// ```
    ///
    /// # Errors
    /// The rule that the session breaks. Nothing is written then, because the text could contain anything.
    pub fn redacted(&self, redactor: &mut Redactor, out: &mut Vec<u8>) -> Result<(), Error> {
        let mut session = Vec::new();
        match redactor.session(self.session, &mut session) {
            Ok(()) => {
                let bones = self.bones.map(|bones| {
                    let mut redacted = Vec::with_capacity(bones.len());
                    redactor.bones(bones, &mut redacted);
                    redacted
                });
                self.write_with(&session, bones.as_deref(), out);
            }
            Err(fault) => {
                let at = fault.at + self.time.len() as u64 + 1;
                return Err(self.finding(Fault { at, ..fault }).into());
            }
        }
        Ok(())
    }

    /// Writes the line with other answers.
    fn write_with(&self, session: &[u8], bones: Option<&[u8]>, out: &mut Vec<u8>) {
        out.reserve(self.size() + session.len());
        out.extend_from_slice(self.time);
        out.push(b'\t');
        out.extend_from_slice(session);
        if let Some(bones) = bones {
            out.push(b'\t');
            out.extend_from_slice(bones);
        }
        out.extend_from_slice(self.ending);
    }

    /// The size of the line in bytes, including the ending.
    #[must_use]
    pub fn size(&self) -> usize {
        let bones = self.bones.map_or(0, |bones| bones.len() + 1);
        self.time.len() + 1 + self.session.len() + bones + self.ending.len()
    }

    /// Returns the frame that the line holds.
    ///
    /// # Errors
    /// Like [`Line::read_into`].
    pub fn frame(&self) -> Result<Frame, Error> {
        let mut frame = Frame::default();
        self.read_into(&mut frame)?;
        Ok(frame)
    }

    /// Reads the frame that the line holds into an existing one, reusing its memory.
    ///
    /// A member that is missing or `null` gets the model's default. If a member occurs twice, the last one
    /// counts. If a head, body or hand has both `pos` and `position`, `pos` counts unless it is `null`, in
    /// whatever order, as in .butter's reference. Numbers too large for an `f32` become infinite, as in the
    /// reference. Other spellings, such as a number as text, are read if nothing is lost by that.
    ///
    /// # Errors
    /// The rule that the JSON breaks, with the byte. The frame's content is then unspecified.
    pub fn read_into(&self, frame: &mut Frame) -> Result<(), Error> {
        self.read_with(frame, false)
    }

    /// Like [`Line::read_into`], but a member that can't be read is left out.
    #[cfg(feature = "tape")]
    pub(crate) fn read_leniently(&self, frame: &mut Frame) -> Result<(), Error> {
        self.read_with(frame, true)
    }

    fn read_with(&self, frame: &mut Frame, lenient: bool) -> Result<(), Error> {
        match self.decode(frame, lenient, None) {
            Ok(Decoded { fault: None, .. }) => Ok(()),
            Ok(Decoded {
                fault: Some(fault), ..
            })
            | Err(fault) => Err(self.finding(fault).into()),
        }
    }

    /// Reads the frame of a line leniently. Returns false if it is none.
    #[cfg(feature = "tape")]
    pub(crate) fn reread(line: &[u8], frame: &mut Frame) -> bool {
        let split = Line::split(line, 0, 0, true);
        split.is_ok_and(|line| line.decode(frame, true, None).is_ok())
    }

    /// Reads the frame. If only its bones are broken, the frame has none, and the fault is returned. For
    /// notes, `usual` has the members of the frames before.
    pub(super) fn decode(
        &self,
        frame: &mut Frame,
        lenient: bool,
        usual: Option<&mut Usual>,
    ) -> Result<Decoded, Fault> {
        let mut odd = Odd { lenient, usual };
        frame.time = self.time().unwrap_or_default();
        let start = self.time.len() as u64 + 1;
        let after = |start: u64| {
            move |fault: Fault| Fault {
                at: fault.at + start,
                ..fault
            }
        };
        let session = odd::session(self.session, &mut frame.session, &mut odd);
        let mut notes = session.map_err(after(start))?;
        let Some(bones) = self.bones else {
            frame.bones = None;
            return Ok(Decoded { fault: None, notes });
        };
        let start = start + self.session.len() as u64 + 1;
        let fault = match odd::bones(bones, &mut frame.bones) {
            Ok(more) => {
                notes.extend(more);
                None
            }
            Err(fault) => Some(after(start)(fault)),
        };
        Ok(Decoded { fault, notes })
    }

    /// The name of the file in a zip that the line is in.
    #[cfg(feature = "tape")]
    pub(crate) const fn within(&self) -> Option<&'a str> {
        self.within
    }

    /// Returns the line as one of a file in a zip.
    #[cfg(feature = "tape")]
    pub(crate) const fn in_file(self, within: Option<&'a str>) -> Self {
        Self { within, ..self }
    }

    /// A finding about a fault in the line.
    pub(super) fn finding(&self, fault: Fault) -> Finding {
        let since = self.start.zip(self.time());
        let mut finding = Finding::new(fault.rule)
            .at(self.offset + fault.at)
            .step(self.index)
            .time(since.map(|(start, time)| time.since(start)));
        finding.place.within = self.within.map(Into::into);
        finding
    }
}

/// What a line that was read says about itself.
pub(super) struct Decoded {
    /// The fault of its bones.
    pub fault: Option<Fault>,
    /// What is odd.
    pub notes: Vec<Rule>,
}

/// The text before and after the first tab.
fn cut(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (before, after) = text.split_at_checked(memchr::memchr(b'\t', text)?)?;
    Some((before, after.get(1..)?))
}

/// Writes a frame as a line that ends with `\r\n`. Times and members are spelled as the game and its
/// recorders spell them, numbers as the shortest text that reads as the same number.
///
/// Reading the line gives the same frame, bit for bit, except that foreign members are then in the order of
/// their objects, and that a year which only another calendar has since the game exists, such as 2565, is
/// read as one of that calendar.
///
/// ```
/// use gametape_echo::{Frame, Time, echoreplay};
/// let mut frame = Frame { time: Time(1_641_092_400_034), ..Frame::default() };
/// frame.session.game_clock = 599.97;
/// let mut out = Vec::new();
/// echoreplay::write_frame(&frame, &mut out)?;
/// assert!(out.starts_with(b"2022/01/02 03:00:00.034\t{"));
/// let line = echoreplay::read(&out).next().expect("one line")?;
/// assert_eq!(line.frame()?, frame);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WriteError::Unstorable`] for values that JSON can't hold: numbers that are not finite, times without a
/// date, foreign members that are no JSON or have no place. `out` is unchanged then.
pub fn write_frame(frame: &Frame, out: &mut Vec<u8>) -> Result<(), WriteError> {
    let start = out.len();
    let result = encode::frame(frame, out);
    if result.is_err() {
        out.truncate(start);
    }
    result
}
