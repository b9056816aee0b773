//! The built-in pins: actions for which an agent needs permission.
//!
//! Each can be disabled in the configuration. They do not count against the limits.

use cerberus_model::text::word_list;
use cerberus_model::{Pin, Priority};

pub use crate::project::BuiltInPins;

/// The prefix of the id of a built-in pin; its name in the configuration follows.
pub const PREFIX: &str = "default-";

/// Returns the name in the configuration and the text of each built-in pin.
fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    word_list::lines(include_str!("builtin.txt")).filter_map(|line| line.split_once(": "))
}

/// Returns the names of the built-in pins in the configuration.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().map(|(name, _)| name)
}

/// Returns the enabled built-in pins.
pub(super) fn pins(choice: Option<&BuiltInPins>) -> Vec<Pin> {
    let on = all().filter(|(name, _)| choice.is_none_or(|choice| choice.enables(name)));
    on.map(|(name, content)| Pin {
        id: format!("{PREFIX}{name}"),
        content: content.to_owned(),
        priority: Priority::Safety,
        ..Pin::default()
    })
    .collect()
}
