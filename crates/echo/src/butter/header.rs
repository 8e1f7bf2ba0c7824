//! The header: facts of the whole recording, and how it grows while players are added.

use compact_str::CompactString;
use gametape_core::ByteReader;

use super::code::primitive::{Of, or_nothing, text_within};
use crate::error::WriteError;
use crate::limits::Limits;
use crate::model::{Frame, Map, Player};
use crate::rule::Rule;

/// The version that this crate writes.
pub const VERSION: u8 = 3;

/// The name of an unknown player.
pub const INVALID: &str = "[INVALID]";

/// How chunks are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Compression {
    /// Not compressed.
    None,
    /// One gzip member per chunk.
    Gzip,
    /// One zstd frame per chunk, level 3; the default of [`Options`](super::Options).
    Zstd3,
    /// One zstd frame per chunk, level 7.
    Zstd7,
    /// One zstd frame per chunk, level 15.
    Zstd15,
    /// One zstd frame per chunk, level 22.
    Zstd22,
    /// The reference's "level 7 with dictionary". No such dictionary exists: this is read as zstd and never
    /// written.
    ZstdDictionary,
}

impl Compression {
    /// The compressions that can be written.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::Gzip,
        Self::Zstd3,
        Self::Zstd7,
        Self::Zstd15,
        Self::Zstd22,
    ];

    /// The code in the header.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Gzip => 1,
            Self::Zstd3 => 2,
            Self::Zstd7 => 3,
            Self::Zstd15 => 4,
            Self::Zstd22 => 5,
            Self::ZstdDictionary => 6,
        }
    }

    /// The compression with this code.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::None,
            1 => Self::Gzip,
            2 => Self::Zstd3,
            3 => Self::Zstd7,
            4 => Self::Zstd15,
            5 => Self::Zstd22,
            6 => Self::ZstdDictionary,
            _ => return None,
        })
    }

    /// `none`, `gzip`, `zstd3`, …
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Zstd3 => "zstd3",
            Self::Zstd7 => "zstd7",
            Self::Zstd15 => "zstd15",
            Self::Zstd22 => "zstd22",
            Self::ZstdDictionary => "zstd7-dictionary",
        }
    }

    /// The zstd level.
    pub(super) const fn zstd_level(self) -> Option<i32> {
        match self {
            Self::None | Self::Gzip => None,
            Self::Zstd3 => Some(3),
            Self::Zstd7 | Self::ZstdDictionary => Some(7),
            Self::Zstd15 => Some(15),
            Self::Zstd22 => Some(22),
        }
    }
}

impl std::fmt::Display for Compression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// A player of the header. Frames refer to it by its index, which starts at 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeaderPlayer {
    /// The bytes of the name: ASCII, if the writer followed the format.
    pub name: Vec<u8>,
    /// The account.
    pub userid: u64,
    /// The jersey number: the first that is not 0, or, in a file of the reference, that of the player's first frame.
    pub number: u8,
    /// The level, chosen likewise.
    pub level: u8,
}

impl HeaderPlayer {
    /// The name as text.
    #[must_use]
    pub fn name(&self) -> CompactString {
        CompactString::from_utf8_lossy(&self.name)
    }
}

/// The header of a file, taken from its first frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The version, 1 to 3.
    pub version: u8,
    /// The number of frames between keyframes that the writer aimed for.
    pub keyframe_interval: u16,
    /// How chunks are compressed.
    pub compression: Compression,
    /// The name of the player whose machine recorded.
    pub client_name: Vec<u8>,
    /// The match id.
    pub sessionid: [u8; 16],
    /// The address of the game server.
    pub sessionip: [u8; 4],
    /// All players, in the order of appearance.
    pub players: Vec<HeaderPlayer>,
    /// The number of rounds of the match.
    pub total_round_count: u8,
    /// Rounds won: blue in the low four bits, orange in the high.
    pub round_scores: u8,
    /// Bit 0: private match; the other bits: the code of the map.
    pub map: u8,
}

