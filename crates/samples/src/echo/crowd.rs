//! All people in the match, and their coming and going.

use compact_str::CompactString;
use fastrand::Rng;
use gametape_echo::{Bones, Player, PlayerBones, Session, Stats, Team, Vec3};

use super::actor::{Act, Actor, Hold};
use super::game::MatchOptions;
use super::math::{between, within};

/// The third team.
pub(super) const SPECTATORS: usize = 2;

#[derive(Clone, Debug)]
pub(super) struct Crowd {
    /// Blue players first, then orange ones, then spectators.
    pub actors: Vec<Actor>,
    bench: Bench,
    per_team: usize,
    spectators: usize,
    joins: bool,
    /// The number of seconds until a person joins or leaves.
    change_left: f32,
    /// The `playerid` of the player who records, and who therefore stays.
    pub client: i32,
    pub client_name: CompactString,
}

impl Crowd {
    pub(super) fn new(rng: &mut Rng, options: &MatchOptions) -> Self {
        let per_team = usize::from(options.players_per_team.clamp(1, 16));
        let spectators = usize::from(options.spectators.min(16));
        let present = per_team * 2 + spectators;
        let mut bench = Bench::new(rng, present as u32 + 24);
        let mut actors = Vec::with_capacity(present + 1);
        // The game numbers players in the order in which they joined.
        let mut ids: Vec<i32> = (0..present as i32).collect();
        // `Rng::shuffle` is not used, because it draws numbers of the platform's pointer width.
        for last in (1..ids.len()).rev() {
            ids.swap(last, rng.u32(..=last as u32) as usize);
        }
        let teams = [(0, per_team), (1, per_team), (SPECTATORS, spectators)];
        let places = teams
            .into_iter()
            .flat_map(|(team, size)| (0..size).map(move |_| team));
        for (team, id) in places.zip(ids) {
            if let Some(person) = bench.take(rng) {
                actors.push(Actor::new(rng, person, id, team).settled());
            }
        }
        let (client, client_name) = actors
            .first()
            .map_or((0, CompactString::default()), |first| {
                (first.playerid, first.person.name.clone())
            });
        Self {
            actors,
            bench,
            per_team,
            spectators,
            joins: options.joins,
            change_left: between(rng, 12.0, 30.0),
            client,
            client_name,
        }
    }

    pub(super) fn get(&self, playerid: i32) -> Option<&Actor> {
        self.actors.iter().find(|actor| actor.playerid == playerid)
    }

    pub(super) fn get_mut(&mut self, playerid: i32) -> Option<&mut Actor> {
        self.actors
            .iter_mut()
            .find(|actor| actor.playerid == playerid)
    }

    pub(super) fn name(&self, playerid: i32) -> Option<&CompactString> {
        self.get(playerid).map(|actor| &actor.person.name)
    }

    /// The players, without spectators.
    pub(super) fn players(&self) -> impl Iterator<Item = &Actor> {
        self.actors.iter().filter(|actor| actor.team < SPECTATORS)
    }

    /// The players, without spectators.
    pub(super) fn players_mut(&mut self) -> impl Iterator<Item = &mut Actor> {
        self.actors
            .iter_mut()
            .filter(|actor| actor.team < SPECTATORS)
    }

    /// A person may join or leave, except the client and `keep`. `place` gives a new person a
    /// position. Returns who left.
    pub(super) fn come_and_go(
        &mut self,
        rng: &mut Rng,
        dt: f32,
        keep: Option<i32>,
        place: impl FnOnce(&mut Rng, &mut Actor),
    ) -> Option<i32> {
        if !self.joins {
            return None;
        }
        self.change_left -= dt;
        if self.change_left > 0.0 {
            return None;
        }
        self.change_left = between(rng, 6.0, 60.0);
        let team = match rng.u32(..7) {
            0..3 => 0,
            3..6 => 1,
            _ => SPECTATORS,
        };
        let size = self
            .actors
            .iter()
            .filter(|actor| actor.team == team)
            .count();
        let (least, most) = if team == SPECTATORS {
            (self.spectators, self.spectators + 1)
        } else {
            (self.per_team.saturating_sub(2).max(1), self.per_team)
        };
        // A person who left is soon replaced.
        if size < most && (size <= least || rng.u32(..4) > 0) {
            self.join(rng, team, place);
            return None;
        }
        if size > least {
            return self.leave(rng, team, keep);
        }
        None
    }

