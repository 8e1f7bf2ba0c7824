//! The stream of a recording that is still being written, made as it grows.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use gametape_core::table::{Batch, Lane, Scan, TableDef};
use gametape_core::tape::{Converted, Error, Follow, Secrets, Tape, Work};
use gametape_core::{Input, Stamp};
use gametape_delta::Schema;
use serde_json::Value as Json;

use super::gather::{Clocked, Gathering, visible};
use super::making::{BlockFeed, Making};
use super::plan::plan;
use super::segments::{Cut, Cutter, Piece, Segmented};
use super::spill::Block;
use super::{PUBLISHED, Wanted, each_once, made_of, notes, nothing};
use crate::made::coding::word;
use crate::made::description::{Description, VERSION};

/// The most bytes of a recording whose rows are in memory at once.
const PIECE: u64 = 256 << 10;

/// The stream of snapshot/delta packets of a recording that is still being written, in segments. It
/// is made as the recording grows, at a cost proportional to the new part. The segments are, byte
/// for byte, those that [`segments`](crate::tape::segments) makes of the same bytes with `growing`
/// set; so both ways can be mixed.
///
/// Memory is bounded by the state at a moment and by its texts; it does not depend on the length of
/// the recording.
///
/// ```
/// use gametape_capture::tape::{Growing, Mcap, Piece, RecordKind};
/// use gametape_capture::{Options, Writer};
/// use gametape_core::Input;
/// use gametape_core::tape::{Format as _, Secrets, Source, Work};
/// use gametape_delta::{Schema, Snapshot};
///
/// let schema = Schema::empty();
/// let options = Options { chunk_bytes: 1, ..Options::default() };
/// let mut writer = Writer::new(Vec::new(), &schema, options)?;
/// for tick in 1..=9 {
///     writer.push_state(&Snapshot::new(&schema, tick), None)?;
/// }
/// // As it is while it is written: a part of it, and then more.
/// let whole = Input::from(writer.finish()?);
/// let sizes = [whole.size() / 2, whole.size()];
///
/// let begun = Mcap.open(Source::new(whole.first(sizes[0])))?;
/// let growing = Growing::begin(&*begun, Secrets::Hide, &Work::default())?;
/// let mut growing = growing.expect("captures can be followed");
/// let mut packets = 0;
/// for size in sizes {
///     let before = packets;
///     growing.more(&whole.first(size), &mut |piece| {
///         if let Piece::Record { kind, .. } = piece {
///             packets += u32::from(kind == RecordKind::Keyframe || kind == RecordKind::Packet);
///         }
///         Ok(())
///     })?;
///     assert!(packets > before);
/// }
/// assert_eq!(packets, 9);
///
/// let mut segments = Vec::new();
/// let made = growing.end(&whole, &mut |piece| {
///     if let Piece::Segment(segment) = piece {
///         segments.push(segment);
///     }
///     Ok(())
/// })?;
/// assert_eq!(segments.len(), 1);
/// assert!(made.doubts.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Growing {
    follow: Box<dyn Follow>,
    rows: Rows,
    schema: Schema,
    /// The description without the properties of the rows.
    description: Description,
    making: Making,
    cut: Cut,
    notes: Vec<String>,
    /// The number of bytes of the recording that have been processed.
    seen: u64,
}

/// The rows that have been read and are not in a packet yet.
struct Rows {
    gatherings: Vec<Gathering>,
    feeds: Vec<BlockFeed<VecDeque<Block>>>,
    /// For grids, the smallest and the largest value of each key, which determine the tiles.
    bounds: Vec<Vec<Bounds>>,
}

type Bounds = Option<(i128, i128)>;

impl Growing {
    /// Starts with a recording. The part that already exists is processed by the first
    /// [`more`](Self::more). `None` if the format cannot be followed, or if the positions of its
    /// grids' cells are not known yet.
    ///
    /// # Errors
    /// Nothing can be read, or packets cannot express the tables.
    pub fn begin(
        tape: &dyn Tape,
        secrets: Secrets,
        work: &Work<'_>,
    ) -> Result<Option<Self>, Error> {
        let mut all = tape.tables()?;
        all.retain(|table| !table.on_request);
        let shown = all.iter().filter_map(|table| visible(table, secrets));
        let shown: Vec<TableDef> = shown.collect();
        let mut gatherings: Vec<Gathering> = shown.iter().map(Gathering::of).collect();
        let scans: Vec<Scan> = gatherings.iter().map(Gathering::scan).collect();
        let Some(follow) = tape.follow(&scans)? else {
            return Ok(None);
        };
        for gathering in &mut gatherings {
            if gathering.def.lane == Lane::Grid && !lies(tape, gathering, work)? {
                return Ok(None);
            }
            gathering.open();
        }
        let mut clocked = Clocked::new();
        clocked.open();
        let mut plan = plan(gatherings.iter(), &clocked)?;
        let keeps = std::mem::take(&mut plan.keeps);
        let wanted = Wanted {
            secrets,
            keep: PUBLISHED,
            keyframe_every: None,
            broken: true,
            growing: true,
            lane: None,
            without: None,
            made_of: None,
        };
        let description = Description {
            version: VERSION,
            made_of: made_of(tape, &wanted, &clocked)?,
            clock: plan.clock.clone(),
            tables: std::mem::take(&mut plan.tables),
        };
        Ok(Some(Self {
            follow,
            making: Making::new(&plan, keeps, &description.tables, wanted.keyframe_every),
            notes: notes(&all, &shown, gatherings.iter(), wanted.keep),
            rows: Rows {
                feeds: gatherings
                    .iter()
                    .map(|_| BlockFeed::new(VecDeque::new()))
                    .collect(),
                bounds: gatherings.iter().map(bounds).collect(),
                gatherings,
            },
            schema: plan.schema,
            description,
            cut: Cut::new(true),
            seen: 0,
        }))
    }

