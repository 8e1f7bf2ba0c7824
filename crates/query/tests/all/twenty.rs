//! Twenty questions as a data scientist asks them, each answered a second time without SQL: from the bytes of the
//! recordings, by the second simulator of Minesweeper, or by the model that made the recording.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use gametape::capture;
use gametape::delta::{Encoder, Snapshot, Value};
use gametape::echo::{Frame, echoreplay};
use gametape::mines::{BoardEvent, Cell, Event, Face, Game, MouseAction, MouseEvent, Outcome};
use gametape::mines::{Level, PlayerFields, rmv};
use gametape::murk::engine::World;
use gametape::{At, Recording, Scan};
use gametape_samples::delta::Arena;
use gametape_samples::echo::{Match, MatchOptions};
use gametape_samples::mines::{record, scenarios};
use gametape_testkit::mines::simulator::{Clicks, clicks};

use crate::samples::Asked;
use crate::second::restless;

/// A question and the rows of its answer, in any order.
type Question = (&'static str, Vec<Vec<String>>);

/// A row of values that can be printed.
macro_rules! row {
    ($($value:expr),+) => { vec![$($value.to_string()),+] };
}
pub(crate) use row;

/// Rows of numbers, by what is before them in the row.
fn by<const N: usize>(sums: BTreeMap<impl ToString, [f64; N]>) -> Vec<Vec<String>> {
    let rows = sums.into_iter().map(|(key, numbers)| {
        let numbers = numbers.map(|number| number.to_string());
        std::iter::once(key.to_string()).chain(numbers).collect()
    });
    rows.collect()
}

#[test]
fn twenty_questions_have_the_answers_of_a_second_computation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let games = games(path);
    let mut questions = of_results(&games);
    questions.extend(of_courses(&games));
    questions.extend(of_matches(&matches(path)));
    questions.extend(of_a_world(path));
    questions.extend(of_ships(path));
    assert_eq!(questions.len(), 20);
    for cores in [1, 2, 8, 8] {
        let asked = Asked::on_cores(&[path.to_owned()], cores);
        for (sql, expected) in &questions {
            let (mut found, mut expected) = (asked.rows(sql), expected.clone());
            found.sort();
            expected.sort();
            let same = found.len() == expected.len()
                && found.iter().zip(&expected).all(|(a, b)| is_same(a, b));
            assert!(same, "{cores} cores: {sql}\n{found:?}\n{expected:?}");
        }
    }
}

/// Whether two rows are the same, but for the last digits of numbers.
pub fn is_same(a: &[String], b: &[String]) -> bool {
    let near = |(a, b): (&String, &String)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-6 * b.abs().max(1.0),
        _ => a == b,
    };
    a.len() == b.len() && a.iter().zip(b).all(near)
}

/// A game, taken apart.
pub struct Played {
    pub file: String,
    pub player: &'static str,
    pub level: &'static str,
    pub won: bool,
    pub time_ms: f64,
    pub mines: BTreeSet<Cell>,
    pub size: (u8, u8),
    pub clicks: Clicks,
    /// Mouse events and board events with their steps.
    pub mouse: Vec<(usize, MouseEvent)>,
    board: Vec<(usize, BoardEvent)>,
}

impl Played {
    pub fn of(file: &str, player: &'static str, game: &Game<'_>) -> Self {
        let (cols, rows) = (game.board.cols, game.board.rows);
        let (mut mouse, mut board) = (Vec::new(), Vec::new());
        for (step, event) in game.events.iter().enumerate() {
            match event {
                Event::Mouse(event) => mouse.push((step, event)),
                Event::Board(event) => board.push((step, event)),
                Event::Timestamp(_) => {}
            }
        }
        let ending = game.ending.unwrap();
        Self {
            file: file.to_owned(),
            player,
            level: Level::of(cols, rows, game.board.mines.len()).name(),
            won: ending.outcome == Outcome::Win,
            time_ms: ending.time_ms.into(),
            mines: game.board.mines.iter().collect(),
            size: (cols, rows),
            clicks: clicks(game),
            mouse,
            board,
        }
    }

