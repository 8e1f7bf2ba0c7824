//! Machines that go, files that are not there, and clients that leave.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use gametape::Secrets;

use crate::started::{Client, Cluster, PATIENCE, PROGRAM, ended, recordings, told};

const COUNT: &str = "SELECT count(*) AS n FROM mouse_events";

#[test]
fn the_command_answers_as_on_one_machine() {
    let (folder, place) = recordings();
    let cluster = Cluster::start();
    let sql = "SELECT outcome, count(*) AS games FROM games GROUP BY 1 ORDER BY 1";
    let (code, out, error) = cluster.asked(&[sql, &place, "--format", "csv"]);
    assert_eq!((code, &*error), (0, ""));
    assert!(out.starts_with("outcome,games\n"), "{out}");

    let text = fs::read(folder.path().join("match.echoreplay")).unwrap();
    let cut = folder.path().join("cut.echoreplay");
    fs::write(&cut, &text[..text.len() / 2]).unwrap();
    let args = ["SELECT count(*) FROM echo.players", &place];
    let (code, _, error) = cluster.asked(&args);
    assert_eq!(code, 0);
    assert!(error.contains("cut.echoreplay: "), "{error}");
    let strict: Vec<&str> = args.iter().copied().chain(["--strict"]).collect();
    assert_eq!(cluster.asked(&strict).0, 1);

    for (args, message) in [
        (&["SELECT * FROM nothing", &*place][..], "there are "),
        (&["SELEC 1", &place], "Expected"),
        (&[COUNT, "/nowhere"], "/nowhere"),
        (&[COUNT, &place, "--memory", "1GB"], "each executor"),
        (
            &[COUNT, &place, "--cluster", "https://it"],
            "write HOST:PORT",
        ),
        (&["index", &place], "leave out --cluster"),
    ] {
        let (code, _, error) = cluster.asked(args);
        assert_eq!(code, 2, "{args:?}: {error}");
        assert!(error.contains(message), "{args:?}: {error}");
    }
}

#[test]
fn an_executor_that_goes_costs_no_answer() {
    let (_folder, place) = recordings();
    let mut cluster = Cluster::start();
    let (_, whole, _) = cluster.asked(&[COUNT, &place, "--format", "csv"]);
    assert!(whole.starts_with("n\n"), "{whole}");
    cluster.executors[0].kill();
    // At once: the scheduler does not know of it yet.
    let (code, out, error) = cluster.asked(&[COUNT, &place, "--format", "csv"]);
    assert_eq!((code, out), (0, whole.clone()), "{error}");
    cluster.executors[1].kill();
    let (code, _, error) = cluster.asked(&[COUNT, &place]);
    assert_eq!(code, 2, "{error}");
    cluster.add_executor();
    let (code, out, error) = cluster.asked(&[COUNT, &place, "--format", "csv"]);
    assert_eq!((code, out), (0, whole), "{error}");
}

#[test]
fn a_scheduler_that_was_restarted_answers() {
    let (_folder, place) = recordings();
    let mut cluster = Cluster::start();
    let (_, whole, _) = cluster.asked(&[COUNT, &place, "--format", "csv"]);
    cluster.restart_scheduler();
    // Executors make themselves known again.
    let (code, out, error) = cluster.asked(&[COUNT, &place, "--format", "csv"]);
    assert_eq!((code, out), (0, whole), "{error}");
}

#[test]
fn without_a_scheduler_the_client_says_so() {
    let mut cluster = Cluster::start();
    cluster.scheduler.kill();
    let (code, _, error) = cluster.asked(&["SELECT 1", "/"]);
    assert_eq!(code, 2);
    assert!(
        error.contains("no scheduler answers at 127.0.0.1"),
        "{error}"
    );
}

/// A query that takes seconds where nothing is optimised, and its work.
const LONG: &str = "SELECT sum(a.x * b.y) AS n FROM mouse_events a CROSS JOIN mouse_events b";

