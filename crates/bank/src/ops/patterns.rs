//! The patterns of memories, which a person accepted in their frontmatter.

use std::iter;

use anyhow::Result;
use cerberus_markdown::code_examples::{Label, code_examples};
use cerberus_markdown::frontmatter;
use cerberus_markdown::frontmatter::Frontmatter;
use cerberus_model::{Anchor, Enforcement, ExampleRole, OtherExample};
use cerberus_patterns::code_pattern::CodePattern;
use cerberus_patterns::command::{self, CommandPattern};
use cerberus_patterns::{self as patterns, Sample, TestReport};
use serde::Serialize;

use super::{Project, examples, memories};
use crate::MemoryFile;

/// How a rule is checked, with its patterns.
#[derive(Debug)]
pub struct RulePattern {
    pub enforcement: Enforcement,
    pub patterns: Vec<CodePattern>,
    pub commands: Vec<CommandPattern>,
    /// The commands as they are written.
    pub command_lines: Vec<String>,
    /// The code or command to use in place of their hits.
    pub instead: Option<String>,
    /// The fault of the accepted pattern.
    pub fault: Option<String>,
    /// A pattern that no person accepted, which is not in force.
    pub proposal: Option<Proposal>,
}

/// A pattern that an agent set.
#[derive(Debug)]
pub struct Proposal {
    pub by: String,
    pub rule: Box<RulePattern>,
}

impl RulePattern {
    /// Returns the same pattern as a proposal of an agent, without effect.
    pub fn proposed(self, by: &str) -> Self {
        let proposal = Proposal {
            by: by.to_owned(),
            rule: Box::new(self),
        };
        let rule = of_frontmatter(Frontmatter::default());
        Self {
            proposal: Some(proposal),
            ..rule
        }
    }
}

/// How a rule is checked, in reports.
#[derive(Debug, Clone, Serialize)]
pub struct PatternSummary {
    pub enforcement: Enforcement,
    /// Why it is checked like this, or what is wrong with its pattern.
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The commands that break the rule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// The agent that proposes it. It has no effect before a person accepts it.
    #[serde(rename = "proposedBy", skip_serializing_if = "Option::is_none")]
    pub proposed_by: Option<String>,
}

impl From<&RulePattern> for PatternSummary {
    fn from(rule: &RulePattern) -> Self {
        if let Some(Proposal { by, rule }) = &rule.proposal {
            let fault = rule.fault.clone();
            let reason = fault.unwrap_or_else(|| {
                format!("`{by}` proposes a pattern, which no person accepted (`--accept`)")
            });
            let enforcement = Enforcement::Advisory;
            return Self {
                enforcement,
                reason,
                proposed_by: Some(by.clone()),
                ..Self::from(&**rule)
            };
        }
        let has_pattern = !rule.patterns.is_empty();
        let reason = match (&rule.fault, rule.enforcement) {
            (Some(fault), _) => fault,
            (None, Enforcement::Enforced) => "a person accepted its pattern",
            (None, Enforcement::Advisory) => "its frontmatter has no pattern",
        };
        Self {
            enforcement: rule.enforcement,
            reason: reason.to_owned(),
            pattern: has_pattern.then(|| patterns::render(&rule.patterns)),
            commands: rule.command_lines.clone(),
            instead: rule.instead.clone(),
            proposed_by: None,
        }
    }
}

/// Returns how a memory is checked.
pub fn of_memory(stored: &MemoryFile) -> RulePattern {
    let front = with_pattern(stored);
    let by = front.pattern_by.clone();
    let rule = of_frontmatter(front);
    match by {
        Some(by) if rule.enforcement == Enforcement::Enforced => rule.proposed(&by),
        _ => rule,
    }
}

/// Returns the pattern in a text: an ast-grep rule, or the keys `pattern`, `command` and `instead` of a frontmatter.
pub fn of_text(text: &str) -> RulePattern {
    let front = frontmatter::parse(&format!("---\n{text}\n---\n")).frontmatter;
    if front.pattern.is_some() || !front.command.is_empty() {
        return of_frontmatter(front);
    }
    let pattern = Some(format!("{}\n", text.trim_end()));
    of_frontmatter(Frontmatter {
        pattern,
        ..Frontmatter::default()
    })
}

