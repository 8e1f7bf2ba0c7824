//! Lists of short strings, kept in their stored form.

use std::borrow::Cow;
use std::fmt;

use gametape_core::ByteReader;

use crate::rmv::WriteError;

/// Reads the next string, which is preceded by its length in one byte.
fn short<'a>(bytes: &mut ByteReader<'a>) -> Option<&'a [u8]> {
    let len = bytes.u8().ok()?;
    bytes.take(len.into()).ok()
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

/// A list of texts of at most 255 bytes, each preceded by its length in one byte. An entry consists
/// of `EACH` texts.
#[derive(Clone, PartialEq, Eq, Default)]
struct Shorts<'a, const EACH: usize> {
    bytes: Cow<'a, [u8]>,
    /// Number of entries.
    count: u16,
}

impl<'a, const EACH: usize> Shorts<'a, EACH> {
    /// Builds the list from `entries`; `put` appends one entry. `what` names the entries in errors.
    fn new<T>(
        what: &'static str,
        entries: impl IntoIterator<Item = T>,
        put: impl Fn(&mut Vec<u8>, T) -> Result<(), WriteError>,
    ) -> Result<Self, WriteError> {
        let mut bytes = Vec::new();
        let mut count = 0usize;
        for entry in entries {
            put(&mut bytes, entry)?;
            count += 1;
        }
        let max = usize::from(u16::MAX);
        let count = u16::try_from(count).map_err(|_| WriteError::TooMany { what, count, max })?;
        let bytes = Cow::Owned(bytes);
        Ok(Self { bytes, count })
    }

    /// Splits `count` entries off the front of `bytes`; also returns the rest.
    fn split(bytes: &'a [u8], count: u16) -> Option<(Self, &'a [u8])> {
        let mut rest = ByteReader::new(bytes);
        for _ in 0..EACH * usize::from(count) {
            short(&mut rest)?;
        }
        let bytes = Cow::Borrowed(bytes.get(..rest.offset())?);
        Some((Self { bytes, count }, rest.rest()))
    }

    fn iter(&self) -> impl Iterator<Item = [&[u8]; EACH]> + Clone {
        let mut rest = ByteReader::new(&self.bytes);
        std::iter::from_fn(move || {
            let mut entry = [&[][..]; EACH];
            for text in &mut entry {
                *text = short(&mut rest)?;
            }
            Some(entry)
        })
    }

    fn into_owned(self) -> Shorts<'static, EACH> {
        Shorts {
            bytes: Cow::Owned(self.bytes.into_owned()),
            count: self.count,
        }
    }
}

/// The player fields: texts of at most 255 bytes, identified by their position. A missing field
/// reads as empty.
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
pub struct PlayerFields<'a>(Shorts<'a, 1>);

impl<'a> PlayerFields<'a> {
    /// The given fields, in order: name, nickname, country, token.
    pub fn new<T: AsRef<[u8]>>(fields: impl IntoIterator<Item = T>) -> Result<Self, WriteError> {
        let put = |out: &mut _, field: T| push_short(out, "a player field", field.as_ref());
        Shorts::new("player fields", fields, put).map(Self)
    }

    /// Splits `count` fields off the front of `bytes`; also returns the rest.
    pub(crate) fn split(bytes: &'a [u8], count: u16) -> Option<(Self, &'a [u8])> {
        Shorts::split(bytes, count).map(|(fields, rest)| (Self(fields), rest))
    }

    /// The fields as stored, each after its length byte.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    /// Number of fields; 1 before ViennaSweeper 4.0, 4 since.
    #[must_use]
    pub const fn len(&self) -> u16 {
        self.0.count
    }

    /// True if there is no field at all.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.count == 0
    }

    /// The fields in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> + Clone {
        self.0.iter().map(|[field]| field)
    }

    /// The fields in order, each with its name as used in sentences.
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

    /// The token: a secret. Show it only if the user asks for it.
    #[must_use]
    pub fn token(&self) -> &[u8] {
        self.field(3)
    }

    /// A copy in which every field is empty for which `takes` returns true. `takes` receives the
    /// field's position and content.
    #[must_use]
    pub(crate) fn emptied(
        &self,
        mut takes: impl FnMut(usize, &[u8]) -> bool,
    ) -> PlayerFields<'static> {
        let mut bytes = Vec::with_capacity(self.as_bytes().len());
        for (at, field) in self.iter().enumerate() {
            let kept = if takes(at, field) { &[][..] } else { field };
            bytes.push(kept.len() as u8);
            bytes.extend_from_slice(kept);
        }
        PlayerFields(Shorts {
            bytes: Cow::Owned(bytes),
            count: self.len(),
        })
    }

    /// The same fields, independent of the buffer they were read from.
    #[must_use]
    pub fn into_owned(self) -> PlayerFields<'static> {
        PlayerFields(self.0.into_owned())
    }
}

/// Debug output hides the token.
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
    /// The name, as text.
    pub name: &'a [u8],
    /// The value, text or binary.
    pub value: &'a [u8],
}

/// The extension properties of a v2 recording, in order. Names may occur more than once.
///
/// ```
/// use gametape_mines::Extensions;
/// let ext = Extensions::new([("vsweep_skin_fname", "24px.bmp")])?;
/// assert_eq!(ext.get("vsweep_skin_fname"), Some(&b"24px.bmp"[..]));
/// # Ok::<(), gametape_mines::rmv::WriteError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Extensions<'a>(Shorts<'a, 2>);

impl<'a> Extensions<'a> {
    /// The given properties, in order.
    pub fn new<N: AsRef<[u8]>, V: AsRef<[u8]>>(
        properties: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, WriteError> {
        let put = |out: &mut _, (name, value): (N, V)| {
            push_short(out, "an extension property's name", name.as_ref())?;
            push_short(out, "an extension property's value", value.as_ref())
        };
        Shorts::new("extension properties", properties, put).map(Self)
    }

    /// Splits `count` properties off the front of `bytes`; also returns the rest.
    pub(crate) fn split(bytes: &'a [u8], count: u16) -> Option<(Self, &'a [u8])> {
        Shorts::split(bytes, count).map(|(properties, rest)| (Self(properties), rest))
    }

    /// The properties as stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    /// Number of properties.
    #[must_use]
    pub const fn len(&self) -> u16 {
        self.0.count
    }

    /// True if there are no properties.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.count == 0
    }

    /// The properties in order.
    pub fn iter(&self) -> impl Iterator<Item = Extension<'_>> + Clone {
        let properties = self.0.iter();
        properties.map(|[name, value]| Extension { name, value })
    }

    /// The value of the first property with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.iter()
            .find(|e| e.name == name.as_bytes())
            .map(|e| e.value)
    }

    /// A copy with only those properties for which `keeps` returns true.
    pub(crate) fn only(
        &self,
        mut keeps: impl FnMut(&Extension<'_>) -> bool,
    ) -> Extensions<'static> {
        let (mut bytes, mut count) = (Vec::with_capacity(self.as_bytes().len()), 0);
        for extension in self.iter().filter(|extension| keeps(extension)) {
            for text in [extension.name, extension.value] {
                bytes.push(text.len() as u8);
                bytes.extend_from_slice(text);
            }
            count += 1;
        }
        let bytes = Cow::Owned(bytes);
        Extensions(Shorts { bytes, count })
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
        Extensions(self.0.into_owned())
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
