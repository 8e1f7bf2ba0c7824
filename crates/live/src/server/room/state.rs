//! A live recording: its content so far, and the messages to its viewers.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::ws::Message;
use gametape::core::Stamp;
use gametape_capture::tape::Moment;
use serde_json::{Value as Json, json};
use tokio::sync::broadcast;

use super::tail::{Batch, Tail};
use crate::index::{Entry, Index, Mark, SegmentEntry, VERSION};
use crate::publish::{LABELS, SEGMENT, pack};

/// The most messages that may wait for a viewer. A viewer that is slower is disconnected.
const WAITING: usize = 128;
/// The least time between two versions of `recording.json`.
const SOONEST: Duration = Duration::from_millis(500);
/// The number of files with the unfinished segment and with labels that are kept.
const PARTIAL: usize = 6;
/// A client that asked within this time counts as a viewer.
const LATELY: Duration = Duration::from_secs(10);

/// Files, by their names.
type Files = Vec<(String, Vec<u8>)>;

/// The parts of the description that do not change while a recording grows.
#[derive(Debug)]
pub struct Head {
    pub entry: Entry,
    pub schema: Json,
}

/// The content so far.
#[derive(Debug)]
struct Current {
    whole: Vec<SegmentEntry>,
    tail: Tail,
    /// Records of all labels.
    labels: Vec<u8>,
    marks: Vec<Mark>,
    last: Option<Stamp>,
    description: Json,
    /// Counts the changes.
    version: u64,
    /// Sends to the viewers; `None` when the recording has ended.
    sender: Option<broadcast::Sender<Message>>,
}

/// Files that are only in memory, because others will replace them soon.
#[derive(Default, Debug)]
struct Partial(VecDeque<(String, Bytes)>);

/// A version of `recording.json`.
#[derive(Debug)]
struct CachedIndex {
    version: u64,
    at: Instant,
    json: Bytes,
}

/// A live recording and its viewers.
#[derive(Debug)]
pub struct Room {
    head: Head,
    now: Mutex<Current>,
    cached: Mutex<Option<CachedIndex>>,
    partial: Mutex<Partial>,
    asked: Mutex<Instant>,
}

/// The first messages for a viewer that joins, and the receiver of the others.
pub struct Joined {
    pub first: Vec<Message>,
    pub rest: broadcast::Receiver<Message>,
}

/// Locks a mutex; a poisoned lock still has its last content.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn text(json: &Json) -> Message {
    Message::text(json.to_string())
}

fn ended(why: &str) -> Message {
    text(&json!({ "kind": "end", "why": why }))
}

impl Room {
    pub fn new(head: Head, description: Json, facts: Vec<u8>) -> Self {
        Self {
            head,
            now: Mutex::new(Current {
                whole: Vec::new(),
                tail: Tail::default(),
                labels: facts,
                marks: Vec::new(),
                last: None,
                description,
                version: 0,
                sender: Some(broadcast::Sender::new(WAITING)),
            }),
            cached: Mutex::new(None),
            partial: Mutex::default(),
            asked: Mutex::new(Instant::now()),
        }
    }

    /// Returns whether there are viewers, or a client has asked recently.
    pub fn is_watched(&self) -> bool {
        let sender = &locked(&self.now).sender;
        let hears = sender
            .as_ref()
            .is_some_and(|sender| sender.receiver_count() > 0);
        hears || self.unasked() < LATELY
    }

    /// Returns the time since the last request.
    pub fn unasked(&self) -> Duration {
        locked(&self.asked).elapsed()
    }

    /// Returns whether the recording has no state yet.
    pub fn is_empty(&self) -> bool {
        self.last().is_none()
    }

    /// Sets the description of the tables.
    pub fn describe(&self, description: Json) {
        locked(&self.now).description = description;
    }

    pub fn segments(&self) -> usize {
        locked(&self.now).whole.len()
    }

    pub fn last(&self) -> Option<Stamp> {
        locked(&self.now).last
    }

    /// Returns the size of the finished segments.
    pub fn bytes(&self) -> u64 {
        let now = locked(&self.now);
        now.whole.iter().map(|segment| segment.file.bytes).sum()
    }

