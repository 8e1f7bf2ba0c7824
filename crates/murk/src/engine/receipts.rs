//! The outcome of each command of a tick.

use murk_core::{IngressError, Receipt};

/// The outcome of a command.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// It wrote its value.
    Applied,
    /// It had expired.
    Expired,
    /// The engine does not apply commands of its kind.
    Unsupported,
    /// Its coordinate or its field can't be written.
    NotApplied,
    /// The queue was full, or the engine makes no more ticks.
    Refused,
    /// It would have written its value, but the tick failed.
    RolledBack,
}

impl Outcome {
    /// All outcomes, in the order of [`Receipts::counts`].
    pub const ALL: [Self; 6] = [
        Self::Applied,
        Self::Expired,
        Self::Unsupported,
        Self::NotApplied,
        Self::Refused,
        Self::RolledBack,
    ];

    /// Returns `applied`, `expired`, `unsupported`, `not_applied`, `refused` or `rolled_back`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Expired => "expired",
            Self::Unsupported => "unsupported",
            Self::NotApplied => "not_applied",
            Self::Refused => "refused",
            Self::RolledBack => "rolled_back",
        }
    }

    fn of(receipt: &Receipt) -> Self {
        match receipt.reason_code {
            None => Self::Applied,
            Some(IngressError::Stale) => Self::Expired,
            Some(IngressError::UnsupportedCommand) => Self::Unsupported,
            Some(IngressError::NotApplied) => Self::NotApplied,
            Some(IngressError::TickRollback) => Self::RolledBack,
            Some(
                IngressError::QueueFull | IngressError::TickDisabled | IngressError::ShuttingDown,
            ) => Self::Refused,
        }
    }
}

/// The outcomes of the commands of the last tick, in the order in which they were submitted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Receipts(Vec<Outcome>);

impl Receipts {
    /// Returns the outcome of each command.
    #[must_use]
    pub fn outcomes(&self) -> &[Outcome] {
        &self.0
    }

    /// Returns the number of commands with this outcome.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        self.0.iter().filter(|&&one| one == outcome).count()
    }

    /// Returns the number of commands with each outcome, in the order of [`Outcome::ALL`].
    #[must_use]
    pub fn counts(&self) -> [usize; 6] {
        Outcome::ALL.map(|outcome| self.count(outcome))
    }

    /// Starts with `commands` refused commands; those that the engine takes get receipts.
    pub(super) fn reset(&mut self, commands: usize) {
        self.0.clear();
        self.0.resize(commands, Outcome::Refused);
    }

    pub(super) fn fill(&mut self, receipts: &[Receipt]) {
        for receipt in receipts {
            if let Some(outcome) = self.0.get_mut(receipt.command_index) {
                *outcome = Outcome::of(receipt);
            }
        }
    }
}
