//! Building a header: players are added as they appear.

use super::header::{Compression, Header, HeaderPlayer, VERSION};
use crate::error::WriteError;
use crate::model::{Frame, Player};

/// The largest number of players in a file: their indices are bytes, and 0 means none.
pub const MAX_PLAYERS: usize = 255;

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

    /// Like [`Header::new`] in the reference's way: counts are truncated to their low bits.
    pub(super) fn of_reference(
        frame: &Frame,
        keyframe_interval: u16,
        compression: Compression,
    ) -> Self {
        let session = &frame.session;
        let orange = session.orange_round_score.wrapping_shl(4);
        Self {
            total_round_count: session.total_round_count as u8,
            round_scores: session.blue_round_score.wrapping_add(orange) as u8,
            ..Self::new(frame, keyframe_interval, compression)
        }
    }

    /// Adds the new players of a frame, and sets `indices` to the index of each of the frame's players. On
    /// entry it holds the indices of the frame before. Returns true if there were new players.
    ///
    /// A player's number and level are 0 for a few frames after joining. They are updated when they become
    /// known, unless `first` says to keep those of the first frame.
    pub(super) fn meet(
        &mut self,
        frame: &Frame,
        indices: &mut Vec<u8>,
        first: bool,
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
            if !first && let Some(known) = self.players.get_mut(usize::from(index).wrapping_sub(1))
            {
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
