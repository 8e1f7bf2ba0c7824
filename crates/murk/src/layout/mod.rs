//! The bytes of headers, frames and commands: the only place that knows their layout. All readers and
//! writers share it.

pub mod encode;
pub mod scan;

use gametape_core::ByteReader;

use crate::error::{Error, Finding};
use crate::limits::{Limits, MIN_FRAME_BYTES};
use crate::model::command::{Command, CommandIter, Commands};
use crate::model::payload::PayloadError;
use crate::model::{Build, Header, MAGIC, VERSION};
use crate::rule::Rule;

/// One tick: its commands, and the hash of the state after them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Frame<'a> {
    /// The frame's number, from 0.
    pub index: u64,
    /// The offset of the frame in the file.
    pub offset: u64,
    /// The tick. Ticks rise in a sound recording, but the format does not require it.
    pub tick: u64,
    /// The hash of the state after the tick; see [`snapshot_hash`](crate::snapshot_hash).
    pub snapshot_hash: u64,
    pub(crate) commands: Commands<'a>,
}

impl<'a> Frame<'a> {
    /// Returns the commands of the tick in the order in which they were submitted.
    #[must_use]
    pub const fn commands(&self) -> Commands<'a> {
        self.commands
    }

    /// Returns the size of the frame in the file, in bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        MIN_FRAME_BYTES + self.commands.as_bytes().len() as u64
    }

    /// Returns true for a frame after the first that is nothing but zeros: tick 0 again, no commands, and a hash
    /// of 0. Space was reserved for it, and it was never written.
    #[must_use]
    pub const fn is_blank(&self) -> bool {
        self.index > 0 && self.tick == 0 && self.snapshot_hash == 0 && self.commands.is_empty()
    }

    /// Returns true if the last byte is zero, so that [blank](Frame::is_blank) space after the frame may begin
    /// within it.
    pub(crate) const fn may_be_torn(&self) -> bool {
        self.snapshot_hash >> 56 == 0
    }

    /// Creates a finding about this frame.
    #[must_use]
    pub fn finding(&self, rule: Rule) -> Finding {
        Finding::new(rule)
            .at(self.offset)
            .step(self.index)
            .tick(Some(self.tick))
    }

    /// The finding about a [blank](Frame::is_blank) frame of a recording.
    pub(crate) fn blank(&self, recording: &[u8]) -> Finding {
        let rest = usize::try_from(self.offset).ok();
        let rest = rest.and_then(|at| recording.get(at..)).unwrap_or_default();
        let zeros = rest.iter().take_while(|byte| **byte == 0);
        let bytes = zeros.count() as u64;
        self.finding(Rule::Blank { bytes })
    }

    /// Creates the error for the payload of command `command`, counted from 0.
    #[must_use]
    pub fn payload_error(&self, command: u32, error: PayloadError) -> Error {
        self.finding(Rule::of_payload(command, error)).into()
    }
}

impl<'a> IntoIterator for Frame<'a> {
    type Item = Command<'a>;
    type IntoIter = CommandIter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.commands.iter()
    }
}

/// Reads the header; returns it and its size.
pub(crate) fn header<'a>(bytes: &'a [u8], limits: &Limits) -> Result<(Header<'a>, usize), Error> {
    let mut input = HeaderReader(ByteReader::new(bytes));
    let magic = input.array("magic")?;
    if magic != MAGIC {
        return Err(Error::at(Rule::Magic { found: magic }, 0));
    }
    let [version] = input.array("format version")?;
    if version != VERSION {
        return Err(Error::at(Rule::Version { found: version }, 4));
    }
    let mut string = |what| input.string(what, limits.max_string_bytes);
    let build = Build {
        toolchain: string("toolchain")?.into(),
        target_triple: string("target triple")?.into(),
        murk_version: string("murk version")?.into(),
        compile_flags: string("compile flags")?.into(),
    };
    let header = Header {
        build,
        seed: u64::from_le_bytes(input.array("seed")?),
        config_hash: u64::from_le_bytes(input.array("config hash")?),
        field_count: u32::from_le_bytes(input.array("field count")?),
        cell_count: u64::from_le_bytes(input.array("cell count")?),
        space_descriptor: input
            .blob("space descriptor", limits.max_blob_bytes)?
            .into(),
    };
    Ok((header, input.0.offset()))
}

/// The parts of the header. Each is read with the name that errors use for it.
struct HeaderReader<'a>(ByteReader<'a>);

impl<'a> HeaderReader<'a> {
    fn truncated(&self, what: &'static str, needed: u64) -> Error {
        let left = self.0.left() as u64;
        let rule = Rule::Truncated { what, needed, left };
        Error::at(rule, self.0.offset() as u64)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Error> {
        let array = self.0.array();
        array.map_err(|short| self.truncated(what, short.needed))
    }

    fn blob(&mut self, what: &'static str, limit: u32) -> Result<&'a [u8], Error> {
        let start = self.0.offset() as u64;
        let length = u32::from_le_bytes(self.array(what)?);
        if length > limit {
            let rule = Rule::Limit {
                what,
                command: None,
                unit: "bytes",
                claimed: length.into(),
                limit: limit.into(),
            };
            return Err(Error::at(rule, start));
        }
        let blob = self.0.take(length as usize);
        blob.map_err(|short| self.truncated(what, short.needed))
    }

    fn string(&mut self, what: &'static str, limit: u32) -> Result<&'a str, Error> {
        let blob = self.blob(what, limit)?;
        std::str::from_utf8(blob).map_err(|error| {
            let at = error.valid_up_to();
            let rule = Rule::Utf8 {
                what,
                at: at as u64,
                byte: blob.get(at).copied().unwrap_or_default(),
            };
            let start = self.0.offset() - blob.len();
            Finding::new(rule).at((start + at) as u64).into()
        })
    }
}
