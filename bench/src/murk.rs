//! Compares gametape-murk with `murk-replay`, the origin of the format.

use std::cell::RefCell;
use std::fs::File;
use std::hint::black_box;
use std::io::{self, BufReader, Read, Write};
use std::time::Instant;

use gametape_murk::{
    Command, CommandBuf, Envelope, Header, Index, IndexBuilder, Payload, Reader, Writer, read,
    snapshot_hash, snapshot_hashes,
};
use gametape_testkit::Random;
use gametape_testkit::murk::{Body, Fields, Typed, origin_header, serialized};
use murk_core::command::{Command as PeerCommand, CommandPayload};
use murk_replay::codec::deserialize_command;
use murk_replay::{Frame as PeerFrame, ReplayReader, ReplayWriter, SerializedCommand};

use crate::timing::{Plain, Side, race};
use crate::{alloc, report};

/// The number of frames in a recording.
const FRAMES: u64 = 1_000_000;

/// The number of commands in a frame, and of rounds of a case: with more commands, a round takes
/// longer.
const SHAPES: [(usize, u32); 3] = [(0, 21), (1, 11), (8, 7)];

/// The number of frames that are made beforehand and written cyclically. A recorder writes what it
/// has just made, not what it first has to fetch from memory.
const RING: usize = 64;

/// The numbers of cells in a field, of fields in a state, and of states to be hashed.
const CELLS: usize = 256 * 256;
const FIELDS: usize = 2;
const STATES: usize = 32;

/// The number of rounds of a hashing case.
const HASH_ROUNDS: u32 = 21;

/// Measures the cases whose names contain `filter`.
pub fn run(filter: &str) {
    let bench = Bench { filter };
    for (commands, rounds) in SHAPES {
        bench.recording(commands, rounds);
    }
    bench.hashing();
    bench.open_by_tick();
}

/// The number of commands in a frame, and of frames, of the recording that is opened by tick: 1 GB.
const LARGE: (usize, u64) = (8, 2_000_000);

struct Bench<'a> {
    filter: &'a str,
}

