//! Statistics for developers of network code.

use gametape_core::tape::object;
use gametape_delta::Tag;
use serde_json::{Map, Value, json};

use super::info::duration_ms;
use super::measure::Measured;
use crate::stream::Packets;

pub(super) fn stats(packets: &Packets<'_>, measured: &Measured) -> Map<String, Value> {
    let bytes = measured.bytes();
    let seconds = packets
        .tick_ns()
        .zip(measured.span())
        .map(|(ns, ticks)| ns as f64 * (ticks + 1) as f64 / 1e9);
    let per_second = |count: u64| seconds.map(|seconds| count as f64 / seconds);
    let per = |count: u64, of: u64| (of > 0).then(|| count as f64 / of as f64);
    let [creates, destroys, updates] =
        [Tag::Create, Tag::Destroy, Tag::Update].map(|tag| measured.named(tag));
    let update_bytes = measured.sizes.section(Tag::Update).bits as f64 / 8.0;
    let states = &measured.entities;
    object(json!({
        "packets": measured.packets(),
        "deltas": measured.deltas,
        "keyframes": measured.full + measured.added,
        "added_keyframes": measured.added,
        "ticks": measured.ticks,
        "first_tick": measured.first_tick,
        "last_tick": measured.last_tick,
        "missing_ticks": measured.missing_ticks,
        "duration_ms": duration_ms(packets, measured.span()),
        "entities_min": (states.count > 0).then_some(states.min),
        "entities_mean": states.mean(),
        "entities_max": (states.count > 0).then_some(states.max),
        "creates": creates,
        "destroys": destroys,
        "updates": updates,
        "updates_per_tick": per(updates, measured.read_ticks),
        "bytes": bytes,
        "bytes_per_tick": per(bytes, measured.ticks),
        "bytes_per_s": per_second(bytes),
        "packet_bytes_p95": measured.percentile(0.95),
        "packet_bytes_max": measured.packet_bytes.last(),
        "bytes_per_update": (updates > 0).then(|| update_bytes / updates as f64),
        "bytes_per_entity_tick": per(measured.applied.bytes, measured.applied.entities),
    }))
}
