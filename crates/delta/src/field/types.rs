//! Encodings of numbers, bools and rotations.

use alloc::format;
use alloc::vec::Vec;

use super::{FieldList, ReplicateField};
use crate::error::ValueError;
use crate::quantise::{Angle, FixedPoint, Range, SmallestThree};
use crate::replicate::{ValueReader, ValueWriter};
use crate::schema::{Codec, Field, Value};

/// An integer of this number of bits: `bits = 7`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bits(pub u8);

/// An integer as 1 to 5 bytes, byte-aligned: `varint`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VarInt;

/// A real number whose values out of bounds become the nearest bound: `fixed(…), clamp`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clamped(pub FixedPoint);

/// A type that is one field with an encoding.
macro_rules! one_field {
    (
        $ty:ty as $encoding:ty: |$e:ident| $codec:expr,
        write |$value:ident, $to:ident| $write:expr,
        read |$from:ident| $read:expr
    ) => {
        #[allow(unused_variables, reason = "some encodings say nothing more")]
        impl ReplicateField<$encoding> for $ty {
            const FIELDS: usize = 1;

            fn fields($e: &$encoding) -> FieldList {
                Field::part($codec).into()
            }

            #[inline]
            fn write(&self, $e: &$encoding, $to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
                let $value = *self;
                $write
            }

            #[inline]
            fn read($e: &$encoding, $from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
                $read
            }
        }
    };
}

macro_rules! integers {
    ($($ty:ident $codec:ident)*) => {$(
        one_field!(
            $ty as (): |e| Codec::$codec { bits: $ty::BITS as u8 },
            write |value, to| to.value(Value::$codec(value.into())),
            read |from| from.number()
        );
        one_field!(
            $ty as Bits: |e| Codec::$codec { bits: e.0 },
            write |value, to| to.value(Value::$codec(value.into())),
            read |from| from.number()
        );
        one_field!(
            $ty as Range: |e| e.codec(),
            write |value, to| to.integer(e, value.into()),
            read |from| from.integer(e)
        );
    )*};
}
integers!(u8 UInt u16 UInt u32 UInt u64 UInt i8 SInt i16 SInt i32 SInt i64 SInt);

macro_rules! varints {
    ($($ty:ident $codec:ident)*) => {$(
        one_field!(
            $ty as VarInt: |e| Codec::$codec,
            write |value, to| to.value(Value::$codec(value.into())),
            read |from| from.number()
        );
    )*};
}
varints!(u8 VarUInt u16 VarUInt u32 VarUInt i8 VarSInt i16 VarSInt i32 VarSInt);

one_field!(
    bool as (): |e| Codec::Bool,
    write |value, to| to.value(Value::Bool(value)),
    read |from| from.bool()
);

macro_rules! floats {
    ($($ty:ident)*) => {$(
        one_field!(
            $ty as FixedPoint: |e| e.codec(),
            write |value, to| to.fixed(e, value.into()),
            read |from| Ok(from.fixed(e)? as $ty)
        );
        one_field!(
            $ty as Clamped: |e| e.0.codec(),
            write |value, to| to.fixed_clamped(&e.0, value.into()),
            read |from| Ok(from.fixed(&e.0)? as $ty)
        );
        one_field!(
            $ty as Angle: |e| e.codec(),
            write |value, to| to.angle(*e, value.into()),
            read |from| Ok(from.angle(*e)? as $ty)
        );
    )*};
}
floats!(f32 f64);

impl ReplicateField<SmallestThree> for [f32; 4] {
    const FIELDS: usize = 4;

    fn fields(encoding: &SmallestThree) -> FieldList {
        let mut list = FieldList::new();
        for (name, codec) in ["place", "a", "b", "c"].into_iter().zip(encoding.codecs()) {
            list.add(name, None, [Field::part(codec)]);
        }
        list
    }

    #[inline]
    fn write(&self, encoding: &SmallestThree, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
        to.rotation(encoding, *self)
    }

    #[inline]
    fn read(encoding: &SmallestThree, from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
        from.rotation(encoding)
    }
}

/// A bool, and the fields of the value, named `some`: zeros if there is none.
impl<E, T: ReplicateField<E>> ReplicateField<E> for Option<T> {
    const FIELDS: usize = 1 + T::FIELDS;

    fn fields(encoding: &E) -> FieldList {
        let mut list = FieldList::from(Field::part(Codec::Bool));
        list.add("some", None, T::fields(encoding));
        list
    }

    #[inline]
    fn write(&self, encoding: &E, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
        to.value(Value::Bool(self.is_some()))?;
        if let Some(value) = self {
            return value.write(encoding, to);
        }
        to.skip(T::FIELDS);
        Ok(())
    }

    #[inline]
    fn read(encoding: &E, from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
        if from.bool()? {
            return T::read(encoding, from).map(Some);
        }
        from.skip(T::FIELDS);
        Ok(None)
    }
}

/// The fields of the elements, named `0`, `1`, ….
impl<E, T: ReplicateField<E>, const N: usize> ReplicateField<E> for [T; N] {
    const FIELDS: usize = N * T::FIELDS;

    fn fields(encoding: &E) -> FieldList {
        let mut list = FieldList::new();
        for at in 0..N {
            list.add(&format!("{at}"), None, T::fields(encoding));
        }
        list
    }

    #[inline]
    fn write(&self, encoding: &E, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
        self.iter().try_for_each(|value| value.write(encoding, to))
    }

    #[inline]
    fn read(encoding: &E, from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
        // An array can't be made of results without a panic or a default; a vector can.
        let elements: Result<Vec<T>, _> = (0..N).map(|_| T::read(encoding, from)).collect();
        elements?
            .try_into()
            .map_err(|elements: Vec<T>| from.count_error(elements.len()))
    }
}

macro_rules! tuples {
    ($(($($part:ident $at:tt)+))*) => {$(
        /// The fields of the parts, named `0`, `1`, ….
        impl<E, $($part: ReplicateField<E>),+> ReplicateField<E> for ($($part,)+) {
            const FIELDS: usize = 0 $(+ $part::FIELDS)+;

            fn fields(encoding: &E) -> FieldList {
                let mut list = FieldList::new();
                $(list.add(stringify!($at), None, $part::fields(encoding));)+
                list
            }

            #[inline]
            fn write(&self, encoding: &E, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
                $(self.$at.write(encoding, to)?;)+
                Ok(())
            }

            #[inline]
            fn read(encoding: &E, from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
                Ok(($($part::read(encoding, from)?,)+))
            }
        }
    )*};
}
tuples! {
    (A 0)
    (A 0 B 1)
    (A 0 B 1 C 2)
    (A 0 B 1 C 2 D 3)
    (A 0 B 1 C 2 D 3 F 4)
    (A 0 B 1 C 2 D 3 F 4 G 5)
}
