//! Pins: short notes that are always injected.
//!
//! Persistent pins are saved in the bank, session and temporary pins in the store. The number of
//! pins and their tokens are limited. Every change is logged as an event.

use anyhow::Result;
use cerberus_model::{MemoryId, Pin, PinEvent, PinScope, Priority, UserError, refuse};
use cerberus_store::pins::{self as table, EventRow};
use serde::Serialize;

use super::{Project, document};
use crate::lookup::find_whole;
pub use crate::project::PinLimits;
use crate::{Workspace, names, tokens};

pub mod builtin;
mod expiry;
mod limits;
mod load;
pub mod render;

pub use load::{Loaded, load};

/// A pin to add.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The note
    pub content: String,
    /// Set the id (default: derived from the text)
    pub id: Option<String>,
    /// Set the priority: critical, safety or info
    pub priority: Priority,
    /// Set the scope: session, persistent or temporary [default: persistent unless it expires]
    pub scope: Option<PinScope>,
    /// Expire after a duration (2h, 3d) or at a date or time
    pub expires: Option<String>,
    /// Add a tag (may be repeated)
    pub tags: Vec<String>,
    /// Add metadata (may be repeated)
    pub metadata: Vec<(String, String)>,
    /// Inject only in this project (default: in every project)
    pub project_id: Option<String>,
    /// Write text that looks like a private key or an access token
    pub allow_secret: bool,
}

/// Conditions that a pin has to match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only pins of this priority
    pub priority: Option<Priority>,
    /// Only pins of this scope
    pub scope: Option<PinScope>,
    /// Only pins with this tag (repeated: with all of them)
    pub tags: Vec<String>,
    /// Only pins of this project
    pub project_id: Option<String>,
    /// Only pins of every project
    pub global_only: bool,
    /// Only expired pins
    pub expired_only: bool,
}

impl Filter {
    fn matches(&self, pin: &Pin, is_expired: bool) -> bool {
        if self.priority.is_some() && self.priority != Some(pin.priority) {
            return false;
        }
        if self.scope.is_some() && self.scope != Some(pin.scope) {
            return false;
        }
        for wanted in &self.tags {
            let mut tags = pin.tags.iter();
            if !tags.any(|tag| tag.eq_ignore_ascii_case(wanted)) {
                return false;
            }
        }
        if self.project_id.is_some() && self.project_id != pin.project {
            return false;
        }
        (!self.global_only || pin.project.is_none()) && (!self.expired_only || is_expired)
    }
}

/// A pin in reports.
#[derive(Debug, Clone, Serialize)]
pub struct PinReport {
    #[serde(flatten)]
    pub pin: Pin,
    pub expired: bool,
    /// The tokens of the pin in the injected text.
    pub tokens: usize,
}

/// The use of the limits, without the built-in pins.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    pub pins: usize,
    pub max_pins: usize,
    /// Tokens of the injected text, including its header.
    pub tokens: usize,
    pub max_tokens: usize,
    /// The larger of both shares, 0 to 1.
    pub usage: f64,
    pub(crate) tokenizer: &'static str,
}

/// The new pin, and the pins that were evicted for it.
#[derive(Debug, Serialize)]
pub struct Added {
    pub pin: PinReport,
    pub evicted: Vec<String>,
    pub(crate) totals: Totals,
    pub warnings: Vec<String>,
}

/// The pins with their use of the limits.
#[derive(Debug, Serialize)]
pub struct List {
    pub pins: Vec<PinReport>,
    pub totals: Totals,
    /// The enabled built-in pins.
    pub defaults: Vec<BuiltinPin>,
    pub warnings: Vec<String>,
}

/// A safety note that is part of cerberus.
#[derive(Debug, Serialize)]
pub struct BuiltinPin {
    pub id: String,
    pub content: String,
}

/// The ids of removed pins, and what remains.
#[derive(Debug, Serialize)]
pub struct Removed {
    pub removed: Vec<String>,
    pub(crate) totals: Totals,
    pub warnings: Vec<String>,
}

/// The injected text of the pins.
#[derive(Debug, Serialize)]
pub struct Rendered {
    pub text: String,
    pub(crate) tokens: usize,
    pub(crate) tokenizer: &'static str,
    pub(crate) pins: Vec<String>,
    pub warnings: Vec<String>,
}

