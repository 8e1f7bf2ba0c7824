//! A table with a row for each run of a sweep.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gametape::core::Spell as _;
use gametape::core::table;
use gametape::core::tape::write_json;
use gametape::core::text::{Counted, Grouped, TextTable, nearest, printable};
use gametape::murk::engine::World;
use gametape::murk::tools::{Measure, Run, Sweep, Swept};
use gametape::{CsvStyle, CsvWriter, Error, Existing, Formats, Work};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};

use super::args::{Args, Sweeping, options, unwritable};
use super::values::values;
use crate::Exit;
use crate::app::remove_temporary_files_on_signals;
use crate::located::located;
use crate::tools::inputs::commands;
use crate::ui::Ui;

/// The file of a table, by its extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Csv(CsvStyle),
    Json,
}

/// A run's numbers, and what went wrong in it first.
struct Measured {
    numbers: Vec<f64>,
    problem: Option<String>,
}

/// All runs, and what was measured in them.
struct Table {
    sweep: Sweep,
    measures: Vec<Measure>,
    runs: Vec<Swept<Measured>>,
}

pub fn run(args: &Args, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    if args.sweeping.csv.is_some() && ui.json {
        return Ok(ui.refuse("either --json or --csv"));
    }
    let made = target(args.output.as_deref()).and_then(|form| Ok((form, make(args, formats)?)));
    let (form, table) = match made {
        Ok(made) => made,
        Err(error) => return Ok(ui.fail(&error)),
    };
    match (form, &args.output) {
        (Some(form), Some(path)) => {
            let mut bytes = Vec::new();
            table.write(form, &mut bytes)?;
            if let Err(error) = gametape::write_file(path, &bytes, Existing::Keep) {
                return Ok(ui.fail(&error));
            }
            table.report(path, ui)?;
        }
        _ if ui.json => {
            ui.data()?;
            table.write(Form::Json, ui.out())?;
        }
        _ => match args.sweeping.csv {
            Some(style) => {
                ui.data()?;
                table.write(Form::Csv(style), ui.out())?;
            }
            None => {
                for line in table.lines() {
                    ui.line(line)?;
                }
            }
        },
    }
    ui.flush()?;
    Ok(table.complain(ui))
}

/// Returns the form of the table's file. It is refused before anything runs.
fn target(path: Option<&Path>) -> Result<Option<Form>, Error> {
    let Some(path) = path else {
        return Ok(None);
    };
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy());
    let form = match extension.as_deref() {
        Some("csv") => Form::Csv(CsvStyle::Plain),
        Some("jsonl") => Form::Json,
        _ => {
            return Err(unwritable(
                path,
                "a sweep writes one table: a .csv or .jsonl file, or to standard output without OUT; to record one \
                 of its runs, give its values by --set and --seed",
            ));
        }
    };
    gametape::folder_for(path)?;
    if path.exists() {
        return Err(unwritable(path, "exists already"));
    }
    remove_temporary_files_on_signals();
    Ok(Some(form))
}

/// Makes all runs.
fn make(args: &Args, formats: &Formats) -> Result<Table, Error> {
    let options = options(args, formats)?;
    let path = args.world.clone().unwrap_or_default();
    let world = options.chosen_world().map_err(Error::tape(&path))?;
    let sweeping = &args.sweeping;
    let seeds = sweeping.seeds.as_ref();
    let sweep = Sweep {
        grid: grid(args, &world, &path)?,
        kinds: options.world.map(|file| file.kinds).unwrap_or_default(),
        seeds: seeds.map_or_else(|| vec![world.seed], |seeds| seeds.0.clone()),
        ticks: options.ticks,
        commands: commands(args.commands.as_deref(), &world)?,
        world,
    };
    let measures = measures(sweeping, &sweep.world, &path)?;
    let bar = bar(sweep.runs());
    let work = Work {
        progress: Some(&|done| bar.set_position(done)),
        ..Work::default()
    };
    let runs = sweep.run(&|run| Ok(measured(&measures, run)), &work);
    bar.finish_and_clear();
    Ok(Table {
        runs: runs.map_err(Error::tape(&path))?,
        sweep,
        measures,
    })
}

