//! Errors of encoders, states and numbers, which are the caller's fault.

use gametape_core::text::{Grouped, Hash};

use crate::limits::Limit;

/// Why a state cannot be encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The state has another schema.
    #[error("the state has schema {found}, not {expected}")]
    Schema {
        /// The encoder's schema hash.
        expected: Hash,
        /// The state's schema hash.
        found: Hash,
    },
    /// The baseline has tick 0, which no decoder accepts.
    #[error("the baseline is of tick 0, which means \"no baseline\"")]
    BaselineZero,
    /// The state is not newer than its baseline.
    #[error("tick {} is not after its baseline, tick {}", Grouped((*.tick).into()), Grouped((*.baseline).into()))]
    TickOrder {
        /// The state's tick.
        tick: u32,
        /// The tick of the baseline.
        baseline: u32,
    },
    /// A limit is exceeded, so the receiver would refuse the packet.
    #[error("{} {limit}, the limit is {}", Grouped(*.found as u64), Grouped(*.max as u64))]
    Limit {
        /// The limit.
        limit: Limit,
        /// Its value.
        max: usize,
        /// The actual number.
        found: usize,
    },
}

/// Why a value or a change of a state is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The schema has no such component.
    #[error("the schema has no component {component}")]
    UnknownComponent {
        /// The requested component.
        component: u16,
    },
    /// The component has no such field.
    #[error("component {component} has no field {field}")]
    UnknownField {
        /// The id of the component, which exists.
        component: u16,
        /// The requested field.
        field: u16,
    },
    /// The entity does not exist.
    #[error("there is no entity {entity}")]
    NoEntity {
        /// The requested entity.
        entity: u32,
    },
    /// The entity does not have the component.
    #[error("entity {entity} has no component {component}")]
    NoComponent {
        /// The id of the entity, which exists.
        entity: u32,
        /// The requested component.
        component: u16,
    },
    /// An entity with this id already exists.
    #[error("entity {entity} is there already")]
    EntityExists {
        /// Its id.
        entity: u32,
    },
    /// The number of values differs from the number of fields.
    #[error("component {component} has {fields} fields, {values} values are given")]
    FieldCount {
        /// The id of the component in the schema.
        component: u16,
        /// The number of fields.
        fields: usize,
        /// The number of values.
        values: usize,
    },
    /// A value for another codec.
    #[error("field {field} of component {component} is {expected}, the value is {found}")]
    Kind {
        /// The id of the component.
        component: u16,
        /// The id of the field within its component.
        field: u16,
        /// The field's codec.
        expected: &'static str,
        /// The value's codec.
        found: &'static str,
    },
    /// A value out of the field's range.
    #[error("field {field} of component {component} holds {min} to {max}, not {value}")]
    OutOfRange {
        /// The id of the component.
        component: u16,
        /// The id of the field within its component.
        field: u16,
        /// The value as it would be stored; fixed point in units of 1 / `scale`.
        value: i128,
        /// The smallest allowed value.
        min: i128,
        /// The largest allowed value.
        max: i128,
    },
    /// A value that does not fit the type it is read as.
    #[error("field {field} of component {component} is {value}, which {wanted} can't hold")]
    Narrow {
        /// The id of the component.
        component: u16,
        /// The id of the field within its component.
        field: u16,
        /// The value in the state; fixed point in units of 1 / `scale`.
        value: i128,
        /// The requested type.
        wanted: &'static str,
    },
    /// A number that cannot be quantised: not a number, or out of range.
    #[error("field {field} of component {component}: {why}")]
    Unquantisable {
        /// The id of the component.
        component: u16,
        /// The id of the field within its component.
        field: u16,
        /// The reason.
        why: QuantiseError,
    },
}

/// Why a real number can't be quantised.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuantiseError {
    /// Not a number, or an infinity that cannot be clamped.
    #[error("not a finite number")]
    NotFinite,
    /// Out of range.
    #[error("{value} is not within {min} and {max}")]
    OutOfRange {
        /// The number.
        value: f64,
        /// The smallest allowed number.
        min: f64,
        /// The largest allowed number.
        max: f64,
    },
    /// A quaternion of length 0, which is no rotation.
    #[error("a quaternion of length 0 is no rotation")]
    NoRotation,
}

// The numbers are never NaN, so equality is total.
impl Eq for QuantiseError {}
