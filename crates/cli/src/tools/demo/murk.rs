//! The demo with deterministic worlds.

use std::io;

use gametape::Verdict;
use gametape::murk::engine::World;
use gametape::murk::{
    CommandBuf, Envelope, Fault, Faulty, Payload, Recorder, Simulation, Writer, samples,
};

use super::{audit, print, save};
use crate::args::Demo;
use crate::ui::{STRONG, Ui, styled};

/// Ticks of each recording.
const TICKS: u64 = 200;

/// A world, and how many rows and columns a command may name.
const WORLDS: [(&str, &str, [i32; 2]); 2] = [
    ("heat", samples::HEAT, [16, 16]),
    ("foraging", samples::FORAGING, [12, 20]),
];

/// The fault that is injected into the first world.
const FAULT: Fault = Fault {
    step: 137,
    field: 3,
    element: 100,
    bit: 20,
};

/// Says whether everything came out as it has to; the inner error is a sentence.
pub(super) fn play(args: &Demo, ui: &mut Ui) -> io::Result<Result<bool, String>> {
    if !ui.json {
        ui.line(styled(
            STRONG,
            "Two worlds are simulated and recorded; the recordings carry them, and are replayed:",
        ))?;
    }
    let mut as_expected = true;
    for (name, text, bounds) in WORLDS {
        let saved = save(&args.folder, &format!("{name}.murk"), || {
            record(text, bounds, args.seed, |world| world)
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
    let [(name, text, bounds), _] = WORLDS;
    let saved = save(&args.folder, &format!("{name}-faulty.murk"), || {
        record(text, bounds, args.seed, |world| Faulty::new(world, FAULT))
    });
    Ok(match saved.and_then(|path| Ok((audit(&path)?, path))) {
        Err(message) => Err(message),
        Ok((audit, path)) => {
            print(&path, &audit, ui)?;
            let named = audit.findings.iter().any(|finding| {
                finding.tick == Some(FAULT.step) && finding.message.contains("(heat) at [6, 4]")
            });
            Ok(as_expected && named && audit.verdict() == Verdict::Fail)
        }
    })
}

/// A recording of a world with some commands, which are the same for each seed.
fn record<S: Simulation>(
    text: &str,
    [rows, cols]: [i32; 2],
    seed: u64,
    wrap: impl FnOnce(gametape::murk::engine::EngineWorld) -> S,
) -> Result<Vec<u8>, String> {
    let sentence = |error: &dyn std::error::Error| error.to_string();
    let world = World::from_toml(text).map_err(|error| sentence(&error))?;
    let header = world.header();
    let mut simulation = wrap(world.build().map_err(|error| sentence(&error))?);
    let writer = Writer::new(Vec::new(), &header).map_err(|error| sentence(&error))?;
    let mut recorder = Recorder::new(writer, &header);
    let mut commands = CommandBuf::new();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut below = |end: i32| random.i32(0..end);
    for tick in 1..=TICKS {
        commands.clear();
        if tick % 3 == 1 {
            let coord = [below(rows), below(cols)];
            let envelope = Envelope {
                source_id: Some(below(4) as u64),
                source_seq: Some(tick),
                ..Envelope::default()
            };
            let payload = Payload::SetField {
                coord: (&coord).into(),
                field: 0,
                value: below(2) as f32,
            };
            commands
                .push(&envelope, &payload)
                .map_err(|error| sentence(&error))?;
        }
        recorder
            .step(&mut simulation, tick, commands.as_commands())
            .map_err(|error| sentence(&error))?;
    }
    recorder.finish().map_err(|error| sentence(&error))
}
