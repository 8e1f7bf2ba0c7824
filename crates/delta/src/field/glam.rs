//! The vectors and quaternions of `glam`. The encoding is that of each axis, or `rotation(bits = …)`
//! for a quaternion.

use glam::{
    DQuat, DVec2, DVec3, DVec4, IVec2, IVec3, IVec4, Quat, UVec2, UVec3, UVec4, Vec2, Vec3, Vec3A,
    Vec4,
};

use super::{FieldList, ReplicateField};
use crate::error::ValueError;
use crate::quantise::SmallestThree;
use crate::replicate::{ValueReader, ValueWriter};

macro_rules! vectors {
    ($($ty:ident $axis:ident ($($name:ident)+))*) => {$(
        /// The fields of the axes, named after them.
        impl<E> ReplicateField<E> for $ty
        where
            $axis: ReplicateField<E>,
        {
            const FIELDS: usize = [$(stringify!($name)),+].len() * <$axis as ReplicateField<E>>::FIELDS;

            fn fields(encoding: &E) -> FieldList {
                let mut list = FieldList::new();
                $(list.add(stringify!($name), None, $axis::fields(encoding));)+
                list
            }

            #[inline]
            fn write(&self, encoding: &E, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
                $(self.$name.write(encoding, to)?;)+
                Ok(())
            }

            #[inline]
            fn read(encoding: &E, from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
                $(let $name = $axis::read(encoding, from)?;)+
                Ok(Self::new($($name),+))
            }
        }
    )*};
}
vectors! {
    Vec2 f32 (x y)
    Vec3 f32 (x y z)
    Vec3A f32 (x y z)
    Vec4 f32 (x y z w)
    DVec2 f64 (x y)
    DVec3 f64 (x y z)
    DVec4 f64 (x y z w)
    IVec2 i32 (x y)
    IVec3 i32 (x y z)
    IVec4 i32 (x y z w)
    UVec2 u32 (x y)
    UVec3 u32 (x y z)
    UVec4 u32 (x y z w)
}

impl ReplicateField<SmallestThree> for Quat {
    const FIELDS: usize = 4;

    fn fields(encoding: &SmallestThree) -> FieldList {
        <[f32; 4]>::fields(encoding)
    }

    #[inline]
    fn write(&self, encoding: &SmallestThree, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
        to.rotation(encoding, self.to_array())
    }

    #[inline]
    fn read(encoding: &SmallestThree, from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
        Ok(Self::from_array(from.rotation(encoding)?))
    }
}

/// The error is that of `f32`.
impl ReplicateField<SmallestThree> for DQuat {
    const FIELDS: usize = 4;

    fn fields(encoding: &SmallestThree) -> FieldList {
        <[f32; 4]>::fields(encoding)
    }

    #[inline]
    fn write(&self, encoding: &SmallestThree, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
        to.rotation(encoding, self.to_array().map(|part| part as f32))
    }

    #[inline]
    fn read(encoding: &SmallestThree, from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
        Ok(Self::from_array(from.rotation(encoding)?.map(f64::from)))
    }
}
