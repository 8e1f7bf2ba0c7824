//! Applies a policy to a recording.

use std::ops::ControlFlow;

use gametape_core::Severity;
use gametape_core::table::{self, Lane, Scan};
use gametape_core::tape::{AnyFinding, Audit};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{FactCondition, Policy, Section};
use crate::{Error, Recording};

/// The decision of a policy about a recording.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Decision {
    /// Whether the recording is admitted; `None` if the policy has no table for its format.
    pub admitted: Option<bool>,
    /// The name of the class to which it belongs, if there are classes and it fits one.
    pub class: Option<String>,
    /// All reasons to reject it.
    pub reasons: Vec<Reason>,
}

/// The code of the reason that a condition is not met.
const REQUIRE: &str = "policy.require";

/// A reason to reject a recording.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Reason {
    /// The code of a finding; `policy.require` if a condition is not met, `policy.class` if the
    /// recording fits none of the classes.
    pub code: String,
    /// A sentence.
    pub message: String,
    /// The data of a finding. For `policy.require`: `column`, `is`, `required` and, if it belongs
    /// to a class, `class`. For `policy.class`: `classes` and `is`.
    pub data: Map<String, Value>,
}

impl Reason {
    /// Creates a reason from a finding.
    #[must_use]
    pub fn of(finding: &AnyFinding) -> Self {
        let place = if finding.place.is_nowhere() {
            String::new()
        } else {
            format!("{}: ", finding.place)
        };
        let data = finding.rule.data.iter();
        Self {
            code: finding.code().to_owned(),
            message: format!("{place}{}", finding.message()),
            data: data
                .map(|(key, value)| ((*key).to_owned(), value.clone().into()))
                .collect(),
        }
    }
}

impl Reason {
    /// Its code; for a condition that is not met, the column follows it: `policy.require:outcome`. That is
    /// enough to tell the reasons of a recording apart.
    #[must_use]
    pub fn label(&self) -> String {
        match self.data.get("column") {
            Some(Value::String(column)) if self.code == REQUIRE => {
                format!("{}:{column}", self.code)
            }
            _ => self.code.clone(),
        }
    }
}

impl Decision {
    /// Rejects the recording because of a finding.
    pub fn reject(&mut self, finding: &AnyFinding) {
        self.admitted = Some(false);
        self.reasons.push(Reason::of(finding));
    }
}

impl Policy {
    /// Decides whether a recording is admitted, from the findings of its audit and from its facts,
    /// and lists all reasons to reject it.
    ///
    /// # Errors
    /// If the facts cannot be read and no finding rejects the recording.
    pub fn judge(&self, recording: &Recording, audit: &Audit) -> Result<Decision, Error> {
        let Some(section) = self.section(recording.format().name()) else {
            return Ok(Decision::default());
        };
        let findings = audit.findings.iter();
        let findings =
            findings.filter(|finding| section.is_against(finding.code(), finding.severity()));
        let mut reasons: Vec<Reason> = findings.map(Reason::of).collect();
        let conditions: Vec<[&str; 2]> = section.conditions().map(FactCondition::fact).collect();
        let mut class = None;
        match facts(&conditions, recording, audit) {
            Ok(facts) => class = section.ask(&facts, &mut reasons),
            // The findings already say that the recording is broken. Without such findings, this is
            // an error.
            Err(_) if !reasons.is_empty() => {}
            Err(error) => return Err(error),
        }
        Ok(Decision {
            admitted: Some(reasons.is_empty()),
            class,
            reasons,
        })
    }

    /// Returns the facts by which a ranking lists a recording: those that its format
    /// [names](gametape_core::tape::FormatInfo::ranked), then the others that this policy looks at. There
    /// are none if the policy has no table for the format.
    ///
    /// # Errors
    /// If the facts cannot be read.
    pub fn facts(&self, recording: &Recording, audit: &Audit) -> Result<Map<String, Value>, Error> {
        let format = recording.format();
        let Some(section) = self.section(format.name()) else {
            return Ok(Map::new());
        };
        let tables = format.tables();
        let ranked = format.info().ranked.iter().filter_map(|column| {
            let mut tables = tables.iter().filter(|table| table.lane == Lane::Facts);
            let table = tables.find(|table| table.column(column).is_some())?;
            Some([&*table.name, *column])
        });
        let wanted: Vec<[&str; 2]> = ranked
            .chain(section.conditions().map(FactCondition::fact))
            .collect();
        let known = facts(&wanted, recording, audit)?;
        let value = |column: &str| known.get(column).cloned().unwrap_or_default();
        let listed = wanted
            .iter()
            .map(|[_, column]| ((*column).to_owned(), value(column)));
        Ok(listed.collect())
    }

    /// Returns whether a finding rejects recordings of this format.
    #[must_use]
    pub fn rejects(&self, format: &str, code: &str, severity: Severity) -> bool {
        let section = self.section(format);
        section.is_some_and(|section| section.is_against(code, severity))
    }
}

