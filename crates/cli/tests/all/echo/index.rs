//! The index beside a recording in lines, and the text of a zip that is played.

use std::fs;

use super::support::{fine, folder, gametape, names, outputs, refused, words};

/// The command that reads a moment.
const MOMENT: &str = "dump --state --table players --at step:70";

#[test]
fn an_index_is_kept_where_it_is_asked_for() {
    let folder = folder();
    let path = folder.path();
    let before = fine(path, &format!("{MOMENT} text.echoreplay"));
    assert!(!path.join("text.echoreplay.index").exists());
    let kept = fine(path, &format!("{MOMENT} --keep-index text.echoreplay"));
    assert_eq!(kept, before);
    let index = fs::read(path.join("text.echoreplay.index")).unwrap();
    assert!(index.starts_with(b"GTECHOI2"));
    assert_eq!(fine(path, &format!("{MOMENT} text.echoreplay")), before);
    // That of a .butter has its chunks.
    let kept = fine(path, &format!("{MOMENT} --keep-index match.butter"));
    assert_eq!(kept, fine(path, &format!("{MOMENT} match.butter")));
    let index = fs::read(path.join("match.butter.index"));
    assert!(index.unwrap().starts_with(b"GTECHOB1"));
    // The index of a replaced recording is removed; an index is not a recording.
    let verified = fine(path, "verify .");
    let files = verified.lines().filter(|line| !line.starts_with(' '));
    // All three are of one match, which is told afterwards.
    let files = files.filter(|line| !line.contains("compared with the others"));
    assert_eq!(files.count(), 4, "{verified}");
    outputs(
        path,
        "convert --replace match.butter text.echoreplay --plain",
        0,
    );
    assert!(!path.join("text.echoreplay.index").exists());
}

#[test]
fn an_index_that_cannot_be_written_is_reported() {
    let folder = folder();
    let path = folder.path();
    refused(
        path,
        &format!("{MOMENT} --keep-index zip.echoreplay"),
        "zip.echoreplay: no index is kept: the recording is a zip, whose text must be inflated in any case",
    );
    fs::write(path.join("text.echoreplay.index"), "mine").unwrap();
    refused(
        path,
        "inspect --keep-index text.echoreplay",
        "text.echoreplay: the index text.echoreplay.index can't be kept: the file there is not an index",
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_no_index() {
    use super::support::{full_at, within};
    let folder = folder();
    let path = folder.path();
    let before = names(path);
    for (args, complaint) in [
        (
            "inspect --keep-index text.echoreplay",
            "gametape: text.echoreplay: the index text.echoreplay.index can't be kept: ",
        ),
        (
            &format!("{MOMENT} zip.echoreplay"),
            "gametape: zip.echoreplay: the text of the zip can't be kept in a temporary file",
        ),
    ] {
        let run = within(&full_at(1), path, args).env("TMPDIR", path).output();
        let run = run.unwrap();
        let err = String::from_utf8(run.stderr).unwrap();
        assert!(err.starts_with(complaint), "{err}");
        assert!(err.contains("File too large"), "{err}");
        assert_eq!(run.status.code(), Some(2));
        assert_eq!(names(path), before);
    }
    // A single pass needs no index.
    let run = within(&full_at(1), path, "dump --table game zip.echoreplay").output();
    assert!(run.unwrap().status.success());
}

#[test]
fn a_zip_without_a_folder_for_its_text_is_not_played() {
    let folder = folder();
    let path = folder.path();
    let args = format!("{MOMENT} zip.echoreplay");
    let run = gametape(path, &words(&args)).env("TMPDIR", path.join("gone"));
    let run = run.assert().code(2);
    let err = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(err.contains("can't be kept in a temporary file"), "{err}");
    assert_eq!(
        outputs(path, &args, 0).0,
        fine(path, &format!("{MOMENT} text.echoreplay"))
    );
}
