//! The audit's findings about hands, mice and clocks: none for games that people could have played,
//! and the right one for each forgery.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gametape_mines::rmv::{self, Findings, Limits, Severity};
use gametape_mines::{Game, Level, MouseAction, Text, Version};
use gametape_samples::mines::person::{Clock, Hand, Release};
use gametape_samples::mines::{Habit, Scenario, play, record, scenarios};
use gametape_testkit::mines::{Forgery, forgeries, mouse_of, remake};

use crate::common::codes;

/// The codes of findings about hands, mice and clocks.
const CODES: [&str; 23] = [
    "rmv.click-rate",
    "rmv.clock-grid",
    "rmv.clock-off",
    "rmv.clock-other",
    "rmv.clock-part",
    "rmv.clock-scaled",
    "rmv.clock-shift",
    "rmv.cursor-jumps",
    "rmv.hint-centre",
    "rmv.hint-hands",
    "rmv.hint-hold",
    "rmv.hint-instant",
    "rmv.hint-jump",
    "rmv.hint-same-hold",
    "rmv.hint-speed",
    "rmv.hint-steps",
    "rmv.hint-times",
    "rmv.pace",
    "rmv.presses-even",
    "rmv.rate",
    "rmv.same-point",
    "rmv.steady",
    "rmv.straight",
];

fn scenario(name: &str) -> Scenario {
    scenarios().into_iter().find(|s| s.name == name).unwrap()
}

fn played(name: &str, release: Release, hands: &[Hand], seed: u64) -> Game<'static> {
    play(&scenario(name), release, hands, seed).unwrap()
}

fn audited(game: &Game<'_>) -> Findings {
    rmv::audit(&rmv::write(game).unwrap()).findings
}

