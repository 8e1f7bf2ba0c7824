//! The header as it grows: players are added as they appear.

use super::header::{Compression, Header, HeaderPlayer, VERSION};
use crate::error::WriteError;
use crate::model::{Frame, Player};

/// Most players of a file: their indices are bytes, 0 stands for none.
pub const MAX_PLAYERS: usize = 255;

/// Text as the format has room for it: a question mark for each UTF-16 unit that is not ASCII, as
/// the reference writes, and for a NUL, which would end it.
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

/// True where a name is that of a header's bytes.
fn is_name(bytes: &[u8], text: &str) -> bool {
    bytes == text.as_bytes() || (!text.is_ascii() && bytes == ascii(text))
}

/// 32 hexadecimal digits, whatever stands between; zeros where they are not that.
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
    /// The header of a recording that starts with this frame, without players. Counts are as near as
    /// there is room for.
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

    /// [`Header::new`] as the reference makes it: of counts there are the last bits.
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

    /// Adds the players of a frame that are new, and tells the index of each of the frame's players
    /// in `indices`, which has those of the frame before. True where any were new.
    ///
    /// A number and a level are 0 for a couple of frames after a player joins: unless the header is
    /// to be as the `first` sight gives it, it takes them when they come.
    pub(super) fn meet(
        &mut self,
        frame: &Frame,
        indices: &mut Vec<u8>,
        first: bool,
    ) -> Result<bool, WriteError> {
        let before = self.players.len();
        // There is room for three teams.
        let teams = frame.session.teams.iter().take(3);
        let mut count = 0;
        for player in teams.flat_map(|team| &team.players) {
            // Mostly a player stands where it stood.
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

    /// The index of a player by its user id.
    fn index_of(&self, userid: u64) -> Option<u8> {
        let at = self
            .players
            .iter()
            .position(|known| known.userid == userid)?;
        u8::try_from(at + 1).ok()
    }

    /// The index of the first player with a name; 0 for none.
    pub(super) fn index_of_name(&self, name: &str) -> u8 {
        self.players
            .iter()
            .position(|known| is_name(&known.name, name))
            .and_then(|at| u8::try_from(at + 1).ok())
            .unwrap_or_default()
    }
}
