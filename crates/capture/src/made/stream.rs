//! The tables of any recording as one stream: packets, and what lies beside them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use gametape_core::Stamp;
use gametape_core::table::{Lane, TableDef};
use gametape_core::tape::{Converted, Error, Secrets, Tape, Work};
use gametape_core::text::Counted;
use gametape_delta::{Codec, Encoder, Limits, Schema, Snapshot};
use serde_json::{Value as Json, json};

use super::coding::Coding;
use super::description::{Description, MadeOf, Moment, Table, VERSION};
use super::gather::{Clocked, Gathered, gather, visible};
use super::held::{Held, Holding, NextEntity, Row};
use super::plan::{CLOCK_ENTITY, plan};
use super::spill::{Block, Spilled};
use crate::decoder::entities_within;
use crate::layout::Role;
use crate::limits::{MAX_PACKET_BYTES, MAX_STATE_BYTES};
use crate::states::States;

/// Packets from one full snapshot to the next, where nothing is said: no fewer than these, and no
/// more; in between, as many as take the bytes of a full snapshot.
const KEYFRAMES: (u32, u32) = (64, 1024);

/// What is asked of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'w> {
    pub secrets: Secrets,
    /// Packets from one full snapshot to the next.
    pub keyframe_every: Option<u32>,
    /// Whether a broken recording is taken as far as it can be read.
    pub broken: bool,
    /// Whether more is to come: the schema is then one that any rows fit.
    pub growing: bool,
    /// A table that is left out.
    pub without: Option<&'w str>,
    /// What the tables are of, where the recording itself was made of them.
    pub made_of: Option<&'w MadeOf>,
}

/// What is known before the first packet.
pub(super) struct Head<'h> {
    pub schema: &'h Schema,
    pub description: &'h Description,
    /// Nanoseconds of a step, as a mean, where the recording knows times.
    pub mean_step: Option<u64>,
}

/// Where a stream goes.
pub(super) trait Out {
    /// A label or an event: of no packet yet, where there is none.
    fn beside(
        &mut self,
        role: Role,
        tick: u32,
        stamp: Option<Stamp>,
        message: &[u8],
    ) -> Result<(), Error>;

    /// A packet of the stream: the first is a full snapshot, each other a delta on the one before.
    fn packet(&mut self, stamp: Stamp, packet: &[u8]) -> Result<(), Error>;

    /// The state behind the last packet as a full snapshot, to seek by.
    fn keyframe(&mut self, tick: u32, stamp: Stamp, packet: &[u8]) -> Result<(), Error>;
}

