//! The command `gametape-query`.

mod asked;
mod errors;
pub(crate) mod output;
mod shell;
pub(crate) mod stop;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use datafusion::common::{DataFusionError, ScalarValue};
use datafusion::datasource::file_format::options::ArrowReadOptions;
use datafusion::prelude::{CsvReadOptions, JsonReadOptions, ParquetReadOptions, SessionContext};
use futures::future::BoxFuture;
use gametape::core::Spell as _;
use gametape::{Existing, Formats, Policy, Secrets};
use indicatif::ProgressBar;

use crate::archive::Archive;
use crate::archive::store::is_url;
use crate::command::errors::{is_closed, plain, told};
use crate::command::output::Form;
use crate::command::stop::stopped;
use crate::index::index;
use crate::progress::shown;
use crate::session::{Settings, session};

const EXAMPLES: &str = "\
gametape query \"SELECT player_name, min(total_time_ms) FROM games GROUP BY 1\" GAMES
gametape query \"SELECT * FROM findings WHERE severity = 'error'\" FOLDER --format csv
gametape query index ARCHIVE";

/// SQL over any number of recordings
///
/// Runs on all cores. Only what a query needs is read.
#[derive(Parser, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
#[command(name = "gametape query", bin_name = "gametape query", version, before_help = EXAMPLES)]
struct Args {
    /// The query, then recordings: files, folders, patterns, addresses such as `s3://BUCKET/FOLDER/`. Without
    /// a query it is read from standard input; on a terminal, a shell answers one after the other. `index`
    /// instead of a query makes the catalogue of a folder, or brings it up to date.
    #[arg(required = true, value_name = "SQL|PATH")]
    query: Vec<String>,
    /// The form of the answer; a table on a terminal, else JSON lines.
    #[arg(long, value_enum)]
    format: Option<Form>,
    /// JSON lines: `--format jsonl`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// A table of your own, from a file: `names=names.csv`. The end of its name tells the form: .csv, .parquet,
    /// .arrow, .json.
    #[arg(long, value_name = "NAME=FILE", value_parser = table)]
    table: Vec<(String, String)>,
    /// A value for `$NAME` in the query: `--param since=5`, `WHERE x > $since`. In quotes as in SQL it is a text,
    /// whatever it looks like: `--param "name='5'"`.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    param: Vec<(String, ScalarValue)>,
    /// Write the answer to this file. The end of its name tells the form: .csv, .jsonl, .arrow, .parquet.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace an existing file; without it, one with other content stays, and the exit code is 2.
    #[arg(long, requires = "out")]
    replace: bool,
    /// The policy of the table `verdicts`, a file; by default that of each format's community.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Fail if a recording is broken.
    #[arg(long)]
    strict: bool,
    /// How many cores work.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// How much memory sorts, joins and groups may take before they use the disk: `512MB`, `4GB`.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<usize>,
    /// Show secret columns: tokens, addresses, user ids.
    #[arg(long)]
    show_secrets: bool,
    /// Run the query on a cluster: the address of its scheduler. Its machines have to find the recordings under
    /// the same paths. Needs the program gametape-cluster.
    #[arg(long, value_name = "HOST:PORT")]
    cluster: Option<String>,
}

impl Args {
    fn form(&self) -> Option<Form> {
        self.format.or(self.json.then_some(Form::Jsonl))
    }
}

/// A query that is to run on a cluster.
pub struct Wish {
    /// The address of the scheduler.
    pub cluster: String,
    /// The formats that the client knows.
    pub formats: Formats,
    /// The recordings.
    pub paths: Vec<PathBuf>,
    /// Whether secret columns are shown.
    pub secrets: Secrets,
    /// How the query runs.
    pub settings: Settings,
}

/// Connects to a cluster: gives its archive, and a context that plans there.
pub type Connect = fn(Wish) -> BoxFuture<'static, Connected>;
/// The archive of a cluster, and a context that plans there.
pub type Connected = Result<(Arc<Archive>, SessionContext), DataFusionError>;

/// Parses a size in bytes: `512MB`, `4GB`, `1000000`.
pub fn size(text: &str) -> Result<usize, String> {
    let wrong = || format!("{text} is no size: write 512MB or 4GB");
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: usize = number.parse().map_err(|_| wrong())?;
    let unit: usize = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err(wrong()),
    };
    number.checked_mul(unit).ok_or_else(wrong)
}

