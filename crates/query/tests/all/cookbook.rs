//! The questions of the book, with their answers.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use datafusion::arrow::util::pretty::pretty_format_batches;

use crate::samples::{Asked, fill, fill_more};

pub const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/cookbook.md");

/// Returns the page with the answers to its queries as they are now, and the number of queries.
fn answered(page: &str, folder: &Path) -> (String, usize) {
    let asked = Asked::of(&[folder.to_owned()]);
    let shown = Asked::with_secrets(&[folder.to_owned()]);

    let mut new = String::new();
    let mut rest = page;
    let mut count = 0;
    while let Some((before, after)) = rest.split_once("```sql\n") {
        let (sql, after) = after.split_once("```\n").unwrap();
        // A question that needs secret columns says so.
        let asks_secrets = before
            .rsplit("###")
            .next()
            .unwrap()
            .contains("--show-secrets");
        let asked = if asks_secrets { &shown } else { &asked };
        let batches = asked
            .batches(sql)
            .unwrap_or_else(|error| panic!("{sql}\n{error}"));
        let answer = pretty_format_batches(&batches).unwrap().to_string();
        let own = folder.to_string_lossy().into_owned();
        assert!(!answer.contains(&own), "a path of this machine: {sql}");
        new.push_str(before);
        let _ = write!(new, "```sql\n{sql}```\n\n```text\n{answer}\n```\n");
        count += 1;
        // The answer that is there.
        rest = match after.strip_prefix("\n```text\n") {
            Some(answer) => answer.split_once("```\n").unwrap().1,
            None => after,
        };
    }
    new.push_str(rest);
    (new, count)
}

#[test]
fn every_question_of_the_book_has_its_answer() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    fill_more(folder.path());
    let page = fs::read_to_string(PAGE).unwrap();
    let (new, count) = answered(&page, folder.path());
    assert!(count >= 40, "{count}");
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        fs::write(PAGE, new).unwrap();
        return;
    }
    for (is, should) in new.lines().zip(page.lines()) {
        assert_eq!(
            is, should,
            "GAMETAPE_BLESS=1 cargo test -p gametape-query writes the answers"
        );
    }
    assert_eq!(new.len(), page.len());
}

/// A row whose numbers are as exact as a sum is in any order.
fn rounded(row: Vec<String>) -> Vec<String> {
    let round = |cell: String| match cell.parse::<f64>() {
        Ok(number) if cell.contains(['.', 'e']) => format!("{number:.9e}"),
        _ => cell,
    };
    row.into_iter().map(round).collect()
}

#[test]
fn every_question_has_one_answer_however_many_cores_work() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    fill_more(folder.path());
    let page = fs::read_to_string(PAGE).unwrap();
    let questions = page.split("```sql\n").skip(1);
    let questions: Vec<&str> = questions
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(questions.len() >= 40);
    let mut first: Option<Vec<Vec<Vec<String>>>> = None;
    for cores in [1, 2, 8, 8] {
        let asked = Asked::on_cores(&[folder.path().to_owned()], cores);
        let answers = questions.iter().map(|sql| {
            let mut rows: Vec<Vec<String>> = asked.rows(sql).into_iter().map(rounded).collect();
            rows.sort();
            rows
        });
        let answers: Vec<_> = answers.collect();
        let first = first.get_or_insert_with(|| answers.clone());
        for (sql, (answer, first)) in questions.iter().zip(answers.iter().zip(first)) {
            assert!(
                answer == first,
                "{cores} cores: {sql}\n{answer:?}\n{first:?}"
            );
        }
    }
}
