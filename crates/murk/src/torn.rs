//! Whether what stands behind the last whole frame is a frame that was cut, or damage that hides
//! frames.

use gametape_core::ByteReader;
use gametape_core::text::{Bytes, Grouped};

use crate::command::Commands;
use crate::encode::LIMITS;
use crate::frame::Frame;
use crate::payload::{Counted, Payload};
use crate::scan::{FRAME_HEAD, FrameScan};

/// Why bytes behind the last whole frame of a recording are not taken for a frame that was cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Doubt {
    /// Ticks that do not rise. They are legal; they are also what bytes look like that are read
    /// from a wrong place on.
    #[error("tick {} follows tick {}", Grouped(*now), Grouped(*before))]
    TickOrder {
        /// The tick before.
        before: u64,
        /// The tick that is not larger.
        now: u64,
    },
    /// A command of a type that is not defined: its length can't be checked.
    #[error("command {command} has the payload type {tag}; types 0 to 6 are defined")]
    UnknownPayload {
        /// The command, from 0.
        command: u32,
        /// Its payload's type.
        tag: u8,
    },
    /// A payload that is not as long as its own counts say: what it claims may hide frames.
    #[error(
        "the {kind} payload of command {command} claims {}, by its own counts it has {}",
        Bytes(*claimed), Grouped(*counted)
    )]
    PayloadLength {
        /// The command, from 0.
        command: u32,
        /// The type's name.
        kind: &'static str,
        /// The length that stands before the payload.
        claimed: u64,
        /// The length that follows from what is in it; at least, where the counts are cut off.
        counted: u64,
    },
    /// Not the start of the frame that was said to come next.
    #[error("the frame that comes next starts otherwise")]
    OtherFrame,
}

/// What the whole frames of a recording say of a cut behind them.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Frames {
    pub last_tick: Option<u64>,
    doubt: Option<Doubt>,
}

impl Frames {
    pub fn push(&mut self, frame: &Frame<'_>) {
        self.tick(frame.tick);
        if self.doubt.is_none() {
            self.doubt = commands(frame.commands());
        }
    }

    fn tick(&mut self, now: u64) {
        if let Some(before) = self.last_tick
            && now <= before
        {
            self.doubt = self.doubt.or(Some(Doubt::TickOrder { before, now }));
        }
        self.last_tick = Some(now);
    }

    /// Why these bytes behind the frames, in which no frame ends, may be something else than a frame
    /// that was cut.
    ///
    /// A length or a count that is damaged can make everything behind it look like one frame that
    /// was cut, or like whole ones and one that was cut. But what it makes of a payload has the
    /// wrong length for its type, and what it makes of other bytes has hardly the form of a command.
    pub fn doubt(mut self, tail: &[u8]) -> Option<Doubt> {
        if let Ok(tick) = ByteReader::new(tail).u64_le() {
            self.tick(tick);
        }
        self.doubt.or_else(|| cut(tail))
    }
}

fn commands(commands: Commands<'_>) -> Option<Doubt> {
    (0..).zip(commands).find_map(|(at, command)| {
        let claimed = command.payload.len() as u64;
        payload(at, command.payload_type, Some(claimed), command.payload)
    })
}

/// What is wrong with the commands of a frame that is cut.
fn cut(frame: &[u8]) -> Option<Doubt> {
    let mut scan = FrameScan::default();
    // That it stops short is why this is asked.
    let _ = scan.run(frame, &LIMITS);
    let (end, whole) = scan.commands();
    let there = frame.get(FRAME_HEAD..end).unwrap_or_default();
    commands(Commands::new(there, whole)).or_else(|| {
        // The command that is cut, if that is what is cut.
        let rest = frame.get(end..).filter(|_| scan.in_commands())?;
        let mut input = ByteReader::new(rest);
        let tag = input.u8().ok()?;
        match input.u32_le() {
            Err(_) => payload(whole, tag, None, &[]),
            Ok(claimed) => {
                let rest = input.rest();
                let there = rest.get(..claimed as usize).unwrap_or(rest);
                payload(whole, tag, Some(claimed.into()), there)
            }
        }
    })
}

/// What is wrong with a payload, of which `there` has come.
fn payload(command: u32, tag: u8, claimed: Option<u64>, there: &[u8]) -> Option<Doubt> {
    let Some((kind, counted)) = Payload::NAMES
        .get(usize::from(tag))
        .zip(Payload::counted(tag, there))
    else {
        return Some(Doubt::UnknownPayload { command, tag });
    };
    let (fits, counted) = match counted {
        Counted::Exactly(counted) => (claimed? == counted, counted),
        Counted::AtLeast(counted) => (claimed? >= counted, counted),
    };
    (!fits).then_some(Doubt::PayloadLength {
        command,
        kind,
        claimed: claimed?,
        counted,
    })
}
