//! The one limit that slices do not have.

use gametape_murk::{Fed, Feed, Frame, Limits, ReadOptions, Reader, Strictness};

use super::expected::{Expected, Failure};

/// With a limit on the size of a frame, the first frame that exceeds it is the error, in whatever
/// pieces it arrives. Before it, and without such a frame, the result is the same as without the
/// limit.
pub(super) fn check(whole: &Expected<'_>, data: &[u8], limits: Limits, limit: u64) {
    let options = ReadOptions {
        strictness: Strictness::Strict,
        limits: Limits {
            max_frame_bytes: limit,
            ..limits
        },
    };
    let fits = |frame: &&Frame<'_>| frame.size() <= limit;
    let allowed = whole.frames.iter().take_while(fits).count();

    let mut first = None;
    for size in [1, 7, 31, data.len().max(1)] {
        let mut feed = Feed::with_options(options);
        let mut pieces = data.chunks(size);
        let mut taken = 0;
        let failure = loop {
            match feed.next_frame() {
                Ok(Fed::Item(frame)) => {
                    assert_eq!(Some(&frame), whole.frames.get(taken));
                    taken += 1;
                }
                Ok(Fed::NeedMore) => match pieces.next() {
                    Some(piece) => feed.push(piece),
                    None => feed.finish(),
                },
                Ok(Fed::End) => break None,
                Err(error) => break Some(Box::<Failure>::from(error)),
            }
        };
        ended(whole, (allowed, taken), failure.as_deref(), size);
        match &first {
            None => first = Some(failure),
            Some(first) => assert_eq!(&failure, first, "in pieces of {size}"),
        }
    }

    let mut reader = Reader::with_options(data, options);
    let mut taken = 0;
    let failure = loop {
        match reader.next_frame() {
            Ok(Some(frame)) => {
                assert_eq!(Some(&frame), whole.frames.get(taken));
                taken += 1;
            }
            Ok(None) => break None,
            Err(error) => break Some(Box::<Failure>::from(error)),
        }
    };
    ended(whole, (allowed, taken), failure.as_deref(), data.len());
    assert_eq!(Some(failure), first, "from a source");
}

fn ended(
    whole: &Expected<'_>,
    (allowed, taken): (usize, usize),
    failure: Option<&Failure>,
    size: usize,
) {
    assert_eq!(taken, allowed, "in pieces of {size}");
    match failure {
        Some(failure) if failure.code == "murk.limit" && failure.frame == Some(taken as u64) => {
            match whole.frames.get(taken) {
                Some(over) => assert_eq!(failure.offset, Some(over.offset)),
                // An incomplete frame can exceed the limit, too.
                None => assert!(whole.failure.is_some(), "{failure:?}"),
            }
        }
        failure => {
            assert_eq!(taken, whole.frames.len(), "{failure:?}");
            assert_eq!(failure, whole.failure.as_deref());
        }
    }
}
