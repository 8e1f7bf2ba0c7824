//! All ways to read a recording agree.

use gametape_murk::{Frame, Limits, ReadOptions, Strictness};

use super::expected::{Outcome, checked};
use super::frame_limit;
use super::grown::{self, Ask, Feeding};
use super::source::Stop;
use crate::check::odd_size;

/// Small enough to be reached by small inputs.
const SMALL: Limits = Limits {
    max_string_bytes: 5,
    max_blob_bytes: 100,
    max_commands: 3,
    max_frame_bytes: u64::MAX,
};

/// A slice, any [`Read`](std::io::Read) and bytes fed by hand: all ways to read give the same
/// header, the same frames, the same problem, or the same error with the same message, for any
/// bytes, strictly and leniently, with the usual limits, with tiny ones and with none.
///
/// While a recording grows, the readers always give the result for a slice of the bytes so far, and
/// continue; the same is true after an error of the source. Strict reading fails with the problem
/// that lenient reading reports. Errors are within the file, after the complete frames, and their
/// numbers are those of the file. Every command is typed or there is an error with the reason; its
/// lists are not longer than its bytes, and encoding a typed command gives the same bytes. A frame
/// that exceeds the limit is never returned, however it arrives.
pub fn murk_read(data: &[u8]) {
    for (at, limits) in [Limits::DEFAULT, SMALL, Limits::NONE]
        .into_iter()
        .enumerate()
    {
        let options = |strictness| ReadOptions { strictness, limits };
        let strict = every_way(data, &options(Strictness::Strict), 2 * at);
        let lenient = every_way(data, &options(Strictness::Lenient), 2 * at + 1);
        strictnesses(&strict, &lenient);
        if let Ok(strict) = &strict {
            let limit = strict.frames.iter().map(Frame::size).max();
            frame_limit::check(strict, data, limits, 20 + odd_size(data, at) as u64);
            frame_limit::check(strict, data, limits, limit.unwrap_or(20) - 1);
        }
    }
}

/// `vary` selects a part of the tests, so that not everything is tested with all options.
fn every_way<'a>(data: &'a [u8], options: &ReadOptions, vary: usize) -> Outcome<'a> {
    let whole = checked(data, options);
    let odd = |at| odd_size(data, at + vary);

    // Each read costs the reader 64 KiB of zeros, so only small inputs are read in tiny pieces.
    let few = |at| odd(at) * (8 + data.len() / 100);
    match vary {
        0 if data.len() < 200 => grown::reader(&whole, data, options, |_| 1),
        1 if data.len() < 800 => grown::reader(&whole, data, options, |_| 7),
        _ => grown::reader(&whole, data, options, few),
    }
    grown::reader(&whole, data, options, |_| usize::MAX);

    let mut stops = [1, 2, 3].map(|at| (odd(at) * data.len()) / 62);
    stops.sort_unstable();
    // Each strictness is combined with each of these, for some limits.
    let this_time = matches!(vary, 0 | 3 | 5);
    let stop = if this_time { Stop::Pause } else { Stop::Fail };
    grown::stopping_reader(&whole, data, options, few, (&stops, stop));

    if this_time {
        let bytewise = Feeding {
            size: |_| 1,
            ask: |_| Ask::Frames,
        };
        grown::feed(&whole, data, options, &bytewise);
    } else {
        let late = Feeding {
            size: |_| data.len() / 2 + 1,
            ask: |at| {
                if at == vary / 2 {
                    Ask::All
                } else {
                    Ask::Nothing
                }
            },
        };
        grown::feed(&whole, data, options, &late);
    }
    // Examining the current state takes as long as reading, so it is done only a few times.
    let rarely = data.len() / 200 + 3;
    let odd_pieces = Feeding {
        // Every fourth piece is empty.
        size: |at| if at % 4 == 3 { 0 } else { odd(at) },
        ask: |at| match at % rarely {
            0 => Ask::All,
            1 => Ask::Nothing,
            _ => Ask::Frames,
        },
    };
    grown::feed(&whole, data, options, &odd_pieces);
    whole
}

fn strictnesses(strict: &Outcome<'_>, lenient: &Outcome<'_>) {
    match (strict, lenient) {
        (Ok(strict), Ok(lenient)) => {
            assert_eq!(strict.header, lenient.header);
            assert_eq!(strict.frames, lenient.frames);
            assert_eq!(strict.end, lenient.end);
            assert!(strict.problem.is_none() && lenient.failure.is_none());
            let failure = strict.failure.as_ref();
            let finding = failure.and_then(|failure| failure.finding());
            assert_eq!(finding, lenient.problem.as_ref());
        }
        (Err(strict), Err(lenient)) => assert_eq!(strict, lenient),
        (strict, lenient) => panic!("strictly {strict:?}, leniently {lenient:?}"),
    }
}
