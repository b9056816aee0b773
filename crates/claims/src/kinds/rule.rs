//! Rules that a tool enforces by its configuration.

use crate::kinds::Kind;
use super::{Place, Read, made_by};
use crate::level::Evidence;
use crate::manifests::Facts;
use crate::now::{Holds, Now};
use crate::rules::Tool;
use crate::then::{OldTree, Past, Truth, Writer};

/// A rule with the tool that enforces it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnforcedRule {
    pub(crate) tool: Tool,
    pub(crate) name: String,
}

// The sentence around it names the tool, so the reader of sentences recognises it.
impl Read for EnforcedRule {}

impl Kind for EnforcedRule {
    fn name(&self) -> &'static str {
        "enforcement"
    }

    fn is_made_by(&self, _path: &str, facts: &Facts) -> bool {
        facts.rules.enforce(self.tool, &self.name)
    }

    fn holds(&self, now: &Now, _place: Place<'_>) -> Holds {
        (now.is_made(self) || now.manifests.is_open(self.tool)).into()
    }

    fn held(
        &self,
        past: &mut Past<'_, '_>,
        old: &mut OldTree,
        _writer: Writer<'_>,
    ) -> Option<Truth> {
        made_by(self, past, old, |_| true)
    }

    fn reason(&self, _now: &Now, _truth: &Truth) -> String {
        match self.tool {
            Tool::Ci => "no workflow runs it any more".to_owned(),
            tool => format!("no configuration of {} enables it any more", tool.name()),
        }
    }

    // A configuration that enabled it says that the rule is of this project.
    fn is_sure(&self, _evidence: &Evidence<'_>) -> bool {
        true
    }
}
