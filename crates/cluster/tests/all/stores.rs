//! Recordings in an object store. `GAMETAPE_PYTHON` names a Python with moto and boto3; `cargo xtask test` makes one.
//! Without it this test says so and passes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use gametape::Secrets;

use crate::cookbook::lines;
use crate::samples::Asked;
use crate::started::{Client, Cluster, questions, recordings};

pub fn python() -> Option<PathBuf> {
    let python = std::env::var_os("GAMETAPE_PYTHON").map(PathBuf::from);
    if python.is_none() {
        println!("SKIPPED: GAMETAPE_PYTHON names no Python");
    }
    python
}

/// A server with the bucket `games`.
struct Bucket {
    server: Child,
    endpoint: String,
}

impl Bucket {
    fn of(python: &Path, folder: &str) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../query/tests/s3.py");
        let mut server = Command::new(python)
            .arg(script)
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut endpoint = String::new();
        let mut told = BufReader::new(server.stdout.take().unwrap());
        told.read_line(&mut endpoint).unwrap();
        let endpoint = endpoint.trim().to_owned();
        Self { server, endpoint }
    }

    /// The server's list of the objects below a prefix.
    fn listed(&self, prefix: &str) -> String {
        let address = self.endpoint.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "GET /games?list-type=2&prefix={prefix} HTTP/1.1\r\nHost: it\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        drop(self.server.stdin.take());
        let _ = self.server.wait();
    }
}

#[test]
fn a_bucket_is_an_archive_like_a_folder() {
    let Some(python) = python() else {
        return;
    };
    let (_folder, place) = recordings();
    let bucket = Bucket::of(&python, &place);
    let cluster = Cluster::with(&[
        ("AWS_ENDPOINT", &bucket.endpoint),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ]);
    let there = "s3://games/of all";
    // The client has no credentials, and needs none.
    let client = Client::of(&cluster, &format!("{there}/"), Secrets::Hide);
    let one = Asked::of(&[PathBuf::from(&place)]);
    let mut asked = 0;
    for (sql, asks_secrets) in questions() {
        if asks_secrets {
            continue;
        }
        let expected = lines(&sql, &one.batches(&sql).unwrap());
        let found = lines(&sql, &client.batches(&sql));
        let found: Vec<_> = found
            .iter()
            .map(|line| line.replace(there, &place))
            .collect();
        assert_eq!(found, expected, "{sql}");
        asked += 1;
    }
    assert!(asked > 30, "{asked}");

    // An answer goes to the store as well, in parts.
    let copy =
        "COPY (SELECT player_name, total_time_ms, outcome FROM games WHERE outcome IS NOT NULL)
        TO 's3://games/answers/' STORED AS PARQUET PARTITIONED BY (outcome)";
    client.batches(copy);
    let listed = bucket.listed("answers");
    for part in ["answers/outcome=win/", "answers/outcome=blast/"] {
        assert!(listed.contains(part), "{listed}");
    }
}
