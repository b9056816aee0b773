//! Builds `src/tokens/o200k_base.fst` from the published vocabulary.
//!
//! `cargo run -p cerberus-memory-bank --example vocabulary -- o200k_base.tiktoken crates/bank/src/tokens/o200k_base.fst`
//!
//! Each line of the input is a token in base64, a space and the token's rank.

#![allow(
    clippy::disallowed_methods,
    reason = "a tool for developers, not a part of cerberus"
)]

use std::io::BufWriter;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use fst::MapBuilder;

fn main() -> Result<()> {
    let paths: Vec<_> = env::args_os().skip(1).collect();
    let [input, output] = paths.as_slice() else {
        bail!("usage: vocabulary INPUT OUTPUT")
    };
    let text = fs::read_to_string(input).context("failed to read the vocabulary")?;
    let mut tokens = text.lines().map(parse_line).collect::<Result<Vec<_>>>()?;
    tokens.sort();
    let file = fs::File::create(output).context("failed to create the output")?;
    let mut builder = MapBuilder::new(BufWriter::new(file))?;
    builder.extend_iter(tokens)?;
    builder.finish()?;
    Ok(())
}

fn parse_line(line: &str) -> Result<(Vec<u8>, u64)> {
    let (token, rank) = line
        .split_once(' ')
        .context("expected a token and its rank")?;
    Ok((BASE64_STANDARD.decode(token)?, rank.parse()?))
}
