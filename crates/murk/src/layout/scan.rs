//! Finds the end of a frame, or the problem with it. This is the only place that knows the layout
//! of frames; all readers share it.

use gametape_core::ByteReader;

use crate::error::{Error, Finding};
use crate::layout::Frame;
use crate::limits::Limits;
use crate::model::command::Commands;
use crate::rule::Rule;

/// The number of bytes before a frame's commands: tick and count.
pub(crate) const FRAME_HEAD: usize = 12;

/// Why a scan stopped.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The bytes end at `at` (within the frame), but `needed` more are needed.
    Short {
        at: usize,
        needed: u64,
        what: CutPart,
    },
    /// A rule is broken `at` bytes into the frame.
    Broken { at: usize, rule: Rule },
}

impl Stop {
    /// Returns the end, within the frame, of the bytes that are needed to notice this stop.
    pub const fn reach(&self) -> u64 {
        match self {
            Self::Short { at, needed, .. } => *at as u64 + *needed,
            // A count and a length have four bytes, a presence flag has one.
            Self::Broken { at, rule } => {
                *at as u64
                    + if matches!(rule, Rule::Limit { .. }) {
                        4
                    } else {
                        1
                    }
            }
        }
    }

    /// Returns the stop in bytes that follow `before` others.
    #[cold]
    fn after(self, before: usize) -> Self {
        match self {
            Self::Short { at, needed, what } => short(before + at, needed, what),
            Self::Broken { at, rule } => Self::Broken {
                at: before + at,
                rule,
            },
        }
    }
}

/// The part that was being read when the bytes ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CutPart {
    Frame(&'static str),
    Command(&'static str),
    Payload,
}

/// The state of the search for a frame's end. It can continue when more bytes arrive.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct FrameScan {
    /// The number of bytes of the frame that are known to be sound.
    at: usize,
    /// The number of commands of the frame; set once `at` is after the head.
    count: u32,
    /// The number of commands that are known to be whole.
    done: u32,
}

impl FrameScan {
    /// Returns the end of the whole commands that a scan has seen, and their number.
    pub const fn commands(&self) -> (usize, u32) {
        (self.at, self.done)
    }

    /// Returns true if the scan stopped before the end of the last command.
    pub const fn in_commands(&self) -> bool {
        self.done < self.count
    }

    /// Scans a frame from its start and returns its size. `bytes` may extend past the frame.
    #[inline]
    pub fn run(&mut self, bytes: &[u8], limits: &Limits) -> Result<usize, Stop> {
        if self.at < FRAME_HEAD {
            let mut input = ByteReader::new(bytes);
            if input.u64_le().is_err() {
                return Err(short(0, 8, CutPart::Frame("tick_id of a frame")));
            }
            let Ok(count) = input.u32_le() else {
                return Err(short(8, 4, CutPart::Frame("command count of a frame")));
            };
            if count > limits.max_commands {
                let (claimed, limit) = (count.into(), limits.max_commands.into());
                let rule = Rule::Limit {
                    what: "frame",
                    command: None,
                    unit: "commands",
                    claimed,
                    limit,
                };
                return Err(Stop::Broken { at: 8, rule });
            }
            self.count = count;
            self.at = FRAME_HEAD;
        }
        let mut rest = bytes.get(self.at..).unwrap_or_default();
        while self.done < self.count {
            let Some(command) = Measured::of(rest, limits.max_blob_bytes) else {
                let stop = command_fault(rest, limits.max_blob_bytes, self.done);
                return Err(stop.after(self.at));
            };
            rest = rest.get(command.size..).unwrap_or_default();
            self.at += command.size;
            self.done += 1;
        }
        if rest.len() < 8 {
            return Err(short(
                self.at,
                8,
                CutPart::Frame("snapshot hash of a frame"),
            ));
        }
        Ok(self.at + 8)
    }

    /// Returns the stop as an error. `bytes` are the bytes of the scan; the frame starts at
    /// `offset`.
    #[cold]
    pub fn error(&self, stop: Stop, bytes: &[u8], index: u64, offset: u64) -> Error {
        let tick = ByteReader::new(bytes).u64_le().ok();
        let command = self.done;
        let (at, rule) = match stop {
            Stop::Broken { at, rule } => (at, rule),
            Stop::Short { at, needed, what } => {
                let left = bytes.len().saturating_sub(at) as u64;
                let rule = match what {
                    CutPart::Frame(what) => Rule::Truncated { what, needed, left },
                    CutPart::Payload => Rule::PayloadTruncated {
                        command,
                        needed,
                        left,
                    },
                    CutPart::Command(what) => Rule::CommandTruncated {
                        command,
                        what,
                        needed,
                        left,
                    },
                };
                (at, rule)
            }
        };
        Finding::new(rule)
            .at(offset + at as u64)
            .step(index)
            .tick(tick)
            .into()
    }
}

