//! What things are told apart by: colours, as words for them, and signs.

/// A colour, by what it is for; a surface says which one of its own that is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tint {
    Blue,
    Orange,
    Red,
    Green,
    Grey,
    /// One of many, by a number that says nothing else.
    Other(usize),
}

/// Names that have one of these in them are of that colour.
const WORDS: [(&str, Tint); 5] = [
    ("blue", Tint::Blue),
    ("orange", Tint::Orange),
    ("red", Tint::Red),
    ("green", Tint::Green),
    ("spectator", Tint::Grey),
];

/// The colour of a thing by its name: the same one has the same colour everywhere; names of colours
/// are those.
pub fn tint(name: &str) -> Tint {
    let name = name.to_lowercase();
    let word = WORDS.iter().find(|(word, _)| name.contains(word));
    word.map_or_else(|| Tint::Other(hash(&name)), |(_, tint)| *tint)
}

/// The sign of a thing on a map by what it belongs to: teams are told apart without colours, too.
pub fn sign(team: &str) -> char {
    const SIGNS: [char; 4] = ['◇', '▲', '△', '□'];
    let team = team.to_lowercase();
    match team.as_str() {
        team if team.contains("blue") => '●',
        team if team.contains("orange") || team.contains("red") => '○',
        team => SIGNS.get(hash(team) % SIGNS.len()).copied().unwrap_or('□'),
    }
}

/// FNV-1a.
fn hash(text: &str) -> usize {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    text.bytes().fold(2_166_136_261, step) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_colour() {
        assert_eq!(tint("Yew"), tint("Yew"));
        assert_ne!(tint("Yew"), tint("Oak"));
        assert_eq!(tint("BLUE TEAM"), Tint::Blue);
        assert_eq!(sign("BLUE TEAM"), '●');
    }
}
