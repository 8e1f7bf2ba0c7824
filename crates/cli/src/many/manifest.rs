//! The manifest of an output folder: which files were made there, and from what, so that the next call
//! makes only the rest.
//!
//! A line is added for each finished file, and the lines are sorted at the end. A command that is killed
//! leaves valid lines and at most one that is cut off, which is ignored.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use blake3::Hasher;
use gametape::{Error, Existing, Input, OptionValue, Options, Recording};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The name of the file.
pub const NAME: &str = ".gametape-made.jsonl";

/// The path of a file, relative to the folder. A path that is not Unicode is kept as the system has it.
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

/// A file that was written.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Written {
    out: Name,
    bytes: u64,
    blake3: String,
}

impl Written {
    /// Whether the file is still as it was written. The size is compared first, which is cheap.
    fn is_there(&self, folder: &Path) -> bool {
        let path = folder.join(self.out.path());
        let meta = fs::metadata(&path);
        meta.is_ok_and(|meta| meta.is_file() && meta.len() == self.bytes)
            && hash_file(&path).is_ok_and(|(hash, _)| hash.to_hex().as_str() == self.blake3)
    }
}

/// A file that was made, and its source.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    #[serde(flatten)]
    file: Written,
    /// The fingerprint of everything that determines the file's content.
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
    /// How far off the values are, of formats that measure it.
    pub report: Option<Value>,
}

impl Entry {
    /// An entry for a file with this content, made from a source with this fingerprint.
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
            report: None,
        }
    }

    /// Adds a file beside it.
    pub fn beside(&mut self, out: &Path, bytes: &[u8]) {
        let file = written(out, bytes.len() as u64, blake3::hash(bytes));
        self.beside.push(file);
    }

    /// The size of the file.
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

/// The manifest of a folder.
pub struct Manifest {
    folder: PathBuf,
    before: BTreeMap<Name, Entry>,
    now: Mutex<Now>,
}

/// The entries of this call.
struct Now {
    done: BTreeMap<Name, Entry>,
    /// The manifest's file; `None` in a dry run.
    file: Option<File>,
}

impl Manifest {
    /// Reads the manifest of a folder.
    pub fn read(folder: &Path) -> Self {
        let text = fs::read(folder.join(NAME)).unwrap_or_default();
        Self::of(folder, &text)
    }

    fn of(folder: &Path, text: &[u8]) -> Self {
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        // Lines that are cut off or of unknown form are ignored.
        let whole = lines.filter(|line| line.ends_with(b"\n"));
        let done = whole.filter_map(|line| serde_json::from_slice::<Entry>(line).ok());
        Self {
            folder: folder.to_owned(),
            before: done.map(|done| (done.file.out.clone(), done)).collect(),
            now: Mutex::new(Now {
                done: BTreeMap::new(),
                file: None,
            }),
        }
    }

