//! The description of a recording of packets, and statistics of its bytes.

use gametape_core::tape::{Info, object};
use gametape_delta::{Component, Schema, Size, Tag};
use serde_json::{Map, Value, json};

use super::measure::Measured;
use crate::layout::Role;
use crate::made::told;
use crate::packets::Packets;

/// The number of largest entities that are listed.
const TOP: usize = 10;

/// Whether the fields of a component are cells of a grid: they have the same codec and no names.
fn is_cells(component: &Component) -> bool {
    let mut fields = component.fields.iter();
    let first = fields.next().map(|field| field.codec);
    component.fields.len() > 1
        && fields.all(|field| field.name.is_none() && Some(field.codec) == first)
}

fn describe(schema: &Schema, made: bool) -> Vec<Value> {
    let fields = |component: &Component| -> Vec<Value> {
        if made && is_cells(component) {
            return vec![format!("1 to {}: cells", component.fields.len()).into()];
        }
        let of = |field: &gametape_delta::Field| match &field.name {
            Some(name) => Value::from(format!("{} {name}", field.id)),
            None => field.id.to_string().into(),
        };
        component.fields.iter().map(of).collect()
    };
    let component =
        |of: &Component| json!({ "component": of.id, "name": of.name, "fields": fields(of) });
    schema.components().iter().map(component).collect()
}

fn with_schema(mut info: Info, packets: &Packets<'_>) -> Info {
    let schema = packets.schema();
    let mut details = Map::new();
    details.insert("schema".into(), format!("{:016x}", schema.hash()).into());
    let made = packets.tables().is_some();
    if let Some(told) = packets.tables().and_then(told) {
        details.extend(told.details);
    }
    details.insert("components".into(), describe(schema, made).into());
    details.insert("tick_ns".into(), packets.tick_ns().into());
    if packets.is_view() {
        details.insert("view".into(), true.into());
    }
    info.details = details;
    info
}

fn milliseconds(ticks: u64, tick_ns: Option<u64>) -> Option<u64> {
    Some((u128::from(ticks) * u128::from(tick_ns?) / 1_000_000) as u64)
}

/// The time from the first step to the last, which are so many ticks apart.
pub(super) fn duration_ms(packets: &Packets<'_>, ticks: Option<u64>) -> Option<u64> {
    let told = packets.tables().and_then(told);
    let of_ticks = || milliseconds(ticks?, packets.tick_ns());
    told.and_then(|told| told.duration_ms).or_else(of_ticks)
}

/// Completes a description without reading the packets.
pub(super) fn header(known: Info, packets: &Packets<'_>) -> Info {
    let mut info = with_schema(known, packets);
    info.duration_ms = packets
        .tables()
        .and_then(told)
        .and_then(|told| told.duration_ms);
    if let Packets::Capture(capture) = packets {
        let full = capture.counted(Role::Keyframe);
        let deltas = capture.counted(Role::Delta);
        info.steps = full.zip(deltas).map(|(full, deltas)| full + deltas);
        if let Some((first, last)) = capture.ticks() {
            let span = u64::from(last.saturating_sub(first));
            info.duration_ms = info.duration_ms.or(milliseconds(span, capture.tick_ns()));
            info.details.insert("first_tick".into(), first.into());
            info.details.insert("last_tick".into(), last.into());
        }
        let added = capture.counted(Role::Added);
        let keyframes = full.zip(added).map(|(full, added)| full + added);
        info.details.insert("deltas".into(), deltas.into());
        info.details.insert("keyframes".into(), keyframes.into());
        info.details.insert("added_keyframes".into(), added.into());
    }
    info
}

/// Completes a description after reading all packets.
pub(super) fn info(known: Info, packets: &Packets<'_>, measured: &Measured) -> Info {
    let mut info = with_schema(known, packets);
    info.steps = Some(measured.packets());
    info.duration_ms = duration_ms(packets, measured.span());
    let bytes = measured.bytes();
    let mean = (measured.packets() > 0).then(|| bytes as f64 / measured.packets() as f64);
    info.details.extend(object(json!({
        "first_tick": measured.first_tick,
        "last_tick": measured.last_tick,
        "gaps": measured.gaps,
        "missing_ticks": measured.missing_ticks,
        "deltas": measured.deltas,
        "keyframes": measured.full + measured.added,
        "added_keyframes": measured.added,
        "added_bytes": measured.added_bytes,
        "packet_bytes": {
            "min": measured.packet_bytes.first(),
            "mean": mean.map(|mean| (mean * 10.0).round() / 10.0),
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
        (
            "bytes_by_field",
            by_field(schema, measured, packets.tables().is_some()),
        ),
        ("top_entities", top_entities(measured)),
    ];
    for (key, list) in lists {
        info.details.insert(key.into(), list.into());
    }
    info
}

/// An entry of a list: what it is about, a number of bytes, and their share of all packets.
fn entry(measured: &Measured, of: Value, bits: u64) -> Map<String, Value> {
    let all = measured.sizes.packets.bits;
    let percent = if all == 0 {
        0.0
    } else {
        (bits as f64 * 1000.0 / all as f64).round() / 10.0
    };
    let mut entry = object(of);
    // Eighths are exact.
    entry.insert("bytes".into(), (bits as f64 / 8.0).into());
    entry.insert("percent".into(), percent.into());
    entry
}

/// The bits by kind; every bit is counted once.
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
    .map(|(what, bits)| entry(measured, json!({ "what": what }), bits).into())
    .into()
}

fn by_section(measured: &Measured) -> Vec<Value> {
    let of = |tag: Tag| {
        let size = measured.sizes.section(tag);
        let section = tag.name().to_ascii_lowercase();
        let entities = measured.named(tag);
        let of = json!({ "section": section, "sections": size.count, "entities": entities });
        entry(measured, of, size.bits).into()
    };
    Tag::ALL.map(of).into()
}

fn by_component(schema: &Schema, measured: &Measured) -> Vec<Value> {
    let both = schema.components().iter().zip(&measured.sizes.components);
    both.map(|(Component { id, name, .. }, size)| {
        let of = json!({ "component": id, "name": name, "times": size.masks.count });
        let mut entry = entry(measured, of, size.bits());
        entry.insert("masks".into(), (size.masks.bits as f64 / 8.0).into());
        entry.into()
    })
    .collect()
}

fn by_field(schema: &Schema, measured: &Measured, made: bool) -> Vec<Value> {
    let mut list = Vec::new();
    for (component, sizes) in schema.components().iter().zip(&measured.sizes.components) {
        let mut add = |field: Option<u16>, name: &Option<String>, size: Size| {
            let of = json!({ "component": component.id, "field": field, "name": name, "times": size.count });
            list.push(entry(measured, of, size.bits).into());
        };
        if made && is_cells(component) {
            let all = sizes.fields.iter();
            add(None, &component.name, all.map(|(_, size)| *size).sum());
            continue;
        }
        for (field, (_, size)) in component.fields.iter().zip(&sizes.fields) {
            add(Some(field.id), &field.name, *size);
        }
    }
    list
}

fn top_entities(measured: &Measured) -> Vec<Value> {
    let mut entities: Vec<_> = measured.sizes.entities.iter().collect();
    entities.sort_unstable_by_key(|(id, size)| (std::cmp::Reverse(size.bits), **id));
    let of = |(id, size): (&u32, &Size)| {
        entry(
            measured,
            json!({ "entity": id, "times": size.count }),
            size.bits,
        )
        .into()
    };
    entities.into_iter().take(TOP).map(of).collect()
}

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
