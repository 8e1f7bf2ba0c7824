//! Finding the end of a plain recording that is to be continued.

use std::io::{Read, Seek, SeekFrom};

use super::line::Line;
use super::stream::Reader;
use crate::error::Error;
use crate::limits::{Limits, ReadOptions};
use crate::model::{Frame, Time};
use crate::resumed::Resumed;
use crate::rule::Rule;

/// How the text ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tail {
    /// With a whole line.
    Whole,
    /// With this many bytes of a cut line.
    Torn(u64),
    /// With a whole line or its start, lacking these bytes.
    Unended(&'static [u8]),
}

/// Reads a recording to its end.
pub(super) fn find_tail<F: Read + Seek>(file: &mut F) -> Result<(Tail, Resumed), Error> {
    let io = |source| Error::io(0, source);
    let length = file.seek(SeekFrom::End(0)).map_err(io)?;
    file.seek(SeekFrom::Start(0)).map_err(io)?;
    let mut reader = Reader::with_options(&mut *file, ReadOptions::lenient());
    let mut resumed = Resumed::default();
    // The end of the last line, and the line.
    let (mut end, mut last) = (0, Vec::new());
    while let Some(line) = reader.next_line()? {
        resumed.frames += 1;
        end = line.offset + line.size() as u64;
        last.clear();
        line.write(&mut last);
    }
    let cut = reader.findings().get("echoreplay.truncated").cloned();
    drop(reader);
    let mut frame = Frame::default();
    let line = super::read::read(&last).next().and_then(Result::ok);
    if line.is_some_and(|line| line.read_into(&mut frame).is_ok()) {
        resumed.last = Some(frame);
    }
    if end == length {
        let tail = match line.map_or(b"".as_slice(), |line: Line<'_>| line.ending) {
            b"" if end == 0 => Tail::Whole,
            // Only the line's ending is missing.
            b"" if last.ends_with(b"\r") => Tail::Unended(b"\n"),
            b"" => Tail::Unended(b"\r\n"),
            _ => Tail::Whole,
        };
        return Ok((tail, resumed));
    }
    let mut torn = Vec::new();
    file.seek(SeekFrom::Start(end)).map_err(io)?;
    file.take(Limits::DEFAULT.max_line_bytes)
        .read_to_end(&mut torn)
        .map_err(io)?;
    if end == 0 && super::text::is_zip(&torn) {
        return Err(Error::at(Rule::Zipped, 0));
    }
    let bytes = length - end;
    if torn.len() as u64 != bytes || !is_torn(&torn) {
        return Err(Error::at(Rule::NoTail { bytes }, end));
    }
    resumed.dropped = bytes;
    resumed.problem = cut;
    Ok((Tail::Torn(bytes), resumed))
}

/// Whether this is how a line begins: a time or a part of one, a tab, JSON.
fn is_torn(rest: &[u8]) -> bool {
    /// Completes the start of a time.
    const TIME: &[u8] = b"2000/01/01 00:00:00.0";
    let mut columns = rest.splitn(2, |byte| *byte == b'\t');
    let time = columns.next().unwrap_or_default();
    if let Some(json) = columns.next() {
        Time::parse(time).is_some() && matches!(json, [] | [b'{', ..]) && !json.contains(&b'\n')
    } else {
        let missing = TIME.get(time.len()..).unwrap_or_default();
        Time::parse(&[time, missing].concat()).is_some()
    }
}
