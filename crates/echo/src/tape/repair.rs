//! Repair: keeps the intact parts of a recording.

use gametape_core::text::{Bytes, Counted};
use std::borrow::Cow;
use std::io;

use gametape_core::Input;
use gametape_core::tape::{self, Error, Repaired, Sink, Work};

use super::error::{no_frame, unwritable, unwritable_because};
use super::opened::EchoTape;
use crate::butter::{self, Ranges, Salvaged};
use crate::{Finding, Frame, Limits, SalvageError, echoreplay};

/// Repairs a .butter: keeps intact chunks byte for byte, and the intact frames of other chunks.
pub(super) fn butter(
    tape: &EchoTape,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Repaired, Error> {
    let scratch = work.scratch().map_err(Error::Output)?;
    // An intact recording is copied byte for byte, so the result of the salvage is looked at first.
    let mut made = work.scratch().map_err(Error::Output)?;
    let watched = WatchedRanges {
        input: &tape.input,
        work,
    };
    let salvaged = butter::salvage_ranges(&watched, Limits::default(), scratch, &mut made)
        .map_err(not_salvaged)?;
    work.done(tape.input.size())?;
    if salvaged.nothing_to_do() {
        work.copy(&tape.input, out)?;
        return Ok(Repaired::default());
    }
    if salvaged.written.frames == 0 && salvaged.lost_bytes + salvaged.lost_chunks > 0 {
        return Err(no_frame("keep"));
    }
    let made = Input::file(made).map_err(Error::Io)?;
    work.copy(&made, out)?;
    let (actions, kept) = report(&salvaged);
    let repaired = Repaired {
        lossy: salvaged.is_lossy(),
        actions,
        ..Repaired::default()
    };
    let mut repaired = repaired.with_altered(&salvaged.altered);
    repaired.actions.push(kept);
    Ok(repaired)
}

/// A recording whose reads are reported as progress.
struct WatchedRanges<'w> {
    input: &'w Input,
    work: &'w Work<'w>,
}

impl Ranges for WatchedRanges<'_> {
    type Stream<'s>
        = tape::Watched<'s>
    where
        Self: 's;

    fn size(&self) -> u64 {
        self.input.size()
    }

    fn range(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>> {
        self.work
            .done(offset.saturating_add(length))
            .map_err(io::Error::other)?;
        self.input.range(offset, length)
    }

    fn stream(&self) -> tape::Watched<'_> {
        self.work.watched(self.input)
    }
}

fn not_salvaged(error: SalvageError) -> Error {
    match error {
        SalvageError::Read(error) => error.into(),
        SalvageError::Write(error) => unwritable(&Frame::default(), error),
        #[allow(unreachable_patterns)] // The enum is non-exhaustive.
        other => unwritable_because(other.to_string()),
    }
}

/// Returns sentences about what was done, and one about what was kept.
fn report(salvaged: &Salvaged) -> (Vec<String>, String) {
    let mut actions = Vec::new();
    // `#` is replaced by the count and the noun.
    let mut done = |count: u64, what: &str, sentence: &str| {
        if count > 0 {
            actions.push(sentence.replace('#', &Counted(count, what).to_string()));
        }
    };
    done(
        salvaged.found_chunks,
        "chunk",
        "found # missing from the table of chunks",
    );
    done(
        salvaged.unfinished_frames,
        "frame",
        "finished an unfinished recording: # are in chunks now",
    );
    done(
        salvaged.cut_chunks,
        "chunk",
        match salvaged.cut_chunks {
            1 => "kept the intact frames of # that is broken",
            _ => "kept the intact frames of # that are broken",
        },
    );
    done(
        salvaged.lost_chunks,
        "chunk",
        "dropped # that can't be read",
    );
    done(
        salvaged.gaps,
        "gap",
        "# within a chunk, where frames can't be read",
    );
    let kept = format!(
        "kept {} in {}",
        Counted(salvaged.written.frames, "frame"),
        Counted(salvaged.written.chunks, "chunk")
    );
    let kept = match salvaged.lost_bytes {
        0 => kept,
        lost => format!("{kept}; dropped {}", Bytes(lost)),
    };
    (actions, kept)
}

/// Repairs an .echoreplay: keeps the lines that are frames, byte for byte, in the same container.
pub(super) fn echoreplay(
    tape: &EchoTape,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Repaired, Error> {
    // Most recordings are intact and are copied as they are, so the result is looked at first.
    let mut made = work.scratch().map_err(Error::Output)?;
    let salvaged = echoreplay::salvage_to(
        work.watched(&tape.input),
        Limits::default(),
        &tape.container(tape.is_zip()),
        &mut made,
    )
    .map_err(not_salvaged)?;
    work.done(tape.input.size())?;
    let odd = salvaged.odd_bones.iter().map(|finding| {
        let first = Error::from(Finding {
            repeats: 0,
            ..finding.clone()
        });
        match finding.repeats {
            0 => format!("kept as it is: {first}"),
            more => format!(
                "kept as they are, {}; the first: {first}",
                Counted(more + 1, "line")
            ),
        }
    });
    if salvaged.nothing_to_do() {
        work.copy(&tape.input, out)?;
        return Ok(Repaired {
            actions: odd.collect(),
            ..Repaired::default()
        });
    }
    let left_out = salvaged.left_out().map(|finding| {
        let what = if finding.rule.ends_early() {
            "read as far as it goes"
        } else {
            "left out"
        };
        format!("{what}: {}", Error::from(finding.clone()))
    });
    let actions: Vec<String> = left_out.collect();
    let repaired = Repaired {
        lossy: !actions.is_empty(),
        actions,
        ..Repaired::default()
    };
    let mut repaired = repaired.with_altered(&salvaged.altered);
    if repaired.lossy && salvaged.frames == 0 {
        return Err(no_frame("keep"));
    }
    let set_right = salvaged.set_right();
    let set_right = set_right.map(|finding| format!("set right: {}", finding.message()));
    let kept = format!("kept {}", Counted(salvaged.frames, "frame"));
    repaired.actions.extend(set_right.chain(odd).chain([kept]));
    let made = Input::file(made).map_err(Error::Io)?;
    work.copy(&made, out)?;
    Ok(repaired)
}
