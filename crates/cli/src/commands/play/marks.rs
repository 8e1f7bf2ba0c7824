//! What takes a pass over the recording to know, on a thread of its own: the markers of the timeline,
//! and how far positions go.

use std::ops::ControlFlow;
use std::sync::mpsc::Sender;

use gametape::core::table::{EventMarkers, Marker, MarkerKind, Span};
use gametape::core::text::printable;
use gametape::{Batch, Error, Lane, Recording, Scan, Secrets, Severity, TableDef};

use super::desk::Desk;
use super::news::News;
use crate::scene::range::{Bounds, widen};
use crate::scene::views::{Points, View, views};

/// Tables with more rows than this are read a part at a time.
const WHOLE: u64 = 2000;
/// More findings than anybody goes through.
const FINDINGS: usize = 200;

/// What is wrong with the recording; short tables of events; how far positions go; what the audit finds.
pub fn look_through(
    recording: &Recording,
    tables: &[TableDef],
    span: Span,
    secrets: Secrets,
    desk: &Desk,
    news: &Sender<News>,
) {
    let damage = match recording.info(secrets) {
        Ok(info) => info.problem,
        Err(error) => Some(error),
    };
    if let Some(damage) = damage
        && news.send(News::Damage(sentence(&damage))).is_err()
    {
        return;
    }
    for table in tables.iter().filter(|table| table.lane == Lane::Events) {
        let Some((events, batches)) = happened(recording, table, secrets) else {
            continue;
        };
        if news.send(News::Marks(marks(&events, span))).is_err() {
            return;
        }
        let whole = |batches| News::Events(table.name.to_string(), batches);
        if batches.is_some_and(|batches| news.send(whole(batches)).is_err()) {
            return;
        }
    }
    for view in views(tables) {
        let View::Map(map) = view else {
            continue;
        };
        for points in map {
            let bounds = bounds(recording, &points, secrets);
            if news.send(News::Bounds(points.table, bounds)).is_err() {
                return;
            }
        }
    }
    desk.mark(match recording.audit() {
        Ok(audit) => audit.findings.into_iter().take(FINDINGS).collect(),
        Err(error) => {
            let failed = Marker {
                stamp: None,
                kind: MarkerKind::Finding(Severity::Info),
                source: "verify".to_owned(),
                text: format!("it could not be checked: {}", sentence(&error)),
                count: 1,
            };
            // Who does not listen any more has ended.
            let _ = news.send(News::Marks(vec![failed]));
            Vec::new()
        }
    });
}

/// From where to where positions go, as far as they can be read.
fn bounds(recording: &Recording, points: &Points, secrets: Secrets) -> Bounds {
    let mut bounds = Bounds::default();
    let scan = Scan {
        secrets,
        ..Scan::table(&points.table).columns(&points.columns)
    };
    // What is wrong with the recording is said elsewhere.
    let _ = recording.scan(&scan, |batch| {
        widen(&mut bounds, points, &batch);
        Ok(ControlFlow::Continue(()))
    });
    bounds
}

/// An error, without the path that is said already.
fn sentence(error: &Error) -> String {
    match error {
        Error::Tape { source, .. } => printable(&source.to_string()),
        error => printable(&error.to_string()),
    }
}

/// The markers of a table; of one where something happens at nearly every step they would hide all others,
/// and one says so.
fn marks(events: &EventMarkers, span: Span) -> Vec<Marker> {
    if events.count() == 0 || !events.is_dense(span) {
        return events.markers(span);
    }
    vec![Marker {
        stamp: None,
        kind: MarkerKind::Event,
        source: events.table().name.to_string(),
        text: "too close together for the timeline; a view of their own has them".to_owned(),
        count: events.count(),
    }]
}

/// What happens in a table, as far as it can be read; and all of its rows, if they are few.
fn happened(
    recording: &Recording,
    table: &TableDef,
    secrets: Secrets,
) -> Option<(EventMarkers, Option<Vec<Batch>>)> {
    let scan = Scan {
        secrets,
        ..Scan::table(&*table.name)
    };
    let mut events = EventMarkers::new(table.clone());
    let mut batches = Vec::new();
    let scanned = recording.scan(&scan, |batch| {
        events.take(&batch);
        if events.count() <= WHOLE {
            batches.push(batch);
        } else {
            batches = Vec::new();
        }
        Ok(ControlFlow::Continue(()))
    });
    scanned.ok()?;
    let whole = (events.count() <= WHOLE).then_some(batches);
    Some((events, whole))
}
