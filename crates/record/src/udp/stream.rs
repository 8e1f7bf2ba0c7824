//! Records the packets of one sender from a socket into a capture.

use std::io::{self, Write};
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant, SystemTime};

use gametape_capture::{CaptureError, MAX_STATE_BYTES, Writer, entities_within};
use gametape_delta::{
    Error, Feedback, Header, Limits, Mode, ReceiveError, Received, Receiver, ReceiverOptions, Rule,
    Schema,
};

use super::restart::{Arrival, WINDOW, Watch};

/// The default of [`RecordOptions::flush_every`].
const FLUSH_EVERY: Duration = Duration::from_secs(1);
/// How often the recorder checks whether it should stop or greet the server.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How often it greets a silent server.
const HELLO_EVERY: Duration = Duration::from_millis(500);
/// A sender that is silent for so long may have been restarted.
const QUIET: Duration = Duration::from_secs(2);
/// The number of entities that a state may have at least, for every schema.
const MIN_ENTITIES: usize = 4096;

/// Options of a recording: the packets to record, and when to stop.
#[derive(Clone, Copy, Debug)]
pub struct RecordOptions {
    /// Stop after this many packets.
    pub packets: Option<u64>,
    /// Stop after this long.
    pub duration: Option<Duration>,
    /// Stop when nothing has come for this long after a packet.
    pub idle: Option<Duration>,
    /// Acknowledge packets to their sender, and ask for a full snapshot if one is needed. Without
    /// feedback, a sender that codes against acknowledged states sends only full snapshots.
    pub feedback: bool,
    /// The states that the sender's deltas build on.
    pub mode: Mode,
    /// Record the packets as they came, in place of the receiver's view. A capture of packets can be
    /// followed only if the mode is strict.
    pub wire: bool,
    /// How often packets are written to the file, so that they are safe if the recorder is killed, and
    /// can be seen by programs that follow the file. Each write makes a chunk; small chunks compress less
    /// well.
    pub flush_every: Duration,
    /// A server to greet while no packets come, with a feedback that asks for a full snapshot.
    pub join: Option<SocketAddr>,
}

impl Default for RecordOptions {
    /// The view of a receiver in merged mode, without end, with feedback, written each second; no server
    /// to greet.
    fn default() -> Self {
        Self {
            packets: None,
            duration: None,
            idle: None,
            feedback: true,
            mode: Mode::Merged,
            wire: false,
            flush_every: FLUSH_EVERY,
            join: None,
        }
    }
}

/// The result of a recording.
#[derive(Clone, Default, Debug)]
pub struct Recorded {
    /// Packets in the capture.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Full snapshots that were added for seeking.
    pub added_keyframes: u64,
    /// The tick of the first packet in the capture; `None` without packets.
    pub first_tick: Option<u32>,
    /// The tick of the last packet.
    pub last_tick: Option<u32>,
    /// Packets that were not newer than an earlier one: late, or sent twice.
    pub stale: u64,
    /// Packets that build on a state that was never received.
    pub unusable: u64,
    /// Packets that break a rule of the wire.
    pub broken: u64,
    /// The error of the first of them.
    pub first_broken: Option<Error>,
    /// Packets of another schema.
    pub other_schema: u64,
    /// The schema hash of the first of them.
    pub first_other_schema: Option<u64>,
    /// Packets from other senders than the first.
    pub foreign: u64,
    /// The sender of the recorded packets.
    pub sender: Option<SocketAddr>,
    /// The first tick of the next session, if the sender was restarted.
    pub next_session: Option<u32>,
}

/// Records the first session of [`Sessions`].
///
/// # Errors
/// As [`Sessions::record`].
pub fn record<W: Write>(
    socket: &UdpSocket,
    schema: &Schema,
    options: &RecordOptions,
    writer: &mut Writer<W>,
    stop: impl FnMut(&Recorded) -> bool,
) -> Result<Recorded, CaptureError> {
    Sessions::new(socket, schema, *options)?.record(writer, stop)
}

