//! The tools for the files of simulations: recording, minimising, testing determinism, resuming.

mod record;
mod resume;
mod run;

use std::fs;
use std::path::Path;

use gametape_core::tape::{Compare as _, Error, Work};
use gametape_murk::tape::MurkTape;
use gametape_murk::tools::{
    CommandList, Minimise, MinimisedRecording, RecordOptions, Subject, SyncTest, minimise, record,
    sync_test,
};
use gametape_murk::{CommandBuf, Fault, Faulty, Header, Writer};
use gametape_samples::murk::{ALL, FORAGING, HEAT};

use crate::common::refusals;
use crate::common::tapes::{
    audit, dump, file, found, heat, in_memory, open, options, played, put_index, stoves, tape,
    temporary,
};

fn minimised(recording: &MurkTape, against: Option<&str>) -> Result<MinimisedRecording, Error> {
    let options = Minimise {
        against: against.map(file),
        max_trials: 10_000,
        ..Minimise::default()
    };
    minimise(recording, &options, &Work::default())
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
    let error = minimised(&recording, None).unwrap_err();
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
    let diff = recording
        .compare(&other, &Work::default())
        .unwrap()
        .unwrap();
    assert!(!diff.same);
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
    // The smoke over [8, 4] at tick 50 comes from the stove there, which is lit at ticks 8 and 40
    // only.
    let faulty = Faulty::new(world.build().unwrap(), fault);
    let bytes = tape(&world.header(), faulty, 90, stoves);
    let recording = in_memory(bytes.clone());
    let small = minimised(&recording, None).unwrap();
    assert!(small.minimal);
    assert_eq!((small.ticks, small.commands), ([90, 50], [90, 1]));
    let before = found(&audit(&bytes), "murk.snapshot-mismatch");
    let after = found(&audit(&small.bytes), "murk.snapshot-mismatch");
    assert_eq!(before.1, after.1);
    // The same cell and the same two values; the hashes belong to other states.
    let cut = |text: &str| text.split(" (hash").next().unwrap().to_owned();
    assert_eq!(cut(&before.2), cut(&after.2));
    assert!(small.same && small.fault().contains("(smoke) at [8, 4]"));
}

#[test]
fn two_worlds_that_part_are_minimised_to_the_command_that_parts_them() {
    let world = heat();
    // The smoke of a stove differs: without a lit one both worlds are the same.
    let other = HEAT.replace("intensity = 0.5", "intensity = 0.25");
    let bytes = played(&world, 40, stoves);
    let recording = in_memory(bytes);
    let small = minimised(&recording, Some(&other)).unwrap();
    assert_eq!(small.commands[1], 1);
    assert!(small.ticks[1] < 40);
    let (_, tick, _) = found(&audit(&small.bytes), "murk.snapshot-mismatch");
    assert_eq!(tick, Some(small.tick));
    // The same world twice has nothing to minimise.
    let error = minimised(&recording, Some(HEAT)).unwrap_err();
    assert_eq!(error.code(), "unwritable");
}

