//! One JSON object a frame: the answers of the API as it spells them.

use std::io::{self, Write};
use std::path::Path;

use gametape_echo::echoreplay::{self, write_frame};
use gametape_echo::{Error as EchoError, Frame, Holding};

use super::EchoFormat;
use super::convert::tame;
use super::frames::{Frames, broken, problem};
use super::info::HIDDEN;
use crate::Error;
use crate::format::{Dump, Partial, Secrets};
use crate::source::Source;

pub(super) fn dump(
    format: EchoFormat,
    path: &Path,
    source: &Source,
    wanted: &Dump,
    out: &mut dyn Write,
) -> io::Result<Result<Partial<()>, Error>> {
    let mut frames = match Frames::open(format, path, source) {
        Ok(frames) => frames,
        Err(error) => return Ok(Err(error)),
    };
    let mut copy = Frame::default();
    let (mut text, mut line) = (Vec::new(), Vec::new());
    let problem = loop {
        let index = frames.count;
        let frame = match frames.next() {
            Ok(Some(frame)) => frame,
            Ok(None) => break problem(path, frames.findings()),
            Err(error @ EchoError::Io { .. }) => return Ok(Err(broken(path, error))),
            Err(error) if index == 0 => return Ok(Err(broken(path, error))),
            Err(error) => break Some(broken(path, error)),
        };
        match wanted.tick {
            Some(tick) if tick != index => continue,
            _ => {}
        }
        copy.clone_from(frame);
        if wanted.secrets == Secrets::Hide {
            hide(&mut copy);
        }
        text.clear();
        line.clear();
        put(index, &mut copy, &mut text, &mut line)?;
        out.write_all(&line)?;
        if wanted.tick.is_some() {
            let problem = None;
            return Ok(Ok(Partial { value: (), problem }));
        }
    };
    Ok(match (wanted.tick, problem) {
        (Some(_), Some(problem)) => Err(problem),
        (Some(tick), None) => Err(Error::NoTick {
            path: path.to_owned(),
            tick,
        }),
        (None, problem) => Ok(Partial { value: (), problem }),
    })
}

/// Writes `{"frame":0,"time":"…","time_ms":…,"session":{…},"bones":{…}}`.
fn put(index: u64, frame: &mut Frame, text: &mut Vec<u8>, line: &mut Vec<u8>) -> io::Result<()> {
    let (time, ms) = (frame.time, frame.time.0);
    write!(line, r#"{{"frame":{index},"time":"{time}","time_ms":{ms}"#)?;
    let mut written = write_frame(frame, text);
    if written.is_err() && tame(frame) > 0 {
        // Numbers that JSON has no text for are 0, as `convert` writes them.
        written = write_frame(frame, text);
    }
    let written = written.map_err(|error| error.to_string());
    let answers = written.and_then(|()| match echoreplay::read(text).next() {
        Some(Ok(line)) => Ok((line.session, line.bones)),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("no frame".to_owned()),
    });
    match answers {
        Ok((session, bones)) => {
            line.extend_from_slice(br#","session":"#);
            line.extend_from_slice(session);
            if let Some(bones) = bones {
                line.extend_from_slice(br#","bones":"#);
                line.extend_from_slice(bones);
            }
        }
        // A time without a date, or the like.
        Err(message) => {
            let message = serde_json::to_string(&message)?;
            write!(line, r#","error":{message}"#)?;
        }
    }
    line.extend_from_slice(b"}\n");
    Ok(())
}

/// Takes out the address of the server, the accounts of players, and what the description of an
/// error says, which may be either.
fn hide(frame: &mut Frame) {
    let session = &mut frame.session;
    if !session.sessionip.is_empty() {
        session.sessionip = HIDDEN.into();
    }
    if let Some(said) = session
        .err_description
        .as_mut()
        .filter(|said| !said.is_empty())
    {
        *said = HIDDEN.into();
    }
    for player in session.teams.iter_mut().flat_map(|team| &mut team.players) {
        player.userid = 0;
        for hand in [&mut player.holding_left, &mut player.holding_right] {
            // Recorders before 2022 named a player who is held by the account, which need not be
            // there any more. A `playerid` is a byte.
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
    }
}
