//! An archive that is converted on a cluster.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gametape::Secrets;

use crate::cookbook::lines;
use crate::samples::Asked;
use crate::started::{Client, Cluster, recordings};

/// The outputs of a folder, each with its content.
fn outputs(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<_> = files
        .map(|path| {
            let content = fs::read(&path).unwrap();
            (path.file_name().unwrap().into(), content)
        })
        .collect();
    files.sort();
    files
}

#[test]
fn the_outputs_are_those_of_one_machine() {
    let (_folder, place) = recordings();
    let (there, here) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let cluster = Cluster::start();
    let client = Client::of(&cluster, &place, Secrets::Hide);
    let one = Asked::of(&[PathBuf::from(&place)]);
    let sql = |folder: &Path| {
        format!(
            "SELECT recording, file(output), bytes, lossy, losses, report, problem FROM convert('butter', '{}', 'keyframe-every=30')",
            folder.display()
        )
    };
    let (found, expected) = (sql(there.path()), sql(here.path()));
    let expected = lines(&expected, &one.batches(&expected).unwrap());
    assert_eq!(lines(&found, &client.batches(&found)), expected);
    assert_eq!(outputs(there.path()), outputs(here.path()));
    assert_eq!(outputs(here.path()).len(), 3);

    // A mistake is said by the client, and a folder that is not there by an executor.
    let wrong = client.try_batches("SELECT * FROM convert('butter', '/out', 'fast')");
    assert!(
        wrong
            .unwrap_err()
            .to_string()
            .contains("there is no option fast")
    );
    let missing = here.path().join("missing");
    let wrong = client.try_batches(&sql(&missing)).unwrap_err().to_string();
    assert!(
        wrong.ends_with(
            "missing: an executor has no such folder: it has to be there on all machines"
        ),
        "{wrong}"
    );
}

#[test]
fn an_executor_that_is_lost_leaves_no_half_of_an_output() {
    let (folder, place) = recordings();
    let short = fs::read(folder.path().join("it's a \"match\".butter")).unwrap();
    for number in 0..30 {
        let name = format!("more-{number}.butter");
        fs::write(folder.path().join(name), &short).unwrap();
    }
    let (there, here) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut cluster = Cluster::start();
    let sql = |folder: &Path| {
        format!(
            "SELECT count(output) FROM convert('echoreplay', '{}') WHERE recording LIKE '%.butter'",
            folder.display()
        )
    };
    let one = Asked::of(&[PathBuf::from(&place)]);
    let expected = one.value(&sql(here.path()));
    let address = cluster.address();
    let found = std::thread::scope(|scope| {
        let asked = scope.spawn(|| {
            let query = sql(there.path());
            let mut command = std::process::Command::new(crate::started::PROGRAM);
            command.args(["query", &query, &place, "--cluster", &address]);
            crate::started::told(&crate::started::ended(command.args(["--format", "csv"])))
        });
        std::thread::sleep(Duration::from_millis(700));
        cluster.executors[0].kill();
        asked.join().unwrap()
    });
    let (code, out, error) = found;
    if code == 0 {
        assert_eq!(out.lines().nth(1), Some(&*expected), "{error}");
    } else {
        // Then the same again gives the answer.
        assert!(error.contains("executor"), "{error}");
        let client = Client::of(&cluster, &place, Secrets::Hide);
        client.batches(&sql(there.path()));
    }
    // Of the one that was killed, temporary files may be left, but no output that is not whole.
    let named =
        |(name, _): &(PathBuf, Vec<u8>)| name.extension().is_some_and(|it| it == "echoreplay");
    let found: Vec<_> = outputs(there.path()).into_iter().filter(named).collect();
    assert!(found == outputs(here.path()));
}
