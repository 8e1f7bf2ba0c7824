//! Checking: the structure of the file, and the match in it.

use gametape_core::tape::{Audit, Error};

use super::encoding::EchoFormat;
use super::info::game;
use super::opened::EchoTape;
use crate::{Limits, Time, butter, echoreplay};

pub(super) fn audit(tape: &EchoTape) -> Result<Audit, Error> {
    Ok(match tape.format {
        EchoFormat::Butter => {
            let audit = butter::audit_input(&tape.input, Limits::default())?;
            let about = audit.header.as_ref().map(|header| game(&header.map_name()));
            let summary = summary(audit.seen.frames, audit.times, about);
            Audit::new(&audit.findings, summary)
        }
        EchoFormat::Echoreplay => {
            let audit = echoreplay::audit_input(&tape.input, Limits::default())?;
            let about = audit.map.as_ref().map(game);
            let summary = summary(audit.frames, audit.times, about);
            Audit::new(&audit.findings, summary)
        }
    })
}

/// `27,000 frames, 15:00, arena`: a recording in half a line.
fn summary(frames: u64, times: Option<(Time, Time)>, about: Option<&str>) -> String {
    let Some((from, to)) = times else {
        return "no frames".into();
    };
    let s = if frames == 1 { "" } else { "s" };
    let seconds = to.0.abs_diff(from.0) / 1000;
    let about = about.unwrap_or_default();
    format!(
        "{frames} frame{s}, {}:{:02}, {about}",
        seconds / 60,
        seconds % 60
    )
}
