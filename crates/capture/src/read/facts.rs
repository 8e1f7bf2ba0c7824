//! The facts that a capture declares: schema, channels, the length of a tick.

use std::collections::BTreeMap;

use gametape_delta::Schema;
use gametape_delta::wire::Header;
use mcap::records::op;

use crate::container::{
    ChannelRecord, Extent, Fields, Inside, Leading, SchemaRecord, inside, messages, unpack,
};
use crate::layout::{
    DEFAULT_TICK_NS, KEY_CONTENT, KEY_LOG_TICK, KEY_SCHEMA, KEY_SCHEMA_HASH, KEY_TABLES, KEY_TICK,
    METADATA, Role, SCHEMA_NAME, TABLES_METADATA, VIEW,
};
use crate::limits::Limits;
use crate::ranges::{Ranges, Window};
use crate::rule::{CaptureRule, Error, fault};
use crate::write::MAX_TICK_NS;

/// Schema and channels, as defined in a chunk.
pub(crate) struct Described {
    pub channels: Channels,
    pub schema: Option<Vec<u8>>,
}

pub(crate) fn describe(
    ranges: Ranges<'_>,
    extent: Extent,
    limits: &Limits,
) -> Result<Described, Error> {
    let mut described = Described {
        channels: Channels::default(),
        schema: None,
    };
    let mut unpacked = Vec::new();
    unpack(&mut Window::exact(ranges), extent, limits, &mut unpacked)?;
    let mut at = 0;
    while let Some((found, end)) = inside(&unpacked, at, extent.at)? {
        match found {
            Inside::Schema(SchemaRecord { name, data }) if name == SCHEMA_NAME => {
                described.schema = Some(data.to_vec());
            }
            Inside::Channel(channel) => described.channels.define(channel),
            _ => {}
        }
        at = end;
    }
    Ok(described)
}

/// Reads a schema in the JSON form that captures use.
///
/// # Errors
/// [`CaptureRule::Schema`].
pub fn read_schema(json: &[u8]) -> Result<Schema, Error> {
    serde_json::from_slice(json).map_err(|error| {
        let reason = error.to_string();
        CaptureRule::Schema { reason }.whole()
    })
}

/// The facts in the metadata of a capture.
pub(crate) struct Facts {
    /// The schema, or the reason why it cannot be read. The capture also has it elsewhere.
    pub schema: Option<Result<Schema, Error>>,
    pub tick_ns: Option<u64>,
    pub log_tick_ns: u64,
    /// False if the metadata record with these facts is missing.
    pub there: bool,
    /// Whether it holds the view of a receiver.
    pub view: bool,
    /// The description of the tables from which the capture was made; it has a metadata record of
    /// its own.
    pub tables: Option<String>,
}

impl Facts {
    pub fn read(window: &mut Window<'_>) -> Result<Self, Error> {
        let mut facts = Self {
            schema: None,
            tick_ns: None,
            log_tick_ns: DEFAULT_TICK_NS,
            there: false,
            view: false,
            tables: None,
        };
        let mut leading = Leading::new();
        while let Some(record) = leading.next(window)? {
            if record.op != op::METADATA {
                continue;
            }
            let mut fields = Fields(window.content_of(&record)?);
            let name = fields.text().ok_or_else(|| record.damaged())?;
            if name == METADATA {
                let map = fields.texts().ok_or_else(|| record.damaged())?;
                facts.take(&map)?;
            } else if name == TABLES_METADATA {
                let map = fields.texts().ok_or_else(|| record.damaged())?;
                facts.tables = map.get(KEY_TABLES).map(|json| (*json).to_owned());
            }
        }
        Ok(facts)
    }

    fn take(&mut self, map: &BTreeMap<&str, &str>) -> Result<(), Error> {
        let number = |key: &'static str| {
            let Some(value) = map.get(key) else {
                return Ok(None);
            };
            let ns = value.parse::<u64>().ok().filter(|ns| *ns > 0);
            ns.map(Some).ok_or_else(|| {
                let value = (*value).to_owned();
                CaptureRule::Metadata { key, value }.whole()
            })
        };
        self.there = true;
        self.view = map.get(KEY_CONTENT) == Some(&VIEW);
        self.tick_ns = number(KEY_TICK)?;
        self.log_tick_ns = number(KEY_LOG_TICK)?
            .or(self.tick_ns)
            .unwrap_or(DEFAULT_TICK_NS);
        let hash = map.get(KEY_SCHEMA_HASH);
        let schema = map.get(KEY_SCHEMA).map(|json| {
            let schema = read_schema(json.as_bytes())?;
            let found = format!("{:016x}", schema.hash());
            match hash {
                Some(hash) if *hash != found => {
                    let recorded = (*hash).to_owned();
                    Err(CaptureRule::SchemaHash { found, recorded }.whole())
                }
                _ => Ok(schema),
            }
        });
        self.schema = schema.or(self.schema.take());
        Ok(())
    }
}

/// The length of a tick, or the unit of log times, that the messages of the first chunk tell: most of
/// their log times are their ticks, multiplied by it. The audit compares it with all others.
pub(crate) fn tick_by_times(
    ranges: Ranges<'_>,
    extents: impl Iterator<Item = Extent>,
    limits: &Limits,
    channels: &Channels,
) -> Result<Option<u64>, Error> {
    let mut unpacked = Vec::new();
    let mut window = Window::exact(ranges);
    let mut votes = Votes::default();
    for extent in extents {
        if let Err(error) = unpack(&mut window, extent, limits, &mut unpacked) {
            fault(error)?;
            continue;
        }
        for (_, message) in messages(&unpacked, 0, extent.at).map_while(Result::ok) {
            let role = channels.role(message.channel);
            if role.is_some_and(Role::is_of_stream)
                && let Ok((header, _)) = Header::read(message.data)
            {
                votes.add(header.tick, message.log_time);
            }
        }
        // A run without messages may come first.
        if votes.all > 0 {
            break;
        }
    }
    Ok(votes.winner())
}

/// The lengths of a tick that messages tell.
#[derive(Default)]
struct Votes {
    all: u64,
    by_length: BTreeMap<u64, u64>,
}

impl Votes {
    fn add(&mut self, tick: u32, log_time: u64) {
        let tick = u64::from(tick);
        // Tick 0 has time 0 at any rate.
        if tick == 0 {
            return;
        }
        self.all += 1;
        if log_time > 0 && log_time.is_multiple_of(tick) {
            *self.by_length.entry(log_time / tick).or_default() += 1;
        }
    }

    fn winner(&self) -> Option<u64> {
        let most = self.by_length.iter().max_by_key(|(_, votes)| **votes)?;
        let (length, votes) = most;
        (*votes * 2 > self.all && *length <= MAX_TICK_NS).then_some(*length)
    }
}

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
