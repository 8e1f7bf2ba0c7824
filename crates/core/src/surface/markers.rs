//! Markers: the moments of a recording that are worth a visit.

use std::cmp::Reverse;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::shown;
use crate::clock::{At, Span, Stamp};
use crate::rule::Severity;
use crate::table::{Batch, Lane, Playback, Scan, TableDef, Value};
use crate::tape::{AnyFinding, Audit, Error, Secrets, Tape, Work};
use crate::text::Grouped;

/// A table with more than one event per this many steps is dense: its single events say little.
const RARE: u64 = 8;
/// The most markers of a table, and of a dense one.
const MOST: usize = 2000;
const MOST_DENSE: usize = 120;

/// The kind of a marker. If several markers share a place, the greatest kind wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MarkerKind {
    /// An event: a row of a table of events.
    Event,
    /// A finding of the audit.
    Finding(Severity),
}

/// A moment that is worth a visit.
#[derive(Clone, PartialEq, Debug)]
pub struct Marker {
    /// The stamp; `None` for a finding about the recording as a whole.
    pub stamp: Option<Stamp>,
    /// The kind of the marker.
    pub kind: MarkerKind,
    /// The origin: the name of the table, or the code of the rule.
    pub source: String,
    /// The sentence of a finding, or a short summary of an event's row with texts first.
    pub text: String,
    /// The number of events that it stands for; of several, the text describes the first.
    pub count: u64,
}

impl Marker {
    /// Creates a marker for an event from all values of its row; hidden values are passed as
    /// missing.
    #[must_use]
    pub fn row<'v>(
        table: &TableDef,
        stamp: Stamp,
        values: impl Iterator<Item = Value<'v>>,
    ) -> Self {
        Self {
            stamp: Some(stamp),
            kind: MarkerKind::Event,
            source: table.name.to_string(),
            text: shown::sentence(table.columns.iter().zip(values)),
            count: 1,
        }
    }

    /// Creates a marker for a finding. If its moment cannot be played, the marker is at the last
    /// moment of the playback. The position of the playback does not change.
    #[must_use]
    pub fn finding(finding: &AnyFinding, play: &mut dyn Playback) -> Self {
        let place = &finding.place;
        let at = place.step.map(At::Step).or(place.tick.map(At::Tick));
        let stamp = at.or(place.time.map(At::Time)).map(|at| {
            let now = play.now();
            let found = play.seek(at).unwrap_or_else(|_| play.span().last);
            // Going back to the previous position cannot fail.
            let _ = play.seek(At::Step(now.step));
            found
        });
        Self {
            stamp,
            kind: MarkerKind::Finding(finding.severity()),
            source: finding.code().to_owned(),
            text: finding.message(),
            count: 1,
        }
    }
}

/// For example `goals: team blue, points 2`, `throws × 14: thrower Ash, speed 12.5 m/s`, `error rmv.win: …`
impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let MarkerKind::Finding(severity) = self.kind {
            write!(f, "{severity} ")?;
        }
        if self.count > 1 {
            return write!(
                f,
                "{} × {}: {}",
                self.source,
                Grouped(self.count),
                self.text
            );
        }
        write!(f, "{}: {}", self.source, self.text)
    }
}

/// The markers of a table of events, built row by row in memory that does not grow with their number.
///
/// Each event has a marker of its own up to 2,000 events. Beyond that, one marker stands for all events
/// of a range of steps and has their number: no event is left out. The same rows always give the
/// same markers.
#[derive(Clone, Debug)]
pub struct EventMarkers {
    table: TableDef,
    count: u64,
    /// One for each stretch of `1 << bits` steps in which something happened; where `bits` is `None`, one
    /// for each event.
    markers: Vec<Marker>,
    bits: Option<u32>,
}

impl EventMarkers {
    /// Creates the markers of a table of events, which has no rows yet.
    #[must_use]
    pub const fn new(table: TableDef) -> Self {
        Self {
            table,
            count: 0,
            markers: Vec::new(),
            bits: None,
        }
    }

    /// The table.
    #[must_use]
    pub const fn table(&self) -> &TableDef {
        &self.table
    }

