//! Encodings of numbers, bools and rotations.

use alloc::format;
use alloc::vec::Vec;

use super::FieldList;
use super::ReplicateField;
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

macro_rules! integers {
    ($($ty:ident $codec:ident)*) => {$(
        impl ReplicateField for $ty {
            const FIELDS: usize = 1;

            fn fields((): &()) -> FieldList {
                <Self as ReplicateField<Bits>>::fields(&Bits($ty::BITS as u8))
            }

            #[inline]
            fn write(&self, (): &(), to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
                to.value(Value::$codec((*self).into()))
            }

            #[inline]
            fn read((): &(), from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
                from.number()
            }
        }

        impl ReplicateField<Bits> for $ty {
            const FIELDS: usize = 1;

            fn fields(encoding: &Bits) -> FieldList {
                Field::part(Codec::$codec { bits: encoding.0 }).into()
            }

            #[inline]
            fn write(&self, _: &Bits, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
                to.value(Value::$codec((*self).into()))
            }

            #[inline]
            fn read(_: &Bits, from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
                from.number()
            }
        }

        impl ReplicateField<Range> for $ty {
            const FIELDS: usize = 1;

            fn fields(encoding: &Range) -> FieldList {
                Field::part(encoding.codec()).into()
            }

            #[inline]
            fn write(&self, encoding: &Range, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
                to.integer(encoding, (*self).into())
            }

            #[inline]
            fn read(encoding: &Range, from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
                from.integer(encoding)
            }
        }
    )*};
}
integers!(u8 UInt u16 UInt u32 UInt u64 UInt i8 SInt i16 SInt i32 SInt i64 SInt);

macro_rules! varints {
    ($($ty:ident $codec:ident)*) => {$(
        impl ReplicateField<VarInt> for $ty {
            const FIELDS: usize = 1;

            fn fields(_: &VarInt) -> FieldList {
                Field::part(Codec::$codec).into()
            }

            #[inline]
            fn write(&self, _: &VarInt, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
                to.value(Value::$codec((*self).into()))
            }

            #[inline]
            fn read(_: &VarInt, from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
                from.number()
            }
        }
    )*};
}
varints!(u8 VarUInt u16 VarUInt u32 VarUInt i8 VarSInt i16 VarSInt i32 VarSInt);

impl ReplicateField for bool {
    const FIELDS: usize = 1;

    fn fields((): &()) -> FieldList {
        Field::part(Codec::Bool).into()
    }

    #[inline]
    fn write(&self, (): &(), to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
        to.value(Value::Bool(*self))
    }

    #[inline]
    fn read((): &(), from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
        from.bool()
    }
}

macro_rules! floats {
    ($($ty:ident)*) => {$(
        impl ReplicateField<FixedPoint> for $ty {
            const FIELDS: usize = 1;

            fn fields(encoding: &FixedPoint) -> FieldList {
                Field::part(encoding.codec()).into()
            }

            #[inline]
            fn write(&self, encoding: &FixedPoint, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
                to.fixed(encoding, (*self).into())
            }

            #[inline]
            fn read(encoding: &FixedPoint, from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
                Ok(from.fixed(encoding)? as $ty)
            }
        }

        impl ReplicateField<Clamped> for $ty {
            const FIELDS: usize = 1;

            fn fields(encoding: &Clamped) -> FieldList {
                Field::part(encoding.0.codec()).into()
            }

            #[inline]
            fn write(&self, encoding: &Clamped, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
                to.fixed_clamped(&encoding.0, (*self).into())
            }

            #[inline]
            fn read(encoding: &Clamped, from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
                Ok(from.fixed(&encoding.0)? as $ty)
            }
        }

        impl ReplicateField<Angle> for $ty {
            const FIELDS: usize = 1;

            fn fields(encoding: &Angle) -> FieldList {
                Field::part(Codec::UInt { bits: encoding.bits }).into()
            }

            #[inline]
            fn write(&self, encoding: &Angle, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
                to.angle(*encoding, (*self).into())
            }

            #[inline]
            fn read(encoding: &Angle, from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
                Ok(from.angle(*encoding)? as $ty)
            }
        }
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
