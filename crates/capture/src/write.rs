//! Recording packets into a capture.

use std::collections::BTreeMap;
use std::io::Write;
use std::mem;

use gametape_core::Clocks;
use gametape_delta::wire::Header;
use gametape_delta::{
    Decoder, EncodeError, Encoder, Error, Limits, Rule, Schema, Snapshot, settle,
};
use mcap::records::{MessageHeader, Metadata};
use mcap::write::NoSeek;
use mcap::{Compression, WriteOptions};

use crate::error::CaptureError;
use crate::layout::{
    BESIDE_ENCODING, DEFAULT_TICK_NS, KEY_CLOCKS, KEY_CONTENT, KEY_LOG_TICK, KEY_SCHEMA,
    KEY_SCHEMA_HASH, KEY_TABLES, KEY_TICK, MESSAGE_ENCODING, METADATA, PROFILE, RISES_METADATA,
    Role, SCHEMA_ENCODING, SCHEMA_NAME, TABLES_METADATA, VIEW, clock_names,
};
use crate::limits::{MAX_PACKET_BYTES, decoder};
use crate::packets::{Packet, Times};
use crate::replay::Replay;

/// The result of recording a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pushed {
    /// The tick in the packet's header.
    pub tick: u32,
    /// True if a full snapshot of this tick was added after it.
    pub keyframe_added: bool,
    /// Why the packet could not be applied, if that was tried. It is recorded nevertheless; if no
    /// earlier packet is missing, the packet is broken.
    pub problem: Option<Error>,
}

/// Writes a capture, packet by packet.
///
/// If the program is killed at any time, all complete chunks of the file can be read. Memory is
/// bounded by one chunk and, if full snapshots are added, by the states on which deltas may build.
pub struct Writer<W: Write> {
    mcap: mcap::Writer<NoSeek<W>>,
    decoder: Decoder,
    schema_id: u16,
    /// The roles whose channel is defined.
    defined: Vec<Role>,
    log_tick_ns: u64,
    /// The tick of the last packet.
    last: Option<u32>,
    index: u64,
    adding: Option<Adding>,
    states: Option<Box<States>>,
    rises: Clocks,
}

/// The description of the tables from which a capture is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfTables<'a> {
    /// The description as JSON.
    pub tables: &'a str,
    /// The unit of log times in nanoseconds, if the length of a tick is not known.
    pub log_tick_ns: Option<u64>,
    /// The clocks of the packets that are known to rise only.
    pub rises: Clocks,
}

/// The state for adding full snapshots.
struct Adding {
    every: u32,
    replay: Replay,
    encoder: Encoder,
    packet: Vec<u8>,
    /// For each tick on which deltas may build, the tick of the full snapshot to which its state
    /// goes back.
    starts: BTreeMap<u32, u32>,
}

/// More than the number of states that are kept.
const MAX_STARTS: usize = 1024;

impl<W: Write> Writer<W> {
    /// Starts a capture of packets of this schema.
    ///
    /// # Errors
    /// [`CaptureError::Option`] if an option is out of range; [`CaptureError::Io`].
    pub fn new(output: W, schema: &Schema, options: Options) -> Result<Self, CaptureError> {
        Self::of_tables(output, schema, options, None)
    }

    /// Starts a capture that is made from the tables of another recording.
    pub(crate) fn of_tables(
        output: W,
        schema: &Schema,
        options: Options,
        of: Option<OfTables<'_>>,
    ) -> Result<Self, CaptureError> {
        options.check()?;
        let log_tick_ns = of.and_then(|of| of.log_tick_ns).or(options.tick_ns);
        let log_tick_ns = log_tick_ns.map_or(DEFAULT_TICK_NS, |ns| ns.clamp(1, MAX_TICK_NS));
        let mut mcap = WriteOptions::new()
            .compression(Some(Compression::Zstd))
            .compression_threads(0)
            .profile(PROFILE)
            .library(concat!("gametape/", env!("CARGO_PKG_VERSION")))
            .chunk_size(Some(options.chunk_bytes))
            // A chunk is written completely or not at all.
            .disable_seeking(true)
            .create(NoSeek::new(output))?;
        let json = serde_json::to_string(schema)
            .map_err(|error| CaptureError::Write(error.to_string()))?;
        let mut facts = BTreeMap::from([
            (KEY_LOG_TICK.to_owned(), log_tick_ns.to_string()),
            (
                KEY_SCHEMA_HASH.to_owned(),
                format!("{:016x}", schema.hash()),
            ),
            (KEY_SCHEMA.to_owned(), json.clone()),
        ]);
        if let Some(tick_ns) = options.tick_ns {
            facts.insert(KEY_TICK.to_owned(), tick_ns.to_string());
        }
        if options.view {
            facts.insert(KEY_CONTENT.to_owned(), VIEW.to_owned());
        }
        mcap.write_metadata(&Metadata {
            name: METADATA.to_owned(),
            metadata: facts,
        })?;
        if let Some(of) = of {
            mcap.write_metadata(&Metadata {
                name: TABLES_METADATA.to_owned(),
                metadata: BTreeMap::from([(KEY_TABLES.to_owned(), of.tables.to_owned())]),
            })?;
        }
        let id = mcap.add_schema(SCHEMA_NAME, SCHEMA_ENCODING, json.as_bytes())?;
        let mut writer = Self {
            mcap,
            decoder: decoder(schema),
            schema_id: id,
            defined: Vec::new(),
            log_tick_ns,
            last: None,
            index: 0,
            adding: options.keyframe_every.map(|every| Adding {
                every,
                replay: Replay::live(schema),
                encoder: Encoder::new(schema).limits(Limits::NONE),
                packet: Vec::new(),
                starts: BTreeMap::new(),
            }),
            states: None,
            rises: of.map_or(Clocks::STEPS, |of| of.rises),
        };
        // Channels are defined in the first chunk, where readers look for them if there is no
        // index.
        writer.define(Role::Keyframe)?;
        writer.define(Role::Delta)?;
        if writer.adding.is_some() || of.is_some() {
            writer.define(Role::Added)?;
        }
        if of.is_some() {
            writer.define(Role::Labels)?;
            writer.define(Role::Events)?;
        }
        Ok(writer)
    }

