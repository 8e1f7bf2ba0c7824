//! Recording from a moment of another recording, in a changed world, and with another seed.

use std::fs;

use gametape_samples::murk::WEATHER;
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
        .stderr_eq("gametape: run.murk: propagator.0.coefficent=0.25 can't be set: propagator 0 (scalar_diffusion), coefficent: unknown key; known keys: kind, input_field, output_field, gradient_field, coefficient, decay, sources, clamp_min, clamp_max, max_degree (did you mean \"propagator.0.coefficient\"?)\n");
    branch(&["--set", "dt", "d.murk"])
        .code(2)
        .stderr_eq("error: invalid value 'dt' for '--set <PARAM=VALUE>': a parameter and its value are needed, with = between\n...");
}

#[test]
fn a_recording_has_the_noise_of_its_seed() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("weather.toml"), WEATHER).unwrap();
    let record = |seed: &str| {
        let out = format!("{seed}.murk");
        let args = ["record", "murk", "--world", "weather.toml", "--ticks", "3"];
        gametape(path, &[&args[..], &["--seed", seed, &out]].concat())
            .assert()
            .code(0);
        fs::read(path.join(out)).unwrap()
    };
    let one = record("8");
    assert_ne!(one[one.len() - 8..], record("9")[one.len() - 8..]);
    expect(path, "verify 8.murk", 0);
    expect(path, "inspect --world 8.murk", 0).stdout_eq("...\nseed = 8\n...");
    gametape(
        path,
        &[
            "record", "murk", "--from", "8.murk", "--seed", "3", "--ticks", "4", "b.murk",
        ],
    )
    .assert()
    .code(2)
    .stderr_eq("error: the argument '--from <FILE>' cannot be used with '--seed <N>'\n...");
}
