//! `memory review --with`: an agent decides about rules, here a script with prepared answers.

use expect_test::expect;
use serde_json::{Value, json};

use crate::mcp::Client;
use crate::sandbox::Sandbox;

/// The command line of the agent.
pub(crate) const REVIEW: &str = "memory review --with \"sh $AGENT/agent.sh\"";

/// Rules of each kind, and one whose example a person chose. An agent prints the texts of `answers`, one
/// after the other, and stores the requests beside them.
pub(crate) fn project(answers: &[Value]) -> Sandbox {
    let sandbox = Sandbox::bank();
    for (id, text) in [
        (
            "escape",
            "Escape HTML entities in text before it is rendered as markup",
        ),
        ("hang", "Hang velvet curtains"),
        ("ask", "Ask the maintainers before adding a dependency"),
        ("mine", "Close the session"),
    ] {
        sandbox.ok(&format!("memory add \"{text}\" --id {id} --no-anchor"));
    }
    sandbox.ok("memory anchor mine --to web/cart.ts");
    prepare(&sandbox, answers);
    sandbox
}

pub(crate) fn prepare(sandbox: &Sandbox, answers: &[Value]) {
    let folder = sandbox.path("../agent");
    let script = format!(
        "cd {}\nn=$(ls | grep -c '^request')\ncat > request-$n.json\ncat answer-$n.json\n",
        folder.display()
    );
    sandbox.write("../agent/agent.sh", script);
    for (n, answer) in answers.iter().enumerate() {
        let text = answer
            .as_str()
            .map_or_else(|| answer.to_string(), str::to_owned);
        sandbox.write(format!("../agent/answer-{n}.json"), text);
    }
}

/// Returns the command line of a review with more arguments.
pub(crate) fn line(sandbox: &Sandbox, arguments: &str) -> String {
    let folder = sandbox.path("../agent").display().to_string();
    format!("{} {arguments}", REVIEW.replace("$AGENT", &folder))
}

fn review(sandbox: &Sandbox, arguments: &str) -> Value {
    let outcome = sandbox.run(&line(sandbox, &format!("{arguments} --json")));
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
    sandbox.json_of(outcome)
}

/// Returns a request of the agent.
fn request(sandbox: &Sandbox, n: usize) -> Value {
    serde_json::from_str(&sandbox.read(&format!("../agent/request-{n}.json"))).expect("JSON")
}

fn ids(rules: &Value) -> Vec<&str> {
    rules
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|rule| rule["id"].as_str())
        .collect()
}

fn ids_of_items(refused: &Value) -> Vec<&str> {
    refused
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["item"].as_str())
        .collect()
}

/// What the agent says about the kinds of the rules.
pub(crate) fn described() -> Value {
    json!({ "rules": [
        { "id": "ask", "kind": "process" },
        { "id": "escape", "kind": "code", "hints": ["escapeHtml", "entities"] },
        { "id": "hang", "kind": "code", "hints": ["curtain"] },
    ] })
}

