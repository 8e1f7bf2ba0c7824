//! What many recordings have in common, as findings.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;

use gametape::core::{Class, Datum, Finding};
use gametape::{AnyFinding, Related, Relations, Told};

use super::check::Audited;
use crate::located::{located, shown};

/// Files that may have something in common, and what.
#[derive(Default)]
pub struct Files {
    relations: Relations,
    /// By their numbers.
    known: Vec<(OsString, &'static str)>,
    /// Files that several paths lead to.
    seen: HashSet<u64>,
}

/// What is found of one of them.
pub struct OfFile {
    pub file: u32,
    pub findings: Vec<AnyFinding>,
}

impl Files {
    /// Takes a file; gives its number, unless it was taken already or has nothing to compare.
    ///
    /// `real` says which file it is, where several paths may lead to one.
    pub fn add(&mut self, path: OsString, real: Option<u64>, audited: &Audited) -> Option<u32> {
        let traces = &audited.audit.traces;
        let is_new = real.is_none_or(|real| self.seen.insert(real));
        if traces.is_empty() || !is_new {
            return None;
        }
        self.known.push((path, audited.format));
        Some(self.relations.add(audited.relations, traces))
    }

    /// What they have in common, in their order.
    pub fn find(&mut self) -> Vec<Related> {
        std::mem::take(&mut self.relations).find()
    }

    /// The same as findings, file by file: made one by one, as all of them may be many.
    pub fn tell<'f>(&'f self, found: &'f [Related]) -> impl Iterator<Item = OfFile> + 'f {
        let of_one = found.chunk_by(|a, b| a.tape == b.tape);
        of_one.filter_map(|related| {
            let findings = related.iter().map(|related| self.finding(related));
            Some(OfFile {
                file: related.first()?.tape,
                findings: findings.collect(),
            })
        })
    }

    /// The path and the format of a file.
    pub fn get(&self, file: u32) -> Option<&(OsString, &'static str)> {
        self.known.get(file as usize)
    }

    fn finding(&self, related: &Related) -> AnyFinding {
        let others = related.others.iter().filter_map(|other| self.get(*other));
        let others: Vec<&OsString> = others.map(|(path, _)| path).collect();
        let names: Vec<String> = others.iter().map(|path| shown(Path::new(path))).collect();
        let names = match (names.as_slice(), related.more) {
            (names, 1..) => format!("{} and {} more", names.join(", "), related.more),
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
