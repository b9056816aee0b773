//! `cerberus memory import`: adds the rules of documents.

use std::path::PathBuf;

use cerberus_bank::ops::import::{self, Item, Outcome, Report, Request};
use cerberus_bank::ops::open_rules::estimated_tokens;
use cerberus_markdown::rules;
use cerberus_model::Scope;
use cerberus_model::error::ExitStatus;
use cerberus_model::text::plural;
use clap::Args;

use super::args::SecretArgs;
use super::{confirm, setup};
use crate::config::Settings;
use crate::output::{CliResult, Printer};

mod print;

#[derive(Debug, Default, Args)]
pub(crate) struct ImportArgs {
    /// Documents with rules, or folders of documents (default: all files of rules in the project)
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Show what would be imported and skipped
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Write nothing; exit with 1 if the documents and the bank differ
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) check: bool,
    /// Do not ask before the rules of all files are imported
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Move the memories of items that are no longer in their documents to the trash
    #[arg(long, conflicts_with = "check")]
    pub(crate) prune: bool,
    /// Do not search for examples of the rules
    #[arg(long)]
    pub(crate) no_anchor: bool,
    /// Scope of the rules: universal, language:NAME or project:NAME
    #[arg(long)]
    pub(crate) scope: Option<Scope>,
    /// On a terminal, print a line for each rule instead of one for each document
    #[arg(long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

impl ImportArgs {
    fn request(&self) -> Request {
        Request {
            files: self.files.clone(),
            dry_run: self.dry_run,
            prune: self.prune,
            no_anchor: self.no_anchor,
            scope: self.scope.clone(),
            allow_secrets: self.secret.allow_secret,
        }
    }
}

pub(crate) fn run(args: &ImportArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let project = &settings.project;
    let request = args.request();
    let mut plan = import::plan(project, &request)?;
    if args.check {
        return check(&plan.report, out);
    }
    let may_ask = !args.yes && !args.dry_run && !out.json && confirm::is_possible(out);
    let n_removed = if args.prune { plan.removed.len() } else { 0 };
    if may_ask
        && (args.files.is_empty() || n_removed > 0)
        && plan
            .report
            .items
            .iter()
            .any(|item| item.outcome.is_difference())
    {
        print::documents(&plan.report, out);
        if args.prune {
            print::removals(&plan.report, true, out);
        }
        if !confirm::ask(&question(n_removed), out)? {
            out.line("nothing was imported");
            return Ok(ExitStatus::Done);
        }
    }
    if may_ask {
        for guide in guides(&plan.report) {
            if confirm::ask(&guide.question(), out)? {
                guide.take(&mut plan.report);
            }
        }
    }
    import::apply(project, &request, &mut plan)?;
    out.report(&plan.report, |report, out| {
        out.warn(&report.warnings);
        if report.dry_run || args.verbose || !out.terminal.out_is_terminal {
            print::rules(report, args.prune, out);
        } else {
            print::imported(report, args.prune, out);
        }
        let n_waiting = report.rules.as_ref().map_or(0, |rules| rules.waiting);
        if out.terminal.out_is_terminal && n_waiting > 0 {
            let agent = setup::reader(&project.root).unwrap_or("AGENT");
            let n_tokens = estimated_tokens(n_waiting);
            let command = format!("cerberus memory review --with {agent}");
            out.line(&format!(
                "  or let an agent choose: `{command}` (about {n_tokens} tokens)"
            ));
        }
    })?;
    Ok(ExitStatus::of_check(plan.report.is_complete()))
}

/// A document all of whose rules are doubtful because of its subject.
#[derive(Debug, PartialEq, Eq)]
struct Guide {
    file: String,
    /// As "a guide for prose".
    subject: String,
    n_rules: usize,
}

/// Returns the new guides of an import, in the order of the documents.
fn guides(report: &Report) -> Vec<Guide> {
    let mut guides: Vec<Guide> = Vec::new();
    for item in report.items.iter().filter(|item| is_of_guide(item)) {
        match guides.last_mut() {
            Some(last) if last.file == item.file => last.n_rules += 1,
            _ => guides.push(Guide {
                file: item.file.clone(),
                subject: item.doubt.clone().unwrap_or_default(),
                n_rules: 1,
            }),
        }
    }
    guides
}

fn is_of_guide(item: &Item) -> bool {
    let is_guide = |doubt: &str| [rules::OF_PROSE, rules::TUTORIAL].contains(&doubt);
    item.outcome == Outcome::Added && item.doubt.as_deref().is_some_and(is_guide)
}

impl Guide {
    fn question(&self) -> String {
        let n = plural(self.n_rules, "rule");
        format!(
            "{} is {}: take its {n}? Else they are proposed",
            self.file, self.subject
        )
    }

    /// Makes its rules ordinary ones, which are not proposed.
    fn take(&self, report: &mut Report) {
        for item in &mut report.items {
            if item.file == self.file && is_of_guide(item) {
                item.doubt = None;
            }
        }
        for document in &mut report.documents {
            if document.file == self.file {
                document.proposed -= self.n_rules;
            }
        }
    }
}

/// Reports the differences between the documents and the bank.
fn check(report: &Report, out: &mut Printer) -> CliResult {
    out.report(report, |report, out| {
        out.warn(&report.warnings);
        print::differences(report, out);
    })?;
    Ok(ExitStatus::of_check(
        !report.items.iter().any(|item| item.outcome.is_difference()),
    ))
}

/// Returns the question before an import that moves memories to the trash.
fn question(n_removed: usize) -> String {
    match n_removed {
        0 => "import these rules?".to_owned(),
        n => format!(
            "import these rules and move {} to the trash?",
            plural(n, "memory")
        ),
    }
}

#[cfg(test)]
mod tests {
    use cerberus_bank::ops::import::DocumentSummary;

    use super::*;

    #[test]
    fn a_guide_is_asked_about_as_a_whole() {
        let item = |file: &str, doubt: &str| Item {
            file: file.to_owned(),
            outcome: Outcome::Added,
            doubt: Some(doubt.to_owned()),
            ..Item::default()
        };
        let style = "docs/style.md";
        let mut report = Report {
            items: vec![
                item("AGENTS.md", "a statement"),
                item(style, rules::OF_PROSE),
                item(style, rules::OF_PROSE),
            ],
            documents: vec![DocumentSummary {
                file: style.to_owned(),
                proposed: 2,
                ..DocumentSummary::default()
            }],
            ..Report::default()
        };
        let found = guides(&report);
        let [guide] = &found[..] else {
            panic!("{found:?}");
        };
        let question =
            "docs/style.md is a guide for prose: take its 2 rules? Else they are proposed";
        assert_eq!(guide.question(), question);
        guide.take(&mut report);
        assert_eq!(report.documents[0].proposed, 0);
        assert!(report.items[0].doubt.is_some() && report.items[1].doubt.is_none());
    }

    #[test]
    fn a_prune_is_asked_with_the_number_of_memories() {
        assert_eq!(question(0), "import these rules?");
        let question = question(3);
        assert_eq!(
            question,
            "import these rules and move 3 memories to the trash?"
        );
    }
}
