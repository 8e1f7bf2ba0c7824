//! A pass over the whole recording on a thread of its own. It finds the markers of the timeline and the
//! bounds of positions.

use std::ops::ControlFlow;
use std::sync::mpsc::Sender;

use gametape::core::surface::{EventMarkers, Marker, MarkerKind};
use gametape::core::table::Span;
use gametape::core::text::printable;
use gametape::{Batch, Error, Lane, Recording, Scan, Secrets, Severity, TableDef};

use super::messages::Inbox;
use super::messages::Update;
use gametape_picture::scene::range::{Bounds, widen};
use gametape_picture::scene::views::{Points, View, views};

/// The largest number of events that are kept in memory; longer tables are read in parts.
const WHOLE: u64 = 2000;
/// The largest number of findings that become markers.
const FINDINGS: usize = 200;

/// Sends the damage of the recording, short tables of events, the bounds of positions, and the findings of
/// the audit.
pub fn survey(
    recording: &Recording,
    tables: &[TableDef],
    span: Span,
    secrets: Secrets,
    inbox: &Inbox,
    updates: &Sender<Update>,
) {
    let damage = match recording.info(secrets) {
        Ok(info) => info.problem,
        Err(error) => Some(error),
    };
    if let Some(damage) = damage
        && updates.send(Update::Damage(sentence(&damage))).is_err()
    {
        return;
    }
    let is_told = |table: &&TableDef| table.lane == Lane::Events && !table.on_request;
    for table in tables.iter().filter(is_told) {
        let Some((events, batches)) = read_events(recording, table, secrets) else {
            continue;
        };
        if updates.send(Update::Marks(marks(&events, span))).is_err() {
            return;
        }
        let whole = |batches| Update::Events(table.name.to_string(), batches);
        if batches.is_some_and(|batches| updates.send(whole(batches)).is_err()) {
            return;
        }
    }
    for view in views(tables) {
        let View::Map(map) = view else {
            continue;
        };
        for points in map {
            let bounds = bounds(recording, &points, secrets);
            if updates.send(Update::Bounds(points.table, bounds)).is_err() {
                return;
            }
        }
    }
    inbox.mark(match recording.audit() {
        Ok(audit) => audit.findings.into_iter().take(FINDINGS).collect(),
        Err(error) => {
            let failed = Marker {
                stamp: None,
                kind: MarkerKind::Finding(Severity::Info),
                source: "verify".to_owned(),
                text: format!("it could not be checked: {}", sentence(&error)),
                count: 1,
            };
            // If the player is gone, there is nobody to tell.
            let _ = updates.send(Update::Marks(vec![failed]));
            Vec::new()
        }
    });
}

/// The bounds of the positions that can be read.
fn bounds(recording: &Recording, points: &Points, secrets: Secrets) -> Bounds {
    let mut bounds = Bounds::default();
    let scan = Scan {
        secrets,
        ..Scan::table(&points.table).columns(&points.columns)
    };
    // The damage of the recording is reported elsewhere.
    let _ = recording.scan(&scan, |batch| {
        widen(&mut bounds, points, &batch);
        Ok(ControlFlow::Continue(()))
    });
    bounds
}

/// The message of an error, without the path.
fn sentence(error: &Error) -> String {
    match error {
        Error::Tape { source, .. } => printable(&source.to_string()),
        error => printable(&error.to_string()),
    }
}

/// The markers of a table. A table with an event at nearly every step gets one marker that says so, since
/// its own would hide all others.
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

/// Reads the events of a table; returns its rows, too, if they are few.
fn read_events(
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
    scanned.ok()?.readable();
    let whole = (events.count() <= WHOLE).then_some(batches);
    Some((events, whole))
}
