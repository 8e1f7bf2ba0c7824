//! Players and their changes from frame to frame.

use super::{BASES, HOLDINGS, Maker, NAMES, Odd, Person, change, nth, set};

impl Maker {
    fn limb(&mut self, at: [i32; 3], turned: usize, hand: bool) -> String {
        let position = self.vector(at);
        let (mine, other) = if hand {
            ("pos", "position")
        } else {
            ("position", "pos")
        };
        let [forward, up] = nth(&BASES, turned);
        let mut members = vec![
            (mine, position),
            ("forward", forward.to_owned()),
            ("left", "[1.0,0.0,0.0]".to_owned()),
            ("up", up.to_owned()),
        ];
        if self.is(Odd::BothKeys) {
            let value = match self.rng.u32(..4) {
                0 => self.vector([9000, -500, 250]),
                _ => "null".to_owned(),
            };
            members.push((other, value));
        }
        if self.now(Odd::BothKeys, 8) {
            // Only with the other name.
            members.retain(|(name, _)| *name != other);
            for (name, _) in members.iter_mut().filter(|(name, _)| *name == mine) {
                *name = other;
            }
        }
        if self.now(Odd::Throws, 100) {
            members.remove(1);
        }
        self.object(members)
    }

    fn stats(&mut self, counts: [i32; 11]) -> String {
        const COUNTS: [&str; 11] = [
            "points",
            "saves",
            "goals",
            "stuns",
            "passes",
            "catches",
            "steals",
            "blocks",
            "interceptions",
            "assists",
            "shots_taken",
        ];
        let possession = nth(&counts, 0) * 137;
        let mut members = vec![("possession_time", self.number(possession))];
        for (name, count) in COUNTS.into_iter().zip(counts) {
            members.push((name, self.whole(count)));
        }
        self.object(members)
    }

    /// A player joins.
    fn join(&mut self) {
        let names = if self.is(Odd::Names) { 10 } else { 4 };
        let count = self.people.len();
        let mut userid = 1001 + count as i64;
        if self.is(Odd::NegativeIds) && self.rng.bool() {
            userid = -userid;
        }
        if self.now(Odd::Twins, 3)
            && let Some(first) = self.people.first()
        {
            userid = first.userid;
        }
        let at = count as i32 * 1000;
        let name = if self.is(Odd::Twins) || self.is(Odd::Names) {
            self.rng.usize(..names)
        } else {
            count % names
        };
        self.people.push(Person {
            name: nth(&NAMES, name),
            userid,
            team: self.rng.usize(..3),
            away: 0,
            at: [[1500 + at, 2250, -3000]; 4],
            step: [0; 3],
            turned: [0; 4],
            velocity: [0; 3],
            counts: [0; 11],
            ping: 40,
            holding: ["\"none\""; 2],
            stats: true,
        });
    }

    /// Makes the changes from one frame to the next.
    pub(super) fn step(&mut self) {
        while self.people.len() < 2 || (self.people.len() < 8 && self.one_in(6)) {
            self.join();
        }
        let mut people = std::mem::take(&mut self.people);
        for person in &mut people {
            self.move_on(person);
            self.act(person);
        }
        self.people = people;
        for [shift, turn] in &mut self.bones {
            if self.rng.bool() {
                *shift += self.rng.i32(-60..60);
            }
            if self.rng.u32(..3) == 0 {
                *turn = self.rng.i32(0..8);
            }
        }
    }

    fn move_on(&mut self, person: &mut Person) {
        match person.away {
            0 if self.now(Odd::Absent, 4) => person.away = 1 + self.rng.u32(..2),
            0 if self.now(Odd::Teams, 6) => person.away = 1 + self.rng.u32(..8),
            0 => {}
            _ => person.away -= 1,
        }
        match self.rng.u32(..6) {
            // The movement continues, so that differences have the same bytes.
            0..3 => {}
            3 => person.step = [125, 0, -250],
            4 => person.step = [0; 3],
            _ => person.step = [(); 3].map(|()| self.rng.i32(-700..700)),
        }
        let limbs = person.at.iter_mut().zip(&mut person.turned);
        for (limb, (place, turned)) in limbs.enumerate() {
            if limb < 2 || self.rng.bool() {
                for (at, step) in place.iter_mut().zip(person.step) {
                    *at += step;
                }
            }
            if self.rng.u32(..4) == 0 {
                *turned = self.rng.usize(..BASES.len());
            }
        }
        if self.one_in(3) {
            let (axis, by) = (self.rng.usize(..3), self.rng.i32(-14..14));
            change(&mut person.velocity, axis, |velocity| velocity + by);
        }
    }

    fn act(&mut self, person: &mut Person) {
        if self.one_in(4) {
            let by = if self.is(Odd::Wraps) {
                self.rng.i32(-40..150)
            } else {
                1
            };
            let which = self.rng.usize(..11);
            // Little is known about how the reference treats decreasing stuns.
            let by = if which == 3 { by.abs() } else { by };
            change(&mut person.counts, which, |count| count + by);
        }
        if self.one_in(5) {
            person.ping = self.rng.i32(-3..40_000);
        }
        if self.one_in(4) {
            let most = if self.is(Odd::HoldingText) { 16 } else { 3 };
            let hand = self.rng.usize(..2);
            let holds = nth(&HOLDINGS, self.rng.usize(..most));
            change(&mut person.holding, hand, |_| holds);
            if self.now(Odd::Throws, 6) {
                let holds = self.pick(&["\"[INVALID]\"", "\"256\"", "\"\"", "\"5.0\""]);
                change(&mut person.holding, hand, |_| holds);
            }
        }
        if self.one_in(30) {
            person.team = self.rng.usize(..3);
        }
        if self.now(Odd::Names, 20) {
            person.name = self.pick(&NAMES);
        }
        if self.now(Odd::Throws, 60) {
            person.stats = !person.stats;
        }
    }