    fn join(&mut self, rng: &mut Rng, team: usize, place: impl FnOnce(&mut Rng, &mut Actor)) {
        let free = (0..=i32::MAX).find(|id| self.get(*id).is_none());
        let (Some(id), Some(person)) = (free, self.bench.take(rng)) else {
            return;
        };
        let mut actor = Actor::new(rng, person, id, team);
        place(rng, &mut actor);
        let after = self.actors.partition_point(|other| other.team <= team);
        self.actors.insert(after, actor);
    }

    fn leave(&mut self, rng: &mut Rng, team: usize, keep: Option<i32>) -> Option<i32> {
        let may = |actor: &Actor| {
            actor.team == team && actor.playerid != self.client && Some(actor.playerid) != keep
        };
        let candidates = self.actors.iter().filter(|actor| may(actor)).count() as u32;
        if candidates == 0 {
            return None;
        }
        let chosen = rng.u32(..candidates) as usize;
        let (at, _) = self
            .actors
            .iter()
            .enumerate()
            .filter(|(_, actor)| may(actor))
            .nth(chosen)?;
        let gone = self.actors.remove(at);
        let id = gone.playerid;
        self.bench.give_back(gone.person);
        for hold in self.actors.iter_mut().flat_map(|actor| &mut actor.holds) {
            if *hold == Hold::Mate(id) {
                *hold = Hold::Nothing;
            }
        }
        Some(id)
    }

    /// The spectators float around.
    pub(super) fn watch(&mut self, rng: &mut Rng, dt: f32, room: Vec3) {
        for actor in &mut self.actors {
            if actor.team != SPECTATORS {
                continue;
            }
            actor.act_left -= dt;
            if actor.act_left <= 0.0 {
                actor.act_left = between(rng, 2.0, 9.0);
                actor.target = within(rng, room);
                actor.act = if rng.bool() { Act::Thrust } else { Act::Grab };
            }
            actor.fly(dt, 3.0);
        }
    }

    /// Everybody continues to look around; players look at `at`.
    pub(super) fn pose(&mut self, rng: &mut Rng, dt: f32, at: Vec3, bones: bool) {
        for actor in &mut self.actors {
            actor.pose(rng, dt, at, bones && actor.team < SPECTATORS);
        }
    }

    pub(super) fn pass_time(&mut self, rng: &mut Rng, dt: f32) {
        for actor in &mut self.actors {
            actor.pass_time(rng, dt);
        }
    }

    /// Resets the statistics for a new match.
    pub(super) fn forget_stats(&mut self) {
        for actor in &mut self.actors {
            actor.stats = Stats::default();
        }
    }

    /// A player's team and index in the team, as in the API.
    pub(super) fn place_of(&self, playerid: i32) -> Option<[i32; 2]> {
        let mut place = 0;
        let mut team = 0;
        for actor in &self.actors {
            if actor.team != team {
                (team, place) = (actor.team, 0);
            }
            if actor.playerid == playerid {
                return Some([team as i32, place]);
            }
            place += 1;
        }
        None
    }

