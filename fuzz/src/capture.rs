//! Checks of the promises of `gametape-capture`.

use std::collections::BTreeMap;
use std::io::Read;

use gametape_capture::{
    self as capture, Added, CaptureRule, DeltaFile, Ending, Error, Feed, Options, Packet, Packets,
    Reader, Role, Rule, Writer,
};
use gametape_core::feed::Fed;
use gametape_delta::{Decoder, Encoder, Limits, ReadOptions, Schema, Snapshot, settle, wire};

use crate::Check;
use crate::delta::{Script, edit, known, schema, state};
use crate::ways::{Failure, FedWay, Format, Way, agree};

/// Every check of this crate, with its seeds.
pub const CHECKS: &[Check] = &[Check::new("capture_read", capture_read, || {
    [seeds(), crate::noise(8, 150)].concat()
})];

/// Reads any bytes as a capture or as a file of packets, and records streams of any packets.
///
/// For any bytes, no reader panics, reading ends, and the offsets of errors are within the file. In
/// a file of packets, the gaps between packets are reported, so that every byte is accounted for.
/// Bytes that arrive in pieces give the same packets as a stream of all of them.
///
/// A recording contains its packets byte for byte. Each requested state is the one that was sent,
/// whether found by the index, packet by packet, or in a file of the same packets. Snapshots added
/// for seeking have the state of the stream. A recording that is cut anywhere has the first of
/// these packets and reports the cut.
pub fn capture_read(data: &[u8]) {
    let mut script = Script::new(data);
    match script.byte() % 4 {
        0 => any_capture(script.rest()),
        1 => {
            let number = script.byte();
            any_packets(script.rest(), known(number.into()).0);
        }
        _ => recording(&mut script),
    }
}

/// Small enough to be reached by small files.
const LIMITS: capture::Limits = capture::Limits {
    max_chunk_bytes: 1 << 16,
};

/// The most steps with a small file that was damaged on purpose, because it may unpack to a lot of
/// data.
const STEPS: usize = 2000;

struct Stream;

/// A packet, and where it stands.
type OwnPacket = (u64, u64, Role, Vec<u8>);

fn own(packet: Packet<'_>) -> OwnPacket {
    (
        packet.index,
        packet.offset,
        packet.role,
        packet.bytes.to_vec(),
    )
}

/// Feeds of captures and of bare packets.
impl Format for Stream {
    /// Whether it is a file of bare packets.
    type Options = bool;
    type Item = OwnPacket;
    type Known = ();
    const GROWS: bool = false;

    fn slice(data: &[u8], bare: bool) -> impl Way<Self> {
        Self::source(data, bare)
    }

    fn source(source: impl Read, bare: bool) -> impl Way<Self> {
        if bare {
            Reader::of_packets(source)
        } else {
            Reader::with_limits(source, LIMITS)
        }
    }

    fn feed(bare: bool) -> impl FedWay<Self> {
        if bare {
            Feed::of_packets()
        } else {
            Feed::with_limits(LIMITS)
        }
    }
}

impl<R: Read> Way<Stream> for Reader<R> {
    fn next(&mut self) -> Result<Option<OwnPacket>, Failure> {
        Ok(self.next_packet()?.map(own))
    }

    fn known(&mut self) -> Option<()> {
        None
    }
}

impl FedWay<Stream> for Feed {
    fn push(&mut self, bytes: &[u8]) {
        self.push(bytes);
    }

    fn finish(&mut self) {
        self.finish();
    }

    fn next(&mut self) -> Result<Fed<OwnPacket>, Failure> {
        Ok(match self.next_packet()? {
            Fed::Item(packet) => Fed::Item(own(packet)),
            Fed::NeedMore => Fed::NeedMore,
            Fed::End => Fed::End,
        })
    }

    fn known(&mut self) -> Option<()> {
        None
    }
}

/// Whatever the pieces and whatever the reader, the packets and the final problem are the same.
fn fed(bytes: &[u8], bare: bool) {
    let failure = agree::<Stream>(bytes, bare, bytes.len()).failure;
    let offset = failure.and_then(|failure| failure.offset).unwrap_or(0);
    assert!(offset <= bytes.len() as u64);
}

fn any_capture(bytes: &[u8]) {
    fed(bytes, false);
    match capture::read_with(bytes, LIMITS) {
        Err(error) => sound(&error, bytes),
        Ok(capture) => {
            for keyframe in capture.keyframes().expect("in memory") {
                assert!(format!("{keyframe:?}").len() > 10);
            }
            let _ = (capture.ticks(), capture.counted(Role::Delta));
            if let Ending::Cut(at) = capture.ending() {
                assert!(at <= bytes.len() as u64);
            }
            let packets = Packets::Capture(Box::new(capture));
            walk(&packets, bytes);
        }
    }
}

