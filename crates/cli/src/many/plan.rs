//! What is to become what: known, and refused where it can't be, before anything is done.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use gametape::{Error, Format, Formats, Found};

use super::items::{Item, items};

/// A file, and what is to be made of it.
pub struct Job {
    pub found: Found,
    /// Below the folder.
    pub out: PathBuf,
}

/// One thing to do, or to complain of.
pub enum Task {
    Make(Job),
    Nothing(Error),
}

/// Where the recordings behind some paths go below a folder, or why that can't be: a sentence for each
/// reason. With `to` they get its extension.
pub fn plan(
    formats: &Formats,
    paths: &[OsString],
    folder: &Path,
    to: Option<&str>,
) -> Result<Vec<Task>, Vec<String>> {
    let wrong = in_the_way(formats, paths, folder);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    // What lies in the folder was made: it is not made something of again.
    let made = fs::canonicalize(folder).ok().filter(|folder| {
        let mut roots = paths.iter().filter_map(|path| fs::canonicalize(path).ok());
        roots.any(|root| folder.starts_with(root))
    });
    let mut known: BTreeSet<(PathBuf, PathBuf)> = BTreeSet::new();
    let mut tasks = Vec::new();
    for item in items(formats, paths) {
        let found = match item {
            Item::Found(found) => found,
            Item::Nothing(error) => {
                tasks.push(Task::Nothing(error));
                continue;
            }
            Item::Input => continue,
        };
        let real = fs::canonicalize(&found.path).unwrap_or_else(|_| found.path.clone());
        let lies_there = |folder: &PathBuf| !found.named && real.starts_with(folder);
        if made.as_ref().is_some_and(lies_there) {
            continue;
        }
        let out = output(formats, &found, to);
        // A file that two paths lead to is one.
        if known.insert((real, out.clone())) {
            tasks.push(Task::Make(Job { found, out }));
        }
    }
    let wrong = collisions(formats, &tasks, folder);
    if wrong.is_empty() {
        Ok(tasks)
    } else {
        Err(wrong)
    }
}

/// What of the command line itself can't be.
fn in_the_way(formats: &Formats, paths: &[OsString], folder: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    if paths.iter().any(|path| path == "-") {
        wrong.push("standard input has no name to go by below --out: IN OUT takes it".to_owned());
    }
    if fs::metadata(folder).is_ok_and(|meta| !meta.is_dir()) {
        wrong.push(format!("{}: is no folder", folder.display()));
    }
    let real = fs::canonicalize(folder).ok();
    for path in paths.iter().map(Path::new).filter(|path| path.is_dir()) {
        if real.is_some() && fs::canonicalize(path).ok() == real && !formats.is_folder(path) {
            wrong.push(format!(
                "{}: is where the recordings are; name another folder for what is made of them",
                folder.display()
            ));
        }
    }
    wrong
}

fn output(formats: &Formats, found: &Found, to: Option<&str>) -> PathBuf {
    let below = &found.below;
    let append = |extension: &str| {
        let mut name = OsString::from(below);
        name.push(".");
        name.push(extension);
        PathBuf::from(name)
    };
    if found.path.is_dir() {
        let own = formats.format_of(&found.path);
        let own = own.and_then(|format| format.extensions().first().copied());
        return to.or(own).map_or_else(|| below.clone(), append);
    }
    match to {
        None => below.clone(),
        Some(to) if formats.from_extension(below).is_some() => below.with_extension(to),
        Some(to) => append(to),
    }
}

/// What would be written twice, or over what is read.
fn collisions(formats: &Formats, tasks: &[Task], folder: &Path) -> Vec<String> {
    let jobs: Vec<&Job> = tasks
        .iter()
        .filter_map(|task| match task {
            Task::Make(job) => Some(job),
            Task::Nothing(_) => None,
        })
        .collect();
    let mut becoming: BTreeMap<&Path, Vec<&Job>> = BTreeMap::new();
    for job in &jobs {
        becoming.entry(&job.out).or_default().push(job);
    }
    let mut wrong = Vec::new();
    for (out, mut jobs) in becoming {
        if jobs.len() > 1 {
            // What is no recording becomes nothing.
            jobs.retain(|job| job.found.named || formats.format_of(&job.found.path).is_some());
        }
        if jobs.len() > 1 {
            let names = jobs.iter().map(|job| job.found.path.display().to_string());
            let names: Vec<String> = names.collect();
            wrong.push(format!(
                "{} would all become {}",
                names.join(" and "),
                folder.join(out).display()
            ));
        }
    }
    let read: BTreeSet<PathBuf> = jobs
        .iter()
        .filter_map(|job| fs::canonicalize(&job.found.path).ok())
        .collect();
    for job in &jobs {
        let path = folder.join(&job.out);
        if fs::canonicalize(&path).is_ok_and(|real| read.contains(&real)) {
            let path = path.display();
            wrong.push(format!("{path}: is one of the recordings themselves"));
        }
    }
    wrong
}

/// The format of an extension that was asked for, and the extension without its dot.
pub fn target<'f>(formats: &'f Formats, asked: &str) -> Result<(&'f dyn Format, String), String> {
    let extension = asked.strip_prefix('.').unwrap_or(asked);
    let name = Path::new("a").with_extension(extension);
    let is_one = name.extension() == Some(OsStr::new(extension));
    if let Some(format) = formats.from_extension(&name).filter(|_| is_one) {
        return Ok((format, extension.to_owned()));
    }
    let known = formats.iter().flat_map(<dyn Format>::extensions);
    let known: BTreeSet<&str> = known.copied().collect();
    let known: Vec<&str> = known.into_iter().collect();
    Err(format!(
        "{asked}: is the extension of no known format; there are {}",
        known.join(", ")
    ))
}
