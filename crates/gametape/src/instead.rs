//! Recognises files that do not start like a recording.

use std::io;

use data_encoding::{BASE64_MIME_PERMISSIVE, HEXLOWER_PERMISSIVE};
use gametape_core::Input;
use gametape_core::tape::Format;
use gametape_core::text::Grouped;

use crate::Formats;

/// As much of a file as shows what it starts with.
const HEAD: usize = 4096;

/// Says what a file is that does not start like a recording.
pub(crate) fn instead(input: &Input, formats: &Formats) -> io::Result<Option<String>> {
    let head = input.head(HEAD as u64)?;
    let is_recording = |bytes: &[u8]| {
        let input = Input::memory(bytes.to_vec());
        let mut formats = formats.iter();
        formats
            .find(|format| format.sniff(&input))
            .map(<dyn Format>::name)
    };
    if is_recording(&head).is_some() {
        return Ok(None);
    }
    let known = packed(&head).map(|what| format!("a {what} file: unpack it"));
    if known.is_some() {
        return Ok(known);
    }
    if let Some(rest) = head.strip_prefix(b"\xef\xbb\xbf")
        && let Some(format) = is_recording(rest)
    {
        return Ok(Some(format!(
            "a byte order mark stands before a recording in {format}, as an editor writes it: tail -c +4 leaves the \
             recording, unless the editor changed more"
        )));
    }
    let text = head.trim_ascii_start();
    let lower = text
        .get(..text.len().min(64))
        .unwrap_or(text)
        .to_ascii_lowercase();
    if [&b"<!doctype html"[..], b"<html", b"<head", b"<body"]
        .iter()
        .any(|tag| lower.starts_with(tag))
    {
        return Ok(Some(
            "a page of HTML: a server sent a page, often one about an error, in place of the file"
                .to_owned(),
        ));
    }
    if lower.starts_with(b"version https://git-lfs") {
        return Ok(Some(
            "a pointer of Git LFS: git lfs pull fetches the file itself".to_owned(),
        ));
    }
    if lower.starts_with(b"http/")
        && let Some(at) = find(&head, b"\r\n\r\n")
        && let Some(format) = head.get(at + 4..).and_then(is_recording)
    {
        return Ok(Some(format!(
            "the head of an answer of HTTP stands before a recording in {format}: tail -c +{} leaves the recording",
            at + 5
        )));
    }
    if let Some((how, format)) = decoded(text, is_recording) {
        return Ok(Some(format!(
            "a recording in {format} that is written as {how}: decode it"
        )));
    }
    if input.zeros_from(0)? == input.size() {
        return Ok(Some(format!(
            "nothing but {} zeros: the content was never written, or is lost",
            Grouped(input.size())
        )));
    }
    Ok(None)
}

/// The program that packed a file, by its first bytes.
fn packed(head: &[u8]) -> Option<&'static str> {
    let starts = [
        // Of these three, those that can't be unpacked.
        (&b"\x1f\x8b"[..], "gzip"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"PK\x03\x04", "zip"),
        (b"BZh", "bzip2"),
        (b"\xfd7zXZ\0", "xz"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"Rar!\x1a\x07", "RAR"),
    ];
    let found = starts.iter().find(|(start, _)| head.starts_with(start));
    found.map(|(_, name)| *name)
}

/// The encoding of a text that is a recording, and the recording's format.
fn decoded(
    text: &[u8],
    is_recording: impl Fn(&[u8]) -> Option<&'static str>,
) -> Option<(&'static str, &'static str)> {
    // A data URL: data:application/octet-stream;base64,…
    let text = match find(text, b";base64,") {
        Some(at) if text.starts_with(b"data:") => text.get(at + 8..)?,
        _ => text,
    };
    let digits = text.iter().filter(|byte| !byte.is_ascii_whitespace());
    // Whole groups of both encodings.
    let digits: Vec<u8> = digits.take(HEAD / 4).copied().collect();
    let digits = digits.get(..digits.len() / 4 * 4)?;
    let hex = HEXLOWER_PERMISSIVE.decode(digits).ok();
    let base64 = BASE64_MIME_PERMISSIVE.decode(digits).ok();
    [("hexadecimal digits", hex), ("base64", base64)]
        .into_iter()
        .find_map(|(how, bytes)| Some((how, is_recording(&bytes?)?)))
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}