    /// Returns the size of the data in memory.
    pub fn held(&self) -> usize {
        let now = locked(&self.now);
        now.tail.bytes() + now.labels.len()
    }

    /// Adds records to the unfinished segment, and sends them.
    pub fn records(&self, batch: Batch, labels: &[u8]) {
        let mut now = locked(&self.now);
        let message = Bytes::from(batch.records);
        now.version += 1;
        now.last = batch.counts.to.or(now.last);
        now.labels.extend_from_slice(labels);
        now.tail.push(message.clone(), batch.counts);
        now.tell(Message::Binary(message));
    }

    /// Takes note that the unfinished segment is complete, and can be fetched.
    pub fn whole(&self, segment: SegmentEntry) {
        let message = text(&json!({ "kind": "segment", "segment": segment }));
        let mut now = locked(&self.now);
        now.version += 1;
        now.whole.push(segment);
        now.tail = Tail::default();
        now.tell(message);
    }

    /// Sets the markers, and sends those that have changed.
    pub fn marks(&self, marks: Vec<Mark>) {
        let mut now = locked(&self.now);
        let both = now.marks.iter().zip(&marks);
        let keep = both.take_while(|(before, now)| before == now).count();
        let others = marks.get(keep..).unwrap_or_default();
        let message = text(&json!({ "kind": "marked", "keep": keep, "markers": others }));
        now.version += 1;
        now.marks = marks;
        now.tell(message);
    }

    /// Sends a message that nothing has come.
    pub fn still(&self) {
        locked(&self.now).tell(text(&json!({ "kind": "still" })));
    }

    /// Sends a message that nothing more will come.
    pub fn end(&self, why: &str) {
        let mut now = locked(&self.now);
        now.version += 1;
        now.tell(ended(why));
        now.sender = None;
    }

    /// Joins a viewer that has all segments up to `after`.
    pub fn join(&self, after: Option<&str>) -> Joined {
        *locked(&self.asked) = Instant::now();
        let mut now = locked(&self.now);
        let Some(sender) = &now.sender else {
            // The recording ended while the viewer connected.
            let (_, rest) = broadcast::channel(1);
            return Joined {
                first: vec![ended("the recording is done")],
                rest,
            };
        };
        let rest = sender.subscribe();
        let known = after.and_then(|after| {
            let mut whole = now.whole.iter();
            whole.rposition(|segment| segment.file.file == after)
        });
        let keep = known.map_or(0, |at| at + 1);
        let segments = now.whole.get(keep..).unwrap_or_default();
        let begin = json!({
            "kind": "begin",
            "version": VERSION,
            "keep": keep,
            "segments": segments,
        });
        let mut first = vec![text(&begin)];
        if !now.marks.is_empty() {
            first.push(text(&json!({ "kind": "markers", "markers": now.marks })));
        }
        first.extend(now.tail.messages().into_iter().map(Message::Binary));
        Joined { first, rest }
    }

    /// Returns the entry in the list.
    pub fn entry(&self) -> Entry {
        locked(&self.now).entry(&self.head)
    }

    /// Returns a file that is only in memory.
    pub fn file(&self, name: &str) -> Option<Bytes> {
        locked(&self.partial).get(name)
    }

    /// Returns `recording.json`, which may be a moment old.
    ///
    /// # Errors
    /// The error of compressing.
    pub fn index(&self) -> io::Result<Bytes> {
        *locked(&self.asked) = Instant::now();
        let mut cached = locked(&self.cached);
        let version = locked(&self.now).version;
        if let Some(cached) = &*cached
            && (cached.version == version || cached.at.elapsed() < SOONEST)
        {
            return Ok(cached.json.clone());
        }
        let (json, files) = self.render(true)?;
        locked(&self.partial).put(files);
        let json = Bytes::from(json);
        *cached = Some(CachedIndex {
            version,
            at: Instant::now(),
            json: json.clone(),
        });
        Ok(json)
    }

