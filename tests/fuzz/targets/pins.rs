#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fuzz::in_a_folder(|folder| cerberus_bank::fuzz::pins(bytes, folder));
});
