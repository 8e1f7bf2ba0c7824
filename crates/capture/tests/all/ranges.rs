//! Bytes in memory, a file that is read at positions, and ranges that other code fetches: all give
//! the same results, and of the latter two no more is read than needed.

use std::cell::{Cell, RefCell};
use std::error::Error as StdError;
use std::fmt::{Debug, Write as _};
use std::io::Write as _;
use std::sync::Arc;

use crate::common::{Counted, SHAPES, capture_of, schema, small, stream};
use gametape_capture::{DeltaFile, Error, Options, Packets, Role, Salvaged, audit, salvage};
use gametape_core::{Fetched, Input, Missing};
use gametape_delta::Snapshot;
use proptest::prelude::*;

/// A recording in another place, with a log of the requests.
struct Elsewhere {
    bytes: Vec<u8>,
    fetched: Arc<Fetched>,
    input: Input,
    asked: RefCell<Vec<Missing>>,
}

impl Elsewhere {
    fn new(bytes: &[u8]) -> Self {
        let fetched = Arc::new(Fetched::new(bytes.len() as u64));
        Self {
            bytes: bytes.to_vec(),
            input: Input::ranges(fetched.clone()),
            fetched,
            asked: RefCell::default(),
        }
    }

    /// Fetches the range that an error requests.
    fn fetch(&self, missing: Missing) {
        let from = missing.offset as usize;
        let range = from..from + missing.length as usize;
        assert!(missing.length > 0 && range.end <= self.bytes.len());
        self.fetched
            .supply(missing.offset, self.bytes[range].to_vec());
        self.asked.borrow_mut().push(missing);
    }

    /// The bytes and requests since the last call.
    fn taken(&self) -> (u64, usize) {
        let asked = self.asked.take();
        (
            asked.iter().map(|missing| missing.length).sum(),
            asked.len(),
        )
    }
}

/// How a recording is accessed.
enum Reached<'a> {
    There(&'a Input),
    Elsewhere(&'a Elsewhere),
}

impl Reached<'_> {
    fn input(&self) -> &Input {
        match self {
            Self::There(input) => input,
            Self::Elsewhere(elsewhere) => &elsewhere.input,
        }
    }

    /// Repeats an operation until nothing is missing.
    fn ask<T, E: StdError + 'static>(
        &self,
        mut what: impl FnMut() -> Result<T, E>,
    ) -> Result<T, E> {
        loop {
            match (what(), self) {
                (Err(error), Self::Elsewhere(elsewhere)) if Missing::of(&error).is_some() => {
                    elsewhere.fetch(Missing::of(&error).unwrap());
                }
                (result, _) => return result,
            }
        }
    }
}

/// A result as a text: equal texts mean equal results.
fn said<T: Debug>(result: Result<T, Error>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("{}: {error}", error.code()),
    }
}

/// Ticks at various distances.
const TICKS: [u32; 8] = [0, 1, 2, 9, 20, 31, 40, u32::MAX];

/// Every operation on a recording of packets.
fn all_of(reached: &Reached<'_>, packets: &Packets<'_>, told: &mut String) {
    for tick in TICKS {
        let state = reached.ask(|| packets.state_at(tick));
        let state = state.map(|state| (state.tick(), state.iter().count(), format!("{state:?}")));
        writeln!(told, "{tick}: {}", said(state)).unwrap();
    }
    let mut cursor = packets.cursor();
    loop {
        // An operation is repeated at the same place: no packet comes twice and none is skipped.
        let next = reached.ask(|| match cursor.next_packet() {
            Ok(packet) => Ok(packet.map(|packet| (format!("{packet:?}"), packet.offset))),
            Err(error) => Err(error),
        });
        let ended = matches!(next, Ok(None));
        writeln!(told, "{}", said(next)).unwrap();
        if ended {
            break;
        }
    }
    writeln!(told, "{}", said(reached.ask(|| audit(packets)))).unwrap();
}

/// The packets that were kept.
type Kept = Vec<(Role, Vec<u8>)>;

fn kept(packets: Packets<'_>) -> Result<(Kept, Salvaged), Error> {
    let mut kept = Vec::new();
    let salvaged = salvage(packets, |packet| {
        kept.push((packet.role, packet.bytes.to_vec()));
        Ok::<_, Error>(())
    })?;
    Ok((kept, salvaged))
}

fn capture_says(reached: &Reached<'_>) -> String {
    let open = || gametape_capture::read(reached.input());
    let capture = match reached.ask(open) {
        Ok(capture) => capture,
        Err(error) => return said::<()>(Err(error)),
    };
    let mut told = format!(
        "{:?} {:?} {:?} {:?} {:?}\n",
        capture.ending(),
        capture.ticks(),
        capture.counts(),
        capture.chunks(),
        capture.problem().map(|problem| problem.to_string()),
    );
    let packets = Packets::Capture(Box::new(capture));
    all_of(reached, &packets, &mut told);
    if let Packets::Capture(capture) = &packets {
        let keyframes = said(reached.ask(|| capture.keyframes()));
        writeln!(told, "{keyframes}").unwrap();
    }
    let salvaged = reached.ask(|| kept(Packets::Capture(Box::new(open()?))));
    told + &said(salvaged)
}

