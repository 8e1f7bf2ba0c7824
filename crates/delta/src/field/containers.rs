//! `Option`, arrays and tuples.

use alloc::format;
use alloc::vec::Vec;

use super::list::FieldList;
use super::value::ReplicateField;
use crate::error::ValueError;
use crate::replicate::{ValueReader, ValueWriter};
use crate::schema::{Codec, Field};
use crate::value::Value;

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
