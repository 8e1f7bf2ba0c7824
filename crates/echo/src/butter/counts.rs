//! The counts of stats in the order of the format. Stuns, which have two bytes, stand apart.

use super::state::StatsState;
use crate::model::Stats;

macro_rules! counts {
    ($($name:ident)*) => {
        /// Those of the model.
        pub const fn counts(stats: &Stats) -> [i32; 10] {
            [$(stats.$name,)*]
        }

        /// What a reader has, as the model has it.
        #[inline]
        pub fn stats(state: &StatsState) -> Stats {
            let [$($name,)*] = state.counts.map(i32::from);
            Stats {
                possession_time: state.possession_time,
                stuns: state.stuns.into(),
                $($name,)*
            }
        }
    };
}

counts! {
    assists blocks catches goals interceptions passes points saves steals shots_taken
}
