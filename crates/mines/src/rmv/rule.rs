//! Every rule a recording can break or stretch: the vocabulary of errors and findings alike.

use std::fmt;

use crate::{Cell, Face, Level, Mode, MouseAction, Outcome, TextEncoding, Version};

/// How much a finding matters to the question "is this file what it claims to be?".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// A fact worth knowing, or a deviation that known writers show.
    Info,
    /// Unusual: somebody should look.
    Warning,
    /// The file is not what it claims to be.
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

/// A section of the file, in file order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Section {
    /// Signature, version and the table of sizes.
    Header,
    /// The result string (v1).
    Result,
    /// The version info string.
    VersionInfo,
    /// The player fields.
    Player,
    /// Time, size and mines of the board.
    Board,
    /// The flags placed before the game.
    Preflags,
    /// The properties.
    Properties,
    /// The extension properties (v2).
    Extensions,
    /// The events.
    Video,
    /// What follows the termination event inside the video section.
    Tail,
    /// The checksum.
    Checksum,
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Header => "header",
            Self::Result => "result string",
            Self::VersionInfo => "version info",
            Self::Player => "player section",
            Self::Board => "board section",
            Self::Preflags => "preflags section",
            Self::Properties => "properties section",
            Self::Extensions => "extension properties section",
            Self::Video => "video section",
            Self::Tail => "video section's tail",
            Self::Checksum => "checksum",
        })
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
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.0 == 1 { "" } else { "s" };
        write!(f, "{} byte{s}", Grouped(self.0))
    }
}

/// Milliseconds as seconds with three decimals.
struct Seconds(u32);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03} s", self.0 / 1000, self.0 % 1000)
    }
}

/// "1 mouse event", "1,200 mouse events".
struct MouseEvents(u32);

impl fmt::Display for MouseEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.0 == 1 { "" } else { "s" };
        write!(f, "{} mouse event{s}", Grouped(u64::from(self.0)))
    }
}

/// "nothing", or "cell (3, 4) shows 2".
struct Shown(Option<(Cell, Face)>);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((cell, face)) => write!(f, "cell {cell} shows {face}"),
            None => f.write_str("nothing more"),
        }
    }
}

