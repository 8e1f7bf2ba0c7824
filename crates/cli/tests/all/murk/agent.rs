//! Recording from a moment of another recording, in a changed world, and with an agent at the other
//! end of two pipes.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use snapbox::cmd::cargo_bin;
use snapbox::str;

use super::support::{expect, folder, gametape};

#[test]
fn a_recording_begins_as_another_one_did() {
    let folder = folder();
    let path = folder.path();
    let more = r#"{"tick":9,"kind":"set_field","coord":[0,0],"field":"ink","value":5}"#;
    fs::write(path.join("more.jsonl"), more).unwrap();
    let branch = |more: &[&str]| {
        let args = ["record", "murk", "--from", "run.murk", "--ticks", "12"];
        gametape(path, &[&args[..], more].concat()).assert()
    };
    branch(&["--tick", "8", "--commands", "more.jsonl", "a.murk"])
        .code(0)
        .stdout_eq("a.murk: recorded 4 ticks, 1 command\n")
        .stderr_eq("continued after tick 8 of the other recording\n");
    expect(path, "verify a.murk", 0)
        .stdout_eq("pass  a.murk  12 ticks, replayed: every hash is right\n");
    expect(path, "diff run.murk a.murk", 1).stdout_eq("frame 8 (tick 9): [..]\n...");
    branch(&["--tick", "40", "b.murk"])
        .code(2)
        .stdout_eq("")
        .stderr_eq("gametape: b.murk: there is no tick 40 to branch from; the recording has ticks 1 to 12\n");
    assert!(!path.join("b.murk").exists());
    // In another world, of the same commands.
    branch(&["--set", "propagator.0.coefficient=0.25", "--json", "c.murk"])
        .code(0)
        .stdout_eq(str![[r#"
{"ticks":0,"resumed_after":0,"branched_after":12,"dropped":0,"commands":0,"applied":0,"expired":0,"rejected":0,"first_rejected":null,"failed_ticks":0,"failure":null,"last_hash":null}

"#]]);
    expect(path, "verify c.murk", 0);
    expect(path, "inspect --world c.murk", 0).stdout_eq("...\ncoefficient = 0.25\n...");
    branch(&["--set", "propagator.0.coefficent=0.25", "d.murk"])
        .code(2)
        .stderr_eq("gametape: run.murk: propagator.0.coefficent=0.25 can't be set: propagator 0 (scalar_diffusion), coefficent: unknown key; known keys: kind, input_field, output_field, gradient_field, coefficient, decay, sources, clamp_min, clamp_max, max_degree\n");
    branch(&["--set", "dt", "d.murk"])
        .code(2)
        .stderr_eq("error: invalid value 'dt' for '--set <PARAM=VALUE>': a parameter and its value are needed, with = between\n...");
}

fn spawn(folder: &Path, more: &[&str]) -> Child {
    Command::new(cargo_bin("gametape"))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .args(["record", "murk", "--world", "pond.toml", "--agent"])
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// An agent that only reacts to lines never waits forever.
#[test]
fn an_agent_acts_on_what_it_sees() {
    let folder = folder();
    let path = folder.path();
    let mut child = spawn(
        path,
        &["--watch", "spread@1,2", "--watch", "ink@1,2", "a.murk"],
    );
    let mut input = child.stdin.take().unwrap();
    let mut seen = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut values = Vec::new();
    for tick in 0..=10_u64 {
        let line: Value = serde_json::from_str(&seen.next().unwrap().unwrap()).unwrap();
        assert_eq!(line["tick"], tick);
        values.push(line["cells"]["spread@1,2"].as_f64().unwrap());
        if tick == 10 {
            break;
        }
        // More ink, as long as it is light there.
        if line["cells"]["spread@1,2"].as_f64().unwrap() < 3.0 {
            let ink = line["cells"]["ink@1,2"].as_f64().unwrap() + 2.0;
            writeln!(
                input,
                r#"{{"kind":"set_field","coord":[1,2],"field":"ink","value":{ink}}}"#
            )
            .unwrap();
        }
        writeln!(input, r#"{{"commands":[]}}"#).unwrap();
    }
    drop(input);
    assert!(seen.next().is_none());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(
        String::from_utf8_lossy(&done.stderr),
        "a.murk: recorded 10 ticks, 3 commands\n"
    );
    assert_eq!(
        values[..3],
        [0.0, 0.0, 1.6],
        "what is set is seen a tick later"
    );
    expect(path, "verify a.murk", 0)
        .stdout_eq("pass  a.murk  10 ticks, replayed: every hash is right\n");
}

#[test]
fn the_end_of_an_agents_recording() {
    let folder = folder();
    let path = folder.path();
    let outputs = |more: &[&str], input: &str| {
        let mut child = spawn(path, more);
        child
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        let done = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            done.status.code().unwrap(),
            text(&done.stdout),
            text(&done.stderr),
        )
    };
    let tick = "{\"commands\":[]}\n";
    let drop = r#"{"kind":"set_field","coord":[0,0],"field":"ink","value":1}"#;
    // The last tick that was asked for.
    let (code, out, err) = outputs(&["--ticks", "2", "--json", "a.murk"], &tick.repeat(3));
    assert_eq!((code, out.lines().count(), &*err), (0, 4, ""), "{out}");
    assert!(
        out.lines().last().unwrap().starts_with("{\"ticks\":2,"),
        "{out}"
    );
    // The input, within a tick.
    let (code, _, err) = outputs(&["b.murk"], &format!("{tick}{drop}\n"));
    assert_eq!(code, 3);
    assert_eq!(
        err,
        "b.murk: recorded 1 tick, 0 commands\ngametape: the input ended within a tick: 1 command of it is not recorded\n"
    );
    // A line that says nothing: what was recorded by then is whole.
    let (code, _, err) = outputs(&["c.murk"], &format!("{tick}{tick}\ndrop\n"));
    assert_eq!(code, 2);
    assert_eq!(
        err,
        "gametape: -: line 4: not JSON: expected value at column 1\n"
    );
    expect(path, "verify c.murk", 0)
        .stdout_eq("pass  c.murk  2 ticks, replayed: every hash is right\n");
    let (code, _, err) = outputs(&["--watch", "ink@3,0", "d.murk"], "");
    assert_eq!(code, 2);
    assert_eq!(
        err,
        "gametape: pond.toml: --watch ink@3,0: \"3,0\" is not a cell of the world: its coordinate, with commas between\n"
    );
    assert!(!path.join("d.murk").exists());
}
