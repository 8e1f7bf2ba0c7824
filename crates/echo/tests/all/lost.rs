//! The loss of a conversion is reported line by line and member by member.

use std::io::Cursor;

use gametape_core::tape::{
    Converted, Error, Format, OptionValue, Options as Told, Source, Target, Work,
};
use gametape_echo::echoreplay;
use gametape_echo::tape::{Butter, Echoreplay};
use rayon::ThreadPool;
use serde_json::Value;

use crate::common::{frames_of, match_options, read_strictly, reference};

fn text(frames: u64) -> String {
    let frames = frames_of(match_options(1, frames));
    String::from_utf8(echoreplay::write(&frames).unwrap()).unwrap()
}

fn converted(text: &str) -> Result<(Vec<u8>, Converted), Error> {
    let tape = Echoreplay.open(Source::new(text.as_bytes().to_vec()));
    let target = Target {
        format: "butter",
        options: &Told::new(),
    };
    let mut out = Cursor::new(Vec::new());
    let converted = tape?.convert(target, &mut out, &Work::default())?;
    Ok((out.into_inner(), converted))
}

fn data(converted: &Converted) -> &Value {
    &converted.report.as_ref().unwrap().data
}

/// The number of values of a kind that are not kept, and the number of frames.
fn not_kept(converted: &Converted, field: &str) -> Option<[u64; 2]> {
    let all = data(converted)["not_kept"].as_array().unwrap();
    let change = all.iter().find(|change| change["field"] == field)?;
    Some(["values", "frames"].map(|key| change[key].as_u64().unwrap()))
}

#[test]
fn many_lost_lines_are_counted_and_the_first_are_listed() {
    let text = text(2);
    let (first, last) = text.split_once("\r\n").unwrap();
    for (broken, more) in [
        (3, None),
        (1000, None),
        (1001, Some("1 line more")),
        (2345, Some("1,345 lines more")),
    ] {
        // A line that can't be read and a line without a session both count.
        let lost: String = (0..broken)
            .map(|at| {
                if at % 2 == 0 {
                    "no line\r\n"
                } else {
                    "2022/01/02 03:00:00.160\t{\"a\":\r\n"
                }
            })
            .collect();
        let (bytes, converted) = converted(&format!("{first}\r\n{lost}{last}")).unwrap();
        assert_eq!(read_strictly(&bytes).frames.len(), 2);
        let told = data(&converted)["lost_lines"].as_array().unwrap();
        assert_eq!(told.len(), broken.min(1000));
        assert_eq!(data(&converted)["lost_line_count"], broken);
        // Lines count from 1, and the first is whole.
        for (at, line) in told.iter().enumerate() {
            assert_eq!(line["line"], at + 2);
        }
        let sentence = converted.losses.iter().find(|loss| loss.ends_with(" more"));
        assert_eq!(sentence.map(String::as_str), more);
        assert!(converted.is_lossy());
    }
}

#[test]
fn digits_below_the_millisecond_are_a_loss() {
    let text = text(4);
    let digits = |which: &[usize], digits: &str| {
        let lines = text.split_inclusive('\n').enumerate();
        let with = lines.map(|(at, line)| {
            let (time, rest) = line.split_once('\t').unwrap();
            let more = if which.contains(&at) { digits } else { "" };
            format!("{time}{more}\t{rest}")
        });
        let (_, converted) = converted(&with.collect::<String>()).unwrap();
        let told = converted
            .losses
            .into_iter()
            .filter(|loss| loss.contains("millisecond"));
        told.collect::<Vec<_>>()
    };
    assert_eq!(
        digits(&[1, 3], "5"),
        ["digits of times below a millisecond, in 2 frames (the first: frame 1)"]
    );
    assert_eq!(
        digits(&[2], "0001"),
        ["digits of times below a millisecond, in 1 frame (the first: frame 2)"]
    );
    // Trailing zeros lose nothing.
    assert!(digits(&[0, 1, 2, 3], "0000").is_empty());
    assert!(digits(&[], "").is_empty());
}

