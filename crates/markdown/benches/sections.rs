//! The time of the section parser by the number of sections, to check that it is linear.
//!
//! Commands cannot show this because a memory is limited to 100 KB, far less than 10,000
//! sections.
#![expect(
    clippy::disallowed_methods,
    reason = "`cargo test --benches` passes `--test`"
)]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::Instant;

use cerberus_markdown::sections;

/// Number of timings per size. The minimum is printed, since other load only adds time.
const ROUNDS: usize = 31;

/// The limit for 10,000 sections.
const LIMIT_MS: f64 = 10.0;

/// Returns a text with a number of tag pairs.
type Shape = fn(usize) -> String;

fn main() {
    // `cargo test --benches` only checks that this program starts.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    println!(
        "{:34} {:>8} {:>9} {:>9} {:>8}",
        "sections::parse, minimum of all rounds", "pairs", "KB", "ms", "ns/pair"
    );
    let shapes: [(&str, Shape); 4] = [
        ("side by side", side_by_side),
        ("nested", nested),
        ("crossed", crossed),
        ("never closed", unclosed),
    ];
    for (name, shape) in shapes {
        for n_pairs in [1_000, 10_000, 100_000] {
            let text = shape(n_pairs);
            let ms = min_ms(&text);
            let limit = match n_pairs {
                10_000 => format!("  limit {LIMIT_MS} ms"),
                _ => String::new(),
            };
            println!(
                "{name:34} {n_pairs:8} {:9} {ms:9.2} {:8.0}{limit}",
                text.len() / 1024,
                ms * 1e6 / n_pairs as f64
            );
        }
    }
}

/// Sections of one line, as in a typical memory.
fn side_by_side(n_pairs: usize) -> String {
    let pair = |n| {
        format!("<!-- ANCHOR:section-{n} -->\nOne line of text.\n<!-- /ANCHOR:section-{n} -->\n\n")
    };
    (0..n_pairs).map(pair).collect()
}

fn nested(n_pairs: usize) -> String {
    let opened = (0..n_pairs).map(|n| format!("<!-- ANCHOR:s{n} -->\n"));
    let closed = (0..n_pairs)
        .rev()
        .map(|n| format!("<!-- /ANCHOR:s{n} -->\n"));
    opened.chain(closed).collect()
}

fn crossed(n_pairs: usize) -> String {
    let opened = (0..n_pairs).map(|n| format!("<!-- ANCHOR:s{n} -->\n"));
    let closed = (0..n_pairs).map(|n| format!("<!-- /ANCHOR:s{n} -->\n"));
    opened.chain(closed).collect()
}

fn unclosed(n_pairs: usize) -> String {
    (0..n_pairs)
        .map(|n| format!("<!-- ANCHOR:s{n} -->\nOne line of text.\n\n"))
        .collect()
}

fn min_ms(text: &str) -> f64 {
    let figures: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            black_box(sections::parse(black_box(text)));
            started.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    figures.into_iter().fold(f64::INFINITY, f64::min)
}
