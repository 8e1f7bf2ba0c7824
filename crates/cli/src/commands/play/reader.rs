//! Reads the recording for the player, on a thread of its own.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use gametape::core::Spell as _;
use gametape::core::surface::Marker;
use gametape::core::table::{Playback, Span};
use gametape::core::tape;
use gametape::core::text::printable;
use gametape::{At, Batch, Error, Lane, Recording, Scan, Secrets, Stamp, TableDef, When, Work};

use super::background;
use super::messages::Inbox;
use super::messages::{Opened, Request, Response, Update};
use gametape_picture::scene::map::trail;

/// Opens a recording and answers requests until the player ends.
pub fn serve(
    open: impl FnOnce() -> Result<Recording, Error>,
    at: Option<&When>,
    secrets: Secrets,
    inbox: &Arc<Inbox>,
    updates: &Sender<Update>,
) {
    let failed = |error: Error| {
        let _ = updates.send(Update::Failed(Box::new(error)));
    };
    let recording = match open() {
        Ok(recording) => Arc::new(recording),
        Err(error) => return failed(error),
    };
    let tables = match recording.tables() {
        Ok(tables) => tables,
        Err(error) => return failed(error),
    };
    let path = printable(&recording.path().spelled());
    if tables.is_empty() {
        let _ = updates.send(Update::Nothing(format!("{path}: it has no tables to play")));
        return;
    }
    let playback = match recording.playback() {
        Ok(playback) => playback.into_inner(),
        Err(error) => return failed(error),
    };
    let span = playback.span();
    if span.first.step == span.last.step && !has_rows(&recording, &tables) {
        let problem = recording.info(secrets).map(|info| info.problem);
        return match problem {
            Ok(None) => {
                let _ = updates.send(Update::Nothing(format!(
                    "{path}: there is nothing in it to play"
                )));
            }
            Ok(Some(error)) | Err(error) => failed(error),
        };
    }
    let at = match at.map(|at| recording.at(at)).transpose() {
        Ok(at) => at,
        Err(error) => return failed(error),
    };
    let opened = Opened {
        path,
        step: recording.format().step(),
        at,
        format: recording.version(),
        span,
        tables: tables.clone(),
    };
    if updates.send(Update::Opened(Box::new(opened))).is_err() {
        return;
    }
    let (other, marking, telling) = (Arc::clone(&recording), Arc::clone(inbox), updates.clone());
    // If the thread can't start, there are fewer markers.
    let _ = std::thread::Builder::new()
        .name("markers".to_owned())
        .spawn(move || background::survey(&other, &tables, span, secrets, &marking, &telling));
    let reader = Reader {
        recording: &recording,
        playback,
        span,
        around: None,
        trails: true,
    };
    reader.serve(inbox, updates);
}

/// Whether any table but the facts has a row.
fn has_rows(recording: &Recording, tables: &[TableDef]) -> bool {
    tables
        .iter()
        .filter(|table| table.lane != Lane::Facts)
        .any(|table| {
            let mut any = false;
            let scanned = recording.scan(&Scan::table(&*table.name), |batch| {
                any |= !batch.is_empty();
                Ok(ControlFlow::Break(()))
            });
            any && scanned.is_ok()
        })
}

/// The events around a moment.
struct Around {
    scan: Scan,
    from: u64,
    to: u64,
    rows: Vec<Batch>,
}

/// The number of steps before and after now whose events are read.
const AROUND: u64 = 256;
/// The largest number of rows read at once: more than fit on a screen.
const ROWS: usize = 4096;
/// The longest time for reading trails. Trails that take longer are left out, since the player would
/// stutter.
const SLOW: Duration = Duration::from_millis(150);

struct Reader<'r> {
    recording: &'r Recording,
    playback: Box<dyn Playback + 'r>,
    span: Span,
    around: Option<Around>,
    trails: bool,
}

