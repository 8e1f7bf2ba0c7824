//! Lists of objects with the same keys, as tables for people.

use gametape::core::text::{TextTable, figure, printable, shortened};
use serde_json::{Map, Value};

/// The number of rows printed; --json has all.
const ROWS: usize = 200;

/// The lines of a table under its title. Objects within entries follow in tables of their own, under the first
/// key of the entries.
pub fn table(title: &str, values: &[Value]) -> Vec<String> {
    let rows: Vec<&Map<String, Value>> = values.iter().filter_map(Value::as_object).collect();
    let mut keys: Vec<&str> = Vec::new();
    let mut nested: Vec<&str> = Vec::new();
    for (key, value) in rows.iter().flat_map(|row| row.iter()) {
        let list = if value.is_object() {
            &mut nested
        } else {
            &mut keys
        };
        if !list.contains(&key.as_str()) {
            list.push(key);
        }
    }
    // A key may be an object in one entry and absent in another.
    keys.retain(|key| !nested.contains(key));
    let mut lines = vec![format!("  {}", title.replace('_', " "))];
    lines.extend(grid(&rows, |row| {
        keys.iter().map(|key| (*key, row.get(*key))).collect()
    }));
    let name = keys.first().copied();
    for key in nested {
        let parts: Vec<&str> = {
            let all = rows.iter().filter_map(|row| row.get(key)?.as_object());
            let mut parts: Vec<&str> = Vec::new();
            for part in all.flat_map(Map::keys) {
                if !parts.contains(&part.as_str()) {
                    parts.push(part);
                }
            }
            parts
        };
        lines.push(format!(
            "  {}: {}",
            title.replace('_', " "),
            key.replace('_', " ")
        ));
        lines.extend(grid(&rows, |row| {
            let named = name.map(|name| (name, row.get(name)));
            let inner = row.get(key);
            let parts = parts
                .iter()
                .map(|part| (*part, inner.and_then(|i| i.get(*part))));
            named.into_iter().chain(parts).collect()
        }));
    }
    lines
}

/// Aligns cells in columns; the words of a column's name go one below the other.
fn grid<'v>(
    rows: &[&'v Map<String, Value>],
    cells: impl Fn(&'v Map<String, Value>) -> Vec<(&'v str, Option<&'v Value>)>,
) -> Vec<String>
where
{
    let shown: Vec<Vec<(&str, Option<&Value>)>> =
        rows.iter().take(ROWS).map(|row| cells(row)).collect();
    let Some(first) = shown.first() else {
        return Vec::new();
    };
    let columns = (0..first.len()).filter_map(|at| {
        let column: Vec<(&str, Option<&Value>)> = shown
            .iter()
            .filter_map(|row| row.get(at).copied())
            .collect();
        let (key, _) = column.first()?;
        let numbers = column.iter().filter_map(|(_, value)| (*value)?.as_f64());
        // All numbers of a column have the same decimals.
        let decimals = if numbers.into_iter().all(|n| n.fract() == 0.0) {
            0
        } else {
            2
        };
        let texts: Vec<String> = column
            .iter()
            .map(|(key, value)| shortened(&cell(key, *value, decimals)))
            .collect();
        let name = key.strip_suffix("_ms").filter(|name| !name.is_empty());
        let mut words: Vec<String> = name
            .unwrap_or(key)
            .split('_')
            .map(|word| shortened(&printable(word)))
            .collect();
        if first.iter().any(|(other, _)| Some(*other) == name) {
            words.push("time".to_owned());
        }
        let number = column
            .iter()
            .any(|(_, value)| value.is_some_and(Value::is_number));
        Some((words, texts, number))
    });
    let columns: Vec<_> = columns.collect();
    let mut table = TextTable::new(columns.iter().map(|(words, ..)| words.join("\n")));
    for at in 0..shown.len() {
        table.row(
            columns
                .iter()
                .map(|(_, texts, number)| (texts.get(at).cloned().unwrap_or_default(), *number)),
        );
    }
    let mut lines: Vec<String> = table.lines();
    for line in &mut lines {
        line.insert_str(0, "    ");
    }
    if rows.len() > ROWS {
        lines.push(format!("    … ({} in all)", rows.len()));
    }
    lines
}

fn cell(key: &str, value: Option<&Value>, decimals: usize) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => printable(text),
        Some(Value::Array(values)) => {
            let texts = values.iter().map(|value| cell("", Some(value), decimals));
            texts.collect::<Vec<String>>().join(", ")
        }
        Some(Value::Number(number)) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => figure(key, whole),
            (_, Some(float)) if number.is_f64() => format!("{float:.decimals$}"),
            _ => number.to_string(),
        },
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A width of more than 65,535 is a panic.
    #[test]
    fn names_of_any_length_are_cut() {
        let long = "é".repeat(70_000);
        let lines = table(
            "players",
            &[json!({ "name": long, "goals": 1, "of": { &long: 2 } })],
        );
        assert!(lines.len() > 2);
        for line in lines {
            assert!(line.chars().count() < 200);
        }
    }
}
