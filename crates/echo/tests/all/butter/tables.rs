//! The codings of .butter against measurements of the reference: three tables, to the last bit.

use crate::common::tape;
use gametape_echo::butter::{
    from_basis, from_fixed, from_half, from_smallest3, to_fixed, to_half, to_smallest3,
    to_smallest3_nearest,
};

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
