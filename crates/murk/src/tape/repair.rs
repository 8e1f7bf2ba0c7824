//! Keeping what is whole of a recording, and turning flipped bits back.

use std::io::{self, Read};

use gametape_core::tape::{Error, Repaired, Sink, Work};
use gametape_core::{Input, InputStream};

use super::MurkTape;
use super::beside::Beside;
use crate::{Bit, Damage, Finding, ReadOptions, Reader};

/// Keeps the whole frames at the start; before that, turns flipped bits back where an index knows
/// them.
pub(super) fn repair(
    tape: &MurkTape,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Repaired, Error> {
    let mut actions = Vec::new();
    let mut bits = Vec::new();
    let mut lossy = false;
    let found = Beside::find(tape.path()).map(|beside| match &beside {
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
            let say = |damage: &Damage, what: &str| {
                let place = match damage.entry {
                    None => "header".to_owned(),
                    Some(entry) => format!("frame {} (tick {})", entry.frame, entry.tick),
                };
                format!("{place}: {what}: {}", damage.change)
            };
            actions.extend(mended.iter().map(|damage| say(damage, "turned back")));
            actions.extend(left.iter().map(|damage| say(damage, "not mended")));
            lossy = !left.is_empty();
            bits.extend(mended.iter().filter_map(Damage::bit));
            bits.sort_by_key(|bit| bit.offset);
        }
    }
    let kept = Kept::of(&tape.input, &bits)?;
    let dropped = tape.input.size() - kept.end;
    actions.extend(kept.dropped(dropped));
    let mut mended = Mended::new(&tape.input, &bits).take(kept.end);
    copy(&mut mended, out, work)?;
    work.done(tape.input.size())?;
    Ok(Repaired {
        lossy: lossy || dropped > 0,
        actions,
        beside: Vec::new(),
    })
}

fn copy(from: &mut impl Read, out: &mut dyn Sink, work: &Work<'_>) -> Result<(), Error> {
    let mut piece = vec![0; 256 << 10];
    let mut copied = 0;
    loop {
        let count = match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Error::Io(error)),
        };
        out.write_all(piece.get(..count).unwrap_or_default())
            .map_err(Error::Output)?;
        copied += count as u64;
        work.done(copied)?;
    }
}

/// The recording, with some bits turned back.
struct Mended<'b> {
    stream: InputStream,
    position: u64,
    /// Those that are still to come, the first first.
    bits: &'b [Bit],
}

impl<'b> Mended<'b> {
    fn new(input: &Input, bits: &'b [Bit]) -> Self {
        Self {
            stream: input.stream(),
            position: 0,
            bits,
        }
    }
}

impl Read for Mended<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(into)?;
        while let Some((bit, rest)) = self.bits.split_first() {
            let at = bit.offset - self.position;
            if at >= count as u64 {
                break;
            }
            let byte = usize::try_from(at).ok().and_then(|at| into.get_mut(at));
            if let Some(byte) = byte {
                *byte ^= 1 << bit.bit;
            }
            self.bits = rest;
        }
        self.position += count as u64;
        Ok(count)
    }
}

/// What is worth keeping: the header, and the whole frames behind it.
struct Kept {
    end: u64,
    frames: u64,
    last_tick: Option<u64>,
    problem: Option<Finding>,
}

impl Kept {
    fn of(input: &Input, bits: &[Bit]) -> Result<Self, Error> {
        let mended = Mended::new(input, bits);
        let mut reader = Reader::with_options(mended, ReadOptions::lenient())?;
        let (mut frames, mut last_tick) = (0, None);
        while let Some(frame) = reader.next_frame()? {
            frames += 1;
            last_tick = Some(frame.tick);
        }
        Ok(Self {
            end: reader.offset(),
            frames,
            last_tick,
            problem: reader.findings().broken().next().cloned(),
        })
    }

    fn dropped(&self, bytes: u64) -> Option<String> {
        let problem = self.problem.as_ref()?;
        let last = match self.last_tick {
            Some(tick) if self.frames == 1 => format!("kept 1 whole frame, tick {tick}"),
            Some(tick) => format!("kept {} whole frames, up to tick {tick}", self.frames),
            None => "kept the header; no frame is whole".to_owned(),
        };
        Some(format!(
            "{last}; dropped {bytes} bytes behind them: {}: {}",
            problem.place,
            problem.message()
        ))
    }
}
