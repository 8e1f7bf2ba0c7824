//! Lists of short strings, kept in their stored form.

use std::borrow::Cow;
use std::fmt;

use gametape_core::ByteReader;

use crate::rmv::WriteError;

/// The next string with a length byte.
fn short<'a>(bytes: &mut ByteReader<'a>) -> Option<&'a [u8]> {
    let len = bytes.u8().ok()?;
    bytes.take(len.into()).ok()
}

/// `count` such strings off the front of `bytes`, and what is left.
fn split_short(bytes: &[u8], count: u32) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let mut rest = ByteReader::new(bytes);
    for _ in 0..count {
        short(&mut rest)?;
    }
    let taken = bytes.get(..rest.offset())?;
    Some((Cow::Borrowed(taken), rest.rest()))
}

fn push_short(out: &mut Vec<u8>, what: &'static str, text: &[u8]) -> Result<(), WriteError> {
    let len = u8::try_from(text.len()).map_err(|_| WriteError::TextTooLong {
        what,
        bytes: text.len(),
        max: 255,
    })?;
    out.push(len);
    out.extend_from_slice(text);
    Ok(())
}

/// The player fields: positional texts of at most 255 bytes, absent ones empty.
///
/// ```
/// use gametape_mines::PlayerFields;
/// let player = PlayerFields::new(["Ada Lovelace", "ada"])?;
/// assert_eq!(player.nickname(), b"ada");
/// assert_eq!(player.token(), b"");
/// assert!(PlayerFields::new(["x".repeat(256)]).is_err());
/// # Ok::<(), gametape_mines::rmv::WriteError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct PlayerFields<'a> {
    bytes: Cow<'a, [u8]>,
    count: u16,
}

impl<'a> PlayerFields<'a> {
    /// The given fields, in order: name, nickname, country, token.
    pub fn new<T: AsRef<[u8]>>(fields: impl IntoIterator<Item = T>) -> Result<Self, WriteError> {
        let mut bytes = Vec::new();
        let mut count = 0usize;
        for field in fields {
            push_short(&mut bytes, "a player field", field.as_ref())?;
            count += 1;
        }
        let count = u16::try_from(count).map_err(|_| WriteError::TooMany {
            what: "player fields",
            count,
            max: usize::from(u16::MAX),
        })?;
        Ok(Self {
            bytes: Cow::Owned(bytes),
            count,
        })
    }

    /// `count` fields off the front of `bytes`, and what is left.
    pub(crate) fn split(bytes: &'a [u8], count: u16) -> Option<(Self, &'a [u8])> {
        let (bytes, rest) = split_short(bytes, count.into())?;
        Some((Self { bytes, count }, rest))
    }

    /// The fields as stored, each behind its length byte.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Number of fields; 1 before ViennaSweeper 4.0, 4 since.
    #[must_use]
    pub const fn len(&self) -> u16 {
        self.count
    }

    /// True where there is no field at all.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The fields in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> + Clone {
        let mut rest = ByteReader::new(&self.bytes);
        std::iter::from_fn(move || short(&mut rest))
    }

    /// The fields in order, each with what a sentence calls it.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, &[u8])> {
        const NAMED: [&str; 4] = [
            "the player's name",
            "the player's nickname",
            "the player's country",
            "the player's token",
        ];
        let names = NAMED.into_iter().chain(std::iter::repeat("a player field"));
        names.zip(self.iter())
    }

    fn field(&self, at: usize) -> &[u8] {
        self.iter().nth(at).unwrap_or_default()
    }

    /// The player's full name.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        self.field(0)
    }

    /// The player's nickname.
    #[must_use]
    pub fn nickname(&self) -> &[u8] {
        self.field(1)
    }

    /// The player's country.
    #[must_use]
    pub fn country(&self) -> &[u8] {
        self.field(2)
    }

    /// The token: a secret. Show it to nobody who did not ask for it.
    #[must_use]
    pub fn token(&self) -> &[u8] {
        self.field(3)
    }

    /// The same fields with an empty token.
    #[must_use]
    pub fn without_token(&self) -> PlayerFields<'static> {
        let mut bytes = Vec::with_capacity(self.bytes.len());
        for (at, field) in self.iter().enumerate() {
            let kept = if at == 3 { &[][..] } else { field };
            bytes.push(kept.len() as u8);
            bytes.extend_from_slice(kept);
        }
        PlayerFields {
            bytes: Cow::Owned(bytes),
            count: self.count,
        }
    }

    /// The same fields, independent of the buffer they were read from.
    #[must_use]
    pub fn into_owned(self) -> PlayerFields<'static> {
        PlayerFields {
            bytes: Cow::Owned(self.bytes.into_owned()),
            count: self.count,
        }
    }
}

