//! The columns of poses.

use gametape_core::table::Value;

use crate::members;
use crate::model::{Player, Pose, Vec3};

/// The poses of a player, by the names of their columns.
pub const POSES: [&str; 4] = ["head", "body", "left_hand", "right_hand"];

/// Returns these poses of a player; `None` for those that the answer lacks.
pub fn poses_of(player: &Player) -> [Option<&Pose>; POSES.len()] {
    const fn bit(member: &str) -> u64 {
        members::bit(members::PLAYER, member)
    }
    const BITS: [u64; POSES.len()] = [bit("head"), bit("body"), bit("lhand"), bit("rhand")];
    let [head, body, left, right] = BITS.map(|bit| !player.missing.has(bit));
    [
        head.then_some(&player.head),
        body.then_some(&player.body),
        left.then_some(&player.lhand),
        right.then_some(&player.rhand),
    ]
}

/// The parts of a pose: its part of the column's name, its unit, and its documentation.
pub const POSE: [(&str, &str, &str); 4] = [
    ("", "m", "The position"),
    ("forward_", "", "The unit vector forwards"),
    ("left_", "", "The unit vector to its left"),
    ("up_", "", "The unit vector upwards"),
];

/// The ends of the names of columns for the coordinates of a vector, in their order.
pub const AXES: [&str; 3] = ["x", "y", "z"];

/// The number of columns of a pose.
pub const POSE_COLUMNS: usize = POSE.len() * AXES.len();

/// Returns one of three coordinates.
#[inline]
pub fn of_axis(vector: &Vec3, axis: usize) -> Value<'static> {
    match vector.get(axis) {
        Some(number) => Value::Float32(*number),
        None => Value::Null,
    }
}

/// Returns the value of a column of a pose.
#[inline]
pub fn of_pose(pose: &Pose, column: usize) -> Value<'static> {
    let parts = [&pose.position, &pose.forward, &pose.left, &pose.up];
    let part = parts.get(column / AXES.len());
    part.map_or(Value::Null, |part| of_axis(part, column % AXES.len()))
}
