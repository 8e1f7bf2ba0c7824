//! The methods by which the files of an archive are compressed.

use std::io::{self, BufReader, Read};

use flate2::read::{DeflateDecoder, MultiGzDecoder};
use gametape_core::InputStream;
use lzma_rust2::LzmaReader;

use crate::Fault;

/// The most memory that a decoder may ask for: a window that large compresses no better.
const MOST_KB: u32 = 256 << 10;
/// The same as a power of two.
const MOST_LOG: u32 = 28;

type Source = io::Take<InputStream>;
type Decoder = Box<dyn Read + Send>;

/// The decoder of a file in a zip, of `full` bytes if that is known.
pub fn zip(method: u16, mut packed: Source, full: Option<u64>) -> Result<Decoder, Fault> {
    Ok(match method {
        0 => Box::new(packed),
        8 => Box::new(DeflateDecoder::new(packed)),
        9 => Box::new(deflate64::Deflate64Decoder::new(packed)),
        12 => Box::new(bzip2::read::MultiBzDecoder::new(packed)),
        14 => {
            // A version, the size of the properties, which is 5, and these.
            let mut head = [0; 9];
            packed.read_exact(&mut head).map_err(of_data)?;
            let [_, _, 5, 0, properties, window @ ..] = head else {
                return Err(Fault::Broken);
            };
            // A window larger than the file would only take memory.
            let most = u32::try_from(full.unwrap_or(u64::MAX)).unwrap_or(u32::MAX);
            let window = u32::from_le_bytes(window).min(most.max(4096));
            let needed = lzma_rust2::lzma_get_memory_usage_by_props(window, properties);
            if needed.map_err(of_data)? > MOST_KB {
                return Err(Fault::Broken);
            }
            let (source, full) = (BufReader::new(packed), full.unwrap_or(u64::MAX));
            let decoder = LzmaReader::new_with_props(source, full, properties, window, None);
            Box::new(decoder.map_err(of_data)?)
        }
        20 | 93 => Box::new(zstd(packed)?),
        method => return Err(Fault::Method(method)),
    })
}

/// The decoder of a gzip of one or several members.
pub fn gzip(packed: Source) -> Decoder {
    Box::new(MultiGzDecoder::new(packed))
}

/// The decoder of one or several frames of zstd.
pub fn zstd(packed: Source) -> Result<Decoder, Fault> {
    let mut decoder = zstd::stream::read::Decoder::new(packed)?;
    decoder.window_log_max(MOST_LOG)?;
    Ok(Box::new(decoder))
}

/// An error of a decoder: of the data, unless the disk can't be read.
pub fn of_data(error: io::Error) -> Fault {
    if crate::fault::is_of_the_data(&error) {
        return Fault::Broken;
    }
    Fault::from(error)
}

/// The size that the first frame of zstd declares.
pub fn zstd_size(head: &[u8]) -> Option<u64> {
    zstd::zstd_safe::get_frame_content_size(head).ok().flatten()
}

/// The size of the last member of a gzip, modulo 2^32, in its last four bytes (RFC 1952, section 2.3.1); no more than
/// Deflate can make of `packed` bytes, since other bytes may stand at the end.
pub fn gzip_size(end: &[u8], packed: u64) -> Option<u64> {
    const MOST: u64 = 1032;
    let size = u32::from_le_bytes(end.try_into().ok()?);
    Some(u64::from(size).min(packed.saturating_mul(MOST)))
}
