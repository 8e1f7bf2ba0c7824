//! Every rule that a recording can break or stretch. Errors and findings use the same rules.

use std::time::{Duration, UNIX_EPOCH};

use gametape_core::text::{Bytes, Counted, Grouped, Left};

use super::error::Section;
use crate::engine::Doubt;
use crate::event::{Shown, game_time};
use crate::{BoardEvent, Cell, Level, Mode, MouseAction, Outcome, TextEncoding, Version};

gametape_core::rules! {
    /// One rule of the format or of the game, with the figures that break it.
    ///
    /// The reader raises the rules of severity [`Severity::Error`](super::Severity::Error) that stand
    /// in its way; [`audit`](super::audit()) names them all.
    pub enum Rule: "event", group = section;

    /// The file does not start with `*rmv`.
    ///
    /// It is not an RMV file, whatever its name says.
    #[error("the file starts with \"{}\", an RMV file starts with \"*rmv\"", found.escape_ascii())]
    Signature { found: Vec<u8> } = "rmv.signature", Error;
    /// Neither version 1 nor 2.
    ///
    /// Look for a newer gametape.
    #[error("format version {found}; versions 1 and 2 exist")]
    FileType { found: u16 } = "rmv.file-type", Error;
    /// The file ends before one of its sections does.
    ///
    /// Ask for the file again; `gametape repair` keeps the whole events.
    #[error("the file ends in the {section}: {} needed, {}", Bytes(*needed), Left(*left))]
    Truncated { section: Section, needed: u64, left: u64 } = "rmv.truncated", Error, Truncated;
    /// A section's content does not fill its declared size.
    ///
    /// Edited or written by a faulty program: refuse.
    #[error("the {section} is declared as {}, its content takes {}", Bytes(*declared), Bytes(*used))]
    SectionSize { section: Section, declared: u64, used: u64 } = "rmv.section-size", Error;
    /// A section claims more entries than it can hold.
    ///
    /// Edited or written by a faulty program: refuse.
    #[error("the {section} claims {} entries, its {} cannot hold them", Grouped(*count), Bytes(*bytes))]
    SectionCount { section: Section, count: u64, bytes: u64 } = "rmv.section-count", Error;
    /// No columns or no rows.
    ///
    /// Refuse.
    #[error("the board has {cols} columns and {rows} rows")]
    BoardEmpty { cols: u8, rows: u8 } = "rmv.board-empty", Error;
    /// A mine beyond the edge.
    ///
    /// Refuse.
    #[error("mine {index} is in cell {cell}, the board is {cols} x {rows}")]
    MineOutside { index: u32, cell: Cell, cols: u8, rows: u8 } = "rmv.mine-outside", Error;
    /// Two mines in one cell.
    ///
    /// Refuse.
    #[error("mine {index} is in cell {cell}, where another one is already")]
    MineDuplicate { index: u32, cell: Cell } = "rmv.mine-duplicate", Error;
    /// A flag beyond the edge.
    ///
    /// Refuse.
    #[error("preflag {index} is in cell {cell}, the board is {cols} x {rows}")]
    PreflagOutside { index: u32, cell: Cell, cols: u8, rows: u8 } = "rmv.preflag-outside", Error;
    /// Two flags in one cell.
    ///
    /// Refuse.
    #[error("preflag {index} is in cell {cell}, where another one is already")]
    PreflagDuplicate { index: u32, cell: Cell } = "rmv.preflag-duplicate", Error;
    /// Fewer properties than the version has.
    ///
    /// Refuse.
    #[error("{found} properties, this version has at least {needed}")]
    PropertyMissing { found: u16, needed: u16 } = "rmv.property-missing", Error;
    /// A yes/no property that is neither.
    ///
    /// Refuse.
    #[error("property {name} is {value}, it can be 0 or 1")]
    PropertyValue { name: &'static str, value: u8 } = "rmv.property-value", Error;
    /// A game mode that this version does not have (v1: 0 to 3, v2: 0 to 13).
    ///
    /// Refuse, or look for a newer gametape.
    #[error("game mode {value}; version {} has 0 to {max}", version.number())]
    ModeUnknown { value: u8, version: Version, max: u8 } = "rmv.mode-unknown", Error;
    /// A level that does not exist.
    ///
    /// Refuse.
    #[error("level {value}; levels 0 to 3 exist")]
    LevelUnknown { value: u8 } = "rmv.level-unknown", Error;
    /// Cells of 0 pixels.
    ///
    /// Refuse.
    #[error("the cells are 0 pixels wide")]
    CellSizeZero = "rmv.cell-size", Error;
    /// Text that has to be UTF-8 is not.
    ///
    /// The specification demands refusal; ask the player for the original, or `repair` a copy for
    /// display.
    #[error("{field} is not valid UTF-8: byte {byte:#04x} at its position {at}; the format demands UTF-8 here, such a file must be refused")]
    TextNotUtf8 { field: &'static str, at: usize, byte: u8 } = "rmv.text-utf8", Error;
    /// A code without a meaning.
    ///
    /// Damaged: `repair` keeps what is before it.
    #[error("event code {code} has no meaning in version {}", version.number())]
    EventCode { code: u8, version: Version } = "rmv.event-code", Error;
    /// The video section ends inside an event.
    ///
    /// Damaged: `repair` keeps what is before it.
    #[error("an event of code {code} takes {}, {} in the video section", Bytes(*needed), Left(*left))]
    EventCut { code: u8, needed: u64, left: u64 } = "rmv.event-cut", Error;
    /// A reduced move with nothing to be relative to.
    ///
    /// Refuse.
    #[error("a reduced mouse move before any mouse event")]
    ReducedFirst = "rmv.event-reduced-first", Error;
    /// Time runs backwards.
    ///
    /// Edited or damaged: refuse.
    #[error("time runs backwards, from {} to {}", game_time(*before_ms), game_time(*now_ms))]
    TimeOrder { before_ms: u32, now_ms: u32 } = "rmv.event-time-order", Error;
    /// Reduced moves lead beyond 24 bits of time.
    ///
    /// Refuse.
    #[error("the time is {} ms, 24 bits hold 16,777,215", Grouped(u64::from(*now_ms)))]
    TimeRange { now_ms: u32 } = "rmv.event-time-range", Error;
    /// Reduced moves lead beyond 16 bits of pixels.
    ///
    /// Refuse.
    #[error("the cursor is at ({x}, {y}), 16 bits hold -32,768 to 32,767")]
    PositionRange { x: i32, y: i32 } = "rmv.event-position", Error;
    /// A cell changes beyond the edge of the board.
    ///
    /// Refuse.
    #[error("cell {cell} changes, the board is {cols} x {rows}")]
    EventCell { cell: Cell, cols: u8, rows: u8 } = "rmv.event-cell", Error;
    /// The video section ends without a termination event.
    ///
    /// Cut or edited; `repair` keeps the events.
    #[error("the video section ends after {} without a termination event", Counted(u64::from(*events), "event"))]
    TerminationMissing { events: u32 } = "rmv.termination-missing", Error;
    /// The number of bytes after the termination event is neither 0 nor 5.
    ///
    /// Edited: refuse.
    #[error("{} after the termination event; known files have five", Bytes(*found))]
    TailSize { found: u64 } = "rmv.tail-size", Error;
    /// Bytes after the checksum.
    ///
    /// Something was appended: refuse; `repair` drops them.
    #[error("{} after the checksum, where the file should end", Bytes(*found))]
    TrailingBytes { found: u64 } = "rmv.trailing-bytes", Error;
    /// The stated size is neither the real size nor, in v2, the real size minus 2.
    ///
    /// The file was cut, extended or edited: refuse.
    #[error("file_size says {}, the file has {}", Bytes(u64::from(*declared)), Bytes(*real))]
    FileSize { declared: u32, real: u64 } = "rmv.file-size-wrong", Error;
    /// A section claims more than gametape is willing to hold.
    ///
    /// A damaged size field, most likely: treat as truncated.
    #[error("{what} takes {}, the limit is {}", Bytes(*claimed), Bytes(*limit))]
    Limit { what: &'static str, claimed: u64, limit: u64 } = "rmv.limit", Error, Limit;
    /// v2: the stated size is the real size minus 2.
    ///
    /// Fine: every known v2 file has this.
    #[error("file_size says {}, the file has {}: every known v2 writer leaves clone id and major version out", Bytes(u64::from(*declared)), Bytes(*real))]
    FileSizeLessTwo { declared: u32, real: u64 } = "rmv.file-size", Info;
    /// There is a checksum; only ViennaSweeper can verify it.
    ///
    /// Nothing.
    #[error("the checksum of {} is not verifiable: its algorithm is unpublished", Bytes(*bytes))]
    Checksum { bytes: u64 } = "rmv.checksum", Info;
    /// A file of ViennaSweeper, by its clone id or version info, without a checksum.
    ///
    /// The checksum was removed, or the file was repaired or converted: ask for the original.
    #[error("there is no checksum; ViennaSweeper always writes one")]
    ChecksumAbsent = "rmv.checksum-absent", Warning;
    /// Another program's file, without a checksum.
    ///
    /// Fine as a file; a ranking that relies on ViennaSweeper's checksum cannot rely on this file.
    #[error("there is no checksum; the program that wrote the file does not have ViennaSweeper's")]
    ChecksumNone = "rmv.checksum-none", Info;
    /// A checksum of another size than 18 bytes, or of ten different bytes or fewer.
    ///
    /// It was replaced: ask for the original.
    #[error("the checksum {}; every known one has 18 mixed bytes", if *bytes == 18 { "has too few different bytes".to_owned() } else { format!("has {}", Bytes(*bytes)) })]
    ChecksumUnusual { bytes: u64, mixed: bool } = "rmv.checksum-unusual", Warning;
    /// No bytes after the termination event.
    ///
    /// Fine by the specification, but no known file is like this.
    #[error("there are no bytes after the termination event; this follows the specification, but known files have five bytes there")]
    TailAbsent = "rmv.tail-absent", Info;
    /// The five bytes after the termination event do not repeat the time.
    ///
    /// The time was edited in one place only: refuse.
    #[error("the bytes after the termination event are {found:02x?}; for this time they should be {expected:02x?}")]
    Tail { found: Vec<u8>, expected: [u8; 5] } = "rmv.tail", Error;
    /// A v1 text without a defined encoding; the finding names the encoding that was guessed.
    ///
    /// Nothing.
    #[error("{field} has no defined encoding; it was read as {}", encoding.name())]
    TextGuessed { field: &'static str, encoding: TextEncoding } = "rmv.text-encoding", Info;
    /// Another number of player fields than 1 or 4.
    ///
    /// Another program.
    #[error("{}; known files have 1 or 4", Counted(u64::from(*count), "player field"))]
    PlayerFieldCount { count: u16 } = "rmv.player-fields", Info;
    /// More properties than are known; they are kept.
    ///
    /// A newer program: fine.
    #[error("{} beyond those this version defines; they are kept", Counted(u64::from(*extra), "property"))]
    PropertyExtra { extra: u16 } = "rmv.property-extra", Info;
    /// A clone id that nobody has claimed.
    ///
    /// Another program.
    #[error("clone id {id} is not a claimed one (1 is ViennaSweeper, 2 to 7 are reserved)")]
    CloneUnknown { id: u8 } = "rmv.clone-id", Info;
    /// `clone_name` missing with clone id 0, or present with another id.
    ///
    /// A program that does not follow the specification.
    #[error("clone id {id} {}", if *present { "must not carry a clone_name property" } else { "needs a clone_name property" })]
    CloneName { id: u8, present: bool } = "rmv.clone-name", Warning;
    /// An extension property named `rmv_…`.
    ///
    /// A program that does not follow the specification.
    #[error("extension property {name:?} uses the reserved prefix rmv_")]
    ExtensionReserved { name: String } = "rmv.extension-reserved", Warning;
    /// An extension property twice.
    ///
    /// A program that does not follow the specification; the first one is used.
    #[error("extension property {name:?} occurs more than once")]
    ExtensionDuplicate { name: String } = "rmv.extension-duplicate", Warning;
    /// Moves in the long form where the short one should be.
    ///
    /// Another program, or one that does not follow the recommendation: fine.
    #[error("a mouse move that should have been written in the reduced form")]
    ReducibleMove = "rmv.move-reducible", Info;
    /// A timestamp event, as only very old files have them.
    ///
    /// Fine in v1 files of that age.
    #[error("a timestamp event with the value {value}; only very old recordings have them, with the value 0")]
    TimestampEvent { value: u32 } = "rmv.event-timestamp", Info;
    /// A feature of a later release of ViennaSweeper than the one that the version info names:
    /// version 2 of the format (5.0), the token's player field (4.0), the utf8 property (4.0).
    ///
    /// The version info, or the field, was edited: refuse.
    #[error("{field} came with release {since} of ViennaSweeper, the version info names release {release}")]
    ReleaseField { field: &'static str, since: &'static str, release: String } = "rmv.release-field", Error;
    /// A field that differs from all known files of the named release: the number of player fields
    /// or properties, the version of the format, the major version beside the clone id.
    ///
    /// Edited, or a release nobody has seen: ask for the original.
    #[error("{field}: {found}; known files of release {release} of ViennaSweeper have {known}")]
    ReleaseUnusual { field: &'static str, found: u32, known: u32, release: String } = "rmv.release-unusual", Warning;
    /// The version info names ViennaSweeper but no release.
    ///
    /// Every known file names one: look at who wrote it.
    #[error("the version info names ViennaSweeper but no release; every known file names one")]
    ReleaseMissing = "rmv.release-missing", Warning;
    /// Clone id and version info name different programs; or a property of ViennaSweeper's own,
    /// `vsweep_…`, stands in another program's file.
    ///
    /// One of them was edited: ask for the original.
    #[error("clone id {id} {} ViennaSweeper, and the {by} {}", if *id == 1 { "is" } else { "is not" }, if *id == 1 { "does not name it" } else { "is ViennaSweeper's" })]
    ReleaseClone { id: u8, by: &'static str } = "rmv.release-clone", Warning;
    /// The time the board was made is 0.
    ///
    /// It was removed, or was never known: ask when the game was played.
    #[error("the time at which the board was made is missing: it is 0")]
    DateMissing = "rmv.date-missing", Warning;
    /// The board is older than the program, or than the format.
    ///
    /// The date or the version info was edited, or the player's clock was wrong: ask.
    #[error("the board was made on {}, {what} is not older than {not_before}", date(*generated))]
    DateEarly { generated: u32, what: String, not_before: u16 } = "rmv.date-early", Warning;
    /// The board will be made more than a day from now.
    ///
    /// The date was edited, or a clock is wrong: the player's, or the one of this machine.
    #[error("the board was made on {}, today is {}", date(*generated), date(*today))]
    DateFuture { generated: u32, today: u32 } = "rmv.date-future", Warning;
    /// The mines are not stored row by row; in every known file they are.
    ///
    /// Another program, or an edited board: look at who wrote it.
    #[error("mine {index} in cell {cell} is not in row-major order, as every known file has them")]
    MineOrder { index: u32, cell: Cell } = "rmv.mine-order", Warning;
    /// Every cell is a mine.
    ///
    /// Nothing to play; not a game.
    #[error("every cell is a mine")]
    NoSafeCell = "rmv.board-full", Warning;
    /// The level does not fit the board.
    ///
    /// Edited: refuse.
    #[error("the level is {}, the board is {}", declared.name(), actual.name())]
    LevelBoard { declared: Level, actual: Level } = "rmv.level", Error;
    /// A standard board, recorded as a custom one.
    ///
    /// Ask how it was played; not a ranked game as it stands.
    #[error("the level is custom, the board is {}", actual.name())]
    LevelCustom { actual: Level } = "rmv.level-custom", Warning;
    /// Flags were placed, even if they were removed again, in a game that declares itself
    /// non-flagging, in the property or in the result string.
    ///
    /// Not an NF record: refuse.
    #[error("recorded as a non-flagging game, with {} placed and {unflags} taken off", Counted(u64::from(*flags), "flag"))]
    NfFlags { flags: u32, unflags: u32 } = "rmv.nf", Error;
    /// Flags were on the board before the start of a game that declares itself non-flagging.
    ///
    /// Not an NF record, whether a chord used them or not.
    #[error("recorded as a non-flagging game, with {} on the board before it began, {on_mines} of them on mines", Counted(u64::from(*preflags), "flag"))]
    NfPreflags { preflags: u32, on_mines: u32 } = "rmv.nf-preflags", Warning;
    /// The declared 3BV is not the board's.
    ///
    /// Board or 3BV was edited: refuse.
    #[error("the recording declares 3BV {declared}, the board has {computed}")]
    Bbbv { declared: u32, computed: u32 } = "rmv.3bv", Error;
    /// Malformed, or a key is missing.
    ///
    /// Another program, or edited: look.
    #[error("the result string is not of the form KEY:VALUE#, or lacks {missing}")]
    ResultForm { missing: &'static str } = "rmv.result-form", Warning;
    /// SCORE is not the time.
    ///
    /// Edited: refuse.
    #[error("SCORE is {score:?} s, the time is {}", game_time(*time_ms))]
    ResultScore { score: String, time_ms: u32 } = "rmv.score", Error;
    /// SCORE is the time plus one second, as release 2.2 writes it. In a file of a later release
    /// this is `rmv.score`.
    ///
    /// Fine; the true time is that of the recording.
    #[error("SCORE is {score} s, the time plus one second, as release 2.2 writes it")]
    ResultScorePlusOne { score: String } = "rmv.score-plus-one", Info;
    /// LEVEL, TIMESTAMP, 3BV or NF contradicts the rest of the file.
    ///
    /// Edited: refuse.
    #[error("the result string's {key} is {found:?}, the rest of the file says {expected}")]
    ResultValue { key: &'static str, found: String, expected: String } = "rmv.result-value", Error;
    /// A key occurs twice; other programs may show the other value.
    ///
    /// Edited: refuse.
    #[error("the result string has {key:?} more than once")]
    ResultDuplicate { key: String } = "rmv.result-duplicate", Error;
    /// NF differs from the property.
    ///
    /// Look.
    #[error("the result string's NF is {found}, the property nf is {expected}")]
    ResultNf { found: u32, expected: u32 } = "rmv.result-nf", Warning;
    /// NAME or NICK differs from the player field, both plain ASCII.
    ///
    /// A name was changed in one place: ask.
    #[error("the result string's {key} differs from the player field")]
    ResultText { key: &'static str } = "rmv.result-text", Warning;
    /// NAME or NICK differs from the player field, where encodings may explain it.
    ///
    /// Compare the names.
    #[error("the result string's {key} differs from the player field, which is not plain ASCII")]
    ResultTextEncoding { key: &'static str } = "rmv.result-text-encoding", Info;
    /// The game does not start with lmb_up at 0.000 s.
    ///
    /// Another program, or the start was cut out: look.
    #[error("the first mouse event is {} at {}; games start with lmb_up at 0.000 s", action.name(), game_time(*time_ms))]
    FirstEvent { action: MouseAction, time_ms: u32 } = "rmv.first-event", Warning;
    /// There is no mouse event.
    ///
    /// Nothing was played.
    #[error("there is no mouse event")]
    NoMouseEvent = "rmv.no-mouse", Warning;
    /// nFlags contradicts the button events.
    ///
    /// Events were edited or taken out: refuse.
    #[error("nFlags is {recorded} after {}, the events give {expected}", action.name())]
    Buttons { recorded: u8, expected: u8, action: MouseAction } = "rmv.buttons", Error;
    /// nFlags has bits without a known meaning.
    ///
    /// Another program: look.
    #[error("nFlags is {recorded:#04x}; bits 3 to 7 have no known meaning")]
    ButtonsUnknown { recorded: u8 } = "rmv.buttons-unknown", Warning;
    /// The rules do not give a board event of the recording, and no unpublished rule explains it;
    /// the finding names the first such event.
    ///
    /// Board events, mouse events or mines were edited: refuse, and look at the event.
    #[error("the recording says {}, the rules give {}", Shown(*recorded), Shown(*expected))]
    BoardEvent { recorded: Option<BoardEvent>, expected: Option<BoardEvent> } = "rmv.board-event", Error;
    /// Board events that differ from the standard rules in a [situation whose rules are not
    /// published](engine.md#what-real-recordings-do-not-prove), and that some program could have
    /// produced; the finding counts the mouse events in doubt. It excuses no event before or after
    /// them.
    ///
    /// Play it back and look.
    #[error("the recording says {}, standard rules give {}; {}; so the board events of {} are in doubt", Shown(*recorded), Shown(*expected), why.why(), Counted(u64::from(*times), "mouse event"))]
    BoardEventUnproven { recorded: Option<BoardEvent>, expected: Option<BoardEvent>, why: Doubt, times: u32 } = "rmv.board-event-unproven", Warning;
    /// A game mode that is not fully known; the finding says what the mode changes and what is
    /// unknown about it ([all modes](format.md#modes-and-levels)). Board events and ending are
    /// checked as in any mode.
    ///
    /// Decide whether you rank the mode.
    #[error("game mode {}, {}: {}; {}", mode.code(), mode.name(), mode.rules().changes, mode.rules().unknown.unwrap_or("all of it is known"))]
    ModeUnproven { mode: Mode } = "rmv.mode-unproven", Info;
    /// A button went down or up at another pixel than the mouse event before it, and its move there
    /// follows it in the recording, before the board events. Release 3.0.2 of ViennaSweeper records it
    /// so when the mouse moves at the moment of the press. In a file of another release or program,
    /// none of which is known to do so, it is a warning.
    ///
    /// Fine in 3.0.2. Elsewhere, play it back: the file may name another release than it was made with,
    /// or mouse events were inserted.
    #[error("{} at another pixel than the mouse event before it, followed by its move there, as release 3.0.2 of ViennaSweeper records it", action.name())]
    ButtonMoved { action: MouseAction } = "rmv.button-moved", Info;
    /// [`Rule::ButtonMoved`] in a file of another release, or of another program.
    ///
    /// Play it back.
    #[error("{} at another pixel than the mouse event before it, followed by its move there, in a file of {}; only release 3.0.2 of ViennaSweeper is known to record it so", action.name(), release.as_deref().map_or_else(|| "another program".to_owned(), |release| format!("release {release}")))]
    ButtonMovedUnknown { action: MouseAction, release: Option<String> } = "rmv.button-moved", Warning;
    /// A button went down or up at another pixel than the mouse event before it, and its move there
    /// is missing. No known recording has such a button.
    ///
    /// Moves were taken out, or the click was moved: play it back, and do not rank it unless another
    /// program explains it.
    #[error("{} is {pixels:.1} pixels away from the mouse event before it, and no move leads there", action.name())]
    ButtonPlace { action: MouseAction, pixels: f64 } = "rmv.button-place", Warning;
    /// A button that was pressed outside of the window: nFlags gains it on a move after the cursor was
    /// beside the board. The game ignores the button until it is pressed again.
    ///
    /// Fine.
    #[error("nFlags goes from {before} to {recorded} on a move from beside the board: a button was pressed outside of the window")]
    ButtonOutside { before: u8, recorded: u8 } = "rmv.button-outside", Info;
    /// Mouse events after the game was over.
    ///
    /// Refuse.
    #[error("a {} after the game was over", action.name())]
    AfterEnd { action: MouseAction } = "rmv.after-end", Error;
    /// The recorded outcome is not the one the rules give.
    ///
    /// A loss was turned into a win, or a win into something else: refuse.
    #[error("the recording ends in {recorded}, the rules give {expected}")]
    Outcome { recorded: Outcome, expected: Outcome } = "rmv.outcome", Error;
    /// The recorded time is not the last mouse event's.
    ///
    /// The time was edited in one place: refuse.
    #[error("the game is recorded as {}, its last mouse event is at {}", game_time(*time_ms), game_time(*last_ms))]
    EndTime { time_ms: u32, last_ms: u32 } = "rmv.time", Error;
    /// An aborted game that ends after its last mouse event.
    ///
    /// Fine.
    #[error("the game was left at {}, its last mouse event is at {}", game_time(*time_ms), game_time(*last_ms))]
    EndTimeLater { time_ms: u32, last_ms: u32 } = "rmv.time-later", Info;
    /// Mode upk or cheat.
    ///
    /// Do not rank.
    #[error("not for the ranking: mode {} is excluded", mode.name())]
    RankMode { mode: Mode } = "rmv.rank-mode", Warning;
    /// A standard board below the least 3BV.
    ///
    /// Do not rank.
    #[error("not for the ranking: 3BV {bbbv}, {} boards need at least {min}", level.name())]
    RankBbbv { bbbv: u32, min: u32, level: Level } = "rmv.rank-3bv", Warning;
    /// Another board than the three.
    ///
    /// Do not rank.
    #[error("not for the ranking: the board is none of 8x8/10, 16x16/40, 30x16/99")]
    RankBoard = "rmv.rank-board", Info;
    /// Not won.
    ///
    /// Do not rank.
    #[error("not for the ranking: the game was not won")]
    RankOutcome = "rmv.rank-outcome", Info;
    /// More 3BV/s than anybody plays: 10 + 100/3BV, which is 43 for 3BV 3, 20 for 10 and 11 for 100.
    /// Known games reach 0.55 of it.
    ///
    /// The times were edited, or a program played: refuse.
    #[error("{rate:.2} 3BV/s for 3BV {bbbv}: nobody is known to play more than {most:.1}")]
    Rate { rate: f64, bbbv: u32, most: f64 } = "rmv.rate", Warning;
    /// More than 50 clicks a second that changed the board, over the whole game. Known games reach 6.5.
    ///
    /// The times were edited, or a program played: refuse.
    #[error("{} that changed the board in {time_ms} ms: no hand clicks so fast", Counted(u64::from(*clicks), "click"))]
    ClickRate { clicks: u32, time_ms: u32 } = "rmv.click-rate", Warning;
    /// A win on expert in less than 20 s, or on intermediate in less than 4 s; the records of the
    /// world are at 26.6 s and about 6 s.
    ///
    /// The times were edited, or a program played; or it is a record that everybody will hear of.
    #[error("{} is won in {}; below {} nobody is known to win it", level.name(), game_time(*time_ms), game_time(*least_ms))]
    Pace { time_ms: u32, level: Level, least_ms: u32 } = "rmv.pace", Warning;
    /// Only part of the times are on the grid of the Windows tick, t = ⌊k · 15.625 + p/8⌋ ms with
    /// one p per game; the finding names the place where this changes. In known games either all
    /// times are on the grid, or as many as by chance, 6%.
    ///
    /// Times were edited, or two games were joined: play it back there.
    #[error("{on} of {} are on the grid of the Windows tick, and not all; it changes here", Counted(u64::from(*times), "time"))]
    ClockPart { on: u32, times: u32 } = "rmv.clock-part", Warning;
    /// All times are on a grid of the Windows tick, but not on the same one: from some event on,
    /// the grid is shifted.
    ///
    /// A piece of the game was cut out or inserted, or two games were joined: play it back there.
    #[error("{on} of {} are on one grid of the Windows tick, {other} on another; from here on it is shifted by {shift:+.3} ms, so time was cut out or inserted", Counted(u64::from(*times), "time"))]
    ClockShift { on: u32, other: u32, times: u32, shift: f64 } = "rmv.clock-shift", Warning;
    /// Times on a grid whose period is not a whole multiple of the Windows tick: they were on the
    /// tick and were then scaled, or rounded to whole milliseconds.
    ///
    /// Refuse: if they were scaled, the true time is the recorded one divided by the factor.
    #[error("{on} of {} are on a grid of {period:.3} ms, {factor:.4} times the Windows tick: all times were scaled, or rounded", Counted(u64::from(*times), "time"))]
    ClockScaled { period: f64, factor: f64, on: u32, times: u32 } = "rmv.clock-scaled", Warning;
    /// Times that are not on the grid of the Windows tick, although those of every known game of
    /// the release are.
    ///
    /// The times were edited, or the machine had another clock than the known ones: look.
    #[error("{on} of {} are on the grid of the Windows tick, as many as by chance; in {} known of release {release} all are", Counted(u64::from(*times), "time"), if *known == 1 { "the one game".to_owned() } else { format!("all {known} games") })]
    ClockOff { on: u32, times: u32, known: u32, release: &'static str } = "rmv.clock-off", Warning;
    /// Times on the grid of the Windows tick, although known games of the release have a clock of 1
    /// ms.
    ///
    /// Most likely another kind of machine than the known ones.
    #[error("all {} are on the grid of the Windows tick; known games of release {release} have a clock of 1 ms", Counted(u64::from(*times), "time"))]
    ClockGrid { times: u32, release: &'static str } = "rmv.clock-grid", Info;
    /// Times on a grid of 10 ms, the tick of some old machines, or of 16.7 ms, one frame of a
    /// screen.
    ///
    /// Such a machine, or times that were scaled to look like one: look at this player's other
    /// games.
    #[error("{on} of {} are on a grid of {period:.3} ms, which some machines have and no known game", Counted(u64::from(*times), "time"))]
    ClockOther { period: f64, on: u32, times: u32 } = "rmv.clock-other", Info;
    /// Mouse events that are all equally far apart in time.
    ///
    /// A hand rests at times, and no clock gives such times: refuse.
    #[error("{} are all {ms:.2} ms apart: no clock gave these times", Counted(u64::from(*events), "mouse event"))]
    TimesEven { ms: f64, events: u32 } = "rmv.times-even", Warning;
    /// The time between two mouse events does not depend on the one before, and the left button is
    /// held for shorter or more varied times than any hand holds it: the times are random. In known
    /// games with a clock of 1 ms the correlation is 0.21 to 0.67, and holds last at least 25 ms.
    ///
    /// Refuse.
    #[error("times between mouse events have a correlation of {link:.2} with the ones before, the left button is held for {mean_ms:.0} ms, give or take {spread_ms:.0}: no hand gave these times")]
    TimesInvented { link: f64, mean_ms: f64, spread_ms: f64 } = "rmv.times-invented", Warning;
    /// Presses, releases, or both, at equal intervals: at least ten that are equal to 2.5%; at
    /// least twenty that are equal to 6%; or 70% of at least twenty, equal to 2.5%, of one length
    /// or of two alternating lengths. In known games they differ by 19% and more; musicians who tap
    /// to a metronome differ by 3 to 5%.
    ///
    /// A program clicked, or the times were edited: refuse.
    #[error("{even} of {} between {between} are {mean_ms:.1}{} ms, to {percent:.1}%: no hand is so regular", Counted(u64::from(*times), "time"), or_ms(*other_ms))]
    PressesEven { even: u32, times: u32, between: &'static str, mean_ms: f64, other_ms: Option<f64>, percent: f64 } = "rmv.presses-even", Warning;
    /// Half of the clicks, or a quarter of them and at least eight, are on the same pixel of their
    /// cell. Only clicks in another cell than the click before count. By chance it is 1 of 256,
    /// and in known games at most 3 of 131.
    ///
    /// A program clicked: refuse.
    #[error("{same} of {} are on the same pixel of their cell", Counted(u64::from(*clicks), "click"))]
    SamePoint { same: u32, clicks: u32 } = "rmv.same-point", Warning;
    /// Most of the paths between clicks that are two cells or longer are straight to the pixel;
    /// the finding says how many of them have constant speed. In known games it is at most a quarter.
    ///
    /// A program moved the cursor, or moves were inserted between clicks: refuse.
    #[error("{straight} of {} between clicks are straight to the pixel, {even} of them at constant speed", Counted(u64::from(*ways), "path"))]
    Straight { straight: u32, ways: u32, even: u32 } = "rmv.straight", Warning;
    /// In a file of ViennaSweeper with a clock of 1 ms, most of the paths between clicks that are
    /// two cells or longer have constant speed, whatever their shape, to 2% of their length. Hands are
    /// faster in the middle: 784 of 13,453 known paths are steady to 6%, and of no game more than 36%.
    ///
    /// A program moved the cursor, or moves were inserted between clicks: refuse.
    #[error("{steady} of {} between clicks have constant speed", Counted(u64::from(*ways), "path"))]
    Steady { steady: u32, ways: u32 } = "rmv.steady", Warning;
    /// In a file of ViennaSweeper, a cursor that jumps: steps that stand alone make up half of its
    /// path; or at least ten of them make up 10% of it, with six of them for every ten paths of
    /// that length; or the mean step is three quarters of a cell. In known games the mean step is
    /// 1.0 to 2.9 pixels. A touch screen or a pen jumps, too.
    ///
    /// Moves were removed, or a program clicked; or ask what the game was played with.
    #[error("the cursor moves {mean:.1} pixels from event to event, {percent:.0}% of its path in {}; there are only {moves} moves", Counted(u64::from(*jumps), "jump"))]
    CursorJumps { mean: f64, moves: u32, jumps: u32, percent: f64 } = "rmv.cursor-jumps", Warning;
    /// Steps of more than three quarters of a cell that stand alone: the steps before and after
    /// are less than a third as long; or a few steps at more than a quarter of a cell per
    /// millisecond. A step that begins or ends beside the board is none. Known games have such steps of
    /// up to 8 pixels, and two games of release 3.0.2 have steps of 17 and 43 pixels; the finding names
    /// the longest.
    ///
    /// The program was busy, moves were removed, or the cursor was put there: play it back.
    #[error("hint: the cursor jumps {longest:.0} pixels here; {} of this kind, {percent:.0}% of the path", Counted(u64::from(*jumps), "jump"))]
    HintJump { jumps: u32, longest: f64, percent: f64 } = "rmv.hint-jump", Info;
    /// In a file of ViennaSweeper, long steps of the cursor: 0.36 of a cell on average, twice as
    /// much as in any known game.
    ///
    /// A slow pointing device, or moves were removed.
    #[error("hint: the cursor moves {mean:.1} pixels from event to event, in {moves} moves")]
    HintSteps { mean: f64, moves: u32 } = "rmv.hint-steps", Info;
    /// Half of the left clicks, the right ones or the chords are held for less than 15 ms. In known games no
    /// left click is below 25 ms, and one chord of a hundred below 41 ms.
    ///
    /// A touchpad's tap, a program, or times that were compressed.
    #[error("hint: {short} of {} are let go within 15 ms, half of them within {median} ms", Counted(u64::from(*clicks), what))]
    HintHold { what: &'static str, short: u32, clicks: u32, median: u32 } = "rmv.hint-hold", Info;
    /// All left clicks, all right ones or all chords are held equally long, or three of four for one of
    /// two times, to the millisecond; known games spread by 5 ms and more.
    ///
    /// A touchpad's tap, or a program.
    #[error("hint: {} are held for {mean:.1} ms, to {spread:.1} ms", Counted(u64::from(*clicks), what))]
    HintSameHold { what: &'static str, mean: f64, spread: f64, clicks: u32 } = "rmv.hint-same-hold", Info;
    /// Four of five clicks are within a pixel of the centre of their cell, or of twenty and more within
    /// two: by chance 1 of 16 and 1 of 7 on cells of 16 pixels.
    ///
    /// A very careful hand, or a program.
    #[error("hint: {central} of {} are within {} of the centre of their cell", Counted(u64::from(*clicks), "click"), Counted(u64::from(*pixels), "pixel"))]
    HintCentre { central: u32, clicks: u32, pixels: u32 } = "rmv.hint-centre", Info;
    /// In a file of ViennaSweeper, the time between two mouse events does not depend on the one
    /// before; in known games with a clock of 1 ms the correlation is 0.21 to 0.67.
    ///
    /// A mouse of another kind than the known ones, or invented times.
    #[error("hint: times between mouse events have a correlation of {link:.2} with the ones before")]
    HintTimes { link: f64 } = "rmv.hint-times", Info;
    /// In the middle of the game a habit of the hand or the mouse changes: how long the left button
    /// is held, or how many events come shortly after the one before. The finding gives the value
    /// before and after the change.
    ///
    /// A player who hurries or tires, or two games that were joined: play it back there.
    #[error("hint: another hand from here on? {what}: {before:.0} before, {after:.0} after")]
    HintHands { what: &'static str, before: f64, after: f64 } = "rmv.hint-hands", Info;
    /// Two button events in one millisecond, more than 16 pixels apart.
    ///
    /// Times were compressed, or a second mouse was used: play it back.
    #[error("hint: two button events in the same millisecond, {pixels} pixels apart")]
    HintInstant { pixels: u32 } = "rmv.hint-instant", Info;
    /// The cursor goes more than 60 pixels over the board from one event to the next, at more than 10
    /// pixels a millisecond; the longest step of a known game is 43 pixels, in release 3.0.2.
    ///
    /// Play it back.
    #[error("hint: the cursor jumps {pixels} pixels in {ms} ms")]
    HintSpeed { pixels: u32, ms: u32 } = "rmv.hint-speed", Info;
    /// Nothing happens for more than 20 s.
    ///
    /// Play it back.
    #[error("hint: nothing happens for {}", game_time(*ms))]
    HintPause { ms: u32 } = "rmv.hint-pause", Info;
    /// A button goes down, or up, twice in a row.
    ///
    /// Events may be missing.
    #[error("hint: {} with the button already {}", action.name(), if *down { "down" } else { "up" })]
    HintButton { action: MouseAction, down: bool } = "rmv.hint-button", Info;
}

fn or_ms(other: Option<f64>) -> String {
    other.map_or_else(String::new, |ms| format!(" or {ms:.1}"))
}

/// `2025-06-19`, in UTC.
fn date(unix: u32) -> String {
    let at = UNIX_EPOCH + Duration::from_secs(unix.into());
    let mut text = humantime::format_rfc3339_seconds(at).to_string();
    text.truncate("2025-06-19".len());
    text
}

/// The same rule in two sections gives two findings.
fn section(rule: &Rule) -> u64 {
    match rule {
        Rule::Truncated { section, .. }
        | Rule::SectionSize { section, .. }
        | Rule::SectionCount { section, .. } => *section as u64,
        _ => 0,
    }
}