/// Returns the pattern in a text if it is valid and right about the examples of a memory, or else what is wrong.
pub fn proved(
    project: &Project,
    stored: &MemoryFile,
    anchor: Option<&Anchor>,
    text: &str,
) -> Result<RulePattern, String> {
    let rule = of_text(text);
    if let Some(fault) = rule.fault {
        return Err(fault);
    }
    match misjudged(project, stored, anchor, &rule.patterns) {
        Some(why) => Err(why),
        None => Ok(rule),
    }
}

fn of_frontmatter(front: Frontmatter) -> RulePattern {
    let Frontmatter {
        pattern,
        command: command_lines,
        instead,
        ..
    } = front;
    let has_any = pattern.is_some() || !command_lines.is_empty();
    let patterns = match pattern {
        Some(text) => {
            patterns::parse(&text).map_err(|why| format!("its pattern is not valid: {why}"))
        }
        None => Ok(Vec::new()),
    };
    let commands = command::parse(&command_lines).map_err(|why| format!("its `command`: {why}"));
    let (patterns, fault) = valid(patterns);
    let (commands, command_fault) = valid(commands);
    RulePattern {
        enforcement: if has_any {
            Enforcement::Enforced
        } else {
            Enforcement::Advisory
        },
        patterns,
        commands,
        command_lines,
        instead,
        fault: fault.or(command_fault),
        proposal: None,
    }
}

fn valid<T>(read: Result<Vec<T>, String>) -> (Vec<T>, Option<String>) {
    match read {
        Ok(patterns) => (patterns, None),
        Err(fault) => (Vec::new(), Some(fault)),
    }
}

/// Returns the frontmatter of a memory with patterns; of others it is empty.
fn with_pattern(stored: &MemoryFile) -> Frontmatter {
    // Most memories have none, and parsing takes longer than a search.
    for line in stored.text.lines() {
        if line.starts_with("pattern") || line.starts_with("command") {
            return frontmatter::parse(&stored.text).frontmatter;
        }
    }
    Frontmatter::default()
}

/// Tests the pattern of a memory with all its examples.
pub fn test(
    project: &Project,
    stored: &MemoryFile,
    anchor: Option<&Anchor>,
    patterns: &[CodePattern],
) -> TestReport {
    patterns::test(patterns, &samples(project, stored, anchor))
}

/// Returns the code of a memory that follows it.
pub fn good_code(project: &Project, stored: &MemoryFile, anchor: Option<&Anchor>) -> Vec<Sample> {
    let mut samples = samples(project, stored, anchor);
    samples.retain(|sample| sample.label == Label::Good);
    samples
}

/// Returns the fault of the accepted pattern of a memory, if it has one.
pub fn fault(project: &Project, stored: &MemoryFile, anchor: Option<&Anchor>) -> Option<String> {
    let rule = of_memory(stored);
    if rule.patterns.is_empty() {
        return rule.fault;
    }
    misjudged(project, stored, anchor, &rule.patterns)
}

/// Returns which of its examples the patterns of a memory misjudge.
fn misjudged(
    project: &Project,
    stored: &MemoryFile,
    anchor: Option<&Anchor>,
    patterns: &[CodePattern],
) -> Option<String> {
    if patterns.is_empty() {
        return None;
    }
    let report = test(project, stored, anchor, patterns);
    match (report.false_hits.len(), report.misses.len()) {
        (0, 0) => None,
        (0, missed) => Some(format!(
            "its pattern misses {missed} of {} counter-examples",
            report.n_bad
        )),
        (hit, _) => Some(format!(
            "its pattern hits {hit} of {} examples",
            report.n_good
        )),
    }
}

/// Returns the labelled code in the text of a memory, and the code of its examples.
fn samples(project: &Project, stored: &MemoryFile, anchor: Option<&Anchor>) -> Vec<Sample> {
    let of_scope = memories::languages(&stored.memory.scope).ok().flatten();
    let language = match of_scope {
        Some(languages) => languages.first().copied(),
        None => anchor.and_then(|anchor| anchor.language),
    };
    let mut samples = patterns::samples(&code_examples(&stored.memory.body), language);
    let Some(anchor) = anchor else {
        return samples;
    };
    let main = OtherExample {
        role: ExampleRole::Also,
        anchor: anchor.clone(),
        code: None,
    };
    for example in iter::once(&main).chain(&anchor.others) {
        if let Some(code) = examples::code(project, example)
            && let Some(language) = example.anchor.language
        {
            samples.push(Sample {
                label: match example.role {
                    ExampleRole::Also => Label::Good,
                    ExampleRole::Not => Label::Bad,
                },
                language,
                code,
            });
        }
    }
    samples
}
