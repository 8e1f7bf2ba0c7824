//! The dump of a recording.

use std::io::Write;
use std::sync::Arc;

use super::abilities::Dump;
use super::error::Error;
use super::info::Partial;
use super::moment::Moment;
use super::trait_tape::Tape;
use crate::clock::{At, Stamp};
use crate::surface::{JsonRows, Pull};
use crate::table::{Batch, Lane, Scan, TableDef};

impl dyn Tape {
    /// Writes each step as JSON objects on lines of their own, with `step`, `tick` (if there is one) and
    /// `time_ms`: in the format's own form, which has a line for a step; or else the rows of all tables
    /// in the order of their steps. Facts and tables [on request](TableDef::on_request) are left out. If
    /// there are several tables, each row begins with the name of its own, `table`.
    ///
    /// # Errors
    /// [`Error::Output`] for errors of `out`; all others are errors of the recording.
    pub fn dump(
        self: &Arc<Self>,
        wanted: &Dump,
        out: &mut dyn Write,
    ) -> Result<Partial<()>, Error> {
        if let Some(steps) = self.abilities().steps {
            return steps.dump_steps(wanted, out);
        }
        let mut tables = self.tables()?;
        tables.retain(|table| table.lane != Lane::Facts && !table.on_request);
        let is_named = tables.len() > 1;
        let rows = |table| DumpRows::new(self, table, wanted, is_named);
        let mut all: Vec<DumpRows> = tables.iter().map(rows).collect();
        let mut moment = Moment::of_rows(wanted.at, out);
        while let Some((stamp, rows)) = first(&mut all)? {
            if moment.line(stamp, |out| rows.write(out))?.is_break() {
                return moment.end(None);
            }
            rows.row += 1;
        }
        moment.end(all.iter_mut().find_map(|rows| rows.pull.problem(0)))
    }
}

/// The rows of a table. Each table is read by itself: read together, the rows of one would have to wait
/// in memory for those of another that has few.
struct DumpRows {
    pull: Pull,
    json: JsonRows,
    batch: Option<Batch>,
    /// The next row of the batch.
    row: usize,
}

impl DumpRows {
    fn new(tape: &Arc<dyn Tape>, table: &TableDef, wanted: &Dump, is_named: bool) -> Self {
        let scan = Scan {
            secrets: wanted.secrets,
            from: wanted.at.filter(|at| matches!(at, At::Step(_))),
            ..Scan::table(&*table.name)
        };
        let json = JsonRows::new(table.columns.iter().map(|column| &*column.name));
        Self {
            pull: tape.pull([scan]),
            json: if is_named {
                json.of_table(&table.name)
            } else {
                json
            },
            batch: None,
            row: 0,
        }
    }

    /// Returns the stamp of the next row.
    fn stamp(&mut self) -> Result<Option<Stamp>, Error> {
        loop {
            let batch = self.batch.as_ref();
            if let Some(batch) = batch.filter(|batch| self.row < batch.len()) {
                return Ok(Some(batch.stamp(self.row)));
            }
            let Some((_, batch)) = self.pull.next_batch()? else {
                return Ok(None);
            };
            (self.batch, self.row) = (Some(batch), 0);
        }
    }

    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let batch = self.batch.iter();
        batch
            .into_iter()
            .try_for_each(|batch| self.json.row(batch, self.row, out))
    }
}

