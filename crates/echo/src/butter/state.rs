//! The values that a reader has after a frame: what the next frame differs from.
//!
//! Writer and reader keep the same state and change it by the same code, so what a writer takes
//! differences from is what a reader adds them to.

use wide::f32x4;

use super::bones::BonesState;
use super::dialect::{Dialect, Mended};
use super::difference::is_zero;
use super::half::{from_half, from_halves, to_half};
use super::header::Header;
use super::layout::Layout;
use super::packed::{Halves, Packed, PackedPayload, PackedPlayer, PackedScore};
use super::parts::Parts;
use super::pause::{PauseState, Timers};
use super::team::{Doubt, StatsState, TeamState, Told};
use crate::model::Vec3;
use crate::rule::Rule;

/// Something that moves.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Moving {
    pub position: Vec3,
    /// As packed.
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
    /// One that was not there before.
    pub const NEW: Self = Self {
        index: 0,
        playerid: 0,
        flags: 0,
        userid: 0,
        stats: None,
        ping: 0,
        loss: 0.0,
        // Null, until it is told.
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
pub struct State {
    /// False before the first keyframe.
    pub started: bool,
    pub time: i64,
    pub clock: f32,
    pub status: u8,
    pub points: [f32; 2],
    pub inputs: u8,
    pub pause: Option<PauseState>,
    /// What the timers of the next keyframe are, at least, where the reference does not tell them.
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
    /// Two of them have one user id.
    twins: bool,
    /// Those of the frame before.
    previous: Vec<PlayerState>,
    /// Those of the frame before that one.
    older: Vec<PlayerState>,
    pub bones: BonesState,
    /// What was found wrong or odd, and mended.
    pub mended: Mended,
    /// Of each team, what the last frame leaves open.
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
    /// Where it was left, now that it is there again: with the bytes of that place the reference
    /// compares what it differs by next.
    fn returned(self) -> Self {
        Self {
            delta: self.position.map(to_half),
            ..self
        }
    }

    /// Moves by a difference that is there, or by what its absence means.
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
    /// One who was not there in the frame before, as it is before it steps: nothing is known, but
    /// for poses that are left out of one who was away for that frame only. The reference leaves
    /// them out where they are those of two frames before, and its own reader throws.
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
            // Where it is told, it is replaced.
            moving.rotation = older.rotation;
            bits >>= 2;
        }
        player
    }

    /// Goes on by a frame, as far as it is wanted.
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

/// Who is looked for among the players of a frame.
#[derive(Clone, Copy)]
pub struct Who {
    /// As in the header; 0 for one whose name it lacks.
    pub index: u8,
    pub playerid: u8,
    /// As the header says; 0 for one that it lacks.
    pub userid: u64,
}

impl Who {
    fn of(packed: &PackedPlayer, header: &Header) -> Self {
        // Nobody has index 0; others were checked when the frame was unpacked.
        let player = header.player(packed.index);
        Self {
            index: packed.index,
            playerid: packed.playerid,
            userid: player.map_or(0, |player| player.userid),
        }
    }

    /// The first player with the user id, who stands at a place where only one has it. Those without one
    /// are all the same to the format.
    ///
    /// The reference finds players by their name when it tells their index, and by their user id when
    /// it takes differences: so one who is renamed has index 0, differs from what it was, and is known
    /// by its number within the match.
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
            // Called again what the header says.
            .or_else(|| players.iter().find(|p| p.index == 0 && numbered(p)))
    }
}

impl State {
    /// A player in the frame before; mostly it stands at the same place.
    pub fn previous(&self, place: usize, who: Who) -> Option<&PlayerState> {
        who.among(&self.players, Some(place).filter(|_| !self.twins))
    }

    fn restart(&mut self) {
        // What a keyframe does not say is not known.
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
        self.twins = false;
        self.previous.clear();
        self.started = true;
    }

    /// Goes on by a frame.
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

    /// [`State::apply`] of a frame of which these parts were read: of players and bones that are not
    /// among them, what it holds means nothing.
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
        let told = packed.team_stats.iter().zip(packed.team_players);
        for (team, ((state, doubt), (delta, count))) in teams.zip(told).enumerate() {
            let here = players.split_off(..usize::from(count).min(players.len()));
            let stats = here
                .unwrap_or_default()
                .iter()
                .filter_map(|player| player.stats);
            let told = Told {
                delta: (packed.team_bits & 4 << team != 0).then_some(delta),
                players: count,
                sum: || parts.has(Parts::STATS).then(|| stats.collect()),
                dialect,
            };
            *doubt = state.step(told, &mut self.mended);
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
            // Whoever was there before is there now: nobody is looked for among them any more.
            self.previous.clear();
            return;
        }
        std::mem::swap(&mut self.previous, &mut self.older);
        std::mem::swap(&mut self.players, &mut self.previous);
        self.players.clear();
        for packed in &packed.players {
            let who = Who::of(packed, header);
            let before = who.among(&self.previous, None);
            // What is left out of one who was not there does not go on.
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
        self.twins = self.has_twins();
    }

    /// Whether two players have one user id: both differ from the first of them.
    fn has_twins(&self) -> bool {
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

    /// Whether the players of a frame are those that are there, each at its place: nearly always.
    ///
    /// A header may be followed by one with more players, never by one with others: an index means
    /// who it meant.
    #[inline(always)]
    fn has_same(&self, packed: &Packed) -> bool {
        // Those that the header lacks, or of whom it has no user id, are found in other ways.
        let same = |(player, packed): (&PlayerState, &PackedPlayer)| {
            packed.index != 0
                && player.userid != 0
                && (player.index, player.playerid) == (packed.index, packed.playerid)
        };
        !self.twins
            && self.players.len() == packed.players.len()
            && self.players.iter().zip(&packed.players).all(same)
    }
}
