//! `gametape demo`.

use snapbox::str;

use crate::common::{expect, fine};

/// It takes a while: all that is asked of it is asked here.
#[test]
fn the_demo_finds_sound_games_sound_and_tampered_ones_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let out = fine(path, "demo out");
    assert!(
        out.contains("Everything sound was found sound, everything tampered with was found out.")
    );
    let failed = out.lines().filter(|line| line.starts_with("fail "));
    assert_eq!(failed.count(), 8);
    // It says how many copies there are of the first game, and of what they are copies.
    let copies = out.split_once("Four copies of the first game: ").unwrap().1;
    let copies = copies.split("\n\n").next().unwrap();
    let copies: Vec<&str> = copies
        .lines()
        .filter(|line| line.starts_with("fail "))
        .collect();
    assert_eq!(copies.len(), 4, "{copies:?}");
    assert!(
        copies.iter().all(|line| line.contains("3BV 10, ")),
        "{copies:?}"
    );
    expect(path, "verify out", 1);
    // The arena: what it says is what there is.
    let at = out.find("An arena of").unwrap();
    let end = out.find("\nA match of Echo VR").unwrap();
    snapbox::assert_data_eq!(
        out[at..end].to_owned(),
        str![[r#"
An arena of 300 ships is replicated at 30 Hz over a network that loses 10 % of the packets, and what arrives is captured as it is seen there:
pass  out/arena.mcap  585 packets, all applied, 264 entities at tick 658
      660 packets sent ([..] bytes/s), 73 lost, 2 still on the way when the run ends; 0 times asked for a full snapshot; in the end the receiver sees what the sender sees

A copy of it in which a bit was flipped:
fail  out/arena-flipped.mcap  535 packets, 318 applied
      error capture.crc, byte 0: the checksum of the data section is 75abad72, 400c2e37 is recorded
      error capture.crc, byte 264,086: the checksum of the chunk is 925941fb, 621a9fdb is recorded
      error delta.baseline-missing, packet 270 (tick 353, 11.733333216 s, byte 314,836): it builds on tick 352, which is not recorded before it
      error delta.not-applied: 216 packets, the last of tick 601, build on packets that could not be applied

"#]]
    );
    let printed = fine(path, "verify out/arena.mcap");
    assert!(
        out.contains(printed.split_once("arena.mcap").unwrap().1.trim_end()),
        "{printed}"
    );
    let json = fine(path, "demo --json out");
    assert_eq!(
        json.lines()
            .find(|line| line.contains("arena.mcap"))
            .unwrap(),
        "{\"path\":\"out/arena.mcap\",\"format\":\"capture\",\"verdict\":\"pass\",\"facts\":{},\"findings\":[]}"
    );
}
