//! Comparing the rows of one table.

use std::collections::HashMap;

use super::found::{Cell, RowDiff, TableDiff, Which};
use super::queue::{By, PairedMoment, RowQueue};
use crate::clock::Stamp;
use crate::table::{Batch, ColumnDef, Kind, Lane, Owned, Scan, TableDef, Value};
use crate::tape::Secrets;

/// The number of values that identify an event in a report.
const TOLD: usize = 4;

/// A column that both recordings have.
struct Common {
    def: ColumnDef,
    /// The tolerance for its numbers.
    within: f64,
    /// The number of rows that differ in this column.
    rows: u64,
}

/// The state of a key in both recordings.
struct Slot {
    key: Vec<Owned>,
    held: [Option<Vec<Owned>>; 2],
    /// The number of the last moment at which either recording had a row for this key.
    touched: u64,
}

/// A row of one recording.
#[derive(Clone, Copy)]
enum EitherRow<'r> {
    /// A row of a batch.
    Read(&'r Batch, usize),
    /// A row of the current state.
    Held(&'r [Owned]),
}

impl<'r> EitherRow<'r> {
    fn get(self, column: usize) -> Value<'r> {
        match self {
            Self::Read(batch, row) => batch.get(row, column),
            Self::Held(values) => values.get(column).map_or(Value::Null, Owned::value),
        }
    }
}

/// The comparison of one table of two recordings.
pub(super) struct Comparison {
    lane: Lane,
    columns: Vec<Common>,
    /// The indices of the keys.
    keys: Vec<usize>,
    found: TableDiff,
    steps: Vec<u64>,
    slots: Vec<Slot>,
    index: HashMap<Vec<Owned>, usize>,
    /// Slots with new rows at the current moment.
    touched: Vec<usize>,
    moment: u64,
    /// Which recordings have ended.
    ended: [bool; 2],
    /// The clock that identifies moments; known once the first rows have come.
    by: Option<By>,
    /// The moment that is being compared.
    open: Option<(PairedMoment, Stamp)>,
}

/// Returns whether values of these kinds can be compared.
fn comparable(a: Kind, b: Kind) -> bool {
    let is_number = |kind| !matches!(kind, Kind::Bool | Kind::Text);
    a == b || is_number(a) && is_number(b)
}

fn keys(table: &TableDef) -> impl Iterator<Item = &str> {
    let keys = table.columns.iter().filter(|column| column.key);
    keys.map(|column| &*column.name)
}

impl Comparison {
    pub fn new([ours, theirs]: [&TableDef; 2]) -> Self {
        let mut not_compared = Vec::new();
        let mut not_recorded = Vec::new();
        let mut columns = Vec::new();
        for def in &ours.columns {
            let other = theirs.columns.iter().find(|other| other.name == def.name);
            match other {
                // A column that neither recording keeps is equal.
                Some(other) if !def.recorded || !other.recorded => {
                    let by = match (def.recorded, other.recorded) {
                        (true, _) => Some(Which::Second),
                        (_, true) => Some(Which::First),
                        _ => None,
                    };
                    not_recorded.extend(by.map(|by| (def.name.to_string(), by)));
                }
                Some(other) if comparable(def.kind, other.kind) => columns.push(Common {
                    within: match (def.precision, other.precision) {
                        // Equal values stay equal if both are rounded in the same way.
                        (a, b) if a == b => 0.0,
                        (a, b) => a.unwrap_or(0.0) + b.unwrap_or(0.0),
                    },
                    def: ColumnDef {
                        secret: def.secret || other.secret,
                        ..def.clone()
                    },
                    rows: 0,
                }),
                Some(other) => not_compared.push(format!(
                    "{} ({} in the first, {} in the second)",
                    def.name, def.kind, other.kind
                )),
                None => not_compared.push(format!("{} (only in the first)", def.name)),
            }
        }
        let more = theirs.columns.iter();
        let more = more.filter(|other| ours.column(&other.name).is_none());
        not_compared.extend(more.map(|other| format!("{} (only in the second)", other.name)));
        if ours.lane != theirs.lane || !keys(ours).eq(keys(theirs)) {
            // Without the same lane and keys, rows cannot be matched.
            columns.clear();
            not_recorded.clear();
            let said = |table: &TableDef| {
                let keys: Vec<&str> = keys(table).collect();
                format!("{} by {}", table.lane, keys.join(" and "))
            };
            let (ours, theirs) = (said(ours), said(theirs));
            not_compared = vec![format!(
                "all of it ({ours} in the first, {theirs} in the second)"
            )];
        }
        let at = columns.iter().enumerate();
        let keys = at.filter_map(|(at, column)| column.def.key.then_some(at));
        Self {
            lane: ours.lane,
            keys: keys.collect(),
            columns,
            found: TableDiff {
                table: ours.name.to_string(),
                not_compared,
                not_recorded,
                ..TableDiff::default()
            },
            steps: Vec::new(),
            slots: Vec::new(),
            index: HashMap::new(),
            touched: Vec::new(),
            moment: 0,
            ended: [false; 2],
            by: None,
            open: None,
        }
    }

