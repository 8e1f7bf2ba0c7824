//! The reader's state: the values after a frame, from which the next frame differs.
//!
//! Writer and reader keep the same state and update it with the same code, so a writer takes differences
//! from exactly the values that a reader adds them to.

use wide::f32x4;

use super::bones::BonesState;
use super::packed::{Layout, Packed, PackedPayload, PackedPlayer, PackedScore};
use super::reference::{
    Dialect, Doubt, Mended, PauseState, StatsState, TeamReport, TeamState, Timers,
};
use super::unpack::Parts;
use crate::butter::code::difference::is_zero;
use crate::butter::code::primitive::{Halves, from_half, from_halves, to_half};
use crate::butter::header::Header;
use crate::model::Vec3;
use crate::rule::Rule;

/// A pose.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Moving {
    pub position: Vec3,
    /// The packed rotation.
    pub rotation: u32,
    /// The last difference of the position.
    pub delta: Halves,
}

/// The disc.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct DiscState {
    pub moving: Moving,
    pub velocity: Vec3,
    pub velocity_delta: Halves,
}

/// A player.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlayerState {
    pub index: u8,
    pub playerid: u8,
    /// Possession, blocking, stunned, invulnerable, emote.
    pub flags: u8,
    pub userid: u64,
    pub stats: Option<StatsState>,
    pub ping: i16,
    pub loss: f32,
    pub holding: [u8; 2],
    pub velocity: Vec3,
    /// Head, body, left hand, right hand.
    pub poses: [Moving; 4],
    pub loadout: u8,
}

impl PlayerState {
    /// The state of a player before the first frame that has the player.
    pub const NEW: Self = Self {
        index: 0,
        playerid: 0,
        flags: 0,
        userid: 0,
        stats: None,
        ping: 0,
        loss: 0.0,
        // Null until it is stored.
        holding: [252; 2],
        velocity: [0.0; 3],
        poses: [Moving {
            position: [0.0; 3],
            rotation: 0,
            delta: [0; 3],
        }; 4],
        loadout: 0,
    };
}

/// The values after a frame.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct ReaderState {
    /// False before the first keyframe.
    pub started: bool,
    pub time: i64,
    pub clock: f32,
    pub status: u8,
    pub points: [f32; 2],
    pub inputs: u8,
    pub pause: Option<PauseState>,
    /// Lower bounds for the timers of the next keyframe, if the reference does not store them.
    pub least: Timers,
    pub score: Option<PackedScore>,
    pub throw: Option<[u16; 13]>,
    pub vr: Option<Moving>,
    pub disc: Option<DiscState>,
    pub payload: Option<PackedPayload>,
    pub rules: Option<(i64, Vec<u8>)>,
    pub possession: u8,
    pub teams: [TeamState; 3],
    pub team_players: [u8; 3],
    pub players: Vec<PlayerState>,
    /// Two players have the same user id.
    duplicate_userids: bool,
    /// The players of the frame before.
    previous: Vec<PlayerState>,
    /// The players of the frame before that.
    older: Vec<PlayerState>,
    pub bones: BonesState,
    /// The faults that were undone.
    pub mended: Mended,
    /// For each team, the doubt that the last frame leaves.
    pub doubts: [Option<Doubt>; 3],
}

#[inline(always)]
fn add(to: &mut Vec3, halves: Halves) {
    let [x, y, z] = *to;
    let sum = f32x4::new([x, y, z, 0.0]) + from_halves(halves);
    let [x, y, z, _] = sum.to_array();
    *to = [x, y, z];
}

impl Moving {
    /// The pose when its player has returned. The reference compares the next difference with the bytes of
    /// this position.
    /// compares what it differs by next.
    fn returned(self) -> Self {
        Self {
            delta: self.position.map(to_half),
            ..self
        }
    }

