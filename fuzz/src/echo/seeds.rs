//! Seed recordings, made with the public API.

use std::io::Cursor;

use gametape_echo::butter::{Compression, Journal, Options, write};
use gametape_echo::echoreplay::{self, ZipWriter};
use gametape_echo::{Bones, Frame, Game, PlayerBones};
use gametape_samples::echo::{Match, MatchOptions};

/// The number of [`butters`] that read strictly.
pub const SOUND: usize = 10;

/// A short match of one against one.
fn frames(game: Game, count: u64, seed: u64) -> Vec<Frame> {
    let options = MatchOptions {
        seed,
        game,
        frames: Some(count),
        players_per_team: 1,
        private: true,
        pauses: true,
        ..MatchOptions::default()
    };
    Match::new(options).collect()
}

fn options(keyframe_interval: u16, compression: Compression) -> Options {
    Options {
        keyframe_interval,
        compression,
    }
}

fn butter(frames: &[Frame], options: Options) -> Vec<u8> {
    write(frames, options).expect("two players")
}

/// A frame with some bones.
fn boned(mut frame: Frame) -> Frame {
    let mut one = PlayerBones::default();
    one.positions[3] = [0.5, 1.25, -0.125];
    one.rotations[5] = [0.0, 0.6, 0.0, 0.8];
    frame.bones = Some(Bones {
        user_bones: vec![one],
        unknown: Vec::new(),
    });
    frame
}

/// Files as the reference of .butter writes them.
const REFERENCE: [&[u8]; 3] = [
    include_bytes!("../../../crates/echo/tests/reference/counts.butter"),
    include_bytes!("../../../crates/echo/tests/reference/gap.butter"),
    include_bytes!("../../../crates/echo/tests/reference/doubt.butter"),
];

/// Small .butter recordings of every kind: arena and combat, of ours and of the reference, packed or not, older
/// versions, unfinished. The first [`SOUND`] read strictly; the others are broken on purpose.
pub fn butters() -> Vec<Vec<u8>> {
    let plain = |interval| options(interval, Compression::None);
    let arena = frames(Game::Arena, 3, 1);
    let combat = frames(Game::Combat, 3, 2);
    let bones: Vec<Frame> = arena.iter().take(2).cloned().map(boned).collect();
    let whole = butter(&arena, plain(300));
    let packed = butter(&arena, options(2, Compression::Zstd3));

    let mut journal = Journal::new(Cursor::new(Vec::new()), Options::default());
    let mut joined = arena.clone();
    joined[0].session.teams[1].players.clear();
    for frame in &joined[..2] {
        journal.push(frame).expect("memory");
    }
    let journal = journal.get_ref().get_ref().clone();

    // Only a header, which is valid in either version.
    let version = |number: u8| {
        let mut old = butter(&arena[..1], plain(1));
        old[0] = number;
        old
    };
    let with = |at: usize, byte: u8| {
        let mut broken = whole.clone();
        broken[at] = byte;
        broken
    };
    let keyframe = whole.windows(2).position(|two| two == [0xFC, 0xFE]);
    vec![
        whole.clone(),
        REFERENCE[0].to_vec(),
        butter(&combat, plain(2)),
        REFERENCE[1].to_vec(),
        butter(&bones, plain(300)),
        packed.clone(),
        REFERENCE[2].to_vec(),
        journal.clone(),
        butter(&arena[..1], plain(1)),
        Vec::new(),
        // The following ones are broken.
        version(2),
        version(1),
        with(0, 9),
        with(3, 1),
        with(3, 7),
        with(keyframe.expect("one"), 0xFD),
        [whole.clone(), b"behind".to_vec()].concat(),
        whole[..whole.len() - 9].to_vec(),
        packed[..packed.len() - 9].to_vec(),
        journal[..journal.len() - 3].to_vec(),
    ]
}

/// A session with some of everything that the API sends, and more.
const SESSION: &str = concat!(
    r#"{"sessionid":"0A","sessionip":"203.0.113.9","client_name":"Ann","map_name":"mpl_arena_a","#,
    r#""game_clock":59.5,"possession":[0,-1],"left_shoulder_pressed":1,"new":{"a":[1,null]},"#,
    r#""disc":{"position":[1,-2.5,0.1],"velocity":[0.0,0.0,3e1],"bounce_count":2},"#,
    r#""last_score":{"person_scored":"Bo","assist_scored":"[INVALID]","goal_type":"SLAM DUNK"},"#,
    r#""teams":[{"team":"BLUE","players":[{"name":"Ann","userid":7001,"holding_left":"7002","#,
    r#""holding_right":"none","head":{"position":[1,2,3],"new":0}}]},"#,
    r#"{"players":[{"name":"B\u00f6","userid":7002,"stats":{"points":2.0}}]}]}"#,
);

