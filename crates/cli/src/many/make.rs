//! Makes files of many recordings below a folder.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gametape::core::Spell as _;
use gametape::core::text::Counted;
use gametape::{
    Beside, Content, Error, Existing, Format, OptionDef, Options, Recording, Report,
    UnsyncedFolders, Verb, Work,
};
use serde_json::Value;

use super::manifest::{self, Entry, Fingerprint, Hashing, Manifest};
use super::packed::Packed;
use super::parallel::{Cores, cores, each};
use super::plan::{Job, Task, plan, size, target};
use super::progress::{InFile, Progress};
use super::report::{FileReport, MadeSummary, Status};
use crate::advice::of_output;
use crate::args::Below;
use crate::call::Call;
use crate::exit::Exit;
use crate::ui::Ui;

/// The size from which on a file may use all cores.
const LARGE: u64 = 32 << 20;

/// The number of threads per core: one works while another waits for the disk.
const THREADS: usize = 2;

/// Makes a recording of a format from another recording, with these options.
type Make = dyn Fn(&Recording, &dyn Format, &Options, &Work<'_>) -> Result<Outcome, Error> + Sync;

/// A verb that makes a file of each recording.
pub struct Making<'m> {
    /// The name of the verb.
    pub verb: &'static str,
    /// Whether the output's name decides its format; otherwise it keeps the format of the recording.
    pub converts: bool,
    /// Makes the file.
    pub make: &'m Make,
    /// The options for a recording of the first format that becomes one of the second.
    pub options: &'m (dyn Fn(&dyn Format, &dyn Format) -> Vec<OptionDef> + Sync),
    /// What happens to existing files that no earlier call made.
    pub existing: Existing,
}

/// The file that was made.
pub struct Outcome {
    pub content: Content,
    pub lossy: bool,
    pub losses: Vec<String>,
    pub notes: Vec<String>,
    pub actions: Vec<String>,
    /// The parts that were kept and may be altered: some of them, and the number of all.
    pub altered: (Vec<Value>, u64),
    pub report: Option<Report>,
    pub beside: Vec<Beside>,
}

/// The state while files are made.
struct MakingFolder<'r> {
    path: &'r Path,
    /// The folder that the user named, or the zip that it becomes.
    out: &'r Path,
    /// The target format, if one was given.
    to: Option<&'r dyn Format>,
    dry: bool,
    making: &'r Making<'r>,
    call: &'r Call<'r>,
    program: [&'static str; 2],
    manifest: Manifest,
    /// Whether the disk is full, so that no other file is begun.
    is_full: AtomicBool,
    progress: Progress,
    cores: Cores,
    /// The folders to sync. Once at the end is enough: if a power cut removes a name, the next call makes the
    /// file again.
    unsynced: UnsyncedFolders,
}

/// Makes a file of each recording below a folder.
///
/// # Errors
/// An error of standard output.
pub fn run(
    paths: &[OsString],
    below: &Below,
    to: Option<&str>,
    making: &Making<'_>,
    call: &Call<'_>,
    ui: &mut Ui,
) -> io::Result<Exit> {
    let Some(out) = below.out.as_deref() else {
        return Ok(Exit::Unusable);
    };
    let packed = Packed::of(out).map(|zip| Packed::begin(zip, making.existing, below.dry_run));
    let packed = match packed.transpose() {
        Ok(packed) => packed,
        Err(error) => return Ok(ui.fail(&of_output(error, out.as_os_str()))),
    };
    let exit = match in_folder(paths, below, packed.as_ref(), to, making, call, ui)? {
        RunEnd::Whole(exit) => exit,
        RunEnd::Full(exit) => return Ok(exit),
        RunEnd::Refused(exit) => {
            if let Some(packed) = packed {
                packed.abandon();
            }
            return Ok(exit);
        }
    };
    match packed.map(|packed| packed.finish(making.existing)) {
        Some(Err(error)) => Ok(exit.max(ui.fail(&of_output(error, out.as_os_str())))),
        _ => Ok(exit),
    }
}

/// The end of a call.
enum RunEnd {
    /// Each file was made, or has its error.
    Whole(Exit),
    /// There is no room left.
    Full(Exit),
    /// Nothing was begun.
    Refused(Exit),
}

