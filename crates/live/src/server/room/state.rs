//! A recording that is being written: what there is of it, and who hears of it.

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

/// Messages that may be waiting for one who watches. Whoever is further behind is told so.
const WAITING: usize = 128;
/// What is said of the recording is made no sooner again.
const SOONEST: Duration = Duration::from_millis(500);
/// Files with the segment in the making, and with labels, that can still be had.
const PARTIAL: usize = 6;
/// Somebody who asked so lately watches.
const LATELY: Duration = Duration::from_secs(10);

/// Files, by their names.
type Files = Vec<(String, Vec<u8>)>;

/// What does not change while a recording grows.
#[derive(Debug)]
pub struct Head {
    pub entry: Entry,
    pub schema: Json,
}

/// What there is at the moment.
#[derive(Debug)]
struct Now {
    whole: Vec<SegmentEntry>,
    tail: Tail,
    /// Records of all labels.
    labels: Vec<u8>,
    marks: Vec<Mark>,
    last: Option<Stamp>,
    description: Json,
    /// Counts what happens.
    turn: u64,
    /// Tells who watches; gone when the recording is at its end.
    told: Option<broadcast::Sender<Message>>,
}

/// Files that are in no store: they are others in a moment.
#[derive(Default, Debug)]
struct Partial(VecDeque<(String, Bytes)>);

/// What was said of the recording, as it was then.
#[derive(Debug)]
struct Said {
    turn: u64,
    at: Instant,
    json: Bytes,
}

/// A recording that is being written.
#[derive(Debug)]
pub struct Room {
    head: Head,
    now: Mutex<Now>,
    said: Mutex<Option<Said>>,
    partial: Mutex<Partial>,
    asked: Mutex<Instant>,
}

/// What whoever comes is told first, and where they hear the rest.
pub struct Joined {
    pub first: Vec<Message>,
    pub rest: broadcast::Receiver<Message>,
}

/// A poisoned lock holds what was there before.
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
            now: Mutex::new(Now {
                whole: Vec::new(),
                tail: Tail::default(),
                labels: facts,
                marks: Vec::new(),
                last: None,
                description,
                turn: 0,
                told: Some(broadcast::Sender::new(WAITING)),
            }),
            said: Mutex::new(None),
            partial: Mutex::default(),
            asked: Mutex::new(Instant::now()),
        }
    }

    /// Whether somebody hears what is told, or has asked lately.
    pub fn is_watched(&self) -> bool {
        let told = &locked(&self.now).told;
        let hears = told.as_ref().is_some_and(|told| told.receiver_count() > 0);
        hears || self.unasked() < LATELY
    }

    /// How long nobody has watched or asked.
    pub fn unasked(&self) -> Duration {
        locked(&self.asked).elapsed()
    }

    /// Whether there is no state in it yet.
    pub fn is_empty(&self) -> bool {
        self.last().is_none()
    }

    /// What is known of its tables by now.
    pub fn describe(&self, description: Json) {
        locked(&self.now).description = description;
    }

    pub fn segments(&self) -> usize {
        locked(&self.now).whole.len()
    }

    pub fn last(&self) -> Option<Stamp> {
        locked(&self.now).last
    }

    /// Bytes of its segments.
    pub fn bytes(&self) -> u64 {
        let now = locked(&self.now);
        now.whole.iter().map(|segment| segment.file.bytes).sum()
    }

    /// Bytes of what is in memory.
    pub fn held(&self) -> usize {
        let now = locked(&self.now);
        now.tail.bytes() + now.labels.len()
    }

    /// Tells records of the segment in the making.
    pub fn records(&self, batch: Batch, labels: &[u8]) {
        let mut now = locked(&self.now);
        let message = Bytes::from(batch.records);
        now.turn += 1;
        now.last = batch.counts.to.or(now.last);
        now.labels.extend_from_slice(labels);
        now.tail.push(message.clone(), batch.counts);
        now.tell(Message::Binary(message));
    }

    /// The segment in the making is whole, and can be fetched.
    pub fn whole(&self, segment: SegmentEntry) {
        let message = text(&json!({ "kind": "segment", "segment": segment }));
        let mut now = locked(&self.now);
        now.turn += 1;
        now.whole.push(segment);
        now.tail = Tail::default();
        now.tell(message);
    }

    /// The moments worth going to are these now: those that are others than before are told.
    pub fn marks(&self, marks: Vec<Mark>) {
        let mut now = locked(&self.now);
        let both = now.marks.iter().zip(&marks);
        let keep = both.take_while(|(before, now)| before == now).count();
        let others = marks.get(keep..).unwrap_or_default();
        let message = text(&json!({ "kind": "marked", "keep": keep, "markers": others }));
        now.turn += 1;
        now.marks = marks;
        now.tell(message);
    }

    pub fn still(&self) {
        locked(&self.now).tell(text(&json!({ "kind": "still" })));
    }

    /// Nothing more will come.
    pub fn end(&self, why: &str) {
        let mut now = locked(&self.now);
        now.turn += 1;
        now.tell(ended(why));
        now.told = None;
    }

    /// What whoever has all up to this segment is told first.
    pub fn join(&self, after: Option<&str>) -> Joined {
        *locked(&self.asked) = Instant::now();
        let mut now = locked(&self.now);
        let Some(told) = &now.told else {
            // It ended while they were on their way.
            let (_, rest) = broadcast::channel(1);
            return Joined {
                first: vec![ended("the recording is done")],
                rest,
            };
        };
        let rest = told.subscribe();
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

    /// What the library says of it.
    pub fn entry(&self) -> Entry {
        locked(&self.now).entry(&self.head)
    }

    /// A file that is in no store.
    pub fn file(&self, name: &str) -> Option<Bytes> {
        locked(&self.partial).get(name)
    }

    /// `recording.json`, as of a moment ago.
    ///
    /// # Errors
    /// What packing says.
    pub fn index(&self) -> io::Result<Bytes> {
        *locked(&self.asked) = Instant::now();
        let mut said = locked(&self.said);
        let turn = locked(&self.now).turn;
        if let Some(said) = &*said
            && (said.turn == turn || said.at.elapsed() < SOONEST)
        {
            return Ok(said.json.clone());
        }
        let (json, files) = self.say(true)?;
        locked(&self.partial).put(files);
        let json = Bytes::from(json);
        *said = Some(Said {
            turn,
            at: Instant::now(),
            json: json.clone(),
        });
        Ok(json)
    }

    /// `recording.json` as it is now, and the files that it speaks of and no store has.
    pub fn say(&self, socket: bool) -> io::Result<(Vec<u8>, Files)> {
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
            // The full snapshot alone says nothing new.
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
        // Nobody else waits while it is packed.
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
    /// What is spoken of now goes last, whether it is new or not.
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

impl Now {
    /// The description, with its clocks and how far it goes by now: it may have been made before the
    /// first row was there.
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
        if let Some(told) = &self.told {
            // It may be that nobody hears it.
            let _ = told.send(message);
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
    fn what_is_spoken_of_again_and_again_can_be_had_each_time() {
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
