//! The text form of a fingerprint in the lock file.
//!
//! Hashes are hexadecimal, sets are base64 without padding. The encoding is part of the lock
//! format. Decoding validates each field, so that a lock damaged by an edit or a merge is not
//! mistaken for changed code.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use cerberus_model::{Fingerprint, LookAlikes};

use super::{MAX_DOCS, MAX_NAMES, MAX_NAMESAKES};
use crate::syntax::minhash::{BLOOM_BYTES, N_BINS};

/// The fields of a fingerprint in the lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FingerprintFields {
    pub tokens: u32,
    /// Hashes of the code without its own name, of its bytes, of its signature and of the file.
    /// Only the first must be free of collisions and has twice the length.
    pub hashes: String,
    /// The MinHash signature, then the samples of the identifiers and of the words of comments,
    /// then the hashes of the adjacent names with the Bloom filter of all neighbours, if any.
    pub minhash: String,
    /// The hashes of the other definitions of its name, if there are any: six bytes each.
    pub namesakes: Option<String>,
}

impl FingerprintFields {
    /// Encodes the fingerprint for the lock file.
    pub fn encode(fingerprint: &Fingerprint) -> Self {
        let neighbours = [pack(&fingerprint.between), fingerprint.beside.clone()].concat();
        let sets = [
            fingerprint.sketch.clone(),
            pack(&fingerprint.names),
            pack(&fingerprint.docs),
            neighbours,
        ];
        Self {
            tokens: fingerprint.n_tokens,
            hashes: format!(
                "{:016x} {:08x} {:08x} {:08x}",
                fingerprint.name_independent_hash,
                fingerprint.bytes,
                fingerprint.signature,
                fingerprint.file
            ),
            minhash: sets.map(|set| STANDARD_NO_PAD.encode(set)).join(" "),
            namesakes: (!fingerprint.namesakes.is_empty())
                .then(|| pack_short(fingerprint.namesakes.as_flattened())),
        }
    }

    /// Decodes a fingerprint; the error names the damaged field.
    pub fn decode(&self) -> Result<Fingerprint, String> {
        let (name_independent_hash, [bytes, signature, file]) = hashes(&self.hashes)
            .ok_or_else(|| format!("`hashes` is not four hashes: `{}`", self.hashes))?;
        let damaged = |reason: &str| format!("`minhash` is damaged: {reason}");
        let sets: Vec<&str> = self.minhash.split(' ').collect();
        let &[sketch, names, docs, neighbours] = sets.as_slice() else {
            return Err(damaged(&format!("it has {} sets, expected 4", sets.len())));
        };
        let set = |text| {
            STANDARD_NO_PAD
                .decode(text)
                .map_err(|error| damaged(&error.to_string()))
        };
        let sketch = set(sketch)?;
        if sketch.len() != N_BINS {
            let n_bytes = sketch.len();
            return Err(damaged(&format!(
                "the first set has {n_bytes} bytes, expected {N_BINS}"
            )));
        }
        let neighbours = set(neighbours)?;
        let (between, beside) = match neighbours.as_slice() {
            &[a, b, c, d, ref filter @ ..] if filter.is_empty() || filter.len() == BLOOM_BYTES => (
                [u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])],
                filter.to_vec(),
            ),
            _ => {
                let (n_bytes, max) = (neighbours.len(), BLOOM_BYTES + 4);
                let reason = format!("the last set has {n_bytes} bytes, expected 4 or {max}");
                return Err(damaged(&reason));
            }
        };
        let sample = |text, max| {
            sample(&set(text)?, max).ok_or_else(|| {
                damaged(&format!(
                    "a sample is not an ordered list of at most {max} hashes"
                ))
            })
        };
        let namesakes = unpack_short(self.namesakes.as_deref().unwrap_or_default())
            .filter(|hashes| hashes.len() % 2 == 0 && hashes.len() <= 2 * MAX_NAMESAKES)
            .ok_or_else(|| format!("`namesakes` is not at most {MAX_NAMESAKES} pairs of hashes"))?;
        Ok(Fingerprint {
            n_tokens: self.tokens,
            name_independent_hash,
            bytes,
            signature,
            file,
            sketch,
            names: sample(names, MAX_NAMES)?,
            docs: sample(docs, MAX_DOCS)?,
            between,
            beside,
            namesakes: namesakes.as_chunks::<2>().0.to_vec(),
        })
    }
}

/// Encodes look-alikes for the lock file: three bytes each in base64.
pub fn look_alikes_field(look_alikes: &LookAlikes) -> String {
    pack_short(look_alikes.hashes())
}

