//! What the rows of each table are made of.

use compact_str::{CompactString, ToCompactString};
use gametape_core::table::{Field, Kind, Lane, Rows, Table, Value};

use crate::model::{
    Disc, Holding, LastThrow, Payload, Player, PlayerBones, Pose, Session, Stats, Vec3,
};
use crate::stats::{Attendance, AttendanceEvent, Goal};

use Kind::{Bool, Float32, Int, Text, Uint};

/// A player in a frame.
pub struct PlayerRow<'a> {
    pub player: &'a Player,
    pub team: &'static str,
    /// What the hands hold.
    pub held: &'a Held,
}

/// What the left and the right hand of a player hold: of a player who is held the number, never the
/// account.
pub type Held = [Option<CompactString>; 2];

/// What a player holds.
pub fn held(session: &Session, player: &Player) -> Held {
    [&player.holding_left, &player.holding_right].map(|held| Some(held_by(session, held.as_ref()?)))
}

impl PlayerRow<'_> {
    fn hand(&self, hand: usize) -> Value<'_> {
        let held = self.held.get(hand).and_then(Option::as_deref);
        held.into()
    }

    fn stat(&self, get: impl Fn(&Stats) -> i32) -> Value<'static> {
        self.player.stats.as_ref().map(get).into()
    }
}

/// `blue`, `orange` or `spectator`.
pub const fn team_name(team: usize) -> &'static str {
    match team {
        0 => "blue",
        1 => "orange",
        _ => "spectator",
    }
}

/// What a hand holds. Recorders before 2022 named a player who is held by the account, which is not
/// shown: by the number, if the player is there.
fn held_by(session: &Session, held: &Holding) -> CompactString {
    let number = match held {
        Holding::None => return CompactString::const_new("none"),
        Holding::Geo => return CompactString::const_new("geo"),
        Holding::Disc => return CompactString::const_new("disc"),
        Holding::Number(number) => number,
        Holding::Other(text) => return text.clone(),
    };
    let account = session.player_by_userid(*number);
    match account.map(|player| player.playerid) {
        Some(player) => player.to_compact_string(),
        None if u8::try_from(*number).is_ok() => number.to_compact_string(),
        None => "player".into(),
    }
}

/// Rows of [`PlayerRow`].
pub struct Players;

impl Rows for Players {
    type Row<'a> = PlayerRow<'a>;
}

