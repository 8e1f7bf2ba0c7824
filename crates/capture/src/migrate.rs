//! Converts a recording to packets of another schema.

use std::fmt::Display;

use gametape_delta::wire::Header;
use gametape_delta::{
    ComponentChange, Encoder, Entity, EntityChange, Limits, Migration, Part, Schema, Section,
    Snapshot, Tag,
};

use crate::error::CaptureError;
use crate::layout::Role;
use crate::packets::{Packet, Packets};
use crate::replay::beside;

/// The result of a migration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Migrated {
    /// The number of packets passed to the sink; snapshots that the recorder added are not
    /// migrated.
    pub packets: u64,
    /// The losses, one phrase each.
    pub losses: Vec<String>,
}

/// Converts every packet of a stream to another schema and passes it to `sink`. Full snapshots stay
/// full, a delta builds on the same tick as before, and every state is exactly the migrated one,
/// regardless of the schemas' thresholds.
///
/// # Errors
/// [`CaptureError::Migrate`] if a value or a field cannot be migrated; a problem of the recording;
/// errors of `sink`.
pub fn migrate<E: From<CaptureError>>(
    packets: &Packets<'_>,
    schema: &Schema,
    mut sink: impl FnMut(&Packet<'_>) -> Result<(), E>,
) -> Result<Migrated, E> {
    let migration = Migration::new(packets.schema(), schema).map_err(|all| {
        let all: Vec<String> = all.iter().map(ToString::to_string).collect();
        CaptureError::Migrate(all.join("; "))
    })?;
    let mut encoder = Encoder::new(schema).limits(Limits::NONE);
    let mut replay = packets.replay().map_err(CaptureError::from)?;
    let mut bytes = Vec::new();
    let mut count = 0;
    let mut cursor = packets.cursor();
    while let Some(packet) = cursor.next_packet().map_err(CaptureError::from)? {
        if packet.role == Role::Added {
            continue;
        }
        let (header, _) =
            Header::read(packet.bytes).map_err(|error| CaptureError::from(packet.error(error)))?;
        let carried = |state: &Snapshot| {
            migration
                .state(state)
                .map_err(|error| CaptureError::Migrate(format!("tick {}: {error}", state.tick())))
        };
        // The baseline is looked up before the packet is applied, because this may be the last
        // packet that builds on it.
        let baseline = header.baseline().and_then(|tick| replay.held(tick));
        let baseline = baseline.map(&carried).transpose()?;
        let state = carried(replay.apply(&packet).map_err(CaptureError::from)?)?;
        let header = Header {
            schema_hash: schema.hash(),
            ..header
        };
        let of_tick =
            |error: &dyn Display| CaptureError::Migrate(format!("tick {}: {error}", header.tick));
        match baseline {
            Some(baseline) => encoder
                .packet(&between(header, &baseline, &state), &mut bytes)
                .map_err(|error| of_tick(&error))?,
            None => encoder
                .full(&state, &mut bytes)
                .map_err(|error| of_tick(&error))?,
        }
        sink(&Packet {
            bytes: &bytes,
            ..packet
        })?;
        count += 1;
    }
    if let Some(problem) = packets.problem() {
        return Err(CaptureError::from(problem).into());
    }
    Ok(Migrated {
        packets: count,
        losses: migration.losses().iter().map(ToString::to_string).collect(),
    })
}

/// The exact delta from one state to another; thresholds are ignored.
fn between(header: Header, old: &Snapshot, new: &Snapshot) -> gametape_delta::Packet {
    let [mut destroyed, mut created, mut updated] = [Vec::new(), Vec::new(), Vec::new()];
    for (was, is) in beside(old, new) {
        if let (Some(was), Some(is)) = (was, is)
            && same_components(&was, &is)
        {
            let components = changed(&was, &is);
            if !components.is_empty() {
                let id = is.id();
                updated.push(EntityChange { id, components });
            }
            continue;
        }
        destroyed.extend(was.map(|was| EntityChange {
            id: was.id(),
            components: Vec::new(),
        }));
        created.extend(is.map(|is| EntityChange {
            id: is.id(),
            components: is.components().map(|part| whole(&part)).collect(),
        }));
    }
    let sections = [
        (Tag::Destroy, destroyed),
        (Tag::Create, created),
        (Tag::Update, updated),
    ];
    gametape_delta::Packet {
        header,
        sections: sections
            .into_iter()
            .filter(|(_, entities)| !entities.is_empty())
            .map(|(tag, entities)| Section { tag, entities })
            .collect(),
    }
}

fn same_components(a: &Entity<'_>, b: &Entity<'_>) -> bool {
    a.components()
        .map(|part| part.id())
        .eq(b.components().map(|part| part.id()))
}

fn whole(part: &Part<'_>) -> ComponentChange {
    let fields = part.definition().fields.iter();
    ComponentChange {
        id: part.id(),
        fields: fields.map(|field| field.id).zip(part.values()).collect(),
    }
}

fn changed(was: &Entity<'_>, is: &Entity<'_>) -> Vec<ComponentChange> {
    let both = was.components().zip(is.components());
    both.filter_map(|(was, is)| {
        let mut change = whole(&is);
        let mut old = was.values();
        change
            .fields
            .retain(|(_, value)| old.next() != Some(*value));
        (!change.fields.is_empty()).then_some(change)
    })
    .collect()
}