    /// How many events have come.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Takes the next row, of which all values are given; those that are not shown as missing. Rows come
    /// in the order of their steps.
    pub fn push<'v>(&mut self, stamp: Stamp, values: impl Iterator<Item = Value<'v>>) {
        self.count += 1;
        if let (Some(bits), Some(last)) = (self.bits, self.markers.last_mut())
            && stretch(last, bits) == stamp.step >> bits
        {
            last.count += 1;
            return;
        }
        self.markers.push(Marker::row(&self.table, stamp, values));
        if self.markers.len() > MOST {
            self.bits = Some(thinned(&mut self.markers, self.bits, MOST));
        }
    }

    /// Takes the rows of a batch that has all columns.
    pub fn take(&mut self, batch: &Batch) {
        for row in 0..batch.len() {
            let columns = 0..self.table.columns.len();
            self.push(batch.stamp(row), columns.map(|at| batch.get(row, at)));
        }
    }

    /// Whether there are so many of them on a timeline from here to there that each says little, as
    /// where one happens at every step.
    #[must_use]
    pub fn is_dense(&self, span: Span) -> bool {
        let steps = span.last.step.saturating_sub(span.first.step);
        self.count.saturating_mul(RARE) > steps
    }

    /// The markers on a timeline from here to there, in the order of their steps.
    #[must_use]
    pub fn markers(&self, span: Span) -> Vec<Marker> {
        let mut markers = self.markers.clone();
        if self.is_dense(span) && markers.len() > MOST_DENSE {
            thinned(&mut markers, self.bits, MOST_DENSE);
        }
        markers
    }
}

/// The stretch of `1 << bits` steps in which a marker is.
fn stretch(marker: &Marker, bits: u32) -> u64 {
    marker.stamp.map_or(0, |stamp| stamp.step >> bits)
}

/// Joins markers of the shortest stretches that leave no more than `most`: how long those are.
fn thinned(markers: &mut Vec<Marker>, bits: Option<u32>, most: usize) -> u32 {
    let mut bits = bits.map_or(0, |bits| bits + 1);
    loop {
        markers.dedup_by(|next, kept| {
            let joins = stretch(next, bits) == stretch(kept, bits);
            kept.count += if joins { next.count } else { 0 };
            joins
        });
        if markers.len() <= most || bits + 1 == u64::BITS {
            return bits;
        }
        bits += 1;
    }
}

/// Returns all markers of a recording: its events and the findings of an audit, the worst first and then
/// in the order of their steps. A broken recording gives the markers of its readable part.
///
/// # Errors
/// Same as [`Tape::scan`] and [`Tape::playback`](trait.Tape.html#method.playback).
pub fn markers(
    tape: &Arc<dyn Tape>,
    audit: &Audit,
    secrets: Secrets,
) -> Result<Vec<Marker>, Error> {
    let mut play = tape.playback()?;
    let mut markers = Vec::new();
    for events in event_markers(&**tape, secrets)? {
        markers.extend(events.markers(play.span()));
    }
    let findings = audit.findings.iter();
    markers.extend(findings.map(|finding| Marker::finding(finding, &mut *play)));
    sort_markers(&mut markers);
    Ok(markers)
}