#[test]
fn the_case_of_the_session_id_is_a_loss() {
    let text = text(3);
    const CASE: &str = "case of the session id";
    let (_, of_capitals) = converted(&text).unwrap();
    assert_eq!(not_kept(&of_capitals, CASE), None);
    let id = read_strictly(&converted(&text).unwrap().0).frames[0]
        .session
        .sessionid
        .clone();
    assert!(
        id.contains(|digit: char| digit.is_ascii_uppercase()),
        "{id}"
    );
    let lower = text.replace(&*id, &id.to_ascii_lowercase());
    assert_ne!(lower, text);
    let (bytes, converted) = converted(&lower).unwrap();
    assert_eq!(not_kept(&converted, CASE), Some([3, 3]));
    assert!(converted.is_lossy());
    assert_eq!(read_strictly(&bytes).frames[0].session.sessionid, id);
}

#[test]
fn a_negative_user_id_is_refused() {
    const WHY: &str = "a user id is negative, which no account is";
    let text = text(3);
    let (_, userid) = text.split_once("\"userid\":").unwrap();
    let (userid, _) = userid.split_once(',').unwrap();
    let old = format!("\"userid\":{userid},");
    let mut lines: Vec<String> = text.split_inclusive('\n').map(ToOwned::to_owned).collect();
    lines[1] = lines[1].replacen(&old, "\"userid\":-5,", 1);
    let (bytes, lost) = converted(&lines.concat()).unwrap();
    assert_eq!(read_strictly(&bytes).frames.len(), 2);
    let line = &data(&lost)["lost_lines"][0];
    assert_eq!(
        (&line["line"], &line["code"]),
        (&2.into(), &"echoreplay.json".into())
    );
    assert!(line["message"].as_str().unwrap().contains(WHY), "{line}");
    assert!(lost.losses[0].contains(WHY), "{:?}", lost.losses);
    // If no line is left, that is an error.
    let error = converted(&lines[1]).unwrap_err();
    assert!(error.to_string().contains(WHY), "{error}");
}

#[test]
fn members_that_are_not_the_api_s_are_a_loss() {
    let text = text(3);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    const MEMBERS: &str = "unknown members";
    let (_, plain) = converted(&text).unwrap();
    assert_eq!(not_kept(&plain, MEMBERS), None);
    for (member, path) in [
        ("\"sessionid\":", "mood"),
        ("\"name\":", "teams[].players[].mood"),
        ("\"position\":", "disc.mood"),
        ("\"disc_speed\":", "last_score.mood"),
    ] {
        assert!(lines[2].contains(member), "{member}");
        let more = lines[2].replacen(member, &format!("\"mood\":1,{member}"), 1);
        let with = [lines[0], lines[1], &more].concat();
        let (_, converted) = converted(&with).unwrap();
        assert_eq!(not_kept(&converted, MEMBERS), Some([1, 1]), "{member}");
        let all = data(&converted)["not_kept"].as_array().unwrap();
        let change = all.iter().find(|change| change["field"] == MEMBERS);
        assert_eq!(change.unwrap()["first_step"], 2);
        let named = serde_json::json!([{"member": path, "frames": 1, "first_step": 2}]);
        assert_eq!(data(&converted)["unknown_members"], named);
        let text = &converted.report.as_ref().unwrap().text;
        assert!(text.contains(path), "{text}");
        assert!(converted.is_lossy());
    }
}

/// Converts an .echoreplay on this many cores.
fn on_cores(
    cores: usize,
    bytes: &[u8],
    from: &dyn Format,
    to: &str,
    told: &Told,
) -> (Vec<u8>, Converted) {
    on(&pool(cores), bytes, from, to, told).unwrap()
}

fn pool(cores: usize) -> ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(cores);
    pool.build().unwrap()
}

fn on(
    pool: &ThreadPool,
    bytes: &[u8],
    from: &dyn Format,
    to: &str,
    told: &Told,
) -> Result<(Vec<u8>, Converted), Error> {
    pool.install(|| {
        let tape = from.open(Source::new(bytes.to_vec()))?;
        let target = Target {
            format: to,
            options: told,
        };
        let mut out = Cursor::new(Vec::new());
        let converted = tape.convert(target, &mut out, &Work::default())?;
        Ok((out.into_inner(), converted))
    })
}

