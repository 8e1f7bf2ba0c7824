//! An archive as a folder: its files, each of which is unpacked by itself; and writing one.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use gametape_core::{Input, InputStream};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::spool::{self, Spool};
use crate::table::{self, LOCAL_SIZE, LocalHeader};
use crate::{Cut, Fault, Filled, Kind, Limits, Member, Unzip, is_of_system, kind, names};

/// The number of links in a tar, one to the next, that are followed: as many as Linux follows.
const MOST_LINKS: usize = 40;

/// The longest header of a frame of zstd.
const ZSTD_HEADER: u64 = 18;

/// A file in an archive.
#[derive(Clone, Debug)]
pub struct File {
    /// The path below the archive, divided by `/`. Names are made different: the second `a.rmv` is `a (2).rmv`.
    /// None leads out of the archive.
    pub name: String,
    /// The number of bytes that it takes in the archive; in one that is compressed as a whole, its size.
    pub packed: u64,
    place: Place,
}

#[derive(Clone, Debug)]
enum Place {
    /// In a zip with a table.
    Zipped(table::Entry),
    /// As it is.
    At(Range<u64>),
    /// The only one of a gzip or zstd, and the size that it declares.
    Whole(Kind, Option<u64>),
    /// It is not readable.
    Broken(Fault),
}

impl File {
    /// Returns why it can't be read, as far as the list says.
    #[must_use]
    pub const fn fault(&self) -> Option<&Fault> {
        match &self.place {
            Place::Broken(fault) => Some(fault),
            _ => None,
        }
    }

    /// Returns the size that the archive declares; `None` if it declares none.
    #[must_use]
    pub const fn declared(&self) -> Option<u64> {
        match &self.place {
            Place::Zipped(entry) => Some(entry.full),
            Place::At(range) => Some(range.end - range.start),
            Place::Whole(_, declared) => *declared,
            Place::Broken(_) => None,
        }
    }
}

/// An archive: a list of files.
#[derive(Debug)]
pub struct Archive {
    /// The archive, or what of it had to be unpacked to find the files.
    source: Input,
    size: u64,
    files: Vec<File>,
    limits: Limits,
    fault: Option<Fault>,
    is_stream: bool,
    /// The positions of the files by their names.
    by_name: BTreeMap<String, usize>,
    is_of_one_name: bool,
}

impl Archive {
    /// Opens an archive and lists its files. What is compressed as a whole is unpacked: a tar in a gzip, a zip
    /// that was not written to its end. `name` is the name of the archive; the file in a gzip has none of its
    /// own.
    ///
    /// # Errors
    /// A [`Fault`] if this is no archive, or one that is damaged or beyond the limits.
    pub fn open(input: Input, name: &str, limits: Limits) -> Result<Self, Fault> {
        // A zip may begin with other bytes.
        let kind = Kind::of(&input)?.unwrap_or(Kind::Zip);
        let mut archive = Self {
            size: input.size(),
            source: input,
            files: Vec::new(),
            limits,
            fault: None,
            is_stream: false,
            by_name: BTreeMap::new(),
            is_of_one_name: false,
        };
        match kind {
            Kind::Zip => archive.list_zip()?,
            Kind::Tar => archive.list_tar()?,
            kind => archive.list_stream(kind, name)?,
        }
        archive.check_names()?;
        let names = archive.files.iter().map(|file| file.name.clone());
        archive.by_name = names.zip(0..).collect();
        Ok(archive)
    }

    /// Returns the files in the order of the archive, without folders.
    #[must_use]
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// Returns the size of the archive itself.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Returns the number of bytes that are held to read its files: the archive, or what of it had to be unpacked.
    #[must_use]
    pub const fn held(&self) -> u64 {
        self.source.size()
    }

