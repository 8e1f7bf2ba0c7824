//! `gametape formats`.

use std::io;

use gametape::core::text::TextTable;
use serde_json::json;

use super::Call;
use crate::exit::Exit;
use crate::ui::Ui;

pub fn run(call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    let mut table = TextTable::new(["format", "extensions", "what it is"]);
    for format in call.formats.iter() {
        if ui.json {
            ui.object(&json!({
                "format": format.name(),
                "kind": format.kind(),
                "about": format.about(),
                "extensions": format.extensions(),
                "step": format.step(),
            }))?;
        }
        let extensions: Vec<String> = format
            .extensions()
            .iter()
            .map(|e| format!(".{e}"))
            .collect();
        let cells = [format.name(), &extensions.join(" "), format.about()];
        table.row(cells.map(|cell| (cell.to_owned(), false)));
    }
    if !ui.json {
        for line in table.lines() {
            ui.line(line)?;
        }
    }
    Ok(Exit::Fine)
}
