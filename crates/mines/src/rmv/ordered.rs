//! Runs of mouse events that do not go back in time: nearly all of a recording. Callers that do not
//! need each event only need the number of events and the last one.

use super::mouse::{MAX_TIME, REDUCED, long_mouse};
use crate::{MouseAction, MouseEvent};

/// The run of long-form events at the start of `bytes`, after `last`: their number, and the last
/// one.
#[inline(always)]
pub(super) fn long<const V2: bool>(bytes: &[u8], last: MouseEvent) -> (usize, MouseEvent) {
    let (chunks, _) = bytes.as_chunks::<9>();
    let mut time_ms = last.time_ms;
    let mut count = 0usize;
    for &[code, a, b, c, ..] in chunks {
        // Code and time are read with one load.
        let word = u32::from_be_bytes([code, a, b, c]);
        let next_ms = word & MAX_TIME;
        let is_mouse = word.wrapping_sub(1 << 24) < 7 << 24;
        if !is_mouse || next_ms < time_ms {
            break;
        }
        time_ms = next_ms;
        count += 1;
    }
    let end = count.checked_sub(1).and_then(|at| chunks.get(at));
    let end = end.and_then(|&chunk| {
        let action = MouseAction::from_code(chunk[0])?;
        Some(long_mouse::<V2>(action, chunk))
    });
    (count, end.unwrap_or(last))
}

/// The most reduced moves that are examined in one run.
const MANY: usize = 256;
/// The largest distance in pixels that one such run can cover.
const FAR: i32 = 8 * MANY as i32;

/// The run of reduced moves at the start of `bytes`, after `last`: their number, and the last one.
/// Reduced moves cannot go back in time. Returns no moves if a run could exceed the range of
/// positions or times.
#[inline(always)]
pub(super) fn reduced(bytes: &[u8], last: MouseEvent) -> (usize, MouseEvent) {
    let (chunks, _) = bytes.as_chunks::<3>();
    let chunks = chunks.get(..MANY).unwrap_or(chunks);
    let fits = |at: i32| (i32::from(i16::MIN) + FAR..=i32::from(i16::MAX) - FAR).contains(&at);
    if last.time_ms > MAX_TIME - 255 * MANY as u32 || !fits(last.x) || !fits(last.y) {
        return (0, last);
    }
    let (mut ms, mut both, mut down) = (0, 0, 0);
    let mut count = 0;
    for &[code, dt, dxy] in chunks {
        if code != REDUCED {
            break;
        }
        ms += u32::from(dt);
        // The byte contains two numbers of −8 to 7. With 8 added to each, both are unsigned and can
        // be summed together.
        let step = i32::from(dxy ^ 0x88);
        both += step;
        down += step & 15;
        count += 1;
    }
    let bias = 8 * count as i32;
    let end = MouseEvent {
        action: MouseAction::Move,
        time_ms: last.time_ms + ms,
        buttons: last.buttons,
        x: last.x + (both - down) / 16 - bias,
        y: last.y + down - bias,
        reduced: true,
    };
    (count, if count == 0 { last } else { end })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rmv::decode::{EventDecoder, Step};
    use crate::{Event, Version};

    /// The reference for the tests: decodes the valid events at the start one by one, as long as
    /// they have the given form and are in order of time.
    fn one_by_one(
        version: Version,
        bytes: &[u8],
        mut last: MouseEvent,
        reduced: bool,
    ) -> (usize, MouseEvent) {
        let mut decoder = EventDecoder::new(version);
        decoder.pass(last);
        let (mut at, mut count) = (0, 0);
        while let Step::Event(Event::Mouse(mouse), len) = decoder.step(&bytes[at..]) {
            let is_ordered = mouse.time_ms >= last.time_ms;
            if mouse.reduced != reduced || !is_ordered {
                break;
            }
            (at, count, last) = (at + len, count + 1, mouse);
        }
        (count, last)
    }

    fn bytes(width: usize, codes: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
        let small = prop_oneof![9 => 0..4_u8, 1 => any::<u8>()];
        let code = prop_oneof![20 => prop::sample::select(codes), 1 => any::<u8>()];
        let event = (code, prop::collection::vec(small, width - 1));
        let event = event.prop_map(|(code, rest)| [vec![code], rest].concat());
        prop::collection::vec(event, 0..400).prop_map(|events| events.concat())
    }

    proptest! {
        #[test]
        fn runs_are_what_single_steps_give(
            longs in bytes(9, vec![1, 1, 1, 2, 7]),
            shorts in bytes(3, vec![REDUCED]),
            time_ms in prop::sample::select(vec![0, 70_000, MAX_TIME - 65_280, MAX_TIME - 65_279]),
            x in prop::sample::select(vec![0, 30_719, 30_720, -30_720, -30_721]),
        ) {
            let last = MouseEvent {
                action: MouseAction::Move,
                time_ms,
                buttons: crate::Buttons(1),
                x,
                y: 5,
                reduced: false,
            };
            for version in [Version::V1, Version::V2] {
                let found = match version {
                    Version::V1 => long::<false>(&longs, last),
                    Version::V2 => long::<true>(&longs, last),
                };
                prop_assert_eq!(found, one_by_one(version, &longs, last, false));
            }
            let found = reduced(&shorts, last);
            let all = one_by_one(Version::V2, &shorts, last, true);
            if found.0 == MANY || found.0 == all.0 {
                let part = &shorts[..3 * found.0];
                prop_assert_eq!(found, one_by_one(Version::V2, part, last, true));
            } else {
                // Close to the edge of the range, every event has to be examined by itself.
                prop_assert!(found == (0, last) && (time_ms > MAX_TIME - 65_280 || x.abs() > 30_719));
            }
        }
    }
}
