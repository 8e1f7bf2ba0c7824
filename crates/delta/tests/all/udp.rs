//! Runs the example over real sockets, with a faster clock.

use std::net::UdpSocket;

#[path = "../../examples/arena_udp.rs"]
mod arena;

#[test]
fn clients_over_udp_see_what_the_server_sees() {
    let options = arena::Options {
        clients: 2,
        ticks: 120,
        rate: 240,
        loss: 20,
        ..arena::Options::default()
    };
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let reports = arena::run(&server, options).unwrap();
    assert_eq!(reports.len(), 2);
    for (number, report) in reports.iter().enumerate() {
        assert!(report.converged, "client {number}: {report:?}");
        assert!(report.largest <= options.budget, "{report:?}");
        assert!(report.packets > 100, "{report:?}");
    }
    // The first client is restarted and must ask for a full snapshot. How often depends on the
    // network.
    assert!(reports[0].resyncs >= 1, "{:?}", reports[0]);
    assert_eq!(reports[1].resyncs, 0, "{:?}", reports[1]);
}