    /// Records a packet, byte for byte, without a time of arrival.
    ///
    /// # Errors
    /// As [`Writer::push_at`].
    pub fn push(&mut self, packet: &[u8]) -> Result<Pushed, CaptureError> {
        self.push_timed(packet, None)
    }

    /// Records a packet, byte for byte, that arrived at `time`, in nanoseconds since 1970.
    ///
    /// # Errors
    /// [`CaptureError::BadPacket`] if it is not a packet of this schema;
    /// [`CaptureError::TickOrder`] if it is not after the last one (a full snapshot may have the
    /// last one's tick); [`CaptureError::PacketTooLarge`]. In these cases the packet is not
    /// recorded, and further packets can be. [`CaptureError::Io`] and [`CaptureError::Write`] are
    /// final.
    pub fn push_at(&mut self, packet: &[u8], time: u64) -> Result<Pushed, CaptureError> {
        self.push_timed(packet, Some(time))
    }

    /// Records a state: the first one as a full snapshot, each other one as a delta to the one
    /// before.
    ///
    /// Use it for sources without packets of their own, and for the states that a receiver sees
    /// ([`Receiver::view`](gametape_delta::Receiver::view)). Values within their thresholds keep
    /// their old value.
    ///
    /// # Errors
    /// [`CaptureError::TickOrder`] for a state that is not after the last one;
    /// [`CaptureError::BadPacket`] for a state of another schema; otherwise as [`Writer::push_at`].
    pub fn push_state(
        &mut self,
        state: &Snapshot,
        time: Option<u64>,
    ) -> Result<Pushed, CaptureError> {
        let schema = self.decoder.schema();
        let states = self.states.take();
        let mut states = states.unwrap_or_else(|| Box::new(States::new(schema)));
        let pushed = states
            .encode(state)
            .and_then(|packet| self.push_timed(packet, time));
        if pushed.is_ok() {
            states.advance();
        }
        self.states = Some(states);
        pushed
    }

    /// [`Writer::push_at`] if the time is known, otherwise [`Writer::push`].
    ///
    /// # Errors
    /// As [`Writer::push_at`].
    pub fn push_timed(&mut self, packet: &[u8], time: Option<u64>) -> Result<Pushed, CaptureError> {
        check_size(packet)?;
        let header = self
            .decoder
            .header(packet)
            .map_err(CaptureError::BadPacket)?;
        let full = header.baseline().is_none();
        if let Some(last) = self.last
            && (header.tick < last || (header.tick == last && !full))
        {
            let tick = header.tick;
            return Err(CaptureError::TickOrder { tick, last });
        }
        let role = if full { Role::Keyframe } else { Role::Delta };
        let times = self.write(role, header.tick, time, packet)?;
        self.last = Some(header.tick);
        let index = self.index;
        self.index += 1;
        let mut pushed = Pushed {
            tick: header.tick,
            keyframe_added: false,
            problem: None,
        };
        let Some(mut adding) = self.adding.take() else {
            return Ok(pushed);
        };
        let packet = Packet {
            bytes: packet,
            index,
            offset: 0,
            role,
            times: Some(times),
        };
        let added = adding.follow(&packet, &header);
        let result = match added {
            Ok(true) => {
                pushed.keyframe_added = true;
                self.write(Role::Added, header.tick, time, &adding.packet)
                    .map(|_| ())
            }
            Ok(false) => Ok(()),
            Err(error) => {
                pushed.problem = Some(error);
                Ok(())
            }
        };
        self.adding = Some(adding);
        result.map(|()| pushed)
    }

