//! Objects and lists of objects, read into what is there already, with what the model does not know
//! kept.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use sonic_rs::LazyValue;

use crate::echoreplay::depth;
use crate::model::{Object, Unknown};

/// Most teams, or players of a team, or skeletons: [`Object`] counts them in bytes. Of all together,
/// there may be twice as many.
const MOST: usize = u8::MAX as usize;

/// Most members of a frame that the model does not know.
const MOST_UNKNOWN: usize = u16::MAX as usize;

/// What is noted while a text is read.
pub(super) struct Notes<'t> {
    text: &'t str,
    /// Where the value of the latest member starts, or the colon before it; `None` where the name
    /// was spelled with escapes.
    value_at: Option<usize>,
    /// Whether the whole text is nested too deep, once that was asked.
    deep: Option<bool>,
    /// Members that the model does not know.
    pub unknown: Vec<Unknown>,
    /// Teams, players and skeletons met.
    items: usize,
    /// A member of the outermost object was met that is not about an error.
    pub met: bool,
    /// The first list of bones of another length: of which player, its name, the length.
    pub bones: Option<(u64, &'static str, u64)>,
}

impl<'t> Notes<'t> {
    /// `unknown` is emptied and filled again.
    pub(super) fn new(text: &'t str, mut unknown: Vec<Unknown>) -> Self {
        unknown.clear();
        Self {
            text,
            value_at: None,
            deep: None,
            unknown,
            items: 0,
            met: false,
            bones: None,
        }
    }

    /// A member's name was read: its value comes next.
    #[inline]
    fn named(&mut self, name: &Cow<'_, str>) {
        self.value_at = match name {
            // A slice of the text: behind it come a quote and the colon.
            Cow::Borrowed(name) => {
                let end = name.as_ptr() as usize + name.len();
                end.checked_sub(self.text.as_ptr() as usize)
            }
            Cow::Owned(_) => None,
        };
    }

    /// Whether the value that comes next is nested deeper than is sane. The library skips values
    /// by recursion, without a bound.
    fn too_deep(&mut self) -> bool {
        let value = self
            .value_at
            .and_then(|at| self.text.as_bytes().get(at..)?.strip_prefix(b"\""));
        match value {
            Some(value) => depth::of_member_exceeds(value),
            None => *self
                .deep
                .get_or_insert_with(|| depth::exceeds(self.text.as_bytes())),
        }
    }

    /// The value of the member whose name was just read, as it is spelled.
    pub(super) fn raw<'de, A: MapAccess<'de>>(
        &mut self,
        map: &mut A,
    ) -> Result<LazyValue<'de>, A::Error> {
        map.next_value_seed(Raw(self))
    }

    /// Keeps a member that the model does not know.
    #[cold]
    fn keep<'de, A: MapAccess<'de>>(
        &mut self,
        object: Object,
        name: &str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let value = self.raw(map)?;
        self.keep_text(object, name, value.as_raw_str())
    }

    pub(super) fn keep_text<E: Error>(
        &mut self,
        object: Object,
        name: &str,
        json: &str,
    ) -> Result<(), E> {
        if self.unknown.len() >= MOST_UNKNOWN {
            return Err(E::custom("more than 65,535 members that are not the API's"));
        }
        self.unknown.push(Unknown {
            object,
            name: name.into(),
            json: json.into(),
        });
        Ok(())
    }
}

/// A value as it is spelled, if it is not nested too deep.
pub(super) struct Raw<'n, 't>(pub &'n mut Notes<'t>);

impl<'de> DeserializeSeed<'de> for Raw<'_, '_> {
    type Value = LazyValue<'de>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<LazyValue<'de>, D::Error> {
        if self.0.too_deep() {
            return Err(D::Error::custom(format_args!(
                "nested deeper than {}",
                depth::MOST
            )));
        }
        LazyValue::deserialize(json)
    }
}

/// An object of the API's answers.
pub(super) trait Members {
    /// The member that is a list kept in place, if there is one.
    const LIST: Option<&'static str> = None;
    /// The outermost object of the session.
    const ROOT: bool = false;

