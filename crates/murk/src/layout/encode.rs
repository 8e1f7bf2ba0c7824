//! Writes headers, frames and commands, within the limits of readers.

use crate::error::WriteError;
use crate::limits::Limits;
use crate::model::command::{Command, Commands, Envelope};
use crate::model::payload::Payload;
use crate::model::{Header, MAGIC, VERSION};

/// The limits of readers: of this crate and of the origin.
pub(crate) const LIMITS: Limits = Limits::DEFAULT;

pub(crate) fn check(
    what: &'static str,
    unit: &'static str,
    size: usize,
    limit: u32,
) -> Result<u32, WriteError> {
    match u32::try_from(size) {
        Ok(size) if size <= limit => Ok(size),
        _ => Err(WriteError::DataTooLarge {
            what,
            unit,
            size: size as u64,
            limit: u64::from(limit),
        }),
    }
}

/// Returns the bytes of a header.
///
/// # Errors
/// [`WriteError::DataTooLarge`] for a string over 1 MiB and for a space descriptor over 64 MiB.
pub fn write_header(header: &Header<'_>) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(&MAGIC);
    out.push(VERSION);
    let build = &header.build;
    for (what, text) in [
        ("a toolchain string", &build.toolchain),
        ("a target triple", &build.target_triple),
        ("a murk version", &build.murk_version),
        ("a string of compile flags", &build.compile_flags),
    ] {
        let length = check(what, "bytes", text.len(), LIMITS.max_string_bytes)?;
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(text.as_bytes());
    }
    out.extend_from_slice(&header.seed.to_le_bytes());
    out.extend_from_slice(&header.config_hash.to_le_bytes());
    out.extend_from_slice(&header.field_count.to_le_bytes());
    out.extend_from_slice(&header.cell_count.to_le_bytes());
    let descriptor = &header.space_descriptor;
    let length = check(
        "a space descriptor",
        "bytes",
        descriptor.len(),
        LIMITS.max_blob_bytes,
    )?;
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(descriptor);
    Ok(out)
}

/// Returns the bytes of a frame.
///
/// # Errors
/// [`WriteError::DataTooLarge`] for a payload over 64 MiB and for more than 1,000,000 commands.
pub fn write_frame(tick: u64, commands: Commands<'_>, hash: u64) -> Result<Vec<u8>, WriteError> {
    check_all(commands)?;
    let head = frame_head(tick, commands.len() as u32);
    Ok([&head, commands.as_bytes(), &hash.to_le_bytes()].concat())
}

/// Writes an envelope. Each combination of sources has its own constant size, so that it is written
/// without a call.
#[inline(always)]
pub(crate) fn put_envelope(envelope: &Envelope, out: &mut Vec<u8>) {
    match (envelope.source_id, envelope.source_seq) {
        (Some(id), Some(seq)) => put_tail::<35>(envelope, Some(id), Some(seq), out),
        (Some(id), None) => put_tail::<27>(envelope, Some(id), None, out),
        (None, Some(seq)) => put_tail::<27>(envelope, None, Some(seq), out),
        (None, None) => put_tail::<19>(envelope, None, None, out),
    }
}

#[inline(always)]
pub(crate) fn put_tail<const N: usize>(
    envelope: &Envelope,
    source_id: Option<u64>,
    source_seq: Option<u64>,
    out: &mut Vec<u8>,
) {
    let mut bytes = [0_u8; N];
    let mut at = 0;
    let mut put = |part: &[u8]| {
        if let Some(space) = bytes.get_mut(at..at + part.len()) {
            space.copy_from_slice(part);
        }
        at += part.len();
    };
    put(&[envelope.priority_class]);
    for source in [source_id, source_seq] {
        match source {
            None => put(&[0]),
            Some(value) => {
                put(&[1]);
                put(&value.to_le_bytes());
            }
        }
    }
    put(&envelope.expires_after_tick.to_le_bytes());
    put(&envelope.arrival_seq.to_le_bytes());
    out.extend_from_slice(&bytes);
}

