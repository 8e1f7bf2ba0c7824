//! Archives of every kind, right and wrong, written byte by byte: no program that writes zips writes wrong ones.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use lzma_rust2::{LzmaOptions, LzmaWriter};

/// The names of the kinds of archives of several files, with their extensions.
pub const KINDS: [&str; 10] = [
    "stored.zip",
    "deflate.zip",
    "deflate64.zip",
    "bzip2.zip",
    "lzma.zip",
    "zstd.zip",
    "wide.zip",
    "plain.tar",
    "packed.tgz",
    "packed.tar.zst",
];

/// Packs files into an archive of one of the [`KINDS`].
pub fn pack(kind: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let method = match kind {
        "plain.tar" => return tar(files),
        "packed.tgz" => return gzip(&tar(files)),
        "packed.tar.zst" => return zstd(&tar(files)),
        "stored.zip" | "wide.zip" => 0,
        "deflate.zip" => 8,
        "deflate64.zip" => 9,
        "bzip2.zip" => 12,
        "lzma.zip" => 14,
        "zstd.zip" => 93,
        kind => panic!("no archive is called {kind}"),
    };
    let mut zip = Zip {
        wide: kind == "wide.zip",
        ..Zip::default()
    };
    for (name, bytes) in files {
        zip.file(name.as_bytes(), method, bytes);
    }
    zip.finish()
}

/// Compresses bytes by gzip.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

/// Compresses bytes by zstd.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("memory")
}

/// Packs files into a tar.
pub fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, *bytes).expect("memory");
    }
    tar.into_inner().expect("memory")
}

/// A zip that is being written.
#[derive(Default, Debug)]
pub struct Zip {
    /// The zip so far.
    pub bytes: Vec<u8>,
    table: Vec<u8>,
    files: u16,
    /// Sizes and positions are in fields of 64 bits.
    pub wide: bool,
    /// The flags of the next files: 1 for encrypted, 8 for sizes after the data.
    pub flags: u16,
}

impl Zip {
    /// Adds a file that is compressed by this method.
    pub fn file(&mut self, name: &[u8], method: u16, bytes: &[u8]) {
        self.packed(name, method, &compress(method, bytes), bytes);
    }

    /// Adds a file with this data, which is said to be that of `full`.
    pub fn packed(&mut self, name: &[u8], method: u16, data: &[u8], full: &[u8]) {
        let offset = self.bytes.len();
        let mut crc = flate2::Crc::new();
        crc.update(full);
        let crc = crc.sum();
        self.entry(name, method, (data.len(), full.len(), crc), offset);
        let (sizes, after) = match self.flags & 8 {
            0 => ([crc, data.len() as u32, full.len() as u32], &[][..]),
            _ => ([0; 3], &[crc, data.len() as u32, full.len() as u32][..]),
        };
        self.bytes.extend_from_slice(b"PK\x03\x04");
        for field in [20, self.flags, method, 0, 0] {
            self.bytes.extend_from_slice(&field.to_le_bytes());
        }
        for size in sizes {
            self.bytes.extend_from_slice(&size.to_le_bytes());
        }
        self.bytes
            .extend_from_slice(&(name.len() as u16).to_le_bytes());
        self.bytes.extend_from_slice(&[0, 0]);
        self.bytes.extend_from_slice(name);
        self.bytes.extend_from_slice(data);
        if !after.is_empty() {
            self.bytes.extend_from_slice(b"PK\x07\x08");
        }
        for size in after {
            self.bytes.extend_from_slice(&size.to_le_bytes());
        }
    }

    /// Adds an entry to the table.
    pub fn entry(
        &mut self,
        name: &[u8],
        method: u16,
        (packed, full, crc): (usize, usize, u32),
        offset: usize,
    ) {
        let mut extra = Vec::new();
        let mut narrow = |size: usize| {
            if self.wide {
                extra.extend_from_slice(&(size as u64).to_le_bytes());
                return u32::MAX;
            }
            size as u32
        };
        let (full, packed, offset) = (narrow(full), narrow(packed), narrow(offset));
        let out = &mut self.table;
        out.extend_from_slice(b"PK\x01\x02");
        for field in [45, 45, self.flags, method, 0, 0] {
            out.extend_from_slice(&u16::to_le_bytes(field));
        }
        for field in [crc, packed, full] {
            out.extend_from_slice(&field.to_le_bytes());
        }
        let extra_size = if self.wide { extra.len() + 4 } else { 0 };
        for field in [name.len(), extra_size, 0, 0, 0, 0, 0] {
            out.extend_from_slice(&(field as u16).to_le_bytes());
        }
        out.extend_from_slice(&offset.to_le_bytes());
        out.extend_from_slice(name);
        if self.wide {
            out.extend_from_slice(&[1, 0, extra.len() as u8, 0]);
            out.extend_from_slice(&extra);
        }
        self.files += 1;
    }

    /// Writes the table and returns the zip.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        let start = self.bytes.len() as u32;
        self.bytes.append(&mut self.table.clone());
        self.bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        for _ in 0..2 {
            self.bytes.extend_from_slice(&self.files.to_le_bytes());
        }
        let size = self.table.len() as u32;
        self.bytes.extend_from_slice(&size.to_le_bytes());
        self.bytes.extend_from_slice(&start.to_le_bytes());
        self.bytes.extend_from_slice(&[0, 0]);
        self.bytes
    }
}

/// Compresses bytes by a method of zip.
pub fn compress(method: u16, bytes: &[u8]) -> Vec<u8> {
    match method {
        // Without compression, data of deflate is data of deflate64, too.
        8 | 9 => {
            let level = if method == 8 { 6 } else { 0 };
            let mut out = DeflateEncoder::new(Vec::new(), Compression::new(level));
            out.write_all(bytes).expect("memory");
            out.finish().expect("memory")
        }
        12 => {
            let level = bzip2::Compression::fast();
            let mut out = bzip2::write::BzEncoder::new(Vec::new(), level);
            out.write_all(bytes).expect("memory");
            out.finish().expect("memory")
        }
        14 => {
            let options = LzmaOptions::with_preset(1);
            let mut out = LzmaWriter::new_no_header(Vec::new(), &options, false).expect("options");
            let mut head = vec![9, 20, 5, 0, out.props()];
            head.extend_from_slice(&options.dict_size.to_le_bytes());
            out.write_all(bytes).expect("memory");
            [head, out.finish().expect("memory")].concat()
        }
        93 => zstd(bytes),
        _ => bytes.to_vec(),
    }
}
