//! Matches with lines that the game never sends but that some recorder may write, and that the
//! reference of .butter reads in its own way.

mod people;
mod session;
mod spoiled;

pub use spoiled::spoiled_match_keeps_its_frames;

use std::fmt::Write as _;

use fastrand::Rng;

/// The oddities of a match; each is a bit in the match's set.
#[derive(Clone, Copy)]
enum Odd {
    /// Both names of a position, one of them possibly `null`.
    BothKeys,
    /// Numbers that do not fit in a byte.
    Wraps,
    /// The content of hands as texts with numbers, and as numbers.
    HoldingText,
    NullStatus,
    /// Players who are away for one or two frames.
    Absent,
    /// `null` for numbers and flags, and fractions for whole numbers.
    NullNumbers,
    /// Times with seven decimals.
    SubMs,
    /// Names with non-ASCII characters, empty names, `[INVALID]`.
    Names,
    /// Scorers who join only later.
    LateIndex,
    NoPayload,
    RulesNull,
    GoalText,
    NegativeIds,
    /// Members that do not exist.
    Invented,
    Bones,
    SmallPoints,
    /// Lines that are not sessions.
    Lines,
    /// Two players with the same user id, or with the same name.
    Twins,
    /// Gaps of more than a minute, and times that go back.
    Gaps,
    /// Content for which the reference throws an exception.
    Throws,
    /// Stats of teams that go away and come back, teams that empty and fill again, players that are
    /// `null`.
    Teams,
}

#[derive(Clone, Copy)]
struct Person {
    name: &'static str,
    userid: i64,
    team: usize,
    away: u32,
    at: [[i32; 3]; 4],
    step: [i32; 3],
    turned: [usize; 4],
    velocity: [i32; 3],
    counts: [i32; 11],
    ping: i32,
    holding: [&'static str; 2],
    stats: bool,
}

/// Forward directions with their up directions; the last ones are not rotations.
const BASES: [[&str; 2]; 9] = [
    ["[0.0,0.0,1.0]", "[0.0,1.0,0.0]"],
    ["[1.0,0.0,0.0]", "[0.0,1.0,0.0]"],
    ["[0.6,0.0,0.8]", "[0.0,1.0,0.0]"],
    ["[-0.6,0.0,-0.8]", "[0.0,1.0,0.0]"],
    ["[0.0,-1.0,0.0]", "[0.0,0.0,1.0]"],
    ["[0.577,0.577,0.578]", "[-0.408,0.816,-0.409]"],
    ["[0.1,-0.2,-0.975]", "[0.02,0.98,-0.2]"],
    ["[0.0,0.0,0.0]", "[0.0,0.0,0.0]"],
    ["[0.0,0.0,3.0]", "[0.0,0.0,1.0]"],
];

const NAMES: [&str; 10] = [
    "\"Ann\"",
    "\"Ben\"",
    "\"Cal\"",
    "\"Dan\"",
    "\"Zoé\"",
    "\"Zoë\"",
    "\"Zo?\"",
    "\"\"",
    "\"[INVALID]\"",
    "\"👍\\u00e9\\\"\"",
];

const HOLDINGS: [&str; 16] = [
    "\"none\"", "\"geo\"", "\"disc\"", "\"3\"", "3", "\"007\"", "\"+5\"", "\" 5\"", "\"-0\"",
    "\"252\"", "\"255\"", "null", "\"0\"", "\"5 \"", "255", "\"\\t7\"",
];

const GOALS: [&str; 15] = [
    "\"SLAM DUNK\"",
    "\"[NO GOAL]\"",
    "\"LONG SHOT\"",
    "\"slam dunk\"",
    "\"3\"",
    "\"17\"",
    "\"300\"",
    "\"+5\"",
    "\"-1\"",
    "\"SLAM DUNK,LONG SHOT\"",
    "\"BOUNCE SHOT,INSIDE SHOT\"",
    "\" HEADBUTT\"",
    "\"255\"",
    "\"\"",
    "\"HEADBUTT\"",
];

/// A match under construction.
struct Maker {
    rng: Rng,
    odd: u32,
    map: &'static str,
    private: bool,
    people: Vec<Person>,
    /// The time since 03:00 in units of 100 ns.
    ticks: i64,
    /// Counts down to a value that is spoiled.
    spoil: Option<u32>,
    bones: Vec<[i32; 2]>,
    after_error: bool,
    /// Teams whose stats are gone, whoever plays.
    gone: [bool; 3],
}

/// A match with some kinds of oddities, as the text of an .echoreplay. The same seed gives the same
/// text.
///
/// About one match in eight has content for which the reference throws an exception, and so have some
/// in which `players` is `null`.
#[must_use]
pub fn odd_match(seed: u64) -> Vec<u8> {
    let mut rng = Rng::with_seed(seed);
    let mut odd = rng.u32(..) & rng.u32(..);
    if rng.u32(..8) == 0 {
        odd |= 1 << Odd::Throws as u32;
    } else {
        odd &= !(1 << Odd::Throws as u32);
    }
    let map = match rng.u32(..8) {
        0 | 1 => "mpl_combat_dyson",
        2 => "mpl_lobby_b2",
        _ => "mpl_arena_a",
    };
    let mut maker = Maker {
        odd,
        map,
        private: rng.bool(),
        people: Vec::new(),
        ticks: 0,
        spoil: None,
        bones: vec![[0; 2]; 1 + rng.usize(..3)],
        after_error: false,
        gone: [false; 3],
        rng,
    };
    let mut text = String::new();
    for _ in 0..=maker.rng.usize(..24) {
        maker.line(&mut text);
    }
    text.into_bytes()
}

/// The usual up direction.
const UP: &str = "[0.0,1.0,0.0]";

/// A forward direction.
fn facing(turned: usize) -> &'static str {
    let [forward, _] = nth(&BASES, turned);
    forward
}

