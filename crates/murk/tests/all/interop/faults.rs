//! The faults of the origin that formats/murk.md names: its behaviour and ours.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::convert::Infallible;
use std::io::{self, Write};

use gametape_murk::{
    Commands, Output, PayloadError, Rule, Simulation, Stream, VerifyError, Writer, read,
    snapshot_hash, verify,
};
use gametape_testkit::murk::{
    End, Fields, Seen, Tape, seen, seen_by_feed, seen_by_origin, seen_by_slice, seen_by_stream,
    stored,
};
use murk_replay::codec::{deserialize_command, serialize_command};
use murk_replay::{
    ReplayError, ReplayReader, ReplayWriter, SerializedCommand, compare_snapshot,
    replay_and_compare,
};

use super::limits::{MAX_STRING, with_string};
use super::{every_kind, specimens};

/// Counts the bytes that the thread allocates.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

fn note(bytes: usize) {
    // Nothing is counted while a thread ends.
    let _ = ASKED.try_with(|asked| asked.set(asked.get().saturating_add(bytes)));
}

// SAFETY: every call is passed to the system's allocator with the caller's own arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        note(new_size);
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn asked<T>(work: impl FnOnce() -> T) -> (T, usize) {
    ASKED.set(0);
    let result = work();
    (result, ASKED.get())
}

fn command(payload_type: u8, payload: Vec<u8>) -> SerializedCommand {
    SerializedCommand {
        payload_type,
        payload,
        ..every_kind().swap_remove(0)
    }
}

