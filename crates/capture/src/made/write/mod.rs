//! The tables of any recording as a single stream, and as a capture.

mod gather;
pub(super) mod growing;
mod held;
pub(super) mod making;
mod plan;
pub(super) mod segments;
mod spill;

use std::collections::BTreeMap;
use std::sync::Arc;

use gametape_core::table::{Lane, TableDef};
use gametape_core::tape::{Converted, Depth, Error, Options, Secrets, Sink, Tape, Work};
use gametape_core::text::Counted;
use gametape_core::{Clocks, Stamp};
use gametape_delta::{Codec, Schema};

use self::gather::{Clocked, Gathering, gather, visible};
use self::making::{BlockFeed, Making, Out};
use self::plan::plan;
use self::spill::Spilled;
use super::description::{Description, MadeOf, VERSION};
use crate::layout::Role;
use crate::write::{OfTables, Options as CaptureOptions, Writer};

/// Options for making a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'w> {
    pub secrets: Secrets,
    /// How to keep secrets, as the surface that asks calls it.
    pub keep: &'static str,
    /// The number of packets from one full snapshot to the next.
    pub keyframe_every: Option<u32>,
    /// Whether a broken recording is accepted as far as it can be read.
    pub broken: bool,
    /// Whether the recording may grow. The schema then has room for any rows.
    pub growing: bool,
    /// If set, only tables in this lane are included.
    pub lane: Option<Lane>,
    /// A table that is left out.
    pub without: Option<&'w str>,
    /// The original recording, if this recording is itself a capture made from tables.
    pub made_of: Option<&'w MadeOf>,
}

/// The advice on secret columns in a published recording.
pub(crate) const PUBLISHED: &str = "--show-secrets shows it";

/// The facts that are known before the first packet.
pub(super) struct StreamHead<'h> {
    pub schema: &'h Schema,
    pub description: &'h Description,
    /// The mean duration of a step in nanoseconds, if the recording has times.
    pub mean_step: Option<u64>,
}

/// Passes the tables of a recording to the destination that `begin` makes from their head.
pub(super) fn stream<O: Out>(
    tape: &Arc<dyn Tape>,
    wanted: &Wanted<'_>,
    begin: impl FnOnce(&StreamHead<'_>) -> Result<O, Error>,
    work: &Work<'_>,
) -> Result<(O, Streamed), Error> {
    let mut all = tape.tables()?;
    all.retain(|table| wanted.without != Some(&*table.name) && !table.on_request);
    all.retain(|table| wanted.lane.is_none_or(|lane| table.lane == lane));
    let tables: Vec<TableDef> = all
        .iter()
        .filter_map(|table| visible(table, wanted.secrets))
        .collect();
    let size = tape.input().size();
    let (mut gathered, mut clocked) = gather(tape, &tables, wanted.broken, work)?;
    if wanted.growing {
        clocked.open();
        for one in &mut gathered {
            one.gathering.open();
        }
    }
    let mut streamed = Streamed {
        doubts: each_once(gathered.iter_mut().filter_map(|one| one.doubt.take())),
        outcome: Converted {
            notes: notes(
                &all,
                &tables,
                gathered.iter().map(|one| &one.gathering),
                wanted.keep,
            ),
            ..Converted::default()
        },
        rises: Clocks::STEPS,
    };
    let mut plan = plan(gathered.iter().map(|one| &one.gathering), &clocked)?;
    let of = made_of(&**tape, wanted, &clocked)?;
    let keeps = std::mem::take(&mut plan.keeps);
    let description = Description {
        version: VERSION,
        made_of: of,
        clock: plan.clock.clone(),
        tables: std::mem::take(&mut plan.tables),
    };
    let tables = &description.tables;
    let mut progress = Progress {
        work,
        size,
        rows: tables.iter().map(|table| table.rows).sum(),
        done: 0,
    };
    let mut out = begin(&StreamHead {
        schema: &plan.schema,
        description: &description,
        mean_step: mean_step(&clocked),
    })?;
    let mut making = Making::new(&plan, keeps, tables, wanted.keyframe_every);
    let feeds = gathered.into_iter().map(|one| BlockFeed::new(one.spilled));
    let mut feeds: Vec<BlockFeed<Spilled>> = feeds.collect();
    making.facts(tables, &mut feeds, &mut out, || progress.row())?;
    making.steps(tables, &mut feeds, None, &mut out, || progress.row())?;
    streamed.outcome.losses.extend(nothing(&making));
    streamed.rises = making.rises();
    work.done(size)?;
    Ok((out, streamed))
}

/// The result of making a stream.
pub(super) struct Streamed {
    /// The problems of the recording, each one once.
    pub doubts: Vec<Error>,
    /// The result with its losses: values that were left out or rounded.
    pub outcome: Converted,
    /// The clocks that only rise from packet to packet.
    pub rises: Clocks,
}

/// Several tables may have the same problem.
pub(super) fn each_once(doubts: impl Iterator<Item = Error>) -> Vec<Error> {
    let said: BTreeMap<String, Error> = doubts.map(|doubt| (doubt.to_string(), doubt)).collect();
    said.into_values().collect()
}

/// Notes for the user who makes the capture.
pub(super) fn notes<'g>(
    all: &[TableDef],
    shown: &[TableDef],
    gathered: impl Iterator<Item = &'g Gathering>,
    keep: &str,
) -> Vec<String> {
    let mut hidden = Vec::new();
    for table in all {
        let Some(shown) = shown.iter().find(|shown| shown.name == table.name) else {
            hidden.push(table.name.to_string());
            continue;
        };
        let columns = table.columns.iter();
        let columns = columns.filter(|column| shown.column(&column.name).is_none());
        hidden.extend(columns.map(|column| format!("{}.{}", table.name, column.name)));
    }
    let mut notes = Vec::new();
    if !hidden.is_empty() {
        notes.push(format!(
            "what is secret is not in it: {} ({keep})",
            hidden.join(", ")
        ));
    }
    let rounded = gathered.map(|gathered| {
        let codings = gathered.surveys.iter().map(super::coding::Survey::coding);
        codings
            .filter(|coding| matches!(coding.plain, Codec::FixedPoint { .. }))
            .count() as u64
    });
    let rounded: u64 = rounded.sum();
    if rounded > 0 {
        let columns = Counted(rounded, "column");
        notes.push(format!(
            "{columns} of a stated precision are kept within it"
        ));
    }
    notes
}

