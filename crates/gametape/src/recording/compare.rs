//! Comparing two recordings.

use std::borrow::Cow;
use std::sync::Arc;

use gametape_core::surface::diff_tables;
use gametape_core::tape::{self, Depth, Diff, Info, Options, Secrets, Tape, Verb, Work};
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
        self.diff_with(other, options, &Work::default())
    }

    /// Like [`Recording::diff`], with progress and cancellation.
    ///
    /// # Errors
    /// Same as [`Recording::diff`]; [`tape::Error::Cancelled`].
    pub fn diff_with(
        &self,
        other: &Self,
        options: &Options,
        work: &Work<'_>,
    ) -> Result<Diff, Error> {
        if self.format.kind() != other.format.kind() {
            let differ = tape::Error::FormatsDiffer {
                format: other.format.name(),
                other: self.format.name(),
            };
            return Err(Error::tape(&other.path)(differ));
        }
        self.check("compare", options, Verb::Diff)?;
        let diff = self.compare(other, work);
        let (mut diff, is_own) = diff.map_err(|error| match error {
            tape::Error::Other(error) => Error::tape(&other.path)(*error),
            error => Error::tape(&self.path)(error),
        })?;
        // Tables do not show everything: secrets, for example, may differ.
        if diff.same
            && !is_own
            && let Some(at) = first_difference(self, other, work)?
        {
            diff.same = false;
            diff.first = Some(format!(
                "byte {at}: the files differ in what is not shown, such as secrets; all that is shown is the same"
            ));
        }
        Ok(diff)
    }

    /// Compares the tables, after the format's own comparison. Returns also whether there is one.
    fn compare(&self, other: &Self, work: &Work<'_>) -> Result<(Diff, bool), tape::Error> {
        let tapes = [&self.tape, &other.tape];
        let own = self.tape.abilities().compare;
        let own = own.map(|own| own.compare(&*other.tape, work)).transpose()?;
        match own.flatten() {
            // Scanning tables takes about ten times as long.
            Some(diff) if diff.same => Ok((diff, true)),
            // If a recording breaks off, the format's own comparison has already reported it.
            Some(diff) => {
                // It has told the whole progress.
                let found = diff_tables(tapes, &work.silent())?;
                Ok((diff.with(found.readable()), true))
            }
            None => {
                let found = diff_tables(tapes, work)?.whole()?;
                let diff = Diff::of_tables(differing_details(tapes, &work.silent())?, found);
                Ok((diff, false))
            }
        }
    }
}

/// Compares the descriptions of two recordings.
fn differing_details(
    [ours, theirs]: [&Arc<dyn Tape>; 2],
    work: &Work<'_>,
) -> Result<Vec<[String; 3]>, tape::Error> {
    let told = |info: Info| {
        let mut told = info.details;
        told.insert("format_version".into(), info.format_version.into());
        told.insert("duration_ms".into(), info.duration_ms.into());
        told.insert("steps".into(), info.steps.into());
        told
    };
    let ours = told(ours.describe(Depth::Whole, Secrets::Hide, work)?.readable());
    let theirs = theirs.describe(Depth::Whole, Secrets::Hide, work);
    let theirs = theirs.map_err(tape::Error::of_other)?;
    let theirs = told(theirs.readable());
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
fn first_difference(a: &Recording, b: &Recording, work: &Work<'_>) -> Result<Option<u64>, Error> {
    let mut offset = 0;
    loop {
        work.wanted().map_err(Error::tape(&a.path))?;
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
