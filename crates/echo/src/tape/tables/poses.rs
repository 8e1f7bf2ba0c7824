//! The columns of poses.

use gametape_core::table::Value;

use crate::model::{Player, Pose, Vec3};

/// A pose of a player: the name of its columns, and its getter.
type PlayerPose = (&'static str, fn(&Player) -> &Pose);

/// The poses of a player.
pub const POSES: [PlayerPose; 4] = [
    ("head", |player| &player.head),
    ("body", |player| &player.body),
    ("left_hand", |player| &player.lhand),
    ("right_hand", |player| &player.rhand),
];

/// A part of a pose: its part of the column's name, its unit, its documentation, and its getter.
type PosePart = (&'static str, &'static str, &'static str, fn(&Pose) -> &Vec3);

/// The parts of a pose.
pub const POSE: [PosePart; 4] = [
    ("", "m", "The position", |pose| &pose.position),
    ("forward_", "", "The unit vector forwards", |pose| {
        &pose.forward
    }),
    ("left_", "", "The unit vector to its left", |pose| {
        &pose.left
    }),
    ("up_", "", "The unit vector upwards", |pose| &pose.up),
];

/// The ends of the names of columns for the coordinates of a vector, in their order.
pub const AXES: [&str; 3] = ["x", "y", "z"];

/// The number of columns of a pose.
pub const POSE_COLUMNS: usize = POSE.len() * AXES.len();

/// Returns one of three coordinates.
pub fn of_axis(vector: &Vec3, axis: usize) -> Value<'static> {
    match vector.get(axis) {
        Some(number) => Value::Float32(*number),
        None => Value::Null,
    }
}

/// Returns the value of a column of a pose.
pub fn of_pose(pose: &Pose, column: usize) -> Value<'static> {
    let part = POSE.get(column / AXES.len());
    part.map_or(Value::Null, |(.., get)| {
        of_axis(get(pose), column % AXES.len())
    })
}
