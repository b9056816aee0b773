//! A report as one HTML page without scripts or external resources.
//!
//! The template engine and [`markdown::html`] escape all text from the repository. The remaining
//! control and bidirectional characters are shown as escape sequences. The content security policy
//! allows only the style sheet below, by its hash.
//!
//! [`markdown::html`]: cerberus_markdown::html

use std::collections::BTreeMap;

use anyhow::Result;
use cerberus_engine::syntax::highlight::{HighlightClass, highlight};
use cerberus_markdown::html as markdown;
use cerberus_markdown::links::{Kind, Target};
use cerberus_model::text::shell_word;
use cerberus_model::{MemoryStatus, MemoryType, Origin, text};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, HtmlEscape, UndefinedBehavior};
use serde::Serialize;

use super::{Anchored, Entry, Report};
use crate::agents::Agent;
use crate::commands::doctor::{self, Arrival, Reach};

const TEMPLATES: [(&str, &str); 2] = [
    ("page.html", include_str!("page/page.html")),
    ("memory.html", include_str!("page/memory.html")),
];

const STYLE: &str = include_str!("page/style.css");

/// Hash of [`STYLE`]; a test compares it with the style sheet.
const STYLE_HASH: &str = "sha256-F5uAIgMAnFeuqATI3Ron5T7ZgaC034Q8PDMLa88PLsM=";

/// A document with more lines is collapsed.
const MAX_OPEN_LINES: usize = 30;

/// Level of the headings in a memory's text, one below that of its id.
const TEXT_LEVEL: usize = 4;

/// Returns the page as HTML.
pub(super) fn page(report: &Report) -> Result<String> {
    let ids = report
        .memories
        .iter()
        .map(|entry| entry.metadata.memory.id.as_str())
        .enumerate();
    let element_ids: BTreeMap<&str, String> = ids
        .map(|(entry_idx, id)| (id, element_id(entry_idx, id)))
        .collect();
    let mut env = Environment::new();
    env.set_syntax(
        SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build()?,
    );
    env.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    env.add_filter("sentence", sentence);
    env.add_filter("shell_word", |word: &str| shell_word(word).into_owned());
    env.add_filter("with_code", |message: &str| {
        Value::from_safe_string(with_code(message))
    });
    env.add_global("element_ids", Serde(&element_ids));
    for (name, template) in TEMPLATES {
        env.add_template(name, template)?;
    }
    let page = env.get_template("page.html")?.render(Serde(Page {
        report,
        memories: report
            .memories
            .iter()
            .map(|entry| Article::new(entry, report, &element_ids))
            .collect(),
        certainties: certainties(report),
        agents: report.reach.iter().map(AgentRow::new).collect(),
        types: MemoryType::ALL,
        style: STYLE,
        style_hash: STYLE_HASH,
        version: env!("CARGO_PKG_VERSION"),
    }))?;
    // HTML does not need these escapes, and text with paths is shorter without them.
    let page = page.replace("&#x2f;", "/").replace("&#x27;", "'");
    Ok(text::escaped(&page) + "\n")
}

/// What the template gets.
#[derive(Serialize)]
struct Page<'a> {
    report: &'a Report,
    memories: Vec<Article<'a>>,
    /// How sure the examples of the rules are, with their numbers.
    certainties: Vec<Certainty>,
    agents: Vec<AgentRow>,
    types: &'static [MemoryType],
    style: &'static str,
    style_hash: &'static str,
    version: &'static str,
}

/// A number of rules.
#[derive(Serialize)]
struct Certainty {
    name: &'static str,
    rules: usize,
}

/// Returns the numbers of the active rules, those with the surest examples first.
fn certainties(report: &Report) -> Vec<Certainty> {
    let mut by_person = 0;
    let mut by_agent = 0;
    let mut by_words = 0;
    for entry in &report.memories {
        let memory = &entry.metadata.memory;
        let is_rule = memory.memory_type == MemoryType::Rule;
        let (true, MemoryStatus::Active, Some(anchor)) = (is_rule, memory.status, &entry.anchor)
        else {
            continue;
        };
        match anchor.finding.chosen {
            Origin::Manual | Origin::Document => by_person += 1,
            Origin::Agent => by_agent += 1,
            Origin::Auto => by_words += 1,
        }
    }
    let counts = &report.counts.rules;
    let numbers = [
        ("example chosen by hand", by_person),
        ("example chosen by an agent", by_agent),
        ("example found by words", by_words),
        ("waiting for an example", counts.waiting),
        ("about the work, which no code shows", counts.process),
        (
            "without an example, by decision or scope",
            counts.no_example,
        ),
    ];
    let mut certainties = Vec::new();
    for (name, rules) in numbers {
        if rules > 0 {
            certainties.push(Certainty { name, rules });
        }
    }
    certainties
}