#[test]
fn an_agent_describes_the_rules_and_chooses_their_examples() {
    let first = json!({ "rules": [
        { "id": "escape", "example": "web/html.ts::escapeHtml" },
        { "id": "hang", "hints": ["velvet"] },
    ] });
    let second = json!({ "rules": [{ "id": "hang", "hints": ["drapes"] }] });
    let sandbox = project(&[described(), first, second]);
    let report = review(&sandbox, "");
    let totals = json!({
        "anchored": 1, "process": 1, "none": 1, "described": 0, "refused": 0, "left": 0
    });
    assert_eq!(
        (&report["totals"], &report["agent"]),
        (&totals, &json!("sh"))
    );
    assert_eq!(report["tokens"]["estimated"], 3000);
    assert!(report["tokens"]["sent"].as_u64() > report["tokens"]["received"].as_u64());

    let describe = request(&sandbox, 0);
    assert_eq!(
        (&describe["version"], &describe["task"]),
        (&json!(1), &json!("describe"))
    );
    assert_eq!(
        ids(&describe["rules"]),
        ["ask", "escape", "hang"],
        "not that of a person"
    );
    assert!(
        describe["rules"][0].get("candidates").is_none(),
        "{describe}"
    );
    let choose = request(&sandbox, 1);
    assert_eq!(
        (&choose["task"], ids(&choose["rules"])),
        (&json!("choose"), vec!["escape", "hang"])
    );
    let candidate = &choose["rules"][0]["candidates"][0];
    assert_eq!(candidate["example"], "web/html.ts::escapeHtml");
    assert!(
        candidate["code"]
            .as_str()
            .expect("code")
            .contains("text.replace("),
        "{candidate}"
    );
    let again = request(&sandbox, 2);
    assert_eq!(
        again["rules"][0]["hints"],
        json!(["velvet"]),
        "in place of the first"
    );

    let lock = sandbox.lock();
    let chosen = "by = \"sh\"\nat = \"2026-01-02T03:04:05Z\"\n";
    assert!(
        lock.contains("origin = \"agent\"") && lock.contains(chosen),
        "{lock}"
    );
    assert!(sandbox.read(".memories/ask.md").contains("kind: process\n"));
    assert!(
        sandbox
            .read(".memories/ask.md")
            .contains("reviewed_by: sh\n")
    );
    assert!(
        sandbox
            .read(".memories/hang.md")
            .contains("hints: [curtain, velvet, drapes]\n")
    );
    assert!(
        sandbox
            .read(".memories/hang.md")
            .contains("reviewed_by: sh\n")
    );
    let nothing = review(&sandbox, "");
    assert_eq!(
        nothing["rules"],
        json!([]),
        "nothing is asked a second time"
    );
    assert!(!sandbox.exists("../agent/request-3.json"));
}

