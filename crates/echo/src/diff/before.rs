//! The values of the frame before, from which changes are measured.

use crate::model::{Frame, Player, Stats, Vec3};

/// The numbers of a frame that a .butter stores as changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Before {
    pub(crate) disc: Option<[Vec3; 2]>,
    pub(crate) playspace: Option<Vec3>,
    /// `paused_timer`, `unpaused_timer`.
    pub(crate) pause: Option<[f32; 2]>,
    pub(crate) possession_time: [Option<f32>; 3],
    players: Vec<PlayerBefore>,
    /// Indices into `players`, sorted by user id.
    order: Vec<(u64, u32)>,
}

/// The numbers of a player.
#[derive(Clone, Debug)]
pub(crate) struct PlayerBefore {
    userid: u64,
    /// Head, body, left hand, right hand.
    pub(crate) positions: [Vec3; 4],
    pub(crate) velocity: Vec3,
    pub(crate) packet_loss: f32,
    pub(crate) possession_time: Option<f32>,
}

impl Before {
    /// Replaces the remembered frame.
    pub(crate) fn remember(&mut self, frame: &Frame) {
        let session = &frame.session;
        self.disc = session.disc.map(|disc| [disc.pose.position, disc.velocity]);
        self.playspace = session.player.map(|pose| pose.position);
        self.pause = session
            .pause
            .as_ref()
            .map(|pause| [pause.paused_timer, pause.unpaused_timer]);
        self.possession_time = [None; 3];
        for (to, team) in self.possession_time.iter_mut().zip(&session.teams) {
            *to = possession_time(team.stats.as_ref());
        }
        self.players.clear();
        self.order.clear();
        for (_, player) in session.players() {
            self.order.push((player.userid, self.players.len() as u32));
            self.players.push(PlayerBefore::of(player));
        }
        self.order.sort_unstable();
    }

    /// The same player in the frame before; `place` is the player's place among all.
    pub(crate) fn player(&self, place: usize, userid: u64) -> Option<&PlayerBefore> {
        if let Some(player) = self.players.get(place)
            && player.userid == userid
        {
            return Some(player);
        }
        let at = self
            .order
            .binary_search_by_key(&userid, |&(userid, _)| userid)
            .ok()?;
        let &(_, place) = self.order.get(at)?;
        self.players.get(place as usize)
    }
}

impl PlayerBefore {
    const fn of(player: &Player) -> Self {
        Self {
            userid: player.userid,
            positions: [
                player.head.position,
                player.body.position,
                player.lhand.position,
                player.rhand.position,
            ],
            velocity: player.velocity,
            packet_loss: player.packetlossratio,
            possession_time: possession_time(player.stats.as_ref()),
        }
    }
}

const fn possession_time(stats: Option<&Stats>) -> Option<f32> {
    match stats {
        Some(stats) => Some(stats.possession_time),
        None => None,
    }
}