/// Starts a query, and waits until the cluster works on it.
fn begun(cluster: &Cluster, sql: &str, place: &str) -> Child {
    let child = cluster
        .query(&[sql, place, "--format", "csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !is_running(cluster) {
        assert!(start.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

/// Whether the cluster works on a query. The one for the outline of an archive has a single stage.
fn is_running(cluster: &Cluster) -> bool {
    let jobs = jobs(cluster);
    let mut running = jobs
        .split('{')
        .filter(|job| job.contains("\"status\":\"Running\""));
    running.any(|job| !job.contains("\"num_stages\":1,"))
}

/// The scheduler's list of its jobs.
fn jobs(cluster: &Cluster) -> String {
    let mut stream = TcpStream::connect(cluster.address()).unwrap();
    write!(
        stream,
        "GET /api/jobs HTTP/1.1\r\nHost: it\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[cfg(unix)]
#[test]
fn a_client_that_is_stopped_stops_its_query() {
    let (_folder, place) = recordings();
    let cluster = Cluster::start();
    // Thrice the events: it would take hours.
    let endless = format!("{LONG} CROSS JOIN mouse_events c");
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let client = begun(&cluster, &endless, &place);
        let status = std::process::Command::new("kill")
            .args([&format!("-{signal}"), &client.id().to_string()])
            .status()
            .unwrap();
        assert!(status.success());
        let (ended, _, error) = told(&client.wait_with_output().unwrap());
        assert_eq!(ended, code, "{error}");
        let start = Instant::now();
        while is_running(&cluster) {
            assert!(start.elapsed() < PATIENCE);
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(jobs(&cluster).contains("Cancelled"));
    }
    // The machines are free again.
    assert_eq!(cluster.asked(&[COUNT, &place]).0, 0);
}

#[test]
fn an_executor_that_goes_in_the_middle_costs_time_alone() {
    let (_folder, place) = recordings();
    let mut cluster = Cluster::start();
    let (_, whole, error) = cluster.asked(&[LONG, &place, "--format", "csv"]);
    assert!(whole.starts_with("n\n"), "{error}");
    let client = begun(&cluster, LONG, &place);
    std::thread::sleep(Duration::from_millis(300));
    cluster.executors[0].kill();
    let (code, out, error) = told(&client.wait_with_output().unwrap());
    assert_eq!((code, out), (0, whole), "{error}");
}

#[test]
fn a_recording_that_an_executor_does_not_find_is_named() {
    let (folder, place) = recordings();
    let cluster = Cluster::start();
    let client = Client::of(&cluster, &place, Secrets::Hide);
    let gone = folder.path().join("expert-win.rmv");
    fs::remove_file(&gone).unwrap();
    let error = client
        .try_batches("SELECT sum(x) FROM mouse_events")
        .unwrap_err();
    let error = error.to_string();
    assert!(error.contains(gone.to_str().unwrap()), "{error}");
    assert!(error.contains("an executor cannot open"), "{error}");
    // The next client does not look for it.
    assert_eq!(cluster.asked(&[COUNT, &place]).0, 0);
}

#[test]
fn an_error_has_its_own_words() {
    let (_folder, place) = recordings();
    let cluster = Cluster::start();
    let sql = "SELECT sum(1 / (x - x)) FROM mouse_events";
    let (code, _, error) = cluster.asked(&[sql, &place]);
    assert_eq!(code, 2);
    assert!(error.to_lowercase().contains("divide"), "{error}");
    assert!(!error.contains("DataFusionError"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_said() {
    let (_folder, place) = recordings();
    let mut cluster = Cluster::with_full_disks(4);
    let out = cluster.work.path().join("sorted.csv");
    let out = out.to_str().unwrap().to_owned();
    let sorted = [
        "SELECT * FROM mouse_events ORDER BY x",
        &*place,
        "--out",
        &*out,
    ];
    let (code, _, error) = cluster.asked(&sorted);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("an executor: File too large"), "{error}");
    assert!(!fs::exists(&out).unwrap());
    // On a machine with room it goes.
    for executor in &mut cluster.executors {
        executor.kill();
    }
    cluster.add_executor();
    let (code, _, error) = cluster.asked(&sorted);
    assert_eq!(code, 0, "{error}");
    assert!(fs::read(&out).unwrap().len() > 100_000);
}

#[test]
fn a_scheduler_whose_port_is_taken_does_not_say_that_it_listens() {
    let cluster = Cluster::start();
    let mut second = std::process::Command::new(PROGRAM);
    second.args(["scheduler", "--bind", &cluster.address()]);
    let (code, out, error) = told(&ended(&mut second));
    assert_eq!((code, &*out), (2, ""), "{error}");
    assert!(error.contains(&cluster.address()), "{error}");
}
