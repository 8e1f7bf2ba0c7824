//! The rules of a recording of packets: the wire's own rules for its packets, and the rules of the
//! recording around them.

use core::fmt;

use gametape_core::text::{Bytes, Counted, Crc32, Grouped};
use gametape_core::{Class, Datum, RuleInfo, Severity, ToDatum as _};
use gametape_delta as delta;
use gametape_delta::wire::HEADER_BYTES;

/// The name of the part that the checksum at the end of the data covers.
pub(crate) const DATA_SECTION: &str = "data section";

gametape_core::rules! {
    /// The rules of a recording, apart from those of its packets.
    pub enum CaptureRule: "packet";

    /// There is no packet.
    ///
    /// Nothing was recorded, or everything is lost.
    #[error("there are no packets: nothing was recorded, or nothing is left")]
    DeltaEmpty = "delta.empty", Warning;
    /// Bytes between two packets, or after the last, are not a packet.
    ///
    /// The file was cut or damaged there; `repair` keeps what can be applied.
    #[error("{} are no packet: {}", Bytes(*.bytes), next_packet(*.next))]
    LostSync { bytes: u64, next: Option<u64> } = "delta.lost-sync", Error;
    /// In a folder: the name of a file has another tick or baseline than its packet.
    ///
    /// The packet counts; rename the file.
    #[error("{name} holds {}, its name says {}", described(*.tick, *.baseline), described(*.named_tick, *.named_baseline))]
    FileName { name: String, tick: u32, baseline: Option<u32>, named_tick: u32, named_baseline: Option<u32> } = "delta.file-name", Warning;
    /// In a folder: a file is longer or shorter than its packet.
    ///
    /// The file was cut, or has two packets.
    #[error("{name} has {}, its packet {}", Bytes(*.bytes), Grouped(*.packet))]
    FileSize { name: String, bytes: u64, packet: u64 } = "delta.file-size", Warning;
    /// In a folder: a file is too short for any packet.
    ///
    /// The file was cut.
    #[error("{name} has {}, a packet has {HEADER_BYTES} or more", Bytes(*.bytes))]
    FileShort { name: String, bytes: u64 } = "delta.file-size", Warning;
    /// The packet builds on the state of a tick that is not recorded before it.
    ///
    /// A packet before it is missing.
    #[error("it builds on tick {}, which is not recorded before it", Grouped((*.baseline).into()))]
    NotRecorded { baseline: u32 } = "delta.baseline-missing", Error;
    /// Packets build on packets that could not be applied.
    ///
    /// Look at the first packet that could not be applied.
    #[error("{}, the last of tick {}, {} on packets that could not be applied", Counted(*.packets, "packet"), Grouped((*.last_tick).into()), if *.packets == 1 { "builds" } else { "build" })]
    NotApplied { packets: u64, last_tick: u32 } = "delta.not-applied", Error;
    /// A packet whose tick is not after that of the previous one; a full snapshot may have the same tick.
    ///
    /// Recorded from two streams, or out of order. `repair` drops it.
    #[error("a packet of tick {} comes after tick {}", Grouped((*.tick).into()), Grouped((*.last).into()))]
    TickOrder { tick: u32, last: u32 } = "capture.tick-order", Error;
    /// A packet has a tick that is far from those around it, which tell the right one.
    ///
    /// Damaged, as by one flipped bit. The packet is used with the right tick; `repair` writes that.
    #[error("its tick is {}, far from those of the packets around it: by these it is tick {}", Grouped((*.tick).into()), Grouped((*.meant).into()))]
    WildTick { tick: u32, meant: u32 } = "capture.wild-tick", Error;
    /// There is no packet.
    ///
    /// Nothing was recorded, or everything is lost.
    #[error("there are no packets: nothing was recorded, or nothing is left")]
    CaptureEmpty = "capture.empty", Warning;
    /// The file does not start as an MCAP file does, or contains bare packets under the name of a capture.
    ///
    /// It is not a capture, in spite of its name.
    #[error("the file does not start as an MCAP file does")]
    NotMcap = "capture.magic", Error;
    /// Bare packets under the name of a capture.
    ///
    /// Name it `.delta`.
    #[error("not an MCAP file, but bare packets: rename it to .delta, and put their schema beside it, to read it")]
    BarePackets = "capture.magic", Error;
    /// An MCAP file of another profile.
    ///
    /// A recording of another program: `mcap info` lists it.
    #[error("an MCAP file, but not a capture: its profile is {profile:?}, that of captures is \"gametape\"")]
    Foreign { profile: String } = "capture.foreign", Error;
    /// The file ends inside a record, or is damaged there.
    ///
    /// Its recorder was killed, or the disk was full: `repair` keeps the whole chunks.
    #[error("the file ends inside its {what}")]
    Truncated { what: &'static str } = "capture.truncated", Error, Truncated;
    /// The file ends inside a record, or is damaged there.
    ///
    /// As before.
    #[error("the file ends inside a record, or is damaged here: {} are not of a whole chunk{}", Bytes(*.bytes), of_which_zero(*.zeros))]
    Cut { bytes: u64, zeros: u64 } = "capture.truncated", Error, Truncated;
    /// Another capture begins where the first one ends.
    ///
    /// Two files were put together, as `cat` does. Only the first is read; `repair` writes each to a file of its own.
    #[error("another capture begins at byte {}, and is not read: gametape repair writes each to a file of its own", Grouped(*.next))]
    Joined { next: u64 } = "capture.joined", Error;
    /// Zeros follow the end of the capture.
    ///
    /// The disk or the power failed while the file grew. `repair` leaves them out.
    #[error("{} after the end of the capture {} zero", Bytes(*.bytes), if *.bytes == 1 { "is" } else { "are" })]
    ZerosAfter { bytes: u64 } = "capture.after-end", Warning;
    /// Bytes that are not of a capture follow its end.
    ///
    /// Something was appended to the file. `repair` leaves it out.
    #[error("{} after the end of the capture {} no capture", Bytes(*.bytes), if *.bytes == 1 { "is" } else { "are" })]
    BytesAfter { bytes: u64 } = "capture.after-end", Warning;
    /// The file ends between two records, without an index.
    ///
    /// Its recorder was killed. Nothing is missing; `repair` writes the index.
    #[error("the capture has no index: its recorder was stopped. All packets can be read; gametape repair writes an index")]
    NoSummary = "capture.no-summary", Warning;
    /// A record breaks the rules of MCAP, or can only be found by the index.
    ///
    /// Damaged: `repair` keeps the whole chunks.
    #[error("the {what} record is damaged")]
    Record { what: &'static str } = "capture.record", Error;
    /// The next record can't be found from this one.
    ///
    /// As before.
    #[error("the records after this place can only be found by the index")]
    IndexAlone = "capture.record", Error;
    /// The summary is not where the data ends.
    ///
    /// As before.
    #[error("the data section ends at byte {}, the summary starts at byte {}", Grouped(*.data_end), Grouped(*.summary))]
    SummaryStart { data_end: u64, summary: u64 } = "capture.record", Error;
    /// The checksum of a chunk, of the data or of the summary is wrong.
    ///
    /// Damaged. The packets of such a chunk are not read.
    #[error("the checksum of the {what} is {found}, {recorded} is recorded")]
    Crc { what: &'static str, recorded: Crc32, found: Crc32 } = "capture.crc", Error;
    /// A chunk can't be unpacked, or does not have the size that it claims.
    ///
    /// As before. `reason` is the text of the library that unpacks.
    #[error("the chunk can't be unpacked: {reason}")]
    Unpack { reason: String } = "capture.unpack", Error;
    /// A chunk contains more or fewer bytes than it claims.
    ///
    /// As before.
    #[error("the chunk can't be unpacked: it holds {} than the {} it claims", if *.more { "more" } else { "fewer" }, Bytes(*.claimed))]
    UnpackedSize { claimed: u64, more: bool } = "capture.unpack", Error;
    /// A chunk is larger packed than unpacked, by more than compression can add.
    ///
    /// As before.
    #[error("the chunk can't be unpacked: it takes {}, and claims to be {}", Bytes(*.packed), Bytes(*.claimed))]
    PackedSize { packed: u64, claimed: u64 } = "capture.unpack", Error;
    /// A chunk is packed with something other than zstd or lz4.
    ///
    /// Compress it again with an MCAP tool.
    #[error("the chunk is packed with {name:?}; zstd and lz4 can be unpacked")]
    Compression { name: String } = "capture.compression", Error;
    /// A chunk, a packet or the states exceed gametape's limit of memory.
    ///
    /// Damaged, most likely.
    #[error("the chunk claims {} when unpacked, the limit is {}", Bytes(*.claimed), Grouped(*.limit))]
    ChunkTooLarge { claimed: u64, limit: u64 } = "capture.limit", Error, Limit;
    /// A record outside of chunks exceeds the limit.
    ///
    /// As before.
    #[error("the record has {}, the limit is {}", Bytes(*.claimed), Grouped(*.limit))]
    LooseTooLarge { claimed: u64, limit: u64 } = "capture.limit", Error, Limit;
    /// More states would have to be kept than the limit allows.
    ///
    /// As before.
    #[error("it builds on tick {}, whose state was dropped: more than {} of states would have to be kept", Grouped((*.baseline).into()), Bytes(*.limit))]
    TooManyStates { baseline: u32, limit: u64 } = "capture.limit", Error, Limit;
    /// Neither the metadata nor the first chunk has the schema.
    ///
    /// Both are lost: extract the packets with an MCAP tool, and give the schema with them.
    #[error("the capture has no schema: neither in its metadata nor in its first chunk")]
    NoSchema = "capture.no-schema", Error;
    /// The schema can't be read, or the summary has another schema.
    ///
    /// Damaged, or written by another program. `reason` is the JSON reader's own text.
    #[error("the schema in the capture can't be read: {reason}")]
    Schema { reason: String } = "capture.schema", Error;
    /// The schema does not have the hash that is recorded beside it.
    ///
    /// As before.
    #[error("the schema in the capture can't be read: its hash is {found}, the metadata says {recorded}")]
    SchemaHash { found: String, recorded: String } = "capture.schema", Error;
    /// The summary has another schema.
    ///
    /// As before.
    #[error("the summary has another schema than the metadata")]
    OtherSchema = "capture.schema", Error;
    /// A fact in the metadata is not a number above 0.
    ///
    /// As before.
    #[error("the capture's metadata has {key} = {value:?}, which is not a number above 0")]
    Metadata { key: &'static str, value: String } = "capture.metadata", Error;
    /// The metadata is missing.
    ///
    /// Other programs drop it when they filter or merge. If the log times tell the length of a tick, `repair` writes it; if not, `convert --tick-rate` can.
    #[error("the metadata of the capture is missing: {}", tick_told(*.tick_ns))]
    NoMetadata { tick_ns: Option<u64> } = "capture.metadata", Warning;
    /// The index does not match the content.
    ///
    /// Damaged: `repair` writes a new one.
    #[error("the summary lists {} chunks, {} are there", Grouped(*.listed), Grouped(*.there))]
    ChunkCount { listed: u64, there: u64 } = "capture.index", Error;
    /// The index describes a chunk incorrectly.
    ///
    /// As before.
    #[error("the summary describes the chunk at byte {} incorrectly", Grouped(*.chunk))]
    ChunkDiffers { chunk: u64 } = "capture.index", Error;
    /// The message indexes of a chunk do not list its messages.
    ///
    /// As before.
    #[error("the message indexes of this chunk do not list the messages in it")]
    MessageIndex = "capture.index", Error;
    /// The summary has another number of messages than the file.
    ///
    /// As before.
    #[error("the summary counts {} messages, {} are there", Grouped(*.counted), Grouped(*.there))]
    Statistics { counted: u64, there: u64 } = "capture.statistics", Error;
    /// Messages outside of chunks.
    ///
    /// Nothing: MCAP allows it, other programs write it, and they are read.
    #[error("{} outside of chunks: {}", Counted(*.messages, "message"), if *.messages == 1 { "it is read" } else { "they are read" })]
    Loose { messages: u64 } = "capture.loose-message", Info;
    /// Chunks without message indexes.
    ///
    /// Nothing: MCAP allows it, other programs write it, and everything is read.
    #[error("{} without message indexes, which MCAP allows: seeking unpacks {}", Counted(*.chunks, "chunk"), if *.chunks == 1 { "it" } else { "them" })]
    Unindexed { chunks: u64 } = "capture.no-message-index", Info;
    /// Messages of a channel of another program.
    ///
    /// Another program put them beside the packets, which MCAP allows. `convert`, `cut` and `repair` leave them out when they write a new file; an MCAP tool shows them.
    #[error("{} of channel {topic}, of another program: {}", Counted(*.messages, "message"), if *.messages == 1 { "it is not read" } else { "they are not read" })]
    ForeignChannel { topic: String, messages: u64 } = "capture.foreign-channel", Info;
    /// Attachments, or metadata of another program.
    ///
    /// As before.
    #[error("{} of another program: {}", Counted(*.records, "attachment or metadata record"), if *.records == 1 { "it is not read" } else { "they are not read" })]
    ForeignRecords { records: u64 } = "capture.foreign-record", Info;
    /// A message on a channel that nothing defines.
    ///
    /// Damaged, or written by a faulty program: nobody can tell what the message is. `repair` leaves it out.
    #[error("a message on channel {channel}, which the capture does not define")]
    ForeignMessage { channel: u16 } = "capture.foreign-message", Error;
    /// A full snapshot among the deltas, or the other way round.
    ///
    /// As before; seeking may miss it.
    #[error("{} is on the topic {topic:?}", if *.full { "a full snapshot" } else { "a delta" })]
    Topic { full: bool, topic: &'static str } = "capture.topic", Error;
    /// The sequence number of a message is not the tick of its packet.
    ///
    /// As before.
    #[error("the message has the sequence number {}, its packet tick {}", Grouped((*sequence).into()), Grouped((*tick).into()))]
    Sequence { sequence: u32, tick: u32 } = "capture.sequence", Error;
    /// The time of a message is not that of its tick.
    ///
    /// As before; seeking may miss it.
    #[error("the message has the log time {log_time}, tick {} is {expected}", Grouped((*tick).into()))]
    LogTime { log_time: u64, tick: u32, expected: u64 } = "capture.log-time", Error;
    /// A full snapshot that the recorder added is not the state of the stream.
    ///
    /// A fault of the recorder. Without the added snapshots the stream is right: `repair` leaves them out.
    #[error("the full snapshot that the recorder added is not the state that the stream has")]
    Keyframe = "capture.keyframe", Error;
    /// The description of its tables can't be read, or does not fit its packets.
    ///
    /// Damaged, or written by another program; the packets are readable without it.
    #[error("the description of its tables: {reason}")]
    Tables { reason: String } = "capture.tables", Error;
    /// No full snapshot comes that early.
    ///
    /// The message has the tick of the first one.
    #[error("there is no state at tick {}: {}", Grouped((*.tick).into()), first_state(*.first))]
    NoState { tick: u32, first: Option<u32> } = "capture.no-state", Error, Caller;
    /// The state builds on a tick that is not recorded.
    ///
    /// Ask for another tick, or record from a full snapshot on.
    #[error("the state at tick {} is not known: it builds on tick {}, which is not recorded", Grouped((*.tick).into()), Grouped((*.baseline).into()))]
    Unreachable { tick: u32, baseline: u32 } = "capture.unreachable", Error, Caller;
}

fn tick_told(tick_ns: Option<u64>) -> String {
    tick_ns.map_or_else(
        || "the length of a tick is not known".to_owned(),
        |ns| {
            let ns = Grouped(ns);
            format!("by the log times a tick takes {ns} ns; gametape repair writes it")
        },
    )
}

fn of_which_zero(zeros: u64) -> String {
    // Fewer are no sign of anything.
    if zeros < 64 {
        return String::new();
    }
    format!(", the last {} of them are zero", Grouped(zeros))
}

fn next_packet(next: Option<u64>) -> String {
    next.map_or_else(
        || "none follows".to_owned(),
        |at| format!("the next one starts at byte {}", Grouped(at)),
    )
}

fn described(tick: u32, baseline: Option<u32>) -> String {
    baseline.map_or_else(
        || format!("a full snapshot of tick {}", Grouped(tick.into())),
        |baseline| {
            let [tick, baseline] = [tick, baseline].map(|tick| Grouped(tick.into()));
            format!("a delta of tick {tick} on tick {baseline}")
        },
    )
}

fn first_state(first: Option<u32>) -> String {
    first.map_or_else(
        || "the recording has no full snapshot".to_owned(),
        |first| {
            format!(
                "the first full snapshot is of tick {}",
                Grouped(first.into())
            )
        },
    )
}

impl CaptureRule {
    /// An error about the recording as a whole.
    pub(crate) fn whole(self) -> Error {
        Finding::new(self.into()).into()
    }

    /// Refuses bytes whose checksum is not the recorded one; 0 means that none is recorded. The error is at `offset`.
    pub(crate) fn check_crc(
        what: &'static str,
        recorded: u32,
        found: u32,
        offset: u64,
    ) -> Result<(), Error> {
        if recorded == 0 || recorded == found {
            return Ok(());
        }
        let rule = Self::Crc {
            what,
            recorded: Crc32(recorded),
            found: Crc32(found),
        };
        Err(rule.at(offset))
    }

    /// An error at an offset of the file.
    pub(crate) fn at(self, offset: u64) -> Error {
        Finding::new(self.into()).at(offset).into()
    }
}

/// A broken rule with its values: a rule of the wire or of the recording.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Rule {
    /// A packet breaks a rule of the wire.
    Wire(delta::Error),
    /// A full snapshot that the recorder added breaks a rule of the wire.
    Added(delta::Error),
    /// The recording breaks one of its own rules.
    Recording(CaptureRule),
}

impl Rule {
    /// Every rule, including those of the wire.
    #[must_use]
    pub fn all() -> Vec<RuleInfo> {
        [delta::Rule::ALL, CaptureRule::ALL].concat()
    }

    /// The rule of the recording, if it is one.
    #[must_use]
    pub const fn recording(&self) -> Option<&CaptureRule> {
        match self {
            Self::Recording(rule) => Some(rule),
            Self::Wire(_) | Self::Added(_) => None,
        }
    }

    /// The rule of the wire, if it is one.
    #[must_use]
    pub const fn wire(&self) -> Option<&delta::Rule> {
        match self {
            Self::Wire(error) | Self::Added(error) => Some(&error.rule),
            Self::Recording(_) => None,
        }
    }
}

impl From<CaptureRule> for Rule {
    fn from(rule: CaptureRule) -> Self {
        Self::Recording(rule)
    }
}

/// Writes an error of the wire. Its offset is within the packet, which itself has an offset in the
/// file.
fn in_packet(error: &delta::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let byte = Grouped(error.offset as u64);
    write!(f, "byte {byte} of the packet: {}", error.rule)
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wire(error) => in_packet(error, f),
            Self::Added(error) => {
                f.write_str("the full snapshot that the recorder added: ")?;
                in_packet(error, f)
            }
            Self::Recording(rule) => rule.fmt(f),
        }
    }
}

impl gametape_core::Rule for Rule {
    const STEP: &'static str = "packet";

    fn code(&self) -> &'static str {
        match self {
            Self::Wire(error) | Self::Added(error) => error.code(),
            Self::Recording(rule) => rule.code(),
        }
    }

    fn severity(&self) -> Severity {
        match self {
            Self::Wire(error) => error.rule.severity(),
            Self::Added(_) => Severity::Error,
            Self::Recording(rule) => rule.severity(),
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Wire(error) | Self::Added(error) => gametape_core::Coded::class(error),
            Self::Recording(rule) => gametape_core::Rule::class(rule),
        }
    }

    fn group(&self) -> u64 {
        match self {
            Self::Recording(CaptureRule::Crc { what: "chunk", .. }) => 3,
            Self::Recording(CaptureRule::Crc {
                what: "summary", ..
            }) => 4,
            Self::Recording(CaptureRule::ForeignChannel { topic, .. }) => {
                crc32fast::hash(topic.as_bytes()).into()
            }
            Self::Added(_) => 2,
            Self::Wire(_) | Self::Recording(_) => 0,
        }
    }

    /// For packets, the wire's own values, and `byte`, the position within the packet.
    fn data(&self) -> Vec<(&'static str, Datum)> {
        match self {
            Self::Wire(error) | Self::Added(error) => {
                let mut data = gametape_core::Rule::data(&error.rule);
                data.push(("byte", error.offset.to_datum()));
                data
            }
            Self::Recording(rule) => gametape_core::Rule::data(rule),
        }
    }
}

/// A finding: a broken rule with its place.
pub type Finding = gametape_core::Finding<Rule>;
/// Findings, one per code.
pub type Findings = gametape_core::Findings<Rule>;
/// Why a recording cannot be read.
pub type Error = gametape_core::ReadError<Rule>;

/// The finding of an error about the content of the recording.
///
/// # Errors
/// The error itself, if the recording could not be read.
pub(crate) fn fault(error: Error) -> Result<Finding, Error> {
    match error {
        Error::Malformed(finding) => Ok(*finding),
        Error::Io { .. } => Err(error),
    }
}
