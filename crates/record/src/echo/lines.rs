//! An .echoreplay that grows, a line a frame.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use gametape_echo::{Frame, Time, echoreplay};

/// Bytes that are read at once on the way back from the end.
const BLOCK: u64 = 64 << 10;

/// Lines behind lines: after each, the file is whole.
#[derive(Debug)]
pub(super) struct Lines {
    file: File,
    end: u64,
    /// The end that the last line lacks.
    missing: &'static [u8],
    /// Something cut stands behind the end.
    torn: bool,
}

/// How a recording that is there ends.
#[derive(Debug)]
pub(super) struct Tail {
    /// The lines, ready for more.
    pub lines: Lines,
    /// The last frame.
    pub last: Option<Frame>,
    /// Bytes of a cut line, which the first line to come takes off.
    pub dropped: u64,
}

impl Lines {
    /// Writes into a file, which has to be empty.
    pub(super) const fn new(file: File) -> Self {
        Self {
            file,
            end: 0,
            missing: b"",
            torn: false,
        }
    }

    /// Goes on behind the last whole line of a file. The file stays as it is until a line comes or
    /// it is finished; only then is a cut line behind the last whole one taken off.
    ///
    /// # Errors
    /// What the file says, and [`io::ErrorKind::InvalidData`] for what is no .echoreplay as text.
    pub(super) fn resume(mut file: File) -> io::Result<Tail> {
        let length = file.metadata()?.len();
        let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why);
        let mut start = [0; 2];
        let read = file.read(&mut start)?;
        if start.get(..read) == Some(b"PK".as_slice()) {
            return Err(invalid("it is a zip, to which no lines can be added"));
        }
        // The last line with an end, and what is behind it.
        let end = newline_before(&mut file, length)?.map_or(0, |at| at + 1);
        let mut rest = Vec::new();
        let most = gametape_echo::Limits::DEFAULT.max_line_bytes;
        file.seek(SeekFrom::Start(end))?;
        (&file).take(most).read_to_end(&mut rest)?;
        let is_line = |line: &[u8]| matches!(echoreplay::read(line).next(), Some(Ok(_)));
        let mut lines = Self {
            file,
            end,
            missing: b"",
            torn: false,
        };
        if is_line(&rest) {
            // All of the line is there but its end.
            lines.missing = if rest.ends_with(b"\r") {
                b"\n"
            } else {
                b"\r\n"
            };
            lines.end = length;
        } else if !rest.is_empty() {
            if length - end > most || !is_torn(&rest) {
                return Err(invalid(if end > 0 {
                    "what stands behind its last whole line is no cut line"
                } else {
                    "it is no .echoreplay"
                }));
            }
            lines.torn = true;
        }
        let mut last = None;
        if lines.end > 0 {
            let start = newline_before(&mut lines.file, lines.end - 1)?.map_or(0, |at| at + 1);
            let mut line = Vec::new();
            lines.file.seek(SeekFrom::Start(start))?;
            (&lines.file)
                .take((lines.end - start).min(most))
                .read_to_end(&mut line)?;
            if !is_line(&line) {
                return Err(invalid("it does not end with a line of an .echoreplay"));
            }
            let mut frame = Frame::default();
            let mut read = echoreplay::ReadOptions::lenient().read(&line);
            if let Ok(Some(_)) = read.next_frame(&mut frame) {
                last = Some(frame);
            }
        }
        let dropped = length.saturating_sub(lines.end);
        Ok(Tail {
            lines,
            last,
            dropped,
        })
    }

    /// Adds a line. Where that fails, nothing of it stays.
    pub(super) fn push(&mut self, line: &[u8]) -> io::Result<()> {
        self.settle()?;
        self.add(line)
    }

    /// Mends the end of a file that is gone on with.
    fn settle(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.torn) {
            self.file.set_len(self.end)?;
        }
        match std::mem::take(&mut self.missing) {
            b"" => Ok(()),
            missing => self.add(missing),
        }
    }

    fn add(&mut self, line: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        let written = self.file.write_all(line);
        match written {
            Ok(()) => self.end += line.len() as u64,
            // If that fails as well, readers still find the whole lines.
            Err(_) => drop(self.file.set_len(self.end)),
        }
        written
    }

    /// Makes sure that all of it is on the disk.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.settle()?;
        self.file.sync_all()
    }
}

