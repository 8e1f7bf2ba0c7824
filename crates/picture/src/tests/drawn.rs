//! Tests of the drawing and its description.

use gametape::{At, ColumnDef, Kind, Lane, TableDef, Time, Value};

use super::made::Made;
use super::{args, board, dark, over, picture, pixels, stretch, written};
use crate::subject::{Options, Show};

/// A board of three by three squares, 16 pixels wide, with a cursor.
fn game() -> Made {
    let mut made = board(3, 3, |col, row| match (col, row) {
        (0, 0) => "open_1".to_owned(),
        (1, 1) => "flag".to_owned(),
        _ => "closed".to_owned(),
    });
    let open = [
        Value::Uint(2),
        Value::Uint(0),
        Value::Text("open_2"),
        Value::Text("open_3"),
    ];
    made = made.row(8, &open);
    let cursor = TableDef::new("cursor", Lane::State, "")
        .with(ColumnDef::new("x", Kind::Int, "").unit("px"))
        .with(ColumnDef::new("y", Kind::Int, "").unit("px"))
        .with(ColumnDef::new("col", Kind::Uint, ""))
        .with(ColumnDef::new("row", Kind::Uint, ""));
    made = made.table(cursor);
    for (step, x, y) in [
        (0, 15, 0),
        (2, 31, 8),
        (3, 47, 17),
        (6, 32, 47),
        (10, 60, 2),
    ] {
        let square = |at: i64| {
            if at < 48 {
                Value::Uint((at / 16) as u64)
            } else {
                Value::Null
            }
        };
        let values = [Value::Int(x), Value::Int(y), square(x), square(y)];
        made = made.row(step, &values);
    }
    made
}

#[test]
fn a_board_is_drawn_as_its_players_know_it() {
    let drawn = picture(
        &game(),
        &Options {
            at: Some(At::Step(6).into()),
            ..args()
        },
    )
    .unwrap();
    assert_eq!(
        drawn.words,
        "board at 0.600 s, step 6: 3 x 3 cells; 7 closed, 1 flag, 1 open_1. The columns recorded and rules agree in every cell. The cursor is at col 2, row 2."
    );
    let written = written(&drawn);
    assert!(written.contains(&"made.up".to_owned()), "{written:?}");
    assert!(written.contains(&"made v1 · board · 0.600 s, step 6".to_owned()));
    assert!(written.contains(&"closed: 7".to_owned()));
    // By default it is the last moment, at which the two columns differ.
    let last = picture(&game(), &args()).unwrap();
    assert_eq!(
        last.words,
        "board at 1.000 s, step 10: 3 x 3 cells; 6 closed, 1 flag, 1 open_1, 1 open_2. The columns recorded and rules differ in 1 cell, the first at col 2, row 0."
    );
    assert!(super::written(&last).contains(&"recorded and rules differ: 1".to_owned()));
}

#[test]
fn the_cursor_is_followed_by_the_time_and_by_the_pixel() {
    let drawn = over(&game()).unwrap();
    assert_eq!(drawn.show, Some("time"));
    assert_eq!(
        drawn.words,
        "Where the cursor was from 0.000 s, step 0 to 1.000 s, step 10: over 4 of 3 x 3 cells of board, longest over col 2, row 2, 0.400 s."
    );
    // The cursor went from the first square's right edge to the middle of the second one's, and so on; squares
    // are 56 wide, and the board is in the middle.
    let way = drawn
        .picture
        .svg
        .lines()
        .find(|line| line.contains("stroke-linejoin") && line.contains("stroke-opacity"));
    let way = way.unwrap().split('"').rev().nth(1).unwrap();
    let points: Vec<Vec<f64>> = way[1..]
        .split('L')
        .map(|point| point.split(' ').map(|at| at.parse().unwrap()).collect())
        .collect();
    let moved = points[1][0] - points[0][0];
    assert!((moved - 16.0 / 16.0 * 56.0).abs() < 0.1, "{way}");
    assert!((points[1][1] - points[0][1] - 28.0).abs() < 0.1, "{way}");
}

