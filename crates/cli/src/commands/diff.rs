//! `gametape diff`.

use std::io;

use gametape::core::text::{Counted, printable};

use super::Call;
use crate::args::Diff;
use crate::exit::Exit;
use crate::ui::Ui;

pub fn run(args: &Diff, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if args.first == "-" && args.second == "-" {
        return Ok(ui.refuse("one of the two recordings can come from standard input, not both"));
    }
    let opened = call.open_two([&args.first, &args.second]);
    let compared = opened.and_then(|[first, second]| {
        let diff = first.diff(&second, &call.verb_options())?;
        Ok((diff, first.format().step()))
    });
    let (diff, step) = match compared {
        Ok(diff) => diff,
        Err(error) => return Ok(ui.fail(&error)),
    };
    if ui.json {
        ui.object(&diff)?;
    } else if diff.same {
        match &diff.precision {
            None => ui.line("the recordings are the same")?,
            Some(precision) => {
                let within = format!("the recordings are the same within {precision}");
                ui.line(printable(&within))?;
            }
        }
    } else {
        for [what, first, second] in &diff.header {
            let line = format!("header: {what} is {first} in the first, {second} in the second");
            ui.line(printable(&line))?;
        }
        if let Some(first) = &diff.first {
            ui.line(printable(first))?;
        }
        if diff.more > 0 {
            let more = Counted(diff.more, &format!("more {step}")).to_string();
            let differ = if diff.more == 1 { "differs" } else { "differ" };
            ui.line(format_args!("{more} {differ} after it"))?;
        }
        for table in &diff.tables {
            ui.line(printable(&table.to_string()))?;
        }
    }
    Ok(if diff.same {
        Exit::Fine
    } else {
        Exit::Problems
    })
}
