//! `gametape record`.

mod echo;
mod murk;
mod stream;

use std::io;

use crate::args::{Record, RecordWhat};
use crate::exit::Exit;
use crate::ui::Ui;

pub fn run(args: &Record, ui: &mut Ui) -> io::Result<Exit> {
    match &args.what {
        RecordWhat::Murk(args) => murk::run(args, ui),
        RecordWhat::Stream(args) => stream::run(args, ui),
        RecordWhat::Echo(args) => echo::run(args, ui),
    }
}
