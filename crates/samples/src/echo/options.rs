//! The options of a match.

use std::time::Duration;

use gametape_echo::{Game, Time};

/// The properties of a generated match.
#[derive(Clone, PartialEq, Eq, Debug)]
// The flags are independent of each other.
#[allow(clippy::struct_excessive_bools)]
pub struct MatchOptions {
    /// Decides everything that the other options leave open.
    pub seed: u64,
    /// Arena or combat; any other game is treated as arena.
    pub game: Game,
    /// The frame rate in Hz, 1 to 1000. Recorders use 10, 15, 30 or 60.
    pub rate_hz: u32,
    /// The number of frames. If a match ends before, another one begins in the same session. `None`
    /// means one whole match, however long it takes (about a quarter of an hour; see also
    /// [`MatchOptions::lasting`]).
    pub frames: Option<u64>,
    /// The number of players in each team, 1 to 16.
    pub players_per_team: u8,
    /// The number of spectators, 0 to 16.
    pub spectators: u8,
    /// Whether frames have the bones of every player.
    pub bones: bool,
    /// A private match: three rounds of five minutes instead of one of ten, and rules that may be
    /// changed.
    pub private: bool,
    /// The time of the first frame.
    pub start: Time,
    /// Whether players leave, others join, and spectators look in.
    pub joins: bool,
    /// Whether teams request pauses (arena only).
    pub pauses: bool,
}

impl Default for MatchOptions {
    /// A public arena match, 5 against 5, at 30 Hz, without bones, from start to end. People join
    /// and leave; there are no pauses.
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
    /// The same options with the number of frames that are recorded within `duration`.
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
