//! New objects in object stores.

use std::io::{self, Write};
use std::sync::Arc;

use object_store::buffered::BufWriter;
use tokio::io::AsyncWriteExt;
use url::Url;

use crate::store::{Opener, Stores};

/// How many bytes are sent together. A smaller object is sent with one request.
const PART: usize = 8 << 20;

impl Opener {
    /// Writes an object: as a whole, or not at all. Returns its address.
    pub fn write(
        &self,
        address: &str,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<String> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{address}: {error}"));
        let stores = self.stores()?;
        let url = Url::parse(address).map_err(io::Error::other)?;
        let (prefix, store, path) = stores.store(&url).map_err(io::Error::other)?;
        let address = format!("{prefix}{path}");
        let mut upload = Upload {
            stores: Arc::clone(stores),
            out: Some(BufWriter::with_capacity(store, path, PART)),
            part: Vec::new(),
        };
        content(&mut upload)
            .and_then(|()| upload.finish())
            .map_err(named)?;
        Ok(address)
    }
}

/// An object that is being written.
struct Upload {
    stores: Arc<Stores>,
    /// Until a part fails.
    out: Option<BufWriter>,
    part: Vec<u8>,
}

impl Upload {
    /// Sends the part that is full.
    fn send(&mut self) -> io::Result<()> {
        let part = bytes::Bytes::from(std::mem::take(&mut self.part));
        let mut out = self.out.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let sent = self.stores.waited(async move {
            let sent = out.put(part).await;
            if sent.is_err() {
                // The error of the part says more.
                let _ = out.abort().await;
            }
            sent.map(|()| out)
        });
        self.out = Some(sent?.map_err(io::Error::other)?);
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.send()?;
        let mut out = self.out.take().ok_or(io::ErrorKind::BrokenPipe)?;
        self.stores.waited(async move { out.shutdown().await })?
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.part.extend_from_slice(bytes);
        if self.part.len() >= PART {
            self.send()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The parts that were sent of an object that is given up are deleted.
impl Drop for Upload {
    fn drop(&mut self) {
        if let Some(mut out) = self.out.take() {
            // Nothing can be done about it.
            let _ = self.stores.waited(async move { out.abort().await });
        }
    }
}