    /// Applies a difference, or the meaning of its absence.
    #[inline(always)]
    fn step(&mut self, delta: Option<Halves>, dialect: Option<Dialect>, mended: &mut Mended) {
        match delta {
            Some(delta) => {
                self.delta = delta;
                add(&mut self.position, delta);
            }
            None if dialect == Some(Dialect::Reference) && !is_zero(self.delta) => {
                add(&mut self.position, self.delta);
                mended.motion += 1;
            }
            None => {}
        }
    }
}

impl PlayerState {
    /// The state of a player who was not in the frame before, before it is updated. Nothing is known but
    /// the poses of one who was away for that frame only: the reference leaves out poses that equal those
    /// of two frames before, and its own reader throws.
    fn back(packed: &PackedPlayer, older: Option<&Self>) -> Self {
        let mut player = Self::NEW;
        let Some(older) = older else {
            return player;
        };
        let mut bits = packed.pose_bits;
        for (moving, older) in player.poses.iter_mut().zip(&older.poses) {
            if bits & 1 == 0 {
                *moving = older.returned();
            }
            // If the position is stored, it is replaced.
            moving.rotation = older.rotation;
            bits >>= 2;
        }
        player
    }

    /// Applies the next frame's requested parts.
    #[inline(always)]
    fn step(
        &mut self,
        packed: &PackedPlayer,
        layout: Layout,
        dialect: Option<Dialect>,
        parts: Parts,
        mended: &mut Mended,
    ) {
        let has = layout.player_included(packed.state);
        self.index = packed.index;
        self.playerid = packed.playerid;
        self.flags = packed.state & layout.flags();
        if has.stats && parts.has(Parts::STATS) {
            self.stats
                .get_or_insert_default()
                .step(&packed.stats, mended);
        }
        if has.ping && parts.has(Parts::CONNECTION) {
            self.ping = self.ping.wrapping_add(packed.ping.cast_signed());
            self.loss += from_half(packed.loss);
        }
        if has.holding {
            self.holding = packed.holding;
        }
        if has.velocity && parts.has(Parts::VELOCITY) {
            add(&mut self.velocity, packed.velocity);
        }
        if parts.has_poses() {
            let mut bits = packed.pose_bits;
            let poses = self.poses.iter_mut().zip(&packed.poses);
            for (at, (moving, pose)) in poses.enumerate() {
                if parts.has(Parts::position(at)) {
                    moving.step((bits & 1 != 0).then_some(pose.position), dialect, mended);
                }
                if bits & 2 != 0 && parts.has(Parts::rotation(at)) {
                    moving.rotation = pose.rotation;
                }
                bits >>= 2;
            }
        }
        self.loadout = packed.loadout;
    }
}

/// The identity by which a player is looked up.
#[derive(Clone, Copy)]
pub struct Identity {
    /// The index in the header; 0 for a player whose name it lacks.
    pub index: u8,
    pub playerid: u8,
    /// The user id from the header; 0 for a player that it lacks.
    pub userid: u64,
}

impl Identity {
    fn of(packed: &PackedPlayer, header: &Header) -> Self {
        // Index 0 means nobody; other indices were checked when the frame was unpacked.
        let player = header.player(packed.index);
        Self {
            index: packed.index,
            playerid: packed.playerid,
            userid: player.map_or(0, |player| player.userid),
        }
    }

    /// Finds the first player with this user id. If only one player has it, the player's place decides. The
    /// format can't tell apart players without a user id.
    ///
    /// The reference looks up a player's index by name, but takes differences by user id. So a renamed
    /// player has index 0, still differs from its own last state, and is recognised by its number within
    /// the match.
    fn among(self, players: &[PlayerState], place: Option<usize>) -> Option<&PlayerState> {
        let named = |player: &&PlayerState| player.index != 0 && player.userid == self.userid;
        let numbered = |player: &&PlayerState| player.playerid == self.playerid;
        if self.index == 0 {
            return players.iter().find(numbered);
        }
        place
            .and_then(|place| players.get(place))
            .filter(|player| named(player) && self.userid != 0)
            .or_else(|| players.iter().find(named))
            // The player has its header name again.
            .or_else(|| players.iter().find(|p| p.index == 0 && numbered(p)))
    }
}

