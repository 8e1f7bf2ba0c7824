//! `gametape stats`.

mod table;

use std::io;
use std::path::Path;

use gametape::core::Spell as _;
use gametape::core::text::{figure, name, printable, time_figure};
use gametape::{
    AnyFinding, Audit, Error, Measured, Partial, Recording, Severity, Verb, Verdict, Work,
};
use serde_json::{Value, json};

use super::verify::print_finding;
use super::{Call, many_of};
use crate::advice;
use crate::args::Stats;
use crate::exit::Exit;
use crate::located::located;
use crate::sheet::Sheet;
use crate::ui::{STRONG, Ui, styled, verdict_style};
use table::table;

/// The name of the recording's format, and its statistics.
type Figures = (Option<&'static str>, Result<Partial<Measured>, Error>);

pub fn run(args: &Stats, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if let Err(error) = call.check_opening(&args.paths) {
        return Ok(ui.fail(&error));
    }
    if args.csv.is_some() && ui.json {
        return Ok(ui.refuse("either --json or --csv"));
    }
    ui.sheet = args
        .csv
        .map(|style| Sheet::new(style).of_columns(&["path", "format", "verdict"]));
    let mut exit = Exit::Fine;
    let mut seen = false;
    let is_sheet = ui.sheet.is_some();
    let measure = |recording: &Recording, _| -> Figures {
        let format = recording.format().name();
        (Some(format), measure(recording, is_sheet, call))
    };
    many_of(&args.paths, call, ui, &measure, |path, measured, ui| {
        seen = true;
        let measured = measured.unwrap_or_else(|error| (None, Err(error)));
        exit = exit.max(report(path, measured, ui)?);
        Ok(())
    })?;
    if !seen {
        return Ok(ui.found_nothing(&args.paths));
    }
    ui.end()?;
    Ok(exit)
}

/// Measures a recording. For a table it is checked as well, if that was not done in the same pass: a row
/// without a verdict would look like one of a sound recording.
fn measure(
    recording: &Recording,
    is_sheet: bool,
    call: &Call<'_>,
) -> Result<Partial<Measured>, Error> {
    let mut measured = recording.stats(&call.options_of(recording, Verb::Stats))?;
    if is_sheet && measured.value.audit.is_none() {
        let options = call.options_of(recording, Verb::Verify);
        measured.value.audit = Some(recording.audit_with(&options, &Work::default())?);
    }
    Ok(measured)
}

fn report(path: &Path, (format, measured): Figures, ui: &mut Ui) -> io::Result<Exit> {
    let measured = match measured {
        Ok(measured) => measured,
        Err(error) => {
            let cells = json!({ "format": format, "verdict": Verdict::Fail });
            return Ok(ui.fail_as(&error, cells));
        }
    };
    let mut exit = Exit::Fine;
    if let Some(problem) = &measured.problem {
        ui.complain(&format!("{problem} (statistics of the readable part)"));
        exit = Exit::Problems;
    }
    let Measured { stats, audit } = measured.value;
    let verdict = audit.as_ref().map(Audit::verdict);
    if verdict == Some(Verdict::Fail) {
        exit = Exit::Problems;
    }
    let findings = audit.iter().flat_map(|audit| &audit.findings);
    let mut findings = findings.filter(|finding| finding.severity() > Severity::Info);
    if ui.is_data() {
        let lead = if ui.sheet.is_some() {
            // The findings themselves are no cells.
            let mut codes: Vec<&str> = Vec::new();
            for code in findings.map(AnyFinding::code) {
                if !codes.contains(&code) {
                    codes.push(code);
                }
            }
            json!({ "format": format, "verdict": verdict, "findings": codes.join("; ") })
        } else {
            let found: Vec<&AnyFinding> = findings.collect();
            json!({ "verdict": verdict, "findings": found })
        };
        let mut object = located([("path", path)], lead);
        object.extend(stats);
        let problem = measured.problem.as_ref().map(advice::data);
        object.extend(problem.map(|problem| ("error".to_owned(), problem)));
        ui.record(&object)?;
        return Ok(exit);
    }
    let title = styled(STRONG, printable(&path.spelled()));
    match verdict {
        // The statistics of a broken recording are not comparable.
        Some(verdict @ (Verdict::Warn | Verdict::Fail)) => {
            ui.line(format_args!(
                "{}  {title}",
                styled(verdict_style(verdict), verdict)
            ))?;
        }
        Some(Verdict::Pass) | None => ui.line(title)?,
    }
    findings.try_for_each(|finding| print_finding(finding, ui))?;
    for (key, value) in &stats {
        show(key, value, ui)?;
    }
    Ok(exit)
}

/// Prints a statistic as a line, or as a table if it is a list of objects.
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
        value => ui.line(format_args!("  {:<22} {}", name(key), number(key, value))),
    }
}

/// The number of counts printed of a list; --json has all.
const SHOWN: usize = 12;

/// A number: a time or a whole one as everywhere, others with three decimals; a dash if it is absent.
fn number(key: &str, value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) if text.is_empty() => "-".to_owned(),
        Value::String(text) => printable(text),
        Value::Array(values) if values.is_empty() => "-".to_owned(),
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => figure(key, whole),
            (None, Some(float)) if number.is_f64() => {
                time_figure(key, float).unwrap_or_else(|| format!("{float:.3}"))
            }
            _ => number.to_string(),
        },
        Value::Object(map) => {
            let counted: Vec<String> = map
                .iter()
                .filter(|(_, value)| **value != 0)
                .map(|(key, value)| {
                    let name = key.strip_suffix("_ms").unwrap_or(key);
                    format!("{}: {}", printable(name), number(key, value))
                })
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