/// The parts of a command's size besides its fixed part: the payload's length and the sources.
///
/// Commands are alike. If two in a row have the same shape, the next one is expected to have it,
/// too. The start of the following command is then known before the length has arrived from memory;
/// the length is needed only to confirm the guess, and the processor continues with the next frames
/// meanwhile. (Without the guess it waits for each length in turn, which takes three times as long
/// in the cache.) If shapes change, nothing is guessed, because a wrong guess costs as much.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Shape {
    payload: u32,
    /// The same again: the offset of the envelope after the length. If it were one number with
    /// `payload`, the compiler would use the one that it has just read for both.
    envelope: usize,
    source_id: u8,
    source_seq: u8,
    /// True if two commands in a row had this shape.
    expected: bool,
}

impl Shape {
    /// Returns the bytes after a sound command; `None` if the command is not whole or not sound.
    #[inline(always)]
    fn skip<'a>(&mut self, bytes: &'a [u8], max_blob: u32) -> Option<&'a [u8]> {
        if self.expected
            && let Some(rest) = self.skip_expected(bytes)
        {
            return Some(rest);
        }
        let command = Measured::of(bytes, max_blob)?;
        *self = Self {
            expected: (self.payload, self.source_id, self.source_seq)
                == (command.payload, command.source_id, command.source_seq),
            payload: command.payload,
            envelope: command.payload as usize,
            source_id: command.source_id,
            source_seq: command.source_seq,
        };
        bytes.get(command.size..)
    }

    /// Returns the bytes after the command, if it has this shape.
    #[inline(always)]
    fn skip_expected<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let (&[_, a, b, c, d], rest) = bytes.split_first_chunk::<5>()?;
        if u32::from_le_bytes([a, b, c, d]) != self.payload {
            return None;
        }
        let tail = rest.get(self.envelope..)?;
        match (self.source_id, self.source_seq) {
            (1, 1) => match tail.split_first_chunk::<35>()? {
                (&[_, 1, _, _, _, _, _, _, _, _, 1, ..], rest) => Some(rest),
                _ => None,
            },
            (0, 0) => match tail.split_first_chunk::<19>()? {
                (&[_, 0, 0, ..], rest) => Some(rest),
                _ => None,
            },
            (1, 0) => match tail.split_first_chunk::<27>()? {
                (&[_, 1, _, _, _, _, _, _, _, _, 0, ..], rest) => Some(rest),
                _ => None,
            },
            _ => match tail.split_first_chunk::<27>()? {
                (&[_, 0, 1, ..], rest) => Some(rest),
                _ => None,
            },
        }
    }
}

/// Returns the frame at the start of `bytes` and the bytes after it; `None` if it is not whole or
/// not sound.
#[inline(always)]
pub(crate) fn next_frame<'a>(
    bytes: &'a [u8],
    (index, offset): (u64, u64),
    shape: &mut Shape,
    limits: &Limits,
) -> Option<(Frame<'a>, &'a [u8])> {
    let (tick, rest) = u64_le(bytes)?;
    let (count, commands) = rest.split_first_chunk()?;
    let count = u32::from_le_bytes(*count);
    let mut rest = commands;
    if count > 0 {
        if count > limits.max_commands {
            return None;
        }
        let mut guess = *shape;
        for _ in 0..count {
            rest = guess.skip(rest, limits.max_blob_bytes)?;
        }
        *shape = guess;
    }
    let (encoded, _) = commands.split_at_checked(commands.len() - rest.len())?;
    let (snapshot_hash, rest) = u64_le(rest)?;
    let frame = Frame {
        index,
        offset,
        tick,
        snapshot_hash,
        commands: Commands::new(encoded, count),
    };
    Some((frame, rest))
}

#[inline]
fn u64_le(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (head, rest) = bytes.split_first_chunk()?;
    Some((u64::from_le_bytes(*head), rest))
}

