//! Runs a server and clients over UDP on this machine: 300 ships at 30 ticks per second, with
//! packets lost on purpose in both directions.
//!
//! `cargo run --release -p gametape-delta --example arena_udp -- --clients 3 --seconds 10 --loss
//! 10`
//!
//! With `--listen 127.0.0.1:7777 --clients 0` it is a server for other clients, such as `gametape
//! record stream --udp 127.0.0.1:0 --join 127.0.0.1:7777 --schema arena.mcap OUT.mcap`. (`cargo
//! xtask demo` creates an `arena.mcap`, which contains the schema.)
//!
//! The server has one socket. Each client has its own, and says hello until packets arrive. The
//! first client is restarted half-way; a restarted client asks for a full snapshot and is
//! resynchronised.

use std::collections::HashMap;
use std::error::Error;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gametape_delta::{Feedback, ReceiveError, Receiver, Sender, Snapshot, Value, World};
use gametape_samples::delta::Arena;

const HELLO: &[u8] = b"hello";

const USAGE: &str = "arena_udp [--listen ADDR] [--ships N] [--clients N] [--seconds N] [--rate HZ] \
                     [--loss PERCENT] [--budget BYTES]";

/// The options of a run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The number of ships in the arena.
    pub ships: u32,
    /// The number of clients.
    pub clients: usize,
    /// The number of ticks to simulate.
    pub ticks: u32,
    /// The number of ticks per second.
    pub rate: u32,
    /// The percentage of packets that are lost, in each direction.
    pub loss: u64,
    /// The maximum size of a packet in bytes.
    pub budget: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ships: 300,
            clients: 3,
            ticks: 300,
            rate: 30,
            loss: 10,
            budget: 1200,
        }
    }
}

/// The observations of one client.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The number of packets that arrived.
    pub packets: u32,
    /// The number of bytes that arrived while the ships moved.
    pub bytes: u64,
    /// The size of the largest packet.
    pub largest: usize,
    /// The number of requests for a full snapshot, except the first.
    pub resyncs: u32,
    /// Whether the client's last view equals the server's last state.
    pub converged: bool,
}

/// Loses packets, with splitmix64 so that runs are repeatable.
struct Loss {
    percent: u64,
    state: u64,
}

impl Loss {
    fn loses(&mut self) -> bool {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (bits >> 33) % 100 < self.percent
    }
}

/// Runs a server on this socket, and its clients, to the end.
pub fn run(
    server: &UdpSocket,
    options: Options,
) -> Result<Vec<Report>, Box<dyn Error + Send + Sync>> {
    let address = server.local_addr()?;
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..options.clients)
            .map(|number| {
                let over = &over;
                scope.spawn(move || client(number, address, options, over))
            })
            .collect();
        let last = serve(server, options);
        over.store(true, Ordering::Relaxed);
        let last = last?;
        clients
            .into_iter()
            .map(|client| {
                let (mut report, view) = client.join().map_err(|_| "a client panicked")??;
                report.converged = view.same_entities(&last);
                Ok(report)
            })
            .collect()
    })
}

