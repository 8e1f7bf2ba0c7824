//! How chunks are compressed. Gzip and zstd are cargo features: without one, its chunks can be
//! neither read nor made, and that is what is said.

use std::io::{BufRead, Read};

use gametape_core::text::Crc32;

use super::header::Compression;
use super::packed::KEYFRAME;
use crate::error::WriteError;
use crate::limits::Limits;
use crate::rule::Rule;

/// The feature that this build lacks for a compression: what can't be unpacked, and its name.
const fn lacking(compression: Compression) -> Option<(&'static str, &'static str)> {
    match compression {
        Compression::None => None,
        Compression::Gzip if cfg!(feature = "gzip") => None,
        Compression::Gzip => Some(("a chunk compressed by gzip", "gzip")),
        _ if cfg!(feature = "zstd") => None,
        _ => Some(("a chunk compressed by zstd", "zstd")),
    }
}

/// How chunks are packed.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "zstd"), allow(dead_code))]
pub struct Packing {
    pub compression: Compression,
    /// zstd writes its checksum behind a chunk; gzip always does. The reference writes none, and its
    /// reader checks it.
    pub checksum: bool,
}

impl Packing {
    /// As all that need not be the reference's bytes is packed.
    pub const fn checked(compression: Compression) -> Self {
        Self {
            compression,
            checksum: true,
        }
    }
}

/// Compresses a chunk.
pub fn deflate(raw: &[u8], packing: Packing) -> Result<Vec<u8>, WriteError> {
    let compression = packing.compression;
    if let Some((what, feature)) = lacking(compression) {
        return Err(WriteError::Feature { what, feature });
    }
    match (compression, compression.zstd_level()) {
        #[cfg(feature = "zstd")]
        (_, Some(level)) => Ok(zstd_frame(raw, level, packing.checksum)?),
        #[cfg(feature = "gzip")]
        (Compression::Gzip, _) => {
            let mut gzip = flate2::bufread::GzEncoder::new(raw, flate2::Compression::default());
            let mut out = Vec::new();
            gzip.read_to_end(&mut out)?;
            Ok(out)
        }
        _ => Ok(raw.to_vec()),
    }
}

/// A frame of zstd. Its content size is written, as the reference's reader needs.
#[cfg(feature = "zstd")]
fn zstd_frame(raw: &[u8], level: i32, checksum: bool) -> std::io::Result<Vec<u8>> {
    let mut zstd = zstd::bulk::Compressor::new(level)?;
    zstd.include_checksum(checksum)?;
    zstd.compress(raw)
}

/// Gives what the gzip member or zstd frame that `rest` starts with is inflated to `take`, and takes
/// from `rest` what it has read.
#[cfg_attr(
    not(any(feature = "gzip", feature = "zstd")),
    allow(unused_variables, clippy::needless_pass_by_ref_mut)
)]
fn decode(
    rest: &mut impl BufRead,
    compression: Compression,
    take: impl FnOnce(&mut dyn Read) -> std::io::Result<()>,
) -> std::io::Result<()> {
    match compression {
        #[cfg(feature = "gzip")]
        Compression::Gzip => take(&mut flate2::bufread::GzDecoder::new(rest)),
        #[cfg(feature = "zstd")]
        Compression::Zstd3
        | Compression::Zstd7
        | Compression::Zstd15
        | Compression::Zstd22
        | Compression::ZstdDictionary => {
            let zstd = zstd::stream::read::Decoder::with_buffer(rest)?;
            take(&mut zstd.single_frame())
        }
        _ => Err(std::io::ErrorKind::Unsupported.into()),
    }
}

/// The bit of the descriptor behind zstd's magic number that says that a checksum follows the content.
const ZSTD_CHECKSUM: u8 = 1 << 2;

