//! Random matches, spoiled in the ways of real machines; thousands more are tried by `cargo xtask fuzz`.

use std::io::{Cursor, Write as _};

use gametape_echo::echoreplay::{ZipWriter, open};
use gametape_testkit::echo::spoiled_match_keeps_its_frames;

use crate::common::{frames_of, match_options};

#[test]
fn spoiled_matches_keep_their_frames() {
    (0..300).for_each(spoiled_match_keeps_its_frames);
}

#[test]
fn a_zip_in_a_zip_in_a_zip_is_read() {
    let frames = frames_of(match_options(1, 3));
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()), "a.echoreplay", 6).unwrap();
    for frame in &frames {
        zip.push(frame).unwrap();
    }
    let mut packed = zip.finish().unwrap().into_inner();
    for _ in 0..2 {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file("a.zip", zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(&packed).unwrap();
        packed = zip.finish().unwrap().into_inner();
        let mut reader = open(Cursor::new(&packed)).unwrap();
        let mut count = 0;
        while reader.next_frame().unwrap().is_some() {
            count += 1;
        }
        assert_eq!(count, 3);
        assert!(reader.findings().has("echoreplay.zip-nested"));
    }
}