/// Simulates and sends. At the end, the arena stands still until every client has had time to see
/// its last state.
fn serve(socket: &UdpSocket, options: Options) -> Result<Snapshot, Box<dyn Error + Send + Sync>> {
    socket.set_nonblocking(true)?;
    let schema = Arena::schema();
    let mut arena = Arena::new(options.ships, 1);
    let mut state = Snapshot::new(&schema, 0);
    let mut world = World::new(&schema);
    let mut sessions: HashMap<SocketAddr, (Sender, Loss)> = HashMap::new();
    let (mut packet, mut bytes) = (Vec::new(), [0; 64]);
    let start = Instant::now();
    let settle = 90 + options.ships / 4;
    for tick in 1..=options.ticks + settle {
        while let Ok((length, from)) = socket.recv_from(&mut bytes) {
            let (sender, loss) = sessions.entry(from).or_insert_with(|| {
                let mut sender = Sender::new(&schema);
                sender.set_budget(options.budget);
                let loss = Loss {
                    percent: options.loss,
                    state: u64::from(from.port()),
                };
                (sender, loss)
            });
            // Packets of clients are lost as well.
            if let Some(feedback) = Feedback::from_bytes(&bytes[..length])
                && !loss.loses()
            {
                sender.feedback(&feedback);
            }
        }
        if tick <= options.ticks {
            arena.step();
            arena.state(&mut state)?;
        }
        state.set_tick(tick);
        world.update(&state)?;
        for (to, (sender, loss)) in &mut sessions {
            // A ship under fire has a larger weight.
            let weight = |id| match state.entity(id).and_then(|ship| ship.value(1, 8)) {
                Some(Value::UInt(100)) => 1,
                _ => 3,
            };
            sender.encode_visible(&mut world, weight, &mut packet)?;
            if !loss.loses() {
                socket.send_to(&packet, to)?;
            }
        }
        let next = start + Duration::from_secs(1) * tick / options.rate;
        thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    Ok(state)
}

fn client(
    number: usize,
    server: SocketAddr,
    options: Options,
    over: &AtomicBool,
) -> Result<(Report, Snapshot), Box<dyn Error + Send + Sync>> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    socket.connect(server)?;
    socket.set_read_timeout(Some(Duration::from_millis(100)))?;
    socket.send(HELLO)?;
    let mut receiver = Receiver::new(&Arena::schema());
    let mut report = Report::default();
    let mut bytes = vec![0; 65_536];
    let mut restart = number == 0;
    while !over.load(Ordering::Relaxed) {
        let Ok(length) = socket.recv(&mut bytes) else {
            if report.packets == 0 {
                socket.send(HELLO)?;
            }
            continue;
        };
        report.packets += 1;
        report.largest = report.largest.max(length);
        let feedback = match receiver.apply(&bytes[..length]) {
            Ok(received) => Some(received.ack),
            Err(error @ ReceiveError::NeedFull { .. }) => error.feedback(),
            Err(error) => return Err(error.into()),
        };
        if let Some(feedback) = feedback {
            let asks = matches!(feedback, Feedback::NeedFull { .. });
            report.resyncs += u32::from(asks);
            socket.send(&feedback.to_bytes())?;
        }
        if receiver.view().tick() <= options.ticks {
            report.bytes += length as u64;
        }
        if restart && receiver.view().tick() > options.ticks / 2 {
            restart = false;
            receiver.reset();
        }
    }
    Ok((report, receiver.view().clone()))
}

#[allow(
    dead_code,
    reason = "the test that includes this file has no use for it"
)]
fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut options = Options::default();
    let mut seconds = 10;
    let mut listen = String::from("127.0.0.1:0");
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let Some(value) = arguments.next() else {
            println!("{USAGE}");
            return Ok(());
        };
        match name.as_str() {
            "--listen" => listen = value,
            "--ships" => options.ships = value.parse()?,
            "--clients" => options.clients = value.parse()?,
            "--seconds" => seconds = value.parse()?,
            "--rate" => options.rate = value.parse()?,
            "--loss" => options.loss = value.parse()?,
            "--budget" => options.budget = value.parse()?,
            _ => return Err(format!("unknown option {name}\n{USAGE}").into()),
        }
    }
    if options.rate == 0 {
        return Err("--rate must be above 0".into());
    }
    options.ticks = seconds * options.rate;
    let server = UdpSocket::bind(&listen)?;
    println!(
        "server at {}: {} ships at {} Hz, packets of at most {} bytes, {} % lost each way",
        server.local_addr()?,
        options.ships,
        options.rate,
        options.budget,
        options.loss
    );
    for (number, report) in run(&server, options)?.iter().enumerate() {
        println!(
            "client {number}: {} packets, {:.0} bytes/s, largest {} bytes, {} asks for a full snapshot, {}",
            report.packets,
            report.bytes as f64 * f64::from(options.rate) / f64::from(options.ticks),
            report.largest,
            report.resyncs,
            if report.converged {
                "sees what the server sees"
            } else {
                "differs from the server"
            }
        );
    }
    Ok(())
}