/// Gives the tables of a recording to what `begin` makes of their head.
pub(super) fn stream<O: Out>(
    tape: &dyn Tape,
    wanted: &Wanted<'_>,
    begin: impl FnOnce(&Head<'_>) -> Result<O, Error>,
    work: &Work<'_>,
) -> Result<(O, Converted), Error> {
    let mut all = tape.tables()?;
    all.retain(|table| wanted.without != Some(&*table.name));
    let tables: Vec<TableDef> = all
        .iter()
        .filter_map(|table| visible(table, wanted.secrets))
        .collect();
    let size = tape.input().size();
    let (mut gathered, mut clocked) = gather(tape, &tables, wanted.broken, work)?;
    if wanted.growing {
        open(&mut gathered, &mut clocked);
    }
    let mut converted = Converted {
        notes: notes(&all, &tables, &gathered),
        ..Converted::default()
    };
    let doubts: BTreeSet<&String> = gathered
        .iter()
        .filter_map(|one| one.doubt.as_ref())
        .collect();
    converted.losses.extend(doubts.into_iter().cloned());
    let plan = plan(&gathered, &clocked)?;
    let description = describe(tape, wanted, plan.clock, plan.tables, &clocked)?;
    let rows = gathered.iter().map(|gathered| gathered.rows).sum();
    let holdings = description.tables.iter().zip(plan.keeps);
    let mut making = Making {
        out: begin(&Head {
            schema: &plan.schema,
            description: &description,
            mean_step: mean_step(&clocked),
        })?,
        states: States::new(&plan.schema),
        state: Snapshot::new(&plan.schema, 0),
        of_clock: plan.of_clock,
        now: None,
        tick: 0,
        next: NextEntity(CLOCK_ENTITY + 1),
        most: entities_within(&plan.schema, MAX_STATE_BYTES),
        ends_of_nothing: 0,
        keyframes: Keyframes {
            every: wanted.keyframe_every,
            encoder: Encoder::new(&plan.schema).limits(Limits::NONE),
            packet: Vec::new(),
            since: 0,
            bytes: 0,
            full: 0,
        },
        holdings: holdings
            .map(|(table, keep)| Holding::new(table, keep))
            .collect(),
        texts: BTreeMap::new(),
    };
    let progress = Progress {
        work,
        size,
        rows,
        done: 0,
    };
    making.all(&description.tables, gathered, progress)?;
    making.flush()?;
    if making.ends_of_nothing > 0 {
        let ends = Counted(making.ends_of_nothing, "row");
        converted
            .losses
            .push(format!("{ends} that end what was not there"));
    }
    work.done(size)?;
    Ok((making.out, converted))
}

/// Makes room for rows that are still to come. The keys of a grid say where its cells are: those stay.
fn open(gathered: &mut [Gathered], clocked: &mut Clocked) {
    for one in gathered {
        let surveys = one.def.columns.iter().zip(&mut one.surveys);
        for (_, survey) in surveys.filter(|(column, _)| !column.key) {
            survey.open();
        }
    }
    let Clocked {
        step, tick, time, ..
    } = clocked;
    for survey in [step, tick, time] {
        survey.open();
    }
}

/// What whoever made the capture ought to know.
fn notes(all: &[TableDef], shown: &[TableDef], gathered: &[Gathered]) -> Vec<String> {
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
            "what is secret is not in it: {} (--with-secrets keeps it)",
            hidden.join(", ")
        ));
    }
    let rounded = gathered.iter().map(|gathered| {
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

fn describe(
    tape: &dyn Tape,
    wanted: &Wanted<'_>,
    clock: super::description::Clock,
    tables: Vec<Table>,
    clocked: &Clocked,
) -> Result<Description, Error> {
    let (format, format_version, step) = if let Some(of) = wanted.made_of {
        (of.format.clone(), of.format_version, of.step.clone())
    } else {
        let info = tape.header(Secrets::Hide)?.value;
        let (format, step) = (info.format.to_owned(), info.step.to_owned());
        (format, info.format_version, step)
    };
    Ok(Description {
        version: VERSION,
        made_of: MadeOf {
            format,
            format_version,
            step,
            ticks: clocked.ticks,
            times: clocked.times,
            first: clocked.first.map(Moment::from),
            last: clocked.last.map(Moment::from),
        },
        clock,
        tables,
    })
}

/// Nanoseconds of a step, as a mean, where the recording knows times: log times go about as fast as
/// the recording.
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
    /// One more row is done with.
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

/// Where full snapshots are added.
struct Keyframes {
    /// As was asked for.
    every: Option<u32>,
    encoder: Encoder,
    packet: Vec<u8>,
    /// Packets since the last, and their bytes.
    since: u32,
    bytes: usize,
    /// Bytes of the last.
    full: usize,
}

impl Keyframes {
    fn is_due(&self) -> bool {
        let (least, most) = KEYFRAMES;
        match self.every {
            Some(every) => self.since >= every,
            None => self.since >= most || self.since >= least && self.bytes >= self.full,
        }
    }
}

/// Rows of one table that come.
struct Feed {
    spilled: Spilled,
    block: Block,
    at: usize,
}

/// Texts that rows speak of by their numbers, in the order of those.
struct Texts {
    table: String,
    column: String,
    /// How many were told.
    told: u64,
    /// Those behind, whose rows are still to come.
    waiting: VecDeque<String>,
}

/// A stream in the making.
struct Making<O> {
    out: O,
    states: States,
    state: Snapshot,
    of_clock: [Coding; 3],
    /// When the packet in the making is.
    now: Option<Stamp>,
    /// Its tick, or the last one's.
    tick: u32,
    next: NextEntity,
    /// Entities that a reader takes.
    most: usize,
    ends_of_nothing: u64,
    keyframes: Keyframes,
    holdings: Vec<Holding>,
    /// Those of a column of a table.
    texts: BTreeMap<(usize, usize), Texts>,
}

impl<O: Out> Making<O> {
    /// Takes all rows, step after step.
    fn all(
        &mut self,
        tables: &[Table],
        gathered: Vec<Gathered>,
        mut progress: Progress<'_>,
    ) -> Result<(), Error> {
        let mut feeds: Vec<Feed> = Vec::new();
        for (at, (table, gathered)) in tables.iter().zip(gathered).enumerate() {
            let mut feed = Feed {
                spilled: gathered.spilled,
                block: Block::default(),
                at: 0,
            };
            while table.lane() == Some(Lane::Facts) && self.head(at, table, &mut feed)?.is_some() {
                self.message(Role::Labels, table, &mut feed)?;
                progress.row()?;
            }
            feeds.push(feed);
        }
        loop {
            let mut next: Option<u64> = None;
            for (at, (table, feed)) in tables.iter().zip(&mut feeds).enumerate() {
                let head = self.head(at, table, feed)?;
                next = next.into_iter().chain(head.map(|stamp| stamp.step)).min();
            }
            let Some(step) = next else {
                return Ok(());
            };
            for (at, (table, feed)) in tables.iter().zip(&mut feeds).enumerate() {
                while let Some(stamp) = self.head(at, table, feed)?.filter(|s| s.step == step) {
                    self.begin(stamp)?;
                    if table.lane() == Some(Lane::Events) {
                        self.message(Role::Events, table, feed)?;
                    } else {
                        self.hold(at, &feed.block, feed.at, stamp)?;
                        feed.at += 1;
                    }
                    progress.row()?;
                }
            }
        }
    }

    /// When the next row of a table is.
    fn head(&mut self, at: usize, table: &Table, feed: &mut Feed) -> Result<Option<Stamp>, Error> {
        loop {
            if let Some(stamp) = feed.block.stamps.get(feed.at) {
                return Ok(Some(*stamp));
            }
            feed.at = 0;
            let next = feed.spilled.next().map_err(Error::Output)?;
            let ends = next.is_none();
            feed.block = next.unwrap_or_default();
            if ends {
                return Ok(None);
            }
            if matches!(table.lane(), Some(Lane::State | Lane::Grid)) {
                for (column, text) in &feed.block.texts {
                    self.text(at, table, *column, text);
                }
            }
        }
    }

    /// A text that rows speak of by a number.
    fn text(&mut self, at: usize, table: &Table, column: usize, text: &str) {
        if let Some(holding) = self.holdings.get_mut(at) {
            holding.text(column, text);
        }
        let Some(def) = table.columns.get(column).filter(|column| !column.key) else {
            return;
        };
        let texts = self.texts.entry((at, column)).or_insert_with(|| Texts {
            table: table.name.clone(),
            column: def.name.clone(),
            told: 0,
            waiting: VecDeque::new(),
        });
        texts.waiting.push_back(text.to_owned());
    }

    /// Tells the texts that a row speaks of, where it is the first.
    fn tell(&mut self, at: usize, block: &Block, row: usize) -> Result<(), Error> {
        let mut labels = Vec::new();
        for ((_, column), texts) in self.texts.range_mut((at, 0)..=(at, usize::MAX)) {
            let number = block.get(row, *column);
            while number.is_some_and(|number| number >= texts.told)
                && let Some(text) = texts.waiting.pop_front()
            {
                let Texts {
                    table,
                    column,
                    told,
                    ..
                } = &*texts;
                labels.push(
                    json!({ "table": table, "column": column, "number": told, "text": text }),
                );
                texts.told += 1;
            }
        }
        labels.iter().try_for_each(|label| self.label(label))
    }

    fn label(&mut self, label: &Json) -> Result<(), Error> {
        let (tick, text) = (self.tick.max(1), label.to_string());
        self.out.beside(Role::Labels, tick, None, text.as_bytes())
    }

    /// A row that is a message.
    fn message(&mut self, role: Role, table: &Table, feed: &mut Feed) -> Result<(), Error> {
        let Feed { block, at, .. } = feed;
        let stamp = block.stamps.get(*at).copied().unwrap_or_default();
        let Moment {
            step,
            tick,
            time_ns,
        } = stamp.into();
        let head = json!({ "table": table.name, "step": step, "tick": tick, "time_ns": time_ns });
        let head = head.to_string();
        let head = head.strip_suffix('}').unwrap_or(&head);
        let row = block.texts.get(*at).map_or("", |(_, row)| row);
        let message = format!("{head},\"row\":{row}}}");
        *at += 1;
        let tick = self.tick.max(1);
        self.out.beside(role, tick, Some(stamp), message.as_bytes())
    }

    /// What follows is of this stamp.
    fn begin(&mut self, stamp: Stamp) -> Result<(), Error> {
        if self.now == Some(stamp) {
            return Ok(());
        }
        self.flush()?;
        self.now = Some(stamp);
        let next = self.tick.checked_add(1);
        self.tick = next.ok_or_else(|| {
            Error::Unsupported("it has more steps than packets have ticks".to_owned())
        })?;
        Ok(())
    }

    /// A row that holds.
    fn hold(&mut self, at: usize, block: &Block, row: usize, stamp: Stamp) -> Result<(), Error> {
        self.tell(at, block, row)?;
        loop {
            let Some(holding) = self.holdings.get_mut(at) else {
                return Ok(());
            };
            let packet = self.tick;
            let row = Row {
                block,
                at: row,
                packet,
            };
            match holding.row(row, &mut self.state, &mut self.next)? {
                Held::Yes => return Ok(()),
                Held::New(label) => return self.label(&label),
                Held::Nothing => {
                    self.ends_of_nothing += 1;
                    return Ok(());
                }
                Held::Again => {
                    self.flush()?;
                    self.begin(stamp)?;
                }
            }
        }
    }

    /// Ends the packet in the making.
    fn flush(&mut self) -> Result<(), Error> {
        let Some(stamp) = self.now.take() else {
            return Ok(());
        };
        for holding in &mut self.holdings {
            holding.settle(&mut self.state)?;
        }
        let time = stamp.time.map(|time| time.0.cast_unsigned());
        let mut clock = Vec::new();
        for (coding, word) in self
            .of_clock
            .iter()
            .zip([Some(stamp.step), stamp.tick, time])
        {
            coding.write(word, &mut clock);
        }
        let set = self.state.entry(CLOCK_ENTITY).set(1, &clock).map(|_| ());
        set.map_err(|error| Error::Unsupported(error.to_string()))?;
        if self.state.len() > self.most {
            return Err(Error::Unsupported(format!(
                "at step {} more than {} rows hold at once, which is all that a reader of captures takes of these tables",
                stamp.step, self.most
            )));
        }
        self.state.set_tick(self.tick);
        let packet = self.states.encode(&self.state)?;
        self.out.packet(stamp, packet)?;
        let bytes = packet.len();
        self.states.advance();
        self.keyframe(stamp, bytes)
    }

    fn keyframe(&mut self, stamp: Stamp, bytes: usize) -> Result<(), Error> {
        let keyframes = &mut self.keyframes;
        if self.tick == 1 {
            // It is one itself.
            keyframes.full = bytes;
            return Ok(());
        }
        keyframes.since += 1;
        keyframes.bytes = keyframes.bytes.saturating_add(bytes);
        if !keyframes.is_due() {
            return Ok(());
        }
        (keyframes.since, keyframes.bytes) = (0, 0);
        let encoded = keyframes.encoder.full(&self.state, &mut keyframes.packet);
        encoded.map_err(|error| Error::Unsupported(error.to_string()))?;
        keyframes.full = keyframes.packet.len();
        // Without one that no reader takes, one seeks from the one before.
        if keyframes.full <= MAX_PACKET_BYTES {
            self.out.keyframe(self.tick, stamp, &keyframes.packet)?;
        }
        Ok(())
    }
}
