//! Asks a person about one memory after the other, and writes each decision at once.

use std::process::Command;

use anyhow::{Context, Result};

use super::{Candidate, Item, Report, ReviewArgs, print};
use crate::commands::anchor::{self, AnchorArgs};
use crate::commands::update::{self, UpdateArgs};
use crate::config::Settings;
use crate::error::UserError;
use crate::model::{CodeLocation, ExampleRole};
use crate::ops::anchors;
use crate::output::{DIM, ERROR, Keyboard, NAME, OK, Printer};

const HELP: &[&str] = &[
    "  1-5  this is the example: store a manual anchor to it",
    "  a    also: add a further example, one of the candidates or FILE::SYMBOL",
    "  c    counter-example: add code that breaks the rule",
    "  n    no code shows the rule: record that, and search no more",
    "  h    add hints, keywords expected in the example, and search again",
    "  s    skip: decide another time",
    "  e    edit the memory in $VISUAL or $EDITOR, and search again",
    "  q    quit; every decision is stored already",
    "Further examples and counter-examples of a memory without an anchor are stored with its example.",
    "Candidates above the quality threshold are anchored without a question by `memory anchor`.",
];

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
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) anchored: usize,
    pub(super) refused: usize,
    pub(super) skipped: usize,
}

/// Further examples and counter-examples of a memory without an anchor, which are stored as soon as
/// it has one.
type Waiting = Vec<(ExampleRole, CodeLocation)>;

/// What follows a key.
enum Next {
    /// Ask about the next memory.
    Item,
    /// Ask about this memory again, with new candidates.
    Again(Box<Item>),
    /// Wait for another key.
    Key,
    Quit,
}

/// Asks about each memory of the report.
pub(super) fn run(
    settings: &Settings,
    report: Report,
    person: &mut dyn Person,
    out: &mut Printer,
) -> Result<Tally> {
    let mut tally = Tally::default();
    let total = report.items.len();
    out.line(&print::totals(&report));
    'items: for (idx, item) in report.items.into_iter().enumerate() {
        let mut item = item;
        let mut waiting = Waiting::new();
        loop {
            out.line("");
            let prompt_rows = out.n_rows(&keys(&item));
            let max_rows = out.terminal.height.saturating_sub(ROWS_AROUND + prompt_rows);
            print::item(&item, (idx + 1, total), max_rows, out);
            let next = loop {
                out.line(&out.paint(DIM, &keys(&item)));
                let next = match person.key(out)? {
                    None => Next::Quit,
                    Some(key) => {
                        decide(settings, &item, &mut waiting, key, person, &mut tally, out)
                            .or_else(|error| stay(error, out))?
                    }
                };
                if !matches!(next, Next::Key) {
                    break next;
                }
            };
            match next {
                Next::Again(changed) => item = *changed,
                Next::Quit => break 'items,
                Next::Item | Next::Key => break,
            }
        }
    }
    let Tally { anchored, refused, skipped } = tally;
    let n_left = total - anchored - refused - skipped;
    out.line("");
    out.line(&format!(
        "{anchored} anchored, {refused} without an example, {skipped} skipped, {n_left} left"
    ));
    Ok(tally)
}

/// Returns the keys to choose from.
fn keys(item: &Item) -> String {
    let pick = match item.candidates.len() {
        0 => String::new(),
        1 => "1 pick, ".to_owned(),
        n => format!("1-{n} pick, "),
    };
    format!("{pick}a also, c counter-example, n no example, h hint, s skip, e edit, q quit, ? help")
}

/// Prints an error; the person may try something else.
fn stay(error: anyhow::Error, out: &mut Printer) -> Result<Next> {
    let Some(failure) = error.downcast_ref::<UserError>() else {
        return Err(error);
    };
    out.line(&out.style(ERROR, &failure.message));
    for hint in &failure.hints {
        out.line(&format!("{}: {}", out.paint(NAME, "hint"), out.safe(hint)));
    }
    Ok(Next::Key)
}

/// Writes the decision of a key.
fn decide(
    settings: &Settings,
    item: &Item,
    waiting: &mut Waiting,
    key: char,
    person: &mut dyn Person,
    tally: &mut Tally,
    out: &mut Printer,
) -> Result<Next> {
    let rank = key.to_digit(10).map(|digit| digit as usize);
    let picked = rank.and_then(|rank| item.candidates.iter().find(|it| it.rank == rank));
    if let Some(candidate) = picked {
        let location = location(candidate);
        pick(settings, item, &location, out)?;
        tally.anchored += 1;
        for (role, other) in waiting.drain(..).filter(|(_, other)| *other != location) {
            add(settings, item, (role, other), out)?;
        }
        return Ok(Next::Item);
    }
    match key.to_ascii_lowercase() {
        'a' => also(settings, item, ExampleRole::Also, waiting, person, out),
        'c' => also(settings, item, ExampleRole::Not, waiting, person, out),
        'n' => {
            let args = AnchorArgs { id: item.id.clone(), none: true, ..AnchorArgs::default() };
            anchor::anchor(&settings.project, &args)?;
            out.line(&out.paint(OK, "recorded that it has no example"));
            tally.refused += 1;
            Ok(Next::Item)
        }
        's' => {
            tally.skipped += 1;
            Ok(Next::Item)
        }
        'h' => {
            out.line("hints, keywords expected in the example (empty to go back):");
            add_hints(settings, item, &person.line(out)?)
        }
        'e' => edit(settings, item),
        'q' => Ok(Next::Quit),
        '?' => {
            HELP.iter().for_each(|line| out.line(line));
            Ok(Next::Key)
        }
        _ => {
            let key = out.safe(&key.to_string());
            out.line(&format!("`{key}` is not one of these keys:"));
            Ok(Next::Key)
        }
    }
}