/// A short match of any kind. One of its lines is none, and some lack members that others have.
fn damaged(seed: u64) -> Vec<u8> {
    let text = echoreplay::write(&frames_of(match_options(seed, 2 + seed % 9))).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut lines: Vec<String> = text.split_inclusive('\n').map(ToOwned::to_owned).collect();
    let at = seed as usize % lines.len();
    lines[at] = ["none\r\n", "", "2022/01/02 03:00:00.160\t{\"a\":\r\n"][seed as usize % 3].into();
    for member in ["disc", "name", "stats", "pause", "ping"] {
        let line = &mut lines[(at + member.len()) % (2 + seed as usize % 9)];
        *line = line.replacen(&format!("\"{member}\":"), "\"mood\":", seed as usize % 4);
    }
    lines.concat().into_bytes()
}

/// The memory of one recording's frames is reused for the next.
#[test]
fn a_conversion_leaves_nothing_for_the_next() {
    let (busy, mut made) = (pool(1), 0);
    for seed in 0..150 {
        let text = damaged(seed);
        let [one, alone] =
            [&busy, &pool(1)].map(|pool| on(pool, &text, &Echoreplay, "butter", &Told::new()));
        made += u32::from(one.is_ok());
        assert_eq!(format!("{one:?}"), format!("{alone:?}"), "seed {seed}");
    }
    assert!(made > 100, "{made}");
}

#[test]
fn one_core_and_several_give_the_same_file() {
    let lines = broken();
    let told = Told::new().with("keyframe-every", OptionValue::Count(50));
    let [(butter, alone), (three, together)] =
        [1, 3].map(|cores| on_cores(cores, &lines, &Echoreplay, "butter", &told));
    assert!(butter == three && alone == together);
    assert_eq!(data(&alone)["frames"], 398);
    let told = Told::new().with("keyframe-every", OptionValue::Count(70));
    for (to, told) in [("butter", &told), ("echoreplay", &Told::new())] {
        let [one, three] = [1, 3].map(|cores| on_cores(cores, &butter, &Butter, to, told));
        assert!(one == three, "{to}");
    }
}

#[test]
fn lines_that_rewriting_loses_are_data_too() {
    let told = Told::new().with("redact", OptionValue::Flag);
    let (_, converted) = on_cores(2, &broken(), &Echoreplay, "echoreplay", &told);
    let report = data(&converted);
    assert_eq!(report["lines"], 398);
    assert_eq!(report["lost_line_count"], 2);
    let lines = report["lost_lines"].as_array().unwrap();
    let lines: Vec<&Value> = lines.iter().map(|lost| &lost["line"]).collect();
    assert_eq!(lines, [3, 200]);
    assert_eq!(converted.report.unwrap().text, "398 of 400 lines");
}

/// 400 lines, of which the third is cut and the 200th is no session.
fn broken() -> Vec<u8> {
    let text = text(400);
    let mut lines: Vec<&str> = text.split("\r\n").collect();
    lines[2] = &lines[2][..400];
    lines[199] = "none";
    lines.join("\r\n").into_bytes()
}

/// A team's stats that can be understood in two ways: lines hold one of them, and a finding reports it.
#[test]
fn doubts_are_reported() {
    // They are stored without players, so they need not disappear.
    let bytes = reference("doubt").bytes;
    let (lines, converted) = on_cores(2, &bytes, &Butter, "echoreplay", &Told::new().flag("plain"));
    let [note] = &converted.notes[..] else {
        panic!("{:?}", converted.notes)
    };
    let said = "stored again after frames without any: points 18 if they had disappeared, 36 if";
    assert!(
        note.contains(said) && note.ends_with("taken for 18"),
        "{note}"
    );
    let last = echoreplay::read(&lines).last().unwrap().unwrap().frame();
    let stats = last.unwrap().session.teams[0].stats.unwrap();
    assert_eq!((stats.points, stats.possession_time), (18, 4.0));
}
