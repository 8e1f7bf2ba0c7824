//! Making files of files, below a folder.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use gametape::{
    Beside, Content, Error, Format, OptionDef, Options, Recording, Report, UnsyncedFolders, Verb,
    Work,
};
use serde_json::Value;

use super::cores::{Cores, cores};
use super::done::{Done, Notes};
use super::each::each;
use super::fingerprint::{Fingerprint, Hashing};
use super::items::size;
use super::plan::{Job, Task, plan, target};
use super::progress::{InFile, Progress};
use super::told::{Status, Tally, Told};
use crate::args::Below;
use crate::call::Call;
use crate::exit::Exit;
use crate::ui::Ui;

/// Files from this size on are worth all cores, if nobody else has them.
const LARGE: u64 = 32 << 20;

/// Threads for each core: while one waits for the disk, another works.
const THREADS: usize = 2;

/// Makes something of a recording, as a recording of a format, told so much.
type Make = dyn Fn(&Recording, &dyn Format, &Options, &Work<'_>) -> Result<Outcome, Error> + Sync;

/// What a verb makes of a recording.
pub struct Making<'m> {
    /// Which it is.
    pub verb: &'static str,
    /// Whether it makes what a name says; else what there is, under a name that does not mislead.
    pub converts: bool,
    /// What else may help where a recording is broken.
    pub hint: Option<&'static str>,
    /// Does it.
    pub make: &'m Make,
    /// What it can be told for a recording of one format that becomes one of another.
    pub options: &'m (dyn Fn(&dyn Format, &dyn Format) -> Vec<OptionDef> + Sync),
}

/// What came of it.
pub struct Outcome {
    pub content: Content,
    pub lossy: bool,
    pub losses: Vec<String>,
    pub notes: Vec<String>,
    pub actions: Vec<String>,
    /// What was kept and may be altered: some of it each, and how much there is.
    pub altered: (Vec<Value>, u64),
    pub report: Option<Report>,
    pub beside: Vec<Beside>,
}

/// All that is known while files are made.
struct Folder<'r> {
    path: &'r Path,
    /// The format that was asked for.
    to: Option<&'r dyn Format>,
    dry: bool,
    making: &'r Making<'r>,
    call: &'r Call<'r>,
    program: [&'static str; 2],
    notes: Notes,
    progress: Progress,
    cores: Cores,
    /// Where files were put: a name that a power cut takes is found missing by the next call, so that once
    /// at the end is enough.
    unsynced: UnsyncedFolders,
}

