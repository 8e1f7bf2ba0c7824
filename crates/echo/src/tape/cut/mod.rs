//! A part of a match.

mod frames;
mod lines;
mod measure;

use gametape_core::tape::{Cut, Cutout, Error, Options, Sink, Work};

use super::frames::EchoFormat;
use super::opened::EchoTape;

pub(super) fn cut(
    tape: &EchoTape,
    cut: &Cut,
    told: &Options,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Cutout, Error> {
    match tape.format {
        EchoFormat::Echoreplay => lines::cut(tape, cut, told, out, work),
        EchoFormat::Butter => frames::cut(tape, cut, out, work),
    }
}
