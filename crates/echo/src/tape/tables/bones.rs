//! The rows of skeletons.

use gametape_core::table::{Field, Kind, Lane, Rows, Table, Value};

use super::columns::fields;
use super::players::{PERSON, PERSON_DOC};
use super::poses::of_axis;
use crate::model::PlayerBones;

/// A bone of a player in a frame.
pub struct Bone<'a> {
    pub player: i32,
    pub person: Option<u64>,
    pub number: usize,
    pub bones: &'a PlayerBones,
}

impl Bone<'_> {
    fn position(&self, axis: usize) -> Value<'static> {
        let position = self.bones.positions.get(self.number);
        position.map_or(Value::Null, |position| of_axis(position, axis))
    }

    fn rotation(&self, part: usize) -> Value<'static> {
        let rotation = self.bones.rotations.get(self.number);
        rotation
            .and_then(|rotation| rotation.get(part).copied())
            .into()
    }
}

/// Rows of [`Bone`].
pub struct BoneRows;

impl Rows for BoneRows {
    type Row<'a> = Bone<'a>;
}

pub const BONES: Table<BoneRows> = Table {
    name: "bones",
    lane: Lane::State,
    doc: "The skeletons of the players, relative to them: one row per bone and frame, if they were recorded.",
    fields: fields! {
        BoneRows;
        "player" => Int [key], "The player's number within the match.", |row| row.player;
        "bone" => Uint [key], "The number of the bone, 0 to 22.", |row| row.number as u64;
        PERSON => Uint, PERSON_DOC, |row| row.person;
        "x" => Float32 in "m", "The position along x.", |row| row.position(0);
        "y" => Float32 in "m", "The position along y.", |row| row.position(1);
        "z" => Float32 in "m", "The position along z.", |row| row.position(2);
        "qx" => Float32, "The rotation: x of the quaternion.", |row| row.rotation(0);
        "qy" => Float32, "The rotation: y of the quaternion.", |row| row.rotation(1);
        "qz" => Float32, "The rotation: z of the quaternion.", |row| row.rotation(2);
        "qw" => Float32, "The rotation: w of the quaternion.", |row| row.rotation(3);
    },
};