    /// Writes the teams of a session.
    pub(super) fn write(&self, session: &mut Session, frozen: bool, arena: bool) {
        session.teams.resize_with(3, Team::default);
        let names = ["BLUE TEAM", "ORANGE TEAM", "SPECTATORS"];
        for (index, (team, name)) in session.teams.iter_mut().zip(names).enumerate() {
            if team.name != name {
                team.name = CompactString::const_new(name);
            }
            let of_team = || self.actors.iter().filter(|actor| actor.team == index);
            team.players.resize_with(of_team().count(), Player::default);
            let mut sum = Stats::default();
            team.possession = false;
            for (player, actor) in team.players.iter_mut().zip(of_team()) {
                actor.write(player, frozen, arena);
                team.possession |= actor.possession;
                add(&mut sum, &actor.stats);
            }
            team.stats = (index < SPECTATORS).then_some(sum);
        }
    }

    /// Writes the bones of the players, in the order of the teams.
    pub(super) fn write_bones(&self, bones: &mut Bones) {
        bones.unknown.clear();
        bones
            .user_bones
            .resize_with(self.players().count(), PlayerBones::default);
        for (bones, actor) in bones.user_bones.iter_mut().zip(self.players()) {
            actor.skeleton.write(bones);
        }
    }
}

fn add(sum: &mut Stats, stats: &Stats) {
    sum.possession_time += stats.possession_time;
    sum.points += stats.points;
    sum.saves += stats.saves;
    sum.goals += stats.goals;
    sum.stuns += stats.stuns;
    sum.passes += stats.passes;
    sum.catches += stats.catches;
    sum.steals += stats.steals;
    sum.blocks += stats.blocks;
    sum.interceptions += stats.interceptions;
    sum.assists += stats.assists;
    sum.shots_taken += stats.shots_taken;
}

/// Invented names that are not longer than the game allows.
const NAMES: [&str; 24] = [
    "Alder",
    "Birch",
    "Cedar-3",
    "Dogwood",
    "elm_tree",
    "Fir",
    "Ginkgo",
    "Hazel",
    "Ironwood",
    "Juniper",
    "Koa",
    "Larch_",
    "Maple.77",
    "nutmeg",
    "Oak",
    "Poplar",
    "Quince",
    "Rowan",
    "Sycamore",
    "Teak",
    "Umbrella-Pine",
    "viburnum",
    "Willow",
    "Yew",
];

/// A person with an account.
#[derive(Clone, Debug)]
pub(super) struct Person {
    pub name: CompactString,
    pub userid: u64,
    pub number: i32,
    pub level: i32,
}

/// The people who are not in the match at the moment. Everybody who joins comes from this fixed
/// group, so that a recording of any length stays within the 255 players that a .butter can have.
#[derive(Clone, Debug)]
pub(super) struct Bench {
    waiting: Vec<Person>,
}

impl Bench {
    pub(super) fn new(rng: &mut Rng, people: u32) -> Self {
        // Ids have equal distances, so they are all different.
        let first = 1_000_000_000_000_000 + rng.u64(..2_000_000_000_000_000);
        let step = 1 + rng.u64(..9_000_000_000_000);
        let turn = rng.u32(..24);
        let waiting = (0..people)
            .map(|n| {
                let name = NAMES
                    .iter()
                    .cycle()
                    .nth(((n + turn) % 24) as usize)
                    .copied()
                    .unwrap_or_default();
                let name = match n / 24 {
                    0 => CompactString::from(name),
                    again => compact_str::format_compact!("{name}{}", again + 1),
                };
                Person {
                    name,
                    userid: first + step * u64::from(n),
                    number: rng.i32(0..100),
                    level: rng.i32(1..=50),
                }
            })
            .collect();
        Self { waiting }
    }

    /// A waiting person, often the one who left last.
    pub(super) fn take(&mut self, rng: &mut Rng) -> Option<Person> {
        let last = self.waiting.len().checked_sub(1)?;
        let at = if rng.u32(..3) == 0 {
            last
        } else {
            rng.u32(..=last as u32) as usize
        };
        Some(self.waiting.swap_remove(at))
    }

    pub(super) fn give_back(&mut self, person: Person) {
        self.waiting.push(person);
    }
}
