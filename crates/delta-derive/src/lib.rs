#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]

mod attrs;
mod expand;
mod kind;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `Replicate` for a struct or an enum, which makes it a component of the snapshot/delta
/// wire.
///
/// ```
/// use gametape_delta::{Replicate, Schema, Snapshot};
///
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(fixed(min = -512.0, max = 512.0, step = 0.01), threshold = 0.05)]
///     position: [f32; 3],
///     #[replicate(rotation(bits = 10))]
///     facing: [f32; 4],
///     #[replicate(fixed(min = 0.0, max = 1.0, scale = 255), clamp)]
///     throttle: f32,
///     #[replicate(bits = 7)]
///     hull: u8,
///     #[replicate(varint)]
///     score: u32,
///     landed: bool,
///     #[replicate(skip)]
///     trail: Vec<[f32; 3]>,
/// }
///
/// let schema = Schema::new([Ship::component()])?;
/// let mut state = Snapshot::new(&schema, 1);
/// state.put(
///     7,
///     &Ship {
///         position: [1.0, 20.0, -300.004],
///         facing: [0.0, 0.0, 0.0, 1.0],
///         throttle: 1.2,
///         hull: 100,
///         score: 70_000,
///         landed: false,
///         trail: vec![[0.0; 3]],
///     },
/// )?;
/// let ship: Ship = state.get(7)?;
/// assert_eq!(ship.position, [1.0, 20.0, -300.0]); // off by at most half a step
/// assert_eq!(ship.throttle, 1.0); // clamped
/// assert_eq!((ship.hull, ship.score, ship.landed), (100, 70_000, false));
/// assert!(ship.trail.is_empty()); // skipped
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Attributes of the struct or enum
///
/// | attribute | meaning |
/// |---|---|
/// | `component = 1` | The component's id, 1 to 65535. Required. |
/// | `name = "ship"` | The component's name in the schema; by default its own name in snake case. |
/// | `crate = "path"` | The path of the crate `gametape_delta`, if it is not `::gametape_delta`. |
///
/// # Attributes of a field
///
/// | attribute | for | meaning |
/// |---|---|---|
/// | (none) | `bool` | One bit. |
/// | (none) | `u8` to `u64`, `i8` to `i64` | All bits of the type. |
/// | `bits = 7` | `u8` to `u64`, `i8` to `i64` | This number of bits, at most those of the type. `put` returns an error for values that need more. |
/// | `varint` | integers up to 32 bits | 1 to 5 bytes, byte-aligned; small numbers are short. |
/// | `fixed(min = -512.0, max = 512.0, step = 0.01)` | `f32`, `f64` | The nearest multiple of `step`, which must be 1 divided by a whole number. `put` returns an error for values out of bounds. |
/// | `fixed(min = -512.0, max = 512.0, scale = 100)` | `f32`, `f64` | The same, with the precision as units per 1.0. |
/// | `clamp` | together with `fixed` | Values out of bounds become the nearest bound. NaN is still an error. |
/// | `range(min = 1, max = 100)` | integers | As many bits as the numbers from `min` to `max` need. `put` returns an error for others. |
/// | `angle(bits = 10)` | `f32`, `f64` | An angle in radians as a part of a turn, which wraps around; it comes back from −π to π. 1 to 32 bits. |
/// | `rotation(bits = 10)` | `[f32; 4]`, `Quat` | A unit quaternion, stored as its three smallest components of 2 to 24 bits each. It may come back negated, which is the same rotation. |
/// | `threshold = 0.05` | together with `fixed` | Changes up to this are not sent, which adds up to this much to the receiver's error. Rounded to the precision of `fixed`. |
/// | `threshold = 5` | integers | The same as a whole number. |
/// | (none) | types that implement `ReplicateField` | The fields that the type says; see [`ReplicateField`](macro@ReplicateField). |
/// | `with = module` | any type | The fields that a module says; see below. |
/// | `id = 3` | all | The field's id in the schema, 1 to 65535. By default one more than that of the previous field; the first field has 1. |
/// | `name = "x"` | all | The field's name in the schema; by default its name in the struct. |
/// | `skip` | any type | Not replicated; `Default::default()` when read. |
///
/// Floats need `fixed` (or `angle`, or `rotation`), because no default precision suits all values.
///
/// # Types that consist of others
///
/// `Option`, arrays, tuples, and the vectors of `glam` (feature `glam` of `gametape-delta`) pass the
/// attributes on to what they contain: `fixed(…)` at an `Option<[Vec3; 2]>` is the encoding of its
/// numbers. Structs and enums of one's own have attributes at their own fields, and derive
/// [`ReplicateField`](macro@ReplicateField).
///
/// Types of other crates need a module with a constant and three functions:
///
/// ```
/// use std::time::Duration;
///
/// use gametape_delta::{Replicate, Schema, Snapshot};
///
/// mod millis {
///     use std::time::Duration;
///
///     use gametape_delta::{Codec, Field, FieldList, Value, ValueError, ValueReader, ValueWriter};
///
///     pub const FIELDS: usize = 1;
///
///     pub fn fields() -> FieldList {
///         Field::part(Codec::VarUInt).into()
///     }
///
///     pub fn write(value: &Duration, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
///         let millis = u32::try_from(value.as_millis()).unwrap_or(u32::MAX);
///         to.value(Value::VarUInt(millis))
///     }
///
///     pub fn read(from: &mut ValueReader<'_>) -> Result<Duration, ValueError> {
///         Ok(Duration::from_millis(from.number()?))
///     }
/// }
///
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Cooldown {
///     #[replicate(with = millis)]
///     left: Duration,
/// }
///
/// let mut state = Snapshot::new(&Schema::new([Cooldown::component()])?, 1);
/// state.put(7, &Cooldown { left: Duration::from_millis(1500) })?;
/// assert_eq!(state.get::<Cooldown>(7)?.left.as_millis(), 1500);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Fields on the wire
///
/// Fields are in the order of the struct. What consists of several fields puts its own name before
/// theirs:
///
/// | type | fields |
/// |---|---|
/// | an array | `<name>_0`, `<name>_1`, … |
/// | a tuple | the same |
/// | a vector of `glam` | `<name>_x`, `<name>_y`, … |
/// | a rotation | `<name>_place`, `<name>_a`, `<name>_b` and `<name>_c`, encoded with `SmallestThree` |
/// | a struct | `<name>_<field>`; `<name>` alone for a tuple struct of one field |
/// | an `Option` | a bool `<name>`, and `<name>_some`; zeros if there is none |
/// | an enum | the number of the variant `<name>` (`kind` in a component), and for each variant `<name>_<variant>_<field>`; zeros for those that it is not |
///
/// Each has its own id, counted from that of the first. A component has at most 64 fields, and an
/// enum has those of all its variants.
///
/// Ids, codecs and thresholds are part of the schema's hash; names are not. After a field was only
/// renamed, old receivers can still read the packets.
///
/// Structs with named fields, tuple structs, unit structs and enums can be components. Generic types
/// can't.
///
/// # Compile errors
///
/// Each of these examples fails to compile, at the line of the comment and with its message.
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// struct Ship; // error: the component needs an id: `#[replicate(component = 1)]`
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 0)] // error: a component's id goes from 1 to 65535, this is 0
/// struct Ship;
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// enum Ship {} // error: an enum without variants has no values
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// union Ship { // error: only a struct or an enum can be a component, this is a union
///     hull: u8,
///     wreck: u8,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship<T> { // error: a component has one layout, so it can't be generic
///     hull: T,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(
///     component = 1,
///     nmae = "ship", // error: a component has no `nmae`: known are `component`, `name` and `crate`
/// )]
/// struct Ship;
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(bit = 7)] // error: a field has no `bit`: known are `angle`, `bits`, `clamp`, `fixed`, `id`, `name`, `range`, `rotation`, `skip`, `threshold`, `varint` and `with`
///     value: u8,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(bits = 7, bits = 7)] // error: `bits` is given twice
///     value: u8,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(bits = 9)] // error: the `bits` of u8 go from 1 to 8, these are 9
///     value: u8,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(bits = 0)] // error: the `bits` of i64 go from 1 to 64, these are 0
///     value: i64,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(varint)] // error: a varint holds 32 bits, u64 has 64: choose a smaller type or `bits`
///     value: u64,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(varint, bits = 8)] // error: `bits` and `varint` are two ways to write a number: choose one
///     value: u32,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     value: f32, // error: f32 needs bounds and a precision: `fixed(min = …, max = …, step = …)`
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     value: [f32; 4], // error: f32 needs bounds and a precision: `fixed(min = …, max = …, step = …)`, or `rotation(bits = …)` if this is one
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(fixed(min = 0.0, max = 1.0, step = 0.3))] // error: `step` has to be 1 divided by a whole number, like 0.01 or 0.125: 0.3 is not
///     value: f32,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(fixed(min = 0.0, max = 1.0, step = 2))] // error: `step` has to be 1 divided by a whole number, like 0.01 or 0.125: 2 is not
///     value: f32,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(fixed(min = 0.0, max = 1.0, scale = 0))] // error: `scale` goes from 1 to 4294967295, this is 0
///     value: f32,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(fixed(min = 0.0, max = 1.0))] // error: `fixed` needs its precision, once: `step = 0.01`, or `scale = 100` units per 1.0
///     value: f32,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(fixed(max = 1.0, step = 0.1))] // error: `fixed` needs both bounds: `min` and `max`
///     value: f32,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(fixed(min = 1.0, max = -1.0, step = 0.1))] // error: `min` has to be below `max`: 1 is not below -1
///     value: f32,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(fixed(min = 0.0, max = 1e15, scale = 100))] // error: 1000000000000000 at scale 100 is more than 2^53 units: an f64 is not that precise
///     value: f64,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(fixed(min = 0.0, max = 1.0, size = 8))] // error: `fixed` has no `size`: known are `min`, `max`, `step` and `scale`
///     value: f32,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(fixed(min = 0.0, max = 1.0, step = 0.1), threshold = -0.1)] // error: a `threshold` is not below 0, this is -0.1
///     value: f32,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(fixed(min = 0, max = 9, scale = 1000), threshold = 5e6)] // error: a `threshold` is at most 4294967295 units, this is 5000000000
///     value: f32,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(threshold = 0.5)] // error: the `threshold` of an integer is a whole number, 0.5 is not
///     value: u8,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(threshold = 1)] // error: `threshold` does not apply to a bool
///     value: bool,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(rotation(bits = 10), threshold = 1)] // error: `threshold` does not apply to a rotation
///     value: [f32; 4],
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(rotation(bits = 10))] // error: `rotation` is for a quaternion, [f32; 4], not for [f32; 3]
///     value: [f32; 3],
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(rotation(bits = 25))] // error: the `bits` of a rotation go from 2 to 24, these are 25
///     value: [f32; 4],
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(clamp)] // error: `clamp` does not apply to u8
///     value: u8,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(skip, id = 4)] // error: `id` does not apply to a field that is skipped
///     value: String,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(id = 0)] // error: a field's id goes from 1 to 65535, this is 0
///     value: u8,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     value: String, // error: String can't be replicated: the wire has no texts: send a number that stands for it, use `with = module`, or leave it out with `skip`
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     value: usize, // error: usize can't be replicated: its width differs between machines: use u32 or u64
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     value: u128, // error: u128 can't be replicated: the wire holds 64 bits
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     value: [u8; 65], // error: a component has at most 64 fields, this array alone has 65
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(id = 2)]
///     x: u8,
///     #[replicate(id = 2)] // error: two fields have the id 2
///     y: u8,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     position: [u8; 64],
///     hull: u8, // error: a component has at most 64 fields, this is one more
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(range(min = 0, max = 300))] // error: u8 holds 0 to 255, this range goes from 0 to 300
///     value: u8,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(range(min = 9, max = 1))] // error: `min` has to be below `max`: 9 is not below 1
///     value: u8,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(range(min = 9))] // error: `range` needs both bounds: `min = 1, max = 100`
///     value: u8,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(bits = 4, range(min = 1, max = 9))] // error: `bits` and `range` are two ways to write a number: choose one
///     value: u8,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(angle(bits = 33))] // error: the `bits` of an angle go from 1 to 32, these are 33
///     value: f32,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(angle(bits = 10))] // error: `angle` does not apply to u8
///     value: u8,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     value: Option<f32>, // error: f32 needs bounds and a precision: `fixed(min = …, max = …, step = …)`, or `angle(bits = …)`
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(bits = 9)] // error: the `bits` of u8 go from 1 to 8, these are 9
///     value: Option<u8>,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     value: Vec<u8>, // error: Vec<u8> can't be replicated: the number of its elements changes: make each an entity, use an array, use `with = module`, or leave it out with `skip`
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     value: &'static u8, // error: & 'static u8 can't be replicated: only what it points to could be: use `with = module`, or leave it out with `skip`
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::{Replicate, ReplicateField};
/// # #[derive(ReplicateField)]
/// # struct Hull(u8);
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(threshold = 5)] // error: `threshold` does not apply to Hull, which has fields of its own: write it there
///     value: Hull,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::Replicate;
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(with = millis, bits = 8)] // error: `bits` does not apply to a field that a module replicates
///     value: std::time::Duration,
/// }
/// # mod millis {}
/// ```
#[proc_macro_derive(Replicate, attributes(replicate))]
pub fn replicate(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::expand(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Implements `ReplicateField` for a struct or an enum, which makes it a part of components.
///
/// ```
/// use gametape_delta::{Replicate, ReplicateField, Schema, Snapshot};
///
/// #[derive(ReplicateField)]
/// struct Item {
///     #[replicate(bits = 10)]
///     kind: u16,
///     #[replicate(range(min = 1, max = 64))]
///     count: u8,
/// }
///
/// #[derive(ReplicateField, PartialEq, Debug)]
/// enum Door {
///     Closed,
///     Open { #[replicate(angle(bits = 6))] by: f32 },
/// }
///
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Chest {
///     door: Door,
///     slots: [Option<Item>; 4],
/// }
///
/// let mut state = Snapshot::new(&Schema::new([Chest::component()])?, 1);
/// let sword = Item { kind: 7, count: 1 };
/// state.put(7, &Chest { door: Door::Open { by: 0.0 }, slots: [Some(sword), None, None, None] })?;
/// let chest: Chest = state.get(7)?;
/// assert_eq!(chest.door, Door::Open { by: 0.0 });
/// assert_eq!(chest.slots.iter().flatten().map(|item| item.kind).sum::<u16>(), 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The attributes of fields are those of [`Replicate`](macro@Replicate), except `id`. At a variant,
/// `name = "x"` is its name on the wire, by default its own name in snake case. Above the struct or
/// enum, `crate = "path"` is the path of the crate `gametape_delta`.
///
/// # Compile errors
///
/// ```compile_fail
/// # use gametape_delta::ReplicateField;
/// #[derive(ReplicateField)]
/// #[replicate(component = 1)] // error: a part of a component has no id of its own: write `#[derive(Replicate)]` for a component
/// struct Item(u8);
/// ```
///
/// ```compile_fail
/// # use gametape_delta::ReplicateField;
/// #[derive(ReplicateField)]
/// struct Item {
///     #[replicate(id = 4)] // error: ids belong to the component: write `id` at its field
///     kind: u16,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::ReplicateField;
/// #[derive(ReplicateField)]
/// struct Slot<T> { // error: a part of a component has one layout, so it can't be generic
///     item: T,
/// }
/// ```
///
/// ```compile_fail
/// # use gametape_delta::ReplicateField;
/// #[derive(ReplicateField)]
/// enum Door {
///     #[replicate(nmae = "shut")] // error: a variant has no `nmae`: known is `name`
///     Closed,
/// }
/// ```
#[proc_macro_derive(ReplicateField, attributes(replicate))]
pub fn replicate_field(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::expand_field(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
