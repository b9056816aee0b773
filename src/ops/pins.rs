//! Pins: the short notes that are injected every time.
//!
//! Persistent ones are the bank's, those of a session or for a time the store's. All
//! together they keep to a number and to tokens; what happened to them is recorded.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use crate::bank::names;
use crate::error::UserError;
use crate::model::{Pin, PinEvent, PinScope, Priority};
use crate::store::pins::{self as table, EventRow};
use crate::tokens;

use super::memories::find_named;
use super::{Project, document};

pub(crate) mod builtin;
mod expiry;
mod limits;
mod load;
pub(crate) mod render;

pub(super) use load::{Loaded, load};

/// How many pins there may be, of how many tokens, and which built-in ones are off.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) max_pins: usize,
    pub(crate) max_tokens: usize,
    pub(crate) off: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_pins: 20, max_tokens: 2000, off: Vec::new() }
    }
}

/// A pin to be.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) content: String,
    pub(crate) id: Option<String>,
    pub(crate) priority: Priority,
    /// Persistent where none is given, or temporary where it expires.
    pub(crate) scope: Option<PinScope>,
    /// A time, a date or a duration from now.
    pub(crate) expires: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) project_id: Option<String>,
    pub(crate) allow_secret: bool,
}

/// Which pins an operation is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) priority: Option<Priority>,
    pub(crate) scope: Option<PinScope>,
    /// A pin passes with all of them.
    pub(crate) tags: Vec<String>,
    pub(crate) project_id: Option<String>,
    pub(crate) global_only: bool,
    pub(crate) expired_only: bool,
}

impl Filter {
    fn takes(&self, pin: &Pin, is_expired: bool) -> bool {
        self.priority.is_none_or(|wanted| wanted == pin.priority)
            && self.scope.is_none_or(|wanted| wanted == pin.scope)
            && self.tags.iter().all(|tag| pin.tags.iter().any(|it| it.eq_ignore_ascii_case(tag)))
            && self.project_id.as_ref().is_none_or(|wanted| pin.project.as_ref() == Some(wanted))
            && (!self.global_only || pin.project.is_none())
            && (!self.expired_only || is_expired)
    }
}

/// A pin as it is shown.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Shown {
    pub(crate) id: String,
    pub(crate) content: String,
    pub(crate) priority: Priority,
    pub(crate) scope: PinScope,
    pub(crate) created_at: String,
    pub(crate) expires_at: Option<String>,
    pub(crate) expired: bool,
    pub(crate) tags: Vec<String>,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) project_id: Option<String>,
    /// What it costs in the text that is given.
    pub(crate) tokens: usize,
}

/// How full the pins are; built-in ones do not count.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Totals {
    pub(crate) pins: usize,
    pub(crate) max_pins: usize,
    /// Of the text with its header.
    pub(crate) tokens: usize,
    pub(crate) max_tokens: usize,
    /// The larger of both shares, 0 to 1.
    pub(crate) utilisation: f64,
    pub(crate) tokenizer: &'static str,
}

/// The new pin, and what went for it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Added {
    pub(crate) pin: Shown,
    pub(crate) evicted: Vec<String>,
    pub(crate) totals: Totals,
    pub(crate) warnings: Vec<String>,
}

/// Pins as they are listed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct List {
    pub(crate) pins: Vec<Shown>,
    pub(crate) totals: Totals,
    /// The built-in pins that are on.
    pub(crate) defaults: Vec<BuiltIn>,
    pub(crate) warnings: Vec<String>,
}

/// A built-in pin.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BuiltIn {
    pub(crate) id: String,
    pub(crate) content: String,
}

/// The pins that were removed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Removed {
    pub(crate) removed: Vec<String>,
    pub(crate) totals: Totals,
    pub(crate) warnings: Vec<String>,
}

