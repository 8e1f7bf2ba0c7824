//! What an encoder, a state or a number refuses: the caller's faults.

use gametape_core::text::{Grouped, Hash};

use crate::limits::Limit;

/// Why a state can't be written as a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// A state of another schema.
    #[error("the state has schema {found}, the encoder {expected}")]
    Schema {
        /// The encoder's.
        expected: Hash,
        /// The state's.
        found: Hash,
    },
    /// A baseline of tick 0, which no decoder takes.
    #[error("the baseline is of tick 0, which means \"no baseline\"")]
    BaselineZero,
    /// A state that is not younger than its baseline.
    #[error("tick {} is not after its baseline, tick {}", Grouped((*.tick).into()), Grouped((*.baseline).into()))]
    TickOrder {
        /// The state's tick.
        tick: u32,
        /// The tick of the state that the delta was to build on.
        baseline: u32,
    },
    /// A limit is exceeded; the receiver would refuse the packet.
    #[error("{} {limit}, the limit is {}", Grouped(*.found as u64), Grouped(*.max as u64))]
    Limit {
        /// Which.
        limit: Limit,
        /// Its value.
        max: usize,
        /// What there is.
        found: usize,
    },
}

/// Why a value, or a state, can't be what it is asked to be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The schema has no such component.
    #[error("the schema has no component {component}")]
    UnknownComponent {
        /// The component asked for.
        component: u16,
    },
    /// The component has no such field.
    #[error("component {component} has no field {field}")]
    UnknownField {
        /// Id of the component, which the schema does have.
        component: u16,
        /// The field asked for.
        field: u16,
    },
    /// There is no such entity.
    #[error("there is no entity {entity}")]
    NoEntity {
        /// The entity asked for.
        entity: u32,
    },
    /// The entity does not have the component.
    #[error("entity {entity} has no component {component}")]
    NoComponent {
        /// Id of the entity, which is there.
        entity: u32,
        /// The component asked for.
        component: u16,
    },
    /// An entity of this id is there already.
    #[error("entity {entity} is there already")]
    EntityExists {
        /// Its id.
        entity: u32,
    },
    /// A component with more or fewer values than it has fields.
    #[error("component {component} has {fields} fields, {values} values are given")]
    FieldCount {
        /// Id of the component in the schema.
        component: u16,
        /// Fields it has.
        fields: usize,
        /// Values given.
        values: usize,
    },
    /// A value of another codec.
    #[error("field {field} of component {component} is {expected}, the value is {found}")]
    Kind {
        /// Id of the component that the field is in.
        component: u16,
        /// Id of the field within its component.
        field: u16,
        /// The field's codec.
        expected: &'static str,
        /// The value's.
        found: &'static str,
    },
    /// A value its codec can't hold.
    #[error("field {field} of component {component} holds {min} to {max}, not {value}")]
    OutOfRange {
        /// Id of the component that the field is in.
        component: u16,
        /// Id of the field within its component.
        field: u16,
        /// The value given, as it would be stored: fixed point in units of 1 / `scale`.
        value: i128,
        /// The smallest the field can hold.
        min: i128,
        /// The largest.
        max: i128,
    },
    /// A value that the type it is read as can't hold.
    #[error("field {field} of component {component} is {value}, which {wanted} can't hold")]
    Narrow {
        /// Id of the component that the field is in.
        component: u16,
        /// Id of the field within its component.
        field: u16,
        /// The value that the state holds; fixed point in units of 1 / `scale`.
        value: i128,
        /// The type.
        wanted: &'static str,
    },
    /// A number that can't be quantised: not a number, or beyond the bounds.
    #[error("field {field} of component {component}: {why}")]
    Unquantisable {
        /// Id of the component that the field is in.
        component: u16,
        /// Id of the field within its component.
        field: u16,
        /// Not a number, not finite, no rotation, or beyond bounds that it names.
        why: QuantiseError,
    },
}

/// Why a real number can't be quantised.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuantiseError {
    /// Not a number, or infinite where that can't be clamped.
    #[error("not a finite number")]
    NotFinite,
    /// Beyond the bounds.
    #[error("{value} is not within {min} and {max}")]
    OutOfRange {
        /// The number.
        value: f64,
        /// The smallest that can be held.
        min: f64,
        /// The largest.
        max: f64,
    },
    /// A quaternion of length 0, which is no rotation.
    #[error("a quaternion of length 0 is no rotation")]
    NoRotation,
}

// Numbers inside are never NaN: equality is total.
impl Eq for QuantiseError {}
