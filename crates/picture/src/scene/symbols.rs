//! Symbols, colours and signs: how a surface tells texts and entities apart.

use std::collections::BTreeMap;

/// The symbol of each text in the cells of a grid. A text keeps its symbol.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Symbols {
    known: BTreeMap<String, char>,
}

/// The symbols of well-known words, in every grid.
const WORDS: [(&str, char); 12] = [
    ("", ' '),
    ("none", ' '),
    ("empty", ' '),
    ("open", ' '),
    ("closed", '■'),
    ("pressed", '□'),
    ("wall", '█'),
    ("flag", 'F'),
    ("mine", '*'),
    ("blast", 'X'),
    ("qm", '?'),
    ("question", '?'),
];
/// The symbols for texts whose own letters are taken.
const OTHERS: &str = "@%&+=$#~^<>/\\|:;abcdefghijklmnopqrstuvwxyzABCDEGHIJKLMNOPQRSTUVWYZ";

/// The digit at the end of `open_3`, or of a text that is one digit.
fn digit(text: &str) -> Option<char> {
    let last = text.rsplit('_').next().unwrap_or(text);
    let mut letters = last.chars();
    let digit = letters.next().filter(char::is_ascii_digit)?;
    letters.next().is_none().then_some(digit)
}

/// The meaning of a cell's text, the same in every grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Face {
    /// A number of one digit.
    Number(u8),
    /// Open and empty.
    Blank,
    Closed,
    Pressed,
    Wall,
    Flag,
    Mine,
    Blast,
    Question,
    /// Any other word.
    Other,
}

/// The well-known part of a word: `blast` of `open_blast`.
fn word(text: &str) -> &str {
    text.strip_prefix("open_").unwrap_or(text)
}

/// The meaning of a cell's text.
pub fn face(text: &str) -> Face {
    match (word(text), digit(text)) {
        ("" | "none" | "empty" | "open", _) | (_, Some('0')) => Face::Blank,
        ("closed", _) => Face::Closed,
        ("pressed", _) => Face::Pressed,
        ("wall", _) => Face::Wall,
        ("flag", _) => Face::Flag,
        ("mine", _) => Face::Mine,
        ("blast", _) => Face::Blast,
        ("qm" | "question", _) => Face::Question,
        (_, Some(digit)) => {
            let digit = digit
                .to_digit(10)
                .and_then(|digit| u8::try_from(digit).ok());
            digit.map_or(Face::Other, Face::Number)
        }
        _ => Face::Other,
    }
}

impl Symbols {
    /// The symbol of a text; `?` if it was never learned.
    pub fn get(&self, text: &str) -> char {
        self.known.get(text).copied().unwrap_or('?')
    }

    /// All texts with their symbols.
    pub fn all(&self) -> impl Iterator<Item = (&str, char)> {
        self.known.iter().map(|(text, symbol)| (&**text, *symbol))
    }

    /// Gives a text a symbol unless it has one.
    pub fn learn(&mut self, text: &str) {
        if self.known.contains_key(text) {
            return;
        }
        let own = word(text);
        let word = WORDS.iter().find(|(word, _)| *word == own);
        let symbol = match (word, digit(text)) {
            (Some((_, symbol)), _) => *symbol,
            // A blank is easier to read than a 0.
            (None, Some('0')) => ' ',
            (None, Some(digit)) => digit,
            (None, None) => self.free(text),
        };
        self.known.insert(text.to_owned(), symbol);
    }

    fn free(&self, text: &str) -> char {
        let taken = |symbol: &char| {
            let word = WORDS.iter().any(|(_, other)| other == symbol);
            word || self.known.values().any(|other| other == symbol)
        };
        let own = text.chars().filter(char::is_ascii_alphabetic);
        let own = own.flat_map(|letter| [letter.to_ascii_uppercase(), letter.to_ascii_lowercase()]);
        let mut free = own.chain(OTHERS.chars()).filter(|symbol| !taken(symbol));
        free.next().unwrap_or('?')
    }
}

/// The role of a colour; each surface has a colour of its own for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tint {
    Blue,
    Orange,
    Red,
    Green,
    Grey,
    /// One of the colours that have no meaning.
    Other(usize),
}

/// A name that contains one of these words has that colour.
const TINTS: [(&str, Tint); 5] = [
    ("blue", Tint::Blue),
    ("orange", Tint::Orange),
    ("red", Tint::Red),
    ("green", Tint::Green),
    ("spectator", Tint::Grey),
];

/// The colour of a name: the colour that it contains, else one that depends on the name alone.
pub fn tint(name: &str) -> Tint {
    let name = name.to_lowercase();
    let word = TINTS.iter().find(|(word, _)| name.contains(word));
    word.map_or_else(|| Tint::Other(hash(&name)), |(_, tint)| *tint)
}

/// The sign of a team on a map; it tells teams apart without colours.
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
    fn each_text_has_a_symbol_of_its_own_and_keeps_it() {
        let mut symbols = Symbols::default();
        for text in [
            "closed", "open_0", "open_3", "7", "grass", "gravel", "G", "flag",
        ] {
            symbols.learn(text);
        }
        symbols.learn("grass");
        let known: Vec<(&str, char)> = symbols.all().collect();
        assert_eq!(
            known,
            [
                ("7", '7'),
                ("G", '@'),
                ("closed", '■'),
                ("flag", 'F'),
                ("grass", 'G'),
                ("gravel", 'g'),
                ("open_0", ' '),
                ("open_3", '3'),
            ]
        );
        symbols.learn("open_blast");
        assert_eq!(symbols.get("open_blast"), 'X');
        assert_eq!(face("open_blast"), Face::Blast);
        assert_eq!(face("open_3"), Face::Number(3));
        assert_eq!(face("open_0"), Face::Blank);
        assert_eq!(face("grass"), Face::Other);
        assert_eq!(symbols.get("never seen"), '?');
        assert_eq!(digit("level_12"), None);
    }

    #[test]
    fn a_name_has_one_colour() {
        assert_eq!(tint("Yew"), tint("Yew"));
        assert_ne!(tint("Yew"), tint("Oak"));
        assert_eq!(tint("BLUE TEAM"), Tint::Blue);
        assert_eq!(sign("BLUE TEAM"), '●');
    }
}
