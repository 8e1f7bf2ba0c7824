//! A second walk over a line's text, for compat mode: it finds what .butter's reference takes from a line
//! beyond what a frame holds.

use super::cursor::{Cursor, Read, Stop};
use super::pair;
use crate::members::{
    disc_members, last_score_members, last_throw_members, limb_members, pause_members,
    player_members, session_members, skeleton_members, stats_members, team_members,
};
use crate::model::{BONES, Game};
use crate::spelled::{BonesAnswer, Lack, Spelled, When};

/// Why the reference leaves a line out: the member, and what is wrong with it.
pub(in crate::echoreplay) type LeftOut = (String, &'static str);

/// The type that the reference expects of a member.
#[derive(Clone, Copy, PartialEq)]
enum Needs {
    Number,
    /// A whole number of 32 bits.
    Whole,
    /// A whole number of 64 bits.
    Long,
    Flag,
    Other,
}

/// The reference's type of each kind in the table of members.
macro_rules! needs {
    ($(
        $name:literal: $kind:ident $place:tt $(in $unit:literal)?,
        $doc:literal $(, $attr:ident $value:tt)*;
    )*) => {
        |name: &str| match name {
            $($name => needs!(of $kind $place),)*
            _ => Needs::Other,
        }
    };
    (of part ($kind:ident $($place:tt)*)) => { needs!(of $kind ()) };
    (of number $place:tt) => { Needs::Number };
    (of points $place:tt) => { Needs::Number };
    (of whole $place:tt) => { Needs::Whole };
    // The game leaves this out if all is well.
    (of maybe_whole (rules_changed_at)) => { Needs::Long };
    (of maybe_whole $place:tt) => { Needs::Whole };
    (of account $place:tt) => { Needs::Long };
    (of flag $place:tt) => { Needs::Flag };
    (of raised $place:tt) => { Needs::Flag };
    (of bit $place:tt) => { Needs::Flag };
    (of $kind:ident $place:tt) => { Needs::Other };
}

/// The path of an object in the response.
type Path<'p> = &'p dyn Fn() -> String;

/// The state of the walk.
struct Look<'t> {
    json: Cursor<'t>,
    spelled: Spelled,
    left_out: Option<LeftOut>,
}

/// Walks over the two responses of a line.
pub(in crate::echoreplay) fn look(session: &str, bones: Option<&str>) -> Result<Spelled, LeftOut> {
    let mut look = Look {
        json: Cursor::new(session),
        spelled: Spelled::default(),
        left_out: None,
    };
    let read = look.session().and_then(|()| look.json.end());
    let read = read.and_then(|()| match bones.map(str::trim_ascii) {
        None | Some("") => Ok(()),
        Some(text) => {
            look.json = Cursor::new(text);
            look.bones().and_then(|()| look.json.end())
        }
    });
    match (read, look.left_out) {
        (Ok(()), _) => Ok(look.spelled),
        (Err(Stop), Some(why)) => Err(why),
        (Err(Stop), None) => Err(("the JSON".to_owned(), look.json.why())),
    }
}

