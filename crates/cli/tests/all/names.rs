//! One thing has one name: what the command prints of every format, held to the book's page of names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use gametape::murk::engine::World;
use gametape_samples::mines::{record, scenarios};
use serde_json::Value;

use crate::common::{gametape, words};
use crate::kit::samples;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/names.md");

/// The words of which names are made.
const WORDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/words.txt");

/// The rows of the table whose first column has this name.
fn table(page: &str, first: &str) -> Vec<Vec<String>> {
    let head = format!("| {first} |");
    let lines = page.lines().skip_while(|line| !line.starts_with(&head));
    let rows = lines.skip(2).take_while(|line| line.starts_with('|'));
    let rows: Vec<Vec<String>> = rows
        .map(|row| {
            row.trim_matches('|')
                .split('|')
                .map(|cell| cell.trim().to_owned())
        })
        .map(Iterator::collect)
        .collect();
    assert!(!rows.is_empty(), "no table of {first}");
    rows
}

/// The names in a cell or a sentence: what stands in backticks.
fn named(text: &str) -> Vec<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Whether a name is in another, as whole words.
fn is_part(part: &str, name: &str) -> bool {
    format!("_{name}_").contains(&format!("_{part}_"))
}

/// What the command prints: keys of JSON, with a place that has them, and columns with their units.
#[derive(Default)]
struct Seen {
    keys: BTreeMap<String, String>,
    /// Keys of objects of units, as one path: `board_cols`.
    paths: BTreeSet<String>,
    columns: BTreeMap<String, BTreeSet<String>>,
}

impl Seen {
    /// Adds the keys of a value, without those of objects whose names are others'.
    fn add(&mut self, value: &Value, path: &str, place: &str, others: &[String]) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    if others.contains(key) {
                        continue;
                    }
                    let name = format!("{path}_{key}").trim_matches('_').to_owned();
                    self.paths.insert(name.clone());
                    self.keys
                        .entry(key.clone())
                        .or_insert_with(|| place.to_owned());
                    let inner = if key == "details" { "" } else { &name };
                    self.add(value, inner, place, others);
                }
            }
            Value::Array(values) => {
                for value in values {
                    self.add(value, "", place, others);
                }
            }
            _ => {}
        }
    }

    fn column(&mut self, name: &str, unit: &str) {
        let units = self.columns.entry(name.to_owned()).or_default();
        units.insert(unit.to_owned());
    }
}

/// Runs every verb that prints JSON over samples of every format, sound and cut, and over the columns of
/// all tables.
fn seen(others: &[String]) -> Seen {
    let mut seen = Seen::default();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for format in gametape::formats().iter() {
        for table in format.tables() {
            seen.keys.entry(table.name.to_string()).or_default();
            for column in &table.columns {
                seen.column(&column.name, &column.unit);
            }
        }
        for sample in samples(format.name()) {
            for (name, bytes) in &sample.beside {
                fs::write(path.join(name), bytes).unwrap();
            }
            fs::write(path.join(&sample.name), &sample.bytes).unwrap();
            let name = &sample.name;
            let cut = format!("cut-{name}");
            fs::write(path.join(&cut), &sample.bytes[..sample.bytes.len() * 3 / 4]).unwrap();
            for call in [
                format!("inspect --json {name}"),
                format!("stats --json {name}"),
                format!("verify --json {name} {cut}"),
                format!("tables --json {name}"),
                format!("dump --json {name}"),
                format!("dump --json --state {name}"),
                format!("diff --json {name} {name}"),
                format!("convert --json {name} made-{name}.mcap"),
                format!("repair --json {cut} mended-{name}"),
                format!("cut --json {name} part-{name} --to step:2"),
            ] {
                read(path, &call, others, &mut seen);
            }
        }
    }
    two_of_each(path);
    for call in [
        "diff --json win.rmv loss.rmv",
        "diff --json heat-1.murk heat-2.murk",
        "inspect --json heat-1.murk",
        "stats --json heat-1.murk",
        "tables --json heat-1.murk",
        "verify --json .",
        "inspect --json .",
        "convert --json heat-1.murk win.rmv --out made --to mcap",
        "formats --json",
        "verify --json --policy default win.rmv loss.rmv",
        "record murk --json --world heat.toml --ticks 3 new.murk",
        "minimise --json heat-1.murk small.murk --against other.toml",
        "sync-test --json heat-1.murk",
        "index --json heat-1.murk",
        "picture --json win.rmv win.svg",
        "publish --json win.rmv --out site --page dist",
    ] {
        read(path, call, others, &mut seen);
    }
    let [one, other] = ["echoreplay", "butter"].map(|format| samples(format)[0].name.clone());
    read(
        path,
        &format!("diff --json {one} {other}"),
        others,
        &mut seen,
    );
    seen
}

