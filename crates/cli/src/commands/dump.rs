//! `gametape dump`.

use std::io;

use gametape::{Dump as Wanted, Error, Partial, RowForm, Scan, When};

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
    ui.data()?;
    let secrets = secrets(args.show_secrets);
    if args.table.is_none() && !args.state {
        let wanted = Wanted {
            at,
            secrets,
            options: call.verb_options(),
        };
        let dumped = recording.dump(&wanted, ui.out());
        return end(dumped, ui);
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
        keys: args.keys.clone(),
        secrets,
        ..Scan::table(args.table.clone().unwrap_or_default())
    };
    let form = if args.csv {
        RowForm::Csv
    } else {
        RowForm::Json
    };
    let dumped = if args.state {
        recording.write_state(at, &scan, form, ui.out())
    } else {
        recording.write_rows(&scan, form, ui.out())
    };
    end(dumped, ui)
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
