//! What conversions of recordings of Echo VR may be told.

use clap::Args;

#[derive(Args, Debug)]
#[command(next_help_heading = "Options for Echo VR")]
pub struct ConvertEcho {
    /// How a .butter is written [default: correct]
    ///
    /// correct: as the specification says, nothing adds up. compat: bit for bit as the reference
    /// implementation writes, its faults included.
    #[arg(long, value_name = "MODE", value_enum)]
    pub mode: Option<Mode>,
    /// Frames of a .butter from one keyframe to the next [default: 300]
    ///
    /// More make it smaller and seeking slower; they are held in memory on the way.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub keyframes: Option<u16>,
    /// How a .butter is compressed [default: zstd7]
    #[arg(long, value_name = "HOW", value_enum)]
    pub compression: Option<Compression>,
    /// Refuse, and write nothing, if a position would be further off than this
    #[arg(long, value_name = "METRES", value_parser = metres)]
    pub max_error: Option<f32>,
    /// An .echoreplay as text
    ///
    /// Without this or --zip it is kept in what the input is kept in, and made of a .butter in a zip.
    #[arg(long, conflicts_with = "zip")]
    pub plain: bool,
    /// An .echoreplay in a zip
    #[arg(long)]
    pub zip: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Correct,
    Compat,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compression {
    None,
    Gzip,
    Zstd3,
    Zstd7,
    Zstd15,
    Zstd22,
}

/// A distance that something may be off.
fn metres(text: &str) -> Result<f32, String> {
    let metres: f32 = text.parse().map_err(|_| "not a number".to_owned())?;
    if metres >= 0.0 && metres.is_finite() {
        Ok(metres)
    } else {
        Err("a distance in metres is 0 or more".to_owned())
    }
}
