//! Numbers, flags and texts, read into a place that is there already.

use compact_str::CompactString;

use super::cursor::{Cursor, Read};
use crate::model::{
    Arm, GameStatus, GoalType, Holding, Map, Ordnance, PausedState, TacMod, TeamId, Vec3, Weapon,
};

/// A value without members.
pub(super) trait Scalar {
    /// The value of a member that is not there.
    fn absent(&mut self);

    /// Reads a value that is not `null`.
    fn read(&mut self, json: &mut Cursor<'_>) -> Read;
}

impl Scalar for f32 {
    fn absent(&mut self) {
        *self = 0.0;
    }

    /// As the reference reads: an `f64`, cast.
    #[inline(always)]
    fn read(&mut self, json: &mut Cursor<'_>) -> Read {
        *self = match json.peek() {
            b'-' | b'0'..=b'9' => json.float()? as Self,
            b't' | b'f' => f32::from(json.flag()?),
            _ => return Err(json.stop("a number is expected")),
        };
        Ok(())
    }
}

macro_rules! whole {
    ($($type:ty = $expected:literal;)*) => {$(
        impl Scalar for $type {
            fn absent(&mut self) {
                *self = 0;
            }

            #[inline]
            fn read(&mut self, json: &mut Cursor<'_>) -> Read {
                let number = match json.peek() {
                    b'-' | b'0'..=b'9' => json.whole()?,
                    b't' | b'f' => Some(i128::from(json.flag()?)),
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
    fn absent(&mut self) {
        *self = false;
    }

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
        // In a recording the same text stands in the same place, frame after frame.
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

/// Texts of which the model knows some: what stands for one that is not there.
macro_rules! words {
    ($($type:ident = $absent:expr;)*) => {$(
        impl Scalar for $type {
            fn absent(&mut self) {
                *self = $absent;
            }

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

words! {
    GameStatus = Self::Empty;
    PausedState = Self::None;
    TeamId = Self::None;
    GoalType = Self::Unknown;
    Map = Self::Other(CompactString::const_new(""));
    Weapon = Self::Other(CompactString::const_new(""));
    Ordnance = Self::Other(CompactString::const_new(""));
    TacMod = Self::Other(CompactString::const_new(""));
    Arm = Self::Other(CompactString::const_new(""));
}

impl Scalar for Holding {
    fn absent(&mut self) {
        *self = Self::None;
    }

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
    fn absent(&mut self) {
        *self = Self::default();
    }

    #[inline]
    fn read(&mut self, json: &mut Cursor<'_>) -> Read {
        if numbers(self, json)? == 3 {
            return Ok(());
        }
        Err(json.stop("three numbers are expected"))
    }
}

/// Numbers one after the other, and how many there are; those that there is no place for are only
/// counted.
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

/// The value of a member; `null` is as good as none.
#[inline]
pub(super) fn value<T: Scalar>(place: &mut T, json: &mut Cursor<'_>) -> Read {
    if json.null()? {
        place.absent();
        return Ok(());
    }
    place.read(json)
}

/// The value of a member that may be missing.
#[inline]
pub(super) fn maybe<T: Scalar>(place: &mut Option<T>, new: T, json: &mut Cursor<'_>) -> Read {
    if json.null()? {
        *place = None;
        return Ok(());
    }
    place.get_or_insert(new).read(json)
}

/// The value of a member of something that is there where one of its members is.
#[inline]
pub(super) fn part<P, T: Scalar>(
    whole: &mut Option<P>,
    new: fn() -> P,
    place: fn(&mut P) -> &mut T,
    json: &mut Cursor<'_>,
) -> Read {
    if json.null()? {
        if let Some(whole) = whole {
            place(whole).absent();
        }
        return Ok(());
    }
    place(whole.get_or_insert_with(new)).read(json)
}