fn join(path: Path<'_>, name: &str) -> String {
    let path = path();
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

impl Look<'_> {
    #[cold]
    fn leave_out(&mut self, member: String, why: &'static str) -> Stop {
        self.left_out = Some((member, why));
        Stop
    }

    fn lack(&mut self, when: When, member: String, why: &'static str) {
        self.spelled.lacks.push(Lack { when, member, why });
    }

    /// Walks over the members of an object. Returns false if it is `null`. `special` returns whether it
    /// consumed a value itself.
    fn object(
        &mut self,
        path: Path<'_>,
        needs: fn(&str) -> Needs,
        special: &mut dyn FnMut(&mut Self, &str) -> Read<bool>,
    ) -> Read<bool> {
        if self.json.null()? {
            return Ok(false);
        }
        self.json.open_object()?;
        let mut first = true;
        while let Some(name) = self.json.member(&mut first)? {
            if !special(self, &name)? {
                self.scalar(path, &name, needs(&name))?;
            }
        }
        Ok(true)
    }

    fn scalar(&mut self, path: Path<'_>, name: &str, needs: Needs) -> Read {
        let text = self.json.raw()?;
        // Triggers and grips are flags to the reference, but spelled as numbers.
        let needs = match needs {
            Needs::Number if name.contains("_shoulder_") => Needs::Flag,
            needs => needs,
        };
        let why = match needs {
            Needs::Other => return Ok(()),
            _ if text == "null" => "is null",
            Needs::Number if !is_number(text) => "is no number",
            Needs::Whole if text.parse::<i32>().is_err() => "is no whole number of 32 bits",
            Needs::Long if text.parse::<i64>().is_err() => "is no whole number of 64 bits",
            _ => return Ok(()),
        };
        Err(self.leave_out(join(path, name), why))
    }

    /// Walks over a text. Returns false if it is `null`.
    fn text(&mut self) -> Read<bool> {
        Ok(self.json.raw()? != "null")
    }

    /// Walks over numbers. Returns how many there are, or `None` for `null`.
    fn numbers(&mut self, path: Path<'_>, name: &str) -> Read<Option<usize>> {
        if self.json.null()? {
            return Ok(None);
        }
        self.json.open_list()?;
        let mut first = true;
        let mut count = 0;
        while self.json.item(&mut first)? {
            let text = self.json.raw()?;
            if !is_number(text) {
                let member = format!("{}[{count}]", join(path, name));
                return Err(self.leave_out(member, "is no number"));
            }
            count += 1;
        }
        Ok(Some(count))
    }

    /// Checks a vector that must be present.
    fn needs_three(&mut self, when: When, path: Path<'_>, name: &str, found: Option<usize>) {
        match found {
            Some(3) => {}
            Some(_) => self.lack(when, join(path, name), "has not three numbers"),
            None => self.lack(when, join(path, name), "is missing"),
        }
    }

    /// Walks over an object of vectors. Returns the number of numbers for each name, or `None` if the
    /// object is `null`.
    fn vectors<const N: usize>(
        &mut self,
        path: Path<'_>,
        needs: fn(&str) -> Needs,
        names: [&str; N],
    ) -> Read<Option<[Option<usize>; N]>> {
        let mut found = [None; N];
        let there = self.object(path, needs, &mut |look, name| {
            let at = names.iter().position(|known| *known == name);
            if at.is_none() && !matches!(name, "left" | "vr_left") {
                return Ok(false);
            }
            let count = look.numbers(path, name)?;
            if let Some(place) = at.and_then(|at| found.get_mut(at)) {
                *place = count;
            }
            Ok(true)
        })?;
        Ok(there.then_some(found))
    }

    /// Walks over a head, body or hand.
    fn limb(&mut self, path: Path<'_>) -> Read {
        let names = ["pos", "position", "forward", "up"];
        let needs = limb_members! { needs };
        match self.vectors(path, needs, names)? {
            Some([pos, position, forward, up]) => {
                self.needs_three(When::Always, path, "position", pos.or(position));
                self.needs_three(When::Always, path, "forward", forward);
                self.needs_three(When::Always, path, "up", up);
            }
            None => self.lack(When::Always, path(), "is null"),
        }
        Ok(())
    }

    fn stats(&mut self, path: Path<'_>) -> Read {
        let needs = stats_members! { needs };
        self.object(path, needs, &mut |_, _| Ok(false)).map(drop)
    }
}

fn is_number(text: &str) -> bool {
    text.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
}

