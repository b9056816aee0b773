//! A fingerprint as text: how the lock file spells it.
//!
//! Hashes are hexadecimal digits, sets are base64 without padding. How each field is
//! spelled is part of the lock's format. Reading checks each field, so that a lock
//! damaged by hand or by a merge is told apart from drift.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::model::Fingerprint;

use super::fingerprint::{MAX_DOCS, MAX_NAMES};
use super::sketch::{FILTER_BYTES, GRAM_BINS};

/// The fields of a fingerprint in the lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FingerprintFields {
    pub(crate) tokens: u32,
    /// Of the code with its name masked, of its bytes, of its signature and of the whole
    /// file; only the first must never meet another's by chance and is twice as long.
    pub(crate) hashes: String,
    /// Of the token trigrams, the identifiers, the words of the comments, and of what
    /// stands right before and after with, if anything is beside, the filter.
    pub(crate) sketches: String,
}

impl Fingerprint {
    /// Returns the fingerprint as the lock file's fields.
    pub(crate) fn to_fields(&self) -> FingerprintFields {
        let mut beside = pack(&self.between);
        beside.extend(&self.beside);
        let sets = [self.sketch.clone(), pack(&self.names), pack(&self.docs), beside];
        FingerprintFields {
            tokens: self.n_tokens,
            hashes: format!(
                "{:016x} {:08x} {:08x} {:08x}",
                self.masked, self.bytes, self.signature, self.file
            ),
            sketches: sets.map(|set| STANDARD_NO_PAD.encode(set)).join(" "),
        }
    }

    /// Returns the fingerprint that `fields` spell, or what is wrong with which field.
    pub(crate) fn from_fields(fields: &FingerprintFields) -> Result<Self, String> {
        let (masked, [bytes, signature, file]) = hashes(&fields.hashes)
            .ok_or_else(|| format!("`hashes` is not four hashes: `{}`", fields.hashes))?;
        let damaged = |what: &str| format!("`sketches` is damaged: {what}");
        let sets: Vec<&str> = fields.sketches.split(' ').collect();
        let &[sketch, names, docs, beside] = sets.as_slice() else {
            return Err(damaged(&format!("it holds {} sets, expected 4", sets.len())));
        };
        let set = |text| STANDARD_NO_PAD.decode(text).map_err(|error| damaged(&error.to_string()));
        let sketch = set(sketch)?;
        if sketch.len() != GRAM_BINS {
            let n = sketch.len();
            return Err(damaged(&format!("the first set has {n} bytes, expected {GRAM_BINS}")));
        }
        let beside = set(beside)?;
        let (between, filter) = match beside.as_slice() {
            &[a, b, c, d, ref filter @ ..] if filter.is_empty() || filter.len() == FILTER_BYTES => {
                ([u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])], filter.to_vec())
            }
            _ => {
                let (n, most) = (beside.len(), FILTER_BYTES + 4);
                return Err(damaged(&format!("the last set has {n} bytes, expected 4 or {most}")));
            }
        };
        let sample = |text, most| {
            sample(&set(text)?, most).ok_or_else(|| {
                damaged(&format!("a sample is not an ordered list of at most {most} hashes"))
            })
        };
        Ok(Self {
            n_tokens: fields.tokens,
            masked,
            bytes,
            signature,
            file,
            sketch,
            names: sample(names, MAX_NAMES)?,
            docs: sample(docs, MAX_DOCS)?,
            between,
            beside: filter,
        })
    }
}

fn pack(hashes: &[u16]) -> Vec<u8> {
    hashes.iter().flat_map(|hash| hash.to_be_bytes()).collect()
}

fn sample(packed: &[u8], most: usize) -> Option<Vec<u16>> {
    let (pairs, odd) = packed.as_chunks::<2>();
    let hashes: Vec<u16> = pairs.iter().map(|&pair| u16::from_be_bytes(pair)).collect();
    let is_sample = odd.is_empty() && hashes.len() <= most && hashes.is_sorted_by(|a, b| a < b);
    is_sample.then_some(hashes)
}

fn hashes(text: &str) -> Option<(u64, [u32; 3])> {
    let mut parts = text.split(' ');
    let mut next = |n_digits: usize| {
        let part = parts.next()?;
        let is_hash = part.len() == n_digits && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        u64::from_str_radix(part, 16).ok().filter(|_| is_hash)
    };
    let masked = next(16)?;
    let mut short = || u32::try_from(next(8)?).ok();
    let rest = [short()?, short()?, short()?];
    parts.next().is_none().then_some((masked, rest))
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
            assert_eq!(Fingerprint::from_fields(&fingerprint.to_fields()), Ok(fingerprint));
        }
    }

    #[test]
    fn a_damaged_field_is_named() {
        type Damage = fn(&mut FingerprintFields);
        let damages: [(&str, Damage); 8] = [
            ("hashes", |fields| fields.hashes.replace_range(..1, "+")),
            ("hashes", |fields| fields.hashes = "é".repeat(8)),
            ("hashes", |fields| fields.hashes.push_str(" 00000000")),
            ("sketches", |fields| fields.sketches.clear()),
            ("sketches", |fields| fields.sketches.replace_range(..8, "")),
            ("sketches", |fields| fields.sketches.replace_range(97..103, "AAIAAQ")),
            ("sketches", |fields| fields.sketches.push('!')),
            ("sketches", |fields| fields.sketches.push_str(" AA")),
        ];
        for (name, damage) in damages {
            let mut fields = example().to_fields();
            damage(&mut fields);
            let error = Fingerprint::from_fields(&fields).expect_err(name);
            assert!(error.starts_with(&format!("`{name}`")), "{error}");
        }
    }
}