    /// Returns the scan that both recordings need; `None` if nothing can be compared.
    pub fn scan(&self) -> Option<Scan> {
        let columns = self.columns.iter().map(|column| &*column.def.name);
        (!self.columns.is_empty()).then(|| Scan {
            secrets: Secrets::Show,
            ..Scan::table(&*self.found.table).columns(columns)
        })
    }

    /// Returns whether all columns are compared exactly.
    pub fn is_exact(&self) -> bool {
        self.columns.iter().all(|column| column.within == 0.0)
    }

    /// Returns the result, and the steps at which something differs.
    pub fn finish(mut self) -> (TableDiff, Vec<u64>) {
        let columns = self.columns.iter().filter(|column| column.rows > 0);
        self.found.columns = columns
            .map(|column| (column.def.name.to_string(), column.rows))
            .collect();
        (self.found, self.steps)
    }

    /// Compares the rows that have arrived from both recordings. Returns true when the comparison
    /// is complete.
    ///
    /// `last` is the last step of each recording; after it, its state is empty.
    pub fn go_on(&mut self, [a, b]: &mut [RowQueue; 2], last: [Stamp; 2]) -> bool {
        if self.lane == Lane::Facts {
            // Facts are valid at every moment, so stamps do not matter.
            while !a.waits() && !b.waits() {
                if !self.pair([true, true], a, b) {
                    return true;
                }
            }
            return false;
        }
        loop {
            let opened = match (self.by, self.open) {
                (Some(by), Some(open)) => Some((by, open)),
                _ if a.waits() || b.waits() => return false,
                (by, _) => {
                    let by = by.unwrap_or_else(|| By::of([a.stamp(), b.stamp()]));
                    self.by = Some(by);
                    self.open = self.next(by, a, b, last);
                    self.open.map(|open| (by, open))
                }
            };
            let Some((by, (now, stamp))) = opened else {
                return true;
            };
            let whole = if self.lane == Lane::Events {
                self.events(by, now, a, b)
            } else {
                self.hold(0, by, now, a);
                self.hold(1, by, now, b);
                !a.waits() && !b.waits()
            };
            if !whole {
                return false;
            }
            if self.lane != Lane::Events {
                self.settle(stamp);
            }
            self.open = None;
        }
    }

    /// Returns the next moment at which either recording has a row.
    fn next(
        &mut self,
        by: By,
        a: &mut RowQueue,
        b: &mut RowQueue,
        last: [Stamp; 2],
    ) -> Option<(PairedMoment, Stamp)> {
        let (x, y) = (a.moment(by), b.moment(by));
        // What follows in a recording that breaks off is unknown.
        if a.breaks_off() || b.breaks_off() {
            return None;
        }
        let now = x.into_iter().chain(y).min()?;
        let stamp = if x == Some(now) { a.stamp() } else { b.stamp() };
        self.moment += 1;
        let last = last.map(|last| by.at(last));
        self.end([x, y].map(|next| next.is_none()), last, now);
        Some((now, stamp.unwrap_or_default()))
    }

