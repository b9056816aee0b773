//! `check` fails on what is sure, and only warns of what is likely; what was wrong from the first day is a class of its own.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Returns the findings as `LEVEL CLASS LINE CLAIM`.
fn shown(report: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for finding in report["findings"].as_array().expect("a list") {
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        found.push(format!(
            "{} {} {} {}",
            text("severity"),
            text("class"),
            finding["line"],
            text("claim")
        ));
    }
    found
}

#[test]
fn kind_place_and_document_decide_the_level() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "src/till.py",
        "def pay_out():\n    return 1\n\n\ndef open_day():\n    return 2\n",
    );
    sandbox.write("src/keep.py", "x = 1\n");
    sandbox.write(
        "AGENTS.md",
        "# Shop\n\nSee `src/till.py`, call `pay_out()`, and then `open_day`.\n\n## Before the change\n\nIt was `src/till.py`.\n",
    );
    sandbox.write("skills/pay/SKILL.md", "# Pay\n\nRead `src/till.py`.\n");
    sandbox.commit("start");
    sandbox.git("rm -q src/till.py");
    sandbox.commit("Drop the till");
    let report = sandbox.json_of(sandbox.run("check AGENTS.md skills --json"));
    assert_eq!(
        shown(&report),
        [
            "warning stale 3 open_day",
            "error stale 3 pay_out()",
            "error stale 3 src/till.py",
            "warning stale 7 src/till.py",
            "warning stale 3 src/till.py",
        ]
    );
    assert_eq!(report["ok"], false);
    // A warning fails only on request, and an accepted one is not shown.
    assert_eq!(sandbox.run("check skills").status(), 0);
    assert_eq!(sandbox.run("check skills --strict").status(), 1);
    sandbox.ok("check --baseline accepted.json --update-baseline");
    assert_eq!(
        sandbox
            .run("check skills --strict --baseline accepted.json")
            .status(),
        0
    );
}

#[test]
fn an_accepted_warning_that_becomes_an_error_is_reported() {
    let sandbox = Sandbox::empty();
    sandbox.write("src/till.py", "x = 1\n");
    sandbox.write("src/keep.py", "x = 1\n");
    sandbox.write("AGENTS.md", "# Shop\n\n## Old\n\nSee `src/till.py`.\n");
    sandbox.commit("start");
    sandbox.git("rm -q src/till.py");
    sandbox.commit("Drop the till");
    sandbox.ok("check --baseline accepted.json --update-baseline");
    assert!(
        sandbox
            .read("accepted.json")
            .contains("\"level\": \"warning\"")
    );
    sandbox.write("AGENTS.md", "# Shop\n\nSee `src/till.py`.\n");
    let report = sandbox.json_of(sandbox.run("check --baseline accepted.json --json"));
    assert_eq!(shown(&report), ["error stale 3 src/till.py"]);
}

#[test]
fn mistakes_of_a_new_line_are_errors_and_others_are_warnings() {
    let sandbox = Sandbox::empty();
    sandbox.write("src/main.c", "int main(void) { return 0; }\n");
    sandbox.write("Makefile", "all:\n\tcc src/main.c\n");
    sandbox.write("web/package.json", "{\"scripts\": {\"dev\": \"x\"}}\n");
    sandbox.write(
        "AGENTS.md",
        "# Shop\n\nRead [the guide](docs/guide.md) and @docs/style.md, then run `npm run dev`.\n\n[top](#nothing) and [site](/pages/x.md)\n",
    );
    sandbox.commit("start");
    let report = sandbox.json_of(sandbox.run("check --json"));
    assert_eq!(
        shown(&report),
        [
            "warning mistaken 3 docs/guide.md",
            "warning mistaken 3 docs/style.md",
            "warning mistaken 3 npm run dev",
            "warning mistaken 5 #nothing",
        ]
    );
    let text = sandbox.read("AGENTS.md");
    let added = "\nPut it into `src/c.py`, run `make lint`, and see [x](docs/no.md).\n";
    sandbox.write("AGENTS.md", format!("{text}{added}"));
    let report = sandbox.json_of(sandbox.run("check --since HEAD --json"));
    assert_eq!(
        shown(&report),
        [
            "error mistaken 7 docs/no.md",
            "error mistaken 7 make lint",
            "error mistaken 7 src/c.py",
        ]
    );
}

#[test]
fn a_tree_that_the_project_has_otherwise_says_what_is_not_there() {
    let sandbox = Sandbox::empty();
    for name in ["a", "b", "c", "d"] {
        sandbox.write(format!("src/{name}.py"), "x = 1\n");
    }
    let tree = "src/\n├── a.py\n├── b.py\n├── c.py\n├── d.py\n└── e.py\n";
    sandbox.write("AGENTS.md", format!("# Shop\n\n```\n{tree}```\n"));
    sandbox.commit("start");
    let report = sandbox.json_of(sandbox.run("check --json"));
    assert_eq!(shown(&report), ["warning mistaken 9 e.py"]);
}

