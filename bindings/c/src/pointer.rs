//! Pointers from C that are not handles: with a length, or for results.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::slice;

use crate::error::Fault;

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
