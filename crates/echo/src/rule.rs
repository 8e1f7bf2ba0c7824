//! Every rule a recording can break or stretch: the vocabulary of errors and findings alike.

use crate::finding::{Bytes, Frames, Grouped, Left, Severity};
use crate::model::TeamId;

/// Defines the rules once: variant, code, severity, and (through `thiserror`) the sentence.
macro_rules! rules {
    ($(
        $(#[$doc:meta])*
        $name:ident $({ $($(#[$fdoc:meta])* $field:ident : $ty:ty),* $(,)? })? = $code:literal, $severity:ident;
    )*) => {
        /// One rule of a format, or of what a recording should be, with the numbers that break it.
        ///
        /// Readers raise those that stand in their way; the audits name them all. Each has a
        /// code, documented in the book.
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

            /// The stable code, such as `butter.truncated`.
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
    // .butter: what stands in the way of reading.
    /// The first byte is not a version.
    #[error("the first byte is {found}; a .butter starts with its version, 1 to 3")]
    Version { found: u8 } = "butter.version", Error;
    /// The file ends before something does.
    #[error("{what} needs {}, {}", Bytes(*.needed), Left(*.left))]
    Truncated { what: &'static str, needed: u64, left: u64 } = "butter.truncated", Error;
    /// An unknown compression.
    #[error("compression {found}; 0 to 6 are defined")]
    Compression { found: u8 } = "butter.compression", Error;
    /// A chunk does not inflate.
    #[error("the chunk does not inflate: {message}")]
    Inflate { message: String } = "butter.inflate", Error;
    /// A frame starts with other bytes than a frame.
    #[error("a frame starts with FC FE or FE FE, not with {:02X} {:02X}", found[0], found[1])]
    Marker { found: [u8; 2] } = "butter.marker", Error;
    /// A frame that is no keyframe has none before it.
    #[error("the first frame is no keyframe: what it differs from is not there")]
    NoKeyframe = "butter.no-keyframe", Error;
    /// A player that the header does not have.
    #[error("player {index}; the header has {players}")]
    PlayerIndex { index: u8, players: u32 } = "butter.player-index", Error;
    /// A number of a bone that no writer writes.
    #[error("a number starts with byte {found}; 249 is the largest that one can start with")]
    Varint { found: u8 } = "butter.varint", Error;
    /// A finished recording, where one is to go on.
    #[error("the recording is finished: nothing can be added to it")]
    Finished = "butter.finished", Error;
    /// A recording that is damaged, where one is to go on.
    #[error("the recording is damaged here: going on would cut off {} that may hold frames; `repair` keeps them", Bytes(*.bytes))]
    Damaged { bytes: u64 } = "butter.damaged", Error;
    /// A chunk or frames behind the last chunk, of which the table does not know.
    #[error("{} behind the last chunk start as a chunk does, and the table does not name it; `repair` finds it", Bytes(*.bytes))]
    Unlisted { bytes: u64 } = "butter.unlisted", Error;
    /// Bytes behind the last chunk.
    #[error("{} behind the last chunk", Bytes(*.bytes))]
    Trailing { bytes: u64 } = "butter.trailing", Warning;
    // .butter: what is odd.
    /// A file of 0 bytes: a recording of no frames.
    #[error("the file is empty: a recording of no frames")]
    Empty = "butter.empty", Info;
    /// The recording was not finished: frames stand behind the chunks.
    #[error("the recording was not finished: {} behind the chunks; `repair` finishes it", Frames(*.frames))]
    Unfinished { frames: u64 } = "butter.unfinished", Warning;
    /// Chunks of size 0 at the end of the table, as the reference writes them.
    #[error("the table ends with {chunks} empty chunk{}", if *.chunks == 1 { "" } else { "s" })]
    EmptyChunks { chunks: u64 } = "butter.empty-chunks", Info;
    /// A chunk that starts with a frame that differs from the chunk before.
    #[error("chunk {chunk} starts with a frame that is no keyframe: it can't be read alone")]
    ChunkStart { chunk: u64 } = "butter.chunk-start", Warning;
    /// A chunk of more frames than the header says.
    #[error("chunk {chunk} has {frames} frames; the header says a keyframe every {interval}")]
    Interval { chunk: u64, frames: u64, interval: u16 } = "butter.keyframe-interval", Info;
    /// Keyframes within a chunk.
    #[error("chunk {chunk} has {keyframes} keyframes")]
    InnerKeyframes { chunk: u64, keyframes: u64 } = "butter.inner-keyframes", Info;
    /// Version 1 or 2.
    #[error("version {version}, which version 3 has replaced")]
    OldVersion { version: u8 } = "butter.old-version", Info;
    /// Version 3 as the reference's packages 1.3.2 and 1.3.3 wrote it.
    #[error("{chunks} chunks are laid out as the reference's packages 1.3.2 and 1.3.3 wrote version 3; later ones can't read them")]
    EarlyVersion { chunks: u64 } = "butter.early-version-3", Info;
    /// Compression 6, whose dictionary does not exist.
    #[error("the compression names a dictionary, of which none exists; read without one")]
    Dictionary = "butter.dictionary", Info;
    /// Written by the reference: differences are taken between the values themselves.
    #[error("{chunks} chunks are written as the reference writes: positions drift until the next keyframe, by up to 2^-11 of each move")]
    ReferenceWriter { chunks: u64 } = "butter.reference-writer", Info;
    /// Steady motion that is left out: the reference's own reader freezes it. Undone in reading.
    #[error("{moves} moves are left out because they repeat: readers that take them for rest freeze; this one goes on")]
    FrozenMotion { moves: u64 } = "butter.frozen-motion", Warning;
    /// Keyframes whose bones differ from the frame before. Undone in reading from the start.
    #[error("{keyframes} keyframes store bones as differences from the frame before: readers that start anew there misplace them; this one does not")]
    DriftingBones { keyframes: u64 } = "butter.drifting-bones", Warning;
    /// The same, where the frame before can't be had.
    #[error("the bones of {keyframes} keyframes differ from a frame that is not there; they are not known")]
    BonesLost { keyframes: u64 } = "butter.bones-lost", Error;
    /// Bones of more or fewer players than the frame before.
    #[error("the bones of {frames} frames are of another number of players than the frame before; the reference's reader fails there")]
    BonePlayers { frames: u64 } = "butter.bone-players", Info;
    /// Counts that go down: the difference wraps. Undone in reading.
    #[error("{counts} counts go down: their difference wraps, which the reference's reader takes for 256 more; this one does not")]
    WrappedStats { counts: u64 } = "butter.wrapped-stats", Info;
    /// Timers of pauses that a keyframe stores as 0.
    #[error("{keyframes} keyframes store 0 for the timers of a pause that goes on; taken from the frame before, or from how far they fall")]
    PauseTimers { keyframes: u64 } = "butter.pause-timers", Warning;
    /// A time that 16 bits may have cut.
    #[error("{seconds} s pass before this keyframe: either nothing was recorded, or a difference of more than 65.535 s was cut to 16 bits")]
    TimeCut { seconds: u64 } = "butter.time-cut", Info;
    /// A keyframe's time that no date stands for.
    #[error("recorded {ms} ms after 1970; dates are told from 1970 to 9999")]
    Time { ms: i64 } = "butter.time", Warning;
    /// A code that stands for nothing.
    #[error("{what} {code} is not defined")]
    Code { what: &'static str, code: u8 } = "butter.code", Warning;
    /// Bits that are not used, and set.
    #[error("unused bits of {what} are set ({bits:#04x})")]
    Reserved { what: &'static str, bits: u32 } = "butter.unused-bits", Info;
    /// A scorer or assistant that the header does not have.
    #[error("the last score names player {index}; the header has {players}")]
    ScoreIndex { index: u8, players: u32 } = "butter.score-index", Warning;
    /// A player of no name: the reference writes that for one whose name has changed.
    #[error("a player with index 0, which stands for none")]
    UnknownPlayer = "butter.unknown-player", Warning;
    /// Two players of the header have one user id.
    #[error("players {first} and {second} of the header have the same user id")]
    HeaderUserid { first: u32, second: u32 } = "butter.duplicate-userid", Warning;
    /// Two players of the header have one name: the reference takes one for the other.
    #[error("players {first} and {second} of the header have the same name")]
    HeaderName { first: u32, second: u32 } = "butter.duplicate-name", Info;
    /// Text of the header that is not ASCII.
    #[error("{what} is not ASCII")]
    NotAscii { what: &'static str } = "butter.not-ascii", Info;
    /// More than the limits allow.
    #[error("{what} of {}; the limit is {}", Bytes(*.size), Bytes(*.limit))]
    Limit { what: &'static str, size: u64, limit: u64 } = "butter.limit", Error;

    // The session, however it is recorded: what a match can't or rarely does.
    /// A recording without frames.
    #[error("the recording has no frames")]
    NoFrames = "echo.no-frames", Info;
    /// Time runs backwards.
    #[error("recorded {} ms before the frame before it", Grouped(*ms))]
    TimeBackwards { ms: u64 } = "echo.time-backwards", Warning;
    /// Two frames of one millisecond.
    #[error("recorded in the same millisecond as the frame before it")]
    SameTime = "echo.same-time", Info;
    /// Nothing recorded for more than a minute.
    #[error("recorded {} s after the frame before it; nothing is known of the time between", Grouped(*seconds))]
    TimeGap { seconds: u64 } = "echo.time-gap", Info;
    /// Frames are missing in the middle of a round.
    #[error("nothing is recorded for {} ms in the middle of a round; frames come every {interval} ms", Grouped(*ms))]
    Hole { ms: u64, interval: u64 } = "echo.hole", Info;
    /// Points rise where frames are missing.
    #[error("the points of {team} rise from {before} to {now} while nothing is recorded for {} ms", Grouped(*ms))]
    HolePoints { team: TeamId, before: f32, now: f32, ms: u64 } = "echo.hole-points", Warning;
    /// The API says that something is wrong.
    #[error("the API answers with error {code}")]
    ApiError { code: i32 } = "echo.api-error", Info;
    /// Another session: two matches in one recording.
    #[error("another session than in the frame before: from here on it is another match")]
    SessionChanged = "echo.session-changed", Warning;
    /// One session, two servers.
    #[error("the same session as in the frame before, on another server")]
    ServerChanged = "echo.server-changed", Warning;
    /// One session, two recorders.
    #[error("the same session as in the frame before, recorded by another client")]
    ClientChanged = "echo.client-changed", Warning;
    /// One session, two maps.
    #[error("the same session as in the frame before, on the map {now:?} instead of {before:?}")]
    MapChanged { before: String, now: String } = "echo.map-changed", Warning;
    /// Other teams than blue, orange and spectators.
    #[error("{found} teams; blue, orange and spectators are 3")]
    Teams { found: u64 } = "echo.teams", Info;

    /// A value that is no number.
    #[error("{what} is no finite number")]
    NotFinite { what: &'static str } = "echo.not-finite", Warning;
    /// Outside of any map.
    #[error("{what} is {metres:.0} m from the middle of the map; no map reaches 10,000 m")]
    Position { what: &'static str, metres: f32 } = "echo.position", Warning;
    /// Faster than anything.
    #[error("{what} moves at {speed:.0} m/s; nothing reaches 1,000 m/s")]
    Speed { what: &'static str, speed: f32 } = "echo.speed", Warning;
    /// Three vectors that are no rotation.
    #[error("forward, left and up of {what} are off unit length or right angles by {off:.3}; up to 0.050 is rounding")]
    Basis { what: &'static str, off: f32 } = "echo.basis", Warning;
    /// A quaternion that is no rotation.
    #[error("the rotation of a bone has length {length:.3}; up to 0.050 off 1 is rounding")]
    BoneRotation { length: f32 } = "echo.bone-rotation", Warning;
    /// A ping that no one plays with.
    #[error("a ping of {ms} ms; 0 to 10,000 are possible")]
    Ping { ms: i32 } = "echo.ping", Warning;
    /// A ratio that is none.
    #[error("a packet loss of {ratio}; a ratio is 0 to 1")]
    PacketLoss { ratio: f32 } = "echo.packet-loss", Warning;
    /// A trigger pressed more than wholly.
    #[error("an input of {value}; 0 to 1 are possible")]
    Inputs { value: f32 } = "echo.inputs", Warning;
    /// A number that the game does not give.
    #[error("{what} {found}; {low} to {high} are usual")]
    Range { what: &'static str, found: i64, low: i64, high: i64 } = "echo.range", Info;

    /// The clock goes up.
    #[error("the clock goes up from {before:.2} to {now:.2} s while the match is being played")]
    ClockUp { before: f32, now: f32 } = "echo.clock-up", Info;
    /// The clock goes up by more than a correction.
    #[error("the clock is set from {before:.2} to {now:.2} s while the match is being played")]
    ClockSet { before: f32, now: f32 } = "echo.clock-set", Warning;
    /// The clock loses more time than passes.
    #[error("the clock goes from {before:.2} to {now:.2} s while {} ms pass: something was cut out", Grouped(*ms))]
    ClockJump { before: f32, now: f32, ms: u64 } = "echo.clock-jump", Warning;
    /// The clock is slower or faster than time.
    #[error("the clock loses {lost:.1} s in {passed:.1} s of play: times were slowed down or sped up, or something was cut out")]
    ClockRate { lost: f64, passed: f64 } = "echo.clock-rate", Warning;
    /// The clock stands still.
    #[error("the clock stood at {clock:.2} s for {seconds} s while the match was being played")]
    ClockStopped { clock: f32, seconds: u64 } = "echo.clock-stopped", Info;
    /// The clock shown is not the clock.
    #[error("the clock shows {shown:?} and stands at {clock:.2} s")]
    ClockDisplay { shown: String, clock: f32 } = "echo.clock-display", Info;
    /// The clock shown is another time.
    #[error("the clock shows {shown:?} and stands at {clock:.2} s, more than a second off")]
    ClockForged { shown: String, clock: f32 } = "echo.clock-forged", Warning;
    /// Everybody is elsewhere at once.
    #[error("{moved} of {players} players are elsewhere at once, {} ms after the frame before: something was cut out", Grouped(*ms))]
    AllJump { moved: u64, players: u64, ms: u64 } = "echo.all-jump", Warning;
    /// A player is elsewhere at once.
    #[error("a player is {metres:.0} m away from where it was {ms} ms before")]
    PlayerJump { metres: f32, ms: u64 } = "echo.player-jump", Info;
    /// The disc is elsewhere at once.
    #[error("the disc is {metres:.0} m away from where it was {ms} ms before")]
    DiscJump { metres: f32, ms: u64 } = "echo.disc-jump", Info;
    /// Points are lost.
    #[error("the points of {team} fall from {before} to {now} in the middle of a round")]
    PointsFell { team: TeamId, before: f32, now: f32 } = "echo.points-fell", Warning;
    /// Points that are not those of the goal.
    #[error("the points of {team} rise by {rise}, its last score is worth {amount}")]
    GoalPoints { team: TeamId, rise: f32, amount: i32 } = "echo.goal-points", Warning;
    /// Points without a goal.
    #[error("the points of {team} rise by {rise}, and no score of that team is told within a second")]
    GoalUntold { team: TeamId, rise: f32 } = "echo.goal-untold", Warning;
    /// A goal without points.
    #[error("the last score tells of another goal of {team}, worth {amount}, and no points rise within a second")]
    GoalUncounted { team: TeamId, amount: i32 } = "echo.goal-uncounted", Warning;
    /// A scorer of the other team.
    #[error("the last score is of {team}, who scored it is in the other team")]
    GoalScorer { team: TeamId } = "echo.goal-scorer", Warning;
    /// Players have scored other points than their team.
    #[error("the points in the stats of {team}'s players rise by {stats}, those of {team} by {points}")]
    GoalStats { team: TeamId, stats: i64, points: f32 } = "echo.goal-stats", Warning;
    /// A goal that is not followed by its celebration.
    #[error("the points of {team} rise in the very frame in which the next round starts: something was cut out")]
    GoalCut { team: TeamId } = "echo.goal-cut", Warning;
    /// More rounds won than there are.
    #[error("blue has won {blue} rounds and orange {orange}, of {total}")]
    RoundScore { blue: i32, orange: i32, total: i32 } = "echo.round-score", Info;

    /// A player comes.
    #[error("a player joins {team}")]
    PlayerJoined { team: TeamId } = "echo.player-joined", Info;
    /// A player goes.
    #[error("a player leaves {team}")]
    PlayerLeft { team: TeamId } = "echo.player-left", Info;
    /// A player changes teams.
    #[error("a player goes from {before} to {now}")]
    PlayerMoved { before: TeamId, now: TeamId } = "echo.player-moved", Info;
    /// Most players are others at once.
    #[error("{gone} of {players} players are replaced at once, {} ms after the frame before: two recordings were put together", Grouped(*ms))]
    RosterChanged { gone: u64, players: u64, ms: u64 } = "echo.roster-changed", Warning;
    /// An account is there twice.
    #[error("two players have one user id")]
    DuplicateUserid = "echo.duplicate-userid", Warning;
    /// A number within the match is given twice.
    #[error("two players have the playerid {playerid}")]
    DuplicatePlayerid { playerid: i32 } = "echo.duplicate-playerid", Info;
    /// A name is there twice: a .butter takes both for one.
    #[error("two players have one name")]
    DuplicateName = "echo.duplicate-name", Info;
    /// An account has two names.
    #[error("a player has another name than before")]
    NameChanged = "echo.name-changed", Warning;
    /// A hand holds a player who is not there.
    #[error("a hand holds a player who is not there")]
    HoldingAbsent = "echo.holding-absent", Info;
    /// One disc, two who have it.
    #[error("{players} players possess at once")]
    TwoPossess { players: u64 } = "echo.two-possess", Info;
    /// A team has done less than its players.
    #[error("the {stat} of {team} are {total}, those of its players add up to {sum}")]
    TeamStats { team: TeamId, stat: &'static str, total: i32, sum: i64 } = "echo.team-stats", Info;
    /// What a player has done is undone.
    #[error("the {stat} of a player fall from {before} to {now} in the middle of a round")]
    StatsFell { stat: &'static str, before: i32, now: i32 } = "echo.stats-fell", Info;

    // .echoreplay: lines.
    /// A line without a tab.
    #[error("no tab in {found:?}; a line is a time, a tab and a session")]
    LineColumns { found: String } = "echoreplay.columns", Error;
    /// A line that starts with something else than a time.
    #[error("{found:?} is no time of the form yyyy/MM/dd HH:mm:ss.fff")]
    LineTime { found: String } = "echoreplay.time", Error;
    /// An answer that is no session, as while the game loads or restarts.
    #[error("no session: the answer was {found:?}")]
    NoSession { found: String } = "echoreplay.no-session", Warning;
    /// JSON that is none, or with a member of another type than the API's.
    #[error("the session can't be read: {message}")]
    LineJson { message: &'static str } = "echoreplay.json", Error;
    /// Bytes that are no text.
    #[error("the text is not UTF-8")]
    LineUtf8 = "echoreplay.utf8", Error;
    /// The recording ends within a line.
    #[error("the recording ends in the middle of a line, {} after its start", Bytes(*.held))]
    LineCut { held: u64 } = "echoreplay.truncated", Error;
    /// The last line does not end.
    #[error("the last line has no line ending")]
    NoNewline = "echoreplay.no-newline", Info;
    /// A line without anything.
    #[error("a blank line")]
    BlankLine = "echoreplay.blank-line", Info;
    /// A mark before the text.
    #[error("the text starts with a byte order mark")]
    ByteOrderMark = "echoreplay.bom", Info;
    /// A line longer than the limit.
    #[error("a line of more than {}, which is the limit", Bytes(*.limit))]
    LineLimit { limit: u64 } = "echoreplay.limit", Error;
    /// Bones that are no JSON, or none of the API's.
    #[error("the bones can't be read: {message}")]
    BonesJson { message: &'static str } = "echoreplay.bones", Warning;
    /// So many bones that it is another skeleton.
    #[error("{list} of skeleton {player} has {found} numbers; {} belong there", if *.list == "bone_t" { 69 } else { 92 })]
    BonesLength { player: u64, list: &'static str, found: u64 } = "echoreplay.bones-length", Warning;

    // .echoreplay: the zip around it.
    /// A zip that was not written to its end.
    #[error("the zip ends early: {message}")]
    ZipTruncated { message: String } = "echoreplay.zip-truncated", Error;
    /// More than one file in the zip.
    #[error("the zip holds {members} files; they are read one after the other")]
    ZipMembers { members: u64 } = "echoreplay.zip-members", Info;
    /// A file in the zip that is compressed in another way.
    #[error("a file in the zip is compressed by method {method}; 0 (stored) and 8 (deflate) are read")]
    ZipMethod { method: u16 } = "echoreplay.zip-method", Error;
    /// A file in the zip that needs a password.
    #[error("a file in the zip is encrypted")]
    ZipEncrypted = "echoreplay.zip-encrypted", Error;
    /// Compressed data that is none.
    #[error("a file in the zip does not inflate: {message}")]
    ZipInflate { message: String } = "echoreplay.zip-inflate", Error;
    /// Other bytes than were written.
    #[error("a file in the zip has checksum {found:08X}; {stored:08X} was written down")]
    ZipChecksum { found: u32, stored: u32 } = "echoreplay.zip-checksum", Error;
}
