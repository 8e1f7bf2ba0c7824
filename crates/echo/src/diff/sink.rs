//! The receiver of the pairs of values, helpers that pass pairs to it, and the values of the frame before,
//! from which changes are measured.

use super::angle;
use super::tolerance::Tolerance;
use crate::field::Field;
use crate::model::{Frame, Player, Pose, Stats, Vec3};

/// The object that a value belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At<'a> {
    /// The frame itself.
    Frame,
    /// An entry of `teams`, by its index.
    Team(usize),
    /// A player of a team, by place and name.
    Player(usize, usize, &'a str),
    /// A bone of an entry of `user_bones`.
    Bone(usize, usize),
}

/// Receives pairs of values. Members have their names in the API.
pub(crate) trait Sink {
    /// The tolerance, which decides which values are compared.
    fn tolerance(&self) -> &Tolerance;

    /// Whether a value without a code in a .butter (a goal type, a letter of a name) counts as equal to the
    /// value that replaces it.
    fn forgives_codes(&self) -> bool;

    /// A value of this field differs, and counts as equal because it has no code.
    fn uncoded(&mut self, _: Field) {}

    /// Two numbers, and the number in the frame before, if known.
    fn number(
        &mut self,
        field: Field,
        at: At<'_>,
        member: &'static str,
        values: [f32; 2],
        before: Option<f32>,
    );

    /// Three coordinates.
    fn vector(
        &mut self,
        field: Field,
        at: At<'_>,
        member: &'static str,
        values: [&Vec3; 2],
        before: Option<&Vec3>,
    );

    /// The rotations of a pose; neither is all zeros.
    fn rotation(&mut self, field: Field, at: At<'_>, member: &'static str, values: [&Pose; 2]);

    /// The rotation of a bone.
    fn quaternion(&mut self, at: At<'_>, values: [&[f32; 4]; 2]);

    /// Whole numbers, with the names of their members.
    fn whole(&mut self, field: Field, at: At<'_>, members: &[&'static str], values: [&[i64]; 2]);

    /// Values of any other type: whether they are equal, and how to show them.
    fn other(
        &mut self,
        field: Field,
        at: At<'_>,
        member: &'static str,
        same: bool,
        show: impl FnOnce() -> [String; 2],
    );
}

/// Both as text.
pub(super) fn shown<T: std::fmt::Display>(a: &T, b: &T) -> [String; 2] {
    [a.to_string(), b.to_string()]
}

/// Both in Rust's debug format, for values without a text form.
pub(super) fn debugged<T: std::fmt::Debug>(a: &T, b: &T) -> [String; 2] {
    [format!("{a:?}"), format!("{b:?}")]
}

/// Returns both values if both are present. If one is missing, that is a difference, unless the other is
/// empty: a .butter can't distinguish the two.
pub(super) fn both<'a, S: Sink, T>(
    sink: &mut S,
    at: At<'_>,
    member: &'static str,
    (a, b): (Option<&'a T>, Option<&'a T>),
    says_nothing: impl Fn(&T) -> bool,
) -> Option<(&'a T, &'a T)> {
    let same = match (a, b) {
        (Some(a), Some(b)) => return Some((a, b)),
        (None, None) => true,
        (Some(one), None) | (None, Some(one)) => sink.tolerance().kept_only && says_nothing(one),
    };
    sink.other(Field::Presence, at, member, same, || {
        [a.is_some(), b.is_some()].map(|there| if there { "there" } else { "not there" }.to_owned())
    });
    None
}

/// Position and rotation.
pub(super) fn pose<S: Sink>(
    sink: &mut S,
    [position, rotation]: [Field; 2],
    at: At<'_>,
    [position_member, rotation_member]: [&'static str; 2],
    [a, b]: [&Pose; 2],
    before: Option<&Vec3>,
) {
    let positions = [&a.position, &b.position];
    sink.vector(position, at, position_member, positions, before);
    match (angle::is_without(a), angle::is_without(b)) {
        (false, false) => sink.rotation(rotation, at, rotation_member, [a, b]),
        (without_a, without_b) => {
            let same = without_a == without_b;
            sink.other(Field::Orientation, at, rotation_member, same, || {
                [without_a, without_b]
                    .map(|without| if without { "of zeros" } else { "there" }.to_owned())
            });
        }
    }
}

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