/// Returns the problem of the frame at the start of `bytes`.
#[cold]
pub(crate) fn fault(bytes: &[u8], index: u64, offset: u64, limits: &Limits) -> Option<Error> {
    let mut scan = FrameScan::default();
    let stop = scan.run(bytes, limits).err()?;
    Some(scan.error(stop, bytes, index, offset))
}

/// Returns the frame that has exactly these bytes, which a scan has found sound.
#[inline]
pub(crate) fn frame(bytes: &[u8], index: u64, offset: u64) -> Frame<'_> {
    let parts = bytes.split_first_chunk::<FRAME_HEAD>();
    let parts = parts.and_then(|(head, rest)| Some((head, rest.split_last_chunk::<8>()?)));
    let Some((head, (commands, hash))) = parts else {
        return no_frame();
    };
    let &[t0, t1, t2, t3, t4, t5, t6, t7, c0, c1, c2, c3] = head;
    Frame {
        index,
        offset,
        tick: u64::from_le_bytes([t0, t1, t2, t3, t4, t5, t6, t7]),
        snapshot_hash: u64::from_le_bytes(*hash),
        commands: Commands::new(commands, u32::from_le_bytes([c0, c1, c2, c3])),
    }
}

/// Never used.
#[cold]
fn no_frame() -> Frame<'static> {
    Frame {
        index: 0,
        offset: 0,
        tick: 0,
        snapshot_hash: 0,
        commands: Commands::new(&[], 0),
    }
}

const fn short(at: usize, needed: u64, what: CutPart) -> Stop {
    Stop::Short { at, needed, what }
}

/// A command that is whole and sound.
struct Measured {
    size: usize,
    payload: u32,
    source_id: u8,
    source_seq: u8,
}

impl Measured {
    /// Without branches on properties that differ from command to command.
    #[inline(always)]
    fn of(bytes: &[u8], max_blob: u32) -> Option<Self> {
        let (&[_, a, b, c, d], rest) = bytes.split_first_chunk::<5>()?;
        let payload = u32::from_le_bytes([a, b, c, d]);
        if payload > max_blob {
            return None;
        }
        let tail = rest.get(payload as usize..)?;
        let &[_, source_id, ..] = tail.first_chunk::<2>()?;
        if source_id > 1 {
            return None;
        }
        let at = 2 + 8 * usize::from(source_id);
        let source_seq = *tail.get(at)?;
        if source_seq > 1 {
            return None;
        }
        let size = at + 1 + 8 * usize::from(source_seq) + 16;
        (tail.len() >= size).then_some(Self {
            size: 5 + payload as usize + size,
            payload,
            source_id,
            source_seq,
        })
    }
}

/// Returns the first problem of a command, in the order of the bytes.
#[cold]
fn command_fault(bytes: &[u8], max_blob: u32, command: u32) -> Stop {
    let part = |at, needed, what| short(at, needed, CutPart::Command(what));
    if bytes.is_empty() {
        return part(0, 1, "payload type");
    }
    let Some((&[_, a, b, c, d], _)) = bytes.split_first_chunk::<5>() else {
        return part(1, 4, "payload length");
    };
    let length = u32::from_le_bytes([a, b, c, d]);
    if length > max_blob {
        let rule = Rule::Limit {
            what: "payload",
            command: Some(command),
            unit: "bytes",
            claimed: length.into(),
            limit: max_blob.into(),
        };
        return Stop::Broken { at: 1, rule };
    }
    let mut at = 5 + length as usize;
    if bytes.len() < at {
        return short(5, length.into(), CutPart::Payload);
    }
    if bytes.len() == at {
        return part(at, 1, "priority class");
    }
    at += 1;
    for (what, value) in [
        ("source_id", "source_id's value"),
        ("source_seq", "source_seq's value"),
    ] {
        match bytes.get(at) {
            None => return part(at, 1, what),
            Some(0) => at += 1,
            Some(1) if bytes.len() < at + 9 => return part(at + 1, 8, value),
            Some(1) => at += 9,
            Some(&found) => {
                let rule = Rule::PresenceFlag {
                    command,
                    what,
                    found,
                };
                return Stop::Broken { at, rule };
            }
        }
    }
    if bytes.len() < at + 8 {
        return part(at, 8, "expires_after_tick");
    }
    part(at + 8, 8, "arrival_seq")
}
