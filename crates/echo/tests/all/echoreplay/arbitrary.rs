//! Frames of any content.

use gametape_echo::*;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

type Text = compact_str::CompactString;

fn text() -> impl Strategy<Value = Text> {
    prop_oneof![
        "[A-Za-z0-9_-]{0,20}".prop_map(Text::from),
        any::<String>().prop_map(Text::from),
        "[\\x00-\\x20\"\\\\é😀]{0,40}".prop_map(Text::from),
    ]
}

pub fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        -100.0_f32..100.0,
        (-20_000_i32..20_000).prop_map(|n| n as f32 / 1000.0),
        any::<u32>()
            .prop_map(f32::from_bits)
            .prop_filter("finite", |n| n.is_finite()),
        prop::sample::select(vec![
            0.0,
            -0.0,
            1.0,
            f32::MIN,
            f32::MAX,
            f32::MIN_POSITIVE,
            1e-45
        ]),
    ]
}

fn numbers<const N: usize>() -> impl Strategy<Value = [f32; N]> {
    vec(number(), N).prop_map(|numbers| numbers.try_into().unwrap())
}

fn pose() -> impl Strategy<Value = Pose> {
    numbers::<12>().prop_map(|n| Pose {
        position: [n[0], n[1], n[2]],
        forward: [n[3], n[4], n[5]],
        left: [n[6], n[7], n[8]],
        up: [n[9], n[10], n[11]],
    })
}

fn stats() -> impl Strategy<Value = Stats> {
    (number(), any::<[i32; 11]>()).prop_map(|(possession_time, n)| Stats {
        possession_time,
        points: n[0],
        saves: n[1],
        goals: n[2],
        stuns: n[3],
        passes: n[4],
        catches: n[5],
        steals: n[6],
        blocks: n[7],
        interceptions: n[8],
        assists: n[9],
        shots_taken: n[10],
    })
}

fn word<T: for<'a> From<&'a str> + std::fmt::Debug>(
    known: &'static [&'static str],
) -> impl Strategy<Value = T> {
    prop_oneof![
        prop::sample::select(known).prop_map(T::from),
        text().prop_map(|text| T::from(&text)),
    ]
}

fn team_id() -> impl Strategy<Value = TeamId> {
    word(&["blue", "orange", "none", "spectator"])
}

fn holding() -> impl Strategy<Value = Option<Holding>> {
    let some = prop_oneof![
        word(&["none", "geo", "disc"]),
        any::<u64>().prop_map(Holding::Number),
    ];
    of(some)
}

fn player() -> impl Strategy<Value = Player> {
    let loadout = (
        word(&["rocket", "blaster", "scout", "assault"]),
        word(&["stun", "det", "burst", "arc"]),
        word(&["sensor", "wraith", "heal", "shield"]),
        word(&["Left", "Right"]),
    )
        .prop_map(|(weapon, ordnance, tac_mod, arm)| Loadout {
            weapon,
            ordnance,
            tac_mod,
            arm,
        });
    (
        (
            text(),
            any::<[i32; 4]>(),
            any::<u64>(),
            number(),
            any::<[bool; 5]>(),
        ),
        (
            holding(),
            holding(),
            numbers::<3>(),
            of(stats()),
            of(loadout),
        ),
        (pose(), pose(), pose(), pose()),
    )
        .prop_map(
            |(
                (name, n, userid, packetlossratio, flags),
                (holding_left, holding_right, velocity, stats, loadout),
                (head, body, lhand, rhand),
            )| Player {
                name,
                playerid: n[0],
                userid,
                number: n[1],
                level: n[2],
                ping: n[3],
                packetlossratio,
                possession: flags[0],
                blocking: flags[1],
                stunned: flags[2],
                invulnerable: flags[3],
                is_emote_playing: flags[4],
                holding_left,
                holding_right,
                velocity,
                head,
                body,
                lhand,
                rhand,
                stats,
                loadout,
                missing: Missing::default(),
            },
        )
}

