//! Parses a TOML file as a policy. Names that no format knows are refused, with their line.

use std::ops::Range;

use gametape_core::Severity;
use gametape_core::table::{ColumnDef, Kind, Lane, TableDef};
use gametape_core::tape::Format;
use gametape_core::text::nearest;
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::model::{Class, Condition, Policy, Rejected, Section};
use super::test::Test;
use crate::Formats;

/// Why a text is not a valid policy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct PolicyError {
    /// The line, counted from 1.
    pub line: usize,
    /// The message.
    pub message: String,
}

type Keyed<'t, 'i> = (&'t str, Range<usize>, &'t Spanned<DeValue<'i>>);

/// An error and its position.
struct Wrong {
    at: Range<usize>,
    message: String,
}

impl Wrong {
    fn at(at: &Range<usize>, message: impl Into<String>) -> Self {
        let (at, message) = (at.clone(), message.into());
        Self { at, message }
    }
}

impl Policy {
    /// Parses a TOML file.
    ///
    /// # Errors
    /// If the text is not valid TOML, or uses names or values that no format knows.
    pub fn parse(text: &str, formats: &Formats) -> Result<Self, PolicyError> {
        parse(text, formats)
    }

    /// Returns the default policies of these formats.
    ///
    /// # Errors
    /// If the default policy of a format is not valid.
    pub fn of(formats: &Formats) -> Result<Self, PolicyError> {
        Self::parse(&Self::text(formats), formats)
    }

    /// Returns the TOML file of [`Policy::of`].
    #[must_use]
    pub fn text(formats: &Formats) -> String {
        let texts: Vec<String> = formats.iter().map(<dyn Format>::policy).collect();
        texts.join("\n")
    }
}

fn parse(text: &str, formats: &Formats) -> Result<Policy, PolicyError> {
    let line = |at: usize| {
        let before = text.as_bytes().iter().take(at);
        1 + before.filter(|byte| **byte == b'\n').count()
    };
    let table = DeTable::parse(text).map_err(|error| PolicyError {
        line: line(error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
    })?;
    let sections = entries(table.get_ref());
    let sections = sections.map(|entry| section(&entry, formats));
    let sections: Result<Vec<Section>, Wrong> = sections.collect();
    let sections = sections.map_err(|wrong| PolicyError {
        line: line(wrong.at.start),
        message: wrong.message,
    })?;
    if sections.is_empty() {
        return Err(PolicyError {
            line: 1,
            message: "it says nothing of any format".to_owned(),
        });
    }
    Ok(Policy { sections })
}

fn entries<'t, 'i>(table: &'t DeTable<'i>) -> impl Iterator<Item = Keyed<'t, 'i>> {
    let entries = table.iter();
    entries.map(|(key, value)| (&**key.get_ref(), key.span(), value))
}

/// Writes an error for an unknown name, with the most similar known one.
fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("{what} {name:?}; the nearest is {near:?}"),
        None if known.len() <= 16 => format!("{what} {name:?}; there are {}", known.join(", ")),
        None => format!("{what} {name:?}"),
    }
}

fn table<'t, 'i>(value: &'t Spanned<DeValue<'i>>, what: &str) -> Result<&'t DeTable<'i>, Wrong> {
    match value.get_ref() {
        DeValue::Table(table) => Ok(table),
        _ => Err(Wrong::at(&value.span(), format!("{what} is a table"))),
    }
}

fn list<'t, 'i>(
    value: &'t Spanned<DeValue<'i>>,
    what: &str,
) -> Result<impl Iterator<Item = &'t Spanned<DeValue<'i>>>, Wrong> {
    match value.get_ref() {
        DeValue::Array(values) => Ok(values.iter()),
        _ => Err(Wrong::at(&value.span(), format!("{what} is a list"))),
    }
}

