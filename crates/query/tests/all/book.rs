//! Questions of the book, each answered a second time without SQL.

mod runs;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use gametape::echo::{Frame, GameStatus};
use gametape::mines::{MouseAction, PlayerFields, rmv};

use crate::cookbook::PAGE;
use crate::samples::Asked;
use crate::second::question;
use crate::twenty::{Played, distance, games, is_same, matches, row};

/// The title of a question in the book, and the rows of its answer, in any order.
type Answer = (&'static str, Vec<Vec<String>>);

#[test]
fn questions_of_the_book_have_the_answers_of_a_second_computation() {
    let folder = tempfile::tempdir().unwrap();
    let mut games = games(folder.path());
    games.push(twin(folder.path()));
    let matches = matches(folder.path());
    let mut all = of_games(&games);
    all.extend(of_moves(&games));
    all.extend(of_results(&matches));
    all.extend(of_a_match(&matches[0].1));
    assert_answered(folder.path(), "%first.echoreplay", all);
}

/// Compares with the answers about the recordings of a folder, whose first match is `first`.
fn assert_answered(folder: &Path, first: &str, all: Vec<Answer>) {
    let asked = Asked::with_secrets(&[folder.to_owned()]);
    let mut wrong = Vec::new();
    for (title, mut expected) in all {
        let sql = question(title, first)
            .replace(" LIMIT 5", "")
            .replace(" LIMIT 3", "");
        let mut found = asked.rows(&sql);
        found.sort();
        expected.sort();
        let differ =
            (found.iter().zip(&expected)).find(|(found, expected)| !is_same(found, expected));
        if differ.is_some() || found.len() != expected.len() {
            wrong.push(format!(
                "{title}: {} and {} rows; {differ:?}",
                found.len(),
                expected.len()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn round(number: f64, digits: i32) -> f64 {
    let unit = 10_f64.powi(digits);
    (number * unit).round() / unit
}

/// The first game, under another name.
fn twin(folder: &Path) -> Played {
    let bytes = fs::read(folder.join("beginner-win-0.rmv")).unwrap();
    let mut game = rmv::read(&bytes).unwrap();
    game.player = PlayerFields::new(["Zed", "", "", ""]).unwrap();
    fs::write(folder.join("twin.rmv"), rmv::write(&game).unwrap()).unwrap();
    Played::of("twin.rmv", "Zed", &game)
}

fn of_games(games: &[Played]) -> Vec<Answer> {
    let mut best = BTreeMap::<_, (f64, u32)>::new();
    let mut rates = BTreeMap::<_, Vec<[f64; 3]>>::new();
    let mut boards = BTreeMap::<_, (u32, f64)>::new();
    let mut twins = BTreeMap::<_, Vec<&Played>>::new();
    let mut admitted = Vec::new();
    for game in games {
        let clicks = &game.clicks;
        let count = clicks.left + clicks.right + clicks.double;
        let bbbv = game.bbbv() as f64;
        let seconds = game.time_ms / 1000.0;
        if game.won {
            let (least, wins) = best
                .entry((game.player, game.level))
                .or_insert((f64::INFINITY, 0));
            (*least, *wins) = (least.min(seconds), *wins + 1);
            let [all, effective] = [count, clicks.effective].map(|clicks| bbbv / f64::from(clicks));
            let rate = [all, effective, bbbv / seconds];
            rates.entry(game.level).or_default().push(rate);
        }
        // The text of a result in version 1 names the player, who got another name here.
        let reasons = match (game.won, game.file.starts_with("v1-")) {
            (false, _) => "policy.require:outcome",
            (true, true) => "rmv.result-text",
            (true, false) => "null",
        };
        admitted.push(row![
            game.file,
            game.player,
            game.level,
            game.time_ms,
            reasons == "null",
            reasons
        ]);
        let (count, least) = boards
            .entry((game.level, &game.mines))
            .or_insert((0, f64::INFINITY));
        (*count, *least) = (*count + 1, least.min(game.time_ms));
        let path = format!("{:?}", game.mouse);
        twins.entry((path, &game.mines)).or_default().push(game);
    }
    let rates = rates.into_iter().map(|(level, rates)| {
        let mean = |at: usize| rates.iter().map(|rate| rate[at]).sum::<f64>() / rates.len() as f64;
        row![
            level,
            round(mean(0), 3),
            round(mean(1), 3),
            round(mean(2), 2)
        ]
    });
    let best = best.into_iter();
    let boards = boards.into_iter().filter(|(_, (count, _))| *count > 1);
    let twins = twins.into_values().filter(|games| games.len() > 1);
    let twins = twins.map(|games| {
        let files = games.iter().map(|game| &game.file);
        let players: BTreeSet<&str> = games.iter().map(|game| game.player).collect();
        let (first, last) = (files.clone().min().unwrap(), files.max().unwrap());
        row![first, last, games.len(), players.len()]
    });
    vec![
        (
            "What are the personal bests?",
            best.map(|((player, level), (least, wins))| row![player, level, least, wins])
                .collect(),
        ),
        (
            "Which games does the ranking admit, and why not the others?",
            admitted,
        ),
        ("Who plays efficiently?", rates.collect()),
        (
            "Which games are the same one, under another name, at another date or mirrored?",
            twins.collect(),
        ),
        (
            "Which boards were played more than once?",
            boards
                .map(|((level, _), (count, least))| row![level, count, least])
                .collect(),
        ),
    ]
}

fn of_moves(games: &[Played]) -> Vec<Answer> {
    let (mut presses, mut open) = (Vec::new(), Vec::new());
    for game in games {
        let events = || game.mouse.iter().map(|(_, event)| event);
        let downs = events().filter(|event| event.action == MouseAction::LeftDown);
        let times: Vec<u32> = downs.map(|event| event.time_ms).collect();
        let gaps = times.array_windows().map(|[a, b]| b - a);
        let least = gaps
            .clone()
            .min()
            .map_or("null".to_owned(), |gap| gap.to_string());
        if !times.is_empty() {
            presses.push(row![
                game.file,
                times.len(),
                least,
                gaps.filter(|gap| *gap < 20).count()
            ]);
        }
        let later = game.mouse.iter().find(|(_, event)| event.time_ms > 2000);
        if let Some((step, _)) = later {
            open.push(row![game.file, game.opened(*step), game.solved(*step)]);
        }
    }
    vec![
        (
            "Are there presses closer together than a hand can make them?",
            presses,
        ),
        ("How much of the board was open after two seconds?", open),
    ]
}

const TEAMS: [&str; 3] = ["blue", "orange", "spectator"];

fn of_results(matches: &[(&'static str, Vec<Frame>)]) -> Vec<Answer> {
    let mut ends = Vec::new();
    let mut people = BTreeMap::<String, BTreeSet<&str>>::new();
    for (file, frames) in matches {
        let last = &frames.last().unwrap().session;
        let (blue, orange) = (last.blue_points, last.orange_points);
        let ahead = match blue.total_cmp(&orange) {
            std::cmp::Ordering::Greater => "blue",
            std::cmp::Ordering::Less => "orange",
            std::cmp::Ordering::Equal => "none",
        };
        ends.push(row![file, blue, orange, ahead]);
        let mut names = BTreeMap::new();
        for (_, player) in frames.iter().flat_map(|frame| frame.session.players()) {
            names.insert(player.userid, player.name.to_string());
        }
        for name in names.into_values() {
            people.entry(name).or_default().insert(file);
        }
    }
    let (_, files) = people.first_key_value().unwrap();
    vec![
        ("How did the matches end?", ends),
        (
            "In which matches did a player take part?",
            files.iter().map(|file| row![file]).collect(),
        ),
    ]
}

fn of_a_match(frames: &[Frame]) -> Vec<Answer> {
    let time = |frame: &Frame| (frame.time.0 - frames[0].time.0) as f64;
    let (mut goals, mut places, mut near) = (Vec::new(), Vec::new(), Vec::new());
    let mut held = [0.0; 3];
    let mut pings = BTreeMap::<String, Vec<f64>>::new();
    for (frame, next) in frames.iter().zip(&frames[1..]) {
        let playing = matches!(
            frame.session.game_status,
            GameStatus::Playing | GameStatus::SuddenDeath
        );
        let teams = frame.session.teams.iter();
        let holder = teams.take(2).position(|team| team.possession);
        let holder = holder.unwrap_or(2);
        held[holder] += if playing {
            time(next) - time(frame)
        } else {
            0.0
        };
        let points = |frame: &Frame| [frame.session.blue_points, frame.session.orange_points];
        for (team, side) in TEAMS.iter().enumerate().take(2) {
            let scored = points(next)[team] - points(frame)[team];
            if scored <= 0.0 {
                continue;
            }
            let score = next.session.last_score.as_ref().unwrap();
            let (by, at) = (score.person_scored.to_string(), time(next));
            let far = round(score.distance_thrown.into(), 2);
            goals.push(row![at, side, scored, score.goal_type, by, far]);
            for (team, player) in next.session.players().filter(|(team, _)| *team < 2) {
                let [x, _, z] = player.head.position.map(|at| round(at.into(), 1));
                places.push(row![at, by, player.name, TEAMS[team], x, z]);
            }
            let mut nearest = BTreeMap::<String, f64>::new();
            let before = frames
                .iter()
                .filter(|frame| (at - 1000.0..=at).contains(&time(frame)));
            for frame in before {
                let disc = frame.session.disc.unwrap().pose.position;
                for (_, player) in frame.session.players() {
                    let near = nearest
                        .entry(player.name.to_string())
                        .or_insert(f64::INFINITY);
                    *near = near.min(distance(player.head.position, disc));
                }
            }
            near.extend(
                nearest
                    .into_iter()
                    .map(|(name, near)| row![at, name, round(near, 2)]),
            );
        }
    }
    for (_, player) in frames.iter().flat_map(|frame| frame.session.players()) {
        pings
            .entry(player.name.to_string())
            .or_default()
            .push(player.ping.into());
    }
    let pings = pings.into_iter().map(|(name, mut pings)| {
        pings.sort_by(f64::total_cmp);
        let mean = pings.iter().sum::<f64>() / pings.len() as f64;
        let at = 0.95 * (pings.len() - 1) as f64;
        let [below, above] = [at.floor(), at.ceil()].map(|at| pings[at as usize]);
        row![
            name,
            round(mean, 1),
            (above - below).mul_add(at.fract(), below)
        ]
    });
    let last = time(frames.last().unwrap());
    let halves = (0..)
        .map(|half| f64::from(half) * 30_000.0)
        .take_while(|at| *at <= last);
    let halves = halves.map(|at| {
        let frame = frames.iter().rfind(|frame| time(frame) <= at).unwrap();
        row![
            time(frame) / 1000.0,
            frame.session.blue_points,
            frame.session.orange_points
        ]
    });
    vec![
        ("Which goals were scored, and from how far?", goals),
        ("Where was everyone when a goal was scored?", places),
        (
            "How did the score stand every half minute?",
            halves.collect(),
        ),
        ("Who was near the disc a second before a goal?", near),
        ("Whose connection is bad?", pings.collect()),
        (
            "How long does each team have the disc?",
            vec![held.map(|ms| round(ms / 1000.0, 2).to_string()).to_vec()],
        ),
    ]
}

/// The relations and the verdicts of a policy are compared with those of the library elsewhere; the texts of markers are
/// made of rows.
const NOT_COMPUTED: [&str; 3] = [
    "Which recordings have something in common that they should not have?",
    "What does the policy say of each recording, and the comparison with the others?",
    "Which moments are worth a look?",
];

#[test]
fn every_question_of_the_book_is_answered_a_second_time() {
    let page = fs::read_to_string(PAGE).unwrap();
    let tests = [
        include_str!("book.rs"),
        include_str!("book/runs.rs"),
        include_str!("second.rs"),
    ];
    for title in page.lines().filter_map(|line| line.strip_prefix("### ")) {
        let quoted = format!("\"{title}\"");
        let is_answered = tests.iter().any(|test| test.contains(&quoted));
        assert!(is_answered || NOT_COMPUTED.contains(&title), "{title}");
    }
}