impl Header {
    /// The match id as the API writes it.
    #[must_use]
    pub fn session_id(&self) -> CompactString {
        let mut text = CompactString::with_capacity(36);
        for (at, byte) in self.sessionid.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            for nibble in [byte >> 4, byte & 15] {
                text.push(
                    char::from_digit(nibble.into(), 16).map_or('0', |c| c.to_ascii_uppercase()),
                );
            }
        }
        text
    }

    /// The server address as text.
    #[must_use]
    pub fn session_ip(&self) -> CompactString {
        let [a, b, c, d] = self.sessionip;
        compact_str::format_compact!("{a}.{b}.{c}.{d}")
    }

    /// The map.
    #[must_use]
    pub fn map_name(&self) -> Map {
        Map::from_code(self.map >> 1)
            .unwrap_or_else(|| Map::Other(compact_str::format_compact!("{}", self.map >> 1)))
    }

    /// Whether the match is private.
    #[must_use]
    pub const fn private_match(&self) -> bool {
        self.map & 1 == 1
    }

    /// The `match_type` that follows from the map and whether the match is private.
    #[must_use]
    pub fn match_type(&self) -> &'static str {
        match_type(&self.map_name(), self.private_match())
    }

    /// The player with this index; `None` for 0 and for an index that the header lacks.
    #[must_use]
    pub fn player(&self, index: u8) -> Option<&HeaderPlayer> {
        self.players.get(usize::from(index).checked_sub(1)?)
    }

    /// Reads a header.
    pub(super) fn parse(input: &mut ByteReader<'_>, limits: &Limits) -> Result<Self, Rule> {
        const WHAT: &str = "the header";
        let version = or_nothing(input, |input| match input.u8().of(WHAT)? {
            version @ 1..=3 => Ok(version),
            found => Err(Rule::Version { found }),
        })?;
        let keyframe_interval = input.u16_le().of(WHAT)?;
        let compression = or_nothing(input, |input| {
            let found = input.u8().of(WHAT)?;
            Compression::from_code(found).ok_or(Rule::Compression { found })
        })?;
        let client_name = text_within(input, "the client's name", limits.max_name_bytes)?.to_vec();
        let sessionid = input.array().of(WHAT)?;
        let sessionip = input.array().of(WHAT)?;
        let count = input.u8().of(WHAT)?;
        let mut players = Vec::new();
        for _ in 0..count {
            players.push(HeaderPlayer {
                name: text_within(input, "a player's name", limits.max_name_bytes)?.to_vec(),
                userid: 0,
                number: 0,
                level: 0,
            });
        }
        for player in &mut players {
            player.userid = input.u64_le().of("the user ids")?;
        }
        for player in &mut players {
            player.number = input.u8().of("the players' numbers")?;
        }
        for player in &mut players {
            player.level = input.u8().of("the players' levels")?;
        }
        Ok(Self {
            version,
            keyframe_interval,
            compression,
            client_name,
            sessionid,
            sessionip,
            players,
            total_round_count: input.u8().of(WHAT)?,
            round_scores: input.u8().of(WHAT)?,
            map: input.u8().of(WHAT)?,
        })
    }

    /// Writes the header.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(self.version);
        out.extend_from_slice(&self.keyframe_interval.to_le_bytes());
        out.push(self.compression.code());
        out.extend_from_slice(&self.client_name);
        out.push(0);
        out.extend_from_slice(&self.sessionid);
        out.extend_from_slice(&self.sessionip);
        out.push(self.players.len() as u8);
        for player in &self.players {
            out.extend_from_slice(&player.name);
            out.push(0);
        }
        for player in &self.players {
            out.extend_from_slice(&player.userid.to_le_bytes());
        }
        out.extend(self.players.iter().map(|player| player.number));
        out.extend(self.players.iter().map(|player| player.level));
        out.extend_from_slice(&[self.total_round_count, self.round_scores, self.map]);
    }
}

/// The `match_type` that follows from a map and whether the match is private. A .butter stores no other.
#[must_use]
pub fn match_type(map: &Map, private: bool) -> &'static str {
    use crate::model::Game;
    match (map.game(), private) {
        (Game::Arena, false) => "Echo_Arena",
        (Game::Arena, true) => "Echo_Arena_Private",
        (Game::Combat, false) => "Echo_Combat",
        (Game::Combat, true) => "Echo_Combat_Private",
        (Game::Other, _) => "Unknown",
    }
}

/// The largest number of players in a file: their indices are bytes, and 0 means none.
const MAX_PLAYERS: usize = 255;

/// Converts text to what the format can store. As in the reference, a question mark replaces each UTF-16
/// unit outside ASCII; so it does a NUL, which would end the text.
pub fn ascii(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u8::try_from(c) {
            Ok(byte @ 1..=127) => bytes.push(byte),
            _ => bytes.extend(std::iter::repeat_n(b'?', c.len_utf16())),
        }
    }
    bytes
}

