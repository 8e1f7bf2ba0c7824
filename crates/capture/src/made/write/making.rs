//! Turns rows into a stream: packets, labels and events.

use std::collections::{BTreeMap, VecDeque};

use gametape_core::table::Lane;
use gametape_core::tape::Error;
use gametape_core::{Clocks, Stamp};
use gametape_delta::{Encoder, Limits, Snapshot};
use serde_json::{Value as Json, json};

use super::held::{Held, HeldRows, NextEntity, Row};
use super::plan::{CLOCK_ENTITY, Keep, Plan};
use super::spill::{Block, Spilled};
use crate::layout::Role;
use crate::limits::{MAX_PACKET_BYTES, MAX_STATE_BYTES, entities_within};
use crate::made::coding::Coding;
use crate::made::description::{Moment, StoredTable};
use crate::write::States;

/// The default number of packets between full snapshots: at least the first number and at most the
/// second; in between, a full snapshot is due when the packets together are as large as one.
const KEYFRAMES: (u32, u32) = (64, 1024);

/// The destination of a stream.
pub(crate) trait Out {
    /// Takes a label or an event. `stamp` is `None` for one that belongs to no moment.
    fn beside(
        &mut self,
        role: Role,
        tick: u32,
        stamp: Option<Stamp>,
        message: &[u8],
    ) -> Result<(), Error>;

    /// Takes a packet of the stream: the first is a full snapshot, each other one a delta to the
    /// previous packet.
    fn packet(&mut self, stamp: Stamp, packet: &[u8]) -> Result<(), Error>;

    /// Takes a full snapshot of the state after the last packet, for seeking.
    fn keyframe(&mut self, tick: u32, stamp: Stamp, packet: &[u8]) -> Result<(), Error>;
}

/// Decides where full snapshots are added.
struct KeyframePlan {
    /// The requested interval.
    every: Option<u32>,
    encoder: Encoder,
    packet: Vec<u8>,
    /// The number of packets since the last one, and their bytes.
    since: u32,
    bytes: usize,
    /// The size of the last one.
    full: usize,
}

impl KeyframePlan {
    fn is_due(&self) -> bool {
        let (least, most) = KEYFRAMES;
        match self.every {
            Some(every) => self.since >= every,
            None => self.since >= most || self.since >= least && self.bytes >= self.full,
        }
    }
}

/// Finds the clocks that all packets have and that never go back.
#[derive(Default)]
pub(crate) struct Rising(Option<(Stamp, Clocks)>);

impl Rising {
    /// Takes the stamp of the next packet.
    pub fn take(&mut self, stamp: Stamp) {
        let mut rises = Clocks {
            ticks: stamp.tick.is_some(),
            times: stamp.time.is_some(),
        };
        if let Some((last, so_far)) = self.0 {
            rises.ticks &= so_far.ticks && last.tick <= stamp.tick;
            rises.times &= so_far.times && last.time <= stamp.time;
        }
        self.0 = Some((stamp, rises));
    }

    /// These clocks; `None` if there was no packet.
    pub fn rises(&self) -> Option<Clocks> {
        self.0.map(|(_, rises)| rises)
    }
}

/// The rows of one table, block by block.
pub(crate) trait Blocks {
    /// The next block; `None` if there are no more, or none yet.
    fn next(&mut self) -> Result<Option<Block>, Error>;
}

impl Blocks for Spilled {
    fn next(&mut self) -> Result<Option<Block>, Error> {
        self.read().map_err(Error::Output)
    }
}

impl Blocks for VecDeque<Block> {
    fn next(&mut self) -> Result<Option<Block>, Error> {
        Ok(self.pop_front())
    }
}

/// The incoming rows of one table.
pub(crate) struct BlockFeed<B> {
    pub blocks: B,
    block: Block,
    at: usize,
}

impl<B> BlockFeed<B> {
    pub fn new(blocks: B) -> Self {
        Self {
            blocks,
            block: Block::default(),
            at: 0,
        }
    }
}

/// The texts to which rows refer by number, in the order of their numbers.
struct NumberedTexts {
    table: String,
    column: String,
    /// The number of texts that have been written as labels.
    told: u64,
    /// The following texts, whose rows are still to come.
    waiting: VecDeque<String>,
}