/// Returns the first bytes of a frame. They are put together first, because each append to the
/// buffer costs more than the bytes.
#[inline]
pub(crate) fn frame_head(tick: u64, count: u32) -> [u8; 12] {
    let mut bytes = [0; 12];
    bytes[..8].copy_from_slice(&tick.to_le_bytes());
    bytes[8..].copy_from_slice(&count.to_le_bytes());
    bytes
}

#[inline]
pub(crate) fn put_head(tag: u8, length: u32, out: &mut Vec<u8>) {
    let [a, b, c, d] = length.to_le_bytes();
    out.extend_from_slice(&[tag, a, b, c, d]);
}

#[inline]
pub(crate) fn put_command(command: &Command<'_>, out: &mut Vec<u8>) -> Result<(), WriteError> {
    let length = check(
        "a payload",
        "bytes",
        command.payload.len(),
        LIMITS.max_blob_bytes,
    )?;
    put_head(command.payload_type, length, out);
    match <&[u8; 20]>::try_from(command.payload) {
        // The most frequent command sets a value in a plane.
        Ok(payload) => out.extend_from_slice(payload),
        Err(_) => out.extend_from_slice(command.payload),
    }
    put_envelope(&command.envelope, out);
    Ok(())
}

/// Refuses a list of commands that readers would refuse.
#[cold]
pub(crate) fn check_all(commands: Commands<'_>) -> Result<(), WriteError> {
    check_count(commands.len())?;
    for command in commands {
        check(
            "a payload",
            "bytes",
            command.payload.len(),
            LIMITS.max_blob_bytes,
        )?;
    }
    Ok(())
}

pub(crate) fn check_count(count: usize) -> Result<u32, WriteError> {
    check("a frame", "commands", count, LIMITS.max_commands)
}

/// The commands of one tick, owned: to be written or simulated.
///
/// ```
/// use gametape_murk::{CommandBuf, Envelope, Payload};
/// let mut commands = CommandBuf::new();
/// let set = Payload::SetField { coord: (&[3, 4]).into(), field: 0, value: 1.5 };
/// commands.push(&Envelope::default(), &set)?;
/// assert_eq!(commands.as_commands().iter().next().unwrap().payload()?, set);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct CommandBuf {
    bytes: Vec<u8>,
    count: u32,
}

impl CommandBuf {
    /// Creates an empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            count: 0,
        }
    }

    /// Adds a command.
    ///
    /// # Errors
    /// [`WriteError::DataTooLarge`] for a payload over 64 MiB and for more than 1,000,000 commands.
    /// Nothing is added then.
    pub fn push(&mut self, envelope: &Envelope, payload: &Payload<'_>) -> Result<(), WriteError> {
        let count = self.next_count()?;
        let size = payload.size();
        let length = check("a payload", "bytes", size, LIMITS.max_blob_bytes)?;
        self.bytes.reserve(size + 40);
        put_head(payload.tag(), length, &mut self.bytes);
        payload.put(&mut self.bytes);
        put_envelope(envelope, &mut self.bytes);
        self.count = count;
        Ok(())
    }

    /// Adds a command as it is stored.
    ///
    /// # Errors
    /// Same as [`CommandBuf::push`].
    pub fn push_stored(&mut self, command: &Command<'_>) -> Result<(), WriteError> {
        let count = self.next_count()?;
        put_command(command, &mut self.bytes)?;
        self.count = count;
        Ok(())
    }

    fn next_count(&self) -> Result<u32, WriteError> {
        check_count(self.count as usize + 1)
    }

    /// Replaces the commands by these.
    pub fn assign(&mut self, commands: Commands<'_>) {
        self.bytes.clear();
        self.bytes.extend_from_slice(commands.as_bytes());
        self.count = commands.len() as u32;
    }

    /// Returns the commands in the form that a frame has them, without a copy.
    #[must_use]
    pub fn as_commands(&self) -> Commands<'_> {
        Commands::new(&self.bytes, self.count)
    }

    /// Removes the commands and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
    }
}
