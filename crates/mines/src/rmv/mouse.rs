//! The stored form of mouse events.

use crate::{Buttons, MouseAction, MouseEvent};

/// v1 positions are relative to the window's client area; the board begins at this position (found
/// in real files).
pub(super) const V1_ORIGIN: (i32, i32) = (12, 56);
/// The largest time: times are 24-bit numbers.
pub(super) const MAX_TIME: u32 = 0xFF_FFFF;
/// The code of a reduced mouse move, v2 only.
pub(super) const REDUCED: u8 = 28;

/// A mouse event in its long form.
#[inline(always)]
pub(super) fn long_mouse<const V2: bool>(action: MouseAction, bytes: [u8; 9]) -> MouseEvent {
    // A single load: time u24, buttons u8, x u16, y u16.
    let [_, fields @ ..] = bytes;
    let fields = u64::from_be_bytes(fields);
    let (x, y) = ((fields >> 16) as u16, fields as u16);
    let (x, y) = if V2 {
        (i32::from(x.cast_signed()), i32::from(y.cast_signed()))
    } else {
        (i32::from(x) - V1_ORIGIN.0, i32::from(y) - V1_ORIGIN.1)
    };
    MouseEvent {
        action,
        time_ms: (fields >> 40) as u32,
        buttons: Buttons((fields >> 32) as u8),
        x,
        y,
        reduced: false,
    }
}
