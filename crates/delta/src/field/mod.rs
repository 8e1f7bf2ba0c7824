//! Values that consist of fields: the parts of components.

use alloc::format;
use alloc::vec::Vec;

use crate::error::ValueError;
use crate::replicate::{ValueReader, ValueWriter};
use crate::schema::{Change, Codec, Field};

#[cfg(feature = "glam")]
mod glam;
mod types;

pub use types::{Bits, Clamped, VarInt};

/// A value that a component can contain: one or more fields on the wire.
/// `#[derive(ReplicateField)]` (feature `derive`) implements it for structs and enums.
///
/// `E` is the encoding that the attributes of a field choose, such as [`Bits`] for
/// `bits = 7`; it is `()` without attributes. `Option`, arrays and tuples hand it on to what they contain:
///
/// ```
/// # #[cfg(feature = "derive")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use gametape_delta::{Replicate, ReplicateField, Schema, Snapshot};
///
/// #[derive(ReplicateField, Clone, Copy, PartialEq, Debug)]
/// struct Health(#[replicate(range(min = 0, max = 150))] u8);
///
/// #[derive(ReplicateField, Clone, Copy, PartialEq, Debug)]
/// enum Order {
///     Rest,
///     Attack { target: u32 },
///     GoTo(#[replicate(fixed(min = -512.0, max = 512.0, step = 0.5))] [f32; 2]),
/// }
///
/// #[derive(Replicate, Clone, Copy, PartialEq, Debug)]
/// #[replicate(component = 1)]
/// struct Soldier {
///     health: Health,
///     order: Order,
///     #[replicate(angle(bits = 10))]
///     aim: Option<f32>,
/// }
///
/// let schema = Schema::new([Soldier::component()])?;
/// let mut state = Snapshot::new(&schema, 1);
/// let soldier = Soldier { health: Health(90), order: Order::GoTo([3.0, -7.5]), aim: None };
/// state.put(7, &soldier)?;
/// assert_eq!(state.get::<Soldier>(7)?, soldier);
///
/// let names: Vec<_> = schema.components()[0].fields.iter().filter_map(|f| f.name.as_deref()).collect();
/// assert_eq!(names, [
///     "health", "order", "order_attack_target", "order_go_to_0", "order_go_to_1", "aim", "aim_some",
/// ]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "derive"))]
/// # fn main() {}
/// ```
///
/// By hand, for a type of one's own:
///
/// ```
/// use gametape_delta::{
///     Codec, Field, FieldList, ReplicateField, Value, ValueError, ValueReader, ValueWriter,
/// };
///
/// /// Red, green and blue, of which 5, 6 and 5 bits are sent.
/// struct Colour([u8; 3]);
///
/// impl ReplicateField for Colour {
///     const FIELDS: usize = 1;
///
///     fn fields((): &()) -> FieldList {
///         Field::part(Codec::UInt { bits: 16 }).into()
///     }
///
///     fn write(&self, (): &(), to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
///         let [red, green, blue] = self.0.map(u64::from);
///         to.value(Value::UInt((red >> 3) << 11 | (green >> 2) << 5 | blue >> 3))
///     }
///
///     fn read((): &(), from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
///         let bits = from.number::<u16>()?;
///         Ok(Self([(bits >> 11 << 3) as u8, (bits >> 5 << 2) as u8, (bits << 3) as u8]))
///     }
/// }
/// ```
///
/// A type that does not implement this does not compile, and the error says what can be written:
///
#[cfg_attr(feature = "derive", doc = "```compile_fail,E0277")]
#[cfg_attr(not(feature = "derive"), doc = "```ignore")]
/// # use gametape_delta::Replicate;
/// struct Hull(u8);
///
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     hull: Hull, // error: `Hull` can't be replicated: `ReplicateField<()>` is not implemented
/// }
/// ```
///
/// Types of other crates take `#[replicate(with = module)]`, where `module` has the same constant
/// and the same three functions, without the encoding; see `#[derive(Replicate)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be replicated: `ReplicateField<{E}>` is not implemented",
    label = "this type needs another attribute, or `#[derive(ReplicateField)]`",
    note = "write `#[derive(ReplicateField)]` above a struct or an enum of your own",
    note = "integers need nothing, `bits`, `varint` or `range(min = …, max = …)`; floats need `fixed(min = …, max = …, step = …)` or `angle(bits = …)`; quaternions need `rotation(bits = …)`; bools and derived types need nothing",
    note = "any other type takes `#[replicate(with = module)]`, or `#[replicate(skip)]`"
)]
pub trait ReplicateField<E = ()>: Sized {
    /// The number of fields.
    const FIELDS: usize;

    /// Returns the fields in the order of the wire. Their ids do not count: the component assigns
    /// them. A name is put after that of the field that contains it; see
    /// [`Field::part`](crate::Field::part).
    fn fields(encoding: &E) -> FieldList;

    /// Writes the values of all fields.
    fn write(&self, encoding: &E, to: &mut ValueWriter<'_>) -> Result<(), ValueError>;

    /// Reads the values back.
    fn read(encoding: &E, from: &mut ValueReader<'_>) -> Result<Self, ValueError>;
}

/// Collects the fields of a component or of a part of one, and numbers them from 1. Derived code
/// uses it; code by hand can.
///
/// ```
/// use gametape_delta::{FieldList, ReplicateField, Bits};
///
/// let mut list = FieldList::new();
/// list.add("hull", None, <u8 as ReplicateField<Bits>>::fields(&Bits(7)));
/// list.start_at(10);
/// list.add("lights", None, <[bool; 2]>::fields(&()));
/// let fields = list.finish();
/// let named: Vec<_> = fields.iter().map(|f| (f.id, f.name.as_deref())).collect();
/// assert_eq!(named, [(1, Some("hull")), (10, Some("lights_0")), (11, Some("lights_1"))]);
/// ```
#[derive(Debug)]
pub struct FieldList {
    fields: Vec<Field>,
    next: u16,
}

impl Default for FieldList {
    fn default() -> Self {
        Self::new()
    }
}

impl FieldList {
    /// Creates an empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            fields: Vec::new(),
            next: 1,
        }
    }

    /// Sets the id of the next field; those after it count on from there.
    pub const fn start_at(&mut self, id: u16) {
        self.next = id;
    }

    /// Adds fields, with `name` before their names. If `threshold` is given, it is that of all
    /// fields but bools.
    pub fn add(
        &mut self,
        name: &str,
        threshold: Option<u32>,
        fields: impl IntoIterator<Item = Field>,
    ) {
        for mut field in fields {
            field.id = self.next;
            // After the last id comes 0, which no schema accepts.
            self.next = self.next.wrapping_add(1);
            field.name = match field.name.take() {
                own if name.is_empty() => own,
                None => Some(name.into()),
                Some(own) => Some(format!("{name}_{own}")),
            };
            if let Some(threshold_q) = threshold
                && field.codec != Codec::Bool
            {
                field.change = Change::Threshold { threshold_q };
            }
            self.fields.push(field);
        }
    }

    /// Returns the fields.
    #[must_use]
    pub fn finish(self) -> Vec<Field> {
        self.fields
    }
}

impl From<Field> for FieldList {
    fn from(field: Field) -> Self {
        let mut list = Self::new();
        list.add("", None, [field]);
        list
    }
}

impl IntoIterator for FieldList {
    type Item = Field;
    type IntoIter = alloc::vec::IntoIter<Field>;

    fn into_iter(self) -> Self::IntoIter {
        self.fields.into_iter()
    }
}
