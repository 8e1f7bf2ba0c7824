//! Reading numbers, flags and texts in place.

use compact_str::CompactString;

use super::cursor::{Cursor, Read};
use crate::model::{
    Arm, GameStatus, GoalType, Holding, Map, Ordnance, PausedState, TacMod, TeamId, Vec3, Weapon,
};

/// A value without members.
pub(super) trait Scalar: Default {
    /// The API leaves the member out, or has `null` in its place.
    const MAYBE: bool = false;

    /// Sets the value of an absent member.
    fn absent(&mut self) {
        *self = Self::default();
    }

    /// Reads a value that is not `null`.
    fn read(&mut self, json: &mut Cursor<'_>) -> Read;
}

impl Scalar for f32 {
    /// As the reference reads it: an `f64`, cast.
    #[inline(always)]
    fn read(&mut self, json: &mut Cursor<'_>) -> Read {
        *self = match json.peek() {
            b'-' | b'0'..=b'9' => json.float()? as Self,
            b't' | b'f' => {
                json.odd = true;
                f32::from(json.flag()?)
            }
            _ => return Err(json.stop("a number is expected")),
        };
        Ok(())
    }
}

macro_rules! whole {
    ($($type:ty = $expected:literal;)*) => {$(
        impl Scalar for $type {
            #[inline]
            fn read(&mut self, json: &mut Cursor<'_>) -> Read {
                let number = match json.peek() {
                    b'-' | b'0'..=b'9' => json.whole()?,
                    b't' | b'f' => {
                        json.odd = true;
                        Some(i128::from(json.flag()?))
                    }
                    _ => None,
                };
                match number.map(Self::try_from) {
                    Some(Ok(number)) => *self = number,
                    _ => return Err(json.stop($expected)),
                }
                Ok(())
            }
        }
    )*};
}

whole! {
    i32 = "a whole number of 32 bits is expected";
    i64 = "a whole number of 64 bits is expected";
    u64 = "a whole number of 64 bits, not negative, is expected";
}

impl Scalar for bool {
    #[inline]
    fn read(&mut self, json: &mut Cursor<'_>) -> Read {
        *self = match json.peek() {
            b't' | b'f' => json.flag()?,
            b'-' | b'0'..=b'9' => json.float()? != 0.0,
            _ => return Err(json.stop("true, false or a number is expected")),
        };
        Ok(())
    }
}

impl Scalar for CompactString {
    fn absent(&mut self) {
        self.clear();
    }

    #[inline]
    fn read(&mut self, json: &mut Cursor<'_>) -> Read {
        let text = text(json)?;
        // In a recording, the same text is in the same place frame after frame.
        if *self != text {
            self.clear();
            self.push_str(&text);
        }
        Ok(())
    }
}

#[inline]
fn text<'t>(json: &mut Cursor<'t>) -> Read<std::borrow::Cow<'t, str>> {
    if json.peek() != b'"' {
        return Err(json.stop("a text is expected"));
    }
    json.string()
}

/// Texts of which the model knows some values.
macro_rules! words {
    ($($type:ident)*) => {$(
        impl Scalar for $type {
            #[inline]
            fn read(&mut self, json: &mut Cursor<'_>) -> Read {
                let text = text(json)?;
                if self.as_str() != text {
                    *self = Self::from(&*text);
                }
                Ok(())
            }
        }
    )*};
}

words! { GameStatus PausedState TeamId GoalType Map Weapon Ordnance TacMod Arm }

impl Scalar for Holding {
    #[inline]
    fn read(&mut self, json: &mut Cursor<'_>) -> Read {
        if matches!(json.peek(), b'-' | b'0'..=b'9') {
            let mut number = 0_u64;
            number.read(json)?;
            *self = Self::Number(number);
            return Ok(());
        }
        *self = Self::from(&*text(json)?);
        Ok(())
    }
}

/// Three coordinates.
impl Scalar for Vec3 {
    #[inline]
    fn read(&mut self, json: &mut Cursor<'_>) -> Read {
        if numbers(self, json)? == 3 {
            return Ok(());
        }
        Err(json.stop("three numbers are expected"))
    }
}

/// Optional values.
impl<T: Scalar> Scalar for Option<T> {
    const MAYBE: bool = true;

    #[inline]
    fn read(&mut self, json: &mut Cursor<'_>) -> Read {
        self.get_or_insert_with(T::default).read(json)
    }
}

/// Reads numbers one after another and returns how many there are. Those beyond `places` are only counted.
#[inline]
pub(super) fn numbers(places: &mut [f32], json: &mut Cursor<'_>) -> Read<u64> {
    json.open_list()?;
    let mut first = true;
    let mut count = 0;
    for place in places {
        if !json.item(&mut first)? {
            return Ok(count);
        }
        value(place, json)?;
        count += 1;
    }
    while json.item(&mut first)? {
        value(&mut 0.0_f32, json)?;
        count += 1;
    }
    Ok(count)
}

/// Reads the value of a member. `null` counts as absent.
#[inline]
pub(super) fn value<T: Scalar>(place: &mut T, json: &mut Cursor<'_>) -> Read {
    if json.null()? {
        json.odd |= !T::MAYBE;
        place.absent();
        return Ok(());
    }
    place.read(json)
}

/// Reads the value of a member that may be `null` because another has its place.
#[inline]
pub(super) fn either<T: Scalar>(place: &mut T, json: &mut Cursor<'_>) -> Read {
    if json.null()? {
        place.absent();
        return Ok(());
    }
    place.read(json)
}

/// Reads the value of a member of an optional part, which exists if any of its members does.
#[inline]
pub(super) fn part<P: Default, T: Scalar>(
    whole: &mut Option<P>,
    place: fn(&mut P) -> &mut T,
    json: &mut Cursor<'_>,
) -> Read {
    if json.null()? {
        if let Some(whole) = whole {
            place(whole).absent();
        }
        return Ok(());
    }
    place(whole.get_or_insert_with(P::default)).read(json)
}
