//! The demo with games that a bot plays.

use std::io;

use gametape::Verdict;
use gametape::mines::player::{Scenario, record, scenarios};
use gametape::mines::rmv;

use super::{audit, print, save};
use crate::args::Demo;
use crate::ui::{STRONG, Ui, styled};

/// Says whether everything came out as it has to; the inner error is a sentence.
pub(super) fn play(args: &Demo, ui: &mut Ui) -> io::Result<Result<bool, String>> {
    let mut as_expected = true;
    if !ui.json {
        ui.line(styled(
            STRONG,
            format_args!(
                "A bot plays a game of every kind; the recordings go to {}.",
                args.folder.display()
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
            "Copies of the first game that somebody tampered with, and of one that was cut:",
        ))?;
    }
    let first = played
        .first()
        .map(|scenario| recording(scenario, args.seed));
    let Some(Ok(original)) = first else {
        return Ok(Err("the first game could not be played".into()));
    };
    for tampering in TAMPERINGS {
        let made = save(&args.folder, &format!("{}.rmv", tampering.name), || {
            (tampering.make)(&original).ok_or_else(|| "nothing to tamper with".to_owned())
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

/// A way to tamper with a recording.
struct Tampering {
    name: &'static str,
    make: fn(&[u8]) -> Option<Vec<u8>>,
}

const TAMPERINGS: [Tampering; 4] = [
    Tampering {
        name: "tampered-time",
        make: |bytes| {
            // A tenth of a second off the time, in the termination event and in the tail.
            let mut copy = bytes.to_vec();
            let (ending, _) = ending(bytes)?;
            for at in [ending + 1, ending + 6] {
                let field = copy.get_mut(at..at + 3)?;
                let time = u32::from_be_bytes([0, *field.first()?, *field.get(1)?, *field.get(2)?]);
                field.copy_from_slice(time.checked_sub(100)?.to_be_bytes().get(1..)?);
            }
            Some(copy)
        },
    },
    Tampering {
        name: "tampered-board-event",
        make: |bytes| {
            // One number more than the square has.
            let game = rmv::read(bytes).ok()?;
            let mut events = game.events.iter();
            let mut at = 0;
            let mut numbers = 0;
            loop {
                if let gametape::mines::Event::Board(board) = events.next()?
                    && matches!(board.face, gametape::mines::Face::Number(1..8))
                {
                    numbers += 1;
                    if numbers == 20 {
                        break;
                    }
                }
                at = events.position();
            }
            let mut copy = bytes.to_vec();
            *copy.get_mut(game.events.offset() as usize + at)? += 1;
            Some(copy)
        },
    },
    Tampering {
        name: "tampered-outcome",
        make: |bytes| {
            // The win is recorded as a game that was left.
            let mut copy = bytes.to_vec();
            *copy.get_mut(ending(bytes)?.0)? = 17;
            Some(copy)
        },
    },
    Tampering {
        name: "cut",
        make: |bytes| Some(bytes.get(..bytes.len() * 3 / 4)?.to_vec()),
    },
];

/// Where the termination event stands.
fn ending(bytes: &[u8]) -> Option<(usize, rmv::EventLog<'_>)> {
    let game = rmv::read(bytes).ok()?;
    let at = game.events.offset() as usize + game.events.as_bytes().len();
    Some((at, game.events))
}
