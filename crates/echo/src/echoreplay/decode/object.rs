//! Reading objects and lists of objects in place, keeping members that the model does not know; and writing
//! them.

use super::cursor::{Cursor, Read, Stop};
use super::mend::REQUIRED;
use super::scalar::value;
use super::seen::SeenMembers;
use crate::echoreplay::json;
use crate::error::WriteError;
use crate::model::{Object, Unknown};

/// The largest number of teams, of players in a team and of skeletons: [`Object`] counts them in bytes. All
/// together there may be twice as many.
pub(in crate::echoreplay) const MOST: usize = u8::MAX as usize;

/// The largest number of unknown members in a frame.
pub(in crate::echoreplay) const MOST_UNKNOWN: usize = u16::MAX as usize;

/// A text that is being read, with what has been noted about it.
pub(in crate::echoreplay) struct Source<'t> {
    pub json: Cursor<'t>,
    /// Members that the model does not know.
    pub unknown: Vec<Unknown>,
    /// The number of teams, players and skeletons so far.
    items: usize,
    /// The outermost object has a member that is not about an error.
    pub met: bool,
    /// The first list of bones with a wrong length: the player, the list's name, the length.
    pub bones: Option<(u64, &'static str, u64)>,
    /// The members of the object that is being read, as bits.
    pub has: u64,
    /// Those of all objects so far.
    pub seen: SeenMembers,
}

impl<'t> Source<'t> {
    /// `unknown` is cleared and filled again.
    pub(super) fn new(text: &'t str, mut unknown: Vec<Unknown>) -> Self {
        unknown.clear();
        Self {
            json: Cursor::new(text),
            unknown,
            items: 0,
            met: false,
            bones: None,
            has: 0,
            seen: SeenMembers::NOTHING,
        }
    }

    #[cold]
    pub(super) fn stop(&mut self, why: &'static str) -> Stop {
        self.json.stop(why)
    }

    /// Keeps the text of the value at the cursor.
    #[cold]
    pub(super) fn keep(&mut self, object: Object, name: &str) -> Read {
        let value = self.json.raw()?;
        if self.unknown.len() >= MOST_UNKNOWN {
            return Err(self.stop("more than 65,535 members that are not the API's"));
        }
        self.unknown.push(Unknown {
            object,
            name: name.into(),
            json: value.into(),
        });
        Ok(())
    }
}

/// An object of the API's responses.
pub(in crate::echoreplay) trait Members: Default {
    /// Its place in [`SeenMembers`].
    const KIND: usize;
    /// The name of the member that is a list kept in place, if there is one.
    const LIST: Option<&'static str> = None;
    /// Whether this is the outermost object of the session.
    const ROOT: bool = false;

    /// Resets all members to their defaults, except the list, whose memory is reused.
    fn blank(&mut self) {
        *self = Self::default();
    }

    /// Empties the list, when it is absent.
    fn clear_list(&mut self) {}

    /// Notes which required members are missing, as bits.
    fn set_missing(&mut self, _: u64) {}

    /// Returns them.
    fn missing(&self) -> u64 {
        0
    }

