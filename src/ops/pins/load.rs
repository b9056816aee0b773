//! Pins from where they are kept, and changes back to there.

use anyhow::Result;
use xxhash_rust::xxh3::xxh3_128;

use crate::bank::PinFile;
use crate::model::{Pin, PinEvent, PinScope};
use crate::store::Store;
use crate::store::pins::{self as table, EventRow};

use super::{builtin, is_expired, limits};
use crate::ops::Project;

/// All pins of a bank that a session sees, expired ones with them.
pub(in crate::ops) struct Loaded {
    pub(super) store: Store,
    pub(in crate::ops) pins: Vec<Pin>,
    pub(in crate::ops) warnings: Vec<String>,
}

/// Reads the pins; what happened to them meanwhile is recorded.
pub(in crate::ops) fn load(project: &Project, session: Option<&str>) -> Result<Loaded> {
    if !project.bank.exists() {
        return Err(project.bank.missing().into());
    }
    let file = project.bank.pins()?;
    let mut store = Store::open(&project.store)?;
    let mut warnings = std::mem::take(&mut store.warnings);
    if let Some(fault) = &file.fault {
        warnings.push(format!("{fault}; the persistent pins are left out until it is mended"));
    }
    let mut pins = table::pins(store.reader(), session)?;
    note_meanwhile(project, &mut store, &file, &pins)?;
    pins.extend(file.pins);
    Ok(Loaded { store, pins, warnings })
}

/// Records what happened without a command: pins that expired, a file that others changed.
fn note_meanwhile(
    project: &Project,
    store: &mut Store,
    file: &PinFile,
    pins: &[Pin],
) -> Result<()> {
    let mut events = Vec::new();
    for pin in pins.iter().filter(|pin| is_expired(project, pin)) {
        if !table::expiry_logged(store.reader(), pin)? {
            let at = pin.expires_at.unwrap_or(project.now);
            events.push((row(at, PinEvent::Expired, vec![pin.id.clone()], String::new()), None));
        }
    }
    let hash = hash(&file.bytes).filter(|_| file.fault.is_none());
    if hash.is_some() && table::last_hash(store.reader())? != hash {
        let ids = file.pins.iter().map(|pin| pin.id.clone()).collect();
        let message = "`pins.toml` was new or had changed".to_owned();
        events.push((row(project.now, PinEvent::Loaded, ids, message), hash));
    }
    if !events.is_empty() {
        // Where they cannot be kept, the next command records them.
        let _ = store.transaction(|connection| {
            events
                .iter()
                .try_for_each(|(event, hash)| table::insert_event(connection, event, *hash))
        });
    }
    Ok(())
}

fn row(at: jiff::Timestamp, kind: PinEvent, pins: Vec<String>, message: String) -> EventRow {
    EventRow { at: at.to_string(), kind, pins, message }
}

fn hash(bytes: &[u8]) -> Option<[u8; 16]> {
    (!bytes.is_empty()).then(|| xxh3_128(bytes).to_le_bytes())
}

impl Loaded {
    /// Takes pins out, puts one in and records what happened, all or nothing.
    pub(super) fn change(
        &mut self,
        project: &Project,
        session: Option<&str>,
        removed: &[Pin],
        added: Option<&Pin>,
        events: Vec<(PinEvent, Vec<String>, String)>,
    ) -> Result<()> {
        let is_persistent = |pin: &&Pin| pin.scope == PinScope::Persistent;
        let from_file: Vec<&str> =
            removed.iter().filter(is_persistent).map(|pin| pin.id.as_str()).collect();
        let to_file = added.filter(is_persistent);
        if removed.iter().chain(added).any(|pin| !is_persistent(&pin)) {
            self.store.check_persistent()?;
        }
        let warnings = &mut self.warnings;
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
            // Last, so that nothing is undone once it is written.
            let (bytes, aside) = project.bank.write_pins(&from_file, to_file)?;
            if let Some(aside) = aside {
                warnings.push(format!("the damaged file is kept as `{}`", aside.display()));
            }
            let ids = to_file.map(|pin| pin.id.clone()).into_iter();
            let ids = ids.chain(from_file.iter().map(|id| (*id).to_owned())).collect();
            let message = "`pins.toml` was written".to_owned();
            let event = row(project.now, PinEvent::Persisted, ids, message);
            table::insert_event(connection, &event, hash(&bytes))
        })
    }

    /// Returns the pins that are given here and now, the built-in ones with them, in
    /// their order.
    pub(in crate::ops) fn given(&self, project: &Project) -> Vec<Pin> {
        let own_name = project.root.file_name().map(|name| name.to_string_lossy());
        let is_here = |pin: &&Pin| {
            let is_ours =
                pin.project.as_deref().is_none_or(|name| Some(name) == own_name.as_deref());
            is_ours && !is_expired(project, pin)
        };
        let mut pins: Vec<Pin> = self.pins.iter().filter(is_here).cloned().collect();
        pins.sort_by(|a, b| limits::order(a).cmp(&limits::order(b)));
        // Behind what people wrote, before what is only information.
        let at = pins.partition_point(|pin| pin.priority <= crate::model::Priority::Safety);
        pins.splice(at..at, builtin::pins(&project.pins.off));
        pins
    }
}