/// Makes the files in the output folder, or in the folder that becomes a zip.
fn in_folder(
    paths: &[OsString],
    below: &Below,
    packed: Option<&Packed>,
    to: Option<&str>,
    making: &Making<'_>,
    call: &Call<'_>,
    ui: &mut Ui,
) -> io::Result<RunEnd> {
    let Some(out) = below.out.as_deref() else {
        return Ok(RunEnd::Refused(Exit::Unusable));
    };
    let path = packed.map_or(out, Packed::folder);
    let to = match to.map(|asked| target(call.formats, asked)).transpose() {
        Ok(to) => to,
        Err(message) => {
            return Ok(RunEnd::Refused(ui.refuse(&message)));
        }
    };
    let extension = to.as_ref().map(|(_, extension)| extension.as_str());
    let tasks = match plan(call.formats, paths, path, extension) {
        Ok(tasks) => tasks,
        Err(problems) => return Ok(RunEnd::Refused(refuse(&problems, ui))),
    };
    let to = to.map(|(format, _)| format);
    if let Err(error) = call
        .check_opening(paths)
        .and_then(|()| check_options(&tasks, to, making, call))
    {
        return Ok(RunEnd::Refused(ui.fail(&error)));
    }
    let manifest = match begin(path, below.dry_run, &tasks) {
        Ok(manifest) => manifest,
        Err(error) => return Ok(RunEnd::Refused(ui.fail(&error))),
    };
    let sizes = tasks.iter().map(Task::size);
    let folder = MakingFolder {
        path,
        out,
        to,
        dry: below.dry_run,
        making,
        call,
        program: [ui.name, call.version],
        manifest,
        is_full: AtomicBool::new(false),
        progress: Progress::new(tasks.len(), || sizes.sum()),
        cores: Cores::new(),
        unsynced: UnsyncedFolders::default(),
    };
    let ended = folder.make_all(tasks, ui)?;
    let Some(ended) = ended else {
        return Ok(RunEnd::Refused(ui.found_nothing(paths)));
    };
    Ok(ended)
}

/// Prints the problems of a plan, the first ten of many.
fn refuse(problems: &[String], ui: &mut Ui) -> Exit {
    const PRINTED: usize = 10;
    for message in problems.iter().take(PRINTED) {
        ui.complain(message);
    }
    if let Some(more) = problems.len().checked_sub(PRINTED).filter(|more| *more > 0) {
        ui.complain(&format!("and {more} more of that kind"));
    }
    Exit::Unusable
}

/// Prepares the folder and opens its manifest; in a dry run only reads it.
fn begin(folder: &Path, dry: bool, tasks: &[Task]) -> Result<Manifest, Error> {
    if dry {
        return Ok(Manifest::read(folder));
    }
    fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let manifest = Manifest::open(folder)?;
    let mut folders: BTreeSet<PathBuf> = manifest.folders().collect();
    folders.extend(tasks.iter().filter_map(|task| match task {
        Task::Make(job) => Some(folder.join(job.out.parent()?)),
        Task::Nothing(_) => None,
    }));
    for folder in folders {
        gametape::remove_leftovers(&folder);
    }
    Ok(manifest)
}

/// Refuses options that none of the recordings knows.
fn check_options(
    tasks: &[Task],
    to: Option<&dyn Format>,
    making: &Making<'_>,
    call: &Call<'_>,
) -> Result<(), Error> {
    let options = call.verb_options();
    if options.is_empty() {
        return Ok(());
    }
    let mut known: Vec<OptionDef> = Vec::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut first: Option<&Path> = None;
    for task in tasks {
        let Task::Make(job) = task else { continue };
        let Some(format) = call.formats.format_of(&job.found.path) else {
            continue;
        };
        first.get_or_insert(&job.found.path);
        if names.insert(format.name()) {
            let target = to.or_else(|| call.formats.from_extension(&job.out));
            let defs = (making.options)(&*format, target.unwrap_or(&*format));
            // An option that the format knows has to have a valid value.
            let checked = options.only(&defs).check("", &defs);
            checked.map_err(|error| Error::tape(&job.found.path)(error.into()))?;
            known.extend(defs);
        }
        if options
            .names()
            .all(|name| known.iter().any(|def| def.name == name))
        {
            return Ok(());
        }
    }
    let Some(first) = first else { return Ok(()) };
    let names: Vec<&str> = names.into_iter().collect();
    let to = to.map_or_else(String::new, |to| format!(" to {}", to.name()));
    let what = format!("to {} {} recordings{to}", making.verb, names.join(" or "));
    options
        .check(&what, &known)
        .map_err(|error| Error::tape(first)(error.into()))
}

impl Task {
    fn size(&self) -> u64 {
        match self {
            Self::Make(job) => size(&job.found.path),
            Self::Nothing(_) => 0,
        }
    }
}

