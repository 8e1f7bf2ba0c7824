//! Where output goes. What the same is for every format, the kit proves.

use std::fs;

use super::support::{fine, folder, said};

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