/// Whether a chunk has a checksum, as far as its first bytes tell.
pub fn is_checked(stored: &[u8], compression: Compression) -> bool {
    match compression {
        Compression::None => false,
        Compression::Gzip => true,
        _ => stored.get(4).is_none_or(|bits| bits & ZSTD_CHECKSUM != 0),
    }
}

/// How every chunk starts as it is stored.
pub const fn chunk_start(compression: Compression) -> &'static [u8] {
    match compression {
        Compression::None => &KEYFRAME,
        Compression::Gzip => &[0x1F, 0x8B, 8],
        _ => &[0x28, 0xB5, 0x2F, 0xFD],
    }
}

/// The first bytes of a chunk, inflated; `None` where there are not so many.
pub fn starts<const N: usize>(
    mut stored: impl BufRead,
    compression: Compression,
) -> Option<[u8; N]> {
    let mut first = [0; N];
    if compression == Compression::None {
        stored.read_exact(&mut first).ok()?;
    } else {
        decode(&mut stored, compression, |reader| {
            reader.read_exact(&mut first)
        })
        .ok()?;
    }
    Some(first)
}

/// What keeps a chunk from being what was packed.
#[derive(Debug)]
#[cfg_attr(not(any(feature = "gzip", feature = "zstd")), allow(dead_code))]
pub enum Fault {
    /// It does not inflate to its end.
    Broken(Rule),
    /// All of it inflates, and its checksum is that of other bytes.
    Checksum { found: Crc32, stored: Crc32 },
}

impl Fault {
    /// The rule that is broken by it, in a chunk of so many whole frames.
    pub fn rule(self, chunk: u64, frames: u64) -> Rule {
        match self {
            Self::Broken(rule) => rule,
            Self::Checksum { found, stored } => Rule::Checksum {
                chunk,
                frames,
                found,
                stored,
            },
        }
    }

    /// All of the chunk is there, and may be altered.
    pub const fn is_checksum(&self) -> bool {
        matches!(self, Self::Checksum { .. })
    }

    /// All of the chunk is there, and something behind it.
    pub const fn is_behind(&self) -> bool {
        matches!(self, Self::Broken(Rule::Inflate { left: Some(_), .. }))
    }
}

/// Inflates a chunk into `raw`, and checks it, if there is anything to check it by. Where it is
/// broken, `raw` has what came before; where its checksum is wrong, all of it.
pub fn inflate(
    stored: &[u8],
    compression: Compression,
    limits: &Limits,
    raw: &mut Vec<u8>,
) -> Result<(), Fault> {
    raw.clear();
    if compression == Compression::None {
        raw.extend_from_slice(stored);
        return Ok(());
    }
    let rule = match inflate_first(|| stored, compression, limits, raw) {
        Ok([]) => return Ok(()),
        Ok(rest) => Rule::Inflate {
            left: Some(rest.len() as u64),
            reason: None,
        },
        Err(rule) => rule,
    };
    if let Rule::Inflate { left: None, .. } = rule
        && let Some(fault) = checksum_alone(stored, compression, limits, raw)
    {
        return Err(fault);
    }
    Err(Fault::Broken(rule))
}

/// Whether a chunk fails to inflate for its checksum alone: with the right one in its place it does.
/// (A decoder says it in words, which may change.) `raw` has what there is of its content, and then all.
#[cfg_attr(
    not(any(feature = "gzip", feature = "zstd")),
    allow(unused_variables, clippy::ptr_arg)
)]
fn checksum_alone(
    stored: &[u8],
    compression: Compression,
    limits: &Limits,
    raw: &mut Vec<u8>,
) -> Option<Fault> {
    match compression {
        Compression::None => None,
        #[cfg(feature = "gzip")]
        Compression::Gzip => of_gzip(stored, limits, raw),
        #[cfg(feature = "zstd")]
        _ => of_zstd(stored, compression, limits, raw),
        #[allow(unreachable_patterns)] // With both features.
        _ => None,
    }
}

