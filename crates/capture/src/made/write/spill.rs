//! Stores rows in a temporary file until all of them are known.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use gametape_core::{Stamp, Time};

use crate::made::coding::Word;

/// The fastest compression level, because the file is read only once.
const LEVEL: i32 = 1;

/// A block of rows of a table.
#[derive(Default, Debug)]
pub(crate) struct Block {
    pub stamps: Vec<Stamp>,
    pub ended: Vec<bool>,
    pub columns: Vec<Words>,
    /// Texts that first occur in this block, with their columns. Their numbers continue those of
    /// the previous blocks.
    pub texts: Vec<(usize, String)>,
}

/// The values of a column.
#[derive(Clone, Default, Debug)]
pub(crate) struct Words {
    pub words: Vec<u64>,
    /// Flags for the values that exist; empty if all do.
    pub valid: Vec<bool>,
}

impl Words {
    pub fn push(&mut self, word: Word) {
        if word.is_none() && self.valid.is_empty() {
            self.valid.resize(self.words.len(), true);
        }
        self.words.push(word.unwrap_or_default());
        if !self.valid.is_empty() || word.is_none() {
            self.valid.push(word.is_some());
        }
    }

    pub fn get(&self, row: usize) -> Word {
        let there = self.valid.get(row) != Some(&false);
        self.words.get(row).copied().filter(|_| there)
    }
}

impl Block {
    pub fn get(&self, row: usize, column: usize) -> Word {
        self.columns.get(column).and_then(|words| words.get(row))
    }
}

/// Writes blocks.
pub(crate) struct Spill(zstd::stream::write::Encoder<'static, BufWriter<File>>);

impl Spill {
    pub fn new(file: File) -> io::Result<Self> {
        Ok(Self(zstd::stream::write::Encoder::new(
            BufWriter::new(file),
            LEVEL,
        )?))
    }

    pub fn push(&mut self, block: &Block) -> io::Result<()> {
        let out = &mut self.0;
        put(out, block.stamps.len() as u64)?;
        // Many rows have the same stamp.
        for run in block.stamps.chunk_by(|a, b| a == b) {
            put(out, run.len() as u64)?;
            let stamp = run.first().copied().unwrap_or_default();
            let time = stamp.time.map(|time| time.0.cast_unsigned());
            put(out, stamp.step)?;
            for word in [stamp.tick, time] {
                put(out, word.is_some().into())?;
                put(out, word.unwrap_or_default())?;
            }
        }
        flags(out, &block.ended)?;
        for column in &block.columns {
            flags(out, &column.valid)?;
            let most = column.words.iter().fold(0, |most, word| most | word);
            let width = (64 - most.leading_zeros() as usize).div_ceil(8).max(1);
            out.write_all(&[width as u8])?;
            for word in &column.words {
                let bytes = word.to_le_bytes();
                out.write_all(bytes.get(..width).unwrap_or_default())?;
            }
        }
        put(out, block.texts.len() as u64)?;
        for (column, text) in &block.texts {
            put(out, *column as u64)?;
            put(out, text.len() as u64)?;
            out.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    /// Finishes writing and returns a reader.
    pub fn finish(self, columns: usize) -> io::Result<Spilled> {
        let mut file = self
            .0
            .finish()?
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(Spilled {
            from: BufReader::new(zstd::stream::read::Decoder::new(file)?),
            columns,
        })
    }
}

fn put(out: &mut impl Write, number: u64) -> io::Result<()> {
    out.write_all(&number.to_le_bytes())
}

/// Either no flags, or one per row.
fn flags(out: &mut impl Write, flags: &[bool]) -> io::Result<()> {
    put(out, flags.len() as u64)?;
    flags
        .iter()
        .try_for_each(|flag| out.write_all(&[u8::from(*flag)]))
}

/// Reads blocks back.
pub(crate) struct Spilled {
    from: BufReader<zstd::stream::read::Decoder<'static, BufReader<File>>>,
    columns: usize,
}

impl Spilled {
    /// The next block.
    pub fn read(&mut self) -> io::Result<Option<Block>> {
        let mut first = [0; 1];
        let at_end = self.from.read(&mut first)? == 0;
        if at_end {
            return Ok(None);
        }
        let mut rest = [0; 8];
        let (head, tail) = rest.split_at_mut(1);
        head.copy_from_slice(&first);
        self.from.read_exact(tail)?;
        let rows = u64::from_le_bytes(rest) as usize;
        let mut block = Block::default();
        while block.stamps.len() < rows {
            let run = self.number()? as usize;
            let step = self.number()?;
            let tick = self.word()?;
            let time = self.word()?.map(|ns| Time(ns.cast_signed()));
            let stamp = Stamp { step, tick, time };
            block.stamps.extend(std::iter::repeat_n(stamp, run.max(1)));
        }
        block.ended = self.flags()?;
        for _ in 0..self.columns {
            let valid = self.flags()?;
            let mut width = [0; 1];
            self.from.read_exact(&mut width)?;
            let width = usize::from(width[0]).min(8);
            let mut words = Vec::with_capacity(rows);
            let mut bytes = [0; 8];
            for _ in 0..rows {
                if let Some(bytes) = bytes.get_mut(..width) {
                    self.from.read_exact(bytes)?;
                }
                words.push(u64::from_le_bytes(bytes));
            }
            block.columns.push(Words { words, valid });
        }
        for _ in 0..self.number()? {
            let column = self.number()? as usize;
            let mut text = vec![0; self.number()? as usize];
            self.from.read_exact(&mut text)?;
            let text = String::from_utf8(text).map_err(io::Error::other)?;
            block.texts.push((column, text));
        }
        Ok(Some(block))
    }

    fn number(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.from.read_exact(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn word(&mut self) -> io::Result<Word> {
        let there = self.number()? != 0;
        let number = self.number()?;
        Ok(there.then_some(number))
    }

    fn flags(&mut self) -> io::Result<Vec<bool>> {
        let mut bytes = vec![0; self.number()? as usize];
        self.from.read_exact(&mut bytes)?;
        Ok(bytes.into_iter().map(|byte| byte != 0).collect())
    }
}
