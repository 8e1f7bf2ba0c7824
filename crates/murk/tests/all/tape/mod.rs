//! Recordings of worlds as tapes, checked as users of the library do.

mod seek;
mod tables;

use std::fs;
use std::io::Cursor;
use std::sync::Arc;

use gametape_core::surface::diff_tables;
use gametape_core::tape::{
    AnyFinding, Companions, Compare as _, Depth, Error, Format, OptionValue, Options, Source, Tape,
    Target, Verb, Verdict, Work,
};
use gametape_core::text::Grouped;
use gametape_core::{At, Input, Severity, Time};
use gametape_murk::engine::World;
use gametape_murk::tape::Murk;
use gametape_murk::tools::{CommandList, index_path, record};
use gametape_murk::{CommandBuf, Envelope, Fault, Faulty, Header, Payload, Writer, read, verify};
use gametape_samples::murk::{FORAGING, HEAT};

use crate::common::tapes::{
    audit, audit_in, described, dump, found, heat, in_memory, in_world, open, options, played,
    put_index, repair, stoves, tape, temporary,
};
use crate::common::{only, set};

#[test]
fn a_recording_carries_its_world_and_is_replayed() {
    let world = heat();
    let bytes = played(&world, 100, stoves);
    let audit = audit(&bytes);
    assert_eq!(audit.verdict(), Verdict::Pass, "{:?}", audit.findings);
    assert_eq!(audit.findings, []);
    assert_eq!(audit.summary, "100 ticks, replayed: every hash is right");
    // The world can be extracted, and is the same.
    let recording = in_memory(bytes);
    let taken = World::from_toml(&recording.world().unwrap()).unwrap();
    assert_eq!(taken, world);
    assert_eq!(taken.config_hash(), world.config_hash());
}