fn delta_says(reached: &Reached<'_>) -> String {
    let open = || Packets::Delta(DeltaFile::new(reached.input(), schema()));
    let mut told = String::new();
    all_of(reached, &open(), &mut told);
    told + &said(reached.ask(|| kept(open())))
}

/// The result is the same for every kind of access.
fn agree(bytes: &[u8], says: impl Fn(&Reached<'_>) -> String) -> Result<(), TestCaseError> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let expected = says(&Reached::There(&bytes.to_vec().into()));
    let of_file = says(&Reached::There(&Input::file(file).unwrap()));
    prop_assert_eq!(&expected, &of_file);
    let fetched = says(&Reached::Elsewhere(&Elsewhere::new(bytes)));
    prop_assert_eq!(&expected, &fetched);
    Ok(())
}

/// A capture of many chunks, and its states.
fn recorded(ticks: u32, entities: u32) -> (Vec<u8>, Vec<Snapshot>) {
    let (packets, states) = stream(ticks, entities, 1000, 2);
    let options = Options {
        keyframe_every: Some(25),
        chunk_bytes: 8 << 10,
        ..Options::default()
    };
    (capture_of(&packets, options), states)
}

#[test]
fn a_capture_that_lies_elsewhere_is_read_by_its_summary_and_the_chunks_that_are_needed() {
    let (bytes, states) = recorded(1500, 120);
    let size = bytes.len() as u64;
    let elsewhere = Elsewhere::new(&bytes);
    let reached = Reached::Elsewhere(&elsewhere);
    let there = gametape_capture::read(&bytes).unwrap();
    let capture = reached
        .ask(|| gametape_capture::read(reached.input()))
        .unwrap();
    assert!(there.chunks().len() > 100, "{}", there.chunks().len());
    assert_eq!(capture.chunks(), there.chunks());
    assert_eq!(capture.ticks(), Some((1, 1500)));
    assert_eq!(capture.counted(Role::Delta), there.counted(Role::Delta));
    let (opened, requests) = elsewhere.taken();
    assert!(opened * 10 < size, "{opened} of {size} bytes to open");
    assert!(requests <= 3, "{requests} requests to open");

    for tick in [700, 1499, 1] {
        let state = reached.ask(|| capture.state_at(tick)).unwrap();
        assert_eq!(state, states[tick as usize - 1]);
        let (read, requests) = elsewhere.taken();
        assert!(read * 20 < size, "{read} of {size} bytes for tick {tick}");
        assert!(requests <= 12, "{requests} requests for tick {tick}");
    }
    // Data that was already fetched is not requested again.
    reached.ask(|| capture.state_at(701)).unwrap();
    assert_eq!(elsewhere.taken(), (0, 0));
}

/// The headers of all packets decide which states are needed again. So a capture is read twice,
/// plus a little for the heads of records, the head of the file and its summary. In a capture that
/// was cut off, the heads of the records are read when it is opened.
#[test]
fn an_audit_reads_a_capture_twice_and_mending_it_takes_three_passes() {
    let (packets, _) = stream(1500, 400, 1000, 2);
    let options = Options {
        keyframe_every: Some(25),
        ..Options::default()
    };
    let bytes = capture_of(&packets, options);
    for cut in [bytes.len(), bytes.len() - bytes.len() / 20] {
        let counted = Counted::new(bytes[..cut].to_vec());
        let input = Input::at(counted.clone()).unwrap();
        let times = || counted.taken() as f64 / cut as f64;
        let capture = gametape_capture::read(&input).unwrap();
        assert!(capture.chunks().len() > 20, "{}", capture.chunks().len());
        let to_open = times();
        let packets = Packets::Capture(Box::new(capture));
        audit(&packets).unwrap();
        let to_check = times();
        assert!(to_open < 0.2, "{to_open} times to open");
        assert!(to_check < 2.2, "{to_check} times to check");
        kept(packets).unwrap();
        let to_mend = times();
        assert!(to_mend < 3.5, "{to_mend} times to mend");
    }
}

#[test]
fn going_through_a_capture_that_lies_elsewhere_asks_for_one_chunk_after_the_other() {
    let (bytes, _) = recorded(600, 120);
    let elsewhere = Elsewhere::new(&bytes);
    let reached = Reached::Elsewhere(&elsewhere);
    let capture = reached
        .ask(|| gametape_capture::read(reached.input()))
        .unwrap();
    let largest = capture.chunks().windows(2).map(|two| two[1].at - two[0].at);
    let largest = largest.max().unwrap();
    elsewhere.taken();
    let mut cursor = capture.packets();
    let there = gametape_capture::read(&bytes).unwrap();
    let mut expected = there.packets();
    loop {
        let next = reached.ask(|| {
            let packet = cursor.next_packet()?;
            let packet = packet.map(|packet| (packet.bytes.to_vec(), packet.index));
            Ok::<_, Error>(packet)
        });
        let wanted = expected.next_packet().unwrap();
        let wanted = wanted.map(|packet| (packet.bytes.to_vec(), packet.index));
        assert_eq!(next.unwrap(), wanted);
        if wanted.is_none() {
            break;
        }
    }
    let asked = elsewhere.asked.borrow();
    assert!(asked.len() <= capture.chunks().len(), "{}", asked.len());
    assert!(asked.is_sorted_by_key(|missing| missing.offset));
    assert!(asked.iter().all(|missing| missing.length <= largest));
}

#[test]
fn a_capture_that_was_cut_is_walked_from_record_to_record() {
    let (packets, states) = stream(300, 400, 1000, 1);
    let options = Options {
        chunk_bytes: 64 << 10,
        keyframe_every: Some(10),
        ..Options::default()
    };
    let bytes = capture_of(&packets, options);
    let cut = &bytes[..bytes.len() - bytes.len() / 20];
    let elsewhere = Elsewhere::new(cut);
    let reached = Reached::Elsewhere(&elsewhere);
    let capture = reached
        .ask(|| gametape_capture::read(reached.input()))
        .unwrap();
    let there = gametape_capture::read(cut).unwrap();
    assert_eq!(capture.ending(), there.ending());
    assert_eq!(capture.chunks(), there.chunks());
    // The capture is reopened for each missing range; no range is requested twice.
    let mut asked = elsewhere.asked.borrow().clone();
    asked.sort_by_key(|missing| missing.offset);
    let apart = |a: &Missing, b: &Missing| a.offset + a.length <= b.offset;
    assert!(asked.is_sorted_by(apart), "{asked:?}");
    let (opened, _) = elsewhere.taken();
    assert!(opened < cut.len() as u64 / 2, "{opened} of {}", cut.len());
    let state = reached.ask(|| capture.state_at(100)).unwrap();
    assert_eq!(state, states[99]);
}

#[test]
fn every_prefix_says_the_same_wherever_it_lies() {
    let (packets, _) = stream(12, 3, 8, 2);
    let options = Options {
        keyframe_every: Some(3),
        ..small()
    };
    let bytes = capture_of(&packets, options);
    for cut in 0..=bytes.len() {
        agree(&bytes[..cut], capture_says).unwrap();
    }
    let file = packets.concat();
    for cut in 0..=file.len() {
        agree(&file[..cut], delta_says).unwrap();
    }
}

/// Each operation that fails is repeated once, and then gives its normal result.
#[test]
fn whoever_gets_an_error_may_go_on_with_what_was_missing() {
    for (full_every, lag, keyframe_every) in SHAPES {
        let (packets, _) = stream(40, 4, full_every, lag);
        let options = Options {
            keyframe_every,
            ..small()
        };
        agree(&capture_of(&packets, options), capture_says).unwrap();
        agree(&packets.concat(), delta_says).unwrap();
    }
}

/// An error of the source is not mistaken for damage of the recording.
#[test]
fn what_can_not_be_read_is_never_a_finding() {
    let (packets, _) = stream(40, 4, 9, 1);
    let bytes = capture_of(&packets, small());
    let count = Cell::new(0);
    for there in 0..bytes.len() / 100 {
        let elsewhere = Elsewhere::new(&bytes);
        elsewhere.fetched.supply(0, bytes[..there * 100].to_vec());
        let tail = bytes.len() - 4000.min(bytes.len());
        elsewhere
            .fetched
            .supply(tail as u64, bytes[tail..].to_vec());
        let Ok(capture) = gametape_capture::read(&elsewhere.input) else {
            continue;
        };
        count.set(count.get() + 1);
        let packets = Packets::Capture(Box::new(capture));
        let all_there = there * 100 >= tail;
        assert_eq!(audit(&packets).is_ok(), all_there, "{there}");
        assert_eq!(packets.replay().is_ok(), all_there, "{there}");
        assert_eq!(kept(packets).is_ok(), all_there, "{there}");
    }
    assert!(count.get() > 10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn damaged_recordings_say_the_same_wherever_they_lie(
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), 1..=255_u8), 0..6),
        cut: proptest::sample::Index,
        lag in 1..4_u32,
    ) {
        let (packets, _) = stream(40, 4, 15, lag);
        let options = Options { keyframe_every: Some(6), ..small() };
        for is_capture in [true, false] {
            let mut bytes = if is_capture {
                capture_of(&packets, options)
            } else {
                packets.concat()
            };
            for (at, value) in &flips {
                let at = at.index(bytes.len());
                bytes[at] ^= value;
            }
            if cut.index(3) == 0 {
                bytes.truncate(cut.index(bytes.len()) + 1);
            }
            agree(&bytes, if is_capture { capture_says } else { delta_says })?;
        }
    }
}