    fn player(&mut self, at: usize) -> String {
        let Some(person) = self.people.get(at).copied() else {
            return "null".to_owned();
        };
        let Person {
            name,
            userid,
            turned,
            velocity,
            counts,
            ping,
            holding,
            stats,
            ..
        } = person;
        let [head, body, lhand, rhand] = person.at;
        let wraps = self.is(Odd::Wraps);
        let number = if wraps { 300 } else { 7 };
        let level = if wraps { -1 } else { 50 };
        let userid = self.value(userid.to_string(), &["null", "9223372036854775808"]);
        let mut members = vec![
            ("name", name.to_owned()),
            ("userid", userid),
            (
                "playerid",
                self.whole(at as i32 * if wraps { 200 } else { 1 }),
            ),
            ("number", self.whole(number)),
            ("level", self.whole(level)),
            ("ping", self.whole(ping)),
            ("packetlossratio", self.number((ping & 7) * 33)),
            ("stunned", self.flag(ping & 1 == 1)),
            ("invulnerable", self.flag(ping & 2 == 2)),
            ("possession", self.flag(false)),
            ("blocking", self.flag(ping & 8 == 8)),
            ("velocity", self.vector(velocity)),
            ("head", self.limb(head, nth(&turned, 0), false)),
            ("body", self.limb(body, nth(&turned, 1), false)),
            ("lhand", self.limb(lhand, nth(&turned, 2), true)),
            ("rhand", self.limb(rhand, nth(&turned, 3), true)),
        ];
        if self.rng.bool() {
            members.push(("is_emote_playing", self.flag(ping & 16 == 16)));
        }
        for (name, holding) in ["holding_left", "holding_right"].into_iter().zip(holding) {
            if holding != "null" || self.rng.bool() {
                members.push((name, holding.to_owned()));
            }
        }
        if stats {
            members.push(("stats", self.stats(counts)));
        }
        if self.map.contains("combat") {
            let odd = self.is(Odd::HoldingText);
            let mut text = |plain: &[&'static str], odds: &[&'static str]| {
                let from = if odd && self.rng.bool() { odds } else { plain };
                nth(from, self.rng.usize(..from.len())).to_owned()
            };
            members.push((
                "Weapon",
                text(
                    &["\"scout\"", "\"rocket\""],
                    &["\"3\"", "\"rocket,scout\"", "\"+2\""],
                ),
            ));
            members.push((
                "Ordnance",
                text(&["\"arc\"", "\"stun\""], &["\"7\"", "\"det,burst\""]),
            ));
            members.push((
                "TacMod",
                text(&["\"heal\"", "\"sensor\""], &["\"255\"", "\"-0\""]),
            ));
            members.push((
                "Arm",
                text(&["\"Left\"", "\"Right\""], &["\"Left,Right\"", "\"1\""]),
            ));
            if self.now(Odd::Throws, 20) {
                let arm = self.pick(&["\"left\"", "\"\"", "null", "\"256\""]);
                set(&mut members, "Arm", arm);
            }
        }
        if self.now(Odd::Throws, 60) {
            members.remove(11 + self.rng.usize(..5));
        }
        self.object(members)
    }

    pub(super) fn team(&mut self, team: usize) -> String {
        let mut players = Vec::new();
        for at in 0..self.people.len() {
            let here = |person: &Person| person.team == team && person.away == 0;
            if self.people.get(at).is_some_and(here) {
                players.push(self.player(at));
            }
        }
        let mut members = vec![
            ("team", "\"TEAM\"".to_owned()),
            ("possession", self.flag(team == 0)),
        ];
        if self.is(Odd::Teams) {
            self.come_and_go(team, &players, &mut members);
            return self.object(members);
        }
        if team < 2 {
            let count = self
                .people
                .first()
                .map_or(0, |first| nth(&first.counts, team));
            members.push((
                "stats",
                self.stats([count; 11].map(|count: i32| count.abs())),
            ));
        }
        if !players.is_empty() || self.rng.bool() {
            members.push(("players", format!("[{}]", players.join(","))));
        }
        self.object(members)
    }

    /// Stats and players of a team: mostly, as the game answers, neither where nobody plays.
    fn come_and_go(&mut self, team: usize, players: &[String], members: &mut Vec<(&str, String)>) {
        let mut counts = [0_i32; 11];
        for person in self.people.iter().filter(|person| person.team == team) {
            for (sum, count) in counts.iter_mut().zip(person.counts) {
                *sum += count.abs();
            }
        }
        if self.one_in(16) {
            change(&mut self.gone, team, |gone| !gone);
        }
        if players.is_empty() == nth(&self.gone, team) {
            members.push(("stats", self.stats(counts)));
        } else if self.one_in(4) {
            members.push(("stats", "null".to_owned()));
        }
        match self.rng.u32(..12) {
            0 if players.is_empty() => members.push(("players", "null".to_owned())),
            1..4 if players.is_empty() => members.push(("players", "[]".to_owned())),
            _ if players.is_empty() => {}
            0 if self.one_in(12) => members.push(("players", "null".to_owned())),
            _ => members.push(("players", format!("[{}]", players.join(",")))),
        }
    }
}
