//! A symbol for each text that stands in the cells of a grid.

use std::collections::BTreeMap;

/// Symbols by text: each keeps the one that it was given.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Symbols {
    known: BTreeMap<String, char>,
}

/// What people know a word by, whatever the grid.
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
/// What is left where a text's own letters are taken.
const OTHERS: &str = "@%&+=$#~^<>/\\|:;abcdefghijklmnopqrstuvwxyzABCDEGHIJKLMNOPQRSTUVWYZ";

/// What follows the last underscore of `open_3`, or a whole text, where it is one digit.
fn digit(text: &str) -> Option<char> {
    let last = text.rsplit('_').next().unwrap_or(text);
    let mut letters = last.chars();
    let digit = letters.next().filter(char::is_ascii_digit)?;
    letters.next().is_none().then_some(digit)
}

/// What people see in a cell by the word that stands in it, whatever the grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Face {
    /// A number of one digit.
    Number(u8),
    /// Open, and nothing in it.
    Blank,
    Closed,
    Pressed,
    Wall,
    Flag,
    Mine,
    Blast,
    Question,
    /// A word of its own.
    Other,
}

/// The part of a word that people know: `blast` of `open_blast`.
fn word(text: &str) -> &str {
    text.strip_prefix("open_").unwrap_or(text)
}

/// What people see in a cell.
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
    /// The symbol of a text that was learnt.
    pub fn get(&self, text: &str) -> char {
        self.known.get(text).copied().unwrap_or('?')
    }

    /// Texts and their symbols.
    #[cfg(feature = "play")]
    pub fn all(&self) -> impl Iterator<Item = (&str, char)> {
        self.known.iter().map(|(text, symbol)| (&**text, *symbol))
    }

    /// Gives a text a symbol, if it has none.
    pub fn learn(&mut self, text: &str) {
        if self.known.contains_key(text) {
            return;
        }
        let own = word(text);
        let word = WORDS.iter().find(|(word, _)| *word == own);
        let symbol = match (word, digit(text)) {
            (Some((_, symbol)), _) => *symbol,
            // Nothing is what nobody has to read.
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
        let told: Vec<(&str, char)> = symbols.all().collect();
        assert_eq!(
            told,
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
}