impl Bench<'_> {
    fn wants(&self, group: &str, name: &str) -> bool {
        format!("{group}/{name}").contains(self.filter)
    }

    fn case(
        &self,
        group: &str,
        name: &str,
        rounds: u32,
        ours: &mut impl Side,
        peer: &mut impl Side,
    ) {
        if self.wants(group, name) {
            report(group, name, race(rounds, ours, peer));
        }
    }

    /// The allocations of both sides in one call.
    fn allocations<A, B>(
        &self,
        group: &str,
        name: &str,
        ours: impl FnOnce() -> A,
        peer: impl FnOnce() -> B,
    ) {
        if self.wants(group, name) {
            let (ours, peer) = (alloc::count(ours).1, alloc::count(peer).1);
            println!(
                "alloc/{group}/{name} ours_calls={} ours_bytes={} peer_calls={} peer_bytes={}",
                ours.calls, ours.bytes, peer.calls, peer.bytes
            );
        }
    }

    /// Opens a recording at any tick through its index. This includes the index's head, the check
    /// that it belongs to this recording, the search, the frame and its checksum. The origin has no
    /// counterpart: it reads all frames up to the tick.
    fn open_by_tick(&self) {
        let (group, name) = ("murk-open-by-tick", "1-GB");
        if !self.wants(group, name) {
            return;
        }
        let (commands, frames) = LARGE;
        let ring = Ring::new(commands);
        let header = header();
        let mut writer = Writer::new(Vec::new(), &header).expect("a sound header");
        for (tick, buffer) in (0..frames).zip(ring.stored.iter().cycle()) {
            writer
                .push(tick, buffer.as_commands(), tick)
                .expect("memory takes everything");
        }
        let bytes = writer.finish().expect("memory takes everything");
        let index = IndexBuilder::of(&read(&bytes).expect("sound")).expect("sound");
        let mut random = Random(5);
        const CALLS: u32 = 100_000;
        let start = Instant::now();
        for _ in 0..CALLS {
            let tick = random.next() % frames;
            let index = Index::open(&index).expect("sound");
            index.check(&bytes).expect("of this recording");
            let frame = index.frame(&bytes, tick).expect("sound");
            assert_eq!(frame.map(|found| found.frame().snapshot_hash), Some(tick));
        }
        println!(
            "{group}/{name} ours={:.3} ({} bytes, an index of {})",
            start.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS),
            bytes.len(),
            index.len()
        );
    }

    fn recording(&self, commands: usize, rounds: u32) {
        let name = &format!("{commands}-commands");
        let groups = [
            "murk-read-typed",
            "murk-read-raw",
            "murk-read-file",
            "murk-write-raw",
            "murk-write-typed",
            "murk-read-floor",
        ];
        if !groups.iter().any(|group| self.wants(group, name)) {
            return;
        }
        let ring = Ring::new(commands);
        let header = header();
        let (meta, init) = origin_header(&header);

        // Both sides write to the same memory, which is allocated from the first call on.
        let output = RefCell::new(Vec::new());
        let write = |work: &dyn Fn(&mut Writer<&mut Vec<u8>>) -> u64| {
            let output = &mut *output.borrow_mut();
            output.clear();
            let mut writer = Writer::new(output, &header).expect("a sound header");
            work(&mut writer);
            writer.finish().expect("memory takes everything").len()
        };
        let peer_write = |work: &dyn Fn(&mut ReplayWriter<&mut Vec<u8>>)| {
            let output = &mut *output.borrow_mut();
            output.clear();
            let mut writer = ReplayWriter::new(output, &meta, &init).expect("a sound header");
            work(&mut writer);
            writer.into_inner().len()
        };
        let raw = || write(&|writer| ring.write_raw(writer));
        let typed = || write(&|writer| ring.write_typed(writer));
        let peer_raw = || peer_write(&|writer| ring.peer_write_raw(writer));
        let peer_typed = || peer_write(&|writer| ring.peer_write_typed(writer));

        raw();
        let bytes = output.borrow().clone();
        for (what, length) in [
            ("ours, typed", typed()),
            ("the peer's, raw", peer_raw()),
            ("the peer's, typed", peer_typed()),
        ] {
            assert_eq!(length, bytes.len(), "{what}: another length");
        }

        let (ours, peer) = (
            || read_typed(black_box(&bytes)),
            || peer_read(black_box(bytes.as_slice()), true),
        );
        assert_eq!(ours(), peer(), "both sides see the same commands");
        self.allocations(groups[0], name, ours, peer);
        self.case(groups[0], name, rounds, &mut Plain(ours), &mut Plain(peer));

        let (ours, peer) = (
            || read_raw(black_box(&bytes)),
            || peer_read(black_box(bytes.as_slice()), false),
        );
        assert_eq!(ours(), peer(), "both sides see the same commands");
        self.allocations(groups[1], name, ours, peer);
        self.case(groups[1], name, rounds, &mut Plain(ours), &mut Plain(peer));

        self.case(
            groups[5],
            name,
            rounds,
            &mut Plain(|| add_words(black_box(&bytes))),
            &mut Plain(|| peer_read(black_box(bytes.as_slice()), true)),
        );

        if self.wants(groups[2], name) {
            let file = || file_of(&bytes).expect("a temporary file");
            let path = file();
            let open = || File::open(path.path()).expect("the temporary file");
            let (ours, peer) = (
                || read_stream(open()),
                || peer_read(BufReader::new(open()), true),
            );
            assert_eq!(ours(), peer(), "both sides see the same commands");
            self.allocations(groups[2], name, ours, peer);
            self.case(groups[2], name, rounds, &mut Plain(ours), &mut Plain(peer));
        }
        drop(bytes);

        self.allocations(groups[3], name, raw, peer_raw);
        self.case(
            groups[3],
            name,
            rounds,
            &mut Plain(raw),
            &mut Plain(peer_raw),
        );
        self.allocations(groups[4], name, typed, peer_typed);
        self.case(
            groups[4],
            name,
            rounds,
            &mut Plain(typed),
            &mut Plain(peer_typed),
        );
    }

    fn hashing(&self) {
        let mut random = Random(1);
        let dense: Vec<Vec<f32>> = states(|_| random.unit());
        // In the mostly-zero states, one value in a thousand is not zero.
        let sparse = states(|_| {
            if random.next().is_multiple_of(1000) {
                random.unit()
            } else {
                0.0
            }
        });
        for (name, states) in [("dense", dense), ("sparse", sparse)] {
            let slices: Vec<&[f32]> = states.iter().map(Vec::as_slice).collect();
            let peers: Vec<Fields<&[f32]>> = slices
                .iter()
                .map(|state| Fields(state.chunks_exact(CELLS).map(Some).collect()))
                .collect();
            let ours = || {
                let mut hashes = [0; STATES];
                snapshot_hashes(black_box(&slices), &[CELLS; FIELDS], &mut hashes);
                hashes
            };
            let peer = || {
                let mut hashes = [0; STATES];
                for (state, hash) in black_box(&peers).iter().zip(&mut hashes) {
                    *hash = state.origin_hash();
                }
                hashes
            };
            assert_eq!(ours(), peer(), "both sides give the same hashes");
            self.case(
                "murk-hash-many",
                name,
                HASH_ROUNDS,
                &mut Plain(ours),
                &mut Plain(peer),
            );
            let state = slices[0];
            self.case(
                "murk-hash-one",
                name,
                HASH_ROUNDS,
                &mut Plain(|| snapshot_hash(black_box(state).chunks_exact(CELLS))),
                &mut Plain(|| black_box(&peers[0]).origin_hash()),
            );
        }
    }
}