/// The pins as they are given.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rendered {
    pub(crate) text: String,
    pub(crate) tokens: usize,
    pub(crate) tokenizer: &'static str,
    pub(crate) pins: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

/// Something that happened to pins.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Event {
    pub(crate) at: String,
    #[serde(rename = "type")]
    pub(crate) kind: PinEvent,
    pub(crate) pins: Vec<String>,
    pub(crate) message: String,
}

/// Pins a note, and lets go what has no room beside it.
pub(crate) fn add(project: &Project, request: &Request, session: Option<&str>) -> Result<Added> {
    let new = pin(project, request, session)?;
    let guard = project.bank.lock_for_writing()?;
    let mut loaded = load(project, session)?;
    let id = free_id(request, &loaded)?;
    let new = Pin { id, ..new };
    let held = loaded.active(project);
    if let Some(same) = held.iter().find(|pin| pin.content == new.content) {
        return Err(UserError::usage(format!("the pin `{}` says this already", same.id))
            .hint(format!("remove it first: `cerberus memory pin remove {}`", same.id))
            .into());
    }
    let evicted: Vec<Pin> =
        limits::evicted(&held, &new, &project.pins)?.into_iter().cloned().collect();
    let ids = |pins: &[Pin]| pins.iter().map(|pin| pin.id.clone()).collect::<Vec<_>>();
    let mut events = Vec::new();
    if !evicted.is_empty() {
        let limits = &project.pins;
        let message = format!(
            "over {} pins or {} tokens: made room for `{}`",
            limits.max_pins, limits.max_tokens, new.id
        );
        events.push((PinEvent::BudgetExceeded, ids(&evicted), message));
        events.push((PinEvent::Removed, ids(&evicted), format!("made room for `{}`", new.id)));
    }
    let what = format!("{} {}", new.scope, new.priority);
    events.push((PinEvent::Added, vec![new.id.clone()], what));
    loaded.change(project, session, &evicted, Some(&new), events)?;
    drop(guard);
    let is_gone = |pin: &Pin| evicted.iter().any(|it| it.id == pin.id);
    loaded.pins.retain(|pin| !is_gone(pin));
    loaded.pins.push(new.clone());
    Ok(Added {
        pin: shown(project, &new),
        evicted: ids(&evicted),
        totals: totals(project, &loaded),
        warnings: loaded.warnings,
    })
}

/// Returns the pins that pass, in the order in which they are given.
pub(crate) fn list(
    project: &Project,
    filter: &Filter,
    include_expired: bool,
    session: Option<&str>,
) -> Result<List> {
    let loaded = load(project, session)?;
    let with_expired = include_expired || filter.expired_only;
    let passes = |pin: &&Pin| {
        let is_expired = is_expired(project, pin);
        (with_expired || !is_expired) && filter.takes(pin, is_expired)
    };
    let mut found: Vec<&Pin> = loaded.pins.iter().filter(passes).collect();
    found.sort_by(|a, b| limits::order(a).cmp(&limits::order(b)));
    let defaults = builtin::pins(&project.pins.off);
    Ok(List {
        pins: found.into_iter().map(|pin| shown(project, pin)).collect(),
        totals: totals(project, &loaded),
        defaults: defaults
            .into_iter()
            .map(|pin| BuiltIn { id: pin.id, content: pin.content })
            .collect(),
        warnings: loaded.warnings,
    })
}

/// Removes the named pins; all of them are found before the first goes.
pub(crate) fn remove(project: &Project, ids: &[String], session: Option<&str>) -> Result<Removed> {
    let _guard = project.bank.lock_for_writing()?;
    let loaded = load(project, session)?;
    let mut wanted: Vec<Pin> = Vec::new();
    for typed in ids {
        if let Some(name) = typed.strip_prefix(builtin::PREFIX) {
            return Err(UserError::usage(format!("`{typed}` is built in"))
                .hint(format!(
                    "switch it off in `cerberus.toml`: `builtin = {{ {name} = false }}` under `[pins]`"
                ))
                .into());
        }
        let pin = loaded.find(typed)?;
        if !wanted.iter().any(|it| it.id == pin.id) {
            wanted.push(pin.clone());
        }
    }
    take_out(project, loaded, &wanted, session)
}

