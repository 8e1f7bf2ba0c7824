//! `gametape diff`.

use std::io;

use crate::args::Diff;
use crate::exit::Exit;
use crate::ui::{Ui, check_with, open};

pub fn run(args: &Diff, ui: &mut Ui) -> io::Result<Exit> {
    let compared = check_with(args.world.as_deref()).and_then(|check| {
        let first = open(&args.first)?;
        let second = open(&args.second)?;
        first.diff(&second, &check)
    });
    let diff = match compared {
        Ok(diff) => diff,
        Err(error) => return Ok(ui.fail(&error)),
    };
    if ui.json {
        ui.object(&diff)?;
    } else if diff.same {
        ui.line("the recordings are the same")?;
    } else {
        for [what, first, second] in &diff.header {
            let line = format!("header: {what} is {first} in the first, {second} in the second");
            ui.line(gametape::printable(&line))?;
        }
        if let Some(first) = &diff.first {
            ui.line(gametape::printable(first))?;
        }
        if diff.more > 0 {
            ui.line(format_args!("and {} more that differ behind it", diff.more))?;
        }
    }
    Ok(if diff.same {
        Exit::Fine
    } else {
        Exit::Problems
    })
}
