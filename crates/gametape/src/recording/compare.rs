//! Comparing two recordings.

use std::borrow::Cow;
use std::sync::Arc;

use gametape_core::table::diff_tables;
use gametape_core::tape::{self, Depth, Diff, Info, Options, Secrets, Tape, Verb};
use serde_json::Value;

use super::Recording;
use crate::Error;

impl Recording {
    /// Compares two recordings of one kind.
    ///
    /// # Errors
    /// [`tape::Error::FormatsDiffer`]; an error if a recording cannot be read. Formats without
    /// their own comparison need recordings that can be read to their end.
    pub fn diff(&self, other: &Self, options: &Options) -> Result<Diff, Error> {
        if self.format.kind() != other.format.kind() {
            let differ = tape::Error::FormatsDiffer {
                format: other.format.name(),
                other: self.format.name(),
            };
            return Err(Error::tape(&other.path)(differ));
        }
        self.check("compare", options, Verb::Diff)?;
        let diff = self.compare(other);
        let mut diff = diff.map_err(|error| match error {
            tape::Error::Other(error) => Error::tape(&other.path)(*error),
            error => Error::tape(&self.path)(error),
        })?;
        if diff.same && !diff.exhaustive {
            self.look_closer(other, &mut diff)?;
        }
        Ok(diff)
    }

    /// Combines the format's own comparison with that of the tables.
    fn compare(&self, other: &Self) -> Result<Diff, tape::Error> {
        let tapes = [&self.tape, &other.tape];
        let compare = self.tape.abilities().compare;
        let better = compare.map(|compare| compare.compare(&*other.tape));
        let better = better.transpose()?.flatten();
        if let Some(better) = better {
            if better.same && better.exhaustive {
                return Ok(better);
            }
            // If a recording breaks off, the format's own comparison has already reported it.
            return Ok(better.with(diff_tables(tapes)?.value));
        }
        let found = diff_tables(tapes)?;
        match found.problem {
            Some(problem) => Err(problem),
            None => Ok(Diff::of_tables(differing_details(tapes)?, found.value)),
        }
    }

    /// Compares bytes, because data that is not shown (such as secrets) may differ.
    fn look_closer(&self, other: &Self, diff: &mut Diff) -> Result<(), Error> {
        let Some(at) = first_difference(self, other)? else {
            return Ok(());
        };
        diff.same = false;
        diff.first = Some(format!(
            "byte {at}: the files differ in what is not shown, such as secrets; all that is shown is the same"
        ));
        Ok(())
    }
}

/// Compares the descriptions of two recordings.
fn differing_details([ours, theirs]: [&Arc<dyn Tape>; 2]) -> Result<Vec<[String; 3]>, tape::Error> {
    let told = |info: Info| {
        let mut told = info.details;
        told.insert("format_version".into(), info.format_version.into());
        told.insert("duration_ms".into(), info.duration_ms.into());
        told.insert("frames".into(), info.frames.into());
        told
    };
    let ours = told(ours.describe(Depth::Whole, Secrets::Hide)?.value);
    let theirs = theirs.describe(Depth::Whole, Secrets::Hide);
    let theirs = theirs.map_err(tape::Error::of_other)?;
    let theirs = told(theirs.value);
    let more = theirs.keys().filter(|key| !ours.contains_key(*key));
    let keys = ours.keys().chain(more);
    let pairs = keys.map(|key| {
        let [a, b] = [&ours, &theirs].map(|details| details.get(key).unwrap_or(&Value::Null));
        (key, a, b)
    });
    let differing = pairs.filter(|(_, a, b)| a != b);
    Ok(differing
        .map(|(key, a, b)| [key.clone(), a.to_string(), b.to_string()])
        .collect())
}

/// Returns the first byte in which two files differ.
fn first_difference(a: &Recording, b: &Recording) -> Result<Option<u64>, Error> {
    let mut offset = 0;
    loop {
        let (ours, theirs) = (part(a, offset)?, part(b, offset)?);
        if ours != theirs {
            let at = ours.iter().zip(&*theirs).position(|(a, b)| a != b);
            let at = at.unwrap_or(ours.len().min(theirs.len()));
            return Ok(Some(offset + at as u64));
        }
        if ours.is_empty() {
            return Ok(None);
        }
        offset += ours.len() as u64;
    }
}

/// Reads the part of a file that is compared at once.
fn part(of: &Recording, offset: u64) -> Result<Cow<'_, [u8]>, Error> {
    const PART: u64 = 1 << 20;
    let left = of.input().size().saturating_sub(offset);
    let part = of.input().range(offset, left.min(PART));
    part.map_err(Error::io(&of.path))
}