impl ReaderState {
    /// Finds a player in the frame before; most stay at the same place.
    pub fn previous(&self, place: usize, who: Identity) -> Option<&PlayerState> {
        who.among(
            &self.players,
            Some(place).filter(|_| !self.duplicate_userids),
        )
    }

    fn restart(&mut self) {
        // Values that a keyframe leaves out are unknown.
        self.clock = 0.0;
        self.status = 0;
        self.points = [0.0; 2];
        self.inputs = 0;
        self.score = None;
        self.throw = None;
        self.vr = None;
        self.disc = None;
        self.payload = None;
        self.rules = None;
        self.teams = [TeamState::default(); 3];
        self.players.clear();
        self.duplicate_userids = false;
        self.previous.clear();
        self.started = true;
    }

    /// Applies the next frame.
    pub fn apply(
        &mut self,
        packed: &Packed,
        layout: Layout,
        header: &Header,
        dialect: Option<Dialect>,
    ) -> Result<(), Rule> {
        self.apply_session(packed, layout, dialect)?;
        self.apply_teams(packed, layout, header, dialect, Parts::ALL);
        self.bones.apply(packed, &mut self.mended);
        Ok(())
    }

    /// Like [`ReaderState::apply`], for a frame of which only these parts were read. The players and bones of
    /// other parts are meaningless.
    pub fn apply_parts(
        &mut self,
        packed: &Packed,
        layout: Layout,
        header: &Header,
        dialect: Option<Dialect>,
        parts: Parts,
    ) -> Result<(), Rule> {
        self.apply_session(packed, layout, dialect)?;
        if parts.has(Parts::PLAYERS) {
            self.apply_teams(packed, layout, header, dialect, parts);
        }
        if parts.has(Parts::BONES) {
            self.bones.apply(packed, &mut self.mended);
        }
        Ok(())
    }

    #[inline(always)]
    fn apply_session(
        &mut self,
        packed: &Packed,
        layout: Layout,
        dialect: Option<Dialect>,
    ) -> Result<(), Rule> {
        let pause_before = self.pause;
        if packed.keyframe {
            self.restart();
            self.time = packed.time;
            self.pause = None;
        } else if self.started {
            self.time = self.time.saturating_add(packed.time);
        } else {
            return Err(Rule::NoKeyframe);
        }
        self.clock += f32::from_bits(packed.clock);
        let has = layout.included(packed.bits);
        if has.status {
            self.status = packed.status;
        }
        if has.points {
            self.points = packed.points.map(|points| {
                if layout.half_points() {
                    from_half(points)
                } else {
                    f32::from(points)
                }
            });
        }
        if has.inputs {
            self.inputs = packed.inputs;
        }
        if has.pause {
            self.apply_pause(packed, pause_before, dialect);
        } else if dialect == Some(Dialect::Reference)
            && let Some(pause) = &mut self.pause
        {
            pause.run();
        }
        if has.score {
            self.score = Some(packed.score);
        }
        if has.throw {
            self.throw = Some(packed.throw);
        }
        if has.vr {
            let vr = self.vr.get_or_insert_default();
            vr.step(Some(packed.vr.position), dialect, &mut self.mended);
            vr.rotation = packed.vr.rotation;
        } else if let Some(vr) = &mut self.vr {
            vr.step(None, dialect, &mut self.mended);
        }
        if has.disc {
            let disc = self.disc.get_or_insert_default();
            disc.moving
                .step(Some(packed.disc.position), dialect, &mut self.mended);
            disc.moving.rotation = packed.disc.rotation;
            disc.velocity_delta = packed.disc_velocity;
            add(&mut disc.velocity, packed.disc_velocity);
        } else if let Some(disc) = &mut self.disc {
            disc.moving.step(None, dialect, &mut self.mended);
            if dialect == Some(Dialect::Reference) {
                add(&mut disc.velocity, disc.velocity_delta);
            }
        }
        if has.payload {
            self.payload = Some(packed.payload);
        }
        if has.rules {
            let rules = self.rules.get_or_insert_default();
            rules.0 = packed.rules_at;
            rules.1.clone_from(&packed.rules_by);
        }
        Ok(())
    }

