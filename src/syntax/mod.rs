//! Source code as symbols and tokens.
//!
//! [`source`] parses a text into symbols and leaves, [`language`] holds what
//! differs between languages as data, [`fingerprint`] tells one symbol's code
//! again elsewhere, [`sketch`] compares code that was changed, [`fields`] spells a
//! fingerprint for the lock, [`excerpt`] shortens what is shown, [`highlight`] tells
//! its colours. Reads no file and cannot fail: broken source yields the part that
//! parses.

pub(crate) mod excerpt;
pub(crate) mod fields;
pub(crate) mod fingerprint;
pub(crate) mod highlight;
pub(crate) mod language;
mod layout;
pub(crate) mod sketch;
pub(crate) mod source;

pub(crate) use source::{Leaf, Role, Source, Symbol};
