//! The personal data of a recording.

/// A kind of data that tells who played a game, or when.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Personal {
    /// The player's name.
    Name,
    /// The player's nickname.
    Nick,
    /// The player's country.
    Country,
    /// The token: a secret.
    Token,
    /// The time at which the board was generated.
    Date,
    /// Extension properties: an id, a path on the player's disk, anything that the program stores
    /// there. `clone_name`, which names the program, does not count.
    Extensions,
}

impl Personal {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Name,
        Self::Nick,
        Self::Country,
        Self::Token,
        Self::Date,
        Self::Extensions,
    ];

    /// The words of [`Personal::word`], in the same order.
    pub const WORDS: &[&str] = &["name", "nick", "country", "token", "date", "extensions"];

    /// `name`, `nick`, `country`, `token`, `date` or `extensions`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Nick => "nick",
            Self::Country => "country",
            Self::Token => "token",
            Self::Date => "date",
            Self::Extensions => "extensions",
        }
    }

    /// The kind with this [word](Personal::word).
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|what| what.word() == word)
    }

    /// Its name as used in sentences.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "the player's name",
            Self::Nick => "the player's nickname",
            Self::Country => "the player's country",
            Self::Token => "the player's token",
            Self::Date => "the time the board was made",
            Self::Extensions => "extension properties",
        }
    }

    /// The kind of the player field at this position. An undefined field is treated as a secret,
    /// like the token.
    pub(super) fn of_field(at: usize) -> Self {
        let fields = [Self::Name, Self::Nick, Self::Country];
        fields.get(at).copied().unwrap_or(Self::Token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_all() {
        assert!(Personal::ALL.map(Personal::word).iter().eq(Personal::WORDS));
        assert_eq!(Personal::from_word("date"), Some(Personal::Date));
        assert_eq!(Personal::from_word("dates"), None);
    }
}
