//! The report of a fleet: the repositories, the banks that they pin, and the rules that they hold.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::banks::{Banks, SharedRule};
use super::record::{AnchorState, Record};
use super::sources::Source;
use crate::ops::memories::languages;
use crate::repeated::{Earlier, Precedence};
use crate::shared::config::BankConfig;
use crate::shared::lock::PinnedBank;
use crate::shared::shared_file;
use cerberus_model::State;
use cerberus_model::text::{masked, plural};

/// Whether a repository pins the commit that the revision of a bank has now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PinState {
    Current,
    Old,
    /// `banks.lock` has another source or revision than `cerberus.toml`, or none.
    Unpinned,
    /// The newest commit is not known.
    Unknown,
}

/// What a repository has of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleState {
    /// Its example is in place.
    Held,
    /// The code of its example changed, or is gone.
    Drifted,
    Unanchored,
    /// It has no example by decision, or cannot have one.
    NoExample,
    /// The repository switched it off.
    Off,
}

/// A repository of the report.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Repository {
    /// URL or folder.
    pub place: String,
    pub branch: Option<String>,
    pub commit: Option<String>,
    /// Why it could not be read.
    pub error: Option<String>,
    pub(crate) has_bank: bool,
    pub banks: Vec<BankUse>,
    /// Ordered by bank and id.
    pub rules: Vec<RuleUse>,
    pub warnings: Vec<String>,
}

/// A shared bank of a repository.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BankUse {
    pub name: String,
    pub(crate) source: String,
    pub(crate) revision: String,
    pub state: PinState,
    /// The pinned commit.
    pub commit: Option<String>,
    pub(crate) newest: Option<String>,
    /// Number of commits that the newest one has and the pinned one has not, if known.
    pub behind: Option<usize>,
}

/// A rule of a repository.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleUse {
    pub id: String,
    /// The source of its shared bank; `None` for a rule of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bank: Option<String>,
    pub state: RuleState,
    /// The state of its anchor, if that is not fresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) anchor: Option<State>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
    /// The memory of the repository with the text of this shared one, which is used instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) used: Option<String>,
    /// Why the repository replaces it or switched it off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Repository {
    pub(super) fn failed(source: &Source, why: &str) -> Self {
        Self {
            place: masked(&source.place),
            branch: source.branch.clone(),
            error: Some(why.to_owned()),
            ..Self::default()
        }
    }

    /// Adds a shared bank of the configuration, and what it is pinned to.
    fn add_bank(
        &mut self,
        source: &Source,
        config: &BankConfig,
        pin: Option<&PinnedBank>,
        banks: &Banks,
    ) {
        let newest = banks.newest(config, source);
        let state = match (pin, &newest) {
            (None, _) => PinState::Unpinned,
            (Some(_), Err(_)) => PinState::Unknown,
            (Some(pin), Ok(newest)) if pin.commit == newest.commit => PinState::Current,
            (Some(_), Ok(_)) => PinState::Old,
        };
        let behind = pin.zip(newest.ok()).and_then(|(pin, it)| it.behind.get(&pin.commit).copied());
        let (name, revision) = (&config.name, config.revision());
        if let Err(why) = newest {
            self.warnings.push(format!("the newest commit of the bank `{name}`: {why}"));
        } else if behind == Some(None) {
            self.warnings.push(format!(
                "the {revision} of the bank `{name}` does not contain the pinned commit"
            ));
        }
        self.banks.push(BankUse {
            name: name.clone(),
            source: config.shown_source(),
            revision: revision.to_string(),
            state,
            commit: pin.map(|pin| pin.commit.clone()),
            newest: newest.ok().map(|newest| newest.commit.clone()),
            behind: behind.flatten(),
        });
    }

    /// Returns the number of rules with this state.
    pub fn n_rules(&self, state: RuleState) -> usize {
        self.rules.iter().filter(|rule| rule.state == state).count()
    }
}