#[test]
fn every_sample_is_deterministic_run_side_by_side_and_rolled_back() {
    for (name, text) in ALL {
        for (runs, rollback) in [(3, 0), (2, 4)] {
            let test = SyncTest { runs, rollback };
            let none = CommandList::none();
            let world = file(text);
            let subject = Subject::World(&world, &none, 60);
            let synced = sync_test(&subject, &test).unwrap();
            assert!(synced.in_sync && synced.ticks == 60, "{name}: {synced:?}");
        }
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
    let commands = CommandList::read(lines.as_bytes(), name, &heat()).unwrap();
    let recorded = record(&options(&path, 5), &commands).unwrap();
    assert_eq!((recorded.ticks, recorded.commands), (5, 4));
    assert_eq!((recorded.applied, recorded.rejected), (2, 2));
    let lines = dump(&open(&path), None).unwrap();
    assert!(
        lines.starts_with(r#"{"step":0,"tick":1,"time_ms":"#),
        "{lines}"
    );
    // The form of dumps of earlier versions.
    let earlier = lines.replace(r#"{"step":"#, r#"{"frame":"#);
    assert_ne!(earlier, lines);
    CommandList::read(earlier.as_bytes(), name, &heat()).unwrap();
    let again = CommandList::read(lines.as_bytes(), name, &heat()).unwrap();
    let (_folder, copy) = temporary("copy.murk");
    record(&options(&copy, 5), &again).unwrap();
    assert_eq!(fs::read(&path).unwrap(), fs::read(&copy).unwrap());
}

#[test]
fn wrong_commands_are_refused_by_line_before_anything_is_written() {
    let name = Path::new("commands.jsonl");
    let read = |line: &str| {
        let line = format!("\n{line}\n");
        let refused = CommandList::read(line.as_bytes(), name, &heat()).unwrap_err();
        refused.to_string()
    };
    refusals(
        r#"
        nonsense
            line 2: not JSON: expected ident at column 2…
        []
            line 2: not a JSON object…
        {"kind":"despawn","entity_id":1}
            line 2: "tick" is missing…
        {"tick":1}
            line 2: "kind" is missing…
        {"tick":1,"kind":"jump"}
            line 2: the kind "jump" is none of move, …
        {"tick":1,"kind":"despawn","entity_id":-1}
            line 2: "entity_id" must be a whole number from 0 to 18446744073709551615…
        {"tick":1,"kind":"despawn","entity_id":1,"prio":2}
            line 2: "prio" is not a known key…
        {"tick":1,"kind":"despawn","entity_id":1,"priority":256}
            line 2: "priority" must be a whole number from 0 to 255…
        {"tick":1,"kind":"set_field","coord":[1,2],"field":"fire","value":1}
            line 2: the world has no field "fire"…
        {"tick":1,"kind":"set_field","coord":[1,2.5],"field":0,"value":1}
            line 2: "coord" must be a list of whole numbers of 32 bits…
        {"tick":1,"kind":"set_field","coord":[1,2],"field":0,"value":"NaN"}
            line 2: "value" must be a number that 32 bits hold, or its bits as …
        {"tick":1,"kind":"set_field","coord":[1,2],"field":0,"value":1e40}
            line 2: "value" must be a number that 32 bits hold, or its bits as …
        {"tick":1,"kind":"custom","type_id":1,"data":"0g"}
            line 2: "data" must be a string of bytes, two hexadecimal digits each…
        {"tick":1,"kind":"spawn","coord":[],"values":[[1]]}
            line 2: "values" must be a list of [field, value], of fields that the world has…
        {"tick":1,"commands":[{"kind":"despawn","entity_id":1},7]}
            line 2: command 1 is not an object…
        {"tick":1,"commands":{}}
            line 2: "commands" must be a list…
        {"tick":2,
            line 2: not JSON: EOF while parsing a value at column 10…
        3
            line 2: not a JSON object…
        {"tick":1.5,"kind":"despawn","entity_id":1}
            line 2: "tick" must be a whole number from 0 to 18446744073709551615…
        {"tick":"1","kind":"despawn","entity_id":1}
            line 2: "tick" must be a whole number…
        {"tick":2,"kind":7}
            line 2: the kind 7 is none of move, …
        {"tick":2,"kind":"despawn"}
            line 2: "entity_id" is missing…
        {"tick":2,"kind":"set_field","coord":[0,0],"field":-1,"value":1}
            line 2: the world has no field -1…
        {"tick":2,"kind":"set_field","coord":[0,0],"field":0}
            line 2: "value" is missing…
        {"tick":2,"kind":"set_field","coord":[0,0],"field":0,"value":"0x+1"}
            line 2: "value" must be a number that 32 bits hold…
        {"tick":2,"kind":"set_field","coord":[0,0],"field":0,"value":"0x1ffffffff"}
            line 2: "value" must be a number that 32 bits hold…
        {"tick":2,"kind":"set_field","coord":[0,0],"field":0,"value":NaN}
            line 2: not JSON: expected value at column …
        {"tick":2,"kind":"move","entity_id":1,"target":0}
            line 2: "target" must be a list of whole numbers of 32 bits…
        {"tick":2,"kind":"move","entity_id":1,"target":[3000000000]}
            line 2: "target" must be a list of whole numbers of 32 bits…
        {"tick":2,"kind":"custom","type_id":1,"data":"abc"}
            line 2: "data" must be a string of bytes, two hexadecimal digits each…
        {"tick":2,"kind":"custom","type_id":1,"data":"+1"}
            line 2: "data" must be a string of bytes, two hexadecimal digits each…
        {"tick":2,"kind":"stored","type":256,"payload":""}
            line 2: "type" must be a whole number from 0 to 255…
        {"tick":2,"kind":"set_parameter_batch","parameters":[[1]]}
            line 2: "parameters" must be a list of [key, value]…
        {"tick":2,"commands":[],"what":1}
            line 2: "what" is not a known key…
        "#,
        read,
    );
    let deep = read(&"[".repeat(100_000));
    let expected = "line 2: not JSON: recursion limit exceeded at column ";
    assert!(deep.starts_with(expected), "{deep}");
    let (_folder, path) = temporary("run.murk");
    for tick in [0, 6] {
        let line = format!(r#"{{"tick":{tick},"kind":"despawn","entity_id":1}}"#);
        let commands = CommandList::read(line.as_bytes(), name, &heat()).unwrap();
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
    let commands = CommandList::read(line.as_bytes(), Path::new("c"), &heat()).unwrap();
    record(&options(&whole, 20), &commands).unwrap();
    record(&options(&path, 8), &commands).unwrap();
    let (index, _) = put_index(&path);
    let error = record(&options(&path, 20), &commands)
        .unwrap_err()
        .to_string();
    assert!(error.contains("--resume continues after it"), "{error}");
    let resume = RecordOptions {
        resume: true,
        ..options(&path, 20)
    };
    let recorded = record(&resume, &commands).unwrap();
    assert_eq!((recorded.resumed_after, recorded.ticks), (8, 12));
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes, fs::read(&whole).unwrap());
    assert!(!index.exists());

    // Other commands, another world, a wrong hash, or a file of another kind: the file is
    // unchanged.
    let other_line = line.replace("1.0", "2.0");
    let other = CommandList::read(other_line.as_bytes(), Path::new("c"), &heat()).unwrap();
    let error = record(&resume, &other).unwrap_err().to_string();
    assert!(
        error.contains("tick 4 was recorded with other commands"),
        "{error}"
    );
    let foraging = RecordOptions {
        world: Some(file(FORAGING)),
        ..resume.clone()
    };
    let error = record(&foraging, &CommandList::none())
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
