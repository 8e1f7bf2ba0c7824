//! The results of the slice reader, which the other readers must give as well.

use gametape_murk::{
    Command, Error, Finding, Frame, Header, MIN_COMMAND_BYTES, Payload, PayloadError, ReadOptions,
    Rule, read_with,
};
use gametape_testkit::murk::Body;

/// A header that was read, and the frames after it.
#[derive(Debug)]
pub(super) struct Expected<'a> {
    pub header: Header<'a>,
    pub frames: Vec<Frame<'a>>,
    /// The offset of the end of the last complete frame.
    pub end: u64,
    /// Why strict reading stopped.
    pub failure: Option<Error>,
    /// Why lenient reading stopped.
    pub problem: Option<Finding>,
}

pub(super) type Outcome<'a> = Result<Expected<'a>, Error>;

pub(super) fn is_cut(rule: &Rule) -> bool {
    matches!(
        rule,
        Rule::Truncated { .. } | Rule::PayloadTruncated { .. } | Rule::CommandTruncated { .. }
    )
}

/// Reads a slice.
pub(super) fn slice<'a>(data: &'a [u8], options: &ReadOptions) -> Outcome<'a> {
    let replay = read_with(data, *options)?;
    let mut frames = replay.frames();
    let mut expected = Expected {
        header: replay.header().clone(),
        frames: Vec::new(),
        end: replay.header_size(),
        failure: None,
        problem: None,
    };
    loop {
        match frames.next() {
            None => break,
            Some(Ok(frame)) => {
                assert!(frames.findings().is_empty(), "a frame behind a problem");
                expected.frames.push(frame);
            }
            Some(Err(error)) => {
                expected.failure = Some(error);
                assert!(frames.next().is_none(), "nothing follows an error");
                break;
            }
        }
    }
    assert!(frames.next().is_none(), "the end is the end");
    expected.end = frames.offset();
    expected.problem = frames.findings().iter().next().cloned();
    Ok(expected)
}

/// Reads a slice, and checks that the result is consistent and fits the bytes.
pub(super) fn checked<'a>(data: &'a [u8], options: &ReadOptions) -> Outcome<'a> {
    let expected = slice(data, options);
    match &expected {
        Err(failure) => {
            placed(failure, data, 0);
            exact(failure, data, options);
        }
        Ok(expected) => {
            contiguous(expected, data, options);
            for (count, frame) in (0_u64..).zip(&expected.frames) {
                assert_eq!(frame.index, count);
                commands(frame);
            }
            if let Some(failure) = &expected.failure {
                placed(failure, data, expected.end);
                exact(failure, data, options);
                assert_eq!(failure.step(), Some(expected.frames.len() as u64));
            }
            assert!(
                expected.failure.is_none() || expected.problem.is_none(),
                "told once"
            );
        }
    }
    expected
}

fn contiguous(expected: &Expected<'_>, data: &[u8], options: &ReadOptions) {
    let replay = read_with(data, *options).expect("it was read");
    let mut at = replay.header_size();
    for frame in &expected.frames {
        assert_eq!(frame.offset, at);
        at += frame.size();
    }
    assert_eq!(at, expected.end);
    let complete = expected.end == data.len() as u64;
    assert_eq!(
        complete,
        expected.failure.is_none() && expected.problem.is_none(),
        "whole, or told why not"
    );
    // Reading from any frame: the last one, and one in the middle.
    for from in [
        expected.frames.last(),
        expected.frames.get(expected.frames.len() / 2),
    ]
    .into_iter()
    .flatten()
    {
        let behind = replay.frames_from(from.index, from.offset);
        let whole: Vec<_> = behind.map_while(Result::ok).collect();
        assert_eq!(whole, expected.frames[from.index as usize..]);
    }
    // An index may be wrong: no offset makes a reader panic.
    for offset in [data.len() as u64, data.len() as u64 + 1, u64::MAX] {
        assert!(replay.frames_from(u64::MAX, offset).next().is_none());
    }
}

fn commands(frame: &Frame<'_>) {
    let commands = frame.commands();
    let count = commands.len();
    assert_eq!(commands.is_empty(), count == 0);
    assert_eq!(commands.iter().len(), count);
    assert!(count as u64 * MIN_COMMAND_BYTES <= commands.as_bytes().len() as u64);
    let mut seen = 0;
    let mut size = 0;
    for (at, command) in (0_u32..).zip(commands) {
        check_payload(frame, at, &command);
        let source = |value: Option<u64>| if value.is_some() { 8 } else { 0 };
        let sources = source(command.envelope.source_id) + source(command.envelope.source_seq);
        size += MIN_COMMAND_BYTES as usize + command.payload.len() + sources;
        seen += 1;
    }
    assert_eq!(seen, count, "as many as are claimed");
    assert_eq!(size, commands.as_bytes().len(), "and nothing between them");
}