#[test]
fn a_flipped_bit_in_a_world_is_named_with_its_cell_and_the_commands() {
    let world = heat();
    // The stove that is lit at tick 40 is at [8, 4]; every bit of its value, and of the heat.
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
    // Of the fields in heat.toml, only the stoves are written by commands and by nothing else.
    for (field, lost) in [(0, false), (1, true), (2, true), (3, true)] {
        let bytes = played(&world, 3, |_| only(&set(&[1, 1], field, 77.0)));
        let idle = played(&world, 3, |_| CommandBuf::new());
        let hashes = |bytes: &[u8]| -> Vec<u64> {
            let replay = read(bytes).unwrap();
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
    let replayed = audit_in(&bytes, Some(HEAT));
    assert_eq!(replayed.summary, "20 ticks, replayed: every hash is right");
    assert_eq!(replayed.verdict(), Verdict::Pass);
    // A world file that is not valid is the caller's fault.
    let recording = in_world(bytes, Some("dt = "));
    let error = recording
        .audit(&Options::new(), &Work::default())
        .unwrap_err();
    assert_eq!(error.code(), "world");
    assert!(error.to_string().starts_with("line 1, "), "{error}");
}

#[test]
fn another_world_is_told_from_a_fault() {
    let world = heat();
    let bytes = played(&world, 20, stoves);
    let colder = HEAT.replace("decay = 0.05", "decay = 0.06");
    assert_ne!(colder, HEAT);
    let (severity, tick, _) = found(&audit_in(&bytes, Some(&colder)), "murk.config-mismatch");
    assert_eq!((severity, tick), (Severity::Error, None));
    let (severity, _, message) = found(&audit_in(&bytes, Some(FORAGING)), "murk.world-shape");
    assert_eq!(severity, Severity::Error);
    assert_eq!(
        message,
        "the header's cell_count is 256, the world's is 240"
    );
}

/// Returns the result of the origin's own function for a world's seed, dt and counts.
fn its_hash(header: &Header<'_>, dt: f64, descriptor: &[u8]) -> u64 {
    let (fields, cells) = (header.field_count, header.cell_count);
    murk_replay::config_hash(header.seed, dt.to_bits(), fields, cells, descriptor)
}

#[test]
fn every_form_of_the_origins_config_hash_fits_and_is_told() {
    let world = heat();
    let own = world.header();
    let theirs = b"somebody else's".as_slice();
    let counts = its_hash(&own, world.dt, &[]);
    let partial = "murk.config-partial";
    let mismatch = "murk.config-mismatch";
    // The recording's descriptor, its hash, and the code of the finding.
    for (descriptor, config_hash, code) in [
        (&[][..], 0, Some("murk.config-unset")),
        (&[], own.config_hash, None),
        (&[], counts, Some(partial)),
        (theirs, counts, Some(partial)),
        (theirs, its_hash(&own, world.dt, theirs), Some(partial)),
        (theirs, own.config_hash, None),
        (&own.space_descriptor, counts, Some(partial)),
        (&own.space_descriptor, own.config_hash, None),
        // A wrong dt, a wrong count, and one bit.
        (&[], its_hash(&own, world.dt * 2.0, &[]), Some(mismatch)),
        (
            theirs,
            its_hash(&own, world.dt, b"nobody's"),
            Some(mismatch),
        ),
        (&[], counts ^ 1, Some(mismatch)),
        (&[], own.config_hash ^ 1 << 63, Some(mismatch)),
    ] {
        let header = Header {
            config_hash,
            space_descriptor: descriptor.into(),
            ..own.clone()
        };
        let bytes = tape(&header, world.build().unwrap(), 20, stoves);
        let audit = audit_in(&bytes, Some(HEAT));
        let codes: Vec<_> = audit.findings.iter().map(AnyFinding::code).collect();
        assert_eq!(codes, Vec::from_iter(code), "{config_hash:016x}");
        let replayed = audit.summary == "20 ticks, replayed: every hash is right";
        assert_eq!(replayed, code != Some(mismatch), "{}", audit.summary);
        let verified = verify(&read(&bytes).unwrap(), &mut world.build().unwrap());
        assert_eq!(verified.is_ok(), code != Some(mismatch));
    }
    // Another world of the same shape, given for a recording that carries its own: the whole hash
    // reveals it, the descriptor alone would not.
    let colder = HEAT.replace("decay = 0.05", "decay = 0.06");
    let audit = audit_in(&played(&world, 20, stoves), Some(&colder));
    assert_eq!(found(&audit, mismatch).0, Severity::Error);
}

#[test]
fn what_the_hash_covers_is_a_sentence() {
    let world = heat();
    for (descriptor, sentence) in [
        (
            &[][..],
            "config_hash covers the seed, dt, and how many fields and cells there are, and not which fields and propagators the world has",
        ),
        (
            b"opaque",
            "config_hash covers the seed, dt, how many fields and cells there are, and the recording's space descriptor, and not which fields and propagators the world has",
        ),
    ] {
        let header = Header {
            config_hash: its_hash(&world.header(), world.dt, descriptor),
            space_descriptor: descriptor.into(),
            ..world.header()
        };
        let bytes = tape(&header, world.build().unwrap(), 2, stoves);
        let audit = audit_in(&bytes, Some(HEAT));
        let (severity, _, message) = found(&audit, "murk.config-partial");
        assert_eq!((severity, message.as_str()), (Severity::Info, sentence));
    }
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

/// A gradient has as many components as the space has dimensions, here two: on this field it fails.
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
    // The three ticks before it failed as well, which stopped the world.
    let (severity, tick, message) = found(&audit, "murk.tick-failed");
    assert_eq!((severity, tick), (Severity::Warning, Some(1)));
    assert!(message.ends_with("(and 2 times more)"), "{message}");
    assert_eq!(audit.findings.len(), 2, "{:?}", audit.findings);
}

#[test]
fn a_recording_that_is_replaced_takes_its_index_with_it() {
    let (_folder, path) = temporary("run.murk");
    record(&options(&path, 30), &CommandList::none()).unwrap();
    let bytes = fs::read(&path).unwrap();
    let (index, _) = put_index(&path);
    let replaced = |bytes: &[u8]| Murk::new().replaced(&path, &Input::from(bytes.to_vec()));
    replaced(&bytes);
    assert!(index.exists());
    replaced(&bytes[..bytes.len() - 20]);
    assert!(!index.exists());
    fs::write(&index, "not an index").unwrap();
    replaced(&bytes);
    assert!(index.exists());
}

#[test]
fn an_index_that_is_stale_is_a_finding_and_one_that_fits_names_the_bit() {
    let (_folder, path) = temporary("run.murk");
    record(&options(&path, 30), &CommandList::none()).unwrap();
    let (index, frames) = put_index(&path);
    assert_eq!(frames, 30);
    assert_eq!(index, index_path(&path));
    let verify = || {
        open(&path)
            .audit(&Options::new(), &Work::default())
            .unwrap()
    };
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

    // A damaged index is not used, and does no harm.
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
fn a_moment_is_found_by_step_by_tick_and_by_time() {
    let world = heat();
    let bytes = played(&world, 20, stoves);
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
    let bytes = played(&world, 20, stoves);
    assert!(Murk::new().sniff(&bytes.clone().into()));
    assert!(!Murk::new().sniff(&b"MUR".to_vec().into()));
    let tape = Murk::new().open(Source::new(bytes.clone())).unwrap();
    let info = described(&*tape, Depth::Whole);
    assert!(info.problem.is_none());
    assert_eq!((info.value.steps, info.value.step), (Some(20), "frame"));
    assert_eq!(described(&*tape, Depth::Header).value.steps, None);
    let stats = tape.stats(&Options::new(), &Work::default());
    assert_eq!(stats.unwrap().value.stats["ticks"], 20);
    let text = tape.attachment("world").unwrap();
    assert_eq!(World::from_toml(&text).unwrap(), world);

    let convert = |format, options: &Options| {
        let mut out = Cursor::new(Vec::new());
        let converted = tape.convert(Target { format, options }, &mut out, &Work::default())?;
        assert!(!converted.is_lossy());
        Ok::<Vec<u8>, Error>(out.into_inner())
    };
    let redacted = Options::new().flag("redact");
    redacted
        .check("", Murk::new().info().options_for(Verb::Convert))
        .unwrap();
    assert_eq!(convert("murk", &redacted).unwrap(), bytes);
    let version = |count| {
        let options = Options::new().with("format-version", OptionValue::Count(count));
        options
            .check("", Murk::new().info().options_for(Verb::Write))
            .unwrap();
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
    // A cut recording can't be converted; after a repair it has the whole frames.
    let cut = in_memory(&bytes[..bytes.len() - 4]);
    let problem = described(&cut, Depth::Whole).problem;
    assert_eq!(problem.unwrap().code(), "murk.truncated");
    let mut out = Cursor::new(Vec::new());
    let murk = Target {
        format: "murk",
        options: &Options::new(),
    };
    assert!(cut.convert(murk, &mut out, &Work::default()).is_err());
    let (repaired, kept) = repair(&cut);
    assert!(repaired.lossy && repaired.actions.len() == 1);
    assert!(bytes.starts_with(&kept));
    let diff = in_memory(kept).compare(&in_memory(bytes), &Work::default());
    let diff = diff.unwrap().unwrap();
    assert_eq!((diff.step, diff.tick), (Some(19), Some(20)));
    assert_eq!(
        diff.first.unwrap(),
        "frame 19 (tick 20): the first recording has ended"
    );
}

/// The tables do not decide whether two recordings are the same: the bytes of a custom payload are
/// in none of them.
#[test]
fn a_payload_that_no_table_shows_is_a_difference() {
    let recording = |data: &[u8]| -> Arc<dyn Tape> {
        let header = Header {
            space_descriptor: (&[]).into(),
            ..heat().header()
        };
        let mut commands = CommandBuf::new();
        let payload = Payload::Custom { type_id: 7, data };
        commands.push(&Envelope::default(), &payload).unwrap();
        let mut writer = Writer::new(Vec::new(), &header).unwrap();
        writer.push(1, commands.as_commands(), 1).unwrap();
        Arc::new(in_memory(writer.finish().unwrap()))
    };
    let (a, b) = (recording(b"left"), recording(b"east"));
    let found = a
        .abilities()
        .compare
        .unwrap()
        .compare(&*b, &Work::default());
    let first = found.unwrap().unwrap().first.unwrap();
    assert!(
        first.starts_with("frame 0 (tick 1): command 0 is custom"),
        "{first}"
    );
    assert_eq!(
        diff_tables([&a, &b], &Work::default())
            .unwrap()
            .value
            .tables,
        []
    );
}
