//! Recordings of worlds, as users of the library check them.

use std::fs::{self, File};
use std::io::Cursor;
use std::path::{Path, PathBuf};

use gametape_core::tape::{
    Audit, Dump, Error, Format, OptionValue, Options, Repaired, Secrets, Source, Tape, Target,
    Verb, Verdict, Work,
};
use gametape_core::text::Grouped;
use gametape_core::{At, Input, Severity, Time};
use gametape_murk::engine::World;
use gametape_murk::tape::{Murk, MurkTape, WorldFile};
use gametape_murk::tools::{
    Commands, Minimise, RecordOptions, Subject, SyncTest, index, index_path, minimise, record,
    sync_test,
};
use gametape_murk::{
    CommandBuf, Envelope, Fault, Faulty, Header, Payload, Recorder, Simulation, Writer,
};
use gametape_samples::murk as samples;

fn in_memory(bytes: impl Into<Vec<u8>>) -> MurkTape {
    MurkTape::new(Source::new(bytes.into()))
}

pub fn open(path: &Path) -> MurkTape {
    let input = Input::file(File::open(path).unwrap()).unwrap();
    MurkTape::new(Source::new(input).lying_at(path))
}

fn file(text: &str) -> WorldFile {
    WorldFile {
        path: "world.toml".into(),
        bytes: text.into(),
    }
}

fn in_world(text: Option<&str>) -> Options {
    text.map_or_else(Options::new, |text| {
        let WorldFile { path, bytes } = file(text);
        Options::new().with("world", OptionValue::File { path, bytes })
    })
}

fn repair(tape: &MurkTape) -> (Repaired, Vec<u8>) {
    let mut out = Cursor::new(Vec::new());
    let repaired = tape.repair(&Options::new(), &mut out, &Work::default());
    (repaired.unwrap(), out.into_inner())
}

fn dump(tape: &MurkTape, at: Option<At>) -> Result<String, Error> {
    let wanted = Dump {
        at,
        ..Dump::default()
    };
    let mut out = Vec::new();
    match tape.dump(&wanted, &mut out)?.problem {
        Some(problem) => Err(problem),
        None => Ok(String::from_utf8(out).unwrap()),
    }
}

/// Makes the index of a recording, and puts it beside it.
fn put_index(path: &Path) -> (PathBuf, u64) {
    let made = index(&open(path)).unwrap();
    fs::write(&made.path, made.bytes).unwrap();
    (made.path, made.frames)
}

