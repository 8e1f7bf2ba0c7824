//! Records each session into a file of its own; files without packets are removed.

use std::fs::{self, File};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};

use gametape::Error;
use gametape::core::Spell as _;
use gametape_capture::{CaptureError, Options, Writer};
use gametape_delta::Schema;

use super::stream::{RecordOptions, Recorded, Sessions};
use crate::numbered;

/// Options of a [`FileRecorder`].
#[derive(Clone, Debug)]
pub struct FileOptions {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The capture, an .mcap file. An existing file is not replaced. When the sender is restarted, its
    /// packets go into `arena.2.mcap`, and so on: into the next file that does not exist.
    pub output: PathBuf,
    /// Options for writing the capture.
    pub capture: Options,
    /// Options of the recording: the packets to record, and when to stop.
    pub record: RecordOptions,
}

impl FileOptions {
    /// Checks the options before anything is opened.
    ///
    /// # Errors
    /// [`Error::Unwritable`] if the output is not an .mcap file; [`Error::Io`] if nothing can be sent to
    /// the server.
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

/// An event of a [`FileRecorder`].
#[derive(Clone, Copy, Debug)]
pub enum FileEvent<'t> {
    /// The progress of the current file.
    Progress(&'t Recorded),
    /// The sender was restarted: a file is finished, and another one begins.
    NextFile {
        /// The finished file.
        path: &'t Path,
        /// Its content.
        recorded: &'t Recorded,
        /// The file that begins.
        next: &'t Path,
    },
}

/// A recorder that listens, and has created its file.
///
/// ```no_run
/// use gametape_capture::Options;
/// use gametape_record::udp::{FileEvent, FileOptions, FileRecorder, RecordOptions};
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
/// let files = recorder.run(|event| match event {
///     FileEvent::Progress(recorded) => recorded.packets == 600,
///     FileEvent::NextFile { next, .. } => {
///         println!("the sender was restarted: {}", next.display());
///         false
///     }
/// })?;
/// for (path, recorded) in files {
///     println!("{}: {} packets", path.display(), recorded.packets);
/// }
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
    /// Starts listening for packets of this schema, and creates the file.
    ///
    /// # Errors
    /// As [`FileOptions::check`]; [`Error::Io`] if it can't listen on the address;
    /// [`Error::Unwritable`] if the file can't be created, or exists.
    pub fn begin(options: &'a FileOptions, schema: &'a Schema) -> Result<Self, Error> {
        options.check()?;
        let socket = UdpSocket::bind(options.listen).map_err(|source| Error::Io {
            path: options.listen.to_string().into(),
            source: io::Error::new(source.kind(), format!("can't listen here: {source}")),
        })?;
        let file = create(&options.output)?;
        Ok(Self {
            options,
            schema,
            socket,
            file,
        })
    }

    /// Returns the address on which it listens, with the port that was chosen for port 0.
    ///
    /// # Errors
    /// The error of the system.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Records until `on_event` returns true or an option ends it. Returns the files with their
    /// contents. A file without packets is removed, because it would block the next try.
    ///
    /// # Errors
    /// [`Error::Unwritable`] if the socket or a file fails: the packets written before stay readable.
    pub fn run(
        self,
        mut on_event: impl FnMut(FileEvent<'_>) -> bool,
    ) -> Result<Vec<(PathBuf, Recorded)>, Error> {
        let Self {
            options,
            schema,
            socket,
            mut file,
        } = self;
        let mut path = options.output.clone();
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error: CaptureError| unwritable(&path, error.to_string())
        };
        let sessions = Sessions::new(&socket, schema, options.record);
        let mut sessions = sessions.map_err(|error| failed(&path)(error.into()))?;
        let mut files = Vec::new();
        loop {
            let recorded = session(&mut sessions, file, options, schema, &mut |so_far| {
                on_event(FileEvent::Progress(so_far))
            });
            let nothing = match &recorded {
                Ok(recorded) => recorded.packets == 0,
                Err(_) => has_no_packet(&path),
            };
            if nothing {
                let _ = fs::remove_file(&path);
            }
            let recorded = recorded.map_err(failed(&path))?;
            if recorded.next_session.is_none() {
                files.push((path, recorded));
                return Ok(files);
            }
            let (next, made) = next(&options.output)?;
            let stops = on_event(FileEvent::NextFile {
                path: &path,
                recorded: &recorded,
                next: &next,
            });
            file = made;
            files.push((std::mem::replace(&mut path, next), recorded));
            if stops {
                // The packets that have come already are recorded.
                sessions.end();
            }
        }
    }
}

/// Records a session into a file.
fn session(
    sessions: &mut Sessions<'_>,
    file: File,
    options: &FileOptions,
    schema: &Schema,
    stop: &mut dyn FnMut(&Recorded) -> bool,
) -> Result<Recorded, CaptureError> {
    let mut writer = Writer::new(file, schema, options.capture)?;
    let recorded = sessions.record(&mut writer, stop)?;
    let file = writer.finish()?;
    file.sync_all()?;
    Ok(recorded)
}