/// The parameters and their values.
fn grid(args: &Args, world: &World, path: &Path) -> Result<Vec<(String, Vec<String>)>, Error> {
    let known = world.parameters();
    let mut grid: Vec<(String, Vec<String>)> = Vec::new();
    for (name, text) in &args.sweeping.sweep {
        let wrong = |what: &str| unwritable(path, &format!("--sweep {name}={text}: {what}"));
        if name == "seed" {
            return Err(wrong("the seeds of a sweep are given by --seeds"));
        }
        if grid.iter().any(|(other, _)| other == name) {
            return Err(wrong(
                "this parameter is swept already; a list has all of its values",
            ));
        }
        if args.set.iter().any(|(other, _)| other == name) {
            return Err(wrong("this parameter is set by --set, too"));
        }
        let now = known.iter().find(|(known, _)| known == name);
        let whole = now.is_some_and(|(_, value)| value.parse::<i128>().is_ok());
        let values = values(text, whole).map_err(|message| wrong(&message))?;
        grid.push((name.clone(), values));
    }
    Ok(grid)
}

fn measures(sweeping: &Sweeping, world: &World, path: &Path) -> Result<Vec<Measure>, Error> {
    if sweeping.measure.is_empty() {
        return Ok(Measure::of_all(world));
    }
    let checker = world.checker();
    let checker = checker.map_err(|error| unwritable(path, &error.to_string()))?;
    let mut measures: Vec<Measure> = Vec::new();
    for text in &sweeping.measure {
        let measure = Measure::parse(text, world, &checker);
        let measure = measure.map_err(|message| {
            let all = Measure::of_all(world);
            let near = nearest(text, all.iter().map(Measure::name));
            let near = near.map(|near| format!(" (did you mean {near:?}?)"));
            let near = near.unwrap_or_default();
            unwritable(path, &format!("--measure {text}: {message}{near}"))
        })?;
        if !measures.contains(&measure) {
            measures.push(measure);
        }
    }
    Ok(measures)
}

fn measured(measures: &[Measure], run: &Run) -> Measured {
    let made = run.made();
    let numbers = measures.iter().map(|measure| measure.of(run.simulation()));
    Measured {
        numbers: numbers.collect(),
        problem: made.failure.clone().or_else(|| made.first_rejected.clone()),
    }
}

/// A bar of runs on standard error, if that is a terminal and there are several.
fn bar(runs: Option<usize>) -> ProgressBar {
    let runs = runs.unwrap_or_default();
    if runs < 2 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(runs as u64);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} runs, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// The names of the last two columns.
const COUNTS: [&str; 2] = ["failed_ticks", "rejected"];

/// The number of rows printed for people.
const ROWS: usize = 200;

impl Table {
    fn heads(&self) -> impl Iterator<Item = &str> {
        let parameters = self.sweep.grid.iter().map(|(name, _)| name.as_str());
        let measures = self.measures.iter().map(Measure::name);
        parameters.chain(["seed"]).chain(measures).chain(COUNTS)
    }

    /// The cells of a run.
    fn row(&self, at: usize, run: &Swept<Measured>) -> impl Iterator<Item = Value> {
        let values = self.sweep.values(at).into_iter().map(parameter);
        let numbers = run.measured.numbers.iter().copied().map(number);
        let counts = [run.failed_ticks, run.rejected].map(Value::from);
        values
            .chain([self.sweep.seed(at).into()])
            .chain(numbers)
            .chain(counts)
    }

    fn rows(&self) -> impl Iterator<Item = Vec<Value>> {
        let runs = self.runs.iter().enumerate();
        runs.map(|(at, run)| self.row(at, run).collect())
    }