/// Records the packets of one sender, session after session. The sender is the first whose packet is of
/// this schema. A session ends when the sender is restarted: its ticks then start again, and the packets
/// after that are a stream of their own.
#[derive(Debug)]
pub struct Sessions<'s> {
    socket: &'s UdpSocket,
    schema: &'s Schema,
    options: RecordOptions,
    limits: Limits,
    receiver: Receiver,
    watch: Watch<'s>,
    /// The first packets of the next session.
    begun: Vec<Arrival>,
    sender: Option<SocketAddr>,
    /// The number of packets of all sessions.
    packets: u64,
    start: Instant,
    last_packet: Instant,
    last_fresh: Instant,
    last_hello: Option<Instant>,
}

impl<'s> Sessions<'s> {
    /// Creates a recorder; it records nothing yet.
    ///
    /// # Errors
    /// The system's error about the socket.
    pub fn new(
        socket: &'s UdpSocket,
        schema: &'s Schema,
        options: RecordOptions,
    ) -> io::Result<Self> {
        socket.set_read_timeout(Some(LOOK_EVERY))?;
        // The packets may come from anybody, so that states need a limit.
        let max_entities = entities_within(schema, MAX_STATE_BYTES / WINDOW as u64);
        let limits = Limits {
            max_packet_bytes: 1 << 16,
            max_entities: max_entities.max(MIN_ENTITIES),
            ..Limits::NONE
        };
        let start = Instant::now();
        Ok(Self {
            socket,
            schema,
            options,
            limits,
            receiver: Receiver::with_options(schema, receiver(limits, &options)),
            watch: Watch::new(schema, receiver(limits, &options)),
            begun: Vec::new(),
            sender: None,
            packets: 0,
            start,
            last_packet: start,
            last_fresh: start,
            last_hello: None,
        })
    }

    /// Records a session until `stop` returns true, an option ends it, or the sender is restarted. `stop`
    /// gets the progress ten times a second and with each packet. After a restart,
    /// [`Recorded::next_session`] is set, and the next call records the new session from its start. Each
    /// recorded packet can be applied to the ones before it.
    ///
    /// # Errors
    /// [`CaptureError::Io`] if the socket or the output fails.
    pub fn record<W: Write>(
        &mut self,
        writer: &mut Writer<W>,
        mut stop: impl FnMut(&Recorded) -> bool,
    ) -> Result<Recorded, CaptureError> {
        let mut recorded = Recorded {
            sender: self.sender,
            ..Recorded::default()
        };
        for Arrival { bytes, at } in std::mem::take(&mut self.begun) {
            if self
                .receiver
                .apply(&bytes)
                .is_ok_and(|received| received.fresh)
            {
                self.put(&bytes, at, writer, &mut recorded)?;
            }
        }
        let mut bytes = vec![0; 1 << 16];
        let mut last_flush = Instant::now();
        let mut flushed = 0;
        loop {
            if recorded.packets > flushed && last_flush.elapsed() >= self.options.flush_every {
                writer.flush()?;
                (last_flush, flushed) = (Instant::now(), recorded.packets);
            }
            if self.is_over() || stop(&recorded) {
                return Ok(recorded);
            }
            self.greet()?;
            let (length, from) = match self.socket.recv_from(&mut bytes) {
                Ok(received) => received,
                Err(error) if is_nothing(&error) => continue,
                Err(error) => return Err(error.into()),
            };
            if self.sender.is_some_and(|sender| sender != from) {
                recorded.foreign += 1;
                continue;
            }
            let packet = bytes.get(..length).unwrap_or_default();
            let feedback = self.packet(packet, from, writer, &mut recorded)?;
            self.last_packet = Instant::now();
            if let Some(feedback) = feedback.filter(|_| self.options.feedback) {
                send(self.socket, &feedback, from)?;
            }
            if recorded.next_session.is_some() {
                return Ok(recorded);
            }
        }
    }

    /// Ends the recording: the next session has only the packets that have come already.
    pub fn end(&mut self) {
        self.options.duration = Some(Duration::ZERO);
    }

