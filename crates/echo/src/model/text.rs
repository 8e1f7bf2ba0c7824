//! Values that the API spells as text, with their codes in .butter.

use std::fmt;

use compact_str::CompactString;
use gametape_core::{Datum, ToDatum};

/// Defines an enum over texts: the value for an absent member, each known text with its code in .butter,
/// and `Other` for the rest, which an .echoreplay can store and a .butter can't.
macro_rules! texts {
    ($(
        $(#[$doc:meta])*
        $name:ident or $none:literal { $($(#[$vdoc:meta])* $variant:ident = $text:literal $(, $code:literal)?;)* }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$vdoc])* #[doc = concat!("`", $text, "`")] $variant,)*
            /// Another text.
            Other(CompactString),
        }

        impl $name {
            /// As the API spells it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Other(text) => text,
                }
            }

            /// Its code in .butter; `None` if it has none.
            #[must_use]
            pub const fn code(&self) -> Option<u8> {
                match self {
                    $($(Self::$variant => Some($code),)?)*
                    #[allow(unreachable_patterns)]
                    _ => None,
                }
            }

            /// The value with this code in .butter.
            #[must_use]
            pub const fn from_code(code: u8) -> Option<Self> {
                match code {
                    $($($code => Some(Self::$variant),)?)*
                    _ => None,
                }
            }
        }

        /// The value of an absent member.
        impl Default for $name {
            fn default() -> Self {
                Self::from($none)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)*
                    other => Self::Other(other.into()),
                }
            }
        }

        impl ToDatum for $name {
            fn to_datum(&self) -> Datum {
                self.as_str().to_datum()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    )*};
}

texts! {
    /// The phase of the match.
    GameStatus or "" {
        /// Lobby, and combat between rounds.
        Empty = "", 1;
        PreMatch = "pre_match", 2;
        RoundStart = "round_start", 3;
        Playing = "playing", 4;
        Score = "score", 5;
        RoundOver = "round_over", 6;
        PostMatch = "post_match", 7;
        PreSuddenDeath = "pre_sudden_death", 8;
        SuddenDeath = "sudden_death", 9;
        PostSuddenDeath = "post_sudden_death", 10;
    }

    /// Whether the match is paused.
    PausedState or "none" {
        Unpaused = "unpaused", 0;
        Paused = "paused", 1;
        Unpausing = "unpausing", 2;
        Pausing = "pausing", 3;
        /// Combat.
        None = "none", 4;
        /// Without a code of its own.
        PausedRequested = "paused_requested";
    }

    /// A team, where the API names one.
    TeamId or "none" {
        Blue = "blue", 0;
        Orange = "orange", 1;
        Spectator = "spectator", 2;
        None = "none", 3;
    }

    /// The kind of a goal.
    GoalType or "unknown" {
        BounceShot = "BOUNCE SHOT", 1;
        InsideShot = "INSIDE SHOT", 2;
        LongBounceShot = "LONG BOUNCE SHOT", 3;
        LongShot = "LONG SHOT", 4;
        SelfGoal = "SELF GOAL", 5;
        SlamDunk = "SLAM DUNK", 6;
        BumperShot = "BUMPER SHOT", 7;
        Headbutt = "HEADBUTT", 8;
        NoGoal = "[NO GOAL]";
        Invalid = "[INVALID]";
        Unknown = "unknown", 0;
    }

    /// The weapon of a combat loadout.
    Weapon or "" {
        /// Meteor.
        Rocket = "rocket", 0;
        /// Nova.
        Blaster = "blaster", 1;
        /// Comet.
        Scout = "scout", 2;
        /// Pulsar.
        Assault = "assault", 3;
    }

    /// The ordnance of a combat loadout.
    Ordnance or "" {
        /// Stun field.
        Stun = "stun", 0;
        /// Detonator.
        Det = "det", 1;
        /// Instant repair.
        Burst = "burst", 2;
        /// Arc mine.
        Arc = "arc", 3;
    }

    /// The tac-mod of a combat loadout.
    TacMod or "" {
        /// Threat scanner.
        Sensor = "sensor", 0;
        /// Phase shift.
        Wraith = "wraith", 1;
        /// Repair matrix.
        Heal = "heal", 2;
        /// Energy barrier.
        Shield = "shield", 3;
    }

    /// The arm with the tac-mod.
    Arm or "" {
        Left = "Left", 0;
        Right = "Right", 1;
    }

    /// The map, which determines the kind of game. The code is that of a .butter's header.
    Map or "" {
        Lobby = "mpl_lobby_b2", 1;
        Arena = "mpl_arena_a", 2;
        Fission = "mpl_combat_fission", 3;
        Combustion = "mpl_combat_combustion", 4;
        Dyson = "mpl_combat_dyson", 5;
        Gauss = "mpl_combat_gauss", 6;
        TutorialArena = "mpl_tutorial_arena", 7;
        /// A map without a code, in a .butter.
        Uncoded = "uncoded", 0;
    }
}

impl TeamId {
    /// The team at this index of the session's `teams`; `None` above 2.
    pub(crate) fn at(index: usize) -> Self {
        let code = u8::try_from(index).ok();
        code.and_then(Self::from_code).unwrap_or_default()
    }
}

/// The kind of game played on a map. It decides what a .butter stores.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Game {
    /// `mpl_arena_a`.
    Arena,
    /// The four combat maps.
    Combat,
    /// Lobby, tutorial and all others.
    Other,
}

impl Map {
    /// The kind of game played on it.
    #[must_use]
    pub const fn game(&self) -> Game {
        match self {
            Self::Arena => Game::Arena,
            Self::Fission | Self::Combustion | Self::Dyson | Self::Gauss => Game::Combat,
            _ => Game::Other,
        }
    }
}

/// The content of a hand.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Holding {
    /// `none`: the hand is empty.
    #[default]
    None,
    /// `geo`: a part of the level.
    Geo,
    /// `disc`: the disc of the match.
    Disc,
    /// A number: the `playerid` of the player held (recorders before 2022: the user id).
    Number(u64),
    /// Another text.
    Other(CompactString),
}

impl From<&str> for Holding {
    fn from(text: &str) -> Self {
        match text {
            "none" => Self::None,
            "geo" => Self::Geo,
            "disc" => Self::Disc,
            other => match other.parse() {
                // Only if writing it gives the same text.
                Ok(number) if !(other.starts_with(['0', '+']) && other.len() > 1) => {
                    Self::Number(number)
                }
                _ => Self::Other(other.into()),
            },
        }
    }
}

impl fmt::Display for Holding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.pad("none"),
            Self::Geo => f.pad("geo"),
            Self::Disc => f.pad("disc"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Other(text) => f.pad(text),
        }
    }
}
