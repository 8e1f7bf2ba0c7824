//! Follows the file of a live recording.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape::core::Input;
use gametape::core::tape::{self, Secrets, Work};
use gametape::{Error as RecordingError, Recording};
use gametape_capture::tape::{Growing, Piece, RecordKind, Segment, facts};

use super::marks::Marks;
use super::state::{Head, Room};
use super::tail::Batch;
use crate::index::{Entry, SegmentEntry};
use crate::publish::{SEGMENT, name_of, packed, tables_of};
use crate::{Error, Store};

/// The most bytes of records that are sent together.
const TOGETHER: usize = 64 << 10;
/// The most bytes that are kept for viewers who join: a recording that needs more is not followed.
const HELD: usize = 64 << 20;
/// The bytes before each record: its kind and its length.
const RECORD_HEAD: usize = 5;
/// After so long without a message, a message says that nothing has come.
const STILL: Duration = Duration::from_secs(5);
/// The least time between two messages with markers.
const MARKS: Duration = Duration::from_millis(500);

/// Follows a recording, and sends its data to the room.
pub struct Follower {
    room: Arc<Room>,
    growing: Growing,
    outbox: Outbox,
    /// The number of segments when the description was made.
    described: usize,
}

/// Data on the way to the room.
struct Outbox {
    room: Arc<Room>,
    store: Store,
    folder: String,
    batch: Batch,
    labels: Vec<u8>,
    marks: Marks,
    spoke: Instant,
    marked: Instant,
    failed: Option<Error>,
}

impl Follower {
    /// Begins with the current content; returns `None` if the format can't be followed.
    ///
    /// # Errors
    /// As [`Growing::begin`].
    pub fn begin(
        recording: &Recording,
        id: &str,
        secrets: Secrets,
        store: Store,
        work: &Work<'_>,
    ) -> Result<Option<Self>, Error> {
        let of_tape = |error| RecordingError::tape(recording.path())(error);
        let growing = Growing::begin(&**recording.tape(), secrets, work).map_err(of_tape)?;
        let Some(growing) = growing else {
            return Ok(None);
        };
        let description = growing.description().map_err(of_tape)?;
        let header = recording.header(secrets)?.readable();
        let unwritten = |error: serde_json::Error| Error::Io {
            path: recording.path().to_owned(),
            source: error.into(),
        };
        let head = Head {
            entry: Entry {
                id: id.to_owned(),
                name: name_of(recording),
                format: recording.format().name().to_owned(),
                duration_ms: header.duration_ms,
                steps: header.steps,
                verdict: None,
                tables: tables_of(&description),
                live: true,
                details: header.details,
            },
            schema: serde_json::to_value(growing.schema()).map_err(unwritten)?,
        };
        // All facts are published at the end; until then, the known ones are better than none.
        let facts = facts(recording.tape(), secrets, work).unwrap_or_default();
        let room = Arc::new(Room::new(head, description, facts));
        let tables = recording.tape().tables().map_err(of_tape)?;
        let outbox = Outbox {
            room: room.clone(),
            store,
            folder: format!("r/{id}"),
            batch: Batch::default(),
            labels: Vec::new(),
            marks: Marks::new(tables),
            spoke: Instant::now(),
            marked: Instant::now(),
            failed: None,
        };
        Ok(Some(Self {
            room,
            growing,
            outbox,
            described: 0,
        }))
    }

    pub fn room(&self) -> &Arc<Room> {
        &self.room
    }

    /// Sends the new data.
    ///
    /// # Errors
    /// As [`Growing::more`]; [`Error::Full`], [`Error::Io`].
    pub fn more(&mut self, path: &Path) -> Result<(), Error> {
        let input = File::open(path).and_then(Input::file);
        let input = input.map_err(|source| Error::Io {
            path: path.to_owned(),
            source,
        })?;
        let outbox = &mut self.outbox;
        let more = self.growing.more(&input, &mut |piece| outbox.piece(piece));
        outbox.flush();
        if let Some(error) = outbox.failed.take() {
            return Err(error);
        }
        let of_tape = |error| RecordingError::tape(path)(error);
        more.map_err(of_tape)?;
        if self.room.segments() > self.described {
            self.described = self.room.segments();
            let description = self.growing.description().map_err(of_tape)?;
            self.room.describe(description);
        }
        Ok(())
    }

    /// Sends the messages that are due even without new data.
    pub fn rest(&mut self) {
        let outbox = &mut self.outbox;
        if outbox.marked.elapsed() >= MARKS {
            outbox.mark();
        }
        if outbox.spoke.elapsed() >= STILL {
            self.room.still();
            outbox.spoke = Instant::now();
        }
    }

    /// Writes the last state to the store, where it stays until everything is made again.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn keep(&mut self) -> Result<(), Error> {
        self.outbox.mark();
        self.outbox.store_rest()
    }

    /// Tells all viewers that nothing more comes.
    pub fn end(self, why: &str) {
        self.room.end(why);
    }
}

impl Outbox {
    fn piece(&mut self, piece: Piece<'_>) -> Result<(), tape::Error> {
        match piece {
            Piece::Record { kind, bytes, stamp } => {
                if self.batch.records.len() + bytes.len() > TOGETHER {
                    self.flush();
                }
                if self.failed.is_some() {
                    return Err(tape::Error::Cancelled);
                }
                self.batch.records.extend_from_slice(bytes);
                self.batch.counts.take(kind, stamp);
                match kind {
                    RecordKind::Event => {
                        let event = bytes.get(RECORD_HEAD..).unwrap_or_default();
                        self.marks.event(event);
                    }
                    RecordKind::Label => self.labels.extend_from_slice(bytes),
                    RecordKind::Keyframe | RecordKind::Packet => {
                        self.marks.at(stamp.unwrap_or_default());
                    }
                }
                Ok(())
            }
            Piece::Segment(segment) => {
                self.flush();
                self.segment(&segment)
            }
        }
    }

    fn segment(&mut self, segment: &Segment) -> Result<(), tape::Error> {
        match packed(&segment.records, SEGMENT, &self.folder, &mut self.store) {
            Ok(file) => {
                self.room.whole(SegmentEntry::of(file, segment));
                Ok(())
            }
            Err(error) => {
                self.failed = Some(error);
                Err(tape::Error::Cancelled)
            }
        }
    }

    fn flush(&mut self) {
        if self.batch.records.is_empty() {
            return;
        }
        self.room
            .records(std::mem::take(&mut self.batch), &self.labels);
        self.labels.clear();
        self.spoke = Instant::now();
        if self.room.held() > HELD {
            self.failed = Some(Error::Full { limit: HELD as u64 });
        }
    }

    fn mark(&mut self) {
        self.marked = Instant::now();
        if let Some(marks) = self.marks.news(self.room.last()) {
            self.room.marks(marks);
            self.spoke = Instant::now();
        }
    }

    /// Writes the files that were only in memory to the store.
    fn store_rest(&mut self) -> Result<(), Error> {
        let fail = |source| Error::Io {
            path: self.store.path(&self.folder),
            source,
        };
        let (json, files) = self.room.render(false).map_err(fail)?;
        for (name, bytes) in files {
            self.store
                .put_once(&format!("{}/{name}", self.folder), &bytes)?;
        }
        self.store
            .put(&format!("{}/recording.json", self.folder), &json)
    }
}