/// How many rules reach an agent.
#[derive(Serialize)]
struct AgentRow {
    agent: &'static Agent,
    rules: usize,
    by_hooks: usize,
    in_documents: usize,
    twice: usize,
    missing: usize,
    /// The command that gives it the missing rules.
    next: String,
}

impl AgentRow {
    fn new(reach: &Reach) -> Self {
        let mut row = Self {
            agent: reach.agent,
            rules: reach.rules.len(),
            by_hooks: 0,
            in_documents: 0,
            twice: 0,
            missing: 0,
            next: doctor::next_for(reach.agent),
        };
        for arrival in reach.rules.values() {
            match arrival {
                Arrival::Hooks => row.by_hooks += 1,
                Arrival::Document => row.in_documents += 1,
                Arrival::Doubled => row.twice += 1,
                Arrival::Hidden | Arrival::Cut | Arrival::Missing => row.missing += 1,
            }
        }
        row
    }
}

/// A memory, with what the template needs besides the report.
#[derive(Serialize)]
struct Article<'a> {
    #[serde(flatten)]
    entry: &'a Entry,
    /// The text as HTML.
    html: String,
    n_lines: usize,
    is_collapsed: bool,
    /// Whether it can have an example, and nobody decided that it has none.
    is_anchorable: bool,
    needs_anchor: bool,
    /// Whether its example has another location.
    is_moved: bool,
    /// The agents that do not get it without asking.
    not_given_to: Vec<&'static Agent>,
    /// The code of its example, each piece with the class of its syntax.
    pieces: Vec<(Option<&'static str>, &'a str)>,
}

impl<'a> Article<'a> {
    fn new(entry: &'a Entry, report: &Report, element_ids: &BTreeMap<&str, String>) -> Self {
        let href = |target: &Target| match target.kind {
            Kind::Memory | Kind::Plain => element_ids.get(target.name.as_str()).cloned(),
            Kind::Path | Kind::Url => None,
        };
        let is_rule = entry.metadata.memory.memory_type == MemoryType::Rule;
        let is_anchorable = entry.anchorable && !entry.is_refused();
        let finding = entry.anchor.as_ref().map(|anchor| &anchor.finding);
        let n_shown = entry.text.lines().count();
        let id = &entry.metadata.memory.id;
        let mut not_given_to = Vec::new();
        for Reach { agent, rules } in &report.reach {
            if let Some(Arrival::Hidden | Arrival::Cut | Arrival::Missing) = rules.get(id) {
                not_given_to.push(*agent);
            }
        }
        let mut is_moved = false;
        if let Some(finding) = finding
            && let Some(new) = &finding.new
        {
            is_moved = !new.is_place_of(&finding.old);
        }
        Self {
            entry,
            html: markdown::html(&entry.text, TEXT_LEVEL, &href),
            n_lines: n_shown + entry.skipped_lines,
            is_collapsed: !is_rule && n_shown > MAX_OPEN_LINES,
            is_anchorable,
            needs_anchor: is_rule && is_anchorable,
            is_moved,
            not_given_to,
            pieces: entry.anchor.as_ref().map(pieces).unwrap_or_default(),
        }
    }
}

fn pieces(anchor: &Anchored) -> Vec<(Option<&'static str>, &str)> {
    let Some(code) = &anchor.code else {
        return Vec::new();
    };
    let mut pieces = Vec::new();
    for (class, piece) in highlight(anchor.language, anchor.kind, &code.text) {
        let class = class.map(|class| match class {
            HighlightClass::Comment => "c",
            HighlightClass::String => "s",
            HighlightClass::Keyword => "k",
            HighlightClass::Number => "n",
            HighlightClass::Name => "d",
        });
        pieces.push((class, piece));
    }
    pieces
}

/// Returns the HTML id of a memory: its own id if that contains only safe characters.
fn element_id(entry_idx: usize, id: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if id.chars().all(is_plain) {
        format!("m-{id}")
    } else {
        format!("n-{entry_idx}")
    }
}

/// Returns a message as HTML, with its back-ticked parts as code.
fn with_code(message: &str) -> String {
    let parts: Vec<&str> = message.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return HtmlEscape(message).to_string();
    }
    let mut html = String::new();
    for (part_idx, part) in parts.iter().enumerate() {
        let escaped = HtmlEscape(part);
        if part_idx.is_multiple_of(2) {
            html.push_str(&escaped.to_string());
        } else {
            html.push_str(&format!("<code>{escaped}</code>"));
        }
    }
    html
}

/// Returns a reason as a sentence.
fn sentence(reason: &str) -> String {
    let mut chars = reason.chars();
    let first: String = chars
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}

#[cfg(test)]
mod tests;
