//! Loads pins from the bank and the store, and saves changes to them.

use std::rc::Rc;

use anyhow::Result;
use cerberus_model::{Pin, PinEvent, PinScope};
use cerberus_store::Store;
use cerberus_store::pins::{self as table, EventRow};
use xxhash_rust::xxh3::xxh3_128;

use super::{builtin, is_expired, limits};
use crate::ops::Project;
use crate::project::project_name;
use crate::{PinFile, Workspace};

/// The pins of the bank and of a session, including expired ones.
pub struct Loaded {
    pub(super) store: Rc<Store>,
    session: Option<String>,
    pub(crate) pins: Vec<Pin>,
    pub warnings: Vec<String>,
}

/// Loads the pins and logs the events since the last command.
pub fn load(project: &Workspace, session: Option<&str>) -> Result<Loaded> {
    if !project.bank.exists() {
        return Err(project.bank.missing().into());
    }
    let file = project.bank.pins()?;
    let store = project.store()?;
    let mut warnings = store.take_warnings();
    if let Some(fault) = &file.fault {
        warnings.push(format!(
            "{fault}; persistent pins are skipped until it is fixed"
        ));
    }
    let mut pins = table::pins(store.reader(), session)?;
    log_external_events(project, &store, &file, &pins)?;
    pins.extend(file.pins);
    Ok(Loaded {
        store,
        session: session.map(str::to_owned),
        pins,
        warnings,
    })
}

/// Logs events that no command caused: expired pins and external changes of the file.
fn log_external_events(
    project: &Project,
    store: &Store,
    file: &PinFile,
    pins: &[Pin],
) -> Result<()> {
    let mut events = Vec::new();
    for pin in pins.iter().filter(|pin| is_expired(project, pin)) {
        if !table::expiry_logged(store.reader(), pin)? {
            let at = pin.expires_at.unwrap_or(project.now);
            events.push((
                row(at, PinEvent::Expired, vec![pin.id.clone()], String::new()),
                None,
            ));
        }
    }
    let hash = hash(&file.bytes).filter(|_| file.fault.is_none());
    if hash.is_some() && table::last_hash(store.reader())? != hash {
        let ids = file.pins.iter().map(|pin| pin.id.clone()).collect();
        let message = "`pins.toml` is new or was changed".to_owned();
        events.push((row(project.now, PinEvent::Loaded, ids, message), hash));
    }
    if !events.is_empty() {
        // If this fails, the next command logs them.
        let _ = store.transaction(|connection| {
            events
                .iter()
                .try_for_each(|(event, hash)| table::insert_event(connection, event, *hash))
        });
    }
    Ok(())
}

fn row(at: jiff::Timestamp, kind: PinEvent, pins: Vec<String>, message: String) -> EventRow {
    EventRow {
        at: at.to_string(),
        kind,
        pins,
        message,
    }
}

fn hash(bytes: &[u8]) -> Option<[u8; 16]> {
    (!bytes.is_empty()).then(|| xxh3_128(bytes).to_le_bytes())
}

impl Loaded {
    /// Removes and adds pins and logs the events in one transaction.
    pub(super) fn change(
        &mut self,
        project: &Project,
        removed: &[Pin],
        added: Option<&Pin>,
        events: Vec<(PinEvent, Vec<String>, String)>,
    ) -> Result<()> {
        let is_persistent = |pin: &&Pin| pin.scope == PinScope::Persistent;
        let from_file: Vec<&str> = removed
            .iter()
            .filter(is_persistent)
            .map(|pin| pin.id.as_str())
            .collect();
        let to_file = added.filter(is_persistent);
        if removed.iter().chain(added).any(|pin| !is_persistent(&pin)) {
            self.store.check_persistent()?;
        }
        let (session, warnings) = (self.session.as_deref(), &mut self.warnings);
        self.store.transaction(|connection| {
            for pin in removed.iter().filter(|pin| !is_persistent(pin)) {
                table::remove(connection, pin, session)?;
            }
            if let Some(pin) = added.filter(|pin| !is_persistent(pin)) {
                table::insert(connection, pin, session)?;
            }
            for (kind, pins, message) in events {
                table::insert_event(connection, &row(project.now, kind, pins, message), None)?;
            }
            if from_file.is_empty() && to_file.is_none() {
                return Ok(());
            }
            // Last: a failure before this rolls back the transaction, a written file cannot be.
            let (bytes, backup) = project.bank.write_pins(&from_file, to_file)?;
            if let Some(backup) = backup {
                warnings.push(format!(
                    "the damaged file was saved as `{}`",
                    backup.display()
                ));
            }
            let ids = to_file.map(|pin| pin.id.clone()).into_iter();
            let ids = ids
                .chain(from_file.iter().map(|id| (*id).to_owned()))
                .collect();
            let message = "`pins.toml` was written".to_owned();
            let event = row(project.now, PinEvent::Persisted, ids, message);
            table::insert_event(connection, &event, hash(&bytes))
        })
    }

    /// Returns the pins to inject, including the built-in ones, in order.
    pub fn injected(&self, project: &Project) -> Vec<Pin> {
        let mut active = self.active(project);
        active.retain(|pin| pin.project.is_none() || pin.project.as_ref() == project_name(project));
        limits::sort(&mut active);
        let mut pins: Vec<Pin> = active.into_iter().cloned().collect();
        // The built-in pins go after the user's safety pins and before the info pins.
        let position = pins.partition_point(|pin| pin.priority <= cerberus_model::Priority::Safety);
        pins.splice(
            position..position,
            builtin::pins(project.pins.builtin.as_ref()),
        );
        pins
    }
}
