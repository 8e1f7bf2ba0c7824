//! What a .butter says is off what was recorded by no more than its columns say.

use std::collections::BTreeMap;

use gametape_core::table::{ColumnDef, Owned, kit};
use gametape_core::tape::{Format, Source};
use gametape_echo::butter::{Compression, to_basis};
use gametape_echo::tape::{Butter, Echoreplay};
use gametape_echo::{Frame, Game, Pose, Vec3};
use gametape_samples::echo::MatchOptions;

use crate::common::{everybody, frames_of, in_lines, match_options, options, rows, write};

/// What a .butter does not keep of each frame: `table.column`.
const NOT_KEPT: &[&str] = &[
    "players.number",
    "players.level",
    "game.blue_rounds",
    "game.orange_rounds",
    "game.possession",
    "game.possession_player",
    "disc.bounce_count",
    "payload.multiplier",
];

/// How far two values are apart; `None` where one of them is no number.
fn apart(a: &Owned, b: &Owned) -> Option<f64> {
    match (a, b) {
        (Owned::Float32(a), Owned::Float32(b)) => {
            Some((f64::from(f32::from_bits(*a)) - f64::from(f32::from_bits(*b))).abs())
        }
        _ => None,
    }
}

/// A quaternion and its opposite are the same rotation: the bone's that is on the side of the other.
fn on_one_side(columns: &[ColumnDef], recorded: &[Owned], stored: &mut [Owned]) {
    let number = |value: &Owned| match value {
        Owned::Float32(bits) => f32::from_bits(*bits),
        _ => 0.0,
    };
    let parts: Vec<usize> = (0..columns.len())
        .filter(|at| columns[*at].name.starts_with('q'))
        .collect();
    let dot: f32 = parts
        .iter()
        .map(|at| number(&recorded[*at]) * number(&stored[*at]))
        .sum();
    if dot < 0.0 {
        for at in parts {
            stored[at] = Owned::Float32((-number(&stored[at])).to_bits());
        }
    }
}

/// Compares all states and throws of what was recorded with what a .butter of it says; how much of
/// the precision of each column was used.
fn compare(frames: &[Frame], interval: u16, used: &mut BTreeMap<String, f64>) {
    let recorded = Echoreplay.open(Source::new(in_lines(frames))).unwrap();
    let bytes = write(frames, options(interval, Compression::None));
    let stored = Butter.open(Source::new(bytes)).unwrap();
    let tables = stored.tables().unwrap();
    let exact = recorded.tables().unwrap();
    assert!(
        exact
            .iter()
            .flat_map(|table| &table.columns)
            .all(|column| column.precision.is_none())
    );
    let mut wrong = BTreeMap::new();
    let names = ["game", "players", "bones", "disc", "payload", "throws"];
    for table in tables.iter().filter(|table| names.contains(&&*table.name)) {
        let scan = kit::all_of(table);
        let [a, b] = [&recorded, &stored].map(|tape| rows(&**tape, &scan));
        assert_eq!(a.len(), b.len(), "{}", table.name);
        for ((step, recorded), (at, mut stored)) in a.into_iter().zip(b) {
            assert_eq!(step, at, "{}", table.name);
            if table.name == "bones" {
                on_one_side(&table.columns, &recorded, &mut stored);
            }
            for ((column, a), b) in table.columns.iter().zip(&recorded).zip(&stored) {
                let name = format!("{}.{}", table.name, column.name);
                if NOT_KEPT.contains(&&*name) {
                    continue;
                }
                let Some((precision, off)) = column.precision.zip(apart(a, b)) else {
                    // Of what is missing a .butter may have what stands for nothing.
                    if a != b && *a != Owned::Null {
                        let example = format!("step {step}: {a:?} is {b:?}");
                        wrong.entry(name).or_insert(example);
                    }
                    continue;
                };
                if off > precision {
                    let example = format!("step {step}: {a:?} is {b:?}, off by {off}");
                    wrong.entry(name.clone()).or_insert(example);
                }
                let most = used.entry(name).or_default();
                *most = most.max(off / precision);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

struct Random(fastrand::Rng);

impl Random {
    /// Up to so much, of either sign; mostly little.
    fn upto(&mut self, most: f32) -> f32 {
        let scale = [1.0, 0.3, 0.05, 0.005][self.0.usize(..4)];
        (self.0.f32() * 2.0 - 1.0) * most * scale
    }

    fn vector(&mut self, most: f32) -> Vec3 {
        [self.upto(most), self.upto(most), self.upto(most)]
    }

    /// Around a point that is so far away on each axis: neither a value nor a change is twice that.
    fn around(&mut self, far: f32) -> Vec3 {
        self.vector(far - 0.1).map(|number| number + far)
    }

    fn pose(&mut self, pose: &mut Pose) {
        // Whoever stays is where the match has them, up to 80 m on the other side.
        pose.position = self.around(80.0);
        let parts = [0; 4].map(|_| self.0.f32() * 2.0 - 1.0);
        let length = parts.iter().map(|part| part * part).sum::<f32>().sqrt();
        if length > 0.1 {
            [pose.forward, pose.left, pose.up] = to_basis(parts.map(|part| part / length));
        }
    }
}

#[test]
fn no_value_of_a_butter_is_further_off_than_its_column_says() {
    let mut used = BTreeMap::new();
    for seed in 0..24 {
        let mut frames = frames_of(MatchOptions {
            game: if seed % 3 == 2 {
                Game::Combat
            } else {
                Game::Arena
            },
            bones: seed % 3 == 1,
            ..match_options(seed, 120)
        });
        let mut random = Random(fastrand::Rng::with_seed(seed));
        for frame in frames.iter_mut().filter(|_| seed >= 6) {
            for player in everybody(frame) {
                for pose in [
                    &mut player.head,
                    &mut player.body,
                    &mut player.lhand,
                    &mut player.rhand,
                ] {
                    // Some stay where they were.
                    if random.0.u8(..) < 100 {
                        random.pose(pose);
                    }
                }
                player.velocity = random.around(63.9);
                player.packetlossratio = random.0.f32();
            }
            if let Some(disc) = &mut frame.session.disc {
                random.pose(&mut disc.pose);
                disc.velocity = random.around(63.9);
            }
            if let Some(pause) = &mut frame.session.pause {
                pause.paused_timer = random.0.f32() * 255.0;
            }
            if let Some(payload) = &mut frame.session.payload {
                payload.payload_distance = random.0.f32() * 255.0;
                payload.payload_speed = random.0.f32() * 20.0;
            }
        }
        compare(&frames, [300, 10, 1][(seed % 3) as usize], &mut used);
    }
    // Bounds that nothing comes near say nothing.
    for (name, used) in &used {
        println!("{name} {used:.3}");
    }
    for name in [
        "players.head_x",
        "players.velocity_x",
        "players.packet_loss",
        "players.body_up_x",
        "disc.x",
        "bones.x",
        "bones.qx",
        "payload.distance",
    ] {
        assert!(used[name] > 0.15, "{name}: {}", used[name]);
    }
}
