//! The book's questions about players and fields, computed a second time without SQL: on a match in which players
//! leave, return under another name, swap numbers, and hand theirs to a newcomer, and on a field whose cells rest.

use std::collections::BTreeMap;
use std::fs;

use gametape::echo::{Frame, GameStatus, echoreplay};
use gametape::{At, Recording, Scan};
use gametape_samples::echo::{Match, MatchOptions};

use crate::cookbook::PAGE;
use crate::samples::{Asked, fill_more};

/// The query of the book under a title, about this recording in place of the book's.
pub fn question(title: &str, of: &str) -> String {
    let page = fs::read_to_string(PAGE).unwrap();
    let (_, after) = page.split_once(&format!("### {title}\n")).unwrap();
    let (_, sql) = after.split_once("```sql\n").unwrap();
    let (sql, _) = sql.split_once("```").unwrap();
    sql.replace("%final.butter", of)
}

/// A match whose players do everything that players do.
pub fn restless() -> Vec<Frame> {
    let options = MatchOptions {
        seed: 11,
        frames: Some(3000),
        joins: false,
        ..MatchOptions::default()
    };
    let mut frames: Vec<Frame> = Match::new(options).collect();
    let accounts: Vec<u64> = frames[0]
        .session
        .players()
        .map(|(_, player)| player.userid)
        .collect();
    let [leaver, returner, left, mover, right] = [0, 1, 2, 3, 6].map(|at| accounts[at]);
    let newcomer = 77_777;
    for (at, frame) in frames.iter_mut().enumerate() {
        for team in &mut frame.session.teams {
            team.players.retain(|player| {
                let gone = (player.userid == leaver && at >= 2000)
                    || (player.userid == returner && (900..1100).contains(&at));
                !gone || (player.userid == leaver && at >= 2100)
            });
            for player in &mut team.players {
                let id = player.userid;
                if id == leaver && at >= 2100 {
                    // Somebody else, who has the number of the one who left and stands still.
                    player.userid = newcomer;
                    player.name = "Newcomer".into();
                    player.velocity = [0.0; 3];
                    player.head.position = [1.0, 2.0, 3.0];
                    player.possession = false;
                    player.stats = Some(gametape::echo::Stats::default());
                }
                if id == returner && at >= 1100 {
                    player.name = "Renamed".into();
                    player.playerid = 40;
                }
            }
        }
        if (400..600).contains(&at) {
            // Over to the other team, and back.
            let [blue, orange, ..] = &mut frame.session.teams[..] else {
                panic!("a match has teams");
            };
            let place = blue
                .players
                .iter()
                .position(|player| player.userid == mover);
            orange.players.push(blue.players.remove(place.unwrap()));
        }
        if at >= 1500 {
            let mut numbers = BTreeMap::new();
            for (_, player) in frame.session.players() {
                numbers.insert(player.userid, player.playerid);
            }
            let swapped = [(left, numbers.get(&right)), (right, numbers.get(&left))];
            let swapped = swapped.map(|(id, number)| (id, number.copied()));
            for team in &mut frame.session.teams {
                for player in &mut team.players {
                    for (id, number) in swapped {
                        if let Some(number) = number.filter(|_| player.userid == id) {
                            player.playerid = number;
                        }
                    }
                }
            }
        }
    }
    frames
}

/// The deeds of a player, by hand.
#[derive(Clone, Default)]
struct Did {
    name: String,
    team: &'static str,
    top_speed: f32,
    possession_ms: u64,
    points: i32,
    stuns: i32,
    saves: i32,
    catches: i32,
    /// When each catch was, and under which name.
    caught: Vec<(String, u64)>,
}

