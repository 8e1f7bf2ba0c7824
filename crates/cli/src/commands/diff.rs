//! `gametape diff`.

use std::io;

use gametape::Recording;

use crate::args::Diff;
use crate::exit::Exit;
use crate::ui::{Ui, check_with, open};

pub fn run(args: &Diff, ui: &mut Ui) -> io::Result<Exit> {
    let compared = check_with(args.world.as_deref()).and_then(|check| {
        let first = open(&args.first)?;
        let second = open(&args.second)?;
        let mut diff = first.diff(&second, &check)?;
        // Packets and matches compare whatever they are kept in.
        let kept_apart = first.format().is_packets() || first.format().is_echo();
        if diff.same && !kept_apart {
            look_closer(&first, &second, &mut diff);
        }
        Ok((diff, first.format().unit()))
    });
    let (diff, unit) = match compared {
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
            let (unit, differ) = match diff.more {
                1 => (unit.trim_end_matches('s'), "differs"),
                _ => (unit, "differ"),
            };
            ui.line(format_args!("{} more {unit} {differ} behind it", diff.more))?;
        }
    }
    Ok(if diff.same {
        Exit::Fine
    } else {
        Exit::Problems
    })
}

/// What no description shows (such as secrets) may differ all the same.
fn look_closer(first: &Recording, second: &Recording, diff: &mut gametape::Diff) {
    let (ours, theirs) = (first.bytes(), second.bytes());
    if ours == theirs {
        return;
    }
    let at = ours.iter().zip(theirs).position(|(a, b)| a != b);
    let at = at.unwrap_or(ours.len().min(theirs.len()));
    diff.same = false;
    diff.first = Some(format!(
        "byte {at}: the files differ in what is not shown, such as secrets; all that is shown is the same"
    ));
}
