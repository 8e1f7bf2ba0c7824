//! The interactive shell.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Editor, Helper, Highlighter, Hinter, Validator};

use crate::archive::Archive;
use crate::command::asked;
use crate::command::errors::told;
use crate::command::output::{self, Form};
use crate::command::stop;
use crate::progress::shown;

const HELP: &str = "\
A query ends with a semicolon.
\\d         the tables
\\d TABLE   the columns of a table
\\q         the end";

/// Words that begin or join the parts of a query.
const WORDS: [&str; 24] = [
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "LIMIT",
    "JOIN",
    "LEFT JOIN",
    "ON",
    "USING",
    "AND",
    "OR",
    "NOT",
    "IS NULL",
    "BETWEEN",
    "LIKE",
    "DISTINCT",
    "AS",
    "HAVING",
    "OVER",
    "PARTITION BY",
    "WITH",
    "EXPLAIN",
    "COPY",
];

/// Answers queries until the input ends.
pub(crate) async fn run(
    archive: &Arc<Archive>,
    context: &SessionContext,
    form: Form,
) -> Result<()> {
    let mut editor: Editor<Words, FileHistory> = Editor::new().map_err(external)?;
    editor.set_helper(Some(Words(words(archive, context))));
    let history = history();
    if let Some(path) = &history {
        // The first time there is none.
        let _ = editor.load_history(path);
    }
    println!(
        "{} recordings: {}. \\d lists the tables, \\h helps.",
        archive.count(),
        archive.kinds().join(", ")
    );
    let mut sql = String::new();
    loop {
        let prompt = if sql.is_empty() { "sql> " } else { "  -> " };
        let line = match editor.readline(prompt) {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => {
                sql.clear();
                continue;
            }
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(external(error)),
        };
        let command = line.trim();
        if sql.is_empty() {
            match command.split_once(' ').unwrap_or((command, "")) {
                ("", _) => continue,
                ("\\q", _) => break,
                ("\\h" | "\\?", _) => {
                    println!("{HELP}");
                    continue;
                }
                ("\\d", "") => sql.push_str("SHOW TABLES;"),
                ("\\d", table) => sql = format!("DESCRIBE {table};"),
                (unknown, _) if unknown.starts_with('\\') => {
                    println!("there is no {unknown}\n{HELP}");
                    continue;
                }
                _ => sql.push_str(command),
            }
        } else {
            sql.push('\n');
            sql.push_str(command);
        }
        if !sql.ends_with(';') {
            continue;
        }
        let _ = editor.add_history_entry(sql.replace('\n', " "));
        let asked = answer(archive, context, sql.trim_end_matches(';'), form);
        let answered = tokio::select! {
            answered = asked => answered,
            _ = tokio::signal::ctrl_c() => {
                println!("stopped");
                Ok(())
            }
        };
        stop::ended();
        if let Err(error) = answered {
            println!("{}", told(&error, archive));
        }
        sql.clear();
    }
    if let Some(path) = &history {
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let _ = editor.save_history(path);
    }
    Ok(())
}

async fn answer(archive: &Archive, context: &SessionContext, sql: &str, form: Form) -> Result<()> {
    archive.progress().restart();
    let answer = asked::query(context, sql).await?;
    let rows = match form {
        // It is written at the end. Other forms and a bar on one terminal would cover each other.
        Form::Table => shown(Arc::clone(archive.progress()), answer).await?,
        _ => answer.execute_stream().await?,
    };
    let mut out = io::BufWriter::new(io::stdout());
    let count = output::write(form, rows, &mut out).await?;
    out.flush()?;
    println!("{count} {}", if count == 1 { "row" } else { "rows" });
    Ok(())
}

fn external(error: ReadlineError) -> datafusion::common::DataFusionError {
    datafusion::common::DataFusionError::External(Box::new(error))
}

/// The file that keeps queries from one session to the next.
fn history() -> Option<PathBuf> {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state"));
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    Some(state.or_else(home)?.join("gametape/query-history"))
}

/// The words that a tab completes: tables, columns, functions.
fn words(archive: &Archive, context: &SessionContext) -> Arc<[String]> {
    let mut words: Vec<String> = WORDS.map(str::to_owned).into();
    for kind in archive.kinds() {
        for table in archive.tables(kind).into_iter().flatten() {
            let name = &table.definition().name;
            words.push(name.to_string());
            words.push(format!("{kind}.{name}"));
            words.extend(
                table
                    .schema()
                    .fields()
                    .iter()
                    .map(|field| field.name().clone()),
            );
        }
    }
    let about = ["recordings", "findings", "verdicts", "markers", "state_at("];
    words.extend(about.map(str::to_owned));
    let state = context.state();
    let functions = state.scalar_functions().keys();
    let functions = functions.chain(state.aggregate_functions().keys());
    words.extend(functions.map(|name| format!("{name}(")));
    words.sort();
    words.dedup();
    words.into()
}

/// Completes words.
#[derive(Helper, Hinter, Highlighter, Validator)]
struct Words(Arc<[String]>);

impl Completer for Words {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        Ok(completed(&self.0, line, at))
    }
}

/// Returns where the word before the cursor starts, and the words that begin so, whatever their case.
fn completed(words: &[String], line: &str, at: usize) -> (usize, Vec<Pair>) {
    let before = line.get(..at).unwrap_or(line);
    let is_end = |c: char| !(c.is_alphanumeric() || c == '_' || c == '.');
    let start = before.rfind(is_end).map_or(0, |end| end + 1);
    let begun = before.get(start..).unwrap_or_default().to_ascii_lowercase();
    let fits = |word: &&String| !begun.is_empty() && word.to_ascii_lowercase().starts_with(&begun);
    let pair = |word: &String| Pair {
        display: word.clone(),
        replacement: word.clone(),
    };
    (start, words.iter().filter(fits).map(pair).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_before_the_cursor_is_completed_whatever_its_case() {
        let words = ["SELECT", "echo.players", "player_name", "players"].map(str::to_owned);
        let found = |line: &str| {
            let (start, pairs) = completed(&words, line, line.len());
            let words: Vec<String> = pairs.into_iter().map(|pair| pair.replacement).collect();
            (start, words)
        };
        assert_eq!(found("sel"), (0, vec!["SELECT".to_owned()]));
        assert_eq!(found("SELECT count(player").0, 13);
        assert_eq!(found("SELECT count(player").1, ["player_name", "players"]);
        assert_eq!(found("x FROM echo.p"), (7, vec!["echo.players".to_owned()]));
        assert_eq!(found("SELECT ").1, Vec::<String>::new());
    }
}
