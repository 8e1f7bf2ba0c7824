//! Every rule a recording can break or stretch: the vocabulary of errors and findings alike.

use gametape_core::text::{Bytes, Grouped, Hash, Left};

use crate::change::{Change, Unused};
use crate::config::ConfigForm;
use crate::divergence::{Divergence, Explanation, Parted};
use crate::payload::PayloadError;

gametape_core::rules! {
    /// One rule of the format, or of what a recording should be, with the figures that break it.
    ///
    /// Readers raise those that stand in their way; [`audit`](crate::audit()) names them all.
    pub enum Rule: "frame";

    /// The file does not start with `MURK`.
    ///
    /// It is no Murk replay, whatever its name says.
    #[error("the file starts with \"{}\", a Murk replay starts with \"MURK\"", found.escape_ascii())]
    Magic { found: [u8; 4] } = "murk.magic", Error;
    /// A version other than 3.
    ///
    /// Record anew with a current Murk; nothing reads versions 1 and 2. A higher one: look for a
    /// newer gametape.
    #[error("format version {found}; only version 3 can be read{}", if matches!(found, 1 | 2) { " (1 and 2 are superseded and lose what replaying needs)" } else { "" })]
    Version { found: u8 } = "murk.version", Error;
    /// The file ends in the header, or in a frame's tick, command count or hash.
    ///
    /// It was cut: [`repair`](determinism.md#index-and-repair) keeps the whole frames, `record murk --resume`
    /// goes on behind them if it was nothing but cut.
    #[error("the file ends in the {what}: {} needed, {}", Bytes(*needed), Left(*left))]
    Truncated { what: &'static str, needed: u64, left: u64 } = "murk.truncated", Error, Truncated;
    /// A command claims a longer payload than bytes are left.
    ///
    /// It was cut; or the length is damaged.
    #[error("command {command} claims {}, {}", Bytes(*needed), Left(*left))]
    PayloadTruncated { command: u32, needed: u64, left: u64 } = "murk.payload-truncated", Error, Truncated;
    /// The file ends in a command, behind its payload.
    ///
    /// It was cut; or a length is damaged.
    #[error("the file ends in the {what} of command {command}: {} needed, {}", Bytes(*needed), Left(*left))]
    CommandTruncated { command: u32, what: &'static str, needed: u64, left: u64 } = "murk.command-truncated", Error, Truncated;
    /// More is claimed than gametape is willing to hold; the sentence names both numbers.
    ///
    /// A damaged length or count, most likely. If an index lies beside it, `repair` may turn the bit
    /// back.
    #[error("the {what}{} claims {} {unit}, the limit is {}", OfCommand(*command), Grouped(*claimed), Grouped(*limit))]
    Limit { what: &'static str, command: Option<u32>, unit: &'static str, claimed: u64, limit: u64 } = "murk.limit", Error, Limit;
    /// A string of the header is not UTF-8.
    ///
    /// Damaged, or written by a faulty program.
    #[error("the {what} is not UTF-8: byte {byte:#04x} at its position {at}")]
    Utf8 { what: &'static str, at: u64, byte: u8 } = "murk.utf8", Error;
    /// The byte that says whether a `source_id` or `source_seq` follows is neither 0 nor 1.
    ///
    /// Damaged, or written by a faulty program.
    #[error("the presence flag of command {command}'s {what} is {found}; 0 and 1 are defined")]
    PresenceFlag { command: u32, what: &'static str, found: u8 } = "murk.presence-flag", Error;
    /// A command of a type above 6.
    ///
    /// Recorded by a newer or another program; the frame is kept, and the engine takes it for a
    /// command that it does not apply.
    #[error("command {command} has the payload type {tag}; types 0 to 6 are defined")]
    UnknownPayload { command: u32, tag: u8 } = "murk.unknown-payload", Error;
    /// A payload ends before its fields do.
    ///
    /// Damaged, or written by a faulty program; the frame is kept, and the engine does not apply
    /// the command.
    #[error("the {kind} payload of command {command} ends too early: {} do not hold its fields", Bytes(*bytes))]
    ShortPayload { command: u32, kind: &'static str, bytes: u64 } = "murk.short-payload", Error;

    /// The replay leads to another state; the first such tick is named, and the value if it can be
    /// told.
    ///
    /// [read the report](determinism.md#reading-the-report).
    #[error("{divergence}")]
    SnapshotMismatch { divergence: Box<Divergence> } = "murk.snapshot-mismatch", Error;
    /// Two replays of the recording's commands are not the same; the first tick that was seen to differ, and the
    /// values, if they can be told. No slip is named: any could lead to the recorded hashes by chance.
    ///
    /// `gametape sync-test` on the recording, with `--runs 8` or `--rollback 8`: [which
    /// when](own.md#when-does-it-show).
    #[error("{parted}")]
    NotDeterministic { parted: Box<Parted> } = "murk.not-deterministic", Error;
    /// One thing that went wrong, or a few of which it can't be told, explains the diverging hash, and as many
    /// behind it as the sentence says: tried, and replayed to the recorded hashes. `slip` is the one, where
    /// there is but one; `slips` are all; they explain `explained` of the `hashes` from there on.
    ///
    /// [what is tried, and what "explains" means](determinism.md#one-slip-explains-it).
    #[error("{found}")]
    OneSlip { found: Box<Explanation> } = "murk.one-slip", Warning;
    /// No single thing of those that are tried explains the divergence.
    ///
    /// More than one went wrong, or something else; [what is
    /// tried](determinism.md#one-slip-explains-it).
    #[error("{found}")]
    NoSlip { found: Box<Explanation> } = "murk.no-slip", Info;
    /// The header's `config_hash` is none of the world's, in no form ([which there are](format.md#hashes));
    /// nothing was replayed.
    ///
    /// With `--world`: it is another world, or another version of it. Without: the header was edited
    /// or damaged.
    #[error("the recording's config_hash is {recorded}, the world's is {expected}")]
    ConfigMismatch { recorded: Hash, expected: Hash } = "murk.config-mismatch", Error;
    /// The header counts other fields or cells than the world has, and nothing was replayed; or it
    /// names another seed than the world that the recording carries.
    ///
    /// With `--world`: it is another world. Without: the header was edited or damaged.
    #[error("the header's {what} is {}, the world's is {}", Grouped(*recorded), Grouped(*expected))]
    WorldShape { what: &'static str, recorded: u64, expected: u64 } = "murk.world-shape", Error;
    /// The world that the recording carries can't be built; the sentence says the line and the key.
    ///
    /// Damaged, written by a newer gametape, or larger than gametape will simulate
    /// ([limits](worlds.md#limits)).
    #[error("the world in the space descriptor can't be built: {}", in_description(*line, part, key, fault))]
    World { line: Option<u64>, part: String, key: String, fault: String } = "murk.world", Error;
    /// The world has a propagator of a kind that this program does not know: the form was checked, the
    /// hashes were not.
    ///
    /// The kind is one of the program's that recorded it ([worlds of one's own](worlds.md#propagators-of-ones-own)):
    /// verify it with that program.
    #[error("checked, but not re-simulated: propagator {propagator} of its world is of the kind {kind:?}, which this program does not know; the program that recorded it does")]
    UnknownKind { propagator: u64, kind: String } = "murk.unknown-kind", Warning;
    /// The world stopped before the recording did.
    ///
    /// Three ticks failed in a row ([failed ticks](worlds.md#failed-ticks)): the recording is not of
    /// this world. Or a propagator of one's own panicked: mend it. `reason` is the engine's own text.
    #[error("the simulation can't go on: {reason}")]
    Simulation { reason: String } = "murk.simulation", Error;
    /// A propagator failed in the replay, and the tick left the state as it was; the recorded hash is
    /// of that state, too.
    ///
    /// See what it says; three in a row stop the world ([failed ticks](worlds.md#failed-ticks)). `reason`
    /// is the engine's own text.
    #[error("the tick failed, and left the state as it was: {reason}")]
    TickFailed { reason: String } = "murk.tick-failed", Warning;
    /// No world: the form was checked, the hashes were not.
    ///
    /// Give the world with `--world`.
    #[error("checked, but not re-simulated: the recording carries no world, and none was given; its {} snapshot hashes are unproven", Grouped(*frames))]
    NotSimulated { frames: u64 } = "murk.not-simulated", Info;

    /// The header is not what it was when the index was made; says which bit was flipped, if one was.
    ///
    /// `repair` turns the bit back. More than one: take another copy.
    #[error("the header is not what it was when the index was made: {change}")]
    HeaderChanged { change: Change } = "murk.header-changed", Error;
    /// A frame is not what it was when the index was made; says which bit was flipped, if one was.
    ///
    /// `repair` turns the bit back. More than one: take another copy.
    #[error("the frame is not what it was when the index was made: {change}")]
    FrameChanged { change: Change } = "murk.frame-changed", Error;
    /// The index is damaged, or of another recording, or of an earlier state of this one; it was not
    /// used.
    ///
    /// If the recording was changed on purpose: `gametape index` again.
    #[error("the index beside the recording is not used: {reason}")]
    IndexStale { reason: Unused } = "murk.index-stale", Warning;

    /// A tick is not larger than the one before.
    ///
    /// Legal, and replayed in the order of the file; frames may have been swapped or doubled.
    #[error("tick {now} follows tick {before}; ticks should rise")]
    TickOrder { before: u64, now: u64 } = "murk.tick-order", Warning;
    /// Ticks are left out.
    ///
    /// Fine if the recorder leaves them out; the replay counts frames, not ticks.
    #[error("tick {now} follows tick {before}: {} not recorded", if now - before == 2 { "1 tick is".to_owned() } else { format!("{} ticks are", Grouped(now - before - 1)) })]
    TickGap { before: u64, now: u64 } = "murk.tick-gap", Info;
    /// The recording has no frames.
    ///
    /// The recorder was stopped before the first tick.
    #[error("the recording has no frames")]
    NoFrames = "murk.no-frames", Info;
    /// `config_hash` is 0.
    ///
    /// Fine; make sure by other means that `--world` is the right one.
    #[error("config_hash is 0, unset: nothing in the recording says which world it is of")]
    ConfigUnset = "murk.config-unset", Info;
    /// `config_hash` is one of those that the origin's function makes: of the seed, of `dt`, of how many
    /// fields and cells there are, and of a space descriptor that is empty or the recording's own.
    ///
    /// Fine; it does not tell the fields' definitions and the propagators: make sure by other means that
    /// `--world` is the right one.
    #[error("config_hash covers {form}, and not which fields and propagators the world has")]
    ConfigPartial { form: ConfigForm } = "murk.config-partial", Info;
    /// Built by another compiler than this gametape.
    ///
    /// If the replay diverges, look here first: floating-point results may differ.
    #[error("recorded by a build of toolchain {recorded:?}, this program was built by {here:?}: floating-point results may differ")]
    OtherToolchain { recorded: String, here: &'static str } = "murk.other-toolchain", Info;
    /// Built for another machine than this gametape.
    ///
    /// If the replay diverges, look here too: floating-point results may differ.
    #[error("recorded by a build for {recorded:?}, this program was built for {here:?}: floating-point results may differ")]
    OtherTarget { recorded: String, here: &'static str } = "murk.other-target", Info;
    /// Bytes behind a payload's fields.
    ///
    /// Another program's; whoever types and writes it again may lose them. gametape keeps them.
    #[error("{} behind the {kind} payload of command {command}", Bytes(*bytes))]
    TrailingPayload { command: u32, kind: &'static str, bytes: u64 } = "murk.trailing-payload", Warning;

    /// It had expired when its tick came; ticks are counted from 1, as the engine does.
    ///
    /// Give it a later `expires_after_tick`.
    #[error("command {command} expired after tick {expires}: it is never applied")]
    CommandExpired { command: u32, expires: u64 } = "murk.command-expired", Warning;
    /// Any kind but `set_field`: Murk's lockstep engine takes it and does nothing.
    ///
    /// Use `set_field`.
    #[error("command {command} is a {kind}: Murk's lockstep engine applies set_field only")]
    CommandUnsupported { command: u32, kind: &'static str } = "murk.command-unsupported", Warning;
    /// The coordinate is no cell: a number too many or too few, beyond the edge (in wrapping spaces,
    /// too), or an odd sum in `fcc12`.
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
    /// A propagator writes the field after the commands, in each tick: the value is gone before
    /// anybody sees it ([the order of a tick](worlds.md)).
    ///
    /// Set a field that no propagator writes, and let a propagator read it.
    #[error("command {command} sets field {field}, which a propagator writes after it in the same tick: the value is lost")]
    CommandOverwritten { command: u32, field: u32 } = "murk.command-overwritten", Warning;
    /// More commands in a tick than the engine's queue takes; those behind are refused.
    ///
    /// Spread them over ticks, or raise `max_ingress_queue`.
    #[error("{} commands in one tick; the engine's queue takes {limit}, the others are refused", Grouped(*count))]
    QueueFull { count: u64, limit: u64 } = "murk.queue-full", Warning;
    /// Two commands of different priority set one cell to different values. They are applied in the
    /// order of their priority, so the less important one comes last, and stays.
    ///
    /// Let one source write a cell, or turn the priorities around.
    #[error("commands {higher} and {lower} write field {field} at {cell:?}; the one of lower priority ({lower_class}, the other has {higher_class}) is applied last and wins")]
    PriorityLost { higher: u32, lower: u32, higher_class: u8, lower_class: u8, field: u32, cell: Vec<i32> } = "murk.priority-lost", Warning;
    /// A `source_seq` without a `source_id`: the engine drops it.
    ///
    /// Give a `source_id` as well.
    #[error("command {command} has a source_seq and no source_id: the engine drops it")]
    SourceSeqUnused { command: u32 } = "murk.source-seq-unused", Info;
}

impl Rule {
    /// What is wrong with a tick that is not the one behind `before`.
    pub(crate) const fn of_tick(before: u64, now: u64) -> Self {
        if now <= before {
            Self::TickOrder { before, now }
        } else {
            Self::TickGap { before, now }
        }
    }

    /// What is wrong with the payload of a command.
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

/// ` of command 3`, where it is one's.
struct OfCommand(Option<u32>);

impl std::fmt::Display for OfCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            None => Ok(()),
            Some(command) => write!(f, " of command {command}"),
        }
    }
}

/// `line 12, propagator 0 (scalar_diffusion), coefficient: a number is needed, this is a string`:
/// what is not known is empty.
pub(crate) fn in_description(line: Option<u64>, part: &str, key: &str, fault: &str) -> String {
    let line = line.map(|line| format!("line {line}"));
    let place: Vec<&str> = [line.as_deref().unwrap_or_default(), part, key]
        .into_iter()
        .filter(|word| !word.is_empty())
        .collect();
    format!("{}: {fault}", place.join(", "))
}