#[test]
fn cells_that_change_are_counted_within_the_stretch() {
    let mut made = Made::default().grid("plate", &[("i", 4)], &[("heat", Kind::Float32)]);
    for (step, i, heat) in [
        (0, 0, 1.0),
        (0, 1, 1.0),
        (0, 2, f32::NAN),
        (1, 0, 2.0),
        (1, 2, f32::NAN),
        (2, 0, 3.0),
        (2, 1, 1.0),
        (3, 0, 4.0),
        (3, 1, 5.0),
    ] {
        made = made.row(step, &[Value::Uint(i), Value::Float32(heat)]);
    }
    let drawn = over(&made).unwrap();
    assert_eq!(
        drawn.words,
        "How often heat of plate changed from 0.000 s, step 0 to 0.300 s, step 3: 2 of 4 cells did, 4 times in all; most often that at i 0, 3 times."
    );
    let some = Options {
        over: Some(stretch("step:1", "0.2")),
        ..args()
    };
    let drawn = picture(&made, &some).unwrap();
    assert_eq!(
        drawn.words,
        "How often heat of plate changed from 0.100 s, step 1 to 0.200 s, step 2: 1 of 4 cells did, 1 times in all; most often that at i 0, 1 times."
    );
    let none = Options {
        over: Some(stretch("step:2", "step:2")),
        ..args()
    };
    let drawn = picture(&made, &none).unwrap();
    assert_eq!(
        drawn.words,
        "How often heat of plate changed from 0.200 s, step 2 to 0.200 s, step 2: none of 4 cells did."
    );
    assert!(written(&drawn).contains(&"no cell changed".to_owned()));
}

fn match_of(things: u64) -> Made {
    let mut made = Made::default().things("players");
    for step in 0..20 {
        for number in 0..things {
            let name = format!("P{number}");
            let team = if number % 2 == 0 { "blue" } else { "orange" };
            let values = [
                Value::Uint(number),
                Value::Text(&name),
                Value::Text(team),
                Value::Float64(number as f64 * 3.0 + step as f64 * 0.5),
                Value::Float64(step as f64),
            ];
            made = made.row(step, &values);
        }
    }
    made
}

#[test]
fn things_are_where_they_are_and_have_names_and_ways() {
    let drawn = picture(&match_of(4), &args()).unwrap();
    assert_eq!(
        drawn.words,
        "Positions at 1.900 s, step 19: players: 4 (2 of blue: P0, P2; 2 of orange: P1, P3). x goes right, from -0.9 to 19.4 m, y up, from -1.0 to 20.0 m."
    );
    let texts = written(&drawn);
    for name in [
        "P0",
        "P1",
        "P2",
        "P3",
        "blue: 2",
        "orange: 2",
        "x (m) →",
        "y (m) ↑",
    ] {
        assert!(texts.iter().any(|text| text == name), "{name} in {texts:?}");
    }
    // The path of the last second: ten steps, each half a metre to the right.
    let ways = |svg: &str| {
        svg.lines()
            .filter(|line| line.contains("stroke-linejoin") && line.starts_with("<path"))
            .map(|line| line.matches('L').count())
            .collect::<Vec<usize>>()
    };
    assert_eq!(ways(&drawn.picture.svg), [10; 4]);
    let all = over(&match_of(4)).unwrap();
    assert_eq!(all.show, Some("ways"));
    assert_eq!(ways(&all.picture.svg), [19; 4]);
    // Many paths would hide one another.
    let many = over(&match_of(30)).unwrap();
    assert_eq!(many.show, Some("time"));
    assert!(ways(&many.picture.svg).is_empty());
    assert!(many.words.contains("longest around x "), "{}", many.words);
}

