//! A cluster on loopback.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use datafusion::arrow::array::RecordBatch;
use gametape::Secrets;
use gametape_query::Settings;
use gametape_query::cluster::Wish;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_gametape-cluster");

/// How long anything may take before it counts as hanging.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// A process of a cluster, which ends with the test.
pub struct Process {
    child: Child,
    pub port: u16,
}

impl Process {
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns a port of which the next is free, too. It is none of those that the system gives to connections, nor one that
/// another process of tests looks at: they could take it before the process listens.
fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + u16::try_from(std::process::id() % 390).unwrap() * 32;
    for _ in 0..500 {
        let port = first + NEXT.fetch_add(2, Ordering::Relaxed);
        let is_free = |port| TcpListener::bind(("127.0.0.1", port)).is_ok();
        if is_free(port) && is_free(port + 1) {
            return port;
        }
    }
    panic!("no ports are free");
}

fn waited_for(child: &mut Child, port: u16) {
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(child.try_wait().unwrap().is_none(), "it ended at once");
        assert!(start.elapsed() < PATIENCE, "nobody listens at {port}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub struct Cluster {
    pub scheduler: Process,
    pub executors: Vec<Process>,
    pub work: tempfile::TempDir,
    variables: Vec<(String, String)>,
    /// How large files of executors may be, in kilobytes.
    room: Option<usize>,
}

impl Cluster {
    /// Starts a scheduler, and two executors with a core each.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// Starts a cluster whose executors cannot write files that are larger than so many kilobytes.
    #[cfg(unix)]
    pub fn with_full_disks(room: usize) -> Self {
        let mut cluster = Self::of(&[], Some(room));
        cluster.room = None;
        cluster
    }

    /// Starts a cluster whose processes have these variables.
    pub fn with(variables: &[(&str, &str)]) -> Self {
        Self::of(variables, None)
    }

    fn of(variables: &[(&str, &str)], room: Option<usize>) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let mut cluster = Self {
            scheduler: scheduler(free_port(), variables),
            executors: Vec::new(),
            work: tempfile::tempdir().unwrap(),
            variables: variables.iter().map(owned).collect(),
            room,
        };
        cluster.add_executor();
        cluster.add_executor();
        cluster
    }

    pub fn restart_scheduler(&mut self) {
        self.scheduler.kill();
        let variables: Vec<_> = self
            .variables
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        self.scheduler = scheduler(self.scheduler.port, &variables);
    }

    pub fn add_executor(&mut self) {
        let folder = self.work.path().join(self.executors.len().to_string());
        let port = free_port();
        let mut program = match self.room {
            None => Command::new(PROGRAM),
            // A limit on the size of files in the place of a full disk. The signal is ignored, so that it is
            // an error.
            Some(room) => {
                let mut shell = Command::new("bash");
                let script = format!("trap '' XFSZ; ulimit -f {room}; exec {PROGRAM} \"$@\"");
                shell.args(["-c", &script, "-"]);
                shell
            }
        };
        let mut child = program
            .args(["executor", "--threads", "1", "--scheduler"])
            .arg(self.address())
            .args(["--bind", &format!("127.0.0.1:{port}"), "--work-dir"])
            .arg(folder)
            .envs(self.variables.clone())
            .stdout(Stdio::null())
            .stderr(stderr())
            .spawn()
            .unwrap();
        waited_for(&mut child, port);
        self.executors.push(Process { child, port });
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.scheduler.port)
    }

    pub fn query(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.arg("query").args(args);
        if !args.contains(&"--cluster") {
            command.args(["--cluster", &self.address()]);
        }
        command.envs(self.variables.clone());
        command
    }

    /// Runs a query of the command, which must end.
    pub fn asked(&self, args: &[&str]) -> (i32, String, String) {
        told(&ended(&mut self.query(args)))
    }
}

/// A client in this process.
pub struct Client {
    pub archive: Arc<gametape_query::Archive>,
    context: datafusion::prelude::SessionContext,
    runtime: tokio::runtime::Runtime,
}

impl Client {
    pub fn of(cluster: &Cluster, folder: &str, secrets: Secrets) -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let wish = Wish {
            cluster: cluster.address(),
            formats: gametape::formats(),
            paths: vec![PathBuf::from(folder)],
            secrets,
            settings: Settings::default(),
        };
        let connected = runtime.block_on(gametape_cluster::connect(wish));
        let (archive, context) = connected.unwrap_or_else(|error| panic!("{error}"));
        Self {
            archive,
            context,
            runtime,
        }
    }

    pub fn batches(&self, sql: &str) -> Vec<RecordBatch> {
        let answer = self.try_batches(sql);
        answer.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    pub fn try_batches(&self, sql: &str) -> datafusion::error::Result<Vec<RecordBatch>> {
        let answer = async {
            let answer = self.context.sql(sql).await?;
            let empty = RecordBatch::new_empty(Arc::clone(answer.schema().inner()));
            let mut batches = answer.collect().await?;
            if batches.is_empty() {
                batches.push(empty);
            }
            Ok::<_, datafusion::error::DataFusionError>(batches)
        };
        let answer = async { tokio::time::timeout(3 * PATIENCE, answer).await };
        self.runtime.block_on(answer).expect("it hangs")
    }
}

/// The log lines of the processes, for a person who looks for a fault.
fn stderr() -> Stdio {
    if std::env::var_os("RUST_LOG").is_some() {
        Stdio::inherit()
    } else {
        Stdio::null()
    }
}

fn scheduler(port: u16, variables: &[(&str, &str)]) -> Process {
    let mut child = Command::new(PROGRAM)
        .args(["scheduler", "--lost-after", "10", "--bind"])
        .arg(format!("127.0.0.1:{port}"))
        .envs(variables.iter().copied())
        .stdout(Stdio::null())
        .stderr(stderr())
        .spawn()
        .unwrap();
    waited_for(&mut child, port);
    Process { child, port }
}

/// Runs a command to its end, which must come.
pub fn ended(command: &mut Command) -> Output {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    // Answers of tests fit into the pipes.
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            let output = child.wait_with_output().unwrap();
            panic!("it hangs: {}", String::from_utf8_lossy(&output.stderr));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

pub fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// A folder with recordings of every kind, and the same folder as a text.
pub fn recordings() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    crate::samples::fill(folder.path());
    crate::samples::fill_more(folder.path());
    let text = folder.path().to_str().unwrap().to_owned();
    (folder, text)
}

/// The questions of the book, with whether they need secret columns.
pub fn questions() -> Vec<(String, bool)> {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/cookbook.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut questions = Vec::new();
    for section in page.split("###") {
        let asks_secrets = section.contains("--show-secrets");
        for rest in section.split("```sql\n").skip(1) {
            let sql = rest.split_once("```\n").unwrap().0;
            questions.push((sql.to_owned(), asks_secrets));
        }
    }
    questions
}