    fn apply_pause(
        &mut self,
        packed: &Packed,
        before: Option<PauseState>,
        dialect: Option<Dialect>,
    ) {
        if !packed.keyframe {
            self.pause.get_or_insert_default().step(&packed.pause);
            return;
        }
        self.pause = Some(if dialect == Some(Dialect::Reference) {
            let least = std::mem::take(&mut self.least);
            let (pause, raised) = PauseState::of_reference(&packed.pause, before, least);
            self.mended.pause_timers += u64::from(raised);
            pause
        } else {
            PauseState::of_keyframe(&packed.pause)
        });
    }

    #[inline(always)]
    fn apply_teams(
        &mut self,
        packed: &Packed,
        layout: Layout,
        header: &Header,
        dialect: Option<Dialect>,
        parts: Parts,
    ) {
        self.apply_players(packed, layout, header, dialect, parts);
        self.possession = packed.team_bits & 3;
        self.team_players = packed.team_players;
        let mut players = self.players.as_slice();
        let teams = self.teams.iter_mut().zip(&mut self.doubts);
        let stored = packed.team_stats.iter().zip(packed.team_players);
        for (team, ((state, doubt), (delta, count))) in teams.zip(stored).enumerate() {
            let here = players.split_off(..usize::from(count).min(players.len()));
            let stats = here
                .unwrap_or_default()
                .iter()
                .filter_map(|player| player.stats);
            let report = TeamReport {
                delta: (packed.team_bits & 4 << team != 0).then_some(delta),
                players: count,
                sum: || parts.has(Parts::STATS).then(|| stats.collect()),
                dialect,
            };
            *doubt = state.step(report, &mut self.mended);
        }
        TeamState::share(&mut self.teams);
    }

    #[inline(always)]
    fn apply_players(
        &mut self,
        packed: &Packed,
        layout: Layout,
        header: &Header,
        dialect: Option<Dialect>,
        parts: Parts,
    ) {
        if self.has_same(packed) {
            for (player, packed) in self.players.iter_mut().zip(&packed.players) {
                player.step(packed, layout, dialect, parts, &mut self.mended);
            }
            // The same players are here, so nobody is looked up among the earlier ones.
            self.previous.clear();
            return;
        }
        std::mem::swap(&mut self.previous, &mut self.older);
        std::mem::swap(&mut self.players, &mut self.previous);
        self.players.clear();
        for packed in &packed.players {
            let who = Identity::of(packed, header);
            let before = who.among(&self.previous, None);
            // Parts left out for a player who was away do not repeat.
            let dialect = before.and(dialect);
            self.players.push(match before {
                Some(before) => *before,
                None => PlayerState::back(packed, who.among(&self.older, None)),
            });
            if let Some(player) = self.players.last_mut() {
                player.userid = who.userid;
                player.step(packed, layout, dialect, parts, &mut self.mended);
            }
        }
        self.duplicate_userids = self.has_duplicate_userids();
    }

    /// Whether two players have the same user id; both differ from the first of them.
    fn has_duplicate_userids(&self) -> bool {
        let mut players = self.players.as_slice();
        while let [player, rest @ ..] = players {
            let same = |other: &PlayerState| other.index != 0 && other.userid == player.userid;
            if player.index != 0 && rest.iter().any(same) {
                return true;
            }
            players = rest;
        }
        false
    }

    /// Whether the frame has the same players at the same places, as almost all frames do.
    ///
    /// Later headers add players and never change them, so an index keeps its meaning.
    #[inline(always)]
    fn has_same(&self, packed: &Packed) -> bool {
        // Players without a header entry or a user id are found in other ways.
        let same = |(player, packed): (&PlayerState, &PackedPlayer)| {
            packed.index != 0
                && player.userid != 0
                && (player.index, player.playerid) == (packed.index, packed.playerid)
        };
        !self.duplicate_userids
            && self.players.len() == packed.players.len()
            && self.players.iter().zip(&packed.players).all(same)
    }
}
