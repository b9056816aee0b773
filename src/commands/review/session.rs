//! Asks a person about one memory after the other, and writes each decision at once.

use anyhow::Result;
use cerberus_bank::ops::anchor::{self, Choice};
use cerberus_bank::ops::fields::Fields;
use cerberus_bank::ops::review::{self, Item, Reason, Report};
use cerberus_bank::ops::update::{self, Update};
use cerberus_model::CodeLocation;
use cerberus_model::error::UserError;
use cerberus_model::text::plural;

use super::print;
use crate::config::Settings;
use crate::output::{DIM, ERROR, Keyboard, NAME, OK, Printer};

const HELP: &str = include_str!("keys.txt");

/// Rows of the terminal besides a memory and the keys: the result of the decision before, an empty
/// line, and the line of the cursor.
const ROWS_AROUND: usize = 3;

/// A person who reads what is printed and answers.
pub(super) trait Person {
    /// Shows the printed text and returns the next key, or `None` at the end of the input.
    fn key(&mut self, out: &mut Printer) -> Result<Option<char>>;
    /// Shows the printed text and returns the next line.
    fn line(&mut self, out: &mut Printer) -> Result<String>;
}

impl Person for Keyboard {
    fn key(&mut self, out: &mut Printer) -> Result<Option<char>> {
        out.flush()?;
        self.key()
    }

    fn line(&mut self, out: &mut Printer) -> Result<String> {
        out.flush()?;
        self.line()
    }
}

/// Numbers of decisions.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) anchored: usize,
    pub(super) refused: usize,
    pub(super) skipped: usize,
}

/// What follows a key.
enum Next {
    /// Ask about the next memory.
    Item,
    /// Ask about this memory again, with new candidates.
    Again(Box<Item>),
    /// Ask about the memory before.
    Back,
    /// Wait for another key.
    Key,
    Quit,
}

/// A person who decides about memories.
struct Session<'a> {
    settings: &'a Settings,
    person: &'a mut dyn Person,
    out: &'a mut Printer,
    tally: Tally,
    /// Number of memories that were shown.
    n_asked: usize,
}

/// Asks about each memory of the report.
pub(super) fn run(
    settings: &Settings,
    report: Report,
    person: &mut dyn Person,
    out: &mut Printer,
) -> Result<Tally> {
    let n_items = report.items.len();
    let total = n_items + report.folded.len();
    out.line(&print::totals(&report));
    out.line(&report.rules.to_string());
    let folds = |item: &Item| {
        !report.is_requested && item.reason == Reason::Unanchored && item.candidates.is_empty()
    };
    let (empty, items): (Vec<Item>, Vec<Item>) = report.items.into_iter().partition(folds);
    let n_folded = (empty.len(), report.folded.len());
    let folded: Vec<String> = empty
        .into_iter()
        .map(|item| item.id)
        .chain(report.folded)
        .collect();
    let tally = Tally::default();
    let mut session = Session {
        settings,
        person,
        out,
        tally,
        n_asked: 0,
    };
    if session.ask_each(&items, n_items)? && session.opens(n_folded)? {
        let request = review::Request {
            ids: folded,
            ..review::Request::default()
        };
        let opened = review::list(&settings.project, &request, &|_, _| {})?;
        session.ask_each(&opened.items, total)?;
    }
    let Tally {
        anchored,
        refused,
        skipped,
    } = session.tally;
    let n_left = total - anchored - refused - skipped;
    session.out.line("");
    session.out.line(&format!(
        "{anchored} anchored, {refused} without an example, {skipped} skipped, {n_left} left"
    ));
    Ok(session.tally)
}