/// Every byte is in a packet or in a reported gap.
fn any_packets(bytes: &[u8], schema: Schema) {
    fed(bytes, true);
    let packets = Packets::Delta(DeltaFile::new(bytes, schema));
    let mut cursor = packets.cursor();
    let mut at = 0_u64;
    loop {
        match cursor.next_packet() {
            Ok(None) => break,
            Ok(Some(packet)) => {
                assert_eq!(packet.offset, at);
                assert!(!packet.bytes.is_empty());
                at += packet.bytes.len() as u64;
            }
            Err(error) => {
                sound(&error, bytes);
                assert_eq!(error.offset(), Some(at), "{error}");
                at = match error.rule().and_then(Rule::recording) {
                    Some(CaptureRule::LostSync { bytes: lost, .. }) => at + lost,
                    Some(CaptureRule::Truncated { .. }) => bytes.len() as u64,
                    _ => panic!("{error}"),
                };
            }
        }
    }
    assert_eq!(at, bytes.len() as u64);
    walk(&packets, bytes);
}

fn sound(error: &Error, bytes: &[u8]) {
    assert!(
        error.offset().unwrap_or(0) <= bytes.len() as u64,
        "{error:?}"
    );
    assert!(!error.code().is_empty() && !error.to_string().is_empty());
}

/// Every operation on a recording.
fn walk(packets: &Packets<'_>, bytes: &[u8]) {
    let mut replay = packets
        .replay()
        .expect("in memory")
        .max_state_bytes(1 << 20);
    let mut cursor = packets.cursor();
    let mut ticks = Vec::new();
    for _ in 0..STEPS {
        let packet = match cursor.next_packet() {
            Ok(None) => break,
            Ok(Some(packet)) => packet,
            Err(error) => {
                sound(&error, bytes);
                continue;
            }
        };
        assert!(packet.offset <= bytes.len() as u64);
        let error = if packet.role == Role::Added {
            replay.apply_added(&packet).err()
        } else {
            replay.apply(&packet).err()
        };
        match (error, replay.state()) {
            (Some(error), _) => sound(&error, bytes),
            (None, Some(state)) if ticks.len() < 5 => ticks.push(state.tick()),
            (None, _) => {}
        }
    }
    ticks.extend([0, 1, u32::MAX]);
    for tick in ticks {
        match packets.state_at(tick) {
            Ok(state) => assert!(state.tick() <= tick),
            Err(error) => sound(&error, bytes),
        }
    }
}

/// Packets, and the states that result from them.
struct Recorded {
    schema: Schema,
    packets: Vec<Vec<u8>>,
    /// The states by tick.
    states: BTreeMap<u32, Snapshot>,
}

impl Recorded {
    /// A stream of any packets; the first one is a full snapshot.
    fn new(script: &mut Script<'_>) -> Self {
        let schema = schema(script);
        let mut world = state(script, &schema, 1, 6);
        world.set_tick(script.byte().into());
        let mut encoder = Encoder::new(&schema).limits(Limits::NONE);
        let mut stream = Self {
            schema: schema.clone(),
            packets: Vec::new(),
            states: BTreeMap::new(),
        };
        for _ in 0..=script.below(20) {
            let mut packet = Vec::new();
            let back = script.below(8);
            let baseline = stream.states.values().rev().nth(back / 3);
            let mut sent = world.clone();
            match baseline.filter(|baseline| baseline.tick() > 0 && back > 0) {
                None => encoder.full(&sent, &mut packet).expect("no limits"),
                Some(baseline) => {
                    encoder
                        .delta(baseline, &sent, &mut packet)
                        .expect("no limits");
                    settle(baseline, &mut sent);
                }
            }
            stream.packets.push(packet);
            stream.states.insert(sent.tick(), sent);
            edit(script, &mut world);
            world.set_tick(world.tick() + 1 + u32::from(script.byte() / 200));
        }
        stream
    }

    fn state_at(&self, tick: u32) -> Option<&Snapshot> {
        Some(self.states.range(..=tick).next_back()?.1)
    }
}

