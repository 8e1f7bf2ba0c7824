//! Encoding of single events.

use super::decode::{EventDecoder, MAX_TIME, REDUCED, V1_ORIGIN};
use super::error::WriteError;
use crate::{Event, Face, MouseAction, MouseEvent, Version};

/// True if, according to the specification, `next` SHOULD be written as a reduced move.
pub(crate) fn reducible(last: &EventDecoder, next: &MouseEvent) -> bool {
    last.version() == Version::V2
        && next.action == MouseAction::Move
        && last
            .last_mouse()
            .is_some_and(|last| is_short_step(&last, next))
}

/// The specification's conditions for a reduced move, except those on version and action.
pub(crate) fn is_short_step(last: &MouseEvent, next: &MouseEvent) -> bool {
    next.buttons == last.buttons
        && next.time_ms >= last.time_ms
        && next.time_ms - last.time_ms <= 255
        && (-8..=7).contains(&next.x.saturating_sub(last.x))
        && (-8..=7).contains(&next.y.saturating_sub(last.y))
}

/// Appends `event`; `last` is the state after the previous events and is updated.
pub(crate) fn encode(
    last: &mut EventDecoder,
    event: Event,
    out: &mut Vec<u8>,
) -> Result<(), WriteError> {
    match event {
        Event::Mouse(mouse) => {
            if mouse.time_ms > MAX_TIME {
                return Err(WriteError::TimeTooLong { ms: mouse.time_ms });
            }
            if mouse.reduced {
                let Some(from) = last.last_mouse().filter(|_| reducible(last, &mouse)) else {
                    return Err(WriteError::NotReducible);
                };
                let dx = (mouse.x - from.x) as u8;
                let dy = (mouse.y - from.y) as u8;
                let dt = (mouse.time_ms - from.time_ms) as u8;
                check_position(last.version(), mouse.x, mouse.y)?;
                out.extend_from_slice(&[REDUCED, dt, dx << 4 | dy & 15]);
            } else {
                let (x, y) = check_position(last.version(), mouse.x, mouse.y)?;
                let [_, t0, t1, t2] = mouse.time_ms.to_be_bytes();
                let ([x0, x1], [y0, y1]) = (x.to_be_bytes(), y.to_be_bytes());
                let code = mouse.action.code();
                out.extend_from_slice(&[code, t0, t1, t2, mouse.buttons.0, x0, x1, y0, y1]);
            }
            last.pass(mouse);
        }
        Event::Board(board) => {
            if let Face::Number(number @ 9..) = board.face {
                return Err(WriteError::Number { number });
            }
            out.extend_from_slice(&[board.face.code(), board.cell.col, board.cell.row]);
        }
        Event::Timestamp(value) => {
            if last.version() != Version::V1 {
                return Err(WriteError::Timestamp);
            }
            out.push(0);
            out.extend_from_slice(&value.to_be_bytes());
        }
    }
    Ok(())
}

/// The stored form of a position, if the version can store it.
fn check_position(version: Version, x: i32, y: i32) -> Result<(u16, u16), WriteError> {
    let (left, top) = match version {
        Version::V1 => V1_ORIGIN,
        Version::V2 => (0, 0),
    };
    let stored = |at: i32, origin: i32| {
        let at = i16::try_from(i64::from(at) + i64::from(origin));
        at.ok().map(i16::cast_unsigned)
    };
    if let (Some(x), Some(y)) = (stored(x, left), stored(y, top)) {
        return Ok((x, y));
    }
    let (least, most) = (i32::from(i16::MIN), i32::from(i16::MAX));
    Err(WriteError::PositionRange {
        x,
        y,
        min_x: least - left,
        max_x: most - left,
        min_y: least - top,
        max_y: most - top,
    })
}
