//! Questions about runs, packets, copies and names, computed from rows and bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use gametape::core::table::Owned;
use gametape::core::table::kit::scanned;
use gametape::core::tape::Verdict;
use gametape::{At, Recording, Scan, Secrets};

use super::{Answer, assert_answered, round};
use crate::samples::{fill, fill_more};
use crate::twenty::row;

#[test]
fn questions_about_runs_and_packets_have_the_answers_of_a_second_computation() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    fill_more(folder.path());
    let mut all = of_runs(folder.path());
    all.extend(of_packets(folder.path()));
    all.push(of_a_copy(folder.path()));
    all.extend(of_files(folder.path()));
    all.extend(of_names(folder.path()));
    assert_answered(folder.path(), "%final.butter", all);
}

/// The rows of a table as the library reads them: the step, the tick, the values, and the milliseconds.
fn rows(path: &Path, table: &str, columns: &[&'static str]) -> Vec<Vec<String>> {
    let recording = Recording::open(path).unwrap();
    let mut scan = Scan::table(table).columns(columns.iter().copied());
    scan.secrets = Secrets::Show;
    let text = |value: &Owned| match value {
        Owned::Null => "null".to_owned(),
        Owned::Bool(value) => value.to_string(),
        Owned::Int(value) => value.to_string(),
        Owned::Uint(value) => value.to_string(),
        Owned::Float32(bits) => f32::from_bits(*bits).to_string(),
        Owned::Float64(bits) => f64::from_bits(*bits).to_string(),
        Owned::Text(value) => value.clone(),
    };
    let rows = scanned(&**recording.tape(), &scan).into_iter();
    rows.map(|row| {
        let tick = row
            .stamp
            .tick
            .map_or("null".to_owned(), |tick| tick.to_string());
        let mut all = vec![row.stamp.step.to_string(), tick];
        all.extend(row.values.iter().map(text));
        all.push(
            row.stamp
                .time
                .map_or_else(|| "null".to_owned(), |time| time.ms().to_string()),
        );
        all
    })
    .collect()
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

/// How often each group of columns occurs.
fn counts(rows: impl IntoIterator<Item = Vec<String>>) -> Vec<Vec<String>> {
    let mut counts = BTreeMap::<_, u32>::new();
    for row in rows {
        *counts.entry(row).or_default() += 1;
    }
    let counts = counts.into_iter();
    let row = |(row, count): (Vec<String>, u32)| [row, vec![count.to_string()]].concat();
    counts.map(row).collect()
}

fn of_runs(folder: &Path) -> Vec<Answer> {
    let names = ["heat-1.murk", "heat-2.murk", "heat-3.murk"];
    let hashes = names.map(|name| rows(&folder.join(name), "ticks", &["hash"]));
    let differ = (0..20).find(|&at| (1..3).any(|other| hashes[0][at] != hashes[other][at]));
    let builds = names.iter().filter_map(|name| {
        let path = folder.join(name);
        let ticks = rows(&path, "ticks", &["hash", "replayed_hash"]);
        let first = ticks.iter().find(|row| row[2] != row[3])?;
        let build = rows(&path, "run", &["build_murk_version", "build_target_triple"]);
        Some(row![build[0][2], build[0][3], name, first[1]])
    });
    let commands = names.iter().flat_map(|name| {
        let rows = rows(
            &folder.join(name),
            "commands",
            &["kind", "source_id", "outcome"],
        );
        rows.into_iter()
            .map(|row| [&[(*name).to_owned()], &row[2..]].concat())
    });
    let commands: Vec<Vec<String>> = commands.collect();
    // The cells of a field after each tick.
    let states = [names[0], names[1]].map(|name| {
        let recording = Recording::open(folder.join(name)).unwrap();
        let mut play = recording.playback().unwrap();
        let scan = Scan::table("smoke").columns(["row", "col", "value"]);
        let states = (1..=20).map(|tick| {
            play.seek(At::Tick(tick)).unwrap();
            let cells = play.state(&scan).unwrap();
            let cell = |at| [0, 1, 2].map(|column| cells.get(at, column).to_string());
            let cells = (0..cells.len()).map(cell);
            cells
                .map(|[row, col, value]| ((row, col), number(&value)))
                .collect()
        });
        states.collect::<Vec<BTreeMap<_, f64>>>()
    });
    let [one, two] = &states;
    let cells = one[9]
        .iter()
        .filter(|(cell, value)| (two[9][*cell] - **value).abs() > 0.0);
    let cells = cells.map(|((row, col), value)| {
        let other = two[9][&(row.clone(), col.clone())];
        row![row, col, round(*value, 3), round(other, 3)]
    });
    let mut changes = Vec::new();
    for tick in 0..20 {
        let changed = |states: &[BTreeMap<(String, String), f64>], cell| {
            let now = states[tick][cell];
            let before = tick.checked_sub(1).map(|before| states[before][cell]);
            (before != Some(now)).then_some(now)
        };
        let differ = one[tick]
            .keys()
            .filter(|cell| changed(one, cell) != changed(two, cell));
        changes.extend(differ.map(|(row, col)| row![row, col]));
    }
    vec![
        (
            "At which tick did two runs begin to differ?",
            vec![row![differ.unwrap() + 1]],
        ),
        (
            "In which cells do two runs differ at a tick?",
            cells.collect(),
        ),
        (
            "At which tick does each build stop giving the recorded state?",
            builds.collect(),
        ),
        (
            "In which cells do the changes of two runs differ most often?",
            counts(changes),
        ),
        (
            "Which runs have commands that were not applied?",
            counts(commands.iter().map(|row| row![row[0], row[3]])),
        ),
    ]
}

fn of_packets(folder: &Path) -> Vec<Answer> {
    let mut sizes = BTreeMap::<String, Vec<f64>>::new();
    let mut large = Vec::new();
    let mut uses = BTreeMap::<String, [f64; 2]>::new();
    let mut entities = BTreeMap::<[String; 2], f64>::new();
    let mut seconds = BTreeMap::<String, [f64; 2]>::new();
    for file in ["match.mcap", "arena.mcap"] {
        for row in rows(&folder.join(file), "packets", &["kind", "bytes"]) {
            let bytes = number(&row[3]);
            sizes.entry(row[2].clone()).or_default().push(bytes);
            let second = match row[4].as_str() {
                "null" => "null".to_owned(),
                ms => (number(ms) / 1000.0).floor().to_string(),
            };
            let [sum, packets] = seconds.entry(second).or_default();
            (*sum, *packets) = (*sum + bytes, *packets + 1.0);
            if bytes > 1200.0 {
                large.push(row![row[0], row[1], bytes]);
            }
        }
    }
    for row in rows(
        &folder.join("arena.mcap"),
        "parts",
        &["component", "part", "entity", "bits"],
    ) {
        let [component, part, entity, bits] = [2, 3, 4, 5].map(|at| row[at].clone());
        let what = if component == "null" {
            part
        } else {
            component.clone()
        };
        let [times, sum] = uses.entry(what).or_default();
        (*times, *sum) = (*times + 1.0, *sum + number(&bits));
        if entity != "null" {
            *entities.entry([entity, component]).or_default() += number(&bits);
        }
    }
    let fields = rows(
        &folder.join("arena.mcap"),
        "bits_by_field",
        &["component", "field", "times", "bits"],
    );
    let fields = fields.iter().filter(|row| row[3] != "null");
    let fields = fields.map(|row| row![row[2], row[3], row[4], round(number(&row[5]) / 8.0, 1)]);
    let seconds = seconds.into_iter();
    let seconds = seconds.map(|(second, [bytes, packets])| row![second, bytes, packets]);
    let sizes = sizes.into_iter().map(|(kind, sizes)| {
        let (count, sum) = (sizes.len(), sizes.iter().sum::<f64>());
        let most = sizes.iter().copied().fold(0.0, f64::max);
        row![kind, count, sum, round(sum / count as f64, 1), most]
    });
    let uses = uses.into_iter();
    let uses = uses.map(|(what, [times, bits])| row![what, times, round(bits / 8.0, 1)]);
    let entities = entities.into_iter();
    let entities =
        entities.map(|([entity, component], bits)| row![entity, component, round(bits / 8.0, 1)]);
    vec![
        ("How large are the packets?", sizes.collect()),
        ("Which packets are over a budget?", large),
        ("What are the bytes of the packets for?", uses.collect()),
        ("Which entities cost the most?", entities.collect()),
        ("Which fields cost the most?", fields.collect()),
        (
            "How many bytes go over the wire in each second?",
            seconds.collect(),
        ),
    ]
}

/// The numbers that a .butter rounded.
fn of_a_copy(folder: &Path) -> Answer {
    let all = ["match.echoreplay", "it's a \"match\".butter"].map(|name| {
        let rows = rows(&folder.join(name), "players", &["player", "head_forward_x"]);
        let rows = rows.into_iter().filter(|row| row[3] != "null");
        let rows = rows.map(|row| ([row[0].clone(), row[2].clone()], row[3].parse().unwrap()));
        rows.collect::<BTreeMap<_, f32>>()
    });
    let [lines, packed] = &all;
    let off = packed.iter().filter_map(|(at, there)| {
        let here = lines[at];
        let [step, player] = at;
        ((here - there).abs() > 0.0)
            .then(|| row![step, player, round(f64::from((here - there).abs()), 6)])
    });
    (
        "What changed between a match and its archive?",
        off.collect(),
    )
}

fn of_files(folder: &Path) -> Vec<Answer> {
    let mut kinds = BTreeMap::<_, [u64; 2]>::new();
    let mut problems = BTreeMap::<_, (BTreeSet<String>, u32)>::new();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let kind = match name.rsplit('.').next().unwrap() {
            "rmv" => ["rmv", "rmv"],
            "murk" => ["murk", "murk"],
            "mcap" => ["capture", "capture"],
            "butter" => ["echo", "butter"],
            "echoreplay" => ["echo", "echoreplay"],
            _ => continue,
        };
        let [count, bytes] = kinds.entry(kind).or_default();
        (*count, *bytes) = (*count + 1, *bytes + fs::metadata(&path).unwrap().len());
        let audit = Recording::open(&path).unwrap().audit().unwrap();
        for finding in &audit.findings {
            let found = (finding.code(), finding.severity().name());
            let (files, count) = problems.entry(found).or_default();
            files.insert(name.clone());
            *count += 1;
        }
        if audit.verdict() != Verdict::Pass {
            wrong.push(row![name, audit.verdict(), audit.summary]);
        }
    }
    let kinds = kinds.into_iter();
    let problems = problems.into_iter();
    vec![
        (
            "What is in this folder?",
            kinds
                .map(|([kind, format], [count, bytes])| row![kind, format, count, bytes])
                .collect(),
        ),
        (
            "Which problems were found, and in how many recordings?",
            problems
                .map(|((code, severity), (files, count))| row![code, severity, files.len(), count])
                .collect(),
        ),
        ("Which recordings are not what they claim to be?", wrong),
    ]
}

fn of_names(folder: &Path) -> Vec<Answer> {
    let matches = [
        "final.butter",
        "match.echoreplay",
        "it's a \"match\".butter",
    ];
    let people = matches.iter().flat_map(|file| {
        let people = rows(
            &folder.join(file),
            "roster",
            &["name", "user_id", "earlier_names"],
        );
        people
            .into_iter()
            .map(move |row| [&[(*file).to_owned()], &row[2..]].concat())
    });
    let people: Vec<Vec<String>> = people.collect();
    let accounts = people.iter().filter(|row| row[1] == "Quince");
    let accounts: BTreeSet<&String> = accounts.map(|row| &row[2]).collect();
    let same = people.iter().filter(|row| accounts.contains(&row[2]));
    let mut wins: Vec<Vec<String>> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rmv"))
        .filter_map(|path| {
            let columns = [
                "player_name",
                "level",
                "generated",
                "total_time_ms",
                "outcome",
            ];
            let mut row = rows(&path, "game", &columns).remove(0).split_off(2);
            row.truncate(5);
            row.insert(3, path.file_name().unwrap().to_str().unwrap().to_owned());
            (row.pop().unwrap() == "win").then_some(row)
        })
        .collect();
    wins.sort();
    let mut best = BTreeMap::<[String; 2], f64>::new();
    let progress = wins.iter().map(|row| {
        let time = number(&row[4]);
        let least = best.entry([row[0].clone(), row[1].clone()]).or_insert(time);
        *least = least.min(time);
        row![row[0], row[1], row[3], time, least]
    });
    vec![
        (
            "In which matches did a player take part, under any name?",
            same.map(|row| row![row[0], row[1], row[3]]).collect(),
        ),
        ("How did a player's best time progress?", progress.collect()),
    ]
}
