//! Cut: the start of a recording as a recording.

use gametape_core::table::Position;
use gametape_core::tape::{Cut, Cutout, Error, Sink, Work};
use gametape_core::{Clocks, Stamp};

use super::opened::MurkTape;
use super::world;
use crate::{ReadOptions, Reader};

/// Copies the frames up to a moment, byte for byte.
pub(super) fn cut(
    tape: &MurkTape,
    cut: &Cut,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Cutout, Error> {
    let mut reader = Reader::with_options(work.watched(&tape.input), ReadOptions::lenient());
    let tick_length = tape.tick_length(reader.header()?)?;
    let mut steps = cut.steps(Clocks::ticks(tick_length.is_some()))?;
    let mut end = reader.offset();
    while let Some(frame) = reader.next_frame()? {
        let stamp = Stamp {
            step: frame.index,
            tick: Some(frame.tick),
            time: tick_length.map(|dt| world::time_of(frame.tick, dt)),
        };
        if steps.position(stamp) == Position::After {
            break;
        }
        end = reader.offset();
    }
    // Frames of the range may be missing.
    if let Some(problem) = reader.findings().problem()
        && !steps.has_ended()
    {
        return Err(problem);
    }
    let kept = steps.kept()?;
    if kept.steps.start > 0 {
        return Err(Error::Uncut {
            at_start: true,
            why: "Murk v3 has no place for the state of the world that its commands would go on from (its end alone can be)",
            instead: None,
        });
    }
    work.copy_range(&tape.input, 0..end, out)?;
    Ok(Cutout::exact(kept))
}
