//! `memory reanchor`: each state of an anchor and the resulting lock file.

use expect_test::expect;

use crate::sandbox::Sandbox;

/// Runs a command and returns one line for each anchor that is not fresh.
fn findings(sandbox: &Sandbox, line: &str) -> String {
    let document = sandbox.json(line);
    let place = |it: &serde_json::Value| {
        let text = |key: &str| it[key].as_str().unwrap_or("-").to_owned();
        format!("{}::{}", text("file"), text("symbol"))
    };
    let mut printed = String::new();
    for it in document["results"].as_array().expect("results") {
        if it["state"] == "fresh" {
            continue;
        }
        let flag = |key: &str| {
            if it[key] == true {
                format!(" {key}")
            } else {
                String::new()
            }
        };
        printed += &format!(
            "{} {}",
            it["id"].as_str().unwrap_or("-"),
            it["state"].as_str().unwrap_or("-")
        );
        printed += &["edited", "drift", "written"].map(flag).concat();
        printed += &format!(" {} → {}\n", place(&it["old"]), place(&it["new"]));
        for candidate in it["candidates"].as_array().expect("candidates") {
            printed += &format!("  perhaps {}\n", place(candidate));
        }
    }
    printed + &format!("ok {}, written {}\n", document["ok"], document["written"])
}

const HASH: &str = "shop/accounts.py";

#[test]
fn every_finding_has_a_reason() {
    let sandbox = Sandbox::anchored();
    sandbox.edit(HASH, "r=8", "r=16");
    sandbox.git("mv web/html.ts web/markup.ts");
    sandbox.remove("api/limit.go");
    let document = sandbox.json("memory reanchor --check");
    let results = document["results"].as_array().expect("results").iter();
    let findings: Vec<_> = results
        .filter(|finding| finding["state"] != "fresh")
        .collect();
    assert_eq!(findings.len(), 3, "{document}");
    for finding in findings {
        assert!(
            finding["reason"]
                .as_str()
                .is_some_and(|reason| reason.contains(' ')),
            "{finding}"
        );
    }
}

#[cfg(unix)]
#[test]
fn code_that_the_search_cannot_name_is_said_beside_lost_code() {
    let sandbox = Sandbox::anchored();
    let text = sandbox.read("web/html.ts");
    sandbox.write("web/two\nlines.ts", &text);
    let warnings = |sandbox: &Sandbox| sandbox.json("memory reanchor --check")["warnings"].clone();
    assert!(
        !warnings(&sandbox).to_string().contains("line break"),
        "nothing is lost"
    );
    sandbox.remove("web/html.ts");
    assert!(warnings(&sandbox).to_string().contains("line break"));
}

