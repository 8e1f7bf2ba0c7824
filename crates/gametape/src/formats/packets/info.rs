//! What a recording of packets says of itself, and where its bytes go.

use std::path::Path;

use gametape_capture::{Packets, Role};
use gametape_delta::{Schema, Tag};
use serde_json::{Map, Value, json};

use super::measure::Measured;
use crate::source::Source;
use crate::{Format, Info};

/// Entities that are listed by what they take.
const TOP: usize = 10;

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn describe(schema: &Schema) -> Vec<Value> {
    let fields = |component: &gametape_delta::Component| -> Vec<Value> {
        let of = |field: &gametape_delta::Field| match &field.name {
            Some(name) => Value::from(format!("{} {name}", field.id)),
            None => field.id.to_string().into(),
        };
        component.fields.iter().map(of).collect()
    };
    let component = |component: &gametape_delta::Component| {
        let mut object = Map::new();
        object.insert("component".into(), component.id.into());
        object.insert("name".into(), component.name.clone().into());
        object.insert("fields".into(), fields(component).into());
        Value::Object(object)
    };
    schema.components().iter().map(component).collect()
}

fn blank(path: &Path, source: &Source, packets: &Packets<'_>) -> Info {
    let schema = packets.schema();
    let mut details = Map::new();
    details.insert("schema".into(), format!("{:016x}", schema.hash()).into());
    details.insert("components".into(), describe(schema).into());
    details.insert("tick_ns".into(), packets.tick_ns().into());
    Info {
        path: path.display().to_string(),
        format: match packets {
            Packets::Capture(_) => Format::Capture,
            Packets::Delta(_) => Format::Delta,
        },
        // Of the wire; captures have no version of their own.
        format_version: u32::from(gametape_delta::wire::VERSION),
        bytes: source.len() as u64,
        duration_ms: None,
        frames: None,
        details,
    }
}

fn milliseconds(ticks: u64, tick_ns: Option<u64>) -> Option<u64> {
    Some((u128::from(ticks) * u128::from(tick_ns?) / 1_000_000) as u64)
}

/// From what can be told without looking at packets.
pub(super) fn header(path: &Path, source: &Source, packets: &Packets<'_>) -> Info {
    let mut info = blank(path, source, packets);
    if let Packets::Capture(capture) = packets {
        let full = capture.counted(Role::Keyframe);
        let deltas = capture.counted(Role::Delta);
        info.frames = full.zip(deltas).map(|(full, deltas)| full + deltas);
        if let Some((first, last)) = capture.ticks() {
            let span = u64::from(last.saturating_sub(first));
            info.duration_ms = milliseconds(span, capture.tick_ns());
            info.details.insert("first_tick".into(), first.into());
            info.details.insert("last_tick".into(), last.into());
        }
        info.details.insert("full".into(), full.into());
        info.details.insert("deltas".into(), deltas.into());
        let added = capture.counted(Role::Added);
        info.details.insert("added_keyframes".into(), added.into());
    }
    info
}

/// From all packets.
pub(super) fn info(
    path: &Path,
    source: &Source,
    packets: &Packets<'_>,
    measured: &Measured,
) -> Info {
    let mut info = blank(path, source, packets);
    info.frames = Some(measured.packets());
    info.duration_ms = measured
        .span()
        .and_then(|ticks| milliseconds(ticks, packets.tick_ns()));
    let bytes = measured.bytes();
    let mean = (measured.packets() > 0).then(|| bytes as f64 / measured.packets() as f64);
    info.details.extend(object(json!({
        "first_tick": measured.first_tick,
        "last_tick": measured.last_tick,
        "gaps": measured.gaps,
        "missing_ticks": measured.missing_ticks,
        "full": measured.full,
        "deltas": measured.deltas,
        "keyframes": measured.full + measured.added,
        "added_keyframes": measured.added,
        "added_bytes": measured.added_bytes,
        "packet_bytes": {
            "min": measured.packet_bytes.first(),
            "avg": mean.map(|mean| (mean * 10.0).round() / 10.0),
            "p95": measured.percentile(0.95),
            "max": measured.packet_bytes.last(),
            "all": bytes,
        },
    })));
    let schema = packets.schema();
    let lists = [
        ("bytes_by_kind", by_kind(measured)),
        ("bytes_by_section", by_section(measured)),
        ("bytes_by_component", by_component(schema, measured)),
        ("bytes_by_field", by_field(schema, measured)),
        ("top_entities", top_entities(measured)),
    ];
    for (key, list) in lists {
        info.details.insert(key.into(), list.into());
    }
    info
}

