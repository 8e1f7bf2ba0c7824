//! A query as it was written: what the engine would misread without a word, or show without its documentation.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::common::{Column, Result, TableReference, plan_err};
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::prelude::{DataFrame, SessionContext};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};

/// The tables of recordings, without those that describe the database. A table that is known without its schema is
/// listed once.
const TABLES: &str = "SELECT table_schema AS schema, table_name AS name FROM information_schema.tables t
    WHERE table_schema <> 'information_schema' AND (table_schema <> 'public' OR NOT EXISTS (
        SELECT 1 FROM information_schema.tables o WHERE o.table_name = t.table_name AND o.table_schema <> 'public'))
    ORDER BY table_schema = 'public', 1, 2";

/// Plans a query.
///
/// # Errors
/// The errors of a wrong query.
pub async fn query(context: &SessionContext, sql: &str) -> Result<DataFrame> {
    let tokens = tokens(sql);
    let is_word = |token: &Token, name: &str| token.to_string().eq_ignore_ascii_case(name);
    match &words(&tokens)[..] {
        [show, tables] if is_word(show, "SHOW") && is_word(tables, "TABLES") => {
            return context.sql(TABLES).await;
        }
        [describe, table @ ..]
            if is_word(describe, "DESCRIBE") && !table.is_empty() && table.len() <= 3 =>
        {
            let name: String = table.iter().map(ToString::to_string).collect();
            return described(context, &name).await;
        }
        _ => {}
    }
    for pair in tokens.windows(2) {
        if let [Token::Number(number, _), Token::Word(word)] = pair
            && word.quote_style.is_none()
        {
            let name = format!("{number}{word}");
            return plan_err!(
                "{name}: a name that begins with a digit stands in quotes: \"{name}\". If {number} is meant, under the name {word}, write {number} AS {word}"
            );
        }
    }
    named_apart(context.sql(sql).await?)
}

/// The parts of a query; nothing of what is no SQL, about which the engine has its own words.
fn tokens(sql: &str) -> Vec<Token> {
    let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize();
    tokens.unwrap_or_default()
}

/// The parts without spaces, comments and semicolons.
fn words(tokens: &[Token]) -> Vec<&Token> {
    let is_word = |token: &&Token| !matches!(token, Token::Whitespace(_) | Token::SemiColon);
    tokens.iter().filter(is_word).collect()
}

/// The columns of a table, with what their documentation says.
async fn described(context: &SessionContext, name: &str) -> Result<DataFrame> {
    let table = context.table(TableReference::from(name)).await?;
    let fields = table.schema().fields();
    let said = |key: &str| -> ArrayRef {
        let texts = fields.iter().map(|field| field.metadata().get(key));
        Arc::new(
            texts
                .map(|text| text.map(String::as_str))
                .collect::<StringArray>(),
        )
    };
    let names: StringArray = fields.iter().map(|field| Some(field.name())).collect();
    let types = fields
        .iter()
        .map(|field| Some(field.data_type().to_string()));
    let types: StringArray = types.collect();
    let columns: [(&str, ArrayRef); 6] = [
        ("column", Arc::new(names)),
        ("type", Arc::new(types)),
        ("unit", said("unit")),
        ("precision", said("precision")),
        ("key", said("key")),
        ("doc", said("doc")),
    ];
    context.read_batch(RecordBatch::try_from_iter(columns)?)
}

/// Gives the columns of an answer different names: few programs can read a file in which two are called the same.
/// The first keeps its name, another one gets that of its table before it.
fn named_apart(frame: DataFrame) -> Result<DataFrame> {
    if let LogicalPlan::Copy(copy) = frame.logical_plan() {
        let mut names = HashSet::new();
        let fields = copy.input.schema().fields();
        return match fields.iter().find(|field| !names.insert(field.name())) {
            Some(field) => plan_err!(
                "two columns are named {0}: name one of them with AS",
                field.name()
            ),
            None => Ok(frame),
        };
    }
    let mut names: HashSet<String> = HashSet::new();
    let mut columns = Vec::new();
    let mut differ = true;
    for (table, field) in frame.schema().iter() {
        let own = field.name();
        let of_table = table.map(|table| format!("{}.{own}", table.table()));
        let numbered = (2..).map(|number| format!("{own}:{number}"));
        let mut wished = std::iter::once(own.clone()).chain(of_table).chain(numbered);
        let name = wished
            .find(|name| !names.contains(name))
            .unwrap_or_default();
        names.insert(name.clone());
        differ &= name == *own;
        columns.push(Expr::Column(Column::new(table.cloned(), own)).alias(name));
    }
    if differ {
        Ok(frame)
    } else {
        frame.select(columns)
    }
}
