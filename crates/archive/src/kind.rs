//! The kinds of archives, and the decoders of what is in them.

use std::io::{self, BufReader, Read};

use flate2::read::{DeflateDecoder, MultiGzDecoder};
use gametape_core::{Input, InputStream};
use lzma_rust2::LzmaReader;

use crate::Fault;

/// The size of a header in a tar.
const TAR_HEADER: u64 = 512;

/// A kind of archive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A zip.
    Zip,
    /// A tar.
    Tar,
    /// One file, compressed by gzip; a tar in it is taken as the archive.
    Gzip,
    /// One file, compressed by zstd; a tar in it is taken as the archive.
    Zstd,
}

impl Kind {
    /// The kind of archive that these bytes start; `None` if they start none. A zip with other bytes before
    /// it is not recognised by its start.
    ///
    /// # Errors
    /// Errors of the input.
    pub fn of(input: &Input) -> io::Result<Option<Self>> {
        let head = input.head(TAR_HEADER)?;
        Ok(match &*head {
            head if crate::is_zip(head) => Some(Self::Zip),
            [0x1F, 0x8B, 8, ..] => Some(Self::Gzip),
            // The second is a frame to be skipped, which may come before the first of zstd.
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Some(Self::Zstd),
            head if is_tar(head) => Some(Self::Tar),
            _ => None,
        })
    }

    /// The kind that an extension promises.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        let known = [
            ("zip", Self::Zip),
            ("tar", Self::Tar),
            ("gz", Self::Gzip),
            ("tgz", Self::Gzip),
            ("zst", Self::Zstd),
            ("tzst", Self::Zstd),
        ];
        let is = |(name, _): &&(&str, Self)| extension.eq_ignore_ascii_case(name);
        known.iter().find(is).map(|(_, kind)| *kind)
    }
}

/// Whether a header of a tar is there: its checksum fits. Old ones have no signature.
fn is_tar(head: &[u8]) -> bool {
    let (Ok(TAR_HEADER), Some(stored)) = (head.len().try_into(), head.get(148..156)) else {
        return false;
    };
    let digits = stored.iter().skip_while(|byte| **byte == b' ');
    let digits = digits.take_while(|byte| byte.is_ascii_digit());
    let stored = digits.fold(0, |sum: u32, digit| {
        sum.wrapping_mul(8).wrapping_add(u32::from(digit - b'0'))
    });
    let of_byte = |(at, byte): (usize, &u8)| match at {
        148..156 => u32::from(b' '),
        _ => u32::from(*byte),
    };
    // A header of zeros is the end of a tar.
    head.first() != Some(&0) && head.iter().enumerate().map(of_byte).sum::<u32>() == stored
}

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
