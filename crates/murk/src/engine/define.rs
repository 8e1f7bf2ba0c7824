//! What defines the types of a description once: their variants, their keys, how they are read and
//! how they are written.

/// Defines a type that is one of a few words, and what the origin calls them.
macro_rules! words {
    ($(
        $(#[$doc:meta])*
        $name:ident ($what:literal) of $origin:ty {
            $($(#[$vdoc:meta])* $variant:ident = $word:literal => $its:expr,)*
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// The word for it in a description.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            pub(super) const fn origin(self) -> $origin {
                match self { $(Self::$variant => $its,)* }
            }
        }

        impl $crate::engine::value::Value for $name {
            fn read(
                value: &toml::Spanned<toml::de::DeValue<'_>>,
                at: &$crate::engine::value::At<'_>,
                key: &str,
            ) -> Result<Self, $crate::engine::error::WorldError> {
                match value.get_ref().as_str() {
                    $(Some($word) => Ok(Self::$variant),)*
                    _ => Err($crate::engine::value::undefined(value, at, key, $what, &[$($word),*])),
                }
            }

            fn write(&self, out: &mut String) {
                self.word().to_owned().write(out);
            }
        }
    )*};
}

/// Defines an enum whose variants are the kinds of something, each with its keys: how it is read,
/// what a left-out key stands for, and how it is written.
macro_rules! kinds {
    (
        $(#[$doc:meta])*
        $name:ident by $tag:literal {
            $(
                $(#[$vdoc:meta])*
                $variant:ident = $kind:literal {
                    $($(#[$kdoc:meta])* $key:ident: $type:ty $(= $default:expr)?,)*
                }
            )*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Debug)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$vdoc])* $variant { $($(#[$kdoc])* $key: $type,)* },)*
        }

        impl $name {
            /// The kinds by name, as a description gives them.
            pub const KINDS: &'static [&'static str] = &[$($kind),*];

            /// The kind's name.
            #[must_use]
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $kind,)* }
            }

            /// Reads the keys of a table of this kind; `None` where there is no such kind.
            pub(super) fn read_keys(
                kind: &str,
                keys: &mut $crate::engine::value::Keys<'_>,
                at: &$crate::engine::value::At<'_>,
            ) -> Result<Option<Self>, $crate::engine::error::WorldError> {
                Ok(Some(match kind {
                    $($kind => Self::$variant {
                        $($key: keys.take(
                            at,
                            stringify!($key),
                            $crate::engine::define::kinds!(@default $($default)?),
                        )?,)*
                    },)*
                    _ => return Ok(None),
                }))
            }

            /// Hands on the kind and the keys.
            pub(super) fn give_keys(&self, to: &mut impl $crate::engine::value::Sink) {
                to.key($tag, &self.kind().to_owned());
                match self {
                    $(Self::$variant { $($key),* } => {
                        $(to.key(stringify!($key), $key);)*
                    })*
                }
            }
        }
    };
    (@default) => { None };
    (@default $default:expr) => { Some($default) };
}

/// Defines a stock propagator's parameters as a type: its keys, how they are read, what a left-out key
/// stands for, and how they are written.
macro_rules! parameters {
    (
        $(#[$doc:meta])*
        $name:ident = $kind:literal {
            $($(#[$kdoc:meta])* $key:ident: $type:ty $(= $default:expr)?,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct $name { $($(#[$kdoc])* pub $key: $type,)* }

        impl $name {
            /// The kind's name in a description.
            pub const KIND: &'static str = $kind;

            pub(in crate::engine) fn read_keys(
                keys: &mut $crate::engine::value::Keys<'_>,
                at: &$crate::engine::value::At<'_>,
            ) -> Result<Self, $crate::engine::error::WorldError> {
                Ok(Self {
                    $($key: keys.take(
                        at,
                        stringify!($key),
                        $crate::engine::define::kinds!(@default $($default)?),
                    )?,)*
                })
            }

            pub(in crate::engine) fn give_keys(&self, to: &mut impl $crate::engine::value::Sink) {
                $(to.key(stringify!($key), &self.$key);)*
            }
        }
    };
}

pub(super) use {kinds, parameters, words};