/// The poses of a player come behind its columns: see [`POSES`].
pub const PLAYERS: Table<Players> = Table {
    name: "players",
    lane: Lane::State,
    doc: "Each player, a row a frame, until they leave.",
    fields: &[
        Field::<Players>::new(
            "player",
            Int,
            "The player's number within the match (`playerid`).",
            |row| row.player.playerid.into(),
        )
        .key(),
        Field::<Players>::new("team", Text, "`blue`, `orange` or `spectator`.", |row| {
            row.team.into()
        }),
        Field::<Players>::new("name", Text, "The name.", |row| {
            row.player.name.as_str().into()
        }),
        Field::<Players>::new("user_id", Uint, "The account.", |row| {
            row.player.userid.into()
        })
        .secret(),
        Field::<Players>::new(
            "number",
            Int,
            "The number on the jersey; 0 for a couple of frames after joining.",
            |row| row.player.number.into(),
        ),
        Field::<Players>::new(
            "level",
            Int,
            "The level; 0 for a couple of frames after joining.",
            |row| row.player.level.into(),
        ),
        Field::<Players>::new("ping", Int, "The ping.", |row| row.player.ping.into()).unit("ms"),
        Field::<Players>::new(
            "packet_loss",
            Float32,
            "The ratio of packets that were lost, 0 to 1.",
            |row| row.player.packetlossratio.into(),
        ),
        Field::<Players>::new(
            "possession",
            Bool,
            "Whether the player possesses the disc.",
            |row| row.player.possession.into(),
        ),
        Field::<Players>::new("blocking", Bool, "Whether the player blocks.", |row| {
            row.player.blocking.into()
        }),
        Field::<Players>::new("stunned", Bool, "Whether the player is stunned.", |row| {
            row.player.stunned.into()
        }),
        Field::<Players>::new(
            "invulnerable",
            Bool,
            "Whether the player can't be stunned.",
            |row| row.player.invulnerable.into(),
        ),
        Field::<Players>::new("emote", Bool, "Whether an emote is shown.", |row| {
            row.player.is_emote_playing.into()
        }),
        Field::<Players>::new(
            "holding_left",
            Text,
            "What the left hand holds: `none`, `geo` for the level, `disc`, or a player's number.",
            |row| row.hand(0),
        ),
        Field::<Players>::new("holding_right", Text, "What the right hand holds.", |row| {
            row.hand(1)
        }),
        Field::<Players>::new("velocity_x", Float32, "The velocity along x.", |row| {
            of_axis(&row.player.velocity, 0)
        })
        .unit("m/s"),
        Field::<Players>::new(
            "velocity_y",
            Float32,
            "The velocity along y, upwards.",
            |row| of_axis(&row.player.velocity, 1),
        )
        .unit("m/s"),
        Field::<Players>::new("velocity_z", Float32, "The velocity along z.", |row| {
            of_axis(&row.player.velocity, 2)
        })
        .unit("m/s"),
        Field::<Players>::new(
            "possession_time",
            Float32,
            "How long the player has possessed the disc.",
            |row| {
                row.player
                    .stats
                    .as_ref()
                    .map(|stats| stats.possession_time)
                    .into()
            },
        )
        .unit("s"),
        Field::<Players>::new("points", Int, "Points.", |row| {
            row.stat(|stats| stats.points)
        }),
        Field::<Players>::new("goals", Int, "Goals.", |row| row.stat(|stats| stats.goals)),
        Field::<Players>::new("assists", Int, "Assists.", |row| {
            row.stat(|stats| stats.assists)
        }),
        Field::<Players>::new("saves", Int, "Shots at the own goal stopped.", |row| {
            row.stat(|stats| stats.saves)
        }),
        Field::<Players>::new("stuns", Int, "Opponents stunned.", |row| {
            row.stat(|stats| stats.stuns)
        }),
        Field::<Players>::new("passes", Int, "Passes.", |row| {
            row.stat(|stats| stats.passes)
        }),
        Field::<Players>::new("catches", Int, "Passes caught.", |row| {
            row.stat(|stats| stats.catches)
        }),
        Field::<Players>::new("steals", Int, "Discs taken from an opponent.", |row| {
            row.stat(|stats| stats.steals)
        }),
        Field::<Players>::new("blocks", Int, "Punches blocked.", |row| {
            row.stat(|stats| stats.blocks)
        }),
        Field::<Players>::new(
            "interceptions",
            Int,
            "Passes of the opponents caught.",
            |row| row.stat(|stats| stats.interceptions),
        ),
        Field::<Players>::new("shots_taken", Int, "Shots at the goal.", |row| {
            row.stat(|stats| stats.shots_taken)
        }),
        Field::<Players>::new("weapon", Text, "In combat: the weapon.", |row| {
            row.player
                .loadout
                .as_ref()
                .map(|loadout| loadout.weapon.as_str())
                .into()
        }),
        Field::<Players>::new("ordnance", Text, "In combat: the ordnance.", |row| {
            row.player
                .loadout
                .as_ref()
                .map(|loadout| loadout.ordnance.as_str())
                .into()
        }),
        Field::<Players>::new("tac_mod", Text, "In combat: the tac-mod.", |row| {
            row.player
                .loadout
                .as_ref()
                .map(|loadout| loadout.tac_mod.as_str())
                .into()
        }),
        Field::<Players>::new("arm", Text, "In combat: the arm with the tac-mod.", |row| {
            row.player
                .loadout
                .as_ref()
                .map(|loadout| loadout.arm.as_str())
                .into()
        }),
    ],
};

/// A pose of a player: what its columns are called, and which it is.
type PlayerPose = (&'static str, fn(&Player) -> &Pose);

/// The poses of a player.
pub const POSES: [PlayerPose; 4] = [
    ("head", |player| &player.head),
    ("body", |player| &player.body),
    ("left_hand", |player| &player.lhand),
    ("right_hand", |player| &player.rhand),
];

/// A part of a pose: what stands behind its name in that of a column, its unit, and what it is.
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

/// The axes.
pub const AXES: [&str; 3] = ["x", "y", "z"];

/// The number of columns of a pose.
pub const POSE_COLUMNS: usize = POSE.len() * AXES.len();

/// One of three coordinates.
fn of_axis(vector: &Vec3, axis: usize) -> Value<'static> {
    match vector.get(axis) {
        Some(number) => Value::Float32(*number),
        None => Value::Null,
    }
}

