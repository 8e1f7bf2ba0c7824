//! Hashes of numbers, and of boards whichever way up they are.

use crate::{Board, Cell};

/// A hash with this many bits of information does not occur twice by chance.
pub(super) const CERTAIN: u8 = 80;

/// Spreads a number over 64 bits: the last step of splitmix64.
pub(super) const fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The factors for several numbers: odd, and as good as random.
const ODD: [u64; 4] = [
    0x9E37_79B9_7F4A_7C15,
    0xC2B2_AE3D_27D4_EB4F,
    0x1656_67B1_9E37_79F9,
    0xD6E8_FEB8_6659_FD93,
];

/// A hash of up to four numbers whose order matters: each is multiplied by a different factor, and
/// the sum is spread.
pub(super) fn mix_all<const N: usize>(numbers: [i64; N]) -> u64 {
    const { assert!(N <= ODD.len(), "each number has its own factor") };
    let products = numbers.iter().zip(ODD);
    let sum = products.fold(N as u64, |sum, (number, odd)| {
        sum.wrapping_add(number.cast_unsigned().wrapping_mul(odd))
    });
    mix(sum)
}

/// A place, seen in each of the eight orientations: four in which columns stay columns, then four
/// in which rows and columns are exchanged. `across` is the place counted from the opposite edges.
pub(super) fn turns<T: Copy>((x, y): (T, T), across: (T, T)) -> [(T, T); 8] {
    let (left, up) = across;
    [
        (x, y),
        (left, y),
        (x, up),
        (left, up),
        (y, x),
        (up, x),
        (y, left),
        (up, left),
    ]
}

/// Hashes that identify a board.
pub(super) struct Signs {
    /// The hash of the board in its recorded orientation.
    pub as_is: u64,
    /// A hash that is the same for all mirrored and rotated versions of the board.
    pub turned: u64,
    /// The information content: two random boards of this size are equal with a probability of two
    /// to the power of minus this.
    pub bits: u8,
}

impl Signs {
    pub fn of(board: &Board<'_>) -> Self {
        let (cols, rows) = (u64::from(board.cols), u64::from(board.rows));
        let upright = mix(cols << 8 | rows);
        let lying = mix(rows << 8 | cols);
        // One sum for each of the eight orientations: four as recorded, four with rows and columns
        // exchanged. Sums do not depend on the order of the mines.
        let mut sums = [
            upright, upright, upright, upright, lying, lying, lying, lying,
        ];
        for mine in board.mines.iter() {
            let (col, row) = (u64::from(mine.col), u64::from(mine.row));
            // Mines outside of the board have a finding of their own.
            let (left, up) = (
                (cols - 1).saturating_sub(col),
                (rows - 1).saturating_sub(row),
            );
            for (sum, (col, row)) in sums.iter_mut().zip(turns((col, row), (left, up))) {
                *sum = sum.wrapping_add(mix(col << 8 | row));
            }
        }
        Self {
            as_is: sums.first().copied().unwrap_or_default(),
            turned: sums.into_iter().min().unwrap_or_default(),
            bits: bits(cols * rows, board.mines.len() as u64),
        }
    }
}

/// The key of a board: the same for all eight orientations, another one for another board. `None`
/// if a mine is outside of the board or listed twice: then it is not known which board was meant.
pub(in crate::tape) fn key(board: &Board<'_>) -> Option<u64> {
    let mut mines: Vec<Cell> = board.mines.iter().collect();
    mines.sort_unstable();
    let is_on = |mine: &Cell| mine.col < board.cols && mine.row < board.rows;
    let is_twice = mines.array_windows().any(|[one, next]| one == next);
    (mines.iter().all(is_on) && !is_twice).then(|| Signs::of(board).turned)
}

/// The binary logarithm of the number of boards, counting boards that differ only in orientation
/// once.
fn bits(cells: u64, mines: u64) -> u8 {
    const TURNS: f64 = 3.0;
    let few = mines.min(cells.saturating_sub(mines));
    let mut bits = -TURNS;
    for chosen in 0..few {
        bits += ((cells - chosen) as f64 / (chosen + 1) as f64).log2();
        if bits > f64::from(u8::MAX) {
            break;
        }
    }
    // The conversion turns negative numbers into 0.
    bits as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cell;

    fn signs(cols: u32, rows: u32, mines: &[(u8, u8)]) -> Signs {
        let mines = mines.iter().map(|&(col, row)| Cell::new(col, row));
        Signs::of(&Board::new(cols, rows, mines, 0).unwrap())
    }

    /// Maps a cell to its new position.
    type To = fn(u8, u8) -> (u8, u8);

    #[test]
    fn a_board_is_the_same_whichever_way_up() {
        let mines = [(0, 0), (1, 0), (3, 1)];
        let one = signs(4, 3, &mines);
        let turns: [(u32, u32, To); 7] = [
            (4, 3, |c, r| (3 - c, r)),
            (4, 3, |c, r| (c, 2 - r)),
            (4, 3, |c, r| (3 - c, 2 - r)),
            (3, 4, |c, r| (r, c)),
            (3, 4, |c, r| (2 - r, c)),
            (3, 4, |c, r| (r, 3 - c)),
            (3, 4, |c, r| (2 - r, 3 - c)),
        ];
        for (cols, rows, turn) in turns {
            let turned: Vec<(u8, u8)> = mines.iter().map(|&(c, r)| turn(c, r)).collect();
            let other = signs(cols, rows, &turned);
            assert_eq!(one.turned, other.turned);
            assert_ne!(one.as_is, other.as_is);
        }
        assert_ne!(one.turned, signs(4, 3, &[(0, 0), (2, 0), (3, 1)]).turned);
        assert_ne!(one.turned, signs(5, 3, &mines).turned);
    }

    #[test]
    fn there_are_many_boards_of_the_levels_and_few_of_small_ones() {
        // The binary logarithms of: 151,473,214,816; about 10^47.0; about 10^104.7; 6.
        assert_eq!(bits(64, 10), 34);
        assert_eq!(bits(256, 40), 153);
        assert_eq!(bits(480, 99), 255);
        assert_eq!((bits(4, 2), bits(1, 1), bits(65_025, 32_000)), (0, 0, 255));
    }
}
