//! What differs between two recordings, in the same shape for every format.

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::format::{Adapter, Dump};
use crate::source::Source;
use crate::{Error, Secrets};

/// What differs between two recordings.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Diff {
    /// True if nothing does.
    pub same: bool,
    /// Where they differ first, a sentence: in the recording's own terms.
    pub first: Option<String>,
    /// The tick of that place, or the time in milliseconds.
    pub tick: Option<u64>,
    /// How many frames or events differ behind it.
    pub more: u64,
    /// What differs in the headers: what, in the first, in the second.
    pub header: Vec<[String; 3]>,
    /// What else is known of the first difference.
    pub details: Map<String, Value>,
}

/// Compares the descriptions and the dumps of two recordings, line by line.
pub(crate) fn diff_lines(
    adapter: &(impl Adapter + ?Sized),
    paths: [&Path; 2],
    sources: [&Source; 2],
) -> Result<Diff, Error> {
    let mut diff = Diff::default();
    let mut dumps = Vec::new();
    let mut infos = Vec::new();
    for (path, source) in paths.into_iter().zip(sources) {
        infos.push(adapter.info(path, source, Secrets::Hide)?.value.details);
        let mut lines = Vec::new();
        let dumped = adapter
            .dump(path, source, &Dump::default(), &mut lines)
            .map_err(|source| Error::Io {
                path: path.to_owned(),
                source,
            })??;
        if let Some(problem) = dumped.problem {
            return Err(problem);
        }
        dumps.push(lines);
    }
    if let [ours, theirs] = infos.as_slice() {
        for (key, value) in ours {
            let other = theirs.get(key).unwrap_or(&Value::Null);
            if value != other {
                let [ours, theirs] = [value, other].map(ToString::to_string);
                diff.header.push([key.clone(), ours, theirs]);
            }
        }
    }
    if let [ours, theirs] = dumps.as_slice() {
        let mut ours = ours
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        let mut theirs = theirs
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        loop {
            let (a, b) = (ours.next(), theirs.next());
            if a.is_none() && b.is_none() {
                break;
            }
            if a == b {
                continue;
            }
            if diff.first.is_some() {
                diff.more += 1;
                continue;
            }
            let show = |line: Option<&[u8]>| {
                line.map_or_else(
                    || "nothing more".to_owned(),
                    |line| String::from_utf8_lossy(line).into_owned(),
                )
            };
            diff.tick = a.or(b).and_then(time);
            diff.first = Some(format!(
                "{} in the first, {} in the second",
                show(a),
                show(b)
            ));
        }
    }
    diff.same = diff.first.is_none() && diff.header.is_empty();
    Ok(diff)
}

fn time(line: &[u8]) -> Option<u64> {
    let value: Value = serde_json::from_slice(line).ok()?;
    value.get("time_ms").or_else(|| value.get("tick"))?.as_u64()
}