/// What stands in a column of a pose.
pub fn of_pose(pose: &Pose, column: usize) -> Value<'static> {
    let part = POSE.get(column / AXES.len());
    part.map_or(Value::Null, |(.., get)| {
        of_axis(get(pose), column % AXES.len())
    })
}

/// A bone of a player in a frame.
pub struct Bone<'a> {
    pub player: i32,
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
    doc: "The skeletons of the players, local to them, a row a bone and frame, where they were recorded.",
    fields: &[
        Field::<BoneRows>::new(
            "player",
            Int,
            "The player's number within the match.",
            |row| row.player.into(),
        )
        .key(),
        Field::<BoneRows>::new("bone", Uint, "The number of the bone, 0 to 22.", |row| {
            (row.number as u64).into()
        })
        .key(),
        Field::<BoneRows>::new("x", Float32, "Where it is along x.", |row| row.position(0))
            .unit("m"),
        Field::<BoneRows>::new("y", Float32, "Where it is along y.", |row| row.position(1))
            .unit("m"),
        Field::<BoneRows>::new("z", Float32, "Where it is along z.", |row| row.position(2))
            .unit("m"),
        Field::<BoneRows>::new(
            "qx",
            Float32,
            "How it is turned: x of the quaternion.",
            |row| row.rotation(0),
        ),
        Field::<BoneRows>::new(
            "qy",
            Float32,
            "How it is turned: y of the quaternion.",
            |row| row.rotation(1),
        ),
        Field::<BoneRows>::new(
            "qz",
            Float32,
            "How it is turned: z of the quaternion.",
            |row| row.rotation(2),
        ),
        Field::<BoneRows>::new(
            "qw",
            Float32,
            "How it is turned: w of the quaternion.",
            |row| row.rotation(3),
        ),
    ],
};

impl Rows for Disc {
    type Row<'a> = &'a Disc;
}

/// The pose comes behind its columns.
pub const DISC: Table<Disc> = Table {
    name: "disc",
    lane: Lane::State,
    doc: "The disc of the arena, a row a frame.",
    fields: &[
        Field::<Disc>::new("velocity_x", Float32, "The velocity along x.", |row| {
            of_axis(&row.velocity, 0)
        })
        .unit("m/s"),
        Field::<Disc>::new(
            "velocity_y",
            Float32,
            "The velocity along y, upwards.",
            |row| of_axis(&row.velocity, 1),
        )
        .unit("m/s"),
        Field::<Disc>::new("velocity_z", Float32, "The velocity along z.", |row| {
            of_axis(&row.velocity, 2)
        })
        .unit("m/s"),
        Field::<Disc>::new("bounce_count", Int, "Bounces since it was thrown.", |row| {
            row.bounce_count.into()
        }),
    ],
};

impl Rows for Session {
    type Row<'a> = &'a Session;
}

