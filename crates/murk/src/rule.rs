//! The rules that a recording can break or stretch, shared by errors and findings.

use gametape_core::text::{Bytes, Grouped, Hash, Left};

use crate::change::{Change, Unused};
use crate::divergence::{Divergence, Explanation, Parted};
use crate::model::ConfigForm;
use crate::model::payload::PayloadError;

gametape_core::rules! {
    /// A rule of the format, or a property that a recording should have, with the numbers that
    /// break it.
    ///
    /// Readers return the ones that stop them; [`audit`](crate::audit()) reports all.
    pub enum Rule: "frame";

    /// The file does not start with `MURK`.
    ///
    /// It is not a Murk replay, whatever its name says.
    #[error("the file starts with \"{}\", a Murk replay starts with \"MURK\"", found.escape_ascii())]
    Magic { found: [u8; 4] } = "murk.magic", Error;
    /// A version other than 3.
    ///
    /// Record it again with a current Murk; nothing reads versions 1 and 2. For a higher version,
    /// look for a newer gametape.
    #[error("format version {found}; only version 3 can be read{}", if matches!(found, 1 | 2) { " (1 and 2 are superseded and lose what replaying needs)" } else { "" })]
    Version { found: u8 } = "murk.version", Error;
    /// The file ends in the header, or in a frame's tick, command count or hash.
    ///
    /// It was cut: [`repair`](determinism.md#index-and-repair) keeps the whole frames, and `record
    /// murk --resume` continues after them.
    #[error("the file ends in the {what}: {} needed, {}", Bytes(*needed), Left(*left))]
    Truncated { what: &'static str, needed: u64, left: u64 } = "murk.truncated", Error, Truncated;
    /// A frame after the first is nothing but zeros.
    ///
    /// The power went while it was written, or a copy broke off: `repair` keeps the frames before it.
    #[error("zeros in place of a frame: {}", Bytes(*bytes))]
    Blank { bytes: u64 } = "murk.zeros", Error;
    /// A command claims a longer payload than there are bytes left.
    ///
    /// It was cut, or the length is damaged.
    #[error("command {command} claims {}, {}", Bytes(*needed), Left(*left))]
    PayloadTruncated { command: u32, needed: u64, left: u64 } = "murk.payload-truncated", Error, Truncated;
    /// The file ends in a command, after its payload.
    ///
    /// It was cut, or a length is damaged.
    #[error("the file ends in the {what} of command {command}: {} needed, {}", Bytes(*needed), Left(*left))]
    CommandTruncated { command: u32, what: &'static str, needed: u64, left: u64 } = "murk.command-truncated", Error, Truncated;
    /// The recording claims more than gametape's limit; the sentence has both numbers.
    ///
    /// Most likely a damaged length or count: with an index, `repair` may flip the bit back.
    #[error("the {what}{} claims {} {unit}, the limit is {}", OfCommand(*command), Grouped(*claimed), Grouped(*limit))]
    Limit { what: &'static str, command: Option<u32>, unit: &'static str, claimed: u64, limit: u64 } = "murk.limit", Error, Limit;
    /// A string of the header is not UTF-8.
    ///
    /// Damaged, or written by a faulty program.
    #[error("the {what} is not UTF-8: byte {byte:#04x} at its position {at}")]
    Utf8 { what: &'static str, at: u64, byte: u8 } = "murk.utf8", Error;
    /// The byte that announces a `source_id` or `source_seq` is neither 0 nor 1.
    ///
    /// Damaged, or written by a faulty program.
    #[error("the presence flag of command {command}'s {what} is {found}; 0 and 1 are defined")]
    PresenceFlag { command: u32, what: &'static str, found: u8 } = "murk.presence-flag", Error;
    /// A command of a type above 6.
    ///
    /// Recorded by a newer or another program; the engine does not apply the command.
    #[error("command {command} has the payload type {tag}; types 0 to 6 are defined")]
    UnknownPayload { command: u32, tag: u8 } = "murk.unknown-payload", Error;
    /// A payload ends before its fields do.
    ///
    /// Damaged, or written by a faulty program; the engine does not apply the command.
    #[error("the {kind} payload of command {command} ends too early: {} do not hold its fields", Bytes(*bytes))]
    ShortPayload { command: u32, kind: &'static str, bytes: u64 } = "murk.short-payload", Error;

    /// The replay leads to another state. The first such tick is named, and the value if it is
    /// known.
    ///
    /// [read the report](determinism.md#reading-the-report).
    #[error("{divergence}")]
    SnapshotMismatch { divergence: Box<Divergence> } = "murk.snapshot-mismatch", Error;
    /// Two replays of the recording's commands differ, first at this tick. No slip is named, because
    /// any could lead to the recorded hashes by chance.
    ///
    /// Run `gametape sync-test` on the recording, with `--runs 8` or `--rollback 8`: [when to use
    /// which](own.md#when-does-it-show).
    #[error("{parted}")]
    NotDeterministic { parted: Box<Parted> } = "murk.not-deterministic", Error;
    /// A single slip, or one of several, explains the diverging hash and as many hashes after it as
    /// the sentence says: `explained` of the `hashes` from there on. `slips` has all, and `slip` the
    /// only one.
    ///
    /// [the slips that are tried, and the meaning of
    /// "explains"](determinism.md#one-slip-explains-it).
    #[error("{found}")]
    OneSlip { found: Box<Explanation> } = "murk.one-slip", Warning;
    /// No single slip explains the divergence.
    ///
    /// There was more than one mistake, or one of another kind; [the slips that are
    /// tried](determinism.md#one-slip-explains-it).
    #[error("{found}")]
    NoSlip { found: Box<Explanation> } = "murk.no-slip", Info;
    /// The header's `config_hash` is not the world's in any of its [forms](format.md#hashes).
    /// Nothing was replayed.
    ///
    /// With `--world`: it is another world, or another version of it. Without: the header was
    /// edited or damaged.
    #[error("the recording's config_hash is {recorded}, the world's is {expected}")]
    ConfigMismatch { recorded: Hash, expected: Hash } = "murk.config-mismatch", Error;
    /// The header has another number of fields or cells than the world, and nothing was replayed;
    /// or it has another seed than the world that the recording carries.
    ///
    /// With `--world`: it is another world. Without: the header was edited or damaged.
    #[error("the header's {what} is {}, the world's is {}", Grouped(*recorded), Grouped(*expected))]
    WorldShape { what: &'static str, recorded: u64, expected: u64 } = "murk.world-shape", Error;
    /// The world that the recording carries can't be built; the sentence has the line and the key.
    ///
    /// Damaged, written by a newer gametape, or larger than gametape will simulate
    /// ([limits](worlds.md#limits)).
    #[error("the world in the space descriptor can't be built: {}", in_description(*line, part, key, fault))]
    World { line: Option<u64>, part: String, key: String, fault: String } = "murk.world", Error;
    /// The world has a propagator of a kind that this program does not know. The form was checked,
    /// the hashes were not.
    ///
    /// Verify it with the program that recorded it, which [registers the
    /// kind](worlds.md#propagators-of-ones-own).
    #[error("checked, but not re-simulated: propagator {propagator} of its world is of the kind {kind:?}, which this program does not know; the program that recorded it does")]
    UnknownKind { propagator: u64, kind: String } = "murk.unknown-kind", Warning;
    /// The world stopped before the recording did.
    ///
    /// Three ticks in a row [failed](worlds.md#failed-ticks), so the recording is not of this world;
    /// or a registered propagator panicked and needs a fix.
    #[error("the simulation can't go on: {reason}")]
    Simulation { reason: String } = "murk.simulation", Error;
    /// A propagator failed in the replay, and the tick left the state as it was; the recorded hash is
    /// of that state, too.
    ///
    /// Read the reason; three [failures](worlds.md#failed-ticks) in a row stop the world.
    #[error("the tick failed, and left the state as it was: {reason}")]
    TickFailed { reason: String } = "murk.tick-failed", Warning;
    /// There is no world: the form was checked, the hashes were not.
    ///
    /// Give the world with `--world`.
    #[error("checked, but not re-simulated: the recording carries no world, and none was given; its {} snapshot hashes are unproven", Grouped(*frames))]
    NotSimulated { frames: u64 } = "murk.not-simulated", Info;

    /// The header has changed since the index was made; the finding has the flipped bit, if it was
    /// a single one.
    ///
    /// `repair` flips the bit back. If more than one changed, use another copy.
    #[error("the header is not what it was when the index was made: {change}")]
    HeaderChanged { change: Change } = "murk.header-changed", Error;
    /// A frame has changed since the index was made; the finding has the flipped bit, if it was a
    /// single one.
    ///
    /// `repair` flips the bit back. If more than one changed, use another copy.
    #[error("the frame is not what it was when the index was made: {change}")]
    FrameChanged { change: Change } = "murk.frame-changed", Error;
    /// The index is damaged, or belongs to another recording, or to an earlier state of this one.
    /// It was not used.
    ///
    /// If the recording was changed on purpose, run `gametape index` again.
    #[error("the index beside the recording is not used: {reason}")]
    IndexStale { reason: Unused } = "murk.index-stale", Warning;

    /// A tick is not larger than the one before.
    ///
    /// Legal, and replayed in the order of the file. Frames may have been swapped or doubled.
    #[error("tick {} follows tick {}; ticks should rise", Grouped(*now), Grouped(*before))]
    TickOrder { before: u64, now: u64 } = "murk.tick-order", Warning;
    /// Ticks are missing.
    ///
    /// Harmless if the recorder leaves them out; the replay counts frames, not ticks.
    #[error("tick {} follows tick {}: {} not recorded", Grouped(*now), Grouped(*before), if now - before == 2 { "1 tick is".to_owned() } else { format!("{} ticks are", Grouped(now - before - 1)) })]
    TickGap { before: u64, now: u64 } = "murk.tick-gap", Info;
    /// The recording has no frames.
    ///
    /// The recorder was stopped before the first tick.
    #[error("the recording has no frames")]
    NoFrames = "murk.no-frames", Warning;
    /// `config_hash` is 0.
    ///
    /// Harmless; make sure by other means that `--world` is the right one.
    #[error("config_hash is 0, unset: nothing in the recording says which world it is of")]
    ConfigUnset = "murk.config-unset", Info;
    /// `config_hash` covers the seed, `dt`, the numbers of fields and cells, and at most the space
    /// descriptor, but neither the fields nor the propagators.
    ///
    /// Harmless; make sure by other means that `--world` is the right one.
    #[error("config_hash covers {form}, and not which fields and propagators the world has")]
    ConfigPartial { form: ConfigForm } = "murk.config-partial", Info;
    /// Built by another compiler than this gametape.
    ///
    /// If the replay diverges, look here first: floating-point results may differ.
    #[error("recorded by a build of toolchain {recorded:?}, this program was built by {here:?}: floating-point results may differ")]
    OtherToolchain { recorded: String, here: &'static str } = "murk.other-toolchain", Info;
    /// Built for another machine than this gametape.
    ///
    /// If the replay diverges, look here, too: floating-point results may differ.
    #[error("recorded by a build for {recorded:?}, this program was built for {here:?}: floating-point results may differ")]
    OtherTarget { recorded: String, here: &'static str } = "murk.other-target", Info;
    /// There are extra bytes after a payload's fields.
    ///
    /// Another program wrote them; gametape keeps them.
    #[error("{} after the {kind} payload of command {command}", Bytes(*bytes))]
    TrailingPayload { command: u32, kind: &'static str, bytes: u64 } = "murk.trailing-payload", Warning;

    /// The command had expired when its tick came; ticks are counted from 1, as in the engine.
    ///
    /// Give it a later `expires_after_tick`.
    #[error("command {command} expired after tick {}: it is never applied", Grouped(*expires))]
    CommandExpired { command: u32, expires: u64 } = "murk.command-expired", Warning;
    /// The command is not a `set_field`: Murk's lockstep engine accepts it and does nothing.
    ///
    /// Use `set_field`.
    #[error("command {command} is a {kind}: Murk's lockstep engine applies set_field only")]
    CommandUnsupported { command: u32, kind: &'static str } = "murk.command-unsupported", Warning;
    /// The coordinate is not a cell: it has too many or too few numbers, is beyond the edge (in
    /// wrapping spaces, too), or has an odd sum in `fcc12`.
    ///
    /// Correct the coordinate.
    #[error("command {command} sets a value at {cell:?}, which is not a cell of the world")]
    CommandOutside { command: u32, cell: Vec<i32> } = "murk.command-outside", Warning;
    /// The world has no field of this number.
    ///
    /// Correct the number; fields count from 0.
    #[error("command {command} sets field {field}, which the world does not have")]
    CommandUnknownField { command: u32, field: u32 } = "murk.command-unknown-field", Warning;
    /// The field is static.
    ///
    /// Make it `sparse` or `per_tick`.
    #[error("command {command} sets field {field}, which is static")]
    CommandStaticField { command: u32, field: u32 } = "murk.command-static-field", Warning;
    /// A propagator writes the field after the commands, in each tick, so that the value never
    /// shows ([the order of a tick](worlds.md)).
    ///
    /// Set a field that no propagator writes, and let a propagator read it.
    #[error("command {command} sets field {field}, which a propagator writes after it in the same tick: the value is lost")]
    CommandOverwritten { command: u32, field: u32 } = "murk.command-overwritten", Warning;
    /// A tick has more commands than the engine's queue takes; the further ones are refused.
    ///
    /// Spread them over ticks, or raise `max_ingress_queue`.
    #[error("{} commands in one tick; the engine's queue takes {limit}, the others are refused", Grouped(*count))]
    QueueFull { count: u64, limit: u64 } = "murk.queue-full", Warning;
    /// Two commands of different priority set one cell to different values; the less important one
    /// is applied last and wins.
    ///
    /// Let a single source write a cell, or swap the priorities.
    #[error("commands {higher} and {lower} write field {field} at {cell:?}; the one of lower priority ({lower_class}, the other has {higher_class}) is applied last and wins")]
    PriorityLost { higher: u32, lower: u32, higher_class: u8, lower_class: u8, field: u32, cell: Vec<i32> } = "murk.priority-lost", Warning;
    /// The command has a `source_seq` without a `source_id`, which the engine drops.
    ///
    /// Give a `source_id` as well.
    #[error("command {command} has a source_seq and no source_id: the engine drops it")]
    SourceSeqUnused { command: u32 } = "murk.source-seq-unused", Info;
}

impl Rule {
    /// Returns the rule for a tick that is not the one after `before`.
    pub(crate) const fn of_tick(before: u64, now: u64) -> Self {
        if now <= before {
            Self::TickOrder { before, now }
        } else {
            Self::TickGap { before, now }
        }
    }

    /// Returns the rule for a payload of a command.
    pub(crate) const fn of_payload(command: u32, error: PayloadError) -> Self {
        match error {
            PayloadError::UnknownType { tag } => Self::UnknownPayload { command, tag },
            PayloadError::Short { kind, bytes } => Self::ShortPayload {
                command,
                kind,
                bytes: bytes as u64,
            },
        }
    }
}

/// ` of command 3`, or nothing.
struct OfCommand(Option<u32>);

impl std::fmt::Display for OfCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            None => Ok(()),
            Some(command) => write!(f, " of command {command}"),
        }
    }
}

/// Returns `line 12, propagator 0 (scalar_diffusion), coefficient: a number is needed, this is a
/// string`, without the parts that are empty.
pub(crate) fn in_description(line: Option<u64>, part: &str, key: &str, fault: &str) -> String {
    let line = line.map(|line| format!("line {line}"));
    let place: Vec<&str> = [line.as_deref().unwrap_or_default(), part, key]
        .into_iter()
        .filter(|word| !word.is_empty())
        .collect();
    format!("{}: {fault}", place.join(", "))
}