impl Section {
    fn is_against(&self, code: &str, severity: Severity) -> bool {
        let is = |known: &String| known == code;
        !self.admit.iter().any(is)
            && (self.reject.severities.contains(&severity) || self.reject.codes.iter().any(is))
    }

    fn conditions(&self) -> impl Iterator<Item = &FactCondition> {
        let classes = self.classes.iter();
        let of_classes = classes.flat_map(|class| class.when.iter().chain(&class.require));
        self.require.iter().chain(of_classes)
    }

    /// Adds the conditions that the facts do not meet, and returns the class.
    fn ask(&self, facts: &Map<String, Value>, reasons: &mut Vec<Reason>) -> Option<String> {
        let value =
            |condition: &FactCondition| facts.get(&condition.column).unwrap_or(&Value::Null);
        let fails = |condition: &&FactCondition| !condition.test.holds(value(condition));
        let failed = self.require.iter().filter(fails);
        reasons.extend(failed.map(|condition| unmet(condition, value(condition), None)));
        let mut classes = self.classes.iter();
        let class = classes.find(|class| !class.when.iter().any(|condition| fails(&condition)));
        if let Some(class) = class {
            let failed = class.require.iter().filter(fails);
            reasons.extend(failed.map(|c| unmet(c, value(c), Some(&class.name))));
        } else if !self.classes.is_empty() {
            reasons.push(self.no_class(&value));
        }
        class.map(|class| class.name.clone())
    }

    /// Creates the reason that the recording fits none of the classes.
    fn no_class<'v>(&self, value: &impl Fn(&FactCondition) -> &'v Value) -> Reason {
        let names: Vec<&str> = self
            .classes
            .iter()
            .map(|class| class.name.as_str())
            .collect();
        let mut is = Map::new();
        for condition in self.classes.iter().flat_map(|class| &class.when) {
            is.insert(condition.column.clone(), value(condition).clone());
        }
        let said: Vec<String> = is
            .iter()
            .map(|(key, value)| format!("{key} is {value}"))
            .collect();
        Reason {
            code: "policy.class".to_owned(),
            message: format!("it is none of {}: {}", names.join(", "), said.join(", ")),
            data: Map::from_iter([
                ("classes".to_owned(), json!(names)),
                ("is".to_owned(), is.into()),
            ]),
        }
    }
}

/// Returns facts of a recording, each by its table and its column: those of the audit, which cost nothing,
/// and the rest from the tables.
fn facts(
    wanted: &[[&str; 2]],
    recording: &Recording,
    audit: &Audit,
) -> Result<Map<String, Value>, Error> {
    let mut facts = audit.facts.clone();
    let untold = wanted
        .iter()
        .filter(|[_, column]| !facts.contains_key(*column));
    let mut untold: Vec<[&str; 2]> = untold.copied().collect();
    untold.sort_unstable();
    untold.dedup();
    for of_table in untold.chunk_by(|[one, _], [other, _]| one == other) {
        let Some([table, _]) = of_table.first() else {
            continue;
        };
        let columns = of_table.iter().map(|[_, column]| *column);
        let scan = Scan::table(*table).columns(columns.clone());
        let read = recording.scan(&scan, |batch| {
            for (at, column) in columns.clone().enumerate() {
                if !batch.is_empty() {
                    facts.insert(column.to_owned(), json(batch.get(0, at)));
                }
            }
            Ok(ControlFlow::Break(()))
        })?;
        // A value that can't be read meets no condition, and the audit says what is broken.
        read.readable();
    }
    Ok(facts)
}

fn json(value: table::Value<'_>) -> Value {
    match value {
        table::Value::Null => Value::Null,
        table::Value::Bool(value) => json!(value),
        table::Value::Int(value) => json!(value),
        table::Value::Uint(value) => json!(value),
        table::Value::Float32(value) => json!(value),
        table::Value::Float64(value) => json!(value),
        table::Value::Text(value) => json!(value),
    }
}

/// Creates the reason that a condition is not met.
fn unmet(condition: &FactCondition, value: &Value, class: Option<&str>) -> Reason {
    let FactCondition { column, test, .. } = condition;
    let is = match value {
        Value::Null => "is not known".to_owned(),
        value => format!("is {value}"),
    };
    let of = class.map_or_else(String::new, |class| format!("{class}: "));
    let mut data = Map::from_iter([
        ("column".to_owned(), json!(column)),
        ("is".to_owned(), value.clone()),
        ("required".to_owned(), test.data()),
    ]);
    if let Some(class) = class {
        data.insert("class".to_owned(), json!(class));
    }
    Reason {
        code: REQUIRE.to_owned(),
        message: format!("{of}{column} {is}, {test} is required"),
        data,
    }
}
