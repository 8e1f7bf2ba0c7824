//! The demo with games that a bot plays.

use std::io;

use gametape::Verdict;
use gametape::core::Spell as _;
use gametape::mines::rmv;
use gametape_samples::mines::{Scenario, Tampering, record, scenarios};

use super::{Args, audit, print, save};
use crate::ui::{STRONG, Ui, styled};

/// Plays this part; true if every result is as expected. The inner error is a message.
pub(super) fn play(args: &Args, ui: &mut Ui) -> io::Result<Result<bool, String>> {
    let mut as_expected = true;
    if !ui.json {
        ui.line(styled(
            STRONG,
            format_args!(
                "A bot plays a game of every kind; the recordings go to {}.",
                args.folder.spelled()
            ),
        ))?;
    }
    let mut played = Vec::new();
    for scenario in scenarios() {
        let recorded = save(&args.folder, &format!("{}.rmv", scenario.name), || {
            recording(&scenario, args.seed)
        });
        let audit = match recorded.and_then(|path| Ok((audit(&path)?, path))) {
            Ok((audit, path)) => {
                print(&path, &audit, ui)?;
                audit
            }
            Err(message) => return Ok(Err(message)),
        };
        as_expected &= audit.verdict() != Verdict::Fail;
        played.push(scenario);
    }

    if !ui.json {
        ui.line("")?;
        ui.line(styled(
            STRONG,
            "Four copies of the first game: somebody tampered with three of them, and one was cut:",
        ))?;
    }
    let first = played
        .first()
        .map(|scenario| recording(scenario, args.seed));
    let Some(Ok(original)) = first else {
        return Ok(Err("the first game could not be played".into()));
    };
    for tampering in Tampering::ALL {
        let made = save(&args.folder, &format!("{}.rmv", tampering.name()), || {
            tampering
                .of(&original)
                .ok_or_else(|| "nothing to tamper with".to_owned())
        });
        let audit = match made.and_then(|path| Ok((audit(&path)?, path))) {
            Ok((audit, path)) => {
                print(&path, &audit, ui)?;
                audit
            }
            Err(message) => return Ok(Err(message)),
        };
        as_expected &= audit.verdict() == Verdict::Fail;
    }
    Ok(Ok(as_expected))
}

fn recording(scenario: &Scenario, seed: u64) -> Result<Vec<u8>, String> {
    record(scenario, seed)
        .and_then(|game| rmv::write(&game))
        .map_err(|error| format!("{}: {error}", scenario.name))
}
