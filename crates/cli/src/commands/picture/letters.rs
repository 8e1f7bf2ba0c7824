//! How wide text is, in the letters that pictures are written in: those of `DejaVu Sans`, and of
//! `Verdana`, which is as wide.

/// Of the letters of ASCII from the space, in thousandths of their size.
const WIDTHS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];
/// Of bold letters, so much more.
const BOLD: f64 = 1.12;

/// How wide a text is.
pub fn width(text: &str, size: f64) -> f64 {
    let letter = |letter: char| {
        let known = (letter as usize).checked_sub(32);
        match known.and_then(|at| WIDTHS.get(at)) {
            Some(width) => f64::from(*width),
            // What is not known is rather taken for wide: signs of East Asia are square.
            None if letter as u32 >= 0x1100 => 1000.0,
            None => 700.0,
        }
    };
    text.chars().map(letter).sum::<f64>() * size / 1000.0
}

/// How wide a bold text is.
pub fn bold_width(text: &str, size: f64) -> f64 {
    width(text, size) * BOLD
}

/// As much of a text as there is room for: what is too long ends in `…`.
pub fn fitted(text: &str, size: f64, room: f64) -> String {
    // Longer ones never fit: nobody measures a megabyte.
    const MOST: usize = 400;
    let mut fits = String::new();
    let (mut used, end) = (0.0, width("…", size));
    let whole = text.chars().nth(MOST).is_none() && width(text, size) <= room;
    if whole {
        return text.to_owned();
    }
    for letter in text.chars().take(MOST) {
        used += width(letter.encode_utf8(&mut [0; 4]), size);
        if used + end > room {
            break;
        }
        fits.push(letter);
    }
    fits.push('…');
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_where_its_room_ends() {
        assert_eq!(fitted("short", 10.0, 100.0), "short");
        let cut = fitted(&"long ".repeat(1 << 18), 10.0, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 10.0) <= 100.0, "{cut}");
        assert_eq!(fitted("any", 10.0, 0.0), "…");
    }
}