/// Returns the report of one repository.
pub(super) fn repository(source: &Source, record: &Record, banks: &Banks) -> Repository {
    let mut repository = Repository {
        commit: Some(record.commit.clone()),
        error: None,
        has_bank: record.has_bank,
        warnings: record.warnings.clone(),
        ..Repository::failed(source, "")
    };
    // As in the repository: of the shared rules with an id the first in the order of the configuration
    // is used, of those with a text the first in the order of the paths.
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    let mut shared: BTreeMap<String, (&BankConfig, &SharedRule)> = BTreeMap::new();
    for config in &record.banks {
        let pin = record.pin(config);
        repository.add_bank(source, config, pin, banks);
        let rules = match pin.map(|pin| banks.rules(pin)) {
            Some(Ok(rules)) => rules,
            Some(Err(why)) => {
                let name = &config.name;
                repository.warnings.push(format!("the texts of the bank `{name}`: {why}"));
                continue;
            }
            None => continue,
        };
        let selection = config.selection();
        for shared_rule in rules.iter().filter(|it| selection.takes(&it.memory)) {
            let id = &shared_rule.memory.id;
            if let Some(off) = config.off.iter().find(|off| off.id == *id) {
                let reason = Some(off.reason.clone());
                let of = rule(id, Some(config.shown_source()), None, false);
                repository.rules.push(RuleUse { state: RuleState::Off, reason, ..of });
            } else if ids.insert(id) {
                shared.insert(shared_file(&config.name, &shared_rule.path), (config, shared_rule));
            }
        }
    }
    let mut earlier = Earlier::default();
    for memory in &record.memories {
        earlier.add("", &memory.id, memory.text);
    }
    // The source and the id of the shared rule in whose place a memory of the repository is used.
    let mut replaced: BTreeMap<String, (String, String)> = BTreeMap::new();
    for (file, (config, SharedRule { memory, text, .. })) in shared {
        let (id, bank) = (&memory.id, config.shown_source());
        let used = match earlier.add(&file, id, *text) {
            Precedence::First => {
                let is_refused = memory.example.is_some() || config.no_example.contains(id);
                let can_have = languages(&memory.scope).is_ok() && !is_refused;
                let anchor = record.anchors.get(id);
                repository.rules.push(rule(id, Some(bank), anchor, can_have));
                continue;
            }
            Precedence::SameId(_) => id.clone(),
            Precedence::SameText(used) => used,
        };
        replaced.entry(used).or_insert_with(|| (bank, id.clone()));
    }
    for memory in record.memories.iter().filter(|memory| memory.is_rule) {
        let can_have = memory.can_have_example && !memory.is_without_example;
        let anchor = record.anchors.get(&memory.id);
        let (bank, id) = match replaced.get(&memory.id) {
            Some((bank, id)) => (Some(bank.clone()), id),
            None => (None, &memory.id),
        };
        let used = (*id != memory.id).then(|| memory.id.clone());
        let reason = (bank.is_some() && used.is_none()).then(|| {
            let reason = memory.override_reason.as_deref().unwrap_or("no reason given");
            format!("replaced: {reason}")
        });
        repository.rules.push(RuleUse { used, reason, ..rule(id, bank, anchor, can_have) });
    }
    repository.rules.sort_by(|a, b| (&a.bank, &a.id).cmp(&(&b.bank, &b.id)));
    repository
}

fn rule(id: &str, bank: Option<String>, anchor: Option<&AnchorState>, can_have: bool) -> RuleUse {
    let state = match anchor {
        Some(anchor) if anchor.drift => RuleState::Drifted,
        Some(_) => RuleState::Held,
        None if can_have => RuleState::Unanchored,
        None => RuleState::NoExample,
    };
    RuleUse {
        id: id.to_owned(),
        bank,
        state,
        anchor: anchor.map(|anchor| anchor.state).filter(|state| *state != State::Fresh),
        file: anchor.map(|anchor| anchor.file.clone()),
        symbol: anchor.and_then(|anchor| anchor.symbol.clone()),
        used: None,
        reason: None,
    }
}

/// The joined report.
#[derive(Debug, Serialize)]
pub struct Fleet {
    pub counts: Counts,
    pub banks: Vec<BankVersions>,
    /// The rules of shared banks, and those of more than one repository.
    pub rules: Vec<Rule>,
    pub repositories: Vec<Repository>,
}

/// The counts of a report.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    pub repositories: usize,
    pub unreadable: usize,
    pub without_bank: usize,
    /// Repositories that pin an old version of a bank.
    pub behind: usize,
    pub held: usize,
    pub drifted: usize,
    pub unanchored: usize,
}

impl Counts {
    fn new(repositories: &[Repository]) -> Self {
        let n = |is_counted: &dyn Fn(&Repository) -> bool| {
            repositories.iter().filter(|it| is_counted(it)).count()
        };
        let n_rules = |state| repositories.iter().map(|it| it.n_rules(state)).sum();
        Self {
            repositories: repositories.len(),
            unreadable: n(&|it| it.error.is_some()),
            without_bank: n(&|it| it.error.is_none() && !it.has_bank && it.banks.is_empty()),
            behind: n(&|it| it.banks.iter().any(|bank| bank.state == PinState::Old)),
            held: n_rules(RuleState::Held),
            drifted: n_rules(RuleState::Drifted),
            unanchored: n_rules(RuleState::Unanchored),
        }
    }
}

