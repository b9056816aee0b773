//! What a document says about the files, the code and the commands of its project.
//!
//! Only text that names something is a claim: links, inline code, imports, globs in the
//! frontmatter, command lines, the paths of directory trees, and what the code of examples calls.
//! Whether a claim is true is not decided here, so doubtful text is a claim too: what never existed
//! cannot become stale.

use std::ops::Range;

use cerberus_markdown::frontmatter;
use cerberus_markdown::layout::Layout;
use cerberus_markdown::structure::normalize;
use cerberus_model::text::{LineIndex, Span};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::addresses::Addresses;
use crate::rules::{self, Tool};

mod bans;
pub(crate) mod classify;
mod code;
mod code_block;
mod context;
mod ignored;
pub mod links;
mod shell;
#[cfg(test)]
mod tests;
mod trees;
pub(crate) mod word_lists;

pub use bans::bans;
pub(crate) use cerberus_prose::stance::Stance;
pub use cerberus_prose::stance::bans::Ban;
use context::Context;
use ignored::Ignored;

pub use crate::kinds::Target;
use crate::kinds::package::Package;
use crate::kinds::path::FilePath;
use crate::kinds::rule::EnforcedRule;
use crate::kinds::{self, Code};

/// Maximum number of claims of a document; the rest is not read.
pub const MAX_CLAIMS: usize = 10_000;

/// Maximum length of a claim, and of the words before a list.
const MAX_BYTES: usize = 300;

/// Something that a document names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The bytes that name the target: those that change if it is renamed.
    pub span: Span,
    /// The claim as it is reported.
    pub text: String,
    pub target: Target,
    pub(crate) stance: Stance,
}

/// The claims of a document.
#[derive(Debug)]
pub struct Claims {
    /// In document order.
    pub claims: Vec<Claim>,
    /// The code blocks that are not for a shell.
    pub(crate) examples: Vec<Span>,
    /// All code blocks but trees, in document order.
    pub(crate) blocks: Vec<Span>,
    /// The sections in document order, and whether their headings are about the past.
    sections: Vec<(usize, bool)>,
    /// The code blocks that draw a directory tree, in document order.
    pub(crate) trees: Vec<Tree>,
    /// Whether its headings are those of a changelog: versions or days.
    pub is_history: bool,
    /// The number of claims that a comment in the document excludes.
    pub n_ignored: usize,
    /// Whether it has more than [`MAX_CLAIMS`].
    pub is_cut: bool,
    /// The lines of the document.
    pub lines: LineIndex,
}

/// A code block that draws a directory tree.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) span: Span,
    /// The name above the branches.
    pub(crate) root: Option<String>,
}

impl Claims {
    /// Returns the tree that contains a claim.
    pub(crate) fn tree(&self, claim: &Claim) -> Option<&Tree> {
        let n_before = self
            .trees
            .partition_point(|tree| tree.span.start <= claim.span.start);
        self.trees[..n_before]
            .last()
            .filter(|tree| claim.span.end <= tree.span.end)
    }

    /// Returns the tree or the code block that contains a claim.
    pub(crate) fn drawn(&self, claim: &Claim) -> Option<Span> {
        self.example(claim).or_else(|| Some(self.tree(claim)?.span))
    }

    fn example(&self, claim: &Claim) -> Option<Span> {
        around(&self.examples, claim)
    }

    /// Returns whether a claim is in a code block that is not a tree.
    pub(crate) fn is_in_block(&self, claim: &Claim) -> bool {
        around(&self.blocks, claim).is_some()
    }

    /// Returns whether a heading above a claim is about the past.
    pub(crate) fn is_below_past(&self, claim: &Claim) -> bool {
        let n_before = self
            .sections
            .partition_point(|(start, _)| *start <= claim.span.start);
        n_before > 0 && self.sections[n_before - 1].1
    }

