//! The whole numbers of [`Stats`], one by one.

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

        /// How many there are.
        pub(crate) const COUNTS: usize = [$($name),*].len();

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

stats_members! { counts }