    /// Returns whether an option ends the recording.
    fn is_over(&self) -> bool {
        let RecordOptions {
            packets,
            duration,
            idle,
            ..
        } = self.options;
        let over =
            |since: Instant, limit: Option<Duration>| limit.is_some_and(|l| since.elapsed() >= l);
        let enough = packets.is_some_and(|most| self.packets >= most);
        let idle = self.sender.is_some() && over(self.last_packet, idle);
        enough || idle || over(self.start, duration)
    }

    /// Greets a server that only sends to clients it knows; again while nothing comes, because a server
    /// that was restarted knows no clients.
    fn greet(&mut self) -> io::Result<()> {
        let is_quiet = self.sender.is_none() || self.last_packet.elapsed() >= QUIET;
        if let Some(to) = self.options.join.filter(|_| is_quiet)
            && self
                .last_hello
                .is_none_or(|last| last.elapsed() >= HELLO_EVERY)
        {
            send(self.socket, &Feedback::NeedFull { baseline: 0 }, to)?;
            self.last_hello = Some(Instant::now());
        }
        Ok(())
    }

    /// Takes a packet of the sender; returns the answer.
    fn packet<W: Write>(
        &mut self,
        packet: &[u8],
        from: SocketAddr,
        writer: &mut Writer<W>,
        recorded: &mut Recorded,
    ) -> Result<Option<Feedback>, CaptureError> {
        let (at, now) = (unix_ns(), Instant::now());
        let header = Header::read(packet).ok().map(|(header, _)| header);
        let newest = recorded.last_tick;
        if header.is_some_and(|header| self.watch.is_of_previous(&header, packet, newest, now)) {
            recorded.stale += 1;
            return Ok(None);
        }
        Ok(match self.receiver.apply(packet) {
            Ok(Received {
                ack, fresh: false, ..
            }) => {
                recorded.stale += 1;
                header.map(|header| self.stale(&header, packet, at, ack, recorded))
            }
            Ok(Received { ack, .. }) => {
                self.sender = Some(from);
                recorded.sender = Some(from);
                self.put(packet, at, writer, recorded)?;
                Some(ack)
            }
            Err(error @ ReceiveError::NeedFull { .. }) => {
                self.sender = Some(from);
                recorded.sender = Some(from);
                recorded.unusable += 1;
                error.feedback()
            }
            Err(ReceiveError::Packet(Error {
                rule: Rule::SchemaHash { found, .. },
                ..
            })) => {
                recorded.other_schema += 1;
                recorded.first_other_schema.get_or_insert(found.0);
                None
            }
            Err(ReceiveError::Packet(error)) => {
                recorded.broken += 1;
                recorded.first_broken.get_or_insert(error);
                None
            }
            Err(_) => None,
        })
    }

    /// Takes a packet that is not newer than the recorded ones: it is late, came twice, or is of a new
    /// session.
    fn stale(
        &mut self,
        header: &Header,
        packet: &[u8],
        at: u64,
        ack: Feedback,
        recorded: &mut Recorded,
    ) -> Feedback {
        let now = Instant::now();
        let answer = self.watch.stale(header, packet, at, now);
        if let Some(begun) = self.watch.begun(recorded.last_tick, now) {
            recorded.stale = recorded.stale.saturating_sub(begun.len() as u64);
            let first = begun.first().map(|packet| Header::read(&packet.bytes));
            recorded.next_session = first.and_then(Result::ok).map(|(first, _)| first.tick);
            self.begun = begun;
            let options = receiver(self.limits, &self.options);
            self.receiver = Receiver::with_options(self.schema, options);
        }
        // If the start of a session was lost, none of its packets can be applied.
        let needed = header.baseline().filter(|_| {
            let is_quiet = now.duration_since(self.last_fresh) >= QUIET;
            answer.is_none() && is_quiet
        });
        let needed = needed.map(|baseline| Feedback::NeedFull { baseline });
        answer.or(needed).unwrap_or(ack)
    }

