//! Status codes, the text of errors, panics, and pointers from C that are not handles.

use std::any::Any;
use std::ffi::{CStr, c_char};
use std::fmt::Display;
use std::io::{self, Write as _};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use gametape_capture::CaptureError;
use gametape_core::{Class, Coded as _};
use gametape_delta::{
    BlendError, EncodeError, GridError, ReceiveError, RestrictError, SendError, ValueError,
};

/// The result of a function: done, or whose fault it is that it was not.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Done.
    Ok = 0,
    /// There is nothing more to read. This is no error.
    End = 1,
    /// The packet builds on a state that the receiver lacks. Send the feedback, which asks for a full snapshot.
    NeedFull = 2,
    /// The caller's fault: NULL, an unknown id, a value out of range, a tick that does not ascend.
    Caller = 3,
    /// The packet or the capture breaks a rule of its format, or is cut.
    Data = 4,
    /// A limit was exceeded: larger limits, on both sides, might help.
    Limit = 5,
    /// A file could not be read or written.
    Io = 6,
    /// A fault of this library. Free the handles that the call used; they may have changed.
    Internal = 7,
}

/// The status and the text of the last call that was given this handle.
///
/// One for each thread suffices, for all calls.
#[derive(Debug)]
pub struct Error {
    status: Status,
    /// Ends with NUL.
    text: Vec<u8>,
}

impl Error {
    fn set(&mut self, status: Status, text: Option<&dyn Display>) {
        self.status = status;
        self.text.clear();
        if let Some(text) = text {
            // Writing to memory does not fail.
            let _ = write!(self.text, "{text}");
            // A text of C ends at the first NUL.
            self.text.iter_mut().for_each(|byte| {
                if *byte == 0 {
                    *byte = b' ';
                }
            });
        }
        self.text.push(0);
    }
}

/// Makes a handle for errors.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_error_new() -> Option<Box<Error>> {
    Some(Box::new(Error {
        status: Status::Ok,
        text: vec![0],
    }))
}

/// Frees it.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_error_free(error: Option<Box<Error>>) {
    free(error);
}

/// Returns the status of the last call that was given this handle; `GAMETAPE_STATUS_OK` if there was none, and for
/// NULL.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_error_status(error: Option<&Error>) -> Status {
    error.map_or(Status::Ok, |error| error.status)
}

/// Returns the text of the last error: a sentence in UTF-8 that ends with NUL. It is empty if the last call had no
/// error, and for NULL. It is valid until the next call with this handle.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_error_text(error: Option<&Error>) -> *const c_char {
    error.map_or(c"".as_ptr(), |error| error.text.as_ptr().cast())
}

