//! Builds a capture from the tables of any recording.

use std::sync::Arc;

use gametape_core::tape::{Converted, Error, Options, Secrets, Sink, Tape, Work};
use gametape_core::{Clocks, Stamp};

use super::making::Out;
use super::stream::{Head, Streamed, Wanted, stream};
use crate::layout::Role;
use crate::options;
use crate::write::{OfTables, Writer};

/// Builds a capture from the tables of a recording.
pub(crate) fn make(
    tape: &Arc<dyn Tape>,
    wanted: options::Options,
    secrets: Secrets,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Converted, Error> {
    let kept = options::Options {
        keyframe_every: None,
        ..wanted
    };
    let begin = |head: &Head<'_>| {
        let tables = serde_json::to_string(head.description);
        let tables = tables.map_err(|error| Error::Unsupported(error.to_string()))?;
        let of = OfTables {
            tables: &tables,
            // Log times advance about as fast as the recording.
            log_tick_ns: head.mean_step.filter(|_| wanted.tick_ns.is_none()),
            // Known at the end.
            rises: Clocks::STEPS,
        };
        Ok(Writer::of_tables(out, head.schema, kept, Some(of))?)
    };
    let wanted = Wanted {
        secrets,
        keep: "--with-secrets keeps it",
        keyframe_every: wanted.keyframe_every,
        broken: false,
        growing: false,
        lane: None,
        without: None,
        made_of: None,
    };
    let (mut writer, streamed) = stream(tape, &wanted, begin, work)?;
    writer.note_rises(streamed.rises);
    writer.finish()?;
    let Streamed {
        doubts, outcome, ..
    } = streamed;
    let doubts = doubts.iter().map(ToString::to_string);
    Ok(Converted {
        losses: doubts.chain(outcome.losses).collect(),
        ..outcome
    })
}

impl Out for Writer<&mut dyn Sink> {
    fn beside(
        &mut self,
        role: Role,
        tick: u32,
        stamp: Option<Stamp>,
        message: &[u8],
    ) -> Result<(), Error> {
        let time = stamp.and_then(time_of);
        Ok(self.push_beside(role, tick, time, message)?)
    }

    fn packet(&mut self, stamp: Stamp, packet: &[u8]) -> Result<(), Error> {
        self.push_timed(packet, time_of(stamp))?;
        Ok(())
    }

    fn keyframe(&mut self, tick: u32, stamp: Stamp, packet: &[u8]) -> Result<(), Error> {
        Ok(self.push_added(tick, packet, time_of(stamp))?)
    }
}

/// The time of a message in nanoseconds.
fn time_of(stamp: Stamp) -> Option<u64> {
    stamp.time.and_then(|time| u64::try_from(time.0).ok())
}

/// Whether the options ask for secrets.
pub(crate) fn secrets(options: &Options) -> Secrets {
    if options.has("with-secrets") {
        Secrets::Show
    } else {
        Secrets::Hide
    }
}
