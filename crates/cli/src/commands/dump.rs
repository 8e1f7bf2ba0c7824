//! `gametape dump`.

use std::io;

use gametape::Dump as Wanted;

use super::Call;
use crate::args::Dump;
use crate::exit::Exit;
use crate::ui::{Ui, secrets};

pub fn run(args: &Dump, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    let recording = match call.open(&args.path) {
        Ok(recording) => recording,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let wanted = Wanted {
        at: args.at,
        secrets: secrets(args.show_secrets),
        options: call.told(),
    };
    match recording.dump(&wanted, ui.out()) {
        Ok(dumped) => Ok(match dumped.problem {
            None => Exit::Fine,
            Some(problem) => {
                ui.complain(&format!("{problem} (dumped what could be read)"));
                Exit::Loss
            }
        }),
        Err(error) => ui.fail_unless_output(error),
    }
}
