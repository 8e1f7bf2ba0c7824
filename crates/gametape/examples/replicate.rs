//! Replicates the state of a game over UDP, and loses every third packet on purpose.
//!
//! `cargo run -p gametape --example replicate`

use std::error::Error;
use std::net::UdpSocket;
use std::time::Duration;

use gametape::delta::{Feedback, Receiver, Sender, Snapshot, World};
use gametape_samples::delta::Arena;

/// Runs without arguments; the tests run it, too.
pub fn main() -> Result<(), Box<dyn Error>> {
    let server = UdpSocket::bind("127.0.0.1:0")?;
    let client = UdpSocket::bind("127.0.0.1:0")?;
    server.connect(client.local_addr()?)?;
    client.connect(server.local_addr()?)?;
    for socket in [&server, &client] {
        socket.set_read_timeout(Some(Duration::from_secs(5)))?;
    }

    let schema = Arena::schema();
    let mut world = World::new(&schema); // one for all clients
    let mut sender = Sender::new(&schema); // one for each client
    let mut receiver = Receiver::new(&schema);
    let (mut arena, mut state) = (Arena::new(20, 1), Snapshot::new(&schema, 0));
    let (mut packet, mut bytes) = (Vec::new(), [0; 2048]);
    for tick in 1..=60 {
        arena.step();
        arena.state(&mut state)?;
        world.update(&state)?;
        sender.encode(&mut world, &mut packet)?; // the changes since what the client is known to have
        if tick % 3 == 0 {
            continue; // lost: the next feedback says so, and the packet after it makes up for it
        }
        server.send(&packet)?;

        let length = client.recv(&mut bytes)?;
        let received = receiver.apply(&bytes[..length])?; // all of it, or nothing
        client.send(&received.ack.to_bytes())?;

        let length = server.recv(&mut bytes)?;
        if let Some(feedback) = Feedback::from_bytes(&bytes[..length]) {
            sender.feedback(&feedback);
        }
        if tick % 3 == 2 {
            assert!(receiver.view().same_entities(&state));
        }
    }
    println!(
        "tick {}: the client sees {} ships",
        receiver.view().tick(),
        receiver.view().len()
    );
    println!("the last packet has {} bytes", packet.len());
    Ok(())
}
