//! End-to-end tests of the binary: wiring, flags, streams, exit status, and what only
//! shows when processes, files and git meet. What a pure function can show is tested
//! beside it.
//!
//! After an intended change of output: `UPDATE_EXPECT=1 cargo test --test cli`, then
//! read the diff. What the ranker computes is masked; what it must find is not.
#![expect(
    clippy::disallowed_methods,
    reason = "tests make, change and read the files that they test"
)]

mod add;
mod anchor;
mod anchor_test;
mod append;
mod completions;
mod concurrency;
mod config;
mod contracts;
mod create;
mod demo;
mod doctor;
mod exit_status;
mod export;
mod faults;
mod feedback;
#[cfg(unix)]
mod full_disk;
mod history;
mod hooks;
mod hostile;
mod import;
mod index;
mod init;
mod inject;
#[cfg(unix)]
mod kills;
mod lifecycle;
mod links;
mod mcp;
mod merge;
mod pin;
mod pipes;
mod planted;
mod project;
mod quality_gate;
mod read;
mod reanchor;
mod report;
mod sandbox;
mod search;
mod search_quality;
mod secrets;
mod sections;
mod show;
mod stats;
mod storage;
mod trash;
mod update;