/// Removes the pins that pass; at least one condition is needed, or `all`.
pub(crate) fn clear(
    project: &Project,
    filter: &Filter,
    all: bool,
    session: Option<&str>,
) -> Result<Removed> {
    if *filter == Filter::default() && !all {
        return Err(UserError::usage("this would remove every pin")
            .hint("say which, as in `cerberus memory pin clear --scope session`, or `--all`")
            .into());
    }
    let _guard = project.bank.lock_for_writing()?;
    let loaded = load(project, session)?;
    let passes = |pin: &&Pin| filter.takes(pin, is_expired(project, pin));
    let wanted: Vec<Pin> = loaded.pins.iter().filter(passes).cloned().collect();
    take_out(project, loaded, &wanted, session)
}

/// Returns the text of the pins that hold now, and which they are.
pub(crate) fn render(project: &Project, session: Option<&str>) -> Result<Rendered> {
    let loaded = load(project, session)?;
    let pins = loaded.given(project);
    let text = render::text(&pins);
    Ok(Rendered {
        tokens: tokens::count(&text),
        tokenizer: tokens::NAME,
        pins: pins.into_iter().map(|pin| pin.id).collect(),
        text,
        warnings: loaded.warnings,
    })
}

/// Returns what happened to pins, oldest first.
pub(crate) fn events(project: &Project, session: Option<&str>) -> Result<Vec<Event>> {
    let loaded = load(project, session)?;
    let rows = table::events(loaded.store.reader())?;
    let event =
        |row: EventRow| Event { at: row.at, kind: row.kind, pins: row.pins, message: row.message };
    Ok(rows.into_iter().map(event).collect())
}

fn take_out(
    project: &Project,
    mut loaded: Loaded,
    wanted: &[Pin],
    session: Option<&str>,
) -> Result<Removed> {
    let removed: Vec<String> = wanted.iter().map(|pin| pin.id.clone()).collect();
    if !wanted.is_empty() {
        let events = vec![(PinEvent::Removed, removed.clone(), "asked for".to_owned())];
        loaded.change(project, session, wanted, None, events)?;
        loaded.pins.retain(|pin| !removed.contains(&pin.id));
    }
    Ok(Removed { removed, totals: totals(project, &loaded), warnings: loaded.warnings })
}

/// Returns the pin that is asked for, without an id.
fn pin(project: &Project, request: &Request, session: Option<&str>) -> Result<Pin> {
    let content = request.content.trim();
    if content.is_empty() {
        return Err(UserError::usage("the pin has no text")
            .hint("say it in a sentence: `cerberus memory pin add \"Run the tests before a push\"`")
            .into());
    }
    if !request.allow_secret {
        let metadata: Vec<String> =
            request.metadata.iter().map(|(key, value)| format!("{key}={value}")).collect();
        document::refuse_secrets(&[
            ("the text", content),
            ("the tags", &request.tags.join(" ")),
            ("the metadata", &metadata.join(" ")),
        ])?;
    }
    let expires_at =
        request.expires.as_deref().map(|text| expiry::parse(text, project.now)).transpose()?;
    let scope = match (request.scope, expires_at) {
        (None | Some(PinScope::Temporary), Some(_)) => PinScope::Temporary,
        (None, None) => PinScope::Persistent,
        (Some(PinScope::Temporary), None) => {
            return Err(UserError::usage("a temporary pin has to expire")
                .hint("say when, as in `--expires 2h` or `--expires 2026-12-31`")
                .into());
        }
        (Some(scope), Some(_)) => {
            return Err(UserError::usage(format!("a {scope} pin does not expire"))
                .hint("leave out `--scope` or `--expires`")
                .into());
        }
        (Some(scope), None) => scope,
    };
    if scope == PinScope::Session && session.is_none() {
        return Err(UserError::usage("there is no session to pin it to")
            .hint("name it with `--session NAME` or CERBERUS_SESSION")
            .into());
    }
    let one_line = |text: &str| !text.trim().is_empty() && !text.contains(['\n', '\r']);
    let of_metadata = request.metadata.iter().flat_map(|(key, value)| [key, value]);
    if let Some(wrong) = request.tags.iter().chain(of_metadata).find(|text| !one_line(text)) {
        return Err(UserError::usage(format!(
            "`{}` cannot be a tag or metadata: it is not one line of text",
            wrong.escape_debug()
        ))
        .hint("give it as one line of words")
        .into());
    }
    Ok(Pin {
        id: String::new(),
        content: content.to_owned(),
        priority: request.priority,
        scope,
        created_at: project.now,
        expires_at,
        tags: request.tags.iter().map(|tag| tag.trim().to_owned()).collect(),
        metadata: request.metadata.clone(),
        project: request.project_id.clone(),
    })
}

