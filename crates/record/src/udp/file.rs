//! Into a file of its own, that stays where it holds something.

use std::fs::{self, File};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};

use gametape::Error;
use gametape_capture::{CaptureError, Options, Writer};
use gametape_delta::Schema;

use super::stream::{RecordOptions, Recorded, record};

/// Where to listen, and what comes of it.
#[derive(Clone, Debug)]
pub struct FileOptions {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The capture, an .mcap file. One that is there is not replaced.
    pub output: PathBuf,
    /// How it is written.
    pub capture: Options,
    /// What to record, and when to stop.
    pub record: RecordOptions,
}

impl FileOptions {
    /// Refuses what can't be recorded, before anything is opened.
    ///
    /// # Errors
    /// [`Error::Unwritable`] for an output that is no .mcap file; [`Error::Io`] for a server that
    /// nothing can be sent to.
    pub fn check(&self) -> Result<(), Error> {
        if self
            .output
            .extension()
            .is_none_or(|extension| !extension.eq_ignore_ascii_case("mcap"))
        {
            let message = "a stream is recorded into an .mcap file".into();
            return Err(unwritable(&self.output, message));
        }
        if let Some(join) = self.record.join {
            check_join(self.listen, join).map_err(|message| Error::Io {
                path: join.to_string().into(),
                source: io::Error::other(message),
            })?;
        }
        Ok(())
    }
}

/// A recorder that listens, and has its file.
///
/// ```no_run
/// use gametape_capture::Options;
/// use gametape_record::udp::{FileOptions, FileRecorder, RecordOptions};
///
/// # fn schema() -> gametape_delta::Schema { gametape_delta::Schema::empty() }
/// let schema = schema();
/// let options = FileOptions {
///     listen: ([0, 0, 0, 0], 7777).into(),
///     output: "arena.mcap".into(),
///     capture: Options { keyframe_every: Some(300), ..Options::default() },
///     record: RecordOptions::default(),
/// };
/// let recorder = FileRecorder::begin(&options, &schema)?;
/// let recorded = recorder.run(|so_far| so_far.packets == 600)?;
/// println!("{} packets", recorded.packets);
/// # Ok::<(), gametape::Error>(())
/// ```
#[derive(Debug)]
pub struct FileRecorder<'a> {
    options: &'a FileOptions,
    schema: &'a Schema,
    socket: UdpSocket,
    file: File,
}

impl<'a> FileRecorder<'a> {
    /// Begins to listen for packets of this schema, and makes the file.
    ///
    /// # Errors
    /// As [`FileOptions::check`]; [`Error::Io`] where nobody can listen there;
    /// [`Error::Unwritable`] where the file can't be made, or is there already.
    pub fn begin(options: &'a FileOptions, schema: &'a Schema) -> Result<Self, Error> {
        options.check()?;
        let socket = UdpSocket::bind(options.listen).map_err(|source| Error::Io {
            path: options.listen.to_string().into(),
            source: io::Error::new(source.kind(), format!("can't listen here: {source}")),
        })?;
        let path = &options.output;
        let file = File::create_new(path).map_err(|error| {
            let message = match error.kind() {
                io::ErrorKind::AlreadyExists if path.is_dir() => "is a folder".into(),
                io::ErrorKind::AlreadyExists => "is there already".into(),
                io::ErrorKind::NotFound => {
                    let folder = path.parent().unwrap_or(path);
                    format!("no such folder: {}", folder.display())
                }
                _ => error.to_string(),
            };
            unwritable(path, message)
        })?;
        Ok(Self {
            options,
            schema,
            socket,
            file,
        })
    }

    /// Where it listens: where any port was asked for, at which.
    ///
    /// # Errors
    /// What the system says.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Records until `stop`, which is told how far it is, says so or an option does. No file is left
    /// that holds no packet: it would be in the way of the next try.
    ///
    /// # Errors
    /// [`Error::Unwritable`] where the socket or the file fails: what was written before stays
    /// readable.
    pub fn run(self, stop: impl FnMut(&Recorded) -> bool) -> Result<Recorded, Error> {
        let Self {
            options,
            schema,
            socket,
            file,
        } = self;
        let recorded = Writer::new(file, schema, options.capture).and_then(|mut writer| {
            let recorded = record(&socket, schema, &options.record, &mut writer, stop)?;
            let file = writer.finish()?;
            file.sync_all()?;
            Ok(recorded)
        });
        let nothing = match &recorded {
            Ok(recorded) => recorded.packets == 0,
            Err(_) => holds_nothing(&options.output),
        };
        if nothing {
            let _ = fs::remove_file(&options.output);
        }
        recorded.map_err(|error: CaptureError| unwritable(&options.output, error.to_string()))
    }
}

fn unwritable(path: &Path, message: String) -> Error {
    Error::Unwritable {
        path: path.to_owned(),
        message,
    }
}

/// Refuses a server that nothing can be sent to.
fn check_join(udp: SocketAddr, join: SocketAddr) -> Result<(), String> {
    if join.port() == 0 {
        return Err("a server has a port above 0".into());
    }
    if udp.is_ipv4() != join.is_ipv4() {
        return Err(format!(
            "can't be joined from {udp}: one address is IPv4, the other IPv6"
        ));
    }
    Ok(())
}

/// Whether a recording that failed has left no packet.
fn holds_nothing(path: &Path) -> bool {
    let Ok(file) = fs::read(path) else {
        return false;
    };
    gametape_capture::read(&file)
        .is_ok_and(|capture| !matches!(capture.packets().next_packet(), Ok(Some(_))))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn options(output: PathBuf) -> FileOptions {
        FileOptions {
            listen: "127.0.0.1:0".parse().unwrap(),
            output,
            capture: Options::default(),
            record: RecordOptions {
                duration: Some(Duration::ZERO),
                ..RecordOptions::default()
            },
        }
    }

    #[test]
    fn what_can_not_be_recorded_is_refused_before_a_file_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let schema = Schema::empty();
        let good = options(folder.path().join("a.mcap"));
        let join = |address: &str| {
            let mut options = good.clone();
            options.record.join = Some(address.parse().unwrap());
            options
        };
        for (options, why) in [
            (options(folder.path().join("a.delta")), "an .mcap file"),
            (join("127.0.0.1:0"), "a port above 0"),
            (join("[::1]:7777"), "one address is IPv4"),
        ] {
            let error = FileRecorder::begin(&options, &schema).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn no_file_is_left_without_packets_and_none_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let options = options(folder.path().join("a.mcap"));
        let schema = Schema::empty();
        let recorder = FileRecorder::begin(&options, &schema).unwrap();
        assert!(options.output.exists());
        assert_eq!(recorder.run(|_| false).unwrap().packets, 0);
        assert!(!options.output.exists());
        fs::write(&options.output, b"mine").unwrap();
        let error = FileRecorder::begin(&options, &schema).unwrap_err();
        assert_eq!(error.message(), "is there already");
        assert_eq!(fs::read(&options.output).unwrap(), b"mine");
    }
}
