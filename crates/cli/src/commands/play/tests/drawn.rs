//! Tests of the screen with invented tables.

use gametape::{Kind, Lane, TableDef, Value};
use snapbox::{assert_data_eq, str};

use super::made::{answer, batch, player, stamp, table};
use super::screen;
use crate::commands::play::draw::paint::Paint;
use crate::commands::play::messages::Response;
use crate::commands::play::player::Player;
use crate::commands::play::player::actions::Action;

/// A player whose only table has these rows.
fn of(table: &TableDef, rows: &[Vec<Value<'_>>]) -> Player {
    let mut player = player(vec![table.clone()], true);
    show(&mut player, table, 0, rows);
    player
}

fn show(player: &mut Player, table: &TableDef, step: u64, rows: &[Vec<Value<'_>>]) {
    player.go(gametape::At::Step(step));
    let request = player.request().unwrap();
    let rows: Vec<&[Value<'_>]> = rows.iter().map(Vec::as_slice).collect();
    let state = batch(table, stamp(step, true), &rows);
    player.show(answer(request, stamp(step, true), vec![state]));
}

fn players() -> TableDef {
    let mut table = table(
        "players",
        Lane::State,
        &[
            ("*player", Kind::Int),
            ("name", Kind::Text),
            ("ping", Kind::Int),
            ("speed", Kind::Float32),
        ],
    );
    table.columns[2].unit = "ms".into();
    table.columns[3].unit = "m/s".into();
    table
}

#[test]
fn rows_with_units_and_what_changed_stands_out() {
    let table = players();
    let row = |id, name, ping| {
        let name = Value::Text(name);
        vec![Value::Int(id), name, ping, Value::Float32(2.5)]
    };
    let mut player = of(
        &table,
        &[
            row(1, "Yew", Value::Int(40)),
            row(2, "Fi\x1br", Value::Null),
        ],
    );
    assert_data_eq!(
        screen(&player, Paint::None, 60, 10).0,
        str![[r#"
games/made.up  made v1                || 1x  0.000 s  step 0
 1 players  2 markers
player  name  ping ms  speed m/s
     1  Yew        40      2.500
     2  Fi�r        -      2.500


0.000 s ┃────────────────────────────────────────── 10.000 s
looking for markers …
space play , . step h l 5 s - + speed n p marker g go to tab

"#]]
    );
    show(
        &mut player,
        &table,
        1,
        &[row(1, "Yew", Value::Int(41)), row(2, "Fir", Value::Null)],
    );
    let bold = bold(&player);
    assert_eq!(bold, ["1", "41", "2", "Fir"], "keys, and what changed");
}

/// The bold words of the view, without its heads.
fn bold(player: &Player) -> Vec<String> {
    use ratatui::style::Modifier;
    let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(60, 10)).unwrap();
    let draw = |frame: &mut ratatui::Frame<'_>| {
        crate::commands::play::draw::draw(frame, Paint::None, player);
    };
    terminal.draw(draw).unwrap();
    let buffer = terminal.backend().buffer();
    let mut words = String::new();
    for y in 3..7 {
        for x in 0..60 {
            let cell = &buffer[(x, y)];
            let bold = cell.modifier.contains(Modifier::BOLD);
            words.push_str(if bold { cell.symbol() } else { " " });
        }
    }
    words.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn a_single_row_stands_on_its_side_and_scrolls() {
    let columns: Vec<String> = (0..20).map(|at| format!("fact_{at}")).collect();
    let mut table = TableDef::new("facts", Lane::Facts, "");
    for name in columns {
        table = table.with(gametape::ColumnDef::new(name, Kind::Uint, "What it is."));
    }
    let rows = vec![(0..20).map(Value::Uint).collect()];
    let mut player = of(&table, &rows);
    player.act(Action::Move(0, 10));
    assert_data_eq!(
        screen(&player, Paint::None, 60, 9).0,
        str![[r#"
games/made.up  made v1                || 1x  0.000 s  step 0
 1 facts  2 markers
fact_10  10        What it is.
fact_11  11        What it is.
fact_12  12        What it is.
fact_13  13        What it is.
0.000 s ┃────────────────────────────────────────── 10.000 s
looking for markers …
space play , . step h l 5 s - + speed n p marker g go to tab

"#]]
    );
}

#[test]
fn wide_tables_scroll_and_keep_their_keys() {
    let table = players();
    let rows: Vec<Vec<Value<'_>>> = (0..9)
        .map(|id| {
            vec![
                Value::Int(id),
                Value::Text("somebody with a long name"),
                Value::Null,
                Value::Float32(1e9),
            ]
        })
        .collect();
    let mut player = of(&table, &rows);
    player.act(Action::Move(2, 3));
    assert_data_eq!(
        screen(&player, Paint::None, 40, 10).0,
        str![[r#"
made.up  made v1  || 1x  0.000 s  step 0
 1 players  2 markers
player  name               rows 4-7 of 9
     3  somebody with a long name     1.
     4  somebody with a long name     1.
     5  somebody with a long name     1.
     6  somebody with a long name     1.
0.000 s ┃────────────────────── 10.000 s
looking for markers …
space play , . step h l 5 s - + speed n

"#]]
    );
}

fn cells(shape: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    let [across, down, deep] = shape;
    (0..deep).flat_map(move |z| (0..down).flat_map(move |y| (0..across).map(move |x| [x, y, z])))
}

#[test]
fn a_heat_map_has_signs_a_range_and_a_probe() {
    let grid = table(
        "heat",
        Lane::Grid,
        &[
            ("*row", Kind::Int),
            ("*col", Kind::Int),
            ("value", Kind::Float32),
        ],
    );
    let rows: Vec<Vec<Value<'_>>> = cells([10, 4, 1])
        .map(|[x, y, _]| vec![Value::Int(y), Value::Int(x), Value::Float32((x + y) as f32)])
        .collect();
    let mut player = of(&grid, &rows);
    player.act(Action::Move(3, 1));
    assert_data_eq!(
        screen(&player, Paint::None, 60, 12).0,
        str![[r#"
games/made.up  made v1                || 1x  0.000 s  step 0
 1 heat  2 markers
..::----==++oooo**%%
::----[]++oooo**%%##
----==++oooo**%%####
--==++oooo**%%####@@
row 1, col 3: value 4.000
0.000 .:-=+o*%#@ 12.000

0.000 s ┃────────────────────────────────────────── 10.000 s
looking for markers …
space play , . step h l 5 s - + speed n p marker g go to tab

"#]]
    );
    // All cells have a colour, or none if there are no colours.
    assert!(screen(&player, Paint::Many, 60, 12).1 > 80);
    assert_eq!(screen(&player, Paint::None, 60, 12).1, 0);
}

#[test]
fn a_large_heat_map_is_seen_whole_or_each_cell() {
    let grid = table(
        "heat",
        Lane::Grid,
        &[
            ("*x", Kind::Int),
            ("*y", Kind::Int),
            ("value", Kind::Float32),
        ],
    );
    let rows: Vec<Vec<Value<'_>>> = cells([100, 40, 1])
        .map(|[x, y, _]| vec![Value::Int(x), Value::Int(y), Value::Float32(x as f32)])
        .collect();
    let mut player = of(&grid, &rows);
    let whole = screen(&player, Paint::None, 60, 14).0;
    assert!(whole.contains("mean of 6 x 6 (z: each)"), "{whole}");
    player.act(Action::Close);
    player.act(Action::Move(99, 39));
    let close = screen(&player, Paint::None, 60, 14).0;
    assert!(close.contains("x 99, y 39: value 99.000"), "{close}");
    assert!(!close.contains("mean"), "{close}");
}

#[test]
fn a_line_is_broken_and_a_cube_is_cut() {
    let line = table(
        "line",
        Lane::Grid,
        &[("*cell", Kind::Int), ("kind", Kind::Text)],
    );
    let rows: Vec<Vec<Value<'_>>> = (0..40)
        .map(|at| {
            let kind = if at % 7 == 0 { "wolf" } else { "grass" };
            vec![Value::Int(at), Value::Text(kind)]
        })
        .collect();
    let mut player = of(&line, &rows);
    player.act(Action::Move(1, 2));
    assert_data_eq!(
        screen(&player, Paint::None, 40, 12).0,
        str![[r#"
made.up  made v1  || 1x  0.000 s  step 0
 1 line  2 markers
W G G G G G G W G G G G G G W G G G G G
G W_G G G G G G W G G G G G G W G G G G
cell 21: kind wolf
G grass  W wolf



0.000 s ┃────────────────────── 10.000 s
looking for markers …
space play , . step h l 5 s - + speed n

"#]]
    );
    let cube = table(
        "cube",
        Lane::Grid,
        &[
            ("*x", Kind::Int),
            ("*y", Kind::Int),
            ("*z", Kind::Int),
            ("value", Kind::Int),
        ],
    );
    let rows: Vec<Vec<Value<'_>>> = cells([3, 2, 4])
        .map(|[x, y, z]| vec![Value::Int(x), Value::Int(y), Value::Int(z), Value::Int(z)])
        .collect();
    let mut player = of(&cube, &rows);
    player.act(Action::Slice(1));
    player.act(Action::Slice(9));
    player.act(Action::Slice(-1));
    assert_data_eq!(
        screen(&player, Paint::None, 60, 12).0,
        str![[r#"
games/made.up  made v1                || 1x  0.000 s  step 0
 1 cube  2 markers
[]****
******
x 0, y 0, z 2: value 2
z 2, 3 of 4 ([ ]: other)  0.000 .:-=+o*%#@ 3.000



0.000 s ┃────────────────────────────────────────── 10.000 s
looking for markers …
space play , . step h l 5 s - + speed n p marker g go to tab

"#]]
    );
}

#[test]
fn a_wide_board_goes_with_its_cursor_until_somebody_looks_elsewhere() {
    let board = table(
        "board",
        Lane::Grid,
        &[
            ("*row", Kind::Int),
            ("*col", Kind::Int),
            ("face", Kind::Text),
        ],
    );
    let cursor = table(
        "cursor",
        Lane::State,
        &[("col", Kind::Int), ("row", Kind::Int)],
    );
    let mut player = player(vec![board.clone(), cursor.clone()], true);
    let rows: Vec<Vec<Value<'_>>> = cells([90, 1, 1])
        .map(|[x, y, _]| {
            let face = if x == 70 { "mine" } else { "closed" };
            vec![Value::Int(y), Value::Int(x), Value::Text(face)]
        })
        .collect();
    let rows: Vec<&[Value<'_>]> = rows.iter().map(Vec::as_slice).collect();
    let request = player.request().unwrap();
    let at = stamp(0, true);
    let states = vec![
        batch(&board, at, &rows),
        batch(&cursor, at, &[&[Value::Int(70), Value::Int(0)]]),
    ];
    player.show(answer(request, at, states));
    let line = |player: &Player| {
        let screen = screen(player, Paint::None, 40, 12).0;
        screen.lines().nth(2).unwrap().to_owned()
    };
    assert!(line(&player).contains('*'), "{}", line(&player));
    player.act(Action::Move(1, 0));
    assert!(!line(&player).contains('*'), "{}", line(&player));
}

#[test]
fn positions_have_names_and_can_be_seen_from_another_side() {
    let ships = table(
        "ships",
        Lane::State,
        &[
            ("*ship", Kind::Uint),
            ("name", Kind::Text),
            ("x", Kind::Float32),
            ("y", Kind::Float32),
            ("z", Kind::Float32),
        ],
    );
    let ship = |id, name, [x, y, z]: [f32; 3]| {
        let [x, y, z] = [x, y, z].map(Value::Float32);
        vec![Value::Uint(id), Value::Text(name), x, y, z]
    };
    let mut player = player(vec![ships], true);
    let request = player.request().unwrap();
    assert!(request.query.trail);
    let columns = table(
        "ships",
        Lane::State,
        &[
            ("*ship", Kind::Uint),
            ("name", Kind::Text),
            ("x", Kind::Float32),
            ("y", Kind::Float32),
            ("z", Kind::Float32),
        ],
    );
    let rows = [
        ship(1, "Argo", [-10.0, 0.0, 5.0]),
        ship(2, "", [10.0, 3.0, -5.0]),
    ];
    let rows: Vec<&[Value<'_>]> = rows.iter().map(Vec::as_slice).collect();
    let state = batch(&columns, stamp(0, true), &rows);
    let trail: Vec<Vec<Value<'_>>> = (0..5)
        .map(|back| ship(1, "Argo", [-10.0 + back as f32, 0.0, 5.0]))
        .collect();
    let trail: Vec<&[Value<'_>]> = trail.iter().map(Vec::as_slice).collect();
    let trail = batch(&columns, stamp(0, true), &trail);
    player.show(Response {
        trails: vec![vec![trail]],
        ..answer(request, stamp(0, true), vec![state])
    });
    assert_data_eq!(
        screen(&player, Paint::None, 60, 16).0,
        str![[r#"
games/made.up  made v1                || 1x  0.000 s  step 0
 1 map  2 ships  3 markers
                                               ●2








           ⠐●Argo⠂ ⠂
x right, -16.5 to 16.5; z down, -5.5 to 5.5  (v: another sid
0.000 s ┃────────────────────────────────────────── 10.000 s
looking for markers …
space play , . step h l 5 s - + speed n p marker g go to tab

"#]]
    );
    player.act(Action::Plane);
    let side = screen(&player, Paint::None, 60, 16).0;
    assert!(side.contains("x right"), "{side}");
    assert!(side.contains("; y up"), "{side}");
}

#[test]
fn events_are_listed_around_now() {
    let goals = table(
        "goals",
        Lane::Events,
        &[("team", Kind::Text), ("points", Kind::Uint)],
    );
    let mut player = player(vec![goals.clone()], true);
    let mut rows = gametape::Batch::new([Kind::Text, Kind::Uint]);
    for at in 0..30 {
        let team = if at % 2 == 0 { "blue" } else { "orange" };
        rows.push(stamp(at * 3, true), [Value::Text(team), Value::Uint(at)]);
    }
    player.whole.insert("goals".to_owned(), vec![rows]);
    player.go(gametape::At::Step(40));
    let request = player.request().unwrap();
    player.show(answer(request, stamp(40, true), Vec::new()));
    assert_data_eq!(
        screen(&player, Paint::None, 50, 12).0,
        str![[r#"
games/made.up  made v1     || 1x  4.000 s  step 40
 1 goals  2 markers
when     team    points
3.000 s  blue    10
3.300 s  orange  11
3.600 s  blue    12
3.900 s  orange  13
4.200 s  blue    14
4.500 s  orange  15
0.000 s ━━━━━━━━━━━━━┃─────────────────── 10.000 s
looking for markers …
space play , . step h l 5 s - + speed n p marker g

"#]]
    );
    // Enter goes to the chosen event.
    player.act(Action::Move(0, 2));
    player.act(Action::Enter);
    assert_eq!(player.request().unwrap().to, Some(gametape::At::Step(45)));
}

#[test]
fn it_can_be_drawn_on_whatever_there_is() {
    let table = players();
    let row = vec![Value::Int(1), Value::Text("Yew"), Value::Null, Value::Null];
    let mut player = of(&table, &[row]);
    player.damage = Some("a chunk is missing ".repeat(20));
    for (width, height) in [(1, 1), (3, 2), (10, 5), (80, 24), (300, 90), (200, 3)] {
        let _ = screen(&player, Paint::Many, width, height);
    }
    player.act(Action::Help);
    let help = screen(&player, Paint::None, 80, 24).0;
    assert!(
        help.contains("to a moment: 1:23.4, 83.4, tick:137, step:600, 50%"),
        "{help}"
    );
    assert!(
        help.ends_with("q quit\n"),
        "the keys fit 80 columns: {help}"
    );
}
