//! End-to-end tests of the binary: command wiring, flags, streams, exit statuses, and
//! behaviour that needs processes, files or git. Pure functions are tested beside their code.
//!
//! After an intended change of output run `UPDATE_EXPECT=1 cargo test --test cli` and review
//! the diff. Scores of the ranker are masked in snapshots; the examples it finds are not.
#![expect(
    clippy::disallowed_methods,
    reason = "tests create, change and read the files that they test"
)]

mod add;
mod anchor;
mod anchor_test;
mod append;
mod check;
mod check_documents;
mod check_fix;
mod check_governed;
mod check_levels;
mod check_moved;
mod check_proposed;
mod check_recall;
mod check_repositories;
mod check_with;
mod completions;
mod concurrency;
mod config;
mod contracts;
mod corrupt_files;
mod create;
mod demo;
mod doctor;
#[cfg(target_os = "linux")]
mod durability;
mod exit_status;
#[cfg(unix)]
mod full_disk;
mod history;
mod hook_output;
mod hooks;
mod import;
mod import_documents;
mod import_governing;
mod index;
mod init;
mod inject;
mod inject_into;
#[cfg(unix)]
mod killed_commands;
mod lifecycle;
mod links;
mod mcp;
mod mcp_tools;
mod merge;
#[cfg(unix)]
mod opencode;
mod parallel_operations;
mod paths;
mod pin;
mod pipes;
mod plugins;
#[cfg(target_os = "linux")]
mod power_failure;
mod project;
mod ranking_quality;
mod read;
#[cfg(target_os = "linux")]
mod readme;
mod reanchor;
mod rename;
mod report;
mod review;
mod review_diff;
mod review_with;
mod sandbox;
mod schemas;
mod search;
mod search_quality;
mod secrets;
mod sections;
mod setup;
mod show;
mod stats;
mod storage;
mod swapped_names;
mod symlinks;
mod trash;
mod unusual_code;
mod update;
mod user_bank;