    fn write(&self, form: Form, out: &mut impl Write) -> io::Result<()> {
        match form {
            Form::Csv(style) => {
                let mut writer = CsvWriter::new(style, out)?;
                writer.texts(self.heads())?;
                for row in self.rows() {
                    for cell in &row {
                        match cell {
                            Value::String(text) => writer.text(text)?,
                            other => writer.number(text(other))?,
                        }
                    }
                    writer.end_row()?;
                }
                writer.flush()
            }
            Form::Json => {
                for row in self.rows() {
                    let heads = self.heads().map(str::to_owned);
                    let object: Map<String, Value> = heads.zip(row).collect();
                    write_json(&mut *out, &object)?;
                    writeln!(out)?;
                }
                Ok(())
            }
        }
    }

    /// The table for people: numbers with six digits, counts only if there are any.
    fn lines(&self) -> Vec<String> {
        let mut table = TextTable::new(self.heads().map(printable));
        let counts = [self.failed_ticks(), self.rejected()];
        let first_count = self.heads().count() - counts.len();
        for row in self.rows().take(ROWS) {
            table.row(row.into_iter().enumerate().map(|(at, value)| {
                let is_empty = at
                    .checked_sub(first_count)
                    .is_some_and(|at| counts.get(at) == Some(&0));
                match &value {
                    _ if is_empty => (String::new(), true),
                    Value::Number(number) if number.is_f64() => {
                        (rounded(number.as_f64().unwrap_or(f64::NAN)), true)
                    }
                    value => (printable(&text(value)), !value.is_boolean()),
                }
            }));
        }
        let mut lines = table.lines();
        if self.runs.len() > ROWS {
            let all = Grouped(self.runs.len() as u64);
            lines.push(format!(
                "… ({all} runs in all: --csv prints each, OUT.csv keeps them)"
            ));
        }
        lines
    }

    fn failed_ticks(&self) -> u64 {
        self.runs.iter().map(|run| run.failed_ticks).sum()
    }

    fn rejected(&self) -> u64 {
        self.runs.iter().map(|run| run.rejected).sum()
    }

    /// Says what was written.
    fn report(&self, path: &PathBuf, ui: &mut Ui) -> io::Result<()> {
        let (runs, ticks) = (self.runs.len() as u64, self.sweep.ticks);
        if ui.json {
            return ui.object(&located(
                [("path", path)],
                json!({
                    "runs": runs,
                    "ticks": ticks,
                    "failed_ticks": self.failed_ticks(),
                    "rejected": self.rejected(),
                }),
            ));
        }
        ui.line(format_args!(
            "{}: {} of {}",
            printable(&path.spelled()),
            Counted(runs, "run"),
            Counted(ticks, "tick")
        ))
    }

    /// Says which run was the first in which something went wrong.
    fn complain(&self, ui: &mut Ui) -> Exit {
        let is_wrong = |run: &Swept<Measured>| run.failed_ticks > 0 || run.rejected > 0;
        let Some(first) = self.runs.iter().position(is_wrong) else {
            return Exit::Fine;
        };
        let wrong = self.runs.iter().filter(|run| is_wrong(run)).count();
        let run = self.runs.get(first);
        let problem = run.and_then(|run| run.measured.problem.as_deref());
        ui.complain(&format!(
            "in {} of {}, ticks failed or commands could not be applied; the first is {}: {}",
            Grouped(wrong as u64),
            Counted(self.runs.len() as u64, "run"),
            self.sweep.named(first),
            problem.unwrap_or_default()
        ));
        Exit::Problems
    }
}

/// The value of a parameter as data.
fn parameter(text: &str) -> Value {
    if let Ok(value @ (Value::Number(_) | Value::Bool(_) | Value::String(_))) =
        serde_json::from_str(text)
    {
        return value;
    }
    // What JSON writes in another way, such as .5 or +1.
    let number: Option<f64> = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.map_or_else(|| text.into(), Value::from)
}

/// A number as in the rows of a recording's table.
fn number(number: f64) -> Value {
    serde_json::to_value(table::Value::Float64(number)).unwrap_or_default()
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            table::Value::Float64(number).to_string()
        }
        other => other.to_string(),
    }
}

/// A number with six digits.
fn rounded(number: f64) -> String {
    let short: f64 = format!("{number:.5e}").parse().unwrap_or(number);
    table::Value::Float64(short).to_string()
}