    /// Empties the state of a recording that has ended.
    fn end(&mut self, over: [bool; 2], last: [Option<i128>; 2], now: PairedMoment) {
        let sides = over.into_iter().zip(last).zip(&mut self.ended).enumerate();
        for (side, ((over, last), ended)) in sides {
            if !over || *ended || last.is_none_or(|last| now.at <= last) {
                continue;
            }
            *ended = true;
            for slot in &mut self.slots {
                if let Some(held) = slot.held.get_mut(side) {
                    *held = None;
                }
            }
        }
    }

    /// Compares the events of a moment in order. Returns true when all have come.
    fn events(&mut self, by: By, now: PairedMoment, a: &mut RowQueue, b: &mut RowQueue) -> bool {
        loop {
            if a.waits() || b.waits() {
                return false;
            }
            let is = [a.moment(by) == Some(now), b.moment(by) == Some(now)];
            // A recording that breaks off may have had as many events.
            if !is[0] && a.breaks_off() || !is[1] && b.breaks_off() {
                return true;
            }
            if !self.pair(is, a, b) {
                return true;
            }
        }
    }

    /// Compares the next row of each recording that has one; returns false if neither has.
    fn pair(&mut self, has: [bool; 2], a: &mut RowQueue, b: &mut RowQueue) -> bool {
        let x = a.peek().filter(|_| has[0]);
        let y = b.peek().filter(|_| has[1]);
        let Some((batch, row)) = x.or(y) else {
            return false;
        };
        let stamp = batch.stamp(row);
        let is = [x.is_some(), y.is_some()];
        let [ours, theirs] = [x, y].map(|row| row.map(|(batch, row)| EitherRow::Read(batch, row)));
        self.compare(stamp, ours, theirs);
        if is[0] {
            a.pass();
        }
        if is[1] {
            b.pass();
        }
        true
    }

    /// Adds the rows of one recording at a moment to the state.
    fn hold(&mut self, side: usize, by: By, now: PairedMoment, feed: &mut RowQueue) {
        // Rows usually come in the same order each time.
        let mut likely = 0;
        while feed.moment(by) == Some(now) {
            if let Some((batch, row)) = feed.peek() {
                likely = self.put(side, batch, row, likely);
            }
            feed.pass();
        }
    }

    /// Adds a row to the state, and returns the likely slot of the next row.
    fn put(&mut self, side: usize, batch: &Batch, row: usize, likely: usize) -> usize {
        let keys = || self.keys.iter().map(|at| batch.get(row, *at));
        let is = |slot: &Slot| {
            let mut both = slot.key.iter().zip(keys());
            both.all(|(key, value)| same(key.value(), value, 0.0))
        };
        let at = if self.slots.get(likely).is_some_and(is) {
            likely
        } else {
            let key: Vec<Owned> = keys().map(Owned::from).collect();
            let new = self.slots.len();
            let at = *self.index.entry(key.clone()).or_insert(new);
            if at == new {
                self.slots.push(Slot {
                    key,
                    held: [None, None],
                    touched: 0,
                });
            }
            at
        };
        let Some(slot) = self.slots.get_mut(at) else {
            return 0;
        };
        if let Some(held) = slot.held.get_mut(side) {
            let values = batch.columns().iter().map(|column| column.get(row));
            match held {
                _ if batch.is_end(row) => *held = None,
                None => *held = Some(values.map(Owned::from).collect()),
                Some(held) => {
                    for (held, value) in held.iter_mut().zip(values) {
                        if !same(held.value(), value, 0.0) {
                            *held = value.into();
                        }
                    }
                }
            }
        }
        if slot.touched != self.moment {
            slot.touched = self.moment;
            self.touched.push(at);
        }
        at + 1
    }

