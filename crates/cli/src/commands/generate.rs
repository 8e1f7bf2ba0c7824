//! `gametape completions` and `gametape man`.

use clap::CommandFactory;

use crate::args::{Cli, Completions, Man};
use crate::exit::Exit;
use crate::ui::Ui;

pub fn completions(args: &Completions, ui: &mut Ui) -> Exit {
    clap_complete::generate(args.shell, &mut Cli::command(), "gametape", ui.out());
    Exit::Fine
}

pub fn man(args: &Man, ui: &mut Ui) -> Exit {
    let written = std::fs::create_dir_all(&args.folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), &args.folder));
    if let Err(error) = written {
        ui.complain(&format!("{}: {error}", args.folder.display()));
        return Exit::Unusable;
    }
    Exit::Fine
}
