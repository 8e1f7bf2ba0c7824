//! A game that is checked and measured, in one pass.

use gametape_core::tape::Audit;
use serde_json::{Map, Value};

use super::{info, traces};
use crate::rmv::{self, Reading};

/// What checking a game comes to, and the statistics that its people compare, for whoever asks for them;
/// `bytes` is the size of its file.
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
