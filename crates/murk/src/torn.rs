//! Decides whether the bytes after the last whole frame are a frame that was cut, or damage that
//! hides frames.

use gametape_core::ByteReader;
use gametape_core::text::{Bytes, Grouped};

use crate::command::Commands;
use crate::encode::LIMITS;
use crate::frame::Frame;
use crate::payload::{Counted, Payload};
use crate::scan::{FRAME_HEAD, FrameScan};

/// Why the bytes after the last whole frame of a recording may not be a frame that was cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Doubt {
    /// Ticks do not rise. That is legal, but it is also what bytes look like if they are read from
    /// a wrong place on.
    #[error("tick {} follows tick {}", Grouped(*now), Grouped(*before))]
    TickOrder {
        /// The tick before.
        before: u64,
        /// The tick that is not larger.
        now: u64,
    },
    /// A command has a type that is not defined, so its length can't be checked.
    #[error("command {command} has the payload type {tag}; types 0 to 6 are defined")]
    UnknownPayload {
        /// The command, from 0.
        command: u32,
        /// The type of its payload.
        tag: u8,
    },
    /// A payload does not have the length that its own counts say: the claimed length may hide
    /// frames.
    #[error(
        "the {kind} payload of command {command} claims {}, by its own counts it has {}",
        Bytes(*claimed), Grouped(*counted)
    )]
    PayloadLength {
        /// The command, from 0.
        command: u32,
        /// The type's name.
        kind: &'static str,
        /// The length in front of the payload.
        claimed: u64,
        /// The length that follows from its content; a minimum if the counts are cut off.
        counted: u64,
    },
    /// It is not the start of the frame that the caller says comes next.
    #[error("the next frame starts differently")]
    OtherFrame,
}

/// The state of a recording's whole frames that decides about a cut after them.
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

    /// Returns why these bytes after the frames, in which no frame ends, may be something else than
    /// a frame that was cut.
    ///
    /// A damaged length or count can make all following bytes look like a single frame that was
    /// cut, or like whole frames and one that was cut. But the payload then has a wrong length for
    /// its type, and other bytes hardly have the form of a command.
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

/// Returns the problem of the commands of a frame that was cut.
fn cut(frame: &[u8]) -> Option<Doubt> {
    let mut scan = FrameScan::default();
    // The scan stops early by definition.
    let _ = scan.run(frame, &LIMITS);
    let (end, whole) = scan.commands();
    let there = frame.get(FRAME_HEAD..end).unwrap_or_default();
    commands(Commands::new(there, whole)).or_else(|| {
        // The command that is cut, if the cut is within the commands.
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

/// Returns the problem of a payload, of which `there` has arrived.
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
