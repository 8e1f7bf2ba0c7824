//! Captures: recorded packets and states, read and written.

use std::ffi::c_char;
use std::fs::File;
use std::mem::MaybeUninit;
use std::ptr;

use gametape_capture::{Added, Options, Packets, Reader, Replay, Role, Writer, read};
use gametape_core::{Input, InputStream};
use gametape_delta as delta;

use crate::error::{Error, Fault, Status, elements, free, make, needed, run, text};
use crate::snapshot::{Schema, Snapshot};

/// A capture that is read. Packets, states and the state at a tick can be read independently of each other.
pub struct Capture {
    packets: Packets<'static>,
    input: Input,
    reader: Reader<InputStream>,
    /// Made when the first state is asked for.
    states: Option<States>,
}

struct States {
    reader: Reader<InputStream>,
    replay: Replay,
}

/// The role of a packet in a capture.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketRole {
    /// A full snapshot of the stream.
    Keyframe,
    /// A delta of the stream.
    Delta,
    /// A full snapshot that the recorder added. It is not part of the stream: do not give it to a receiver.
    Added,
}

/// A packet of a capture.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CapturePacket {
    /// The packet as it was recorded. It is valid until the next one is read or the capture is freed.
    pub packet: *const u8,
    /// Its size in bytes.
    pub size: usize,
    /// When it was sent or arrived, in nanoseconds since 1970; 0 if that is unknown.
    pub time_ns: u64,
    /// Its tick.
    pub tick: u32,
    /// Its role.
    pub role: PacketRole,
}

/// Opens a capture. `path` is in UTF-8. NULL after an error. One that was cut off can be opened, and read up to there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_capture_open(
    path: *const c_char,
    error: Option<&mut Error>,
) -> Option<Box<Capture>> {
    make(error, || {
        // SAFETY: the promise of a text that ends with NUL.
        let path = unsafe { text(path, "path") }?;
        let input = File::open(path).and_then(Input::file);
        let input = input.map_err(|source| Fault::File {
            path: path.to_owned(),
            source,
        })?;
        Ok(Capture {
            packets: Packets::Capture(Box::new(read(input.clone())?)),
            reader: Reader::new(input.stream()),
            input,
            states: None,
        })
    })
}

/// Frees it.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_capture_free(capture: Option<Box<Capture>>) {
    free(capture);
}

/// Returns the schema of its packets, which is valid until the capture is freed: do not free it. NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_capture_schema(capture: Option<&Capture>) -> *const Schema {
    capture.map_or(ptr::null(), |capture| Schema::of(capture.packets.schema()))
}

/// Reads the next packet. `GAMETAPE_STATUS_END` after the last: then `packet` is not set.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_capture_next_packet(
    capture: Option<&mut Capture>,
    packet: Option<&mut MaybeUninit<CapturePacket>>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let into = needed(packet, "packet")?;
        let Some(packet) = needed(capture, "capture")?.reader.next_packet()? else {
            return Ok(Status::End);
        };
        let time = packet
            .times
            .filter(|times| times.publish_time != times.log_time);
        into.write(CapturePacket {
            packet: packet.bytes.as_ptr(),
            size: packet.bytes.len(),
            time_ns: time.map_or(0, |times| times.publish_time),
            tick: packet.tick().unwrap_or(0),
            role: match packet.role {
                Role::Keyframe => PacketRole::Keyframe,
                Role::Added => PacketRole::Added,
                // A reader gives packets only.
                Role::Delta | Role::Labels | Role::Events => PacketRole::Delta,
            },
        });
        Ok(Status::Ok)
    })
}

/// Reads the next packet and applies it. `state` is pointed to its state, which is valid until the next one is read or
/// the capture is freed; to NULL after `GAMETAPE_STATUS_END` and after an error. The call after an error in a packet goes
/// on with the packet after it.
///
/// The first call reads the whole capture once, to know which states later packets build on.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_capture_next_state(
    capture: Option<&mut Capture>,
    state: Option<&mut MaybeUninit<*const Snapshot>>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let into = needed(state, "state")?.write(ptr::null());
        let capture = needed(capture, "capture")?;
        let states = match &mut capture.states {
            Some(states) => states,
            none => none.insert(States {
                reader: Reader::new(capture.input.stream()),
                replay: capture.packets.replay()?,
            }),
        };
        match states.next()? {
            None => Ok(Status::End),
            Some(state) => {
                *into = Snapshot::of(state);
                Ok(Status::Ok)
            }
        }
    })
}

impl States {
    fn next(&mut self) -> Result<Option<&delta::Snapshot>, Fault> {
        while let Some(packet) = self.reader.next_packet()? {
            if packet.role == Role::Added {
                // It repeats the state, unless the stream could not be followed up to it.
                if self.replay.apply_added(&packet)? != Added::Resumed {
                    continue;
                }
            } else {
                self.replay.apply(&packet)?;
            }
            return Ok(self.replay.state());
        }
        Ok(None)
    }
}

