//! Random matches, spoiled in one to three of the ways of real machines, and judged by what they were; and, in
//! [`frames`], frames that no game sends.

pub mod frames;

use std::fmt::Write as _;
use std::io::Cursor;

use fastrand::Rng;
use gametape_echo::echoreplay::{Feed, Line, Reader, open_with, read, read_with, write};
use gametape_echo::{Fed, Findings, Frame, Game, ReadOptions};
use gametape_samples::echo::{Match, MatchOptions};

/// Lines of a recording, without their endings.
struct Text {
    lines: Vec<Vec<u8>>,
    ending: &'static [u8],
    tail: Vec<u8>,
    /// Something is lost, so that only the number of frames and their times can be compared.
    lossy: bool,
    expected: Vec<&'static str>,
}

impl Text {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for line in &self.lines {
            bytes.extend_from_slice(line);
            bytes.extend_from_slice(self.ending);
        }
        bytes.extend_from_slice(&self.tail);
        bytes
    }

    /// Changes the text of the first or of all lines. Returns whether something changed.
    fn replace(&mut self, from: &str, to: &str, all: bool) -> bool {
        let mut changed = false;
        for line in &mut self.lines {
            let text = String::from_utf8_lossy(line).into_owned();
            let new = if all {
                text.replace(from, to)
            } else {
                text.replacen(from, to, 1)
            };
            if new != text && (all || !changed) {
                changed = true;
                *line = new.into_bytes();
            }
        }
        changed
    }
}

const SPELLED: &str = "echoreplay.time-spelling";
const CALENDAR: &str = "echoreplay.calendar";

/// Spells a time of `yyyy/MM/dd HH:mm:ss.fff` in the manner of a region.
fn region(time: &str, which: usize) -> (String, &'static str) {
    let digits = |zero: u32| {
        let digit = |c: char| match c.to_digit(10) {
            Some(digit) => char::from_u32(zero + digit).unwrap(),
            None => c,
        };
        time.chars().map(digit).collect::<String>()
    };
    let year = |shift: i32| {
        let year: i32 = time[..4].parse().unwrap();
        format!("{:04}{}", year + shift, &time[4..])
    };
    match which {
        0 => (time.replace('/', "."), SPELLED),
        1 => (time.replace('/', "-"), SPELLED),
        2 => (time.replace(':', "."), SPELLED),
        3 => (time.replace(['/', ' ', ':', '.'], "_"), SPELLED),
        4 => (time.replace('/', ". ").replace('.', ","), SPELLED),
        5 => (time.replace('/', "-").replace(' ', "T") + "Z", SPELLED),
        6 => (digits(0x660), SPELLED),
        7 => (digits(0x966), SPELLED),
        8 => (digits(0xFF10), SPELLED),
        9 => (year(543), CALENDAR),
        10 => (year(2333), CALENDAR),
        _ => (year(-1911), CALENDAR),
    }
}

fn each_answer(text: &mut Text, mut edit: impl FnMut(&mut Vec<u8>)) {
    for line in &mut text.lines {
        let mut columns: Vec<Vec<u8>> = line
            .split(|byte| *byte == b'\t')
            .map(<[u8]>::to_vec)
            .collect();
        columns[1..].iter_mut().for_each(&mut edit);
        *line = columns.join(&b'\t');
    }
}

