//! The demo with a replicated world.

use std::io;

use gametape::Verdict;
use gametape::capture::{CaptureWriter, Options};
use gametape::delta::samples::Arena;
use gametape::delta::{Feedback, Receiver, Sender, Snapshot};

use super::{audit, print, save};
use crate::args::Demo;
use crate::ui::{STRONG, Ui, counted, styled};

/// Ships in the arena.
const SHIPS: u32 = 300;
/// Ticks of the recording.
const TICKS: u32 = 600;
/// Ticks a second.
const RATE: u32 = 30;
/// Of 100 packets, how many are lost, each way.
const LOSS: u32 = 10;
/// Ticks a packet is on its way.
const DELAY: u32 = 2;
/// Ticks the arena stands still for at the end, so that all can arrive.
const REST: u32 = 60;

/// Says whether everything came out as it has to; the inner error is a sentence.
pub(super) fn play(args: &Demo, ui: &mut Ui) -> io::Result<Result<bool, String>> {
    if !ui.json {
        ui.line(styled(
            STRONG,
            format_args!(
                "An arena of {SHIPS} ships is replicated at {RATE} Hz over a network that loses {LOSS} % \
                 of the packets, and what arrives is captured as it is seen there:"
            ),
        ))?;
    }
    let mut replicated = None;
    let saved = save(&args.folder, "arena.mcap", || {
        let (capture, run) = replicate(args.seed)?;
        replicated = Some(run);
        Ok(capture)
    });
    let (path, audit) = match saved.and_then(|path| Ok((audit(&path)?, path))) {
        Err(message) => return Ok(Err(message)),
        Ok((audit, path)) => (path, audit),
    };
    print(&path, &audit, ui)?;
    let Some(run) = replicated else {
        return Ok(Err("nothing was replicated".into()));
    };
    if !ui.json {
        let per_second = run.bytes * u64::from(RATE) / u64::from(TICKS + REST);
        ui.line(format_args!(
            "      {} sent ({per_second} bytes/s), {} lost, {} asked for a full snapshot; \
             in the end the receiver {}",
            counted(run.sent, "packet"),
            run.lost,
            counted(run.resyncs, "time"),
            if run.converged {
                "sees what the sender sees"
            } else {
                "differs from the sender"
            },
        ))?;
    }
    let as_expected = run.converged && audit.verdict() == Verdict::Pass;
    if !ui.json {
        ui.line("")?;
        ui.line(styled(STRONG, "A copy of it in which a bit was flipped:"))?;
    }
    let saved = save(&args.folder, "arena-flipped.mcap", || {
        let mut bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
        let middle = bytes.len() / 2;
        if let Some(byte) = bytes.get_mut(middle) {
            *byte ^= 0x10;
        }
        Ok(bytes)
    });
    let (flipped, audit) = match saved.and_then(|flipped| Ok((self::audit(&flipped)?, flipped))) {
        Err(message) => return Ok(Err(message)),
        Ok((audit, flipped)) => (flipped, audit),
    };
    print(&flipped, &audit, ui)?;
    Ok(Ok(as_expected && audit.verdict() == Verdict::Fail))
}

/// How it went.
struct Run {
    sent: u64,
    bytes: u64,
    lost: u64,
    resyncs: u64,
    converged: bool,
}

fn replicate(seed: u64) -> Result<(Vec<u8>, Run), String> {
    let sentence = |error: &dyn std::error::Error| error.to_string();
    let schema = Arena::schema();
    let (mut sender, mut receiver) = (Sender::new(&schema), Receiver::new(&schema));
    let options = Options {
        tick_ns: Some(1_000_000_000 / u64::from(RATE)),
        keyframe_every: Some(10 * RATE),
        ..Options::default()
    };
    let mut capture =
        CaptureWriter::new(Vec::new(), &schema, options).map_err(|error| sentence(&error))?;
    let mut arena = Arena::new(SHIPS, seed);
    let mut state = Snapshot::new(&schema, 0);
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut down, mut up) = (Vec::new(), Vec::<(u32, Feedback)>::new());
    let mut run = Run {
        sent: 0,
        bytes: 0,
        lost: 0,
        resyncs: 0,
        converged: false,
    };
    let mut packet = Vec::new();
    for tick in 1..=TICKS + REST {
        if tick <= TICKS {
            arena.step();
            arena.state(&mut state).map_err(|error| sentence(&error))?;
        }
        state.set_tick(tick);
        for (_, feedback) in up.extract_if(.., |(at, _)| *at <= tick) {
            sender.feedback(&feedback);
        }
        let sent = sender
            .encode(&state, &mut packet)
            .map_err(|error| sentence(&error))?;
        run.sent += 1;
        run.bytes += sent.bytes as u64;
        if random.u32(0..100) < LOSS {
            run.lost += 1;
        } else {
            down.push((tick + DELAY, packet.clone()));
        }
        for (_, packet) in down.extract_if(.., |(at, _)| *at <= tick) {
            let feedback = match receiver.apply(&packet) {
                Ok(received) => {
                    if received.fresh {
                        capture
                            .push_state(receiver.view(), None)
                            .map_err(|error| sentence(&error))?;
                    }
                    received.ack
                }
                Err(error) => {
                    run.resyncs += 1;
                    error.feedback().ok_or_else(|| sentence(&error))?
                }
            };
            if random.u32(0..100) >= LOSS {
                up.push((tick + DELAY, feedback));
            }
        }
    }
    run.converged = receiver.view().same_entities(&state);
    let capture = capture.finish().map_err(|error| sentence(&error))?;
    Ok((capture, run))
}