/// Recordings that differ from one another.
fn two_of_each(path: &Path) {
    for (name, file) in [("beginner-win", "win.rmv"), ("loss", "loss.rmv")] {
        let scenarios = scenarios();
        let scenario = scenarios
            .iter()
            .find(|scenario| scenario.name == name)
            .unwrap();
        let game = record(scenario, 3).unwrap();
        fs::write(path.join(file), gametape::mines::rmv::write(&game).unwrap()).unwrap();
    }
    let heat = gametape_samples::murk::HEAT;
    fs::write(path.join("heat.toml"), heat).unwrap();
    let other = heat.replace("intensity = 0.5", "intensity = 0.6");
    fs::write(path.join("other.toml"), other).unwrap();
    // A page to publish with.
    fs::create_dir_all(path.join("dist/site")).unwrap();
    fs::write(path.join("dist/site/index.html"), "<p>page</p>").unwrap();
    let world = World::from_toml(heat).unwrap();
    for seed in [1, 2] {
        let run = gametape_samples::murk::record(&world, world.build().unwrap(), seed, 20).unwrap();
        fs::write(path.join(format!("heat-{seed}.murk")), run).unwrap();
    }
}

fn read(path: &Path, call: &str, others: &[String], seen: &mut Seen) {
    let run = gametape(path, &words(call)).output().unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    // A recording without states has none to print.
    assert!(
        !text.is_empty() || call.starts_with("dump"),
        "{call} prints nothing"
    );
    for line in text.lines() {
        let value: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{call}: {error}: {line}"));
        let header = call.starts_with("inspect");
        assert!(
            !header || value.get("frames").is_none(),
            "{call}: a description has steps: {line}"
        );
        seen.add(&value, "", call, others);
        for column in value["columns"].as_array().into_iter().flatten() {
            let unit = column["unit"].as_str().unwrap_or_default();
            seen.column(column["name"].as_str().unwrap_or_default(), unit);
        }
    }
}

#[test]
fn one_thing_has_one_name() {
    let page = fs::read_to_string(PAGE).unwrap();
    let (_, stay) = page.split_once("Names that others gave stay").unwrap();
    let (stay, _) = stay.split_once("\n\n").unwrap();
    let others = named(stay);
    let seen = seen(&others);
    let columns = seen.columns.keys().map(|name| (name, "a table"));
    let names: BTreeMap<&String, &str> = (seen.keys.iter())
        .map(|(name, place)| (name, place.as_str()))
        .chain(columns)
        .filter(|(name, _)| !others.contains(name))
        .collect();

    for (name, place) in &names {
        let snake = name.split('_').all(|word| {
            let rest = word
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
            rest && !word.is_empty()
        });
        assert!(
            snake && !name.starts_with(|c: char| c.is_ascii_digit()),
            "{place}: {name:?}"
        );
    }

    for row in table(&page, "not") {
        for not in named(&row[0]) {
            let found = names.iter().find(|(name, _)| is_part(&not, name));
            assert_eq!(found, None, "{not} is called {}", row[1]);
        }
    }

    let called: Vec<(String, String)> = table(&page, "column")
        .iter()
        .flat_map(|row| {
            named(&row[0])
                .into_iter()
                .map(|name| (name, row[1].clone()))
        })
        .collect();
    let ends: Vec<(String, String)> = table(&page, "ends in")
        .iter()
        .map(|row| (named(&row[0]).concat(), row[1].clone()))
        .collect();
    for (name, units) in &seen.columns {
        for unit in units {
            let known = called
                .iter()
                .any(|(column, of)| column == name && of == unit);
            // `bbbv_per_s` ends in `_per_s` and in `_s`: the longer counts.
            let end = ends.iter().filter(|(end, _)| name.ends_with(end.as_str()));
            let wanted = end.max_by_key(|(end, _)| end.len()).map(|(_, unit)| unit);
            let timed = matches!(unit.as_str(), "ms" | "s");
            let agrees = wanted.map_or(known || !timed, |wanted| wanted == unit);
            assert!(
                agrees,
                "the column {name} is in {unit:?}, its name says {wanted:?}"
            );
        }
    }

    for row in table(&page, "thing") {
        let [_, _, keys, columns, unit] = &row[..] else {
            panic!("{row:?}");
        };
        for key in named(keys) {
            let there = seen.keys.contains_key(&key) || seen.paths.contains(&key);
            assert!(there, "nothing prints {key}");
        }
        for column in named(columns) {
            // Every table has these.
            if matches!(column.as_str(), "step" | "tick" | "time_ms") {
                continue;
            }
            let units = seen.columns.get(&column);
            assert!(
                units.is_some_and(|units| units.contains(unit)),
                "{column}: {units:?}"
            );
        }
    }

    let words: BTreeSet<&str> = names.keys().flat_map(|name| name.split('_')).collect();
    let words: Vec<&str> = words.into_iter().collect();
    let wanted = format!("{}\n", words.join(" "));
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        fs::write(WORDS, &wanted).unwrap();
    }
    let there = fs::read_to_string(WORDS).unwrap();
    let listed: BTreeSet<&str> = there.split_whitespace().collect();
    let new: Vec<&&str> = words
        .iter()
        .filter(|word| !listed.contains(**word))
        .collect();
    assert!(
        new.is_empty(),
        "new words in names: {new:?}; if no other word names the thing already, GAMETAPE_BLESS=1 adds them"
    );
    assert!(
        there == wanted,
        "words that no name has: GAMETAPE_BLESS=1 removes them"
    );
}

#[test]
fn a_second_name_for_a_thing_is_noticed() {
    assert!(is_part("3bv", "total_3bv") && is_part("points_blue", "points_blue"));
    assert!(!is_part("second", "seconds_left") && !is_part("shows", "showset"));
}
