//! Numbers that JSON has no text for.

use crate::{Frame, LastThrow, Pose, Stats};

/// Puts 0 in the place of what is infinite or no number; how often.
pub(in crate::tape) fn tame(frame: &mut Frame) -> u64 {
    let mut tamed = Tamed(0);
    let session = &mut frame.session;
    tamed.all(&mut [
        &mut session.game_clock,
        &mut session.blue_points,
        &mut session.orange_points,
        &mut session.inputs.left_shoulder,
        &mut session.inputs.right_shoulder,
        &mut session.inputs.left_shoulder2,
        &mut session.inputs.right_shoulder2,
    ]);
    if let Some(pause) = &mut session.pause {
        tamed.all(&mut [&mut pause.unpaused_timer, &mut pause.paused_timer]);
    }
    if let Some(score) = &mut session.last_score {
        tamed.all(&mut [&mut score.disc_speed, &mut score.distance_thrown]);
    }
    if let Some(throw) = &mut session.last_throw {
        let mut members = throw.to_array();
        tamed.each(&mut members);
        *throw = LastThrow::from_array(members);
    }
    if let Some(pose) = &mut session.player {
        tamed.pose(pose);
    }
    if let Some(disc) = &mut session.disc {
        tamed.pose(&mut disc.pose);
        tamed.each(&mut disc.velocity);
    }
    if let Some(payload) = &mut session.payload {
        tamed.all(&mut [
            &mut payload.payload_multiplier,
            &mut payload.payload_distance,
            &mut payload.payload_speed,
        ]);
    }
    for team in &mut session.teams {
        tamed.stats(team.stats.as_mut());
        for player in &mut team.players {
            tamed.one(&mut player.packetlossratio);
            tamed.each(&mut player.velocity);
            for pose in [
                &mut player.head,
                &mut player.body,
                &mut player.lhand,
                &mut player.rhand,
            ] {
                tamed.pose(pose);
            }
            tamed.stats(player.stats.as_mut());
        }
    }
    for player in frame
        .bones
        .iter_mut()
        .flat_map(|bones| &mut bones.user_bones)
    {
        for position in &mut player.positions {
            tamed.each(position);
        }
        for rotation in &mut player.rotations {
            tamed.each(rotation);
        }
    }
    tamed.0
}

struct Tamed(u64);

impl Tamed {
    fn one(&mut self, number: &mut f32) {
        if !number.is_finite() {
            *number = 0.0;
            self.0 += 1;
        }
    }

    fn each(&mut self, numbers: &mut [f32]) {
        for number in numbers {
            self.one(number);
        }
    }

    fn all(&mut self, numbers: &mut [&mut f32]) {
        for number in numbers {
            self.one(number);
        }
    }

    fn pose(&mut self, pose: &mut Pose) {
        for vector in [
            &mut pose.position,
            &mut pose.forward,
            &mut pose.left,
            &mut pose.up,
        ] {
            self.each(vector);
        }
    }

    fn stats(&mut self, stats: Option<&mut Stats>) {
        if let Some(stats) = stats {
            self.one(&mut stats.possession_time);
        }
    }
}