    /// Returns what changes in the text if the target of a claim has another name: in the code of an example
    /// all its uses, and nothing in a sentence that the new name may make false.
    pub fn renamed(&self, text: &str, claim: &Claim) -> Vec<Span> {
        let is_single = matches!(&claim.target, Target::Symbol(symbol) if symbol.parts.len() == 1);
        if let Some(example) = self.example(claim).filter(|_| is_single) {
            let (code, name) = (example.slice(text), claim.span.slice(text));
            let is_part = |c: char| c.is_alphanumeric() || "_.$".contains(c);
            let is_whole = |at: &usize| {
                let after = code[at + name.len()..].trim_start_matches('.');
                !code[..*at].ends_with(is_part) && !after.starts_with(is_part)
            };
            let uses = code.match_indices(name).map(|it| it.0).filter(is_whole);
            let spans = uses.map(|at| Span::new(at, at + name.len()).shifted(example.start));
            return spans.collect();
        }
        match cerberus_prose::stance::is_about_now(text, claim.span) {
            true => vec![claim.span],
            false => Vec::new(),
        }
    }

    /// Leaves only the links.
    pub fn retain_links(&mut self) {
        self.claims.retain(|claim| claim.target.is_link());
    }

    /// Returns the paths of a tree.
    pub(crate) fn paths_of(&self, tree: &Tree) -> Vec<&str> {
        let first = self
            .claims
            .partition_point(|claim| claim.span.start < tree.span.start);
        let within = self.claims[first..]
            .iter()
            .take_while(|it| it.span.end <= tree.span.end);
        let mut found = Vec::new();
        for claim in within {
            if let Some(path) = claim.target.path() {
                found.push(path);
            }
        }
        found
    }
}

/// Returns the one of some blocks, in document order, that contains a claim.
fn around(blocks: &[Span], claim: &Claim) -> Option<Span> {
    let n_before = blocks.partition_point(|block| block.start <= claim.span.start);
    let block = blocks[..n_before].last()?;
    (claim.span.end <= block.end).then_some(*block)
}

/// Returns the claims of a document of a project with `addresses`.
pub fn read(text: &str, addresses: &Addresses) -> Claims {
    let normalized = normalize(text);
    let body = frontmatter::body_start(text);
    let mut reader = Reader {
        text,
        addresses: Some(addresses),
        context: Context::new(text),
        glob_words: glob_words(text),
        ..Reader::default()
    };
    reader.frontmatter(body);
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let layout = Layout::of(&normalized[body..]);
    let parser = Parser::new_ext(&layout.text, options).into_offset_iter();
    let shifted = |range: Range<usize>| {
        let span = layout.original(Span::new(range.start, range.end));
        span.shifted(body)
    };
    let events: Vec<_> = parser
        .map(|(event, range)| (event, shifted(range)))
        .collect();
    for (event, span) in &events {
        reader.structure(event, *span);
    }
    reader.context.finish();
    let mut in_code = false;
    for (event, span) in events {
        if reader.is_cut {
            break;
        }
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                in_code = true;
                reader.code_block(span, &code::info(&kind));
            }
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Start(Tag::Link {
                link_type: LinkType::Email,
                ..
            }) => reader.in_external_link = true,
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                reader.in_external_link = !reader.link(span, &dest_url);
            }
            Event::End(TagEnd::Link | TagEnd::Image) => reader.in_external_link = false,
            Event::Code(_) | Event::Text(_) if reader.in_external_link => {
                reader.linked_package(span);
            }
            Event::Code(_) => reader.inline_code(span),
            Event::Text(_) if !in_code => reader.prose.push(span),
            Event::Html(_) | Event::InlineHtml(_) => reader.html(span),
            Event::End(TagEnd::HtmlBlock) => reader.in_comment = false,
            _ => {}
        }
    }
    reader.prose();
    reader.finish()
}

/// Returns whether a line starts or ends a code block.
fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// Returns the positions of the words "glob" and "pattern", in order.
fn glob_words(text: &str) -> Vec<usize> {
    let text = text.to_ascii_lowercase();
    let words = ["glob", "pattern"].map(|word| text.match_indices(word).map(|it| it.0));
    let mut found: Vec<usize> = words.into_iter().flatten().collect();
    found.sort_unstable();
    found
}

