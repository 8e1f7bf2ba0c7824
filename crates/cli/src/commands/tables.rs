//! `gametape tables`.

use std::io;

use gametape::core::text::{Counted, TextTable};
use gametape::{Secrets, TableDef};
use serde_json::json;

use super::Call;
use crate::args::Tables;
use crate::exit::Exit;
use crate::ui::{STRONG, Ui, styled};

pub fn run(args: &Tables, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    let opened = call.open(&args.path).and_then(|recording| {
        let tables = recording.tables()?;
        let header = recording.header(Secrets::Hide)?;
        Ok((tables, header.value.needs, header.problem))
    });
    let (tables, needs, problem) = match opened {
        Ok(opened) => opened,
        Err(error) => return Ok(ui.fail(&error)),
    };
    for (at, table) in tables.iter().enumerate() {
        if ui.json {
            ui.object(&described(table))?;
        } else {
            if at > 0 {
                ui.line("")?;
            }
            show(table, ui)?;
        }
    }
    if let Some(needs) = needs {
        ui.remark(&format!("there is {needs}"));
    }
    // Only problems that are known without reading rows are shown here.
    Ok(match problem {
        None => Exit::Fine,
        Some(problem) => ui.problem(&problem, "the tables have the readable part"),
    })
}

fn described(table: &TableDef) -> serde_json::Value {
    let columns = table.columns.iter().map(|column| {
        json!({
            "name": column.name,
            "kind": column.kind.name(),
            "unit": (!column.unit.is_empty()).then_some(&column.unit),
            "precision": column.precision,
            "key": column.key,
            "secret": column.secret,
            "recorded": column.recorded,
            "values": column.values,
            "doc": column.doc,
        })
    });
    json!({
        "table": table.name,
        "lane": table.lane.name(),
        "doc": table.doc,
        "rows": table.rows,
        "shape": table.shape,
        "columns": columns.collect::<Vec<_>>(),
    })
}

fn show(table: &TableDef, ui: &mut Ui) -> io::Result<()> {
    let rows = table.rows.map(|rows| Counted(rows, "row").to_string());
    let cells: Vec<String> = table.shape.iter().map(u64::to_string).collect();
    let cells = (!cells.is_empty()).then(|| format!("{} cells", cells.join(" x ")));
    let facts = [Some(table.lane.name().to_owned()), rows, cells];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    ui.line(format_args!(
        "{} ({})",
        styled(STRONG, &table.name),
        facts.join(", ")
    ))?;
    ui.line(format_args!("  {}", table.doc))?;
    let mut columns = TextTable::new(["column", "kind", "unit", "note", "what it is"]);
    for column in &table.columns {
        let marks = [
            (column.key, "key"),
            (column.secret, "secret"),
            (!column.recorded, "not recorded"),
        ];
        let marks: Vec<&str> = marks
            .into_iter()
            .filter_map(|(is, mark)| is.then_some(mark))
            .collect();
        let precision = column.precision;
        let precision = precision.map_or_else(String::new, |off| format!(" Within {off}."));
        columns.row(
            [
                column.name.to_string(),
                column.kind.name().to_owned(),
                column.unit.to_string(),
                marks.join(" "),
                format!("{}{precision}", column.doc),
            ]
            .map(|text| (text, false)),
        );
    }
    for line in columns.lines() {
        ui.line(format_args!("    {line}"))?;
    }
    Ok(())
}