/// Creates the next file that does not exist: `arena.2.mcap`, or a later one.
fn next(output: &Path) -> Result<(PathBuf, File), Error> {
    let mut number = 2;
    loop {
        let path = numbered(output, number);
        match File::create_new(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(unwritable(&path, error.to_string())),
        }
    }
}

fn create(path: &Path) -> Result<File, Error> {
    File::create_new(path).map_err(|error| {
        let message = match error.kind() {
            io::ErrorKind::AlreadyExists if path.is_dir() => "is a folder".into(),
            io::ErrorKind::AlreadyExists => "is there already".into(),
            io::ErrorKind::NotFound => {
                let folder = path.parent().unwrap_or(path);
                format!("no such folder: {}", folder.spelled())
            }
            _ => error.to_string(),
        };
        unwritable(path, message)
    })
}

fn unwritable(path: &Path, message: String) -> Error {
    Error::Unwritable {
        path: path.to_owned(),
        message,
    }
}

/// Checks that packets can be sent to a server.
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

/// Returns whether a recording that failed has left no packet.
fn has_no_packet(path: &Path) -> bool {
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
    fn bad_options_are_refused_before_a_file_is_created() {
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
        assert_eq!(recorder.run(|_| false).unwrap()[0].1.packets, 0);
        assert!(!options.output.exists());
        fs::write(&options.output, b"mine").unwrap();
        let error = FileRecorder::begin(&options, &schema).unwrap_err();
        assert_eq!(error.message(), "is there already");
        assert_eq!(fs::read(&options.output).unwrap(), b"mine");
    }

    /// A server that is restarted while it is recorded: each of its runs is complete in a file of its
    /// own, and no file is replaced.
    #[test]
    fn each_session_of_a_server_has_a_file_of_its_own() {
        use gametape_delta::{Feedback, Sender, Snapshot, World};
        use gametape_samples::delta::Arena;

        let folder = tempfile::tempdir().unwrap();
        let mut options = options(folder.path().join("a.mcap"));
        options.record.duration = None;
        options.record.idle = Some(Duration::from_millis(1500));
        fs::write(folder.path().join("a.2.mcap"), b"mine").unwrap();
        let schema = Arena::schema();
        let recorder = FileRecorder::begin(&options, &schema).unwrap();
        let to = recorder.local_addr().unwrap();
        let sending = std::thread::spawn(move || {
            let server = UdpSocket::bind("127.0.0.1:0").unwrap();
            server
                .set_read_timeout(Some(Duration::from_secs(5)))
                .unwrap();
            let mut feedback = [0; 32];
            for (seed, ticks) in [(1, 150), (2, 122), (2, 122)] {
                let mut sender = Sender::new(&Arena::schema());
                let mut arena = Arena::new(20, seed);
                let mut state = Snapshot::new(&Arena::schema(), 0);
                let mut world = World::new(&Arena::schema());
                let mut packet = Vec::new();
                for _ in 0..ticks {
                    arena.step();
                    arena.state(&mut state).unwrap();
                    world.update(&state).unwrap();
                    sender.encode(&mut world, &mut packet).unwrap();
                    server.send_to(&packet, to).unwrap();
                    let (length, _) = server.recv_from(&mut feedback).unwrap();
                    let answer = Feedback::from_bytes(&feedback[..length]).unwrap();
                    // It takes a while to hear of it: some full snapshots come first.
                    if state.tick() > 5 {
                        sender.feedback(&answer);
                    } else {
                        sender.resync();
                    }
                    std::thread::sleep(Duration::from_millis(12));
                }
            }
        });
        let mut restarts = Vec::new();
        let files = recorder
            .run(|event| {
                if let FileEvent::NextFile {
                    path,
                    recorded,
                    next,
                } = event
                {
                    let name = |path: &Path| path.file_name().unwrap().to_owned();
                    restarts.push((name(path), recorded.next_session, name(next)));
                }
                false
            })
            .unwrap();
        sending.join().unwrap();
        let file = |name: &str| std::ffi::OsString::from(name);
        assert_eq!(
            restarts,
            [
                (file("a.mcap"), Some(1), file("a.3.mcap")),
                (file("a.3.mcap"), Some(1), file("a.4.mcap")),
            ]
        );
        let counted = files
            .iter()
            .map(|(_, file)| (file.packets, file.first_tick, file.last_tick, file.stale));
        assert_eq!(
            counted.collect::<Vec<_>>(),
            [
                (150, Some(1), Some(150), 0),
                (122, Some(1), Some(122), 0),
                (122, Some(1), Some(122), 0),
            ]
        );
        for (path, recorded) in &files {
            let bytes = fs::read(path).unwrap();
            let capture = gametape_capture::read(&bytes).unwrap();
            assert_eq!(capture.ticks(), recorded.first_tick.zip(recorded.last_tick));
        }
        assert_eq!(fs::read(folder.path().join("a.2.mcap")).unwrap(), b"mine");
    }
}
