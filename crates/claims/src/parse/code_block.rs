//! The claims of a code block: the commands of a shell, a directory tree, settings, or other code.

use cerberus_model::text::Span;
use cerberus_prose::stance::{self, Stance};

use super::{Reader, Tree, code, context, is_fence, shell, trees};
use crate::kinds::path::FilePath;

impl<'a> Reader<'a> {
    /// Reads the command lines of a shell block, the paths of a directory tree, or code.
    pub(super) fn code_block(&mut self, span: Span, info: &str) {
        let block = span.slice(self.text);
        let is_tree = trees::is_tree(block);
        if is_tree {
            let (root, paths) = trees::paths(block);
            self.trees.push(Tree { span, root });
            for (name, path) in paths {
                let name = name.shifted(span.start);
                let target = FilePath::new(&path).into();
                self.push(name, &path, target, Stance::Plain);
            }
            return;
        }
        self.blocks.push(span);
        if !shell::is_shell(info) && !matches!(info, "" | "text" | "indented") {
            self.examples.push(span);
            self.example(span, info);
            return;
        }
        let mut shell = shell::State::default();
        for (start, line, stance) in self.lines(span) {
            if self.is_cut {
                break;
            }
            let trimmed = line.trim();
            if trimmed.starts_with('#') {
                for (name, target) in shell::settings(line) {
                    self.push(name.shifted(start), name.slice(line), target, stance);
                }
            } else if !is_fence(trimmed) {
                let own = trimmed
                    .split_once(" #")
                    .map_or(stance, |(_, comment)| stance.max(stance::of_lead(comment)));
                let start = start + (line.len() - line.trim_start().len());
                let claims = shell::claims(trimmed, &mut shell);
                self.push_all(claims, start, own);
            }
        }
    }

    /// Returns the lines of a code block with their starts, and how the words before the block and the
    /// comments above each line, up to an empty one, present it.
    fn lines(&self, block: Span) -> Vec<(usize, &'a str, Stance)> {
        let lead = self.context.lead(block.start);
        let (mut at, mut stance) = (block.start, lead);
        let mut found = Vec::new();
        for line in block.slice(self.text).split_inclusive('\n') {
            let trimmed = line.trim();
            let comment = ["//", "#"]
                .iter()
                .find_map(|mark| trimmed.strip_prefix(mark));
            if trimmed.is_empty() {
                stance = lead;
            } else if let Some(comment) = comment.filter(|it| !it.starts_with(['[', '!'])) {
                stance = stance::of_lead(comment)
                    .max(context::of_language(comment))
                    .max(lead);
            }
            // A comment names what it describes.
            found.push((at, line, if comment.is_some() { lead } else { stance }));
            at += line.len();
        }
        found
    }

    /// Reads the code of a block that is not for a shell, and the settings of one that is not code.
    fn example(&mut self, span: Span, info: &str) {
        let lines = self.lines(span);
        let is_edge =
            |line: Option<&(usize, &str, Stance)>| line.is_some_and(|it| is_fence(it.1.trim()));
        let first = usize::from(is_edge(lines.first()));
        let last = lines.len() - usize::from(lines.len() > first && is_edge(lines.last()));
        let lines = &lines[first..last];
        let (Some(start), Some(end)) = (lines.first(), lines.last()) else {
            return;
        };
        let code = Span::new(start.0, end.0 + end.1.len());
        let text = code.slice(self.text);
        for (name, target) in code::claims(text, info)
            .into_iter()
            .chain(shell::settings(text))
        {
            let name = name.shifted(code.start);
            let n_before = lines.partition_point(|it| it.0 <= name.start);
            let stance = lines[..n_before].last().map_or(Stance::Plain, |it| it.2);
            self.push(name, name.slice(self.text), target, stance);
        }
    }
}