/// Makes `state` the state at the latest recorded tick that is not after `tick`. It reads only the packets that lead
/// there.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_capture_state_at(
    capture: Option<&Capture>,
    tick: u32,
    state: Option<&mut Snapshot>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let into = needed(state, "state")?;
        into.0 = needed(capture, "capture")?.packets.state_at(tick)?;
        Ok(Status::Ok)
    })
}

/// Writes a capture, packet by packet or state by state. If the program is killed, all complete chunks of the file can
/// be read.
pub struct CaptureWriter {
    /// None once it is finished.
    writer: Option<Writer<File>>,
    path: String,
}

/// Options of a capture. 0 is the default of each.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct CaptureOptions {
    /// The length of a tick in nanoseconds; 0 if it is unknown.
    pub tick_ns: u64,
    /// The size of a chunk in bytes, before compression: the most that is lost if the program is killed; 65,536.
    pub chunk_bytes: u64,
    /// The most ticks over which a state is built. To keep this, full snapshots are added. 0: none are.
    pub keyframe_every: u32,
    /// 1 if the states are the view of a receiver.
    pub view: u8,
}

/// Begins a capture in a new file. `path` is in UTF-8; a file that exists already is an error. `options` may be NULL: all
/// are the default ones then. NULL after an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_capture_writer_create(
    path: *const c_char,
    schema: Option<&Schema>,
    options: Option<&CaptureOptions>,
    error: Option<&mut Error>,
) -> Option<Box<CaptureWriter>> {
    make(error, || {
        // SAFETY: the promise of a text that ends with NUL.
        let path = unsafe { text(path, "path") }?;
        let schema = &needed(schema, "schema")?.0;
        let given = options.copied().unwrap_or_default();
        let mut options = Options {
            tick_ns: Some(given.tick_ns).filter(|ns| *ns != 0),
            keyframe_every: Some(given.keyframe_every).filter(|ticks| *ticks != 0),
            view: given.view != 0,
            ..Options::default()
        };
        if given.chunk_bytes != 0 {
            options.chunk_bytes = given.chunk_bytes;
        }
        // First without a file: wrong options leave none.
        Writer::new(Vec::new(), schema, options)?;
        let path = path.to_owned();
        let file = File::create_new(&path).map_err(|source| Fault::File {
            path: path.clone(),
            source,
        })?;
        let writer = Some(Writer::new(file, schema, options)?);
        Ok(CaptureWriter { writer, path })
    })
}

/// Frees it. If it is not finished, this finishes it, and errors are lost.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_capture_writer_free(writer: Option<Box<CaptureWriter>>) {
    free(writer);
}

/// Records a packet, byte for byte. `time_ns` is when it was sent or arrived, in nanoseconds since 1970; 0 if that is
/// unknown. Ticks ascend. Record either packets or states.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_capture_writer_push(
    writer: Option<&mut CaptureWriter>,
    packet: *const u8,
    size: usize,
    time_ns: u64,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let writer = open(writer)?;
        // SAFETY: the promise of a pointer with a length.
        let packet = unsafe { elements(packet, size, "packet") }?;
        writer.push_timed(packet, Some(time_ns).filter(|ns| *ns != 0))?;
        Ok(Status::Ok)
    })
}

/// Records a state, such as a view. Ticks ascend.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_capture_writer_push_state(
    writer: Option<&mut CaptureWriter>,
    state: Option<&Snapshot>,
    time_ns: u64,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let state = &needed(state, "state")?.0;
        open(writer)?.push_state(state, Some(time_ns).filter(|ns| *ns != 0))?;
        Ok(Status::Ok)
    })
}

/// Writes what is recorded so far to the file.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_capture_writer_flush(
    writer: Option<&mut CaptureWriter>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        open(writer)?.flush()?;
        Ok(Status::Ok)
    })
}

/// Writes the index at the end, and waits until the file is on the disk. Nothing can be recorded after it, also not
/// after an error. The handle has to be freed still.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_capture_writer_finish(
    writer: Option<&mut CaptureWriter>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let CaptureWriter { writer, path } = needed(writer, "writer")?;
        let file = writer.take().ok_or(Fault::Finished)?.finish()?;
        file.sync_all().map_err(|source| Fault::File {
            path: path.clone(),
            source,
        })?;
        Ok(Status::Ok)
    })
}

fn open(writer: Option<&mut CaptureWriter>) -> Result<&mut Writer<File>, Fault> {
    let writer = needed(writer, "writer")?;
    writer.writer.as_mut().ok_or(Fault::Finished)
}
