//! Relations between recordings, such as the same game twice, as findings.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::{OsStr, OsString};

use gametape::core::Spell as _;
use gametape::core::{Class, Datum, Finding};
use gametape::{AnyFinding, Related, Relations, Told, Verdict};

use super::check::{Audited, Stage};
use crate::located::located;

/// The number of other files that a sentence names.
const NAMED: usize = 8;

/// All files, and their relations.
#[derive(Default)]
pub struct Files {
    relations: Relations,
    /// The first path of each file.
    paths: Vec<OsString>,
    /// The number of the path of each file, and how far reading it came.
    met: HashMap<u64, (usize, Stage)>,
    /// The files that may be related, by their numbers.
    known: Vec<Known>,
}

/// A file that may be related to others.
struct Known {
    path: usize,
    format: &'static str,
    verdict: Verdict,
}

/// The relations of a file, as findings.
pub struct FileFindings<'f> {
    pub file: u32,
    pub path: &'f OsStr,
    pub format: &'static str,
    /// The verdict on the file by itself, and the one with its relations.
    pub alone: Verdict,
    pub verdict: Verdict,
    pub findings: Vec<AnyFinding>,
}

/// Whether a path leads to a new file.
pub enum Met {
    /// The number of a new file.
    New(usize),
    /// The file that an earlier path led to; the earlier path.
    Again(OsString),
}

impl Files {
    /// Adds a path; `real` identifies the file that it leads to.
    ///
    /// A file counts as new again if this path made more of it readable: the files beside a path may matter.
    pub fn meet(&mut self, path: &OsStr, real: u64, stage: Stage) -> Met {
        let new = self.paths.len();
        match self.met.entry(real) {
            Entry::Vacant(entry) => {
                entry.insert((new, stage));
            }
            Entry::Occupied(mut entry) => {
                let (first, best) = entry.get();
                let first = self.paths.get(*first).filter(|_| stage <= *best);
                match first {
                    Some(first) => return Met::Again(first.clone()),
                    None => entry.insert((new, stage)),
                };
            }
        }
        self.paths.push(path.to_owned());
        Met::New(new)
    }

    /// Adds a recording; returns its number, or `None` if there is nothing to compare.
    pub fn add(&mut self, path: usize, audited: &Audited) -> Option<u32> {
        let (audit, format) = (&audited.of.audit, audited.of.format);
        if audit.traces.is_empty() {
            return None;
        }
        self.known.push(Known {
            path,
            format,
            verdict: audit.verdict(),
        });
        Some(self.relations.add(audited.of.relations, &audit.traces))
    }

    /// Returns the relations in the order of the files.
    pub fn find(&mut self) -> Vec<Related> {
        std::mem::take(&mut self.relations).find()
    }

    /// The verdict on a file by itself, and the one with its relations.
    pub fn verdicts(&self, found: &[Related]) -> Option<(Verdict, Verdict)> {
        let known = self.known.get(found.first()?.tape as usize)?;
        let worst = found.iter().map(|related| related.severity).max();
        Some((known.verdict, known.verdict.max(Verdict::of(worst))))
    }

    /// Returns the findings file by file, made lazily since there may be many.
    pub fn findings<'f>(&'f self, found: &'f [Related]) -> impl Iterator<Item = FileFindings<'f>> {
        let of_one = found.chunk_by(|a, b| a.tape == b.tape);
        of_one.filter_map(|related| {
            let file = related.first()?.tape;
            let (alone, verdict) = self.verdicts(related)?;
            let findings = related.iter().map(|related| self.finding(related));
            Some(FileFindings {
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
        let names: Vec<String> = names.map(|path| path.spelled().into_owned()).collect();
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
