//! States in the form of the conformance cases.

use gametape_delta::Value::{self, Bool};
use gametape_delta::{Schema, Snapshot};
use serde_json::{Value as Json, json};

use super::value;

/// Larger JSON numbers are not exact in all languages.
const SAFE: i128 = (1 << 53) - 1;

fn to_json(value: Value) -> Json {
    match value {
        Bool(value) => json!(value),
        value if value.as_i128().abs() > SAFE => json!(value.to_string()),
        value => json!(value.as_i128() as i64),
    }
}

pub fn state_to_json(state: &Snapshot) -> Json {
    let entities = state.iter().map(|entity| {
        let components = entity.components().map(|part| {
            let values: Vec<_> = part.values().map(to_json).collect();
            (part.id().to_string(), Json::from(values))
        });
        json!({ "id": entity.id(), "components": components.collect::<serde_json::Map<_, _>>() })
    });
    json!({ "tick": state.tick(), "entities": entities.collect::<Vec<_>>() })
}

pub fn state_from_json(schema: &Schema, json: &Json) -> Snapshot {
    let mut state = Snapshot::new(schema, json["tick"].as_u64().unwrap() as u32);
    for entity in json["entities"].as_array().unwrap() {
        let mut row = state.insert(entity["id"].as_u64().unwrap() as u32).unwrap();
        for (id, values) in entity["components"].as_object().unwrap() {
            let id = id.parse().unwrap();
            let (_, component) = schema.component(id).unwrap();
            let values = values.as_array().unwrap().iter().zip(&component.fields);
            let values = values.map(|(json, field)| {
                let number = match json {
                    Json::Bool(bit) => i128::from(*bit),
                    Json::String(text) => text.parse().unwrap(),
                    number => number.as_i64().unwrap().into(),
                };
                value(field.codec, number)
            });
            row.set(id, &values.collect::<Vec<_>>()).unwrap();
        }
    }
    state
}