    /// Records a packet that was applied.
    fn put<W: Write>(
        &mut self,
        packet: &[u8],
        at: u64,
        writer: &mut Writer<W>,
        recorded: &mut Recorded,
    ) -> Result<(), CaptureError> {
        let pushed = if self.options.wire {
            writer.push_at(packet, at)?
        } else {
            writer.push_state(self.receiver.view(), Some(at))?
        };
        if let Ok((header, _)) = Header::read(packet) {
            self.watch.recorded(&header, packet);
        }
        self.last_fresh = Instant::now();
        self.packets += 1;
        recorded.packets += 1;
        recorded.bytes += packet.len() as u64;
        recorded.added_keyframes += u64::from(pushed.keyframe_added);
        recorded.first_tick.get_or_insert(pushed.tick);
        recorded.last_tick = Some(pushed.tick);
        Ok(())
    }
}

fn receiver(limits: Limits, options: &RecordOptions) -> ReceiverOptions {
    ReceiverOptions {
        window: WINDOW,
        limits,
        mode: options.mode,
    }
}

fn unix_ns() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |since| since.as_nanos() as u64)
}

/// Sends a feedback; one that can't be delivered counts as lost.
fn send(socket: &UdpSocket, feedback: &Feedback, to: SocketAddr) -> io::Result<()> {
    match socket.send_to(&feedback.to_bytes(), to) {
        Err(error) if !is_nothing(&error) && !is_unreachable(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Returns whether nothing came, or an earlier feedback could not be delivered.
fn is_nothing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock
            | io::ErrorKind::TimedOut
            | io::ErrorKind::Interrupted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
    )
}

fn is_unreachable(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable
    )
}

#[cfg(test)]
mod tests {
    use gametape_capture::Options;
    use gametape_delta::{Sender, Snapshot, World};
    use gametape_samples::delta::Arena;

    use super::*;

    #[test]
    fn a_lossy_stream_with_noise_becomes_a_capture_that_plays() {
        let schema = Arena::schema();
        let recorder = UdpSocket::bind("127.0.0.1:0").unwrap();
        let to = recorder.local_addr().unwrap();
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        server
            .set_read_timeout(Some(Duration::from_millis(20)))
            .unwrap();
        let sending = std::thread::spawn(move || {
            // It waits for the greeting, then sends; every fifth packet is lost, some come twice.
            let mut feedback = [0; 32];
            while server.recv_from(&mut feedback).is_err() {}
            let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
            let mut sender = Sender::new(&Arena::schema());
            let mut arena = Arena::new(40, 1);
            let mut state = Snapshot::new(&Arena::schema(), 0);
            let mut world = World::new(&Arena::schema());
            let mut packet = Vec::new();
            for tick in 1..=100 {
                arena.step();
                arena.state(&mut state).unwrap();
                world.update(&state).unwrap();
                sender.encode(&mut world, &mut packet).unwrap();
                if tick % 5 != 0 {
                    server.send_to(&packet, to).unwrap();
                }
                if tick % 7 == 0 {
                    server.send_to(&packet, to).unwrap();
                    server.send_to(b"no packet", to).unwrap();
                    stranger.send_to(&packet, to).unwrap();
                }
                while let Ok((length, _)) = server.recv_from(&mut feedback) {
                    if let Some(feedback) = Feedback::from_bytes(&feedback[..length]) {
                        sender.feedback(&feedback);
                        break;
                    }
                }
            }
        });
        let options = RecordOptions {
            idle: Some(Duration::from_millis(500)),
            join: Some(address),
            ..RecordOptions::default()
        };
        let capture = Options {
            keyframe_every: Some(30),
            view: !options.wire,
            ..Options::default()
        };
        let mut writer = Writer::new(Vec::new(), &schema, capture).unwrap();
        let recorded = record(&recorder, &schema, &options, &mut writer, |_| false).unwrap();
        sending.join().unwrap();
        assert_eq!(recorded.sender, Some(address));
        assert!(recorded.packets >= 60, "{recorded:?}");
        assert!(
            recorded.broken >= 1 && recorded.stale >= 1 && recorded.foreign >= 1,
            "{recorded:?}"
        );
        let file = writer.finish().unwrap();
        let capture = gametape_capture::read(&file).unwrap();
        assert!(capture.is_view());
        assert_eq!(capture.ticks(), recorded.first_tick.zip(recorded.last_tick));
        let last = recorded.last_tick.unwrap();
        for tick in [1, 50, last] {
            assert!(!capture.state_at(tick).unwrap().is_empty());
        }
    }
}