/// Whether this is how a line begins: a time or a part of one, a tab, JSON.
fn is_torn(rest: &[u8]) -> bool {
    /// What is missing of a time.
    const TIME: &[u8] = b"2000/01/01 00:00:00.0";
    let mut columns = rest.splitn(2, |byte| *byte == b'\t');
    let time = columns.next().unwrap_or_default();
    if let Some(json) = columns.next() {
        Time::parse(time).is_some() && matches!(json, [] | [b'{', ..])
    } else {
        let missing = TIME.get(time.len()..).unwrap_or_default();
        Time::parse(&[time, missing].concat()).is_some()
    }
}

/// Where the last `\n` before `end` is.
fn newline_before(file: &mut File, mut end: u64) -> io::Result<Option<u64>> {
    let mut block = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        block.clear();
        file.seek(SeekFrom::Start(start))?;
        (&*file).take(end - start).read_to_end(&mut block)?;
        if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
            return Ok(Some(start + at as u64));
        }
        end = start;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "2022/01/02 03:00:00.000\t{\"sessionid\":\"A\"}\r\n";
    const NEXT: &str = "2022/01/02 03:00:00.034\t{\"sessionid\":\"B\"}\r\n";

    fn file(text: &str) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.rewind().unwrap();
        file
    }

    #[test]
    fn cut_anywhere_it_goes_on_behind_the_last_whole_line() {
        let whole = format!("{LINE}{NEXT}");
        for cut in 0..=whole.len() {
            let text = &whole[..cut];
            let tail = Lines::resume(file(text)).unwrap();
            // A line is whole as soon as its JSON is.
            let mut frames = 2;
            if cut < whole.len() - 2 {
                frames = 1;
            }
            if cut < LINE.len() - 2 {
                frames = 0;
            }
            let last = tail.last.map(|frame| frame.session.sessionid);
            assert_eq!(
                last.as_deref(),
                [None, Some("A"), Some("B")][frames],
                "{cut}"
            );
            let mut lines = tail.lines;
            lines.push(NEXT.as_bytes()).unwrap();
            let mut text = String::new();
            lines.file.rewind().unwrap();
            lines.file.read_to_string(&mut text).unwrap();
            assert_eq!(text, [LINE, NEXT, NEXT][..frames].concat() + NEXT, "{cut}");
        }
    }

    #[test]
    fn a_long_last_line_and_what_is_no_recording() {
        let long = format!(
            "2022/01/02 03:00:00.000\t{{\"sessionid\":\"{}\"}}\n",
            "x".repeat(200_000)
        );
        let tail = Lines::resume(file(&format!("{LINE}{long}{}", &NEXT[..40]))).unwrap();
        assert_eq!(tail.last.unwrap().session.sessionid.len(), 200_000);
        assert_eq!(tail.lines.end, (LINE.len() + long.len()) as u64);
        assert_eq!(tail.dropped, 40);
        let behind = format!("{LINE}2026 my notes, behind a recording");
        for text in [
            "PK\x03\x04....",
            "hello\n",
            "hello",
            "\n\n",
            "2026 my notes, all on one line, not a recording",
            "2026/01/02 03:04:05.678 my notes",
            "2026/01/02 03:04:05.678\tmy notes",
            behind.as_str(),
        ] {
            let error = Lines::resume(file(text)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{text}");
        }
    }

    #[test]
    fn nothing_is_cut_before_a_line_comes() {
        let text = |lines: &mut Lines| {
            let mut text = String::new();
            lines.file.rewind().unwrap();
            lines.file.read_to_string(&mut text).unwrap();
            text
        };
        for torn in ["2022/01/02 03", &LINE[..30]] {
            let mut lines = Lines::resume(file(torn)).unwrap().lines;
            assert_eq!(text(&mut lines), torn);
            lines.push(NEXT.as_bytes()).unwrap();
            assert_eq!(text(&mut lines), NEXT);
        }
    }
}