    fn around(&self, cell: Cell) -> impl Iterator<Item = Cell> {
        let side = |at: u8, size: u8| at.saturating_sub(1)..=(at + 1).min(size - 1);
        let rows = side(cell.row, self.size.1);
        let cols = side(cell.col, self.size.0);
        rows.flat_map(move |row| cols.clone().map(move |col| Cell::new(col, row)))
    }

    fn number(&self, cell: Cell) -> usize {
        let is_mine = |cell: &Cell| self.mines.contains(cell);
        self.around(cell).filter(is_mine).count()
    }

    /// The parts of a board that are opened by a click each: the cells of an opening, or a number beside none.
    fn parts(&self) -> Vec<Vec<Cell>> {
        let all = (0..self.size.1).flat_map(|row| (0..self.size.0).map(move |col| (col, row)));
        let safe = all.map(|(col, row)| Cell::new(col, row));
        let mut left: BTreeSet<Cell> = safe.filter(|cell| !self.mines.contains(cell)).collect();
        let zeros: Vec<Cell> = (left.iter().copied())
            .filter(|&cell| self.number(cell) == 0)
            .collect();
        let mut parts = Vec::new();
        for zero in zeros {
            let (mut next, mut part) = (vec![zero], Vec::new());
            while let Some(cell) = next.pop() {
                if left.remove(&cell) {
                    part.push(cell);
                    if self.number(cell) == 0 {
                        next.extend(self.around(cell));
                    }
                }
            }
            parts.extend(Some(part).filter(|part| !part.is_empty()));
        }
        parts.extend(left.into_iter().map(|cell| vec![cell]));
        parts
    }

    /// The fewest left clicks that solve the board.
    pub fn bbbv(&self) -> usize {
        self.parts().len()
    }

    /// How many of them were made before a step.
    pub fn solved(&self, step: usize) -> usize {
        let before = self.board.iter().filter(|(at, _)| *at < step);
        let open = before.filter(|(_, event)| is_number(event.face));
        let open: BTreeSet<Cell> = open.map(|(_, event)| event.cell).collect();
        let parts = self.parts().into_iter();
        parts.filter(|part| open.contains(&part[0])).count()
    }

    /// How many cells were open before a step.
    pub fn opened(&self, step: usize) -> usize {
        let before = self.board.iter().filter(|(at, _)| *at < step);
        before.filter(|(_, event)| is_number(event.face)).count()
    }
}

const fn is_number(face: Face) -> bool {
    matches!(face, Face::Number(_))
}

/// Games that are won, lost and given up, of three players.
pub fn games(folder: &Path) -> Vec<Played> {
    let names = [
        "beginner-win",
        "intermediate-win",
        "v1-expert-win",
        "no-flags",
        "clumsy",
        "loss",
        "loss-by-chord",
        "aborted",
    ];
    let scenarios = scenarios().into_iter();
    let scenarios = scenarios.filter(|scenario| names.contains(&scenario.name));
    let of_one = |scenario: gametape_samples::mines::Scenario| {
        (0..3).map(move |seed| {
            let mut game = record(&scenario, seed).unwrap();
            let player = ["Ann", "Bo", "Cy"][(seed as usize + scenario.name.len()) % 3];
            game.player = PlayerFields::new([player, "", "", ""]).unwrap();
            let file = format!("{}-{seed}.rmv", scenario.name);
            fs::write(folder.join(&file), rmv::write(&game).unwrap()).unwrap();
            Played::of(&file, player, &game)
        })
    };
    let games: Vec<Played> = scenarios.flat_map(of_one).collect();
    assert_eq!(games.len(), 3 * names.len());
    games
}

