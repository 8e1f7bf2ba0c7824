//! Reading chunks back while they are being written.

use super::header::{Compression, Header};
use super::play::Playing;
use crate::error::Error;
use crate::limits::ReadOptions;
use crate::model::Frame;

/// Decodes chunks one after another before they are compressed, as [`Reader`](super::Reader) will decode
/// them from the file. Measures what [`Writer::push_shown`](super::Writer::push_shown) wrote.
#[derive(Debug, Default)]
pub struct ChunkDecoder {
    playing: Option<Playing>,
}

impl ChunkDecoder {
    /// Creates a decoder that has decoded nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Loads the next chunk, with the header as of now.
    pub fn load(&mut self, header: &Header, raw: &[u8]) {
        let plain = || Header {
            compression: Compression::None,
            ..header.clone()
        };
        let playing = self
            .playing
            .get_or_insert_with(|| Playing::new(plain(), ReadOptions::default(), None));
        if playing.header.players.len() != header.players.len() {
            playing.set_header(plain());
        }
        playing.load(raw, (0, playing.seen.chunks), true);
    }

    /// Returns the next frame of the chunk, or `None` at its end.
    ///
    /// # Errors
    /// [`Error::Malformed`]; a chunk from a writer never causes it.
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        match &mut self.playing {
            Some(playing) => Ok(playing.step()?.then(|| playing.frame())),
            None => Ok(None),
        }
    }
}
