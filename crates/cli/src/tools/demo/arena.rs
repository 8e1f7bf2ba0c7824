//! The demo with a replicated world.

use std::io;

use gametape::Verdict;
use gametape::capture::{CaptureError, Options, Writer};
use gametape::core::text::{Counted, Grouped};
use gametape_samples::delta::{Arena, Network, Outcome, Replication};

use super::{Args, audit, print, save};
use crate::ui::{STRONG, Ui, styled};

/// The number of ships.
const SHIPS: u32 = 300;
/// The number of ticks.
const TICKS: u32 = 600;
/// The number of ticks a second.
const RATE: u32 = 30;
/// The percentage of packets lost in each direction.
const LOSS: u32 = 10;
const NETWORK: Network = Network {
    loss: LOSS,
    delay: 2,
    rest: 60,
};

/// Plays this part; true if every result is as expected. The inner error is a message.
pub(super) fn play(args: &Args, ui: &mut Ui) -> io::Result<Result<bool, String>> {
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
        let per_second = run.bytes * u64::from(RATE) / u64::from(TICKS + NETWORK.rest);
        ui.line(format_args!(
            "      {} sent ({} bytes/s), {} lost, {} still on the way when the run ends; \
             {} asked for a full snapshot; in the end the receiver {}",
            Counted(run.sent, "packet"),
            Grouped(per_second),
            Grouped(run.lost),
            Grouped(run.in_transit),
            Counted(run.resyncs, "time"),
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
    let (flipped, audit) = match saved.and_then(|flipped| Ok((super::audit(&flipped)?, flipped))) {
        Err(message) => return Ok(Err(message)),
        Ok((audit, flipped)) => (flipped, audit),
    };
    print(&flipped, &audit, ui)?;
    Ok(Ok(as_expected && audit.verdict() == Verdict::Fail))
}

/// Captures the view of the receiver, and counts its losses.
fn replicate(seed: u64) -> Result<(Vec<u8>, Outcome), String> {
    let options = Options {
        tick_ns: Some(1_000_000_000 / u64::from(RATE)),
        keyframe_every: Some(10 * RATE),
        ..Options::default()
    };
    let sentence = |error: CaptureError| error.to_string();
    let mut capture = Writer::new(Vec::new(), &Arena::schema(), options).map_err(sentence)?;
    let mut replication = Replication::new(SHIPS, TICKS, seed, NETWORK);
    while let Some(seen) = replication.next_seen().map_err(|error| error.to_string())? {
        capture.push_state(seen, None).map_err(sentence)?;
    }
    let capture = capture.finish().map_err(sentence)?;
    Ok((capture, replication.outcome()))
}