/// Questions about whole games.
fn of_results(games: &[Played]) -> Vec<Question> {
    let mut best = BTreeMap::<_, [f64; 2]>::new();
    let mut rates = BTreeMap::<_, [f64; 3]>::new();
    let mut chords = BTreeMap::<_, [f64; 4]>::new();
    let mut flags = BTreeMap::<_, [f64; 2]>::new();
    let mut boards = BTreeMap::<_, [f64; 2]>::new();
    for game in games {
        if game.won {
            let [least, wins] = (best.entry(format!("{} {}", game.player, game.level)))
                .or_insert([f64::INFINITY, 0.0]);
            *least = least.min(game.time_ms / 1000.0);
            *wins += 1.0;
            let [sum, most] = boards.entry(game.level).or_default();
            let rate = game.bbbv() as f64 / (game.time_ms / 1000.0);
            *sum += game.bbbv() as f64;
            *most = most.max(rate);
        }
        let [all, won, rate] = rates.entry(game.level).or_default();
        *all += 1.0;
        *won += f64::from(u8::from(game.won));
        *rate = *won / *all;
        let Clicks {
            left,
            right,
            double,
            effective,
        } = game.clicks;
        let clicks = chords.entry(game.player).or_default();
        for (sum, count) in clicks.iter_mut().zip([left, right, double, effective]) {
            *sum += f64::from(count);
        }
        let [set, wrong] = flags.entry(game.player).or_default();
        for (_, event) in game.board.iter().filter(|(_, e)| e.face == Face::Flag) {
            *set += 1.0;
            *wrong += f64::from(u8::from(!game.mines.contains(&event.cell)));
        }
    }
    vec![
        (
            "SELECT player_name || ' ' || level, min(total_time_ms) / 1000, count(*) FROM games WHERE outcome = 'win' GROUP BY 1",
            by(best),
        ),
        (
            "SELECT level, count(*), count(*) FILTER (WHERE outcome = 'win'), avg(CASE WHEN outcome = 'win' THEN 1 ELSE 0 END) FROM games GROUP BY 1",
            by(rates),
        ),
        (
            "SELECT player_name, sum(left_clicks), sum(right_clicks), sum(double_clicks), sum(effective_clicks) FROM games GROUP BY 1",
            by(chords),
        ),
        (
            "SELECT player_name, sum(flags), sum(misflags) FROM games GROUP BY 1",
            by(flags),
        ),
        (
            "SELECT level, sum(bbbv), max(bbbv / (total_time_ms / 1000)) FROM games WHERE outcome = 'win' GROUP BY 1",
            by(boards),
        ),
    ]
}