/// Whether a header's name is this text.
fn is_name(bytes: &[u8], text: &str) -> bool {
    bytes == text.as_bytes() || (!text.is_ascii() && bytes == ascii(text))
}

/// Parses a match id: 32 hexadecimal digits, ignoring other characters; zeros if it is not that.
fn session_id(text: &str) -> [u8; 16] {
    let mut digits = text.bytes().filter(|byte| *byte != b'-');
    let mut id = [0; 16];
    for byte in &mut id {
        let mut nibble = || {
            let digit = char::from(digits.next()?).to_digit(16)?;
            u8::try_from(digit).ok()
        };
        match (nibble(), nibble()) {
            (Some(high), Some(low)) => *byte = high << 4 | low,
            _ => return [0; 16],
        }
    }
    if digits.next().is_some() { [0; 16] } else { id }
}

impl Header {
    /// Creates the header of a recording that starts with this frame, without players. Counts are clamped
    /// to their range.
    pub(super) fn new(frame: &Frame, keyframe_interval: u16, compression: Compression) -> Self {
        let session = &frame.session;
        let rounds = |count: i32| count.clamp(0, 15) as u8;
        Self {
            version: VERSION,
            keyframe_interval,
            compression,
            client_name: ascii(&session.client_name),
            sessionid: session_id(&session.sessionid),
            sessionip: session
                .sessionip
                .parse()
                .map_or([0; 4], |ip: std::net::Ipv4Addr| ip.octets()),
            players: Vec::new(),
            total_round_count: session.total_round_count.clamp(0, 255) as u8,
            round_scores: rounds(session.blue_round_score)
                | rounds(session.orange_round_score) << 4,
            map: u8::from(session.private_match) | session.map_name.code().unwrap_or_default() << 1,
        }
    }

    /// Adds the new players of a frame, and sets `indices` to the index of each of the frame's players. On
    /// entry it holds the indices of the frame before. Returns true if there were new players.
    ///
    /// A player's number and level are 0 for a few frames after joining. They are updated when they become
    /// known.
    pub(super) fn meet(
        &mut self,
        frame: &Frame,
        indices: &mut Vec<u8>,
    ) -> Result<bool, WriteError> {
        let before = self.players.len();
        // The format stores three teams.
        let teams = frame.session.teams.iter().take(3);
        let mut count = 0;
        for player in teams.flat_map(|team| &team.players) {
            // Most players stay at their place.
            let known = indices
                .get(count)
                .copied()
                .filter(|&index| {
                    self.player(index)
                        .is_some_and(|known| known.userid == player.userid)
                })
                .or_else(|| self.index_of(player.userid));
            let index = match known {
                Some(index) => index,
                None => self
                    .add(player)
                    .inspect_err(|_| self.players.truncate(before))?,
            };
            if let Some(known) = self.players.get_mut(usize::from(index).wrapping_sub(1)) {
                if known.number == 0 {
                    known.number = player.number as u8;
                }
                if known.level == 0 {
                    known.level = player.level as u8;
                }
            }
            match indices.get_mut(count) {
                Some(place) => *place = index,
                None => indices.push(index),
            }
            count += 1;
        }
        indices.truncate(count);
        Ok(self.players.len() > before)
    }

    fn add(&mut self, player: &Player) -> Result<u8, WriteError> {
        if self.players.len() == MAX_PLAYERS {
            return Err(WriteError::Unstorable {
                what: "players:",
                found: "more than 255".into(),
                holds: "255",
            });
        }
        self.players.push(HeaderPlayer {
            name: ascii(&player.name),
            userid: player.userid,
            number: player.number as u8,
            level: player.level as u8,
        });
        Ok(self.players.len() as u8)
    }

    /// The index of the player with this user id.
    fn index_of(&self, userid: u64) -> Option<u8> {
        let at = self
            .players
            .iter()
            .position(|known| known.userid == userid)?;
        u8::try_from(at + 1).ok()
    }

    /// The index of the first player with this name; 0 if there is none.
    pub(super) fn index_of_name(&self, name: &str) -> u8 {
        self.players
            .iter()
            .position(|known| is_name(&known.name, name))
            .and_then(|at| u8::try_from(at + 1).ok())
            .unwrap_or_default()
    }
}
