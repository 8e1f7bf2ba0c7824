//! Markers: the moments of a recording that are worth a visit.

use std::cmp::Reverse;
use std::fmt;
use std::ops::ControlFlow;

use super::batch::{Batch, Value};
use super::def::TableDef;
use super::kind::Lane;
use super::playback::{Playback, Span};
use super::scan::Scan;
use super::shown;
use crate::clock::{At, Stamp};
use crate::rule::Severity;
use crate::tape::{AnyFinding, Audit, Error, Secrets, Tape};

/// A table with more events than this, or with more than one event per this many steps, gives no
/// markers: single events of it say little.
const FEW: usize = 60;
const RARE: u64 = 8;

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
}

impl Marker {
    /// Creates a marker for an event: a row of a batch that has all columns.
    #[must_use]
    pub fn event(table: &TableDef, batch: &Batch, row: usize) -> Self {
        let values = (0..table.columns.len()).map(|at| batch.get(row, at));
        Self::row(table, batch.stamp(row), values)
    }

    /// Creates a marker for an event from all values of its row; hidden values are passed as
    /// missing.
    #[must_use]
    pub fn row<'v>(
        table: &'v TableDef,
        stamp: Stamp,
        values: impl Iterator<Item = Value<'v>>,
    ) -> Self {
        Self {
            stamp: Some(stamp),
            kind: MarkerKind::Event,
            source: table.name.to_string(),
            text: shown::sentence(table.columns.iter().zip(values)),
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
        }
    }
}

/// For example `goals: team blue, points 2` or `error rmv.win: …`.
impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let MarkerKind::Finding(severity) = self.kind {
            write!(f, "{severity} ")?;
        }
        write!(f, "{}: {}", self.source, self.text)
    }
}

/// Returns whether the number of events is small enough to tell them apart on a timeline of this
/// span.
#[must_use]
pub fn are_rare(count: usize, span: Span) -> bool {
    let steps = span.last.step.saturating_sub(span.first.step);
    count <= FEW && count as u64 * RARE <= steps
}

/// Returns markers for the rows of a table of events; none if there are too many to tell them apart
/// on a timeline of this span.
#[must_use]
pub fn event_markers(table: &TableDef, rows: &[Batch], span: Span) -> Vec<Marker> {
    if !are_rare(rows.iter().map(Batch::len).sum(), span) {
        return Vec::new();
    }
    let all = |batch| (0..Batch::len(batch)).map(move |row| Marker::event(table, batch, row));
    rows.iter().flat_map(all).collect()
}

/// Returns all markers of a recording: rare events and the findings of an audit, the worst first
/// and then in the order of their steps. A broken recording gives the markers of its readable part.
///
/// # Errors
/// Same as [`Tape::scan`] and [`Tape::playback`](trait.Tape.html#method.playback).
pub fn markers(tape: &dyn Tape, audit: &Audit, secrets: Secrets) -> Result<Vec<Marker>, Error> {
    let mut play = tape.playback()?;
    let mut markers = Vec::new();
    for table in tape
        .tables()?
        .iter()
        .filter(|table| table.lane == Lane::Events)
    {
        let scan = Scan {
            secrets,
            ..Scan::table(&*table.name)
        };
        let (mut batches, mut rows) = (Vec::new(), 0);
        tape.scan(&scan, &mut |batch| {
            rows += batch.len();
            batches.push(batch.clone());
            let many = rows > FEW;
            Ok(if many {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        markers.extend(event_markers(table, &batches, play.span()));
    }
    let findings = audit.findings.iter();
    markers.extend(findings.map(|finding| Marker::finding(finding, &mut *play)));
    sort_markers(&mut markers);
    Ok(markers)
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
    use super::super::kit::{Made, Row};
    use super::super::{ColumnDef, Kind};
    use super::*;
    use crate::clock::{Clocks, Time};
    use crate::finding::Finding;
    use crate::rule::Class;
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

    #[test]
    fn rare_events_and_findings_are_worth_going_to() {
        let tables = vec![
            events("goals", [40, 700].into_iter()),
            events("steps", (0..1000).step_by(2)),
            events("shots", (0..61).map(|at| at * 16)),
        ];
        let tape = Made::new(Clocks::TIMES, tables);
        let audit = Audit {
            findings: vec![
                finding(Severity::Info),
                finding(Severity::Error).step(40),
                finding(Severity::Warning).step(1_000_000),
            ],
            ..Audit::default()
        };
        let markers = markers(&tape, &audit, Secrets::Hide).unwrap();
        let told = |marker: &Marker| (marker.stamp.map(|stamp| stamp.step), marker.to_string());
        let told: Vec<_> = markers.iter().map(told).collect();
        let wanted = [
            (Some(40), "error made.rule: odd"),
            // After the last moment that can be played.
            (Some(998), "warning made.rule: odd"),
            (None, "info made.rule: odd"),
            (Some(40), "goals: team blue, speed 9.5 m/s"),
            (Some(700), "goals: team blue, speed 9.5 m/s"),
        ];
        assert_eq!(told, wanted.map(|(step, text)| (step, text.to_owned())));
    }
}
