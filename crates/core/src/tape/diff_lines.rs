//! Comparing what any format shows: for those that have nothing better.

use serde_json::{Map, Value};

use super::diff::Diff;
use super::error::Error;
use super::info::Secrets;
use super::trait_tape::{Dump, Tape};

/// Compares the descriptions and the dumps of two recordings, line by line: for formats that have
/// nothing better.
///
/// # Errors
/// What is wrong with either where it can't be read to its end.
pub fn diff_lines(tapes: [&dyn Tape; 2]) -> Result<Diff, Error> {
    let mut diff = Diff::default();
    let [first, second] = tapes;
    let (ours, our_dump) = shown(first)?;
    let (theirs, their_dump) = shown(second).map_err(Error::of_other)?;
    let missing = theirs.keys().filter(|key| !ours.contains_key(*key));
    for key in ours.keys().chain(missing) {
        let [ours, theirs] = [&ours, &theirs].map(|info| info.get(key).unwrap_or(&Value::Null));
        if ours != theirs {
            diff.header
                .push([key.clone(), ours.to_string(), theirs.to_string()]);
        }
    }
    compare_lines(&our_dump, &their_dump, &mut diff);
    diff.same = diff.first.is_none() && diff.header.is_empty();
    Ok(diff)
}

/// What the header says, and the dump.
fn shown(tape: &dyn Tape) -> Result<(Map<String, Value>, Vec<u8>), Error> {
    let details = tape.info(Secrets::Hide)?.value.details;
    let mut lines = Vec::new();
    match tape.dump(&Dump::default(), &mut lines)?.problem {
        Some(problem) => Err(problem),
        None => Ok((details, lines)),
    }
}

fn compare_lines(ours: &[u8], theirs: &[u8], diff: &mut Diff) {
    let lines = |dump: &'_ [u8]| -> Vec<Vec<u8>> {
        let lines = dump.split(|byte| *byte == b'\n');
        lines
            .filter(|line| !line.is_empty())
            .map(<[u8]>::to_vec)
            .collect()
    };
    let (ours, theirs) = (lines(ours), lines(theirs));
    let show = |line: Option<&Vec<u8>>| {
        line.map_or_else(
            || "nothing more".to_owned(),
            |line| String::from_utf8_lossy(line).into_owned(),
        )
    };
    for at in 0..ours.len().max(theirs.len()) {
        let (a, b) = (ours.get(at), theirs.get(at));
        if a == b {
            continue;
        }
        if diff.first.is_some() {
            diff.more += 1;
            continue;
        }
        let line: Option<Value> = a.or(b).and_then(|line| serde_json::from_slice(line).ok());
        let number = |key: &str| line.as_ref()?.get(key);
        diff.step = number("step").and_then(Value::as_u64);
        diff.tick = number("tick").and_then(Value::as_u64);
        diff.time_ms = number("time_ms").and_then(Value::as_f64);
        diff.first = Some(format!(
            "{} in the first, {} in the second",
            show(a),
            show(b)
        ));
    }
}