fn section((name, at, value): &Keyed<'_, '_>, formats: &Formats) -> Result<Section, Wrong> {
    let Some(format) = formats.get(name) else {
        let known = formats.iter().map(<dyn Format>::name);
        return Err(Wrong::at(at, unknown("there is no format", name, known)));
    };
    let facts = Facts::of(format);
    let mut section = Section {
        format: (*name).to_owned(),
        reject: Rejected {
            severities: vec![Severity::Error],
            codes: Vec::new(),
        },
        admit: Vec::new(),
        require: Vec::new(),
        classes: Vec::new(),
    };
    for (key, at, value) in entries(table(value, name)?) {
        match key {
            "reject" => section.reject = rejected(value, format)?,
            "admit" => {
                for code in list(value, "admit")? {
                    section.admit.push(self::code(code, format)?.to_owned());
                }
            }
            "require" => section.require = facts.conditions(value)?,
            "class" => {
                for class in list(value, "class")? {
                    section.classes.push(self::class(class, &facts)?);
                }
            }
            key => {
                let known = ["reject", "admit", "require", "class"];
                return Err(Wrong::at(&at, unknown("there is no key", key, known)));
            }
        }
    }
    let both = section
        .admit
        .iter()
        .find(|code| section.reject.codes.contains(code));
    match both {
        Some(code) => Err(Wrong::at(
            at,
            format!("{code} is both to reject and to admit"),
        )),
        None => Ok(section),
    }
}

fn text<'t>(value: &'t Spanned<DeValue<'_>>, what: &str) -> Result<&'t str, Wrong> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text),
        _ => Err(Wrong::at(&value.span(), format!("{what} is a text"))),
    }
}

fn code<'t>(value: &'t Spanned<DeValue<'_>>, format: &dyn Format) -> Result<&'t str, Wrong> {
    let code = text(value, "a code")?;
    let rules = format.rules();
    if rules.iter().any(|rule| rule.code == code) {
        return Ok(code);
    }
    let what = format!("{} has no finding", format.name());
    let message = unknown(&what, code, rules.iter().map(|rule| rule.code));
    Err(Wrong::at(&value.span(), message))
}

fn rejected(value: &Spanned<DeValue<'_>>, format: &dyn Format) -> Result<Rejected, Wrong> {
    let mut rejected = Rejected::default();
    for value in list(value, "reject")? {
        let name = text(value, "a severity or a code")?;
        let severities = [Severity::Info, Severity::Warning, Severity::Error];
        match severities
            .into_iter()
            .find(|severity| severity.name() == name)
        {
            Some(severity) => rejected.severities.push(severity),
            None => rejected.codes.push(code(value, format)?.to_owned()),
        }
    }
    Ok(rejected)
}

fn class(value: &Spanned<DeValue<'_>>, facts: &Facts) -> Result<Class, Wrong> {
    let mut class = Class {
        name: String::new(),
        when: Vec::new(),
        require: Vec::new(),
    };
    for (key, at, value) in entries(table(value, "a class")?) {
        match key {
            "name" => text(value, "name")?.clone_into(&mut class.name),
            "when" => class.when = facts.conditions(value)?,
            "require" => class.require = facts.conditions(value)?,
            key => {
                let known = ["name", "when", "require"];
                return Err(Wrong::at(&at, unknown("a class has no key", key, known)));
            }
        }
    }
    if class.name.is_empty() {
        return Err(Wrong::at(&value.span(), "a class has a name"));
    }
    Ok(class)
}

/// The facts that a format's recordings have.
struct Facts {
    format: &'static str,
    tables: Vec<TableDef>,
}

impl Facts {
    fn of(format: &dyn Format) -> Self {
        let tables = format.tables().into_iter();
        Self {
            format: format.name(),
            tables: tables.filter(|table| table.lane == Lane::Facts).collect(),
        }
    }

    fn columns(&self) -> impl Iterator<Item = (&TableDef, &ColumnDef)> {
        let tables = self.tables.iter();
        tables.flat_map(|table| table.columns.iter().map(move |column| (table, column)))
    }