fn little(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// `Spawn` and `SetParameterBatch`: the origin allocates the claimed count before it checks it.
#[test]
fn origin_believes_counts() {
    const CLAIM: u32 = 1_000_000;
    for (command, entry) in [
        (command(1, little(&[0, CLAIM])), 8),
        (command(6, little(&[CLAIM])), 16),
    ] {
        let (result, origin) = asked(|| deserialize_command(&command));
        assert!(matches!(result, Err(ReplayError::MalformedFrame { .. })));
        assert!(origin >= CLAIM as usize * entry, "fixed? {origin} bytes");
        let (result, ours) = asked(|| stored(&command).payload().map(|_| ()));
        assert!(matches!(result, Err(PayloadError::Short { .. })));
        assert_eq!(ours, 0);
    }
    // The largest claims would end the process, so the origin is not called.
    for command in [
        command(1, little(&[0, u32::MAX])),
        command(1, little(&[u32::MAX])),
        command(6, little(&[u32::MAX])),
        command(6, little(&[u32::MAX, 1, 2, 3])),
    ] {
        let payload = stored(&command).payload().map(|_| ());
        assert!(matches!(payload, Err(PayloadError::Short { .. })));
    }
    // The whole file that aborts the origin is an ordinary recording to us; its typed reading
    // fails.
    let mut tape = specimens().swap_remove(0);
    let frame = specimens().swap_remove(1).frames.swap_remove(0);
    tape.frames = vec![frame];
    tape.frames[0].commands = vec![command(1, little(&[0, u32::MAX]))];
    let bytes = tape.by_origin();
    assert_eq!(seen(&bytes, &String::new).end, End::Clean);
}

/// A claim of many commands, or of a large payload, makes the origin allocate as much.
#[test]
fn origin_reserves_what_is_claimed() {
    let tape = specimens().swap_remove(0);
    let mut commands = tape.by_origin();
    commands.extend(1_u64.to_le_bytes());
    commands.extend(1_000_000_u32.to_le_bytes());
    let mut payload = tape.by_origin();
    payload.extend(1_u64.to_le_bytes());
    payload.extend(1_u32.to_le_bytes());
    payload.push(0);
    payload.extend((64_u32 << 20).to_le_bytes());
    for bytes in [commands, payload] {
        let (result, origin) = asked(|| seen_by_origin(&bytes));
        assert_eq!(result.end, End::Truncated);
        assert!(origin >= 60 << 20, "fixed? {origin} bytes");
        let (result, ours) = asked(|| seen_by_slice(&bytes));
        assert_eq!(result.end, End::Truncated);
        assert!(ours < 8 << 10, "slice: {ours} bytes");
        let (result, ours) = asked(|| seen_by_feed(&bytes, 100));
        assert_eq!(result.end, End::Truncated);
        assert!(ours < 16 << 10, "decoder: {ours} bytes");
        let (result, ours) = asked(|| seen_by_stream(&bytes));
        assert_eq!(result.end, End::Truncated);
        assert!(ours < 1 << 20, "stream: {ours} bytes");
    }
}

/// Strings over 1 MiB: the origin writes them, and refuses to read them.
#[test]
fn origin_writes_strings_that_it_refuses() {
    for which in 0..4 {
        let tape = with_string(which, MAX_STRING + 1);
        let bytes = tape.by_origin();
        assert!(bytes.len() > MAX_STRING, "fixed?");
        assert_eq!(seen(&bytes, &String::new).end, End::Malformed);
        assert!(read(&bytes).unwrap_err().is_limit());
        assert!(Writer::new(Vec::new(), &tape.header()).is_err());
    }
}

/// Bytes after a payload: the origin's typed round trip drops them, ours keeps and reports them.
#[test]
fn origin_drops_trailing_bytes() {
    for whole in every_kind() {
        let mut longer = whole.clone();
        longer.payload.extend([1, 2, 3]);
        let round = serialize_command(&deserialize_command(&longer).unwrap()).unwrap();
        assert_eq!(round, whole, "fixed?");

        let ours = stored(&longer);
        assert_eq!(ours.trailing(), Ok([1, 2, 3].as_slice()));
        let mut kept = gametape_murk::CommandBuf::new();
        kept.push_stored(&ours).unwrap();
        assert_eq!(kept.as_commands().iter().next(), Some(ours));
        assert!(stored(&whole).trailing().unwrap().is_empty());
    }
}

/// An error in the middle of a frame: the origin leaves a part of the frame, we leave nothing.
#[test]
fn origin_leaves_a_partial_frame() {
    let tape = specimens().swap_remove(1);
    let whole = tape.by_origin();
    let large = command(4, vec![0; (64 << 20) + 1]);

    let mut bytes = Vec::new();
    let mut writer = ReplayWriter::new(&mut bytes, &tape.meta, &tape.init).unwrap();
    let mut broken = tape.frames[0].clone();
    broken.commands = vec![every_kind().swap_remove(0), large.clone()];
    assert!(writer.write_raw_frame(&broken).is_err());
    drop(writer);
    assert!(bytes.len() > tape.header_size(), "fixed?");
    assert_eq!(seen_by_slice(&bytes).end, End::Truncated);

    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, &tape.header()).unwrap();
    writer.set_buffer(0);
    for frame in &tape.frames {
        let refused = broken.commands.iter().map(stored);
        writer.push_each(9, refused, 9).unwrap_err();
        writer
            .push_each(frame.tick_id, [], frame.snapshot_hash)
            .unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(bytes, whole);
}

/// A disk that is full after this many bytes.
#[derive(Default)]
struct Disk {
    bytes: Vec<u8>,
    room: usize,
    flushes: u32,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.room - self.bytes.len());
        if count == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushes += 1;
        Ok(())
    }
}

impl Output for Disk {
    fn take_back(&mut self, bytes: u64) -> io::Result<()> {
        self.bytes.truncate(self.bytes.len() - bytes as usize);
        Ok(())
    }
}