/// Tokens stay out of debug output, too.
impl fmt::Debug for PlayerFields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.iter().enumerate().map(|(at, field)| {
                if at == 3 && !field.is_empty() {
                    "<token>".to_owned()
                } else {
                    field.escape_ascii().to_string()
                }
            }))
            .finish()
    }
}

/// One extension property: a name and a value of at most 255 bytes each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extension<'a> {
    /// The name, text.
    pub name: &'a [u8],
    /// The value, text or binary.
    pub value: &'a [u8],
}

/// The extension properties of a v2 recording, in order, names not necessarily unique.
///
/// ```
/// use gametape_mines::Extensions;
/// let ext = Extensions::new([("vsweep_skin_fname", "24px.bmp")])?;
/// assert_eq!(ext.get("vsweep_skin_fname"), Some(&b"24px.bmp"[..]));
/// # Ok::<(), gametape_mines::rmv::WriteError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Extensions<'a> {
    bytes: Cow<'a, [u8]>,
    count: u16,
}

impl<'a> Extensions<'a> {
    /// The given properties, in order.
    pub fn new<N: AsRef<[u8]>, V: AsRef<[u8]>>(
        properties: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, WriteError> {
        let mut bytes = Vec::new();
        let mut count = 0usize;
        for (name, value) in properties {
            push_short(&mut bytes, "an extension property's name", name.as_ref())?;
            push_short(&mut bytes, "an extension property's value", value.as_ref())?;
            count += 1;
        }
        let count = u16::try_from(count).map_err(|_| WriteError::TooMany {
            what: "extension properties",
            count,
            max: usize::from(u16::MAX),
        })?;
        Ok(Self {
            bytes: Cow::Owned(bytes),
            count,
        })
    }

    /// `count` properties off the front of `bytes`, and what is left.
    pub(crate) fn split(bytes: &'a [u8], count: u16) -> Option<(Self, &'a [u8])> {
        let (bytes, rest) = split_short(bytes, 2 * u32::from(count))?;
        Some((Self { bytes, count }, rest))
    }

    /// The properties as stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Number of properties.
    #[must_use]
    pub const fn len(&self) -> u16 {
        self.count
    }

    /// True where there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The properties in order.
    pub fn iter(&self) -> impl Iterator<Item = Extension<'_>> + Clone {
        let mut rest = ByteReader::new(&self.bytes);
        std::iter::from_fn(move || {
            let (name, value) = (short(&mut rest)?, short(&mut rest)?);
            Some(Extension { name, value })
        })
    }

    /// The value of the first property with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.iter()
            .find(|e| e.name == name.as_bytes())
            .map(|e| e.value)
    }

    /// The same list with one more property at its end.
    pub fn with(&self, name: &str, value: &[u8]) -> Result<Extensions<'static>, WriteError> {
        Extensions::new(
            self.iter()
                .map(|e| (e.name, e.value))
                .chain([(name.as_bytes(), value)]),
        )
    }

    /// The same list, independent of the buffer it was read from.
    #[must_use]
    pub fn into_owned(self) -> Extensions<'static> {
        Extensions {
            bytes: Cow::Owned(self.bytes.into_owned()),
            count: self.count,
        }
    }
}

impl fmt::Debug for Extensions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.iter().map(|e| {
                (
                    e.name.escape_ascii().to_string(),
                    e.value.escape_ascii().to_string(),
                )
            }))
            .finish()
    }
}