/// Names, each with whether it occurred with a value other than `null`.
struct Met<const N: usize>([(&'static str, bool); N]);

impl<const N: usize> Met<N> {
    fn of(names: [&'static str; N]) -> Self {
        Self(names.map(|name| (name, false)))
    }

    fn set(&mut self, name: &str, met: bool) {
        if let Some(known) = self.0.iter_mut().find(|(known, _)| *known == name) {
            known.1 = met;
        }
    }

    fn knows(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == name)
    }

    fn missing(&self) -> impl Iterator<Item = &'static str> {
        let missing = self.0.iter().filter(|(_, met)| !met);
        missing.map(|(name, _)| *name)
    }
}

/// The session.
impl Look<'_> {
    fn session(&mut self) -> Read {
        let root: Path<'_> = &String::new;
        let mut first = Met::of(["sessionid", "sessionip", "client_name", "map_name"]);
        let mut always = Met::of(["pause", "player", "teams"]);
        let mut arena = Met::of(["disc", "last_score"]);
        let mut status = false;
        let needs = session_members! { needs };
        self.object(root, needs, &mut |look, name| {
            let path: Path<'_> = &|| name.to_owned();
            match name {
                "pause" => always.set(name, look.pause(path)?),
                "player" => always.set(name, look.playspace(path)?),
                "teams" => always.set(name, look.teams()?),
                "disc" => arena.set(name, look.disc(path)?),
                "last_score" => arena.set(name, look.last_score(path)?),
                "last_throw" => {
                    let needs = last_throw_members! { needs };
                    look.object(path, needs, &mut |_, _| Ok(false))?;
                }
                "game_status" => status = look.text()?,
                "possession" => look.pair(path)?,
                name if first.knows(name) => first.set(name, look.text()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        self.spelled.no_status = !status;
        for (when, name) in first
            .missing()
            .map(|name| (When::First, name))
            .chain(always.missing().map(|name| (When::Always, name)))
            .chain(arena.missing().map(|name| (When::On(Game::Arena), name)))
        {
            self.lack(when, name.to_owned(), "is missing");
        }
        Ok(())
    }

    /// The team and the player that possess the disc: whole numbers.
    fn pair(&mut self, path: Path<'_>) -> Read {
        let text = self.json.raw()?;
        if text == "null" || pair(text).is_some() {
            return Ok(());
        }
        let mut ahead = Cursor::new(text);
        let is_list = ahead.open_list().is_ok();
        let mut first = true;
        while is_list && ahead.item(&mut first)? {
            if ahead.raw()?.parse::<i32>().is_err() {
                return Err(self.leave_out(path(), "is no whole number of 32 bits"));
            }
        }
        Ok(())
    }

    fn pause(&mut self, path: Path<'_>) -> Read<bool> {
        let mut teams = Met::of(["unpaused_team", "paused_requested_team"]);
        let mut state = false;
        let needs = pause_members! { needs };
        let there = self.object(path, needs, &mut |look, name| {
            match name {
                "paused_state" => state = look.text()?,
                name if teams.knows(name) => teams.set(name, look.text()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        self.spelled.no_paused_state = !state;
        for name in teams.missing().filter(|_| there) {
            self.lack(When::Always, join(path, name), "is missing");
        }
        Ok(there)
    }

    fn playspace(&mut self, path: Path<'_>) -> Read<bool> {
        let names = ["vr_position", "vr_forward", "vr_up"];
        let found = self.vectors(path, |_| Needs::Other, names)?;
        for (name, found) in names.into_iter().zip(found.into_iter().flatten()) {
            self.needs_three(When::Always, path, name, found);
        }
        Ok(found.is_some())
    }

    fn disc(&mut self, path: Path<'_>) -> Read<bool> {
        let names = ["position", "forward", "up", "velocity"];
        let found = self.vectors(path, disc_members! { needs }, names)?;
        for (name, found) in names.into_iter().zip(found.into_iter().flatten()) {
            self.needs_three(When::On(Game::Arena), path, name, found);
        }
        Ok(found.is_some())
    }

    fn last_score(&mut self, path: Path<'_>) -> Read<bool> {
        let mut texts = Met::of(["team", "goal_type"]);
        let mut names = Met::of(["person_scored", "assist_scored"]);
        let needs = last_score_members! { needs };
        let there = self.object(path, needs, &mut |look, name| {
            match name {
                name if texts.knows(name) => texts.set(name, look.text()?),
                name if names.knows(name) => names.set(name, look.text()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        for name in names.missing() {
            match name {
                "person_scored" => self.spelled.no_scorer = true,
                _ => self.spelled.no_assist = true,
            }
        }
        for name in texts.missing().filter(|_| there) {
            self.lack(When::On(Game::Arena), join(path, name), "is missing");
        }
        Ok(there)
    }
}

/// Teams and players.
impl Look<'_> {
    fn teams(&mut self) -> Read<bool> {
        if self.json.null()? {
            return Ok(false);
        }
        self.json.open_list()?;
        let mut first = true;
        let mut count: usize = 0;
        while self.json.item(&mut first)? {
            self.team(count)?;
            count += 1;
        }
        if count < 3 {
            self.lack(When::Always, "teams".to_owned(), "are fewer than three");
        }
        Ok(true)
    }

    fn team(&mut self, team: usize) -> Read {
        let path: Path<'_> = &|| format!("teams[{team}]");
        let needs = team_members! { needs };
        let there = self.object(path, needs, &mut |look, name| {
            match name {
                "stats" => look.stats(&|| join(path, name))?,
                "players" => look.players(team)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        if !there {
            self.lack(When::Always, path(), "is null");
        }
        Ok(())
    }

    fn players(&mut self, team: usize) -> Read {
        if self.json.null()? {
            self.spelled.no_players.extend(u8::try_from(team));
            return Ok(());
        }
        self.json.open_list()?;
        let mut first = true;
        let mut at = 0;
        while self.json.item(&mut first)? {
            self.player(team, at)?;
            at += 1;
        }
        Ok(())
    }

    fn player(&mut self, team: usize, at: usize) -> Read {
        let place = (team as u8, at as u8);
        let path: Path<'_> = &|| format!("teams[{team}].players[{at}]");
        let mut limbs = Met::of(["head", "body", "lhand", "rhand"]);
        let mut velocity = None;
        let mut named = false;
        let needs = player_members! { needs };
        let there = self.object(path, needs, &mut |look, name| {
            match name {
                "stats" => look.stats(&|| join(path, name))?,
                "name" => named = look.text()?,
                "velocity" => velocity = look.numbers(path, name)?,
                "holding_left" | "holding_right" => {
                    let text = look.json.raw()?;
                    // The model keeps the number, the reference its text.
                    let plain = text.parse::<u64>().is_ok_and(|n| n.to_string() == text);
                    if is_number(text) && !plain {
                        let right = name == "holding_right";
                        look.spelled.hands.push((place, right, text.into()));
                    }
                }
                name if limbs.knows(name) => {
                    limbs.set(name, true);
                    look.limb(&|| join(path, name))?;
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        if !there {
            self.lack(When::Always, path(), "is null");
            return Ok(());
        }
        if !named {
            self.spelled.nameless.push(place);
        }
        for name in limbs.missing() {
            self.lack(When::Always, join(path, name), "is missing");
        }
        self.needs_three(When::Always, path, "velocity", velocity);
        Ok(())
    }
}

/// Bones.
impl Look<'_> {
    fn bones(&mut self) -> Read {
        let root: Path<'_> = &|| "the bones".to_owned();
        let mut skeletons = None;
        self.object(
            root,
            |name| match name {
                "err_code" => Needs::Whole,
                _ => Needs::Other,
            },
            &mut |look, name| {
                if name != "user_bones" {
                    return Ok(false);
                }
                if look.json.null()? {
                    return Ok(true);
                }
                look.json.open_list()?;
                let mut first = true;
                let mut count: usize = 0;
                while look.json.item(&mut first)? {
                    look.skeleton(count)?;
                    count += 1;
                }
                skeletons = Some(count);
                Ok(true)
            },
        )?;
        self.spelled.bones = match skeletons {
            None => BonesAnswer::NoBones,
            Some(0) => BonesAnswer::Nobody,
            Some(_) => BonesAnswer::AsRead,
        };
        Ok(())
    }

    fn skeleton(&mut self, at: usize) -> Read {
        let path: Path<'_> = &|| format!("user_bones[{at}]");
        let needed = [("bone_t", BONES * 3), ("bone_o", BONES * 4)];
        let names = needed.map(|(name, _)| name);
        let Some(found) = self.vectors(path, skeleton_members! { needs }, names)? else {
            self.lack(When::Always, path(), "is null");
            return Ok(());
        };
        for ((name, needed), found) in needed.into_iter().zip(found) {
            if found.is_none_or(|found| found < needed) {
                self.lack(When::Always, join(path, name), "has too few numbers");
            }
        }
        Ok(())
    }
}
