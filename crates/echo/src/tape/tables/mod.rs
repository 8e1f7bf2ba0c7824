//! A match as tables.

mod columns;
mod facts;
mod frame;
mod game;
mod giving;
mod pass;
mod players;
mod precision;
mod seek;

pub(super) use frame::{defs, is_long_after, stamp};
pub(super) use pass::{follow, scan};
pub(super) use precision::tables;
pub(super) use seek::Seeking;

use gametape_core::table::TableDef;
use gametape_core::tape::{Error, Estimate, RowCount};

use super::frames::EchoFormat;
use super::opened::EchoTape;
use crate::ReadOptions;
use crate::butter::Table;
use crate::model::BONES;
use frame::State;

/// Returns whether a table is a state that a single frame describes.
pub(super) fn is_state(table: &str) -> bool {
    State::of(table).is_some()
}

/// Bytes of a frame of an .echoreplay with ten players, as text and in a zip, to an order of magnitude.
const TEXT: u64 = 10_000;
const ZIPPED: u64 = 500;
/// Players of a match, where the header does not tell.
const PLAYERS: u64 = 10;
/// Nanoseconds that decoding a frame of a .butter takes, to an order of magnitude.
const FRAME_NS: u64 = 3_000;

/// Estimates a scan of a table.
pub(super) fn estimate(tape: &EchoTape, table: &TableDef) -> Result<Estimate, Error> {
    let size = tape.input.size();
    let mut estimate = Estimate::of_bytes(size);
    let (frames, players) = match tape.format {
        EchoFormat::Butter => {
            let table = Table::read(&tape.input, ReadOptions::lenient())?;
            let Some(header) = table.header() else {
                return Ok(estimate);
            };
            let frames = table.chunks().len() as u64 * u64::from(header.keyframe_interval);
            estimate.work_ns = frames.saturating_mul(FRAME_NS);
            (frames, header.players.len() as u64)
        }
        EchoFormat::Echoreplay => {
            let each = if tape.is_zip() { ZIPPED } else { TEXT };
            (size / each, PLAYERS)
        }
    };
    let rows = match State::of(&table.name) {
        None => return Ok(estimate),
        Some(State::Game | State::Disc | State::Payload) => frames,
        Some(State::Players) => frames.saturating_mul(players),
        Some(State::Bones) => frames.saturating_mul(players).saturating_mul(BONES as u64),
    };
    estimate.rows = RowCount::About(rows);
    Ok(estimate)
}
