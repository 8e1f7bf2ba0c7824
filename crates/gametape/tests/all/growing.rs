//! Recordings of any format that are being written: reading them as they grow gives the same as
//! reading the whole, and so does the stream made from them.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use gametape::capture::tape::{Growing, Piece, RecordKind, Segment, Segmented, segments};
use gametape::capture::{Options as CaptureOptions, Writer};
use gametape::core::Input;
use gametape::core::table::kit;
use gametape::core::tape::{Error, OptionValue, Options, Secrets, Source, Tape, Work};
use gametape::delta::{Encoder, Snapshot};
use gametape::echo::{Frame, Game, butter, echoreplay};
use gametape_samples::delta::Arena;
use gametape_samples::echo::{Match, MatchOptions};
use proptest::prelude::*;

use crate::known::samples;

/// The output for a recording, and the records of the current segment.
#[derive(Default)]
struct Kept {
    segments: Vec<Segment>,
    records: Vec<u8>,
    packets: u64,
}

impl Kept {
    #[allow(clippy::unnecessary_wraps)] // As who takes pieces does.
    fn piece(&mut self, piece: Piece<'_>) -> Result<(), Error> {
        match piece {
            Piece::Record { kind, bytes, .. } => {
                let begins = kind == RecordKind::Keyframe && self.records.is_empty();
                let first = begins && self.segments.is_empty();
                self.packets += u64::from(first || kind == RecordKind::Packet);
                self.records.extend_from_slice(bytes);
            }
            Piece::Segment(segment) => {
                assert!(std::mem::take(&mut self.records) == segment.records);
                self.segments.push(segment);
            }
        }
        Ok(())
    }
}

/// Opens the available part of a recording.
fn open(format: &str, input: Input) -> Option<Arc<dyn Tape>> {
    let mut options = Options::new();
    if format == "delta" {
        let (path, bytes) = (
            PathBuf::from("schema.json"),
            serde_json::to_vec(&Arena::schema()).unwrap(),
        );
        options.set("schema", OptionValue::File { path, bytes });
    }
    let formats = gametape::formats();
    let format = formats.get(format)?;
    let source = Source {
        options,
        ..Source::new(input)
    };
    format.open(source).ok()
}

fn whole(format: &str, bytes: &[u8]) -> (Vec<Segment>, Segmented) {
    let tape = open(format, Input::from(bytes.to_vec())).unwrap();
    let mut all = Vec::new();
    let mut keep = |segment| {
        all.push(segment);
        Ok(())
    };
    let work = Work::default();
    let made = segments(&tape, Secrets::Hide, true, &mut keep, &work).unwrap();
    (all, made)
}

/// Starts with the first piece that can be opened.
fn begun(format: &str, bytes: &[u8], cuts: &[usize]) -> Option<(Growing, usize)> {
    let begin = |(at, cut): (usize, &usize)| {
        let tape = open(format, Input::from(bytes[..*cut].to_vec()))?;
        let growing = Growing::begin(&*tape, Secrets::Hide, &Work::default());
        Some((growing.ok()??, at))
    };
    cuts.iter().enumerate().find_map(begin)
}

/// Converts a recording as it grows; returns false if it cannot be started.
fn grows(format: &str, bytes: &[u8], cuts: &[usize]) -> bool {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.push(bytes.len());
    cuts.sort_unstable();
    let Some((mut growing, first)) = begun(format, bytes, &cuts) else {
        return false;
    };
    let schema = growing.schema().hash();
    let mut kept = Kept::default();
    for cut in &cuts[first..] {
        let now = Input::from(bytes[..*cut].to_vec());
        growing.more(&now, &mut |piece| kept.piece(piece)).unwrap();
    }
    let all = Input::from(bytes.to_vec());
    let made = growing.end(&all, &mut |piece| kept.piece(piece)).unwrap();
    let (segments, wanted) = whole(format, bytes);
    assert_eq!(kept.segments.len(), segments.len(), "{format}");
    for (at, (found, wanted)) in kept.segments.iter().zip(&segments).enumerate() {
        assert!(found == wanted, "segment {at} of {}", segments.len());
    }
    assert_eq!((made.schema.hash(), schema), (wanted.schema.hash(), schema));
    assert_eq!(made.description, wanted.description);
    assert!(made.labels == wanted.labels);
    let said =
        |made: &Segmented| -> Vec<String> { made.doubts.iter().map(ToString::to_string).collect() };
    assert_eq!(said(&made), said(&wanted));
    assert_eq!(made.outcome.losses, wanted.outcome.losses);
    assert_eq!(made.outcome.notes, wanted.outcome.notes);
    true
}