    /// Returns the current `recording.json`, and the files that it names and that are in no store.
    pub fn render(&self, socket: bool) -> io::Result<(Vec<u8>, Files)> {
        let (mut index, tail, labels) = {
            let mut now = locked(&self.now);
            let index = Index {
                version: VERSION,
                entry: now.entry(&self.head),
                socket: socket.then(|| "live".to_owned()),
                summary: String::new(),
                schema: self.head.schema.clone(),
                description: now.described(),
                markers: now.marks.clone(),
                findings: Vec::new(),
                labels: crate::File::default(),
                segments: now.whole.clone(),
                lost: Vec::new(),
                notes: Vec::new(),
            };
            let counts = now.tail.counts();
            let tail = counts.from.zip(counts.to);
            // A full snapshot alone contains nothing new.
            let packets = counts.packets + u64::from(now.whole.is_empty());
            let tail = tail.filter(|_| packets + counts.events > 0);
            let tail = tail.map(|(from, to)| {
                let entry = SegmentEntry {
                    file: crate::File::default(),
                    packets,
                    events: counts.events,
                    from: from.into(),
                    to: to.into(),
                };
                (entry, now.tail.messages())
            });
            (index, tail, now.labels.clone())
        };
        // No lock is held while this is compressed.
        let (file, bytes) = pack(&labels, LABELS)?;
        let mut files = vec![(file.file.clone(), bytes)];
        index.labels = file;
        if let Some((mut entry, messages)) = tail {
            let (file, bytes) = pack(&messages.concat(), SEGMENT)?;
            files.push((file.file.clone(), bytes));
            entry.file = file;
            index.segments.push(entry);
        }
        let json = serde_json::to_vec(&index).map_err(io::Error::other)?;
        Ok((json, files))
    }
}

impl Partial {
    /// Adds files; those that are named again become the newest.
    fn put(&mut self, files: Files) {
        for (name, bytes) in files {
            self.0.retain(|(there, _)| *there != name);
            self.0.push_back((name, bytes.into()));
        }
        let old = self.0.len().saturating_sub(PARTIAL);
        self.0.drain(..old);
    }

    fn get(&self, name: &str) -> Option<Bytes> {
        let found = self.0.iter().find(|(file, _)| file == name);
        found.map(|(_, bytes)| bytes.clone())
    }
}

impl Current {
    /// Returns the description with the current clocks and span: it may have been made before the first row
    /// came.
    fn described(&self) -> Json {
        let mut description = self.description.clone();
        let first = self.whole.first().map(|segment| segment.from);
        let first = first.or_else(|| self.tail.counts().from.map(Moment::from));
        let last = self.last.map(Moment::from);
        let of = description.get_mut("made_of").and_then(Json::as_object_mut);
        if let (Some(of), Some(first), Some(last)) = (of, first, last) {
            of.insert("ticks".to_owned(), last.tick.is_some().into());
            of.insert("times".to_owned(), last.time_ns.is_some().into());
            of.insert("first".to_owned(), json!(first));
            of.insert("last".to_owned(), json!(last));
        }
        description
    }

    fn tell(&self, message: Message) {
        if let Some(sender) = &self.sender {
            // There may be no viewer.
            let _ = sender.send(message);
        }
    }

    fn entry(&self, head: &Head) -> Entry {
        let mut entry = head.entry.clone();
        if let Some(last) = self.last {
            entry.steps = Some(last.step.saturating_add(1));
            if let Some(time) = last.time {
                entry.duration_ms = u64::try_from(time.0 / 1_000_000).ok();
            }
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_named_again_and_again_are_kept() {
        let mut partial = Partial::default();
        for at in 0..40_u8 {
            let tail = format!("{at}.seg");
            partial.put(vec![
                ("same.lab".to_owned(), vec![7]),
                (tail.clone(), vec![at]),
            ]);
            assert_eq!(partial.get("same.lab").as_deref(), Some(&[7][..]), "{at}");
            assert_eq!(partial.get(&tail).as_deref(), Some(&[at][..]));
        }
        assert!(partial.get("1.seg").is_none());
        assert_eq!(partial.0.len(), PARTIAL);
    }
}