    /// Reads the value of a member. Returns false if the API has no such member.
    fn member(&mut self, name: &str, at: Object, source: &mut Source<'_>) -> Read<bool>;

    /// Writes the members that are present and not missing, in the game's order.
    fn write(
        &self,
        at: Object,
        others: &impl Others,
        o: &mut json::JsonMembers<'_, '_>,
    ) -> Result<(), WriteError>;
}

/// Unknown members, to be written into their objects.
pub(in crate::echoreplay) trait Others {
    /// Writes those of an object.
    fn write(&self, object: Object, o: &mut json::JsonMembers<'_, '_>);
}

/// Writes an object: its members, followed by those that the model does not know.
pub(in crate::echoreplay) fn write_object<T: Members>(
    this: &T,
    at: Object,
    others: &impl Others,
    json: &mut json::JsonWriter<'_>,
) -> Result<(), WriteError> {
    let mut o = json.object();
    this.write(at, others, &mut o)?;
    others.write(at, &mut o);
    o.end();
    Ok(())
}

/// Implements reading and writing of an object from the [table](crate::members) of its members, in the
/// game's order. A foreign member can't have one of their names.
///
/// See [`kind`] for the kinds.
macro_rules! members {
    (
        $type:ty as $names:ident { $($items:item)* }
        $(
            $name:literal: $kind:ident $place:tt $(in $unit:literal)?,
            $doc:literal $(, $attr:ident $value:tt)*;
        )*
    ) => {
        pub(in crate::echoreplay) const $names: &[&str] = &[$($name),*];

        impl Members for $type {
            const KIND: usize = crate::echoreplay::decode::seen::$names;

            $($items)*

            #[inline]
            fn member(&mut self, name: &str, at: Object, source: &mut Source<'_>) -> Read<bool> {
                let this = self;
                let _ = at;
                match name {
                    $($name => {
                        const BIT: u64 = crate::echoreplay::decode::seen::bit($names, $name);
                        kind!(read $kind $place this at source $name);
                        if !std::mem::take(&mut source.json.nulled) {
                            source.has |= BIT;
                        }
                    })*
                    _ => return Ok(false),
                }
                Ok(true)
            }

            fn write(
                &self,
                at: Object,
                others: &impl Others,
                o: &mut json::JsonMembers<'_, '_>,
            ) -> Result<(), WriteError> {
                let this = self;
                let _ = (at, others);
                let missing = Members::missing(this);
                $({
                    const BIT: u64 = crate::echoreplay::decode::seen::bit($names, $name);
                    if missing & BIT == 0 {
                        kind!(write $kind $place this at o others $name);
                    }
                })*
                Ok(())
            }
        }
    };
}
pub(super) use members;

/// How a member of a kind is read into its place, and written from it.
macro_rules! kind {
    // A number with a fraction.
    (write number ($($p:tt).+) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        $o.number($name, $t.$($p).+)?
    };

    // Three numbers.
    (write vector ($($p:tt).+) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        $o.numbers($name, &$t.$($p).+)?
    };
    ($how:ident velocity $($rest:tt)*) => { kind!($how vector $($rest)*) };

    // The position of a limb: one of two possible members.
    (write pos ($p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        if let Some(position) = &$t.$p {
            $o.numbers($name, position)?;
        }
    };
    (read position ($p:ident) $t:ident $at:ident $source:ident $name:literal) => {
        either(&mut $t.$p.position, &mut $source.json)?
    };
    (write position ($p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        if $t.pos.is_none() {
            $o.numbers($name, &$t.$p.position)?;
        }
    };

    // A whole number, or a flag that is written as one.
    ($how:ident bit $($rest:tt)*) => { kind!($how whole $($rest)*) };
    (write whole ($p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        $o.whole($name, i64::from($t.$p))
    };

    // An optional one.
    (write maybe_whole ($p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        if let Some(number) = $t.$p {
            $o.whole($name, i64::from(number));
        }
    };

    // A user id.
    (write account ($p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        $o.count($name, $t.$p)
    };

    (read account ($p:ident) $t:ident $at:ident $source:ident $name:literal) => {
        account(&mut $t.$p, $source)?
    };

    (write flag ($p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        $o.flag($name, $t.$p)
    };

    // A flag that is written only if it is set: the game of 2021 has no emotes.
    (write raised ($p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        if $t.$p {
            $o.flag($name, true);
        }
    };

    (write text ($p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        $o.text($name, &$t.$p)
    };
    ($how:ident address $($rest:tt)*) => { kind!($how text $($rest)*) };
    // A person's name, and the turn in which it is redacted.
    ($how:ident name ($p:ident, $turn:literal) $($rest:tt)*) => { kind!($how text ($p) $($rest)*) };

    // An optional one.
    (write maybe_text ($p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        if let Some(text) = &$t.$p {
            $o.text($name, text);
        }
    };
    ($how:ident said $($rest:tt)*) => { kind!($how maybe_text $($rest)*) };
    ($how:ident maybe_name ($p:ident, $turn:literal) $($rest:tt)*) => {
        kind!($how maybe_text ($p) $($rest)*)
    };

    // A text of which the model knows some values.
    (write word ($p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        $o.text($name, $t.$p.as_str())
    };

    // What a hand holds, and the turn in which it is redacted.
    (write hand ($p:ident, $turn:literal) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        if let Some(holding) = &$t.$p {
            $o.holding($name, holding);
        }
    };

    // A member of an optional part, which exists if any of its members does.
    (read part ($kind:ident $whole:ident.$p:ident) $t:ident $at:ident $source:ident $name:literal) => {
        part(&mut $t.$whole, |whole| &mut whole.$p, &mut $source.json)?
    };
    (write part ($kind:ident $whole:ident.$p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        if let Some(whole) = &$t.$whole {
            kind!(write $kind ($p) whole $at $o $others $name);
        }
    };

    // An optional object, and its place.
    (read object ($p:ident, $which:expr) $t:ident $at:ident $source:ident $name:literal) => {
        maybe_object(&mut $t.$p, $which, $source)?
    };
    (write object ($p:ident, $which:expr) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        if let Some(object) = &$t.$p {
            $o.member($name, |json| write_object(object, $which, $others, json))?;
        }
    };
    (read stats ($p:ident) $t:ident $at:ident $($rest:tt)*) => {
        kind!(read object ($p, stats_of($at)) $t $at $($rest)*)
    };
    (write stats ($p:ident) $t:ident $at:ident $($rest:tt)*) => {
        kind!(write object ($p, stats_of($at)) $t $at $($rest)*)
    };

    // A list of objects, and the place of the n-th.
    (read list ($p:ident, $nth:expr) $t:ident $source:ident) => {
        list(&mut $t.$p, $nth, $source)?
    };
    (write list ($p:ident, $nth:expr) $t:ident $o:ident $others:ident $name:literal) => {
        $o.member($name, |json| {
            json.list($t.$p.iter().zip(0..=u8::MAX), |json, (object, nth)| {
                write_object(object, $nth(nth), $others, json)
            })
        })?
    };
    (read teams ($p:ident) $t:ident $at:ident $source:ident $name:literal) => {
        kind!(read list ($p, Object::Team) $t $source)
    };
    (write teams ($p:ident) $t:ident $at:ident $($rest:tt)*) => {
        kind!(write list ($p, Object::Team) $t $($rest)*)
    };
    (read skeletons ($p:ident) $t:ident $at:ident $source:ident $name:literal) => {
        kind!(read list ($p, Object::UserBones) $t $source)
    };
    (write skeletons ($p:ident) $t:ident $at:ident $($rest:tt)*) => {
        kind!(write list ($p, Object::UserBones) $t $($rest)*)
    };
    // Left out if there are none, as for spectators.
    (read players ($p:ident) $t:ident $at:ident $source:ident $name:literal) => {
        kind!(read list ($p, |player| player_of($at, player)) $t $source)
    };
    (write players ($p:ident) $t:ident $at:ident $($rest:tt)*) => {
        if !$t.$p.is_empty() {
            kind!(write list ($p, |player| player_of($at, player)) $t $($rest)*);
        }
    };

    // Points of a team: whole numbers in arena, fractions in combat.
    (write points ($p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        points($o, $name, $t.$p, $t)?
    };

    // Two whole numbers. Anything else is kept as it is spelled.
    (read pair ($p:ident) $t:ident $at:ident $source:ident $name:literal) => {
        possession(&mut $t.$p, $source)?
    };
    (write pair ($p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        if let Some(pair) = $t.$p {
            $o.member($name, |json| {
                json.list(pair, |json, place: i32| {
                    json.whole(place.into());
                    Ok(())
                })
            })?;
        }
    };

    // An optional pose, with the names of the playspace.
    (read playspace ($p:ident) $t:ident $at:ident $source:ident $name:literal) => { {
        let mut playspace = None::<Playspace>;
        maybe_object(&mut playspace, Object::VrPlayer, $source)?;
        $t.$p = playspace.map(|playspace| playspace.0);
    } };
    (write playspace ($p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        if let Some(pose) = $t.$p {
            $o.member($name, |json| {
                write_object(&Playspace(pose), Object::VrPlayer, $others, json)
            })?;
        }
    };

    // A head, body or hand: which, and what its position is called.
    (read limb ($p:ident, $part:literal, $position:ident) $t:ident $at:ident $source:ident $name:literal) => {
        limb(&mut $t.$p, limb_of($at, $part), $source)?
    };
    (write limb ($p:ident, $part:literal, $position:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => { {
        let limb = Limb::$position(&$t.$p);
        $o.member($name, |json| write_object(&limb, limb_of($at, $part), $others, json))?;
    } };

    // The bones of a player.
    (read bones ($p:ident) $t:ident $at:ident $source:ident $name:literal) => {
        skeleton($t.$p.as_flattened_mut(), $name, $at, $source)?
    };
    (write bones ($p:ident) $t:ident $at:ident $o:ident $others:ident $name:literal) => {
        $o.numbers($name, $t.$p.as_flattened())?
    };

    (read flag ($p:ident) $t:ident $at:ident $source:ident $name:literal) => { {
        $source.json.odd |= matches!($source.json.peek(), b'-' | b'0'..=b'9');
        value(&mut $t.$p, &mut $source.json)?
    } };

    // All other kinds.
    (read $kind:ident ($($p:tt).+ $(, $turn:literal)?) $t:ident $at:ident $source:ident $name:literal) => {
        value(&mut $t.$($p).+, &mut $source.json)?
    };
}
pub(super) use kind;

/// Reads a user id.
#[inline]
pub(super) fn account(place: &mut u64, source: &mut Source<'_>) -> Read {
    if source.json.peek() == b'-' {
        return Err(source.stop("a user id is negative, which no account is"));
    }
    value(place, &mut source.json)
}

/// Reads an object into its place.
#[inline]
pub(super) fn object<T: Members>(this: &mut T, at: Object, source: &mut Source<'_>) -> Read {
    if source.json.null()? {
        source.json.odd = true;
        this.blank();
        this.clear_list();
        return Ok(());
    }
    source.json.open_object()?;
    this.blank();
    let outer = std::mem::take(&mut source.has);
    let mut listed = false;
    let mut first = true;
    while let Some(name) = source.json.member(&mut first)? {
        if !this.member(&name, at, source)? {
            source.keep(at, &name)?;
        } else if let Some(list) = T::LIST {
            listed |= *name == *list;
        }
        if T::ROOT && !source.met {
            source.met = !name.starts_with("err_");
        }
    }
    if T::LIST.is_some() && !listed {
        this.clear_list();
    }
    let has = std::mem::replace(&mut source.has, outer);
    source.seen.add(T::KIND, has);
    let required = REQUIRED.get(T::KIND).copied().unwrap_or_default();
    this.set_missing(required & !has);
    Ok(())
}

/// Reads an optional object.
#[inline]
pub(super) fn maybe_object<T: Members>(
    this: &mut Option<T>,
    at: Object,
    source: &mut Source<'_>,
) -> Read {
    if source.json.null()? {
        *this = None;
        return Ok(());
    }
    object(this.get_or_insert_with(T::default), at, source)
}

/// Reads a list of objects into its place; `at` returns the place of the n-th.
#[inline]
pub(super) fn list<T: Members>(
    list: &mut Vec<T>,
    at: impl Fn(u8) -> Object,
    source: &mut Source<'_>,
) -> Read {
    if source.json.null()? {
        list.clear();
        return Ok(());
    }
    source.json.open_list()?;
    let mut first = true;
    let mut count = 0;
    while source.json.item(&mut first)? {
        source.items += 1;
        if count == MOST || source.items > 2 * MOST {
            return Err(source.stop("more teams, players or skeletons than 255"));
        }
        if list.len() <= count {
            list.push(T::default());
        }
        if let Some(this) = list.get_mut(count) {
            object(this, at(count as u8), source)?;
        }
        count += 1;
    }
    list.truncate(count);
    Ok(())
}