fn recording(script: &mut Script<'_>) {
    let options = Options {
        tick_ns: [None, Some(1), Some(33_333_333)][script.below(3)],
        chunk_bytes: [1, 300, 2000, 1 << 20][script.below(4)],
        keyframe_every: [None, Some(1), Some(5)][script.below(3)],
        view: false,
    };
    let stream = Recorded::new(script);
    let mut writer = Writer::new(Vec::new(), &stream.schema, options).expect("memory");
    for packet in &stream.packets {
        let pushed = writer.push(packet).expect("a packet of the schema");
        assert_eq!(pushed.problem, None);
        if script.byte() > 230 {
            writer.flush().expect("memory");
        }
    }
    let bytes = writer.finish().expect("memory");
    fed(&bytes, false);
    let capture = capture::read_with(&bytes, capture::Limits::DEFAULT).expect("it was written");
    assert_eq!(capture.ending(), Ending::Whole);
    assert_eq!(capture.schema(), &stream.schema);
    assert_eq!(capture.tick_ns(), options.tick_ns);
    has_all(&Packets::Capture(Box::new(capture)), &stream);
    let file = stream.packets.concat();
    has_all(
        &Packets::Delta(DeltaFile::new(&file, stream.schema.clone())),
        &stream,
    );
    for _ in 0..script.below(6) {
        let at = usize::from(script.word::<u16>()) % (bytes.len() + 1);
        is_cut(&bytes[..at], &stream);
        let at = usize::from(script.word::<u16>()) % (file.len() + 1);
        any_packets(&file[..at], stream.schema.clone());
        let mut damaged = bytes.clone();
        let at = usize::from(script.word::<u16>()) % bytes.len();
        damaged[at] ^= script.byte();
        any_capture(&damaged);
        let mut damaged = file.clone();
        let at = usize::from(script.word::<u16>()) % file.len();
        damaged[at] ^= script.byte();
        any_packets(&damaged, stream.schema.clone());
    }
}

/// Asserts that all packets and all states exist.
fn has_all(packets: &Packets<'_>, stream: &Recorded) {
    let mut replay = packets.replay().expect("in memory");
    let mut cursor = packets.cursor();
    let mut sent = stream.packets.iter().zip(stream.states.values());
    while let Some(packet) = cursor.next_packet().expect("it was written") {
        if packet.role == Role::Added {
            let added = replay.apply_added(&packet).expect("it was written");
            assert_eq!(added, Added::Same);
            continue;
        }
        let (bytes, state) = sent.next().expect("no more than were pushed");
        assert_eq!(packet.bytes, bytes);
        let replayed = replay.apply(&packet).expect("it was sent");
        assert!(replayed == state, "{replayed:?}, not {state:?}");
    }
    assert_eq!(sent.next(), None);
    let ticks = stream.states.keys();
    for tick in ticks.flat_map(|tick| [tick.saturating_sub(1), *tick, tick + 1]) {
        match (packets.state_at(tick), stream.state_at(tick)) {
            (Ok(found), Some(state)) => assert!(found == *state, "{found:?}, not {state:?}"),
            (Err(error), None) if error.code() == "capture.no-state" => {}
            (found, state) => panic!("{found:?} at tick {tick}, not {state:?}"),
        }
    }
}

/// Checks a capture that was cut.
fn is_cut(bytes: &[u8], stream: &Recorded) {
    let Ok(capture) = capture::read(bytes) else {
        return any_capture(bytes);
    };
    let mut cursor = capture.packets();
    let mut sent = stream.packets.iter();
    while let Some(packet) = cursor.next_packet().expect("whole chunks are whole") {
        if packet.role == Role::Added {
            let decoder =
                Decoder::with_options(&stream.schema, ReadOptions::strict().limits(Limits::NONE));
            let read = decoder.packet(packet.bytes).expect("it was written");
            assert!(stream.states.contains_key(&read.header.tick));
        } else {
            assert_eq!(Some(packet.bytes), sent.next().map(Vec::as_slice));
            assert_eq!(
                wire::packet_len(packet.bytes),
                Ok(packet.bytes.len() as u64)
            );
        }
    }
    for (tick, state) in &stream.states {
        if let Ok(found) = capture.state_at(*tick) {
            let expected = stream.state_at(found.tick());
            assert!(expected == Some(&found), "{found:?}, not {state:?}");
        }
    }
    any_capture(bytes);
}

/// Captures and files of packets, each after the bytes that select their kind.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (number, noise) in crate::noise(3, 60).iter().enumerate() {
        let (schema, mut held) = known(number);
        let mut script = Script::new(noise);
        let mut encoder = Encoder::new(&schema);
        let options = Options {
            chunk_bytes: 200,
            keyframe_every: (number == 1).then_some(2),
            ..Options::default()
        };
        let mut writer = Writer::new(Vec::new(), &schema, options).expect("memory");
        let mut file = vec![1, number as u8];
        let mut packet = Vec::new();
        encoder.full(&held, &mut packet).expect("a few entities");
        for _ in 0..4 {
            writer.push(&packet).expect("a packet of the schema");
            file.extend_from_slice(&packet);
            let mut next = held.clone();
            edit(&mut script, &mut next);
            next.set_tick(held.tick() + 1);
            encoder.delta(&held, &next, &mut packet).expect("as few");
            settle(&held, &mut next);
            held = next;
        }
        seeds.push(file);
        let capture = writer.finish().expect("memory");
        seeds.push([&[0][..], &capture].concat());
    }
    seeds
}
