//! The columns of poses.

use gametape_core::table::Value;

use crate::model::{Player, Pose, Vec3};

/// A pose of a player: what its columns are called, and which it is.
type PlayerPose = (&'static str, fn(&Player) -> &Pose);

/// The poses of a player.
pub const POSES: [PlayerPose; 4] = [
    ("head", |player| &player.head),
    ("body", |player| &player.body),
    ("left_hand", |player| &player.lhand),
    ("right_hand", |player| &player.rhand),
];

/// A part of a pose: the suffix of its columns' names, its unit, its meaning, and how to get it.
type PosePart = (&'static str, &'static str, &'static str, fn(&Pose) -> &Vec3);

/// The parts of a pose.
pub const POSE: [PosePart; 4] = [
    ("", "m", "Where it is", |pose| &pose.position),
    (
        "forward_",
        "",
        "The unit vector to where it looks",
        |pose| &pose.forward,
    ),
    ("left_", "", "The unit vector to its left", |pose| {
        &pose.left
    }),
    ("up_", "", "The unit vector upwards from it", |pose| {
        &pose.up
    }),
];

/// How the columns of three coordinates end, in the order of a vector.
pub const AXES: [&str; 3] = ["x", "y", "z"];

/// The number of columns of a pose.
pub const POSE_COLUMNS: usize = POSE.len() * AXES.len();

/// One of three coordinates.
pub fn of_axis(vector: &Vec3, axis: usize) -> Value<'static> {
    match vector.get(axis) {
        Some(number) => Value::Float32(*number),
        None => Value::Null,
    }
}

/// The value in a column of a pose.
pub fn of_pose(pose: &Pose, column: usize) -> Value<'static> {
    let part = POSE.get(column / AXES.len());
    part.map_or(Value::Null, |(.., get)| {
        of_axis(get(pose), column % AXES.len())
    })
}
