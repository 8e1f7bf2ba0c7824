//! The demo with deterministic worlds.

use std::io;

use gametape::Verdict;
use gametape::murk::engine::{EngineWorld, World};
use gametape::murk::{Fault, Faulty, Simulation};
use gametape_samples::murk::{FORAGING, HEAT, record};

use super::{Args, audit, print, save};
use crate::ui::{STRONG, Ui, styled};

/// The number of ticks of each recording.
const TICKS: u64 = 200;

/// The worlds, with the names of their recordings.
const WORLDS: [(&str, &str); 2] = [("heat", HEAT), ("foraging", FORAGING)];

/// The fault that is injected into the first world.
const FAULT: Fault = Fault {
    step: 137,
    field: 3,
    element: 100,
    bit: 20,
};

/// Plays this part; true if every result is as expected. The inner error is a message.
pub(super) fn play(args: &Args, ui: &mut Ui) -> io::Result<Result<bool, String>> {
    if !ui.json {
        ui.line(styled(
            STRONG,
            "Two worlds are simulated and recorded; the recordings carry them, and are replayed:",
        ))?;
    }
    let mut as_expected = true;
    for (name, text) in WORLDS {
        let saved = save(&args.folder, &format!("{name}.murk"), || {
            recording(text, args.seed, |world| world)
        });
        match saved.and_then(|path| Ok((audit(&path)?, path))) {
            Err(message) => return Ok(Err(message)),
            Ok((audit, path)) => {
                print(&path, &audit, ui)?;
                as_expected &= audit.verdict() == Verdict::Pass;
            }
        }
    }
    if !ui.json {
        ui.line("")?;
        ui.line(styled(
            STRONG,
            format_args!(
                "The first one once more, on a machine whose memory flips a bit at tick {}:",
                FAULT.step
            ),
        ))?;
    }
    let [(name, text), _] = WORLDS;
    let saved = save(&args.folder, &format!("{name}-faulty.murk"), || {
        recording(text, args.seed, |world| Faulty::new(world, FAULT))
    });
    Ok(match saved.and_then(|path| Ok((audit(&path)?, path))) {
        Err(message) => Err(message),
        Ok((audit, path)) => {
            print(&path, &audit, ui)?;
            let named = audit.findings.iter().any(|finding| {
                let (tick, sentence) = (finding.place.tick, finding.message());
                tick == Some(FAULT.step) && sentence.contains("(heat) at [6, 4]")
            });
            Ok(as_expected && named && audit.verdict() == Verdict::Fail)
        }
    })
}

/// Records a world; `wrap` may change how it runs.
fn recording<S: Simulation>(
    text: &str,
    seed: u64,
    wrap: impl FnOnce(EngineWorld) -> S,
) -> Result<Vec<u8>, String> {
    let world = World::from_toml(text).map_err(|error| error.to_string())?;
    let simulation = wrap(world.build().map_err(|error| error.to_string())?);
    record(&world, simulation, seed, TICKS).map_err(|error| error.to_string())
}
