//! The packets of one sender, from a socket into a capture.

use std::io::{self, Write};
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant, SystemTime};

use gametape_capture::{CaptureError, MAX_STATE_BYTES, Writer, entities_within};
use gametape_delta::{Error, Feedback, Limits, ReceiveError, Receiver, Rule, Schema};

/// How often a capture is made safe against being killed, unless another is wanted.
const FLUSH_EVERY: Duration = Duration::from_secs(1);
/// How often the recorder looks whether it should stop, and says hello.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How often it says hello to a sender it wants to hear of.
const HELLO_EVERY: Duration = Duration::from_millis(500);
/// States that later packets may build on.
const WINDOW: usize = 256;
/// Fewest entities that a state may have, whatever the schema.
const MIN_ENTITIES: usize = 4096;

/// What to record, and when to stop.
#[derive(Clone, Copy, Debug)]
pub struct RecordOptions {
    /// Stop after this many packets.
    pub packets: Option<u64>,
    /// Stop after this long.
    pub duration: Option<Duration>,
    /// Stop when nothing has come for this long, once something has.
    pub idle: Option<Duration>,
    /// Acknowledge packets to their sender, and ask for a full snapshot where one is needed. A
    /// sender that codes against acknowledged states sends nothing but full snapshots without.
    pub feedback: bool,
    /// Record what a receiver sees, of each entity the newest values, in place of the packets: for
    /// senders that stay within a budget by leaving entities out.
    pub view: bool,
    /// How often what was recorded is handed to the system, so that it is safe against being killed, and
    /// who follows the file sees it. Each time makes a chunk of its own, which compress less the smaller
    /// they are.
    pub flush_every: Duration,
    /// A sender to say hello to until packets come: a feedback that asks for a full snapshot.
    pub join: Option<SocketAddr>,
}

impl Default for RecordOptions {
    /// Without end, with feedback, the packets, each second, joining nobody.
    fn default() -> Self {
        Self {
            packets: None,
            duration: None,
            idle: None,
            feedback: true,
            view: false,
            flush_every: FLUSH_EVERY,
            join: None,
        }
    }
}

/// What was recorded, and what was not.
#[derive(Clone, Default, Debug)]
pub struct Recorded {
    /// Packets in the capture.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Full snapshots that were added to seek by.
    pub keyframes_added: u64,
    /// The tick of the first packet in the capture; `None` without packets.
    pub first_tick: Option<u32>,
    /// The last.
    pub last_tick: Option<u32>,
    /// Packets that were not newer than one before: late, or sent twice.
    pub stale: u64,
    /// Packets that build on a state that was never received.
    pub unusable: u64,
    /// Packets that break a rule of the wire.
    pub broken: u64,
    /// The first of them.
    pub first_broken: Option<Error>,
    /// Packets of another schema.
    pub other_schema: u64,
    /// The hash of the first of those.
    pub first_other_schema: Option<u64>,
    /// Packets from others than the first sender.
    pub foreign: u64,
    /// Who sent what was recorded.
    pub sender: Option<SocketAddr>,
}