#[test]
fn an_entity_that_left_has_no_path_and_no_time() {
    let made = Made::default().things("players");
    let at = |number, x: f64| {
        [
            Value::Uint(number),
            Value::Text("Ash"),
            Value::Null,
            Value::Float64(x),
            Value::Float64(0.0),
        ]
    };
    let made = made
        .row(0, &at(1, 0.0))
        .row(0, &at(2, 100.0))
        .row(5, &at(1, 50.0))
        .end(7, Value::Uint(2))
        .row(10, &at(1, 50.0));
    let time = Options {
        over: Some(stretch("", "")),
        show: Some(Show::Time),
        ..args()
    };
    let drawn = picture(&made, &time).unwrap();
    // 0.7 s at 100, 0.5 s at 0, 0.5 s at 50.
    assert!(
        drawn.words.contains("longest around x 99")
            && drawn.words.contains("0.70 s; in the end players: 1 (Ash)"),
        "{}",
        drawn.words
    );
}

#[test]
fn a_view_that_cannot_be_shown_is_reported() {
    let of = |made: &Made, args: &Options| picture(made, args).err().unwrap();
    let game = game();
    let with = |change: fn(&mut Options)| {
        let mut args = args();
        change(&mut args);
        args
    };
    for (args, sentence) in [
        (
            with(|args| args.view = Some("markers".into())),
            "made.up: markers has neither cells nor positions to draw; board, map, cursor have",
        ),
        (
            with(|args| args.view = Some("bord".into())),
            "made.up: there is no view \"bord\"; there are board, map, cursor",
        ),
        (
            with(|args| args.column = Some("x".into())),
            "made.up: cells of board have no \"x\"; they have recorded, rules",
        ),
        (
            with(|args| args.at = Some(At::Time(Time::from_ms(60_000)).into())),
            "made.up: 1:00.000 is not recorded: the recording ends at 1.000 s",
        ),
        (
            with(|args| args.at = Some(At::Tick(1).into())),
            "made.up: tick 1: the recording has no ticks; name a time, or a step",
        ),
        (
            with(|args| args.over = Some(stretch("0.5", "0.2"))),
            "made.up: the range ends at 0.200 s, before it starts at 0.500 s",
        ),
        (
            with(|args| args.over = Some(stretch("0.5", "step:2"))),
            "made.up: the range ends at step 2, before it starts at 0.500 s",
        ),
    ] {
        assert_eq!(of(&game, &args), sentence);
    }
    let args = with(|args| {
        args.view = Some("map".into());
        args.over = Some(stretch("", ""));
        args.show = Some(Show::Changes);
    });
    assert_eq!(
        of(&game, &args),
        "made.up: a map has no cells that change; what there is to show is ways and time"
    );
    let rows = Made::default().table(TableDef::new("events", Lane::Events, ""));
    assert!(
        of(&rows, &super::args()).starts_with("made.up: there is nothing to draw: it has events, ")
    );
    assert!(of(&Made::default(), &super::args()).contains("it has no tables but facts"));
}

/// The command carries its own fonts.
#[test]
fn a_png_has_its_size_and_letters() {
    let wide = Options {
        width: 1600,
        ..args()
    };
    let drawn = picture(&game(), &wide).unwrap();
    let pixels = pixels(&drawn.picture);
    assert_eq!(pixels.width(), 1600);
    // The title, and nothing above it.
    assert!(dark(&pixels, [48, 36, 300, 80]) > 500);
    assert_eq!(dark(&pixels, [48, 4, 1500, 30]), 0);
    // The 1 of the first square is blue.
    let blue = pixels
        .pixels()
        .iter()
        .filter(|pixel| pixel.blue() > 200 && pixel.red() < 60 && pixel.green() < 60)
        .count();
    assert!(blue > 200, "{blue}");
    // Characters that the command's fonts lack are not an error.
    let foreign = board(2, 2, |_, _| "雷 \u{10ffff}".to_owned());
    super::pixels(&picture(&foreign, &args()).unwrap().picture);
}