/// Spoils a text in one of the ways.
fn spoil(text: &mut Text, way: usize, rng: &mut Rng) {
    let expected = match way {
        0 => {
            let which = rng.usize(..12);
            let mut code = "";
            for line in &mut text.lines {
                let whole = String::from_utf8_lossy(line).into_owned();
                let (time, rest) = whole.split_once('\t').unwrap();
                if time.len() != 23 || !time.starts_with("20") {
                    return;
                }
                let (time, said) = region(time, which);
                code = said;
                *line = format!("{time}\t{rest}").into_bytes();
            }
            code
        }
        1 => {
            // 64-bit ids as text.
            for line in &mut text.lines {
                let whole = String::from_utf8(line.clone()).unwrap();
                let mut parts = whole.split("\"userid\":");
                let mut new = parts.next().unwrap().to_owned();
                for part in parts {
                    let size = part.find([',', '}']).unwrap();
                    write!(new, "\"userid\":\"{}\"{}", &part[..size], &part[size..]).unwrap();
                }
                *line = new.into_bytes();
            }
            "echoreplay.spelling"
        }
        2 => {
            if !text.replace("\"stunned\":false", "\"stunned\":0", true) {
                return;
            }
            "echoreplay.spelling"
        }
        3 => {
            if !text.replace("\"total_round_count\":3", "\"total_round_count\":3.0", true) {
                return;
            }
            "echoreplay.spelling"
        }
        4 => {
            let (from, to) = *rng
                .choice(&[
                    ("\"invulnerable\":false", "\"invulnerable\":{}"),
                    ("\"blocking\":false", "\"blocking\":null"),
                    ("\"left\":[", "\"left\":[NaN,"),
                    ("\"velocity\":[", "\"velocity\":[1,"),
                    ("\"packetlossratio\":", "\"packetlossratio\":1e9999,\"x\":"),
                    (
                        "\"packetlossratio\":",
                        "\"packetlossratio\":-Infinity,\"x\":",
                    ),
                    (
                        "\"packetlossratio\":",
                        "\"packetlossratio\":-nan(ind),\"x\":",
                    ),
                ])
                .unwrap();
            if !text.replace(from, to, false) {
                return;
            }
            text.lossy = true;
            "echoreplay.member"
        }
        5 => {
            let at = rng.usize(1..text.lines.len());
            let line = String::from_utf8_lossy(&text.lines[at]).into_owned();
            let new = line.replacen("\"blocking\":false,", "", 1);
            if new == line {
                return;
            }
            text.lines[at] = new.into_bytes();
            "echoreplay.missing"
        }
        6 => {
            each_answer(text, |answer| answer.push(0));
            "echoreplay.nul"
        }
        7 => {
            text.ending = b"\r";
            "echoreplay.cr"
        }
        8 => {
            for line in &mut text.lines {
                line.splice(0..0, *b"\xEF\xBB\xBF");
            }
            "echoreplay.bom"
        }
        9 => {
            text.tail = vec![0; rng.usize(1..9000)];
            "echoreplay.zeros"
        }
        10 => {
            let at = rng.usize(1..text.lines.len());
            text.lines[at].splice(0..0, vec![0; rng.usize(16..9000)]);
            "echoreplay.zeros"
        }
        11 => {
            each_answer(text, |answer| {
                if answer.starts_with(b"{\"") {
                    answer.splice(1..1, *b"\"new\":[{\"a\":null}],");
                }
            });
            "echoreplay.unknown"
        }
        12 => {
            let damage = *rng
                .choice(&[
                    b"\xE9".as_slice(),
                    b"\\ud83d",
                    b"\\ude00x",
                    b"\x01",
                    b"\xF0\x9F",
                ])
                .unwrap();
            let key = b"\"client_name\":\"";
            for line in &mut text.lines {
                if let Some(at) = line.windows(key.len()).position(|part| part == key) {
                    let at = at + key.len();
                    line.splice(at..at, damage.iter().copied());
                }
            }
            text.lossy = true;
            "echoreplay.text"
        }
        _ => {
            each_answer(text, |answer| {
                answer.splice(0..0, *b"\xEF\xBB\xBF");
            });
            "echoreplay.bom"
        }
    };
    text.expected.push(expected);
}

/// Packs the bytes, or not.
fn pack(bytes: Vec<u8>, way: usize, expected: &mut Vec<&'static str>) -> Vec<u8> {
    let utf16 = |big: bool| {
        let text = String::from_utf8(bytes.clone()).ok()?;
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        Some(
            units
                .flat_map(|unit| {
                    if big {
                        unit.to_be_bytes()
                    } else {
                        unit.to_le_bytes()
                    }
                })
                .collect(),
        )
    };
    let (packed, code) = match way {
        0 => (utf16(false), "echoreplay.utf16"),
        1 => (utf16(true), "echoreplay.utf16"),
        _ => return bytes,
    };
    packed.map_or(bytes, |packed: Vec<u8>| {
        expected.push(code);
        packed
    })
}

fn opened(bytes: &[u8], options: ReadOptions) -> Result<(Vec<Frame>, Findings), String> {
    let mut reader: Reader<_> = open_with(Cursor::new(bytes), options).unwrap();
    let mut frames = Vec::new();
    loop {
        match reader.next_frame() {
            Ok(Some(frame)) => frames.push(frame.clone()),
            Ok(None) => return Ok((frames, reader.findings().clone())),
            Err(error) => return Err(error.to_string()),
        }
    }
}