/// Returns the rows whose next one is of the earliest step; of one step, the tables keep their order.
fn first(all: &mut [DumpRows]) -> Result<Option<(Stamp, &mut DumpRows)>, Error> {
    let mut first: Option<(Stamp, &mut DumpRows)> = None;
    for rows in all {
        if let Some(stamp) = rows.stamp()?
            && first
                .as_ref()
                .is_none_or(|(other, _)| stamp.step < other.step)
        {
            first = Some((stamp, rows));
        }
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clocks, Time};
    use crate::table::kit::{Made, Row};
    use crate::table::{ColumnDef, Kind};

    /// Ships that move in each step but the second, and shots; two steps in each tick and each 10 ms. The
    /// facts and the table on request are not dumped.
    fn battle(names: &[&'static str]) -> Arc<dyn Tape> {
        let table = |name: &'static str| {
            let lane = match name {
                "rules" => Lane::Facts,
                "shots" => Lane::Events,
                _ => Lane::State,
            };
            let ship = ColumnDef::new("ship", Kind::Uint, "A ship.");
            let table = TableDef::new(name, lane, "A table.").with(match lane {
                Lane::State => ship.key(),
                _ => ship,
            });
            if name == "details" {
                table.on_request()
            } else {
                table
            }
        };
        let stamp = |step: u64| Stamp {
            step,
            tick: Some(100 + step / 2),
            time: Some(Time::from_ms(step as i64 / 2 * 10)),
        };
        let rows = |name| {
            let (steps, ships): (&[u64], u64) = match name {
                "rules" => (&[0], 1),
                "shots" => (&[0, 2, 5], 2),
                _ => (&[0, 2, 3, 4, 5], 33),
            };
            let of_step = |step: &u64| {
                let stamp = stamp(*step);
                (0..ships).map(move |ship| Row::new(stamp, [ship.into()]))
            };
            steps.iter().flat_map(of_step).collect()
        };
        let tables = names.iter().map(|name| (table(name), rows(*name)));
        Made::new(Clocks::ticks(true), tables.collect()).shared()
    }

    /// Returns for each table and step how many lines there are.
    fn dumped(names: &[&'static str], at: Option<&str>) -> Result<Vec<(String, u64, u64)>, String> {
        let wanted = Dump {
            at: at.map(|at| at.parse().unwrap()),
            ..Dump::default()
        };
        let mut out = Vec::new();
        let dumped = battle(names).dump(&wanted, &mut out);
        let problem = dumped.map_err(|error| error.to_string())?.problem;
        assert!(problem.is_none());
        let mut counts: Vec<(String, u64, u64)> = Vec::new();
        for line in String::from_utf8(out).unwrap().lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let table = line["table"].as_str().unwrap_or_default();
            let step = line["step"].as_u64().unwrap();
            match counts.last_mut() {
                Some((last, at, count)) if last == table && *at == step => *count += 1,
                _ => counts.push((table.to_owned(), step, 1)),
            }
        }
        Ok(counts)
    }

    #[test]
    fn a_moment_has_all_of_its_rows() {
        let ships = |at| {
            let counts = dumped(&["rules", "ships"], Some(at))?;
            let counts = counts.into_iter().map(|(table, step, count)| {
                assert_eq!(table, "", "a single table needs no name");
                (step, count)
            });
            Ok::<Vec<(u64, u64)>, String>(counts.collect())
        };
        assert_eq!(ships("step:2").unwrap(), [(2, 33)]);
        assert_eq!(ships("step:5").unwrap(), [(5, 33)]);
        assert_eq!(ships("tick:101").unwrap(), [(2, 33), (3, 33)]);
        assert_eq!(ships("0.019").unwrap(), [(2, 33), (3, 33)]);
        assert_eq!(ships("0.02").unwrap(), [(4, 33), (5, 33)]);
        assert_eq!(ships("step:1").unwrap(), [], "a step without rows");
        for (at, error) in [
            ("step:6", "step 6 is not recorded"),
            ("tick:103", "tick 103 is not recorded"),
            ("0.021", "0.021 s is not recorded"),
        ] {
            assert_eq!(ships(at).unwrap_err(), error);
        }
    }

    #[test]
    fn all_tables_are_dumped_step_by_step() {
        let all = ["rules", "ships", "details", "shots"];
        let line = |table: &str, step| {
            (
                table.to_owned(),
                step,
                if table == "ships" { 33 } else { 2 },
            )
        };
        let wanted = [
            line("ships", 0),
            line("shots", 0),
            line("ships", 2),
            line("shots", 2),
            line("ships", 3),
            line("ships", 4),
            line("ships", 5),
            line("shots", 5),
        ];
        assert_eq!(dumped(&all, None).unwrap(), wanted);
        assert_eq!(dumped(&all, Some("step:2")).unwrap(), wanted[2..4]);
        assert_eq!(dumped(&all, Some("0.01")).unwrap(), wanted[2..5]);
        assert_eq!(dumped(&all, Some("tick:102")).unwrap(), wanted[5..]);
        assert_eq!(dumped(&["rules"], None).unwrap(), []);
    }

    #[test]
    fn a_broken_recording_is_dumped_up_to_its_damage() {
        let column = ColumnDef::new("n", Kind::Uint, "A number.");
        let table = |name| TableDef::new(name, Lane::Events, "Numbers.").with(column.clone());
        let row = || Row::new(Stamp::default(), [1u64.into()]);
        let made = Made::new(
            Clocks::STEPS,
            vec![(table("a"), vec![row()]), (table("b"), vec![row(), row()])],
        );
        let broken: Arc<dyn Tape> = Arc::new(made.broken(|| Error::Unsupported("cut".to_owned())));
        let mut out = Vec::new();
        let dumped = broken.dump(&Dump::default(), &mut out).unwrap();
        assert_eq!(dumped.problem.unwrap().to_string(), "cut");
        assert_eq!(String::from_utf8(out).unwrap().lines().count(), 3);
    }
}