fn team() -> impl Strategy<Value = Team> {
    (text(), any::<bool>(), of(stats()), vec(player(), 0..4)).prop_map(
        |(name, possession, stats, players)| Team {
            name,
            possession,
            stats,
            players,
        },
    )
}

fn pause() -> impl Strategy<Value = Pause> {
    (
        word(&["paused", "unpaused", "none"]),
        team_id(),
        team_id(),
        number(),
        number(),
    )
        .prop_map(
            |(paused_state, unpaused_team, paused_requested_team, unpaused_timer, paused_timer)| {
                Pause {
                    paused_state,
                    unpaused_team,
                    paused_requested_team,
                    unpaused_timer,
                    paused_timer,
                }
            },
        )
}

fn last_score() -> impl Strategy<Value = LastScore> {
    (
        number(),
        team_id(),
        word(&["SLAM DUNK", "[NO GOAL]"]),
        any::<i32>(),
        number(),
        text(),
        text(),
    )
        .prop_map(
            |(disc_speed, team, goal_type, point_amount, distance_thrown, a, b)| LastScore {
                disc_speed,
                team,
                goal_type,
                point_amount,
                distance_thrown,
                person_scored: a,
                assist_scored: b,
            },
        )
}

fn payload() -> impl Strategy<Value = Payload> {
    (any::<bool>(), numbers::<3>(), any::<[i32; 2]>()).prop_map(|(contested, f, i)| Payload {
        contested,
        payload_multiplier: f[0],
        payload_checkpoint: i[0],
        payload_distance: f[1],
        payload_defenders: i[1],
        payload_speed: f[2],
    })
}

fn disc() -> impl Strategy<Value = Disc> {
    (pose(), numbers::<3>(), any::<i32>()).prop_map(|(pose, velocity, bounce_count)| Disc {
        pose,
        velocity,
        bounce_count,
    })
}

fn bones() -> impl Strategy<Value = Bones> {
    let player = (numbers::<69>(), numbers::<92>()).prop_map(|(positions, rotations)| {
        let mut bones = PlayerBones::default();
        bones
            .positions
            .as_flattened_mut()
            .copy_from_slice(&positions);
        bones
            .rotations
            .as_flattened_mut()
            .copy_from_slice(&rotations);
        bones
    });
    vec(player, 1..3).prop_map(|user_bones| Bones {
        user_bones,
        unknown: Vec::new(),
    })
}

fn session() -> impl Strategy<Value = Session> {
    (
        (
            text(),
            text(),
            text(),
            text(),
            word(&["mpl_arena_a", "mpl_combat_dyson"]),
            text(),
        ),
        (
            any::<[bool; 4]>(),
            numbers::<7>(),
            any::<[i32; 3]>(),
            of(any::<[i32; 2]>()),
        ),
        (
            of(pause()),
            of(last_score()),
            of(numbers::<13>()),
            of(pose()),
            of(disc()),
            of(payload()),
        ),
        (
            word(&["playing", "", "score"]),
            of(text()),
            of(any::<i64>()),
            of(any::<i32>()),
            of(text()),
        ),
        vec(team(), 0..4),
    )
        .prop_map(|(texts, numbers, parts, rest, teams)| Session {
            sessionid: texts.0,
            sessionip: texts.1,
            client_name: texts.2,
            match_type: texts.3,
            map_name: texts.4,
            game_clock_display: texts.5,
            private_match: numbers.0[0],
            tournament_match: numbers.0[1],
            blue_team_restart_request: numbers.0[2],
            orange_team_restart_request: numbers.0[3],
            game_clock: numbers.1[0],
            blue_points: numbers.1[1],
            orange_points: numbers.1[2],
            inputs: Inputs {
                left_shoulder: numbers.1[3],
                right_shoulder: numbers.1[4],
                left_shoulder2: numbers.1[5],
                right_shoulder2: numbers.1[6],
            },
            blue_round_score: numbers.2[0],
            orange_round_score: numbers.2[1],
            total_round_count: numbers.2[2],
            possession: numbers.3,
            pause: parts.0,
            last_score: parts.1,
            last_throw: parts.2.map(LastThrow::from_array),
            player: parts.3,
            disc: parts.4,
            payload: parts.5,
            game_status: rest.0,
            rules_changed_by: rest.1,
            rules_changed_at: rest.2,
            err_code: rest.3,
            err_description: rest.4,
            teams,
            unknown: Vec::new(),
            missing: Missing::default(),
        })
}

