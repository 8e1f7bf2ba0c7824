//! Members that the model does not know, and members that an answer of the API lacks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use compact_str::CompactString;
use serde::Serialize;

/// A member that the model does not know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// The object that has the member.
    pub object: Object,
    /// Its key in JSON, as it is spelled.
    pub name: CompactString,
    /// Its value: JSON, as it is spelled.
    pub json: CompactString,
}

impl Unknown {
    /// The path of the member, without the numbers of teams and players: `teams[].players[].mood`.
    #[must_use]
    pub fn path(&self) -> String {
        let owner = match self.object {
            Object::Session | Object::Bones => "",
            Object::Disc => "disc.",
            Object::Pause => "pause.",
            Object::LastScore => "last_score.",
            Object::LastThrow => "last_throw.",
            Object::VrPlayer => "player.",
            Object::Team(_) => "teams[].",
            Object::TeamStats(_) => "teams[].stats.",
            Object::Player(..) => "teams[].players[].",
            Object::PlayerStats(..) => "teams[].players[].stats.",
            Object::Pose(_, _, 0) => "teams[].players[].head.",
            Object::Pose(_, _, 1) => "teams[].players[].body.",
            Object::Pose(_, _, 2) => "teams[].players[].lhand.",
            Object::Pose(..) => "teams[].players[].rhand.",
            Object::UserBones(_) => "user_bones[].",
        };
        let name = gametape_core::text::printable(&self.name);
        format!("{owner}{}", gametape_core::text::shortened(&name))
    }
}

/// An object of the API's responses. Teams and players are counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Object {
    /// The session itself.
    Session,
    /// `disc` of the session.
    Disc,
    /// `pause` of the session.
    Pause,
    /// `last_score` of the session.
    LastScore,
    /// `last_throw` of the session.
    LastThrow,
    /// `player`
    VrPlayer,
    /// An entry of `teams`.
    Team(u8),
    /// The `stats` of a team.
    TeamStats(u8),
    /// A player of a team.
    Player(u8, u8),
    /// The `stats` of a player of a team.
    PlayerStats(u8, u8),
    /// The head, body, left or right hand (0 to 3) of a player of a team.
    Pose(u8, u8, u8),
    /// The response of `/player_bones` itself.
    Bones,
    /// An entry of `user_bones`.
    UserBones(u8),
}

/// A member that the model does not know, and the frames that have it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct UnknownMember {
    /// Its path: see [`Unknown::path`].
    pub member: String,
    /// The number of frames with it.
    pub frames: u64,
    /// The first of these frames, from 0.
    #[serde(rename = "first_step")]
    pub first_frame: u64,
}

/// The unknown members of a recording's frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnknownMembers {
    /// The number of frames with any.
    pub frames: u64,
    /// By path: the number of frames, and the first.
    paths: BTreeMap<String, (u64, u64)>,
}

impl UnknownMembers {
    /// The largest number of members that are named.
    const MOST_NAMED: usize = 64;

    /// Adds those of a frame; `step` is its number.
    pub fn push(&mut self, members: [&[Unknown]; 2], step: u64) {
        if !members.iter().all(|members| members.is_empty()) {
            self.name(members, step);
        }
    }

    #[cold]
    fn name(&mut self, members: [&[Unknown]; 2], step: u64) {
        self.frames += 1;
        let paths: BTreeSet<String> = members.into_iter().flatten().map(Unknown::path).collect();
        for path in paths {
            self.add(path, (1, step));
        }
    }

    fn add(&mut self, path: String, (frames, first): (u64, u64)) {
        if self.paths.len() < Self::MOST_NAMED || self.paths.contains_key(&path) {
            self.paths.entry(path).or_insert((0, first)).0 += frames;
        }
    }

    /// Adds those of the frames that follow, which are counted from `offset`.
    pub fn merge(&mut self, later: &Self, offset: u64) {
        self.frames += later.frames;
        for (path, (frames, first)) in &later.paths {
            self.add(path.clone(), (*frames, first + offset));
        }
    }

    /// The members in the order of their paths.
    pub fn each(&self) -> impl Iterator<Item = UnknownMember> + '_ {
        self.paths
            .iter()
            .map(|(member, (frames, first))| UnknownMember {
                member: member.clone(),
                frames: *frames,
                first_frame: *first,
            })
    }
}

/// The members that an object lacks, although the game's answers have them: another version of the API leaves
/// them out, or they could not be read. Each has its default value in the model (0, an empty text), which the
/// game did not say: tables show null in its place, and writers of lines leave it out. A .butter has no place for
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Missing(u64);

impl Missing {
    /// The members of these bits, in the order of the [table](crate::members) of their object.
    pub(crate) const fn of(bits: u64) -> Self {
        Self(bits)
    }

    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// The number of missing members.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether a member of this bit is missing.
    pub(crate) const fn has(self, bit: u64) -> bool {
        self.0 & bit != 0
    }

    /// Returns true if nothing is missing.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Debug for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Missing({:#x})", self.0)
    }
}