/// Bones in the form of the game.
fn bones() -> String {
    let list = |count: usize| vec!["0"; count].join(",");
    let (bones, turns) = (list(69), list(92));
    format!(r#"{{"user_bones":[{{"bone_t":[{bones}],"bone_o":[{turns}]}}],"err_code":0}}"#)
}

const TIME: &str = "2022/01/02 03:00:00.034";

/// Short .echoreplay texts with every kind of line: valid, tolerated and broken.
pub fn texts() -> Vec<Vec<u8>> {
    let combat = r#"{"map_name":"mpl_combat_dyson","payload_distance":4.5,"contested":true,"teams":[{"players":[{"Weapon":"scout","Arm":"Left"}]}]}"#;
    let short = r#"{"game_clock":1}"#;
    let line = |session: &str| format!("{TIME}\t{session}\r\n");
    let mut own = Vec::new();
    let frame = frames(Game::Arena, 1, 3).remove(0);
    let mut small = Frame {
        time: frame.time,
        ..Frame::default()
    };
    small.session.pause = frame.session.pause;
    echoreplay::write_frame(&small, &mut own).expect("finite");
    vec![
        line(SESSION).into_bytes(),
        [line(short), line(SESSION)].concat().into_bytes(),
        format!("{TIME}\t{short}\t{}\r\n", bones()).into_bytes(),
        line(combat).into_bytes(),
        own,
        format!("\u{feff}{}\r\n\n{TIME}\t{short}\t\n", line(short)).into_bytes(),
        format!("2022/01/02 03.00.00.5\t{short}\t{{\"err_code\":0}}\n{TIME}\t{short}").into_bytes(),
        format!("{}{TIME}\t404\r\n{}", line(short), line(short)).into_bytes(),
        format!("{}<html>\r\n{TIME}\t{{\"teams\":", line(short)).into_bytes(),
        format!("{TIME}\t{{\"a\":{}}}\n", "[".repeat(80)).into_bytes(),
        format!("{TIME}\t{short}\t{{\"user_bones\":[{{\"bone_t\":[1]}}]}}\n").into_bytes(),
        line(r#"{"teams":null,"game_clock":1e999,"blue_points":"\ud83d"}"#).into_bytes(),
    ]
}

/// Small zips, intact and broken, and scripts.
pub fn zips() -> Vec<Vec<u8>> {
    let zip = |text: &[u8], level: u8| {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()), "a", level).expect("memory");
        for line in echoreplay::read(text).flatten() {
            zip.push_line(&line).expect("memory");
        }
        zip.finish().expect("memory").into_inner()
    };
    let texts = texts();
    let (stored, deflated) = (zip(&texts[3], 0), zip(&texts[0], 9));
    let mut checksum = stored.clone();
    checksum[60] ^= 1;
    vec![
        stored.clone(),
        deflated.clone(),
        checksum,
        stored[..stored.len() - 30].to_vec(),
        deflated[..deflated.len() / 2].to_vec(),
        [stored.clone(), deflated].concat(),
        zip(b"", 6),
        texts[3].clone(),
        [&[0, 6, 200, 0], texts[1].as_slice()].concat(),
        [&[0, 0, 90, 0], texts[7].as_slice()].concat(),
    ]
}

/// The intact ones of [`butters`]: broken ones have few frames to write.
pub fn files() -> Vec<Vec<u8>> {
    butters().into_iter().take(SOUND).collect()
}

/// Short files with large claims: chunks and tables that are missing, and packed ones that exist.
pub fn claims() -> Vec<Vec<u8>> {
    let frames = frames(Game::Arena, 1, 1);
    let header = |compression| {
        let mut whole = butter(&frames, options(300, Compression::None));
        // The table has one chunk.
        let at = whole.windows(2).position(|two| two == [0xFC, 0xFE]);
        whole.truncate(at.expect("a keyframe") - 8);
        whole[3] = compression;
        whole
    };
    let table = |compression, chunks: u32, sizes: &[u32], behind: &[u8]| {
        let mut file = header(compression);
        file.extend_from_slice(&chunks.to_le_bytes());
        for size in sizes {
            file.extend_from_slice(&size.to_le_bytes());
        }
        file.extend_from_slice(behind);
        file
    };
    // A zstd frame of unknown size with many blocks, each of 128 KiB of the same byte.
    let mut bomb = vec![0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58];
    for _ in 0..2000 {
        bomb.extend_from_slice(&[0x02, 0x00, 0x10, 0xFC]);
    }
    vec![
        table(0, u32::MAX, &[], b""),
        table(0, 1 << 20, &[1], b""),
        table(0, 1, &[u32::MAX], b"\xFC\xFE"),
        table(0, 1, &[256 << 20], b"\xFC\xFE"),
        table(3, 1, &[255 << 20], b"\x28\xB5\x2F\xFD"),
        table(3, 1, &[bomb.len() as u32], &bomb),
        // The frame claims 255 players in each team, and 127 with bones.
        table(0, 1, &[40], &[b"\xFC\xFE".as_slice(), &[0xFF; 38]].concat()),
    ]
}

/// Large recordings: a .butter with packed chunks, one with unpacked chunks, and a text.
pub fn large() -> [Vec<u8>; 3] {
    let options = |compression| options(300, compression);
    let frames = Match::new(MatchOptions {
        frames: Some(1500),
        bones: true,
        ..MatchOptions::default()
    });
    let frames: Vec<Frame> = frames.collect();
    let mut text = Vec::new();
    for frame in &frames[..300] {
        echoreplay::write_frame(frame, &mut text).expect("finite");
    }
    [
        butter(&frames, options(Compression::Zstd3)),
        butter(&frames, options(Compression::None)),
        text,
    ]
}
