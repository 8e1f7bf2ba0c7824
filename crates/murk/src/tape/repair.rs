//! Repair: restores flipped bits, and keeps the intact frames.

use gametape_core::text::{Bytes, Counted, Grouped};
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use gametape_core::tape::{Error, Repaired, Sink, Work};
use gametape_core::{AllAltered, Altered, Input, Part, ReadAt};

use super::beside::Beside;
use super::opened::MurkTape;
use crate::read::WholeFrames;
use crate::{Bit, Damage, Finding, ReadOptions, Reader, Rule};

/// Restores flipped bits, if an index shows them, and keeps the intact frames at the start.
pub(super) fn repair(
    tape: &MurkTape,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Repaired, Error> {
    let mut actions = Vec::new();
    let mut bits = Vec::new();
    let mut not_mended = Vec::new();
    let found = Beside::of(tape).map(|beside| match &beside {
        Err(reason) => Err(reason.clone()),
        Ok(beside) => {
            let index = beside.open_whole(&tape.input)?;
            let damages = index.damages(&tape.input).collect::<io::Result<Vec<_>>>();
            damages.map_err(|error| super::beside::unused(error.into()))
        }
    });
    match found {
        None => {}
        Some(Err(reason)) => actions.push(format!(
            "the index beside the recording is not used: {reason}"
        )),
        Some(Ok(damages)) => {
            let (mended, left): (Vec<Damage>, Vec<Damage>) = damages
                .into_iter()
                .partition(|damage| damage.bit().is_some());
            let sentence = |damage: &Damage| {
                let place = match damage.entry {
                    None => "header".to_owned(),
                    Some(entry) => {
                        let (frame, tick) = (Grouped(entry.frame), Grouped(entry.tick));
                        format!("frame {frame} (tick {tick})")
                    }
                };
                format!("{place}: turned back: {}", damage.change)
            };
            actions.extend(mended.iter().map(sentence));
            not_mended = left;
            bits.extend(mended.iter().filter_map(Damage::bit));
            bits.sort_by_key(|bit| bit.offset);
        }
    }
    let mended = |end| {
        let (input, bits) = (tape.input.clone(), bits.clone());
        Input::at(Arc::new(Mended { input, bits, end })).map_err(Error::Io)
    };
    let whole = mended(tape.input.size())?;
    let kept = KeptFrames::of(&whole, work.watched(&whole))?;
    let dropped = tape.input.size() - kept.end;
    let repaired = Repaired {
        lossy: dropped > 0,
        actions,
        ..Repaired::default()
    };
    let mut repaired = repaired.with_altered(&kept.altered(&not_mended));
    repaired.actions.extend(kept.dropped(dropped));
    work.copy(&mended(kept.end)?, out)?;
    work.done(tape.input.size())?;
    Ok(repaired)
}

/// The recording up to an offset, with some bits flipped back.
struct Mended {
    input: Input,
    /// In order of their offsets.
    bits: Vec<Bit>,
    end: u64,
}

impl ReadAt for Mended {
    fn size(&self) -> io::Result<u64> {
        Ok(self.end)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut stream = self.input.stream();
        stream.seek(SeekFrom::Start(offset))?;
        let count = stream.read(into)?;
        let first = self.bits.partition_point(|bit| bit.offset < offset);
        for bit in self.bits.iter().skip(first) {
            let byte = usize::try_from(bit.offset - offset).ok();
            match byte.and_then(|byte| into.get_mut(..count)?.get_mut(byte)) {
                Some(byte) => *byte ^= 1 << bit.bit,
                None => break,
            }
        }
        Ok(count)
    }
}

/// The part that is kept: the header, and the intact frames after it.
struct KeptFrames {
    end: u64,
    whole: WholeFrames,
    problem: Option<Finding>,
}

impl KeptFrames {
    fn of(input: &Input, stream: impl Read) -> Result<Self, Error> {
        let mut reader = Reader::with_options(stream, ReadOptions::lenient());
        let mut whole = WholeFrames::default();
        while let Some(frame) = reader.next_frame()? {
            if let Some(end) = whole.push(&frame) {
                let bytes = input.zeros_from(frame.offset).map_err(Error::Io)?;
                let problem = Some(frame.finding(Rule::Blank { bytes }));
                return Ok(Self {
                    end,
                    whole,
                    problem,
                });
            }
        }
        Ok(Self {
            end: reader.offset(),
            whole,
            problem: reader.findings().broken().next().cloned(),
        })
    }

    /// Returns the kept parts that differ from the index and can't be restored.
    fn altered(&self, not_mended: &[Damage]) -> AllAltered<Rule> {
        let mut altered = AllAltered::new();
        for damage in not_mended {
            let part = match damage.entry {
                None => Part::Beside("the header"),
                Some(entry) if entry.frame < self.whole.frames => {
                    Part::Steps(entry.frame..entry.frame + 1)
                }
                Some(_) => continue,
            };
            let finding = damage.finding();
            altered.push(Altered { finding, part });
        }
        altered
    }

    fn dropped(&self, bytes: u64) -> Option<String> {
        let problem = self.problem.as_ref()?;
        let last = match self.whole.last_tick {
            Some(tick) if self.whole.frames == 1 => {
                format!("kept 1 whole frame, tick {}", Grouped(tick))
            }
            Some(tick) => {
                let frames = Counted(self.whole.frames, "whole frame");
                format!("kept {frames}, up to tick {}", Grouped(tick))
            }
            None => "kept the header; no frame is whole".to_owned(),
        };
        Some(format!(
            "{last}; dropped {} after them: {}: {}",
            Bytes(bytes),
            problem.place,
            problem.message()
        ))
    }
}
