//! The session around the players, and its bones.

use super::{GOALS, Maker, NAMES, Odd, UP, facing, nth, set};

impl Maker {
    fn pause(&mut self) -> String {
        let team = |maker: &mut Self| {
            let teams: &[&str] = if maker.now(Odd::Throws, 40) {
                &["\"nobody\"", "null"]
            } else {
                &[
                    "\"none\"",
                    "\"none\"",
                    "\"blue\"",
                    "\"orange\"",
                    "\"spectator\"",
                ]
            };
            maker.pick(teams).to_owned()
        };
        let states = [
            "\"unpaused\"",
            "\"unpaused\"",
            "\"paused\"",
            "\"paused_requested\"",
            "\"none\"",
            "\"\"",
        ];
        let (unpaused, paused) = (self.rng.i32(0..3) * 500, self.rng.i32(0..2) * 250);
        let members = vec![
            ("paused_state", self.pick(&states).to_owned()),
            ("unpaused_team", team(self)),
            ("paused_requested_team", team(self)),
            ("unpaused_timer", self.number(unpaused)),
            ("paused_timer", self.number(paused)),
        ];
        self.object(members)
    }

    fn last_score(&mut self) -> String {
        let goals = if self.is(Odd::GoalText) {
            GOALS.len()
        } else {
            3
        };
        let names = if self.is(Odd::LateIndex) || self.is(Odd::Names) {
            10
        } else {
            2
        };
        let name = |maker: &mut Self| match maker.rng.u32(..4) {
            0 => "\"[INVALID]\"".to_owned(),
            1 if maker.is(Odd::Names) => "null".to_owned(),
            _ => nth(&NAMES, maker.rng.usize(..names)).to_owned(),
        };
        let (person, assist) = (name(self), name(self));
        let goal = nth(&GOALS, self.rng.usize(..goals));
        let amount = self.rng.i32(0..4);
        let mut members = vec![
            ("disc_speed", self.number(12_345 * amount)),
            (
                "team",
                self.pick(&["\"none\"", "\"blue\"", "\"orange\""])
                    .to_owned(),
            ),
            ("goal_type", goal.to_owned()),
            ("point_amount", self.whole(amount)),
            ("distance_thrown", self.number(amount * 777)),
            ("person_scored", person),
            ("assist_scored", assist),
        ];
        if self.now(Odd::Throws, 40) {
            set(&mut members, "team", "\"red\"");
        }
        if self.now(Odd::Throws, 40) {
            set(&mut members, "goal_type", "null");
        }
        self.object(members)
    }

    fn skeletons(&mut self) -> String {
        let mut players = Vec::new();
        for at in 0..self.bones.len() {
            let [shift, turn] = nth(&self.bones, at);
            let places: Vec<String> = (0..69)
                .map(|n| format!("{:?}", f64::from(n * 15 - 500 + shift * (n % 4)) / 1000.0))
                .collect();
            let turns: Vec<&str> = (0..23)
                .flat_map(|n| match (n + turn) % 3 {
                    0 => ["0.0", "0.0", "0.0", "1.0"],
                    1 => ["0.6", "0.0", "0.0", "0.8"],
                    _ => ["0.0", "-0.70710677", "0.0", "0.70710677"],
                })
                .collect();
            players.push(format!(
                "{{\"bone_t\":[{}],\"bone_o\":[{}]}}",
                places.join(","),
                turns.join(",")
            ));
        }
        format!("{{\"user_bones\":[{}],\"err_code\":0}}", players.join(","))
    }

    /// The third column, including its tab.
    pub(super) fn bones_column(&mut self) -> String {
        if !self.is(Odd::Bones) {
            return String::new();
        }
        let throws = self.is(Odd::Throws);
        let kind = self.rng.u32(..8);
        if self.after_error && !throws {
            self.after_error = false;
            return "\t{\"user_bones\":[],\"err_code\":0}".to_owned();
        }
        self.after_error = false;
        match kind {
            0 => "\t{\"user_bones\":[],\"err_code\":0}".to_owned(),
            1 => "\t".to_owned(),
            2 => String::new(),
            3 if self.one_in(3) => {
                self.after_error = true;
                "\t{\"err_code\":-6}".to_owned()
            }
            _ => format!("\t{}", self.skeletons()),
        }
    }

    fn points(&mut self) -> String {
        if self.is(Odd::SmallPoints) {
            let thousandths = self.rng.i32(0..40);
            return self.number(thousandths);
        }
        let most = if self.is(Odd::Wraps) { 100_000 } else { 30 };
        let points = self.rng.i32(if most > 30 { -3 } else { 0 }..most);
        if self.rng.bool() {
            return self.number(points.saturating_mul(1000));
        }
        self.value(points.to_string(), &["null"])
    }

