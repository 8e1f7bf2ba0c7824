//! An .echoreplay that grows, a line a frame.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use gametape_echo::{Frame, echoreplay};

/// Bytes that are read at once on the way back from the end.
const BLOCK: u64 = 64 << 10;

/// Lines behind lines: after each, the file is whole.
#[derive(Debug)]
pub(super) struct Lines {
    file: File,
    end: u64,
}

/// How a recording that is there ends.
#[derive(Debug)]
pub(super) struct Tail {
    /// The lines, ready for more.
    pub lines: Lines,
    /// The last frame.
    pub last: Option<Frame>,
    /// Bytes of a cut line that were taken off.
    pub dropped: u64,
}

impl Lines {
    /// Writes into a file, which has to be empty.
    pub(super) const fn new(file: File) -> Self {
        Self { file, end: 0 }
    }

    /// Goes on behind the last whole line of a file; what is cut behind it is taken off.
    ///
    /// # Errors
    /// What the file says, and [`io::ErrorKind::InvalidData`] for what is no .echoreplay as text.
    pub(super) fn resume(mut file: File) -> io::Result<Tail> {
        let length = file.metadata()?.len();
        let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why);
        let mut start = [0; 2];
        let read = file.read(&mut start)?;
        if start.get(..read) == Some(b"PK".as_slice()) {
            return Err(invalid("is a zip, to which no lines can be added"));
        }
        // The last line with an end, and what is behind it.
        let end = newline_before(&mut file, length)?.map_or(0, |at| at + 1);
        let mut rest = Vec::new();
        let most = gametape_echo::Limits::DEFAULT.max_line_bytes;
        file.seek(SeekFrom::Start(end))?;
        (&file).take(most).read_to_end(&mut rest)?;
        let is_line = |line: &[u8]| matches!(echoreplay::read(line).next(), Some(Ok(_)));
        let mut lines = Self { file, end };
        if is_line(&rest) {
            // All of the line is there but its end.
            let missing: &[u8] = if rest.ends_with(b"\r") {
                b"\n"
            } else {
                b"\r\n"
            };
            lines.end = length;
            lines.push(missing)?;
            rest.clear();
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
                return Err(invalid("does not end with a line of an .echoreplay"));
            }
            let mut frame = Frame::default();
            let mut read = echoreplay::ReadOptions::lenient().read(&line);
            if let Ok(Some(_)) = read.next_frame(&mut frame) {
                last = Some(frame);
            }
        } else if length > 0 && !rest.first().is_some_and(u8::is_ascii_digit) {
            return Err(invalid("is no .echoreplay"));
        }
        let dropped = length.saturating_sub(lines.end);
        lines.file.set_len(lines.end)?;
        Ok(Tail {
            lines,
            last,
            dropped,
        })
    }

    /// Adds a line. Where that fails, nothing of it stays.
    pub(super) fn push(&mut self, line: &[u8]) -> io::Result<()> {
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
    pub(super) fn finish(self) -> io::Result<()> {
        self.file.sync_all()
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
        for text in ["PK\x03\x04....", "hello\n", "hello", "\n\n"] {
            let error = Lines::resume(file(text)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{text}");
        }
    }
}
