//! Recording from a moment of another recording, in a changed world, and with an agent at the other
//! end of two pipes.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use gametape_samples::murk::{FORAGING, WEATHER};
use serde_json::Value;
use snapbox::cmd::cargo_bin;
use snapbox::str;

use super::support::{expect, folder, gametape, names};

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
        .stderr_eq("gametape: run.murk: propagator.0.coefficent=0.25 can't be set: propagator 0 (scalar_diffusion), coefficent: unknown key; known keys: kind, input_field, output_field, gradient_field, coefficient, decay, sources, clamp_min, clamp_max, max_degree (did you mean \"propagator.0.coefficient\"?)\n");
    branch(&["--set", "dt", "d.murk"])
        .code(2)
        .stderr_eq("error: invalid value 'dt' for '--set <PARAM=VALUE>': a parameter and its value are needed, with = between\n...");
}

fn spawn(folder: &Path, more: &[&str]) -> Child {
    spawn_in(folder, "pond.toml", more)
}

fn spawn_in(folder: &Path, world: &str, more: &[&str]) -> Child {
    Command::new(cargo_bin("gametape"))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .args(["record", "murk", "--world", world, "--agent"])
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

/// Gives a child its input; returns its exit code and both outputs.
fn answered(mut child: Child, input: &str) -> (i32, String, String) {
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let done = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        done.status.code().unwrap(),
        text(&done.stdout),
        text(&done.stderr),
    )
}

#[test]
fn the_end_of_an_agents_recording() {
    let folder = folder();
    let path = folder.path();
    let outputs = |more: &[&str], input: &str| answered(spawn(path, more), input);
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

/// An agent that begins again meets the same world as at a fresh start with the same seed; each episode is a
/// recording.
#[test]
fn an_agent_begins_again() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("weather.toml"), WEATHER).unwrap();
    let ticks = "{\"commands\":[]}\n".repeat(3);
    let reset = |seed: u64| format!("{{\"reset\":{{\"seed\":{seed}}}}}\n{ticks}");
    let again = "{\"reset\":{}}\n";
    // It begins with a reset, as agents do that know Gymnasium, and ends with one.
    let input = format!("{}{again}{ticks}{}{again}", reset(5), reset(6));
    let fresh = |seed: &str| {
        let args = ["--watch", "wind", "--seed", seed];
        let (code, out, err) = answered(spawn_in(path, "weather.toml", &args), &ticks);
        assert_eq!(code, 0);
        assert_eq!(
            err,
            "1 episode, 3 ticks, 0 commands; nothing was recorded, without OUT\n"
        );
        out
    };
    let before = names(path);
    let (five, six) = (fresh("5"), fresh("6"));
    assert_ne!(five, six);
    assert_eq!(names(path), before);
    let args = ["--watch", "wind", "a.murk"];
    let (code, out, err) = answered(spawn_in(path, "weather.toml", &args), &input);
    assert_eq!(code, 0, "{err}");
    let lines: Vec<&str> = out.split_inclusive('\n').collect();
    // The first line and the last are states of episodes without ticks.
    assert_eq!(lines.len(), 14);
    assert_eq!(lines[1..5].concat(), five);
    assert_eq!(
        lines[5..9].concat(),
        five,
        "without a seed, it keeps the last"
    );
    assert_eq!(lines[9..13].concat(), six);
    assert_eq!(
        err,
        "a.murk: recorded 3 ticks, 0 commands\na.2.murk: recorded 3 ticks, 0 commands\na.3.murk: recorded 3 ticks, 0 commands\n"
    );
    for (name, seen) in [("a.murk", &five), ("a.2.murk", &five), ("a.3.murk", &six)] {
        let dumped = gametape(path, &["dump", name]).assert().code(0);
        let dumped = String::from_utf8(dumped.get_output().stdout.clone()).unwrap();
        let hashes = |text: &str| -> Vec<Value> {
            let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
            let hashes = lines.map(|line: Value| line["hash"].clone());
            hashes.filter(Value::is_string).collect()
        };
        assert_eq!(hashes(&dumped), hashes(seen), "{name}");
        assert_eq!(hashes(seen).len(), 3);
        expect(path, &format!("verify {name}"), 0);
    }
    assert!(!path.join("a.4.murk").exists());
    // A file of somebody else is not written over, and the sum of all is the last line.
    fs::write(path.join("b.2.murk"), "").unwrap();
    let args = ["--json", "b.murk"];
    let (code, out, err) = answered(spawn_in(path, "weather.toml", &args), &input);
    assert_eq!((code, &*err), (0, ""));
    let last: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!((&last["ticks"], &last["episodes"]), (&9.into(), &3.into()));
    assert!(path.join("b.3.murk").exists() && path.join("b.4.murk").exists());
    assert_eq!(fs::read(path.join("b.2.murk")).unwrap(), b"");
}

/// A branch is begun again where it branched, and keeps its seed.
#[test]
fn an_agent_begins_a_branch_again() {
    let folder = folder();
    let path = folder.path();
    let branch = |input: &str| {
        let child = Command::new(cargo_bin("gametape"))
            .current_dir(path)
            .env("NO_COLOR", "1")
            .args([
                "record", "murk", "--from", "run.murk", "--tick", "4", "--agent",
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        answered(child, input)
    };
    let tick = "{\"commands\":[]}\n";
    let (code, out, _) = branch(&format!("{tick}{{\"reset\":{{}}}}\n{tick}"));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((code, lines.len()), (0, 4));
    assert!(lines[0].starts_with("{\"tick\":4,"), "{out}");
    assert_eq!(lines[..2], lines[2..]);
    let (code, _, err) = branch("{\"reset\":{\"seed\":3}}\n");
    assert_eq!(code, 2);
    assert_eq!(
        err,
        "gametape: run.murk: a recording that branches from another one keeps its seed, 0\n"
    );
}

/// The agent of the book, which knows nothing but JSON.
#[test]
fn the_agent_of_the_book_runs() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/murk/worlds.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, program) = page.split_once("```python\n").unwrap();
    let (program, _) = program.split_once("```").unwrap();
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("foraging.toml"), FORAGING).unwrap();
    let command = cargo_bin("gametape");
    let programs = std::env::var_os("PATH").unwrap_or_default();
    let programs = std::env::split_paths(&programs);
    let programs = command
        .parent()
        .map(Path::to_owned)
        .into_iter()
        .chain(programs);
    let ran = Command::new("python3")
        .current_dir(path)
        .env("PATH", std::env::join_paths(programs).unwrap())
        .args(["-c", program])
        .output();
    let Ok(ran) = ran else {
        eprintln!("skipped: there is no python3");
        return;
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let (_, shown) = page.split_once("It prints:\n\n```text\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(text(&ran.stdout), shown);
    assert_eq!(
        text(&ran.stderr),
        "2 episodes, 40 ticks, 40 commands; nothing was recorded, without OUT\n"
    );
}