/// The versions of a shared bank that repositories pin.
#[derive(Debug, Default, Serialize)]
pub struct BankVersions {
    pub source: String,
    pub revision: String,
    pub newest: Option<String>,
    /// The newest commit first, then those that most repositories pin.
    pub pinned: Vec<PinnedCommit>,
    pub unpinned: usize,
}

/// A commit of a shared bank that repositories pin.
#[derive(Debug, Clone, Serialize)]
pub struct PinnedCommit {
    pub commit: String,
    /// Number of repositories that pin it.
    pub repositories: usize,
    /// Number of commits that the newest one has and this one has not, if known.
    pub behind: Option<usize>,
}

impl BankVersions {
    fn add(&mut self, bank: &BankUse) {
        self.newest = bank.newest.clone().or(self.newest.take());
        let Some(commit) = &bank.commit else {
            self.unpinned += 1;
            return;
        };
        match self.pinned.iter_mut().find(|pinned| pinned.commit == *commit) {
            Some(pinned) => {
                pinned.repositories += 1;
                pinned.behind = bank.behind.or(pinned.behind);
            }
            None => self.pinned.push(PinnedCommit {
                commit: commit.clone(),
                repositories: 1,
                behind: bank.behind,
            }),
        }
    }

    fn sort(&mut self) {
        let Self { newest, pinned, .. } = self;
        pinned.sort_by_cached_key(|it| {
            (newest.as_ref() != Some(&it.commit), Reverse(it.repositories), it.commit.clone())
        });
    }
}

/// A rule in all repositories.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    pub id: String,
    pub(crate) bank: Option<String>,
    /// Number of repositories that have it.
    pub(crate) repositories: usize,
    pub(crate) held: usize,
    pub(crate) drifted: usize,
    pub(crate) unanchored: usize,
    pub(crate) no_example: usize,
    pub(crate) off: usize,
    /// Whether it has an example in place in each repository that uses it.
    pub everywhere: bool,
}

impl Rule {
    fn add(&mut self, rule: &RuleUse) {
        self.repositories += 1;
        *match rule.state {
            RuleState::Held => &mut self.held,
            RuleState::Drifted => &mut self.drifted,
            RuleState::Unanchored => &mut self.unanchored,
            RuleState::NoExample => &mut self.no_example,
            RuleState::Off => &mut self.off,
        } += 1;
        self.everywhere = self.held > 0 && self.held + self.off == self.repositories;
    }

    /// Returns the number of repositories that have it, and those by state.
    pub fn counts(&self) -> [usize; 6] {
        let Self { repositories, held, drifted, unanchored, no_example, off, .. } = *self;
        [repositories, held, drifted, unanchored, no_example, off]
    }
}

impl Fleet {
    /// Joins repositories; of one that is there twice, the last is used.
    pub fn new(repositories: Vec<Repository>) -> Self {
        let by_place =
            repositories.into_iter().map(|it| ((it.place.clone(), it.branch.clone()), it));
        let repositories: Vec<Repository> =
            by_place.collect::<BTreeMap<_, _>>().into_values().collect();
        let mut banks: BTreeMap<(&str, &str), BankVersions> = BTreeMap::new();
        let mut rules: BTreeMap<(Option<&str>, &str), Rule> = BTreeMap::new();
        for bank in repositories.iter().flat_map(|it| &it.banks) {
            let (source, revision) = (bank.source.clone(), bank.revision.clone());
            let new = BankVersions { source, revision, ..BankVersions::default() };
            banks.entry((&bank.source, &bank.revision)).or_insert(new).add(bank);
        }
        for rule in repositories.iter().flat_map(|it| &it.rules) {
            let new = Rule { id: rule.id.clone(), bank: rule.bank.clone(), ..Rule::default() };
            rules.entry((rule.bank.as_deref(), &rule.id)).or_insert(new).add(rule);
        }
        let rules = rules.into_values().filter(|it| it.bank.is_some() || it.repositories > 1);
        let rules = rules.collect();
        let mut banks: Vec<BankVersions> = banks.into_values().collect();
        banks.iter_mut().for_each(BankVersions::sort);
        Self { counts: Counts::new(&repositories), banks, rules, repositories }
    }

