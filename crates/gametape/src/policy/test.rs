//! Tests of values.

use std::fmt;

use serde_json::{Value, json};

/// A test of a value. All given parts must hold.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Test {
    /// The value must be one of these, if there are any.
    pub is: Vec<Value>,
    /// The value must be none of these.
    pub not: Vec<Value>,
    pub min: Option<f64>,
    pub max: Option<f64>,
}

impl Test {
    /// Returns whether a value passes. An unknown value never does.
    pub fn holds(&self, value: &Value) -> bool {
        if value.is_null() {
            return false;
        }
        let is = |wanted: &Value| same(wanted, value);
        let within = |bound: Option<f64>, fits: fn(f64, f64) -> bool| {
            bound.is_none_or(|bound| value.as_f64().is_some_and(|value| fits(value, bound)))
        };
        (self.is.is_empty() || self.is.iter().any(is))
            && !self.not.iter().any(is)
            && within(self.min, |value, min| value >= min)
            && within(self.max, |value, max| value <= max)
    }

    /// Returns the test as JSON, with the keys of the policy file.
    pub fn data(&self) -> Value {
        match (
            self.is.as_slice(),
            self.not.is_empty() && self.bounds().is_empty(),
        ) {
            ([value], true) => value.clone(),
            (values @ [_, ..], true) => values.into(),
            (values, _) => {
                let mut data = serde_json::Map::new();
                let lists = [("is", values), ("not", self.not.as_slice())];
                for (key, values) in lists.into_iter().filter(|(_, values)| !values.is_empty()) {
                    data.insert(key.to_owned(), values.into());
                }
                for (key, bound) in self.bounds() {
                    data.insert(key.to_owned(), number(bound));
                }
                data.into()
            }
        }
    }

    fn bounds(&self) -> Vec<(&'static str, f64)> {
        let bounds = [("min", self.min), ("max", self.max)].into_iter();
        bounds
            .filter_map(|(key, bound)| Some((key, bound?)))
            .collect()
    }
}

fn same(a: &Value, b: &Value) -> bool {
    // 16 equals 16.0.
    a == b || a.as_f64().is_some_and(|a| b.as_f64() == Some(a))
}

/// Writes whole numbers without a decimal point.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        json!(value as i64)
    } else {
        json!(value)
    }
}

/// For example `"normal" or "win7"`, or `at least 2`.
impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |values: &[Value]| {
            let values: Vec<String> = values.iter().map(Value::to_string).collect();
            values.join(" or ")
        };
        let mut said = Vec::new();
        if !self.is.is_empty() {
            said.push(list(&self.is));
        }
        if !self.not.is_empty() {
            said.push(format!("not {}", list(&self.not)));
        }
        said.extend(self.min.map(|min| format!("at least {}", number(min))));
        said.extend(self.max.map(|max| format!("at most {}", number(max))));
        f.write_str(&said.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_holds_where_all_of_it_does() {
        let test = Test {
            is: Vec::new(),
            not: vec![json!(7)],
            min: Some(2.0),
            max: Some(9.5),
        };
        for (value, holds) in [
            (json!(2), true),
            (json!(9.5), true),
            (json!(7), false),
            (json!(7.0), false),
            (json!(1), false),
            (json!(10), false),
            (json!("2"), false),
            (Value::Null, false),
        ] {
            assert_eq!(test.holds(&value), holds, "{value}");
        }
        assert_eq!(test.to_string(), "not 7, at least 2, at most 9.5");
        assert_eq!(test.data(), json!({"not": [7], "min": 2, "max": 9.5}));
        let one_of = Test {
            is: vec![json!("a"), json!("b")],
            ..Test::default()
        };
        assert!(one_of.holds(&json!("b")) && !one_of.holds(&json!("c")));
        assert_eq!(one_of.data(), json!(["a", "b"]));
        assert_eq!(one_of.to_string(), "\"a\" or \"b\"");
    }
}
