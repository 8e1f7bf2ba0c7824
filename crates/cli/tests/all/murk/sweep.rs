//! Sweeps: a table with a row for each run.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use gametape::Work;
use gametape::core::tape::Error;
use gametape::murk::engine::World;
use gametape::murk::engine::own::Kinds;
use gametape::murk::tools::{Commands, Measure, Run, Sweep};
use gametape_samples::murk::WEATHER;
use serde_json::Value;
use snapbox::cmd::cargo_bin;
use snapbox::str;

use super::support::{POND, expect, names};
use crate::common::{fine, json, outputs, refused};

/// A folder with a world that has noise, and a world that has none, with its commands.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("weather.toml"), WEATHER).unwrap();
    fs::write(path.join("pond.toml"), POND).unwrap();
    fs::write(path.join("drops.jsonl"), super::support::DROPS).unwrap();
    folder
}

const SWEEP: &str = "record murk --world weather.toml --sweep dt=0.02..0.04/3 --sweep propagator.0.scale=0.1,0.5 \
                     --seeds 7..8 --ticks 6";

/// The same, as the library makes it.
fn sweep() -> Sweep {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    Sweep {
        world: World::from_toml(WEATHER).unwrap(),
        kinds: Kinds::new(),
        grid: vec![
            ("dt".into(), texts(&["0.02", "0.03", "0.04"])),
            ("propagator.0.scale".into(), texts(&["0.1", "0.5"])),
        ],
        seeds: vec![7, 8],
        ticks: 6,
        commands: Commands::none(),
    }
}

#[test]
fn the_table_is_that_of_the_library_row_by_row() {
    let folder = folder();
    let path = folder.path();
    let sweep = sweep();
    let measures = Measure::of_all(&sweep.world);
    let of = |run: &Run| -> Result<Vec<f64>, Error> {
        let of = |measure: &Measure| measure.of(run.simulation());
        Ok(measures.iter().map(of).collect())
    };
    let runs = sweep.run(&of, &Work::default()).unwrap();
    let table = fine(path, &format!("{SWEEP} --csv"));
    assert_eq!(
        fine(path, &format!("{SWEEP} --csv=excel")),
        format!("\u{feff}{}", table.replace('\n', "\r\n"))
    );
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let heads: Vec<String> = rows.headers().unwrap().iter().map(str::to_owned).collect();
    let expected = ["dt", "propagator.0.scale", "seed"].into_iter();
    let expected = expected.chain(measures.iter().map(Measure::name));
    let expected: Vec<&str> = expected.chain(["failed_ticks", "rejected"]).collect();
    assert_eq!(heads, expected);
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    assert_eq!((rows.len(), runs.len()), (12, 12));
    let lines = fine(path, &format!("{SWEEP} --json"));
    assert_eq!(lines.lines().count(), 12);
    for ((at, (row, run)), line) in (0..).zip(rows.iter().zip(&runs)).zip(lines.lines()) {
        let cells: Vec<&str> = row.iter().collect();
        assert_eq!(cells[..2], sweep.values(at));
        assert_eq!(cells[2], sweep.seed(at).to_string());
        let numbers = cells[3..cells.len() - 2].iter();
        let numbers: Vec<f64> = numbers.map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(numbers, run.measured, "row {at}");
        assert_eq!(cells[cells.len() - 2..], ["0", "0"]);
        // The same in JSON, in the order of the columns.
        let object = json(line);
        let object = object.as_object().unwrap();
        assert!(object.keys().eq(&heads));
        let numbers = measures.iter().zip(&run.measured);
        for (measure, number) in numbers {
            let written = serde_json::to_string(number).unwrap();
            let key = serde_json::to_string(measure.name()).unwrap();
            assert!(line.contains(&format!("{key}:{written}")), "{line}");
        }
        assert_eq!(object["dt"].as_f64(), sweep.values(at)[0].parse().ok());
        assert_eq!(object["seed"], sweep.seed(at));
    }
    // Noise differs from seed to seed.
    assert_ne!(rows[0].get(3), rows[1].get(3));
}

