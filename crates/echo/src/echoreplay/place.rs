//! The objects of a frame: their order, and whether they exist.

use crate::model::{Object, Session, Unknown};

/// Sorts foreign members by the order of their objects; those of one object stay in their order.
///
/// Recorders write members in many orders. The model has one order, so that a frame is equal to the
/// original after it was written and read.
pub(super) fn order(unknown: &mut [Unknown]) {
    if !unknown.is_sorted_by_key(|member| rank(member.object)) {
        unknown.sort_by_key(|member| rank(member.object));
    }
}

/// The rank of an object among all.
pub(super) const fn rank(object: Object) -> [u8; 4] {
    match object {
        Object::Session => [0, 0, 0, 0],
        Object::Disc => [1, 0, 0, 0],
        Object::Pause => [2, 0, 0, 0],
        Object::LastScore => [3, 0, 0, 0],
        Object::LastThrow => [4, 0, 0, 0],
        Object::VrPlayer => [5, 0, 0, 0],
        Object::Team(team) => [6, team, 0, 0],
        Object::TeamStats(team) => [7, team, 0, 0],
        Object::Player(team, player) => [8, team, player, 0],
        Object::PlayerStats(team, player) => [9, team, player, 0],
        Object::Pose(team, player, part) => [10, team, player, part],
        Object::Bones => [11, 0, 0, 0],
        Object::UserBones(player) => [12, player, 0, 0],
    }
}

/// Whether the session has an object. Objects of the bones are not in the session.
pub(super) fn exists(session: &Session, object: Object) -> bool {
    let team = |team: u8| session.teams.get(usize::from(team));
    let player = |at: u8, player: u8| team(at).and_then(|t| t.players.get(usize::from(player)));
    match object {
        Object::Session => true,
        Object::Disc => session.disc.is_some(),
        Object::Pause => session.pause.is_some(),
        Object::LastScore => session.last_score.is_some(),
        Object::LastThrow => session.last_throw.is_some(),
        Object::VrPlayer => session.player.is_some(),
        Object::Team(t) => team(t).is_some(),
        Object::TeamStats(t) => team(t).is_some_and(|team| team.stats.is_some()),
        Object::Player(t, p) => player(t, p).is_some(),
        Object::PlayerStats(t, p) => player(t, p).is_some_and(|player| player.stats.is_some()),
        Object::Pose(t, p, part) => part < 4 && player(t, p).is_some(),
        Object::Bones | Object::UserBones(_) => false,
    }
}
