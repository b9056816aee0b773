//! The items of lists: rules, or the introductions of the lists below them.

use cerberus_prose::samples;
use cerberus_prose::wording::{Modality, is_conditional, is_possible_command, modality, words};

use super::blocks::{Block, CODE, Item, Nested, Words};
use super::context::{Kind, is_about_contributions, is_description, is_unfinished};
use super::verdict::{self, INTRO, STATEMENT, STEP, Verdict, ends_open, is_step};
use super::{Context, Intro, LABEL_WORDS, LEAD_WORDS, Reader, announces, form, is_lead, label};

const TASK: &str = "a task list item";
const SIBLINGS: &str = "a statement among rules";

/// The maximum number of words of an item that is the heading of its nested list.
const HEADING_WORDS: usize = 4;

impl Reader<'_> {
    pub(super) fn list(&mut self, items: &[Item], intro: Option<&Intro>, next: Option<&Block>) {
        self.n_lists += 1;
        let context = match intro {
            Some(intro) => Some(self.intro_context(intro)),
            None => self.heading_context().filter(|context| {
                let is_numbered =
                    self.text[items[0].span.start..].starts_with(|c: char| c.is_ascii_digit());
                let is_steps = context.kind == Some(Kind::Steps);
                is_numbered || !is_steps || !is_about_contributions(&context.text)
            }),
        };
        let kind = context.as_ref().and_then(|context| context.kind);
        if let Some(intro) = intro {
            let n_rules = items
                .iter()
                .filter(|item| is_rule_alone(&item.words, kind))
                .count();
            let outer = self.heading_context().and_then(|it| it.kind);
            let outer = outer.filter(|it| *it == Kind::Steps);
            let is_demand = verdict::paragraph(intro.words, outer, kind == Some(Kind::Steps));
            let is_open = is_unfinished(intro.plain()) && kind.is_some();
            // The introduction is the rule, and its items are the details.
            if is_demand && !is_open && n_rules * 2 <= items.len() {
                let end = items.last().map_or(intro.span.end, |item| item.span.end);
                self.accept(
                    intro.text_start,
                    end,
                    self.prefix(self.above.of_paragraph()),
                );
                return;
            }
            self.intro(intro, is_demand && !is_open);
            self.above
                .paragraph(self.piece(&intro.words.marked), form(intro.words));
        }
        // A sentence that says what something does describes its list, whatever its items look like.
        let is_described = intro.is_some_and(|intro| is_description(intro.plain()));
        let can_have_siblings = matches!(kind, None | Some(Kind::Descriptions)) && !is_described;
        let has_siblings = can_have_siblings && most_are_rules(items);
        let context = context.map(|context| match kind {
            Some(Kind::Descriptions) if has_siblings => Context {
                kind: None,
                ..context
            },
            _ => context,
        });
        for (item_idx, item) in items.iter().enumerate() {
            let is_last = item_idx + 1 == items.len();
            self.item(
                item,
                context.as_ref(),
                has_siblings,
                next.filter(|_| is_last),
            );
        }
    }

    /// Takes an introduction whose items are rules themselves if it is one, too.
    fn intro(&mut self, intro: &Intro, is_demand: bool) {
        let has_sentences = intro.plain().contains(". ");
        if is_demand && has_sentences {
            let end = intro.text_start + self.own_text_len(intro);
            self.accept(
                intro.text_start,
                end,
                self.prefix(self.above.of_paragraph()),
            );
        } else {
            self.skip(intro.span.start, INTRO);
        }
    }

    /// Returns the length of an introduction without its nested blocks.
    fn own_text_len(&self, intro: &Intro) -> usize {
        let text = &self.text[intro.text_start..intro.span.end];
        text.find(":\n").map_or(text.len(), |colon| colon + 1)
    }

    fn item(
        &mut self,
        item: &Item,
        context: Option<&Context>,
        has_siblings: bool,
        next: Option<&Block>,
    ) {
        if self.is_managed(item.span.start) {
            return;
        }
        // An item may begin with a heading.
        let Some(span) = item.words.span else {
            return self.lists_below(item, None);
        };
        let plain = item.words.plain.trim();
        let is_open = ends_open(plain);
        if announces(&item.words) && !item.lists.is_empty() {
            let intro = Intro {
                span: item.span,
                text_start: span.start,
                words: &item.words,
            };
            return self.lists_below(item, Some(&intro));
        }
        // A short item above a nested list is its heading.
        let is_heading = !item.lists.is_empty() && words(plain).len() <= HEADING_WORDS;
        let kind = context.and_then(|context| context.kind);
        let verdict = if is_lead(&item.words, LEAD_WORDS) {
            Verdict::Other(INTRO)
        } else {
            verdict::item(&item.words, kind)
        };
        let verdict = match verdict {
            Verdict::Rule if item.is_before_commands && is_step(plain) => {
                if is_conditional(plain) {
                    Verdict::Doubtful(STEP)
                } else {
                    Verdict::Other(STEP)
                }
            }
            other => other,
        };
        let verdict = match verdict {
            Verdict::Rule if item.is_task && modality(plain) < Modality::Obligation => {
                Verdict::Doubtful(TASK)
            }
            Verdict::Rule => Verdict::Rule,
            _ if item.is_task => Verdict::Other(TASK),
            other => other,
        };
        let reason = match verdict {
            Verdict::Rule => None,
            Verdict::InContext | Verdict::Doubtful(_) if !is_heading => None,
            Verdict::WithSiblings if has_siblings && !is_heading => None,
            Verdict::InContext | Verdict::Doubtful(_) => Some(INTRO),
            Verdict::WithSiblings => Some(STATEMENT),
            Verdict::Other(reason) => Some(reason),
        };
        let places = if self.is_below_samples() {
            samples::places(span.slice(self.text))
        } else {
            Vec::new()
        };
        let is_sample = !places.is_empty();
        if let Some(reason) = reason.filter(|_| !is_sample) {
            self.skip(span.start, reason);
            return self.lists_below(item, None);
        }
        let end = match next {
            Some(Block::Code { span: code, .. }) if is_open => code.end,
            _ => item.span.end,
        };
        self.accept(span.start, end, self.prefix(self.above.of_list()));
        match verdict {
            _ if is_sample => {
                let places = places.into_iter().map(str::to_owned).collect();
                self.sample(places, reason.is_some());
            }
            Verdict::Doubtful(why) => self.doubt(why),
            Verdict::WithSiblings if !is_possible_command(plain) => self.doubt(SIBLINGS),
            _ => {}
        }
    }

    /// Reads the lists below an item. A short item is a part of their path of headings.
    fn lists_below(&mut self, item: &Item, intro: Option<&Intro>) {
        let label = label(&item.words.plain);
        let is_label = words(&label).len() <= LABEL_WORDS && !label.contains(CODE);
        let n_labels = self.labels.len();
        self.labels.extend(is_label.then_some(label));
        let n_outer = self.outer.len();
        let above = std::mem::take(&mut self.above);
        self.outer.extend_from_slice(above.of_list());
        for nested in &item.lists {
            self.nested(item, nested, intro);
        }
        self.outer.truncate(n_outer);
        self.above = above;
        self.labels.truncate(n_labels);
    }

    /// Reads one of the lists below an item.
    fn nested(&mut self, item: &Item, nested: &Nested, intro: Option<&Intro>) {
        let n_outer = self.outer.len();
        let intro = intro.filter(|_| nested.above.is_empty());
        if intro.is_none() {
            // Of an item with several paragraphs, the last one is above its first list only.
            let is_first = nested.above.is_empty() || item.first.is_empty();
            let own = if is_first {
                &item.words.marked
            } else {
                &item.first
            };
            self.outer.extend(self.piece(own));
        }
        for paragraph in &nested.above {
            self.above
                .paragraph(self.piece(&paragraph.marked), form(paragraph));
        }
        self.list(&nested.items, intro, None);
        self.above.list();
        self.outer.truncate(n_outer);
    }
}

/// Returns whether an item is a rule without the help of its context.
fn is_rule_alone(item: &Words, kind: Option<Kind>) -> bool {
    let restricting = kind.filter(|kind| matches!(kind, Kind::Steps | Kind::Descriptions));
    verdict::item(item, restricting) == Verdict::Rule
}

/// Returns whether one of the items is a rule by itself, and at least half are or may be.
fn most_are_rules(items: &[Item]) -> bool {
    let (mut n_rules, mut n_commands, mut n_others) = (0, 0, 0);
    for item in items.iter().filter(|item| !item.is_task) {
        match verdict::item(&item.words, None) {
            Verdict::Rule => n_rules += 1,
            Verdict::WithSiblings if is_possible_command(&item.words.plain) => n_commands += 1,
            _ => n_others += 1,
        }
    }
    n_rules > 0 && n_rules + n_commands >= n_others
}
