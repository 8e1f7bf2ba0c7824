//! The conditions of a query that decide what is read.

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::catalog::Session;
use datafusion::common::{Column, DFSchema, Result, ScalarValue};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use gametape::{At, Lane, Scan, Time};
use gametape_tables::ArrowTable;

/// Conditions, all of which must hold.
pub(crate) struct Pushed {
    /// Those on the name of the recording alone.
    recordings: Vec<Expr>,
    /// Ranges and keys.
    scan: Scan,
}

impl Pushed {
    /// Returns whether a condition decides what is read.
    pub fn takes(table: &ArrowTable, filter: &Expr) -> bool {
        let pushed = Self::of(table, std::slice::from_ref(filter));
        let scan = &pushed.scan;
        let is_range = scan.from.is_some() || scan.to.is_some() || !scan.keys.is_empty();
        is_range || !pushed.recordings.is_empty()
    }

    pub fn of(table: &ArrowTable, filters: &[Expr]) -> Self {
        let mut pushed = Self {
            recordings: Vec::new(),
            scan: Scan::table(""),
        };
        for filter in filters.iter().flat_map(split_conjunction) {
            let columns = filter.column_refs();
            if !columns.is_empty() && columns.iter().all(|column| column.name == "recording") {
                // A table's qualifier means nothing where the recordings alone are looked at.
                pushed.recordings.push(filter.clone());
            } else if let Some((column, operator, value)) = compared(filter) {
                pushed.compare(table, column, operator, value);
            }
        }
        pushed
    }

    fn compare(
        &mut self,
        table: &ArrowTable,
        column: &str,
        operator: Operator,
        value: &ScalarValue,
    ) {
        let definition = table.definition();
        let at = match column {
            _ if definition.lane == Lane::Facts => None,
            "step" => whole(value).map(At::Step),
            "tick" => whole(value).map(At::Tick),
            "time_ms" => number(value).and_then(time).map(At::Time),
            _ => None,
        };
        if let Some(at) = at {
            match operator {
                Operator::Gt | Operator::GtEq => self.scan.from = Some(later(self.scan.from, at)),
                Operator::Lt | Operator::LtEq => self.scan.to = Some(earlier(self.scan.to, at)),
                Operator::Eq => {
                    self.scan.from = Some(later(self.scan.from, at));
                    self.scan.to = Some(earlier(self.scan.to, at));
                }
                _ => {}
            }
            return;
        }
        let own = definition.columns.iter().find(|own| own.name == column);
        if own.is_some_and(|own| own.key && !own.secret) && operator == Operator::Eq {
            let text = match value {
                ScalarValue::Utf8(Some(text))
                | ScalarValue::LargeUtf8(Some(text))
                | ScalarValue::Utf8View(Some(text)) => Some(text.clone()),
                ScalarValue::Boolean(Some(value)) => Some(value.to_string()),
                value => value.try_as_str().flatten().map(str::to_owned).or_else(|| {
                    let whole = number(value).filter(|number| number.fract() == 0.0);
                    whole
                        .and_then(|_| integer(value))
                        .map(|value| value.to_string())
                }),
            };
            self.scan
                .keys
                .extend(text.map(|text| (column.to_owned(), text)));
        }
    }

    /// Returns the range and the keys.
    pub fn scan(&self, table: &str) -> Scan {
        Scan {
            table: table.to_owned(),
            ..self.scan.clone()
        }
    }

    /// Returns for each recording whether it may have rows.
    pub fn recordings<'f>(
        &self,
        state: &dyn Session,
        names: impl Iterator<Item = &'f str>,
    ) -> Result<Vec<bool>> {
        let names = StringArray::from_iter_values(names);
        let mut wanted = vec![true; names.len()];
        if self.recordings.is_empty() {
            return Ok(wanted);
        }
        let schema = Arc::new(Schema::new(vec![Field::new(
            "recording",
            DataType::Utf8,
            false,
        )]));
        let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(names)])?;
        let schema = DFSchema::try_from(schema)?;
        for filter in &self.recordings {
            let filter = unqualified(filter)?;
            let Ok(filter) = state.create_physical_expr(filter, &schema) else {
                // Each row is looked at later.
                continue;
            };
            let Ok(values) = filter.evaluate(&batch) else {
                continue;
            };
            let values = values.into_array(wanted.len())?;
            let Some(values) = values.as_boolean_opt() else {
                continue;
            };
            for (wanted, value) in wanted.iter_mut().zip(values) {
                *wanted &= value.unwrap_or(false);
            }
        }
        Ok(wanted)
    }
}

fn unqualified(filter: &Expr) -> Result<Expr> {
    use datafusion::common::tree_node::{Transformed, TreeNode};
    let unqualified = |expr| {
        Ok(match expr {
            Expr::Column(column) => Transformed::yes(Expr::Column(Column::from_name(column.name))),
            expr => Transformed::no(expr),
        })
    };
    Ok(filter.clone().transform(unqualified)?.data)
}

/// Takes apart a comparison of a column with a value.
fn compared(filter: &Expr) -> Option<(&str, Operator, &ScalarValue)> {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = filter else {
        return None;
    };
    match (&**left, &**right) {
        (Expr::Column(column), Expr::Literal(value, _)) => Some((&column.name, *op, value)),
        (Expr::Literal(value, _), Expr::Column(column)) => Some((&column.name, op.swap()?, value)),
        _ => None,
    }
}

fn integer(value: &ScalarValue) -> Option<i128> {
    Some(match value {
        ScalarValue::Int8(value) => (*value)?.into(),
        ScalarValue::Int16(value) => (*value)?.into(),
        ScalarValue::Int32(value) => (*value)?.into(),
        ScalarValue::Int64(value) => (*value)?.into(),
        ScalarValue::UInt8(value) => (*value)?.into(),
        ScalarValue::UInt16(value) => (*value)?.into(),
        ScalarValue::UInt32(value) => (*value)?.into(),
        ScalarValue::UInt64(value) => (*value)?.into(),
        _ => return None,
    })
}

fn whole(value: &ScalarValue) -> Option<u64> {
    u64::try_from(integer(value)?).ok()
}

fn number(value: &ScalarValue) -> Option<f64> {
    match value {
        ScalarValue::Float32(value) => value.map(f64::from),
        ScalarValue::Float64(value) => *value,
        value => integer(value).map(|value| value as f64),
    }
}

/// A time of so many milliseconds; `None` if it is beyond what a clock has.
fn time(ms: f64) -> Option<Time> {
    let is_time = ms.is_finite() && ms.abs() < 1e15;
    is_time.then(|| Time::from_ms(ms.floor() as i64))
}

/// The later of two starts on the same clock; the first if the clocks differ.
fn later(a: Option<At>, b: At) -> At {
    match (a, b) {
        (Some(At::Step(a)), At::Step(b)) => At::Step(a.max(b)),
        (Some(At::Tick(a)), At::Tick(b)) => At::Tick(a.max(b)),
        (Some(At::Time(a)), At::Time(b)) => At::Time(a.max(b)),
        (Some(a), _) => a,
        (None, b) => b,
    }
}

fn earlier(a: Option<At>, b: At) -> At {
    match (a, b) {
        (Some(At::Step(a)), At::Step(b)) => At::Step(a.min(b)),
        (Some(At::Tick(a)), At::Tick(b)) => At::Tick(a.min(b)),
        (Some(At::Time(a)), At::Time(b)) => At::Time(a.min(b)),
        (Some(a), _) => a,
        (None, b) => b,
    }
}
