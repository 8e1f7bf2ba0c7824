//! The JSON of a description and of statistics, as the values that a table of facts must have.

use serde_json::{Map, Value as Json};

use crate::table::{Kind, Owned};

/// Flattens an object: values of nested objects get joined names such as `player_name`. Lists are
/// left out.
#[must_use]
pub fn flat(map: &Map<String, Json>) -> Map<String, Json> {
    let mut out = Map::new();
    put(map, "", &mut out);
    out
}

fn put(map: &Map<String, Json>, before: &str, out: &mut Map<String, Json>) {
    for (key, value) in map {
        let name = format!("{before}{key}");
        match value {
            Json::Object(inner) => put(inner, &format!("{name}_"), out),
            Json::Array(_) => {}
            value => {
                out.insert(name, value.clone());
            }
        }
    }
}

/// Returns the value that a column of this kind must have for a JSON value; missing if the JSON
/// value is missing or of another kind.
#[must_use]
pub fn fact(kind: Kind, value: Option<&Json>) -> Owned {
    let fact = value.and_then(|value| match kind {
        Kind::Bool => value.as_bool().map(Owned::Bool),
        Kind::Int => value.as_i64().map(Owned::Int),
        Kind::Uint => value.as_u64().map(Owned::Uint),
        Kind::Float32 => value
            .as_f64()
            .map(|value| Owned::Float32((value as f32).to_bits())),
        Kind::Float64 => value.as_f64().map(|value| Owned::Float64(value.to_bits())),
        Kind::Text => value.as_str().map(|text| Owned::Text(text.to_owned())),
    });
    fact.unwrap_or(Owned::Null)
}