/// The events of a recording, as far as it can be read: table by table, in one pass.
///
/// # Errors
/// Same as [`Tape::scan`].
pub fn event_markers(tape: &dyn Tape, secrets: Secrets) -> Result<Vec<EventMarkers>, Error> {
    let tables = tape.tables()?.into_iter();
    let tables = tables.filter(|table| table.lane == Lane::Events && !table.on_request);
    let mut events: Vec<EventMarkers> = tables.map(EventMarkers::new).collect();
    let scans = events.iter().map(|events| Scan {
        secrets,
        ..Scan::table(&*events.table.name)
    });
    let scans: Vec<Scan> = scans.collect();
    tape.scan(&scans, &Work::default(), &mut |scan, batch| {
        if let Some(events) = events.get_mut(scan) {
            events.take(&batch);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(events)
}

/// Sorts markers: the worst first, and then by step.
pub fn sort_markers(markers: &mut [Marker]) {
    markers.sort_by_key(|marker| {
        let step = marker.stamp.map_or(0, |stamp| stamp.step);
        (Reverse(marker.kind), step)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clocks, Time};
    use crate::finding::Finding;
    use crate::rule::Class;
    use crate::table::kit::{Made, Row};
    use crate::table::{ColumnDef, Kind, Owned};
    use crate::tape::Told;

    fn at(step: u64) -> Stamp {
        Stamp {
            step,
            tick: None,
            time: Some(Time::from_ms(step as i64 * 10)),
        }
    }

    fn events(name: &'static str, steps: impl Iterator<Item = u64>) -> (TableDef, Vec<Row>) {
        let table = TableDef::new(name, Lane::Events, "What happens.")
            .with(ColumnDef::new("team", Kind::Text, "Whose."))
            .with(ColumnDef::new("speed", Kind::Float32, "How fast.").unit("m/s"));
        let row = |step| Row::new(at(step), ["blue".into(), 9.5_f32.into()]);
        (table, steps.map(row).collect())
    }

    fn finding(severity: Severity) -> AnyFinding {
        Finding::new(Told {
            code: "made.rule",
            severity,
            class: Class::File,
            sentence: "odd".to_owned(),
            data: Vec::new(),
        })
    }

    fn told(marker: &Marker) -> (Option<u64>, String) {
        (marker.stamp.map(|stamp| stamp.step), marker.to_string())
    }

    #[test]
    fn events_and_findings_are_worth_going_to() {
        let tables = vec![
            events("goals", [40, 700].into_iter()),
            events("shots", (0..61).map(|at| at * 16)),
        ];
        let tape: Arc<dyn Tape> = Arc::new(Made::new(Clocks::TIMES, tables));
        let audit = Audit {
            findings: vec![
                finding(Severity::Info),
                finding(Severity::Error).step(40),
                finding(Severity::Warning).step(1_000_000),
            ],
            ..Audit::default()
        };
        let markers = markers(&tape, &audit, Secrets::Hide).unwrap();
        let shots = markers.iter().filter(|marker| marker.source == "shots");
        assert_eq!(shots.count(), 61, "however many they are");
        let others = markers.iter().filter(|marker| marker.source != "shots");
        let wanted = [
            (Some(40), "error made.rule: odd"),
            // After the last moment that can be played.
            (Some(960), "warning made.rule: odd"),
            (None, "info made.rule: odd"),
            (Some(40), "goals: team blue, speed 9.5 m/s"),
            (Some(700), "goals: team blue, speed 9.5 m/s"),
        ];
        let wanted = wanted.map(|(step, text)| (step, text.to_owned()));
        assert_eq!(others.map(told).collect::<Vec<_>>(), wanted);
    }

    /// The markers for events at these steps, in a recording that ends at `last`.
    fn of(steps: impl Iterator<Item = u64>, last: u64) -> (EventMarkers, Vec<Marker>) {
        let (table, rows) = events("shots", steps);
        let mut all = EventMarkers::new(table);
        for row in rows {
            all.push(row.stamp, row.values.iter().map(Owned::value));
        }
        let span = Span {
            first: at(0),
            last: at(last),
        };
        let markers = all.markers(span);
        assert_eq!(
            markers.iter().map(|marker| marker.count).sum::<u64>(),
            all.count(),
            "none is left out"
        );
        assert!(markers.is_sorted_by_key(|marker| marker.stamp.map(|stamp| stamp.step)));
        (all, markers)
    }

    #[test]
    fn of_more_events_than_a_list_holds_one_marker_stands_for_several() {
        let (_, all) = of((0..2000).map(|at| at * 8), 16_000);
        assert!(all.len() == 2000 && all.iter().all(|marker| marker.count == 1));
        let (_, more) = of((0..2001).map(|at| at * 8), 16_008);
        assert_eq!(more.len(), 1001);
        assert_eq!(
            told(&more[1]),
            (Some(16), "shots × 2: team blue, speed 9.5 m/s".to_owned())
        );
        // Wherever they lie, as long as they are at different steps, few are joined that need not be.
        for every in [8, 9, 100] {
            let (_, many) = of((0..100_000).map(|at| at * every), 100_000 * every);
            assert!((1000..=2000).contains(&many.len()), "{}", many.len());
        }
        // All at one step.
        let (_, burst) = of((0..5000).map(|_| 7), 1_000_000);
        assert_eq!((burst.len(), burst[0].count), (1, 5000));
    }

    #[test]
    fn dense_events_are_told_in_fewer_markers() {
        let (all, dense) = of(0..1000, 1000);
        assert_eq!(dense.len(), 63);
        assert!(all.is_dense(Span {
            first: at(0),
            last: at(7999),
        }));
        assert!(!all.is_dense(Span {
            first: at(0),
            last: at(8000),
        }));
        // Those that can be told apart are.
        let (_, few) = of(0..100, 100);
        assert_eq!(few.len(), 100);
    }

    #[test]
    fn the_markers_of_some_events_are_the_same_whenever_they_are_asked_for() {
        let steps = || (0..7000_u64).map(|at| at * at % 977 + at * 3);
        let mut steps: Vec<u64> = steps().collect();
        steps.sort_unstable();
        for count in [10, 1999, 2000, 2001, 2500, 4001, 6999] {
            let (_, once) = of(steps.iter().copied().take(count), 1 << 30);
            let mut shorter = of(steps.iter().copied().take(count - 7), 1 << 30).0;
            for step in &steps[count - 7..count] {
                let values: [Value<'_>; 2] = ["blue".into(), 9.5_f32.into()];
                shorter.push(at(*step), values.into_iter());
            }
            let span = Span {
                first: at(0),
                last: at(1 << 30),
            };
            assert_eq!(shorter.markers(span), once, "{count}");
        }
    }
}
