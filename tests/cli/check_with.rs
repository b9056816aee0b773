//! `check --with`: an agent reads the errors, here a script with prepared answers.

use expect_test::expect;
use serde_json::{Value, json};

use crate::check::{AGENTS, moved};
use crate::review_with::prepare;
use crate::sandbox::{Outcome, Sandbox};

#[test]
fn an_agent_dismisses_errors_whose_lines_are_right_and_the_baseline_keeps_them() {
    let sandbox = moved();
    let guide = json!({ "id": 0, "outOfDate": false, "reason": "a guide of the reader" });
    let others = [
        json!({ "id": 2, "outOfDate": true }),
        json!({ "id": 70, "outOfDate": false }),
    ];
    let first = json!({ "findings": [guide, others[0], others[1]] });
    let second = json!({ "findings": [{ "id": 1, "outOfDate": false }] });
    let nothing = json!({ "findings": [] });
    prepare(
        &sandbox,
        &[first.clone(), nothing.clone(), first, nothing, second],
    );
    let agent = sandbox.path("../agent/agent.sh").display().to_string();
    let with = format!("check --with \"sh {agent}\"");
    let report = sandbox.json_of(sandbox.run(&format!("{with} --json")));
    let summary = &report["summary"];
    assert_eq!(
        (&summary["errors"], &summary["dismissed"]),
        (&json!(3), &json!(1))
    );
    let request: Value =
        serde_json::from_str(&sandbox.read("../agent/request-0.json")).expect("JSON");
    expect![[r#"
        {
          "claim": "src/db/session.py",
          "document": "AGENTS.md",
          "finding": "the file no longer exists",
          "headings": [
            "Shop"
          ],
          "id": 1,
          "line": 3,
          "now": "core/session.py",
          "removed": "2026-01-02 Move the session",
          "text": [
            "1: # Shop",
            "2: Rules:",
            "3: - Sessions are in `src/db/session.py`; see [the guide](docs/guide.md).",
            "4: - Open one with `open_session()`, and run `make lint` before a commit.",
            "5: - Never use `src/db/legacy.py`. Names like `src/foo.py` are examples.",
            "6: - Tests use `pytest` 7."
          ],
          "was": null,
          "written": "2026-01-02 start"
        }"#]]
    .assert_eq(&format!("{:#}", request["findings"][1]));
    let with = format!("{with} --baseline accepted.json --update-baseline");
    let text = sandbox.run(&format!("{with} --all")).text();
    expect![[r#"
        AGENTS.md:3:56: `docs/guide.md`: the file no longer exists; dismissed by sh: a guide of the reader
            since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide
        AGENTS.md:3:20: `src/db/session.py`: the file no longer exists
            since 21572e42c1 of 2026-01-02: Move the session
            now `core/session.py`
            next: cerberus check --fix
        AGENTS.md:4:49: `make lint`: no manifest defines it any more
            was in `Makefile`
            since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide
            next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        AGENTS.md:4:18: `open_session()`: the code no longer defines or uses it
            was in `core/session.py`
            since b856d34e76 of 2026-01-02: Rename the function
            now `core/session.py::connect_session`
            next: cerberus check --fix
        AGENTS.md:5:14: `src/db/legacy.py`: it no longer exists, and the sentence forbids it
        AGENTS.md:5:45: `src/foo.py`: it was never true in this repository

        AGENTS.md: 1 warning
            6:14: `pytest`: the manifests now require >=8.1, since 3a1c86e95b of 2026-01-02

        3 errors, 1 warning; checked 8 claims in 1 document; of 1 other only the links: cerberus check .
        1 dismissed by the agent, 2 never true here
        --- stderr
        asking sh about 5 findings, with the lines around: 1234 tokens
        the baseline `accepted.json` accepts 1 finding
        [exit 1]
    "#]].assert_eq(text.split_once('\n').expect("the command").1);
    // Without the agent it is accepted, and a second look adds to what is.
    assert_eq!(sandbox.run(&with).status(), 1);
    sandbox.session(expect![[r#"
        $ cerberus check --baseline accepted.json
        AGENTS.md:3:20: `src/db/session.py`: the file no longer exists
            since 21572e42c1 of 2026-01-02: Move the session
            now `core/session.py`
            next: cerberus check --fix
        AGENTS.md:4:18: `open_session()`: the code no longer defines or uses it
            was in `core/session.py`
            since b856d34e76 of 2026-01-02: Rename the function
            now `core/session.py::connect_session`
            next: cerberus check --fix

        AGENTS.md: 1 warning
            6:14: `pytest`: the manifests now require >=8.1, since 3a1c86e95b of 2026-01-02

        2 errors, 1 warning; checked 8 claims in 1 document; of 1 other only the links: cerberus check .
        2 accepted by the baseline, 2 never true here (see --all)
        to correct 2 of them: cerberus check --fix
        [exit 1]
    "#]]);
}

#[test]
fn an_answer_dismisses_errors_of_its_request_only() {
    let sandbox = Sandbox::empty();
    let names: Vec<String> = (0..26).map(|n| format!("src/part_{n:02}.py")).collect();
    names.iter().for_each(|name| sandbox.write(name, "x = 1\n"));
    let lines = names.iter().map(|name| format!("- See `{name}`.\n"));
    sandbox.write("AGENTS.md", lines.collect::<String>());
    sandbox.commit("start");
    sandbox.git("rm -q -r src");
    sandbox.commit("Drop the parts");
    let right = |id: u32| json!({ "findings": [{ "id": id, "outOfDate": false }] });
    // Each is asked for once more.
    prepare(&sandbox, &[right(25), right(25), right(0), right(0)]);
    let agent = sandbox.path("../agent/agent.sh").display().to_string();
    let report = sandbox.json_of(sandbox.run(&format!("check --json --with \"sh {agent}\"")));
    assert_eq!(report["summary"]["dismissed"], 0);
    assert!(sandbox.exists("../agent/request-3.json"));
}

#[test]
fn an_answer_that_says_both_dismisses_nothing_and_a_reason_is_one_line() {
    let sandbox = Sandbox::empty();
    sandbox.write("src/one.py", "x = 1\n");
    sandbox.write("src/two.py", "x = 1\n");
    sandbox.write("AGENTS.md", "- See `src/one.py`.\n- See `src/two.py`.\n");
    sandbox.commit("start");
    sandbox.git("rm -q -r src");
    sandbox.commit("Drop both");
    let item =
        |id: u32, is_out: bool| json!({ "id": id, "outOfDate": is_out, "reason": "a\n::error::b" });
    let both = json!({ "findings": [item(0, false), item(1, false), item(0, true)] });
    prepare(&sandbox, &[both.clone(), both]);
    let agent = sandbox.path("../agent/agent.sh").display().to_string();
    let outcome = sandbox.run(&format!("check --all --with \"sh {agent}\""));
    assert_eq!(outcome.status(), 3, "{}", outcome.text());
    let text = outcome.text();
    assert!(
        text.contains("`src/one.py`: the file no longer exists; not read by sh"),
        "{text}"
    );
    assert!(
        text.contains("`src/two.py`: the file no longer exists; dismissed by sh: a ::error::b"),
        "{text}"
    );
    let again = sandbox.read("../agent/request-1.json");
    assert!(
        again.contains("another item says the opposite about 0"),
        "{again}"
    );
}

#[test]
fn an_agent_that_fails_dismisses_nothing_and_writes_no_baseline() {
    let sandbox = moved();
    sandbox.session(expect![[r#"
        $ cerberus check --with "echo '{}'"
        AGENTS.md:3:56: `docs/guide.md`: the file no longer exists; not read by echo
            since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide
        AGENTS.md:3:20: `src/db/session.py`: the file no longer exists; not read by echo
            since 21572e42c1 of 2026-01-02: Move the session
            now `core/session.py`
            next: cerberus check --fix
        AGENTS.md:4:49: `make lint`: no manifest defines it any more; not read by echo
            was in `Makefile`
            since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide
        AGENTS.md:4:18: `open_session()`: the code no longer defines or uses it; not read by echo
            was in `core/session.py`
            since b856d34e76 of 2026-01-02: Rename the function
            now `core/session.py::connect_session`
            next: cerberus check --fix

        AGENTS.md: 1 warning
            6:14: `pytest`: the manifests now require >=8.1; not read by echo, since 3a1c86e95b of 2026-01-02

        4 errors, 1 warning, and not all was checked; checked 8 claims in 1 document; of 1 other only the links: cerberus check .
        2 never true here (see --all)
        to correct 2 of them: cerberus check --fix
        next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        --- stderr
        asking echo about 5 findings, with the lines around: 1234 tokens
        warning: not checked in `AGENTS.md`: 5 findings not read by echo: failed to read the answer of `echo '{}'`: it has no JSON object with a list `findings`; it starts with `{}`
        [exit 3]

        $ cerberus check --with "echo no >&2; exit 1" --baseline new.json --update-baseline
        AGENTS.md:3:56: `docs/guide.md`: the file no longer exists; not read by echo
            since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide
        AGENTS.md:3:20: `src/db/session.py`: the file no longer exists; not read by echo
            since 21572e42c1 of 2026-01-02: Move the session
            now `core/session.py`
            next: cerberus check --fix
        AGENTS.md:4:49: `make lint`: no manifest defines it any more; not read by echo
            was in `Makefile`
            since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide
        AGENTS.md:4:18: `open_session()`: the code no longer defines or uses it; not read by echo
            was in `core/session.py`
            since b856d34e76 of 2026-01-02: Rename the function
            now `core/session.py::connect_session`
            next: cerberus check --fix

        AGENTS.md: 1 warning
            6:14: `pytest`: the manifests now require >=8.1; not read by echo, since 3a1c86e95b of 2026-01-02

        4 errors, 1 warning, and not all was checked; checked 8 claims in 1 document; of 1 other only the links: cerberus check .
        2 never true here (see --all)
        to correct 2 of them: cerberus check --fix
        next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        --- stderr
        asking echo about 5 findings, with the lines around: 1234 tokens
        warning: not checked in `AGENTS.md`: 5 findings not read by echo: `echo no >&2; exit 1` failed: no
        [exit 3]
    "#]]);
    assert!(!sandbox.exists("new.json"));
    // An agent is not started for nothing.
    sandbox.edit("AGENTS.md", AGENTS, "# Shop\n");
    sandbox.ok("check --with \"exit 1\"");
}

/// The answers and failures of real clients: what each printed against a model that failed so.
const CLIENTS: &str = include_str!("../fixtures/agents.json");

/// A known client as a script on the path: it prints prepared texts, and stores its requests.
struct FakeClient<'a> {
    sandbox: &'a Sandbox,
    name: &'a str,
    hangs: bool,
}

impl FakeClient<'_> {
    /// Prepares the outputs of the requests, where `end` is the last command of the script.
    fn prepare(&self, stdout: &[&str], stderr: &str, end: &str) {
        let folder = self.sandbox.path("../client");
        let _ = std::fs::remove_dir_all(&folder);
        let at = folder.display();
        let script = format!(
            "#!/bin/sh\ncase \"$1 $2\" in\n'mcp list') echo '{{\"mcpServers\":{{}}}}'; exit;;\n\
             'debug config') echo '{{\"model\":\"local/m\"}}'; exit;;\nesac\n\
             n=$(ls {at} | grep -c '^request')\ncat > {at}/request-$n\n\
             cat {at}/stdout-$n\ncat {at}/stderr >&2\n{end}\n"
        );
        // Codex prints a list.
        let script = if self.name == "codex" {
            script.replace("'{\"mcpServers\":{}}'", "'[]'")
        } else {
            script
        };
        let program = format!("../client/{}", self.name);
        self.sandbox.write(&program, script);
        let program = self.sandbox.path(&program);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(program, mode).expect("an own file");
        self.sandbox.write("../client/stderr", stderr);
        for (n, text) in stdout.iter().enumerate() {
            self.sandbox.write(format!("../client/stdout-{n}"), text);
        }
    }

    fn run(&self, line: &str) -> Outcome {
        let mut command = self
            .sandbox
            .command(&format!("{line} --with {}", self.name));
        let path = std::env::var("PATH").expect("a path");
        command.env(
            "PATH",
            format!("{}:{path}", self.sandbox.path("../client").display()),
        );
        if self.hangs {
            // Long enough to start.
            command.env("CERBERUS_AGENT_SILENCE", "2500");
        }
        self.sandbox.outcome("", command.output().expect("it runs"))
    }
}

/// Checks that all errors of `moved` were printed, and returns the messages.
fn all_errors_printed(outcome: &Outcome, case: &str) -> String {
    let (stdout, stderr) = (outcome.stdout(), outcome.stderr());
    assert_eq!(outcome.status(), 3, "{case}: {stderr}");
    for claim in [
        "docs/guide.md",
        "src/db/session.py",
        "make lint",
        "open_session()",
        "pytest",
    ] {
        let printed = stdout
            .lines()
            .any(|line| line.contains(&format!("`{claim}`: ")));
        assert!(printed, "{case}: {claim}\n{stdout}");
    }
    assert!(
        stderr.contains("not checked in `AGENTS.md`: "),
        "{case}: {stderr}"
    );
    stderr
}

#[test]
fn the_errors_are_printed_with_the_cause_whatever_a_client_fails_with() {
    let sandbox = moved();
    let clients: Value = serde_json::from_str(CLIENTS).expect("JSON");
    for (name, client) in clients.as_object().expect("clients") {
        let mut fake = FakeClient {
            sandbox: &sandbox,
            name,
            hangs: false,
        };
        let answer = client["answer"].as_str().expect("a text");
        for (kind, failure) in client["failures"].as_object().expect("failures") {
            let case = format!("{name}: {kind}");
            let end = failure["status"].as_str().expect("a command");
            let stdout = failure["stdout"].as_str().expect("a text");
            fake.hangs = end.starts_with("sleep");
            fake.prepare(&[stdout], failure["stderr"].as_str().expect("a text"), end);
            let printed = all_errors_printed(&fake.run("check"), &case);
            let cause = failure["cause"].as_str().expect("a text");
            assert!(printed.contains(cause), "{case}: {printed}");
            assert!(
                printed.contains("5 findings not read by "),
                "{case}: {printed}"
            );
            if fake.hangs {
                assert!(
                    printed.contains("showed no progress for 2.5 s"),
                    "{case}: {printed}"
                );
            }
        }
        fake.hangs = false;
        fake.prepare(&[""], "", "exit 7");
        let printed = all_errors_printed(&fake.run("check"), &format!("{name}: crash"));
        assert!(
            printed.contains("it printed nothing, exit status: 7"),
            "{name}: {printed}"
        );
        let with = |text: &str| answer.replace("TEXT", &json!(text).to_string());
        let half = with("Here you are: {\"findings\": [{\"id\": 0, \"outOfDate\": fal");
        fake.prepare(&[&half, &half], "", "exit 0");
        let printed = all_errors_printed(&fake.run("check"), &format!("{name}: half an answer"));
        assert!(
            printed.contains("it has no JSON object with a list `findings`"),
            "{printed}"
        );
        let again = sandbox.read("../client/request-1");
        assert!(
            again.contains("it has no JSON object with a list `findings`"),
            "{again}"
        );
        let wrong = json!({ "findings": [
            { "id": "0", "outOfDate": false }, { "id": -1, "outOfDate": false },
            { "id": 99, "outOfDate": false }, { "id": 1, "outOfDate": false, "command": "ls" },
            5, [], null, { "id": 2, "outOfDate": false },
        ] });
        let wrong = with(&format!(
            "(in `{{a}}` I see)\n```json\n{wrong}\n```\nSure {{}}: }}"
        ));
        fake.prepare(&[&wrong, &wrong], "", "exit 0");
        let outcome = fake.run("check --all");
        let printed = all_errors_printed(&outcome, &format!("{name}: wrong items"));
        assert!(
            printed.contains("4 findings not read by "),
            "{name}: {printed}"
        );
        assert!(
            outcome.stdout().contains("1 dismissed by the agent"),
            "{}",
            outcome.stdout()
        );
        let again = sandbox.read("../client/request-1");
        for reason in [
            "invalid type: string",
            "invalid value: integer `-1`",
            "99 is not the id of a finding without an answer",
            "unknown field `command`",
            "it is not an object",
        ] {
            assert!(again.contains(reason), "{name}: {reason}\n{again}");
        }
    }
}

#[test]
fn an_item_that_is_refused_is_asked_for_again_alone() {
    let sandbox = moved();
    let fake = FakeClient {
        sandbox: &sandbox,
        name: "codex",
        hangs: false,
    };
    let clients: Value = serde_json::from_str(CLIENTS).expect("JSON");
    let answer = clients["codex"]["answer"].as_str().expect("a text");
    let items = |items: Value| {
        let text = json!({ "findings": items }).to_string();
        format!(
            "Warning: {{ colours\n{}",
            answer.replace("TEXT", &json!(text).to_string())
        )
    };
    let judged: Vec<Value> = [1, 2, 3, 6]
        .iter()
        .map(|id| json!({ "id": id, "outOfDate": true }))
        .collect();
    let wrong = json!({ "id": "0", "outOfDate": false });
    let first = items(json!([wrong, judged[0], judged[1], judged[2], judged[3]]));
    let second = items(json!([{ "id": 0, "outOfDate": false }]));
    fake.prepare(&[&first, &second], "", "exit 0");
    let outcome = fake.run("check --all");
    assert_eq!(outcome.status(), 1, "{}", outcome.text());
    let again: Value = serde_json::from_str(&sandbox.read("../client/request-1")).expect("JSON");
    let ids: Vec<&Value> = again["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| &it["id"])
        .collect();
    assert_eq!(ids, [&json!(0)]);
    assert_eq!(again["refused"][0]["item"], wrong.to_string());
    assert!(
        outcome.stdout().contains("1 dismissed by the agent"),
        "{}",
        outcome.stdout()
    );
}

#[test]
fn the_answers_before_a_failure_count_also_in_the_baseline() {
    let sandbox = Sandbox::empty();
    let names: Vec<String> = (0..26).map(|n| format!("src/part_{n:02}.py")).collect();
    names.iter().for_each(|name| sandbox.write(name, "x = 1\n"));
    let lines = names.iter().map(|name| format!("- See `{name}`.\n"));
    sandbox.write("AGENTS.md", lines.collect::<String>());
    sandbox.commit("start");
    sandbox.git("rm -q -r src");
    sandbox.commit("Drop the parts");
    let fake = FakeClient {
        sandbox: &sandbox,
        name: "gemini",
        hangs: false,
    };
    let clients: Value = serde_json::from_str(CLIENTS).expect("JSON");
    let answer = clients["gemini"]["answer"].as_str().expect("a text");
    let items: Vec<Value> = (0..25)
        .map(|id| json!({ "id": id, "outOfDate": id != 3 }))
        .collect();
    let text = json!({ "findings": items }).to_string();
    let first = answer.replace("TEXT", &json!(text).to_string());
    fake.prepare(&[&first, ""], "429: slow down\n", "test $n = 0");
    let outcome = fake.run("check --baseline accepted.json --update-baseline");
    assert_eq!(outcome.status(), 3, "{}", outcome.text());
    let printed = outcome.stderr();
    assert!(
        printed.contains("1 finding not read by gemini: `gemini` failed: 429: slow down"),
        "{printed}"
    );
    assert!(
        outcome
            .stdout()
            .contains("part_25.py`: the file no longer exists; not read by gemini")
    );
    let accepted = sandbox.read("accepted.json");
    assert!(
        accepted.contains("part_03.py") && !accepted.contains("part_25.py"),
        "{accepted}"
    );
}

#[test]
fn a_client_says_where_the_code_goes_and_a_project_does_not_choose_it() {
    let sandbox = moved();
    let fake = FakeClient {
        sandbox: &sandbox,
        name: "claude",
        hangs: false,
    };
    fake.prepare(&["", ""], "", "exit 1");
    let printed = fake.run("check").stderr();
    let place = "claude sends it to the provider that claude is configured with, api.anthropic.com by default\n";
    assert!(printed.contains(place), "{printed}");
    let settings = json!({ "env": { "ANTHROPIC_BASE_URL": "https://models.example.com" } });
    sandbox.write(".claude/settings.json", settings.to_string());
    fake.prepare(&["", ""], "", "exit 1");
    let printed = all_errors_printed(&fake.run("check"), "a provider of the project");
    assert!(
        printed.contains("`.claude/settings.json` of this project chooses the provider of claude"),
        "{printed}"
    );
    assert!(
        printed.contains("set `ANTHROPIC_BASE_URL` in your environment"),
        "{printed}"
    );
    assert!(!sandbox.exists("../client/request-0"), "nothing is sent");
}

#[test]
fn the_provider_of_a_user_is_used_without_the_other_settings() {
    let sandbox = moved();
    let fake = FakeClient {
        sandbox: &sandbox,
        name: "opencode",
        hangs: false,
    };
    let script = "#!/bin/sh\n\
        test \"$1 $2\" = 'debug config' && { cat opencode.json 2>/dev/null || echo '{}'; exit; }\n\
        test \"$1\" = models && exit\n\
        cat > $CLIENT/request-0; echo \"$OPENCODE_CONFIG_CONTENT\" > $CLIENT/settings; exit 1\n";
    let prepare = || {
        fake.prepare(&["", ""], "", "exit 1");
        let at = sandbox.path("../client").display().to_string();
        sandbox.write("../client/opencode", script.replace("$CLIENT", &at));
    };
    let settings = |url: &str| {
        let options = json!({ "baseURL": url });
        let near = json!({ "npm": "@ai-sdk/openai-compatible", "options": options });
        let server = json!({ "mark": { "type": "local", "command": ["touch", "mark"] } });
        let text = json!({ "model": "near/m", "provider": { "near": near }, "mcp": server });
        sandbox.write("opencode.json", text.to_string());
    };
    prepare();
    let printed = all_errors_printed(&fake.run("check"), "no provider");
    assert!(
        printed.contains("would send code to `opencode`, which nobody chose"),
        "{printed}"
    );
    assert!(!sandbox.exists("../client/request-0"), "nothing is sent");
    settings("https://models.example.com/v1");
    let printed = all_errors_printed(&fake.run("check"), "a provider of the project");
    assert!(
        printed.contains("if you trust it: OPENCODE_CONFIG=opencode.json cerberus"),
        "{printed}"
    );
    assert!(!sandbox.exists("../client/request-0"), "nothing is sent");
    settings("http://127.0.0.1:8080/v1");
    let printed = all_errors_printed(&fake.run("check"), "a provider on this machine");
    let place = "opencode sends it to `127.0.0.1:8080`, the provider `near`\n";
    assert!(printed.contains(place), "{printed}");
    let run: Value = serde_json::from_str(&sandbox.read("../client/settings")).expect("JSON");
    assert_eq!(
        run["provider"]["near"]["options"]["baseURL"],
        "http://127.0.0.1:8080/v1"
    );
    assert_eq!(
        (&run["mcp"], &run["permission"]["*"]),
        (&Value::Null, &json!("deny"))
    );
}

#[test]
fn the_servers_of_a_user_are_switched_off_by_their_names() {
    let sandbox = moved();
    let fake = FakeClient {
        sandbox: &sandbox,
        name: "codex",
        hangs: false,
    };
    let run = |listed: &str| {
        fake.prepare(&["", ""], "", "exit 1");
        let at = sandbox.path("../client").display().to_string();
        let script = format!(
            "#!/bin/sh\ntest \"$1\" = mcp && {{ echo '{listed}'; exit; }}\n\
             cat > {at}/request-0; echo \"$*\" > {at}/arguments; exit 1\n"
        );
        sandbox.write("../client/codex", script);
        all_errors_printed(&fake.run("check"), listed)
    };
    run("[{\"name\":\"mark\",\"enabled\":true}]");
    let arguments = sandbox.read("../client/arguments");
    assert!(
        arguments.ends_with("-c mcp_servers.mark.enabled=false -\n"),
        "{arguments}"
    );
    for (listed, why) in [
        (
            "[{\"name\":\"a.b\"}]",
            "the server `a.b` of codex cannot be switched off by its name",
        ),
        (
            "not a list",
            "`codex` did not list its servers, so they cannot be switched off",
        ),
    ] {
        let printed = run(listed);
        assert!(printed.contains(why), "{printed}");
        assert!(!sandbox.exists("../client/request-0"), "nothing is sent");
    }
}