#[test]
fn a_file_has_the_table_by_its_extension_and_is_not_replaced() {
    let folder = folder();
    let path = folder.path();
    let said = fine(path, &format!("{SWEEP} runs.csv"));
    assert_eq!(said, "runs.csv: 12 runs of 6 ticks\n");
    let said = json(&fine(path, &format!("{SWEEP} --json runs.jsonl")));
    assert_eq!(
        said,
        serde_json::json!({"path": "runs.jsonl", "runs": 12, "ticks": 6, "failed_ticks": 0, "rejected": 0})
    );
    let file = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    assert_eq!(file("runs.csv"), fine(path, &format!("{SWEEP} --csv")));
    assert_eq!(file("runs.jsonl"), fine(path, &format!("{SWEEP} --json")));
    let before = file("runs.csv");
    refused(
        path,
        &format!("{SWEEP} runs.csv"),
        "runs.csv: exists already",
    );
    assert_eq!(file("runs.csv"), before);
    refused(
        path,
        &format!("{SWEEP} run.murk"),
        "run.murk: a sweep writes one table: a .csv or .jsonl file, or to standard output without OUT; to record one \
         of its runs, give its values by --set and --seed",
    );
    refused(
        path,
        &format!("{SWEEP} no/runs.csv"),
        "no/runs.csv: no such folder: no",
    );
}