    /// Records a full snapshot that another recorder added; its state must be that of its tick.
    ///
    /// # Errors
    /// [`CaptureError::Io`] and [`CaptureError::Write`].
    pub fn push_added(
        &mut self,
        tick: u32,
        packet: &[u8],
        time: Option<u64>,
    ) -> Result<(), CaptureError> {
        self.write(Role::Added, tick, time, packet).map(|_| ())
    }

    /// Records a message other than a packet, with this tick.
    ///
    /// # Errors
    /// [`CaptureError::PacketTooLarge`]; [`CaptureError::Io`] and [`CaptureError::Write`].
    #[cfg(feature = "tape")]
    pub(crate) fn push_beside(
        &mut self,
        role: Role,
        tick: u32,
        time: Option<u64>,
        message: &[u8],
    ) -> Result<(), CaptureError> {
        check_size(message)?;
        self.write(role, tick, time, message).map(|_| ())
    }

    /// Notes which clocks have only risen from packet to packet.
    #[cfg(feature = "tape")]
    pub(crate) const fn note_rises(&mut self, rises: Clocks) {
        self.rises = rises;
    }

    /// Ends the current chunk and writes it to the output.
    ///
    /// # Errors
    /// [`CaptureError::Io`].
    pub fn flush(&mut self) -> Result<(), CaptureError> {
        Ok(self.mcap.flush()?)
    }

    /// Writes the index and returns the output.
    ///
    /// # Errors
    /// [`CaptureError::Io`].
    pub fn finish(mut self) -> Result<W, CaptureError> {
        if self.rises != Clocks::STEPS {
            self.mcap.write_metadata(&Metadata {
                name: RISES_METADATA.to_owned(),
                metadata: BTreeMap::from([(KEY_CLOCKS.to_owned(), clock_names(self.rises))]),
            })?;
        }
        self.mcap.finish()?;
        let mut output = self.mcap.into_inner().into_inner();
        output.flush()?;
        Ok(output)
    }

    /// Defines the channel of a role, if it is not defined yet. The channel of added snapshots may
    /// be defined late.
    ///
    /// # Errors
    /// [`CaptureError::Io`] and [`CaptureError::Write`].
    pub fn define(&mut self, role: Role) -> Result<(), CaptureError> {
        if self.defined.contains(&role) {
            return Ok(());
        }
        let (schema, encoding) = if role.is_beside() {
            // Without a schema.
            (0, BESIDE_ENCODING)
        } else {
            (self.schema_id, MESSAGE_ENCODING)
        };
        self.mcap.add_channel_with_id(
            role.number(),
            schema,
            role.topic(),
            encoding,
            &BTreeMap::new(),
        )?;
        self.defined.push(role);
        Ok(())
    }

    fn write(
        &mut self,
        role: Role,
        tick: u32,
        time: Option<u64>,
        packet: &[u8],
    ) -> Result<Times, CaptureError> {
        let log_time = u64::from(tick) * self.log_tick_ns;
        let times = Times {
            sequence: tick,
            log_time,
            publish_time: time.unwrap_or(log_time),
        };
        self.define(role)?;
        let header = MessageHeader {
            channel_id: role.number(),
            sequence: times.sequence,
            log_time,
            publish_time: times.publish_time,
        };
        self.mcap.write_to_known_channel(&header, packet)?;
        Ok(times)
    }
}

impl Adding {
    /// Follows the stream; returns true if `packet` now contains a full snapshot to be added.
    fn follow(&mut self, packet: &Packet<'_>, header: &Header) -> Result<bool, Error> {
        let state = self
            .replay
            .apply(packet)
            .map_err(|error| match error.rule() {
                Some(crate::rule::Rule::Wire(source)) => *source,
                _ => Error {
                    rule: Rule::BaselineMissing {
                        baseline: header.baseline().unwrap_or_default(),
                    },
                    offset: 20,
                },
            })?;
        let tick = header.tick;
        let start = match header.baseline() {
            None => Some(tick),
            Some(baseline) => self.starts.get(&baseline).copied(),
        };
        let due = start.is_none_or(|start| tick.saturating_sub(start) >= self.every);
        // An added snapshot must be within the readers' limits; otherwise it would be of no use.
        let added = due
            && self.encoder.full(state, &mut self.packet).is_ok()
            && self.packet.len() <= MAX_PACKET_BYTES;
        let start = if added { Some(tick) } else { start };
        self.starts.extend(start.map(|start| (tick, start)));
        if self.starts.len() > MAX_STARTS {
            self.starts.pop_first();
        }
        Ok(added)
    }
}

