//! `cerberus memory stats`.

use anyhow::Result;
use clap::Args;

use crate::config::Settings;
use crate::error::ExitStatus;
use crate::ops::stats;
use crate::output::Printer;

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// List each anchor with its state
    #[arg(long)]
    pub(crate) show_anchors: bool,
}

pub(crate) fn run(args: &StatsArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let report = stats::stats(&settings.project, args.show_anchors)?;
    out.warn(&report.warnings);
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    let mut rows = vec![vec!["memories".to_owned(), String::new(), report.memories.to_string()]];
    for (what, counts) in
        [("type", &report.by_type), ("scope", &report.by_scope), ("status", &report.by_status)]
    {
        rows.extend(
            counts.iter().map(|(name, n)| vec![what.to_owned(), name.clone(), n.to_string()]),
        );
    }
    let percent =
        report.anchored_percent.map(|percent| format!(" ({percent:.1} %)")).unwrap_or_default();
    rows.push(vec!["anchored".to_owned(), String::new(), format!("{}{percent}", report.anchored)]);
    for (state, n) in &report.anchors_by_state {
        rows.push(vec!["anchor".to_owned(), state.to_string(), n.to_string()]);
    }
    if report.links > 0 {
        rows.push(vec!["links".to_owned(), String::new(), report.links.to_string()]);
        rows.push(vec!["links".to_owned(), "broken".to_owned(), report.broken_links.to_string()]);
    }
    let approval = &report.approval;
    for (what, verdicts) in
        [("with example", &approval.with_example), ("without example", &approval.without_example)]
    {
        if let Some(percent) = verdicts.percent {
            let n = verdicts.good + verdicts.bad;
            let shown = format!("{} of {n} ({percent:.1} %)", verdicts.good);
            rows.push(vec!["approval".to_owned(), what.to_owned(), shown]);
        }
    }
    out.rows(&["what", "value", "memories"], &rows);
    if let Some(anchors) = &report.anchors {
        out.line("");
        let rows: Vec<Vec<String>> = anchors
            .iter()
            .map(|it| {
                let place = super::place(&it.file, it.symbol.as_deref());
                vec![it.id.clone(), it.state.to_string(), format!("{:.2}", it.quality), place]
            })
            .collect();
        out.rows(&["id", "state", "quality", "example"], &rows);
    }
    Ok(ExitStatus::Done)
}