#[test]
fn a_path_that_was_gone_when_its_line_was_written_is_a_mistake() {
    let sandbox = Sandbox::empty();
    sandbox.write("till/deep/count_coins.py", "x = 1\n");
    sandbox.write("till/keep.py", "x = 1\n");
    sandbox.write("drawer/a.py", "x = 1\n");
    sandbox.commit("start");
    sandbox.git("rm -q -r till/deep drawer");
    sandbox.commit("Drop the count");
    let text = "# Shop\n\nSee `till/deep/count_coins.py`, `till/deep/`, `till/never/x.py` and `../other/y.py`.\n\n\
        `drawer/b.py`, `count_coins.py`\n";
    sandbox.write("AGENTS.md", text);
    sandbox.write("docs/story.md", text);
    sandbox.commit("Write the rules");
    let report = sandbox.json_of(sandbox.run("check . --json"));
    let expected = [
        "warning mistaken 3 till/deep/",
        "warning mistaken 3 till/deep/count_coins.py",
    ];
    assert_eq!(shown(&report), expected);
    let reason = report["findings"][0]["message"].as_str();
    assert!(reason.is_some_and(|reason| reason.contains("removed it")));
    // Of a change only its own lines count.
    sandbox.write(
        "AGENTS.md",
        format!("{text}\nFirst run `till/deep/count_coins.py`.\n"),
    );
    let report = sandbox.json_of(sandbox.run("check AGENTS.md --since HEAD --json"));
    assert_eq!(
        shown(&report),
        ["error mistaken 7 till/deep/count_coins.py"]
    );
}

#[test]
fn links_of_all_documents_are_checked_and_the_report_says_what_was_read() {
    let sandbox = Sandbox::empty();
    sandbox.write("AGENTS.md", "# Shop\n\nSee `src/a.py`.\n");
    sandbox.write("src/a.py", "x = 1\n");
    sandbox.write("docs/guide/till.md", "[stock](stock.md), `src/b.py`\n");
    sandbox.write("docs/guide/stock.md", "# Stock\n");
    sandbox.write("docs/other.md", "[x](none.md)\n");
    sandbox.commit("start");
    sandbox.git("rm -q docs/guide/stock.md");
    sandbox.commit("Drop the stock");
    let report = sandbox.json_of(sandbox.run("check --json"));
    assert_eq!(
        shown(&report),
        ["error stale 1 stock.md", "warning mistaken 1 none.md"]
    );
    assert_eq!(
        report["documents"],
        serde_json::json!([
            { "path": "AGENTS.md", "read": "all" },
            { "path": "docs/guide/till.md", "read": "links" },
            { "path": "docs/other.md", "read": "links" },
        ])
    );
    let text = sandbox.run("check").text();
    assert!(
        text.contains("in 1 document; of 2 others only the links: cerberus check ."),
        "{text}"
    );
}

#[test]
fn the_hook_after_an_edit_says_what_is_not_there() {
    let sandbox = Sandbox::anchored();
    let line = "Put it into `src/none.py`, and see [x](docs/no.md).";
    sandbox.write("AGENTS.md", "# Shop\n");
    sandbox.commit("Add instructions");
    sandbox.write("AGENTS.md", format!("# Shop\n\n{line}\n"));
    let event = serde_json::json!({
        "session_id": "s",
        "cwd": sandbox.path(""),
        "tool_name": "Write",
        "tool_input": { "file_path": sandbox.path("AGENTS.md"), "content": line },
    });
    let answer = sandbox.piped("hooks run claude after-edit", event.to_string());
    let answer = answer.text();
    assert!(
        answer.contains("docs/no.md") && answer.contains("src/none.py"),
        "{answer}"
    );
}