/// The number of missing bytes is exact: one byte less is not enough, and this number is.
fn exact(failure: &Error, data: &[u8], options: &ReadOptions) {
    let (needed, left) = match failure.finding().map(|finding| &finding.rule) {
        Some(
            Rule::Truncated { needed, left, .. }
            | Rule::PayloadTruncated { needed, left, .. }
            | Rule::CommandTruncated { needed, left, .. },
        ) => (*needed, *left),
        _ => return,
    };
    let missing = needed - left;
    if missing > 64 {
        return;
    }
    let mut more = data.to_vec();
    more.resize(data.len() + missing as usize - 1, 0);
    let short = failure_of(&more, options).expect("a byte is missing");
    assert!(short.is_truncated(), "{short:?}, before {failure:?}");
    assert_eq!(short.offset(), failure.offset());
    more.push(0);
    if let Some(next) = failure_of(&more, options) {
        assert!(
            !next.is_truncated() || next.offset() > failure.offset(),
            "{next:?}, before {failure:?}"
        );
    }
}

fn failure_of(data: &[u8], options: &ReadOptions) -> Option<Error> {
    match slice(data, options) {
        Ok(expected) => expected.failure,
        Err(failure) => Some(failure),
    }
}

/// The error is within the file, after the complete part, and its numbers are right.
fn placed(failure: &Error, data: &[u8], end: u64) {
    let offset = failure.offset().expect("a slice does not fail");
    let size = data.len() as u64;
    assert!((end..=size).contains(&offset), "{failure:?}");
    if failure.step().is_some() {
        let tick = data[end as usize..].first_chunk().copied();
        assert_eq!(failure.tick(), tick.map(u64::from_le_bytes), "{failure:?}");
    }
    let message = failure.to_string();
    let finding = failure.finding().expect("a slice does not fail");
    assert_eq!(finding.code(), failure.code());
    assert_eq!(finding.place.offset, failure.offset());
    assert!(
        message.contains(&finding.message()) && message.contains(&finding.place.to_string()),
        "{message}: {finding}"
    );
    assert_eq!(failure.is_truncated(), is_cut(&finding.rule));
    assert_eq!(
        failure.is_limit(),
        matches!(finding.rule, Rule::Limit { .. })
    );
    match finding.rule {
        Rule::Magic { found } => assert_eq!(data[..4], found),
        Rule::Version { found } => assert_eq!(data[4], found),
        Rule::Truncated { needed, left, .. }
        | Rule::PayloadTruncated { needed, left, .. }
        | Rule::CommandTruncated { needed, left, .. } => {
            assert_eq!(left, size - offset, "{failure:?}");
            assert!(needed > left, "{failure:?}");
        }
        Rule::Limit { claimed, limit, .. } => {
            assert!(claimed > limit);
            let length = data[offset as usize..].first_chunk().copied();
            let length = length.map(|bytes| u32::from_le_bytes(bytes).into());
            assert_eq!(length, Some(claimed), "{failure:?}");
        }
        Rule::PresenceFlag { found, .. } => {
            assert_eq!(data[offset as usize], found, "{failure:?}");
            assert!(found > 1);
        }
        Rule::Utf8 { byte, .. } => assert_eq!(data[offset as usize], byte, "{failure:?}"),
        ref rule => panic!("no rule of a reader: {rule:?}"),
    }
}

/// A payload is typed or there is an error with the reason; lists contain no more than the bytes
/// do; encoding a decoded payload gives the same bytes.
fn check_payload(frame: &Frame<'_>, at: u32, command: &Command<'_>) {
    let bytes = command.payload;
    let (payload, trailing) = match (command.payload(), command.trailing()) {
        (Ok(payload), Ok(trailing)) => (payload, trailing),
        (Err(error), Err(again)) => {
            assert_eq!(error, again);
            refused_payload(frame, at, command, error);
            return;
        }
        (payload, trailing) => panic!("{payload:?}, but after it: {trailing:?}"),
    };
    assert_eq!(payload.tag(), command.payload_type);
    assert!(payload.name() == Payload::NAMES[usize::from(payload.tag())]);
    assert!(Body::of(&payload).entries() <= bytes.len());
    assert!(bytes.ends_with(trailing));
    let mut again = Vec::new();
    payload.encode(&mut again).expect("it was short enough");
    assert_eq!(again.len() + trailing.len(), bytes.len());
    assert!(bytes.starts_with(&again), "encoded otherwise: {payload:?}");
}

fn refused_payload(frame: &Frame<'_>, at: u32, command: &Command<'_>, error: PayloadError) {
    let known = usize::from(command.payload_type) < Payload::NAMES.len();
    match error {
        PayloadError::UnknownType { tag } => {
            assert_eq!(tag, command.payload_type);
            assert!(!known);
        }
        PayloadError::Short { kind, bytes } => {
            assert_eq!(kind, Payload::NAMES[usize::from(command.payload_type)]);
            assert_eq!(bytes, command.payload.len());
        }
        ref other => panic!("{other:?}"),
    }
    let error = frame.payload_error(at, error);
    let code = if known {
        "murk.short-payload"
    } else {
        "murk.unknown-payload"
    };
    assert_eq!(error.code(), code);
    assert_eq!(error.step(), Some(frame.index));
    assert_eq!(error.tick(), Some(frame.tick));
    assert!(!error.is_truncated() && !error.is_limit());
    assert!(!error.to_string().is_empty());
}
