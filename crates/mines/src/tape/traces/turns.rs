//! The eight orientations of a board.

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