fn lines(frames: &[Frame]) -> Vec<u8> {
    let mut text = echoreplay::Writer::new(Vec::new());
    for frame in frames {
        text.push(frame).unwrap();
    }
    text.finish().unwrap()
}

/// Returns a file as it is during recording.
fn journal(frames: &[Frame]) -> Vec<u8> {
    let mut journal = butter::Journal::new(Cursor::new(Vec::new()), butter::Options::default());
    for frame in frames {
        journal.push(frame).unwrap();
    }
    journal.get_ref().get_ref().clone()
}

/// Matches with goals and throws, with bones and pauses, in combat; players join and leave in each.
fn matches() -> Vec<Vec<Frame>> {
    let options = MatchOptions {
        frames: Some(300),
        players_per_team: 2,
        ..MatchOptions::default()
    };
    let slow = MatchOptions {
        rate_hz: 2,
        pauses: true,
        ..options.clone()
    };
    let bones = MatchOptions {
        frames: Some(60),
        bones: true,
        seed: 3,
        ..options.clone()
    };
    let combat = MatchOptions {
        game: Game::Combat,
        seed: 2,
        ..options
    };
    let all = [slow, bones, combat];
    all.map(|options| Match::new(options).collect()).into()
}

/// Packets with baselines from a few ticks earlier, and a full snapshot now and then. If some
/// packets are `lost`, others cannot be decoded.
fn packets(lost: bool) -> Vec<Vec<u8>> {
    let schema = Arena::schema();
    let mut arena = Arena::new(6, 7);
    let mut encoder = Encoder::new(&schema);
    let mut states: Vec<Snapshot> = Vec::new();
    let mut all = Vec::new();
    for tick in 1..=200_usize {
        let mut state = Snapshot::new(&schema, 0);
        arena.step();
        arena.state(&mut state).unwrap();
        let mut packet = Vec::new();
        let ago = 1 + tick * 7 % 5;
        match states.len().checked_sub(ago) {
            Some(before) if !tick.is_multiple_of(67) => {
                encoder.delta(&states[before], &state, &mut packet).unwrap();
            }
            _ => encoder.full(&state, &mut packet).unwrap(),
        }
        if !(lost && (tick == 1 || tick == 120)) {
            all.push(packet);
        }
        states.push(state);
    }
    all
}

fn capture(packets: &[Vec<u8>], ends: bool) -> Vec<u8> {
    let options = CaptureOptions {
        tick_ns: Some(50_000_000),
        chunk_bytes: 2000,
        keyframe_every: Some(30),
        ..CaptureOptions::default()
    };
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, &Arena::schema(), options).unwrap();
    for packet in packets {
        writer.push(packet).unwrap();
    }
    if ends {
        writer.finish().unwrap();
    } else {
        // The recorder is killed.
        writer.flush().unwrap();
        std::mem::forget(writer);
    }
    out
}