/// Parses a table: its name, and its file.
fn table(text: &str) -> Result<(String, String), String> {
    let wrong = || format!("{text} is no table: write NAME=FILE, such as names=names.csv");
    let (name, file) = text.split_once('=').ok_or_else(wrong)?;
    if name.is_empty() || file.is_empty() {
        return Err(wrong());
    }
    Ok((name.to_owned(), file.to_owned()))
}

/// Parses a value for the query: a number, true or false, or else a text, with or without quotes.
fn parameter(text: &str) -> Result<(String, ScalarValue), String> {
    let (name, value) = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| format!("{text} is no value: write NAME=VALUE, such as since=5"))?;
    let quoted = value
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''));
    if let Some(text) = quoted {
        return Ok((
            name.to_owned(),
            ScalarValue::from(text.replace("''", "'").as_str()),
        ));
    }
    let value = match (
        value.parse::<i64>(),
        value.parse::<f64>(),
        value.parse::<bool>(),
    ) {
        (Ok(whole), ..) => ScalarValue::from(whole),
        (_, Ok(number), _) => ScalarValue::from(number),
        (.., Ok(flag)) => ScalarValue::from(flag),
        _ => ScalarValue::from(value),
    };
    Ok((name.to_owned(), value))
}

/// Makes a table of the user's own known.
async fn add_table(
    context: &SessionContext,
    (name, file): &(String, String),
) -> Result<(), DataFusionError> {
    let form = Path::new(file).extension().and_then(|form| form.to_str());
    // The engine finds no rows where there is no file.
    if !is_url(file) {
        std::fs::metadata(file)
            .map_err(|error| DataFusionError::Execution(format!("{file}: {error}")))?;
    }
    match form.map(str::to_ascii_lowercase).as_deref() {
        Some("csv") => {
            context
                .register_csv(name, file, CsvReadOptions::new())
                .await
        }
        Some("parquet") => {
            context
                .register_parquet(name, file, ParquetReadOptions::default())
                .await
        }
        Some("arrow") => {
            context
                .register_arrow(name, file, ArrowReadOptions::default())
                .await
        }
        Some("json" | "jsonl" | "ndjson") => {
            let options = JsonReadOptions::default();
            let end = format!(".{}", form.unwrap_or_default());
            context
                .register_json(name, file, options.file_extension(&end))
                .await
        }
        _ => Err(DataFusionError::Plan(format!(
            "{file}: a table of your own is a file .csv, .parquet, .arrow or .json"
        ))),
    }
}

/// The form that the end of a file's name tells.
fn form_of(path: &Path) -> Result<Form, DataFusionError> {
    let end = path.extension().and_then(|end| end.to_str());
    Ok(match end.map(str::to_ascii_lowercase).as_deref() {
        Some("parquet") => Form::Parquet,
        Some("csv") => Form::Csv,
        Some("arrow") => Form::Arrow,
        Some("json" | "jsonl" | "ndjson") => Form::Jsonl,
        Some("txt") => Form::Table,
        _ => {
            return Err(DataFusionError::Plan(format!(
                "{}: in which form? Give --format, or a name that ends in .csv, .jsonl, .arrow or .parquet",
                path.spelled()
            )));
        }
    })
}

/// Runs `gametape-query` with these formats. Exits with 0 if all is well, 1 if a recording is broken and
/// `--strict` is given, 2 if the query is wrong or cannot be answered.
#[must_use]
pub fn run(formats: Formats) -> ExitCode {
    start(&Args::parse_from(apart(std::env::args_os())), formats, None)
}

/// Same as [`run`], with these arguments after the name of the command, and a way to a cluster.
#[must_use]
pub fn run_with(
    formats: Formats,
    args: impl IntoIterator<Item = OsString>,
    connect: Connect,
) -> ExitCode {
    let name = OsString::from("gametape query");
    let args = Args::parse_from(apart(std::iter::once(name).chain(args)));
    start(&args, formats, Some(connect))
}

/// A query may begin with a comment, which looks like an option: a line break before it tells them apart.
fn apart(args: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    args.map(|arg| match arg.to_str() {
        Some(text) if text.starts_with("--") && text.contains('\n') => format!("\n{text}").into(),
        _ => arg,
    })
}