    /// Returns the file of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&File> {
        self.by_name.get(name).and_then(|at| self.files.get(*at))
    }

    /// Returns the files in a folder, without those in its subfolders; none if there is no such folder. The
    /// name of the archive's own folder is empty.
    #[must_use]
    pub fn in_folder(&self, folder: &str) -> Vec<&File> {
        let prefix = match folder {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        let mut found = Vec::new();
        let mut from = prefix.clone();
        while let Some((name, at)) = self.by_name.range(from.clone()..).next() {
            let Some(below) = name.strip_prefix(&prefix) else {
                break;
            };
            // After a name comes the same with the least character more; after a folder, `0` follows on `/`.
            from = if let Some((inner, _)) = below.split_once('/') {
                format!("{prefix}{inner}0")
            } else {
                found.extend(self.files.get(*at));
                format!("{name}\0")
            };
        }
        found
    }

    /// Whether all files have one name, apart from those that a system adds: a recorder that closed a zip twice
    /// wrote them.
    #[must_use]
    pub const fn is_of_one_name(&self) -> bool {
        self.is_of_one_name
    }

    /// Returns why there may be more files than are listed: a zip that was not written to its end, a broken tar.
    #[must_use]
    pub const fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Whether it is one compressed file, rather than a list of files.
    #[must_use]
    pub const fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// Unpacks a file of this archive. A large one is in a file without a name afterwards.
    ///
    /// # Errors
    /// The [`Fault`] of the file.
    pub fn unpack(&self, file: &File) -> Result<Input, Fault> {
        let most = self.limits.of_packed(file.packed);
        match &file.place {
            Place::Broken(fault) => Err(fault.clone()),
            Place::At(range) => Ok(spool::part(&self.source, range.clone())?),
            Place::Whole(kind, _) => {
                let packed = self.packed(0..self.source.size())?;
                spool::unpack(&mut *stream(*kind, packed)?, most, None)
            }
            Place::Zipped(entry) => {
                let start = entry.offset;
                let data = self.data_of(start)?.ok_or(Fault::Cut(Cut::File))?;
                let end = data.saturating_add(entry.size);
                let is_cut = end > self.source.size() && entry.size > 0;
                let packed = self.packed(data..end.min(self.source.size()).max(data))?;
                // With this flag, a mark ends the data of LZMA.
                let full = Some(entry.full).filter(|_| entry.method != 14 || entry.flags & 2 == 0);
                let most = most.min(self.limits.of_packed(packed.limit()));
                let mut decoder = kind::zip(entry.method, packed, full)?;
                let unpacked = spool::unpack(&mut *decoder, most, Some(entry.crc));
                // If only the size in the table is wrong, the data is whole.
                unpacked.map_err(|fault| match fault {
                    Fault::Broken | Fault::Checksum { .. } if is_cut => Fault::Cut(Cut::Data),
                    fault => fault,
                })
            }
        }
    }

    fn packed(&self, range: Range<u64>) -> io::Result<io::Take<InputStream>> {
        let mut stream = self.source.stream();
        stream.seek(SeekFrom::Start(range.start))?;
        Ok(stream.take(range.end - range.start))
    }

    /// The position after a local header; `None` if there is none.
    fn data_of(&self, start: u64) -> io::Result<Option<u64>> {
        let size = LOCAL_SIZE as u64;
        if start.saturating_add(size) > self.source.size() {
            return Ok(None);
        }
        let header = LocalHeader::read(&self.source.range(start, size)?);
        Ok(header.map(|header| start + size + (header.name + header.extra) as u64))
    }

    fn list_zip(&mut self) -> Result<(), Fault> {
        let mut stream = self.source.stream();
        let entries = match table::read(&mut stream)? {
            Ok(entries) => entries,
            Err(_) if !self.starts_as_zip()? => return Err(Fault::NoArchive),
            Err(fault) => {
                self.fault = Some(fault);
                return self.walk_zip();
            }
        };
        self.check_count(entries.len() as u64)?;
        let entries: Vec<table::Entry> = entries
            .into_iter()
            .filter(|entry| !entry.is_folder())
            .collect();
        check_overlap(&entries)?;
        for entry in entries {
            let name = table::text(&entry.name);
            let packed = entry.size;
            let place = match entry {
                entry if entry.is_encrypted() => Place::Broken(Fault::Encrypted),
                entry => Place::Zipped(entry),
            };
            self.push(&name, packed, place);
        }
        Ok(())
    }

    fn starts_as_zip(&self) -> io::Result<bool> {
        Ok(crate::is_zip(&self.source.head(4)?))
    }

    /// Lists a zip without a table. Its files are unpacked to find where each ends.
    fn walk_zip(&mut self) -> Result<(), Fault> {
        let most = self.limits.of_packed(self.source.size());
        let (mut zip, _) = Unzip::open(self.source.stream())?;
        let mut spool = Spool::default();
        let mut piece = vec![0; 64 << 10];
        loop {
            let (name, closed) = match zip.next_file()? {
                Member::None => break,
                Member::Open(name) => (name, None),
                Member::Closed(name, fault) => (name, Some(fault)),
            };
            let start = spool.size();
            let fault = loop {
                match zip.fill(&mut piece)? {
                    Filled::Bytes(count) if spool.size() + count as u64 > most => {
                        return Err(Fault::TooLarge { limit: most });
                    }
                    Filled::Bytes(count) => spool.push(piece.get(..count).unwrap_or_default())?,
                    Filled::End(fault) => break fault,
                }
            };
            let place = match closed.or(fault) {
                Some(fault) => Place::Broken(fault),
                None => Place::At(start..spool.size()),
            };
            self.push(&name, spool.size() - start, place);
            self.check_count(self.files.len() as u64)?;
        }
        self.source = spool.finish()?;
        Ok(())
    }

    fn list_tar(&mut self) -> Result<(), Fault> {
        let mut tar = tar::Archive::new(self.source.stream());
        let size = self.source.size();
        let mut links: Vec<(usize, String)> = Vec::new();
        for entry in tar.entries_with_seek()? {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) if crate::fault::is_of_the_data(&error) => {
                    self.fault = Some(Fault::Tar);
                    break;
                }
                Err(error) => return Err(error.into()),
            };
            let kind = entry.header().entry_type();
            let is_link = kind.is_hard_link() || kind.is_symlink();
            let is_file = kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse();
            // Folders, pipes and devices.
            if !is_file && !is_link {
                continue;
            }
            let name = table::text(&entry.path_bytes());
            let (start, packed) = (entry.raw_file_position(), entry.size());
            let end = start.saturating_add(packed);
            let place = match kind {
                kind if kind.is_gnu_sparse() => Place::Broken(Fault::Sparse),
                _ if is_link => Place::Broken(Fault::Link),
                _ if end > size => Place::Broken(Fault::Cut(Cut::Data)),
                _ => Place::At(start..end),
            };
            if let Some(target) = entry.link_name_bytes() {
                let target = table::text(&target);
                let is_elsewhere = kind.is_symlink() && target.starts_with('/');
                // That of a hard link is below the tar, that of another beside it.
                let folder = name.rsplit_once('/').map(|(folder, _)| folder);
                let target = match folder.filter(|_| kind.is_symlink()) {
                    Some(folder) => format!("{folder}/{target}"),
                    None => target,
                };
                let target = names::resolved(&target).filter(|_| !is_elsewhere);
                links.extend(target.map(|target| (self.files.len(), target)));
            }
            self.push(&name, packed, place);
            self.check_count(self.files.len() as u64)?;
        }
        self.follow(&links);
        Ok(())
    }

    /// Gives links what the files have that they lead to, also through other links.
    fn follow(&mut self, links: &[(usize, String)]) {
        if links.is_empty() {
            return;
        }
        let names = self.files.iter().map(|file| file.name.clone());
        let by_name: BTreeMap<String, usize> = names.zip(0..).collect();
        let target = |(at, name): &(usize, String)| Some((*at, *by_name.get(name)?));
        let targets: BTreeMap<usize, usize> = links.iter().filter_map(target).collect();
        for (at, _) in links {
            let mut end = *at;
            // Links that lead to each other have no end.
            for _ in 0..MOST_LINKS {
                let Some(next) = targets.get(&end) else {
                    break;
                };
                end = *next;
            }
            let found = self.files.get(end);
            let found = found.map(|file| (file.packed, file.place.clone()));
            if let (Some(found), Some(link)) = (found, self.files.get_mut(*at)) {
                (link.packed, link.place) = found;
            }
        }
    }

    /// Lists the file of a gzip or zstd, or the files of the tar that it is.
    fn list_stream(&mut self, kind: Kind, name: &str) -> Result<(), Fault> {
        let mut head = Vec::new();
        let packed = self.packed(0..self.source.size())?;
        let mut start = stream(kind, packed)?.take(512);
        // A cut one is reported when it is unpacked.
        let _ = start.read_to_end(&mut head);
        if Kind::of(&head.into())? == Some(Kind::Tar) {
            let most = self.limits.of_packed(self.source.size());
            let packed = self.packed(0..self.source.size())?;
            self.source = spool::unpack(&mut *stream(kind, packed)?, most, None)?;
            return self.list_tar();
        }
        self.is_stream = true;
        let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = match file.rsplit_once('.') {
            Some((stem, extension)) if Kind::of_extension(extension).is_some() => stem,
            _ => file,
        };
        let size = self.source.size();
        let declared = if kind == Kind::Zstd {
            kind::zstd_size(&self.source.head(ZSTD_HEADER)?)
        } else {
            self.gzip_size()?
        };
        self.push(stem, size, Place::Whole(kind, declared));
        Ok(())
    }

    /// The size that a gzip declares at its end. One that is cut ends with any bytes: a size beyond the limit is believed
    /// if there is as much.
    fn gzip_size(&self) -> Result<Option<u64>, Fault> {
        let size = self.source.size();
        let Some(end) = size.checked_sub(4) else {
            return Ok(None);
        };
        let declared = kind::gzip_size(&self.source.range(end, 4)?, size);
        let most = self.limits.of_packed(size);
        if declared.is_none_or(|declared| declared <= most) {
            return Ok(declared);
        }
        let mut content = stream(Kind::Gzip, self.packed(0..size)?)?.take(most + 1);
        // What is damaged is reported when it is unpacked.
        let there = io::copy(&mut content, &mut io::sink()).unwrap_or(0);
        Ok(declared.filter(|_| there > most))
    }

    fn push(&mut self, name: &str, packed: u64, place: Place) {
        let name = names::below(name);
        self.files.push(File {
            name,
            packed,
            place,
        });
    }

    const fn check_count(&self, files: u64) -> Result<(), Fault> {
        let limit = self.limits.max_files;
        if files > limit {
            return Err(Fault::TooMany { limit });
        }
        Ok(())
    }

    fn check_names(&mut self) -> Result<(), Fault> {
        let is_other = |file: &&File| !is_of_system(&file.name);
        let mut others = self.files.iter().filter(is_other).map(|file| &file.name);
        let first = others.next();
        self.is_of_one_name = others.all(|name| Some(name) == first);
        let mut all: Vec<&mut String> = self.files.iter_mut().map(|file| &mut file.name).collect();
        let files = names::set_apart(&mut all);
        if files > self.limits.max_of_one_name {
            return Err(Fault::TooManyOfOneName { files });
        }
        Ok(())
    }
}