/// A stream under construction.
pub(crate) struct Making {
    states: States,
    state: Snapshot,
    of_clock: [Coding; 3],
    /// The stamp of the current packet.
    now: Option<Stamp>,
    /// The tick of the current packet, or of the last one.
    tick: u32,
    next: NextEntity,
    /// The most entities that a reader accepts.
    most: usize,
    pub ends_of_nothing: u64,
    rising: Rising,
    keyframes: KeyframePlan,
    holdings: Vec<HeldRows>,
    /// The texts by table and column.
    texts: BTreeMap<(usize, usize), NumberedTexts>,
}

impl Making {
    /// Creates a stream of these tables. `keeps` says for each how its rows are kept.
    pub fn new(
        plan: &Plan,
        keeps: Vec<Keep>,
        tables: &[StoredTable],
        keyframe_every: Option<u32>,
    ) -> Self {
        let holdings = tables.iter().zip(keeps);
        Self {
            states: States::new(&plan.schema),
            state: Snapshot::new(&plan.schema, 0),
            of_clock: plan.of_clock,
            now: None,
            tick: 0,
            next: NextEntity(CLOCK_ENTITY + 1),
            most: entities_within(&plan.schema, MAX_STATE_BYTES),
            ends_of_nothing: 0,
            rising: Rising::default(),
            keyframes: KeyframePlan {
                every: keyframe_every,
                encoder: Encoder::new(&plan.schema).limits(Limits::NONE),
                packet: Vec::new(),
                since: 0,
                bytes: 0,
                full: 0,
            },
            holdings: holdings
                .map(|(table, keep)| HeldRows::new(table, keep))
                .collect(),
            texts: BTreeMap::new(),
        }
    }

    /// The clocks that have only risen from packet to packet so far.
    pub fn rises(&self) -> Clocks {
        self.rising.rises().unwrap_or_default()
    }

    /// Takes the rows of fact tables; calls `row` for each row.
    pub fn facts<B: Blocks>(
        &mut self,
        tables: &[StoredTable],
        feeds: &mut [BlockFeed<B>],
        out: &mut impl Out,
        mut row: impl FnMut() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let feeds = tables.iter().zip(feeds).enumerate();
        for (at, (table, feed)) in feeds.filter(|(_, (table, _))| table.lane() == Some(Lane::Facts))
        {
            while self.head(at, table, feed)?.is_some() {
                self.message(Role::Labels, table, feed, out)?;
                row()?;
            }
        }
        Ok(())
    }

    /// Takes the rows of all other tables, step by step, up to a given step or to the end. The rows
    /// of a step must be complete. Calls `row` for each row.
    pub fn steps<B: Blocks>(
        &mut self,
        tables: &[StoredTable],
        feeds: &mut [BlockFeed<B>],
        to: Option<u64>,
        out: &mut impl Out,
        mut row: impl FnMut() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let of_steps = |table: &StoredTable| table.lane() != Some(Lane::Facts);
        loop {
            let mut next: Option<u64> = None;
            for (at, (table, feed)) in tables.iter().zip(&mut *feeds).enumerate() {
                if of_steps(table) {
                    let head = self.head(at, table, feed)?;
                    next = next.into_iter().chain(head.map(|stamp| stamp.step)).min();
                }
            }
            let Some(step) = next.filter(|next| to.is_none_or(|to| *next <= to)) else {
                // The following rows belong to another step.
                return self.flush(out);
            };
            for (at, (table, feed)) in tables.iter().zip(&mut *feeds).enumerate() {
                while of_steps(table)
                    && let Some(stamp) = self.head(at, table, feed)?.filter(|s| s.step == step)
                {
                    self.begin(stamp, out)?;
                    if table.lane() == Some(Lane::Events) {
                        self.message(Role::Events, table, feed, out)?;
                    } else {
                        self.hold(at, feed, stamp, out)?;
                    }
                    row()?;
                }
            }
        }
    }

