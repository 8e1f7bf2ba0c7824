//! Captures scanned in parts, side by side.

use gametape_core::tape::{Error, Pieces};

use super::opened::{PacketsTape, made_of};
use super::part;
use crate::made;
use crate::stream::Packets;

impl Pieces for PacketsTape {
    fn pieces(&self, table: &str, at_most: usize) -> Result<Vec<u64>, Error> {
        let packets = self.packets()?;
        match (made_of(&packets)?, &packets) {
            (Some((capture, made)), _) => made::pieces(capture, &made, table, at_most),
            (None, Packets::Capture(capture)) => part::pieces(capture, table, at_most),
            // Without an index, each part would look for its start from the first packet on.
            (None, Packets::Delta(_)) => Ok(vec![0]),
        }
    }
}