/// The description of the recording that has the tables.
pub(super) fn made_of(
    tape: &dyn Tape,
    wanted: &Wanted<'_>,
    clocked: &Clocked,
) -> Result<MadeOf, Error> {
    let of = if let Some(of) = wanted.made_of {
        of.clone()
    } else {
        let info = tape
            .describe(Depth::Header, Secrets::Hide, &Work::default())?
            .readable();
        MadeOf {
            format: info.format.to_owned(),
            format_version: info.format_version,
            step: info.step.to_owned(),
            ticks: false,
            times: false,
            first: None,
            last: None,
        }
    };
    Ok(clocked.told(of))
}

/// Returns a sentence about rows that end a key which did not exist, if there are any: they are lost.
pub(super) fn nothing(making: &Making) -> Option<String> {
    let ends = Counted(making.ends_of_nothing, "row");
    (making.ends_of_nothing > 0).then(|| format!("{ends} that end what was not there"))
}

/// The mean duration of a step in nanoseconds, if the recording has times. Log times then advance
/// about as fast as the recording.
fn mean_step(clocked: &Clocked) -> Option<u64> {
    let (first, last) = clocked.first.zip(clocked.last)?;
    let (from, to) = first.time.zip(last.time)?;
    let ns = u64::try_from(to.0.checked_sub(from.0)?).ok()?;
    let mean = ns.checked_div(last.step.checked_sub(first.step)?)?;
    (mean > 0).then_some(mean)
}

struct Progress<'w> {
    work: &'w Work<'w>,
    size: u64,
    rows: u64,
    done: u64,
}

impl Progress<'_> {
    /// Counts a finished row.
    fn row(&mut self) -> Result<(), Error> {
        self.done += 1;
        if !self.done.is_multiple_of(4096) {
            return Ok(());
        }
        let share =
            u128::from(self.size) * u128::from(self.done) / u128::from(2 * self.rows.max(1));
        self.work.done(self.size / 2 + share as u64)
    }
}

/// Builds a capture from the tables of a recording.
pub(crate) fn make(
    tape: &Arc<dyn Tape>,
    wanted: CaptureOptions,
    secrets: Secrets,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Converted, Error> {
    let kept = CaptureOptions {
        keyframe_every: None,
        ..wanted
    };
    let begin = |head: &StreamHead<'_>| {
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
        keep: "--show-secrets keeps it",
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
    if options.has("show-secrets") {
        Secrets::Show
    } else {
        Secrets::Hide
    }
}
