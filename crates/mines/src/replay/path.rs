//! The length of the cursor's path. Distances are added in order, so that the sum is exact to the
//! last bit.

/// The most mouse events that wait to be measured, and the number of positions between which
/// distances are added at once.
pub(crate) const WAITING: usize = 256;

/// The number of stored roots: enough for steps of up to 22 pixels.
const KNOWN: usize = 512;

/// The square roots of the first whole numbers. A square root is one of a processor's slowest
/// operations.
static ROOTS: [f64; KNOWN] = {
    let mut roots = [0.0; KNOWN];
    let mut left = roots.as_mut_slice();
    let mut square = 0;
    while let Some((slot, rest)) = left.split_first_mut() {
        *slot = root(square);
        square += 1;
        left = rest;
    }
    roots
};

/// The square root, rounded as the processor rounds it.
const fn root(square: u128) -> f64 {
    const BITS: u32 = 56;
    let exact = square << (2 * BITS);
    let floor = exact.isqrt();
    // The last bit says whether there is a remainder, which decides ties between two floats.
    let more = (floor * floor != exact) as u128;
    ((floor << 1 | more) as f64) / (1u64 << (BITS + 1)) as f64
}

/// The distance between two positions, in pixels.
pub(super) fn distance(a: (u16, u16), b: (u16, u16)) -> f64 {
    let by = |a: u16, b: u16| f64::from(i32::from(b) - i32::from(a));
    let (dx, dy) = (by(a.0, b.0), by(a.1, b.1));
    (dx * dx + dy * dy).sqrt()
}

/// Adds the distances from each position to the next.
pub(super) fn follow(mut path_px: f64, xs: &[u16], ys: &[u16]) -> f64 {
    let mut squares = [0; WAITING];
    if short_squares(xs, ys, &mut squares) {
        let count = xs.len().saturating_sub(1);
        for square in squares.get(..count).unwrap_or_default() {
            path_px += ROOTS
                .get(usize::from(*square))
                .copied()
                .unwrap_or_else(|| f64::from(*square).sqrt());
        }
    } else {
        let places = || xs.iter().copied().zip(ys.iter().copied());
        for (a, b) in places().zip(places().skip(1)) {
            path_px += distance(a, b);
        }
    }
    path_px
}

/// Computes the squared distances if all steps are between −128 and 127 pixels, so that they fit in
/// 16 bits, of which the processor multiplies eight at a time. Returns whether that was possible.
fn short_squares(xs: &[u16], ys: &[u16], squares: &mut [u16; WAITING]) -> bool {
    let from = xs.iter().zip(ys);
    let to = xs.get(1..).unwrap_or_default().iter();
    let to = to.zip(ys.get(1..).unwrap_or_default());
    let mut far = 0;
    for (square, ((x, y), (next_x, next_y))) in squares.iter_mut().zip(from.zip(to)) {
        let (dx, dy) = (next_x.wrapping_sub(*x), next_y.wrapping_sub(*y));
        far |= dx.wrapping_add(128) | dy.wrapping_add(128);
        *square = dx.wrapping_mul(dx).wrapping_add(dy.wrapping_mul(dy));
    }
    // Each step fits in 8 bits, and all positions are in the same half of the 16-bit range: a step
    // across the edge of the range looks short but is not.
    let half = |places: &[u16]| {
        places
            .iter()
            .fold((u16::MAX, 0), |(all, any), at| (all & at, any | at))
    };
    let one_half = [xs, ys]
        .map(half)
        .iter()
        .all(|(all, any)| (all ^ any) < 0x8000);
    far < 256 && one_half
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_roots_are_those_of_the_processor() {
        for (square, root) in ROOTS.iter().enumerate() {
            assert_eq!(root.to_bits(), (square as f64).sqrt().to_bits(), "{square}");
        }
    }

    proptest! {
        /// Steps of all lengths, including those across the edge of the 16-bit range.
        #[test]
        fn a_path_is_the_sum_of_its_distances_in_order(
            start in (any::<u16>(), any::<u16>()),
            far in prop::sample::select(vec![3_i16, 17, 24, 128, 200, i16::MAX]),
            steps in prop::collection::vec((any::<i16>(), any::<i16>()), 0..WAITING),
        ) {
            let mut place = start;
            let (mut xs, mut ys) = (vec![place.0], vec![place.1]);
            let mut simple = 0.5;
            for (dx, dy) in steps {
                let next = (
                    place.0.wrapping_add_signed(dx % far),
                    place.1.wrapping_add_signed(dy % far),
                );
                let by = |a: u16, b: u16| f64::from(b) - f64::from(a);
                let (dx, dy) = (by(place.0, next.0), by(place.1, next.1));
                simple += (dx * dx + dy * dy).sqrt();
                place = next;
                xs.push(place.0);
                ys.push(place.1);
            }
            prop_assert_eq!(follow(0.5, &xs, &ys).to_bits(), f64::to_bits(simple));
        }
    }
}
