//! What a recording that is made is made of.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use blake3::Hasher;
use gametape::{Input, OptionValue, Options, Recording};

/// Of all that decides what comes out: the same fingerprint, the same bytes.
pub struct Fingerprint(Hasher);

impl Fingerprint {
    /// Of what is done, by which version of which command.
    pub fn new(words: &[&str]) -> Self {
        let mut fingerprint = Self(Hasher::new_derive_key("gametape 2026 what is made of what"));
        for word in words {
            fingerprint.part(word.as_bytes());
        }
        fingerprint
    }

    /// Lengths are part of it: two texts one behind the other are no third one.
    fn part(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// What was told: of files what they hold, wherever they lie.
    pub fn told(&mut self, options: &Options) {
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

    /// A recording: its name, which some formats write down, its bytes, and what it is read with.
    pub fn recording(&mut self, name: &Path, recording: &Recording) -> io::Result<()> {
        self.part(name.as_os_str().as_encoded_bytes());
        let input = recording.input();
        self.0.update(&input.size().to_le_bytes());
        self.0.update(hash(input)?.as_bytes());
        let path = recording.path();
        let companions = recording.format().companions();
        let beside = companions.map_or_else(Vec::new, |companions| companions.read_with(path));
        for path in beside {
            let meta = path.metadata();
            // What is no file may never come to an end.
            let is_file = meta.is_ok_and(|meta| meta.is_file());
            match is_file.then(|| hash_file(&path)) {
                Some(Ok((hash, _))) => self.part(hash.as_bytes()),
                // Whether that matters is the format's to say.
                Some(Err(_)) => self.part(b"unreadable"),
                None => self.part(b""),
            }
        }
        Ok(())
    }

    /// As text.
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

/// Of a file, and how many bytes it has.
pub fn hash_file(path: &Path) -> io::Result<(blake3::Hash, u64)> {
    hash_stream(File::open(path)?)
}

fn hash_stream(mut stream: impl Read) -> io::Result<(blake3::Hash, u64)> {
    let mut hashing = Hashing(Hasher::new());
    let bytes = io::copy(&mut stream, &mut hashing)?;
    Ok((hashing.0.finalize(), bytes))
}

/// Takes what is written to it.
pub struct Hashing(pub Hasher);

impl io::Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