fn states(mut value: impl FnMut(usize) -> f32) -> Vec<Vec<f32>> {
    (0..STATES)
        .map(|_| (0..CELLS * FIELDS).map(&mut value).collect())
        .collect()
}

fn file_of(bytes: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(bytes)?;
    Ok(file)
}

fn header() -> Header<'static> {
    Header {
        field_count: 0,
        cell_count: CELLS as u64,
        ..Header::default()
    }
}

/// Frames for the writers, in the form that each side has before writing.
struct Ring {
    /// Typed payloads, as a simulation provides them.
    typed: Vec<Vec<(Envelope, Set)>>,
    /// Encoded payloads; `raw` borrows from them.
    stored: Vec<CommandBuf>,
    peer_typed: Vec<Vec<PeerCommand>>,
    peer_raw: Vec<PeerFrame>,
}

/// A 2-D `SetField`.
#[derive(Clone, Copy)]
struct Set {
    coord: [i32; 2],
    field: u32,
    value: f32,
}

impl Ring {
    fn new(commands: usize) -> Self {
        let mut random = Random(7);
        let mut arrival_seq = 0;
        let mut command = || {
            arrival_seq += 1;
            let envelope = Envelope {
                priority_class: 1,
                source_id: Some(random.next() % 16),
                source_seq: Some(random.next()),
                expires_after_tick: random.next(),
                arrival_seq,
            };
            let set = Set {
                coord: [(random.next() % 256) as i32, (random.next() % 256) as i32],
                field: (random.next() % 2) as u32,
                value: random.unit(),
            };
            (envelope, set)
        };
        let typed: Vec<Vec<_>> = (0..RING)
            .map(|_| (0..commands).map(|_| command()).collect())
            .collect();
        let stored: Vec<CommandBuf> = typed.iter().map(|frame| encode(frame)).collect();
        let peer_typed = typed
            .iter()
            .map(|frame| frame.iter().map(peer_command).collect())
            .collect();
        let peer_raw = stored
            .iter()
            .map(|frame| PeerFrame {
                tick_id: 0,
                commands: frame.as_commands().iter().map(|c| serialized(&c)).collect(),
                snapshot_hash: gametape_murk::SnapshotHasher::new().finish(),
            })
            .collect();
        Self {
            typed,
            stored,
            peer_typed,
            peer_raw,
        }
    }

    fn write_raw(&self, writer: &mut Writer<&mut Vec<u8>>) -> u64 {
        let decoded: Vec<Vec<Command<'_>>> = self
            .stored
            .iter()
            .map(|frame| frame.as_commands().iter().collect())
            .collect();
        let hash = gametape_murk::SnapshotHasher::new().finish();
        let ring = decoded.iter().cycle();
        for (tick, commands) in (0..FRAMES).zip(ring) {
            writer
                .push_each(tick, commands.iter().copied(), hash)
                .expect("memory takes everything");
        }
        writer.frames()
    }

    fn write_typed(&self, writer: &mut Writer<&mut Vec<u8>>) -> u64 {
        let mut buffer = CommandBuf::new();
        for (tick, commands) in (0..FRAMES).zip(self.typed.iter().cycle()) {
            buffer.clear();
            for (envelope, set) in commands {
                push(&mut buffer, envelope, set);
            }
            writer
                .push(tick, buffer.as_commands(), snapshot_hash([]))
                .expect("memory takes everything");
        }
        writer.frames()
    }

    fn peer_write_raw(&self, writer: &mut ReplayWriter<&mut Vec<u8>>) {
        for (_, frame) in (0..FRAMES).zip(self.peer_raw.iter().cycle()) {
            writer
                .write_raw_frame(frame)
                .expect("memory takes everything");
        }
    }

    fn peer_write_typed(&self, writer: &mut ReplayWriter<&mut Vec<u8>>) {
        for (tick, commands) in (0..FRAMES).zip(self.peer_typed.iter().cycle()) {
            writer
                .write_frame(tick, commands, &Fields::<&[f32]>(Vec::new()))
                .expect("memory takes everything");
        }
    }
}

fn push(buffer: &mut CommandBuf, envelope: &Envelope, set: &Set) {
    let payload = Payload::SetField {
        coord: (&set.coord).into(),
        field: set.field,
        value: set.value,
    };
    buffer.push(envelope, &payload).expect("a small command");
}

