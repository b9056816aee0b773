//! `cerberus memory show`.

use cerberus_bank::ops::memories::{self, Filter};
use cerberus_bank::ops::show::{self, AnchorReport, MemoryReport, Request};
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::text::shell_word;
use cerberus_model::{Enforcement, ExampleChoice, ExampleRole, Memory, State, format_location};
use cerberus_prose::sentences;
use clap::Args;

use super::args::FilterArgs;
use super::candidates;
use crate::config::Settings;
use crate::output::{CliResult, DIM, ERROR, NAME, OK, Printer, WARN};

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Ids of memories, or unique id prefixes
    ids: Vec<String>,
    /// Only memories with an anchor, with the code at its current lines
    #[arg(long)]
    anchored: bool,
    /// Only memories without an anchor
    #[arg(long, conflicts_with = "anchored")]
    unanchored: bool,
    /// Show the whole code of examples, not only the lines with the words of the rule
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    filter: FilterArgs,
}

impl ShowArgs {
    fn request(&self) -> Request {
        Request {
            ids: self.ids.clone(),
            anchored: self.anchored,
            unanchored: self.unanchored,
            full: self.full,
            filter: self.filter.filter(),
        }
    }
}

pub(crate) fn run(args: &ShowArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let request = args.request();
    let report = show::show(&settings.project, &request)?;
    out.warn(&report.warnings);
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::of_check(!report.memories.is_empty()));
    }
    if report.memories.is_empty() {
        out.flush()?;
        return Err(no_memories(&request).into());
    }
    if args.anchored || !args.ids.is_empty() {
        for (idx, memory) in report.memories.iter().enumerate() {
            if idx > 0 {
                out.line("");
            }
            print_memory(memory, out);
        }
    } else {
        out.list(
            &["id", "type", "example", "text"],
            report.memories.iter().map(row),
        );
    }
    Ok(ExitStatus::Done)
}

fn no_memories(request: &Request) -> UserError {
    if request.filter != Filter::default() {
        return UserError::check("no memory matches the filters")
            .hint("list all with `cerberus memory show`");
    }
    let message = match (request.anchored, request.unanchored) {
        (true, _) => "no memory has an anchor",
        (_, true) => "every memory has an anchor",
        _ => "there are no memories",
    };
    UserError::check(message).hint("add one with `cerberus memory add \"…\"`")
}

fn row(memory: &MemoryReport) -> [String; 4] {
    let metadata = &memory.metadata.memory;
    let example = match (&memory.anchor, metadata.example) {
        (Some(anchor), _) => {
            let location = format_location(&anchor.file, anchor.symbol.as_deref());
            match anchor.state {
                State::Fresh => location,
                state => format!("{location} ({state})"),
            }
        }
        (None, Some(ExampleChoice::None)) => "none, by decision".to_owned(),
        (None, None) => "-".to_owned(),
    };
    [
        metadata.id.clone(),
        metadata.memory_type.to_string(),
        example,
        memories::title(&memory.text),
    ]
}

fn print_memory(memory: &MemoryReport, out: &mut Printer) {
    let Memory {
        id,
        memory_type,
        kind: rule_kind,
        scope,
        paths,
        heading,
        ..
    } = &memory.metadata.memory;
    let mut facts = vec![memory_type.to_string(), scope.to_string()];
    facts.extend(rule_kind.map(|kind| format!("kind {kind}")));
    if !paths.is_empty() {
        facts.push(paths.join(", "));
    }
    facts.extend(heading.clone());
    let kind = out.paint(DIM, &out.safe(&facts.join(" · ")));
    out.line(&format!("{}  {kind}", out.style(NAME, id)));
    for line in by_sentence(&memory.text) {
        out.line(format!("  {}", out.safe(&line)).trim_end());
    }
    if let Some(anchor) = &memory.anchor {
        print_example(id, anchor, out);
    } else if memory.metadata.memory.example == Some(ExampleChoice::None) {
        out.line("  no example, by decision (`example: none`)");
    }
    if let Some(pattern) = &memory.pattern {
        let is_enforced = pattern.enforcement == Enforcement::Enforced;
        let state = if is_enforced {
            pattern.enforcement.as_str()
        } else {
            "pattern proposed"
        };
        if is_enforced || pattern.proposed_by.is_some() {
            let id = shell_word(id);
            let command = format!("see cerberus memory pattern {}", out.safe(&id));
            out.line(&format!("  {state}: {command}"));
        }
    }
}

/// Returns the lines of a text, with each sentence of its paragraphs on a line of its own. Lists, tables,
/// headings and code remain as they are.
fn by_sentence(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut paragraph = String::new();
    let mut is_code = false;
    for line in text.lines().chain([""]) {
        let unindented = line.trim_start();
        let is_fence = unindented.starts_with("```") || unindented.starts_with("~~~");
        if !is_code && !is_fence && line.starts_with(is_prose_start) {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line.trim_end());
            continue;
        }
        lines.extend(sentences::of(&paragraph).map(str::to_owned));
        paragraph.clear();
        is_code ^= is_fence;
        lines.push(line.to_owned());
    }
    lines.pop();
    lines
}

/// Whether a line that starts with this is part of a paragraph: not of a list, a table, a quotation or code.
fn is_prose_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '`' | '"' | '\'' | '(' | '[')
}

fn print_example(id: &str, anchor: &AnchorReport, out: &mut Printer) {
    let location = out.safe(&format_location(&anchor.file, anchor.symbol.as_deref()));
    let lines = match (anchor.start_line, anchor.end_line) {
        (Some(first), Some(last)) => format!(":{first}-{last}"),
        _ => String::new(),
    };
    let style = match anchor.state {
        State::Fresh | State::Reformatted => OK,
        State::Gone => ERROR,
        _ => WARN,
    };
    let state = out.paint(style, anchor.state.as_str());
    let origin = candidates::origin(anchor.chosen, anchor.quality);
    let origin = out.paint(DIM, &origin);
    out.line(&format!("  example {location}{lines}  {state}  {origin}"));
    for line in anchor.code.iter().flat_map(|code| code.lines()) {
        out.code(format!("    {}", out.safe(line)).trim_end());
    }
    if anchor.code.is_none() && anchor.state == State::Gone {
        out.line(&format!(
            "  next: cerberus memory reanchor, then cerberus memory show {id}"
        ));
    }
    for other in &anchor.others {
        let kind = match other.role {
            ExampleRole::Also => "also",
            ExampleRole::Not => "not",
        };
        out.line(&format!("  {kind} {}", out.safe(&other.location())));
    }
}