/// An error of any function.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("{0} is NULL")]
    Null(&'static str),
    #[error("{0} is not in UTF-8")]
    Utf8(&'static str),
    #[error("{name} has {count} elements, which is more than memory can hold")]
    Length { name: &'static str, count: usize },
    #[error("there is room for {room} {what}, {needed} are needed")]
    Room {
        what: &'static str,
        room: usize,
        needed: usize,
    },
    #[error("mode {0} is not defined: 0 is merged, 1 is strict")]
    Mode(u32),
    #[error("audience {0} is not defined: 0 is all, 1 is team, 2 is owner")]
    Audience(u32),
    #[error("blend {0} is not defined: 0 is hold, 1 is linear, 2 is turn")]
    Blend(u32),
    #[error("0 ticks a second: a playout needs 1 at least")]
    Rate,
    #[error("the receiver has schema {receiver:016x}, the playout {playout:016x}")]
    OtherSchema { receiver: u64, playout: u64 },
    #[error("the {size} bytes are no feedback: it has 13, and begins with 1 or 2")]
    Feedback { size: usize },
    #[error("the schema can't be read: {0}")]
    Schema(serde_json::Error),
    #[error("the capture was finished")]
    Finished,
    #[error("{path}: {source}")]
    File { path: String, source: io::Error },
    #[error(transparent)]
    Value(#[from] ValueError),
    #[error(transparent)]
    Restrict(#[from] RestrictError),
    #[error(transparent)]
    Field(#[from] BlendError),
    #[error(transparent)]
    Grid(#[from] GridError),
    #[error(transparent)]
    Send(#[from] SendError),
    #[error(transparent)]
    Receive(#[from] ReceiveError),
    #[error(transparent)]
    Write(#[from] CaptureError),
    #[error(transparent)]
    Read(#[from] gametape_capture::Error),
}

impl Fault {
    fn status(&self) -> Status {
        match self {
            Self::Send(SendError::Encode(EncodeError::Limit { .. })) => Status::Limit,
            Self::Receive(ReceiveError::NeedFull { .. }) => Status::NeedFull,
            Self::Receive(ReceiveError::Packet(error)) => status_of(error.class()),
            Self::Write(error) => status_of(error.class()),
            Self::Read(error) => status_of(error.class()),
            Self::File { .. } => Status::Io,
            Self::Feedback { .. } | Self::Receive(_) => Status::Data,
            Self::Null(_)
            | Self::Utf8(_)
            | Self::Length { .. }
            | Self::Room { .. }
            | Self::Mode(_)
            | Self::Audience(_)
            | Self::Blend(_)
            | Self::Rate
            | Self::OtherSchema { .. }
            | Self::Schema(_)
            | Self::Finished
            | Self::Value(_)
            | Self::Restrict(_)
            | Self::Field(_)
            | Self::Grid(_)
            | Self::Send(_) => Status::Caller,
        }
    }
}

const fn status_of(class: Class) -> Status {
    match class {
        Class::Io => Status::Io,
        Class::Limit => Status::Limit,
        Class::Caller => Status::Caller,
        // A recording that breaks a rule, is cut, or is not what was asked for.
        _ => Status::Data,
    }
}

/// Does the work of a function, and keeps its error or its panic.
pub(crate) fn run(
    error: Option<&mut Error>,
    work: impl FnOnce() -> Result<Status, Fault>,
) -> Status {
    // The status says that what the work changed may only be freed.
    let done = catch_unwind(AssertUnwindSafe(work));
    let (status, text): (_, Option<&dyn Display>) = match &done {
        Ok(Ok(status)) => (*status, None),
        Ok(Err(fault)) => (fault.status(), Some(fault)),
        Err(panic) => (Status::Internal, Some(&said(&**panic))),
    };
    if let Some(error) = error {
        error.set(status, text);
    }
    status
}

/// Like [`run`], for a function that makes a handle.
pub(crate) fn make<T>(
    error: Option<&mut Error>,
    work: impl FnOnce() -> Result<T, Fault>,
) -> Option<Box<T>> {
    let mut made = None;
    run(error, || {
        made = Some(Box::new(work()?));
        Ok(Status::Ok)
    });
    made
}

/// Frees a handle. A panic has nowhere to go.
pub(crate) fn free<T>(handle: Option<Box<T>>) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(handle)));
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a text")
}

/// A pointer of this name that must not be null.
pub(crate) fn needed<T>(pointer: Option<T>, name: &'static str) -> Result<T, Fault> {
    pointer.ok_or(Fault::Null(name))
}

/// Elements that the caller owns. No elements may be at NULL.
///
/// # Safety
/// If `data` is not null, it points to `count` elements, which do not change in `'a`.
pub(crate) unsafe fn elements<'a, T>(
    data: *const T,
    count: usize,
    name: &'static str,
) -> Result<&'a [T], Fault> {
    if count == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err(Fault::Null(name));
    }
    // More than this is no object, whatever is there: it is a negative number.
    if count > isize::MAX as usize / size_of::<T>() {
        return Err(Fault::Length { name, count });
    }
    // SAFETY: the caller's promise; the size was checked.
    Ok(unsafe { slice::from_raw_parts(data, count) })
}

/// Room for elements that the caller owns, perhaps not set yet.
///
/// # Safety
/// `data` is not null, and points to memory for `count` elements, which nobody else uses in `'a`.
pub(crate) unsafe fn room<'a, T>(
    data: *mut T,
    count: usize,
    name: &'static str,
) -> Result<&'a mut [MaybeUninit<T>], Fault> {
    if count > isize::MAX as usize / size_of::<T>() {
        return Err(Fault::Length { name, count });
    }
    // SAFETY: the caller's promise; the size was checked, and elements need not be set.
    Ok(unsafe { slice::from_raw_parts_mut(data.cast(), count) })
}

/// A text that ends with NUL.
///
/// # Safety
/// If `text` is not null, a NUL ends it, and it does not change in `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char, name: &'static str) -> Result<&'a str, Fault> {
    if text.is_null() {
        return Err(Fault::Null(name));
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| Fault::Utf8(name))
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    fn text(error: &Error) -> &str {
        // SAFETY: the text ends with NUL, and lives as long as the error.
        unsafe { CStr::from_ptr(gametape_error_text(Some(error))) }
            .to_str()
            .unwrap()
    }

    #[test]
    fn a_panic_is_an_error_and_the_next_call_clears_it() {
        let mut error = gametape_error_new().unwrap();
        let status = run(Some(&mut error), || panic!("a fault\0 in tick {}", 7));
        assert_eq!(status, Status::Internal);
        assert_eq!(gametape_error_status(Some(&error)), Status::Internal);
        assert_eq!(text(&error), "a fault  in tick 7");
        run(Some(&mut error), || Ok(Status::Ok));
        assert_eq!((text(&error), error.status), ("", Status::Ok));
        assert!(make::<u8>(Some(&mut error), || panic!("no handle")).is_none());
        assert_eq!(text(&error), "no handle");
    }
}
