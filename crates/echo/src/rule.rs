//! The rules: the vocabulary shared by errors and findings.

use gametape_archive::{Cut, Fault};
use gametape_core::rules;
use gametape_core::text::{Bytes, Counted, Crc32, Grouped, Left};

use crate::model::TeamId;

rules! {
    /// A rule of a format or of a match, with the values that break it.
    ///
    /// Readers raise the rules that prevent reading; the audits report all. Each has a code that the book
    /// documents.
    pub enum Rule: "frame", group = member_of;

    // .butter: faults that prevent reading.
    /// The first byte is not 1, 2 or 3.
    ///
    /// It is no .butter, whatever its name says.
    #[error("the first byte is {found}; a .butter starts with its version, 1 to 3")]
    Version { found: u8 } = "butter.version", Error;
    /// The header, the table, a chunk or a frame is cut off.
    ///
    /// `repair` keeps whole chunks, and [what it can](butter.md#salvage) of others.
    #[error("{what} needs {}, {}", Bytes(*.needed), Left(*.left))]
    Truncated { what: &'static str, needed: u64, left: u64 } = "butter.truncated", Error, Truncated;
    /// A compression above 6.
    ///
    /// Damaged, or of a newer format.
    #[error("compression {found}; 0 to 6 are defined")]
    Compression { found: u8 } = "butter.compression", Error;
    /// A chunk does not inflate, or its data ends before the chunk does.
    ///
    /// Damaged; `repair` keeps the frames that [can be read](butter.md#salvage), and finds chunks
    /// that the table misplaces. `left` is the number of bytes after its data; otherwise `reason` is
    /// the message of gzip or zstd.
    #[error("the chunk does not inflate: {}", inflating(*left, reason.as_deref()))]
    Inflate { left: Option<u64>, reason: Option<String> } = "butter.inflate", Error;
    /// A whole chunk inflates, but its checksum does not match.
    ///
    /// A frame of it was changed, but it is unknown which. Use another copy; `repair`
    /// [keeps the frames](butter.md#checksums), lists them, and exits with 3.
    #[error("chunk {chunk}, of {}, has checksum {found}; {stored} is stored", Counted(*.frames, "frame"))]
    Checksum { chunk: u64, frames: u64, found: Crc32, stored: Crc32 } = "butter.checksum", Error;
    /// A frame does not start with `FC FE` or `FE FE`.
    ///
    /// Damaged, or in an unknown layout.
    #[error("a frame starts with FC FE or FE FE, not with {:02X} {:02X}", found[0], found[1])]
    Marker { found: [u8; 2] } = "butter.marker", Error;
    /// The first frame depends on a missing frame.
    ///
    /// The start was cut off; frames are read from the next keyframe on.
    #[error("the first frame is no keyframe: the frame that it depends on is missing")]
    NoKeyframe = "butter.no-keyframe", Error;
    /// A frame names a player that the header does not have.
    ///
    /// The header belongs to another recording, or is damaged.
    #[error("player {index}; the header has {players}")]
    PlayerIndex { index: u8, players: u32 } = "butter.player-index", Error;
    /// The number of a bone starts with a byte above 249.
    ///
    /// Damaged.
    #[error("a number starts with byte {found}; 249 is the largest that one can start with")]
    Varint { found: u8 } = "butter.varint", Error;
    /// Frames were to be added to a finished recording.
    ///
    /// Record into another file.
    #[error("the recording is finished: nothing can be added to it")]
    Finished = "butter.finished", Error;
    /// Frames were to be added to a damaged recording, which would lose more than one cut frame.
    ///
    /// `repair` keeps the part that can be read.
    #[error("the recording is damaged here: continuing it would cut off {} that may hold frames; `repair` keeps them", Bytes(*.bytes))]
    Damaged { bytes: u64 } = "butter.damaged", Error;
    /// Bytes after the last chunk begin like a chunk: the table is damaged.
    ///
    /// `repair` finds the chunks.
    #[error("{} after the last chunk begin like a chunk that the table does not name; `repair` finds it", Bytes(*.bytes))]
    Unlisted { bytes: u64 } = "butter.unlisted", Error;
    /// This build of gametape can't unpack a chunk or a zip.
    ///
    /// Build it with the feature named in the message: `gzip`, `zstd` or `zip` of `gametape-echo`.
    #[error("{what} can't be unpacked: this build lacks the feature {feature} of gametape-echo")]
    Feature { what: &'static str, feature: &'static str } = "echo.feature", Error, Limit;
    /// Other bytes follow the last chunk.
    ///
    /// `repair` drops them, and keeps chunks among them.
    #[error("{} after the last chunk", Bytes(*.bytes))]
    Trailing { bytes: u64 } = "butter.trailing", Warning;
    // .butter: irregularities.
    /// The file has 0 bytes: a recording of no frames.
    ///
    /// The recorder was stopped before the first frame, or the file was not copied: there is nothing to
    /// keep.
    #[error("the file is empty: a recording of no frames")]
    Empty = "butter.empty", Warning;
    /// Frames follow the chunks: [a recording in progress](butter.md#a-recording-in-progress), or one
    /// whose recorder was killed.
    ///
    /// `repair` finishes it, `record echo --resume` continues it.
    #[error("the recording was not finished: {} after the chunks; `repair` finishes it", Counted(*.frames, "frame"))]
    Unfinished { frames: u64 } = "butter.unfinished", Warning;
    /// The table ends with one or two chunks of size 0.
    ///
    /// Fine: the reference writes them.
    #[error("the table ends with {chunks} empty chunk{}", if *.chunks == 1 { "" } else { "s" })]
    EmptyChunks { chunks: u64 } = "butter.empty-chunks", Info;
    /// A chunk does not start with a keyframe.
    ///
    /// Reading from the start is right, but the chunk can't be read alone. Converting to a .butter with
    /// `--keyframe-every` writes it anew.
    #[error("chunk {chunk} starts with a frame that is no keyframe: it can't be read alone")]
    ChunkStart { chunk: u64 } = "butter.chunk-start", Warning;
    /// A chunk has more frames than the header's interval.
    ///
    /// Fine.
    #[error("chunk {chunk} has {}; the header says a keyframe every {}", Counted(*frames, "frame"), Grouped((*interval).into()))]
    Interval { chunk: u64, frames: u64, interval: u16 } = "butter.keyframe-interval", Info;
    /// A chunk has several keyframes.
    ///
    /// Fine.
    #[error("chunk {chunk} has {keyframes} keyframes")]
    InnerKeyframes { chunk: u64, keyframes: u64 } = "butter.inner-keyframes", Info;
    /// The version is 1 or 2.
    ///
    /// Fine; converting to a .butter with `--compression zstd3` makes it version 3.
    #[error("version {version}, which version 3 has replaced")]
    OldVersion { version: u8 } = "butter.old-version", Info;
    /// The layout is that of version 3 in the reference's packages 1.3.2 and 1.3.3.
    ///
    /// Later packages can't read it; converting to a .butter with `--compression zstd3` writes it anew.
    #[error("{chunks} chunks are laid out as the reference's packages 1.3.2 and 1.3.3 wrote version 3; later ones can't read them")]
    EarlyVersion { chunks: u64 } = "butter.early-version-3", Info;
    /// Chunks have no checksum: they are not compressed, or were compressed with zstd by the reference or
    /// by a gametape that wrote none.
    ///
    /// Fine. A flipped bit [shows only if it breaks a rule](butter.md#checksums): keep a hash of the file
    /// next to it.
    #[error("{} without a checksum: a flipped bit in {} may show nowhere", Counted(*.chunks, "chunk"), if *.chunks == 1 { "it" } else { "them" })]
    Unchecked { chunks: u64 } = "butter.no-checksum", Info;
    /// The compression is 6, whose dictionary does not exist.
    ///
    /// Fine: read as plain zstd.
    #[error("the compression names a dictionary, of which none exists; read without one")]
    Dictionary = "butter.dictionary", Info;
    /// Chunks have differences that only [the reference](butter.md#who-wrote-it) writes.
    ///
    /// Positions drift until the next keyframe; the truncated digits are lost.
    #[error("{chunks} chunks are written as the reference writes: positions drift until the next keyframe, by up to 2^-11 of each move")]
    ReferenceWriter { chunks: u64 } = "butter.reference-writer", Info;
    /// Moves are left out because they repeat the move before.
    ///
    /// gametape repeats them; other readers freeze. Convert it.
    #[error("{moves} moves are left out because they repeat the move before: readers that take them for rest freeze; this one repeats them")]
    FrozenMotion { moves: u64 } = "butter.frozen-motion", Warning;
    /// Keyframes store bones as differences from the frame before.
    ///
    /// gametape reads them right; other readers misplace them. Convert it.
    #[error("{} store bones as differences from the frame before: readers that start anew there misplace them; this one does not", Counted(*keyframes, "keyframe"))]
    DriftingBones { keyframes: u64 } = "butter.drifting-bones", Warning;
    /// Keyframes store bones as differences from a missing frame.
    ///
    /// The chunk before is broken, and with it these bones.
    #[error("the bones of {} are differences from a missing frame: they are unknown", Counted(*keyframes, "keyframe"))]
    BonesLost { keyframes: u64 } = "butter.bones-lost", Error;
    /// A frame has bones of another number of players than the frame before.
    ///
    /// gametape reads them; the reference's reader throws.
    #[error("the bones of {} are of another number of players than the frame before; the reference's reader fails there", Counted(*frames, "frame"))]
    BonePlayers { frames: u64 } = "butter.bone-players", Info;
    /// Counts fall, so that their difference wraps.
    ///
    /// The game starts its counts again after a restart or a rejoin. gametape subtracts; the reference's
    /// reader adds 256.
    #[error("{} fall: their difference wraps, and the reference's reader adds 256; this one does not", Counted(*counts, "count"))]
    WrappedStats { counts: u64 } = "butter.wrapped-stats", Info;
    /// Stats of a team are stored again after frames without any, and it is unclear whether they had
    /// disappeared meanwhile.
    ///
    /// The message has both readings and the one that is used: compare the stats of the team's players.
    /// [The next keyframe](butter.md#stats-of-teams) is certain.
    #[error("the stats of {team} are stored again after frames without any: {stat} {absolute} if they had disappeared, {sum} if they had stayed; taken for {}", if *gone { absolute } else { sum })]
    TeamStatsOpen { team: TeamId, stat: &'static str, absolute: f32, sum: f32, gone: bool } = "butter.team-stats", Warning;
    /// Keyframes store 0 for the timers of a pause that continues.
    ///
    /// gametape continues the timers of the frame before, which is most likely right, to a frame. If they
    /// fall below 0 later, it starts them at least as high as they fall.
    #[error("{keyframes} keyframes store 0 for the timers of a pause that continues; the timers are taken from the frame before, or from how far they fall")]
    PauseTimers { keyframes: u64 } = "butter.pause-timers", Warning;
    /// More than 65 s pass before a keyframe, in a chunk of the reference.
    ///
    /// Nothing was recorded; or a difference was truncated to 16 bits, and the frames from there to this
    /// keyframe have times that are too early.
    #[error("{seconds} s pass before this keyframe: either nothing was recorded, or a difference of more than 65.535 s was truncated to 16 bits")]
    TimeCut { seconds: u64 } = "butter.time-cut", Info;
    /// A keyframe is dated before 1970 or after 9999.
    ///
    /// Damaged.
    #[error("recorded {ms} ms after 1970; the years 1970 to 9999 are valid")]
    Time { ms: i64 } = "butter.time", Warning;
    /// The code of a map, game status, pause state or goal type is not defined.
    ///
    /// Damaged, or from a newer game. Shown as `unknown`, a map as its number.
    #[error("{what} {code} is not defined")]
    Code { what: &'static str, code: u8 } = "butter.code", Warning;
    /// Unused bits are set.
    ///
    /// Damaged, or of a newer format; they are not kept when the file is written anew.
    #[error("unused bits of {what} are set ({bits:#04x})")]
    Reserved { what: &'static str, bits: u32 } = "butter.unused-bits", Info;
    /// The last score names a player that the header does not have.
    ///
    /// Shown as `[INVALID]`.
    #[error("the last score names player {index}; the header has {players}")]
    ScoreIndex { index: u8, players: u32 } = "butter.score-index", Warning;
    /// A player has index 0, which means none: the reference writes that for a renamed player.
    ///
    /// Shown as `[INVALID]`, number and level −1, user id 0; it continues the player of the frame
    /// before with the same playerid.
    #[error("a player with index 0, which means none")]
    UnknownPlayer = "butter.unknown-player", Warning;
    /// Two players of the header have one user id.
    ///
    /// Differences of one may have been applied to the other.
    #[error("players {first} and {second} of the header have the same user id")]
    HeaderUserid { first: u32, second: u32 } = "butter.duplicate-userid", Warning;
    /// Two players of the header have one name.
    ///
    /// In a file of the reference both are shown as the first of them.
    #[error("players {first} and {second} of the header have the same name")]
    HeaderName { first: u32, second: u32 } = "butter.duplicate-name", Info;
    /// A name of the header has bytes above 127.
    ///
    /// The format allows ASCII only; read as UTF-8.
    #[error("{what} is not ASCII")]
    NotAscii { what: &'static str } = "butter.not-ascii", Info;
    /// A table has more than 1,048,576 chunks, a chunk more than 256 MiB, stored or inflated, a name
    /// more than 1 KiB, or a frame of an unfinished recording more than 1 MiB.
    ///
    /// Most likely a damaged size.
    #[error("{what} of {}; the limit is {}", Bytes(*.size), Bytes(*.limit))]
    Limit { what: &'static str, size: u64, limit: u64 } = "butter.limit", Error, Limit;

    // The session, however it is recorded: impossible or rare in a match.
    /// No frame could be read.
    ///
    /// The recorder was stopped before the first frame, or no frame can be read.
    #[error("the recording has no frames")]
    NoFrames = "echo.no-frames", Warning;
    /// A frame was recorded before the one before it.
    ///
    /// The machine's clock was set, or parts were joined.
    #[error("recorded {} ms before the frame before it", Grouped(*ms))]
    TimeBackwards { ms: u64 } = "echo.time-backwards", Warning;
    /// The wall clock was changed by half hours while the game ran on.
    ///
    /// Fine: summer time, a clock of 12 hours, or a date that stood still at midnight. It is no cut:
    /// durations and times since the start follow the game.
    #[error("the wall clock goes {} by {} s while the game runs on: a change of the clock, not a cut", if *.seconds < 0 { "back" } else { "on" }, Grouped(.seconds.unsigned_abs()))]
    WallClock { seconds: i64 } = "echo.wall-clock", Info;
    /// Two frames were recorded in the same millisecond.
    ///
    /// Fine: a recorder that caught up.
    #[error("recorded in the same millisecond as the frame before it")]
    SameTime = "echo.same-time", Info;
    /// More than a minute passes between two frames.
    ///
    /// The game was closed, or something was cut out.
    #[error("recorded {} s after the frame before it; nothing is known of the time between", Grouped(*seconds))]
    TimeGap { seconds: u64 } = "echo.time-gap", Info;
    /// In the middle of a round nothing is recorded for over a second and ten usual intervals.
    ///
    /// The recorder lost the game for a moment, or something was cut out.
    #[error("nothing is recorded for {} ms in the middle of a round; frames come every {interval} ms", Grouped(*ms))]
    Hole { ms: u64, interval: u64 } = "echo.hole", Info;
    /// Points rise while, in the middle of a round, nothing is recorded for over a second and ten usual
    /// intervals.
    ///
    /// The goal is not in the recording: missed, or cut out.
    #[error("the points of {team} rise from {before} to {now} while nothing is recorded for {} ms", Grouped(*ms))]
    HolePoints { team: TeamId, before: f32, now: f32, ms: u64 } = "echo.hole-points", Warning;
    /// The API reports an error.
    ///
    /// See the code in the message.
    #[error("the API answers with error {code}")]
    ApiError { code: i32 } = "echo.api-error", Info;
    /// The session differs from the frame before.
    ///
    /// The file has two matches. A .butter holds one: after conversion, the second looks like the first.
    #[error("another session than in the frame before: from here on it is another match")]
    SessionChanged = "echo.session-changed", Warning;
    /// The server changes within a session.
    ///
    /// Two recordings were joined, or the address was edited.
    #[error("the same session as in the frame before, on another server")]
    ServerChanged = "echo.server-changed", Warning;
    /// The client changes within a session.
    ///
    /// Two recordings were joined.
    #[error("the same session as in the frame before, recorded by another client")]
    ClientChanged = "echo.client-changed", Warning;
    /// The map changes within a session.
    ///
    /// Edited.
    #[error("the same session as in the frame before, on the map {now:?} instead of {before:?}")]
    MapChanged { before: String, now: String } = "echo.map-changed", Warning;
    /// The number of teams is not three.
    ///
    /// A .butter holds three.
    #[error("{found} teams; blue, orange and spectators are 3")]
    Teams { found: u64 } = "echo.teams", Info;

    /// A number is infinite or NaN.
    ///
    /// Damaged, or from a faulty program; JSON has no text for it:
    /// [converting](loss.md#what-json-has-no-text-for) writes 0.
    #[error("{what} is no finite number")]
    NotFinite { what: &'static str } = "echo.not-finite", Warning;
    /// Something is more than 10 km from the middle of the map.
    ///
    /// Damaged.
    #[error("{what} is {metres:.0} m from the middle of the map; no map reaches 10,000 m")]
    Position { what: &'static str, metres: f32 } = "echo.position", Warning;
    /// Something moves faster than 1,000 m/s.
    ///
    /// Damaged.
    #[error("{what} moves at {speed:.0} m/s; nothing reaches 1,000 m/s")]
    Speed { what: &'static str, speed: f32 } = "echo.speed", Warning;
    /// Forward, left and up are off unit length or right angles by more than 0.05.
    ///
    /// Damaged, or edited; a .butter stores the nearest rotation of forward and up.
    #[error("forward, left and up of {what} are off unit length or right angles by {off:.3}; up to 0.050 is rounding")]
    Basis { what: &'static str, off: f32 } = "echo.basis", Warning;
    /// The quaternion of a bone does not have length 1.
    ///
    /// Damaged, or edited; a .butter stores the nearest rotation.
    #[error("the rotation of a bone has length {length:.3}; up to 0.050 off 1 is rounding")]
    BoneRotation { length: f32 } = "echo.bone-rotation", Warning;
    /// A ping is below 0 or above 10 s.
    ///
    /// Damaged.
    #[error("a ping of {ms} ms; 0 to 10,000 are possible")]
    Ping { ms: i32 } = "echo.ping", Warning;
    /// A packet loss is not between 0 and 1.
    ///
    /// Damaged.
    #[error("a packet loss of {ratio}; a ratio is 0 to 1")]
    PacketLoss { ratio: f32 } = "echo.packet-loss", Warning;
    /// An input is not between 0 and 1.
    ///
    /// Damaged.
    #[error("an input of {value}; 0 to 1 are possible")]
    Inputs { value: f32 } = "echo.inputs", Warning;
    /// A playerid, number or level is not between 0 and 255.
    ///
    /// A .butter keeps its low eight bits.
    #[error("{what} {found}; {low} to {high} are usual")]
    Range { what: &'static str, found: i64, low: i64, high: i64 } = "echo.range", Info;

    /// The clock rises by more than half a second, but at most 3 s, while the match is played; or by more
    /// after missing frames.
    ///
    /// The game corrected it, or frames are missing.
    #[error("the clock goes up from {before:.2} to {now:.2} s while the match is being played")]
    ClockUp { before: f32, now: f32 } = "echo.clock-up", Info;
    /// The clock rises by more than 3 s, although no round began and no restart was requested.
    ///
    /// Edited, or joined.
    #[error("the clock is set from {before:.2} to {now:.2} s while the match is being played")]
    ClockSet { before: f32, now: f32 } = "echo.clock-set", Warning;
    /// The clock loses over 2 s more than pass (not counting how long it stood before).
    ///
    /// Something was cut out.
    #[error("the clock goes from {before:.2} to {now:.2} s while {} ms pass: something was cut out", Grouped(*ms))]
    ClockJump { before: f32, now: f32, ms: u64 } = "echo.clock-jump", Error;
    /// In 30 s of play, which goals may interrupt, the clock loses over 5 % more or less than pass.
    ///
    /// Times were edited to slow the match down or speed it up, or something was cut out.
    #[error("the clock loses {lost:.1} s in {passed:.1} s of play: times were slowed down or sped up, or something was cut out")]
    ClockRate { lost: f64, passed: f64 } = "echo.clock-rate", Warning;
    /// The clock stood for 5 s or longer while the match was played.
    ///
    /// The server stalled, or a frame was repeated.
    #[error("the clock stood at {clock:.2} s for {seconds} s while the match was being played")]
    ClockStopped { clock: f32, seconds: u64 } = "echo.clock-stopped", Info;
    /// The displayed clock differs from the clock by more than a quarter of a second; or by any time while
    /// the match is not played.
    ///
    /// Another recorder's rounding.
    #[error("the clock shows {shown:?} and stands at {clock:.2} s")]
    ClockDisplay { shown: String, clock: f32 } = "echo.clock-display", Info;
    /// The displayed clock differs from the clock by more than a second while the match is played.
    ///
    /// Edited.
    #[error("the clock shows {shown:?} and stands at {clock:.2} s, more than a second off")]
    ClockForged { shown: String, clock: f32 } = "echo.clock-forged", Warning;
    /// At least three players, and more than half of all, are suddenly over 10 m away while the match is played.
    ///
    /// Something was cut out.
    #[error("{moved} of {players} players are elsewhere at once, {} ms after the frame before: something was cut out", Grouped(*ms))]
    AllJump { moved: u64, players: u64, ms: u64 } = "echo.all-jump", Error;
    /// In the arena, a player is over 15 m away within 100 ms while the match is played.
    ///
    /// A player came back, or edited.
    #[error("a player is {metres:.0} m away from where it was {ms} ms before")]
    PlayerJump { metres: f32, ms: u64 } = "echo.player-jump", Info;
    /// In the arena, the disc is over 15 m away within 100 ms while the match is played.
    ///
    /// The game returns a stuck disc to the middle; or edited.
    #[error("the disc is {metres:.0} m away from where it was {ms} ms before")]
    DiscJump { metres: f32, ms: u64 } = "echo.disc-jump", Info;
    /// Points fall in the middle of a round, although no restart was requested.
    ///
    /// Edited, or joined.
    #[error("the points of {team} fall from {before} to {now} in the middle of a round")]
    PointsFell { team: TeamId, before: f32, now: f32 } = "echo.points-fell", Warning;
    /// Points rise by another amount than the last score is worth.
    ///
    /// Edited.
    #[error("the points of {team} rise by {rise}, its last score is worth {amount}")]
    GoalPoints { team: TeamId, rise: f32, amount: i32 } = "echo.goal-points", Warning;
    /// Points rise, but no last score of that team is reported within a second.
    ///
    /// Frames are missing, or edited.
    #[error("the points of {team} rise by {rise}, and no score of that team is reported within a second")]
    GoalUntold { team: TeamId, rise: f32 } = "echo.goal-untold", Warning;
    /// The last score reports another goal, but no points rise within a second.
    ///
    /// Edited.
    #[error("the last score reports another goal of {team}, worth {amount}, and no points rise within a second")]
    GoalUncounted { team: TeamId, amount: i32 } = "echo.goal-uncounted", Warning;
    /// The scorer plays for the other team, and it is no self goal.
    ///
    /// Edited.
    #[error("the last score is of {team}, but its scorer plays for the other team")]
    GoalScorer { team: TeamId } = "echo.goal-scorer", Warning;
    /// Within a second, the points in the stats of a team's players rise by another amount than the points
    /// of the team.
    ///
    /// Edited. (If the stats don't rise at all, there is no finding.)
    #[error("the points in the stats of {team}'s players rise by {stats}, those of {team} by {points}")]
    GoalStats { team: TeamId, stats: i64, points: f32 } = "echo.goal-stats", Warning;
    /// Points rise out of play, in the frame in which a round starts.
    ///
    /// Something was cut out around the goal.
    #[error("the points of {team} rise in the very frame in which the next round starts: something was cut out")]
    GoalCut { team: TeamId } = "echo.goal-cut", Error;
    /// More rounds are won than there are, or fewer than none.
    ///
    /// A .butter stores the rounds of its first frame.
    #[error("blue has won {blue} rounds and orange {orange}, of {total}")]
    RoundScore { blue: i32, orange: i32, total: i32 } = "echo.round-score", Info;

    /// A player joins a team.
    ///
    /// Fine.
    #[error("a player joins {team}")]
    PlayerJoined { team: TeamId } = "echo.player-joined", Info;
    /// A player leaves a team.
    ///
    /// Fine.
    #[error("a player leaves {team}")]
    PlayerLeft { team: TeamId } = "echo.player-left", Info;
    /// All players are missing for at most 5 s, in the middle of a session.
    ///
    /// The game's answer was empty for a moment, or its members were lost. Players and statistics are
    /// followed across it: nobody leaves or joins.
    #[error("none of the {} is in {} from here on", Counted(*players, "player"), Counted(*frames, "frame"))]
    NoPlayers { players: u64, frames: u64 } = "echo.no-players", Info;
    /// A player changes teams.
    ///
    /// Fine.
    #[error("a player changes from {before} to {now}")]
    PlayerMoved { before: TeamId, now: TeamId } = "echo.player-moved", Info;
    /// Between two frames of a session at most 10 s apart, more than half of the players are replaced by
    /// others.
    ///
    /// Two recordings were joined.
    #[error("{gone} of {players} players are replaced at once, {} ms after the frame before: two recordings were joined", Grouped(*ms))]
    RosterChanged { gone: u64, players: u64, ms: u64 } = "echo.roster-changed", Warning;
    /// Two players of a frame have one user id.
    ///
    /// A .butter stores both as one.
    #[error("two players have one user id")]
    DuplicateUserid = "echo.duplicate-userid", Warning;
    /// Two players of a frame have one playerid.
    ///
    /// See the frames around it; a .butter keeps both.
    #[error("two players have the playerid {playerid}")]
    DuplicatePlayerid { playerid: i32 } = "echo.duplicate-playerid", Info;
    /// Two players of a frame have one name.
    ///
    /// A .butter of the reference stores both as one.
    #[error("two players have one name")]
    DuplicateName = "echo.duplicate-name", Info;
    /// A user id has another name than before.
    ///
    /// Edited; a .butter keeps the first.
    #[error("a player has another name than before")]
    NameChanged = "echo.name-changed", Warning;
    /// A hand holds a player who is absent.
    ///
    /// The player may have just left.
    #[error("a hand holds a player who is absent")]
    HoldingAbsent = "echo.holding-absent", Info;
    /// Several players possess the disc.
    ///
    /// See the frames around it.
    #[error("{players} players possess the disc at once")]
    TwoPossess { players: u64 } = "echo.two-possess", Info;
    /// A team has lower stats than its players together.
    ///
    /// See the frames around it. (Higher stats are fine: a team keeps those of players who left.)
    #[error("the {stat} of {team} are {total}, those of its players add up to {sum}")]
    TeamStats { team: TeamId, stat: &'static str, total: i32, sum: i64 } = "echo.team-stats", Info;
    /// The stats of a player fall in the middle of a round.
    ///
    /// The game corrected them, or edited.
    #[error("the {stat} of a player fall from {before} to {now} in the middle of a round")]
    StatsFell { stat: &'static str, before: i32, now: i32 } = "echo.stats-fell", Info;

    // .echoreplay: lines.
    /// A line has no tab.
    ///
    /// `repair` leaves it out.
    #[error("no tab in {found:?}; a line is a time, a tab and a session")]
    LineColumns { found: String } = "echoreplay.columns", Error;
    /// A line does not start with a time.
    ///
    /// `repair` leaves it out.
    #[error("{found:?} is no time of the form yyyy/MM/dd HH:mm:ss.fff")]
    LineTime { found: String } = "echoreplay.time", Error;
    /// The response is no session: `404`, an error, HTML. Some recorders write it while the game restarts.
    ///
    /// Fine if few; `repair` leaves them out.
    #[error("no session: the response was {found:?}")]
    NoSession { found: String } = "echoreplay.no-session", Warning;
    /// The session is cut off, or a member has another type than the API's.
    ///
    /// `repair` leaves it out.
    #[error("the session can't be read: {reason}")]
    LineJson { reason: &'static str } = "echoreplay.json", Error;
    /// The session or the bones are not UTF-8.
    ///
    /// Damaged; `repair` leaves the line out if it is the session.
    #[error("the text is not UTF-8")]
    LineUtf8 = "echoreplay.utf8", Error;
    /// The last line is cut off.
    ///
    /// The recorder was killed: `repair` removes the part, and `record echo --resume` continues after the
    /// line before.
    #[error("the recording ends in the middle of a line, {} after its start", Bytes(*.held))]
    LineCut { held: u64 } = "echoreplay.truncated", Error, Truncated;
    /// Lines were to be added to a zip.
    ///
    /// Record into another file, or convert it with `--plain`.
    #[error("the recording is a zip: no lines can be added to it")]
    Zipped = "echoreplay.zipped", Error;
    /// Lines were to be added to a recording that does not end with a line or the start of one.
    ///
    /// `repair` it, and record into another file.
    #[error("{} at the end are neither a line nor the start of one", Bytes(*.bytes))]
    NoTail { bytes: u64 } = "echoreplay.damaged", Error;
    /// The last line is whole but has no ending.
    ///
    /// Fine; `repair` adds it.
    #[error("the last line has no line ending")]
    NoNewline = "echoreplay.no-newline", Info;
    /// A line ends with a carriage return alone, as on an old Mac.
    ///
    /// Fine: read, and copied as it is.
    #[error("a line ends with a carriage return alone")]
    CrAlone = "echoreplay.cr", Info;
    /// A time is not spelled `yyyy/MM/dd HH:mm:ss.fff`: a program wrote it in the manner of its region, or of
    /// ISO 8601.
    ///
    /// Fine: read, and copied as it is. A zone of ISO 8601 counts; without one, the clock on the wall does.
    #[error("the time is spelled {found:?}, not yyyy/MM/dd HH:mm:ss.fff")]
    TimeSpelled { found: String } = "echoreplay.time-spelling", Info;
    /// The year is one of another calendar. The game exists since 2017.
    ///
    /// Fine: read as the Gregorian date, and copied as it is. An Islamic date may be off by a day.
    #[error("the year {year} is one of the {calendar} calendar: read as {read}")]
    TimeCalendar { year: i64, calendar: &'static str, read: i64 } = "echoreplay.calendar", Info;
    /// NUL characters stand after an answer. The game's API ended its answers so until 2020.
    ///
    /// Fine: read, and copied as they are.
    #[error("a NUL character stands after the answer of the API")]
    NulAfter = "echoreplay.nul", Info;
    /// Zeros stand in the file: the power went before the end of the file was written, or the disk lost a
    /// part.
    ///
    /// The lines around them are read; `repair` leaves the zeros out. If they are in the middle, frames
    /// may be missing there.
    #[error("{} are zero: the power went before they were written, or the disk lost them", Bytes(*.bytes))]
    Zeros { bytes: u64 } = "echoreplay.zeros", Warning;
    /// A member is spelled in another way than the API spells it: a number as text, a flag as a number, a
    /// whole number with a fraction of 0.
    ///
    /// Fine: read as what it says, and copied as it is.
    #[error("{member} is spelled {how}")]
    MemberSpelled { member: String, how: &'static str } = "echoreplay.spelling", Info;
    /// A member can't be read, or is `null`.
    ///
    /// The frame is read without it; the line is copied as it is. The first place is named, and the number
    /// of frames.
    #[error("{member} {why}; the frame is read without it")]
    MemberLost { member: String, why: &'static str } = "echoreplay.member", Warning;
    /// A member is missing that others in this recording have.
    ///
    /// The frame is read without it.
    #[error("{member} is missing here, and other frames or players have it")]
    MemberMissing { member: String } = "echoreplay.missing", Info;
    /// This version of gametape does not know a member, as after an update of the game.
    ///
    /// Fine: kept as it is spelled. A .butter has no place for it.
    #[error("{member} is no member that this version knows; it is kept as it is")]
    MemberUnknown { member: String } = "echoreplay.unknown", Info;
    /// A text is damaged: it is not UTF-8, holds half a surrogate pair or a control character. Some program
    /// cut a name in the middle of a character, or changed the file's encoding.
    ///
    /// Read with a replacement sign in that place; the line is copied as it is.
    #[error("{member} {why}; it is read with a replacement sign")]
    TextDamaged { member: String, why: &'static str } = "echoreplay.text", Warning;
    /// The answers are those of the API of 2018 to 2020 (hands are three numbers, and the pose of the body
    /// stands in the player), or have the payload as an object.
    ///
    /// Fine: the pose of the player is read as that of the head and the body. What that API does not have
    /// is missing.
    #[error("the answers are those of an old API: the pose of the head and the body is the player's own")]
    OldApi = "echoreplay.old-api", Info;
    /// A line is blank.
    ///
    /// Fine.
    #[error("a blank line")]
    BlankLine = "echoreplay.blank-line", Info;
    /// The text, a line or an answer starts with a byte order mark.
    ///
    /// Fine: an editor saved it, or files were joined.
    #[error("a byte order mark")]
    ByteOrderMark = "echoreplay.bom", Info;
    /// The file has 0 bytes.
    ///
    /// The recorder was stopped before the first frame, or the file was not copied: there is nothing to
    /// keep.
    #[error("the file is empty: there is no line in it")]
    NoText = "echoreplay.empty", Warning;
    /// A line has more than 4 MiB.
    ///
    /// Damaged: a frame has about 15 KB, with bones about 30.
    #[error("a line of more than {}, which is the limit", Bytes(*.limit))]
    LineLimit { limit: u64 } = "echoreplay.limit", Error, Limit;
    /// The third column is no JSON, or not the API's.
    ///
    /// The frame is read without bones; `repair` keeps the line as it is.
    #[error("the bones can't be read: {message}")]
    BonesJson { message: &'static str } = "echoreplay.bones", Warning;
    /// A skeleton does not have 23 bones.
    ///
    /// The frame is read without bones; `repair` keeps the line as it is.
    #[error("{list} of skeleton {player} has {found} numbers; {} belong there", if *.list == "bone_t" { 69 } else { 92 })]
    BonesLength { player: u64, list: &'static str, found: u64 } = "echoreplay.bones-length", Warning;

    // .echoreplay: the zip around it.
    /// The zip has no table of its files, or a file ends early.
    ///
    /// It was cut: `repair` keeps the lines up to there. `cause` is `table`, `file` (a file is not where
    /// the table says), `data` (a file's data ends early), or the message of the zip reader.
    #[error("the zip ends early: {cause}")]
    ZipTruncated { cause: Cut } = "echoreplay.zip-truncated", Error, Truncated;
    /// The text is UTF-16, as PowerShell's `>` writes it.
    ///
    /// Read; `repair` writes it as UTF-8, which all programs read.
    #[error("the text is UTF-16, as PowerShell writes it; it is read as UTF-8")]
    Utf16 = "echoreplay.utf16", Info;
    /// Two files of the zip have one name: a recorder closed it twice.
    ///
    /// All are read, in the order of the zip's table. Many programs show only one of them.
    #[error("the zip holds {} of one name; all are read", Counted(*files, "file"))]
    ZipTwice { files: u64 } = "echoreplay.zip-twice", Info;
    /// The zip holds files that a system added, such as `__MACOSX` and `.DS_Store`.
    ///
    /// Fine: passed over.
    #[error("passed over {} that a system added to the zip", Counted(*files, "file"))]
    ZipSystem { files: u64 } = "echoreplay.zip-system", Info;
    /// The zip has several files.
    ///
    /// They are read one after another.
    #[error("the zip holds {}; they are read one after another", Counted(*members, "file"))]
    ZipMembers { members: u64 } = "echoreplay.zip-members", Info;
    /// A file is neither stored nor deflated.
    ///
    /// Compress it again.
    #[error("a file in the zip is compressed by method {method}; 0 (stored) and 8 (deflate) are read")]
    ZipMethod { method: u16 } = "echoreplay.zip-method", Error;
    /// A file needs a password.
    ///
    /// Unpack it first.
    #[error("a file in the zip is encrypted")]
    ZipEncrypted = "echoreplay.zip-encrypted", Error;
    /// Compressed data is invalid.
    ///
    /// Damaged; `repair` keeps the lines before it.
    #[error("a file in the zip does not inflate: the compressed data is broken")]
    ZipInflate = "echoreplay.zip-inflate", Error;
    /// The checksum of a file does not match.
    ///
    /// A line of the file was changed, but it is unknown which. Use another copy; `repair`
    /// [keeps the lines](echoreplay.md#the-zip), lists them, and exits with 3.
    #[error("a file in the zip, of {}, has checksum {found}; {stored} is stored", Counted(*.frames, "frame"))]
    ZipChecksum { frames: u64, found: Crc32, stored: Crc32 } = "echoreplay.zip-checksum", Error;
}

impl Rule {
    /// Whether the input ends too early here, so that it is unknown whether there was more.
    #[cfg(feature = "tape")]
    pub(crate) const fn ends_early(&self) -> bool {
        match self {
            Self::ZipInflate => true,
            Self::ZipTruncated { cause } => !matches!(cause, Cut::File),
            _ => false,
        }
    }

    /// The rule, for members that are not told apart.
    pub(crate) fn of_others(self) -> Self {
        let others = || "some member".to_owned();
        match self {
            Self::MemberSpelled { how, .. } => Self::MemberSpelled {
                member: others(),
                how,
            },
            Self::MemberLost { why, .. } => Self::MemberLost {
                member: others(),
                why,
            },
            Self::TextDamaged { why, .. } => Self::TextDamaged {
                member: others(),
                why,
            },
            Self::MemberMissing { .. } => Self::MemberMissing { member: others() },
            Self::MemberUnknown { .. } => Self::MemberUnknown { member: others() },
            rule => rule,
        }
    }

    /// Whether the rule notes something that is read and kept as it is: nothing is left out or set right.
    pub(crate) const fn is_kept(&self) -> bool {
        matches!(
            self,
            Self::CrAlone
                | Self::TimeSpelled { .. }
                | Self::TimeCalendar { .. }
                | Self::NulAfter
                | Self::MemberSpelled { .. }
                | Self::MemberLost { .. }
                | Self::MemberMissing { .. }
                | Self::MemberUnknown { .. }
                | Self::TextDamaged { .. }
                | Self::OldApi
                | Self::ZipSystem { .. }
        )
    }

    /// Whether a file in a zip is altered: its checksum does not match, or it does not inflate although it
    /// is all there. Any line of it may be altered.
    pub(crate) const fn is_of_altered_file(&self) -> bool {
        match self {
            Self::ZipChecksum { .. } | Self::ZipInflate => true,
            Self::ZipTruncated { cause } => matches!(cause, Cut::Data),
            _ => false,
        }
    }
}

/// The group of a rule: findings about members are counted for each member, in whatever player.
fn member_of(rule: &Rule) -> u64 {
    let (member, why, is_each) = match rule {
        Rule::MemberSpelled { member, how: why } | Rule::MemberLost { member, why } => {
            (member, *why, false)
        }
        Rule::MemberMissing { member } | Rule::MemberUnknown { member } => (member, "", false),
        // Of a person, and so counted for each.
        Rule::TextDamaged { member, why } => (member, *why, true),
        _ => return 0,
    };
    let mut hash: u64 = 0xCBF2_9CE4_8422_2325;
    for byte in member.bytes().chain(why.bytes()) {
        if is_each || !byte.is_ascii_digit() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
    hash
}

/// Why a chunk does not inflate.
fn inflating(left: Option<u64>, reason: Option<&str>) -> String {
    match (left, reason) {
        (Some(left), _) => format!("it ends {} before the chunk does", Bytes(left)),
        (None, reason) => reason.unwrap_or_default().to_owned(),
    }
}

/// The rule that a fault of a zip breaks.
impl From<Fault> for Rule {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Cut(cause) => Self::ZipTruncated { cause },
            Fault::Encrypted => Self::ZipEncrypted,
            Fault::Method(method) => Self::ZipMethod { method },
            Fault::Broken => Self::ZipInflate,
            // The reader of the lines fills in the number of frames.
            Fault::Checksum { found, stored } => Self::ZipChecksum {
                frames: 0,
                found,
                stored,
            },
            other => Self::ZipTruncated {
                cause: Cut::Other(other.to_string()),
            },
        }
    }
}
