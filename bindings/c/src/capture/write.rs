//! Writing a capture.

use std::ffi::c_char;
use std::fs::File;

use gametape_capture::{Options, Writer};

use crate::error::{Error, Fault, Status, free, make, run};
use crate::pointer::{elements, needed, text};
use crate::schema::Schema;
use crate::snapshot::Snapshot;

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
