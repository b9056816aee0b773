//! A fingerprint as text: how the lock file spells it.
//!
//! Hashes are 16 hexadecimal digits, sets are base64 without padding. The field
//! names and their order are part of the lock's format. Reading checks each
//! field, so that a lock damaged by hand or by a merge is told apart from drift.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::model::Fingerprint;

use super::fingerprint::{MAX_DOCS, MAX_NAMES};
use super::sketch::{FILTER_BYTES, GRAM_BINS};

/// The fields of a fingerprint in the lock file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FingerprintFields {
    pub(crate) tokens: u32,
    pub(crate) bytes: String,
    pub(crate) masked: String,
    pub(crate) signature: String,
    pub(crate) sketch: String,
    /// Left out where the code has no identifiers.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) names: String,
    /// Left out where the code has no comments.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) docs: String,
    /// What stands right before and after, then the filter, if anything is beside.
    pub(crate) beside: String,
}

impl Fingerprint {
    /// Returns the fingerprint as the lock file's fields.
    pub(crate) fn to_fields(&self) -> FingerprintFields {
        let mut beside = pack(&self.between);
        beside.extend(&self.beside);
        FingerprintFields {
            tokens: self.n_tokens,
            bytes: hex(self.bytes),
            masked: hex(self.masked),
            signature: hex(self.signature),
            sketch: STANDARD_NO_PAD.encode(&self.sketch),
            names: STANDARD_NO_PAD.encode(pack(&self.names)),
            docs: STANDARD_NO_PAD.encode(pack(&self.docs)),
            beside: STANDARD_NO_PAD.encode(beside),
        }
    }

    /// Returns the fingerprint that `fields` spell, or what is wrong with which field.
    pub(crate) fn from_fields(fields: &FingerprintFields) -> Result<Self, String> {
        let sketch = set("sketch", &fields.sketch)?;
        if sketch.len() != GRAM_BINS {
            return Err(format!("`sketch` is {} bytes long, expected {GRAM_BINS}", sketch.len()));
        }
        let beside = set("beside", &fields.beside)?;
        let (between, filter) = match beside.as_slice() {
            &[a, b, c, d, ref filter @ ..] if filter.is_empty() || filter.len() == FILTER_BYTES => {
                ([u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])], filter.to_vec())
            }
            _ => {
                let expected = FILTER_BYTES + 4;
                return Err(format!(
                    "`beside` is {} bytes long, expected 4 or {expected}",
                    beside.len()
                ));
            }
        };
        Ok(Self {
            n_tokens: fields.tokens,
            masked: hash("masked", &fields.masked)?,
            bytes: hash("bytes", &fields.bytes)?,
            signature: hash("signature", &fields.signature)?,
            sketch,
            names: sample("names", &fields.names, MAX_NAMES)?,
            docs: sample("docs", &fields.docs, MAX_DOCS)?,
            between,
            beside: filter,
        })
    }
}

fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

fn pack(hashes: &[u16]) -> Vec<u8> {
    hashes.iter().flat_map(|hash| hash.to_be_bytes()).collect()
}

fn sample(field: &str, text: &str, most: usize) -> Result<Vec<u16>, String> {
    let packed = set(field, text)?;
    let (pairs, odd) = packed.as_chunks::<2>();
    let hashes: Vec<u16> = pairs.iter().map(|&pair| u16::from_be_bytes(pair)).collect();
    if !odd.is_empty() || hashes.len() > most || !hashes.is_sorted_by(|a, b| a < b) {
        return Err(format!("`{field}` is not an ordered list of at most {most} hashes"));
    }
    Ok(hashes)
}

fn hash(field: &str, text: &str) -> Result<u64, String> {
    let is_hash = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parsed = u64::from_str_radix(text, 16).ok().filter(|_| is_hash);
    parsed.ok_or_else(|| format!("`{field}` is not 16 hexadecimal digits: `{text}`"))
}

fn set(field: &str, text: &str) -> Result<Vec<u8>, String> {
    STANDARD_NO_PAD.decode(text).map_err(|error| format!("`{field}` is not base64: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Language;
    use crate::syntax::Source;
    use crate::syntax::fingerprint::Code;

    fn example() -> Fingerprint {
        let text = "def f(a):\n    return g(a, b)\ndef h(): pass\n";
        let source = Source::parse(Language::Python, text);
        Code::new(text, &source).fingerprint(0)
    }

    #[test]
    fn a_fingerprint_survives_its_text() {
        for fingerprint in
            [example(), Fingerprint { sketch: vec![0; GRAM_BINS], ..Fingerprint::default() }]
        {
            let text = toml::to_string(&fingerprint.to_fields()).expect("plain fields");
            assert!(text.len() <= 380, "{} bytes", text.len());
            let fields: FingerprintFields = toml::from_str(&text).expect("the same fields");
            assert_eq!(Fingerprint::from_fields(&fields), Ok(fingerprint));
        }
    }

    #[test]
    fn a_damaged_field_is_named() {
        type Damage = fn(&mut FingerprintFields);
        let damages: [(&str, Damage); 7] = [
            ("masked", |fields| fields.masked = "+123456789abcdef".to_owned()),
            ("docs", |fields| fields.docs = "AA".to_owned()),
            ("bytes", |fields| fields.bytes = "éééééééé".to_owned()),
            ("signature", |fields| fields.signature.clear()),
            ("sketch", |fields| fields.sketch.truncate(8)),
            ("names", |fields| fields.names = "AAIAAQ".to_owned()),
            ("beside", |fields| fields.beside.push('!')),
        ];
        for (name, damage) in damages {
            let mut fields = example().to_fields();
            damage(&mut fields);
            let error = Fingerprint::from_fields(&fields).expect_err(name);
            assert!(error.starts_with(&format!("`{name}`")), "{error}");
        }
    }
}
