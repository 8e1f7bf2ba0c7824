//! `gametape formats`.

use std::io;

use gametape::core::text::TextTable;
use gametape::{Format, OptionDef, Verb};
use serde_json::{Value, json};

use super::Call;
use crate::exit::Exit;
use crate::ui::Ui;

pub fn run(call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    let mut table = TextTable::new(["format", "extensions", "what it is"]);
    let mut options = TextTable::new(["format", "verb", "its options"]);
    let mut has_options = false;
    for format in call.formats.iter() {
        if ui.json {
            ui.object(&json!({
                "format": format.name(),
                "kind": format.kind(),
                "about": format.about(),
                "extensions": format.extensions(),
                "step": format.step(),
                "options": declared(format),
            }))?;
        }
        let extensions: Vec<String> = format
            .extensions()
            .iter()
            .map(|e| format!(".{e}"))
            .collect();
        let cells = [format.name(), &extensions.join(" "), format.about()];
        table.row(cells.map(|cell| (cell.to_owned(), false)));
        for (verb, defs) in format.info().options {
            has_options |= !defs.is_empty();
            let names: Vec<String> = defs.iter().map(|def| format!("--{}", def.name)).collect();
            let cells = [format.name(), at_verb(*verb), &names.join(" ")];
            options.row(cells.map(|cell| (cell.to_owned(), false)));
        }
    }
    if !ui.json {
        for line in table.lines() {
            ui.line(line)?;
        }
        if has_options {
            ui.line("")?;
            for line in options.lines() {
                ui.line(line)?;
            }
        }
    }
    Ok(Exit::Fine)
}

/// The verb of the command that takes the options.
const fn at_verb(verb: Verb) -> &'static str {
    match verb {
        Verb::Open => "each that reads it",
        Verb::Write => "convert to it",
        verb => verb.name(),
    }
}

fn declared(format: &dyn Format) -> Vec<Value> {
    let of_verb = |(verb, defs): &(Verb, &'static [OptionDef])| {
        let verb = verb.name();
        let defs = defs.iter();
        defs.map(move |def| {
            json!({
                "verb": verb,
                "name": def.name,
                "value": (!def.value.is_empty()).then_some(def.value),
                "default": (!def.default.is_empty()).then_some(def.default),
                "about": def.help,
            })
        })
    };
    format.info().options.iter().flat_map(of_verb).collect()
}
