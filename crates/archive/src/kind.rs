//! The kinds of archives, by their first bytes.

use gametape_core::Input;

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
    pub fn of(input: &Input) -> std::io::Result<Option<Self>> {
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