fn start(args: &Args, formats: Formats, connect: Option<Connect>) -> ExitCode {
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return refused(&error.to_string()),
    };
    stop::watch();
    runtime.block_on(answer(args, formats, connect))
}

fn refused(message: &str) -> ExitCode {
    eprintln!("gametape query: {message}");
    ExitCode::from(2)
}

fn policy(path: &Path, formats: &Formats) -> Result<Policy, String> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| format!("{}: {error}", path.spelled()))?;
    let policy = Policy::parse(&text, formats);
    policy.map_err(|error| format!("{}: {error}", path.spelled()))
}

async fn answer(args: &Args, formats: Formats, connect: Option<Connect>) -> ExitCode {
    let secrets = if args.show_secrets {
        Secrets::Show
    } else {
        Secrets::Hide
    };
    let policy = match args.policy.as_ref().map(|path| policy(path, &formats)) {
        Some(Err(message)) => return refused(&message),
        Some(Ok(policy)) => Some(policy),
        None => None,
    };
    let (sql, paths) = match args.query.split_first() {
        // A path is no query.
        Some((first, rest)) if !Path::new(first).exists() => (Some(first.clone()), rest),
        _ => (None, &*args.query),
    };
    if paths.is_empty() {
        return refused("of which recordings? Give paths after the query, or a folder after index");
    }
    let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    if sql.as_deref() == Some("index") {
        if args.cluster.is_some() {
            return refused("a catalogue is made on one machine: leave out --cluster");
        }
        return indexed(&formats, &paths);
    }
    let settings = Settings {
        cores: args.threads,
        memory: args.memory,
        policy,
    };
    let opened = match (&args.cluster, connect) {
        (None, _) => opened(formats, &paths, secrets, &settings),
        (Some(cluster), Some(connect)) => {
            let wish = Wish {
                cluster: cluster.clone(),
                formats,
                paths: absolute(paths),
                secrets,
                settings,
            };
            let connected = connect(wish).await;
            connected.map_err(|error| plain(&error))
        }
        (Some(_), None) => Err(
            "--cluster needs gametape-cluster: gametape-cluster query …, or gametape query"
                .to_owned(),
        ),
    };
    let (archive, context) = match opened {
        Ok(opened) => opened,
        Err(message) => return refused(&message),
    };
    stop::note_spills(&context);
    for table in &args.table {
        if let Err(error) = add_table(&context, table).await {
            return refused(&plain(&error));
        }
    }
    let answered = if sql.is_none() && io::stdin().is_terminal() {
        shell::run(&archive, &context, args.form().unwrap_or(Form::Table)).await
    } else {
        let sql = sql.map_or_else(|| io::read_to_string(io::stdin()), Ok);
        match sql {
            Ok(sql) => stoppable(&archive, run_sql(args, &sql, &archive, &context)).await,
            Err(error) => Err(error.into()),
        }
    };
    archive.ended().await;
    if let Err(error) = answered {
        if is_closed(&error) {
            return ExitCode::from(141);
        }
        return refused(&told(&error, &archive));
    }
    let broken = archive.broken();
    if broken.is_empty() {
        return ExitCode::SUCCESS;
    }
    let count = broken.len();
    let all = archive.count() + archive.unopened();
    eprintln!(
        "gametape query: {count} of {all} recordings {} broken; the rows before the damage are in the answer",
        if count == 1 { "is" } else { "are" }
    );
    eprintln!("{}", listed(&broken));
    ExitCode::from(u8::from(args.strict))
}

/// Says why there are no recordings.
pub fn none_of(broken: &BTreeMap<String, String>) -> String {
    match broken.len() {
        0 => "no recordings".to_owned(),
        1 => broken.values().cloned().collect(),
        count => format!("none of {count} recordings can be read\n{}", listed(broken)),
    }
}

/// The first of the recordings that are broken, with their problems.
fn listed(broken: &BTreeMap<String, String>) -> String {
    let mut lines = Vec::new();
    for (name, problem) in broken.iter().take(10) {
        let told = problem.strip_prefix(&format!("{name}: "));
        lines.push(format!("  {name}: {}", told.unwrap_or(problem)));
    }
    if let Some(more) = broken.len().checked_sub(10).filter(|more| *more > 0) {
        lines.push(format!("  and {more} more: SELECT * FROM findings"));
    }
    lines.join("\n")
}

