//! Columns made of the members of the API's answers.

use gametape_core::table::{Field, Kind, Rows};

use crate::members;

/// Defines the columns of a table, in their order: the name and kind of each, perhaps its unit and what else there is
/// to it, its documentation, and how to get its value from a row. Columns that are defined elsewhere come last.
macro_rules! fields {
    (
        $rows:ty;
        $(
            $name:expr => $kind:ident $(in $unit:literal)? $([$($how:ident $(($($with:tt)*))?)*])?,
            $doc:expr, |$row:ident| $value:expr;
        )*
        $(@ $($other:expr),*)?
    ) => {
        &[
            $(
                Field::<$rows>::new($name, Kind::$kind, $doc, |$row| $value.into())
                    $(.unit($unit))?
                    $($(.$how($($($with)*)?))*)?,
            )*
            $($($other,)*)?
        ]
    };
}
pub(super) use fields;

/// The columns of a vector.
pub struct Axes<T: Rows> {
    pub x: Field<T>,
    pub y: Field<T>,
    pub z: Field<T>,
}

/// Defines a type with a constant for each [member](crate::members) that has a column. The constant has the
/// member's name in the model. `$to` says how a row leads to the object. The tables give the order of the
/// columns; a column without a table is dead code.
macro_rules! columns {
    (
        $object:ident $rows:ident $to:ident
        $(
            $name:literal: $kind:ident $place:tt $(in $unit:literal)?,
            $doc:literal $(, $attr:ident $value:tt)*;
        )*
    ) => {
        #[allow(non_camel_case_types)]
        enum $object {}

        impl $object {
            $(one_column! {
                [$rows $to $kind $place (concat!("" $(, $unit)?)) $doc $name] $($attr $value)*
            })*
        }
    };
}
pub(super) use columns;

/// Defines a function that returns the part of a frame that a column needs.
macro_rules! column_parts {
    (
        $part:ident
        $(
            $name:literal: $kind:ident $place:tt $(in $unit:literal)?,
            $doc:literal $(, $attr:ident $value:tt)*;
        )*
    ) => {
        fn $part(column: &str) -> Option<Parts> {
            $(column_part! { column $kind $($attr $value)* })*
            None
        }
    };
}
pub(super) use column_parts;

macro_rules! column_part {
    ($column:ident $kind:ident) => {};
    ($column:ident velocity column ($name:literal $part:ident) $($rest:tt)*) => {
        if $column.starts_with(concat!($name, "_")) {
            return Some(Parts::$part);
        }
    };
    ($column:ident $kind:ident column ($name:literal $part:ident $($more:ident)*) $($rest:tt)*) => {
        if $column == $name {
            return Some(Parts::$part);
        }
    };
    ($column:ident $kind:ident $attr:ident $value:tt $($rest:tt)*) => {
        column_part! { $column $kind $($rest)* }
    };
}
pub(super) use column_part;