#[test]
fn what_the_agent_chose_is_reviewed_first_and_can_be_undone() {
    let first = json!({ "rules": [
        { "id": "escape", "example": "web/html.ts::ENTITIES" },
        { "id": "hang", "none": true },
    ] });
    let sandbox = project(&[described(), first]);
    sandbox.ok(&line(&sandbox, ""));
    sandbox.ok("memory add \"Sweep the velvet floor\" --id sweep --kind code --no-anchor");
    sandbox.session(expect![[r#"
        $ cerberus memory review --list --limit 1
        1/1 escape  anchored
          Escape HTML entities in text before it is rendered as markup
          hints: escapeHtml, entities
          anchor: web/html.ts::ENTITIES
          chosen by sh on 2026-01-02
          [1] web/html.ts::ENTITIES:1-1  Q, the code of the anchor
              const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
          [2] web/html.ts::escapeHtml:4-6  Q
              /** Escapes HTML entities in text before it is rendered as markup. */
              export function escapeHtml(text: string): string {
                return text.replace(/[&<>]/g, (found) => ENTITIES[found]);
              }

        3 memories to review, 1 of them listed; 1 process rule skipped (see --all)
        5 rules: 2 anchored, 2 waiting, 1 process, 0 no example
        next: cerberus memory review on a terminal, or cerberus memory anchor ID --to FILE::SYMBOL
        [exit 0]

        $ cerberus memory anchor escape
        --- stderr
        cerberus: `escape` is anchored by sh, to `web/html.ts::ENTITIES`
        hint: list other candidates with `cerberus memory anchor escape --candidates 5`
        hint: remove it with `cerberus memory anchor escape --clear`, then anchor again
        [exit 2]

        $ cerberus memory reanchor --undo
        reverted the last recorded change; restored 1 anchor
        [exit 0]
    "#]]);
    assert!(!sandbox.lock().contains("origin = \"agent\""));
    // A person confirms a choice by the command of any choice.
    sandbox.ok("memory anchor escape --to web/html.ts::escapeHtml");
    assert!(!sandbox.lock().contains("by = "));
}

#[test]
fn edited_code_of_an_agent_is_recorded_and_gone_code_is_not_replaced() {
    let first = json!({ "rules": [{ "id": "escape", "example": "web/html.ts::escapeHtml" }] });
    let sandbox = project(&[described(), first]);
    sandbox.ok(&line(&sandbox, ""));
    sandbox.commit("anchored");
    sandbox.edit("web/html.ts", "(found) =>", "(entity) =>");
    sandbox.edit("web/html.ts", "[found]", "[entity]");
    let report = sandbox.json("memory reanchor");
    let result = &report["results"][0];
    assert_eq!(
        (&result["id"], &result["chosen"]),
        (&json!("escape"), &json!("agent"))
    );
    assert_eq!(
        (&result["edited"], &result["drift"]),
        (&json!(true), &json!(false)),
        "{result}"
    );
    sandbox.write(
        "web/escape.ts",
        sandbox
            .read("web/html.ts")
            .replace("escapeHtml", "escapeText"),
    );
    sandbox.remove("web/html.ts");
    sandbox.edit(
        "web/escape.ts",
        "text.replace",
        "console.log(text); return text.split",
    );
    let report = sandbox.json("memory reanchor");
    assert_eq!(
        report["results"][0]["replacement"]["file"],
        Value::Null,
        "{report}"
    );
    assert!(sandbox.lock().contains("by = \"sh\""), "{report}");
}

#[test]
fn an_interrupted_run_goes_on() {
    let unreadable = json!("I cannot do that. \u{1b}[31m{");
    let sandbox = project(&[described(), unreadable.clone(), unreadable]);
    let outcome = sandbox.run(&line(&sandbox, ""));
    assert_eq!(outcome.status(), 3, "{}", outcome.text());
    let printed = outcome.stderr();
    let why = "it has no JSON object with a list `rules`; it starts with `I cannot do that. \\u{1b}[31m{`\nhint: run it again to go on\n";
    assert!(printed.ends_with(why), "{printed}");
    assert!(
        outcome
            .stdout()
            .contains("process ask\n2 left, 1 process\n"),
        "{}",
        outcome.text()
    );
    assert_eq!(
        request(&sandbox, 1)["rules"],
        request(&sandbox, 2)["rules"],
        "it is asked once more"
    );
    let refused = &request(&sandbox, 2)["refused"][0];
    assert_eq!(
        refused["reason"],
        "it has no JSON object with a list `rules`"
    );

    let rest = json!({ "rules": [
        { "id": "escape", "example": "web/html.ts::escapeHtml" }, { "id": "hang", "none": true },
    ] });
    sandbox.write(
        "../agent/answer-3.json",
        format!("Sure:\n```json\n{rest}\n```\n"),
    );
    let report = review(&sandbox, "");
    assert_eq!(
        request(&sandbox, 3)["task"],
        "choose",
        "the kinds are known"
    );
    assert_eq!(
        (&report["totals"]["anchored"], &report["totals"]["none"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn answers_that_are_not_valid_are_refused_one_by_one() {
    let wrong = json!({ "rules": [
        { "id": "escape", "example": "../agent/agent.sh" },
        { "id": "hang", "example": "web/html.ts::nothing" },
        { "id": "mine", "example": "web/html.ts::escapeHtml" },
        { "id": "my\n::error::", "example": "web/html.ts::escapeHtml" },
    ] });
    let sandbox = project(&[described(), wrong.clone(), wrong]);
    let before = sandbox.lock();
    let outcome = sandbox.run(&line(&sandbox, ""));
    let printed = outcome.stdout();
    let again = request(&sandbox, 2);
    assert_eq!(ids(&again["rules"]), ["escape", "hang"]);
    assert_eq!(
        ids_of_items(&again["refused"]),
        ["escape", "hang", "mine", "my\n::error::"]
    );
    assert!(!printed.contains("\n::"), "{printed}");
    for reason in [
        "refused escape: ",
        "refused hang: symbol `nothing` not found in `web/html.ts`; it defines",
        "refused mine: `mine` is not the id of a requested rule\n",
        "1 process, 4 refused\n",
    ] {
        assert!(printed.contains(reason), "{reason}\n{printed}");
    }
    assert_eq!(sandbox.lock(), before);
    assert!(
        !sandbox.read(".memories/escape.md").contains("reviewed_by"),
        "it is asked again"
    );
}

#[test]
fn an_item_that_is_no_object_is_refused_alone_and_asked_for_again() {
    let described = json!({ "rules": [
        { "id": "ask", "kind": "process" },
        { "id": "escape", "kind": "code", "hints": ["entities"] },
        { "id": "hang", "kind": "code", "hints": ["curtain"] },
    ] });
    let odd = json!({ "rules": [
        5, [], null, "hang", [{ "none": true }], { "id": 7, "none": true },
        { "id": "escape", "example": "web/html.ts::escapeHtml" },
    ] });
    let again = json!({ "rules": [{ "id": "hang", "hints": ["drapes"] }] });
    let last = json!({ "rules": [5] });
    let sandbox = project(&[described, odd, again, last.clone(), last]);
    let outcome = sandbox.run(&line(&sandbox, ""));
    let printed = outcome.stdout();
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
    assert!(
        printed.contains("anchored escape web/html.ts::escapeHtml\n"),
        "{printed}"
    );
    assert!(
        printed.contains("refused 5: it is not an object"),
        "{printed}"
    );
    let retry = request(&sandbox, 2);
    assert_eq!(ids(&retry["rules"]), ["hang"]);
    let expected = [
        "5",
        "[]",
        "null",
        "\"hang\"",
        "[{\"none\":true}]",
        "{\"id\":7,\"none\":true}",
    ];
    assert_eq!(ids_of_items(&retry["refused"]), expected);
    assert!(printed.contains("1 left"), "{printed}");
}

#[test]
fn limits_and_a_dry_run_are_respected() {
    let sandbox = project(&[described()]);
    let files = sandbox.bank_files();
    let plan = review(&sandbox, "--dry-run");
    assert_eq!(plan["request"]["task"], "describe");
    assert_eq!(ids(&plan["request"]["rules"]), ["ask", "escape", "hang"]);
    let one = review(&sandbox, "escape mine --dry-run --limit 1");
    assert_eq!(ids(&one["request"]["rules"]), ["escape"]);
    let outcome = sandbox.run(&line(&sandbox, "mine --dry-run"));
    let why =
        "warning: `mine` is skipped: a person chose its example; ask before you change that\n";
    assert_eq!(outcome.stderr(), why);
    let few = review(&sandbox, "--max-tokens 100");
    assert_eq!(
        (&few["totals"]["left"], &few["tokens"]["sent"]),
        (&json!(3), &json!(0))
    );
    assert!(
        !sandbox.exists("../agent/request-0.json"),
        "nothing was asked"
    );
    assert_eq!(sandbox.bank_files(), files);
    // The first request fits.
    let some = review(&sandbox, "--max-tokens 1000");
    assert_eq!(
        (&some["totals"]["process"], &some["totals"]["left"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(sandbox.run("memory review --dry-run").status(), 2);
    assert_eq!(sandbox.run("memory review nothing --with true").status(), 2);
}

#[test]
fn an_agent_that_fails_is_reported() {
    let sandbox = project(&[]);
    let outcome = sandbox.run("memory review --with \"echo 'not logged in' >&2; exit 1\"");
    assert_eq!(outcome.status(), 3);
    let printed = outcome.stderr();
    assert!(
        printed.contains("failed: not logged in\nhint: run it again to go on\n"),
        "{printed}"
    );
    let mut command = sandbox.command("memory review --with opencode");
    let shell = sandbox.path("../shell");
    std::fs::create_dir(&shell).expect("a new folder");
    let sh = String::from_utf8(
        sandbox
            .shell("command -v sh")
            .output()
            .expect("it runs")
            .stdout,
    );
    let target = sh.expect("a path");
    std::os::unix::fs::symlink(target.trim(), shell.join("sh")).expect("a link");
    command.env("PATH", &shell);
    let outcome = sandbox.outcome("", command.output().expect("it runs"));
    let printed = outcome.stderr();
    assert!(
        printed.contains("failed to start `opencode`") && printed.contains("--with COMMAND"),
        "{printed}"
    );
}

#[test]
fn an_agent_decides_over_mcp() {
    let sandbox = project(&[]);
    let mut client = Client::new(&sandbox);
    let listed = client.call("review_rules", json!({ "limit": 2 }));
    assert_eq!(
        (ids(&listed["rules"]), &listed["total"]),
        (vec!["ask", "escape"], &json!(3))
    );
    assert_eq!(
        listed["rules"][1]["candidates"][0]["example"],
        "web/html.ts::escapeHtml"
    );
    let answers = json!({ "rules": [
        { "id": "ask", "kind": "process" },
        { "id": "escape", "example": "web/html.ts::escapeHtml" },
        { "id": "hang", "hints": ["render"] },
        { "id": "mine", "none": true },
    ] });
    let answer = client.call("settle_rules", answers);
    let outcomes: Vec<(&str, &str)> = answer["decided"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| Some((it["id"].as_str()?, it["outcome"].as_str()?)))
        .collect();
    let expected = [
        ("mine", "refused"),
        ("ask", "process"),
        ("escape", "anchored"),
        ("hang", "described"),
    ];
    assert_eq!(outcomes, expected);
    assert_eq!(ids(&answer["rules"]), ["hang"], "with new candidates");
    let anchor = sandbox.json("memory review escape")["items"][0]["anchor"].clone();
    assert_eq!(
        (&anchor["chosen"], &anchor["by"]),
        (&json!("agent"), &json!("pipes"))
    );
    assert!(
        anchor["quality"].as_f64() < Some(1.0),
        "that of the candidate: {anchor}"
    );
    client.call(
        "settle_rules",
        json!({ "rules": [{ "id": "hang", "none": true }] }),
    );
    assert_eq!(client.call("review_rules", json!({}))["total"], 0);
    let theirs = json!({ "id": "mine", "to": "web/html.ts::escapeHtml" });
    let refused = client.refused("anchor_memory", theirs);
    assert_eq!(
        refused,
        "failed to anchor `mine`: a person chose its example; ask before you change that"
    );
    let own = json!({ "id": "escape", "to": "web/html.ts::ENTITIES" });
    assert_eq!(
        client.call("anchor_memory", own)["anchor"]["chosen"],
        "agent"
    );
}

#[test]
fn a_proposed_pattern_is_tested_and_not_stored() {
    let pattern = "language: TypeScript\nrule: {pattern: eval($A)}\n";
    let described = json!({ "rules": [
        { "id": "ask", "kind": "process", "pattern": "command: [npm install]" },
        { "id": "escape", "kind": "code", "hints": ["entities"], "pattern": pattern },
        { "id": "hang", "kind": "code", "hints": ["curtain"], "pattern": "language: Cobol" },
    ] });
    let chosen = json!({ "rules": [
        { "id": "escape", "example": "web/html.ts::escapeHtml" },
        { "id": "hang", "none": true },
    ] });
    let sandbox = project(&[described.clone(), chosen.clone()]);
    let report = review(&sandbox, "");
    let rule = |id: &str| {
        let mut rules = report["rules"].as_array().expect("a list").iter();
        rules.find(|it| it["id"] == *id).expect("a rule").clone()
    };
    assert_eq!(rule("ask")["pattern"], "command: [npm install]");
    assert_eq!(
        (&rule("escape")["pattern"], &rule("escape")["outcome"]),
        (&json!(pattern), &json!("anchored"))
    );
    let refused = rule("hang");
    assert_eq!(
        (&refused["pattern"], &refused["outcome"]),
        (&Value::Null, &json!("none"))
    );
    assert!(
        refused["reason"]
            .as_str()
            .expect("a reason")
            .starts_with("its pattern is refused: ")
    );
    for id in ["ask", "escape", "hang"] {
        let text = sandbox.read(&format!(".memories/{id}.md"));
        assert!(
            !text.contains("pattern:") && !text.contains("command:"),
            "{text}"
        );
    }
    let sandbox = project(&[described, chosen]);
    let text = sandbox.run(&line(&sandbox, "")).text();
    assert!(text.contains("  rule: {pattern: eval($A)}"), "{text}");
    assert!(
        text.contains("next: cerberus memory pattern ID --set FILE"),
        "{text}"
    );
}
