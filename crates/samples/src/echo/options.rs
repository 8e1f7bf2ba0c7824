//! What a match is made with.

use std::time::Duration;

use gametape_echo::{Game, Time};

/// What kind of match is made.
#[derive(Clone, PartialEq, Eq, Debug)]
// Each is a question of its own.
#[allow(clippy::struct_excessive_bools)]
pub struct MatchOptions {
    /// Decides everything that the other options leave open.
    pub seed: u64,
    /// Arena or combat; anything else is taken as arena.
    pub game: Game,
    /// Frames a second, 1 to 1000. Recorders use 10, 15, 30 or 60.
    pub rate_hz: u32,
    /// How many frames. Where a match is over before, another begins in the same session. `None`:
    /// one whole match, however long it takes (about a quarter of an hour; see also
    /// [`MatchOptions::lasting`]).
    pub frames: Option<u64>,
    /// Players in each team, 1 to 16.
    pub players_per_team: u8,
    /// Spectators, 0 to 16.
    pub spectators: u8,
    /// With the bones of every player.
    pub bones: bool,
    /// A private match: three rounds of five minutes instead of one of ten, and rules that
    /// somebody may change.
    pub private: bool,
    /// When the first frame is recorded.
    pub start: Time,
    /// Players leave, others join, a spectator looks in.
    pub joins: bool,
    /// Teams ask for pauses. Arena.
    pub pauses: bool,
}

impl Default for MatchOptions {
    /// A public arena match, 5 against 5, at 30 Hz, without bones, from start to end; people join
    /// and leave, nobody pauses.
    fn default() -> Self {
        Self {
            seed: 0,
            game: Game::Arena,
            rate_hz: 30,
            frames: None,
            players_per_team: 5,
            spectators: 0,
            bones: false,
            private: false,
            // 2022-01-02 03:00:00.
            start: Time(1_641_092_400_000),
            joins: true,
            pauses: false,
        }
    }
}

impl MatchOptions {
    /// The same with as many frames as are recorded within `duration`.
    ///
    /// ```
    /// use gametape_samples::echo::MatchOptions;
    /// use std::time::Duration;
    ///
    /// let options = MatchOptions::default().lasting(Duration::from_hours(2));
    /// assert_eq!(options.frames, Some(216_000));
    /// ```
    #[must_use]
    pub fn lasting(mut self, duration: Duration) -> Self {
        let frames = duration.as_millis() * u128::from(self.rate()) / 1000;
        self.frames = Some(u64::try_from(frames).unwrap_or(u64::MAX));
        self
    }

    pub(super) fn rate(&self) -> u32 {
        self.rate_hz.clamp(1, 1000)
    }
}