impl MakingFolder<'_> {
    /// Makes all files; returns the worst exit code, or `None` if there is no recording.
    fn make_all(self, tasks: Vec<Task>, ui: &mut Ui) -> io::Result<Option<RunEnd>> {
        let started = Instant::now();
        let mut summary = MadeSummary::default();
        let mut failed: BTreeSet<PathBuf> = BTreeSet::new();
        each(
            tasks,
            THREADS * cores(),
            |task| self.one(task),
            |all| {
                self.progress.aside(all, ui, |all, ui| {
                    for file in all {
                        if let (Status::Failed, Some(out)) = (file.status, &file.out) {
                            failed.extend(out.parent().map(Path::to_owned));
                        }
                        summary.count(&file);
                        file.print(ui)?;
                    }
                    Ok(())
                })
            },
        )?;
        let MakingFolder {
            path,
            out,
            dry,
            manifest,
            unsynced,
            ..
        } = self;
        let mut exit = summary.exit;
        if !dry {
            for folder in failed {
                let below = folder.strip_prefix(out).unwrap_or(&folder);
                remove_empty(&path.join(below), path);
            }
            unsynced.sync();
            if let Err(error) = manifest.finish() {
                exit = exit.max(ui.fail(&error));
            }
        }
        if summary.recordings() == 0 {
            return Ok(None);
        }
        if summary.lossy > 0 && !ui.json {
            let what = match summary.losses.to_string() {
                none if none.is_empty() => String::new(),
                what => format!(": {what}"),
            };
            ui.remark(&format!(
                "{} with loss{what}",
                Counted(summary.lossy, "file")
            ));
            let made = out.join(manifest::NAME);
            ui.remark(&format!(
                "{} has a line for each file, with what was rounded or left out; the same call with --json \
                 prints it",
                made.spelled()
            ));
        }
        summary.print(started.elapsed(), ui)?;
        if summary.left > 0 {
            ui.complain("there is no room left: the same call does the rest later");
            return Ok(Some(RunEnd::Full(exit)));
        }
        Ok(Some(RunEnd::Whole(exit)))
    }

    fn one(&self, task: Task) -> FileReport {
        let job = match task {
            Task::Make(job) => job,
            Task::Nothing(error) => return FileReport::nothing(error),
        };
        let bytes = size(&job.found.path);
        if self.is_full.load(Ordering::Relaxed) {
            let mut report = FileReport::new(&job.found.path, bytes);
            report.status = Status::Left;
            return report;
        }
        let at = self.progress.begin(|| bytes);
        let mut report = FileReport::new(&job.found.path, bytes);
        let opened = self
            .call
            .formats
            .open_with(&job.found.path, &self.call.open_options());
        match opened {
            Err(Error::UnknownFormat { .. }) if !job.found.named => {}
            Err(error) => {
                report.out = Some(self.out.join(&job.out));
                report.fail(error);
            }
            Ok(recording) => {
                // The disk does not tell the size of what is in an archive. A folder holds more than is read.
                if bytes == 0 || job.found.is_folder {
                    report.read = recording.input().size();
                }
                report.out = Some(self.out.join(&job.out));
                if let Err(error) = self.recording(&job, &recording, &at, &mut report) {
                    let out = self.out.join(&job.out);
                    let error = of_output(error, out.as_os_str());
                    if is_full(&error) {
                        self.is_full.store(true, Ordering::Relaxed);
                    }
                    report.fail(error);
                }
            }
        }
        report
    }

    fn recording(
        &self,
        job: &Job,
        recording: &Recording,
        at: &InFile<'_>,
        report: &mut FileReport,
    ) -> Result<(), Error> {
        let format = recording.format();
        let to = self
            .to
            .or_else(|| self.call.formats.from_extension(&job.out));
        let to = to.filter(|_| self.making.converts).unwrap_or(format);
        report.format = Some(format.name().to_owned());
        report.to = Some(to.name().to_owned());
        self.call
            .formats
            .check_name(to, &self.path.join(&job.out))?;
        // An unknown option is refused, not ignored: it may be the one that keeps a secret.
        let options = self.call.verb_options();
        let known = (self.making.options)(format, to);
        let what = format!("to {} {} to {}", self.making.verb, format.name(), to.name());
        let checked = options.check(&what, &known);
        checked.map_err(|error| Error::tape(recording.path())(error.into()))?;
        let [name, version] = self.program;
        let mut of = Fingerprint::new(&[name, version, self.making.verb, to.name()]);
        of.options(&options);
        of.options(&self.call.options_of(recording, Verb::Open));
        of.recording(&job.found.below, recording)
            .map_err(Error::io(recording.path()))?;
        let of = of.text();
        if let Some(entry) = self.manifest.kept(&job.out, &of) {
            report.done(Status::Kept, entry);
            return Ok(());
        }
        if self.dry {
            report.status = Status::WouldMake;
            return Ok(());
        }
        let entry = self.make(job, recording, to, &options, of, at)?;
        report.done(Status::Made, &entry);
        self.manifest.add(entry);
        Ok(())
    }

    fn make(
        &self,
        job: &Job,
        recording: &Recording,
        to: &dyn Format,
        options: &Options,
        of: String,
        at: &InFile<'_>,
    ) -> Result<Entry, Error> {
        let path = self.path.join(&job.out);
        let folder = path.parent().unwrap_or(self.path);
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        // An output that is a folder is reported before the work.
        let folder = gametape::folder_for(&path)?;
        let work = Work {
            folder: folder.as_deref(),
            progress: Some(&|done| at.at(done)),
            ..Work::default()
        };
        let make = || (self.making.make)(recording, to, options, &work);
        let large = recording.input().size() >= LARGE;
        let made = self.cores.work(large, make)?;
        let mut hashing = Hashing(blake3::Hasher::new());
        let hashed = made.content.write_to(&mut hashing);
        hashed.map_err(Error::io(&path))?;
        let bytes = made.content.size();
        let mut entry = Entry::new(&job.out, bytes, hashing.0.finalize(), of);
        recording.format().name().clone_into(&mut entry.format);
        to.name().clone_into(&mut entry.to);
        entry.lossy = made.lossy;
        entry.losses = made.losses;
        entry.notes = made.notes;
        entry.actions = made.actions;
        entry.report = made.report.map(|report| report.data);
        (entry.altered, entry.altered_count) = made.altered;
        let existing = match self.making.existing {
            Existing::Replace => Existing::Replace,
            Existing::Keep => {
                let beside = made.beside.iter().map(|file| file.path(&job.out));
                let paths = std::iter::once(job.out.clone()).chain(beside);
                self.manifest.existing(&job.out, paths)
            }
        };
        made.content
            .save_in(&path, to, &made.beside, existing, &self.unsynced)?;
        for file in &made.beside {
            entry.beside(&file.path(&job.out), &file.bytes);
        }
        Ok(entry)
    }
}

