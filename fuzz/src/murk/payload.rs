//! Checks typed payloads.

use gametape_murk::{Command, Frame, Payload, PayloadError};

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
        (payload, trailing) => panic!("{payload:?}, but behind it: {trailing:?}"),
    };
    assert_eq!(payload.tag(), command.payload_type);
    assert!(payload.name() == Payload::NAMES[usize::from(payload.tag())]);
    assert!(words(&payload).len() <= bytes.len());
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

/// The whole payload as numbers, floats as their bits.
pub(super) fn words(payload: &Payload<'_>) -> Vec<u64> {
    let mut words = vec![u64::from(payload.tag())];
    match *payload {
        Payload::Move { entity_id, target } => {
            words.push(entity_id);
            words.push(target.len() as u64);
            words.extend(target.iter().map(signed));
        }
        Payload::Spawn {
            coord,
            field_values,
        } => {
            words.push(coord.len() as u64);
            words.extend(coord.iter().map(signed));
            words.push(field_values.len() as u64);
            words.extend(field_values.iter().flat_map(single));
        }
        Payload::Despawn { entity_id } => words.push(entity_id),
        Payload::SetField {
            coord,
            field,
            value,
        } => {
            words.push(coord.len() as u64);
            words.extend(coord.iter().map(signed));
            words.extend(single((field, value)));
        }
        Payload::Custom { type_id, data } => {
            words.push(type_id.into());
            words.push(data.len() as u64);
            words.extend(data.iter().copied().map(u64::from));
        }
        Payload::SetParameter { key, value } => words.extend(double((key, value))),
        Payload::SetParameterBatch { parameters } => {
            words.push(parameters.len() as u64);
            words.extend(parameters.iter().flat_map(double));
        }
        ref other => panic!("a kind without a check: {other:?}"),
    }
    words
}

pub(super) fn signed(value: i32) -> u64 {
    u64::from(value as u32)
}

pub(super) fn single((key, value): (u32, f32)) -> [u64; 2] {
    [key.into(), value.to_bits().into()]
}

pub(super) fn double((key, value): (u32, f64)) -> [u64; 2] {
    [key.into(), value.to_bits()]
}
