//! How chunks are compressed. Gzip and zstd are cargo features: without one, its chunks can be
//! neither read nor made, and that is what is said.

use std::io::{BufRead, Read};

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

/// Compresses a chunk.
pub fn deflate(raw: &[u8], compression: Compression) -> Result<Vec<u8>, WriteError> {
    if let Some((what, feature)) = lacking(compression) {
        return Err(WriteError::Feature { what, feature });
    }
    match (compression, compression.zstd_level()) {
        // The content size is written, as the reference's reader needs.
        #[cfg(feature = "zstd")]
        (_, Some(level)) => Ok(zstd::bulk::compress(raw, level)?),
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

/// Inflates a chunk into `raw`. Where it is broken, `raw` has what came before.
pub fn inflate(
    stored: &[u8],
    compression: Compression,
    limits: &Limits,
    raw: &mut Vec<u8>,
) -> Result<(), Rule> {
    raw.clear();
    if compression == Compression::None {
        raw.extend_from_slice(stored);
        return Ok(());
    }
    match inflate_first(|| stored, compression, limits, raw)? {
        [] => Ok(()),
        rest => Err(Rule::Inflate {
            left: Some(rest.len() as u64),
            reason: None,
        }),
    }
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
