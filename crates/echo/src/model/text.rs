//! Values that the API spells as text, and their codes in .butter.

use std::fmt;

use compact_str::CompactString;
use gametape_core::{Datum, ToDatum};

/// Defines an enum over texts: the one that stands for none, each known one with its code in .butter, and
/// `Other` for the rest, which an .echoreplay keeps and a .butter can't.
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

            /// Its code in .butter; `None` where it has none.
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

        /// What stands for a member that is not there.
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
    /// What the match is doing.
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
        /// Has no code of its own.
        PausedRequested = "paused_requested";
    }

    /// A team where the API names one.
    TeamId or "none" {
        Blue = "blue", 0;
        Orange = "orange", 1;
        Spectator = "spectator", 2;
        None = "none", 3;
    }

    /// How a goal was made.
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

    /// Weapon of a combat loadout.
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

    /// Ordnance of a combat loadout.
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

    /// Tac-mod of a combat loadout.
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

    /// The arm that carries the tac-mod.
    Arm or "" {
        Left = "Left", 0;
        Right = "Right", 1;
    }

    /// The map, and with it the kind of game. The code is that of the header of a .butter.
    Map or "" {
        Lobby = "mpl_lobby_b2", 1;
        Arena = "mpl_arena_a", 2;
        Fission = "mpl_combat_fission", 3;
        Combustion = "mpl_combat_combustion", 4;
        Dyson = "mpl_combat_dyson", 5;
        Gauss = "mpl_combat_gauss", 6;
        TutorialArena = "mpl_tutorial_arena", 7;
        /// What a .butter says of a map without a code.
        Uncoded = "uncoded", 0;
    }
}

/// What is played on a map: it decides what a .butter stores.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Game {
    /// `mpl_arena_a`.
    Arena,
    /// The four combat maps.
    Combat,
    /// Lobby, tutorial and whatever else.
    Other,
}

impl Map {
    /// What is played on it.
    #[must_use]
    pub const fn game(&self) -> Game {
        match self {
            Self::Arena => Game::Arena,
            Self::Fission | Self::Combustion | Self::Dyson | Self::Gauss => Game::Combat,
            _ => Game::Other,
        }
    }
}

/// What a player holds in a hand.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Holding {
    /// `none`: the hand is empty.
    #[default]
    None,
    /// `geo`: the level.
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
                // Only where writing it gives the same text.
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