pub const GAME: Table<Session> = Table {
    name: "game",
    lane: Lane::State,
    doc: "What the match is doing, a row a frame.",
    fields: &[
        Field::<Session>::new(
            "status",
            Text,
            "What the match is doing: `playing`, `score`, `round_over` and so on; empty in a lobby.",
            |row| row.game_status.as_str().into(),
        ),
        Field::<Session>::new("clock", Float32, "The game's clock.", |row| {
            row.game_clock.into()
        })
        .unit("s"),
        Field::<Session>::new(
            "blue_points",
            Float32,
            "Points of blue; in combat not whole.",
            |row| row.blue_points.into(),
        ),
        Field::<Session>::new(
            "orange_points",
            Float32,
            "Points of orange; in combat not whole.",
            |row| row.orange_points.into(),
        ),
        Field::<Session>::new("blue_rounds", Int, "Rounds that blue has won.", |row| {
            row.blue_round_score.into()
        }),
        Field::<Session>::new("orange_rounds", Int, "Rounds that orange has won.", |row| {
            row.orange_round_score.into()
        }),
        Field::<Session>::new(
            "possession",
            Text,
            "The team that possesses the disc: `blue`, `orange` or `none`.",
            |row| {
                let team = row.possession.map(|[team, _]| match team {
                    0 => "blue",
                    1 => "orange",
                    _ => "none",
                });
                team.into()
            },
        ),
        Field::<Session>::new(
            "possession_player",
            Int,
            "The number of the player who possesses it.",
            |row| {
                let player = row.possession.and_then(|[team, player]| {
                    let team = row.teams.get(usize::try_from(team).ok()?)?;
                    team.players.get(usize::try_from(player).ok()?)
                });
                player.map(|player| player.playerid).into()
            },
        ),
        Field::<Session>::new(
            "paused",
            Text,
            "Whether it is paused: `unpaused`, `paused`, `unpausing` and so on.",
            |row| {
                row.pause
                    .as_ref()
                    .map(|pause| pause.paused_state.as_str())
                    .into()
            },
        ),
        Field::<Session>::new(
            "pause_requested_by",
            Text,
            "The team that asked for the pause.",
            |row| {
                row.pause
                    .as_ref()
                    .map(|pause| pause.paused_requested_team.as_str())
                    .into()
            },
        ),
        Field::<Session>::new(
            "paused_timer",
            Float32,
            "How long it has been paused.",
            |row| row.pause.as_ref().map(|pause| pause.paused_timer).into(),
        )
        .unit("s"),
        Field::<Session>::new(
            "unpaused_timer",
            Float32,
            "How long until play goes on.",
            |row| row.pause.as_ref().map(|pause| pause.unpaused_timer).into(),
        )
        .unit("s"),
        Field::<Session>::new(
            "blue_asks_restart",
            Bool,
            "Whether blue asks for a restart.",
            |row| row.blue_team_restart_request.into(),
        ),
        Field::<Session>::new(
            "orange_asks_restart",
            Bool,
            "Whether orange asks for a restart.",
            |row| row.orange_team_restart_request.into(),
        ),
    ],
};

impl Rows for Payload {
    type Row<'a> = &'a Payload;
}

pub const PAYLOAD: Table<Payload> = Table {
    name: "payload",
    lane: Lane::State,
    doc: "The payload of combat, a row a frame.",
    fields: &[
        Field::<Payload>::new("distance", Float32, "How far along its way it is.", |row| {
            row.payload_distance.into()
        })
        .unit("m"),
        Field::<Payload>::new("speed", Float32, "Its speed.", |row| {
            row.payload_speed.into()
        })
        .unit("m/s"),
        Field::<Payload>::new(
            "multiplier",
            Float32,
            "The factor of its speed for the number of attackers at it.",
            |row| row.payload_multiplier.into(),
        ),
        Field::<Payload>::new("checkpoint", Int, "Checkpoints that it passed.", |row| {
            row.payload_checkpoint.into()
        }),
        Field::<Payload>::new("defenders", Int, "Defenders at it.", |row| {
            row.payload_defenders.into()
        }),
        Field::<Payload>::new(
            "contested",
            Bool,
            "Whether both teams stand at it.",
            |row| row.contested.into(),
        ),
    ],
};

impl Rows for Goal {
    type Row<'a> = &'a Goal;
}

pub const GOALS: Table<Goal> = Table {
    name: "goals",
    lane: Lane::Events,
    doc: "Goals: the points of a team rise. Who made them and how is told where `last_score` tells it.",
    fields: &[
        Field::<Goal>::new("clock", Float32, "The game's clock.", |row| {
            row.clock.into()
        })
        .unit("s"),
        Field::<Goal>::new("team", Text, "Whose points rose.", |row| {
            row.team.as_str().into()
        }),
        Field::<Goal>::new("points", Float32, "By how many.", |row| row.points.into()),
        Field::<Goal>::new("goal_type", Text, "How, as the API names it.", |row| {
            row.goal_type.as_deref().into()
        }),
        Field::<Goal>::new("thrower", Text, "The name of who threw.", |row| {
            row.thrower.as_deref().into()
        }),
        Field::<Goal>::new("assist", Text, "The name of who assisted.", |row| {
            row.assist.as_deref().into()
        }),
        Field::<Goal>::new("disc_speed", Float32, "The speed of the disc.", |row| {
            row.disc_speed.into()
        })
        .unit("m/s"),
        Field::<Goal>::new("distance", Float32, "How far it was thrown.", |row| {
            row.distance.into()
        })
        .unit("m"),
    ],
};