/// An element of a slice; the default value after its end.
fn nth<T: Copy + Default>(from: &[T], at: usize) -> T {
    from.get(at).copied().unwrap_or_default()
}

/// Changes an element of a slice.
fn change<T: Copy>(all: &mut [T], at: usize, change: impl Fn(T) -> T) {
    if let Some(one) = all.get_mut(at) {
        *one = change(*one);
    }
}

/// Replaces the value of a member.
fn set(members: &mut [(&str, String)], name: &str, value: &str) {
    for (_, known) in members.iter_mut().filter(|(known, _)| *known == name) {
        value.clone_into(known);
    }
}

impl Maker {
    fn is(&self, odd: Odd) -> bool {
        self.odd >> odd as u32 & 1 == 1
    }

    /// True once in `times` calls on average, if the match has this oddity.
    fn now(&mut self, odd: Odd, times: u32) -> bool {
        self.is(odd) && self.rng.u32(..times) == 0
    }

    fn one_in(&mut self, times: u32) -> bool {
        self.rng.u32(..times) == 0
    }

    fn pick<T: Copy + Default>(&mut self, from: &[T]) -> T {
        let at = self.rng.usize(..from.len().max(1));
        nth(from, at)
    }

    /// The value of a number or a flag, which may be spoiled.
    fn value(&mut self, value: String, spoilt: &[&str]) -> String {
        match &mut self.spoil {
            Some(0) => {
                self.spoil = None;
                let spoilt = self.pick(spoilt);
                spoilt.to_owned()
            }
            Some(left) => {
                *left -= 1;
                value
            }
            None => value,
        }
    }

    /// A number, given in thousandths.
    fn number(&mut self, thousandths: i32) -> String {
        let value = format!("{:?}", f64::from(thousandths) / 1000.0);
        self.value(value, &["null"])
    }

    fn whole(&mut self, whole: i32) -> String {
        self.value(whole.to_string(), &["null", "1.5", "2147483648", "3.0"])
    }

    fn flag(&mut self, flag: bool) -> String {
        let value = match self.rng.u32(..6) {
            0 => u8::from(flag).to_string(),
            1 => format!("{}.0", u8::from(flag)),
            _ => flag.to_string(),
        };
        self.value(value, &["null"])
    }

    fn vector(&mut self, thousandths: [i32; 3]) -> String {
        let [x, y, z] = thousandths.map(|number| self.number(number));
        format!("[{x},{y},{z}]")
    }

    fn object(&mut self, mut members: Vec<(&str, String)>) -> String {
        if self.now(Odd::Invented, 12) {
            members.push((
                "x_invented",
                "{\"a\":[1.5,null,{}],\"b\":\"\\t\"}".to_owned(),
            ));
        }
        if self.one_in(4) {
            self.rng.shuffle(&mut members);
        }
        let mut text = String::from("{");
        for (at, (name, value)) in members.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            let _ = write!(text, "{comma}\"{name}\":{value}");
        }
        text.push('}');
        text
    }

    fn time(&mut self) -> String {
        let passed = match self.rng.u32(..40) {
            0 if self.is(Odd::Gaps) => 700_000_000,
            1 if self.is(Odd::Gaps) => -5_000_000,
            2 if self.is(Odd::Gaps) => 0,
            _ => 330_000 + self.rng.i64(..20_000),
        };
        self.ticks = (self.ticks + passed).max(0);
        let (seconds, below) = (self.ticks / 10_000_000, self.ticks % 10_000_000);
        let clock = format!("{:02}:{:02}", 3 + seconds / 3600, seconds / 60 % 60);
        let second = seconds % 60;
        if self.is(Odd::SubMs) {
            let below = if self.one_in(3) {
                below / 10_000 * 10_000 + 9999
            } else {
                below
            };
            return format!("2022/01/02 {clock}:{second:02}.{below:07}");
        }
        format!("2022/01/02 {clock}:{second:02}.{:03}", below / 10_000)
    }

    /// Writes a line that is not a session.
    fn no_session(&mut self, text: &mut String) {
        let session = self.session();
        let time = self.time();
        let _ = match self.rng.u32(..6) {
            0 => write!(
                text,
                "{time}\t{{\"err_code\":-6,\"err_description\":\"in the lobby\"}}\r\n"
            ),
            1 => write!(text, "\r\n"),
            2 => write!(text, "{time}\t{session}\t\t\r\n"),
            3 => write!(text, "{time}\t{}\r\n", session.trim_end_matches('}')),
            4 => write!(text, "{time}\r\n"),
            _ => write!(text, "{time}\t{session}\t{{\"user_bones\":[\r\n"),
        };
    }

    fn line(&mut self, text: &mut String) {
        self.step();
        if self.now(Odd::Lines, 4) {
            self.no_session(text);
        }
        if self.now(Odd::NullNumbers, 4) {
            self.spoil = Some(self.rng.u32(..300));
        }
        let session = self.session();
        self.spoil = None;
        let time = self.time();
        let bones = self.bones_column();
        let _ = write!(text, "{time}\t{session}{bones}\r\n");
    }
}