/// Bytes, and their share of all packets.
fn weigh(measured: &Measured, entry: &mut Map<String, Value>, bits: u64) {
    let all = measured.sizes.packets.bits;
    // Eighths are exact.
    entry.insert("bytes".into(), (bits as f64 / 8.0).into());
    let percent = if all == 0 {
        0.0
    } else {
        (bits as f64 * 1000.0 / all as f64).round() / 10.0
    };
    entry.insert("percent".into(), percent.into());
}

/// Every bit once.
fn by_kind(measured: &Measured) -> Vec<Value> {
    let sizes = &measured.sizes;
    let [create, destroy, update] = sizes.entity_heads;
    let masks = sizes.components.iter().map(|c| c.masks.bits).sum();
    let values = sizes.components.iter().flat_map(|c| &c.fields);
    let values = values.map(|(_, size)| size.bits).sum();
    [
        ("headers", sizes.headers.bits),
        ("section framing", sizes.framing.bits),
        ("heads of created entities", create.bits),
        ("heads of destroyed entities", destroy.bits),
        ("heads of updated entities", update.bits),
        ("field masks", masks),
        ("values", values),
        ("padding", sizes.padding.bits),
    ]
    .into_iter()
    .map(|(what, bits)| {
        let mut entry = Map::from_iter([("what".to_owned(), what.into())]);
        weigh(measured, &mut entry, bits);
        Value::Object(entry)
    })
    .collect()
}

fn by_section(measured: &Measured) -> Vec<Value> {
    let entry = |tag: Tag| {
        let size = measured.sizes.section(tag);
        let name = tag.name().to_ascii_lowercase();
        let mut entry = Map::from_iter([
            ("section".to_owned(), name.into()),
            ("sections".to_owned(), size.count.into()),
            ("entities".to_owned(), measured.named(tag).into()),
        ]);
        weigh(measured, &mut entry, size.bits);
        Value::Object(entry)
    };
    Tag::ALL.into_iter().map(entry).collect()
}

fn by_component(schema: &Schema, measured: &Measured) -> Vec<Value> {
    let both = schema.components().iter().zip(&measured.sizes.components);
    both.map(|(component, size)| {
        let mut entry = Map::from_iter([
            ("component".to_owned(), component.id.into()),
            ("name".to_owned(), component.name.clone().into()),
            ("times".to_owned(), size.masks.count.into()),
        ]);
        weigh(measured, &mut entry, size.bits());
        entry.insert("masks".into(), (size.masks.bits as f64 / 8.0).into());
        Value::Object(entry)
    })
    .collect()
}

fn by_field(schema: &Schema, measured: &Measured) -> Vec<Value> {
    let mut list = Vec::new();
    for (component, sizes) in schema.components().iter().zip(&measured.sizes.components) {
        for (field, (_, size)) in component.fields.iter().zip(&sizes.fields) {
            let mut entry = Map::from_iter([
                ("component".to_owned(), component.id.into()),
                ("field".to_owned(), field.id.into()),
                ("name".to_owned(), field.name.clone().into()),
                ("times".to_owned(), size.count.into()),
            ]);
            weigh(measured, &mut entry, size.bits);
            list.push(Value::Object(entry));
        }
    }
    list
}

fn top_entities(measured: &Measured) -> Vec<Value> {
    let mut entities: Vec<_> = measured.sizes.entities.iter().collect();
    entities.sort_unstable_by_key(|(id, size)| (std::cmp::Reverse(size.bits), **id));
    let entry = |(id, size): (&u32, &gametape_delta::Size)| {
        let mut entry = Map::from_iter([
            ("entity".to_owned(), (*id).into()),
            ("times".to_owned(), size.count.into()),
        ]);
        weigh(measured, &mut entry, size.bits);
        Value::Object(entry)
    };
    entities.into_iter().take(TOP).map(entry).collect()
}
