//! The questions of the book, on a cluster and on one machine.

use std::path::PathBuf;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::pretty::pretty_format_batches;
use gametape::Secrets;

use crate::samples::Asked;
use crate::started::{Client, Cluster, questions, recordings};

/// The lines of an answer, sorted where SQL does not order them.
pub fn lines(sql: &str, batches: &[RecordBatch]) -> Vec<String> {
    let table = pretty_format_batches(batches).unwrap().to_string();
    let mut lines: Vec<String> = table
        .lines()
        .filter(|line| line.starts_with('|'))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    if !sql.to_uppercase().contains("ORDER BY") {
        lines.sort();
    }
    lines
}

#[test]
fn the_cluster_gives_the_answers_of_one_machine() {
    let (_folder, place) = recordings();
    let cluster = Cluster::start();
    let clients = [Secrets::Hide, Secrets::Show].map(|it| Client::of(&cluster, &place, it));
    let path = [PathBuf::from(&place)];
    let one = [Asked::of(&path), Asked::with_secrets(&path)];
    let questions = questions();
    assert!(questions.len() >= 40);
    for (sql, asks_secrets) in questions {
        let which = usize::from(asks_secrets);
        let expected = lines(&sql, &one[which].batches(&sql).unwrap());
        let found = lines(&sql, &clients[which].batches(&sql));
        assert_eq!(found, expected, "{sql}");
    }
    // The client hears of what executors found broken.
    let (there, here) = (clients[0].archive.broken(), one[0].archive.broken());
    assert_eq!(there, here);
}

#[test]
fn every_table_is_whole_and_has_each_row_once() {
    let (_folder, place) = recordings();
    let cluster = Cluster::start();
    let client = Client::of(&cluster, &place, Secrets::Hide);
    let one = Asked::of(&[PathBuf::from(&place)]);
    let tables = one.rows(
        "SELECT table_schema, table_name FROM information_schema.tables
         WHERE table_schema <> 'information_schema'",
    );
    assert!(tables.len() > 20);
    for row in tables {
        let sql = format!("SELECT * FROM \"{}\".\"{}\"", row[0], row[1]);
        let expected = lines(&sql, &one.batches(&sql).unwrap());
        assert_eq!(lines(&sql, &client.batches(&sql)), expected, "{sql}");
    }
}