/// Makes the catalogues of folders.
fn indexed(formats: &Formats, folders: &[PathBuf]) -> ExitCode {
    for folder in folders {
        let bar = ProgressBar::no_length();
        let read = |done: usize, all: usize| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        };
        let made = index(formats, folder, read);
        bar.finish_and_clear();
        match made {
            Ok(made) => println!(
                "{}: {} recordings, {} of them read now, {} broken{}",
                folder.spelled(),
                made.recordings,
                made.read,
                made.broken,
                if made.broken > 0 {
                    ": the table findings says why"
                } else {
                    ""
                }
            ),
            Err(error) => return refused(&error.to_string()),
        }
    }
    ExitCode::SUCCESS
}

/// Opens an archive of this machine, and makes its tables known to SQL.
fn opened(
    formats: Formats,
    paths: &[PathBuf],
    secrets: Secrets,
    settings: &Settings,
) -> Result<(Arc<Archive>, SessionContext), String> {
    let archive = Archive::open(formats, paths, secrets);
    let archive = Arc::new(archive.map_err(|error| error.to_string())?);
    if archive.files().is_empty() {
        return Err(none_of(&archive.broken()));
    }
    match session(&archive, settings) {
        Ok(context) => Ok((archive, context)),
        Err(error) => Err(told(&error, &archive)),
    }
}

/// Paths as other machines have to find them: those of this folder begin at the root.
fn absolute(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let absolute = |path: PathBuf| match path.to_str() {
        Some(text) if is_url(text) => path,
        _ => std::path::absolute(&path).unwrap_or(path),
    };
    paths.into_iter().map(absolute).collect()
}

/// Answers until Ctrl-C. A query has nothing to save: the process ends soon, but for telling a cluster.
async fn stoppable(
    archive: &Archive,
    answer: impl Future<Output = Result<(), DataFusionError>>,
) -> Result<(), DataFusionError> {
    let code = tokio::select! {
        answered = answer => return answered,
        code = stopped() => code,
    };
    // The watch steps back: telling a cluster may take a while.
    stop::ended();
    // The answer is dropped, and what it began on a cluster is told to stop.
    stop::settle();
    stop::clean();
    archive.ended().await;
    std::process::exit(code)
}

async fn run_sql(
    args: &Args,
    sql: &str,
    archive: &Arc<Archive>,
    context: &SessionContext,
) -> Result<(), DataFusionError> {
    let mut answer = asked::query(context, sql).await?;
    if !args.param.is_empty() {
        answer = answer.with_param_values(args.param.clone())?;
    }
    let is_shared = args.out.is_none()
        && io::stdout().is_terminal()
        && args.form().is_some_and(|form| form != Form::Table);
    let rows = if is_shared {
        // Rows and a bar on one terminal would cover each other.
        answer.execute_stream().await?
    } else {
        shown(Arc::clone(archive.progress()), answer).await?
    };
    if let Some(path) = &args.out {
        let form = args.form().map_or_else(|| form_of(path), Ok)?;
        // There as a whole, or not at all.
        let failed = |error: gametape::Error| DataFusionError::External(Box::new(error));
        let mut draft = gametape::Draft::of(path).map_err(failed)?;
        let written = output::write(form, rows, &mut draft).await;
        written.map_err(|error| match error {
            DataFusionError::IoError(error) => {
                DataFusionError::Execution(format!("{}: {error}", path.spelled()))
            }
            error => error,
        })?;
        let content = draft.finish().map_err(failed)?;
        let put = content.put(path, Existing::replaced_if(args.replace));
        return put.map_err(|error| match error {
            gametape::Error::Exists { .. } => {
                DataFusionError::Execution(format!("{error}; --replace replaces it"))
            }
            error => failed(error),
        });
    }
    let form = args.form().unwrap_or(if io::stdout().is_terminal() {
        Form::Table
    } else {
        Form::Jsonl
    });
    let mut out = io::BufWriter::new(io::stdout());
    output::write(form, rows, &mut out).await?;
    out.flush().map_err(DataFusionError::IoError)
}
