//! The bytes of headers, frames and commands, within the limits of readers.

use crate::command::{Command, Commands, Envelope};
use crate::error::WriteError;
use crate::limits::Limits;
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
