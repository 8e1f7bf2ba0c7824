//! The whole numbers of [`Stats`] as an array.

use crate::members::stats_members;
use crate::model::Stats;

macro_rules! counts {
    (
        "possession_time": number $time:tt in $seconds:literal,
        $of_time:literal $(, $a:ident $v:tt)*;
        $($name:literal: whole ($count:ident), $doc:literal $(, $attr:ident $value:tt)*;)*
    ) => {
        /// Their names in the API, in the order of [`counts`].
        pub(crate) const COUNT_NAMES: [&str; COUNTS] = [$($name),*];

        /// The number of counts.
        pub(crate) const COUNTS: usize = [$($name),*].len();

        /// Returns all numbers except the time of possession.
        pub(crate) const fn counts(stats: &Stats) -> [i32; COUNTS] {
            [$(stats.$count),*]
        }

        /// The inverse of [`counts`].
        pub(crate) const fn from_counts(possession_time: f32, counts: [i32; COUNTS]) -> Stats {
            let [$($count),*] = counts;
            Stats { possession_time, $($count),* }
        }
    };
}

stats_members! { counts }
