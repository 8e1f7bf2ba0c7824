//! What takes a pass over the recording to know, on a thread of its own: the markers of the timeline,
//! and how far positions go.

use std::ops::ControlFlow;
use std::sync::mpsc::Sender;

use gametape::core::text::printable;
use gametape::{AnyFinding, At, Batch, Error, Lane, Recording, Scan, Secrets, TableDef};

use super::desk::Desk;
use super::news::{Kind, Mark, News};
use crate::scene::range::{Bounds, widen};
use crate::scene::text;
use crate::scene::views::{Points, View, views};

/// Tables with more rows than this are read a part at a time.
const WHOLE: usize = 2000;
/// Tables with more rows than this, or with one in less than so many steps, say little by each.
const FEW: usize = 60;
const RARE: u64 = 8;
/// More findings than anybody goes through.
const FINDINGS: usize = 200;

/// What is wrong with the recording; short tables of events; how far positions go; what the audit finds.
pub fn look_through(
    recording: &Recording,
    tables: &[TableDef],
    steps: u64,
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
        let Some(batches) = whole(recording, table, secrets) else {
            continue;
        };
        let rows = batches.iter().map(Batch::len).sum::<usize>();
        if rows <= FEW && rows as u64 * RARE <= steps {
            let marks = batches
                .iter()
                .flat_map(|batch| events(table, batch))
                .collect();
            if news.send(News::Marks(marks)).is_err() {
                return;
            }
        }
        let whole = News::Events(table.name.to_string(), batches);
        if news.send(whole).is_err() {
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
        Ok(audit) => audit.findings.iter().take(FINDINGS).map(finding).collect(),
        Err(error) => {
            let text = format!("it could not be checked: {}", sentence(&error));
            let kind = Kind::Finding(gametape::Severity::Info);
            vec![(
                Mark {
                    stamp: None,
                    kind,
                    text,
                },
                None,
            )]
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
    let _ = recording.scan(&scan, &mut |batch| {
        widen(&mut bounds, points, batch);
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

/// All rows of a table, if they are few.
fn whole(recording: &Recording, table: &TableDef, secrets: Secrets) -> Option<Vec<Batch>> {
    let scan = Scan {
        secrets,
        ..Scan::table(&*table.name)
    };
    let (mut batches, mut rows) = (Vec::new(), 0);
    let scanned = recording.scan(&scan, &mut |batch| {
        rows += batch.len();
        batches.push(batch.clone());
        Ok(if rows <= WHOLE {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    });
    (scanned.is_ok() && rows <= WHOLE).then_some(batches)
}

fn events<'b>(table: &'b TableDef, batch: &'b Batch) -> impl Iterator<Item = Mark> + 'b {
    (0..batch.len()).map(|row| {
        let values = table.columns.iter().enumerate();
        let values = values.map(|(at, column)| (column, batch.get(row, at)));
        Mark {
            stamp: Some(batch.stamp(row)),
            kind: Kind::Event,
            text: format!("{}: {}", table.name, text::row(values)),
        }
    })
}

/// A finding, and when it is.
fn finding(finding: &AnyFinding) -> (Mark, Option<At>) {
    let place = &finding.place;
    let step = place.step.map(At::Step);
    let at = step
        .or(place.tick.map(At::Tick))
        .or(place.time.map(At::Time));
    let mark = Mark {
        stamp: None,
        kind: Kind::Finding(finding.severity()),
        text: format!(
            "{} {}: {}",
            finding.severity(),
            finding.code(),
            finding.message()
        ),
    };
    (mark, at)
}
