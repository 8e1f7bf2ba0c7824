//! What many recordings have in common, as findings.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use gametape::core::{Class, Datum, Finding};
use gametape::{AnyFinding, Related, Relations, Told, Verdict};

use super::check::{Audited, Came};
use crate::located::{located, shown};

/// So many others a sentence names.
const NAMED: usize = 8;

/// All files, those that may have something in common, and what.
#[derive(Default)]
pub struct Files {
    relations: Relations,
    /// The paths that led to each of them first.
    paths: Vec<OsString>,
    /// Which of these led to a file, and how far reading it came.
    met: HashMap<u64, (usize, Came)>,
    /// Those that may have something in common, by their numbers.
    known: Vec<Known>,
}

/// What is known of a file by itself.
struct Known {
    path: usize,
    format: &'static str,
    verdict: Verdict,
}

/// What is found of one of them.
pub struct OfFile<'f> {
    pub file: u32,
    pub path: &'f OsStr,
    pub format: &'static str,
    /// By itself, and with what it has in common with others.
    pub alone: Verdict,
    pub verdict: Verdict,
    pub findings: Vec<AnyFinding>,
}

/// Whether a path leads to a file of before.
pub enum Met {
    /// It does not: its number.
    New(usize),
    /// It leads where this one did.
    Again(OsString),
}

impl Files {
    /// A path that leads to a file: `real` says to which.
    ///
    /// One that could be read no better than from here is told once. What lies beside it may make it
    /// readable.
    pub fn meet(&mut self, path: &OsStr, real: u64, came: Came) -> Met {
        let new = self.paths.len();
        match self.met.entry(real) {
            Entry::Vacant(entry) => {
                entry.insert((new, came));
            }
            Entry::Occupied(mut entry) => {
                let (first, best) = entry.get();
                let first = self.paths.get(*first).filter(|_| came <= *best);
                match first {
                    Some(first) => return Met::Again(first.clone()),
                    None => entry.insert((new, came)),
                };
            }
        }
        self.paths.push(path.to_owned());
        Met::New(new)
    }

    /// Takes what may have something in common with others; gives its number, unless there is nothing to
    /// compare.
    pub fn add(&mut self, path: usize, audited: &Audited) -> Option<u32> {
        let Audited { audit, format, .. } = audited;
        if audit.traces.is_empty() {
            return None;
        }
        self.known.push(Known {
            path,
            format,
            verdict: audit.verdict(),
        });
        Some(self.relations.add(audited.relations, &audit.traces))
    }

    /// What they have in common, in their order.
    pub fn find(&mut self) -> Vec<Related> {
        std::mem::take(&mut self.relations).find()
    }

    /// The verdict on a file by itself, and the one with what is found of it among the others.
    pub fn verdicts(&self, found: &[Related]) -> Option<(Verdict, Verdict)> {
        let known = self.known.get(found.first()?.tape as usize)?;
        let worst = found.iter().map(|related| related.severity).max();
        Some((known.verdict, known.verdict.max(Verdict::of(worst))))
    }

    /// What is found of them, file by file: made one by one, as all of them may be many.
    pub fn tell<'f>(&'f self, found: &'f [Related]) -> impl Iterator<Item = OfFile<'f>> {
        let of_one = found.chunk_by(|a, b| a.tape == b.tape);
        of_one.filter_map(|related| {
            let file = related.first()?.tape;
            let (alone, verdict) = self.verdicts(related)?;
            let findings = related.iter().map(|related| self.finding(related));
            Some(OfFile {
                file,
                path: self.path(file)?,
                format: self.known.get(file as usize)?.format,
                alone,
                verdict,
                findings: findings.collect(),
            })
        })
    }

    fn path(&self, file: u32) -> Option<&OsStr> {
        let known = self.known.get(file as usize)?;
        self.paths.get(known.path).map(OsString::as_os_str)
    }

    fn finding(&self, related: &Related) -> AnyFinding {
        let others = related.others.iter().filter_map(|other| self.path(*other));
        let others: Vec<&OsStr> = others.collect();
        let names = others.iter().take(NAMED);
        let names: Vec<String> = names.map(|path| shown(Path::new(path))).collect();
        let more = related.more + (others.len() - names.len()) as u64;
        let names = match (names.as_slice(), more) {
            (names, 1..) => format!("{} and {more} more", names.join(", ")),
            ([], _) => String::new(),
            ([name], _) => name.clone(),
            ([names @ .., last], _) => format!("{} and {last}", names.join(", ")),
        };
        let paths = others.into_iter().map(|path| {
            let path = located([("path", path)], serde_json::Value::Null);
            let text = |key| Some(path.get(key)?.as_str()?.to_owned());
            (text("path").unwrap_or_default(), text("path_bytes"))
        });
        let paths: Vec<(String, Option<String>)> = paths.collect();
        let mut data = vec![("kind", Datum::Text(related.relation.kind.into()))];
        if let Some((path, bytes)) = paths.first() {
            data.push(("other", Datum::Text(path.clone().into())));
            let bytes = bytes
                .clone()
                .map(|bytes| ("other_bytes", Datum::Text(bytes.into())));
            data.extend(bytes);
        }
        let others = paths.into_iter().map(|(path, bytes)| {
            let bytes = bytes.map(|bytes| ("path_bytes", Datum::Text(bytes.into())));
            let path = ("path", Datum::Text(path.into()));
            Datum::Map(std::iter::once(path).chain(bytes).collect())
        });
        data.push(("others", Datum::List(others.collect())));
        data.push(("more", Datum::Uint(related.more)));
        data.push(("expected", Datum::Float(related.expected)));
        let sentence = format!("{} {names}", related.relation.says);
        Finding::new(Told {
            code: related.relation.code,
            severity: related.severity,
            class: Class::File,
            sentence: gametape::core::text::printable(&sentence),
            data,
        })
    }
}
