//! The whole numbers of [`Stats`], one by one.

use crate::model::Stats;

/// How many whole numbers [`Stats`] has.
pub(crate) const COUNTS: usize = 11;

macro_rules! counts {
    ($($count:ident)*) => {
        /// Their names in the API, in the order of [`counts`].
        pub(crate) const COUNT_NAMES: [&str; COUNTS] = [$(stringify!($count)),*];

        /// All but the time of possession.
        pub(crate) const fn counts(stats: &Stats) -> [i32; COUNTS] {
            [$(stats.$count),*]
        }

        /// The reverse of [`counts`].
        pub(crate) const fn from_counts(possession_time: f32, counts: [i32; COUNTS]) -> Stats {
            let [$($count),*] = counts;
            Stats { possession_time, $($count),* }
        }
    };
}

counts! {
    points saves goals stuns passes catches steals blocks interceptions assists shots_taken
}
