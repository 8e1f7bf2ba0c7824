//! Recordings of the snapshot/delta wire as recordings of gametape: captures, files of packets,
//! folders.

mod audit;
mod convert;
mod diff;
mod elsewhere;
mod figures;
mod moments;
mod open;
mod origin;
mod repair;

use std::io::{Cursor, Write as _, stderr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape_capture::tape::{Delta, Mcap, PacketsTape};
use gametape_core::Input;
use gametape_core::tape::{
    Audit, Converted, Depth, Diff, Disk, Dump, Error, Folders, Format, Info, OptionValue, Options,
    Repaired, Secrets, Source, Tape, Target, Verb, Verdict, Work,
};
use gametape_delta::Schema;
use serde_json::Value as Json;

use crate::common::schema;

/// A folder of the recordings that lie beside the project. Without it, whoever runs the test is told, and it is
/// skipped: standard error itself is written to, as that of a test which passes is not shown.
fn shared(folder: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("../../../shared/tapes").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    let path = path.display();
    let _ = writeln!(
        stderr(),
        "SKIPPED: {path} is not there; this test has not checked it"
    );
    None
}

/// A recording, opened as a registry would open it: by its content, then by its name.
struct Recording {
    format: &'static dyn Format,
    tape: Arc<dyn Tape>,
}

impl Recording {
    fn new(source: Source, name: &str) -> Self {
        let formats: [&'static dyn Format; 2] = [&Mcap, &Delta];
        let by_content = formats.iter().find(|format| format.sniff(&source.input));
        let by_name = formats
            .iter()
            .find(|format| name.ends_with(format.extensions()[0]));
        let format = *by_content.or(by_name).expect("of a known format");
        let options = source.options.only(format.options(Verb::Open));
        let tape = format.open(Source { options, ..source }).unwrap();
        Self { format, tape }
    }

    /// Opens the file or folder at a path.
    fn open(path: &Path) -> Self {
        if Delta.is_recording(path, &Disk) {
            let input = Delta.read(path, &Disk, 1 << 30).unwrap();
            let tape = Delta.open(Source::new(input).lying_at(path)).unwrap();
            return Self {
                format: &Delta,
                tape,
            };
        }
        let input = Input::file(std::fs::File::open(path).unwrap()).unwrap();
        Self::new(Source::new(input).lying_at(path), path.to_str().unwrap())
    }

    /// Opens bytes with the schema of their packets.
    fn of(bytes: Vec<u8>, name: &str, schema: &Schema) -> Self {
        let options = Options::new().with("schema", file(schema));
        let source = Source {
            options,
            ..Source::new(bytes)
        };
        Self::new(source, name)
    }

    fn packets(&self) -> &PacketsTape {
        self.tape.of_type().unwrap()
    }

    fn info(&self) -> Result<Info, Error> {
        let info = self
            .tape
            .describe(Depth::Whole, Secrets::Hide, &Work::default())?;
        info.problem.map_or(Ok(info.value), Err)
    }

    fn audit(&self) -> Audit {
        self.tape.audit(&Options::new(), &Work::default()).unwrap()
    }

    fn diff(&self, other: &Self) -> Result<Diff, Error> {
        let compare = self.tape.abilities().compare.unwrap();
        Ok(compare.compare(&*other.tape, &Work::default())?.unwrap())
    }

    fn convert(&self, format: &str, options: &Options) -> Result<(Vec<u8>, Converted), Error> {
        let mut out = Cursor::new(Vec::new());
        let target = Target { format, options };
        let converted = self.tape.convert(target, &mut out, &Work::default())?;
        Ok((out.into_inner(), converted))
    }

    fn repair(&self) -> Result<(Vec<u8>, Repaired), Error> {
        let mut out = Cursor::new(Vec::new());
        let repaired = self
            .tape
            .repair(&Options::new(), &mut out, &Work::default())?;
        Ok((out.into_inner(), repaired))
    }
}

/// A schema as the value of an option.
fn file(schema: &Schema) -> OptionValue {
    OptionValue::File {
        path: "given.json".into(),
        bytes: serde_json::to_vec(schema).unwrap(),
    }
}

fn none() -> Options {
    Options::new()
}

fn opened(bytes: Vec<u8>, name: &str) -> Recording {
    Recording::of(bytes, name, &schema())
}

fn audit(bytes: &[u8]) -> Audit {
    opened(bytes.to_vec(), "tape").audit()
}

fn codes(audit: &Audit) -> Vec<&'static str> {
    audit
        .findings
        .iter()
        .map(|finding| finding.rule.code)
        .collect()
}

/// Whether the audit found no fault; the recording may be empty.
fn clean(audit: &Audit) -> bool {
    audit.verdict() == Verdict::Pass
        || matches!(codes(audit)[..], ["capture.empty" | "delta.empty"])
}

fn assert_clean(bytes: &[u8]) {
    let audit = audit(bytes);
    assert_eq!(audit.verdict(), Verdict::Pass, "{:#?}", audit.findings);
}

fn dumped(recording: &Recording, dump: &Dump) -> Vec<Json> {
    let mut out = Vec::new();
    let partial = recording.tape.dump(dump, &mut out).unwrap();
    assert!(partial.problem.is_none(), "{:?}", partial.problem);
    String::from_utf8(out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
