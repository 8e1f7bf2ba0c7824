//! `gametape dump`.

use std::io;

use gametape::{Dump as Wanted, Secrets};

use crate::args::Dump;
use crate::exit::Exit;
use crate::ui::{Ui, open};

pub fn run(args: &Dump, ui: &mut Ui) -> io::Result<Exit> {
    let recording = match open(&args.path) {
        Ok(recording) => recording,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let wanted = Wanted {
        tick: args.tick,
        state: args.state,
        secrets: if args.show_secrets {
            Secrets::Show
        } else {
            Secrets::Hide
        },
    };
    match recording.dump_with(&wanted, ui.out())? {
        Ok(dumped) => Ok(match dumped.problem {
            None => Exit::Fine,
            Some(problem) => {
                ui.complain(&format!("{problem} (dumped what could be read)"));
                Exit::Loss
            }
        }),
        Err(error) => Ok(ui.fail(&error)),
    }
}