fn stream(kind: Kind, packed: io::Take<InputStream>) -> Result<Box<dyn Read + Send>, Fault> {
    match kind {
        Kind::Zstd => kind::zstd(packed),
        _ => Ok(kind::gzip(packed)),
    }
}

/// Refuses a zip whose files share their data.
fn check_overlap(entries: &[table::Entry]) -> Result<(), Fault> {
    let end = |entry: &table::Entry| {
        let head = (LOCAL_SIZE + entry.name.len()) as u64;
        (entry.offset, entry.offset.saturating_add(head + entry.size))
    };
    let mut places: Vec<(u64, u64)> = entries.iter().map(end).collect();
    places.sort_unstable();
    let overlap = places
        .windows(2)
        .any(|two| matches!(two, [a, b] if b.0 < a.1));
    if overlap { Err(Fault::Overlap) } else { Ok(()) }
}

/// From this size on, a file needs fields of 64 bits; a little less than 4 GiB.
const LARGE: u64 = u32::MAX as u64 - (1 << 20);

/// Writes a zip. The same files in the same order give the same bytes.
#[derive(Debug)]
pub struct Pack<W: Write + Seek>(ZipWriter<W>);

impl<W: Write + Seek> Pack<W> {
    /// Begins a zip.
    pub fn new(out: W) -> Self {
        Self(ZipWriter::new(out))
    }

    /// Adds a file of this size.
    ///
    /// # Errors
    /// Errors of the file and of the output.
    pub fn file(&mut self, name: &str, size: u64, mut file: impl Read) -> io::Result<()> {
        let options = SimpleFileOptions::default().large_file(size >= LARGE);
        self.0.start_file(name, options)?;
        io::copy(&mut file, &mut self.0).map(drop)
    }

    /// Writes the table.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn finish(self) -> io::Result<W> {
        Ok(self.0.finish()?)
    }
}
