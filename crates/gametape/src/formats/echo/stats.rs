//! Figures of a match: its timeline, and what each player did.

use std::path::Path;

use gametape_echo::stats::StatsBuilder;
use serde_json::{Map, Value};

use super::EchoFormat;
use super::frames::each;
use super::info::object;
use crate::Error;
use crate::format::Partial;
use crate::source::Source;

pub(super) fn stats(
    format: EchoFormat,
    path: &Path,
    source: &Source,
) -> Result<Partial<Map<String, Value>>, Error> {
    let mut builder = StatsBuilder::new();
    let problem = each(format, path, source, |_, frame| builder.push(frame))?;
    let stats = serde_json::to_value(builder.finish()).unwrap_or_default();
    Ok(Partial {
        value: object(stats),
        problem,
    })
}
