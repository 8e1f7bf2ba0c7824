//! The function that gives tables: the state at a moment.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{DataFusionError, Result, ScalarValue, plan_err};
use datafusion::logical_expr::Expr;
use gametape::{At, Lane, Time, When};
use gametape_tables::ArrowTable;

use crate::archive::Archive;
use crate::tables::content::Content;
use crate::tables::rows::Rows;
use crate::tables::state::Moments;

/// `state_at('players', 83400)`: the rows that hold at a moment, in milliseconds, of each recording. A text
/// is a moment that is written otherwise (`'tick:137'`, `'end'`), one every so often (`'every 1 s'`), or a
/// table, for the moment of each of its rows (`'goals'`). Of a table of events it is the newest one.
#[derive(Debug)]
pub(crate) struct StateAt {
    pub archive: Arc<Archive>,
    /// The tables of states, cells and events, each with its kind.
    pub tables: Vec<(String, ArrowTable)>,
}

impl TableFunctionImpl for StateAt {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let [Expr::Literal(table, _), Expr::Literal(at, _)] = args.exprs() else {
            return plan_err!(
                "state_at takes the name of a table, and moments: state_at('players', 83400) in milliseconds, state_at('heat', 'tick:137'), state_at('players', 'every 1 s'), state_at('players', 'goals')"
            );
        };
        let name = table.try_as_str().flatten().unwrap_or_default();
        let is_named = |(kind, table): &&(String, ArrowTable)| {
            let own = &table.definition().name;
            name == *own || name == format!("{kind}.{own}")
        };
        let mut found = self.tables.iter().filter(is_named);
        let (kind, table) = match (found.next(), found.next()) {
            (Some(found), None) => found,
            (None, _) => {
                let known = self.tables.iter();
                let known: Vec<_> = known.map(|(_, table)| &*table.definition().name).collect();
                return plan_err!(
                    "there is no table {name:?} of states, cells or events: {}",
                    known.join(", ")
                );
            }
            (Some((first, _)), Some((second, _))) => {
                return plan_err!(
                    "both {first} and {second} have a table {name}: write {first}.{name}"
                );
            }
        };
        let moments = self.moments(kind, at)?;
        Ok(Arc::new(Rows::new(
            &self.archive,
            Content::State {
                kind: kind.clone(),
                table: table.clone(),
                moments,
            },
        )))
    }
}

impl StateAt {
    fn moments(&self, kind: &str, value: &ScalarValue) -> Result<Moments> {
        let Some(text) = value.try_as_str().flatten() else {
            return match value.cast_to(&DataType::Float64) {
                Ok(ScalarValue::Float64(Some(ms))) if ms.is_finite() => Ok(Moments::One(
                    At::Time(Time::from_ms(ms.floor() as i64)).into(),
                )),
                _ => plan_err!(
                    "{value} is no moment: give milliseconds, or a text such as 'tick:137'"
                ),
            };
        };
        let tables = self.archive.tables(kind).into_iter().flatten();
        let tables: Vec<ArrowTable> = tables
            .filter(|table| table.definition().lane != Lane::Facts)
            .collect();
        let is_named = |own: &str| {
            text == own
                || text
                    .strip_prefix(kind)
                    .is_some_and(|rest| rest.strip_prefix('.') == Some(own))
        };
        let table = tables
            .iter()
            .find(|table| is_named(&table.definition().name));
        if let Some(table) = table {
            return Ok(Moments::Of(table.definition().name.to_string()));
        }
        if let Some(every) = text.strip_prefix("every ") {
            return match every.trim().parse::<When>() {
                Ok(When::At(At::Time(every))) if every.0 > 0 => Ok(Moments::Every(every)),
                _ => plan_err!("{text:?}: write 'every 1 s' or 'every 200ms'"),
            };
        }
        let names: Vec<&str> = tables
            .iter()
            .map(|table| &*table.definition().name)
            .collect();
        text.parse::<When>().map(Moments::One).map_err(|error| {
            DataFusionError::Plan(format!(
                "{text:?}: {error}; or give a table, for the moments of its rows: {}",
                names.join(", ")
            ))
        })
    }
}