fn free_id(request: &Request, loaded: &Loaded) -> Result<String> {
    let is_taken = |id: &str| loaded.pins.iter().any(|pin| pin.id == id);
    if let Some(id) = &request.id {
        names::check(id)?;
        let failure = if id.starts_with(builtin::PREFIX) {
            UserError::usage(format!("`{id}` would look like a built-in pin"))
        } else if is_taken(id) {
            UserError::usage(format!("there is a pin `{id}` already"))
        } else {
            return Ok(id.clone());
        };
        return Err(failure.hint("choose another `--id`").into());
    }
    let base = names::from_text(&request.content);
    let base = base.strip_prefix(builtin::PREFIX).unwrap_or(&base).to_owned();
    let mut id = base.clone();
    let mut n = 2;
    while is_taken(&id) {
        id = format!("{base}-{n}");
        n += 1;
    }
    Ok(id)
}

fn is_expired(project: &Project, pin: &Pin) -> bool {
    pin.expires_at.is_some_and(|at| at <= project.now)
}

fn shown(project: &Project, pin: &Pin) -> Shown {
    Shown {
        id: pin.id.clone(),
        content: pin.content.clone(),
        priority: pin.priority,
        scope: pin.scope,
        created_at: pin.created_at.to_string(),
        expires_at: pin.expires_at.map(|at| at.to_string()),
        expired: is_expired(project, pin),
        tags: pin.tags.clone(),
        metadata: pin.metadata.clone(),
        project_id: pin.project.clone(),
        tokens: tokens::count(&render::item(pin)),
    }
}

fn totals(project: &Project, loaded: &Loaded) -> Totals {
    let Settings { max_pins, max_tokens, .. } = project.pins;
    let mut held = loaded.active(project);
    held.sort_by(|a, b| limits::order(a).cmp(&limits::order(b)));
    let (n_pins, n_tokens) = (held.len(), tokens::count(&render::text(held)));
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let utilisation = share(n_pins, max_pins).max(share(n_tokens, max_tokens));
    Totals {
        pins: n_pins,
        max_pins,
        tokens: n_tokens,
        max_tokens,
        utilisation: super::rounded(utilisation),
        tokenizer: tokens::NAME,
    }
}

impl Loaded {
    /// Returns the pin that `typed` means: its id, or a unique start of it.
    fn find(&self, typed: &str) -> Result<&Pin> {
        let ids = self.pins.iter().map(|pin| pin.id.as_str());
        let at = find_named("pin", typed, ids)?;
        Ok(&self.pins[at])
    }

    /// Returns the pins that have not expired.
    fn active(&self, project: &Project) -> Vec<&Pin> {
        self.pins.iter().filter(|pin| !is_expired(project, pin)).collect()
    }
}
