//! Numbers, flags and texts, read into a place that is there already.

use std::fmt;

use compact_str::CompactString;
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Unexpected, Visitor};

use crate::model::{
    Arm, GameStatus, GoalType, Holding, Map, Ordnance, PausedState, TacMod, TeamId, Vec3, Weapon,
};

/// A value without members.
#[derive(Clone, Copy)]
pub(super) enum Json<'t> {
    Flag(bool),
    Float(f64),
    Unsigned(u64),
    Signed(i64),
    Text(&'t str),
}

impl Json<'_> {
    /// As a whole number, from whatever spells one: `1`, `1.0`, `true`.
    #[inline]
    fn whole(self) -> Option<i128> {
        match self {
            Self::Unsigned(number) => Some(i128::from(number)),
            Self::Signed(number) => Some(i128::from(number)),
            Self::Flag(flag) => Some(i128::from(flag)),
            // A cast of what is too large gives the largest, which no caller takes.
            Self::Float(number) if number.fract() == 0.0 => Some(number as i128),
            Self::Float(_) | Self::Text(_) => None,
        }
    }

    #[cold]
    fn not<E: Error>(self, expected: &'static str) -> E {
        let found = match self {
            Self::Flag(flag) => Unexpected::Bool(flag),
            Self::Float(number) => Unexpected::Float(number),
            Self::Unsigned(number) => Unexpected::Unsigned(number),
            Self::Signed(number) => Unexpected::Signed(number),
            // The text itself may be a name.
            Self::Text(_) => Unexpected::Other("a text"),
        };
        E::invalid_value(found, &expected)
    }
}

/// What one such value can be read into.
pub(super) trait Scalar {
    const EXPECTED: &'static str;

    /// The value of a member that is not there.
    fn absent(&mut self);

    fn set<E: Error>(&mut self, json: Json<'_>) -> Result<(), E>;
}

impl Scalar for f32 {
    const EXPECTED: &'static str = "a number";

    fn absent(&mut self) {
        *self = 0.0;
    }

    /// As the reference reads: an `f64`, cast.
    #[inline]
    fn set<E: Error>(&mut self, json: Json<'_>) -> Result<(), E> {
        *self = match json {
            Json::Float(number) => number as Self,
            Json::Unsigned(number) => number as f64 as Self,
            Json::Signed(number) => number as f64 as Self,
            Json::Flag(flag) => f32::from(flag),
            Json::Text(_) => return Err(json.not(Self::EXPECTED)),
        };
        Ok(())
    }
}

macro_rules! whole {
    ($($type:ty = $expected:literal;)*) => {$(
        impl Scalar for $type {
            const EXPECTED: &'static str = $expected;

            fn absent(&mut self) {
                *self = 0;
            }

            #[inline]
            fn set<E: Error>(&mut self, json: Json<'_>) -> Result<(), E> {
                match json.whole().map(Self::try_from) {
                    Some(Ok(number)) => *self = number,
                    _ => return Err(json.not(Self::EXPECTED)),
                }
                Ok(())
            }
        }
    )*};
}

whole! {
    i32 = "a whole number of 32 bits";
    i64 = "a whole number of 64 bits";
    u64 = "a whole number of 64 bits that is not negative";
}

impl Scalar for bool {
    const EXPECTED: &'static str = "true, false or a number";

    fn absent(&mut self) {
        *self = false;
    }

    #[inline]
    fn set<E: Error>(&mut self, json: Json<'_>) -> Result<(), E> {
        *self = match json {
            Json::Flag(flag) => flag,
            Json::Float(number) => number != 0.0,
            Json::Unsigned(number) => number != 0,
            Json::Signed(number) => number != 0,
            Json::Text(_) => return Err(json.not(Self::EXPECTED)),
        };
        Ok(())
    }
}

impl Scalar for CompactString {
    const EXPECTED: &'static str = "a text";

    fn absent(&mut self) {
        self.clear();
    }