    /// As it is where no member is there.
    fn new() -> Self;

    /// Back to [`Members::new`], save for the list, whose memory is of use.
    fn blank(&mut self);

    /// The list was not there.
    fn clear_list(&mut self) {}

    /// Reads the value of a member; false where it is not one of the API's.
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        at: Object,
        notes: &mut Notes<'_>,
        map: &mut A,
    ) -> Result<bool, A::Error>;
}

/// Members by name, each with the place it is read into. The names are there for the writer too: it
/// can't write a foreign member by the name of a known one.
macro_rules! members {
    (
        $type:ty as $names:ident, |$this:ident, $at:ident, $notes:ident| {
            $($items:item)*
        }
        $($($name:literal)|+ => $seed:expr;)*
    ) => {
        pub(in crate::echoreplay) const $names: &[&str] = &[$($($name),+),*];

        impl Members for $type {
            $($items)*

            #[inline]
            fn member<'de, A: serde::de::MapAccess<'de>>(
                &mut self,
                name: &str,
                $at: Object,
                $notes: &mut Notes<'_>,
                map: &mut A,
            ) -> Result<bool, A::Error> {
                let $this = self;
                let _ = (&$at, &$notes);
                match name {
                    $($($name)|+ => map.next_value_seed($seed)?,)*
                    _ => return Ok(false),
                }
                Ok(true)
            }
        }
    };
}
pub(super) use members;

/// The name of a member.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<Cow<'de, str>, D::Error> {
        name.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    #[inline]
    fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

/// An object, in its place.
pub(super) struct In<'a, 't, T> {
    pub this: &'a mut T,
    pub at: Object,
    pub notes: &'a mut Notes<'t>,
}

impl<'de, T: Members> DeserializeSeed<'de> for In<'_, '_, T> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de, T: Members> Visitor<'de> for In<'_, '_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { this, at, notes } = self;
        this.blank();
        let mut listed = false;
        while let Some(name) = map.next_key_seed(Name)? {
            notes.named(&name);
            if !this.member(&name, at, notes, &mut map)? {
                notes.keep(at, &name, &mut map)?;
                continue;
            }
            if let Some(list) = T::LIST {
                listed |= *name == *list;
            }
            if T::ROOT && !notes.met {
                notes.met = !name.starts_with("err_");
            }
        }
        if T::LIST.is_some() && !listed {
            this.clear_list();
        }
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.this.blank();
        self.this.clear_list();
        Ok(())
    }
}

/// An object that may be missing.
pub(super) struct MaybeIn<'a, 't, T> {
    pub this: &'a mut Option<T>,
    pub at: Object,
    pub notes: &'a mut Notes<'t>,
}

impl<'de, T: Members> DeserializeSeed<'de> for MaybeIn<'_, '_, T> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de, T: Members> Visitor<'de> for MaybeIn<'_, '_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        In {
            this: self.this.get_or_insert_with(T::new),
            at: self.at,
            notes: self.notes,
        }
        .visit_map(map)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        *self.this = None;
        Ok(())
    }
}

/// A list of objects, in its place.
pub(super) struct List<'a, 't, T> {
    pub list: &'a mut Vec<T>,
    /// What the n-th one is.
    pub at: &'a dyn Fn(u8) -> Object,
    pub notes: &'a mut Notes<'t>,
}

impl<'de, T: Members> DeserializeSeed<'de> for List<'_, '_, T> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de, T: Members> Visitor<'de> for List<'_, '_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Self { list, at, notes } = self;
        for count in 0..=MOST {
            // The place has to be there before it is known whether anything comes.
            if list.len() <= count {
                list.push(T::new());
            }
            let Some(this) = list.get_mut(count) else {
                break;
            };
            let read = items.next_element_seed(In {
                this,
                at: at(count as u8),
                notes: &mut *notes,
            })?;
            if read.is_none() {
                list.truncate(count);
                return Ok(());
            }
            notes.items += 1;
            if count == MOST || notes.items > 2 * MOST {
                break;
            }
        }
        Err(A::Error::custom("more teams, players or skeletons than 255"))
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.list.clear();
        Ok(())
    }
}