/// Adds a pin and evicts others if the limits are exceeded.
pub fn add(project: &Workspace, request: &Request, session: Option<&str>) -> Result<Added> {
    let new = build_pin(project, request, session)?;
    let guard = project.lock()?;
    let mut loaded = load(project, session)?;
    let id = unused_id(request, &loaded)?;
    let new = Pin { id, ..new };
    let active = loaded.active(project);
    if let Some(same) = active.iter().find(|pin| pin.content == new.content) {
        return refuse(
            format!("the pin `{}` already has this text", same.id),
            format!("remove it first: `cerberus memory pin remove {}`", same.id),
        );
    }
    let to_evict = limits::evict(&active, &new, &project.pins)?;
    let evicted: Vec<Pin> = to_evict.into_iter().cloned().collect();
    let evicted_ids: Vec<String> = evicted.iter().map(|pin| pin.id.clone()).collect();
    let mut events = Vec::new();
    if !evicted.is_empty() {
        let limits = &project.pins;
        let message = format!(
            "the limit of {} pins or {} tokens was exceeded by `{}`",
            limits.max_pins, limits.max_tokens, new.id
        );
        events.push((PinEvent::BudgetExceeded, evicted_ids.clone(), message));
        let message = format!("evicted for `{}`", new.id);
        events.push((PinEvent::Removed, evicted_ids.clone(), message));
    }
    let message = format!("{} {}", new.scope, new.priority);
    events.push((PinEvent::Added, vec![new.id.clone()], message));
    loaded.change(project, &evicted, Some(&new), events)?;
    drop(guard);
    loaded.pins.retain(|pin| !evicted_ids.contains(&pin.id));
    loaded.pins.push(new.clone());
    Ok(Added {
        pin: pin_report(project, &new),
        evicted: evicted_ids,
        totals: totals(project, &loaded),
        warnings: loaded.warnings,
    })
}

/// Returns the pins that match, in the order in which they are injected.
pub fn list(
    project: &Workspace,
    filter: &Filter,
    include_expired: bool,
    session: Option<&str>,
) -> Result<List> {
    let loaded = load(project, session)?;
    let with_expired = include_expired || filter.expired_only;
    let mut found: Vec<&Pin> = Vec::new();
    for pin in &loaded.pins {
        let is_expired = is_expired(project, pin);
        if (with_expired || !is_expired) && filter.matches(pin, is_expired) {
            found.push(pin);
        }
    }
    limits::sort(&mut found);
    let pins = found.into_iter().map(|pin| pin_report(project, pin));
    let enabled = builtin::pins(project.pins.builtin.as_ref());
    let defaults = enabled.into_iter().map(|pin| BuiltinPin {
        id: pin.id,
        content: pin.content,
    });
    Ok(List {
        pins: pins.collect(),
        totals: totals(project, &loaded),
        defaults: defaults.collect(),
        warnings: loaded.warnings,
    })
}

/// Removes the named pins; if one of them is not found, all are preserved.
pub fn remove(project: &Workspace, ids: &[String], session: Option<&str>) -> Result<Removed> {
    let _guard = project.lock()?;
    let loaded = load(project, session)?;
    let mut wanted: Vec<Pin> = Vec::new();
    for typed in ids {
        if let Some(name) = typed.strip_prefix(builtin::PREFIX) {
            return refuse(
                format!("`{typed}` is a built-in pin"),
                format!(
                    "disable it in `cerberus.toml`: `builtin = {{ {name} = false }}` under `[pins]`"
                ),
            );
        }
        let pin = loaded.find(typed)?;
        if !wanted.iter().any(|known| known.id == pin.id) {
            wanted.push(pin.clone());
        }
    }
    remove_pins(project, loaded, &wanted)
}

/// Removes the pins that match; requires a condition or `all`.
pub fn clear(
    project: &Workspace,
    filter: &Filter,
    all: bool,
    session: Option<&str>,
) -> Result<Removed> {
    if *filter == Filter::default() && !all {
        return refuse(
            "this would remove every pin",
            "add a filter, as in `cerberus memory pin clear --scope session`, or `--all`",
        );
    }
    let _guard = project.lock()?;
    let loaded = load(project, session)?;
    let mut wanted = loaded.pins.clone();
    wanted.retain(|pin| filter.matches(pin, is_expired(project, pin)));
    remove_pins(project, loaded, &wanted)
}

/// Returns the injected text of the current pins.
pub fn show(project: &Workspace, session: Option<&str>) -> Result<Rendered> {
    let loaded = load(project, session)?;
    let pins = loaded.injected(project);
    let text = render::text(&pins);
    Ok(Rendered {
        tokens: tokens::count(&text),
        tokenizer: tokens::NAME,
        pins: pins.into_iter().map(|pin| pin.id).collect(),
        text,
        warnings: loaded.warnings,
    })
}

/// Returns the event log, the oldest event first.
pub fn events(project: &Workspace, session: Option<&str>) -> Result<Vec<EventRow>> {
    table::events(load(project, session)?.store.reader())
}

fn remove_pins(project: &Project, mut loaded: Loaded, wanted: &[Pin]) -> Result<Removed> {
    let removed: Vec<String> = wanted.iter().map(|pin| pin.id.clone()).collect();
    if !wanted.is_empty() {
        let events = vec![(PinEvent::Removed, removed.clone(), "requested".to_owned())];
        loaded.change(project, wanted, None, events)?;
        loaded.pins.retain(|pin| !removed.contains(&pin.id));
    }
    Ok(Removed {
        removed,
        totals: totals(project, &loaded),
        warnings: loaded.warnings,
    })
}

