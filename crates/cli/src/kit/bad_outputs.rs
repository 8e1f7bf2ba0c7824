//! Outputs that can't be written.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::calls::{KitCall, process};
use super::{Kit, Sample, SampleFolder};

impl Kit {
    /// Runs command lines that succeed and print something, in this folder. If standard output is full they
    /// say so; if its reader is gone they end quietly, with 141. `before` is called before each.
    ///
    /// # Panics
    /// If one does not.
    #[cfg(unix)]
    pub fn printing(&self, folder: &Path, lines: &[impl AsRef<str>], before: impl Fn()) {
        for line in lines {
            let args: Vec<&str> = line.as_ref().split(' ').collect();
            let print_to = |stdout: Stdio| {
                let mut command = Command::new(&self.command);
                command.args(&args).stdin(Stdio::null());
                process(command, KitCall::new(&self.command, folder, &args), stdout)
            };
            // The read end is closed before anything is written.
            if let Ok((reader, writer)) = std::io::pipe() {
                drop(reader);
                before();
                let ended = print_to(writer.into());
                ended.calmly().expect(
                    ended.code == Some(141) && !ended.stderr.contains("can't write"),
                    "a quiet end with 141",
                );
            }
            if let Ok(full) = File::options().write(true).open("/dev/full") {
                before();
                let ended = print_to(full.into());
                ended.code(2).expect(
                    ended
                        .stderr
                        .contains("can't write the output: No space left on device"),
                    "that the output can't be written",
                );
            }
        }
    }

    /// There is nothing that is always full here.
    #[cfg(not(unix))]
    pub fn printing(&self, _folder: &Path, _lines: &[impl AsRef<str>], _before: impl Fn()) {}

    /// Checks outputs that can't be written: a folder, a missing folder, a full disk, the name of another
    /// format; and unknown options. Existing files stay as they were.
    ///
    /// # Panics
    /// If they don't, or something is left behind.
    pub fn bad_outputs(&self) {
        self.each_sample(|sample| self.bad_outputs_of(sample));
    }

    fn bad_outputs_of(&self, sample: &Sample) {
        let folder = SampleFolder::new();
        folder.put_sample(sample);
        let _ = fs::create_dir(folder.path.join("folder"));
        let name = sample.name.as_str();
        let extension = sample.extension();
        let before = folder.names();
        let nowhere = format!("nowhere/out.{extension}");
        let a_folder = format!("a-folder.{extension}");
        let _ = fs::create_dir(folder.path.join(&a_folder));
        for verb in ["convert", "repair"] {
            self.run(&folder, &[verb, name, &nowhere])
                .unusable(&format!("{nowhere}: no such folder: nowhere"));
            self.run(&folder, &[verb, name, &a_folder])
                .unusable(&format!("{a_folder}: is a folder"));
            self.run(&folder, &[verb, name, "out", "--no-such-option"])
                .code(2);
        }
        for other in self.other_extensions(&folder, extension) {
            let named = format!("misnamed.{other}");
            self.run(&folder, &["repair", name, &named])
                .unusable(&named);
            self.run(&folder, &["cut", name, &named, "--to", "step:0"])
                .unusable(&named);
        }
        for output in [&nowhere, &a_folder] {
            self.run(&folder, &["cut", name, output, "--to", "step:0"])
                .unusable(output);
        }
        self.run(&folder, &["convert", name, "out.xyz"])
            .unusable("out.xyz");
        let _ = fs::remove_dir(folder.path.join(&a_folder));
        let left = folder.names();
        folder.expect(
            left == before,
            &format!("{name} and nothing left beside it, not {left:?}"),
        );
        let there = fs::read(folder.path.join(name)).unwrap_or_default();
        folder.expect(
            there == sample.bytes,
            &format!("that {name}, an input, does not change"),
        );
        #[cfg(unix)]
        if Path::new("/dev/full").exists() {
            let link = format!("full.{extension}");
            let _ = std::os::unix::fs::symlink("/dev/full", folder.path.join(&link));
            for verb in ["convert", "repair"] {
                self.run(&folder, &[verb, name, &link])
                    .unusable("No space left on device");
            }
            if self.is_cut(&folder, name) {
                self.run(&folder, &["cut", name, &link, "--to", "step:0"])
                    .unusable("No space left on device");
            }
        }
    }

    /// The extensions of the command's other formats.
    fn other_extensions(&self, folder: &SampleFolder, own: &str) -> Vec<String> {
        let formats = self.run(folder, &["--json", "formats"]);
        formats.code(0);
        let extensions = |line: &str| {
            let format: Value = serde_json::from_str(line).unwrap_or_default();
            let extensions = format["extensions"].as_array().cloned();
            let extensions = extensions.unwrap_or_default().into_iter();
            let text = |value: Value| value.as_str().map(str::to_owned);
            extensions.filter_map(text).collect::<Vec<_>>()
        };
        let all = formats.text();
        let others = all.lines().map(extensions);
        let others = others.filter(|extensions| !extensions.iter().any(|one| one == own));
        others.flatten().collect()
    }
}
