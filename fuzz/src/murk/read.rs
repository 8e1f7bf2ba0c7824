//! All ways into a recording agree.

use gametape_murk::{Frame, Limits, ReadOptions, Strictness};

use super::expected::{Outcome, checked};
use super::grown::{self, Ask, Feeding};
use super::source::Stop;
use super::{frame_limit, odd_size};

/// So small that small inputs reach them.
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
/// Also: at any time while a recording grows, the readers say what a slice of so much says, and go
/// on; so they do after a source that failed. A strict reading fails with what a lenient one names
/// as its problem. Errors are inside of the file, behind the frames that were whole, and their
/// numbers are those of the file. Every command is typed or says why not, its lists are no longer
/// than its bytes, and typed commands are encoded again as they were. No frame over the limit is
/// given, however it comes.
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

/// `vary` makes that not all has to be tried with all options.
fn every_way<'a>(data: &'a [u8], options: &ReadOptions, vary: usize) -> Outcome<'a> {
    let whole = checked(data, options);
    let odd = |at| odd_size(data, at + vary);

    // Each read costs the reader 64 KiB of zeros: tiny pieces are for small inputs.
    let few = |at| odd(at) * (8 + data.len() / 100);
    match vary {
        0 if data.len() < 200 => grown::reader(&whole, data, options, |_| 1),
        1 if data.len() < 800 => grown::reader(&whole, data, options, |_| 7),
        _ => grown::reader(&whole, data, options, few),
    }
    grown::reader(&whole, data, options, |_| usize::MAX);

    let mut stops = [1, 2, 3].map(|at| (odd(at) * data.len()) / 62);
    stops.sort_unstable();
    // Each strictness with each of these, with some limits.
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
    // To look at what there is takes as long as reading it: a few times are enough.
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