impl Rows for LastThrow {
    type Row<'a> = &'a LastThrow;
}

pub const THROWS: Table<LastThrow> = Table {
    name: "throws",
    lane: Lane::Events,
    doc: "Throws, as the game analyses them: whenever `last_throw` changes.",
    fields: &[
        Field::<LastThrow>::new("total_speed", Float32, "The speed of the throw.", |row| {
            row.total_speed.into()
        })
        .unit("m/s"),
        Field::<LastThrow>::new("arm_speed", Float32, "The speed of the arm.", |row| {
            row.arm_speed.into()
        })
        .unit("m/s"),
        Field::<LastThrow>::new(
            "speed_from_arm",
            Float32,
            "What the arm gave of it.",
            |row| row.speed_from_arm.into(),
        )
        .unit("m/s"),
        Field::<LastThrow>::new(
            "speed_from_movement",
            Float32,
            "What the movement gave of it.",
            |row| row.speed_from_movement.into(),
        )
        .unit("m/s"),
        Field::<LastThrow>::new(
            "speed_from_wrist",
            Float32,
            "What the wrist gave of it.",
            |row| row.speed_from_wrist.into(),
        )
        .unit("m/s"),
        Field::<LastThrow>::new(
            "pot_speed_from_rot",
            Float32,
            "What the rotation might have given.",
            |row| row.pot_speed_from_rot.into(),
        )
        .unit("m/s"),
        Field::<LastThrow>::new("rot_per_sec", Float32, "Turns a second.", |row| {
            row.rot_per_sec.into()
        })
        .unit("1/s"),
        Field::<LastThrow>::new(
            "off_axis_spin_deg",
            Float32,
            "The spin beside the axis.",
            |row| row.off_axis_spin_deg.into(),
        )
        .unit("deg"),
        Field::<LastThrow>::new("off_axis_penalty", Float32, "What that cost.", |row| {
            row.off_axis_penalty.into()
        })
        .unit("m/s"),
        Field::<LastThrow>::new(
            "wrist_align_to_throw_deg",
            Float32,
            "How the wrist stood to the throw.",
            |row| row.wrist_align_to_throw_deg.into(),
        )
        .unit("deg"),
        Field::<LastThrow>::new("wrist_throw_penalty", Float32, "What that cost.", |row| {
            row.wrist_throw_penalty.into()
        })
        .unit("m/s"),
        Field::<LastThrow>::new(
            "throw_align_to_movement_deg",
            Float32,
            "How the throw stood to the movement.",
            |row| row.throw_align_to_movement_deg.into(),
        )
        .unit("deg"),
        Field::<LastThrow>::new("throw_move_penalty", Float32, "What that cost.", |row| {
            row.throw_move_penalty.into()
        })
        .unit("m/s"),
    ],
};

impl Rows for Attendance {
    type Row<'a> = &'a Self;
}

pub const JOINS: Table<Attendance> = Table {
    name: "joins",
    lane: Lane::Events,
    doc: "Players who come, go and change teams; those of the first frame are not listed.",
    fields: &[
        Field::<Attendance>::new("event", Text, "`join`, `leave` or `move`.", |row| {
            let event = match row.event {
                AttendanceEvent::Join => "join",
                AttendanceEvent::Leave => "leave",
                AttendanceEvent::Move => "move",
            };
            event.into()
        }),
        Field::<Attendance>::new("name", Text, "The player's name.", |row| {
            row.name.as_str().into()
        }),
        Field::<Attendance>::new("user_id", Uint, "The account.", |row| row.userid.into()).secret(),
        Field::<Attendance>::new(
            "team",
            Text,
            "The team: joined, left, or changed to.",
            |row| row.team.as_str().into(),
        ),
    ],
};