/// # Errors
/// [`CaptureError::PacketTooLarge`].
pub(crate) const fn check_size(packet: &[u8]) -> Result<(), CaptureError> {
    if packet.len() > MAX_PACKET_BYTES {
        return Err(CaptureError::PacketTooLarge {
            bytes: packet.len() as u64,
            limit: MAX_PACKET_BYTES as u64,
        });
    }
    Ok(())
}

/// The buffers for encoding states.
pub(crate) struct States {
    encoder: Encoder,
    /// The state that a reader has after the last packet.
    held: Option<Snapshot>,
    next: Snapshot,
    packet: Vec<u8>,
}

impl States {
    pub fn new(schema: &Schema) -> Self {
        Self {
            encoder: Encoder::new(schema).limits(Limits::NONE),
            held: None,
            next: Snapshot::new(schema, 0),
            packet: Vec::new(),
        }
    }

    /// Encodes a state as a packet. Values within their thresholds keep their old value.
    ///
    /// # Errors
    /// [`CaptureError::TickOrder`]; [`CaptureError::BadPacket`] for a state of another schema;
    /// [`CaptureError::Write`].
    pub fn encode(&mut self, state: &Snapshot) -> Result<&[u8], CaptureError> {
        self.next.clone_from(state);
        let encoded = match &self.held {
            Some(held) if held.tick() > 0 => {
                settle(held, &mut self.next);
                self.encoder.delta(held, &self.next, &mut self.packet)
            }
            _ => self.encoder.full(&self.next, &mut self.packet),
        };
        match encoded {
            Ok(()) => Ok(&self.packet),
            Err(EncodeError::TickOrder { tick, baseline }) => Err(CaptureError::TickOrder {
                tick,
                last: baseline,
            }),
            Err(EncodeError::Schema { expected, found }) => Err(CaptureError::BadPacket(Error {
                rule: Rule::SchemaHash { expected, found },
                offset: 8,
            })),
            Err(error) => Err(CaptureError::Write(error.to_string())),
        }
    }

    /// Makes the encoded state the one that readers have.
    pub fn advance(&mut self) {
        let schema = self.next.schema().clone();
        let held = self.held.get_or_insert_with(|| Snapshot::new(&schema, 0));
        mem::swap(held, &mut self.next);
    }
}

/// The longest tick in nanoseconds: log times are 64-bit numbers.
pub(crate) const MAX_TICK_NS: u64 = u64::MAX / (u32::MAX as u64);

/// The largest allowed target size of a chunk. Together with the largest packet, the chunk stays
/// within the readers' limits.
const MAX_CHUNK_BYTES: u64 = 64 << 20;

/// Options for writing a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The length of a tick in nanoseconds, if it is known.
    pub tick_ns: Option<u64>,
    /// The target size of a chunk before compression, in bytes. This is the most that is lost when
    /// the recorder is killed, and the least that is unpacked to seek.
    pub chunk_bytes: u64,
    /// The most ticks over which a state is built. If the deltas that lead to a state go back
    /// further, the writer adds a full snapshot, so that seeking never starts far away. To do this,
    /// it decodes packets as they come. A stream whose deltas build on states of `n` ticks ago
    /// consists of `n` independent chains, and needs `n` times as many added snapshots.
    pub keyframe_every: Option<u32>,
    /// Whether the states are the view of a receiver, each coded on the one before. Otherwise the
    /// packets are those of a wire, or are made from another recording.
    pub view: bool,
}

impl Default for Options {
    /// Chunks of 64 KiB, ticks of unknown length, no added snapshots.
    fn default() -> Self {
        Self {
            tick_ns: None,
            chunk_bytes: 1 << 16,
            keyframe_every: None,
            view: false,
        }
    }
}

impl Options {
    /// Refuses options that are out of range.
    pub(crate) fn check(&self) -> Result<(), CaptureError> {
        match self.tick_ns {
            Some(0) => return Err(CaptureError::Option("a tick takes longer than 0 ns".into())),
            Some(ns) if ns > MAX_TICK_NS => {
                return Err(CaptureError::Option(format!(
                    "a tick of {ns} ns is too long: {MAX_TICK_NS} ns is the most, so that times have 64 bits"
                )));
            }
            _ => {}
        }
        if self.chunk_bytes > MAX_CHUNK_BYTES {
            return Err(CaptureError::Option(format!(
                "chunks of {} bytes, {MAX_CHUNK_BYTES} is the most",
                self.chunk_bytes
            )));
        }
        if self.keyframe_every == Some(0) {
            return Err(CaptureError::Option(
                "a full snapshot every 0 ticks: 1 is the least".into(),
            ));
        }
        Ok(())
    }
}
