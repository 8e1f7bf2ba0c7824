//! Sessions do not allocate once warm.

use gametape_delta::{Receiver, Sender, SenderOptions, Snapshot};
use gametape_samples::delta::Arena;

use crate::allocations::count;

#[test]
fn sessions_allocate_nothing_once_warm() {
    let schema = Arena::schema();
    let options = SenderOptions {
        window: 16,
        ..SenderOptions::default()
    };
    let mut sender = Sender::with_options(&schema, options);
    let mut receiver = Receiver::with_window(&schema, 16, options.limits);
    let mut arena = Arena::new(300, 1);
    let mut world = Snapshot::new(&schema, 0);
    let mut packet = Vec::new();
    let mut ack = None;
    let mut at_start = 0;
    for tick in 1..=3000_u32 {
        arena.step();
        arena.state(&mut world).unwrap();
        if tick == 1000 {
            at_start = count();
        }
        sender.encode(&world, &mut packet).unwrap();
        if let Some(ack) = ack.take() {
            sender.feedback(&ack);
        }
        // Losses follow a pattern with all distances to a baseline, up to the whole window.
        if tick % 7 != 0 && tick % 100 < 90 {
            ack = Some(receiver.apply(&packet).unwrap().ack);
        }
    }
    // Although the number of entities changes, buffers have reached their full size.
    let during = count() - at_start;
    assert!(during == 0, "{during} allocations in 2,000 ticks");
}
