//! Objects and lists of objects, read into what is there already, with what the model does not know
//! kept; and written.

use super::cursor::{Cursor, Read, Stop};
use crate::echoreplay::json;
use crate::error::WriteError;
use crate::model::{Object, Unknown};

/// Most teams, or players of a team, or skeletons: [`Object`] counts them in bytes. Of all together,
/// there may be twice as many.
pub(in crate::echoreplay) const MOST: usize = u8::MAX as usize;

/// Most members of a frame that the model does not know.
pub(in crate::echoreplay) const MOST_UNKNOWN: usize = u16::MAX as usize;

/// A text that is being read, and what is noted of it.
pub(in crate::echoreplay) struct Source<'t> {
    pub json: Cursor<'t>,
    /// Members that the model does not know.
    pub unknown: Vec<Unknown>,
    /// Teams, players and skeletons met.
    items: usize,
    /// A member of the outermost object was met that is not about an error.
    pub met: bool,
    /// The first list of bones of another length: of which player, its name, the length.
    pub bones: Option<(u64, &'static str, u64)>,
}

impl<'t> Source<'t> {
    /// `unknown` is emptied and filled again.
    pub(super) fn new(text: &'t str, mut unknown: Vec<Unknown>) -> Self {
        unknown.clear();
        Self {
            json: Cursor::new(text),
            unknown,
            items: 0,
            met: false,
            bones: None,
        }
    }

    #[cold]
    pub(super) fn stop(&mut self, why: &'static str) -> Stop {
        self.json.stop(why)
    }

    /// Keeps the value at the cursor as it is spelled.
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

/// An object of the API's answers.
pub(in crate::echoreplay) trait Members {
    /// The member that is a list kept in place, if there is one.
    const LIST: Option<&'static str> = None;
    /// The outermost object of the session.
    const ROOT: bool = false;

    /// As it is where no member is there.
    fn new() -> Self;

    /// Back to [`Members::new`], save for the list, whose memory is of use.
    fn blank(&mut self);

    /// The list was not there.
    fn clear_list(&mut self) {}