/// Questions about what happens in games.
fn of_courses(games: &[Played]) -> Vec<Question> {
    let mut rose = 0;
    let mut gaps = BTreeMap::<_, Vec<u32>>::new();
    let (mut paths, mut first, mut at_flags) = (Vec::new(), Vec::new(), Vec::new());
    let mut numbers = BTreeMap::<_, [f64; 1]>::new();
    for game in games {
        let end = usize::MAX;
        let second = game.mouse.get(1).map_or(end, |(step, _)| *step);
        rose += game.opened(end) - game.opened(second);
        first.push(row![game.file, game.opened(second)]);
        let events = || game.mouse.iter().map(|(_, event)| event);
        let presses = events().filter(|event| event.action == MouseAction::LeftDown);
        let times: Vec<u32> = presses.map(|event| event.time_ms).collect();
        let between = times.array_windows().map(|[a, b]| b - a);
        gaps.entry(game.player).or_default().extend(between);
        let steps = events().zip(events().skip(1));
        let path: f64 = steps
            .map(|(a, b)| f64::from(b.x - a.x).hypot(f64::from(b.y - a.y)))
            .sum();
        paths.push(row![game.file, path, path]);
        for (_, event) in game.board.iter().filter(|(_, e)| is_number(e.face)) {
            let face = format!("open_{}", game.number(event.cell));
            numbers.entry(face).or_default()[0] += 1.0;
        }
        let flags = game.mouse.iter();
        let flags = flags.filter(|(_, event)| event.action == MouseAction::RightDown);
        at_flags.extend(flags.map(|&(step, _)| row![game.file, step, game.opened(step)]));
    }
    let medians = gaps.into_iter().map(|(player, mut gaps)| {
        gaps.sort_unstable();
        let middle = |at: usize| f64::from(gaps[at / 2]);
        let median = f64::midpoint(middle(gaps.len() - 1), middle(gaps.len()));
        row![player, median]
    });
    vec![
        (
            "SELECT sum(d) FROM (SELECT opened - lag(opened) OVER (PARTITION BY c.recording ORDER BY step) AS d FROM counters c JOIN games g ON g.recording = c.recording)",
            vec![row![rose]],
        ),
        (
            "SELECT file(b.recording), count(*) FILTER (WHERE face LIKE 'open_%') FROM board_events b LEFT JOIN (SELECT recording, min(step) AS second FROM mouse_events WHERE step > 0 GROUP BY 1) m ON m.recording = b.recording WHERE second IS NULL OR step < second GROUP BY 1",
            first,
        ),
        (
            "SELECT player_name, median(gap) FROM (SELECT recording, time_ms - lag(time_ms) OVER (PARTITION BY recording ORDER BY step) AS gap FROM mouse_events WHERE action = 'lmb_down') m JOIN games g ON g.recording = m.recording GROUP BY 1",
            medians.collect(),
        ),
        (
            "SELECT file(m.recording), coalesce(sum(px), 0), max(path_px) FROM (SELECT recording, sqrt(power(x - lag(x) OVER w, 2) + power(y - lag(y) OVER w, 2)) AS px FROM mouse_events WINDOW w AS (PARTITION BY recording ORDER BY step)) m JOIN games g ON g.recording = m.recording GROUP BY 1",
            paths,
        ),
        (
            "SELECT face, count(*) FROM board_events WHERE face LIKE 'open_%' AND face <> 'open_blast' GROUP BY 1",
            by(numbers),
        ),
        (
            "SELECT file(m.recording), m.step, c.opened FROM mouse_events m JOIN state_at('counters', 'mouse_events') c ON c.recording = m.recording AND c.step = m.step WHERE action = 'rmb_down'",
            at_flags,
        ),
    ]
}

/// Two matches: in one, players leave, return under another name, change sides and swap their numbers.
pub fn matches(folder: &Path) -> Vec<(&'static str, Vec<Frame>)> {
    let options = MatchOptions {
        seed: 5,
        frames: Some(2000),
        spectators: 1,
        ..MatchOptions::default()
    };
    let matches = vec![
        ("first.echoreplay", restless()),
        ("second.echoreplay", Match::new(options).collect()),
    ];
    for (name, frames) in &matches {
        let mut text = echoreplay::Writer::new(Vec::new());
        for frame in frames {
            text.push(frame).unwrap();
        }
        fs::write(folder.join(name), text.finish().unwrap()).unwrap();
    }
    matches
}

pub fn distance(a: [f32; 3], b: [f32; 3]) -> f64 {
    let square = |(a, b): (f32, f32)| (f64::from(a) - f64::from(b)).powi(2);
    a.into_iter().zip(b).map(square).sum::<f64>().sqrt()
}

