//! The report on a recording of a simulation.

use std::path::Path;

use gametape::core::Spell as _;
use gametape::core::text::{Counted, Grouped, printable};
use gametape::murk::tools::Recorded;

use crate::Exit;
use crate::ui::Ui;

pub const fn verdict(recorded: &Recorded) -> Exit {
    if recorded.failed_ticks > 0 || recorded.rejected > 0 {
        Exit::Problems
    } else {
        Exit::Fine
    }
}

/// Remarks on how the recording began, and returns what was recorded.
pub fn report(recorded: &Recorded, output: &Path, ui: &mut Ui) -> String {
    if recorded.dropped > 0 {
        ui.remark(&format!(
            "cut off {} after the last whole frame",
            Counted(recorded.dropped, "byte")
        ));
    }
    if recorded.branched_after > 0 {
        ui.remark(&format!(
            "continued after tick {} of the other recording",
            Grouped(recorded.branched_after)
        ));
    }
    if recorded.resumed_after > 0 {
        let last = Grouped(recorded.resumed_after);
        ui.remark(&if recorded.ticks > 0 {
            format!("continued after tick {last}")
        } else {
            format!("nothing to make: tick {last} is there already")
        });
    }
    format!(
        "{}: recorded {}",
        printable(&output.spelled()),
        made(recorded)
    )
}

/// What was made.
pub fn made(recorded: &Recorded) -> String {
    let more: String = [
        (recorded.expired, "command", "had expired"),
        (recorded.rejected, "command", "could not be applied"),
        (recorded.failed_ticks, "tick", "failed"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .fold(String::new(), |text, (count, what, became)| {
        format!("{text}; {} {became}", Counted(count, what))
    });
    format!(
        "{}, {}{more}",
        Counted(recorded.ticks, "tick"),
        Counted(recorded.commands, "command"),
    )
}

/// Says what could not be applied, and what failed.
pub fn complain(recorded: &Recorded, ui: &mut Ui) {
    if let Some(first) = &recorded.first_rejected {
        let which = match recorded.rejected {
            1 => "not applied",
            _ => "the first that was not applied",
        };
        ui.complain(&format!("{which}: {first}"));
    }
    if let Some(failure) = &recorded.failure {
        ui.complain(&format!("a tick that failed changed nothing: {failure}"));
    }
}