impl Session<'_> {
    /// Asks about memories one after the other. Returns whether to go on.
    fn ask_each(&mut self, items: &[Item], total: usize) -> Result<bool> {
        // The numbers before each decision, to which a step back returns.
        let mut before: Vec<Tally> = Vec::new();
        while let Some(item) = items.get(before.len()) {
            self.n_asked += 1;
            let tally = self.tally.clone();
            match self.ask(item, (self.n_asked, total))? {
                Next::Quit => return Ok(false),
                Next::Back if before.is_empty() => {
                    self.out.line("this is the first one");
                    self.n_asked -= 1;
                }
                Next::Back => {
                    self.tally = before.pop().unwrap_or_default();
                    self.n_asked -= 2;
                }
                _ => before.push(tally),
            }
        }
        Ok(true)
    }

    /// Asks whether to go on with the rules for which there is hardly an example.
    fn opens(&mut self, (n_empty, n_process): (usize, usize)) -> Result<bool> {
        if n_empty + n_process == 0 {
            return Ok(false);
        }
        self.out.line("");
        self.out.line(&format!(
            "also {} and {n_empty} without a candidate: o open, any other key to end",
            plural(n_process, "process rule")
        ));
        Ok(matches!(self.person.key(self.out)?, Some('o' | 'O')))
    }

    /// Asks about a memory until it is decided. Returns what follows: another memory, or the end.
    fn ask(&mut self, item: &Item, position: (usize, usize)) -> Result<Next> {
        let mut changed: Option<Box<Item>> = None;
        loop {
            let item = changed.as_deref().unwrap_or(item);
            self.out.line("");
            let prompt_rows = self.out.n_rows(&keys(item));
            let max_rows = self
                .out
                .terminal
                .height
                .saturating_sub(ROWS_AROUND + prompt_rows);
            print::item(item, position, max_rows, self.out);
            let next = loop {
                self.out.line(&self.out.paint(DIM, &keys(item)));
                let next = match self.person.key(self.out)? {
                    None => Next::Quit,
                    Some(key) => self.decide(item, key).or_else(|error| self.stay(error))?,
                };
                if !matches!(next, Next::Key) {
                    break next;
                }
            };
            if let Next::Again(again) = next {
                changed = Some(again);
            } else {
                return Ok(next);
            }
        }
    }

    /// Prints an error; the person may try something else.
    fn stay(&mut self, error: anyhow::Error) -> Result<Next> {
        let Some(failure) = error.downcast_ref::<UserError>() else {
            return Err(error);
        };
        self.out.line(&self.out.style(ERROR, &failure.message));
        for hint in &failure.hints {
            let label = self.out.paint(NAME, "hint");
            self.out.line(&format!("{label}: {}", self.out.safe(hint)));
        }
        Ok(Next::Key)
    }

    /// Writes the decision of a key.
    fn decide(&mut self, item: &Item, key: char) -> Result<Next> {
        self.settings.project.forget();
        let rank = key.to_digit(10).map(|digit| digit as usize);
        if let Some(location) = candidate(item, rank) {
            self.anchor(item, Choice::To(location.clone()))?;
            let location = self.out.safe(&location.to_string());
            self.out
                .line(&format!("{} to {location}", self.out.paint(OK, "anchored")));
            self.tally.anchored += 1;
            return Ok(Next::Item);
        }
        match key.to_ascii_lowercase() {
            'n' => {
                self.anchor(item, Choice::None)?;
                self.out
                    .line(&self.out.paint(OK, "recorded that it has no example"));
                self.tally.refused += 1;
                Ok(Next::Item)
            }
            's' => {
                self.tally.skipped += 1;
                Ok(Next::Item)
            }
            'h' => {
                self.out
                    .line("hints, keywords expected in the example (empty to go back):");
                let typed = self.person.line(self.out)?;
                self.settings.project.forget();
                add_hints(self.settings, item, &typed)
            }
            'b' => Ok(Next::Back),
            'q' => Ok(Next::Quit),
            '?' => {
                for line in HELP.lines() {
                    self.out.line(line);
                }
                Ok(Next::Key)
            }
            _ => {
                let key = self.out.safe(&key.to_string());
                self.out.line(&format!("`{key}` is not one of these keys:"));
                Ok(Next::Key)
            }
        }
    }

    fn anchor(&self, item: &Item, choice: Choice) -> Result<()> {
        let request = anchor::Request {
            id: item.id.clone(),
            choice,
            ..anchor::Request::default()
        };
        anchor::anchor(&self.settings.project, &request)?;
        Ok(())
    }
}

/// Returns the keys to choose from.
fn keys(item: &Item) -> String {
    let n = item.candidates.len();
    let is_edited = item.reason == Reason::Edited;
    let is_new = match item.candidates.first() {
        Some(candidate) => is_edited && candidate.is_anchored,
        None => false,
    };
    let pick = match n {
        0 => String::new(),
        1 if is_new => "1 take the new code, ".to_owned(),
        n if is_new => format!("1 take the new code, 2-{n} choose another, "),
        1 => "1 pick, ".to_owned(),
        n => format!("1-{n} pick, "),
    };
    let skip = if is_edited {
        "s keep the old code for now"
    } else {
        "s skip"
    };
    format!("{pick}n no example, h hint, {skip}, b back, q quit, ? help")
}

/// Returns the location of the candidate with this rank.
fn candidate(item: &Item, rank: Option<usize>) -> Option<CodeLocation> {
    let mut candidates = item.candidates.iter();
    let found = candidates.find(|candidate| Some(candidate.rank) == rank)?;
    Some(CodeLocation {
        file: found.file.clone(),
        symbol: found.symbol.clone(),
    })
}

/// Adds hints to the frontmatter of the memory, and ranks its candidates again.
fn add_hints(settings: &Settings, item: &Item, typed: &str) -> Result<Next> {
    let new = crate::commands::hints(&[typed.to_owned()]);
    if new.is_empty() {
        return Ok(Next::Key);
    }
    let mut hints = item.hints.clone();
    hints.extend(new.into_iter().filter(|hint| !item.hints.contains(hint)));
    let fields = Fields {
        hints: Some(hints),
        ..Fields::default()
    };
    let request = Update {
        id: item.id.clone(),
        fields,
        ..Update::default()
    };
    update::update(&settings.project, &request)?;
    again(settings, item)
}

/// Returns the memory with its current candidates.
fn again(settings: &Settings, item: &Item) -> Result<Next> {
    let request = review::Request {
        ids: vec![item.id.clone()],
        ..review::Request::default()
    };
    let mut report = review::list(&settings.project, &request, &|_, _| {})?;
    Ok(match report.items.pop() {
        Some(item) => Next::Again(Box::new(item)),
        None => Next::Item,
    })
}
