//! Entry points of the fuzz targets for the files of a bank.
//!
//! Not part of releases. Each function checks properties that hold for any input, and panics if one is
//! violated. The unit tests run all seeds in `tests/fuzz/seeds`.
#![expect(clippy::disallowed_methods, reason = "some parsers read files")]

use std::path::Path;

use cerberus_model::{Pin, PinScope, Priority};

use crate::{Bank, lockfile};

#[cfg(test)]
#[path = "seeds.rs"]
mod seeds;

/// A valid lock file round-trips.
pub fn lock(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let Ok(anchors) = lockfile::parse(text) else {
        return;
    };
    let written = lockfile::render(&anchors);
    let read = lockfile::parse(&written).expect("written files are valid");
    assert_eq!(lockfile::render(&read), written);
}

/// Adding a pin to a valid file preserves all other pins.
pub fn pins(bytes: &[u8], folder: &Path) {
    let bank = Bank::new(folder.to_owned());
    std::fs::write(bank.pin_file(), bytes).expect("a writable folder");
    let Ok(before) = bank.pins() else { return };
    let added = Pin {
        id: "added".to_owned(),
        content: "x".to_owned(),
        priority: Priority::Info,
        scope: PinScope::Persistent,
        created_at: Default::default(),
        expires_at: None,
        tags: Vec::new(),
        metadata: Default::default(),
        project: None,
    };
    if before.pins.iter().any(|pin| pin.id == added.id)
        || bank.write_pins(&[], Some(&added)).is_err()
    {
        return;
    }
    let after = bank.pins().expect("written files are valid");
    assert_eq!(after.fault, None);
    let expected: Vec<Pin> = before.pins.into_iter().chain([added]).collect();
    assert_eq!(after.pins, expected);
}

#[test]
fn all_seeds_satisfy_the_properties() {
    seeds::run("lock", |bytes, _| lock(bytes));
    seeds::run("pins", pins);
}