/// For people: what is measured has six digits, and counts are columns if there are any.
#[test]
fn people_read_the_table_on_standard_output() {
    let folder = folder();
    let path = folder.path();
    let pond = "record murk --world pond.toml --commands drops.jsonl --ticks 12 --sweep propagator.0.coefficient=0.1,0.3";
    expect(
        path,
        &format!("{pond} --measure spread.mean --measure spread@1,2"),
        0,
    )
    .stdout_eq(str![[r#"
propagator.0.coefficient  seed  spread.mean  spread@1,2
                     0.1     0      1.29167        2.88
                     0.3     0      1.29167        2.64

"#]])
    .stderr_eq("");
    // A command that can't be applied: each run has it.
    fs::write(
        path.join("drops.jsonl"),
        r#"{"tick":2,"kind":"despawn","entity_id":1}"#,
    )
    .unwrap();
    expect(path, &format!("{pond} --measure ink.sum"), 1)
        .stdout_eq(str![[r#"
propagator.0.coefficient  seed  ink.sum  rejected
                     0.1     0        0         1
                     0.3     0        0         1

"#]])
        .stderr_eq(
            "gametape: in 2 of 2 runs, ticks failed or commands could not be applied; the first is \
             propagator.0.coefficient=0.1, seed 0: tick 2: command 0 is a despawn: Murk's lockstep engine applies \
             set_field only\n",
        );
    // Of very many rows, the first.
    let (out, _) = outputs(
        path,
        "record murk --world pond.toml --seeds 1000 --ticks 0 --measure ink.sum",
        0,
    );
    assert_eq!(out.lines().count(), 202);
    assert_eq!(
        out.lines().last(),
        Some("… (1,000 runs in all: --csv prints each, OUT.csv keeps them)")
    );
}

#[test]
fn what_can_not_be_swept_is_refused_in_words() {
    let folder = folder();
    let path = folder.path();
    let pond = "record murk --world pond.toml --ticks 2";
    for (options, complaint) in [
        (
            "--sweep dt=0.2..0.1",
            "--sweep dt=0.2..0.1: 0.2 is above 0.1: a range begins with the smaller one",
        ),
        (
            "--sweep dt=0.1..nan",
            "--sweep dt=0.1..nan: \"nan\" is not a number; a range is A..B, or A..B/COUNT",
        ),
        (
            "--sweep dt=0.1..0.2/0",
            "--sweep dt=0.1..0.2/0: a range has at least 2 values, not 0",
        ),
        (
            "--sweep dt=0.1..0.2/9999 --seeds 9999",
            "a sweep has at most 10,000,000 runs",
        ),
        (
            "--sweep space.rows=3..8/3",
            "--sweep space.rows=3..8/3: this parameter is a whole number, and 3 of them can't be evenly apart; 3..8 has all",
        ),
        (
            "--sweep seed=1..3",
            "--sweep seed=1..3: the seeds of a sweep are given by --seeds",
        ),
        (
            "--sweep dt=0.1 --sweep dt=0.2",
            "--sweep dt=0.2: this parameter is swept already; a list has all of its values",
        ),
        (
            "--sweep dt=0.1 --set dt=0.15",
            "--sweep dt=0.1: this parameter is set by --set, too",
        ),
        (
            "--sweep propagator.0.coeficient=0.1,0.2",
            "propagator.0.coeficient=0.1 can't be set: propagator 0 (scalar_diffusion), coeficient: unknown key; known keys: kind, input_field, output_field, gradient_field, coefficient, decay, sources, clamp_min, clamp_max, max_degree (did you mean \"propagator.0.coefficient\"?)",
        ),
        (
            "--sweep dt=0.1,fast",
            "dt=fast can't be set: dt: a number is needed, this is the string \"fast\"",
        ),
        (
            "--seeds 2 --measure spred.mean",
            "--measure spred.mean: the world has no field \"spred\"; it has ink, spread, shore (did you mean \"spread.mean\"?)",
        ),
        (
            "--seeds 2 --measure spread",
            "--measure spread: \"spread\" is nothing to measure: FIELD@CELL, or FIELD.STATISTIC with one of mean, min, max, sum, std",
        ),
    ] {
        refused(
            path,
            &format!("{pond} {options}"),
            &format!("pond.toml: {complaint}"),
        );
        refused(
            path,
            &format!("{pond} {options} out.csv"),
            &format!("pond.toml: {complaint}"),
        );
    }
    let usage = |options: &str, said: &str| {
        let (out, err) = outputs(path, &format!("{pond} {options}"), 2);
        assert_eq!(out, "");
        assert!(err.contains(said), "{options}: {err}");
    };
    usage("--seeds 0", "a sweep needs at least one seed");
    usage("--seeds x", "\"x\" is no seed, a whole number from 0 on");
    usage(
        "--sweep dt",
        "a parameter and its value are needed, with = between",
    );
    usage("--csv out.csv", "--sweep");
    usage("--seeds 2 --csv out.csv", "cannot be used with");
    usage("--seeds 2 --agent", "cannot be used with");
    usage("--seeds 2 --resume out.csv", "cannot be used with");
    usage("--seeds 2 --seed 2", "cannot be used with");
    usage("--measure ink.mean out.murk", "--sweep");
    usage("--set dt=0.05", "<OUT>");
    let (_, err) = outputs(path, &format!("{pond} --seeds 2 --csv --json"), 2);
    assert_eq!(err, "gametape: either --json or --csv\n");
}

/// A row that looks odd can be recorded: its values and its seed make the same run.
#[test]
fn a_run_of_a_sweep_can_be_recorded() {
    let folder = folder();
    let path = folder.path();
    let record = "record murk --json --world weather.toml --set dt=0.03 --set propagator.0.scale=0.5 --seed 8";
    let made = json(&fine(path, &format!("{record} --ticks 6 odd.murk")));
    let hash = |run: &Run| Ok::<String, Error>(run.hash().to_string());
    let sweep = sweep();
    let runs = sweep.run(&hash, &Work::default()).unwrap();
    let at =
        (0..runs.len()).find(|at| sweep.values(*at) == ["0.03", "0.5"] && sweep.seed(*at) == 8);
    assert_eq!(
        made["last_hash"],
        Value::from(runs[at.unwrap()].measured.clone())
    );
    expect(path, "verify odd.murk", 0);
    let (_, err) = outputs(path, "record murk --from odd.murk --agent --seed 3", 2);
    assert!(err.contains("cannot be used with"), "{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_no_file() {
    use crate::common::{full_at, within};
    let folder = folder();
    let path = folder.path();
    let before = names(path);
    let seeds = "record murk --world pond.toml --seeds 500 --ticks 1 runs.csv";
    let full = within(&full_at(1), path, seeds).output().unwrap();
    assert_eq!(full.status.code(), Some(2));
    let said = String::from_utf8(full.stderr).unwrap();
    assert!(
        said.starts_with("gametape: runs.csv: ") && said.lines().count() == 1,
        "{said}"
    );
    assert_eq!(names(path), before);
    let closed = Command::new("bash")
        .current_dir(path)
        .arg("-c")
        .arg(format!(
            "'{}' record murk --world pond.toml --seeds 3000 --ticks 1 --csv | head -1 > one; echo ${{PIPESTATUS[0]}}",
            cargo_bin("gametape").display()
        ))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&closed.stdout), "141\n");
    assert_eq!(String::from_utf8_lossy(&closed.stderr), "");
}

/// Ctrl-C ends a sweep, and leaves nothing.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_file() {
    let folder = folder();
    let path = folder.path();
    let before = names(path);
    let mut child = spawn(
        path,
        "record murk --world weather.toml --seeds 1000000 --ticks 1000 runs.csv",
    );
    // Most often it runs by then; before it listens, the system ends it.
    sleep(Duration::from_millis(300));
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    assert!(matches!(child.wait().unwrap().code(), Some(130) | None));
    assert_eq!(names(path), before);
}

fn spawn(path: &Path, line: &str) -> std::process::Child {
    Command::new(cargo_bin("gametape"))
        .current_dir(path)
        .args(line.split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}