    #[inline]
    fn set<E: Error>(&mut self, json: Json<'_>) -> Result<(), E> {
        let Json::Text(text) = json else {
            return Err(json.not(Self::EXPECTED));
        };
        // In a recording the same text stands in the same place, frame after frame.
        if self != text {
            self.clear();
            self.push_str(text);
        }
        Ok(())
    }
}

/// Texts of which the model knows some: what stands for one that is not there.
macro_rules! words {
    ($($type:ident = $absent:expr;)*) => {$(
        impl Scalar for $type {
            const EXPECTED: &'static str = "a text";

            fn absent(&mut self) {
                *self = $absent;
            }

            #[inline]
            fn set<E: Error>(&mut self, json: Json<'_>) -> Result<(), E> {
                let Json::Text(text) = json else {
                    return Err(json.not(Self::EXPECTED));
                };
                if self.as_str() != text {
                    *self = Self::from(text);
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
    const EXPECTED: &'static str = "a text or a number";

    fn absent(&mut self) {
        *self = Self::None;
    }

    #[inline]
    fn set<E: Error>(&mut self, json: Json<'_>) -> Result<(), E> {
        match json {
            Json::Text("none") => *self = Self::None,
            Json::Text(text) => *self = Self::from(text),
            Json::Unsigned(number) => *self = Self::Number(number),
            _ => return Err(json.not(Self::EXPECTED)),
        }
        Ok(())
    }
}

/// What such a value is read into: a place, or one that it makes.
trait Target {
    const EXPECTED: &'static str;
    fn absent(self);
    fn set<E: Error>(self, json: Json<'_>) -> Result<(), E>;
}

/// A member; `null` is as good as none.
pub(super) struct Value<'a, T>(pub &'a mut T);

impl<T: Scalar> Target for Value<'_, T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn absent(self) {
        self.0.absent();
    }

    #[inline]
    fn set<E: Error>(self, json: Json<'_>) -> Result<(), E> {
        self.0.set(json)
    }
}

/// A member that may be missing.
pub(super) struct Maybe<'a, T>(pub &'a mut Option<T>, pub T);

impl<T: Scalar> Target for Maybe<'_, T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn absent(self) {
        *self.0 = None;
    }

    #[inline]
    fn set<E: Error>(self, json: Json<'_>) -> Result<(), E> {
        self.0.get_or_insert(self.1).set(json)
    }
}

/// A member of something that is there where one of its members is.
pub(super) struct Part<'a, P, T> {
    pub whole: &'a mut Option<P>,
    pub new: fn() -> P,
    pub place: fn(&mut P) -> &mut T,
}

impl<P, T: Scalar> Target for Part<'_, P, T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn absent(self) {
        if let Some(whole) = self.whole {
            (self.place)(whole).absent();
        }
    }

    #[inline]
    fn set<E: Error>(self, json: Json<'_>) -> Result<(), E> {
        (self.place)(self.whole.get_or_insert_with(self.new)).set(json)
    }
}

/// Leads what the library visits to a [`Target`].
struct Scalars<T>(T);

impl<'de, T: Target> Visitor<'de> for Scalars<T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    #[inline]
    fn visit_bool<E: Error>(self, flag: bool) -> Result<(), E> {
        self.0.set(Json::Flag(flag))
    }

    #[inline]
    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.0.set(Json::Float(number))
    }

    #[inline]
    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.0.set(Json::Unsigned(number))
    }

    #[inline]
    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.0.set(Json::Signed(number))
    }

    #[inline]
    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.0.set(Json::Text(text))
    }

    #[inline]
    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.absent();
        Ok(())
    }
}

macro_rules! scalar_seeds {
    ($($name:ident<'a, $($type:ident),+>),*) => {$(
        impl<'de, 'a, $($type),+> DeserializeSeed<'de> for $name<'a, $($type),+>
        where
            Self: Target,
        {
            type Value = ();

            #[inline]
            fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
                // Never a typed call: where the type is another, the library would skip the value
                // without a bound on its depth.
                json.deserialize_any(Scalars(self))
            }
        }
    )*};
}

scalar_seeds!(Value<'a, T>, Maybe<'a, T>, Part<'a, P, T>);

/// Three coordinates.
pub(super) struct Coordinates<'a>(pub &'a mut Vec3);

impl<'de> DeserializeSeed<'de> for Coordinates<'_> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Coordinates<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("three numbers")
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<(), A::Error> {
        // A fourth one is the library's to find: it expects the end of the array.
        for (at, place) in self.0.iter_mut().enumerate() {
            if numbers.next_element_seed(Value(place))?.is_none() {
                return Err(A::Error::invalid_length(at, &"three numbers"));
            }
        }
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        *self.0 = Vec3::default();
        Ok(())
    }
}

/// Numbers one after the other, and how many there were; `None` for `null`. Those that there is no
/// place for are only counted.
pub(super) struct Numbers<'a>(pub &'a mut [f32]);

impl<'de> DeserializeSeed<'de> for Numbers<'_> {
    type Value = Option<u64>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Option<u64>, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Numbers<'_> {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Option<u64>, A::Error> {
        let mut count = 0;
        for place in self.0 {
            match numbers.next_element_seed(Value(place))? {
                Some(()) => count += 1,
                None => return Ok(Some(count)),
            }
        }
        while numbers.next_element_seed(Value(&mut 0.0_f32))?.is_some() {
            count += 1;
        }
        Ok(Some(count))
    }

    fn visit_unit<E: Error>(self) -> Result<Option<u64>, E> {
        Ok(None)
    }
}

/// Two whole numbers and nothing else.
pub(super) struct Pair;

impl<'de> DeserializeSeed<'de> for Pair {
    type Value = [i32; 2];

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<[i32; 2], D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Pair {
    type Value = [i32; 2];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("two whole numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<[i32; 2], A::Error> {
        let mut pair = [0; 2];
        for (at, place) in pair.iter_mut().enumerate() {
            if numbers.next_element_seed(Value(place))?.is_none() {
                return Err(A::Error::invalid_length(at, &"two whole numbers"));
            }
        }
        Ok(pair)
    }
}
