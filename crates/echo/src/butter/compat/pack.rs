//! Packing a frame by the reference's rules.

use super::super::fill::{counts, flags, inputs, pause_bits};
use super::super::header::ascii;
use super::super::packed::{
    Layout, Packed, PackedPause, PackedPayload, PackedPlayer, PackedPose, PackedScore, PackedStats,
    bit, state as player_bit,
};
use super::super::primitive::{Halves, to_half};
use super::super::rotation;
use super::texts::{Names, SpelledFrame, goal, hands, held, loadout, ping_changed};
use crate::model::{Game, Player, Pose, Session, Stats, Vec3};

/// The stored bytes of the last frame; the next frame's are compared with them.
#[derive(Clone, PartialEq, Debug)]
pub struct Last {
    pause: PackedPause,
    score: PackedScore,
    throw: [u16; 13],
    vr: PackedPose,
    disc: (PackedPose, Halves),
    payload: PackedPayload,
    rules: (i64, Vec<u8>),
    /// The poses by user id.
    poses: Vec<(u64, [PackedPose; 4])>,
}

/// A frame to be packed, and the two frames before it in the chunk.
pub struct Packing<'p> {
    pub layout: Layout,
    pub names: &'p Names,
    pub seen: &'p SpelledFrame,
    pub known: Option<&'p SpelledFrame>,
    pub older: Option<&'p SpelledFrame>,
    pub last: Option<&'p Last>,
}

fn halves([x, y, z]: Vec3, [fx, fy, fz]: Vec3) -> Halves {
    [to_half(x - fx), to_half(y - fy), to_half(z - fz)]
}

fn pack_pose(pose: &Pose, from: Option<&Pose>) -> PackedPose {
    PackedPose {
        position: halves(pose.position, from.map_or([0.0; 3], |from| from.position)),
        rotation: rotation::to_smallest3(rotation::from_basis(pose.forward, pose.up)),
    }
}

fn poses(player: &Player) -> [&Pose; 4] {
    [&player.head, &player.body, &player.lhand, &player.rhand]
}

/// Truncates a number to 32 bits, and keeps the low 8.
fn low_byte(number: f32) -> u8 {
    // From 2³¹ on the low bits are zero, and NaN gives zero too.
    if number.abs() < 2_147_483_648.0 {
        number as i32 as u8
    } else {
        0
    }
}

/// Packs a difference of stats. Counts are truncated to bytes; stuns never fall.
fn pack_stats(stats: &Stats, from: Option<&Stats>) -> PackedStats {
    let known = from.copied().unwrap_or_default();
    let mut packed = PackedStats {
        counts: [0; 10],
        possession_time: to_half(stats.possession_time - known.possession_time),
        stuns: stats.stuns.wrapping_sub(known.stuns).clamp(0, 65_535) as u16,
    };
    let all = packed.counts.iter_mut().zip(counts(stats));
    for ((delta, count), known) in all.zip(counts(&known)) {
        *delta = count.wrapping_sub(known) as u8;
    }
    packed
}

/// Whether the stats, as bytes, have changed; only then are they stored.
fn stats_changed(stats: &Stats, from: Option<&Stats>) -> bool {
    from.is_none_or(|from| pack_stats(stats, None) != pack_stats(from, None))
}