impl Reader<'_> {
    fn serve(mut self, inbox: &Inbox, updates: &Sender<Update>) {
        loop {
            let slot = inbox.next();
            if let Some(findings) = slot.findings {
                let placed = |finding| Marker::finding(finding, &mut *self.playback);
                let markers = findings.iter().map(placed).collect();
                if updates.send(Update::Findings(markers)).is_err() {
                    return;
                }
            }
            let Some(request) = slot.request else {
                continue;
            };
            let number = request.number;
            let before = self.playback.now();
            let update = match self.response(request) {
                Ok(response) => Update::Response(Box::new(response)),
                Err(error) => {
                    // Go back to a moment that can be shown.
                    let _ = self.playback.seek(At::Step(before.step));
                    Update::Refused(number, error.to_string())
                }
            };
            if updates.send(update).is_err() {
                return;
            }
        }
    }

    fn response(&mut self, request: Request) -> Result<Response, tape::Error> {
        if let Some(at) = request.to {
            self.playback.seek(at)?;
        }
        for _ in 0..request.steps {
            if self.playback.step()?.is_none() {
                break;
            }
        }
        for _ in request.steps..0 {
            let before = self.playback.now().step.checked_sub(1);
            // The first step has no predecessor.
            let Some(before) = before.filter(|step| *step >= self.span.first.step) else {
                break;
            };
            self.playback.seek(At::Step(before))?;
        }
        let stamp = self.playback.now();
        let states = request.query.states.iter();
        let states = states
            .map(|scan| self.playback.state(scan))
            .collect::<Result<Vec<Batch>, tape::Error>>()?;
        let problem = self.playback.problem();
        let trails = if request.query.trail {
            self.trails(&request.query.states, stamp)?
        } else {
            Vec::new()
        };
        let events = match &request.query.events {
            Some(scan) => self.events(scan, stamp)?,
            None => Vec::new(),
        };
        Ok(Response {
            number: request.number,
            stamp,
            query: request.query,
            states,
            trails,
            events,
            problem: problem.map(|problem| printable(&problem.to_string())),
        })
    }

    /// Reads the rows of the last second.
    fn trails(&mut self, scans: &[Scan], now: Stamp) -> Result<Vec<Vec<Batch>>, tape::Error> {
        if !self.trails {
            return Ok(Vec::new());
        }
        let from = trail(now);
        let began = Instant::now();
        let mut trails = Vec::new();
        for scan in scans {
            let scan = scan.clone().from(from).to(At::Step(now.step));
            trails.push(self.rows(&scan)?);
        }
        self.trails = began.elapsed() < SLOW;
        Ok(trails)
    }

    fn events(&mut self, scan: &Scan, now: Stamp) -> Result<Vec<Batch>, tape::Error> {
        // The events that were read last are enough while now is well among them.
        const EDGE: u64 = AROUND / 4;
        let known = self.around.as_ref().filter(|around| {
            let from = around.from == 0 || around.from + EDGE <= now.step;
            let to = around.to >= self.span.last.step || now.step + EDGE <= around.to;
            around.scan == *scan && from && to && (around.from..=around.to).contains(&now.step)
        });
        if let Some(around) = known {
            return Ok(around.rows.clone());
        }
        // If there are many events, fewer steps are read around now.
        let mut around = AROUND;
        let (from, to, rows) = loop {
            let from = now.step.saturating_sub(around);
            let to = now.step.saturating_add(around);
            let rows = self.rows(&scan.clone().from(At::Step(from)).to(At::Step(to)))?;
            if around == 0 || rows.iter().map(Batch::len).sum::<usize>() < ROWS {
                break (from, to, rows);
            }
            around /= 8;
        };
        self.around = Some(Around {
            scan: scan.clone(),
            from,
            to,
            rows: rows.clone(),
        });
        Ok(rows)
    }

    /// Reads rows; from a broken recording, those before the damage, which is reported elsewhere.
    fn rows(&self, scan: &Scan) -> Result<Vec<Batch>, tape::Error> {
        let (mut batches, mut rows) = (Vec::new(), 0);
        let tape = self.recording.tape();
        let read = tape.scan_table(scan, &Work::default(), |batch| {
            rows += batch.len();
            batches.push(batch);
            Ok(if rows < ROWS {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        read.readable();
        Ok(batches)
    }
}
