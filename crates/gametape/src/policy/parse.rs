//! Parses a TOML file as a policy. Serde reads its structure; names and values are then looked up in
//! the formats, and the ones that no format knows are refused, with their line.

use std::collections::BTreeMap;
use std::ops::Range;

use gametape_core::Severity;
use gametape_core::table::{ColumnDef, Kind, Lane, TableDef};
use gametape_core::tape::Format;
use gametape_core::text::nearest;
use serde::Deserialize;
use serde_json::{Value, json};
use toml::{Spanned, Value as Toml};

use super::test::Test;
use super::{Class, FactCondition, Policy, Rejected, Section};
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

/// The table of a format, as it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
struct SectionText {
    reject: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    admit: Vec<Spanned<String>>,
    #[serde(default)]
    require: ConditionsText,
    #[serde(default)]
    class: Vec<ClassText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
struct ClassText {
    name: String,
    #[serde(default)]
    when: ConditionsText,
    #[serde(default)]
    require: ConditionsText,
}

/// Tests by the name of the fact: a value, a list of values, or a [`TestText`].
type ConditionsText = BTreeMap<Spanned<String>, Spanned<Toml>>;

/// A table of conditions on a value. Its keys are read after the rest of the file, so an error in
/// them has the line of the table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestText {
    min: Option<Toml>,
    max: Option<Toml>,
    not: Option<Toml>,
}

/// An error and its position.
struct PolicyFault {
    at: Range<usize>,
    message: String,
}

impl PolicyFault {
    fn at<T>(place: &Spanned<T>, message: impl Into<String>) -> Self {
        let (at, message) = (place.span(), message.into());
        Self { at, message }
    }
}

impl From<toml::de::Error> for PolicyFault {
    fn from(error: toml::de::Error) -> Self {
        let (at, message) = (error.span().unwrap_or_default(), error.message().to_owned());
        Self { at, message }
    }
}

impl Policy {
    /// Parses a TOML file.
    ///
    /// # Errors
    /// If the text is not valid TOML, or uses names or values that no format knows.
    pub fn parse(text: &str, formats: &Formats) -> Result<Self, PolicyError> {
        let policy = read(text, formats)?;
        if policy.sections.is_empty() {
            return Err(PolicyError {
                line: 1,
                message: "it has no rules for any format".to_owned(),
            });
        }
        Ok(policy)
    }

    /// Returns the default policies of these formats. Recordings of a format that declares none are not
    /// judged.
    ///
    /// # Errors
    /// If the default policy of a format is not valid.
    pub fn of(formats: &Formats) -> Result<Self, PolicyError> {
        read(&Self::text(formats), formats)
    }

    /// Returns the TOML text that it was parsed from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.text
    }

    /// Returns the TOML file of [`Policy::of`]. A comment at its end names the formats that it does not judge.
    #[must_use]
    pub fn text(formats: &Formats) -> String {
        let policies = formats.iter().filter_map(<dyn Format>::policy);
        let mut texts: Vec<String> = policies.map(str::to_owned).collect();
        let others = formats.iter().filter(|format| format.policy().is_none());
        let others: Vec<&str> = others.map(<dyn Format>::name).collect();
        if let Some(first) = others.first() {
            let others = others.join(", ");
            texts.push(format!(
                "# Recordings of other formats are not judged: {others}. A table such as this judges them:\n\
                 #\n# [{first}]\n# reject = [\"error\", \"warning\"]\n"
            ));
        }
        texts.join("\n")
    }
}

/// Parses a policy, which may have no rules at all.
fn read(text: &str, formats: &Formats) -> Result<Policy, PolicyError> {
    let sections = || -> Result<Vec<Section>, PolicyFault> {
        let sections: BTreeMap<Spanned<String>, SectionText> = toml::from_str(text)?;
        let sections = sections.into_iter();
        sections
            .map(|(name, text)| section(&name, text, formats))
            .collect()
    };
    let sections = sections().map_err(|PolicyFault { at, message }| {
        let before = text.bytes().take(at.start);
        let line = 1 + before.filter(|byte| *byte == b'\n').count();
        PolicyError { line, message }
    })?;
    Ok(Policy {
        sections,
        text: text.to_owned(),
    })
}

/// Returns the message for an unknown name, with the most similar known one.
fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    // Codes are often cited without their format.
    let cited = known.iter().find(|code| {
        let (_, own) = code.split_once('.').unwrap_or_default();
        own == name && !own.is_empty()
    });
    match cited
        .copied()
        .or_else(|| nearest(name, known.iter().copied()))
    {
        Some(near) => format!("{what} {name:?}; the nearest is {near:?}"),
        None if known.len() <= 16 => format!("{what} {name:?}; there are {}", known.join(", ")),
        None => format!("{what} {name:?}"),
    }
}

fn section(
    name: &Spanned<String>,
    text: SectionText,
    formats: &Formats,
) -> Result<Section, PolicyFault> {
    let Some(format) = formats.get(name.get_ref()) else {
        let known = formats.iter().map(<dyn Format>::name);
        let message = unknown("there is no format", name.get_ref(), known);
        return Err(PolicyFault::at(name, message));
    };
    let facts = Facts::of(format);
    let reject = match text.reject {
        Some(names) => rejected(&names, format)?,
        None => Rejected {
            severities: vec![Severity::Error],
            codes: Vec::new(),
        },
    };
    let admit = text.admit.iter().map(|name| code(name, format));
    let admit: Vec<String> = admit.collect::<Result<_, _>>()?;
    if let Some(code) = admit.iter().find(|code| reject.codes.contains(code)) {
        let message = format!("{code} is both to reject and to admit");
        return Err(PolicyFault::at(name, message));
    }
    let class = |text: ClassText| -> Result<Class, PolicyFault> {
        Ok(Class {
            name: text.name,
            when: facts.conditions(&text.when)?,
            require: facts.conditions(&text.require)?,
        })
    };
    Ok(Section {
        format: name.get_ref().clone(),
        reject,
        admit,
        require: facts.conditions(&text.require)?,
        classes: text
            .class
            .into_iter()
            .map(class)
            .collect::<Result<_, _>>()?,
    })
}

