//! Reads the recording for the show, on a thread of its own: the show never waits for it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use gametape::core::table::{Marker, Playback, Span};
use gametape::core::tape;
use gametape::core::text::printable;
use gametape::{At, Batch, Error, Lane, Recording, Scan, Secrets, Stamp, TableDef, Work};

use super::desk::Desk;
use super::marks;
use super::news::{News, Opened, Shot, Wish};
use crate::scene::map::trail;

/// Opens a recording, and reads of it what the show wants to see, for as long as there is one.
pub fn serve(
    open: impl FnOnce() -> Result<Recording, Error>,
    secrets: Secrets,
    desk: &Arc<Desk>,
    news: &Sender<News>,
) {
    let failed = |error: Error| {
        let _ = news.send(News::Failed(Box::new(error)));
    };
    let recording = match open() {
        Ok(recording) => Arc::new(recording),
        Err(error) => return failed(error),
    };
    let tables = match recording.tables() {
        Ok(tables) => tables,
        Err(error) => return failed(error),
    };
    let path = printable(&recording.path().display().to_string());
    if tables.is_empty() {
        let _ = news.send(News::Nothing(format!("{path}: it has no tables to play")));
        return;
    }
    let playback = match recording.playback() {
        Ok(playback) => playback,
        Err(error) => return failed(error),
    };
    let span = playback.span();
    if span.first.step == span.last.step && !has_rows(&recording, &tables) {
        let problem = recording.info(secrets).map(|info| info.problem);
        return match problem {
            Ok(None) => {
                let _ = news.send(News::Nothing(format!(
                    "{path}: there is nothing in it to play"
                )));
            }
            Ok(Some(error)) | Err(error) => failed(error),
        };
    }
    let opened = Opened {
        path,
        format: format(&recording, secrets),
        span,
        tables: tables.clone(),
    };
    if news.send(News::Opened(Box::new(opened))).is_err() {
        return;
    }
    let (other, marking, telling) = (Arc::clone(&recording), Arc::clone(desk), news.clone());
    // Should it end early, there are fewer markers.
    let _ = std::thread::Builder::new()
        .name("markers".to_owned())
        .spawn(move || marks::look_through(&other, &tables, span, secrets, &marking, &telling));
    let reader = Reader {
        recording: &recording,
        playback,
        span,
        around: None,
        trails: true,
    };
    reader.serve(desk, news);
}

/// `rmv v2`
fn format(recording: &Recording, secrets: Secrets) -> String {
    match recording.header(secrets) {
        Ok(info) => format!("{} v{}", info.value.format, info.value.format_version),
        Err(_) => recording.format().name().to_owned(),
    }
}

/// Whether any table has a row, that of facts left out.
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

/// Events that were read around a moment.
struct Around {
    scan: Scan,
    from: u64,
    to: u64,
    rows: Vec<Batch>,
}

/// Steps on either side of now whose events are read.
const AROUND: u64 = 256;
/// More rows than a screen has, even a large one.
const ROWS: usize = 4096;
/// Trails that take longer than this to read make the show stutter: they are left out.
const SLOW: Duration = Duration::from_millis(150);

struct Reader<'r> {
    recording: &'r Recording,
    playback: Box<dyn Playback + 'r>,
    span: Span,
    around: Option<Around>,
    trails: bool,
}

impl Reader<'_> {
    fn serve(mut self, desk: &Desk, news: &Sender<News>) {
        loop {
            let slot = desk.next();
            if let Some(findings) = slot.findings {
                let placed = |finding| Marker::finding(finding, &mut *self.playback);
                let markers = findings.iter().map(placed).collect();
                if news.send(News::Findings(markers)).is_err() {
                    return;
                }
            }
            let Some(wish) = slot.wish else {
                continue;
            };
            let number = wish.number;
            let before = self.playback.now();
            let told = match self.shot(wish) {
                Ok(shot) => News::Shot(Box::new(shot)),
                Err(error) => {
                    // What can't be shown is not where it stays.
                    let _ = self.playback.seek(At::Step(before.step));
                    News::Refused(number, error.to_string())
                }
            };
            if news.send(told).is_err() {
                return;
            }
        }
    }

    fn shot(&mut self, wish: Wish) -> Result<Shot, tape::Error> {
        if let Some(at) = wish.to {
            self.playback.seek(at)?;
        }
        for _ in 0..wish.steps {
            if self.playback.step()?.is_none() {
                break;
            }
        }
        for _ in wish.steps..0 {
            let before = self.playback.now().step.checked_sub(1);
            // Before the first there is none.
            let Some(before) = before.filter(|step| *step >= self.span.first.step) else {
                break;
            };
            self.playback.seek(At::Step(before))?;
        }
        let stamp = self.playback.now();
        let states = wish.look.states.iter();
        let states = states
            .map(|scan| self.playback.state(scan))
            .collect::<Result<Vec<Batch>, tape::Error>>()?;
        let problem = self.playback.problem();
        let trails = if wish.look.trail {
            self.trails(&wish.look.states, stamp)?
        } else {
            Vec::new()
        };
        let events = match &wish.look.events {
            Some(scan) => self.events(scan, stamp)?,
            None => Vec::new(),
        };
        Ok(Shot {
            number: wish.number,
            stamp,
            look: wish.look,
            states,
            trails,
            events,
            problem: problem.map(|problem| printable(&problem.to_string())),
        })
    }

    /// What held during the last second.
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
        // While now is well within what was read, that is enough.
        const EDGE: u64 = AROUND / 4;
        let known = self.around.as_ref().filter(|around| {
            let from = around.from == 0 || around.from + EDGE <= now.step;
            let to = around.to >= self.span.last.step || now.step + EDGE <= around.to;
            around.scan == *scan && from && to && (around.from..=around.to).contains(&now.step)
        });
        if let Some(around) = known {
            return Ok(around.rows.clone());
        }
        // Where many happen at once, fewer steps have as many as anybody looks at; now is always among
        // them.
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

    /// Of a broken recording what is before the damage: the show says elsewhere that it is broken.
    fn rows(&self, scan: &Scan) -> Result<Vec<Batch>, tape::Error> {
        let (mut batches, mut rows) = (Vec::new(), 0);
        self.recording
            .tape()
            .scan_table(scan, &Work::default(), |batch| {
                rows += batch.len();
                batches.push(batch);
                Ok(if rows < ROWS {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                })
            })?;
        Ok(batches)
    }
}