/// Validates the request and returns the pin, without an id.
fn build_pin(project: &Project, request: &Request, session: Option<&str>) -> Result<Pin> {
    let content = request.content.trim();
    if content.is_empty() {
        return refuse(
            "the pin has no text",
            "write a sentence: `cerberus memory pin add \"Run the tests before a push\"`",
        );
    }
    document::check_content(content)?;
    document::check_words("tag", request.tags.iter().map(String::as_str))?;
    let mut metadata_words: Vec<&str> = Vec::new();
    for (key, value) in &request.metadata {
        metadata_words.extend([key.as_str(), value.as_str()]);
    }
    document::check_words("metadata", metadata_words.iter().copied())?;
    document::check_words("project", request.project_id.as_deref())?;
    if !request.allow_secret {
        let metadata = request.metadata.iter();
        let metadata: Vec<String> = metadata
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        document::refuse_secrets(&[
            ("the text", content),
            ("the tags", &request.tags.join(" ")),
            ("the metadata", &metadata.join(" ")),
        ])?;
    }
    let expires_at = match &request.expires {
        Some(text) => Some(expiry::parse(text, project.now)?),
        None => None,
    };
    let scope = match (request.scope, expires_at) {
        (None | Some(PinScope::Temporary), Some(_)) => PinScope::Temporary,
        (None, None) => PinScope::Persistent,
        (Some(PinScope::Temporary), None) => {
            return refuse(
                "a temporary pin needs an expiry",
                "set it, as in `--expires 2h` or `--expires 2026-12-31`",
            );
        }
        (Some(scope), Some(_)) => {
            return refuse(
                format!("a {scope} pin cannot expire"),
                "omit `--scope` or `--expires`",
            );
        }
        (Some(scope), None) => scope,
    };
    if scope == PinScope::Session && session.is_none() {
        return refuse(
            "a session pin needs a session",
            "name it with `--session NAME` or CERBERUS_SESSION",
        );
    }
    let tags = request.tags.iter().map(String::as_str);
    let mut texts = tags.chain(metadata_words);
    if let Some(invalid) = texts.find(|text| text.trim().is_empty()) {
        return refuse(
            format!(
                "`{}` is not a valid tag or metadata: it must be one non-empty line",
                invalid.escape_debug()
            ),
            "write it as one line",
        );
    }
    Ok(Pin {
        id: String::new(),
        content: content.to_owned(),
        priority: request.priority,
        scope,
        created_at: project.now,
        expires_at,
        tags: (request.tags.iter())
            .map(|tag| tag.trim().to_owned())
            .collect(),
        metadata: request.metadata.iter().cloned().collect(),
        project: request.project_id.clone(),
    })
}

fn unused_id(request: &Request, loaded: &Loaded) -> Result<String> {
    let is_taken = |id: &str| loaded.pins.iter().any(|pin| pin.id == id);
    if let Some(id) = &request.id {
        id.parse::<MemoryId>()?;
        let error = if id.starts_with(builtin::PREFIX) {
            UserError::usage(format!(
                "the prefix of `{id}` is reserved for built-in pins"
            ))
        } else if is_taken(id) {
            UserError::usage(format!("the pin `{id}` already exists"))
        } else {
            return Ok(id.clone());
        };
        return Err(error.hint("choose another `--id`").into());
    }
    let base = names::from_text(&request.content);
    let base = base.strip_prefix(builtin::PREFIX).unwrap_or(&base);
    Ok(names::unused(base, is_taken))
}

fn is_expired(project: &Project, pin: &Pin) -> bool {
    pin.expires_at.is_some_and(|at| at <= project.now)
}

fn pin_report(project: &Project, pin: &Pin) -> PinReport {
    PinReport {
        pin: pin.clone(),
        expired: is_expired(project, pin),
        tokens: tokens::count(&render::item(pin)),
    }
}

fn totals(project: &Project, loaded: &Loaded) -> Totals {
    let PinLimits {
        max_pins,
        max_tokens,
        ..
    } = project.pins;
    let mut active = loaded.active(project);
    limits::sort(&mut active);
    let n_pins = active.len();
    let n_tokens = tokens::count(&render::text(active));
    let usage = share(n_pins, max_pins).max(share(n_tokens, max_tokens));
    Totals {
        pins: n_pins,
        max_pins,
        tokens: n_tokens,
        max_tokens,
        usage: super::rounded(usage),
        tokenizer: tokens::NAME,
    }
}

/// Returns the used share of a limit.
fn share(n: usize, max: usize) -> f64 {
    n as f64 / max.max(1) as f64
}

impl Loaded {
    /// Finds a pin by its id or a unique prefix of it.
    fn find(&self, typed: &str) -> Result<&Pin> {
        let ids: Vec<&str> = self.pins.iter().map(|pin| pin.id.as_str()).collect();
        Ok(&self.pins[find_whole("pin", typed, &ids)?])
    }

    /// Returns the pins that have not expired.
    fn active(&self, project: &Project) -> Vec<&Pin> {
        self.pins
            .iter()
            .filter(|pin| !is_expired(project, pin))
            .collect()
    }
}