    /// Opens the manifest for writing, by one call at a time.
    ///
    /// # Errors
    /// An I/O error; [`Error::Unwritable`] if another call works on the folder.
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
        let manifest = Self::of(folder, &text);
        manifest.now().file = Some(file);
        Ok(manifest)
    }

    fn now(&self) -> std::sync::MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the entry of a file that is still there, made from a source with this fingerprint.
    pub fn kept(&self, out: &Path, of: &str) -> Option<&Entry> {
        let done = self.before.get(&Name::of(out))?;
        let files = || std::iter::once(&done.file).chain(&done.beside);
        let kept = done.of == of && files().all(|file| file.is_there(&self.folder));
        kept.then_some(done)
    }

    /// What happens to files at these paths, which one recording becomes: they may be replaced if an earlier call
    /// made them, and nobody has changed them since.
    pub fn existing(&self, out: &Path, mut paths: impl Iterator<Item = PathBuf>) -> Existing {
        let Some(done) = self.before.get(&Name::of(out)) else {
            return Existing::Keep;
        };
        let is_own = |path: PathBuf| {
            let name = Name::of(&path);
            let mut files = std::iter::once(&done.file).chain(&done.beside);
            let made = files.find(|file| file.out == name);
            made.is_some_and(|file| file.is_there(&self.folder))
                || fs::symlink_metadata(self.folder.join(path)).is_err()
        };
        Existing::replaced_if(paths.all(is_own))
    }

    /// The folders of all earlier files.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let names = self.before.keys();
        names.filter_map(|name| Some(self.folder.join(name.path().parent()?)))
    }

    /// Adds an entry.
    pub fn add(&self, done: Entry) {
        let mut now = self.now();
        if let (Some(file), Ok(mut line)) = (&mut now.file, serde_json::to_vec(&done)) {
            line.push(b'\n');
            // One write per line: lines do not mix. If it fails, `finish` writes the line, or the file is made
            // again by the next call.
            let _ = file.write_all(&line);
        }
        now.done.insert(done.file.out.clone(), done);
    }

    /// Sorts the entries and drops those of missing files. A manifest without entries is removed.
    ///
    /// # Errors
    /// An I/O error; then the next call makes some files again.
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
        // The lock is held until the manifest is written.
        let ended = gametape::write_file(&path, &text, Existing::Replace);
        drop(now.file);
        ended
    }
}

/// A hash of everything that determines an output: the same fingerprint means the same bytes.
pub struct Fingerprint(Hasher);

impl Fingerprint {
    /// Starts with the command, its version, the verb and the target format.
    pub fn new(words: &[&str]) -> Self {
        let mut fingerprint = Self(Hasher::new_derive_key("gametape 2026 what is made of what"));
        for word in words {
            fingerprint.part(word.as_bytes());
        }
        fingerprint
    }

    /// Adds a part. Its length is hashed, too, so that two parts never equal one.
    fn part(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds options; of files, the content.
    pub fn options(&mut self, options: &Options) {
        for name in options.names() {
            self.part(name.as_bytes());
            match options.get(name) {
                None | Some(OptionValue::Flag) => self.part(b""),
                Some(OptionValue::Count(count)) => self.part(&count.to_le_bytes()),
                Some(OptionValue::Number(number)) => self.part(&number.to_le_bytes()),
                Some(OptionValue::Text(text)) => self.part(text.as_bytes()),
                Some(OptionValue::File { bytes, .. }) => self.part(bytes),
            }
        }
    }

    /// Adds a recording: its name, which some formats store, its bytes, and its companion files.
    pub fn recording(&mut self, name: &Path, recording: &Recording) -> io::Result<()> {
        self.part(name.as_os_str().as_encoded_bytes());
        let input = recording.input();
        self.0.update(&input.size().to_le_bytes());
        self.0.update(hash(input)?.as_bytes());
        for companion in recording.companions() {
            match companion.and_then(|input| hash(&input)) {
                Ok(hash) => self.part(hash.as_bytes()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.part(b""),
                // The format decides whether that matters.
                Err(_) => self.part(b"unreadable"),
            }
        }
        Ok(())
    }

    /// The fingerprint as hexadecimal text.
    pub fn text(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

fn hash(input: &Input) -> io::Result<blake3::Hash> {
    match input.in_memory() {
        Some(bytes) => Ok(blake3::hash(bytes)),
        None => Ok(hash_stream(input.stream())?.0),
    }
}

/// The hash and the size of a file.
pub fn hash_file(path: &Path) -> io::Result<(blake3::Hash, u64)> {
    hash_stream(File::open(path)?)
}

fn hash_stream(mut stream: impl Read) -> io::Result<(blake3::Hash, u64)> {
    let mut hashing = Hashing(Hasher::new());
    let bytes = io::copy(&mut stream, &mut hashing)?;
    Ok((hashing.0.finalize(), bytes))
}

/// Hashes the bytes written to it.
pub struct Hashing(pub Hasher);

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
