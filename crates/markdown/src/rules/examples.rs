//! The examples below a rule, which are a part of it.

use cerberus_prose::wording::words;

use super::Reader;
use super::blocks::{Block, Words};
use super::governing::Piece;
use super::verdict::is_example;

impl Reader<'_> {
    /// Adds the code blocks and the labelled examples that follow a rule to it; returns their
    /// number.
    pub(super) fn attach_examples(&mut self, blocks: &[Block]) -> usize {
        let Some(last) = self
            .found
            .last()
            .filter(|last| last.skipped_because.is_none())
        else {
            return 0;
        };
        let is_label = |words: &Words| is_example(&words.plain);
        let n_examples = blocks
            .iter()
            .take_while(|block| match block {
                Block::Code { .. } => true,
                Block::Paragraph(words) => is_label(words),
                Block::List(items) => items.iter().all(|item| is_label(&item.words)),
                _ => false,
            })
            .count();
        let n_examples = without_labels_of_lists(blocks, n_examples);
        // The table that a demand announces: "Use these names:".
        let is_open = last.text.ends_with(':');
        let is_table = is_open && matches!(blocks.first(), Some(Block::Table { .. }));
        let n_examples = n_examples + usize::from(is_table && n_examples == 0);
        let Some(end) = n_examples.checked_sub(1).map(|last| blocks[last].end()) else {
            return 0;
        };
        let examples = &blocks[..n_examples];
        if let [.., Block::Paragraph(label), Block::Code { span, .. }] = examples {
            let label = Piece::of(&label.marked, &self.project);
            self.above.example(label, span.slice(self.text));
        }
        let start = self.lines.start(last.end_line + 1).min(end);
        let examples = self.text[start..end].trim_matches('\n').trim_end();
        let end_line = self
            .lines
            .line(start + self.text[start..end].trim_end().len());
        // An item that ends with a colon already contains its code.
        if let Some(last) = self.found.last_mut().filter(|_| !examples.is_empty()) {
            last.text.push_str("\n\n");
            last.text.push_str(examples);
            last.end_line = end_line;
        }
        n_examples
    }
}

/// Returns the number of the first blocks that are examples without the labels of what follows:
/// "Bad:" above a list.
fn without_labels_of_lists(blocks: &[Block], n_examples: usize) -> usize {
    let is_text = |block: &Block| matches!(block, Block::List(_) | Block::Paragraph(_));
    let is_label =
        |block: &Block| matches!(block, Block::Paragraph(it) if words(&it.plain).len() <= 1);
    let mut n_examples = n_examples;
    while n_examples > 0
        && is_label(&blocks[n_examples - 1])
        && blocks.get(n_examples).is_some_and(is_text)
    {
        n_examples -= 1;
    }
    n_examples
}