/// Goes through the frames, account by account.
fn by_hand(frames: &[Frame]) -> BTreeMap<u64, Did> {
    let start = frames[0].time.0;
    let mut all: BTreeMap<u64, Did> = BTreeMap::new();
    for (at, frame) in frames.iter().enumerate() {
        let playing = matches!(
            frame.session.game_status,
            GameStatus::Playing | GameStatus::SuddenDeath
        );
        let now = frame.time.0 - start;
        for (team, player) in frame.session.players() {
            let did = all.entry(player.userid).or_insert_with(|| Did {
                catches: player.stats.map_or(0, |stats| stats.catches),
                ..Did::default()
            });
            did.name = player.name.to_string();
            did.team = ["blue", "orange", "spectator"][team];
            if team < 2 {
                let [x, y, z] = player.velocity;
                let speed = (x * x + y * y + z * z).sqrt();
                did.top_speed = did.top_speed.max(speed);
            }
            if let (true, true, Some(next)) = (playing, player.possession, frames.get(at + 1)) {
                did.possession_ms += u64::try_from(next.time.0 - frame.time.0).unwrap();
            }
            if let Some(stats) = player.stats {
                (did.points, did.stuns, did.saves) = (stats.points, stats.stuns, stats.saves);
                if stats.catches > did.catches {
                    did.caught
                        .push((did.name.clone(), u64::try_from(now).unwrap()));
                }
                did.catches = stats.catches;
            }
        }
    }
    all
}

/// The order of rows: by numbers from the largest, then by name.
type Order<'o> = &'o dyn Fn(&Vec<String>) -> (i64, i64, String);

/// Compares rows: texts as they are, numbers to the digits that the query keeps.
#[track_caller]
fn assert_same(found: &[Vec<String>], expected: &[Vec<String>]) {
    assert_eq!(found.len(), expected.len(), "{found:?}\n{expected:?}");
    for (found, expected) in found.iter().zip(expected) {
        for (a, b) in found.iter().zip(expected) {
            let near = match (a.parse::<f64>(), b.parse::<f64>()) {
                (Ok(a), Ok(b)) => (a - b).abs() < 0.011,
                _ => a == b,
            };
            assert!(near, "{found:?}\n{expected:?}");
        }
    }
}

