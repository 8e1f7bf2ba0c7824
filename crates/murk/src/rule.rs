//! Every rule a recording can break or stretch: the vocabulary of errors and findings alike.

use std::fmt;

/// How much a finding matters to the question "is this recording what it claims to be?".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// A fact worth knowing.
    Info,
    /// Unusual: somebody should look.
    Warning,
    /// The recording is not what it claims to be.
    Error,
}

impl Severity {
    /// `info`, `warning` or `error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Digits in groups of three.
pub(crate) struct Grouped(pub u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

/// "1 byte", "2 bytes", "4,294,967,295 bytes".
pub(crate) struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.0 == 1 { "" } else { "s" };
        write!(f, "{} byte{s}", Grouped(self.0))
    }
}

/// "is left", "are left".
struct Left(u64);

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.0 == 1 { "is" } else { "are" };
        write!(f, "{} {verb} left", Grouped(self.0))
    }
}

/// Defines the rules once: variant, code, severity, and (through `thiserror`) the sentence.
macro_rules! rules {
    ($(
        $(#[$doc:meta])*
        $name:ident $({ $($(#[$fdoc:meta])* $field:ident : $ty:ty),* $(,)? })? = $code:literal, $severity:ident;
    )*) => {
        /// One rule of the format, or of what a recording should be, with the numbers that break it.
        ///
        /// Readers raise those that stand in their way; [`audit`](crate::audit()) names them all.
        /// Each has a code, documented in the book.
        #[derive(Clone, PartialEq, Debug, thiserror::Error)]
        #[non_exhaustive]
        pub enum Rule {
            $(
                $(#[$doc])*
                $name $({ $(
                    $(#[$fdoc])*
                    #[allow(missing_docs)]
                    $field: $ty
                ),* })?,
            )*
        }

        impl Rule {
            /// Code and severity of every rule, in the order of the enum.
            pub const CODES: &'static [(&'static str, Severity)] =
                &[$(($code, Severity::$severity)),*];

            /// The stable code, such as `murk.truncated`.
            #[must_use]
            pub const fn code(&self) -> &'static str {
                match self { $(Self::$name { .. } => $code,)* }
            }

            /// How much breaking this rule matters.
            #[must_use]
            pub const fn severity(&self) -> Severity {
                match self { $(Self::$name { .. } => Severity::$severity,)* }
            }
        }
    };
}

rules! {
    /// The file does not start with `MURK`.
    #[error("the file starts with \"{}\", a Murk replay starts with \"MURK\"", found.escape_ascii())]
    Magic { found: [u8; 4] } = "murk.magic", Error;
    /// A version other than 3.
    #[error("format version {found}; only version 3 can be read{}", if matches!(found, 1 | 2) { " (1 and 2 are superseded and lose what replaying needs)" } else { "" })]
    Version { found: u8 } = "murk.version", Error;
    /// The file ends before something does.
    #[error("the file ends in the {what}: {} needed, {}", Bytes(*needed), Left(*left))]
    Truncated { what: &'static str, needed: u64, left: u64 } = "murk.truncated", Error;
    /// The file ends before a command's payload does.
    #[error("command {command} claims {}, {}", Bytes(*needed), Left(*left))]
    PayloadTruncated { command: u32, needed: u64, left: u64 } = "murk.payload-truncated", Error;
    /// The file ends before a command does, its payload apart.
    #[error("the file ends in the {what} of command {command}: {} needed, {}", Bytes(*needed), Left(*left))]
    CommandTruncated { command: u32, what: &'static str, needed: u64, left: u64 } = "murk.command-truncated", Error;
    /// More than the reader's [`Limits`](crate::Limits) allow.
    #[error("{what} claims {} {unit}, the limit is {}", Grouped(*claimed), Grouped(*limit))]
    Limit { what: String, unit: &'static str, claimed: u64, limit: u64 } = "murk.limit", Error;
    /// A string of the header that is not UTF-8.
    #[error("the {what} is not UTF-8: byte {byte:#04x} at its position {at}")]
    Utf8 { what: &'static str, at: u64, byte: u8 } = "murk.utf8", Error;
    /// A presence flag that is neither 0 nor 1.
    #[error("the presence flag of command {command}'s {what} is {found}; 0 and 1 are defined")]
    PresenceFlag { command: u32, what: &'static str, found: u8 } = "murk.presence-flag", Error;
    /// A payload of a type that is not defined.
    #[error("command {command} has the payload type {tag}; types 0 to 6 are defined")]
    UnknownPayload { command: u32, tag: u8 } = "murk.unknown-payload", Error;
    /// A payload that ends before its type's fields do.
    #[error("the {kind} payload of command {command} ends too early: {} do not hold its fields", Bytes(*bytes))]
    ShortPayload { command: u32, kind: &'static str, bytes: u64 } = "murk.short-payload", Error;

    /// The replay leads to another state than the recording did.
    #[error("{description}")]
    SnapshotMismatch { description: String } = "murk.snapshot-mismatch", Error;
    /// The recording was made in a world of another configuration.
    #[error("the recording's config_hash is {recorded:016x}, the world's is {expected:016x}")]
    ConfigMismatch { recorded: u64, expected: u64 } = "murk.config-mismatch", Error;
    /// The header's counts, or its seed, are not the world's.
    #[error("the header's {what} is {}, the world's is {}", Grouped(*recorded), Grouped(*expected))]
    WorldShape { what: &'static str, recorded: u64, expected: u64 } = "murk.world-shape", Error;
    /// The world that the recording carries can't be built.
    #[error("the world in the space descriptor can't be built: {reason}")]
    World { reason: String } = "murk.world", Error;
    /// The simulation stopped before the recording did.
    #[error("the simulation can't go on: {reason}")]
    Simulation { reason: String } = "murk.simulation", Error;
    /// A tick of the replay failed and left the state as it was, as it was recorded.
    #[error("the tick failed, and left the state as it was: {reason}")]
    TickFailed { reason: String } = "murk.tick-failed", Warning;
    /// No world: hashes could not be checked.
    #[error("checked, but not re-simulated: the recording carries no world, and none was given; its {} snapshot hashes are unproven", Grouped(*frames))]
    NotSimulated { frames: u64 } = "murk.not-simulated", Info;

    /// The header is not what the index says it was.
    #[error("the header is not what it was when the index was made: {damage}")]
    HeaderChanged { damage: String } = "murk.header-changed", Error;
    /// A frame is not what the index says it was.
    #[error("the frame is not what it was when the index was made: {damage}")]
    FrameChanged { damage: String } = "murk.frame-changed", Error;
    /// The index beside the recording was made of another state of it.
    #[error("the index beside the recording is not used: {reason}")]
    IndexStale { reason: String } = "murk.index-stale", Warning;

    /// Ticks that do not rise.
    #[error("tick {now} follows tick {before}; ticks should rise")]
    TickOrder { before: u64, now: u64 } = "murk.tick-order", Warning;
    /// Ticks left out.
    #[error("tick {now} follows tick {before}: {} ticks are not recorded", Grouped(now - before - 1))]
    TickGap { before: u64, now: u64 } = "murk.tick-gap", Info;
    /// A recording without frames.
    #[error("the recording has no frames")]
    NoFrames = "murk.no-frames", Info;
    /// `config_hash` is 0: nothing ties the recording to a world.
    #[error("config_hash is 0, unset: nothing in the recording says which world it is of")]
    ConfigUnset = "murk.config-unset", Info;
    /// Built by another compiler than this program.
    #[error("recorded by a build of toolchain {recorded:?}, this program was built by {here:?}: floating-point results may differ")]
    OtherToolchain { recorded: String, here: &'static str } = "murk.other-toolchain", Info;
    /// Built for another target than this program.
    #[error("recorded by a build for {recorded:?}, this program was built for {here:?}: floating-point results may differ")]
    OtherTarget { recorded: String, here: &'static str } = "murk.other-target", Info;
    /// Bytes behind a typed payload; a typed copy would drop them.
    #[error("{} behind the {kind} payload of command {command}", Bytes(*bytes))]
    TrailingPayload { command: u32, kind: &'static str, bytes: u64 } = "murk.trailing-payload", Warning;

    /// A command that had expired when it was submitted.
    #[error("command {command} expired after tick {expires}: it is never applied")]
    CommandExpired { command: u32, expires: u64 } = "murk.command-expired", Warning;
    /// A kind of command that the engine receives and does not apply.
    #[error("command {command} is a {kind}: Murk's lockstep engine applies set_field only")]
    CommandUnsupported { command: u32, kind: &'static str } = "murk.command-unsupported", Warning;
    /// A coordinate outside of the world.
    #[error("command {command} sets a value at {coord:?}, which is not a cell of the world")]
    CommandOutside { command: u32, coord: Vec<i32> } = "murk.command-outside", Warning;
    /// A field that the world does not have.
    #[error("command {command} sets field {field}, which the world does not have")]
    CommandUnknownField { command: u32, field: u32 } = "murk.command-unknown-field", Warning;
    /// A field that never changes.
    #[error("command {command} sets field {field}, which is static")]
    CommandStaticField { command: u32, field: u32 } = "murk.command-static-field", Warning;
    /// A field that a propagator writes after the commands.
    #[error("command {command} sets field {field}, which a propagator writes after it in the same tick: the value is lost")]
    CommandOverwritten { command: u32, field: u32 } = "murk.command-overwritten", Warning;
    /// More commands in a tick than the engine's queue takes.
    #[error("{} commands in one tick; the engine's queue takes {limit}, the others are refused", Grouped(*count))]
    QueueFull { count: u64, limit: u64 } = "murk.queue-full", Warning;
    /// Two commands of different priority write one cell: the last write stays.
    #[error("commands {higher} and {lower} write field {field} at {coord:?}; the one of lower priority ({lower_class}, the other has {higher_class}) is applied last and wins")]
    PriorityLost { higher: u32, lower: u32, higher_class: u8, lower_class: u8, field: u32, coord: Vec<i32> } = "murk.priority-lost", Warning;
    /// A `source_seq` that the engine drops.
    #[error("command {command} has a source_seq and no source_id: the engine drops it")]
    SourceSeqUnused { command: u32 } = "murk.source-seq-unused", Info;
}

/// One result of an audit, or of lenient reading.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// What is broken.
    pub rule: Rule,
    /// Where in the file, in bytes.
    pub offset: Option<u64>,
    /// In which frame, from 0.
    pub frame: Option<u64>,
    /// At which tick.
    pub tick: Option<u64>,
    /// How often the same came again.
    pub repeats: u64,
}

impl Finding {
    /// A finding of no particular place.
    #[must_use]
    pub const fn new(rule: Rule) -> Self {
        Self {
            rule,
            offset: None,
            frame: None,
            tick: None,
            repeats: 0,
        }
    }

    /// At a byte of the file.
    #[must_use]
    pub const fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// In a frame; `tick` where it is known.
    #[must_use]
    pub const fn in_frame(mut self, frame: u64, tick: Option<u64>) -> Self {
        self.frame = Some(frame);
        self.tick = tick;
        self
    }

    /// The rule's code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.rule.code()
    }

    /// The rule's severity.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.rule.severity()
    }

    /// What was found, as a sentence without its place.
    #[must_use]
    pub fn message(&self) -> String {
        match self.repeats {
            0 => self.rule.to_string(),
            1 => format!("{} (and once more)", self.rule),
            n => format!("{} (and {} times more)", self.rule, Grouped(n)),
        }
    }

    /// `frame 812 (tick 9,001, byte 65,536)`; empty for the whole recording.
    #[must_use]
    pub fn place(&self) -> String {
        let tick = self.tick.map(|tick| format!("tick {}", Grouped(tick)));
        let byte = self
            .offset
            .map(|offset| format!("byte {}", Grouped(offset)));
        let inner: Vec<String> = tick.into_iter().chain(byte).collect();
        match self.frame {
            None => inner.join(", "),
            Some(frame) if inner.is_empty() => format!("frame {}", Grouped(frame)),
            Some(frame) => format!("frame {} ({})", Grouped(frame), inner.join(", ")),
        }
    }
}

/// `error murk.truncated, frame 812 (tick 9,001, byte 65,536): command 3 claims …`
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.severity(), self.code())?;
        let place = self.place();
        if !place.is_empty() {
            write!(f, ", {place}")?;
        }
        write!(f, ": {}", self.message())
    }
}

/// Findings, one for each code: the first place, and how often it came again.
///
/// Bounded by the number of rules, whatever the input.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Adds a finding, or counts it where its code is known already.
    pub fn push(&mut self, finding: Finding) {
        match self.0.iter_mut().find(|f| f.code() == finding.code()) {
            Some(known) => known.repeats = known.repeats.saturating_add(finding.repeats + 1),
            None => self.0.push(finding),
        }
    }

    /// The findings in the order they were met.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.0.iter()
    }

    /// Number of findings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True where nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The worst severity.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.0.iter().map(Finding::severity).max()
    }

    /// True where a finding has this code.
    #[must_use]
    pub fn has(&self, code: &str) -> bool {
        self.0.iter().any(|f| f.code() == code)
    }

    /// Worst first, then in the order they were met.
    pub fn sort(&mut self) {
        self.0.sort_by_key(|f| std::cmp::Reverse(f.severity()));
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
