//! Recording, looking at it, copying it.

use std::fs;

use serde_json::Value;
use snapbox::str;

use super::copies::bare;
use super::support::{POND, expect, folder, gametape, outputs, record};

/// A command of every kind, and one of each that the engine never applies.
pub const ODD: &str = r#"{"tick":1,"kind":"set_field","coord":[0,0],"field":"ink","value":1.5}
{"tick":2,"kind":"set_field","coord":[1,2],"field":0,"value":-0.0,"priority":0,"source_id":7,"source_seq":1}
{"tick":2,"kind":"set_field","coord":[1,2],"field":0,"value":0.1,"priority":2,"source_id":8}
{"tick":3,"kind":"set_field","coord":[2,3],"field":"ink","value":"0x7fc00001"}

{"tick":4,"kind":"set_field","coord":[0,1],"field":"ink","value":2.5,"expires_after_tick":3}
{"tick":5,"kind":"set_field","coord":[9,9],"field":"ink","value":2}
{"tick":5,"kind":"set_field","coord":[0,1],"field":9,"value":2}
{"tick":5,"kind":"set_field","coord":[0,1],"field":"shore","value":2}
{"tick":6,"kind":"move","entity_id":4,"target":[0,1]}
{"tick":6,"kind":"spawn","coord":[0,1],"values":[["ink",1.0],[1,2e-3]]}
{"tick":6,"kind":"despawn","entity_id":4}
{"tick":6,"kind":"custom","type_id":3,"data":"00ff"}
{"tick":6,"kind":"set_parameter","key":1,"value":0.25}
{"tick":6,"kind":"set_parameter_batch","parameters":[[1,0.25],[2,1e300]]}
{"tick":6,"kind":"stored","type":9,"payload":"abcd"}
{"tick":7,"commands":[{"kind":"set_field","coord":[0,1],"field":"ink","value":1,"source_seq":3,"trailing":"ee"}]}
"#;

