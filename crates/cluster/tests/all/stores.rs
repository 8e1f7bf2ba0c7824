//! Recordings in an object store. `GAMETAPE_PYTHON` names a Python with moto and boto3; `cargo xtask test` makes one.
//! Without it this test says so and passes.

use std::path::{Path, PathBuf};

use gametape::Secrets;

use crate::bucket::{Bucket, python};
use crate::cookbook::lines;
use crate::samples::Asked;
use crate::started::{Client, Cluster, questions, recordings};

#[test]
fn a_bucket_is_an_archive_like_a_folder() {
    let Some(python) = python() else {
        return;
    };
    let (_folder, place) = recordings();
    let bucket = Bucket::of(&python, Path::new(&place));
    let cluster = Cluster::with(&bucket.variables());
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