    pub(super) fn session(&mut self) -> String {
        let teams: Vec<String> = (0..3).map(|team| self.team(team)).collect();
        let wraps = self.is(Odd::Wraps);
        let rounds = if wraps { 100 } else { 2 };
        let clock = 300_000 - (self.ticks / 10_000) as i32;
        let seven = self.rng.i32(0..7);
        let disc = [seven * 125, 0, 27_500 - seven];
        let mut members = vec![
            (
                "sessionid",
                "\"01234567-89ab-CDEF-0123-456789ABCDEF\"".to_owned(),
            ),
            ("sessionip", "\"10.20.30.40\"".to_owned()),
            (
                "client_name",
                nth(&NAMES, if self.is(Odd::Names) { 4 } else { 0 }).to_owned(),
            ),
            ("map_name", format!("\"{}\"", self.map)),
            ("private_match", self.flag(self.private)),
            ("game_clock", self.number(clock)),
            ("blue_points", self.points()),
            ("orange_points", self.points()),
            ("total_round_count", self.whole(rounds * 3)),
            ("blue_round_score", self.whole(rounds)),
            ("orange_round_score", self.whole(rounds / 2)),
            ("blue_team_restart_request", self.flag(seven == 1)),
            ("orange_team_restart_request", self.flag(seven == 2)),
            ("left_shoulder_pressed", self.flag(seven > 3)),
            ("right_shoulder_pressed2", self.flag(seven == 4)),
            ("pause", self.pause()),
            ("teams", format!("[{}]", teams.join(","))),
        ];
        let playspace = vec![
            ("vr_position", self.vector([0, 1000 + seven / 5, 0])),
            ("vr_forward", facing(usize::from(seven == 5)).to_owned()),
            ("vr_up", UP.to_owned()),
        ];
        members.push(("player", self.object(playspace)));
        if self.map == "mpl_arena_a" || self.rng.bool() {
            let disc = vec![
                ("position", self.vector(disc)),
                ("forward", facing(usize::from(seven == 6)).to_owned()),
                ("up", UP.to_owned()),
                ("velocity", self.vector([seven * 100, 0, 1])),
                ("bounce_count", self.whole(seven)),
            ];
            members.push(("disc", self.object(disc)));
            members.push(("last_score", self.last_score()));
        }
        if self.rng.bool() {
            let throw = vec![
                ("arm_speed", self.number(seven)),
                ("total_speed", self.number(seven * 3)),
            ];
            members.push(("last_throw", self.object(throw)));
        }
        self.rare(&mut members, wraps);
        if self.now(Odd::Throws, 30) {
            let gone = 15 + self.rng.usize(..4);
            members.remove(gone.min(members.len() - 1));
        }
        self.object(members)
    }

    /// Members that may be missing.
    fn rare(&mut self, members: &mut Vec<(&str, String)>, wraps: bool) {
        let statuses = ["\"playing\"", "\"score\"", "\"\"", "\"warm_up\"", "null"];
        let status = if self.is(Odd::NullStatus) {
            self.pick(&statuses)
        } else {
            "\"playing\""
        };
        if status != "null" || self.rng.bool() {
            members.push(("game_status", status.to_owned()));
        }
        if self.map.contains("combat") && !self.now(Odd::NoPayload, 2) {
            let count = self
                .rng
                .i32(if wraps { -1 } else { 0 }..if wraps { 600 } else { 3 });
            members.push(("contested", self.flag(count == 1)));
            members.push(("payload_multiplier", self.number(1000)));
            members.push(("payload_checkpoint", self.whole(count)));
            members.push(("payload_distance", self.number(count * 1250)));
            members.push(("payload_defenders", self.whole(count)));
            members.push(("payload_speed", self.number(count)));
        }
        if self.is(Odd::RulesNull) {
            let by = self.pick(&["null", "\"\"", "\"Ben\"", "\"Éve\"", "\"[INVALID]\""]);
            members.push(("rules_changed_by", by.to_owned()));
            let at = self
                .pick(&["0", "77", "-5", "9223372036854775807"])
                .to_owned();
            members.push((
                "rules_changed_at",
                self.value(at, &["null", "9223372036854775808"]),
            ));
        } else if self.private {
            members.push(("rules_changed_by", "\"[INVALID]\"".to_owned()));
            members.push(("rules_changed_at", "0".to_owned()));
        }
        if self.rng.bool() {
            members.push((
                "possession",
                self.value("[-1,-1]".to_owned(), &["null", "[null,1]"]),
            ));
            members.push(("err_code", self.whole(0)));
        }
    }
}