/// The codes of a game's findings, except those that every game has.
fn unusual_codes(game: &Game<'_>) -> Vec<&'static str> {
    let usual = [
        "rmv.checksum",
        "rmv.file-size",
        "rmv.score-plus-one",
        "rmv.rank-3bv",
    ];
    let findings = audited(game);
    let codes = findings.iter().map(|finding| finding.rule.code());
    codes.filter(|code| !usual.contains(code)).collect()
}

/// The seeds to test; with `GAMETAPE_EXHAUSTIVE=1` enough for thousands of games.
fn seeds(few: u64) -> std::ops::Range<u64> {
    let all = gametape_testkit::cases::exhaustive();
    0..if all { few * 40 } else { few }
}

/// This holds for every level and style of play.
#[test]
fn hands_that_play_cause_no_finding() {
    let names = [
        "beginner-win",
        "intermediate-win",
        "expert-win",
        "no-flags",
        "loss",
        "aborted",
        "ring-of-eight",
        "custom-wide",
        "custom-dense",
        "custom-one-cell",
    ];
    let mut wrong = Vec::new();
    for seed in seeds(8) {
        for release in Release::ALL {
            let hand = Hand::of(release, seed);
            for name in names {
                let game = played(name, release, &[hand], seed);
                let findings = audited(&game);
                let said = findings.iter().filter(|f| CODES.contains(&f.rule.code()));
                wrong.extend(said.map(|said| {
                    let said = said.rule.to_string();
                    format!("{name}, seed {seed}, {release:?}, {hand:?}: {said}")
                }));
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
}

/// Further findings that a forgery may cause. For example, equal times also mean equal holds.
fn further_codes(forgery: &Forgery) -> &'static [&'static str] {
    match forgery.name {
        // A faster game is faster in every way.
        "times-scaled" => &["rmv.pace", "rmv.rate", "rmv.hint-hold"],
        "times-in-one-millisecond" | "times-beyond-hands" | "times-beyond-records" => &[
            "rmv.rate",
            "rmv.click-rate",
            "rmv.pace",
            "rmv.times-even",
            "rmv.times-invented",
            "rmv.hint-instant",
            "rmv.hint-hands",
            "rmv.hint-hold",
            "rmv.hint-times",
        ],
        // No clock produced these times, so they do not fit the release's clock either.
        "times-even" | "times-random" => &[
            "rmv.clock-off",
            "rmv.clock-part",
            "rmv.hint-hold",
            "rmv.hint-same-hold",
            "rmv.hint-times",
            "rmv.steady",
        ],
        // Without the moves in between, the times are those of clicks.
        "moves-removed" | "moves-thinned" => &["rmv.hint-times"],
        "no-holds" => &["rmv.times-invented"],
        // A jump is a straight path, and a jump in one step is a fast one.
        "jumps-in-steps" => &["rmv.straight", "rmv.hint-speed", "rmv.hint-times"],
        // If paths get other durations, their moves become slower or faster than the hand.
        "presses-even" | "presses-of-chords-even" | "presses-nearly-even" | "presses-by-turns" => {
            &["rmv.hint-hands", "rmv.hint-hold", "rmv.hint-same-hold"]
        }
        "ways-straight" | "ways-steady" | "another-clock-behind" => &["rmv.hint-hands"],
        _ => &[],
    }
}

/// A finding that is equally true, and that some forgeries get instead of their own code.
fn code_instead(forgery: &Forgery) -> Option<&'static str> {
    match forgery.name {
        // So much of the path may be missing that it counts for the whole cursor.
        "ways-removed" => Some("rmv.cursor-jumps"),
        // With few pixels, one of them may get a quarter of the clicks by chance.
        "clicks-nearly-central" | "clicks-near-centres" => Some("rmv.same-point"),
        // If other events follow soon, holds are cut short.
        "holds-alike" => Some("rmv.hint-hold"),
        _ => None,
    }
}

/// The forgeries that concern hands, mice and clocks.
fn of_hands() -> impl Iterator<Item = Forgery> {
    forgeries().filter(|forgery| !CLAIMS.contains(&forgery.code))
}

/// Each forgery is found with its code for every release and hand, without unrelated findings.
#[test]
fn each_forgery_is_found_with_its_code() {
    let mut made = BTreeMap::new();
    let mut wrong = Vec::new();
    for seed in seeds(4) {
        for release in Release::ALL {
            for name in ["intermediate-win", "expert-win"] {
                let hand = Hand::of(release, seed);
                let sound = played(name, release, &[hand], seed);
                assert_eq!(unusual_codes(&sound), [""; 0]);
                for forgery in of_hands() {
                    let Some(forged) = forgery.of(&sound, seed) else {
                        continue;
                    };
                    *made.entry(forgery.name).or_insert(0) += 1;
                    let said = unusual_codes(&forged);
                    let what = format!("{}, {name}, seed {seed}, {hand:?}: {said:?}", forgery.name);
                    let more = code_instead(&forgery).is_some_and(|code| said == [code]);
                    let is_found = said.contains(&forgery.code) || more;
                    let also = further_codes(&forgery);
                    let other = said
                        .iter()
                        .find(|code| **code != forgery.code && !also.contains(code));
                    if !(is_found && (other.is_none() || more)) {
                        wrong.push(what);
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
    for forgery in of_hands() {
        // Forgeries of the Windows tick need a game that has it.
        assert!(made.get(forgery.name).is_some_and(|&n| n >= 10), "{made:?}");
    }
}

const QUICK: Hand = Hand {
    clock: Clock::Millisecond,
    report_ms: 1,
    hold_ms: 45,
    ease: 0.8,
    bow: 0.2,
};

/// A file for each code that only this kind of forgery raises.
pub fn cases() -> Vec<(&'static str, Vec<u8>)> {
    let tick = Hand {
        clock: Clock::Tick(3),
        ..QUICK
    };
    let game = |release, hands: &[Hand]| played("expert-win", release, hands, 3);
    let by_tick = game(Release::R3_0_2, &[tick]);
    let mut games: Vec<(&str, Game<'static>)> = of_hands()
        .map(|forgery| {
            let of = |game| forgery.of(game, 3);
            let forged = of(&game(Release::R5_0, &[QUICK])).or_else(|| of(&by_tick));
            (forgery.code, forged.unwrap())
        })
        .collect();
    games.extend([
        ("rmv.clock-off", game(Release::R2_2, &[QUICK])),
        ("rmv.clock-grid", game(Release::R4_0, &[tick])),
        ("rmv.clock-other", scaled(&by_tick, 0.64)),
    ]);
    let written = |(code, game)| (code, rmv::write(&game).unwrap());
    games.into_iter().map(written).collect()
}

/// Two people play one half of the board each.
#[test]
fn two_hands_in_one_game_are_hinted_at_where_they_change() {
    let others = [
        Hand {
            hold_ms: 105,
            ..QUICK
        },
        Hand {
            report_ms: 8,
            ..QUICK
        },
    ];
    for other in others {
        let (mut games, mut hinted) = (0, 0);
        for seed in seeds(10) {
            for hands in [[QUICK, other], [other, QUICK]] {
                let game = played("expert-win", Release::R5_0, &hands, seed);
                let findings = audited(&game);
                games += 1;
                let found = findings.iter().filter(|f| CODES.contains(&f.rule.code()));
                for finding in found {
                    assert_eq!(
                        finding.rule.code(),
                        "rmv.hint-hands",
                        "seed {seed}, {hands:?}"
                    );
                    let step = finding.place.step.unwrap() as f64;
                    let at = step / f64::from(game.events.len());
                    assert!((0.05..0.95).contains(&at), "{at}, seed {seed}, {hands:?}");
                    hinted += 1;
                }
            }
        }
        assert!(hinted * 10 >= games * 9, "{hinted} of {games}");
    }
    // They play on two machines.
    let tick = Hand {
        clock: Clock::Tick(3),
        ..QUICK
    };
    for seed in seeds(5) {
        for hands in [[QUICK, tick], [tick, QUICK]] {
            let game = played("expert-win", Release::R3_0_2, &hands, seed);
            assert!(
                unusual_codes(&game).contains(&"rmv.clock-part"),
                "seed {seed}"
            );
        }
    }
}

fn scaled(game: &Game<'_>, factor: f64) -> Game<'static> {
    let mut mouse = mouse_of(game);
    for event in &mut mouse {
        event.time_ms = (f64::from(event.time_ms) * factor) as u32;
    }
    remake(game, &mouse).unwrap()
}

/// The reported factor is the one by which the times were multiplied.
#[test]
fn scaled_times_are_measured() {
    for seed in seeds(3) {
        for phase in 0..8 {
            let hand = Hand {
                clock: Clock::Tick(phase),
                ..QUICK
            };
            let game = played("intermediate-win", Release::R3_0_2, &[hand], seed);
            for factor in [0.4, 0.5, 0.64, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99, 1.05, 1.3] {
                let forged = scaled(&game, factor);
                let findings = audited(&forged);
                let found = findings.iter().find_map(|finding| match finding.rule {
                    rmv::Rule::ClockScaled { factor, .. } => Some(factor),
                    // 10 ms is a tick that real machines have.
                    rmv::Rule::ClockOther { period, .. } => Some(period / 15.625),
                    _ => None,
                });
                let found =
                    found.unwrap_or_else(|| panic!("{factor}: {:?}", unusual_codes(&forged)));
                assert!((found / factor - 1.0).abs() < 0.001, "{found} for {factor}");
            }
        }
    }
}

/// No clock produces rounded times, however coarse it is.
#[test]
fn rounded_times_are_found() {
    for seed in seeds(3) {
        let sound = played("expert-win", Release::R5_0, &[QUICK], seed);
        for ms in [4, 5, 8, 16, 20, 25, 33, 50, 100, 200] {
            let mut mouse = mouse_of(&sound);
            for event in &mut mouse {
                event.time_ms = event.time_ms / ms * ms;
            }
            let said = unusual_codes(&remake(&sound, &mouse).unwrap());
            assert!(
                said.contains(&"rmv.clock-scaled"),
                "{ms} ms, seed {seed}: {said:?}"
            );
        }
    }
}

/// A clock with millisecond resolution in files of releases that are known to use the tick, and the
/// tick in files of releases that are known not to use it.
#[test]
fn a_clock_that_a_release_does_not_have() {
    let tick = Hand {
        clock: Clock::Tick(5),
        ..QUICK
    };
    for (release, hand, code) in [
        (Release::R2_2, QUICK, Some("rmv.clock-off")),
        (Release::R3_0, QUICK, Some("rmv.clock-off")),
        (Release::R3_0_2, QUICK, None),
        (Release::R3_0_2, tick, None),
        (Release::R4_0, tick, Some("rmv.clock-grid")),
        (Release::R5_0, tick, Some("rmv.clock-grid")),
    ] {
        for seed in seeds(5) {
            for name in ["beginner-win", "expert-win"] {
                let game = played(name, release, &[hand], seed);
                let said = unusual_codes(&game);
                assert_eq!(said, Vec::from_iter(code), "{release:?}, {name}");
            }
        }
    }
}

/// With too few times, anything may be chance.
#[test]
fn few_times_say_nothing_of_a_clock() {
    let game = played("expert-win", Release::R2_2, &[QUICK], 1);
    let mut mouse = mouse_of(&game);
    let off =
        |mouse: &[_]| unusual_codes(&remake(&game, mouse).unwrap()).contains(&"rmv.clock-off");
    assert!(off(&mouse));
    mouse.truncate(21);
    assert!(off(&mouse), "from 21 times on");
    mouse.truncate(20);
    assert!(!off(&mouse));
}

/// Two clicks may follow each other at once, but twenty may not.
#[test]
fn a_burst_of_clicks_is_no_speed() {
    let sound = played("expert-win", Release::R5_0, &[QUICK], 1);
    let first = mouse_of(&sound)[0];
    let clicks = |count: u32, ms: u32| {
        let mut mouse = vec![first];
        // A flag is set and removed repeatedly.
        let field = gametape_mines::Minefield::new(&sound.board);
        let mine = field.cells().find(|&cell| field.is_mine(cell)).unwrap();
        for at in 1..count {
            for (action, later) in [(MouseAction::RightDown, 0), (MouseAction::RightUp, ms / 2)] {
                let mut event = first;
                event.action = action;
                event.x = i32::from(mine.col) * 16 + 5;
                event.y = i32::from(mine.row) * 16 + 5;
                event.time_ms = at * ms - ms / 2 + later;
                mouse.push(event);
            }
        }
        let game = remake(&sound, &mouse).unwrap();
        unusual_codes(&game).contains(&"rmv.click-rate")
    };
    assert!(!clicks(2, 12));
    assert!(clicks(20, 12));
    assert!(!clicks(20, 25));
    assert!(clicks(3, 1));
}

/// Other programs may record whatever they like, and the cursor of a touch screen jumps: this gives
/// a hint and no more.
#[test]
fn other_programs_may_record_as_few_moves_as_they_like() {
    let removed = forgeries()
        .find(|forgery| forgery.name == "moves-removed")
        .unwrap();
    for seed in seeds(5) {
        let game = played("intermediate-win", Release::R5_0, &[QUICK], seed);
        let mut forged = removed.of(&game, seed).unwrap();
        assert!(unusual_codes(&forged).contains(&"rmv.cursor-jumps"));
        let gametape_mines::Encoding::V2 { clone_id, .. } = &mut forged.encoding else {
            panic!("version 2");
        };
        *clone_id = 3;
        forged.version_info = Text::from("Another Sweeper 1.0");
        let said = unusual_codes(&forged);
        assert!(said.contains(&"rmv.hint-jump"), "{said:?}");
        assert!(!said.contains(&"rmv.cursor-jumps"), "{said:?}");
    }
}

/// The bot's games are those of another program, which sees faster than a hand moves.
#[test]
fn bots_of_the_samples_are_not_taken_for_forgeries() {
    for scenario in scenarios() {
        for seed in seeds(3) {
            let game = record(&scenario, seed).unwrap();
            let findings = audited(&game);
            let warned = findings.iter().find(|finding| {
                finding.severity() > Severity::Info && CODES.contains(&finding.rule.code())
            });
            assert_eq!(warned, None, "{}, seed {seed}", scenario.name);
        }
    }
}

/// The world records are far from the bounds.
#[test]
fn records_are_no_forgeries() {
    for (name, level, record_ms) in [
        ("expert-win", Level::Expert, 26_590),
        ("intermediate-win", Level::Intermediate, 6_000),
    ] {
        for version in [Version::V1, Version::V2] {
            let release = Release::ALL
                .into_iter()
                .find(|r| r.version() == version)
                .unwrap();
            let sound = played(name, release, &[QUICK], 2);
            let metrics = gametape_mines::Metrics::of(&sound);
            assert_eq!(metrics.level, level);
            let factor = f64::from(record_ms) / f64::from(sound.events.last_time_ms());
            let said = unusual_codes(&scaled(&sound, factor));
            assert!(!said.contains(&"rmv.pace"), "{said:?}");
            let said = unusual_codes(&scaled(&sound, factor * 0.6));
            assert!(said.contains(&"rmv.pace"), "{said:?}");
        }
    }
}

/// A day in 2026.
fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_790_000_000)
}

fn findings(game: &Game<'_>) -> Findings {
    rmv::audit_at(&rmv::write(game).unwrap(), Limits::DEFAULT, now()).findings
}

/// Games of every release and level, with flags and without.
fn sound(seed: u64) -> Vec<(String, Game<'static>)> {
    let mut games = Vec::new();
    let names = ["beginner-win", "intermediate-win", "expert-win"];
    let levels = scenarios().into_iter().filter(|s| names.contains(&s.name));
    for mut scenario in levels {
        for habit in [Habit::Chords, Habit::NoFlags] {
            for release in Release::ALL {
                scenario.habit = habit;
                let hand = Hand::of(release, seed);
                let game = play(&scenario, release, &[hand], seed).unwrap();
                let name = format!("{} {habit:?} {release:?} seed {seed}", scenario.name);
                games.push((name, game));
            }
        }
    }
    games
}

/// The codes of false claims.
pub const CLAIMS: [&str; 10] = [
    "rmv.nf",
    "rmv.nf-preflags",
    "rmv.rank-3bv",
    "rmv.date-missing",
    "rmv.date-early",
    "rmv.date-future",
    "rmv.release-field",
    "rmv.release-unusual",
    "rmv.release-missing",
    "rmv.release-clone",
];

#[test]
fn sound_games_of_every_release_make_no_false_claim() {
    for seed in 0..4 {
        for (name, game) in sound(seed) {
            for finding in &findings(&game) {
                assert!(!CLAIMS.contains(&finding.code()), "{name}: {finding}");
            }
        }
    }
}

#[test]
fn false_claims_are_found_and_nothing_else_is() {
    let mut made = BTreeMap::<&str, u32>::new();
    for seed in 0..2 {
        for (name, game) in sound(seed) {
            let before = codes(&findings(&game));
            for forgery in forgeries().filter(|forgery| CLAIMS.contains(&forgery.code)) {
                let Some(forged) = forgery.of(&game, seed) else {
                    continue;
                };
                *made.entry(forgery.name).or_default() += 1;
                let found = findings(&forged);
                let what = format!("{} of {name}", forgery.name);
                assert!(found.has(forgery.code), "{what}: {:?}", codes(&found));
                assert!(found.worst() >= Some(Severity::Warning), "{what}");
                let more: Vec<&str> = (codes(&found).into_iter())
                    .filter(|code| *code != forgery.code && !before.contains(code))
                    .collect();
                let expected = follows(forgery.name);
                assert!(
                    more.iter().all(|code| expected.contains(code)),
                    "{what}: {more:?}"
                );
            }
        }
    }
    for forgery in forgeries().filter(|forgery| CLAIMS.contains(&forgery.code)) {
        assert!(
            made.contains_key(forgery.name),
            "{} was tried",
            forgery.name
        );
    }
}

/// Further findings that a false claim causes.
fn follows(name: &str) -> &'static [&'static str] {
    match name {
        // The property does not make the claim.
        "no-flag-claim-of-the-result-string" => &["rmv.result-nf"],
        "no-flag-claim-with-preflags-of-a-known-board" => &["rmv.mode-unproven", "rmv.rank-mode"],
        // The major version after the clone id is still the old one.
        "release-without-the-format" => &["rmv.release-unusual"],
        // The game was played before release 5 existed, and with a clock that this release does not
        // use.
        "release-with-another-format" => &["rmv.date-early", "rmv.clock-grid"],
        _ => &[],
    }
}
