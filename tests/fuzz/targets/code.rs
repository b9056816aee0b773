#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cerberus_engine::fuzz::code(bytes));
