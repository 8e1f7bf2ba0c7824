//! `gametape completions` and `gametape man`.

use clap::Command;

use gametape::core::Spell as _;

use crate::args::{Completions, Man};
use crate::exit::Exit;
use crate::ui::Ui;

pub fn completions(mut command: Command, args: &Completions, ui: &mut Ui) -> std::io::Result<Exit> {
    // Into memory first: the generator panics if a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, ui.name, &mut script);
    std::io::Write::write_all(ui.out(), &script)?;
    Ok(Exit::Fine)
}

pub fn man(command: Command, args: &Man, ui: &mut Ui) -> Exit {
    let written = std::fs::create_dir_all(&args.folder)
        .and_then(|()| clap_mangen::generate_to(command, &args.folder));
    if let Err(error) = written {
        return ui.refuse(&format!("{}: {error}", args.folder.spelled()));
    }
    Exit::Fine
}