fn peer_command((envelope, set): &(Envelope, Set)) -> PeerCommand {
    let body = Body::SetField(set.coord.to_vec(), set.field, set.value.to_bits());
    let envelope = *envelope;
    Typed { body, envelope }.origin()
}

fn encode(commands: &[(Envelope, Set)]) -> CommandBuf {
    let mut buffer = CommandBuf::new();
    for (envelope, set) in commands {
        push(&mut buffer, envelope, set);
    }
    buffer
}

/// A sum that depends on everything that was read.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Sum(u64);

impl Sum {
    #[inline]
    fn add(&mut self, value: u64) {
        self.0 = self.0.wrapping_add(value);
    }

    #[inline]
    fn envelope(&mut self, envelope: &Envelope) {
        self.add(u64::from(envelope.priority_class));
        self.add(envelope.source_id.unwrap_or(3));
        self.add(envelope.source_seq.unwrap_or(5));
        self.add(envelope.expires_after_tick);
        self.add(envelope.arrival_seq);
    }

    #[inline]
    fn typed(&mut self, command: &Command<'_>) {
        self.envelope(&command.envelope);
        match command.payload() {
            Ok(Payload::SetField {
                coord,
                field,
                value,
            }) => {
                coord.iter().for_each(|part| self.add(part as u64));
                self.add(u64::from(field));
                self.add(u64::from(value.to_bits()));
            }
            other => drop(black_box(other)),
        }
    }

    #[inline]
    fn stored(&mut self, command: &Command<'_>) {
        self.envelope(&command.envelope);
        self.add(u64::from(command.payload_type));
        self.add(command.payload.len() as u64);
    }

    #[inline]
    fn peer_typed(&mut self, command: &PeerCommand) {
        self.add(u64::from(command.priority_class));
        self.add(command.source_id.unwrap_or(3));
        self.add(command.source_seq.unwrap_or(5));
        self.add(command.expires_after_tick.0);
        self.add(command.arrival_seq);
        match &command.payload {
            CommandPayload::SetField {
                coord,
                field_id,
                value,
            } => {
                coord.iter().for_each(|part| self.add(*part as u64));
                self.add(u64::from(field_id.0));
                self.add(u64::from(value.to_bits()));
            }
            other => {
                black_box(other);
            }
        }
    }

    #[inline]
    fn peer_stored(&mut self, command: &SerializedCommand) {
        self.add(u64::from(command.priority_class));
        self.add(command.source_id.unwrap_or(3));
        self.add(command.source_seq.unwrap_or(5));
        self.add(command.expires_after_tick);
        self.add(command.arrival_seq);
        self.add(u64::from(command.payload_type));
        self.add(command.payload.len() as u64);
    }
}

fn read_typed(bytes: &[u8]) -> Sum {
    let mut sum = Sum::default();
    let replay = gametape_murk::read(bytes).expect("a sound recording");
    for frame in replay.frames() {
        let frame = frame.expect("a sound frame");
        sum.add(frame.tick);
        sum.add(frame.snapshot_hash);
        for command in frame.commands() {
            sum.typed(&command);
        }
    }
    sum
}

fn read_raw(bytes: &[u8]) -> Sum {
    let mut sum = Sum::default();
    let replay = gametape_murk::read(bytes).expect("a sound recording");
    for frame in replay.frames() {
        let frame = frame.expect("a sound frame");
        sum.add(frame.tick);
        sum.add(frame.snapshot_hash);
        for command in frame.commands() {
            sum.stored(&command);
        }
    }
    sum
}

fn read_stream(source: impl Read) -> Sum {
    let mut sum = Sum::default();
    let mut reader = Reader::new(source);
    while let Some(frame) = reader.next_frame().expect("a sound frame") {
        sum.add(frame.tick);
        sum.add(frame.snapshot_hash);
        for command in frame.commands() {
            sum.typed(&command);
        }
    }
    sum
}

fn peer_read(source: impl Read, typed: bool) -> Sum {
    let mut sum = Sum::default();
    let mut reader = ReplayReader::open(source).expect("a sound recording");
    while let Some(frame) = reader.next_frame().expect("a sound frame") {
        sum.add(frame.tick_id);
        sum.add(frame.snapshot_hash);
        for command in &frame.commands {
            if typed {
                sum.peer_typed(&deserialize_command(command).expect("a sound command"));
            } else {
                sum.peer_stored(command);
            }
        }
    }
    sum
}

/// The minimal work of reading every byte.
fn add_words(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(8).flat_map(<[u8; 8]>::try_from);
    words.fold(0, |sum, word| sum.wrapping_add(u64::from_le_bytes(word)))
}