#[derive(Default)]
struct Reader<'a> {
    text: &'a str,
    addresses: Option<&'a Addresses>,
    ignored: Ignored,
    context: Context<'a>,
    examples: Vec<Span>,
    blocks: Vec<Span>,
    trees: Vec<Tree>,
    /// The positions of the words "glob" and "pattern", in order.
    glob_words: Vec<usize>,
    /// The pieces of text outside code.
    prose: Vec<Span>,
    /// Whether the text is that of a link to another project.
    in_external_link: bool,
    /// Whether a comment of HTML is open.
    in_comment: bool,
    claims: Vec<Claim>,
    is_cut: bool,
}

impl Reader<'_> {
    /// Reads where blocks and names are, which later events need.
    fn structure(&mut self, event: &Event<'_>, span: Span) {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => self.ignored.comment(self.text, span),
            Event::Start(Tag::CodeBlock(_)) => self.ignored.block(span),
            _ => {
                if self.context.add(event, span) {
                    self.ignored.block(span);
                }
            }
        }
    }

    fn push(&mut self, span: Span, shown: &str, target: Target, stance: Stance) {
        let mut stance = stance.max(self.context.section(span.start));
        if stance == Stance::Unclear && self.is_sure(span, &target) {
            stance = Stance::Plain;
        }
        if span.is_empty() || shown.len() > MAX_BYTES {
            return;
        }
        self.is_cut |= self.claims.len() == MAX_CLAIMS;
        if !self.is_cut {
            self.claims.push(Claim {
                span,
                text: shown.to_owned(),
                target,
                stance,
            });
        }
    }

    /// Returns whether a claim is one whatever its sentence says: a link, an import, or a part of a tree.
    fn is_sure(&self, span: Span, target: &Target) -> bool {
        let is_link = target.is_link();
        let is_import = matches!(target, Target::Path(FilePath { .. }))
            && self.text[..span.start].ends_with('@');
        let in_tree = self
            .trees
            .last()
            .is_some_and(|tree| span.end <= tree.span.end && tree.span.start <= span.start);
        is_link || is_import || in_tree
    }

    /// Reads the globs of the files that a rule applies to.
    fn frontmatter(&mut self, end: usize) {
        let mut in_list = false;
        let mut at = 0;
        for line in self.text[..end].split_inclusive('\n') {
            let start = at;
            at += line.len();
            let key = ["globs:", "paths:", "applyTo:"]
                .iter()
                .find(|key| line.starts_with(*key));
            let is_item = in_list && line.trim_start().starts_with("- ");
            let value_start = match key {
                Some(key) => key.len(),
                None if is_item => line.len() - line.trim_start().len() + 2,
                None => {
                    in_list = false;
                    continue;
                }
            };
            in_list = true;
            let value = &line[value_start..];
            for glob in cerberus_model::text::split_globs(value) {
                let glob = glob.trim_matches(|c: char| c.is_whitespace() || "\"'[]".contains(c));
                if glob.is_empty() || glob.starts_with('!') || !glob.contains('/') {
                    continue;
                }
                let offset = glob.as_ptr().addr() - value.as_ptr().addr();
                let span = Span::new(offset, offset + glob.len()).shifted(start + value_start);
                let target = FilePath::new(glob).into();
                self.push(span, glob, target, Stance::Plain);
            }
        }
    }

    /// Reads a link. Returns whether its destination is in the project.
    fn link(&mut self, span: Span, destination: &str) -> bool {
        let own = self.addresses.and_then(|it| it.path_in(destination));
        let Some((path, part)) = classify::link(own.unwrap_or(destination)) else {
            return false;
        };
        let within = span.slice(self.text);
        let written = within.rfind(destination).map(|at| span.start + at);
        // An escaped destination, or one that is defined elsewhere, is not written here.
        let name = match written {
            Some(start) if !path.is_empty() => {
                let offset = destination.find(path.as_str()).unwrap_or(0);
                Span::new(start + offset, start + offset + path.len())
            }
            Some(start) => Span::new(start, start + destination.len()),
            None => span,
        };
        let stance = self.context.stance(span);
        let target = Target::Path(FilePath {
            path,
            part,
            is_link: true,
        });
        self.push(name, destination, target, stance);
        true
    }

    /// Reads the links and images of a piece of HTML.
    fn html(&mut self, span: Span) {
        let html = span.slice(self.text);
        let comments = ignored::comments(html, &mut self.in_comment);
        for attribute in [" src=\"", " href=\""] {
            for (at, _) in html.match_indices(attribute) {
                if comments
                    .iter()
                    .any(|comment| (comment.start..comment.end).contains(&at))
                {
                    continue;
                }
                let start = at + attribute.len();
                let len = html[start..].find('"').unwrap_or_default();
                self.link(
                    Span::new(start, start + len).shifted(span.start),
                    &html[start..start + len],
                );
            }
        }
    }

    /// Reads the text of a link to another project, which may be the name of a package.
    fn linked_package(&mut self, span: Span) {
        let written = span.slice(self.text);
        let name = written.trim_matches('`');
        let start = span.start + (name.as_ptr().addr() - written.as_ptr().addr());
        let span = Span::new(start, start + name.len());
        let line = self.text[span.end..].lines().next().unwrap_or_default();
        if let Some((_, after)) = line.split_once(')')
            && let Some((end, required)) = classify::required(name, after)
        {
            let end = end.as_ptr().addr() + end.len() - self.text.as_ptr().addr();
            let span = Span::new(span.start, end);
            let stance = self.context.stance(span);
            self.push(span, span.slice(self.text), required.into(), stance);
        }
        if classify::is_package(name) && !self.in_title(span) {
            let stance = self.context.stance(span);
            self.push(
                span,
                name,
                Target::Package(Package(name.to_owned())),
                stance,
            );
        }
    }

    fn in_title(&self, span: Span) -> bool {
        self.context
            .title
            .is_some_and(|it| it.start <= span.start && span.start < it.end)
    }

    fn inline_code(&mut self, span: Span) {
        let raw = span.slice(self.text);
        let inner = raw.trim_matches('`');
        let trimmed = inner.trim();
        if trimmed.is_empty() || trimmed.len() > MAX_BYTES || self.is_own_repository(trimmed) {
            return;
        }
        let start = span.start + (trimmed.as_ptr().addr() - raw.as_ptr().addr());
        let stance = self.context.stance(span);
        let phrases = kinds::in_phrase(trimmed);
        if !phrases.is_empty() {
            for (name, target) in phrases {
                self.push(name.shifted(start), trimmed, target, stance);
            }
            return;
        }
        let is_command = shell::is_command(trimmed);
        if let Some(tool) = self.enforcing(span, trimmed)
            && (tool != Tool::Ci || is_command)
        {
            let target = Target::Rule(EnforcedRule {
                tool,
                name: trimmed.to_owned(),
            });
            self.push(
                Span::new(start, start + trimmed.len()),
                trimmed,
                target,
                stance,
            );
            if tool != Tool::Ci {
                return;
            }
        }
        if is_command {
            self.push_all(
                shell::claims(trimmed, &mut shell::State::default()),
                start,
                stance,
            );
            return;
        }
        let after = self.text[span.end..].chars().take(24).collect::<String>();
        for (name, target) in kinds::in_code(&Code {
            text: trimmed,
            after: &after,
        }) {
            // The title of a document names its subject, which need not be a dependency, and an
            // example is one of many.
            if (self.in_title(span) || self.is_after_example(span))
                && matches!(target, Target::Package(_))
            {
                continue;
            }
            let is_glob =
                matches!(&target, Target::Path(FilePath { path, .. }) if path.contains('*'));
            let stance = if is_glob && self.is_about_globs(span) {
                stance.max(Stance::Example)
            } else {
                stance
            };
            let name = name.shifted(start);
            self.push(name, trimmed, target, stance);
        }
    }

    /// Returns whether a text is the name of the project's repository, as `owner/name`, or of an image of a
    /// container, as `owner/name:tag`, not a path.
    fn is_own_repository(&self, text: &str) -> bool {
        let name = text.split(':').next().unwrap_or_default().to_lowercase();
        name.split('/').count() == 2
            && self
                .addresses
                .is_some_and(|addresses| addresses.is_own(&name))
    }

    /// Returns the tool of which the sentence around a piece of code says that it enforces it.
    fn enforcing(&self, span: Span, name: &str) -> Option<Tool> {
        let block = self.context.block(span)?;
        let is_boundary = |at: &usize| self.text.is_char_boundary(*at);
        let from = block.start.max(span.start.saturating_sub(MAX_BYTES));
        let to = block.end.min(span.end + MAX_BYTES);
        let from = (from..=span.start).find(is_boundary)?;
        let to = (span.end..=to).rev().find(is_boundary)?;
        let before = self.text[from..span.start].rsplit(". ").next()?;
        let after = self.text[span.end..to].split(". ").next()?;
        rules::enforcing(before, name, after)
    }

    fn push_all(&mut self, claims: Vec<(Span, String, Target)>, start: usize, stance: Stance) {
        for (name, shown, target) in claims {
            if matches!(target, Target::Path(FilePath { .. })) && self.is_own_repository(&shown) {
                continue;
            }
            self.push(name.shifted(start), &shown, target, stance);
        }
    }

    /// Reads imports, versions, and paths without back-ticks.
    fn prose(&mut self) {
        // The library splits a text at characters that may be markup.
        let mut joined: Vec<Span> = Vec::new();
        for span in std::mem::take(&mut self.prose) {
            match joined.last_mut() {
                Some(last) if last.end == span.start => last.end = span.end,
                _ => joined.push(span),
            }
        }
        for span in joined {
            for (name, target) in classify::prose(span.slice(self.text)) {
                if self.is_cut {
                    return;
                }
                let name = name.shifted(span.start);
                // Code that is named beside its version: `react` 18.
                let stance = self.context.stance(name);
                self.push(name, name.slice(self.text), target, stance);
            }
        }
    }

    /// Returns whether the text around a claim is about globs, of which it is an example.
    fn is_about_globs(&self, span: Span) -> bool {
        let Some(block) = self.context.block(span) else {
            return false;
        };
        let first = self.glob_words.partition_point(|at| *at < block.start);
        self.glob_words.get(first).is_some_and(|at| *at < block.end)
    }

    /// Returns whether the words before a claim introduce an example.
    fn is_after_example(&self, span: Span) -> bool {
        let start = self
            .context
            .block(span)
            .map_or(span.start, |block| block.start);
        let before = self.text[start..span.start].trim_end_matches([' ', ',', ':', '(']);
        ["e.g.", "e.g", "for example", "for instance", "such as"]
            .iter()
            .any(|it| {
                let start = before.len().saturating_sub(it.len());
                before
                    .get(start..)
                    .is_some_and(|end| end.eq_ignore_ascii_case(it))
            })
    }

    fn finish(mut self) -> Claims {
        let n_all = self.claims.len();
        let lines = LineIndex::new(self.text);
        self.claims
            .retain(|claim| !self.ignored.contains(claim.span, &lines));
        self.claims
            .sort_by(|a, b| (a.span, &a.target).cmp(&(b.span, &b.target)));
        self.claims
            .dedup_by(|a, b| a.span == b.span && a.target == b.target);
        let n_ignored = n_all.saturating_sub(self.claims.len());
        Claims {
            claims: self.claims,
            examples: self.examples,
            blocks: self.blocks,
            sections: self.context.past_sections(),
            trees: self.trees,
            is_history: self.context.is_history(),
            n_ignored,
            is_cut: self.is_cut,
            lines,
        }
    }
}
