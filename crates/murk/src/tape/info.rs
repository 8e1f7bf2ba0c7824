//! The description and the statistics of a recording.

use gametape_core::tape::{Info, object};
use serde_json::{Map, Value, json};

use super::world;
use crate::engine::own::Kinds;
use crate::{Hash, Header, Payload, Stats};

/// Completes a description from the header, and from the statistics, if there are any. A tick takes
/// `dt` seconds.
pub(super) fn info(
    mut info: Info,
    header: &Header<'_>,
    kinds: &Kinds,
    dt: Option<f64>,
    stats: Option<&Stats>,
) -> Info {
    let build = &header.build;
    let mut details = object(json!({
        "build": {
            "toolchain": build.toolchain,
            "target_triple": build.target_triple,
            "murk_version": build.murk_version,
            "compile_flags": build.compile_flags,
        },
        "seed": header.seed,
        "config_hash": (header.config_hash != 0).then(|| Hash(header.config_hash).to_string()),
        "fields": header.field_count,
        "cells": header.cell_count,
        "space_descriptor": world::describe(header, kinds),
    }));
    if let Some(stats) = stats {
        details.insert("first_tick".into(), json!(stats.first_tick));
        details.insert("last_tick".into(), json!(stats.last_tick));
        details.insert("commands".into(), json!(stats.commands));
    }
    info.duration_ms = dt.zip(stats).map(|(dt, stats)| duration_ms(dt, stats));
    info.steps = stats.map(|stats| stats.frames);
    info.details = details;
    info
}

/// The time that the recorded ticks take, if a tick takes `dt` seconds.
pub(super) fn duration_ms(dt: f64, stats: &Stats) -> u64 {
    (dt * 1000.0 * stats.frames as f64) as u64
}

/// Returns the statistics as JSON. A tick takes `dt` seconds.
pub(super) fn measured(dt: Option<f64>, stats: &Stats) -> Map<String, Value> {
    let seconds = dt.map(|dt| dt * stats.frames as f64);
    let kinds: Map<String, Value> = Payload::NAMES
        .iter()
        .zip(stats.kinds)
        .map(|(name, count)| ((*name).to_owned(), count.into()))
        .collect();
    let sources: Map<String, Value> = stats
        .sources
        .iter()
        .map(|(source, count)| (source.to_string(), (*count).into()))
        .collect();
    object(json!({
        "ticks": stats.frames,
        "first_tick": stats.first_tick,
        "last_tick": stats.last_tick,
        "duration_ms": dt.map(|dt| duration_ms(dt, stats)),
        "commands": stats.commands,
        "commands_per_tick": stats.commands_per_frame(),
        "commands_per_s": seconds.filter(|s| *s > 0.0).map(|s| stats.commands as f64 / s),
        "max_commands_in_a_tick": stats.max_commands,
        "idle_ticks": stats.idle_frames,
        "kinds": kinds,
        "unreadable": stats.unreadable,
        "sources": sources,
        "anonymous": stats.anonymous,
        "other_sources": stats.other_sources,
        "expiring": stats.expiring,
        "expired": stats.expired,
        "payload_bytes": stats.payload_bytes,
    }))
}
