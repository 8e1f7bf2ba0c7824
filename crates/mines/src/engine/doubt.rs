//! What nobody has published.

/// Why a recording may differ from the standard rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Doubt {
    /// The middle button is used, or was and other buttons have been held since.
    MiddleButton,
    /// Question marks are pressed, or would be opened.
    QuestionMarks,
    /// A chord has opened a mine, and others of its squares after it.
    LostChord,
    /// A chord or a flag goes on by itself, as the game's mode says.
    Recursion,
    /// The right button went down while the left one was held, elsewhere than on an open square.
    RightWhileLeft,
    /// A button went down or up in another square than that of the event before.
    ButtonElsewhere,
}

impl Doubt {
    /// `middle_button`, `question_marks`, `lost_chord`, `recursion`, `right_while_left` or
    /// `button_elsewhere`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MiddleButton => "middle_button",
            Self::QuestionMarks => "question_marks",
            Self::LostChord => "lost_chord",
            Self::Recursion => "recursion",
            Self::RightWhileLeft => "right_while_left",
            Self::ButtonElsewhere => "button_elsewhere",
        }
    }

    /// What is not published, as half a sentence.
    #[must_use]
    pub const fn why(self) -> &'static str {
        match self {
            Self::MiddleButton => "the specification leaves the middle button open",
            Self::QuestionMarks => "no public recording shows question marks",
            Self::LostChord => "in which order a lost chord opens its squares is not published",
            Self::Recursion => "how far chords and flags of this mode go on is not published",
            Self::RightWhileLeft => {
                "that a right button makes a chord of a held left one there is our reading, and \
                 public recordings show it on open squares alone"
            }
            Self::ButtonElsewhere => {
                "that a button acts where its event is, and not where the cursor was, is our \
                 reading, and no public recording shows the two apart"
            }
        }
    }
}
