//! `gametape dump`.

use std::ffi::OsStr;
use std::io::{self, Write};

use gametape::{Dump as Wanted, Error, Partial, RowForm, Scan, Selection, TableDef, When};

use super::Call;
use crate::args::Dump;
use crate::exit::Exit;
use crate::ui::{Ui, secrets};

pub fn run(args: &Dump, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    let recording = match call.open(&args.path) {
        Ok(recording) => recording,
        Err(error) => return Ok(ui.fail(&error)),
    };
    if args.csv && ui.json {
        return Ok(ui.refuse("either --json or --csv"));
    }
    let moment = |when: &Option<When>| when.as_ref().map(|when| recording.at(when)).transpose();
    let moments = moment(&args.at).and_then(|at| Ok((at, moment(&args.from)?, moment(&args.to)?)));
    let (at, from, to) = match moments {
        Ok(moments) => moments,
        Err(error) => return Ok(ui.fail(&error)),
    };
    if let Some(flag) = args.needs_table() {
        return Ok(match recording.tables() {
            Ok(tables) => ui.refuse(&without_table(flag, &args.path, &tables)),
            Err(error) => ui.fail(&error),
        });
    }
    ui.data()?;
    let secrets = secrets(args.show_secrets);
    if args.table.is_none() && !args.state {
        let wanted = Wanted {
            at,
            secrets,
            options: call.verb_options(),
        };
        let Some(left) = args.limit else {
            return end(recording.dump(&wanted, ui.out()), ui);
        };
        let out = ui.out();
        let mut lines = FirstLines { left, out };
        return match recording.dump(&wanted, &mut lines) {
            Err(_) if lines.left == 0 => Ok(Exit::Fine),
            dumped => end(dumped, ui),
        };
    }
    let newest = match at.filter(|_| !args.state) {
        Some(at) => match recording.newest(at) {
            Ok(at) => Some(at),
            Err(error) => return Ok(ui.fail(&error)),
        },
        None => None,
    };
    let columns = args.columns.iter().map(|name| name.trim().to_owned());
    let scan = Scan {
        columns: (!args.columns.is_empty()).then(|| columns.collect()),
        from: from.or(newest),
        to: to.or(newest),
        secrets,
        ..Scan::table(args.table.clone().unwrap_or_default())
    };
    let selection = Selection {
        conditions: args.conditions.clone(),
        limit: args.limit,
    };
    let form = if args.csv {
        RowForm::Csv
    } else {
        RowForm::Json
    };
    let dumped = if args.state {
        recording.write_state(at, &scan, &selection, form, ui.out())
    } else {
        recording.write_rows(&scan, &selection, form, ui.out())
    };
    end(dumped, ui)
}

impl Dump {
    /// Returns a flag that is given and says something of rows, although no table is named.
    fn needs_table(&self) -> Option<&'static str> {
        let flags = [
            (self.csv, "--csv"),
            (!self.columns.is_empty(), "--columns"),
            (!self.conditions.is_empty(), "--where"),
            (self.from.is_some(), "--from"),
            (self.to.is_some(), "--to"),
        ];
        let given = flags.into_iter().find(|(given, _)| *given);
        given.filter(|_| self.table.is_none()).map(|(_, flag)| flag)
    }
}

fn without_table(flag: &str, path: &OsStr, tables: &[TableDef]) -> String {
    let names: Vec<&str> = tables.iter().map(|table| &*table.name).collect();
    let path = path.display();
    if names.is_empty() {
        return format!("{path}: {flag} is for rows of a table, and there are no tables");
    }
    let names = names.join(", ");
    format!("{path}: {flag} is for rows of a table: add --table with one of {names}")
}

/// Passes the first lines on, then ends the dump with an error.
struct FirstLines<'o, W> {
    left: u64,
    out: &'o mut W,
}

impl<W: Write> Write for FirstLines<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other("enough"));
        }
        let line = bytes.split_inclusive(|byte| *byte == b'\n').next();
        let line = line.unwrap_or_default();
        let written = self.out.write(line)?;
        if written == line.len() && line.ends_with(b"\n") {
            self.left -= 1;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn end(dumped: Result<Partial<()>, Error>, ui: &mut Ui) -> io::Result<Exit> {
    match dumped {
        Ok(dumped) => Ok(match dumped.problem {
            None => Exit::Fine,
            Some(problem) => ui.problem(&problem, "dumped the readable part"),
        }),
        Err(error) => ui.fail_unless_output(error),
    }
}