fn of_matches(matches: &[(&'static str, Vec<Frame>)]) -> Vec<Question> {
    let mut people = BTreeMap::<_, [f64; 2]>::new();
    let mut pings = BTreeMap::<_, [f64; 2]>::new();
    let mut names = BTreeMap::<_, BTreeSet<String>>::new();
    let mut leads = BTreeMap::<_, [f64; 2]>::new();
    let mut goals = BTreeMap::<_, [f64; 2]>::new();
    let mut near = Vec::new();
    for (file, frames) in matches {
        let mut last = BTreeMap::new();
        let mut numbers = BTreeMap::new();
        for (step, frame) in frames.iter().enumerate() {
            for (_, player) in frame.session.players() {
                let arrived = numbers.len();
                let person = *numbers.entry(player.userid).or_insert(arrived);
                let [path, stuns] = people.entry(format!("{file} {person}")).or_default();
                let now = (player.head.position, player.stunned);
                let before = last.insert(player.userid, now).unwrap_or((now.0, false));
                *path += distance(now.0, before.0);
                *stuns += f64::from(u8::from(now.1 && !before.1));
                let [sum, rows] = pings.entry(player.userid).or_default();
                (*sum, *rows) = (*sum + f64::from(player.ping), *rows + 1.0);
                let known = names.entry(player.userid).or_default();
                known.insert(player.name.to_string());
            }
            let points = |frame: &Frame| [frame.session.blue_points, frame.session.orange_points];
            let [blue, orange] = points(frame);
            let Some(next) = frames.get(step + 1) else {
                continue;
            };
            let lead = leads.entry(*file).or_default();
            let ms = (next.time.0 - frame.time.0) as f64;
            lead[0] += if blue > orange { ms } else { 0.0 };
            lead[1] += if orange > blue { ms } else { 0.0 };
            let scored = points(next).into_iter().zip([blue, orange]);
            for ((now, before), team) in scored.zip(["blue", "orange"]).filter(|((a, b), _)| a > b)
            {
                let [count, sum] = goals.entry(format!("{file} {team}")).or_default();
                (*count, *sum) = (*count + 1.0, *sum + f64::from(now - before));
                near.push(row![file, step + 1, nearest_opponents(next)]);
            }
        }
    }
    assert!(near.len() > 1 && names.values().any(|names| names.len() > 1));
    let means = pings.into_iter();
    let means = means.map(|(account, [sum, rows])| row![account, sum / rows, rows]);
    let renamed = names.into_iter().filter(|(_, names)| names.len() > 1);
    let renamed = renamed.map(|(account, names)| row![account, names.len()]);
    vec![
        (
            "SELECT file(recording) || ' ' || person, coalesce(sum(m), 0), count(*) FILTER (WHERE stunned AND NOT before) FROM (SELECT recording, person, stunned, coalesce(lag(stunned) OVER w, false) AS before, distance(head_x, head_y, head_z, lag(head_x) OVER w, lag(head_y) OVER w, lag(head_z) OVER w) AS m FROM echo.players WHERE NOT ended WINDOW w AS (PARTITION BY recording, person ORDER BY step)) GROUP BY 1",
            by(people),
        ),
        (
            "SELECT user_id, avg(ping), count(*) FROM echo.players WHERE NOT ended GROUP BY 1",
            means.collect(),
        ),
        (
            "SELECT user_id, count(DISTINCT name) FROM echo.players WHERE NOT ended GROUP BY 1 HAVING count(DISTINCT name) > 1",
            renamed.collect(),
        ),
        (
            "SELECT file(recording), coalesce(sum(ms) FILTER (WHERE blue_points > orange_points), 0), coalesce(sum(ms) FILTER (WHERE orange_points > blue_points), 0) FROM (SELECT recording, blue_points, orange_points, lead(time_ms) OVER (PARTITION BY recording ORDER BY step) - time_ms AS ms FROM echo.game) GROUP BY 1",
            by(leads),
        ),
        (
            "SELECT file(recording) || ' ' || team, count(*), sum(points) FROM echo.goals GROUP BY 1",
            by(goals),
        ),
        (
            "SELECT file(a.recording), a.step, min(distance(a.head_x, a.head_y, a.head_z, b.head_x, b.head_y, b.head_z)) FROM state_at('echo.players', 'echo.goals') a JOIN state_at('echo.players', 'echo.goals') b ON a.recording = b.recording AND a.step = b.step WHERE a.team = 'blue' AND b.team = 'orange' GROUP BY 1, 2",
            near,
        ),
    ]
}

/// How near the nearest two opponents of a frame are.
fn nearest_opponents(frame: &Frame) -> f64 {
    let [blue, orange, ..] = &frame.session.teams[..] else {
        panic!("a match has teams");
    };
    let all = blue.players.iter().flat_map(|a| {
        let to = |b: &gametape::echo::Player| distance(a.head.position, b.head.position);
        orange.players.iter().map(to)
    });
    all.fold(f64::INFINITY, f64::min)
}

/// Two runs of a simulation that begin to differ.
fn of_a_world(folder: &Path) -> Vec<Question> {
    let (_, heat) = gametape_samples::murk::ALL[0];
    let world = World::from_toml(heat).unwrap();
    let mut rows = BTreeMap::<_, [f64; 2]>::new();
    for seed in [1, 2] {
        let file = format!("heat-{seed}.murk");
        let run = gametape_samples::murk::record(&world, world.build().unwrap(), seed, 20).unwrap();
        fs::write(folder.join(&file), run).unwrap();
        let mut play = Recording::open(folder.join(&file))
            .unwrap()
            .playback()
            .unwrap();
        play.seek(At::Tick(12)).unwrap();
        let scan = Scan::table("heat").columns(["row", "value"]);
        let cells = play.state(&scan).unwrap();
        for cell in 0..cells.len() {
            let [row, value] = [0, 1].map(|column| cells.get(cell, column).to_string());
            let [sum, cells] = rows.entry(format!("{file} {row}")).or_default();
            (*sum, *cells) = (*sum + value.parse::<f64>().unwrap(), *cells + 1.0);
        }
    }
    assert_eq!(rows.len(), 32);
    vec![(
        "SELECT file(recording) || ' ' || row, sum(value), count(*) FROM state_at('murk.heat', 'tick:12') GROUP BY 1",
        by(rows),
    )]
}

/// A capture of ships, whose states are those of the arena that sent them.
fn of_ships(folder: &Path) -> Vec<Question> {
    let schema = Arena::schema();
    let mut arena = Arena::new(20, 9);
    let mut capture =
        capture::Writer::new(Vec::new(), &schema, capture::Options::default()).unwrap();
    let mut encoder = Encoder::new(&schema);
    let (mut held, mut packet) = (None::<Snapshot>, Vec::new());
    let (mut speeds, mut sizes) = ([0.0; 2], BTreeMap::<_, [f64; 2]>::new());
    let mut fallen = BTreeSet::new();
    for tick in 1..=600 {
        arena.step();
        let mut state = Snapshot::new(&schema, tick);
        arena.state(&mut state).unwrap();
        let kind = if let Some(held) = &held {
            encoder.delta(held, &state, &mut packet).unwrap();
            "delta"
        } else {
            encoder.full(&state, &mut packet).unwrap();
            "full"
        };
        capture.push(&packet).unwrap();
        let [packets, bytes] = sizes.entry(kind).or_default();
        (*packets, *bytes) = (*packets + 1.0, *bytes + packet.len() as f64);
        let before = held.iter().flat_map(Snapshot::ids);
        fallen.extend(before.filter(|id| !state.ids().contains(id)).copied());
        for ship in state.iter() {
            let square = |field| match ship.value(1, field) {
                Some(Value::FixedPoint(hundredths)) => (hundredths as f64 / 100.0).powi(2),
                value => panic!("{value:?} is no velocity"),
            };
            speeds[0] += [4, 5, 6].map(square).iter().sum::<f64>().sqrt();
            speeds[1] += 1.0;
        }
        held = Some(state);
    }
    fs::write(folder.join("arena.mcap"), capture.finish().unwrap()).unwrap();
    assert!(fallen.len() > 3);
    vec![
        (
            "SELECT kind, count(*), sum(bytes) FROM packets GROUP BY 1",
            by(sizes),
        ),
        (
            "SELECT sum(magnitude(vx, vy, vz)), count(*), (SELECT count(*) FROM ship WHERE ended) AS fallen FROM state_at('ship', 'packets')",
            vec![row![speeds[0], speeds[1], fallen.len()]],
        ),
    ]
}