fn location(candidate: &Candidate) -> CodeLocation {
    CodeLocation { file: candidate.file.clone(), symbol: candidate.symbol.clone() }
}

fn pick(settings: &Settings, item: &Item, to: &CodeLocation, out: &mut Printer) -> Result<()> {
    let args = AnchorArgs { id: item.id.clone(), to: Some(to.clone()), ..AnchorArgs::default() };
    anchor::anchor(&settings.project, &args)?;
    out.line(&format!("{} to {}", out.paint(OK, "anchored"), out.safe(&to.to_string())));
    Ok(())
}

/// Asks for an example beside the main one, and adds it or lets it wait for the main one.
fn also(
    settings: &Settings,
    item: &Item,
    role: ExampleRole,
    waiting: &mut Waiting,
    person: &mut dyn Person,
    out: &mut Printer,
) -> Result<Next> {
    out.line(&format!("{}, a number or FILE::SYMBOL (empty to go back):", role_name(role)));
    let typed = person.line(out)?;
    let typed = typed.trim();
    if typed.is_empty() {
        return Ok(Next::Key);
    }
    let rank: Option<usize> = typed.parse().ok();
    let other = match rank.and_then(|rank| item.candidates.iter().find(|it| it.rank == rank)) {
        Some(candidate) => location(candidate),
        None => typed.parse().map_err(UserError::usage)?,
    };
    if item.anchor.is_some() {
        add(settings, item, (role, other), out)?;
        return Ok(Next::Key);
    }
    // An error is reported now, while the person can correct it.
    anchors::at_location(&settings.project, &other)?;
    out.line(&format!(
        "{} is stored with the example, which you pick",
        out.safe(&other.to_string())
    ));
    waiting.retain(|(_, known)| *known != other);
    waiting.push((role, other));
    Ok(Next::Key)
}

fn add(
    settings: &Settings,
    item: &Item,
    (role, other): (ExampleRole, CodeLocation),
    out: &mut Printer,
) -> Result<()> {
    let shown = other.to_string();
    let (also, not) = match role {
        ExampleRole::Also => (Some(other), None),
        ExampleRole::Not => (None, Some(other)),
    };
    let args = AnchorArgs { id: item.id.clone(), also, not, ..AnchorArgs::default() };
    anchor::anchor(&settings.project, &args)?;
    out.line(&format!("{} {}: {}", out.paint(OK, "added"), role_name(role), out.safe(&shown)));
    Ok(())
}

fn role_name(role: ExampleRole) -> &'static str {
    match role {
        ExampleRole::Also => "further example",
        ExampleRole::Not => "counter-example",
    }
}

/// Adds hints to the frontmatter of the memory, and ranks its candidates again.
fn add_hints(settings: &Settings, item: &Item, typed: &str) -> Result<Next> {
    let new = crate::commands::hints(&[typed.to_owned()]);
    if new.is_empty() {
        return Ok(Next::Key);
    }
    let mut hints = item.hints.clone();
    hints.extend(new.into_iter().filter(|hint| !item.hints.contains(hint)));
    let args = UpdateArgs { id: item.id.clone(), hints: Some(hints), ..UpdateArgs::default() };
    update::update(&settings.project, &args, None)?;
    again(settings, item)
}

/// Opens the memory in the editor of the person, and ranks its candidates again.
fn edit(settings: &Settings, item: &Item) -> Result<Next> {
    let editor = settings.editor.as_deref().ok_or_else(|| {
        UserError::usage("no editor is set").hint("set VISUAL or EDITOR, as in `EDITOR=vi`")
    })?;
    let stored = settings.project.bank.read(&item.file)?;
    settings.project.bank.check_own(&stored)?;
    let path = settings.project.bank.folder().join(&item.file);
    // Like git, so that the variable may contain options and quotes.
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .args([editor.as_ref(), path.as_os_str()])
        .status()
        .with_context(|| format!("failed to start the editor `{editor}`"))?;
    if !status.success() {
        return Err(UserError::usage(format!("the editor `{editor}` failed")).into());
    }
    again(settings, item)
}

/// Returns the memory with its current candidates.
fn again(settings: &Settings, item: &Item) -> Result<Next> {
    let args = ReviewArgs { ids: vec![item.id.clone()], ..ReviewArgs::default() };
    let report = super::list(&settings.project, &args, &|_, _| {})?;
    Ok(report.items.into_iter().next().map_or(Next::Item, |item| Next::Again(Box::new(item))))
}