#[test]
fn a_recording_verifies() {
    let folder = folder();
    let path = folder.path();
    record(path, "pond.toml", "drops.jsonl", "again.murk")
        .code(0)
        .stdout_eq("again.murk: recorded 12 ticks, 5 commands\n")
        .stderr_eq("");
    assert_eq!(
        fs::read(path.join("again.murk")).unwrap(),
        fs::read(path.join("run.murk")).unwrap()
    );
    expect(path, "verify run.murk", 0)
        .stdout_eq("pass  run.murk  12 ticks, replayed: every hash is right\n")
        .stderr_eq("");
    expect(path, "verify --json run.murk", 0)
        .stdout_eq(
            "{\"path\":\"run.murk\",\"format\":\"murk\",\"verdict\":\"pass\",\"facts\":{},\"findings\":[],\"advice\":[]}\n",
        )
        .stderr_eq("");
    // Many at once, found in a folder.
    expect(path, "verify .", 0).stdout_eq(str![[r#"
pass  ./again.murk  12 ticks, replayed: every hash is right
pass  ./run.murk  12 ticks, replayed: every hash is right
2 recordings: 2 pass; 0.0 MB in [..] s, 2 other files skipped

"#]]);
}

#[test]
fn record_says_what_became_of_the_commands() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("odd.jsonl"), ODD).unwrap();
    record(path, "pond.toml", "odd.jsonl", "odd.murk")
        .code(1)
        .stderr_eq("gametape: the first that was not applied: tick [..]: command [..]\n")
        .stdout_eq(
            "odd.murk: recorded 12 ticks, 16 commands; 1 command had expired; 10 commands could not be applied\n",
        );
    let args = "record murk --json --world pond.toml --commands - --ticks 1 one.murk";
    let args: Vec<&str> = args.split(' ').collect();
    gametape(path, &args)
        .stdin(ODD.lines().next().unwrap())
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
{"ticks":1,"resumed_after":0,"branched_after":0,"dropped":0,"commands":1,"applied":1,"expired":0,"rejected":0,"first_rejected":null,"failed_ticks":0,"failure":null,"last_hash":"[..]"}

"#]])
        .stderr_eq("");
    expect(path, "verify one.murk", 0)
        .stdout_eq("pass  one.murk  1 tick, replayed: every hash is right\n");
}

#[test]
fn a_world_whose_ticks_fail_is_no_success() {
    let folder = folder();
    let path = folder.path();
    let world = POND.replace("output_field = \"spread\"", "output_field = \"shore\"");
    fs::write(path.join("failing.toml"), world).unwrap();
    let args = ["record", "murk", "--world", "failing.toml", "--ticks"];
    gametape(path, &[&args[..], &["3", "failing.murk"]].concat())
        .assert()
        .code(1)
        .stdout_eq("failing.murk: recorded 3 ticks, 0 commands; 3 ticks failed\n")
        .stderr_eq(str![[r#"
gametape: a tick that failed changed nothing: [..]not writable

"#]]);
    gametape(path, &[&args[..], &["9", "stopped.murk"]].concat())
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
gametape: stopped.murk: tick 4: the engine makes no more ticks after three that failed: [..]not writable

"#]]);
}

#[test]
fn verify_finds_every_command_that_is_never_applied() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("odd.jsonl"), ODD).unwrap();
    record(path, "pond.toml", "odd.jsonl", "odd.murk").code(1);
    // The payload of an undefined type is an error of the form, the rest is odd.
    expect(path, "verify odd.murk", 1)
        .stdout_eq(str![[r#"
fail  odd.murk  12 ticks, replayed: every hash is right  (noted: murk.source-seq-unused)
      error murk.unknown-payload, frame 5 (tick 6, 0.600 s, byte [..]): command 6 has the payload type 9; types 0 to 6 are defined
      warning murk.priority-lost, frame 1 (tick 2, 0.200 s, byte [..]): commands 0 and 1 write field 0 at [1, 2]; the one of lower priority (2, the other has 0) is applied last and wins
      warning murk.command-expired, frame 3 (tick 4, 0.400 s, byte [..]): command 0 expired after tick 3: it is never applied
      warning murk.command-outside, frame 4 (tick 5, 0.500 s, byte [..]): command 0 sets a value at [9, 9], which is not a cell of the world
      warning murk.command-unknown-field, frame 4 (tick 5, 0.500 s, byte [..]): command 1 sets field 9, which the world does not have
      warning murk.command-static-field, frame 4 (tick 5, 0.500 s, byte [..]): command 2 sets field 2, which is static
      warning murk.command-unsupported, frame 5 (tick 6, 0.600 s, byte [..]): command 0 is a move: Murk's lockstep engine applies set_field only (and 5 times more)
      warning murk.trailing-payload, frame 6 (tick 7, 0.700 s, byte [..]): 1 byte after the set_field payload of command 0

"#]])
        .stderr_eq("");
    let printed = outputs(path, &["verify", "--json", "odd.murk"], 1);
    let printed: Value = serde_json::from_str(&printed).unwrap();
    let found: Vec<(&str, &str, u64)> = printed["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            assert!(finding["offset"].is_u64() && finding["step"].is_u64());
            assert!(finding["message"].is_string());
            (
                finding["code"].as_str().unwrap(),
                finding["severity"].as_str().unwrap(),
                finding["tick"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("murk.unknown-payload", "error", 6),
            ("murk.priority-lost", "warning", 2),
            ("murk.command-expired", "warning", 4),
            ("murk.command-outside", "warning", 5),
            ("murk.command-unknown-field", "warning", 5),
            ("murk.command-static-field", "warning", 5),
            ("murk.command-unsupported", "warning", 6),
            ("murk.trailing-payload", "warning", 7),
            ("murk.source-seq-unused", "info", 7),
        ]
    );
    // Without the undefined payload nothing fails.
    let lines: Vec<&str> = ODD
        .lines()
        .filter(|line| !line.contains("stored"))
        .collect();
    fs::write(path.join("odd.jsonl"), lines.join("\n")).unwrap();
    record(path, "pond.toml", "odd.jsonl", "warned.murk").code(1);
    let text = said_first_word(&expect(path, "verify warned.murk", 0));
    assert_eq!(text, "warn");
}

fn said_first_word(run: &snapbox::cmd::OutputAssert) -> String {
    let text = String::from_utf8_lossy(&run.get_output().stdout);
    text.split(' ').next().unwrap().to_owned()
}

#[test]
fn the_world_comes_out_of_a_recording_and_makes_it_again() {
    let folder = folder();
    let path = folder.path();
    let taken = expect(path, "inspect --world run.murk", 0);
    fs::write(path.join("taken.toml"), &taken.get_output().stdout).unwrap();
    let args = "record murk --world taken.toml --commands drops.jsonl --ticks 12 again.murk";
    gametape(path, &args.split(' ').collect::<Vec<_>>())
        .assert()
        .code(0);
    assert_eq!(
        fs::read(path.join("run.murk")).unwrap(),
        fs::read(path.join("again.murk")).unwrap()
    );
}

#[test]
fn inspect_and_stats_have_stable_keys() {
    let folder = folder();
    let path = folder.path();
    expect(path, "inspect run.murk", 0)
        .stdout_eq(str![[r#"
run.murk
  format           murk v3
  size             [..] bytes
  duration         1.200 s
  frames           12
  build            toolchain [..], target_triple [..], murk_version 0.1.9, compile_flags [..]
  seed             0
  config hash      [..]
  fields           3
  cells            12
  space descriptor a world of gametape's, [..] bytes
  first tick       1
  last tick        12
  commands         5


"#]])
        .stderr_eq("");
    expect(path, "inspect --json run.murk", 0)
        .stdout_eq(str![[r#"
{"path":"run.murk","format":"murk","format_version":3,"bytes":[..],"duration_ms":1200,"steps":12,"details":{"build":{"toolchain":"[..]","target_triple":"[..]","murk_version":"0.1.9","compile_flags":"[..]"},"seed":0,"config_hash":"[..]","fields":3,"cells":12,"space_descriptor":"a world of gametape's, [..] bytes","first_tick":1,"last_tick":12,"commands":5}}

"#]])
        .stderr_eq("");
    // In folders only headers are read.
    expect(path, "inspect --json .", 0)
        .stdout_eq(str![[r#"
{"path":"./drops.jsonl","format":null,"skipped":"not a recording of a known format ([..])"}
{"path":"./pond.toml","format":null,"skipped":"not a recording of a known format ([..])"}
{"path":"./run.murk","format":"murk","format_version":3,"bytes":[..],"duration_ms":null,"steps":null,"details":{"build":{[..]},"seed":0,"config_hash":"[..]","fields":3,"cells":12,"space_descriptor":"a world of gametape's, [..] bytes"}}

"#]]);
    fs::write(path.join("odd.jsonl"), ODD).unwrap();
    record(path, "pond.toml", "odd.jsonl", "odd.murk").code(1);
    expect(path, "stats odd.murk", 0)
        .stdout_eq(str![[r#"
odd.murk
  ticks                  12
  first tick             1
  last tick              12
  duration               1.200 s
  commands               16
  commands per tick      1.333
  commands per s         13.333
  max commands in a tick 7
  idle ticks             5
  kinds                  move: 1, spawn: 1, despawn: 1, set_field: 9, custom: 1, set_parameter: 1, set_parameter_batch: 1
  unreadable             1
  sources                7: 1, 8: 1
  anonymous              14
  other sources          0
  expiring               1
  expired                1
  payload bytes          293

"#]])
        .stderr_eq("");
    expect(path, "stats --json odd.murk", 0)
        .stdout_eq(str![[r#"
{"path":"odd.murk","verdict":null,"findings":[],"ticks":12,"first_tick":1,"last_tick":12,"duration_ms":1200,"commands":16,"commands_per_tick":1.3333333333333333,"commands_per_s":13.33333333333333[..],"max_commands_in_a_tick":7,"idle_ticks":5,"kinds":{"move":1,"spawn":1,"despawn":1,"set_field":9,"custom":1,"set_parameter":1,"set_parameter_batch":1},"unreadable":1,"sources":{"7":1,"8":1},"anonymous":14,"other_sources":0,"expiring":1,"expired":1,"payload_bytes":293}

"#]])
        .stderr_eq("");
}

#[test]
fn dump_prints_a_frame_a_line_and_record_reads_it_back() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("odd.jsonl"), ODD).unwrap();
    record(path, "pond.toml", "odd.jsonl", "odd.murk").code(1);
    expect(path, "dump odd.murk", 0).stderr_eq("").stdout_eq(str![[r#"
{"step":0,"tick":1,"time_ms":100,"commands":[{"kind":"set_field","coord":[0,0],"field":0,"value":1.5,"priority":1,"arrival_seq":0}],"hash":"[..]"}
{"step":1,"tick":2,"time_ms":200,"commands":[{"kind":"set_field","coord":[1,2],"field":0,"value":-0.0,"priority":0,"source_id":7,"source_seq":1,"arrival_seq":0},{"kind":"set_field","coord":[1,2],"field":0,"value":0.1,"priority":2,"source_id":8,"arrival_seq":1}],"hash":"[..]"}
{"step":2,"tick":3,"time_ms":300,"commands":[{"kind":"set_field","coord":[2,3],"field":0,"value":"0x7fc00001","priority":1,"arrival_seq":0}],"hash":"[..]"}
{"step":3,"tick":4,"time_ms":400,"commands":[{"kind":"set_field","coord":[0,1],"field":0,"value":2.5,"priority":1,"expires_after_tick":3,"arrival_seq":0}],"hash":"[..]"}
{"step":4,"tick":5,"time_ms":500,"commands":[{"kind":"set_field","coord":[9,9],"field":0,"value":2.0,"priority":1,"arrival_seq":0},{"kind":"set_field","coord":[0,1],"field":9,"value":2.0,"priority":1,"arrival_seq":1},{"kind":"set_field","coord":[0,1],"field":2,"value":2.0,"priority":1,"arrival_seq":2}],"hash":"[..]"}
{"step":5,"tick":6,"time_ms":600,"commands":[{"kind":"move","entity_id":4,"target":[0,1],"priority":1,"arrival_seq":0},{"kind":"spawn","coord":[0,1],"values":[[0,1.0],[1,0.002]],"priority":1,"arrival_seq":1},{"kind":"despawn","entity_id":4,"priority":1,"arrival_seq":2},{"kind":"custom","type_id":3,"data":"00ff","priority":1,"arrival_seq":3},{"kind":"set_parameter","key":1,"value":0.25,"priority":1,"arrival_seq":4},{"kind":"set_parameter_batch","parameters":[[1,0.25],[2,1e300]],"priority":1,"arrival_seq":5},{"kind":"stored","type":9,"payload":"abcd","priority":1,"arrival_seq":6}],"hash":"[..]"}
{"step":6,"tick":7,"time_ms":700,"commands":[{"kind":"set_field","coord":[0,1],"field":0,"value":1.0,"trailing":"ee","priority":1,"source_seq":3,"arrival_seq":0}],"hash":"[..]"}
{"step":7,"tick":8,"time_ms":800,"commands":[],"hash":"[..]"}
{"step":8,"tick":9,"time_ms":900,"commands":[],"hash":"[..]"}
{"step":9,"tick":10,"time_ms":1000,"commands":[],"hash":"[..]"}
{"step":10,"tick":11,"time_ms":1100,"commands":[],"hash":"[..]"}
{"step":11,"tick":12,"time_ms":1200,"commands":[],"hash":"[..]"}

"#]]);
    let dumped = outputs(path, &["dump", "odd.murk"], 0);
    for (line, text) in dumped.lines().enumerate() {
        let frame: Value = serde_json::from_str(text).unwrap();
        let hash = frame["hash"].as_str().unwrap();
        assert!(hash.len() == 16 && u64::from_str_radix(hash, 16).is_ok());
        // One tick alone, with and without --json.
        let tick = format!("tick:{}", line + 1);
        for args in [
            &["dump", "--at", &tick, "odd.murk"][..],
            &["dump", "--json", "--at", &tick, "odd.murk"],
        ] {
            gametape(path, args)
                .assert()
                .code(0)
                .stdout_eq(format!("{text}\n"))
                .stderr_eq("");
        }
    }
    fs::write(path.join("dumped.jsonl"), dumped).unwrap();
    record(path, "pond.toml", "dumped.jsonl", "again.murk").code(1);
    assert_eq!(
        fs::read(path.join("again.murk")).unwrap(),
        fs::read(path.join("odd.murk")).unwrap()
    );
    expect(path, "dump --at tick:13 odd.murk", 2)
        .stdout_eq("")
        .stderr_eq("gametape: odd.murk: tick 13 is not recorded: the recording ends at tick 12\n");
}

/// Numbers of 64 bits are read as exactly as they are printed.
#[test]
fn parameters_survive_the_way_through_json() {
    let folder = folder();
    let path = folder.path();
    let line = |value: f64| {
        format!("{{\"tick\":1,\"kind\":\"set_parameter\",\"key\":1,\"value\":{value:?}}}\n")
    };
    let bits = [0x1976_2c28_1f25_4509_u64, 0x0d58_6800_3d31_247e];
    let values = bits.map(f64::from_bits);
    let lines: String = values.into_iter().map(line).collect();
    fs::write(path.join("parameters.jsonl"), lines).unwrap();
    record(path, "pond.toml", "parameters.jsonl", "parameters.murk").code(1);
    let dumped = outputs(path, &["dump", "--at", "tick:1", "parameters.murk"], 0);
    for value in values {
        assert!(
            dumped.contains(&format!("\"value\":{value:?},")),
            "{dumped}"
        );
    }
}

/// The ink stays where it was dropped: the grid has no rows at most ticks.
#[test]
fn a_grid_that_rests_says_how_to_print_what_holds() {
    let folder = folder();
    let path = folder.path();
    let said = "ink has no new rows at step 11: --state prints the rows that hold then\n";
    expect(path, "dump --table ink --at end run.murk", 0)
        .stdout_eq("")
        .stderr_eq(said);
    expect(path, "dump --table ink --at end --csv run.murk", 0)
        .stdout_eq("step,tick,time_ms,ended,row,col,value\n")
        .stderr_eq(said);
    let state = outputs(path, &["dump", "--table", "ink", "--state", "run.murk"], 0);
    assert_eq!(state.lines().count(), 12, "{state}");
    let at_end = outputs(
        path,
        &[
            "dump", "--table", "ink", "--state", "--at", "end", "run.murk",
        ],
        0,
    );
    assert_eq!(at_end, state);
    // A table of events has none, or some: that is all there is.
    expect(path, "dump --table commands --at end run.murk", 0)
        .stdout_eq("")
        .stderr_eq("");
}

#[test]
fn a_time_of_a_recording_without_times_is_refused_in_one_sentence() {
    let folder = folder();
    let path = folder.path();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    fs::write(path.join("bare.murk"), bare(&bytes)).unwrap();
    for args in [
        "dump --at 1 bare.murk",
        "dump --table commands --at 1 bare.murk",
        "dump --state --at 1 bare.murk",
    ] {
        expect(path, args, 2).stdout_eq("").stderr_eq(
            "gametape: bare.murk: 1.000 s: the recording has no times; name a tick, or a step\n",
        );
    }
}
