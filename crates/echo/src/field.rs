//! The fields of a frame, as comparisons and reports name them.

/// How much of a field a .butter keeps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kept {
    /// A number, rounded.
    Rounded,
    /// A whole number, unchanged.
    Whole,
    /// Another value, unchanged.
    Same,
    /// The first value of the file, for all frames.
    Once,
    /// Nothing: it has no place in the file.
    Nothing,
}

macro_rules! fields {
    ($($kept:ident { $($name:ident = $text:literal, $unit:literal;)* })*) => {
        /// A field of a frame. Some fields stand for several similar members, such as both hands.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Field {
            $($(#[doc = concat!("The ", $text, ".")] $name,)*)*
        }

        impl Field {
            /// All fields, in the order of reports.
            pub const ALL: &'static [Self] = &[$($(Self::$name,)*)*];

            /// The number of fields.
            pub(crate) const COUNT: usize = Self::ALL.len();

            /// The name in reports and `--json`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $($(Self::$name => $text,)*)* }
            }

            /// The unit; empty for none.
            #[must_use]
            pub const fn unit(self) -> &'static str {
                match self { $($(Self::$name => $unit,)*)* }
            }

            /// How much a .butter keeps.
            #[must_use]
            pub const fn kept(self) -> Kept {
                match self { $($(Self::$name => Kept::$kept,)*)* }
            }
        }
    };
}

fields! {
    Rounded {
        HeadPosition = "head position", "m";
        BodyPosition = "body position", "m";
        HandPosition = "hand position", "m";
        DiscPosition = "disc position", "m";
        PlayspacePosition = "playspace position", "m";
        HeadRotation = "head rotation", "deg";
        BodyRotation = "body rotation", "deg";
        HandRotation = "hand rotation", "deg";
        DiscRotation = "disc rotation", "deg";
        PlayspaceRotation = "playspace rotation", "deg";
        PlayerVelocity = "player velocity", "m/s";
        DiscVelocity = "disc velocity", "m/s";
        BonePosition = "bone position", "m";
        BoneRotation = "bone rotation", "deg";
        GameClock = "game clock", "s";
        PossessionTime = "possession time", "s";
        PacketLoss = "packet loss", "";
        Throw = "last throw", "";
        ScoreSpeed = "last score's disc speed", "m/s";
        ScoreDistance = "last score's distance", "m";
        PauseTimer = "pause timers", "s";
        CombatPoints = "points in combat", "";
        PayloadDistance = "payload distance", "m";
        PayloadSpeed = "payload speed", "m/s";
    }
    Whole {
        Time = "time", "ms";
        Points = "points in the arena", "";
        Counts = "stats", "";
        Ping = "ping", "ms";
        PlayerId = "playerid", "";
        PayloadCounts = "payload checkpoint and defenders", "";
    }
    Same {
        SessionId = "session id", "";
        SessionIp = "address of the server", "";
        ClientName = "client name", "";
        MapName = "map", "";
        PrivateMatch = "private match", "";
        Status = "game status", "";
        Inputs = "inputs, pressed or not", "";
        RestartRequests = "restart requests", "";
        PauseState = "pause state", "";
        PauseTeams = "teams that pause and unpause", "";
        ScoreTeam = "last score's team", "";
        GoalType = "goal type", "";
        ScorePoints = "last score's points", "";
        Scorers = "scorer and assist", "";
        Contested = "payload contested", "";
        RulesChanged = "rules changed by and at", "";
        TeamPossession = "possession of a team", "";
        Name = "player name", "";
        UserId = "user id", "";
        PlayerFlags = "what a player is doing", "";
        Holding = "what a hand holds", "";
        Loadout = "loadout", "";
        Orientation = "orientation, there or not", "";
        Presence = "members, there or not", "";
        Players = "number of players of a team", "";
        Teams = "number of teams", "";
        BonePlayers = "number of players with bones", "";
    }
    Once {
        Number = "player number", "";
        Level = "player level", "";
        RoundScores = "rounds won", "";
        RoundCount = "number of rounds", "";
    }
    Nothing {
        SessionIdCase = "case of the session id", "";
        TeamName = "team names", "";
        MatchType = "match type", "";
        TournamentMatch = "tournament match", "";
        ClockDisplay = "clock as shown", "";
        Possession = "possession by place", "";
        BounceCount = "bounce count", "";
        AnalogueInputs = "inputs pressed in part", "";
        PayloadMultiplier = "payload multiplier", "";
        ApiError = "error of the API", "";
        PointsElsewhere = "points outside of arena and combat", "";
        LastScoreElsewhere = "last score outside of the arena", "";
        DiscElsewhere = "disc outside of the arena", "";
        PayloadElsewhere = "payload outside of combat", "";
        RulesElsewhere = "rules outside of private arena matches", "";
        HoldingElsewhere = "what hands hold outside of the arena", "";
        LoadoutElsewhere = "loadout outside of combat", "";
        UnknownMembers = "unknown members", "";
        MissingMembers = "missing members", "";
    }
}