#[test]
fn players_who_leave_return_and_swap_numbers_count_as_who_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let frames = restless();
    let mut text = echoreplay::Writer::new(Vec::new());
    for frame in &frames {
        text.push(frame).unwrap();
    }
    let path = folder.path().join("restless.echoreplay");
    fs::write(&path, text.finish().unwrap()).unwrap();
    let asked = Asked::of(&[path]);
    let ask = |title: &str| asked.rows(&question(title, "%restless.echoreplay"));
    let did = by_hand(&frames);
    assert_eq!(did.len(), 11);
    let top = |mut rows: Vec<Vec<String>>, order: Order<'_>| {
        rows.sort_by_key(order);
        rows.truncate(5);
        rows
    };
    let hundredths = |text: &str| -(text.parse::<f64>().unwrap() * 100.0).round() as i64;

    let rows = did.values().filter(|did| did.team != "spectator");
    let rows = rows.map(|did| vec![did.name.clone(), format!("{:.2}", did.top_speed)]);
    let expected = top(rows.collect(), &|row| {
        (hundredths(&row[1]), 0, row[0].clone())
    });
    assert_same(&ask("What are the top speeds?"), &expected);

    let rows = did.values().map(|did| {
        let seconds = did.possession_ms as f64 / 1000.0;
        vec![
            did.name.clone(),
            did.team.to_owned(),
            format!("{seconds:.2}"),
        ]
    });
    let expected = top(rows.collect(), &|row| {
        (hundredths(&row[2]), 0, row[0].clone())
    });
    assert_same(&ask("Who had the disc, and for how long?"), &expected);

    let last = &frames.last().unwrap().session;
    let won = match last.blue_points.total_cmp(&last.orange_points) {
        std::cmp::Ordering::Greater => "blue",
        std::cmp::Ordering::Less => "orange",
        std::cmp::Ordering::Equal => "none",
    };
    assert_ne!(won, "none", "the match should say who wins");
    let rows = did.values().filter(|did| did.team != "spectator");
    let rows = rows.map(|did| {
        let won = i32::from(did.team == won).to_string();
        vec![did.name.clone(), "1".to_owned(), won]
    });
    let expected = top(rows.collect(), &|row| {
        (hundredths(&row[2]), 0, row[0].clone())
    });
    assert_same(&ask("How often does each player win?"), &expected);

    let rows = did.values().map(|did| {
        let counts = [did.points, did.stuns, did.saves, 1].map(|count| count.to_string());
        std::iter::once(did.name.clone()).chain(counts).collect()
    });
    let expected = top(rows.collect(), &|row: &Vec<String>| {
        (hundredths(&row[1]), hundredths(&row[2]), row[0].clone())
    });
    assert_same(&ask("What are the totals of a season?"), &expected);

    let mut gaps: BTreeMap<String, (u64, Vec<f64>)> = BTreeMap::new();
    for did in did.values() {
        let mut before = None;
        for (name, at) in &did.caught {
            let (count, gaps) = gaps.entry(name.clone()).or_default();
            *count += 1;
            gaps.extend(
                before
                    .replace(*at)
                    .map(|before| (*at - before) as f64 / 1000.0),
            );
        }
    }
    let rows = gaps.into_iter().map(|(name, (count, gaps))| {
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let mean = if gaps.is_empty() {
            "null".to_owned()
        } else {
            format!("{mean:.2}")
        };
        vec![name, count.to_string(), mean]
    });
    let expected = top(rows.collect(), &|row| {
        (hundredths(&row[1]), 0, row[0].clone())
    });
    assert_same(
        &ask("How long is it from one catch to the next?"),
        &expected,
    );

    // Somebody who stands still goes nowhere, whoever had the number before.
    let newcomer = "SELECT round(distance, 2), left_ms FROM roster WHERE name = 'Newcomer'";
    assert_eq!(asked.rows(newcomer), [["0.0", "null"]]);
    let renamed = "SELECT earlier_names, left_ms FROM roster WHERE name = 'Renamed'";
    assert_eq!(asked.rows(renamed)[0][1], "null");
    // Rows of all frames and the table of players agree, by person.
    let sums = "SELECT r.person, r.name FROM roster r JOIN (
            SELECT person, max(points) AS points, count(DISTINCT user_id) AS accounts FROM players WHERE NOT ended GROUP BY 1) p
        ON p.person = r.person WHERE p.points <> r.points OR p.accounts <> 1";
    let shown = Asked::with_secrets(&[folder.path().join("restless.echoreplay")]);
    assert_eq!(shown.rows(sums), Vec::<Vec<String>>::new());
    assert_eq!(
        asked.value("SELECT count(DISTINCT person) FROM players"),
        "11"
    );
    // A player has the same number in a range, alone, and at a moment.
    let whole = "SELECT step, player, person FROM players WHERE NOT ended AND step BETWEEN 1999 AND 2105 ORDER BY 1, 2";
    let from_all = "SELECT step, player, person FROM (SELECT *, row_number() OVER () FROM players) WHERE NOT ended AND step BETWEEN 1999 AND 2105 ORDER BY 1, 2";
    assert_eq!(asked.rows(whole), asked.rows(from_all));
    let at = "SELECT player, person FROM state_at('players', 'frame 2101') ORDER BY 1";
    let row = "SELECT player, person FROM players WHERE NOT ended AND step = 2101 ORDER BY 1";
    assert_eq!(asked.rows(at), asked.rows(row));
}

#[test]
fn cells_that_rest_are_as_warm_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::fill(folder.path());
    fill_more(folder.path());
    let asked = Asked::of(&[folder.path().to_owned()]);
    let found = asked.rows(&question(
        "How warm is the world, tick by tick?",
        "%heat-1.murk",
    ));
    let recording = Recording::open(folder.path().join("heat-1.murk")).unwrap();
    let mut play = recording.playback().unwrap();
    let mut expected = Vec::new();
    for step in 0..5 {
        let stamp = play.seek(At::Step(step)).unwrap();
        let cells = play.state(&Scan::table("heat").columns(["value"])).unwrap();
        let values: Vec<f64> = (0..cells.len())
            .map(|row| cells.get(row, 0).to_string().parse().unwrap())
            .collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let most = values.iter().copied().fold(f64::MIN, f64::max);
        expected.push(vec![
            stamp.tick.unwrap().to_string(),
            mean.to_string(),
            most.to_string(),
        ]);
    }
    assert_eq!(expected[0][2], "100", "a stove");
    assert_same(&found, &expected);
}