/// Whether an error means that nothing more can be written there.
fn is_full(error: &Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(error, Error::Io { source, .. } if matches!(source.kind(), StorageFull | QuotaExceeded))
}

/// Removes empty folders, up to a folder.
fn remove_empty(folder: &Path, up_to: &Path) {
    let mut folder = folder;
    while folder != up_to && folder.starts_with(up_to) {
        if fs::remove_dir(folder).is_err() {
            return;
        }
        let Some(parent) = folder.parent() else {
            return;
        };
        folder = parent;
    }
}

#[cfg(all(test, feature = "tools"))]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use gametape::core::tape;

    use super::*;

    /// A disk that fills up ends the run, is reported once and by the output's name, and the rest is
    /// counted.
    #[test]
    fn a_full_disk_ends_the_run() {
        static BEGUN: AtomicUsize = AtomicUsize::new(0);
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("archive");
        fs::create_dir(&archive).unwrap();
        for at in 0..200 {
            let game = gametape_samples::mines::example();
            fs::write(archive.join(format!("{at}.rmv")), game).unwrap();
        }
        let making = Making {
            verb: "convert",
            converts: true,
            make: &|recording, _, _, _| {
                BEGUN.fetch_add(1, Ordering::Relaxed);
                let full = io::Error::from(io::ErrorKind::StorageFull);
                Err(Error::Tape {
                    path: recording.path().to_owned(),
                    source: tape::Error::Output(full),
                })
            },
            options: &|_, _| Vec::new(),
            existing: Existing::Keep,
        };
        let formats = gametape::formats();
        let call = Call {
            formats: &formats,
            version: "0",
            options: Options::new(),
            own: Vec::new(),
        };
        let below = Below {
            out: Some(folder.path().join("out")),
            dry_run: false,
        };
        let mut ui = Ui::new("gametape", "convert", false);
        let exit = run(&[archive.into()], &below, None, &making, &call, &mut ui).unwrap();
        assert_eq!(exit, Exit::Unusable);
        let begun = BEGUN.load(Ordering::Relaxed);
        assert!((1..=THREADS * cores()).contains(&begun), "{begun}");
    }

    #[test]
    fn an_error_of_the_output_names_the_output() {
        let error = Error::Tape {
            path: "in.rmv".into(),
            source: tape::Error::Output(io::ErrorKind::StorageFull.into()),
        };
        let error = of_output(error, "out.rmv".as_ref());
        assert!(is_full(&error));
        assert_eq!(error.path(), Path::new("out.rmv"));
        let io = |kind: io::ErrorKind| Error::io(Path::new("a"))(kind.into());
        assert!(!is_full(&io(io::ErrorKind::FileTooLarge)));
    }
}