/// Returns recordings of all formats that can be followed.
fn recordings() -> Vec<(&'static str, Vec<u8>)> {
    let mut all = Vec::new();
    for frames in matches() {
        all.push(("echoreplay", lines(&frames)));
        all.push(("butter", journal(&frames)));
        let written = butter::write(&frames, butter::Options::default());
        all.push(("butter", written.unwrap()));
    }
    all.extend(samples("murk").into_iter().map(|bytes| ("murk", bytes)));
    for lost in [false, true] {
        let packets = packets(lost);
        all.push(("delta", packets.concat()));
        all.push(("capture", capture(&packets, true)));
        all.push(("capture", capture(&packets, false)));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn what_is_read_as_it_grows_is_what_is_read_of_the_whole(
        cuts in proptest::collection::vec(any::<usize>(), 8..24),
        torn in any::<usize>(),
    ) {
        for (at, (format, bytes)) in recordings().into_iter().enumerate() {
            println!("{format}, {at}");
            let told = kit::grows(|input| open(format, input), &bytes, &cuts);
            prop_assert!(told > 0, "{} is followed", format);
            // The writer was killed.
            let torn = bytes.len() - torn % (bytes.len() / 4);
            kit::grows(|input| open(format, input), &bytes[..torn], &cuts);
        }
    }

    #[test]
    fn what_is_made_as_it_grows_is_what_is_made_of_the_whole(
        cuts in proptest::collection::vec(any::<usize>(), 0..24),
        torn in any::<usize>(),
    ) {
        for (at, (format, bytes)) in recordings().into_iter().enumerate() {
            println!("{format}, {at}");
            prop_assert!(grows(format, &bytes, &cuts), "{} is followed", format);
            let torn = bytes.len() - torn % (bytes.len() / 4);
            grows(format, &bytes[..torn], &cuts);
        }
    }
}

#[test]
fn a_packet_is_there_as_soon_as_its_step_is() {
    let frames = &matches().swap_remove(1)[..];
    let sizes = packets(false).into_iter().map(|packet| packet.len());
    let ends = sizes.scan(0, |end, size| {
        *end += size;
        Some(*end)
    });
    let ends: Vec<usize> = ends.collect();
    let mut steps = vec![("delta", packets(false).concat(), ends)];
    let upto = |make: fn(&[Frame]) -> Vec<u8>| {
        (1..=frames.len()).map(move |count| make(&frames[..count]).len())
    };
    steps.push(("echoreplay", lines(frames), upto(lines).collect()));
    steps.push(("butter", journal(frames), upto(journal).collect()));
    let replay = gametape_samples::murk::ALL[0].1;
    let world = gametape::murk::engine::World::from_toml(replay).unwrap();
    let bytes = gametape_samples::murk::record(&world, world.build().unwrap(), 1, 40).unwrap();
    let read = gametape::murk::read(&bytes).unwrap();
    let starts: Vec<usize> = read
        .frames()
        .map(|frame| frame.unwrap().offset as usize)
        .collect();
    let ends = starts[1..].iter().copied().chain([bytes.len()]).collect();
    steps.push(("murk", bytes.clone(), ends));
    for (format, bytes, ends) in steps {
        let (mut growing, _) = begun(format, &bytes, &ends[..1]).expect(format);
        let mut kept = Kept::default();
        for (step, end) in ends.iter().enumerate() {
            let now = Input::from(bytes[..*end].to_vec());
            growing.more(&now, &mut |piece| kept.piece(piece)).unwrap();
            assert_eq!(kept.packets, step as u64 + 1, "{format}");
        }
    }
}

#[test]
fn what_was_cut_or_replaced_has_to_be_opened_anew() {
    for (format, bytes) in recordings() {
        let half = bytes.len() / 2;
        let mut nobody = |_: Piece<'_>| Ok(());
        let mut other = bytes.clone();
        other[half - 3] ^= 1;
        for changed in [bytes[..half - 10].to_vec(), other] {
            let Some((mut growing, _)) = begun(format, &bytes, &[half]) else {
                continue;
            };
            let first = Input::from(bytes[..half].to_vec());
            growing.more(&first, &mut nobody).unwrap();
            let changed = growing.more(&Input::from(changed), &mut nobody);
            assert_eq!(changed.unwrap_err().code(), "changed", "{format}");
        }
    }
}
