//! A server like S3. `GAMETAPE_PYTHON` names a Python with moto and boto3; `cargo xtask test` makes one.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The Python for tests beside others; without it they say so and pass.
pub fn python() -> Option<PathBuf> {
    let python = std::env::var_os("GAMETAPE_PYTHON").map(PathBuf::from);
    if python.is_none() {
        println!("SKIPPED: GAMETAPE_PYTHON names no Python");
    }
    python
}

/// A server with the bucket `games`, in which the files of a folder are below `of all/`. It ends with this value.
pub struct Bucket {
    server: Child,
    endpoint: String,
}

impl Bucket {
    pub fn of(python: &Path, folder: &Path) -> Self {
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

    /// The variables of a process that reads it.
    pub fn variables(&self) -> [(&str, &str); 5] {
        [
            ("AWS_ENDPOINT", &self.endpoint),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
        ]
    }

    /// The server's list of the objects below a prefix.
    pub fn listed(&self, prefix: &str) -> String {
        let address = self.endpoint.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "GET /games?list-type=2&prefix={prefix} HTTP/1.0\r\nHost: it\r\n\r\n"
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