    /// The stamp of the next row of a table.
    fn head<B: Blocks>(
        &mut self,
        at: usize,
        table: &StoredTable,
        feed: &mut BlockFeed<B>,
    ) -> Result<Option<Stamp>, Error> {
        loop {
            if let Some(stamp) = feed.block.stamps.get(feed.at) {
                return Ok(Some(*stamp));
            }
            feed.at = 0;
            let next = feed.blocks.next()?;
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

    /// Adds a text to which rows refer by number.
    fn text(&mut self, at: usize, table: &StoredTable, column: usize, text: &str) {
        if let Some(holding) = self.holdings.get_mut(at) {
            holding.text(column, text);
        }
        let Some(def) = table.columns.get(column).filter(|column| !column.key) else {
            return;
        };
        let texts = self
            .texts
            .entry((at, column))
            .or_insert_with(|| NumberedTexts {
                table: table.name.clone(),
                column: def.name.clone(),
                told: 0,
                waiting: VecDeque::new(),
            });
        texts.waiting.push_back(text.to_owned());
    }

    /// Writes the texts to which a row refers as labels, if it is the first row that does.
    fn tell(
        &mut self,
        at: usize,
        block: &Block,
        row: usize,
        out: &mut impl Out,
    ) -> Result<(), Error> {
        let mut labels = Vec::new();
        for ((_, column), texts) in self.texts.range_mut((at, 0)..=(at, usize::MAX)) {
            let number = block.get(row, *column);
            while number.is_some_and(|number| number >= texts.told)
                && let Some(text) = texts.waiting.pop_front()
            {
                let NumberedTexts {
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
        labels.iter().try_for_each(|label| self.label(label, out))
    }

    fn label(&self, label: &Json, out: &mut impl Out) -> Result<(), Error> {
        let (tick, text) = (self.tick.max(1), label.to_string());
        out.beside(Role::Labels, tick, None, text.as_bytes())
    }

    /// Writes a row as a message.
    fn message<B>(
        &self,
        role: Role,
        table: &StoredTable,
        feed: &mut BlockFeed<B>,
        out: &mut impl Out,
    ) -> Result<(), Error> {
        let BlockFeed { block, at, .. } = feed;
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
        out.beside(role, tick, Some(stamp), message.as_bytes())
    }

    /// Starts a packet for this stamp, if the current one has another stamp.
    fn begin(&mut self, stamp: Stamp, out: &mut impl Out) -> Result<(), Error> {
        if self.now == Some(stamp) {
            return Ok(());
        }
        self.flush(out)?;
        self.now = Some(stamp);
        self.rising.take(stamp);
        let next = self.tick.checked_add(1);
        self.tick = next.ok_or_else(|| {
            Error::Unsupported("it has more steps than packets have ticks".to_owned())
        })?;
        Ok(())
    }

    /// Adds a row to the state.
    fn hold<B>(
        &mut self,
        at: usize,
        feed: &mut BlockFeed<B>,
        stamp: Stamp,
        out: &mut impl Out,
    ) -> Result<(), Error> {
        let (block, row) = (&feed.block, feed.at);
        feed.at += 1;
        self.tell(at, block, row, out)?;
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
                Held::New(label) => return self.label(&label, out),
                Held::Nothing => {
                    self.ends_of_nothing += 1;
                    return Ok(());
                }
                Held::Again => {
                    self.flush(out)?;
                    self.begin(stamp, out)?;
                }
            }
        }
    }

    /// Finishes the current packet.
    fn flush(&mut self, out: &mut impl Out) -> Result<(), Error> {
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
        out.packet(stamp, packet)?;
        let bytes = packet.len();
        self.states.advance();
        self.keyframe(stamp, bytes, out)
    }

    fn keyframe(&mut self, stamp: Stamp, bytes: usize, out: &mut impl Out) -> Result<(), Error> {
        let keyframes = &mut self.keyframes;
        if self.tick == 1 {
            // The first packet is itself a full snapshot.
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
        // A full snapshot that is too large for readers is left out; seeking then uses the previous
        // one.
        if keyframes.full <= MAX_PACKET_BYTES {
            out.keyframe(self.tick, stamp, &keyframes.packet)?;
        }
        Ok(())
    }
}
