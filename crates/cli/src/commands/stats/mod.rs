//! `gametape stats`.

mod table;

use std::io;

use serde_json::{Map, Value, json};

use gametape::core::text::printable;
use gametape::{Error, Partial, Recording, Verb};

use super::{Call, many_of};
use crate::args::Stats;
use crate::exit::Exit;
use crate::ui::{STRONG, Ui, styled};
use table::table;

type Measured = Result<Partial<Map<String, Value>>, Error>;

pub fn run(args: &Stats, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if let Err(error) = call.check_opening(&args.paths) {
        return Ok(ui.fail(&error));
    }
    let mut exit = Exit::Fine;
    let mut seen = false;
    let measure = |recording: &Recording, _| -> Measured {
        recording.stats(&call.told_of(recording, Verb::Stats))
    };
    many_of(&args.paths, call, ui, &measure, |path, measured, ui| {
        seen = true;
        let measured = measured.and_then(|measured| measured);
        exit = exit.max(report(path, measured, ui)?);
        Ok(())
    })?;
    if !seen {
        return Ok(ui.found_nothing(&args.paths));
    }
    Ok(exit)
}

fn report(path: &str, measured: Measured, ui: &mut Ui) -> io::Result<Exit> {
    let stats = match measured {
        Ok(stats) => stats,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let mut exit = Exit::Fine;
    if let Some(problem) = stats.problem {
        ui.complain(&format!("{problem} (statistics of what could be read)"));
        exit = Exit::Problems;
    }
    if ui.json {
        let mut object = Map::new();
        object.insert("path".into(), path.into());
        object.extend(stats.value);
        ui.object(&object)?;
    } else {
        ui.line(styled(STRONG, printable(path)))?;
        for (key, value) in &stats.value {
            show(key, value, ui)?;
        }
    }
    Ok(exit)
}

/// A line for a figure; lists of things, on their own or several in an object, are tables.
fn show(key: &str, value: &Value, ui: &mut Ui) -> io::Result<()> {
    match value {
        Value::Array(values) if values.iter().any(Value::is_object) => {
            for line in table(key, values) {
                ui.line(line)?;
            }
            Ok(())
        }
        Value::Object(map) if !map.is_empty() && map.values().all(Value::is_array) => {
            for (key, value) in map.iter().filter(|(_, value)| **value != json!([])) {
                show(key, value, ui)?;
            }
            Ok(())
        }
        value => ui.line(format_args!(
            "  {:<22} {}",
            key.replace('_', " "),
            number(value)
        )),
    }
}

/// Entries of a list of counts that people are shown; --json has them all.
const SHOWN: usize = 12;

/// Whole numbers as they are, others with three decimals, absent ones as a dash.
fn number(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) if text.is_empty() => "-".to_owned(),
        Value::String(text) => printable(text),
        Value::Array(values) if values.is_empty() => "-".to_owned(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => format!("{float:.3}"),
            _ => number.to_string(),
        },
        Value::Object(map) => {
            let counted: Vec<String> = map
                .iter()
                .filter(|(_, value)| **value != 0)
                .map(|(key, value)| format!("{}: {}", printable(key), number(value)))
                .take(SHOWN)
                .collect();
            let more = map.len().saturating_sub(SHOWN);
            match more {
                _ if counted.is_empty() => "-".to_owned(),
                0 => counted.join(", "),
                _ => format!("{}, … ({} in all)", counted.join(", "), map.len()),
            }
        }
        other => other.to_string(),
    }
}
