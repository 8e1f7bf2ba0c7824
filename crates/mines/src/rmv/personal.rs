//! What of a recording says who played.

/// What says who played a game, or when.
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
    /// When the board was made.
    Date,
    /// Extension properties: an id, a path on the player's disk, whatever the program puts there.
    /// `clone_name`, which names the program, is none of it.
    Extensions,
}

impl Personal {
    /// All of it.
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

    /// What a word stands for.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|what| what.word() == word)
    }

    /// What a sentence calls it.
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

    /// What a player field is; one that nobody has defined is as secret as the token.
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
