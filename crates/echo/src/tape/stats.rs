//! Figures of a match: its timeline, and what each player did.

use gametape_core::tape::{Error, Measured, Partial, Work, object};
use serde_json::{Map, Value};

use super::frames::each;
use super::opened::EchoTape;
use crate::stats::{MatchStats, StatsBuilder};

pub(super) fn stats(tape: &EchoTape, work: &Work<'_>) -> Result<Partial<Measured>, Error> {
    work.wanted()?;
    let mut builder = StatsBuilder::new();
    let problem = each(tape.frames()?, |_, frame| builder.push(frame))?;
    Ok(Partial::new(told(&builder.finish()).into(), problem))
}

/// The figures as JSON.
pub(super) fn told(stats: &MatchStats) -> Map<String, Value> {
    // By way of its text: numbers of 32 bits are then as short as they are in it.
    let text = serde_json::to_vec(stats).unwrap_or_default();
    let mut value = object(serde_json::from_slice(&text).unwrap_or_default());
    for key in ["blue_points", "orange_points"] {
        if let Some(points) = value.get_mut(key)
            && let Some(whole) = points
                .as_f64()
                .filter(|p| p.fract() == 0.0 && p.abs() < 1e6)
        {
            *points = (whole as i64).into();
        }
    }
    value
}
