//! A frame, together with how its line spells it.

use super::texts::hands;
use crate::model::{Frame, Player};
use crate::spelled::Spelled;

/// A frame that was pushed.
#[derive(Debug)]
pub struct Seen {
    pub frame: Frame,
    pub spelled: Spelled,
}

impl Seen {
    pub fn new(frame: &Frame, spelled: &Spelled) -> Self {
        Self {
            frame: frame.clone(),
            spelled: spelled.clone(),
        }
    }

    /// Like [`Seen::new`], reusing memory.
    pub fn set(&mut self, frame: &Frame, spelled: &Spelled) {
        self.frame.clone_from(frame);
        self.spelled.clone_from(spelled);
    }

    /// Returns the players of all teams, each with its team and its place in the team.
    pub fn players(&self) -> impl Iterator<Item = ((u8, u8), &Player)> {
        let teams = (0..=u8::MAX).zip(&self.frame.session.teams);
        teams.flat_map(|(team, at)| {
            let players = (0..=u8::MAX).zip(&at.players);
            players.map(move |(place, player)| ((team, place), player))
        })
    }

    /// Returns the first player with this user id.
    pub fn player(&self, userid: u64) -> Option<((u8, u8), &Player)> {
        self.players().find(|(_, player)| player.userid == userid)
    }

    /// The time in units of 100 ns since 1970.
    pub fn ticks(&self) -> i64 {
        let ticks = self.frame.time.0.saturating_mul(10_000);
        ticks.saturating_add(self.spelled.sub_ms.into())
    }

    /// The status; `None` if the line has none.
    pub fn status(&self) -> Option<&str> {
        let status = self.frame.session.game_status.as_str();
        (!self.spelled.no_status).then_some(status)
    }
}

/// Whether ping, packet loss or a hand's content differs from the frame before.
pub fn ping_changed(
    player: &Player,
    spelled: &Spelled,
    place: (u8, u8),
    before: Option<&Seen>,
) -> bool {
    let Some(before) = before else { return true };
    let Some((from_place, from)) = before.player(player.userid) else {
        return true;
    };
    let same_loss = (player.packetlossratio - from.packetlossratio).abs() < f32::from_bits(1);
    from.ping != player.ping
        || !same_loss
        || hands(player, spelled, place) != hands(from, &before.spelled, from_place)
}