/// A disk that becomes full, at every byte: the origin leaves a part of a frame, we leave whole
/// frames, and when there is space again, nothing was lost.
#[test]
fn origin_leaves_a_partial_frame_on_a_full_disk() {
    let tape = specimens().swap_remove(3);
    let whole = tape.by_origin();
    let mut ends = vec![tape.header_size()];
    for frame in read(&whole).unwrap().frames() {
        let frame = frame.unwrap();
        ends.push((frame.offset + frame.size()) as usize);
    }
    let mut partial = 0;
    for room in 0..whole.len() {
        let mut disk = Disk {
            room,
            ..Disk::default()
        };
        if let Ok(mut writer) = ReplayWriter::new(&mut disk, &tape.meta, &tape.init) {
            let _ = tape
                .frames
                .iter()
                .try_for_each(|frame| writer.write_raw_frame(frame));
        }
        assert!(!ends.contains(&room) || disk.bytes.len() == room);
        partial += usize::from(!ends.contains(&disk.bytes.len()));

        for buffer in [0, 50, 1 << 16] {
            // It can take back bytes, and stays full.
            let mut disk = Disk {
                room,
                ..Disk::default()
            };
            let mut writer = Writer::new(&mut disk, &tape.header()).unwrap();
            writer.set_buffer(buffer);
            for frame in &tape.frames {
                let _ = writer.push_each(
                    frame.tick_id,
                    frame.commands.iter().map(stored),
                    frame.snapshot_hash,
                );
            }
            assert!(writer.finish().is_err());
            let kept = ends.iter().rev().find(|end| **end <= room).copied();
            assert_eq!(disk.bytes, whole[..kept.unwrap_or(0)], "{room}, {buffer}");

            // It gets space again; the second one can't take back bytes.
            let mut disk = Disk {
                room,
                ..Disk::default()
            };
            let mut stream = Disk {
                room,
                ..Disk::default()
            };
            fill(&mut disk, &tape, buffer, |disk| disk.room = usize::MAX);
            fill(&mut Stream(&mut stream), &tape, buffer, |stream| {
                stream.0.room = usize::MAX;
            });
            assert_eq!(disk.bytes, whole, "{room}, {buffer}");
            assert_eq!(stream.bytes, whole, "{room}, {buffer}");
        }
    }
    assert!(partial > whole.len() / 2, "fixed?");
}

/// Writes `tape` to an output that is `mended` after the first error.
fn fill<O: Output>(output: &mut O, tape: &Tape, buffer: usize, mended: fn(&mut O)) {
    let mut shared = Shared {
        output,
        mended,
        broken: false,
    };
    let mut writer = Writer::new(&mut shared, &tape.header()).unwrap();
    writer.set_buffer(buffer);
    let mut errors = 0;
    for frame in &tape.frames {
        let commands = frame.commands.iter().map(stored);
        errors += usize::from(
            writer
                .push_each(frame.tick_id, commands, frame.snapshot_hash)
                .is_err(),
        );
    }
    while errors < 2 && writer.flush().is_err() {
        errors += 1;
    }
    assert_eq!(errors, 1);
}

/// An output that is mended after its first error.
struct Shared<'a, O> {
    output: &'a mut O,
    mended: fn(&mut O),
    broken: bool,
}

impl<O: Output> Write for Shared<'_, O> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.broken {
            self.broken = false;
            (self.mended)(self.output);
        }
        let result = self.output.write(bytes);
        self.broken = result.is_err();
        result
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl<O: Output> Output for Shared<'_, O> {
    fn take_back(&mut self, bytes: u64) -> io::Result<()> {
        self.output.take_back(bytes)
    }
}

/// `into_inner` promises to flush, and does not; our `finish` does.
#[test]
fn origin_gives_its_sink_back_unflushed() {
    let tape = specimens().swap_remove(1);
    let disk = || Disk {
        room: usize::MAX,
        ..Disk::default()
    };
    let mut writer = ReplayWriter::new(disk(), &tape.meta, &tape.init).unwrap();
    writer.write_raw_frame(&tape.frames[0]).unwrap();
    assert_eq!(writer.into_inner().flushes, 0, "fixed?");

    let mut writer = Writer::new(disk(), &tape.header()).unwrap();
    writer.push_each(1, [], 1).unwrap();
    writer.flush().unwrap();
    writer.push_each(2, [], 2).unwrap();
    assert_eq!(writer.finish().unwrap().flushes, 2);
}

