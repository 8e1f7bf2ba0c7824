//! Checks typed payloads.

use gametape_murk::{Command, Frame, Payload, PayloadError};
use gametape_testkit::murk::Body;

/// A payload is typed or there is an error with the reason; lists contain no more than the bytes
/// do; encoding a decoded payload gives the same bytes.
pub(super) fn check(frame: &Frame<'_>, at: u32, command: &Command<'_>) {
    let bytes = command.payload;
    let (payload, trailing) = match (command.payload(), command.trailing()) {
        (Ok(payload), Ok(trailing)) => (payload, trailing),
        (Err(error), Err(again)) => {
            assert_eq!(error, again);
            refused(frame, at, command, error);
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

fn refused(frame: &Frame<'_>, at: u32, command: &Command<'_>, error: PayloadError) {
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