/// A recording of a world, by `simulation`; `header` may change what it says of itself.
fn tape<S: Simulation>(
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
fn stoves(tick: u64) -> CommandBuf {
    let mut commands = CommandBuf::new();
    let coord = [(tick % 16) as i32, (tick / 2 % 16) as i32];
    let payload = Payload::SetField {
        coord: (&coord).into(),
        field: 0,
        value: tick as f32,
    };
    commands.push(&Envelope::default(), &payload).unwrap();
    commands
}

fn heat() -> World {
    World::from_toml(samples::HEAT).unwrap()
}

fn audit(bytes: &[u8]) -> Audit {
    audit_in(bytes, None)
}

fn audit_in(bytes: &[u8], world: Option<&str>) -> Audit {
    in_memory(bytes).audit(&in_world(world)).unwrap()
}

/// The finding of a code: its severity, tick and message.
fn found(audit: &Audit, code: &str) -> (Severity, Option<u64>, String) {
    let finding = audit
        .findings
        .iter()
        .find(|finding| finding.code() == code)
        .unwrap_or_else(|| panic!("{code} is not among {:?}", audit.findings));
    (finding.severity(), finding.place.tick, finding.message())
}

#[test]
fn a_recording_carries_its_world_and_is_replayed() {
    let world = heat();
    let bytes = tape(&world.header(), world.build().unwrap(), 100, stoves);
    let audit = audit(&bytes);
    assert_eq!(audit.verdict(), Verdict::Pass, "{:?}", audit.findings);
    assert_eq!(audit.findings, []);
    assert_eq!(audit.summary, "100 ticks, replayed: every hash is right");
    // The world can be taken out of it, and is the same.
    let recording = in_memory(bytes);
    let taken = World::from_toml(&recording.world().unwrap()).unwrap();
    assert_eq!(taken, world);
    assert_eq!(taken.config_hash(), world.config_hash());
}

#[test]
fn a_flipped_bit_in_a_world_is_named_with_its_cell_and_the_commands() {
    let world = heat();
    // The stove that is lit at tick 40 stands at [8, 4]; every bit of its value, and of the heat.
    for (field, name, element, cell) in [
        (0, "stove", 8 * 16 + 4, "[8, 4]"),
        (3, "heat", 17, "[1, 1]"),
    ] {
        for bit in 0..32 {
            let fault = Fault {
                step: 40,
                field,
                element,
                bit,
            };
            let faulty = Faulty::new(world.build().unwrap(), fault);
            let bytes = tape(&world.header(), faulty, 60, stoves);
            let audit = audit(&bytes);
            let (severity, tick, message) = found(&audit, "murk.snapshot-mismatch");
            assert_eq!((severity, tick), (Severity::Error, Some(40)));
            assert!(
                message.starts_with(&format!("field {field} ({name}) at {cell} is ")),
                "{message}"
            );
            assert_eq!(
                message.contains("set by command 0 of tick 40 to 40.0"),
                field == 0,
                "{message}"
            );
        }
    }
}

#[test]
fn a_command_that_a_propagator_overwrites_is_a_finding() {
    let world = heat();
    let set = |field| {
        let mut commands = CommandBuf::new();
        let payload = Payload::SetField {
            coord: (&[1, 1]).into(),
            field,
            value: 77.0,
        };
        commands.push(&Envelope::default(), &payload).unwrap();
        commands
    };
    // Of heat.toml's fields, the stoves alone are written by commands and by nothing else.
    for (field, lost) in [(0, false), (1, true), (2, true), (3, true)] {
        let bytes = tape(&world.header(), world.build().unwrap(), 3, |_| set(field));
        let idle = tape(&world.header(), world.build().unwrap(), 3, |_| {
            CommandBuf::new()
        });
        let hashes = |bytes: &[u8]| -> Vec<u64> {
            let replay = gametape_murk::read(bytes).unwrap();
            replay
                .frames()
                .map(|frame| frame.unwrap().snapshot_hash)
                .collect()
        };
        assert_eq!(hashes(&bytes) == hashes(&idle), lost, "field {field}");
        let audit = audit(&bytes);
        assert_eq!(!audit.findings.is_empty(), lost, "{:?}", audit.findings);
        if lost {
            assert_eq!(
                found(&audit, "murk.command-overwritten").0,
                Severity::Warning
            );
        }
    }
}

#[test]
fn without_a_world_the_audit_says_that_nothing_was_replayed() {
    let world = heat();
    let header = Header {
        space_descriptor: b"somebody else's".as_slice().into(),
        config_hash: 0,
        ..world.header()
    };
    let bytes = tape(&header, world.build().unwrap(), 20, stoves);
    let plain = audit(&bytes);
    assert_eq!(plain.summary, "20 ticks, not replayed");
    let bare = in_memory(bytes.clone());
    assert_eq!(bare.world().unwrap_err().code(), "unsupported");
    assert_eq!(found(&plain, "murk.not-simulated").0, Severity::Info);
    assert_eq!(found(&plain, "murk.config-unset").0, Severity::Info);
    let replayed = audit_in(&bytes, Some(samples::HEAT));
    assert_eq!(replayed.summary, "20 ticks, replayed: every hash is right");
    assert_eq!(replayed.verdict(), Verdict::Pass);
    // A world that was named and is none is the caller's fault.
    let recording = in_memory(bytes);
    let error = recording.audit(&in_world(Some("dt = "))).unwrap_err();
    assert_eq!(error.code(), "world");
    assert!(error.to_string().starts_with("line 1, "), "{error}");
}

#[test]
fn another_world_is_told_from_a_fault() {
    let world = heat();
    let bytes = tape(&world.header(), world.build().unwrap(), 20, stoves);
    let colder = samples::HEAT.replace("decay = 0.05", "decay = 0.06");
    assert_ne!(colder, samples::HEAT);
    let (severity, tick, _) = found(&audit_in(&bytes, Some(&colder)), "murk.config-mismatch");
    assert_eq!((severity, tick), (Severity::Error, None));
    let (severity, _, message) = found(
        &audit_in(&bytes, Some(samples::FORAGING)),
        "murk.world-shape",
    );
    assert_eq!(severity, Severity::Error);
    assert_eq!(
        message,
        "the header's cell_count is 256, the world's is 240"
    );
}

#[test]
fn a_seed_that_is_not_the_carried_worlds_is_a_finding() {
    let world = heat();
    let header = Header {
        seed: 43,
        ..world.header()
    };
    let audit = audit(&tape(&header, world.build().unwrap(), 5, stoves));
    let (severity, _, message) = found(&audit, "murk.world-shape");
    assert_eq!(severity, Severity::Error);
    assert_eq!(message, "the header's seed is 43, the world's is 42");
    assert_eq!(audit.summary, "5 ticks, replayed: every hash is right");
}

#[test]
fn a_header_that_claims_billions_of_fields_is_refused_at_once() {
    let world = heat();
    let header = Header {
        field_count: u32::MAX,
        config_hash: 0,
        ..world.header()
    };
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    writer.push(1, CommandBuf::new().as_commands(), 1).unwrap();
    let bytes = writer.finish().unwrap();
    let recording = in_memory(bytes.clone());
    assert_eq!(audit(&bytes).summary, "1 tick, not replayed");
    let error = minimise(&recording, &Minimise::default()).unwrap_err();
    assert_eq!(error.code(), "world");
    let test = SyncTest {
        runs: 2,
        rollback: 0,
    };
    let subject = Subject::Recording(&recording, None);
    assert_eq!(sync_test(&subject, &test).unwrap_err().code(), "world");
    let mut other = bytes;
    let end = other.len();
    other[end - 1] ^= 1;
    let other = in_memory(other);
    let diff = recording.diff(&other, &Options::new()).unwrap().unwrap();
    assert!(!diff.same);
}

#[test]
fn a_carried_world_that_is_broken_is_the_recordings_fault() {
    let world = heat();
    let mut header = world.header();
    let mut text = header.space_descriptor.to_vec();
    let at = text
        .windows(8)
        .position(|part| part == b"square4\"")
        .unwrap();
    text[at + 6] = b'5';
    header.space_descriptor = text.into();
    let bytes = tape(&header, world.build().unwrap(), 20, stoves);
    let audit = audit(&bytes);
    let (severity, _, message) = found(&audit, "murk.world");
    assert_eq!(severity, Severity::Error);
    assert!(message.contains("square5"), "{message}");
    assert_eq!(audit.summary, "20 ticks, not replayed");
}

/// A gradient has as many components as the space has dimensions, twice: on this field it fails.
const FAILING: &str = r#"
dt = 1.0
[space]
kind = "line1d"
len = 4
edge = "absorb"
[[field]]
name = "a"
type = "scalar"
mutability = "sparse"
[[field]]
name = "narrow"
type = "scalar"
mutability = "per_tick"
[[propagator]]
kind = "gradient_compute"
input_field = "a"
output_field = "narrow"
"#;

#[test]
fn a_world_that_can_go_on_no_longer_is_told_from_a_divergence() {
    let world = World::from_toml(FAILING).unwrap();
    let header = world.header();
    let state = {
        let simulation = world.build().unwrap();
        gametape_murk::State::of(&simulation, header.field_count)
    };
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    for tick in 1..=6 {
        writer
            .push(tick, CommandBuf::new().as_commands(), state.hash())
            .unwrap();
    }
    let audit = audit(&writer.finish().unwrap());
    let (severity, tick, message) = found(&audit, "murk.simulation");
    assert_eq!((severity, tick), (Severity::Error, Some(4)), "{message}");
    // The three before it failed as well, which is what brought it there.
    let (severity, tick, message) = found(&audit, "murk.tick-failed");
    assert_eq!((severity, tick), (Severity::Warning, Some(1)));
    assert!(message.ends_with("(and 2 times more)"), "{message}");
    assert_eq!(audit.findings.len(), 2, "{:?}", audit.findings);
}

#[test]
fn a_recording_that_is_replaced_takes_its_index_with_it() {
    let (_folder, path) = temporary("run.murk");
    record(&options(&path, 30), &Commands::none()).unwrap();
    let bytes = fs::read(&path).unwrap();
    let (index, _) = put_index(&path);
    let replaced = |bytes: &[u8]| Murk.replaced(&path, &Input::from(bytes.to_vec()));
    replaced(&bytes);
    assert!(index.exists());
    replaced(&bytes[..bytes.len() - 20]);
    assert!(!index.exists());
    fs::write(&index, "not an index").unwrap();
    replaced(&bytes);
    assert!(index.exists());
}

pub fn temporary(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

fn options(output: &Path, ticks: u64) -> RecordOptions {
    RecordOptions {
        world: file(samples::HEAT),
        ticks,
        output: output.to_owned(),
        resume: false,
    }
}

#[test]
fn an_index_that_is_stale_is_a_finding_and_one_that_fits_names_the_bit() {
    let (_folder, path) = temporary("run.murk");
    record(&options(&path, 30), &Commands::none()).unwrap();
    let (index, frames) = put_index(&path);
    assert_eq!(frames, 30);
    assert_eq!(index, index_path(&path));
    let verify = || open(&path).audit(&Options::new()).unwrap();
    let clean = verify();
    assert_eq!(clean.findings, []);

    let whole = fs::read(&path).unwrap();
    let mut flipped = whole.clone();
    let end = flipped.len();
    flipped[end - 100] ^= 1 << 5;
    fs::write(&path, &flipped).unwrap();
    let audit = verify();
    let (severity, _, message) = found(&audit, "murk.frame-changed");
    assert_eq!(severity, Severity::Error);
    assert!(
        message.ends_with(&format!(
            "bit 5 of byte {} is flipped",
            Grouped(end as u64 - 100)
        )),
        "{message}"
    );
    let (repaired, mended) = repair(&open(&path));
    assert!(!repaired.lossy);
    assert_eq!(mended, whole);

    // An index that is damaged itself is not believed, and does no harm.
    let sound = fs::read(&index).unwrap();
    for at in [48, 48 + 8, 48 + 16, sound.len() - 1] {
        let mut damaged = sound.clone();
        damaged[at] ^= 1;
        fs::write(&index, damaged).unwrap();
        fs::write(&path, &whole).unwrap();
        let recording = open(&path);
        let audit = verify();
        let (_, _, message) = found(&audit, "murk.index-stale");
        assert!(message.ends_with("it is damaged itself"), "{message}");
        assert_eq!(audit.findings.len(), 1);
        assert_eq!(repair(&recording).1, whole);
        for tick in [1, 30] {
            let line = dump(&recording, Some(At::Tick(tick))).unwrap();
            assert!(line.contains(&format!("\"tick\":{tick},")));
        }
        fs::write(&path, &flipped).unwrap();
        assert_eq!(repair(&open(&path)).1, flipped);
    }
    fs::write(&index, sound).unwrap();
    let recording = open(&path);
    for at in [At::Tick(31), At::Step(30), At::Time(Time::START)] {
        let none = dump(&recording, Some(at)).unwrap_err();
        assert_eq!(none.code(), "not-recorded");
    }

    fs::write(&path, &whole[..end - 20]).unwrap();
    let audit = verify();
    assert_eq!(found(&audit, "murk.index-stale").0, Severity::Warning);
    assert_eq!(audit.summary, "29 ticks, replayed: every hash is right");
}

#[test]
fn a_divergence_is_minimised_to_the_commands_it_depends_on() {
    let world = heat();
    let fault = Fault {
        step: 50,
        field: 1,
        element: 8 * 16 + 4,
        bit: 12,
    };
    // The smoke over [8, 4] at tick 50 comes of the stove there, lit at ticks 8 and 40 alone.
    let faulty = Faulty::new(world.build().unwrap(), fault);
    let bytes = tape(&world.header(), faulty, 90, stoves);
    let recording = in_memory(bytes.clone());
    let small = minimise(
        &recording,
        &Minimise {
            max_trials: 10_000,
            ..Minimise::default()
        },
    )
    .unwrap();
    assert!(small.minimal);
    assert_eq!((small.ticks, small.commands), ([90, 50], [90, 1]));
    let before = found(&audit(&bytes), "murk.snapshot-mismatch");
    let after = found(&audit(&small.bytes), "murk.snapshot-mismatch");
    assert_eq!(before.1, after.1);
    // The same cell, the same two values; the hashes are of other states.
    let cut = |text: &str| text.split(" (hash").next().unwrap().to_owned();
    assert_eq!(cut(&before.2), cut(&after.2));
    assert!(after.2.contains(&small.fault) || small.fault.contains("(smoke) at [8, 4]"));
}

#[test]
fn two_worlds_that_part_are_minimised_to_the_command_that_parts_them() {
    let world = heat();
    // Stoves give other smoke: without a lit one both worlds are the same.
    let other = samples::HEAT.replace("intensity = 0.5", "intensity = 0.25");
    let bytes = tape(&world.header(), world.build().unwrap(), 40, stoves);
    let recording = in_memory(bytes);
    let small = minimise(
        &recording,
        &Minimise {
            against: Some(file(&other)),
            max_trials: 10_000,
            ..Minimise::default()
        },
    )
    .unwrap();
    assert_eq!(small.commands[1], 1);
    assert!(small.ticks[1] < 40);
    let (_, tick, _) = found(&audit(&small.bytes), "murk.snapshot-mismatch");
    assert_eq!(tick, Some(small.tick));
    // The same world twice has nothing to minimise.
    let error = minimise(
        &recording,
        &Minimise {
            against: Some(file(samples::HEAT)),
            max_trials: 10,
            ..Minimise::default()
        },
    )
    .unwrap_err();
    assert_eq!(error.code(), "unwritable");
}

#[test]
fn every_sample_is_deterministic_run_side_by_side_and_rolled_back() {
    for (name, text) in samples::ALL {
        for test in [
            SyncTest {
                runs: 3,
                rollback: 0,
            },
            SyncTest {
                runs: 2,
                rollback: 4,
            },
        ] {
            let none = Commands::none();
            let world = file(text);
            let subject = Subject::World(&world, &none, 60);
            let synced = sync_test(&subject, &test).unwrap();
            assert!(synced.in_sync && synced.ticks == 60, "{name}: {synced:?}");
        }
    }
}

#[test]
fn checkpoints_of_a_world_lead_to_any_tick_and_verify_its_parts_side_by_side() {
    use gametape_murk::{Checkpoints, State, read};
    for (name, text) in samples::ALL {
        let world = World::from_toml(text).unwrap();
        let bytes = tape(&world.header(), world.build().unwrap(), 90, |tick| {
            stoves(tick % 12)
        });
        let replay = read(&bytes).unwrap();
        let mut simulation = world.build().unwrap();
        let (saved, verified) = Checkpoints::record(&replay, &mut simulation, 25).unwrap();
        assert_eq!((saved.len(), verified.frames), (4, 90), "{name}");
        for tick in [60, 7, 90, 25, 26] {
            assert!(saved.seek(&replay, &mut simulation, tick).unwrap());
            let state = State::of(&simulation, world.field_count());
            let frame = replay.frames().nth(tick as usize - 1).unwrap().unwrap();
            assert_eq!(state.hash(), frame.snapshot_hash, "{name}, tick {tick}");
        }
        let worlds = vec![world.build().unwrap(), world.build().unwrap()];
        assert_eq!(saved.verify(&replay, worlds).unwrap(), verified, "{name}");
    }
}

#[test]
fn commands_come_from_what_dump_prints() {
    let (_folder, path) = temporary("run.murk");
    let lines = r#"
{"tick":2,"kind":"set_field","coord":[3,4],"field":"stove","value":1.0,"source_id":7}
{"tick":2,"kind":"set_field","coord":[3,5],"field":0,"value":"0x7fc00001"}
{"tick":1,"commands":[{"kind":"move","entity_id":3,"target":[1,2]},{"kind":"stored","type":9,"payload":"00ff"}]}
"#;
    let name = Path::new("commands.jsonl");
    let commands = Commands::read(lines.as_bytes(), name, &heat()).unwrap();
    let recorded = record(&options(&path, 5), &commands).unwrap();
    assert_eq!((recorded.ticks, recorded.commands), (5, 4));
    assert_eq!((recorded.applied, recorded.rejected), (2, 2));
    let lines = dump(&open(&path), None).unwrap();
    assert!(
        lines.starts_with(r#"{"step":0,"tick":1,"time_ms":"#),
        "{lines}"
    );
    // As dumps of earlier versions have it.
    let earlier = lines.replace(r#"{"step":"#, r#"{"frame":"#);
    assert_ne!(earlier, lines);
    Commands::read(earlier.as_bytes(), name, &heat()).unwrap();
    let again = Commands::read(lines.as_bytes(), name, &heat()).unwrap();
    let (_folder, copy) = temporary("copy.murk");
    record(&options(&copy, 5), &again).unwrap();
    assert_eq!(fs::read(&path).unwrap(), fs::read(&copy).unwrap());
}

#[test]
fn wrong_commands_are_refused_by_line_before_anything_is_written() {
    let name = Path::new("commands.jsonl");
    let read = |line: &str| {
        Commands::read(format!("\n{line}\n").as_bytes(), name, &heat())
            .unwrap_err()
            .to_string()
    };
    for (line, message) in [
        ("nonsense", "line 2: not JSON: expected ident at column 2"),
        ("[]", "line 2: not a JSON object"),
        (
            r#"{"kind":"despawn","entity_id":1}"#,
            "line 2: \"tick\" is missing",
        ),
        (r#"{"tick":1}"#, "line 2: \"kind\" is missing"),
        (
            r#"{"tick":1,"kind":"jump"}"#,
            "line 2: the kind \"jump\" is none of move, ",
        ),
        (
            r#"{"tick":1,"kind":"despawn","entity_id":-1}"#,
            "\"entity_id\" must be a whole number from 0 to 18446744073709551615",
        ),
        (
            r#"{"tick":1,"kind":"despawn","entity_id":1,"prio":2}"#,
            "\"prio\" is not a key that is known here",
        ),
        (
            r#"{"tick":1,"kind":"despawn","entity_id":1,"priority":256}"#,
            "\"priority\" must be a whole number from 0 to 255",
        ),
        (
            r#"{"tick":1,"kind":"set_field","coord":[1,2],"field":"fire","value":1}"#,
            "the world has no field \"fire\"",
        ),
        (
            r#"{"tick":1,"kind":"set_field","coord":[1,2.5],"field":0,"value":1}"#,
            "\"coord\" must be a list of whole numbers of 32 bits",
        ),
        (
            r#"{"tick":1,"kind":"set_field","coord":[1,2],"field":0,"value":"NaN"}"#,
            "\"value\" must be a number that 32 bits hold, or its bits as ",
        ),
        (
            r#"{"tick":1,"kind":"set_field","coord":[1,2],"field":0,"value":1e40}"#,
            "\"value\" must be a number that 32 bits hold, or its bits as ",
        ),
        (
            r#"{"tick":1,"kind":"custom","type_id":1,"data":"0g"}"#,
            "\"data\" must be a string of bytes, two hexadecimal digits each",
        ),
        (
            r#"{"tick":1,"kind":"spawn","coord":[],"values":[[1]]}"#,
            "\"values\" must be a list of [field, value], of fields that the world has",
        ),
        (
            r#"{"tick":1,"commands":[{"kind":"despawn","entity_id":1},7]}"#,
            "command 1 is not an object",
        ),
        (r#"{"tick":1,"commands":{}}"#, "\"commands\" must be a list"),
    ] {
        let text = read(line);
        assert!(text.contains(message), "{text}\n{message}");
        assert!(text.starts_with("line 2: "), "{text}");
    }
    let (_folder, path) = temporary("run.murk");
    for tick in [0, 6] {
        let line = format!(r#"{{"tick":{tick},"kind":"despawn","entity_id":1}}"#);
        let commands = Commands::read(line.as_bytes(), name, &heat()).unwrap();
        let error = record(&options(&path, 5), &commands).unwrap_err();
        assert_eq!(error.code(), "commands");
        assert!(!path.exists());
    }
}

#[test]
fn a_recording_is_resumed_only_where_it_can_be_replayed() {
    let (_folder, path) = temporary("run.murk");
    let (_other, whole) = temporary("whole.murk");
    let line = r#"{"tick":4,"kind":"set_field","coord":[3,4],"field":"stove","value":1.0}"#;
    let commands = Commands::read(line.as_bytes(), Path::new("c"), &heat()).unwrap();
    record(&options(&whole, 20), &commands).unwrap();
    record(&options(&path, 8), &commands).unwrap();
    let (index, _) = put_index(&path);
    let error = record(&options(&path, 20), &commands)
        .unwrap_err()
        .to_string();
    assert!(error.contains("--resume goes on behind it"), "{error}");
    let resume = RecordOptions {
        resume: true,
        ..options(&path, 20)
    };
    let recorded = record(&resume, &commands).unwrap();
    assert_eq!((recorded.resumed_after, recorded.ticks), (8, 12));
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes, fs::read(&whole).unwrap());
    assert!(!index.exists());

    // Other commands, another world, a hash that is wrong, a file of something else: nothing of
    // the file is touched.
    let other_line = line.replace("1.0", "2.0");
    let other = Commands::read(other_line.as_bytes(), Path::new("c"), &heat()).unwrap();
    let error = record(&resume, &other).unwrap_err().to_string();
    assert!(
        error.contains("tick 4 was recorded with other commands"),
        "{error}"
    );
    let foraging = RecordOptions {
        world: file(samples::FORAGING),
        ..resume.clone()
    };
    let error = record(&foraging, &Commands::none())
        .unwrap_err()
        .to_string();
    assert!(error.contains("recording of another world"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), bytes);
    let mut wrong = bytes.clone();
    let end = wrong.len();
    wrong[end - 1] ^= 1;
    fs::write(&path, &wrong).unwrap();
    let error = record(&resume, &commands).unwrap_err();
    assert_eq!(error.code(), "simulation");
    assert_eq!(fs::read(&path).unwrap(), wrong);
}

#[test]
fn a_moment_is_found_by_step_by_tick_and_by_time() {
    let world = heat();
    let bytes = tape(&world.header(), world.build().unwrap(), 20, stoves);
    let recording = in_memory(bytes);
    let lines = dump(&recording, None).unwrap();
    let seventh = format!("{}\n", lines.lines().nth(6).unwrap());
    let time = Time((7.0 * world.dt * 1e9) as i64);
    for at in [At::Step(6), At::Tick(7), At::Time(time)] {
        assert_eq!(dump(&recording, Some(at)).unwrap(), seventh, "{at}");
    }
    let bare = Header {
        space_descriptor: b"somebody else's".as_slice().into(),
        ..world.header()
    };
    let bare = in_memory(tape(&bare, world.build().unwrap(), 20, stoves));
    let error = dump(&bare, Some(At::Time(time))).unwrap_err();
    assert_eq!(error.code(), "no-clock");
    assert!(!dump(&bare, None).unwrap().contains("time_ms"));
}

#[test]
fn it_is_a_format_among_others() {
    let world = heat();
    let bytes = tape(&world.header(), world.build().unwrap(), 20, stoves);
    assert!(Murk.sniff(&bytes.clone().into()));
    assert!(!Murk.sniff(&b"MUR".to_vec().into()));
    let tape = Murk.open(Source::new(bytes.clone())).unwrap();
    let info = tape.info(Secrets::Hide).unwrap();
    assert!(info.problem.is_none());
    assert_eq!((info.value.frames, info.value.step), (Some(20), "frame"));
    assert_eq!(tape.header(Secrets::Hide).unwrap().value.frames, None);
    assert_eq!(tape.stats(&Options::new()).unwrap().value["ticks"], 20);
    let text = tape.attachment("world").unwrap();
    assert_eq!(World::from_toml(&text).unwrap(), world);

    let convert = |format, options: &Options| {
        let mut out = Cursor::new(Vec::new());
        let converted = tape.convert(Target { format, options }, &mut out, &Work::default())?;
        assert!(!converted.is_lossy());
        Ok::<Vec<u8>, Error>(out.into_inner())
    };
    let redacted = Options::new().flag("redact");
    redacted.check("", Murk.options(Verb::Convert)).unwrap();
    assert_eq!(convert("murk", &redacted).unwrap(), bytes);
    let version = |count| {
        let options = Options::new().with("format-version", OptionValue::Count(count));
        options.check("", Murk.options(Verb::Write)).unwrap();
        options
    };
    assert_eq!(convert("murk", &version(3)).unwrap(), bytes);
    assert_eq!(
        convert("murk", &version(2)).unwrap_err().to_string(),
        "murk can't be converted to murk v2: only version 3 is in use"
    );
    assert_eq!(
        convert("rmv", &Options::new()).unwrap_err().to_string(),
        "murk can't be converted to rmv"
    );
    // What is cut can't be converted; repaired it holds the frames that are whole.
    let cut = in_memory(&bytes[..bytes.len() - 4]);
    let problem = cut.info(Secrets::Hide).unwrap().problem.unwrap();
    assert_eq!(problem.code(), "murk.truncated");
    let mut out = Cursor::new(Vec::new());
    let murk = Target {
        format: "murk",
        options: &Options::new(),
    };
    assert!(cut.convert(murk, &mut out, &Work::default()).is_err());
    let (repaired, kept) = repair(&cut);
    assert!(repaired.lossy && repaired.actions.len() == 1);
    assert!(bytes.starts_with(&kept));
    let diff = in_memory(kept).diff(&in_memory(bytes), &Options::new());
    let diff = diff.unwrap().unwrap();
    assert_eq!((diff.step, diff.tick), (Some(19), Some(20)));
    assert_eq!(
        diff.first.unwrap(),
        "frame 19 (tick 20): the first recording has ended"
    );
}