    fn conditions(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<Condition>, Wrong> {
        let conditions = entries(table(value, "what is required")?);
        conditions.map(|entry| self.condition(&entry)).collect()
    }

    fn condition(&self, (name, at, value): &Keyed<'_, '_>) -> Result<Condition, Wrong> {
        let Some((table, column)) = self.columns().find(|(_, column)| column.name == *name) else {
            let known: Vec<&str> = self.columns().map(|(_, column)| &*column.name).collect();
            let what = format!("{} has no fact", self.format);
            return Err(Wrong::at(at, unknown(&what, name, known)));
        };
        if column.secret {
            let message = format!("{name} is secret: a policy that asks for it would tell it");
            return Err(Wrong::at(at, message));
        }
        Ok(Condition {
            table: table.name.to_string(),
            column: (*name).to_owned(),
            test: test(value, column)?,
        })
    }
}

fn test(value: &Spanned<DeValue<'_>>, column: &ColumnDef) -> Result<Test, Wrong> {
    let mut test = Test::default();
    match value.get_ref() {
        DeValue::Array(_) => test.is = scalars(value, column)?,
        DeValue::Table(bounds) => {
            for (key, at, value) in entries(bounds) {
                match key {
                    "not" => test.not = scalars(value, column)?,
                    "min" => test.min = Some(bound(value, column)?),
                    "max" => test.max = Some(bound(value, column)?),
                    key => {
                        let known = ["min", "max", "not"];
                        return Err(Wrong::at(
                            &at,
                            unknown("a condition has no key", key, known),
                        ));
                    }
                }
            }
        }
        _ => test.is = vec![scalar(value, column)?],
    }
    if let (Some(min), Some(max)) = (test.min, test.max)
        && min > max
    {
        let message = format!("no {} is at least {min} and at most {max}", column.name);
        return Err(Wrong::at(&value.span(), message));
    }
    if test == Test::default() {
        let message = format!("nothing is said of what {} has to be", column.name);
        return Err(Wrong::at(&value.span(), message));
    }
    Ok(test)
}

/// Parses one value or a list of values.
fn scalars(value: &Spanned<DeValue<'_>>, column: &ColumnDef) -> Result<Vec<Value>, Wrong> {
    match value.get_ref() {
        DeValue::Array(values) => values.iter().map(|value| scalar(value, column)).collect(),
        _ => Ok(vec![scalar(value, column)?]),
    }
}

fn bound(value: &Spanned<DeValue<'_>>, column: &ColumnDef) -> Result<f64, Wrong> {
    let number = scalar(value, column)?.as_f64();
    number.ok_or_else(|| {
        let message = format!(
            "{} is {}: it has no least or most",
            column.name, column.kind
        );
        Wrong::at(&value.span(), message)
    })
}

/// Parses a value, which must be possible in the column.
fn scalar(value: &Spanned<DeValue<'_>>, column: &ColumnDef) -> Result<Value, Wrong> {
    let wrong = |message: String| Err(Wrong::at(&value.span(), message));
    let known = &column.values;
    match (value.get_ref(), column.kind) {
        (DeValue::String(text), Kind::Text) => {
            if known.is_empty() || known.iter().any(|value| value == text) {
                return Ok(json!(text));
            }
            let what = format!("{} is never", column.name);
            wrong(unknown(&what, text, known.iter().map(|value| &**value)))
        }
        (DeValue::Boolean(is), Kind::Bool) => Ok(json!(is)),
        (DeValue::Integer(integer), kind) if !matches!(kind, Kind::Text | Kind::Bool) => {
            match i64::from_str_radix(integer.as_str(), integer.radix()) {
                Ok(number) if number < 0 && kind == Kind::Uint => {
                    wrong(format!("{} is never below 0", column.name))
                }
                Ok(number) => Ok(json!(number)),
                Err(_) => wrong(format!(
                    "{integer} is no number that {} can be",
                    column.name
                )),
            }
        }
        (DeValue::Float(float), Kind::Float32 | Kind::Float64 | Kind::Uint | Kind::Int) => {
            match float.as_str().parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(json!(number)),
                _ => wrong(format!(
                    "{} is no number that {} can be",
                    float.as_str(),
                    column.name
                )),
            }
        }
        (_, kind) => wrong(format!("{} is {kind}, this is not", column.name)),
    }
}