/// Records the packets of one sender, the first whose packet is of this schema, until `stop`, which
/// is told how far it is ten times a second and with each packet, says so or an option does. What is
/// recorded can be applied, each packet to those before it.
///
/// # Errors
/// [`CaptureError::Io`] where the socket or the output fails.
pub fn record<W: Write>(
    socket: &UdpSocket,
    schema: &Schema,
    options: &RecordOptions,
    writer: &mut Writer<W>,
    mut stop: impl FnMut(&Recorded) -> bool,
) -> Result<Recorded, CaptureError> {
    socket.set_read_timeout(Some(LOOK_EVERY))?;
    // All that is held may come from anybody.
    let max_entities = entities_within(schema, MAX_STATE_BYTES / WINDOW as u64);
    let limits = Limits {
        max_packet_bytes: 1 << 16,
        max_entities: max_entities.max(MIN_ENTITIES),
        ..Limits::NONE
    };
    let mut receiver = Receiver::with_window(schema, WINDOW, limits);
    let mut recorded = Recorded::default();
    let mut bytes = vec![0; 1 << 16];
    let start = Instant::now();
    let (mut last_packet, mut last_flush) = (start, start);
    let mut last_hello: Option<Instant> = None;
    let mut unflushed = false;
    let over =
        |since: Instant, limit: Option<Duration>| limit.is_some_and(|l| since.elapsed() >= l);
    loop {
        if unflushed && last_flush.elapsed() >= options.flush_every {
            writer.flush()?;
            (last_flush, unflushed) = (Instant::now(), false);
        }
        let enough = options.packets.is_some_and(|most| recorded.packets >= most);
        let idle = recorded.sender.is_some() && over(last_packet, options.idle);
        if enough || idle || over(start, options.duration) || stop(&recorded) {
            break;
        }
        if let Some(to) = options.join.filter(|_| recorded.sender.is_none())
            && last_hello.is_none_or(|last| last.elapsed() >= HELLO_EVERY)
        {
            say(socket, &Feedback::NeedFull { baseline: 0 }, to)?;
            last_hello = Some(Instant::now());
        }
        let (length, from) = match socket.recv_from(&mut bytes) {
            Ok(received) => received,
            Err(error) if is_nothing(&error) => continue,
            Err(error) => return Err(error.into()),
        };
        if recorded.sender.is_some_and(|sender| sender != from) {
            recorded.foreign += 1;
            continue;
        }
        let packet = bytes.get(..length).unwrap_or_default();
        let feedback = match receiver.apply(packet) {
            Ok(received) if !received.fresh => {
                recorded.stale += 1;
                Some(received.ack)
            }
            Ok(received) => {
                recorded.sender = Some(from);
                let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                let now = now.map_or(0, |since| since.as_nanos() as u64);
                let pushed = if options.view {
                    writer.push_state(receiver.view(), Some(now))?
                } else {
                    writer.push_at(packet, now)?
                };
                recorded.packets += 1;
                recorded.bytes += length as u64;
                recorded.keyframes_added += u64::from(pushed.keyframe_added);
                recorded.first_tick.get_or_insert(pushed.tick);
                recorded.last_tick = Some(pushed.tick);
                unflushed = true;
                Some(received.ack)
            }
            Err(error @ ReceiveError::NeedFull { .. }) => {
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
        };
        last_packet = Instant::now();
        if let Some(feedback) = feedback.filter(|_| options.feedback) {
            say(socket, &feedback, from)?;
        }
    }
    Ok(recorded)
}

/// A feedback that can't be sent is one more that gets lost.
fn say(socket: &UdpSocket, feedback: &Feedback, to: SocketAddr) -> io::Result<()> {
    match socket.send_to(&feedback.to_bytes(), to) {
        Err(error) if !is_nothing(&error) && !is_unreachable(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Nothing came, or what came before could not be delivered.
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
    use gametape_delta::{Sender, Snapshot};
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
            // It waits for the hello, then sends; every fifth packet is lost, some come twice.
            let mut feedback = [0; 32];
            while server.recv_from(&mut feedback).is_err() {}
            let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
            let mut sender = Sender::new(&Arena::schema());
            let mut arena = Arena::new(40, 1);
            let mut state = Snapshot::new(&Arena::schema(), 0);
            let mut packet = Vec::new();
            for tick in 1..=100 {
                arena.step();
                arena.state(&mut state).unwrap();
                sender.encode(&state, &mut packet).unwrap();
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
        assert_eq!(capture.ticks(), recorded.first_tick.zip(recorded.last_tick));
        let last = recorded.last_tick.unwrap();
        for tick in [1, 50, last] {
            assert!(!capture.state_at(tick).unwrap().is_empty());
        }
    }
}
