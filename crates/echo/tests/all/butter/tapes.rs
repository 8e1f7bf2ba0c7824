//! Files of the reference: the frames read from them against the recorded ones and against the reference's
//! own reading. And the codings of numbers against measurements of the reference: three tables, to the last bit.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{check_reference, lines, read_strictly, tape};
use gametape_echo::butter::{
    from_basis, from_fixed, from_half, from_smallest3, to_fixed, to_half, to_smallest3,
    to_smallest3_nearest,
};
use gametape_echo::loss::FieldErrors;
use gametape_echo::{Frame, Stats};

const TAPES: [(&str, u16); 3] = [("a_single", 300), ("b_scenario", 5), ("c_combat", 4)];

struct Tape {
    /// The recorded frames.
    recorded: Vec<Frame>,
    /// The frames that the reference reads from its file.
    decoded: Vec<Frame>,
    /// Its files, not compressed and gzip.
    files: [Vec<u8>; 2],
}

fn load(name: &str, interval: u16) -> Option<Tape> {
    Some(Tape {
        recorded: lines(&tape(&format!("{name}.echoreplay"))?),
        // The reference spells both possible members of a position, with null for one.
        decoded: lines(&tape(&format!("{name}.k{interval}.refdecoded.txt"))?),
        files: [
            tape(&format!("{name}.k{interval}.none.butter"))?,
            tape(&format!("{name}.k{interval}.gzip.butter"))?,
        ],
    })
}

#[test]
fn within_the_drift_of_what_was_recorded() {
    for (name, interval) in TAPES {
        let Some(tape) = load(name, interval) else {
            return;
        };
        let [none, gzip] = tape.files.each_ref().map(|bytes| read_strictly(bytes));
        assert!(none == gzip);
        assert_eq!(none.frames.len(), tape.recorded.len());
        for (at, keyframe) in none.keyframes.into_iter().enumerate() {
            assert_eq!(keyframe, at % usize::from(interval) == 0);
        }
        check_reference(&tape.recorded, &tape.files[0], name, |read, recorded| {
            // Five frames do not show the writer, and timers that go on are left out. The timers of
            // keyframes are not stored, and those of the frame before belong to another pause.
            if name == "b_scenario"
                && let Some((read, recorded)) = read
                    .session
                    .pause
                    .as_mut()
                    .zip(recorded.session.pause.as_ref())
            {
                read.paused_timer = recorded.paused_timer;
                read.unpaused_timer = recorded.unpaused_timer;
            }
        });
    }
}

/// The fields that differ in two frames, to the last bit, except those that a .butter does not keep.
fn different(a: &Frame, b: &Frame) -> BTreeSet<&'static str> {
    let mut errors = FieldErrors::new();
    errors.push(a, b);
    let report = errors.report();
    let numbers = report.numbers.iter().filter(|number| number.differing > 0);
    let changed = report.changed.iter().map(|change| change.field);
    numbers.map(|number| number.field).chain(changed).collect()
}

/// Fields in which the reference misreads its own files. It reads a part that is left out as 0, where we
/// keep the old value, and it takes a difference for a value.
fn faults(name: &str) -> BTreeMap<&'static str, Vec<usize>> {
    let faults: &[(&str, &[usize])] = match name {
        "a_single" => &[],
        "b_scenario" => &[
            // Differences that it reads as values.
            ("pause timers", &[3, 4]),
            ("stats", &[3, 4, 7, 8, 9, 11]),
            ("possession time", &[3, 4, 7, 8, 9, 11]),
            // A frame that leaves out pauses has none.
            ("restart requests", &[11]),
        ],
        _ => &[
            ("points in combat", &[1, 2, 3, 5, 6]),
            ("stats", &[1, 2, 3, 5, 6]),
            ("possession time", &[1, 2, 3, 5, 6]),
        ],
    };
    let faults = faults
        .iter()
        .map(|(field, frames)| (*field, frames.to_vec()));
    faults.collect()
}

