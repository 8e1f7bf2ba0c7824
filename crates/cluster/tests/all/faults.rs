//! Machines that go, files that are not there, and clients that leave.

use std::fs;

use crate::started::{Cluster, recordings};

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
