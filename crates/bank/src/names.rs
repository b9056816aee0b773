//! Unused names of files.

/// Returns `base` if it is free, else with the first number from 2 with which it is.
pub(crate) fn unused(base: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut name = base.to_owned();
    let mut n = 2;
    while is_taken(&name) {
        name = format!("{base}-{n}");
        n += 1;
    }
    name
}

#[cfg(test)]
mod tests {
    use cerberus_model::MemoryId;

    proptest::proptest! {
        #[test]
        fn generated_ids_are_valid(text in "\\PC{0,200}") {
            let id = MemoryId::from_text(&text);
            proptest::prop_assert!(id.parse::<MemoryId>().is_ok());
        }
    }
}