    /// Compares the keys that have new rows at this moment.
    fn settle(&mut self, stamp: Stamp) {
        let touched = std::mem::take(&mut self.touched);
        let slots = std::mem::take(&mut self.slots);
        for slot in touched.iter().filter_map(|at| slots.get(*at)) {
            let held = slot.held.each_ref();
            let [ours, theirs] = held.map(|held| held.as_deref().map(EitherRow::Held));
            self.compare(stamp, ours, theirs);
        }
        (self.touched, self.slots) = (touched, slots);
        self.touched.clear();
    }

    /// Compares two rows that were matched.
    fn compare(
        &mut self,
        stamp: Stamp,
        ours: Option<EitherRow<'_>>,
        theirs: Option<EitherRow<'_>>,
    ) {
        let mut column = None;
        match (ours, theirs) {
            (None, None) => return,
            (Some(ours), Some(theirs)) => {
                for (at, common) in self.columns.iter_mut().enumerate() {
                    if !same(ours.get(at), theirs.get(at), common.within) {
                        common.rows += 1;
                        column.get_or_insert(at);
                    }
                }
                if column.is_none() {
                    return;
                }
                self.found.rows += 1;
            }
            (Some(_), None) => self.found.only_first += 1,
            (None, Some(_)) => self.found.only_second += 1,
        }
        let stamp = (self.lane != Lane::Facts).then_some(stamp);
        let step = stamp.map(|stamp| stamp.step);
        if self.steps.last().copied() != step {
            self.steps.extend(step);
        }
        if self.found.first.is_some() {
            return;
        }
        let cell = |row: Option<EitherRow<'_>>, at: usize| match (row, self.columns.get(at)) {
            (Some(_), Some(column)) if column.def.secret => Cell::Hidden,
            (Some(row), _) => Cell::Is(row.get(at).into()),
            (None, _) => Cell::NoRow,
        };
        let name = |at: &usize| {
            let column = self.columns.get(*at);
            column.map_or_else(String::new, |column| column.def.name.to_string())
        };
        let told: Vec<usize> = match (self.lane, column) {
            // For events that differ, the key says no more than the other columns.
            (Lane::Events, Some(_)) => Vec::new(),
            // An event that only one recording has is identified by its first values.
            (Lane::Events, None) => {
                let row = ours.or(theirs);
                let is = |at: &usize| row.is_some_and(|row| row.get(*at) != Value::Null);
                (0..self.columns.len()).filter(is).take(TOLD).collect()
            }
            _ => self.keys.clone(),
        };
        let shown = column.unwrap_or(0);
        self.found.first = Some(RowDiff {
            stamp,
            key: told
                .iter()
                .map(|at| (name(at), cell(ours.or(theirs), *at)))
                .collect(),
            first: cell(ours, shown),
            second: cell(theirs, shown),
            unit: column
                .and_then(|at| self.columns.get(at))
                .map_or_else(String::new, |column| column.def.unit.to_string()),
            column: column.as_ref().map(name),
        });
    }
}

/// Returns whether two values are equal bit by bit, or differ by at most `within`.
pub(super) fn same(a: Value<'_>, b: Value<'_>, within: f64) -> bool {
    match (a, b) {
        (a, b) if a.is_same(b) => true,
        (Value::Int(a), Value::Uint(b)) | (Value::Uint(b), Value::Int(a)) => {
            u64::try_from(a) == Ok(b)
        }
        // With no tolerance, 0 differs from -0.
        (Value::Float32(_), Value::Float32(_)) | (Value::Float64(_), Value::Float64(_))
            if within == 0.0 =>
        {
            false
        }
        (Value::Float32(_) | Value::Float64(_), _) | (_, Value::Float32(_) | Value::Float64(_)) => {
            let apart = a.as_f64().zip(b.as_f64()).map(|(a, b)| (a - b).abs());
            apart.is_some_and(|apart| apart <= within)
        }
        _ => false,
    }
}
