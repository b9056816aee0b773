//! Operations that several commands share: a request in, a report out.
//!
//! An operation prints nothing and reads neither the environment nor the clock; both are resolved
//! in [`Project`]. It gets a [`Workspace`](crate::Workspace), in which each part of the project is
//! read once. `--json` serializes the reports, so their fields are a contract.

pub use cerberus_engine::{Progress, rounded};

pub use crate::project::{InjectOptions, Project, ProjectName, default_scope, seconds};

pub mod add;
pub mod anchor;
pub mod anchors;
pub mod answers;
pub mod create;
pub mod document;
pub mod envelope;
pub mod examples;
pub mod fields;
pub mod import;
pub mod linked;
pub mod links;
pub mod managed_block;
pub mod memories;
pub mod merge;
pub mod metadata;
pub mod open_rules;
pub mod patterns;
pub mod pins;
pub mod read;
pub mod reanchor;
pub mod recorded;
pub mod rename;
pub mod review;
pub mod rule_counts;
pub mod search;
pub mod section_selection;
pub mod sections;
pub mod show;
pub mod similar;
pub mod stats;
pub mod trash;
pub mod trash_folder;
pub mod update;