/// Decodes look-alikes.
pub fn look_alikes(field: &str) -> Result<LookAlikes, String> {
    let max = LookAlikes::MAX;
    let is_valid = |hashes: &Vec<u32>| hashes.len() <= max && hashes.is_sorted_by(|a, b| a < b);
    let hashes = unpack_short(field).filter(is_valid).ok_or_else(|| {
        format!("`look_alikes` is damaged: it is not an ordered list of at most {max} hashes")
    })?;
    Ok(LookAlikes::new(hashes))
}

/// Encodes hashes of 24 bits: three bytes each in base64.
fn pack_short(hashes: &[u32]) -> String {
    let bytes = hashes
        .iter()
        .flat_map(|hash| hash.to_be_bytes().into_iter().skip(1));
    STANDARD_NO_PAD.encode(bytes.collect::<Vec<u8>>())
}

fn unpack_short(field: &str) -> Option<Vec<u32>> {
    let bytes = STANDARD_NO_PAD.decode(field).ok()?;
    let (triples, rest) = bytes.as_chunks::<3>();
    let hashes = triples
        .iter()
        .map(|&[a, b, c]| u32::from_be_bytes([0, a, b, c]))
        .collect();
    rest.is_empty().then_some(hashes)
}

fn pack(hashes: &[u16]) -> Vec<u8> {
    hashes.iter().flat_map(|hash| hash.to_be_bytes()).collect()
}

fn sample(packed: &[u8], max: usize) -> Option<Vec<u16>> {
    let (pairs, odd) = packed.as_chunks::<2>();
    let hashes: Vec<u16> = pairs.iter().map(|&pair| u16::from_be_bytes(pair)).collect();
    let is_sample = odd.is_empty() && hashes.len() <= max && hashes.is_sorted_by(|a, b| a < b);
    is_sample.then_some(hashes)
}

fn hashes(text: &str) -> Option<(u64, [u32; 3])> {
    let mut parts = text.split(' ');
    let mut next = |n_digits: usize| {
        let part = parts.next()?;
        let is_hash = part.len() == n_digits && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        u64::from_str_radix(part, 16).ok().filter(|_| is_hash)
    };
    let long = next(16)?;
    let mut short = || u32::try_from(next(8)?).ok();
    let rest = [short()?, short()?, short()?];
    parts.next().is_none().then_some((long, rest))
}

#[cfg(test)]
mod tests {
    use cerberus_model::Language;

    use super::*;
    use crate::syntax::ParsedFile;
    use crate::syntax::fingerprint::FileFeatures;

    fn example() -> Fingerprint {
        let text = "def f(a):\n    return g(a, b)\ndef h(): pass\n";
        let parsed = ParsedFile::parse(Language::Python, text);
        FileFeatures::new(text, &parsed).fingerprint(0)
    }

    #[test]
    fn a_fingerprint_round_trips() {
        for fingerprint in [
            example(),
            Fingerprint {
                sketch: vec![0; N_BINS],
                ..Fingerprint::default()
            },
        ] {
            assert_eq!(
                FingerprintFields::encode(&fingerprint).decode(),
                Ok(fingerprint)
            );
        }
    }

    #[test]
    fn look_alikes_round_trip_and_damage_is_an_error() {
        for hashes in [vec![], vec![7], (1..=16).map(|n| n * 0xF_FFFF).collect()] {
            let known = LookAlikes::new(hashes);
            assert_eq!(look_alikes(&look_alikes_field(&known)), Ok(known));
        }
        let too_many = STANDARD_NO_PAD.encode((0..51).collect::<Vec<u8>>());
        for field in ["AAAA!", "AA", "AAAAAAA", "BBBBAAAA", "AAAAAAAA", &too_many] {
            let error = look_alikes(field).expect_err(field);
            assert!(error.starts_with("`look_alikes` is damaged: "), "{error}");
        }
    }

    #[test]
    fn the_error_names_the_damaged_field() {
        type Damage = fn(&mut FingerprintFields);
        let damages: [(&str, Damage); 8] = [
            ("hashes", |fields| fields.hashes.replace_range(..1, "+")),
            ("hashes", |fields| fields.hashes = "é".repeat(8)),
            ("hashes", |fields| fields.hashes.push_str(" 00000000")),
            ("minhash", |fields| fields.minhash.clear()),
            ("minhash", |fields| fields.minhash.replace_range(..8, "")),
            ("minhash", |fields| {
                fields.minhash.replace_range(97..103, "AAIAAQ")
            }),
            ("minhash", |fields| fields.minhash.push('!')),
            ("minhash", |fields| fields.minhash.push_str(" AA")),
        ];
        for (name, damage) in damages {
            let mut fields = FingerprintFields::encode(&example());
            damage(&mut fields);
            let error = fields.decode().expect_err(name);
            assert!(error.starts_with(&format!("`{name}`")), "{error}");
        }
    }
}
