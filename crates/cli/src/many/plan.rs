//! The recordings that the paths of a command line lead to, and the files to make of them. A plan is checked
//! as a whole before any work begins.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use gametape::core::Spell as _;
use gametape::{Error, Format, Formats, Found};
#[cfg(any(feature = "live", feature = "tools"))]
use gametape::{OpenOptions, Recording};

/// The file or folder that a path leads to.
pub enum Item {
    /// Standard input.
    Input,
    /// A file, or a folder that is one recording.
    Found(Found),
    /// Nothing; the error says why.
    Nothing(Error),
}

/// Returns the items of these paths in order, each path once.
pub fn items(formats: &Formats, paths: &[OsString]) -> Vec<Item> {
    let of = |path: &OsString| {
        if path == "-" {
            return vec![Item::Input];
        }
        let found = formats.find(path).into_iter();
        found
            .map(|found| found.map_or_else(Item::Nothing, Item::Found))
            .collect()
    };
    let mut items: Vec<Item> = paths.iter().flat_map(of).collect();
    if paths.len() > 1 {
        let mut seen: HashSet<PathBuf> = HashSet::new();
        items.retain(|item| seen.insert(item.path().to_owned()));
    }
    items
}

/// Opens the recordings of these items. Each comes with `true` if it was named itself, `false` if it was
/// found in a folder or by a pattern. Files of other kinds that were only found are left out.
#[cfg(any(feature = "live", feature = "tools"))]
pub fn recordings<'a>(
    formats: &'a Formats,
    items: Vec<Item>,
    options: &'a OpenOptions,
    standard_input: impl Fn(&OsStr) -> Result<Recording, Error> + 'a,
) -> impl Iterator<Item = Result<(Recording, bool), Error>> + 'a {
    items.into_iter().filter_map(move |item| {
        let (opened, named) = match item {
            Item::Input => (standard_input("-".as_ref()), true),
            Item::Nothing(error) => (Err(error), true),
            Item::Found(found) => (formats.open_with(&found.path, options), found.named),
        };
        match opened {
            Err(Error::UnknownFormat { .. }) if !named => None,
            opened => Some(opened.map(|recording| (recording, named))),
        }
    })
}

impl Item {
    fn path(&self) -> &Path {
        match self {
            Self::Input => Path::new("-"),
            Self::Found(found) => &found.path,
            Self::Nothing(error) => error.path(),
        }
    }

    /// The number of bytes to read; 0 if unknown.
    pub fn size(&self) -> u64 {
        match self {
            Self::Found(found) => size(&found.path),
            Self::Input | Self::Nothing(_) => 0,
        }
    }
}

/// The size of a file, or of all files in a folder that is a recording.
pub fn size(path: &Path) -> u64 {
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            let metas = entries.filter_map(|entry| entry.metadata().ok());
            metas.map(|meta| meta.len()).sum()
        }
        Ok(meta) => meta.len(),
        Err(_) => 0,
    }
}

/// A recording, and the file to make of it.
pub struct Job {
    pub found: Found,
    /// The path of the output, relative to the output folder.
    pub out: PathBuf,
}

/// A file to make, or an error to report.
pub enum Task {
    Make(Job),
    Nothing(Error),
}

/// Plans the outputs of all recordings below a folder; with `to` they get this extension.
///
/// # Errors
/// A sentence for each reason why the plan is impossible.
pub fn plan(
    formats: &Formats,
    paths: &[OsString],
    folder: &Path,
    to: Option<&str>,
) -> Result<Vec<Task>, Vec<String>> {
    let problems = check_paths(formats, paths, folder);
    if !problems.is_empty() {
        return Err(problems);
    }
    // If the output folder is inside an input folder, its files are outputs of earlier calls, not inputs.
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
        // A file that two paths lead to is made once.
        if known.insert((real, out.clone())) {
            tasks.push(Task::Make(Job { found, out }));
        }
    }
    let problems = collisions(formats, &tasks, folder);
    if problems.is_empty() {
        Ok(tasks)
    } else {
        Err(problems)
    }
}

/// Checks the paths of the command line.
fn check_paths(formats: &Formats, paths: &[OsString], folder: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    if paths.iter().any(|path| path == "-") {
        problems
            .push("standard input has no name to go by below --out: IN OUT takes it".to_owned());
    }
    if fs::metadata(folder).is_ok_and(|meta| !meta.is_dir()) {
        problems.push(format!("{}: is no folder", folder.spelled()));
    }
    let real = fs::canonicalize(folder).ok();
    for path in paths.iter().map(Path::new).filter(|path| path.is_dir()) {
        if real.is_some() && fs::canonicalize(path).ok() == real && !formats.is_folder(path) {
            problems.push(format!(
                "{}: is where the recordings are; name another folder for what is made of them",
                folder.spelled()
            ));
        }
    }
    problems
}

fn output(formats: &Formats, found: &Found, to: Option<&str>) -> PathBuf {
    let below = &found.below;
    let append = |extension: &str| {
        let mut name = OsString::from(below);
        name.push(".");
        name.push(extension);
        PathBuf::from(name)
    };
    if found.is_folder {
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

/// Finds outputs that would be written twice, or over an input.
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
    let mut problems = Vec::new();
    for (out, mut jobs) in becoming {
        if jobs.len() > 1 {
            // Nothing is made of files that are no recordings.
            jobs.retain(|job| job.found.named || formats.format_of(&job.found.path).is_some());
        }
        if jobs.len() > 1 {
            let names = jobs.iter().map(|job| job.found.path.spelled().into_owned());
            let names: Vec<String> = names.collect();
            problems.push(format!(
                "{} would all become {}: name one of them only, or convert them into folders apart",
                names.join(" and "),
                folder.join(out).spelled()
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
            let path = path.spelled();
            problems.push(format!("{path}: is one of the recordings themselves"));
        }
    }
    problems
}

/// Returns the format of an extension, and the extension without its dot.
pub fn target<'f>(formats: &'f Formats, asked: &str) -> Result<(&'f dyn Format, String), String> {
    let extension = asked.strip_prefix('.').unwrap_or(asked);
    let name = Path::new("a").with_extension(extension);
    let is_one = name.extension() == Some(OsStr::new(extension));
    if let Some(format) = formats.from_extension(&name).filter(|_| is_one) {
        return Ok((format, extension.to_owned()));
    }
    // `formats` lists names, too.
    let named = formats
        .get(asked)
        .and_then(|format| Some((format, format.extensions().first()?)));
    if let Some((format, extension)) = named {
        return Ok((format, (*extension).to_owned()));
    }
    let known = formats.iter().flat_map(<dyn Format>::extensions);
    let known: BTreeSet<&str> = known.copied().collect();
    let known: Vec<&str> = known.into_iter().collect();
    Err(format!(
        "{asked}: is the extension of no known format; there are {}",
        known.join(", ")
    ))
}
