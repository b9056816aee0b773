//! Temporary.
use std::collections::HashMap;
use std::sync::OnceLock;

pub(crate) fn p(name: &str, default: f64) -> f64 {
    static MAP: OnceLock<HashMap<String, f64>> = OnceLock::new();
    let map = MAP.get_or_init(|| {
        std::env::var("TUNE").unwrap_or_default().split(',').filter_map(|kv| {
            let (k, v) = kv.split_once('=')?;
            Some((k.to_owned(), v.parse().ok()?))
        }).collect()
    });
    if map.is_empty() { default } else { map.get(name).copied().unwrap_or(default) }
}