#[test]
fn reformatting_is_not_drift() {
    let sandbox = Sandbox::anchored();
    sandbox.edit(
        HASH,
        "        return salt + digest",
        "        # Both are kept.\n\n        return salt + digest",
    );
    sandbox.edit(
        "web/html.ts",
        "(found) => ENTITIES[found]",
        "(found) =>\n      ENTITIES[found],\n  ",
    );
    expect![[r#"
        escape-html reformatted written web/html.ts::escapeHtml → web/html.ts::escapeHtml
        hash-passwords reformatted written shop/accounts.py::AccountStore.hash_password → shop/accounts.py::AccountStore.hash_password
        ok true, written false
    "#]].assert_eq(&findings(&sandbox, "memory reanchor --check --strict"));
    assert_eq!(sandbox.run("memory reanchor --check --strict").status(), 0);
}

#[test]
fn a_touched_example_passes_the_check_and_is_recorded() {
    let sandbox = Sandbox::anchored();
    sandbox.edit(HASH, "r=8", "r=16");
    expect![[r#"
        hash-passwords edited edited written shop/accounts.py::AccountStore.hash_password → shop/accounts.py::AccountStore.hash_password
        ok true, written false
    "#]].assert_eq(&findings(&sandbox, "memory reanchor --check"));
    assert_eq!(sandbox.run("memory reanchor --check").status(), 0);
    assert_eq!(sandbox.run("memory reanchor --check --strict").status(), 1);
    expect![[r#"
        hash-passwords edited edited written shop/accounts.py::AccountStore.hash_password → shop/accounts.py::AccountStore.hash_password
        ok true, written true
    "#]].assert_eq(&findings(&sandbox, "memory reanchor"));
    sandbox.session(expect![[r#"
        $ cerberus memory reanchor --check --strict
        fresh	4
        all anchors are up to date
        [exit 0]
    "#]]);
}

#[test]
fn an_edited_example_needs_acceptance_whoever_chose_it() {
    for choice in [
        "",
        "memory anchor hash-passwords --to shop/accounts.py::AccountStore.hash_password",
    ] {
        let sandbox = Sandbox::anchored();
        if !choice.is_empty() {
            sandbox.ok(choice);
        }
        let lock = sandbox.lock();
        // The salt, which the rule names, is gone; most of the code is as before.
        sandbox.edit(
            HASH,
            "salt = secrets.token_bytes(16)",
            "seed = secrets.token_bytes(16)",
        );
        sandbox.edit(HASH, "salt=salt, ", "");
        sandbox.edit(HASH, "return salt + digest", "return seed + digest");
        let document = sandbox.json("memory reanchor");
        let finding = document["results"].as_array().expect("results").iter();
        let finding = finding
            .clone()
            .find(|it| it["id"] == "hash-passwords")
            .expect("a finding");
        let [degree, reason] = ["degree", "reason"].map(|key| finding[key].as_str().unwrap_or("-"));
        assert_eq!(degree, "edited", "{finding:#}");
        assert!(
            reason.contains("`salt`, a word of the rule, is no longer in it"),
            "{reason}"
        );
        assert_eq!(sandbox.lock(), lock);
        assert_eq!(sandbox.run("memory reanchor --check").status(), 1);
        sandbox.ok("memory reanchor --accept hash");
        assert_eq!(sandbox.run("memory reanchor --check --strict").status(), 0);
    }
}

#[test]
fn a_gutted_example_is_stopped_and_not_injected() {
    let sandbox = Sandbox::anchored();
    let text = sandbox.read(HASH);
    let start = text.find("        salt = ").expect("the body");
    let end = text.find("    def find").expect("the next method");
    sandbox.write(
        HASH,
        format!(
            "{}        return password\n\n{}",
            &text[..start],
            &text[end..]
        ),
    );
    expect![[r#"
        hash-passwords edited edited drift shop/accounts.py::AccountStore.hash_password → shop/accounts.py::AccountStore.hash_password
        ok false, written false
    "#]]
    .assert_eq(&findings(&sandbox, "memory reanchor"));
    assert_eq!(sandbox.run("memory reanchor --check").status(), 1);
    let injected = sandbox.run("memory inject").stdout();
    assert!(!injected.contains("return password"), "{injected}");
}

#[test]
fn a_renamed_example_is_followed() {
    let sandbox = Sandbox::anchored();
    sandbox.edit(HASH, "hash_password", "digest_secret");
    sandbox.edit("api/limit.go", "RejectClient", "Refuse");
    expect![[r#"
        hash-passwords renamed written shop/accounts.py::AccountStore.hash_password → shop/accounts.py::AccountStore.digest_secret
        limit-clients renamed written api/limit.go::Limiter.RejectClient → api/limit.go::Limiter.Refuse
        ok true, written true
    "#]].assert_eq(&findings(&sandbox, "memory reanchor"));
    assert_eq!(sandbox.run("memory reanchor --check --strict").status(), 0);
}

#[test]
fn a_lost_example_fails_the_check() {
    let sandbox = Sandbox::anchored();
    sandbox.write("api/limit.go", "package api\n");
    let gate = "--min-quality 0.99";
    expect![[r#"
        limit-clients gone drift api/limit.go::Limiter.RejectClient → -::-
        ok false, written false
    "#]]
    .assert_eq(&findings(&sandbox, &format!("memory reanchor {gate}")));
    assert!(
        sandbox.lock().contains("limit-clients"),
        "what is lost stays on record"
    );
    assert_eq!(
        sandbox
            .run(&format!("memory reanchor --check {gate}"))
            .status(),
        1
    );
}

#[test]
fn equal_candidates_are_ambiguous() {
    let sandbox = Sandbox::anchored();
    let text = sandbox.read("web/html.ts");
    sandbox.write("web/a.ts", &text);
    sandbox.write("web/b.ts", &text);
    sandbox.remove("web/html.ts");
    expect![[r#"
        escape-html ambiguous drift web/html.ts::escapeHtml → -::-
          perhaps web/a.ts::escapeHtml
          perhaps web/b.ts::escapeHtml
        ok false, written false
    "#]]
    .assert_eq(&findings(&sandbox, "memory reanchor"));
    assert_eq!(sandbox.run("memory reanchor --check").status(), 1);
    sandbox.ok("memory anchor escape-html --to web/b.ts::escapeHtml");
    assert_eq!(sandbox.run("memory reanchor --check").status(), 0);
}

#[test]
fn a_rename_seen_by_git_decides_between_equal_candidates() {
    let sandbox = Sandbox::anchored();
    let printed = || {
        let document = sandbox.json("memory reanchor --dry-run");
        let mut findings = document["results"].as_array().expect("results").iter();
        let found = findings
            .find(|it| it["id"] == "escape-html")
            .expect("a finding")
            .clone();
        let text = |it: &serde_json::Value| it.as_str().unwrap_or_default().to_owned();
        [
            text(&found["state"]),
            text(&found["new"]["file"]),
            text(&found["reason"]),
        ]
    };
    let text = sandbox.read("web/html.ts");
    sandbox.git("mv web/html.ts web/a.ts");
    sandbox.write("web/a.ts", format!("{text}\n// moved\n"));
    sandbox.write("web/b.ts", format!("{text}\nexport const other = 1;\n"));
    sandbox.commit("moved and copied");
    let [state, file, reason] = printed();
    assert_eq!([state.as_str(), file.as_str()], ["moved", "web/a.ts"]);
    assert!(reason.contains("git shows how it got there"), "{reason}");

    // A clone without the commit warns and relies on the fingerprint alone.
    let lock = sandbox.lock();
    let commit = lock
        .lines()
        .find(|line| line.starts_with("commit = "))
        .expect("a commit");
    sandbox.write(
        ".memories/anchors.lock",
        lock.replace(commit, "commit = \"0123456789ab\""),
    );
    let [state, _, reason] = printed();
    assert_eq!(state, "ambiguous");
    assert!(
        reason.contains("this clone lacks commit 0123456789ab"),
        "{reason}"
    );
}

#[test]
fn a_copy_of_the_example_does_not_move_the_anchor() {
    let sandbox = Sandbox::anchored();
    let text = sandbox.read("web/html.ts");
    sandbox.write("web/copy.ts", &text);
    assert_eq!(sandbox.run("memory reanchor --check --strict").status(), 0);
}

#[test]
fn the_anchor_of_a_removed_memory_is_dropped() {
    let sandbox = Sandbox::anchored();
    sandbox.remove(".memories/escape-html.md");
    sandbox.session(expect![[r#"
        $ cerberus memory reanchor --check
        fresh	3
        escape-html: memory not found; its anchor would be removed
        anchors are out of date: run `cerberus memory reanchor`, resolve the findings, commit anchors.lock
        --- stderr
        warning: memory `escape-html` in `anchors.lock` not found; `cerberus memory reanchor` removes its anchor
        [exit 1]
    "#]]);
    sandbox.session(expect![[r#"
        $ cerberus memory reanchor
        fresh	3
        escape-html: memory not found; its anchor is removed
        recorded 1, nothing to decide
        --- stderr
        warning: memory `escape-html` in `anchors.lock` not found; `cerberus memory reanchor` removes its anchor
        [exit 0]
    "#]]);
    assert!(!sandbox.lock().contains("escape-html"));
}

#[test]
fn a_scope_limits_which_files_are_searched() {
    let sandbox = Sandbox::anchored();
    sandbox.ok(
        "memory add \"Put one more piece into the cart\" --id cart --scope language:typescript",
    );
    sandbox.git("mv web/cart.ts web/basket.ts");
    assert_eq!(
        sandbox
            .run("memory reanchor --check --scope project")
            .status(),
        0
    );
    assert_eq!(
        sandbox
            .run("memory reanchor --check --scope language:typescript")
            .status(),
        1
    );
    sandbox.session(expect![[r#"
        $ cerberus memory reanchor --scope language:rust
        --- stderr
        cerberus: no memory has the scope `language:rust`
        hint: did you mean `language:typescript`?
        [exit 2]
    "#]]);
}

#[test]
fn a_dry_run_writes_nothing() {
    let sandbox = Sandbox::anchored();
    sandbox.git("mv web/html.ts web/markup.ts");
    let before = sandbox.lock();
    let dry = findings(&sandbox, "memory reanchor --dry-run");
    assert_eq!(sandbox.lock(), before);
    assert_eq!(
        dry.replace("written false", "written true"),
        findings(&sandbox, "memory reanchor").replace("ok true", "ok false")
    );
}

#[test]
fn wrong_usage_is_refused() {
    let sandbox = Sandbox::anchored();
    sandbox.session(expect![[r#"
        $ cerberus memory reanchor --accept hang-curtains
        --- stderr
        cerberus: `hang-curtains` has no anchor to accept
        hint: find one with `cerberus memory anchor hang-curtains`
        [exit 2]

        $ cerberus memory reanchor --accept none
        --- stderr
        cerberus: memory `none` not found
        hint: list the memories with `cerberus memory show`
        [exit 2]

        $ cerberus memory reanchor --strict
        --- stderr
        cerberus: the following required arguments were not provided: --check
        hint: see cerberus memory reanchor --help
        [exit 2]

        $ cerberus memory reanchor --check --accept
        --- stderr
        cerberus: the argument `--check` cannot be used with `--accept [<ID>]`
        hint: see cerberus memory reanchor --help
        [exit 2]
    "#]]);
}

#[test]
fn a_bank_without_anchors_succeeds() {
    let sandbox = Sandbox::bank();
    sandbox.session(expect![[r#"
        $ cerberus memory reanchor
        no anchors; create one with `cerberus memory add` or `cerberus memory anchor`
        [exit 0]

        $ cerberus memory reanchor --check
        no anchors; create one with `cerberus memory add` or `cerberus memory anchor`
        all anchors are up to date
        [exit 0]
    "#]]);
    assert!(!sandbox.exists(".memories/anchors.lock"));
}

#[test]
fn the_last_run_can_be_undone() {
    let sandbox = Sandbox::anchored();
    let before = sandbox.lock();
    sandbox.git("mv web/html.ts web/markup.ts");
    sandbox.session(expect![[r#"
        $ cerberus memory reanchor --undo
        --- stderr
        cerberus: nothing to undo: no change of the anchors was recorded
        hint: show the history of the anchors with `git log -p .memories/anchors.lock`
        [exit 2]
    "#]]);
    sandbox.ok("memory reanchor");
    assert_ne!(sandbox.lock(), before);
    sandbox.session(expect![[r#"
        $ cerberus memory reanchor --undo
        reverted the last recorded change; restored 1 anchor
        [exit 0]

        $ cerberus memory reanchor --undo
        --- stderr
        cerberus: nothing to undo: no change of the anchors was recorded
        hint: show the history of the anchors with `git log -p .memories/anchors.lock`
        [exit 2]
    "#]]);
    assert_eq!(sandbox.lock(), before);
    sandbox.ok("memory reanchor");
    sandbox.ok("memory anchor close-session --clear");
    sandbox.session(expect![[r#"
        $ cerberus memory reanchor --undo
        --- stderr
        cerberus: the anchors were changed after the last recorded change
        hint: show the change with `git diff .memories/anchors.lock`
        [exit 2]
    "#]]);
}

#[test]
fn since_limits_the_check_to_changed_files() {
    let sandbox = Sandbox::anchored();
    sandbox.git("mv web/html.ts web/markup.ts");
    sandbox.commit("moved");
    sandbox.edit(HASH, "r=8", "r=16");
    let total = |rev: &str| {
        let document = sandbox.json(&format!("memory reanchor --check --since {rev}"));
        document["summary"]["total"].as_u64()
    };
    assert_eq!((total("HEAD"), total("HEAD~1")), (Some(1), Some(2)));
    let outcome = sandbox.run("memory reanchor --check --since no-such-revision");
    assert_eq!(outcome.status(), 3, "{}", outcome.text());
    assert!(
        outcome.stderr().contains("no-such-revision"),
        "{}",
        outcome.text()
    );
}

#[test]
fn explain_shows_one_finding() {
    let sandbox = Sandbox::anchored();
    sandbox.git("mv web/html.ts web/markup.ts");
    let message = sandbox.ok("memory reanchor --dry-run --explain escape-html");
    assert!(message.contains("web/markup.ts"), "{message}");
    assert!(!message.contains("hash-passwords"), "{message}");
    let outcome = sandbox.run("memory reanchor --dry-run --explain escape-hmtl");
    assert_eq!(outcome.status(), 2, "{}", outcome.text());
}

#[test]
fn explain_shows_the_code_then_and_now() {
    let sandbox = Sandbox::anchored();
    sandbox.edit(HASH, "r=8", "r=16");
    sandbox.remove("api/limit.go");
    let explained = |id: &str| sandbox.ok(&format!("memory reanchor --explain {id}"));
    let edited = explained("hash-passwords");
    let lines: Vec<&str> = edited.lines().map(str::trim).collect();
    let has = |start: &str, end: &str| {
        lines
            .iter()
            .any(|line| line.starts_with(start) && line.ends_with(end))
    };
    assert!(
        has("- ", "r=8, p=1)") && has("+ ", "r=16, p=1)"),
        "{edited}"
    );
    assert!(has("commit ", " (-) and now (+):"), "{edited}");
    let gone = explained("limit-clients");
    assert!(
        gone.contains("the code in commit ") && gone.contains("Limiter) RejectClient("),
        "{gone}"
    );
    let fresh = explained("escape-html");
    assert!(
        fresh.contains("the code is the same as in commit "),
        "{fresh}"
    );
}

#[test]
fn a_run_says_what_it_recorded_and_what_a_person_has_to_decide() {
    let sandbox = Sandbox::anchored();
    sandbox.git("mv web/html.ts web/markup.ts");
    sandbox.remove("api/limit.go");
    let last_line = |line: &str, status: i32| {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), status, "{}", outcome.text());
        let stdout = outcome.stdout();
        stdout.lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(
        last_line("memory reanchor --dry-run", 0),
        "would record 1, 1 to decide"
    );
    assert_eq!(last_line("memory reanchor", 1), "recorded 1, 1 to decide");
    assert_eq!(last_line("memory reanchor", 1), "recorded 0, 1 to decide");
}

#[test]
fn nothing_of_a_lost_anchor_is_accepted() {
    let sandbox = Sandbox::anchored();
    sandbox.ok("memory anchor close-session --to shop/db.py::request_session");
    sandbox.remove("shop/db.py");
    let outcome = sandbox.run("memory reanchor --accept close-session");
    assert_eq!(outcome.status(), 1, "{}", outcome.text());
    let warning = "nothing of `close-session` is accepted: its code is gone";
    assert!(outcome.stderr().contains(warning), "{}", outcome.text());
}

#[test]
fn an_explanation_reports_one_anchor_and_writes_nothing() {
    let sandbox = Sandbox::anchored();
    sandbox.git("mv web/html.ts web/markup.ts");
    let before = sandbox.lock();
    let report = sandbox.json("memory reanchor --explain escape-html");
    let results = report["results"].as_array().expect("the findings");
    assert_eq!(results.len(), 1, "{report:#}");
    assert_eq!(
        (&results[0]["id"], &results[0]["written"]),
        (&"escape-html".into(), &false.into())
    );
    assert_eq!(
        (&report["summary"]["total"], &report["written"]),
        (&1.into(), &false.into())
    );
    assert_eq!(sandbox.lock(), before);
}

const MAILER: &str = "src/Mailer.java";

const SEND: &str = "  void send(String to) {
    Message message = render(to);
    queue.add(message.sign(key));
    log.info(to);
  }
";

const RETRY: &str = "  /** Retries with an exponential jitter budget. */
  void send(String to, int times) {
    for (int retry = 0; retry < times; retry++) {
      if (client.post(render(to)).ok()) return;
      sleep(jitter.exponential(budget, retry));
    }
    throw new Exhausted(to);
  }
";

/// A project with a memory that is anchored to the second of two definitions of a name.
fn with_overloads() -> Sandbox {
    let sandbox = Sandbox::bank();
    sandbox.write(MAILER, mailer(&[SEND, RETRY]));
    sandbox.commit("a mailer");
    sandbox.ok("memory add \"Retry a send with an exponential jitter budget\" --id retry-send");
    sandbox.commit("a rule");
    sandbox
}

fn mailer(methods: &[&str]) -> String {
    format!("class Mailer {{\n{}}}\n", methods.join("\n"))
}

#[test]
fn one_of_two_overloads_is_anchored_shown_and_followed() {
    let sandbox = with_overloads();
    let lock = sandbox.lock();
    assert!(
        lock.contains("version = 4\n") && lock.contains("\"Mailer.send#2\""),
        "{lock}"
    );
    let shown = sandbox.ok("memory show retry-send");
    assert!(
        shown.contains("Mailer.send#2") && shown.contains("jitter.exponential"),
        "{shown}"
    );
    let gutted = "  void send(String to, int times) {\n    send(to);\n  }\n";
    let third = "  void send(Group group) {\n    group.members().forEach(this::send);\n  }\n";
    let edited = &*SEND.replace("queue.add", "queue.addFirst");
    let renamed = &*RETRY.replace("send(String", "deliver(String");
    for (methods, expected) in [
        (&[edited, RETRY][..], "ok true, written false\n"),
        (&[third, SEND, RETRY], "ok true, written false\n"),
        (&[RETRY, SEND], "ok true, written false\n"),
        (
            &[SEND, gutted],
            "edited edited drift M::Mailer.send#2 → M::Mailer.send#2\nok false",
        ),
        (
            &[third, edited, gutted],
            "edited edited drift M::Mailer.send#2 → M::Mailer.send#3\nok",
        ),
        (
            &[SEND, renamed],
            "renamed written M::Mailer.send#2 → M::Mailer.deliver\nok false",
        ),
        (&[SEND], "gone drift M::Mailer.send#2 → -::-\n"),
    ] {
        sandbox.write(MAILER, mailer(methods));
        // With the changes in the tree, and with a commit that git knows.
        for _ in 0..2 {
            let found = findings(&sandbox, "memory reanchor --check").replace(MAILER, "M");
            let found = found.trim_start_matches("retry-send ");
            assert!(found.starts_with(expected), "{methods:#?}\n{found}");
            sandbox.commit("methods");
        }
        sandbox.git("reset -q --hard HEAD~1");
    }
}

#[test]
fn a_new_number_is_recorded_without_a_finding() {
    let sandbox = with_overloads();
    let third = "  void send(Group group) {\n    group.members().forEach(this::send);\n  }\n";
    sandbox.write(MAILER, mailer(&[third, SEND, RETRY]));
    assert_eq!(
        findings(&sandbox, "memory reanchor"),
        "ok true, written true\n"
    );
    assert!(
        sandbox.lock().contains("symbol = \"Mailer.send#3\"\n"),
        "{}",
        sandbox.lock()
    );
    assert_eq!(
        findings(&sandbox, "memory reanchor"),
        "ok true, written false\n"
    );
    sandbox.write(MAILER, mailer(&[RETRY]));
    assert_eq!(
        findings(&sandbox, "memory reanchor"),
        "ok true, written true\n"
    );
    let lock = sandbox.lock();
    assert!(
        lock.contains("symbol = \"Mailer.send\"\n") && lock.contains("version = 3\n"),
        "{lock}"
    );
}

/// Versions without numbers stored the first definition of a name.
#[test]
fn a_lock_file_without_numbers_is_read_and_completed() {
    let sandbox = with_overloads();
    sandbox.ok("memory anchor retry-send --to src/Mailer.java::send#1");
    let numbered = sandbox.lock();
    let old: String = numbered
        .split_inclusive('\n')
        .filter(|it| !it.contains("names"))
        .collect();
    let old = old
        .replace("version = 4", "version = 3")
        .replace("send#1", "send");
    sandbox.write(".memories/anchors.lock", &old);
    assert_eq!(
        findings(&sandbox, "memory reanchor"),
        "ok true, written false\n"
    );
    let shown = sandbox.ok("memory show retry-send");
    assert!(shown.contains("queue.add(message.sign(key))"), "{shown}");
    sandbox.edit(MAILER, "class Mailer", "final class Mailer");
    assert_eq!(
        findings(&sandbox, "memory reanchor --check"),
        "ok true, written false\n"
    );
    assert_eq!(
        findings(&sandbox, "memory reanchor"),
        "ok true, written true\n"
    );
    let lock = sandbox.lock();
    assert!(
        lock.contains("version = 4\n") && lock.contains("\"Mailer.send#1\"\n"),
        "{lock}"
    );
}