/// Defines the rules once: variant, code, severity, and (through `thiserror`) the sentence.
macro_rules! rules {
    ($(
        $(#[$doc:meta])*
        $name:ident $({ $($(#[$fdoc:meta])* $field:ident : $ty:ty),* $(,)? })? = $code:literal, $severity:ident;
    )*) => {
        /// One rule of the format or of the game, with the numbers that break it.
        ///
        /// The reader raises the rules of severity [`Severity::Error`] that stand in its way;
        /// [`audit`](crate::rmv::audit) names them all. Each has a code, documented in the book.
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

            /// The stable code, such as `rmv.file-size`.
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
    /// The file does not start with `*rmv`.
    #[error("the file starts with \"{}\", an RMV file starts with \"*rmv\"", found.escape_ascii())]
    Signature { found: Vec<u8> } = "rmv.signature", Error;
    /// `file_type` is neither 1 nor 2.
    #[error("format version {found}; versions 1 and 2 exist")]
    FileType { found: u16 } = "rmv.file-type", Error;
    /// The file ends before a section does.
    #[error("the file ends in the {section}: {} needed, {} left", Bytes(*needed), Bytes(*left))]
    Truncated { section: Section, needed: u64, left: u64 } = "rmv.truncated", Error;
    /// A section's content is shorter than its declared size.
    #[error("the {section} is declared as {}, its content takes {}", Bytes(*declared), Bytes(*used))]
    SectionSize { section: Section, declared: u64, used: u64 } = "rmv.section-size", Error;
    /// A count of entries does not fit the section's declared size.
    #[error("the {section} claims {} entries, its {} cannot hold them", Grouped(*count), Bytes(*bytes))]
    SectionCount { section: Section, count: u64, bytes: u64 } = "rmv.section-count", Error;
    /// A board without a square.
    #[error("the board has {cols} columns and {rows} rows")]
    BoardEmpty { cols: u8, rows: u8 } = "rmv.board-empty", Error;
    /// A mine outside of the board.
    #[error("mine {index} is in cell {cell}, the board is {cols} x {rows}")]
    MineOutside { index: u32, cell: Cell, cols: u8, rows: u8 } = "rmv.mine-outside", Error;
    /// Two mines in one cell.
    #[error("mine {index} is in cell {cell}, where another one is already")]
    MineDuplicate { index: u32, cell: Cell } = "rmv.mine-duplicate", Error;
    /// A flag outside of the board.
    #[error("preflag {index} is in cell {cell}, the board is {cols} x {rows}")]
    PreflagOutside { index: u32, cell: Cell, cols: u8, rows: u8 } = "rmv.preflag-outside", Error;
    /// Two preflags in one cell.
    #[error("preflag {index} is in cell {cell}, where another one is already")]
    PreflagDuplicate { index: u32, cell: Cell } = "rmv.preflag-duplicate", Error;
    /// Fewer properties than the version has.
    #[error("{found} properties, this version has at least {needed}")]
    PropertyMissing { found: u16, needed: u16 } = "rmv.property-missing", Error;
    /// A yes/no property that is neither 0 nor 1.
    #[error("property {name} is {value}, it can be 0 or 1")]
    PropertyValue { name: &'static str, value: u8 } = "rmv.property-value", Error;
    /// A game mode that this version does not have (v1: 0 to 3, v2: 0 to 13).
    #[error("game mode {value}; version {} has 0 to {max}", version.number())]
    ModeUnknown { value: u8, version: Version, max: u8 } = "rmv.mode-unknown", Error;
    /// A level that does not exist.
    #[error("level {value}; levels 0 to 3 exist")]
    LevelUnknown { value: u8 } = "rmv.level-unknown", Error;
    /// v2 squares of no size.
    #[error("the squares are 0 pixels wide")]
    SquareSizeZero = "rmv.square-size", Error;
    /// Text that has to be UTF-8 and is not (specification, "Handling utf-8").
    #[error("{field} is not valid UTF-8: byte {byte:#04x} at its position {at}; the format demands UTF-8 here, such a file must be refused")]
    TextNotUtf8 { field: &'static str, at: usize, byte: u8 } = "rmv.text-utf8", Error;
    /// An event code with no meaning in this version.
    #[error("event code {code} has no meaning in version {}", version.number())]
    EventCode { code: u8, version: Version } = "rmv.event-code", Error;
    /// The video section ends inside an event.
    #[error("an event of code {code} takes {needed} bytes, {left} are left in the video section")]
    EventCut { code: u8, needed: u64, left: u64 } = "rmv.event-cut", Error;
    /// A reduced mouse move with nothing to be relative to.
    #[error("a reduced mouse move before any mouse event")]
    ReducedFirst = "rmv.event-reduced-first", Error;
    /// Time runs backwards.
    #[error("time runs backwards, from {} to {}", Seconds(*before), Seconds(*now))]
    TimeOrder { before: u32, now: u32 } = "rmv.event-time-order", Error;
    /// Reduced moves add up to a time that 24 bits cannot hold.
    #[error("the time is {} ms, 24 bits hold 16,777,215", Grouped(u64::from(*now)))]
    TimeRange { now: u32 } = "rmv.event-time-range", Error;
    /// Reduced moves add up to a position that 16 bits cannot hold.
    #[error("the cursor is at ({x}, {y}), 16 bits hold -32,768 to 32,767")]
    PositionRange { x: i32, y: i32 } = "rmv.event-position", Error;
    /// A board event outside of the board.
    #[error("cell {cell} changes, the board is {cols} x {rows}")]
    EventCell { cell: Cell, cols: u8, rows: u8 } = "rmv.event-cell", Error;
    /// The video section ends without a termination event.
    #[error("the video section ends after {} events without a termination event", Grouped(u64::from(*events)))]
    TerminationMissing { events: u32 } = "rmv.termination-missing", Error;
    /// Something other than nothing or five bytes behind the termination event.
    #[error("{} behind the termination event, five are known", Bytes(*found))]
    TailSize { found: u64 } = "rmv.tail-size", Error;
    /// Bytes behind the checksum, where the file ends.
    #[error("{} behind the checksum, where the file should end", Bytes(*found))]
    TrailingBytes { found: u64 } = "rmv.trailing-bytes", Error;
    /// `file_size` is neither the real size nor (v2) that less 2.
    #[error("file_size says {}, the file has {}", Bytes(u64::from(*declared)), Bytes(*real))]
    FileSize { declared: u32, real: u64 } = "rmv.file-size-wrong", Error;
    /// More than the reader's [`Limits`](crate::rmv::Limits) allow.
    #[error("{what} takes {}, the limit is {}", Bytes(*claimed), Bytes(*limit))]
    Limit { what: &'static str, claimed: u64, limit: u64 } = "rmv.limit", Error;

    /// v2: `file_size` is the real size less 2, as in every known v2 file.
    #[error("file_size says {}, the file has {}: every known v2 writer leaves clone id and major version out", Bytes(u64::from(*declared)), Bytes(*real))]
    FileSizeLessTwo { declared: u32, real: u64 } = "rmv.file-size", Info;
    /// The checksum's algorithm is unpublished.
    #[error("the checksum of {bytes} bytes is not verifiable: its algorithm is unpublished")]
    Checksum { bytes: usize } = "rmv.checksum", Info;
    /// No checksum in a file of ViennaSweeper's.
    #[error("there is no checksum; ViennaSweeper always writes one")]
    ChecksumAbsent = "rmv.checksum-absent", Warning;
    /// No checksum in another program's file; the format does not ask for one.
    #[error("there is no checksum; the program that wrote the file does not have ViennaSweeper's")]
    ChecksumNone = "rmv.checksum-none", Info;
    /// A checksum of another size than every known file's, or one of zeros alone.
    #[error("the checksum {what}; every known one has 18 mixed bytes")]
    ChecksumUnusual { what: String } = "rmv.checksum-unusual", Warning;
    /// Nothing behind the termination event: what the specification says, and no known file shows.
    #[error("nothing stands behind the termination event; the specification says so, known files have five bytes there")]
    TailAbsent = "rmv.tail-absent", Info;
    /// The five bytes behind the termination event do not repeat the time.
    #[error("the bytes behind the termination event are {found:02x?}, for this time they would be {expected:02x?}")]
    Tail { found: Vec<u8>, expected: [u8; 5] } = "rmv.tail", Error;
    /// A text whose encoding had to be guessed.
    #[error("{field} has no defined encoding; it was read as {}", encoding.name())]
    TextGuessed { field: &'static str, encoding: TextEncoding } = "rmv.text-encoding", Info;
    /// Another number of player fields than the known 1 and 4.
    #[error("{count} player fields; known files have 1 or 4")]
    PlayerFieldCount { count: u16 } = "rmv.player-fields", Info;
    /// More properties than this version defines; they are kept.
    #[error("{extra} properties beyond those this version defines; they are kept")]
    PropertyExtra { extra: u16 } = "rmv.property-extra", Info;
    /// A clone id without a known program.
    #[error("clone id {id} is not a claimed one (1 is ViennaSweeper, 2 to 7 are reserved)")]
    CloneUnknown { id: u8 } = "rmv.clone-id", Info;
    /// `clone_name` is missing where it must be, or present where it must not.
    #[error("clone id {id} {}", if *present { "must not carry a clone_name property" } else { "needs a clone_name property" })]
    CloneName { id: u8, present: bool } = "rmv.clone-name", Warning;
    /// An extension property in the reserved `rmv_` namespace.
    #[error("extension property {name:?} uses the reserved prefix rmv_")]
    ExtensionReserved { name: String } = "rmv.extension-reserved", Warning;
    /// Two extension properties of one name.
    #[error("extension property {name:?} occurs more than once")]
    ExtensionDuplicate { name: String } = "rmv.extension-duplicate", Warning;
    /// Moves that SHOULD have been written in the reduced form.
    #[error("a mouse move that should have been written in the reduced form")]
    ReducibleMove = "rmv.move-reducible", Info;
    /// A timestamp event: only in very old v1 recordings, always 0.
    #[error("a timestamp event with the value {value}; only very old recordings have them, with the value 0")]
    TimestampEvent { value: u32 } = "rmv.event-timestamp", Info;
    /// The mines are not in row-major order.
    #[error("mine {index} in cell {cell} is not in row-major order, as every known file has them")]
    MineOrder { index: u32, cell: Cell } = "rmv.mine-order", Warning;
    /// Mines everywhere.
    #[error("every square is a mine")]
    NoSafeSquare = "rmv.board-full", Warning;
    /// The level does not fit the board.
    #[error("the level is {}, the board is {}", declared.name(), actual.name())]
    LevelBoard { declared: Level, actual: Level } = "rmv.level", Error;
    /// A standard board that was played as a custom one.
    #[error("the level is custom, the board is {}", actual.name())]
    LevelCustom { actual: Level } = "rmv.level-custom", Warning;
    /// A non-flagging game with flags.
    #[error("recorded as a non-flagging game, {flags} flags were placed")]
    NfFlags { flags: u32 } = "rmv.nf", Warning;
    /// The declared 3BV is not the board's.
    #[error("the recording declares 3BV {declared}, the board has {computed}")]
    Bbbv { declared: u32, computed: u32 } = "rmv.3bv", Error;
    /// The result string is not `\n(KEY:VALUE#)*\n`.
    #[error("the result string is not of the form KEY:VALUE#, or lacks {missing}")]
    ResultForm { missing: &'static str } = "rmv.result-form", Warning;
    /// The result string's SCORE is not the time.
    #[error("SCORE is {score:?} s, the time is {}", Seconds(*time_ms))]
    ResultScore { score: String, time_ms: u32 } = "rmv.score", Error;
    /// Release 2.2 writes the time plus one second.
    #[error("SCORE is {score} s, the time plus one second, as release 2.2 writes it")]
    ResultScorePlusOne { score: String } = "rmv.score-plus-one", Info;
    /// A number in the result string contradicts the rest of the file.
    #[error("the result string's {key} is {found:?}, the rest of the file says {expected}")]
    ResultValue { key: &'static str, found: String, expected: String } = "rmv.result-value", Error;
    /// A key of the result string occurs twice: readers differ in which one they show.
    #[error("the result string has {key:?} more than once")]
    ResultDuplicate { key: String } = "rmv.result-duplicate", Error;
    /// NF in the result string is not the property's value.
    #[error("the result string's NF is {found}, the property nf is {expected}")]
    ResultNf { found: u32, expected: u32 } = "rmv.result-nf", Warning;
    /// A name in the result string differs from the player field, and both are plain ASCII.
    #[error("the result string's {key} differs from the player field")]
    ResultText { key: &'static str } = "rmv.result-text", Warning;
    /// As before, where the encodings of the two may differ.
    #[error("the result string's {key} differs from the player field, which is not plain ASCII")]
    ResultTextEncoding { key: &'static str } = "rmv.result-text-encoding", Info;
    /// The first mouse event is not `lmb_up` at 0.
    #[error("the first mouse event is {} at {}; games start with lmb_up at 0.000 s", action.name(), Seconds(*time_ms))]
    FirstEvent { action: MouseAction, time_ms: u32 } = "rmv.first-event", Warning;
    /// No mouse event at all.
    #[error("there is no mouse event")]
    NoMouseEvent = "rmv.no-mouse", Warning;
    /// nFlags contradicts the events.
    #[error("nFlags is {recorded} after {}, the events give {expected}", action.name())]
    Buttons { recorded: u8, expected: u8, action: MouseAction } = "rmv.buttons", Error;
    /// nFlags has bits without a meaning.
    #[error("nFlags is {recorded:#04x}; bits 3 to 7 have no known meaning")]
    ButtonsUnknown { recorded: u8 } = "rmv.buttons-unknown", Warning;
    /// The first board event that the rules of the game do not give, and no doubt excuses.
    #[error("the recording says {}, the rules give {}", Shown(*recorded), Shown(*expected))]
    BoardEvent { recorded: Option<(Cell, Face)>, expected: Option<(Cell, Face)> } = "rmv.board-event", Error;
    /// Board events that differ where nobody has published the rules, as far as some program
    /// could have made them: the first of them, and how many mouse events they belong to.
    #[error("the recording says {}, standard rules give {}; {why}; so the board events of {} are in doubt", Shown(*recorded), Shown(*expected), MouseEvents(*times))]
    BoardEventUnproven { recorded: Option<(Cell, Face)>, expected: Option<(Cell, Face)>, why: &'static str, times: u32 } = "rmv.board-event-unproven", Warning;
    /// A game mode of which not everything is known. Board and ending are checked all the same.
    #[error("game mode {}, {}: {}; {}", mode.code(), mode.name(), mode.rules().changes, mode.rules().unknown.unwrap_or("all of it is known"))]
    ModeUnproven { mode: Mode } = "rmv.mode-unproven", Info;
    /// Board events one mouse event late: known from release 3.0.2.
    #[error("board events recorded one mouse event late, as release 3.0.2 does at times")]
    BoardEventLag = "rmv.board-event-lag", Warning;
    /// Mouse events after the game was over.
    #[error("a {} after the game was over", action.name())]
    AfterEnd { action: MouseAction } = "rmv.after-end", Error;
    /// The outcome is not the one the rules give.
    #[error("the recording ends in {recorded}, the rules give {expected}")]
    Outcome { recorded: Outcome, expected: Outcome } = "rmv.outcome", Error;
    /// The time of the termination event is not the last mouse event's.
    #[error("the game is recorded as {}, its last mouse event is at {}", Seconds(*time_ms), Seconds(*last))]
    EndTime { time_ms: u32, last: u32 } = "rmv.time", Error;
    /// An aborted game may end after the last mouse event.
    #[error("the game was left at {}, its last mouse event is at {}", Seconds(*time_ms), Seconds(*last))]
    EndTimeLater { time_ms: u32, last: u32 } = "rmv.time-later", Info;
    /// A mode that the ranking excludes.
    #[error("not for the ranking: mode {} is excluded", mode.name())]
    RankMode { mode: Mode } = "rmv.rank-mode", Warning;
    /// A board below the ranking's minimum.
    #[error("not for the ranking: 3BV {bbbv}, {} boards need at least {min}", level.name())]
    RankBbbv { bbbv: u32, min: u32, level: Level } = "rmv.rank-3bv", Warning;
    /// A board size that the ranking does not have.
    #[error("not for the ranking: the board is none of 8x8/10, 16x16/40, 30x16/99")]
    RankBoard = "rmv.rank-board", Info;
    /// A game that was not won.
    #[error("not for the ranking: the game was not won")]
    RankOutcome = "rmv.rank-outcome", Info;
    /// Faster than anybody plays; known files stay below 6 3BV/s.
    #[error("{rate:.2} 3BV/s on a board of 3BV {bbbv}: nobody is known to play so fast")]
    Rate { rate: f64, bbbv: u32 } = "rmv.rate", Warning;
    /// Buttons at two places at once.
    #[error("hint: two button events in the same millisecond, {pixels} pixels apart")]
    HintInstant { pixels: u32 } = "rmv.hint-instant", Info;
    /// The cursor jumped further than a hand moves a mouse.
    #[error("hint: the cursor jumps {pixels} pixels in {millis} ms")]
    HintSpeed { pixels: u32, millis: u32 } = "rmv.hint-speed", Info;
    /// Nothing at all happened for long.
    #[error("hint: nothing happens for {}", Seconds(*millis))]
    HintPause { millis: u32 } = "rmv.hint-pause", Info;
    /// A button went down, or up, twice in a row.
    #[error("hint: {} with the button already {}", action.name(), if *down { "down" } else { "up" })]
    HintButton { action: MouseAction, down: bool } = "rmv.hint-button", Info;
}

/// A rule that was broken or stretched, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// Which, with its numbers.
    pub rule: Rule,
    /// Byte offset in the file.
    pub offset: Option<u64>,
    /// Index of the event, counted from 0 over mouse and board events.
    pub event: Option<u32>,
    /// Game time in milliseconds.
    pub time_ms: Option<u32>,
    /// How many more times the same rule was broken behind this place.
    pub repeats: u32,
}

impl Finding {
    /// A finding about the file as a whole.
    #[must_use]
    pub const fn new(rule: Rule) -> Self {
        Self {
            rule,
            offset: None,
            event: None,
            time_ms: None,
            repeats: 0,
        }
    }

    /// With a byte offset.
    #[must_use]
    pub const fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// With an event's index and time.
    #[must_use]
    pub const fn event(mut self, index: u32, time_ms: u32) -> Self {
        self.event = Some(index);
        self.time_ms = Some(time_ms);
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

    /// The sentence without severity, code and place.
    #[must_use]
    pub fn message(&self) -> String {
        match self.repeats {
            0 => self.rule.to_string(),
            1 => format!("{} (and once more)", self.rule),
            n => format!("{} (and {} times more)", self.rule, Grouped(u64::from(n))),
        }
    }

    /// `event 6,412, 34.884 s, byte 52,001`, as far as it is known.
    #[must_use]
    pub fn place(&self) -> String {
        let mut parts = Vec::new();
        if let Some(event) = self.event {
            parts.push(format!("event {}", Grouped(u64::from(event))));
        }
        if let Some(time) = self.time_ms {
            parts.push(Seconds(time).to_string());
        }
        if let Some(offset) = self.offset {
            parts.push(format!("byte {}", Grouped(offset)));
        }
        parts.join(", ")
    }
}

/// `error rmv.board-event, event 6,412, 34.884 s, byte 52,001: the recording says …`
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

impl Rule {
    /// The section a rule about sections speaks of.
    #[must_use]
    pub const fn section(&self) -> Option<Section> {
        match self {
            Self::Truncated { section, .. }
            | Self::SectionSize { section, .. }
            | Self::SectionCount { section, .. } => Some(*section),
            _ => None,
        }
    }
}

/// Findings, one for each code and section: the first place, and how often it came again.
///
/// Bounded by the number of rules, whatever the input.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Adds a finding, or counts it where its code (of the same section) is known already.
    pub fn push(&mut self, finding: Finding) {
        let same = |f: &&mut Finding| {
            f.code() == finding.code() && f.rule.section() == finding.rule.section()
        };
        match self.0.iter_mut().find(same) {
            Some(known) => known.repeats = known.repeats.saturating_add(1),
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