impl Packing<'_> {
    fn session(&self) -> &Session {
        &self.seen.frame.session
    }

    fn known_session(&self) -> Option<&Session> {
        self.known.map(|known| &known.frame.session)
    }

    /// Packs everything except the bones.
    pub fn pack(&mut self, packed: &mut Packed) -> Last {
        let session = self.session();
        let known = self.known_session();
        packed.keyframe = self.known.is_none();
        packed.time = self.time();
        packed.clock = (session.game_clock - known.map_or(0.0, |known| known.game_clock)).to_bits();
        packed.status = self.status();
        packed.points = self.points();
        packed.inputs = inputs(session);
        let poses = self.pack_teams(packed);
        let now = self.parts(poses);
        packed.bits = self.bits(&now);
        packed.pause = now.pause;
        packed.score = now.score;
        packed.throw = now.throw;
        packed.vr = now.vr;
        (packed.disc, packed.disc_velocity) = now.disc;
        packed.payload = now.payload;
        packed.rules_at = now.rules.0;
        packed.rules_by.clone_from(&now.rules.1);
        now
    }

    fn time(&self) -> i64 {
        let ticks = self.seen.ticks();
        match self.known {
            // A number this large rounds away the last 100 ns.
            None => (ticks as f64 / 10_000.0) as i64,
            Some(known) => {
                let passed = ticks.wrapping_sub(known.ticks()) / 10_000;
                i32::try_from(passed).map_or(0, |ms| i64::from(ms as u16))
            }
        }
    }

    /// Returns the status code; 0 for statuses without a code and for no status.
    fn status(&self) -> u8 {
        let status = &self.session().game_status;
        match self.seen.status() {
            Some(_) => status.code().unwrap_or_default(),
            None => 0,
        }
    }

    fn points(&self) -> [u16; 2] {
        let session = self.session();
        [session.blue_points, session.orange_points].map(|points| {
            if self.layout.half_points() {
                to_half(points)
            } else {
                low_byte(points).into()
            }
        })
    }

    /// Returns the parts of the session, each as its stored bytes.
    fn parts(&self, poses: Vec<(u64, [PackedPose; 4])>) -> Last {
        let session = self.session();
        let known = self.known_session();
        let disc = session.disc.unwrap_or_default();
        let disc_before = known.and_then(|known| known.disc).unwrap_or_default();
        let payload = session.payload.unwrap_or_default();
        let rules_by = session.rules_changed_by.as_deref().unwrap_or_default();
        Last {
            pause: self.pause(),
            score: self.score(),
            throw: session
                .last_throw
                .unwrap_or_default()
                .to_array()
                .map(to_half),
            vr: pack_pose(
                &session.player.unwrap_or_default(),
                known.map(|known| known.player.unwrap_or_default()).as_ref(),
            ),
            disc: (
                pack_pose(&disc.pose, Some(&disc_before.pose)),
                halves(disc.velocity, disc_before.velocity),
            ),
            payload: PackedPayload {
                contested: payload.contested.into(),
                checkpoint: payload.payload_checkpoint as u8,
                defenders: payload.payload_defenders as u8,
                distance: to_half(payload.payload_distance),
                speed: to_half(payload.payload_speed),
            },
            rules: (
                session.rules_changed_at.unwrap_or_default(),
                ascii(rules_by),
            ),
            poses,
        }
    }

    fn bits(&self, now: &Last) -> u8 {
        let game = self.layout.game;
        let last = self.last;
        let arena = game == Game::Arena;
        let mut bits = 0;
        let mut include = |included: bool, bit: u8| bits |= if included { bit } else { 0 };
        include(self.status_changed(), bit::STATUS);
        include(last.is_none_or(|last| last.pause != now.pause), bit::PAUSE);
        include(
            arena && last.is_none_or(|last| last.score != now.score),
            bit::SCORE,
        );
        include(last.is_none_or(|last| last.throw != now.throw), bit::THROW);
        include(last.is_none_or(|last| last.vr != now.vr), bit::VR);
        include(
            arena && last.is_none_or(|last| last.disc != now.disc),
            bit::DISC,
        );
        let combat = game == Game::Combat;
        include(
            combat && last.is_none_or(|last| last.payload != now.payload),
            bit::PAYLOAD,
        );
        let private = arena && self.session().private_match;
        include(
            private && last.is_none_or(|last| last.rules != now.rules),
            bit::RULES,
        );
        bits
    }

    fn status_changed(&self) -> bool {
        let Some(before) = self.known else {
            return true;
        };
        let (session, known) = (self.session(), &before.frame.session);
        let apart = |a: f32, b: f32| (a - b).abs() > 0.01;
        before.status() != self.seen.status()
            || apart(session.blue_points, known.blue_points)
            || apart(session.orange_points, known.orange_points)
            || inputs(known) != inputs(session)
    }

    /// Packs the pause. Timers are 0 in keyframes and differences elsewhere.
    fn pause(&self) -> PackedPause {
        let timers = |session: &Session| {
            session
                .pause
                .as_ref()
                .map_or([0.0; 2], |pause| [pause.paused_timer, pause.unpaused_timer])
        };
        let (flags, state) = pause_bits(self.session());
        let [paused, unpaused] = timers(self.session());
        let [paused_timer, unpaused_timer] = self.known_session().map_or([0; 2], |known| {
            let [paused_before, unpaused_before] = timers(known);
            [
                to_half(paused - paused_before),
                to_half(unpaused - unpaused_before),
            ]
        });
        PackedPause {
            flags,
            // States without a code are stored as 5, unknown.
            state: if self.seen.spelled.no_paused_state {
                5
            } else {
                state
            },
            paused_timer,
            unpaused_timer,
        }
    }

    fn score(&self) -> PackedScore {
        let Some(score) = &self.session().last_score else {
            return PackedScore::default();
        };
        let spelled = &self.seen.spelled;
        let index = |name: &str, nobody: bool| if nobody { 0 } else { self.names.index(name) };
        PackedScore {
            flags: score.team.code().unwrap_or(3)
                | u8::from(score.point_amount != 2) << 2
                | goal(&score.goal_type) << 3,
            person: index(&score.person_scored, spelled.no_scorer),
            assist: index(&score.assist_scored, spelled.no_assist),
            speed: to_half(score.disc_speed),
            distance: to_half(score.distance_thrown),
        }
    }

    fn pack_teams(&self, packed: &mut Packed) -> Vec<(u64, [PackedPose; 4])> {
        packed.team_bits = 0;
        packed.players.clear();
        let mut all = Vec::new();
        for at in 0..3_u8 {
            let place = usize::from(at);
            let Some(team) = self.session().teams.get(place) else {
                continue;
            };
            if team.possession && at < 2 {
                packed.team_bits |= 1 << at;
            }
            let from = self
                .known_session()
                .and_then(|known| known.teams.get(place))
                .and_then(|team| team.stats.as_ref());
            if let (Some(stats), Some(to)) = (&team.stats, packed.team_stats.get_mut(place))
                && stats_changed(stats, from)
            {
                *to = pack_stats(stats, from);
                packed.team_bits |= 4 << at;
            }
            let before = packed.players.len();
            for (nth, player) in (0..u8::MAX).zip(&team.players) {
                let to = self.player((at, nth), player);
                all.push((player.userid, to.poses));
                packed.players.push(to);
            }
            if let Some(count) = packed.team_players.get_mut(place) {
                *count = (packed.players.len() - before) as u8;
            }
        }
        all
    }

    fn player(&self, place: (u8, u8), player: &Player) -> PackedPlayer {
        let spelled = &self.seen.spelled;
        let from = self.known.and_then(|known| known.player(player.userid));
        let from = from.map(|(_, from)| from);
        let nameless = spelled.nameless.contains(&place);
        let mut packed = PackedPlayer {
            index: if nameless {
                0
            } else {
                self.names.index(&player.name)
            },
            playerid: player.playerid as u8,
            holding: hands(player, spelled, place)
                .map(|text| held(text.as_deref()).unwrap_or_default()),
            loadout: loadout(player.loadout.as_ref()).unwrap_or_default(),
            velocity: halves(player.velocity, from.map_or([0.0; 3], |from| from.velocity)),
            ..PackedPlayer::default()
        };
        let mut bits = flags(player);
        let known = from.and_then(|from| from.stats.as_ref());
        if let Some(stats) = player.stats.as_ref()
            && stats_changed(stats, known)
        {
            packed.stats = pack_stats(stats, known);
            bits |= player_bit::STATS;
        }
        let (ping, loss) = from.map_or((0, 0.0), |from| (from.ping, from.packetlossratio));
        packed.ping = player.ping.wrapping_sub(ping) as u16;
        packed.loss = to_half(player.packetlossratio - loss);
        if ping_changed(player, spelled, place, self.known) {
            bits |= player_bit::PING;
        }
        let [x, y, z] = player.velocity;
        let [fx, fy, fz] = from.map_or([0.0; 3], |from| from.velocity);
        let (dx, dy, dz) = (x - fx, y - fy, z - fz);
        if dx * dx + dy * dy + dz * dz > 0.0001 {
            bits |= player_bit::VELOCITY;
        }
        packed.state = bits;
        self.pack_poses(player, from, &mut packed);
        packed
    }

    fn pack_poses(&self, player: &Player, from: Option<&Player>, packed: &mut PackedPlayer) {
        let last = self.last_poses(player.userid);
        let before = from.map(poses);
        let all = poses(player).into_iter().zip(&mut packed.poses);
        for (at, (pose, to)) in all.enumerate() {
            *to = pack_pose(pose, before.and_then(|before| before.get(at).copied()));
            let last = last.as_ref().and_then(|last| last.get(at));
            // A position is also stored if the rotation that follows it has changed.
            let moved = last.is_none_or(|last| last != to);
            let turned = last.is_none_or(|last| last.rotation != to.rotation);
            packed.pose_bits |= (u8::from(moved) | u8::from(turned) << 1) << (at * 2);
        }
    }

    /// Returns the stored poses that a player's are compared with: those of the frame before or, if the
    /// player was not in it, the absolute poses of the frame before that.
    fn last_poses(&self, userid: u64) -> Option<[PackedPose; 4]> {
        let last = self.last?.poses.iter().find(|(id, _)| *id == userid);
        if let Some((_, poses)) = last {
            return Some(*poses);
        }
        let (_, player) = self.older?.player(userid)?;
        Some(poses(player).map(|pose| pack_pose(pose, None)))
    }
}
