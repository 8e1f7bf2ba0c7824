//! `gametape dump`.

use std::ffi::OsStr;
use std::io::{self, Write};

use gametape::core::Spell as _;
use gametape::{
    At, Dump as Wanted, Error, Lane, Partial, Recording, RowForm, Scan, Selection, TableDef, When,
};

use super::Call;
use crate::args::Dump;
use crate::exit::Exit;
use crate::ui::{Ui, secrets};

pub fn run(args: &Dump, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    let recording = match call.open(&args.path) {
        Ok(recording) => recording,
        Err(error) => return Ok(ui.fail(&error)),
    };
    if args.csv.is_some() && ui.json {
        return Ok(ui.refuse("either --json or --csv"));
    }
    let Moments { at, from, to } = match Moments::of(args, &recording) {
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
    let columns = args.columns.iter().map(|name| name.trim().to_owned());
    let scan = Scan {
        columns: (!args.columns.is_empty()).then(|| columns.collect()),
        from,
        to,
        secrets,
        ..Scan::table(args.table.clone().unwrap_or_default())
    };
    let selection = Selection {
        conditions: args.conditions.clone(),
        limit: args.limit,
    };
    let form = args.csv.map_or(RowForm::Json, RowForm::Csv);
    if args.state {
        let dumped = recording.write_state(at, &scan, &selection, form, ui.out());
        return end(dumped, ui);
    }
    match recording.write_rows(&scan, &selection, form, ui.out()) {
        Ok(rows) => {
            if rows.value == 0
                && args.at.is_some()
                && let Some(remark) = nothing_new(&scan, &recording)
            {
                ui.remark(&remark);
            }
            end(Ok(Partial::new((), rows.problem)), ui)
        }
        Err(error) => ui.fail_unless_output(error),
    }
}

/// The moments that a call names, in one recording.
struct Moments {
    /// For what is not a range of rows.
    at: Option<At>,
    from: Option<At>,
    to: Option<At>,
}

impl Moments {
    fn of(args: &Dump, recording: &Recording) -> Result<Self, Error> {
        let moment = |when: &Option<When>| when.as_ref().map(|when| recording.at(when)).transpose();
        // The rows of a moment are a range from its newest step to the same.
        let newest = args.at.as_ref();
        let newest = newest.filter(|_| args.table.is_some() && !args.state);
        if let Some(when) = newest {
            let newest = Some(recording.newest(when)?);
            return Ok(Self {
                at: None,
                from: newest,
                to: newest,
            });
        }
        // A state without a moment is that of the end, which is found where the state is.
        let is_end = args.state && args.at == Some(When::End);
        Ok(Self {
            at: if is_end { None } else { moment(&args.at)? },
            from: moment(&args.from)?,
            to: moment(&args.to)?,
        })
    }
}

/// The remark on a table whose rows hold until they are replaced, if it has no new ones at a moment.
fn nothing_new(scan: &Scan, recording: &Recording) -> Option<String> {
    let tables = recording.tables().ok()?;
    let table = tables.iter().find(|table| table.name == scan.table)?;
    let holds = matches!(table.lane, Lane::State | Lane::Grid);
    let at = scan.from.filter(|_| holds)?;
    Some(format!(
        "{} has no new rows at {at}: --state prints the rows that hold then",
        table.name
    ))
}

impl Dump {
    /// Returns a flag that is given and says something of rows, although no table is named.
    fn needs_table(&self) -> Option<&'static str> {
        let flags = [
            (self.csv.is_some(), "--csv"),
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
    let path = path.spelled();
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