/// Both read ticks that stay or fall; the audit reports them.
#[test]
fn origin_checks_no_ticks() {
    let tape = specimens().swap_remove(3);
    let ticks: Vec<u64> = tape.frames.iter().map(|frame| frame.tick_id).collect();
    assert_eq!(ticks, [5, 5, 3, 0]);
    let Seen { frames, end } = seen(&tape.by_origin(), &String::new);
    assert_eq!((frames, end), (tape.frames.clone(), End::Clean));
    let audit = gametape_murk::audit(&tape.by_origin());
    let named = audit
        .findings
        .iter()
        .any(|finding| finding.code() == "murk.tick-order");
    assert!(named, "{:?}", audit.findings);
}

/// An unknown type: both read the frame, and refuse the typed form.
#[test]
fn unknown_types_are_refused_typed_only() {
    for tag in 7..=255 {
        let unknown = command(tag, vec![1, 2, 3]);
        assert!(matches!(
            deserialize_command(&unknown),
            Err(ReplayError::UnknownPayloadType { tag: told }) if told == tag
        ));
        let error = stored(&unknown).payload().unwrap_err();
        assert_eq!(error, PayloadError::UnknownType { tag });
        let mut tape = specimens().swap_remove(1);
        tape.frames[2].commands = vec![unknown];
        let bytes = tape.by_origin();
        assert_eq!(seen(&bytes, &String::new).end, End::Clean);
        let frame = read(&bytes).unwrap().frames().last().unwrap().unwrap();
        assert!(matches!(
            frame.payload_error(0, error).rule(),
            Some(Rule::UnknownPayload { .. })
        ));
    }
}

/// A world with one field that never changes, and a configuration.
struct Still([f32; 3]);

impl Simulation for Still {
    type Error = Infallible;

    fn step(&mut self, _tick: u64, _commands: Commands<'_>) -> Result<(), Infallible> {
        Ok(())
    }

    fn field(&self, field: u32) -> Option<&[f32]> {
        (field == 0).then_some(&self.0)
    }

    fn config_hash(&self) -> Option<u64> {
        Some(99)
    }
}

/// `SnapshotMismatch` and `ConfigMismatch`: documented by the origin and never raised there; we
/// raise them.
#[test]
fn origin_never_raises_mismatches() {
    let values = [1.0, 2.0, 3.0];
    let state = Fields(vec![Some(values.to_vec())]);
    let mut tape = specimens().swap_remove(1);
    tape.init.field_count = 1;
    tape.init.config_hash = 99;
    for frame in &mut tape.frames {
        frame.snapshot_hash = snapshot_hash([values.as_slice()]);
    }
    let sound = tape.by_origin();
    assert_eq!(
        verify(&read(&sound).unwrap(), &mut Still(values))
            .unwrap()
            .frames,
        3
    );

    tape.frames[1].snapshot_hash ^= 1;
    let tick = tape.frames[1].tick_id;
    let bytes = tape.by_origin();
    let reader = ReplayReader::open(bytes.as_slice()).unwrap();
    let mut step = |_| Ok(state.origin_hash());
    let report = replay_and_compare(reader, &mut step).unwrap().unwrap();
    assert_eq!(report.tick_id, tick, "a report, not the error");
    let told = compare_snapshot(&state, tape.frames[1].snapshot_hash, 1, tick, None);
    assert!(told.unwrap().unwrap().divergences.is_empty());
    match verify(&read(&bytes).unwrap(), &mut Still(values)) {
        Err(VerifyError::SnapshotMismatch(divergence)) => assert_eq!(divergence.tick, tick),
        other => panic!("{other:?}"),
    }

    tape.init.config_hash = 98;
    let bytes = tape.by_origin();
    assert!(
        ReplayReader::open(bytes.as_slice()).is_ok(),
        "nothing to compare it with"
    );
    match verify(&read(&bytes).unwrap(), &mut Still(values)) {
        Err(VerifyError::ConfigMismatch { recorded, expected }) => {
            assert_eq!((recorded, expected), (98, 99));
        }
        other => panic!("{other:?}"),
    }
}