    /// Returns the repositories that need attention, each with the reasons.
    pub fn attention(&self) -> Vec<(&Repository, String)> {
        let attention = self.repositories.iter().filter_map(|repository| {
            let mut reasons: Vec<String> = repository.error.iter().cloned().collect();
            reasons.extend(repository.banks.iter().filter_map(|bank| match bank.state {
                PinState::Old => Some(format!("{} is {}", bank.name, behind(bank.behind))),
                PinState::Unpinned => Some(format!("{} is not pinned", bank.name)),
                PinState::Current | PinState::Unknown => None,
            }));
            for (state, word) in
                [(RuleState::Drifted, "drifted"), (RuleState::Unanchored, "unanchored")]
            {
                let rules = repository.rules.iter().filter(|rule| rule.state == state);
                let ids: BTreeSet<&str> = rules.map(|rule| rule.id.as_str()).collect();
                let shown: Vec<&str> = ids.iter().take(3).copied().collect();
                let more = match ids.len() - shown.len() {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                if !ids.is_empty() {
                    reasons.push(format!("{word}: {}{more}", shown.join(", ")));
                }
            }
            reasons.extend(repository.warnings.iter().cloned());
            (!reasons.is_empty()).then(|| (repository, reasons.join("; ")))
        });
        attention.collect()
    }
}

/// Returns in words how old a pinned commit is.
pub fn behind(n_commits: Option<usize>) -> String {
    n_commits.map_or_else(|| "old".to_owned(), |n| format!("{} behind", plural(n, "commit")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(id: &str, state: RuleState) -> RuleUse {
        let anchor = (state == RuleState::Held).then(|| AnchorState {
            file: "a.py".to_owned(),
            symbol: None,
            state: State::Fresh,
            drift: false,
        });
        RuleUse { state, ..rule(id, Some("team".to_owned()), anchor.as_ref(), true) }
    }

    fn of(place: &str, commit: &str, rules: &[(&str, RuleState)]) -> Repository {
        let source = Source { place: place.to_owned(), branch: None };
        let state = if commit == "new" { PinState::Current } else { PinState::Old };
        let bank = BankUse {
            name: "team".to_owned(),
            source: "team".to_owned(),
            revision: "branch main".to_owned(),
            state,
            commit: Some(commit.to_owned()),
            newest: Some("new".to_owned()),
            behind: (commit != "new").then_some(3),
        };
        let rules = rules.iter().map(|(id, state)| used(id, *state)).collect();
        let failed = Repository::failed(&source, "");
        Repository { error: None, has_bank: true, banks: vec![bank], rules, ..failed }
    }

    #[test]
    fn versions_and_examples_are_counted_over_the_repositories() {
        use RuleState::{Drifted, Held, Off, Unanchored};
        let failed = Source { place: "c".to_owned(), branch: None };
        let fleet = Fleet::new(vec![
            of("b", "old", &[("hash", Held), ("close", Off), ("log", Drifted)]),
            of("a", "new", &[("hash", Held), ("close", Held), ("log", Unanchored)]),
            Repository::failed(&failed, "no answer"),
        ]);
        let places: Vec<&str> = fleet.repositories.iter().map(|it| it.place.as_str()).collect();
        assert_eq!(places, ["a", "b", "c"]);
        let counts = &fleet.counts;
        assert_eq!((counts.behind, counts.unreadable, counts.without_bank), (1, 1, 0));
        assert_eq!((counts.held, counts.drifted, counts.unanchored), (3, 1, 1));
        let pinned = fleet.banks[0].pinned.iter();
        let pinned: Vec<(&str, usize, Option<usize>)> =
            pinned.map(|it| (it.commit.as_str(), it.repositories, it.behind)).collect();
        assert_eq!(pinned, [("new", 1, None), ("old", 1, Some(3))]);
        // A repository that switched a rule off does not use it.
        let everywhere: Vec<(&str, bool)> =
            fleet.rules.iter().map(|it| (it.id.as_str(), it.everywhere)).collect();
        assert_eq!(everywhere, [("close", true), ("hash", true), ("log", false)]);
        let attention: Vec<(&str, String)> =
            fleet.attention().into_iter().map(|(it, why)| (it.place.as_str(), why)).collect();
        assert_eq!(attention[0], ("a", "unanchored: log".to_owned()));
        assert_eq!(attention[1], ("b", "team is 3 commits behind; drifted: log".to_owned()));
        assert_eq!(attention[2], ("c", "no answer".to_owned()));
    }

    #[test]
    fn the_last_of_two_readings_of_a_repository_is_used() {
        let old = of("a", "old", &[("hash", RuleState::Drifted)]);
        let new = of("a", "new", &[("hash", RuleState::Held)]);
        let fleet = Fleet::new(vec![old, new]);
        assert_eq!((fleet.repositories.len(), fleet.counts.behind), (1, 0));
        assert_eq!((fleet.counts.held, fleet.counts.drifted), (1, 0));
    }
}