#[test]
fn memories_of_agents_are_compared_with_the_time_when_they_were_written() {
    let sandbox = Sandbox::empty();
    sandbox.write("src/till.py", "def pay_out():\n    return 1\n");
    sandbox.write("src/keep.py", "x = 1\n");
    sandbox.commit("start");
    let later =
        "git rm -q src/till.py && GIT_COMMITTER_DATE=2026-03-01T00:00:00Z git commit -qm later";
    assert!(sandbox.shell(later).status().expect("it runs").success());
    let text = "The till is `src/till.py`, never was `src/none.py`.\n";
    for (day, expected) in [
        ("2026-02-01", vec!["error stale 4 src/till.py"]),
        ("2026-04-01", Vec::new()),
    ] {
        sandbox.write("../memory.md", format!("---\nupdated: {day}\n---\n{text}"));
        let report = sandbox.json_of(sandbox.run("check --project . ../memory.md --json"));
        assert_eq!(shown(&report), expected, "{day}");
    }
    let memory = format!("---\nupdated: 2026-02-01\n---\n{text}");
    sandbox.write(".claude/agent-memory/till.md", memory);
    let doctor = sandbox.run("doctor").text();
    let message = "out of date: 1 of 1 memory of agents";
    assert!(doctor.contains(message), "{doctor}");
    sandbox.remove(".claude/agent-memory/till.md");
    let memory = "---\nstale_after: 2025-01-01\n---\nText.\n";
    sandbox.write(".claude/agent-memory/a.md", memory);
    let report = sandbox.json_of(sandbox.run("check --memories --json"));
    assert_eq!(shown(&report), ["warning stale 2 2025-01-01"]);
}

#[test]
fn a_path_that_was_where_its_line_says_is_sure_in_a_block_too() {
    let sandbox = Sandbox::empty();
    for file in ["tools/run.sh", "lib/core/a.py", "out/site/index.md"] {
        sandbox.write(file, "x = 1\n");
    }
    let text = "# Shop\n\nThe core is in `lib/core`, pages are in `out/site`.\n\n```sh\nsh ./tools/run.sh\nsh run.sh\n```\n";
    sandbox.write("AGENTS.md", text);
    sandbox.write("docs/pages.md", "# Pages\n\nThe pages are in `out/site`.\n");
    sandbox.commit("start");
    sandbox.git("rm -qr tools lib out");
    sandbox.commit("Drop them");
    let report = sandbox.json_of(sandbox.run("check AGENTS.md docs/pages.md --json"));
    assert_eq!(
        shown(&report),
        [
            "error stale 3 lib/core",
            "error stale 3 out/site",
            "error stale 6 ./tools/run.sh",
            "warning stale 7 run.sh",
            "warning stale 3 out/site",
        ]
    );
}

#[test]
fn a_call_of_what_is_only_a_field_now_is_stale() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "src/till.py",
        "def drawer():\n    return 1\n\n\ndef close_day():\n    return 2\n",
    );
    sandbox.write("AGENTS.md", "Call `drawer()`, then `close_day()`.\n");
    sandbox.commit("start");
    sandbox.write(
        "src/till.py",
        "class Till:\n    drawer: int\n\n\ndef close_day():\n    return 2\n",
    );
    sandbox.commit("Replace the function");
    let report = sandbox.json_of(sandbox.run("check --json"));
    assert_eq!(shown(&report), ["error stale 1 drawer()"]);
}

#[test]
fn links_in_a_comment_of_several_lines_and_to_pages_of_a_site_are_no_mistakes() {
    let sandbox = Sandbox::empty();
    sandbox.write("docs/root.tsx.md", "# Root\n");
    let text = "<p>\n<!--\n<img src=\"./none.png\">\n-->\n<img src=\"./no.png\">\n</p>\n\n[root](./docs/root.tsx)\n";
    sandbox.write("README.md", text);
    sandbox.commit("start");
    let report = sandbox.json_of(sandbox.run("check --json"));
    assert_eq!(shown(&report), ["warning mistaken 5 ./no.png"]);
}

#[test]
fn labels_of_a_site_and_headings_of_an_included_text_are_no_mistakes() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "docs/a.md",
        "# A\n\nSee [the stub](shop.Stub) and [no](no.md).\n",
    );
    sandbox.write(
        "docs/b.md",
        "# B\n\n[size](#size)\n\n{{% include \"size.md\" %}}\n",
    );
    sandbox.write("docs/c.md", "# C\n\n[size](#size)\n");
    sandbox.commit("start");
    let report = sandbox.json_of(sandbox.run("check --json docs"));
    let found = shown(&report);
    assert_eq!(
        found,
        ["warning mistaken 3 no.md", "warning mistaken 3 #size"]
    );
}

#[test]
fn a_path_in_the_place_of_a_command_is_checked_and_quiet_prints_findings_only() {
    let sandbox = Sandbox::empty();
    sandbox.write("docs/a.md", "# A\n\n[b](b.md)\n");
    sandbox.commit("start");
    let whole = sandbox.run("docs").text();
    assert!(
        whole.contains("`b.md`") && whole.contains("checked 1 claim"),
        "{whole}"
    );
    let quiet = sandbox.run("docs -q").text();
    assert!(
        quiet.contains("`b.md`") && !quiet.contains("checked"),
        "{quiet}"
    );
    assert_eq!(sandbox.run("none").status(), 2);
}