    /// Reads the value of a member; false where it is not one of the API's.
    fn member(&mut self, name: &str, at: Object, source: &mut Source<'_>) -> Read<bool>;

    /// Writes the members that are there, in the game's order.
    fn write(
        &self,
        at: Object,
        others: &impl Others,
        o: &mut json::Members<'_, '_>,
    ) -> Result<(), WriteError>;

    /// Visits every number with a fraction.
    #[cfg_attr(not(feature = "tape"), allow(dead_code))]
    fn numbers(&mut self, visit: &mut impl FnMut(&mut f32));
}

/// Members that the model does not know, on their way back into their objects.
pub(in crate::echoreplay) trait Others {
    /// Writes those of an object.
    fn write(&self, object: Object, o: &mut json::Members<'_, '_>);
}

/// Writes an object: its members, and behind them those that the model does not know.
pub(in crate::echoreplay) fn write_object<T: Members>(
    this: &T,
    at: Object,
    others: &impl Others,
    json: &mut json::Writer<'_>,
) -> Result<(), WriteError> {
    let mut o = json.object();
    this.write(at, others, &mut o)?;
    others.write(at, &mut o);
    o.end();
    Ok(())
}

/// The members of an object, in the game's order: the name of each, of which kind it is, and its
/// place in the model. From this they are read and written, and their numbers visited; a foreign
/// member can't be written by one of the names.
///
/// What a kind means stands in [`kind`].
macro_rules! members {
    (
        $type:ty as $names:ident, |$this:ident, $at:ident| { $($items:item)* }
        $($name:literal: $kind:ident $place:tt;)*
    ) => {
        pub(in crate::echoreplay) const $names: &[&str] = &[$($name),*];

        impl Members for $type {
            $($items)*

            #[inline]
            fn member(&mut self, name: &str, $at: Object, source: &mut Source<'_>) -> Read<bool> {
                let $this = self;
                let _ = $at;
                match name {
                    $($name => kind!(read $kind $place source),)*
                    _ => return Ok(false),
                }
                Ok(true)
            }

            fn write(
                &self,
                $at: Object,
                others: &impl Others,
                o: &mut json::Members<'_, '_>,
            ) -> Result<(), WriteError> {
                let $this = self;
                let _ = ($at, others);
                $(kind!(write $kind $place o $name others);)*
                Ok(())
            }

            fn numbers(&mut self, visit: &mut impl FnMut(&mut f32)) {
                let $this = self;
                let _ = visit;
                $(kind!(visit $kind $place visit);)*
            }
        }
    };
}
pub(super) use members;

/// How a member of a kind is read into its place, written from it, and which numbers it has.
macro_rules! kind {
    // A number with a fraction.
    (read number ($place:expr) $source:ident) => { value(&mut $place, &mut $source.json)? };
    (write number ($place:expr) $o:ident $name:literal $others:ident) => {
        $o.number($name, $place)?
    };
    (visit number ($place:expr) $visit:ident) => { $visit(&mut $place) };

    // Three numbers.
    (read vector ($place:expr) $source:ident) => { value(&mut $place, &mut $source.json)? };
    (write vector ($place:expr) $o:ident $name:literal $others:ident) => {
        $o.numbers($name, &$place)?
    };
    (visit vector ($place:expr) $visit:ident) => { $place.iter_mut().for_each(|n| $visit(n)) };

    // The position of a limb: one of the two that it may be.
    (read pos ($limb:ident) $source:ident) => {
        maybe(&mut $limb.pos, Vec3::default(), &mut $source.json)?
    };
    (write pos ($limb:ident) $o:ident $name:literal $others:ident) => {
        if let Some(position) = &$limb.pos {
            $o.numbers($name, position)?;
        }
    };
    (read position ($limb:ident) $source:ident) => {
        value(&mut $limb.pose.position, &mut $source.json)?
    };
    (write position ($limb:ident) $o:ident $name:literal $others:ident) => {
        if $limb.pos.is_none() {
            $o.numbers($name, &$limb.pose.position)?;
        }
    };

    // A whole number, or a flag that is written as one.
    (read whole ($place:expr) $source:ident) => { value(&mut $place, &mut $source.json)? };
    (write whole ($place:expr) $o:ident $name:literal $others:ident) => {
        $o.whole($name, i64::from($place))
    };

    // One that may be missing.
    (read maybe_whole ($place:expr) $source:ident) => {
        maybe(&mut $place, 0, &mut $source.json)?
    };
    (write maybe_whole ($place:expr) $o:ident $name:literal $others:ident) => {
        if let Some(number) = $place {
            $o.whole($name, i64::from(number));
        }
    };

    // A whole number that is not negative.
    (read count ($place:expr) $source:ident) => { value(&mut $place, &mut $source.json)? };
    (write count ($place:expr) $o:ident $name:literal $others:ident) => {
        $o.count($name, $place)
    };

    (read flag ($place:expr) $source:ident) => { value(&mut $place, &mut $source.json)? };
    (write flag ($place:expr) $o:ident $name:literal $others:ident) => { $o.flag($name, $place) };

    // A flag that is written where it is set alone: the game of 2021 does not tell of emotes.
    (read raised ($place:expr) $source:ident) => { value(&mut $place, &mut $source.json)? };
    (write raised ($place:expr) $o:ident $name:literal $others:ident) => {
        if $place {
            $o.flag($name, true);
        }
    };

    (read text ($place:expr) $source:ident) => { value(&mut $place, &mut $source.json)? };
    (write text ($place:expr) $o:ident $name:literal $others:ident) => { $o.text($name, &$place) };

    // One that may be missing.
    (read maybe_text ($place:expr) $source:ident) => {
        maybe(&mut $place, CompactString::default(), &mut $source.json)?
    };
    (write maybe_text ($place:expr) $o:ident $name:literal $others:ident) => {
        if let Some(text) = &$place {
            $o.text($name, text);
        }
    };

    // A text of which the model knows some.
    (read word ($place:expr) $source:ident) => { value(&mut $place, &mut $source.json)? };
    (write word ($place:expr) $o:ident $name:literal $others:ident) => {
        $o.text($name, $place.as_str())
    };

    // What a hand holds.
    (read hand ($place:expr) $source:ident) => {
        maybe(&mut $place, Holding::None, &mut $source.json)?
    };
    (write hand ($place:expr) $o:ident $name:literal $others:ident) => {
        if let Some(holding) = &$place {
            $o.holding($name, holding);
        }
    };

    // A member of what is there where one of its members is: of a kind, of what, how that is new.
    (read part ($kind:ident $whole:expr, $new:expr, $member:ident) $source:ident) => {
        part(&mut $whole, $new, |whole| &mut whole.$member, &mut $source.json)?
    };
    (write part ($kind:ident $whole:expr, $new:expr, $member:ident) $o:ident $name:literal $others:ident) => {
        if let Some(whole) = &$whole {
            kind!(write $kind (whole.$member) $o $name $others);
        }
    };
    (visit part (number $whole:expr, $new:expr, $member:ident) $visit:ident) => {
        if let Some(whole) = &mut $whole {
            $visit(&mut whole.$member);
        }
    };

    // An object that may be missing, and which it is.
    (read object ($place:expr, $at:expr) $source:ident) => {
        maybe_object(&mut $place, $at, $source)?
    };
    (write object ($place:expr, $at:expr) $o:ident $name:literal $others:ident) => {
        if let Some(object) = &$place {
            $o.member($name, |json| write_object(object, $at, $others, json))?;
        }
    };
    (visit object ($place:expr, $at:expr) $visit:ident) => {
        if let Some(object) = &mut $place {
            object.numbers(&mut *$visit);
        }
    };

    // A list of objects, and which the n-th of them is.
    (read list ($place:expr, $at:expr) $source:ident) => { list(&mut $place, $at, $source)? };
    (write list ($place:expr, $at:expr) $o:ident $name:literal $others:ident) => {
        $o.member($name, |json| {
            json.list($place.iter().zip(0..=u8::MAX), |json, (object, nth)| {
                write_object(object, $at(nth), $others, json)
            })
        })?
    };
    (visit list ($place:expr, $at:expr) $visit:ident) => {
        $place.iter_mut().for_each(|object| object.numbers(&mut *$visit))
    };

    // One that is left out where it is empty, as the spectators' show.
    (read filled_list ($place:expr, $at:expr) $source:ident) => {
        list(&mut $place, $at, $source)?
    };
    (write filled_list ($place:expr, $at:expr) $o:ident $name:literal $others:ident) => {
        if !$place.is_empty() {
            kind!(write list ($place, $at) $o $name $others);
        }
    };
    (visit filled_list ($place:expr, $at:expr) $visit:ident) => {
        kind!(visit list ($place, $at) $visit)
    };

    // Points of a team: whole numbers in arena, fractions in combat.
    (read points ($place:expr, $session:expr) $source:ident) => {
        value(&mut $place, &mut $source.json)?
    };
    (write points ($place:expr, $session:expr) $o:ident $name:literal $others:ident) => {
        points($o, $name, $place, $session)?
    };
    (visit points ($place:expr, $session:expr) $visit:ident) => { $visit(&mut $place) };

    // Two whole numbers; whatever else it is, is kept as it is.
    (read pair ($place:expr) $source:ident) => { possession(&mut $place, $source)? };
    (write pair ($place:expr) $o:ident $name:literal $others:ident) => {
        if let Some(pair) = $place {
            $o.member($name, |json| {
                json.list(pair, |json, place: i32| {
                    json.whole(place.into());
                    Ok(())
                })
            })?;
        }
    };

    // A pose that may be missing, by the names of the playspace, and which it is.
    (read playspace ($place:expr, $at:expr) $source:ident) => { {
        let mut playspace = None::<Playspace>;
        maybe_object(&mut playspace, $at, $source)?;
        $place = playspace.map(|playspace| playspace.0);
    } };
    (write playspace ($place:expr, $at:expr) $o:ident $name:literal $others:ident) => {
        if let Some(pose) = $place {
            $o.member($name, |json| write_object(&Playspace(pose), $at, $others, json))?;
        }
    };
    (visit playspace ($place:expr, $at:expr) $visit:ident) => {
        if let Some(pose) = &mut $place {
            pose_numbers(pose, $visit);
        }
    };

    // A head, body or hand: whose and which, and what its position is called.
    (read limb ($place:expr, $at:expr, $part:literal, $position:ident) $source:ident) => {
        limb(&mut $place, limb_of($at, $part), $source)?
    };
    (write limb ($place:expr, $at:expr, $part:literal, $position:ident) $o:ident $name:literal $others:ident) => { {
        let limb = Limb::$position(&$place);
        $o.member($name, |json| write_object(&limb, limb_of($at, $part), $others, json))?;
    } };
    (visit limb ($place:expr, $at:expr, $part:literal, $position:ident) $visit:ident) => {
        pose_numbers(&mut $place, $visit)
    };

    // The bones of a player.
    (read bones ($name:literal, $place:expr, $at:expr) $source:ident) => {
        skeleton($place.as_flattened_mut(), $name, $at, $source)?
    };
    (write bones ($again:literal, $place:expr, $at:expr) $o:ident $name:literal $others:ident) => {
        $o.numbers($name, $place.as_flattened())?
    };
    (visit bones ($name:literal, $place:expr, $at:expr) $visit:ident) => {
        $place.as_flattened_mut().iter_mut().for_each(|n| $visit(n))
    };

    // No numbers.
    (visit $kind:ident $place:tt $visit:ident) => {};
}
pub(super) use kind;

/// Reads an object into its place.
#[inline]
pub(super) fn object<T: Members>(this: &mut T, at: Object, source: &mut Source<'_>) -> Read {
    if source.json.null()? {
        this.blank();
        this.clear_list();
        return Ok(());
    }
    source.json.open_object()?;
    this.blank();
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
    Ok(())
}

/// Reads an object that may be missing.
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
    object(this.get_or_insert_with(T::new), at, source)
}

/// Reads a list of objects into its place; `at` says what the n-th of them is.
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
            list.push(T::new());
        }
        if let Some(this) = list.get_mut(count) {
            object(this, at(count as u8), source)?;
        }
        count += 1;
    }
    list.truncate(count);
    Ok(())
}
