//! How many rules have an example, wait for one, or need none. All commands that print such numbers get them here.

use std::fmt;

use cerberus_model::{MemoryStatus, MemoryType, RuleKind, plural};
use serde::Serialize;

use super::anchors;
use super::memories::{self, Memories};
use crate::MemoryFile;

/// Numbers of the active rules. Each counts once.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleCounts {
    pub total: usize,
    /// With an example.
    pub anchored: usize,
    /// About code, without an example.
    pub waiting: usize,
    /// About the work on the project, which no code shows.
    pub process: usize,
    /// For which no example is searched: by decision, or because of their scope.
    pub no_example: usize,
}

impl RuleCounts {
    pub fn of(memories: &Memories) -> Self {
        let mut counts = Self::default();
        for stored in memories.all.iter().filter(|stored| is_active_rule(stored)) {
            counts.total += 1;
            *counts.of_state(memories, stored) += 1;
        }
        counts
    }

    fn of_state(&mut self, memories: &Memories, stored: &MemoryFile) -> &mut usize {
        let memory = &stored.memory;
        if memories.anchors.contains_key(&memory.id) {
            return &mut self.anchored;
        }
        if memory.example.is_some() || memories::languages(&memory.scope).is_err() {
            return &mut self.no_example;
        }
        match anchors::kind(stored) {
            RuleKind::Code => &mut self.waiting,
            RuleKind::Process => &mut self.process,
        }
    }

    /// Returns the numbers with the words for them.
    pub fn by_state(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let Self {
            anchored,
            waiting,
            process,
            no_example,
            ..
        } = *self;
        [
            ("anchored", anchored),
            ("waiting", waiting),
            ("process", process),
            ("no example", no_example),
        ]
        .into_iter()
    }
}

impl fmt::Display for RuleCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by_state: Vec<String> = self
            .by_state()
            .map(|(state, n)| format!("{n} {state}"))
            .collect();
        write!(f, "{}: {}", plural(self.total, "rule"), by_state.join(", "))
    }
}

/// Whether a memory is a rule in use.
pub fn is_active_rule(stored: &MemoryFile) -> bool {
    stored.memory.memory_type == MemoryType::Rule && stored.memory.status == MemoryStatus::Active
}