/// Defines the column of a member, if it has one.
macro_rules! one_column {
    ($of:tt) => {};
    // Selects the members of the session that belong to the payload.
    ([Payload payload part ($kind:ident payload.$p:ident) $($what:tt)*] $($rest:tt)*) => {
        one_column! { [Payload row $kind ($p) $($what)*] $($rest)* }
    };
    ([Payload payload $($of:tt)*] $($rest:tt)*) => {};
    ([Session row part $($of:tt)*] $($rest:tt)*) => {};

    (
        [$rows:ident $to:ident velocity ($p:ident) $unit:tt $doc:literal $member:literal]
        column ($name:literal $($part:ident)?) $($rest:tt)*
    ) => {
        #[allow(non_upper_case_globals)]
        pub const $p: Axes<$rows> = Axes {
            x: Field::<$rows>::new(
                concat!($name, "_x"),
                Kind::Float32,
                concat!($doc, " along x."),
                |row| there!($rows $to $member row of_axis(&owner!($to row).$p, 0)),
            ).unit($unit),
            y: Field::<$rows>::new(
                concat!($name, "_y"),
                Kind::Float32,
                concat!($doc, " along y, upwards."),
                |row| there!($rows $to $member row of_axis(&owner!($to row).$p, 1)),
            ).unit($unit),
            z: Field::<$rows>::new(
                concat!($name, "_z"),
                Kind::Float32,
                concat!($doc, " along z."),
                |row| there!($rows $to $member row of_axis(&owner!($to row).$p, 2)),
            ).unit($unit),
        };
    };
    ([$rows:ident $to:ident part ($kind:ident $whole:ident.$p:ident) $unit:tt $doc:literal $member:literal] $($rest:tt)*) => {
        one_column! { [$rows $whole $kind ($p) $unit $doc $member] $($rest)* }
    };
    (
        [$rows:ident $to:ident $kind:ident ($p:ident $(, $which:tt)?) $unit:tt $doc:literal $member:literal]
        column ($name:literal $($part:ident $($how:ident)*)?) $($rest:tt)*
    ) => {
        #[allow(non_upper_case_globals)]
        pub const $p: Field<$rows> =
            Field::<$rows>::new($name, column_kind(members::Kind::$kind), $doc, |row| {
                there!($rows $to $member row cell!($kind $p $to row))
            })
            .unit($unit)
            $($(.$how())*)?;
    };
    ($of:tt $attr:ident $value:tt $($rest:tt)*) => { one_column! { $of $($rest)* } };
}
pub(super) use one_column;

/// Returns the kind of the column of a member.
pub const fn column_kind(kind: members::Kind) -> Kind {
    use members::Kind as Of;
    match kind {
        Of::number | Of::points => Kind::Float32,
        Of::whole => Kind::Int,
        Of::account => Kind::Uint,
        Of::flag | Of::raised | Of::bit => Kind::Bool,
        _ => Kind::Text,
    }
}

/// Expands to the object of a row.
macro_rules! owner {
    (row $row:ident) => {
        $row
    };
    (player $row:ident) => {
        $row.player
    };
    (counts $row:ident) => {
        $row.of.stats
    };
}
pub(super) use owner;

/// Expands to the value of a member; to null if the answer lacks it.
macro_rules! there {
    (Session row $member:literal $row:ident $value:expr) => {
        there!(SESSION $member ($row) $value)
    };
    (Players player $member:literal $row:ident $value:expr) => {
        there!(PLAYER $member ($row.player) $value)
    };
    ($names:ident $member:literal ($of:expr) $value:expr) => { {
        const BIT: u64 = members::bit(members::$names, $member);
        if $of.missing.has(BIT) { Value::Null } else { $value }
    } };
    ($rows:ident $to:ident $member:literal $row:ident $value:expr) => {
        $value
    };
}
pub(super) use there;

/// Expands to the value of a row in the column of a member.
macro_rules! cell {
    // A held player is given by number, never by account.
    (hand $p:ident player $row:ident) => { $row.$p() };
    ($kind:ident $p:ident stats $row:ident) => {
        $row.player.stats.as_ref().map(|stats| cell!($kind stats.$p)).into()
    };
    ($kind:ident $p:ident loadout $row:ident) => {
        $row.player.loadout.as_ref().map(|loadout| cell!($kind loadout.$p)).into()
    };
    ($kind:ident $p:ident pause $row:ident) => {
        $row.pause.as_ref().map(|pause| cell!($kind pause.$p)).into()
    };
    ($kind:ident $p:ident $to:ident $row:ident) => { cell!($kind (owner!($to $row)).$p).into() };
    (word $from:tt.$p:ident) => { $from.$p.as_str() };
    (name $from:tt.$p:ident) => { $from.$p.as_str() };
    ($kind:ident $from:tt.$p:ident) => { $from.$p };
}
pub(super) use cell;