/// A member of gzip ends with a CRC-32 of its content, and how long that is (RFC 1952).
#[cfg(feature = "gzip")]
fn of_gzip(stored: &[u8], limits: &Limits, raw: &mut Vec<u8>) -> Option<Fault> {
    let (packed, end) = stored.split_last_chunk::<8>()?;
    let mut crc = flate2::Crc::new();
    crc.update(raw);
    let (found, size) = (crc.sum(), crc.amount());
    let [a, b, c, d, size_there @ ..] = *end;
    let (there, size_there) = (
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes(size_there),
    );
    let right = [packed, &found.to_le_bytes(), &size.to_le_bytes()].concat();
    // Of a chunk that is cut these bytes are no checksum, but content.
    let mut whole = Vec::new();
    let rest = inflate_first(|| &*right, Compression::Gzip, limits, &mut whole);
    if !rest.is_ok_and(<[u8]>::is_empty) {
        return None;
    }
    *raw = whole;
    Some(if found == there {
        let reason = format!("it has {size} bytes, and says that it has {size_there}");
        Fault::Broken(Rule::Inflate {
            left: None,
            reason: Some(reason),
        })
    } else {
        Fault::Checksum {
            found: Crc32(found),
            stored: Crc32(there),
        }
    })
}

/// A frame of zstd ends with the low half of an XXH64 of its content, if a bit of its header says so
/// (RFC 8878, `Content_Checksum_flag`).
#[cfg(feature = "zstd")]
fn of_zstd(
    stored: &[u8],
    compression: Compression,
    limits: &Limits,
    raw: &mut Vec<u8>,
) -> Option<Fault> {
    let mut unchecked = stored.to_vec();
    let descriptor = unchecked
        .get_mut(4)
        .filter(|bits| **bits & ZSTD_CHECKSUM != 0)?;
    *descriptor ^= ZSTD_CHECKSUM;
    let mut whole = Vec::new();
    let rest = inflate_first(|| &*unchecked, compression, limits, &mut whole);
    let there = u32::from_le_bytes(rest.ok()?.try_into().ok()?);
    *raw = whole;
    // Nothing else here computes that hash.
    let packed = zstd_frame(raw, 1, true).ok()?;
    let found = u32::from_le_bytes(*packed.last_chunk()?);
    Some(Fault::Checksum {
        found: Crc32(found),
        stored: Crc32(there),
    })
}

/// Inflates the gzip member or zstd frame that the bytes start with, which may be opened twice; the
/// bytes behind it.
pub fn inflate_first<R: BufRead>(
    open: impl Fn() -> R,
    compression: Compression,
    limits: &Limits,
    raw: &mut Vec<u8>,
) -> Result<R, Rule> {
    raw.clear();
    if let Some((what, feature)) = lacking(compression) {
        return Err(Rule::Feature { what, feature });
    }
    let limit = limits.max_chunk_bytes;
    let mut rest = open();
    let result = decode(&mut rest, compression, |reader| {
        reader.take(limit + 1).read_to_end(raw).map(drop)
    });
    if result.is_err() {
        // A decoder that fails says nothing of what it has decoded in the same call, which is more
        // or less by the room it was given: the most is had in small pieces.
        raw.clear();
        let _ = decode(&mut open(), compression, |reader| {
            let mut reader = reader.take(limit + 1);
            let mut piece = [0; 32];
            loop {
                match reader.read(&mut piece)? {
                    0 => return Ok(()),
                    count => raw.extend_from_slice(piece.get(..count).unwrap_or_default()),
                }
            }
        });
    }
    if raw.len() as u64 > limit {
        raw.clear();
        return Err(Rule::Limit {
            what: "an inflated chunk",
            size: limit + 1,
            limit,
        });
    }
    match result {
        Ok(()) => Ok(rest),
        Err(error) => Err(Rule::Inflate {
            left: None,
            reason: Some(error.to_string()),
        }),
    }
}
