//! Visiting the values of a frame, by the [table](crate::members) of members: viewing or editing them.
//!
//! This defines which kind of member is passed to which method. The visitor decides what to do.

use crate::field::Field;
use crate::members::{
    Kind, Member, bones_members, disc_members, last_score_members, last_throw_members, member,
    pause_members, player_members, session_members, skeleton_members, stats_members, team_members,
};
use crate::model::{
    Bones, Disc, Holding, LastScore, LastThrow, Pause, Player, PlayerBones, Pose, Session, Stats,
    Team, Vec3,
};
use compact_str::CompactString;

/// Defines a visitor and the trait of visited objects; with `mut` for editing.
macro_rules! visits {
    ($(#[$doc:meta])* $visitor:ident $visited:ident $visit:ident [$($m:ident)?]) => {
        $(#[$doc])*
        // An editor may change the option, too.
        #[allow(clippy::ref_option)]
        pub(crate) trait $visitor {
            /// A number with a fraction.
            fn number(&mut self, _: &Member, _: &$($m)? f32) {}
            /// Three numbers that are not part of a pose.
            fn velocity(&mut self, _: &Member, _: &$($m)? Vec3) {}
            fn pose(&mut self, _: &Member, _: &$($m)? Pose) {}
            /// The numbers of bones, one after another.
            fn bones(&mut self, _: &$($m)? [f32]) {}
            fn whole(&mut self, _: &Member, _: &$($m)? i32) {}
            /// A person's name; see [`TURNS`](crate::members::TURNS).
            fn name(&mut self, _turn: u8, _: &$($m)? CompactString) {}
            /// A person's user id.
            fn account(&mut self, _turn: u8, _: &$($m)? u64) {}
            /// The content of a hand, which may be a user id.
            fn hand(&mut self, _turn: u8, _: &$($m)? Option<Holding>) {}
            /// The address of the server.
            fn address(&mut self, _: &$($m)? CompactString) {}
            /// The description of an error, which could contain anything.
            fn said(&mut self, _: &$($m)? CompactString) {}
        }

        pub(crate) trait $visited {
            fn $visit(&$($m)? self, visitor: &mut impl $visitor);
        }

        visits! { each $visited $visit $visitor [$($m)?] (&$($m)? self) self }
    };
    (each $($how:tt)*) => {
        session_members! { visited Session $($how)* }
        disc_members! { visited Disc $($how)* }
        pause_members! { visited Pause $($how)* }
        last_score_members! { visited LastScore $($how)* }
        last_throw_members! { visited LastThrow $($how)* }
        team_members! { visited Team $($how)* }
        player_members! { visited Player $($how)* }
        stats_members! { visited Stats $($how)* }
        bones_members! { visited Bones $($how)* }
        skeleton_members! { visited PlayerBones $($how)* }
    };
}

/// Visits the members of an object.
macro_rules! visited {
    (
        $type:ident $visited:ident $visit:ident $visitor:ident $m:tt
        ($($receiver:tt)*) $self:ident
        $(
            $name:literal: $kind:ident $place:tt $(in $unit:literal)?,
            $doc:literal $(, $attr:ident $value:tt)*;
        )*
    ) => {
        impl $visited for $type {
            #[inline]
            fn $visit($($receiver)*, visitor: &mut impl $visitor) {
                $(visit! {
                    $kind $place [$self visitor $visit $m (&member!($name $kind $place [$($unit)?] $doc, $($attr $value)*))]
                })*
            }
        }
    };
}

/// The method for each kind of member.
macro_rules! visit {
    (number ($($p:tt).+) [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        $v.number($known, &$($m)? $t.$($p).+);
    };
    (points $($rest:tt)*) => { visit! { number $($rest)* } };
    (velocity ($p:ident) [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        $v.velocity($known, &$($m)? $t.$p);
    };
    // A pose is visited once, at its position.
    (vector ($p:ident.position) [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        $v.pose($known, &$($m)? $t.$p);
    };
    (limb ($p:ident, $nth:literal, $position:ident)
        [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        $v.pose($known, &$($m)? $t.$p);
    };
    (playspace ($p:ident) [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        if let Some(pose) = &$($m)? $t.$p {
            $v.pose($known, pose);
        }
    };
    (bones ($p:ident) [$t:ident $v:ident view [] $known:tt]) => {
        $v.bones($t.$p.as_flattened());
    };
    (bones ($p:ident) [$t:ident $v:ident edit [mut] $known:tt]) => {
        $v.bones($t.$p.as_flattened_mut());
    };
    (whole ($p:ident) [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        $v.whole($known, &$($m)? $t.$p);
    };
    (account ($p:ident) [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        $v.account(1, &$($m)? $t.$p);
    };
    (address ($p:ident) [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        $v.address(&$($m)? $t.$p);
    };
    (said ($p:ident) [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        if let Some(said) = &$($m)? $t.$p {
            $v.said(said);
        }
    };
    (name ($p:ident, $turn:literal) [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        $v.name($turn, &$($m)? $t.$p);
    };
    (maybe_name ($p:ident, $turn:literal)
        [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        if let Some(name) = &$($m)? $t.$p {
            $v.name($turn, name);
        }
    };
    (hand ($p:ident, $turn:literal) [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        $v.hand($turn, &$($m)? $t.$p);
    };

    (part (number $whole:ident.$p:ident)
        [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        if let Some(whole) = &$($m)? $t.$whole {
            $v.number($known, &$($m)? whole.$p);
        }
    };
    (object ($p:ident $(, $which:expr)?)
        [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        if let Some(object) = &$($m)? $t.$p {
            object.$visit($v);
        }
    };
    (stats $($rest:tt)*) => { visit! { object $($rest)* } };
    (teams ($p:ident) [$t:ident $v:ident $visit:ident [$($m:ident)?] $known:tt]) => {
        for object in &$($m)? $t.$p {
            object.$visit($v);
        }
    };
    (players $($rest:tt)*) => { visit! { teams $($rest)* } };
    (skeletons $($rest:tt)*) => { visit! { teams $($rest)* } };

    // Not visited: flags, words, texts that identify no person, and the like.
    ($kind:ident $place:tt $how:tt) => {};
}

visits! {
    /// Views values.
    Viewer Viewed view []
}
visits! {
    /// Changes values.
    Editor Edited edit [mut]
}
