//! Where output goes: files that are there already, folders that are not, full disks, readers that
//! have gone away.

use std::fs;
use std::process::Stdio;

use snapbox::cmd::cargo_bin;

use super::support::{fine, folder, names, refused, said, words};

#[test]
fn outputs_that_cannot_be_written() {
    let folder = folder();
    let path = folder.path();
    fs::create_dir(path.join("folder.butter")).unwrap();
    fs::create_dir(path.join("folder.echoreplay")).unwrap();
    for (out, complaint) in [
        ("none/out.butter", "none/out.butter: no such folder: none"),
        ("folder.butter", "folder.butter: is a folder"),
        ("folder.echoreplay", "folder.echoreplay: is a folder"),
    ] {
        refused(path, &format!("convert text.echoreplay {out}"), complaint);
        refused(path, &format!("repair text.echoreplay {out}"), complaint);
    }
    #[cfg(target_os = "linux")]
    refused(
        path,
        "repair match.butter /dev/full",
        "/dev/full: No space left on device (os error 28)",
    );
    // What is there is replaced, by a whole file.
    fs::write(path.join("old.butter"), "old").unwrap();
    said(path, "convert zip.echoreplay old.butter", 3);
    assert_eq!(
        fine(path, "diff old.butter text.echoreplay"),
        "the recordings are the same\n"
    );
    assert!(names(path).iter().all(|name| !name.contains("partial")));
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_mode_and_a_link_its_file() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("old.butter"), "old").unwrap();
    fs::set_permissions(path.join("old.butter"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("old.butter", path.join("link.butter")).unwrap();
    said(path, "convert zip.echoreplay link.butter", 3);
    let mode = fs::metadata(path.join("old.butter"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(
        fs::symlink_metadata(path.join("link.butter"))
            .unwrap()
            .is_symlink()
    );
    fine(path, "diff old.butter match.butter");
}

#[test]
fn a_match_can_come_from_a_pipe_and_go_into_one() {
    let folder = folder();
    let path = folder.path();
    let run = |args: &str, input: Vec<u8>| {
        let run = super::support::gametape(path, &words(args))
            .stdin(input)
            .assert();
        run.get_output().clone()
    };
    for name in ["text.echoreplay", "zip.echoreplay", "match.butter"] {
        let bytes = fs::read(path.join(name)).unwrap();
        let out = run("inspect -", bytes.clone());
        assert!(String::from_utf8_lossy(&out.stdout).contains("frames           90"));
        let out = run("convert - -", bytes.clone());
        assert_eq!(out.stdout, bytes);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let folder = folder();
    let path = folder.path();
    for args in [
        "dump text.echoreplay",
        "dump match.butter",
        "stats match.butter",
        "convert match.butter -",
    ] {
        let mut child = std::process::Command::new(cargo_bin("gametape"))
            .current_dir(path)
            .args(words(args))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{args}");
        assert_eq!(done.status.code(), Some(0), "{args}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    let folder = folder();
    let path = folder.path();
    for args in ["dump text.echoreplay", "convert match.butter -"] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let done = std::process::Command::new(cargo_bin("gametape"))
            .current_dir(path)
            .args(words(args))
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(2), "{args}");
        assert!(
            String::from_utf8_lossy(&done.stderr).contains("No space left"),
            "{args}"
        );
    }
}
