//! The parts of the rules that are not published.

/// Why a recording may differ from the standard rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Doubt {
    /// The middle button is used, or it was used and other buttons have been held since.
    MiddleButton,
    /// Question marks are pressed, or would be opened.
    QuestionMarks,
    /// A chord opened a mine, and then more of its cells.
    LostChord,
    /// A chord or a flag continues by itself, as the game's mode allows.
    Recursion,
    /// The right button was pressed while the left one was held, with the cursor beside the board,
    /// or on a flag after a chord that the right button had ended.
    RightWhileLeft,
}

impl Doubt {
    /// `middle_button`, `question_marks`, `lost_chord`, `recursion` or `right_while_left`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MiddleButton => "middle_button",
            Self::QuestionMarks => "question_marks",
            Self::LostChord => "lost_chord",
            Self::Recursion => "recursion",
            Self::RightWhileLeft => "right_while_left",
        }
    }

    /// The unpublished rule, as half a sentence.
    #[must_use]
    pub const fn why(self) -> &'static str {
        match self {
            Self::MiddleButton => "the specification leaves the middle button open",
            Self::QuestionMarks => "no public recording shows question marks",
            Self::LostChord => "the order in which a lost chord opens its cells is not published",
            Self::Recursion => "how far chords and flags of this mode continue is not published",
            Self::RightWhileLeft => {
                "that the right button turns a held left button into a chord there is our reading, \
                 and no public recording shows it"
            }
        }
    }
}
