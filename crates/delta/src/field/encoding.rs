//! Encodings of numbers, bools and rotations.

use super::list::FieldList;
use super::value::ReplicateField;
use crate::error::ValueError;
use crate::quantise::{Angle, FixedPoint, Range, SmallestThree};
use crate::replicate::{ValueReader, ValueWriter};
use crate::schema::{Codec, Field};
use crate::value::Value;

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
