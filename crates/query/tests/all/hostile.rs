//! Folders that are not as one wishes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gametape::capture;
use gametape::delta::{Codec, Component, Encoder, Field, Schema, Snapshot};

use crate::samples::{Asked, fill};

/// Asks for every row of every table. No recording, however broken, makes a query fail.
fn ask_all(asked: &Asked) {
    let tables = asked.rows(
        "SELECT table_schema, table_name FROM information_schema.tables
         WHERE table_schema <> 'information_schema' AND table_type = 'BASE TABLE'",
    );
    for row in tables {
        let sql = format!("SELECT * FROM \"{}\".\"{}\"", row[0], row[1]);
        asked
            .batches(&sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}

#[test]
fn what_fuzzing_found_is_no_obstacle() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let folders = ["../../fuzz/regressions", "../../../shared/tapes/fuzz"];
    let mut paths: Vec<PathBuf> = folders.iter().map(|path| own.join(path)).collect();
    paths.retain(|path| path.is_dir());
    assert!(!paths.is_empty());
    // Under names that say what they might be, too.
    for found in paths.iter().flat_map(gametape::find).flatten() {
        let kind = found
            .path
            .parent()
            .unwrap()
            .file_name()
            .unwrap()
            .to_str()
            .unwrap();
        let ends = ["rmv", "murk", "butter", "echoreplay", "mcap", "delta"];
        for end in ends.iter().filter(|end| kind.contains(**end)) {
            let name = format!("{kind}-{}.{end}", found.path.file_name().unwrap().display());
            fs::copy(&found.path, folder.path().join(name)).unwrap();
        }
    }
    paths.push(folder.path().to_owned());
    let asked = Asked::of(&paths);
    ask_all(&asked);
    assert!(!asked.archive.broken().is_empty());
    let unreadable = asked.value("SELECT count(*) FROM findings WHERE code = 'unreadable'");
    assert_ne!(unreadable, "0");
}

#[test]
fn a_folder_that_changes_during_a_query_costs_only_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let at = |name: &str| folder.path().join(name);
    let asked = Asked::of(&[folder.path().to_owned()]);
    let sql = "SELECT file(recording), count(*) FROM mouse_events GROUP BY 1 ORDER BY 1";
    let before = asked.rows(sql);
    fs::remove_file(at("loss.rmv")).ok();
    fs::remove_file(at("expert-win.rmv")).unwrap();
    fs::write(at("beginner-win.rmv"), "no longer a game").unwrap();
    fs::write(at("new.rmv"), gametape_samples::mines::example()).unwrap();
    let after = asked.rows(sql);
    let gone = ["beginner-win.rmv", "expert-win.rmv", "loss.rmv"];
    let left = before.iter().filter(|row| !gone.contains(&&*row[0]));
    assert_eq!(after, left.cloned().collect::<Vec<_>>());
    let broken = asked.archive.broken();
    for name in ["beginner-win.rmv", "expert-win.rmv"] {
        assert!(
            broken.contains_key(&*at(name).to_string_lossy()),
            "{name}: {broken:?}"
        );
    }
}

#[test]
fn tables_that_differ_too_much_are_left_out_and_the_error_names_both_files() {
    let folder = tempfile::tempdir().unwrap();
    // Two captures whose component of one name has different fields.
    for (name, codec) in [("a", Codec::Bool), ("b", Codec::VarUInt)] {
        let field = Field::new(1, codec).named("state");
        let schema = Schema::new([Component::new(1, [field]).named("ship")]).unwrap();
        let mut packet = Vec::new();
        let empty = Snapshot::new(&schema, 1);
        Encoder::new(&schema).full(&empty, &mut packet).unwrap();
        let mut capture =
            capture::Writer::new(Vec::new(), &schema, capture::Options::default()).unwrap();
        capture.push(&packet).unwrap();
        let path = folder.path().join(format!("{name}.mcap"));
        fs::write(path, capture.finish().unwrap()).unwrap();
    }
    let asked = Command::new(env!("CARGO_BIN_EXE_gametape-query"))
        .current_dir(folder.path())
        .args(["SELECT * FROM capture.\"ship\"", "."])
        .output()
        .unwrap();
    let error = String::from_utf8(asked.stderr).unwrap();
    assert_eq!(asked.status.code(), Some(2));
    assert!(
        error.contains("capture.ship is left out: ./a.mcap and ./b.mcap differ: "),
        "{error}"
    );
    assert!(error.contains("query them one at a time"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_a_finding_and_the_others_are_read() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let locked = folder.path().join("expert-win.rmv");
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    mode(folder.path(), 0o755).unwrap();
    mode(&locked, 0).unwrap();
    let ask = |sql: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gametape-query"));
        // A privileged user may read anything, so that somebody else has to ask.
        if fs::read(&locked).is_ok() {
            command.uid(65_534);
        }
        let output = command
            .args([sql, ".", "--format", "csv"])
            .current_dir(folder.path())
            .output();
        output.map(|output| {
            let text = |bytes| String::from_utf8(bytes).unwrap();
            let code = output.status.code();
            (code, text(output.stdout), text(output.stderr))
        })
    };
    let (code, out, error) =
        match ask("SELECT recording, message FROM findings WHERE code = 'unreadable'") {
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                eprintln!("SKIPPED: somebody else may not run the program: {error}");
                return;
            }
            asked => asked.unwrap(),
        };
    assert!(
        out.starts_with("recording,message\n./expert-win.rmv,"),
        "{out}"
    );
    assert!(out.contains("Permission denied"), "{out}");
    assert!(error.contains("expert-win.rmv"), "{error}");
    assert_eq!(code, Some(0), "{error}");
    let (_, out, _) = ask("SELECT count(*) FROM games").unwrap();
    let (_, all, _) = ask("SELECT count(*) FROM recordings WHERE format = 'rmv'").unwrap();
    assert_eq!(out, all);
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_half_of_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    // A limit on the size of files in the place of a full disk. The signal is ignored, so that it is an error.
    let run = |sql: &str| {
        let program = env!("CARGO_BIN_EXE_gametape-query");
        let output = Command::new("sh")
            .current_dir(folder.path())
            .args([
                "-c",
                "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"",
                program,
                sql,
                ".",
            ])
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), error)
    };
    for (form, options) in [("parquet", ""), ("csv", "STORED AS CSV")] {
        let out = format!("copy.{form}");
        let (code, error) = run(&format!(
            "COPY (SELECT * FROM echo.players) TO '{out}' {options}"
        ));
        assert_eq!(code, Some(2), "{error}");
        let said = [
            "File too large",
            "COPY could not finish its file: the disk may be full",
        ];
        assert!(said.iter().any(|said| error.contains(said)), "{error}");
        assert!(!folder.path().join(&out).exists(), "{out}");
        let (code, error) = run(&format!("COPY (SELECT 1) TO '{out}' {options}"));
        assert_eq!(code, Some(0), "{error}");
    }
}
