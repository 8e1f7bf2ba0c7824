//! `gametape picture`: the files it makes, what it says, how it ends.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use gametape::murk::engine::World;
use gametape_samples::mines::{self, Tampering};
use gametape_samples::murk;
use snapbox::cmd::cargo_bin;

use crate::common::{fine, json};

/// A game that somebody tampered with, one that breaks off, and a world.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bytes = mines::example();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    put("game.rmv", &bytes);
    put("tampered.rmv", &Tampering::BoardEvent.of(&bytes).unwrap());
    put("cut.rmv", &bytes[..bytes.len() - 300]);
    let world = World::from_toml(murk::HEAT).unwrap();
    let run = murk::record(&world, world.build().unwrap(), 1, 40).unwrap();
    put("plate.murk", &run);
    folder
}

/// The picture equals the golden one; `SNAPSHOTS=overwrite` rewrites it.
fn same(drawn: &Path, golden: &str) {
    let golden = snapbox::Data::read_from(
        &Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/pictures")
            .join(golden),
        Some(snapbox::data::DataFormat::Text),
    );
    snapbox::assert_data_eq!(
        snapbox::Data::read_from(drawn, Some(snapbox::data::DataFormat::Text)),
        golden.raw()
    );
}

#[test]
fn pictures_of_a_game_and_of_a_world() {
    let folder = folder();
    let path = folder.path();
    for (args, golden, words) in [
        (
            "tampered.rmv --at 1",
            "board.svg",
            "board at 0.981 s, step 156: 8 x 8 cells; 22 open_0, 18 open_1, 14 closed, 8 open_2, 2 flag. The columns recorded and rules differ in 1 cell, the first at col 2, row 3. The cursor is at col 6, row 4.",
        ),
        (
            "game.rmv --over 0.5..1.5",
            "cursor.svg",
            "Where the cursor was from",
        ),
        (
            "game.rmv --over .. --show changes",
            "changes.svg",
            "How often recorded of board changed from 0.000 s, step 0 to 2.472 s, step 273: ",
        ),
        (
            "plate.murk --view heat --at tick:20",
            "heat.svg",
            "heat at 2.000 s, tick 20, step 19: 16 x 16 cells; value from ",
        ),
    ] {
        let printed = fine(path, &format!("picture {args} {golden}"));
        assert!(printed.starts_with(words), "{printed}");
        assert_eq!(printed.lines().count(), 1);
        let svg = fs::read_to_string(path.join(golden)).unwrap();
        let xml = roxmltree::Document::parse(&svg).unwrap();
        let desc = xml
            .descendants()
            .find(|node| node.tag_name().name() == "desc");
        // The words are in the picture, for who can't see it.
        assert_eq!(desc.unwrap().text(), Some(printed.trim_end()));
        same(&path.join(golden), golden);
    }
}

#[test]
fn a_png_is_as_wide_as_it_is_wanted_and_the_last_moment_is_drawn() {
    let folder = folder();
    let path = folder.path();
    let words = fine(path, "picture game.rmv out.png --width 400");
    assert!(words.starts_with("board at 2.472 s, step 273: "), "{words}");
    let bytes = fs::read(path.join("out.png")).unwrap();
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let wide = u32::from_be_bytes(bytes[16..20].try_into().unwrap());
    assert_eq!(wide, 400);
    // The same picture, whenever it is drawn.
    fine(path, "picture game.rmv again.png --width 400");
    assert_eq!(fs::read(path.join("again.png")).unwrap(), bytes);
    let told = json(&fine(
        path,
        "--json picture game.rmv out.PNG --over step:10..1.5",
    ));
    assert_eq!(told["path"], "game.rmv");
    assert_eq!(told["out"], "out.PNG");
    assert_eq!(told["view"], "board");
    assert_eq!(told["show"], "time");
    assert_eq!(told["from"]["step"], 10);
    assert!(told["to"]["time_ms"].as_f64().unwrap() <= 1500.0);
    assert!(told["at"].is_null());
    assert_eq!(told["width"], 800);
    let size = fs::metadata(path.join("out.PNG")).unwrap().len();
    assert_eq!(told["bytes"], size);
    let told = json(&fine(path, "--json picture game.rmv out.svg"));
    assert_eq!(told["at"]["step"], 273);
    assert!(told["from"].is_null());
}

#[test]
fn standard_output_is_svg_alone() {
    let folder = folder();
    let path = folder.path();
    let svg = fine(path, "picture game.rmv -");
    roxmltree::Document::parse(&svg).unwrap();
    let drawn = fine(path, "picture --replace game.rmv out.svg");
    assert_eq!(svg, fs::read_to_string(path.join("out.svg")).unwrap());
    assert!(drawn.starts_with("board at "));
    // A reader that closes the pipe early is not an error.
    let mut run = std::process::Command::new(cargo_bin("gametape"))
        .args(["picture", "game.rmv", "-"])
        .current_dir(path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut head = [0; 4];
    run.stdout.take().unwrap().read_exact(&mut head).unwrap();
    assert_eq!(&head, b"<svg");
    let run = run.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stderr), "");
}