/// Makes what can be made of the recordings behind some paths, below a folder.
///
/// # Errors
/// The output's.
pub fn run(
    paths: &[OsString],
    below: &Below,
    to: Option<&str>,
    making: &Making<'_>,
    call: &Call<'_>,
    ui: &mut Ui,
) -> io::Result<Exit> {
    let Some(path) = below.out.as_deref() else {
        return Ok(Exit::Unusable);
    };
    let to = match to.map(|asked| target(call.formats, asked)).transpose() {
        Ok(to) => to,
        Err(message) => {
            ui.complain(&message);
            return Ok(Exit::Unusable);
        }
    };
    let extension = to.as_ref().map(|(_, extension)| extension.as_str());
    let tasks = match plan(call.formats, paths, path, extension) {
        Ok(tasks) => tasks,
        Err(wrong) => return Ok(refuse(&wrong, ui)),
    };
    let to = to.map(|(format, _)| format);
    if let Err(error) = call
        .check_opening(paths)
        .and_then(|()| check_options(&tasks, to, making, call))
    {
        return Ok(ui.fail(&error));
    }
    let notes = match begin(path, below.dry_run, &tasks) {
        Ok(notes) => notes,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let sizes = tasks.iter().map(Task::size);
    let folder = Folder {
        path,
        to,
        dry: below.dry_run,
        making,
        call,
        program: [ui.name, call.version],
        notes,
        progress: Progress::new(tasks.len(), || sizes.sum()),
        cores: Cores::new(),
        unsynced: UnsyncedFolders::default(),
    };
    let exit = folder.make_all(tasks, ui)?;
    if exit.is_none() {
        return Ok(ui.found_nothing(paths));
    }
    Ok(exit.unwrap_or(Exit::Fine))
}

/// Says what can't be: not all of very much.
fn refuse(wrong: &[String], ui: &mut Ui) -> Exit {
    const SAID: usize = 10;
    for message in wrong.iter().take(SAID) {
        ui.complain(message);
    }
    if let Some(more) = wrong.len().checked_sub(SAID).filter(|more| *more > 0) {
        ui.complain(&format!("and {more} more of that kind"));
    }
    Exit::Unusable
}

/// The folder, ready to be worked in; where nothing is to be done, as it is.
fn begin(folder: &Path, dry: bool, tasks: &[Task]) -> Result<Notes, Error> {
    if dry {
        return Ok(Notes::read(folder));
    }
    fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let notes = Notes::open(folder)?;
    let mut folders: BTreeSet<PathBuf> = notes.folders().collect();
    folders.extend(tasks.iter().filter_map(|task| match task {
        Task::Make(job) => Some(folder.join(job.out.parent()?)),
        Task::Nothing(_) => None,
    }));
    for folder in folders {
        gametape::remove_leftovers(&folder);
    }
    Ok(notes)
}

/// Refuses what no recording of these can be told.
fn check_options(
    tasks: &[Task],
    to: Option<&dyn Format>,
    making: &Making<'_>,
    call: &Call<'_>,
) -> Result<(), Error> {
    let told = call.told();
    if told.is_empty() {
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
            // What it knows has to be what it takes.
            let checked = told.only(&defs).check("", &defs);
            checked.map_err(|error| Error::tape(&job.found.path)(error.into()))?;
            known.extend(defs);
        }
        if told
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
    told.check(&what, &known)
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

impl Folder<'_> {
    /// What the worst of the files comes to; nothing where there is no recording.
    fn make_all(self, tasks: Vec<Task>, ui: &mut Ui) -> io::Result<Option<Exit>> {
        let started = Instant::now();
        let mut tally = Tally::default();
        let mut failed: BTreeSet<PathBuf> = BTreeSet::new();
        each(
            tasks,
            THREADS * cores(),
            |task| self.one(task),
            |all| {
                self.progress.aside(all, ui, |all, ui| {
                    for told in all {
                        if let (Status::Failed, Some(out)) = (told.status, &told.out) {
                            failed.extend(out.parent().map(Path::to_owned));
                        }
                        tally.count(&told);
                        told.say(ui)?;
                    }
                    Ok(())
                })
            },
        )?;
        let Folder {
            path,
            dry,
            notes,
            unsynced,
            ..
        } = self;
        let mut exit = tally.exit;
        if !dry {
            for folder in failed {
                remove_empty(&folder, path);
            }
            unsynced.sync();
            if let Err(error) = notes.finish() {
                exit = exit.max(ui.fail(&error));
            }
        }
        if tally.recordings() == 0 {
            return Ok(None);
        }
        tally.say(started.elapsed(), ui)?;
        Ok(Some(exit))
    }

    fn one(&self, task: Task) -> Told {
        let job = match task {
            Task::Make(job) => job,
            Task::Nothing(error) => return Told::nothing(error),
        };
        let bytes = size(&job.found.path);
        let at = self.progress.begin(|| bytes);
        let mut told = Told::of(&job.found.path, bytes);
        told.hint = self.making.hint;
        let opened = self
            .call
            .formats
            .open_with(&job.found.path, &self.call.open_options());
        match opened {
            Err(Error::UnknownFormat { .. }) if !job.found.named => {}
            Err(error) => {
                told.out = Some(self.path.join(&job.out));
                told.fail(error);
            }
            Ok(recording) => {
                told.out = Some(self.path.join(&job.out));
                if let Err(error) = self.recording(&job, &recording, &at, &mut told) {
                    told.fail(error);
                }
            }
        }
        told
    }

    fn recording(
        &self,
        job: &Job,
        recording: &Recording,
        at: &InFile<'_>,
        told: &mut Told,
    ) -> Result<(), Error> {
        let format = recording.format();
        let to = self
            .to
            .or_else(|| self.call.formats.from_extension(&job.out));
        let to = to.filter(|_| self.making.converts).unwrap_or(format);
        told.format = Some(format.name().to_owned());
        told.to = Some(to.name().to_owned());
        self.call
            .formats
            .check_name(to, &self.path.join(&job.out))?;
        // What one of them can't be told is refused, and not ignored: it may be what keeps a secret.
        let options = self.call.told();
        let known = (self.making.options)(format, to);
        let what = format!("to {} {} to {}", self.making.verb, format.name(), to.name());
        let checked = options.check(&what, &known);
        checked.map_err(|error| Error::tape(recording.path())(error.into()))?;
        let [name, version] = self.program;
        let mut of = Fingerprint::new(&[name, version, self.making.verb, to.name()]);
        of.told(&options);
        of.told(&self.call.told_of(recording, Verb::Open));
        of.recording(&job.found.below, recording)
            .map_err(Error::io(recording.path()))?;
        let of = of.text();
        if let Some(done) = self.notes.kept(&job.out, &of) {
            told.done(Status::Kept, done);
            return Ok(());
        }
        if self.dry {
            told.status = Status::WouldMake;
            return Ok(());
        }
        let (done, report) = self.make(job, recording, to, &options, of, at)?;
        told.done(Status::Made, &done);
        told.report = report.map(|report| report.data);
        self.notes.add(done);
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
    ) -> Result<(Done, Option<Report>), Error> {
        let path = self.path.join(&job.out);
        let folder = path.parent().unwrap_or(self.path);
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        // A folder of that name is said before the work.
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
        let mut done = Done::new(&job.out, bytes, hashing.0.finalize(), of);
        recording.format().name().clone_into(&mut done.format);
        to.name().clone_into(&mut done.to);
        done.lossy = made.lossy;
        done.losses = made.losses;
        done.notes = made.notes;
        done.actions = made.actions;
        (done.altered, done.altered_count) = made.altered;
        made.content.save_in(&path, to, &self.unsynced)?;
        for file in &made.beside {
            gametape::write_file(&file.path(&path), &file.bytes)?;
            done.beside(&file.path(&job.out), &file.bytes);
        }
        Ok((done, made.report))
    }
}

/// Removes folders that were made for nothing, up to a folder.
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