    /// The schema of its packets; it never changes.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The description of its tables, with what is known about their rows so far: see
    /// [`Segmented::description`].
    ///
    /// # Errors
    /// None are known.
    pub fn description(&self) -> Result<Json, Error> {
        self.rows.told(&self.description)
    }

    /// Processes the new part of the recording; `input` is the recording in its current state. A
    /// packet is passed to `each` as soon as its step is complete. After an error, `Growing` cannot
    /// be used any more.
    ///
    /// # Errors
    /// [`Error::Changed`] if the recording was cut or replaced and must be reopened; parts that
    /// cannot be read; errors of `each`.
    pub fn more(
        &mut self,
        input: &Input,
        each: &mut dyn FnMut(Piece<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        loop {
            let to = input.size().min(self.seen.saturating_add(PIECE));
            let (follow, rows) = (&mut self.follow, &mut self.rows);
            let now = input.first(to);
            let whole = follow.more(&now, &mut |scan, batch| rows.take(scan, &batch))?;
            self.seen = to;
            if let Some(whole) = whole {
                let mut cutter = Cutter {
                    cut: &mut self.cut,
                    each: &mut *each,
                };
                let (tables, feeds) = (&self.description.tables, &mut self.rows.feeds);
                let to = Some(whole.step);
                self.making
                    .steps(tables, feeds, to, &mut cutter, || Ok(()))?;
            }
            if to == input.size() {
                return Ok(());
            }
        }
    }

    /// Call it when the recording is complete. Makes the rest, including the last segment, and
    /// returns the description of the whole.
    ///
    /// # Errors
    /// As [`Growing::more`].
    pub fn end(
        mut self,
        input: &Input,
        each: &mut dyn FnMut(Piece<'_>) -> Result<(), Error>,
    ) -> Result<Segmented, Error> {
        self.more(input, each)?;
        let Self {
            follow,
            mut rows,
            mut making,
            mut cut,
            ..
        } = self;
        let read = follow.end(input, &mut |scan, batch| rows.take(scan, &batch))?;
        let mut cutter = Cutter {
            cut: &mut cut,
            each,
        };
        let (tables, feeds) = (&self.description.tables, &mut rows.feeds);
        making.facts(tables, feeds, &mut cutter, || Ok(()))?;
        making.steps(tables, feeds, None, &mut cutter, || Ok(()))?;
        cutter.end()?;
        let problems = read.into_iter().filter_map(|read| read.problem);
        Ok(Segmented {
            description: rows.told(&self.description)?,
            schema: self.schema,
            labels: cut.labels(),
            doubts: each_once(problems),
            outcome: Converted {
                losses: nothing(&making).into_iter().collect(),
                notes: self.notes,
                ..Converted::default()
            },
        })
    }
}

impl Rows {
    /// The description of the tables, with what is known about the rows.
    fn told(&self, of: &Description) -> Result<Json, Error> {
        let mut description = of.clone();
        let mut clocked = Clocked::new();
        for (table, gathering) in description.tables.iter_mut().zip(&self.gatherings) {
            table.rows = gathering.rows;
            clocked.join(&gathering.clock);
        }
        description.made_of = clocked.told(description.made_of);
        description.json()
    }

    fn take(&mut self, scan: usize, batch: &Batch) -> Result<ControlFlow<()>, Error> {
        let Some(gathering) = self.gatherings.get_mut(scan) else {
            return Ok(ControlFlow::Break(()));
        };
        let block = gathering.block(batch)?;
        if self.bounds.get(scan) != Some(&bounds(gathering)) {
            return Err(Error::Unsupported(format!(
                "{} has cells where there were none at its first step",
                gathering.def.name
            )));
        }
        if let Some(feed) = self.feeds.get_mut(scan) {
            feed.blocks.push_back(block);
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The smallest and the largest value of each key of a grid.
fn bounds(gathering: &Gathering) -> Vec<Bounds> {
    let keys = gathering.def.columns.iter().zip(&gathering.surveys);
    let keys = keys.filter(|(column, _)| column.key && gathering.def.lane == Lane::Grid);
    keys.map(|(_, survey)| survey.bounds()).collect()
}

/// Learns the positions of a grid's cells from its first step, which contains all of them. Returns
/// false if that step does not exist yet.
fn lies(tape: &dyn Tape, gathering: &mut Gathering, work: &Work<'_>) -> Result<bool, Error> {
    let Gathering { def, surveys, .. } = gathering;
    let keys = def.columns.iter().zip(surveys).filter(|(def, _)| def.key);
    let (names, mut surveys): (Vec<&str>, Vec<_>) =
        keys.map(|(def, survey)| (&*def.name, survey)).unzip();
    let scan = Scan {
        secrets: Secrets::Show,
        ..Scan::table(&*def.name).columns(names)
    };
    let mut first: Option<Stamp> = None;
    let read = tape.scan_table(&scan, work, |batch| {
        for row in 0..batch.len() {
            if *first.get_or_insert(batch.stamp(row)) != batch.stamp(row) {
                return Ok(ControlFlow::Break(()));
            }
            for (column, survey) in batch.columns().iter().zip(&mut surveys) {
                survey.take(word(column.get(row)));
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    // What is being written may end anywhere.
    read.readable();
    Ok(first.is_some())
}