#[test]
fn reads_the_same_bits_as_the_reference_except_its_faults() {
    for (name, interval) in TAPES {
        let Some(tape) = load(name, interval) else {
            return;
        };
        let read = read_strictly(&tape.files[0]).frames;
        assert_eq!(read.len(), tape.decoded.len());
        let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, (a, b)) in tape.decoded.iter().zip(&read).enumerate() {
            // Spectators have no stats; the reference reads zeros.
            let mut a = a.clone();
            let spectators = &mut a.session.teams[2].stats;
            assert_eq!(spectators.take(), Some(Stats::default()));
            assert_eq!(b.session.teams[2].stats, None);
            for field in different(&a, b) {
                found.entry(field).or_default().push(at);
            }
        }
        assert_eq!(found, faults(name), "{name}");
    }
}

/// The rows of a table without its heading; `None` if the recordings are not beside the project.
fn table(name: &str) -> Option<Vec<Vec<String>>> {
    let text = String::from_utf8(tape(name)?).unwrap();
    Some(
        text.lines()
            .skip(1)
            .map(|line| line.split('\t').map(str::to_owned).collect())
            .collect(),
    )
}

fn bits(text: &str) -> u32 {
    u32::from_str_radix(text, 16).unwrap()
}

fn words<const N: usize>(text: &str) -> [u32; N] {
    let words: Vec<u32> = text.split(' ').map(bits).collect();
    words.try_into().unwrap()
}

fn floats<const N: usize>(text: &str) -> [f32; N] {
    words(text).map(f32::from_bits)
}

#[test]
fn halves() {
    let Some(rows) = table("vec_half.tsv") else {
        return;
    };
    assert!(rows.len() > 2000);
    for row in rows {
        let half = u16::from_str_radix(&row[1], 16).unwrap();
        let value = f32::from_bits(bits(&row[0]));
        assert_eq!(to_half(value), half, "{value:e}");
        assert_eq!(to_half(from_half(half)), half);
    }
}

#[test]
fn rotations() {
    let Some(rows) = table("vec_smallest3.tsv") else {
        return;
    };
    assert!(rows.len() >= 2000);
    for row in rows {
        let q = from_basis(floats(&row[0]), floats(&row[1]));
        assert_eq!(q.map(f32::to_bits), words(&row[2]), "{row:?}");
        let packed = to_smallest3(q);
        assert_eq!(packed, bits(&row[3]).swap_bytes(), "{row:?}");
        let decoded = from_smallest3(packed).map(f32::to_bits);
        assert_eq!(decoded, words(&row[4]), "{row:?}");
        // Ours differs by rounding only: one step at most.
        let nearest = to_smallest3_nearest(q);
        if nearest & 3 == packed & 3 {
            for shift in [2, 12, 22] {
                let (a, b) = (nearest >> shift & 0x3FF, packed >> shift & 0x3FF);
                assert!(a == b || a == b + 1, "{row:?}");
            }
        }
    }
}

#[test]
fn bone_positions() {
    let Some(rows) = table("vec_bonefixed.tsv") else {
        return;
    };
    assert!(rows.len() >= 1000);
    for row in rows {
        let value = f32::from_bits(bits(&row[0]));
        let number = to_fixed(value);
        let z = (i32::from(number) << 1 ^ i32::from(number) >> 31) as u32;
        let bytes = match z {
            0..=240 => vec![z as u8],
            241..=2287 => vec![241 + ((z - 240) >> 8) as u8, (z - 240) as u8],
            _ => {
                let [high, low] = ((z - 2288) as u16).to_be_bytes();
                vec![249, high, low]
            }
        };
        let expected: Vec<u8> = row[1]
            .as_bytes()
            .chunks(2)
            .map(|digits| u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap())
            .collect();
        assert_eq!(bytes, expected, "{value}");
        assert_eq!(
            from_fixed(number.into()).to_bits(),
            bits(&row[2]),
            "{value}"
        );
    }
}
