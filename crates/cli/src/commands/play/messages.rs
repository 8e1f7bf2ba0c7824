//! The messages between the player and the threads that read the recording for it: requests go through
//! an [`Inbox`], answers come back as [`Update`]s.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use gametape::core::surface::Marker;
use gametape::core::table::Span;
use gametape::{AnyFinding, At, Batch, Scan, Stamp, TableDef};

use gametape_picture::scene::range::Bounds;

/// The state that the player wants to show next. Only the newest request counts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Request {
    /// The number of the request; its response has the same.
    pub number: u64,
    /// The moment to seek.
    pub to: Option<At>,
    /// The number of steps to go from there; negative to go back.
    pub steps: i64,
    /// The rows to read there.
    pub query: Query,
}

/// The rows that a view needs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Query {
    /// The state of tables.
    pub states: Vec<Scan>,
    /// Whether the same tables are read over the last second, too.
    pub trail: bool,
    /// The events around the moment.
    pub events: Option<Scan>,
}

impl Request {
    /// Merges a request with an earlier one that was not begun: steps add up.
    pub fn after(mut self, before: &Self) -> Self {
        if self.to.is_none() {
            self.to = before.to;
            self.steps += before.steps;
        }
        self
    }
}

/// The rows that were read at a moment.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Response {
    /// The number of the request.
    pub number: u64,
    pub stamp: Stamp,
    pub query: Query,
    /// In the order of the query.
    pub states: Vec<Batch>,
    /// The earlier rows of each state, the oldest first.
    pub trails: Vec<Vec<Batch>>,
    pub events: Vec<Batch>,
    /// A problem of the playback, such as a replay that differs from the recording.
    pub problem: Option<String>,
}

impl Response {
    /// The state of a table.
    pub fn state(&self, table: &str) -> Option<&Batch> {
        let at = self
            .query
            .states
            .iter()
            .position(|scan| scan.table == table);
        self.states.get(at?)
    }
}

/// The recording, once it is open.
#[derive(Clone, PartialEq, Debug)]
pub struct Opened {
    pub path: String,
    /// `rmv v2`
    pub format: String,
    /// The name of a step.
    pub step: &'static str,
    /// The moment to start with.
    pub at: Option<At>,
    pub span: Span,
    pub tables: Vec<TableDef>,
}

/// A message to the player.
pub enum Update {
    Opened(Box<Opened>),
    /// The answer to a request.
    Response(Box<Response>),
    /// A request that failed: its number, and the reason.
    Refused(u64, String),
    /// All rows of a short table of events.
    Events(String, Vec<Batch>),
    Marks(Vec<Marker>),
    /// The bounds of the positions in a table.
    Bounds(String, Bounds),
    /// The last markers: the search is over.
    Findings(Vec<Marker>),
    /// The damage of the recording.
    Damage(String),
    /// The recording can't be shown.
    Failed(Box<gametape::Error>),
    /// The recording has nothing to show.
    Nothing(String),
}

/// The inbox of the reader. The player puts requests here.
#[derive(Default)]
pub struct Inbox {
    work: Mutex<Work>,
    bell: Condvar,
}

/// Work for the reader.
#[derive(Default)]
pub struct Work {
    pub request: Option<Request>,
    /// All findings; their stamps are yet to be looked up.
    pub findings: Option<Vec<AnyFinding>>,
}

impl Inbox {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a request in the place of one that was not begun.
    pub fn request(&self, request: Request) {
        let mut work = self.work();
        work.request = Some(match work.request.take() {
            Some(before) => request.after(&before),
            None => request,
        });
        self.bell.notify_one();
    }

    /// Puts the findings of the search.
    pub fn mark(&self, findings: Vec<AnyFinding>) {
        self.work().findings = Some(findings);
        self.bell.notify_one();
    }

    /// Waits for work and takes it.
    pub fn next(&self) -> Work {
        let work = self.work();
        let idle = |work: &mut Work| work.request.is_none() && work.findings.is_none();
        let work = self.bell.wait_while(work, idle);
        std::mem::take(&mut *work.unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_wish_counts_and_steps_add_up() {
        let inbox = Inbox::default();
        let request = |number, to, steps| Request {
            number,
            to,
            steps,
            ..Request::default()
        };
        inbox.request(request(1, Some(At::Step(3)), 0));
        inbox.request(request(2, Some(At::Step(9)), 0));
        inbox.request(request(3, None, 1));
        inbox.request(request(4, None, 1));
        assert_eq!(inbox.next().request, Some(request(4, Some(At::Step(9)), 2)));
        inbox.request(request(5, None, -1));
        assert_eq!(inbox.next().request, Some(request(5, None, -1)));
    }
}
