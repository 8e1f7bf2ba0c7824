//! Checks and measures a game in one pass.

use gametape_core::tape::Audit;
use serde_json::{Map, Value};

use super::{info, traces};
use crate::rmv::{self, Reading};

/// Audits a game. Also returns a closure that computes the statistics that players compare. `bytes`
/// is the size of the game's file.
pub(super) fn check(
    reading: Reading<'_>,
    bytes: u64,
) -> (Audit, impl FnOnce() -> Map<String, Value>) {
    let Reading { game, mut findings } = reading;
    let tracer = traces::Tracer::new(&game);
    let (played, tracer) = rmv::audit_watched(&game, bytes, &mut findings, tracer);
    let audit = Audit::new(&findings, info::summary(&played, game.mode()))
        .facts(info::facts(&game, &played))
        .traces(tracer.finish());
    let mode = game.mode();
    (audit, move || info::stats(&played.metrics(), mode))
}