/// The slice, the feed and the source read the same, in either way to read.
fn agree(bytes: &[u8], frames: &[Frame], findings: &Findings, what: &str) {
    let mut lines = read_with(bytes, ReadOptions::lenient());
    let mut count = 0;
    while let Some(frame) = lines.next_frame().unwrap() {
        assert_eq!(frame, &frames[count], "{what}");
        count += 1;
    }
    assert_eq!(count, frames.len(), "{what}");
    assert_eq!(lines.findings(), findings, "{what}");
    let whole: Vec<u64> = read(bytes).map(|line| line.unwrap().offset).collect();
    assert_eq!(whole.len(), count, "{what}");

    let mut feed = Feed::with_options(ReadOptions::lenient());
    let mut pieces = bytes.chunks(1009);
    let mut count = 0;
    loop {
        match feed.next_frame().unwrap() {
            Fed::Item(frame) => {
                assert_eq!(frame, &frames[count], "{what}");
                assert_eq!(
                    feed.line().map(|line: Line<'_>| line.offset),
                    Some(whole[count])
                );
                count += 1;
            }
            Fed::NeedMore => match pieces.next() {
                Some(piece) => feed.push(piece),
                None => feed.finish(),
            },
            Fed::End => break,
        }
    }
    assert_eq!(count, frames.len(), "{what}");
    assert_eq!(feed.findings(), findings, "{what}");
}

/// Spoils the match of a seed in one to three ways, and packs it or not. Every frame is read, with its time, and,
/// where no way loses anything, with all it has; each way is named; and all readers agree.
///
/// # Panics
/// If that does not hold.
pub fn spoiled_match_keeps_its_frames(seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let options = MatchOptions {
        seed,
        game: if seed % 4 == 3 {
            Game::Combat
        } else {
            Game::Arena
        },
        frames: Some(rng.u64(2..9)),
        spectators: (seed % 3) as u8,
        bones: seed % 2 == 1,
        private: seed % 4 >= 2,
        ..MatchOptions::default()
    };
    let right: Vec<Frame> = Match::new(options).collect();
    let clean = write(&right).unwrap();
    // As a reader of the clean text sees them.
    let (right, _) = opened(&clean, ReadOptions::strict()).unwrap();
    let lines = clean.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    let mut text = Text {
        lines: lines.map(|line| line[..line.len() - 1].to_vec()).collect(),
        ending: b"\r\n",
        tail: Vec::new(),
        lossy: false,
        expected: Vec::new(),
    };
    let mut ways: Vec<usize> = (0..14).collect();
    rng.shuffle(&mut ways);
    ways.truncate(rng.usize(1..4));
    // What changes bytes comes after what changes texts.
    ways.sort_unstable();
    for way in &ways {
        spoil(&mut text, *way, &mut rng);
    }
    let what = format!("seed {seed}, ways {ways:?}");
    let plain = text.bytes();
    let (frames, findings) = opened(&plain, ReadOptions::lenient()).unwrap();
    let left: Vec<&str> = findings.iter().map(gametape_core::Finding::code).collect();
    for code in &text.expected {
        assert!(left.contains(code), "{what}: {code} is not in {left:?}");
    }
    assert_eq!(frames.len(), right.len(), "{what}: {findings:?}");
    for (frame, right) in frames.iter().zip(&right) {
        assert_eq!(frame.time, right.time, "{what}");
        if !text.lossy {
            let mut frame = frame.clone();
            frame.session.unknown.retain(|member| member.name != "new");
            if let Some(bones) = &mut frame.bones {
                bones.unknown.retain(|member| member.name != "new");
            }
            if !ways.contains(&5) {
                assert_eq!(&frame, right, "{what}");
            }
        }
    }
    agree(&plain, &frames, &findings, &what);
    if !text.lossy {
        let (read, noted) = opened(&plain, ReadOptions::strict()).expect(&what);
        assert_eq!((read.len(), noted), (frames.len(), findings), "{what}");
    }
    let mut expected = Vec::new();
    let packed = pack(plain, rng.usize(..4), &mut expected);
    let (unpacked, findings) = opened(&packed, ReadOptions::lenient()).unwrap();
    assert_eq!(unpacked, frames, "{what}, {expected:?}");
    assert!(expected.iter().all(|code| findings.has(code)), "{what}");
}
