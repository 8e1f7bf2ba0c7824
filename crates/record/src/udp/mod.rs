//! Records snapshot/delta packets as they come over UDP.
//!
//! The recorder is a receiver like any other: it acknowledges packets, asks for a full snapshot if it
//! needs one, and takes the packets of one sender only. When the sender is restarted, the capture ends:
//! [`FileRecorder`] then begins another one, and [`Sessions`] returns.
//!
//! ```no_run
//! use std::net::UdpSocket;
//! use gametape_capture::{Writer, Options};
//! use gametape_record::udp::{RecordOptions, record};
//!
//! # fn schema() -> gametape_delta::Schema { gametape_delta::Schema::empty() }
//! let schema = schema();
//! let socket = UdpSocket::bind("0.0.0.0:7777")?;
//! let mut writer = Writer::new(Vec::new(), &schema, Options::default())?;
//! let options = RecordOptions { packets: Some(600), ..RecordOptions::default() };
//! let recorded = record(&socket, &schema, &options, &mut writer, |_| false)?;
//! println!("{} packets, {} late or twice", recorded.packets, recorded.stale);
//! let capture = writer.finish()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod file;
mod restart;
mod stream;

pub use file::{FileEvent, FileOptions, FileRecorder};
pub use stream::{RecordOptions, Recorded, Sessions, record};
