//! What happened to a file that is no sound recording, as far as its bytes show it, and what helps.

use std::io;

use data_encoding::{BASE64_MIME_PERMISSIVE, HEXLOWER_PERMISSIVE};
use gametape_core::Input;
use gametape_core::tape::{Audit, Options, Secrets, Verdict};
use gametape_core::text::Grouped;

use crate::{Error, Formats, Recording};

/// Larger files are neither searched nor repaired on trial.
const TRIED_UP_TO: u64 = 64 << 20;
/// As much of a file as shows what it starts with.
const HEAD: usize = 4096;

impl Recording {
    /// Says what happened to a recording in which an audit found something, and what helps: how a program or a
    /// transfer changed the file as a whole, and what [`Recording::repair`] keeps of it, which is tried. Returns
    /// nothing for a recording that passes, nor where the bytes show nothing. Files of more than 64 MiB are not
    /// tried.
    ///
    /// # Errors
    /// [`Error::Io`] if the file can't be read.
    pub fn advice(&self, audit: &Audit) -> Result<Vec<String>, Error> {
        let input = self.input();
        if audit.verdict() == Verdict::Pass || input.size() == 0 {
            return Ok(Vec::new());
        }
        let instead = instead(input, &self.formats).map_err(Error::io(self.path()))?;
        if let Some(instead) = instead {
            return Ok(vec![instead]);
        }
        if input.size() > TRIED_UP_TO {
            return Ok(Vec::new());
        }
        let mut advice = Vec::new();
        let told = |end: &str| {
            audit
                .findings
                .iter()
                .any(|finding| finding.code().ends_with(end))
        };
        if audit.verdict() == Verdict::Fail {
            let bytes = input.bytes().map_err(Error::io(self.path()))?;
            if let Some(how) = taken_for_text(&bytes) {
                return Ok(vec![how.to_owned()]);
            }
            if !told(".zeros") {
                advice.extend(zeros(&bytes));
            }
        }
        if !told(".joined") {
            advice.extend(self.joined()?);
        }
        // Where nothing can be kept, the findings say so.
        if let Ok(made) = self.repair(&Options::new()) {
            let actions = made.outcome.actions;
            let shown: Vec<&str> = actions.iter().take(3).map(String::as_str).collect();
            let more = match actions.len() - shown.len() {
                0 => String::new(),
                more => format!("; and {} more", Grouped(more as u64)),
            };
            if !shown.is_empty() {
                advice.push(format!("repair was tried: {}{more}", shown.join("; ")));
            }
        }
        Ok(advice)
    }

    /// Says where another recording begins within this one.
    fn joined(&self) -> Result<Option<String>, Error> {
        let bytes = self.input().bytes().map_err(Error::io(self.path()))?;
        // A start that only recordings have; lines of text start alike.
        let Some(start) = bytes.first_chunk::<6>() else {
            return Ok(None);
        };
        if !start.iter().any(|byte| *byte < 32) {
            return Ok(None);
        }
        let places = (1..bytes.len())
            .filter(|at| bytes.get(*at..).is_some_and(|rest| rest.starts_with(start)));
        let is_recording = |at: &usize| {
            let rest = bytes.get(*at..).unwrap_or_default().to_vec();
            let name = self.path().to_string_lossy();
            let opened = self.formats.open_input(rest, &name);
            let header = opened.and_then(|opened| opened.header(Secrets::Hide));
            header.is_ok_and(|header| header.problem.is_none())
        };
        // Each try copies the rest.
        let place = places.take(4).find(is_recording);
        Ok(place.map(|at| format!("another recording begins at byte {}", Grouped(at as u64))))
    }
}

/// Says what a file is that does not start like a recording.
pub(crate) fn instead(input: &Input, formats: &Formats) -> io::Result<Option<String>> {
    let head = input.head(HEAD as u64)?;
    let is_recording = |bytes: &[u8]| {
        let input = Input::memory(bytes.to_vec());
        let mut formats = formats.iter();
        formats
            .find(|format| format.sniff(&input))
            .map(|format| format.name())
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
        (&b"\x1f\x8b"[..], "gzip"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"BZh", "bzip2"),
        (b"\xfd7zXZ\0", "xz"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"Rar!\x1a\x07", "RAR"),
        (b"PK\x03\x04", "zip"),
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

/// Says how a program changed a binary file that it took for text.
fn taken_for_text(bytes: &[u8]) -> Option<&'static str> {
    let mut seen = [false; 256];
    bytes
        .iter()
        .for_each(|byte| seen[usize::from(*byte)] = true);
    let controls = (0..32).filter(|byte| seen[*byte] && ![9, 10, 13].contains(byte));
    if controls.count() < 8 {
        return None;
    }
    if seen[128..].iter().all(|seen| !seen) {
        return (bytes.len() > 1024).then_some(
            "no byte has its highest bit: the file went through a channel of seven bits, and the bits are lost",
        );
    }
    if let Ok(text) = str::from_utf8(bytes) {
        return Some(if text.contains('\u{fffd}') {
            "a program took the file for text, and replaced what is none by EF BF BD: that can't be undone"
        } else {
            "a program took the file for text in Latin-1 and wrote it as UTF-8: iconv -f UTF-8 -t LATIN1 may undo it"
        });
    }
    let feeds = bytes.iter().filter(|byte| **byte == b'\n').count();
    let pairs = bytes.windows(2).filter(|pair| pair == b"\r\n").count();
    (feeds == pairs && feeds >= 8).then_some(
        "each line feed follows a carriage return: a program took the file for text; transfer it as binary",
    )
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

/// Says where zeros stand in place of content: at the end, or a block of a disk in the middle.
fn zeros(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().rposition(|byte| *byte != 0)? + 1;
    if bytes.len() - end >= 64 {
        return Some(format!(
            "{} zeros from byte {} to the end: space was reserved and not written, as when the power goes or a \
             download breaks off",
            Grouped((bytes.len() - end) as u64),
            Grouped(end as u64)
        ));
    }
    let mut from = 0;
    for run in bytes.split_inclusive(|byte| *byte != 0) {
        if run.len() > 512 {
            return Some(format!(
                "{} zeros from byte {} on: a block of the disk or of a transfer is lost",
                Grouped(run.len() as u64 - 1),
                Grouped(from as u64)
            ));
        }
        from += run.len();
    }
    None
}
