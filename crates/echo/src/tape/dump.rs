//! Dump: one JSON object per frame, with the answers of the API as it spells them, but for ids beyond 2^53, which are texts.

use std::io::{self, Write};
use std::ops::ControlFlow;

use compact_str::CompactString;
use gametape_core::tape::{Dump, Error, Moment, Partial, Secrets, copy_json};
use gametape_core::{At, Clocks, Stamp, Time as Since};

use super::convert::tame;
use super::info::HIDDEN;
use super::opened::EchoTape;
use super::tables::{is_long_after, stamp};
use crate::course::Course;
use crate::echoreplay::{self, write_frame};
use crate::visit::{Edited, Editor};
use crate::{Frame, Holding};

pub(super) fn dump(
    tape: &EchoTape,
    wanted: &Dump,
    out: &mut dyn Write,
) -> Result<Partial<()>, Error> {
    Clocks::TIMES.check(wanted.at)?;
    let mut frames = tape.frames()?;
    let mut lines = Printer::new(wanted.secrets);
    let mut course = Course::default();
    let mut late = Late::new(wanted.at);
    let mut moment = Moment::new(wanted.at, out);
    // A line costs more than a frame, so lines are made only of frames that are printed.
    let mut last: Option<(Frame, Stamp)> = None;
    let problem = loop {
        let index = frames.count;
        let frame = match frames.next() {
            Ok(Some(frame)) => frame,
            Ok(None) => break frames.problem(),
            Err(error) => {
                if let Some((frame, stamp)) = &mut last {
                    let _ = lines.print(frame, *stamp, &mut moment)?;
                }
                return Err(error);
            }
        };
        let stamp = stamp(index, frame, &mut course);
        match late.place(stamp) {
            Relative::Here => {}
            Relative::Elsewhere => continue,
            Relative::After => break None,
        }
        match &mut last {
            None => last = Some((frame.clone(), stamp)),
            Some((before, at)) => {
                let printed = if moment.gives_way(*at, stamp) {
                    ControlFlow::Continue(())
                } else {
                    lines.print(before, *at, &mut moment)?
                };
                if printed.is_break() {
                    last = None;
                    break None;
                }
                before.clone_from(frame);
                *at = stamp;
            }
        }
    };
    if let Some((frame, stamp)) = &mut last {
        let _ = lines.print(frame, *stamp, &mut moment)?;
    }
    if let Some(after) = late.first {
        // The recording goes on after the moment.
        let _ = moment.line(after, |_| Ok(()))?;
    }
    moment.end(problem)
}

/// The frames after a moment: among them, some that were recorded before it may stand in the wrong order.
struct Late {
    until: Option<Since>,
    /// The latest time up to the moment.
    newest: Option<Since>,
    first: Option<Stamp>,
}

/// Where a frame is, as seen from a moment.
enum Relative {
    /// It may be that of the moment.
    Here,
    Elsewhere,
    /// No later one matters.
    After,
}

impl Late {
    const fn new(at: Option<At>) -> Self {
        Self {
            until: match at {
                Some(At::Time(until)) => Some(until),
                _ => None,
            },
            newest: None,
            first: None,
        }
    }

    fn place(&mut self, stamp: Stamp) -> Relative {
        let Some((until, time)) = self.until.zip(stamp.time) else {
            return Relative::Here;
        };
        if time.whole_ms() > until.whole_ms() {
            let first = *self.first.get_or_insert(stamp);
            return if is_long_after(first, stamp) {
                Relative::After
            } else {
                Relative::Elsewhere
            };
        }
        if self.newest.is_some_and(|newest| newest > time) {
            return Relative::Elsewhere;
        }
        self.newest = Some(time);
        Relative::Here
    }
}

/// Formats and prints lines.
struct Printer {
    secrets: Secrets,
    text: Vec<u8>,
    line: Vec<u8>,
}

impl Printer {
    const fn new(secrets: Secrets) -> Self {
        Self {
            secrets,
            text: Vec::new(),
            line: Vec::new(),
        }
    }

    /// Prints a frame, and may change it to do so.
    fn print(
        &mut self,
        frame: &mut Frame,
        stamp: Stamp,
        moment: &mut Moment<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        let Self {
            secrets,
            text,
            line,
        } = self;
        moment.line(stamp, |out| {
            if *secrets == Secrets::Hide {
                frame.session.edit(&mut Hide);
            }
            text.clear();
            line.clear();
            put(stamp, frame, text, line)?;
            out.write_all(line)
        })
    }
}

/// Writes `{"step":0,"time_ms":0,"time":"…","session":{…},"bones":{…}}`; `time` is that of the wall clock.
fn put(stamp: Stamp, frame: &mut Frame, text: &mut Vec<u8>, line: &mut Vec<u8>) -> io::Result<()> {
    let (step, time) = (stamp.step, frame.time);
    let ms = stamp.time.unwrap_or(Since::START).whole_ms();
    write!(line, r#"{{"step":{step},"time_ms":{ms},"time":"{time}"#)?;
    line.push(b'"');
    let mut written = write_frame(frame, text);
    if written.is_err() && tame(frame) > 0 {
        // JSON has no infinity and no NaN: `convert` writes 0, too.
        written = write_frame(frame, text);
    }
    let written = written.map_err(|error| error.to_string());
    let answers = written.and_then(|()| match echoreplay::read(text).next_line() {
        Ok(Some(line)) => Ok((line.session, line.bones)),
        Ok(None) => Err("no frame".to_owned()),
        Err(error) => Err(error.to_string()),
    });
    match answers {
        Ok((session, bones)) => {
            line.extend_from_slice(br#","session":"#);
            copy_json(session, line);
            if let Some(bones) = bones {
                line.extend_from_slice(br#","bones":"#);
                line.extend_from_slice(bones);
            }
        }
        // For example, the time is not a date.
        Err(message) => {
            let message = serde_json::to_string(&message)?;
            write!(line, r#","error":{message}"#)?;
        }
    }
    line.extend_from_slice(b"}\n");
    Ok(())
}

/// Hides the address of the server, the accounts of players, and the description of an error, which may
/// contain both. Names are shown.
struct Hide;

impl Editor for Hide {
    fn account(&mut self, _: u8, account: &mut u64) {
        *account = 0;
    }

    fn hand(&mut self, _: u8, hand: &mut Option<Holding>) {
        // Recorders before 2022 used the account to name a held player, who may have left since. A
        // `playerid` is a byte.
        let is_account = match hand {
            Some(Holding::Number(number)) => *number > u64::from(u8::MAX),
            Some(Holding::Other(text)) => {
                text.len() > 3 && text.bytes().all(|b| b.is_ascii_digit())
            }
            _ => false,
        };
        if is_account {
            *hand = Some(Holding::Other(HIDDEN.into()));
        }
    }

    fn address(&mut self, address: &mut CompactString) {
        if !address.is_empty() {
            *address = HIDDEN.into();
        }
    }

    fn said(&mut self, said: &mut CompactString) {
        self.address(said);
    }
}
