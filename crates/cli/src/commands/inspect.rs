//! `gametape inspect`.

use std::io;

use gametape::Secrets;

use crate::args::Inspect;
use crate::exit::Exit;
use crate::ui::{Ui, recordings};

pub fn run(args: &Inspect, ui: &mut Ui) -> io::Result<Exit> {
    let secrets = if args.show_secrets {
        Secrets::Show
    } else {
        Secrets::Hide
    };
    let mut exit = Exit::Fine;
    let mut seen = false;
    for opened in recordings(&args.paths) {
        seen = true;
        if args.world {
            match opened.and_then(|(recording, _)| recording.world()) {
                Ok(world) => ui.line(world.trim_end())?,
                Err(error) => exit = exit.max(ui.fail(&error)),
            }
            continue;
        }
        let info = match &opened {
            Ok((recording, named)) if *named || args.full => recording.info_with(secrets),
            Ok((recording, _)) => recording.header(secrets),
            Err(error) => {
                exit = exit.max(ui.fail(error));
                continue;
            }
        };
        match info {
            Ok(info) => {
                if let Some(problem) = info.problem {
                    ui.complain(&format!("{problem} (as far as it could be read)"));
                    exit = exit.max(Exit::Problems);
                }
                if ui.json {
                    ui.object(&info.value)?;
                } else {
                    ui.line(info.value)?;
                }
            }
            Err(error) => exit = exit.max(ui.fail(&error)),
        }
    }
    if !seen {
        return Ok(ui.found_nothing(&args.paths));
    }
    Ok(exit)
}