/// Its object, its name, its value.
type Foreign = (prop::sample::Index, Text, Text);

/// Members that the model does not know, for any object of the frame.
fn foreign() -> impl Strategy<Value = Vec<Foreign>> {
    let json = prop::sample::select(vec![
        "1",
        "-0.5e3",
        "null",
        "true",
        r#""a\n\"b\"""#,
        "[]",
        "[1, [2,{}]]",
        r#"{"name":"x"}"#,
        "1.50",
    ]);
    let name = prop_oneof![
        "[a-z]{1,12}_new",
        any::<String>().prop_map(|name| name + "_new")
    ];
    vec(
        (
            any::<prop::sample::Index>(),
            name.prop_map(Text::from),
            json.prop_map(Text::from),
        ),
        0..6,
    )
}

/// Foreign members of these objects, in their order.
fn chosen(members: Vec<Foreign>, objects: &[Object]) -> Vec<Unknown> {
    let members = members.into_iter();
    let mut chosen: Vec<_> = members
        .map(|(at, name, json)| (at.index(objects.len()), name, json))
        .collect();
    chosen.sort_by_key(|(at, ..)| *at);
    let unknown = |(at, name, json): (usize, Text, Text)| Unknown {
        object: objects[at],
        name,
        json,
    };
    chosen.into_iter().map(unknown).collect()
}

/// A frame that can be written, with its foreign members in the order that reading returns.
pub fn frame() -> impl Strategy<Value = Frame> {
    // The years 1600 to 2499: others may be those of another calendar.
    let time = -11_676_096_000_000_i64..16_725_225_600_000;
    (time, session(), of(bones()), foreign(), foreign()).prop_map(
        |(time, mut session, mut bones, in_session, in_bones)| {
            let objects = objects(&session);
            session.unknown = chosen(in_session, &objects);
            if let Some(bones) = &mut bones {
                let skeletons = (0..).zip(&bones.user_bones);
                let skeletons = skeletons.map(|(at, _)| Object::UserBones(at));
                let objects: Vec<Object> = [Object::Bones].into_iter().chain(skeletons).collect();
                bones.unknown = chosen(in_bones, &objects);
            }
            Frame {
                time: Time(time),
                session,
                bones,
            }
        },
    )
}

/// The objects of a session, in the order of the model.
fn objects(session: &Session) -> Vec<Object> {
    let mut objects = vec![Object::Session];
    let parts = [
        (session.disc.is_some(), Object::Disc),
        (session.pause.is_some(), Object::Pause),
        (session.last_score.is_some(), Object::LastScore),
        (session.last_throw.is_some(), Object::LastThrow),
        (session.player.is_some(), Object::VrPlayer),
    ];
    objects.extend(parts.iter().filter(|part| part.0).map(|part| part.1));
    let teams = || session.teams.iter().zip(0_u8..8);
    let players = || {
        teams().flat_map(|(team, t)| team.players.iter().zip(0..8).map(move |(p, at)| (p, t, at)))
    };
    objects.extend(teams().map(|(_, t)| Object::Team(t)));
    objects.extend(
        teams()
            .filter(|(team, _)| team.stats.is_some())
            .map(|(_, t)| Object::TeamStats(t)),
    );
    objects.extend(players().map(|(_, t, p)| Object::Player(t, p)));
    objects.extend(
        players()
            .filter(|(player, ..)| player.stats.is_some())
            .map(|(_, t, p)| Object::PlayerStats(t, p)),
    );
    objects.extend(players().flat_map(|(_, t, p)| (0..4).map(move |n| Object::Pose(t, p, n))));
    objects
}
