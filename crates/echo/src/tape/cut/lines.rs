//! Lines of an .echoreplay, byte for byte.

use std::ops::Range;
use std::sync::Arc;

use gametape_core::table::Position;
use gametape_core::tape::{Cut, Cutout, Depth, Error, Options, Sink, Tape as _, Target, Work};
use gametape_core::{Clocks, Input};

use super::super::convert::convert;
use super::super::error::unwritable;
use super::super::lines::{Entry, FrameLines};
use super::super::opened::EchoTape;
use super::super::options::wants_zip;
use crate::echoreplay::write::LineWriter;
use crate::echoreplay::{self, Container};
use crate::{Frame, Rule};

/// The number of lines between two reports of progress.
const SOME: usize = 256;

pub(super) fn cut(
    tape: &EchoTape,
    cut: &Cut,
    told: &Options,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Cutout, Error> {
    let mut steps = cut.steps(Clocks::TIMES)?;
    let (lines, text) = tape.lines(work)?;
    for stamp in lines.stamps() {
        if steps.position(stamp) == Position::After {
            break;
        }
    }
    let kept = steps.kept()?;
    if kept.is_all {
        let to = Target {
            format: tape.format.name(),
            options: told,
        };
        let converted = convert(tape, &to, out, work)?;
        return Ok(Cutout { kept, converted });
    }
    if !steps.has_ended() {
        whole_to_the_end(tape)?;
    }
    as_packed(tape, &lines, &kept.steps)?;
    let zip = wants_zip(told).unwrap_or_else(|| tape.is_zip());
    let container = tape.container(zip);
    let mut writing = Writing {
        tape,
        lines,
        text: &text,
        work,
    };
    let range = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    writing.write(
        range(kept.steps.start)..range(kept.steps.end),
        &container,
        out,
    )?;
    work.done(tape.input.size())?;
    Ok(Cutout::exact(kept))
}

/// Refuses a recording that breaks off: what is missing may be in the range.
fn whole_to_the_end(tape: &EchoTape) -> Result<(), Error> {
    let mut reader = tape.line_reader()?;
    while reader.next_line()?.is_some() {}
    reader.findings().problem().map_or(Ok(()), Err)
}

/// Refuses lines of a file in a zip that are not those that were packed: any of them may be altered, and
/// in what is made of them nothing would show it.
fn as_packed(tape: &EchoTape, lines: &FrameLines, kept: &Range<u64>) -> Result<(), Error> {
    let at = |step: u64| lines.entries.get(usize::try_from(step).ok()?);
    let (Some(spool), Some(first), Some(last)) = (
        tape.spool(),
        at(kept.start),
        kept.end.checked_sub(1).and_then(at),
    ) else {
        return Ok(());
    };
    let Some((mut finding, text)) = spool.altered(&(first.offset..last.end())) else {
        return Ok(());
    };
    let before = |offset: u64| lines.entries.partition_point(|entry| entry.offset < offset) as u64;
    let first = before(text.start);
    if let Rule::ZipChecksum { frames, .. } = &mut finding.rule {
        *frames = before(text.end) - first;
    }
    Err(finding.at(0).step(first).into())
}

/// A part that is being written.
struct Writing<'t> {
    tape: &'t EchoTape,
    lines: Arc<FrameLines>,
    text: &'t Input,
    work: &'t Work<'t>,
}

impl Writing<'_> {
    fn write(
        &mut self,
        kept: Range<usize>,
        container: &Container,
        out: &mut dyn Sink,
    ) -> Result<(), Error> {
        let failed = |error| unwritable(&Frame::default(), error);
        let mut output = match container {
            // As they are, whatever the last ends with.
            Container::Text => Put::Text(out),
            zip @ Container::Zip(_) => Put::Zip(LineWriter::new(zip, out).map_err(failed)?),
        };
        let mut before: Option<Entry> = None;
        for at in kept.clone() {
            let (entry, line) = self.line(at)?;
            let after = before.map_or(entry.offset, |before| before.end());
            if after < entry.offset {
                let between = self.text.range(after, entry.offset - after);
                // Lines that are no frames stay, too.
                output.put(&between.map_err(Error::Io)?, true, self.tape)?;
            }
            output.put(&line, at + 1 < kept.end, self.tape)?;
            before = Some(entry);
            if at % SOME == 0 {
                let share = self.tape.input.size() as f64 * (at - kept.start) as f64;
                self.work.done((share / kept.len() as f64) as u64)?;
            }
        }
        match output {
            Put::Text(_) => Ok(()),
            Put::Zip(lines) => lines.finish().map_err(failed),
        }
    }

    /// The line of a frame. Where that is another one, lines are looked for anew.
    fn line(&mut self, at: usize) -> Result<(Entry, Vec<u8>), Error> {
        for again in [false, true] {
            if again {
                self.lines = self.tape.lines_again(&self.lines)?;
            }
            if let Some(entry) = self.lines.entries.get(at)
                && let Some(line) = entry.line(self.text)?
            {
                return Ok((*entry, line.into_owned()));
            }
        }
        Err(Error::Unsupported(format!(
            "frame {at} is not there any more"
        )))
    }
}

/// The file that lines are written to.
enum Put<'o> {
    Text(&'o mut dyn Sink),
    Zip(LineWriter<&'o mut dyn Sink>),
}

impl Put<'_> {
    /// Writes some lines; `more` says whether lines follow. Anything that is not a line is an error.
    fn put(&mut self, text: &[u8], more: bool, tape: &EchoTape) -> Result<(), Error> {
        for line in echoreplay::read(text) {
            let line = match line {
                Ok(line) => line,
                // The recording says where that is.
                Err(error) => {
                    let problem = tape
                        .describe(
                            Depth::Whole,
                            gametape_core::tape::Secrets::Hide,
                            &Work::default(),
                        )?
                        .problem;
                    return Err(problem.unwrap_or_else(|| error.into()));
                }
            };
            if let Self::Zip(lines) = self {
                let pushed = lines.push(&line);
                pushed.map_err(|error| unwritable(&Frame::default(), error))?;
            }
        }
        match self {
            Self::Text(out) => {
                out.write_all(text).map_err(Error::Output)?;
                // The last of a file in a zip: the next file's first line must not go on with it.
                let ending: &[u8] = if more && !text.ends_with(b"\n") {
                    b"\r\n"
                } else {
                    b""
                };
                out.write_all(ending).map_err(Error::Output)
            }
            Self::Zip(_) => Ok(()),
        }
    }
}
