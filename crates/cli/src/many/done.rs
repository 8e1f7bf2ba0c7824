//! What was made in a folder, noted in it, so that it is not made again.
//!
//! A line is added for each file that is there as a whole, and all are put in order at the end: a
//! writer that is killed leaves lines that hold, and at most one that is cut, which counts for nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use gametape::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fingerprint::hash_file;

/// The notes' name.
const NAME: &str = ".gametape-made.jsonl";

/// The path of a file below the folder. One that is no text is kept as the system has it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
enum Name {
    Text(String),
    Other(OsString),
}

impl Name {
    fn of(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Other(path.as_os_str().to_owned()),
        }
    }

    fn path(&self) -> &Path {
        match self {
            Self::Text(text) => Path::new(text),
            Self::Other(text) => Path::new(text),
        }
    }
}

/// A file as it was written.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Written {
    out: Name,
    bytes: u64,
    blake3: String,
}

impl Written {
    /// Whether it is there as it was written. Its size is looked at first: that costs nothing.
    fn is_there(&self, folder: &Path) -> bool {
        let path = folder.join(self.out.path());
        let meta = fs::metadata(&path);
        meta.is_ok_and(|meta| meta.is_file() && meta.len() == self.bytes)
            && hash_file(&path).is_ok_and(|(hash, _)| hash.to_hex().as_str() == self.blake3)
    }
}

/// What was made, and what of.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    #[serde(flatten)]
    file: Written,
    /// The fingerprint of all that decides what it is.
    of: String,
    beside: Vec<Written>,
    pub format: String,
    pub to: String,
    pub lossy: bool,
    pub losses: Vec<String>,
    pub notes: Vec<String>,
    pub actions: Vec<String>,
    pub altered: Vec<Value>,
    pub altered_count: u64,
}

impl Done {
    /// A file below a folder, made of what has this fingerprint.
    pub fn new(out: &Path, bytes: u64, hash: blake3::Hash, of: String) -> Self {
        Self {
            file: written(out, bytes, hash),
            of,
            beside: Vec::new(),
            format: String::new(),
            to: String::new(),
            lossy: false,
            losses: Vec::new(),
            notes: Vec::new(),
            actions: Vec::new(),
            altered: Vec::new(),
            altered_count: 0,
        }
    }

    /// Something lies beside it, too.
    pub fn beside(&mut self, out: &Path, bytes: &[u8]) {
        let file = written(out, bytes.len() as u64, blake3::hash(bytes));
        self.beside.push(file);
    }

    /// How large it is.
    pub const fn bytes(&self) -> u64 {
        self.file.bytes
    }
}

fn written(out: &Path, bytes: u64, hash: blake3::Hash) -> Written {
    Written {
        out: Name::of(out),
        bytes,
        blake3: hash.to_hex().to_string(),
    }
}

/// All that is noted of a folder.
pub struct Notes {
    folder: PathBuf,
    before: BTreeMap<Name, Done>,
    now: Mutex<Now>,
}

/// What is done now.
struct Now {
    done: BTreeMap<Name, Done>,
    /// Where it is noted: not where nothing is to be done.
    file: Option<File>,
}

impl Notes {
    /// What is noted of a folder, to be looked at.
    pub fn read(folder: &Path) -> Self {
        let text = fs::read(folder.join(NAME)).unwrap_or_default();
        Self::of(folder, &text)
    }

    fn of(folder: &Path, text: &[u8]) -> Self {
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        // One that is cut, or that somebody else wrote, says nothing.
        let whole = lines.filter(|line| line.ends_with(b"\n"));
        let done = whole.filter_map(|line| serde_json::from_slice::<Done>(line).ok());
        Self {
            folder: folder.to_owned(),
            before: done.map(|done| (done.file.out.clone(), done)).collect(),
            now: Mutex::new(Now {
                done: BTreeMap::new(),
                file: None,
            }),
        }
    }

    /// The same, to go on with: by one call at a time.
    ///
    /// # Errors
    /// What the system says; [`Error::Unwritable`].
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(NAME);
        let open = || {
            let mut options = OpenOptions::new();
            let mut file = options.append(true).create(true).open(&path)?;
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                return Ok(None);
            }
            let text = fs::read(&path)?;
            if !text.is_empty() && !text.ends_with(b"\n") {
                file.write_all(b"\n")?;
            }
            Ok(Some((file, text)))
        };
        let Some((file, text)) = open().map_err(Error::io(&path))? else {
            return Err(Error::Unwritable {
                path: folder.to_owned(),
                message: "is worked on by another call".to_owned(),
            });
        };
        let notes = Self::of(folder, &text);
        notes.now().file = Some(file);
        Ok(notes)
    }

    fn now(&self) -> std::sync::MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is there as it was made, of just that.
    pub fn kept(&self, out: &Path, of: &str) -> Option<&Done> {
        let done = self.before.get(&Name::of(out))?;
        let files = || std::iter::once(&done.file).chain(&done.beside);
        let kept = done.of == of && files().all(|file| file.is_there(&self.folder));
        kept.then_some(done)
    }

    /// The folders in which something was made.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let names = self.before.keys();
        names.filter_map(|name| Some(self.folder.join(name.path().parent()?)))
    }

    /// Notes what is there now.
    pub fn add(&self, done: Done) {
        let mut now = self.now();
        if let (Some(file), Ok(mut line)) = (&mut now.file, serde_json::to_vec(&done)) {
            line.push(b'\n');
            // In one go: lines do not mix. What can't be noted here is at the end, or made again.
            let _ = file.write_all(&line);
        }
        now.done.insert(done.file.out.clone(), done);
    }

    /// Puts the notes in order: of files that are there, sorted. Where nothing ever was made there are
    /// none.
    ///
    /// # Errors
    /// What the system says: then some files would be made again.
    pub fn finish(self) -> Result<(), Error> {
        let path = self.folder.join(NAME);
        let now = self
            .now
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut all = self.before;
        all.extend(now.done);
        all.retain(|name, _| self.folder.join(name.path()).exists());
        let mut text = Vec::new();
        for done in all.values() {
            serde_json::to_writer(&mut text, done)
                .map_err(|error| Error::io(&path)(error.into()))?;
            text.push(b'\n');
        }
        if text.is_empty() {
            return fs::remove_file(&path).map_err(Error::io(&path));
        }
        if fs::read(&path).is_ok_and(|there| there == text) {
            return Ok(());
        }
        // Until then nobody else begins.
        let ended = gametape::write_file(&path, &text);
        drop(now.file);
        ended
    }
}