fn code(code: &Spanned<String>, format: &dyn Format) -> Result<String, PolicyFault> {
    let rules = format.rules();
    if rules.iter().any(|rule| rule.code == *code.get_ref()) {
        return Ok(code.get_ref().clone());
    }
    let what = format!("{} has no finding", format.name());
    let message = unknown(&what, code.get_ref(), rules.iter().map(|rule| rule.code));
    Err(PolicyFault::at(code, message))
}

fn rejected(names: &[Spanned<String>], format: &dyn Format) -> Result<Rejected, PolicyFault> {
    let mut rejected = Rejected::default();
    for name in names {
        let mut severities = [Severity::Info, Severity::Warning, Severity::Error].into_iter();
        match severities.find(|severity| severity.name() == name.get_ref()) {
            Some(severity) => rejected.severities.push(severity),
            None => rejected.codes.push(code(name, format)?),
        }
    }
    Ok(rejected)
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

    fn conditions(&self, text: &ConditionsText) -> Result<Vec<FactCondition>, PolicyFault> {
        let conditions = text.iter();
        conditions
            .map(|(name, text)| self.condition(name, text))
            .collect()
    }

    fn condition(
        &self,
        name: &Spanned<String>,
        text: &Spanned<Toml>,
    ) -> Result<FactCondition, PolicyFault> {
        let (at, name) = (name, name.get_ref());
        let Some((table, column)) = self.columns().find(|(_, column)| column.name == *name) else {
            let known: Vec<&str> = self.columns().map(|(_, column)| &*column.name).collect();
            let what = format!("{} has no fact", self.format);
            return Err(PolicyFault::at(at, unknown(&what, name, known)));
        };
        if column.secret {
            let message = format!("{name} is secret: a policy that asks for it would tell it");
            return Err(PolicyFault::at(at, message));
        }
        let test =
            test(text.get_ref(), column).map_err(|message| PolicyFault::at(text, message))?;
        Ok(FactCondition {
            table: table.name.to_string(),
            column: name.clone(),
            test,
        })
    }
}

fn test(text: &Toml, column: &ColumnDef) -> Result<Test, String> {
    let test = match text {
        Toml::Table(table) => {
            let text: Result<TestText, _> = table.clone().try_into();
            let text = text.map_err(|error| error.message().to_owned())?;
            let bound = |value: Option<Toml>| value.map(|value| bound(&value, column)).transpose();
            let not = text.not.map(|not| scalars(&not, column)).transpose()?;
            Test {
                is: Vec::new(),
                not: not.unwrap_or_default(),
                min: bound(text.min)?,
                max: bound(text.max)?,
            }
        }
        values => Test {
            is: scalars(values, column)?,
            ..Test::default()
        },
    };
    let name = &column.name;
    match (test.min, test.max) {
        (Some(min), Some(max)) if min > max => {
            Err(format!("no {name} is at least {min} and at most {max}"))
        }
        _ if test == Test::default() => Err(format!("the condition says nothing about {name}")),
        _ => Ok(test),
    }
}

/// Parses one value or a list of values.
fn scalars(values: &Toml, column: &ColumnDef) -> Result<Vec<Value>, String> {
    let values = match values {
        Toml::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    values.iter().map(|value| scalar(value, column)).collect()
}

fn bound(value: &Toml, column: &ColumnDef) -> Result<f64, String> {
    let number = scalar(value, column)?.as_f64();
    number.ok_or_else(|| {
        format!(
            "{} is {}: it has no least or most",
            column.name, column.kind
        )
    })
}

/// Parses a value, which must be possible in the column.
fn scalar(value: &Toml, column: &ColumnDef) -> Result<Value, String> {
    let (name, known) = (&column.name, &column.values);
    match (value, column.kind) {
        (Toml::String(text), Kind::Text) => {
            if known.is_empty() || known.iter().any(|value| value == text) {
                return Ok(json!(text));
            }
            let known = known.iter().map(|value| &**value);
            Err(unknown(&format!("{name} is never"), text, known))
        }
        (Toml::Boolean(is), Kind::Bool) => Ok(json!(is)),
        (Toml::Integer(..0), Kind::Uint) => Err(format!("{name} is never below 0")),
        (Toml::Integer(number), kind) if !matches!(kind, Kind::Text | Kind::Bool) => {
            Ok(json!(number))
        }
        (Toml::Float(number), Kind::Float32 | Kind::Float64 | Kind::Uint | Kind::Int) => {
            let wrong = || format!("{number} is no number that {name} can be");
            number.is_finite().then(|| json!(number)).ok_or_else(wrong)
        }
        (_, kind) => {
            let what = match kind {
                Kind::Text => "text",
                Kind::Bool => "true or false",
                Kind::Uint | Kind::Int => "a whole number",
                _ => "a number",
            };
            let unit = match &*column.unit {
                "" => String::new(),
                unit => format!(" in {unit}"),
            };
            Err(format!("{name} is {what}{unit}, not {}", json!(value)))
        }
    }
}
