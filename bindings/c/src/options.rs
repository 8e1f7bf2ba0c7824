//! Limits, modes and audiences of sessions.

use gametape_delta as delta;

use crate::error::Fault;

/// Limits of packets and states. Both sides need the same. A limit of 0 is the default one.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Limits {
    /// Bytes in a packet with its header; 65,536.
    pub packet_bytes: usize,
    /// Sections in a packet; 16.
    pub sections: usize,
    /// Bytes in a section; 32,768.
    pub section_bytes: usize,
    /// Entities that a packet creates; 1,024.
    pub creates: usize,
    /// Entities that a packet updates; 2,048.
    pub updates: usize,
    /// Entities that a packet destroys; 1,024.
    pub destroys: usize,
    /// Entities in a state; 4,096.
    pub entities: usize,
}

impl Limits {
    pub(crate) fn get(self) -> delta::Limits {
        let or = |limit, default| if limit == 0 { default } else { limit };
        let default = delta::Limits::DEFAULT;
        delta::Limits {
            max_packet_bytes: or(self.packet_bytes, default.max_packet_bytes),
            max_sections: or(self.sections, default.max_sections),
            max_section_bytes: or(self.section_bytes, default.max_section_bytes),
            max_entities_create: or(self.creates, default.max_entities_create),
            max_entities_update: or(self.updates, default.max_entities_update),
            max_entities_destroy: or(self.destroys, default.max_entities_destroy),
            max_entities: or(self.entities, default.max_entities),
            ..default
        }
    }
}

/// The states that deltas build on. Both sides need the same; no packet says it.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// All that has arrived: a lost packet costs only its own content.
    Merged = 0,
    /// The newest packet that was sent: any strict decoder can follow, as taps and recorders have to.
    Strict = 1,
}

/// A mode as C gives it: it may be any number.
pub(crate) fn mode(number: u32) -> Result<delta::Mode, Fault> {
    match number {
        n if n == Mode::Merged as u32 => Ok(delta::Mode::Merged),
        n if n == Mode::Strict as u32 => Ok(delta::Mode::Strict),
        other => Err(Fault::Mode(other)),
    }
}

/// As whom a receiver sees an entity, from the least rights to the most.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    /// Everybody, if nothing else is said.
    All = 0,
    /// The owner's team.
    Team = 1,
    /// The owner.
    Owner = 2,
}

/// An audience as C gives it.
pub(crate) fn audience(number: u32) -> Result<delta::Audience, Fault> {
    match number {
        n if n == Audience::All as u32 => Ok(delta::Audience::All),
        n if n == Audience::Team as u32 => Ok(delta::Audience::Team),
        n if n == Audience::Owner as u32 => Ok(delta::Audience::Owner),
        other => Err(Fault::Audience(other)),
    }
}
