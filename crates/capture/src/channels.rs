//! The channels of a capture: those for packets, and those of other programs.

use std::collections::BTreeMap;

use crate::container::ChannelRecord;
use crate::layout::Role;

/// The channels that a capture defines.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Channels {
    roles: BTreeMap<u16, Role>,
    /// The topics of channels of other programs.
    foreign: BTreeMap<u16, String>,
}

impl Channels {
    pub const fn new(roles: BTreeMap<u16, Role>, foreign: BTreeMap<u16, String>) -> Self {
        Self { roles, foreign }
    }

    /// Adds a channel; a later definition of the same number counts.
    pub fn define(&mut self, channel: ChannelRecord<'_>) {
        if let Some(role) = Role::of_topic(channel.topic) {
            self.foreign.remove(&channel.id);
            self.roles.insert(channel.id, role);
        } else {
            self.roles.remove(&channel.id);
            self.foreign.insert(channel.id, channel.topic.to_owned());
        }
    }

    /// Adds the channels of `others`, whose definitions count.
    pub fn extend(&mut self, others: Self) {
        for (id, role) in others.roles {
            self.foreign.remove(&id);
            self.roles.insert(id, role);
        }
        for (id, topic) in others.foreign {
            self.roles.remove(&id);
            self.foreign.insert(id, topic);
        }
    }

    /// Assumes that channels which are not defined have the numbers of our writer.
    pub fn assume_ours(&mut self) {
        for (id, role) in Role::NUMBERED {
            if !self.foreign.contains_key(&id) {
                self.roles.entry(id).or_insert(role);
            }
        }
    }

    /// True if no channel for packets is defined.
    pub fn is_without_roles(&self) -> bool {
        self.roles.is_empty()
    }

    /// Whether a channel has this role.
    pub fn has(&self, role: Role) -> bool {
        self.roles.values().any(|other| *other == role)
    }

    pub fn role(&self, id: u16) -> Option<Role> {
        self.roles.get(&id).copied()
    }

    /// Whether any channel is of another program.
    pub fn has_foreign(&self) -> bool {
        !self.foreign.is_empty()
    }

    /// The topic of a channel of another program.
    pub fn foreign(&self, id: u16) -> Option<&str> {
        self.foreign.get(&id).map(String::as_str)
    }
}
