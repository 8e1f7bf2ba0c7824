//! Recordings of worlds as tapes, and helpers to query them.

use std::fs::{self, File};
use std::io::Cursor;
use std::path::{Path, PathBuf};

use gametape_core::tape::{
    Audit, Depth, Dump, DumpSteps as _, Error, Info, OptionValue, Options, Partial, Repaired,
    Secrets, Source, Tape, Work,
};
use gametape_core::{At, Input, Severity};
use gametape_murk::engine::World;
use gametape_murk::engine::own::Kinds;
use gametape_murk::tape::{MurkTape, WorldFile};
use gametape_murk::tools::{RecordOptions, index};
use gametape_murk::{CommandBuf, Header, Recorder, Simulation, Writer};
use gametape_samples::murk::HEAT;

use super::{only, set};

pub fn in_memory(bytes: impl Into<Vec<u8>>) -> MurkTape {
    MurkTape::new(Source::new(bytes.into()))
}

pub fn open(path: &Path) -> MurkTape {
    let input = Input::file(File::open(path).unwrap()).unwrap();
    MurkTape::new(Source::new(input).lying_at(path))
}

pub fn file(text: &str) -> WorldFile {
    WorldFile {
        path: "world.toml".into(),
        bytes: text.into(),
        kinds: Kinds::new(),
    }
}

/// Opens a recording that is replayed in the given world, if there is one.
pub fn in_world(recording: impl Into<Vec<u8>>, text: Option<&str>) -> MurkTape {
    let options = text.map_or_else(Options::new, |text| {
        let WorldFile { path, bytes, .. } = file(text);
        Options::new().with("world", OptionValue::File { path, bytes })
    });
    MurkTape::new(Source {
        options,
        ..Source::new(recording.into())
    })
}

pub fn repair(tape: &MurkTape) -> (Repaired, Vec<u8>) {
    let mut out = Cursor::new(Vec::new());
    let repaired = tape.repair(&Options::new(), &mut out, &Work::default());
    (repaired.unwrap(), out.into_inner())
}

pub fn dump(tape: &MurkTape, at: Option<At>) -> Result<String, Error> {
    let wanted = Dump {
        at,
        ..Dump::default()
    };
    let mut out = Vec::new();
    match tape.dump_steps(&wanted, &mut out)?.problem {
        Some(problem) => Err(problem),
        None => Ok(String::from_utf8(out).unwrap()),
    }
}

/// Makes the index of a recording, and puts it beside the recording.
pub fn put_index(path: &Path) -> (PathBuf, u64) {
    let made = index(&open(path)).unwrap();
    fs::write(&made.path, made.bytes).unwrap();
    (made.path, made.frames)
}

/// Returns a recording of a world, made by `simulation`; `header` may change the header.
pub fn tape<S: Simulation>(
    header: &Header<'_>,
    mut simulation: S,
    ticks: u64,
    commands: impl Fn(u64) -> CommandBuf,
) -> Vec<u8> {
    let mut recorder = Recorder::new(Writer::new(Vec::new(), header).unwrap(), header);
    for tick in 1..=ticks {
        let commands = commands(tick);
        let stepped = recorder.step(&mut simulation, tick, commands.as_commands());
        stepped.unwrap();
    }
    recorder.finish().unwrap()
}

/// A stove is lit in every tick.
pub fn stoves(tick: u64) -> CommandBuf {
    let coord = [(tick % 16) as i32, (tick / 2 % 16) as i32];
    only(&set(&coord, 0, tick as f32))
}

/// Returns a recording of a world without faults.
pub fn played(world: &World, ticks: u64, commands: impl Fn(u64) -> CommandBuf) -> Vec<u8> {
    tape(&world.header(), world.build().unwrap(), ticks, commands)
}

pub fn heat() -> World {
    World::from_toml(HEAT).unwrap()
}

pub fn audit(bytes: &[u8]) -> Audit {
    audit_in(bytes, None)
}

pub fn audit_in(bytes: &[u8], world: Option<&str>) -> Audit {
    in_world(bytes, world)
        .audit(&Options::new(), &Work::default())
        .unwrap()
}

pub fn described(tape: &dyn Tape, depth: Depth) -> Partial<Info> {
    tape.describe(depth, Secrets::Hide, &Work::default())
        .unwrap()
}

/// Returns the finding with a code: its severity, tick and message.
pub fn found(audit: &Audit, code: &str) -> (Severity, Option<u64>, String) {
    let finding = audit
        .findings
        .iter()
        .find(|finding| finding.code() == code)
        .unwrap_or_else(|| panic!("{code} is not among {:?}", audit.findings));
    (finding.severity(), finding.place.tick, finding.message())
}

pub fn temporary(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

/// Returns options to record the sample world of heat.
pub fn options(output: &Path, ticks: u64) -> RecordOptions {
    RecordOptions {
        world: Some(file(HEAT)),
        ticks,
        output: output.to_owned(),
        ..RecordOptions::default()
    }
}
