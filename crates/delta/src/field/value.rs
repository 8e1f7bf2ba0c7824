//! The trait of values that consist of fields.

use super::list::FieldList;
use crate::error::ValueError;
use crate::replicate::{ValueReader, ValueWriter};

/// A value that a component can contain: one or more fields on the wire.
/// `#[derive(ReplicateField)]` (feature `derive`) implements it for structs and enums.
///
/// `E` is the encoding that the attributes of a field choose, such as [`Bits`](crate::Bits) for
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
