//! Shared banks: added, pinned and updated with git, used like memories of the project, and never
//! changed by it.

use crate::mcp::Client;
use crate::sandbox::Sandbox;

/// A repository of rules beside the project.
fn rules(sandbox: &Sandbox) -> Sandbox {
    sandbox.git("init -q -b main ../rules");
    let rules = sandbox.beside("rules");
    rules.git("config uploadpack.allowFilter true");
    rules.write(".memories/hash.md", HASH);
    rules.write(".memories/velvet.md", VELVET);
    rules.write("README.md", "not a rule\n");
    rules.commit("rules");
    rules
}

const HASH: &str = "---\ntype: rule\nscope: project:rules\ntags: [security]\n---\n\nHash the password with a fresh salt before the account is stored\n";
const VELVET: &str = "---\ntype: rule\nexample_elsewhere: hall@1a2b3c4:src/room.py::hang\n---\n\nHang velvet curtains in golden ballrooms\n";

/// A project with an empty bank and the pinned rules of the team.
fn shop() -> (Sandbox, Sandbox) {
    let sandbox = Sandbox::bank();
    let rules = rules(&sandbox);
    sandbox.ok("memory bank add team ../rules --branch main --yes");
    (sandbox, rules)
}

fn commit_of(rules: &Sandbox) -> String {
    rules.git("rev-parse HEAD").trim().to_owned()
}

#[track_caller]
fn fails(sandbox: &Sandbox, line: &str, status: i32, expected: &[&str]) {
    let before = sandbox.read(".memories/banks.lock");
    let outcome = sandbox.run(line);
    assert_eq!(outcome.status(), status, "{}", outcome.text());
    for text in expected {
        assert!(outcome.stderr().contains(text), "{text}: {}", outcome.text());
    }
    assert_eq!(sandbox.read(".memories/banks.lock"), before, "the pins are as they were");
}

#[test]
fn a_bank_is_added_shown_and_pinned_after_its_texts_were_shown() {
    let sandbox = Sandbox::bank();
    let rules = rules(&sandbox);
    let config = sandbox.read("cerberus.toml");
    let asked = sandbox.run("memory bank add team ../rules --branch main");
    assert_eq!(asked.status(), 1);
    assert!(asked.stdout().contains("+Hash the password with a fresh salt"), "{}", asked.text());
    assert!(asked.stdout().contains("not pinned: read the difference, then add `--yes`"));
    assert_eq!(sandbox.read("cerberus.toml"), config);
    assert!(!sandbox.exists(".memories/banks.lock"));

    sandbox.ok("memory bank add team ../rules --branch main --yes");
    let added = "\n[[banks]]\nname = \"team\"\npath = \"../rules\"\nbranch = \"main\"\n";
    assert_eq!(sandbox.read("cerberus.toml"), format!("{config}{added}"));
    assert!(sandbox.read(".memories/banks.lock").contains(&commit_of(&rules)));
    let listed = sandbox.json("memory bank list");
    assert_eq!(listed["banks"][0]["used"], 2);
    assert_eq!(listed["banks"][0]["isReady"], true);
    assert!(sandbox.ok("memory bank update").contains("team is up to date"));

    sandbox.ok("memory bank remove team");
    assert_eq!(sandbox.read("cerberus.toml"), config);
    assert!(!sandbox.exists(".memories/banks.lock"));
}

#[test]
fn a_configuration_that_is_edited_while_a_bank_is_fetched_keeps_the_edit() {
    let sandbox = Sandbox::bank();
    rules(&sandbox);
    let line = "memory bank add team ../rules --branch main --yes";
    let outcome = sandbox.run_while_edited(line, "cerberus.toml", "# An edit.");
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
    let config = sandbox.read("cerberus.toml");
    assert!(config.contains("# An edit.\n") && config.contains("name = \"team\""), "{config}");
}

#[test]
fn shared_rules_are_used_like_rules_of_the_project() {
    let (sandbox, _) = shop();
    assert!(sandbox.ok("memory show").contains("hash"));
    assert!(sandbox.ok("memory search \"fresh salt\"").contains("hash"));
    // The example is that of this project, by the words and the lock file of this project.
    sandbox.ok("memory anchor hash");
    assert!(sandbox.lock().contains("AccountStore.hash_password"));
    sandbox.ok("memory reanchor --check");
    let shown = sandbox.ok("memory show hash");
    assert!(shown.contains("rule · project · shared bank team at"), "{shown}");
    assert!(shown.contains("salt = secrets.token_bytes(16)"), "{shown}");
    let velvet = sandbox.ok("memory show velvet");
    assert!(
        velvet.contains("one in another repository: hall@1a2b3c4:src/room.py::hang"),
        "{velvet}"
    );
    let injected = sandbox.ok("memory inject --query \"velvet curtains, salt\"");
    assert!(injected.contains("Hash the password"), "{injected}");
    assert!(injected.contains("one in another repository: `hall@1a2b3c4:src/room.py::hang`"));
    assert!(sandbox.ok("memory linked shop/accounts.py").contains("hash"));
    let page = sandbox.ok("memory report --html -");
    assert!(page.contains("shared bank team at"));
    assert!(sandbox.ok("memory stats").contains('2'));
    // The same rule of a document is a duplicate.
    sandbox.write(
        "AGENTS.md",
        "# Rules\n\n- Hash the password with a fresh salt before the account is stored\n",
    );
    let imported = sandbox.json("memory import AGENTS.md");
    assert_eq!(imported["items"][0]["outcome"], "duplicate", "{imported}");
    let review = sandbox.ok("memory review --list");
    assert!(review.contains("velvet"), "{review}");
}

#[test]
fn a_shared_rule_with_the_text_of_a_rule_of_the_project_is_not_used() {
    let (sandbox, _) = shop();
    // The store knows both before one of them is not used any more.
    assert!(sandbox.ok("memory search velvet").contains("velvet"));
    sandbox.ok("memory add \"Hang velvet curtains\nin golden ballrooms\" --id ours --no-anchor");
    let why = "velvet of the shared bank team is not used: ours has the same text";
    for line in ["memory show", "memory bank list", "doctor"] {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 0, "{line}: {}", outcome.text());
        assert!(outcome.text().contains(why), "{line}: {}", outcome.text());
    }
    assert!(sandbox.ok("memory report --html -").contains(why));
    let repeated = serde_json::json!([{ "id": "velvet", "bank": "team", "used": "ours" }]);
    for line in ["memory show", "memory report", "memory bank list"] {
        assert_eq!(sandbox.json(line)["repeated"], repeated, "{line}");
    }
    assert_eq!(sandbox.json("memory bank list")["banks"][0]["used"], 1);
    let ours = sandbox.json("memory show ours")["memories"][0]["repeats"].clone();
    assert_eq!(ours, serde_json::json!([{ "id": "velvet", "bank": "team" }]));
    let shown = sandbox.ok("memory show ours");
    assert!(shown.contains("has the text of velvet of the shared bank team"), "{shown}");
    let unused = ["`velvet` of the shared bank `team` is not used: `ours` has the same text"];
    fails(&sandbox, "memory show velvet", 2, &unused);
    fails(&sandbox, "memory add \"Mine\" --id velvet", 2, &["is in the shared bank `team`"]);

    let found = sandbox.json("memory search \"velvet curtains\"");
    let ids: Vec<&str> = found["results"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|result| result["id"].as_str())
        .collect();
    assert_eq!(ids, ["ours"]);
    let injected = sandbox.ok("memory inject");
    assert_eq!(injected.matches("velvet curtains").count(), 1, "{injected}");
    let query = serde_json::json!({ "query": "velvet curtains" });
    let found = Client::new(&sandbox).call("search_memories", query);
    assert_eq!(found["results"].as_array().map(Vec::len), Some(1), "{found}");
    sandbox.ok("memory reanchor --check");

    // An archived memory, another text, and no memory do not take its place.
    let is_used = |sandbox: &Sandbox| sandbox.run("memory show velvet").status() == 0;
    sandbox.ok("memory update ours --status archived");
    assert!(is_used(&sandbox));
    sandbox.ok("memory update ours --status active");
    assert!(!is_used(&sandbox));
    sandbox.ok("memory update ours --content \"Hang silk curtains\"");
    assert!(is_used(&sandbox));
    assert!(sandbox.ok("memory search velvet").contains("velvet"));
}

#[test]
fn the_pattern_of_a_shared_rule_checks_new_code() {
    let (sandbox, rules) = shop();
    let pattern = "pattern: |\n  language: TypeScript\n  rule:\n    pattern: eval($$$)\n";
    rules
        .write(".memories/eval.md", format!("---\ntype: rule\n{pattern}---\n\nNever call eval.\n"));
    rules.commit("eval");
    sandbox.ok("memory bank update --yes");
    sandbox.commit("update");
    sandbox.edit("web/html.ts", "export", "eval(\"1\");\nexport");
    let errors = sandbox.run("memory review-diff");
    assert_eq!(errors.status(), 1, "{}", errors.text());
    assert!(errors.stdout().contains("Never call eval. (eval)"), "{}", errors.text());
    fails(&sandbox, "memory pattern eval --remove", 2, &["from the shared bank `team`"]);
}

#[test]
fn of_two_shared_rules_with_one_text_the_first_is_used() {
    let (sandbox, _) = shop();
    sandbox.git("init -q -b main ../more");
    let more = sandbox.beside("more");
    more.write(".memories/curtains.md", VELVET);
    more.commit("rules");
    sandbox.ok("memory bank add more ../more --yes");
    let listed = sandbox.json("memory bank list");
    let repeated = serde_json::json!([{ "id": "velvet", "bank": "team", "used": "curtains" }]);
    assert_eq!(listed["repeated"], repeated);
    assert_eq!(sandbox.ok("memory inject").matches("velvet curtains").count(), 1);
    assert!(sandbox.run("doctor").text().contains("name one of them in `exclude`"));
}

#[test]
fn shared_rules_cannot_be_changed_in_the_project() {
    let (sandbox, rules) = shop();
    let before = rules.read(".memories/hash.md");
    for line in [
        "memory update hash --content new",
        "memory append hash --content more",
        "memory update hash --status archived",
        "memory delete hash",
        "memory sections hash --fix",
        "memory merge hash velvet --into both",
        "memory merge velvet --into hash",
    ] {
        let refused = ["from the shared bank `team`", "--override-reason", "`off` of `team`"];
        fails(&sandbox, line, 2, &refused);
    }
    fails(&sandbox, "memory add \"Mine\" --id hash", 2, &["is in the shared bank `team`"]);
    assert_eq!(rules.read(".memories/hash.md"), before);
    assert_eq!(sandbox.git_or_empty("status --porcelain .memories/both.md"), "");
}

#[test]
fn a_project_replaces_a_shared_rule_or_switches_it_off_with_a_reason() {
    let (sandbox, _) = shop();
    sandbox.ok(
        "memory add \"Hash with scrypt\" --id hash --override-reason \"scrypt only\" --no-anchor",
    );
    let shown = sandbox.ok("memory show hash");
    assert!(shown.contains("Hash with scrypt"), "{shown}");
    assert!(shown.contains("replaces that of the shared bank team: scrypt only"), "{shown}");
    assert!(!sandbox.ok("memory search hash").contains("fresh salt"));
    let unknown = "memory add \"x\" --id nothing --override-reason \"y\"";
    fails(&sandbox, unknown, 2, &["no shared memory has the id `nothing`"]);

    sandbox.edit(
        "cerberus.toml",
        "branch = \"main\"",
        "branch = \"main\"\noff = [{ id = \"velvet\", reason = \"no ballrooms\" }]",
    );
    let all = sandbox.ok("memory show");
    assert!(all.contains("velvet of the shared bank team is switched off: no ballrooms"), "{all}");
    fails(&sandbox, "memory show velvet", 2, &["is switched off: no ballrooms"]);
    let page = sandbox.ok("memory report --html -");
    assert!(page.contains("no ballrooms") && page.contains("scrypt only"));
    // Without the replacement the shared rule is back.
    sandbox.ok("memory delete hash");
    assert!(sandbox.ok("memory show hash").contains("fresh salt"));
    sandbox.ok("memory restore hash");
    assert!(sandbox.ok("memory show hash").contains("scrypt"));
}

#[test]
fn a_project_decides_that_it_has_no_example_of_a_shared_rule() {
    let (sandbox, rules) = shop();
    let config = sandbox.read("cerberus.toml");
    sandbox.ok("memory anchor velvet --to shop/accounts.py");
    let dry = sandbox.ok("memory anchor velvet --none --dry-run");
    assert!(dry.contains("would record that velvet has no example"), "{dry}");
    assert_eq!(sandbox.read("cerberus.toml"), config);
    let recorded = sandbox.ok("memory anchor velvet --none");
    assert!(recorded.contains("recorded that velvet has no example"), "{recorded}");
    let decision = "branch = \"main\"\nno_example = [\"velvet\"]\n";
    assert_eq!(sandbox.read("cerberus.toml"), config.replace("branch = \"main\"\n", decision));
    assert!(!sandbox.lock().contains("velvet"), "the anchor is removed");
    assert!(rules.read(".memories/velvet.md") == VELVET);
    sandbox.ok("memory reanchor --check");

    // All commands agree.
    assert!(sandbox.ok("memory show").contains("none, by decision"));
    let shown = sandbox.ok("memory show velvet");
    let elsewhere = "no example here, by decision; one in another repository: hall@1a2b3c4";
    assert!(shown.contains(elsewhere), "{shown}");
    assert_eq!(sandbox.json("memory show velvet")["memories"][0]["example"], "none");
    assert_eq!(sandbox.json("memory read velvet")["example"], "none");
    let asked = serde_json::json!({ "filename": "velvet" });
    assert_eq!(Client::new(&sandbox).call("read_memory", asked)["example"], "none");
    assert!(!sandbox.ok("memory review --list --all").contains("velvet"));
    let named = sandbox.json("memory review velvet");
    assert_eq!(named["items"].as_array().map(Vec::len), Some(0));
    let why = "is in `no_example` of the shared bank `team` in `cerberus.toml`";
    assert!(named["warnings"][0].as_str().is_some_and(|it| it.contains(why)), "{named}");
    fails(&sandbox, "memory anchor velvet", 2, &[why, "--to FILE::SYMBOL"]);
    assert_eq!(sandbox.json("memory stats")["noExample"], 1);
    assert_eq!(sandbox.json("memory report")["counts"]["noExample"], 1);
    assert!(sandbox.ok("memory report --html -").contains("no example"));
    assert!(sandbox.ok("memory inject").contains("one in another repository"));

    // Both ways back: no decision, and another one.
    sandbox.ok("memory anchor velvet --clear");
    assert_eq!(sandbox.read("cerberus.toml"), config);
    assert!(sandbox.ok("memory review --list --all").contains("velvet"));
    sandbox.ok("memory anchor velvet --none");
    sandbox.ok("memory anchor velvet --to shop/accounts.py");
    assert_eq!(sandbox.read("cerberus.toml"), config);
    assert!(sandbox.lock().contains("velvet"));
    sandbox.edit(
        "cerberus.toml",
        "branch = \"main\"",
        "branch = \"main\"\nno_example = [\"nothing\"]",
    );
    let list = sandbox.run("memory bank list");
    let unknown = "`no_example` of the shared bank `team` names `nothing`, which it does not have";
    assert!(list.stderr().contains(unknown), "{}", list.text());
}

#[test]
fn a_project_may_have_an_example_of_a_shared_rule_that_says_it_has_none() {
    let (sandbox, rules) = shop();
    rules.edit(".memories/hash.md", "type: rule", "type: rule\nexample: none");
    rules.commit("no example");
    sandbox.ok("memory bank update --yes");
    let why = "`hash` has `example: none` in the shared bank `team`";
    fails(&sandbox, "memory anchor hash", 2, &[why, "--candidates 5"]);
    sandbox.ok("memory anchor hash --pick 1");
    let shown = sandbox.run("memory show hash");
    assert_eq!(shown.status(), 0);
    assert!(shown.stdout().contains("AccountStore.hash_password"), "{}", shown.text());
    assert_eq!(shown.stderr(), "", "the anchor of the project is not a contradiction");
    assert_eq!(sandbox.run("doctor").status(), 0);
    sandbox.ok("memory reanchor --check");
    let cleared = sandbox.json("memory anchor hash --clear");
    assert_eq!((&cleared["written"], &cleared["example"]), (&true.into(), &"none".into()));
    assert!(!sandbox.read("cerberus.toml").contains("no_example"));
}

#[test]
fn an_update_shows_the_difference_before_it_pins() {
    let (sandbox, rules) = shop();
    rules.write(".memories/new.md", "---\ntype: rule\n---\n\nEscape HTML entities in text\n");
    rules.edit(".memories/hash.md", "fresh salt", "new salt");
    rules.commit("more");
    let before = sandbox.read(".memories/banks.lock");
    for line in ["memory bank update", "memory bank update --dry-run"] {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 1, "{}", outcome.text());
        let printed = outcome.stdout();
        for part in [
            "-Hash the password with a fresh salt",
            "+Hash the password with a new salt",
            "+Escape HTML",
            "1 added, 1 changed, 0 removed",
        ] {
            assert!(printed.contains(part), "{part}: {printed}");
        }
        assert_eq!(sandbox.read(".memories/banks.lock"), before);
        assert!(sandbox.ok("memory show hash").contains("fresh salt"));
    }
    let report = sandbox.json("memory bank update --yes");
    assert_eq!(report["written"], true);
    assert_eq!(report["banks"][0]["added"][0], "new.md");
    assert!(sandbox.ok("memory show hash").contains("new salt"));
    assert!(sandbox.ok("memory show new").contains("Escape HTML"));
}

#[test]
fn a_fresh_checkout_reports_the_command_and_works_offline_after_it() {
    let (sandbox, rules) = shop();
    sandbox.ok("memory anchor hash");
    sandbox.remove("../home/cache");
    let shown = sandbox.run("memory show");
    let missing = "the shared bank `team` is not in the cache: run `cerberus memory bank fetch`";
    assert!(shown.stderr().contains(missing), "{}", shown.text());
    assert!(shown.stderr().contains("no memory could be read"), "{}", shown.text());
    assert!(!shown.stderr().contains("in `anchors.lock` not found"), "{}", shown.text());
    let searched = sandbox.run("memory search salt");
    assert!(searched.stderr().contains(missing), "{}", searched.text());
    assert!(!searched.stderr().contains("in `anchors.lock` not found"), "{}", searched.text());
    let check = sandbox.run("memory reanchor --check");
    assert_eq!(check.status(), 3, "a check without the rules does not pass: {}", check.text());
    let lock = sandbox.lock();
    assert_eq!(sandbox.run("memory reanchor").status(), 3);
    assert_eq!(sandbox.lock(), lock, "no anchor is removed");
    let doctor = sandbox.run("doctor");
    assert_ne!(doctor.status(), 0);
    assert!(doctor.text().contains("cerberus memory bank fetch"), "{}", doctor.text());
    assert_eq!(sandbox.run("memory bank list").status(), 1);
    sandbox.ok("memory bank fetch");
    sandbox.remove("../home/cache");
    let same = sandbox.ok("memory bank update");
    assert!(same.contains("team is up to date"), "{same}");
    // An update shows what changed, although the pinned texts are not in the cache.
    sandbox.remove("../home/cache");
    rules.edit(".memories/hash.md", "fresh salt", "new salt");
    rules.commit("more");
    let changed = sandbox.run("memory bank update").stdout();
    assert!(changed.contains("0 added, 1 changed, 0 removed"), "{changed}");
    sandbox.ok("memory bank fetch");
    sandbox.remove("../rules");
    sandbox.ok("memory reanchor --check");
    assert!(sandbox.ok("memory show hash").contains("fresh salt"));
    assert!(sandbox.ok("memory bank fetch").contains("team is in the cache"));
}

#[test]
fn an_unreachable_bank_is_an_error_and_remains_pinned() {
    let (sandbox, _) = shop();
    sandbox.remove("../rules");
    fails(&sandbox, "memory bank update --yes", 2, &["the folder `../rules`"]);
    sandbox.edit("cerberus.toml", "path = \"../rules\"", "git = \"file:///nowhere/rules\"");
    let unreachable =
        ["failed to fetch the shared bank `team`", "git ls-remote file:///nowhere/rules"];
    fails(&sandbox, "memory bank update --yes", 3, &unreachable);
    for (url, why) in [
        ("ext::sh -c touch% pwned", "would run a command"),
        ("http://127.0.0.1/rules", "not file, git, ssh or https"),
        ("--upload-pack=touch pwned", "not a URL"),
    ] {
        sandbox.write("cerberus.toml", format!("[[banks]]\nname = \"team\"\ngit = \"{url}\"\n"));
        fails(&sandbox, "memory bank update --yes", 2, &[why]);
        assert!(!sandbox.exists("pwned"));
    }
}

#[test]
fn a_rewritten_bank_is_pinned_only_on_request() {
    let (sandbox, rules) = shop();
    rules.git("commit -q --amend -m other");
    rules.edit(".memories/hash.md", "fresh", "stale");
    rules.commit("more");
    let why = ["was rewritten", "no longer contains the pinned commit", "--allow-rewritten"];
    fails(&sandbox, "memory bank update --yes", 1, &why);
    sandbox.ok("memory bank update --yes --allow-rewritten");
    assert!(sandbox.ok("memory show hash").contains("stale salt"));

    rules.git("tag v1");
    sandbox.edit("cerberus.toml", "branch = \"main\"", "tag = \"v1\"");
    sandbox.ok("memory bank update --yes");
    rules.edit(".memories/hash.md", "stale", "moved");
    rules.commit("moved");
    rules.git("tag -f v1");
    fails(&sandbox, "memory bank update --yes", 1, &["the tag `v1` was at"]);
    sandbox.edit("cerberus.toml", "tag = \"v1\"", "tag = \"v9\"");
    fails(&sandbox, "memory bank update --yes", 3, &["it has no tag v9"]);
}

#[test]
fn a_tampered_bank_is_an_error_and_is_not_used() {
    let (sandbox, rules) = shop();
    let lock = sandbox.read(".memories/banks.lock");
    let (_, hash) = lock.split_once("sha256 = \"").expect("a hash");
    let hash = hash[..64].to_owned();
    sandbox.remove("../home/cache");
    sandbox.edit(".memories/banks.lock", &hash, &"0".repeat(64));
    fails(&sandbox, "memory bank fetch", 1, &["do not have the hash in `banks.lock`"]);
    fails(&sandbox, "memory bank update --yes", 1, &["do not have the hash in `banks.lock`"]);
    rules.write("README.md", "a later commit\n");
    rules.commit("later");
    fails(&sandbox, "memory bank update --yes", 1, &["do not have the hash in `banks.lock`"]);
    sandbox.edit(".memories/banks.lock", &"0".repeat(64), &hash);
    sandbox.ok("memory bank fetch");
    let cached = format!("../home/cache/cerberus/banks/{hash}.bank");
    sandbox.edit(&cached, "fresh salt", "other salt");
    let shown = sandbox.run("memory show");
    assert!(
        shown.stderr().contains("is not used: its texts do not have the hash"),
        "{}",
        shown.text()
    );
    assert!(!shown.stdout().contains("other salt"));
    sandbox.ok("memory bank fetch");
    assert!(sandbox.ok("memory show hash").contains("fresh salt"));
}

#[test]
fn a_huge_bank_and_one_with_a_secret_are_refused() {
    let (sandbox, rules) = shop();
    for n in 0..90 {
        rules.write(format!(".memories/huge-{n}.md"), format!("{n} {}\n", "text ".repeat(20_000)));
    }
    rules.commit("huge");
    fails(&sandbox, "memory bank update --yes", 1, &["the limit is 8192 KB"]);
    rules.git("rm -q .memories/huge-*.md");
    let key = format!("Use ghp_{}\n", "Ab3dE5gH7jKq".repeat(3));
    rules.write(".memories/key.md", key);
    rules.commit("a key");
    fails(
        &sandbox,
        "memory bank update --yes",
        2,
        &["`key.md` of the shared bank `team`", "--allow-secret"],
    );
    rules.write(".memories/key.md", "a \u{1b}[2J b\n");
    rules.commit("control characters");
    fails(&sandbox, "memory bank update --yes", 2, &["control character"]);
    rules.write(".memories/key.md", [0xFF, 0xFE, 0x41]);
    rules.commit("not text");
    fails(&sandbox, "memory bank update --yes", 1, &["not valid UTF-8"]);
}

#[test]
fn no_program_of_a_bank_or_of_the_project_runs() {
    let (sandbox, rules) = shop();
    rules.edit(".memories/hash.md", "fresh", "new");
    rules.write(".gitattributes", "*.md filter=evil\n");
    rules.write(".gitmodules", "[submodule \"x\"]\npath = x\nurl = ../shop\n");
    rules.commit("attributes");
    let script = "#!/bin/sh\ntouch \"$(dirname \"$0\")/../../pwned\"\n";
    for hook in ["post-checkout", "post-upload-pack", "reference-transaction", "post-merge"] {
        rules.write(format!(".git/hooks/{hook}"), script);
        sandbox.write(format!(".git/hooks/{hook}"), script);
    }
    sandbox.shell("chmod +x .git/hooks/* ../rules/.git/hooks/*").status().expect("runs");
    rules.git("config filter.evil.smudge \"touch ../pwned\"");
    rules.git("config uploadpack.packObjectsHook \"touch ../pwned\"");
    // A setting of the project that would redirect the URL or run a command.
    sandbox.git("config core.sshCommand \"touch ../pwned\"");
    sandbox.git("config url.file:///nowhere/.insteadOf file://");
    sandbox.ok("memory bank update --yes");
    assert!(sandbox.ok("memory show hash").contains("new salt"));
    for place in ["pwned", "../pwned", "../rules/pwned", "../rules/../pwned"] {
        assert!(!sandbox.exists(place), "{place}");
    }
}

#[test]
fn errors_of_the_configuration_have_the_place_and_a_hint() {
    let sandbox = Sandbox::bank();
    for (banks, why) in [
        ("[[banks]]\nname = \"x\"\n", "`x` needs either `git` or `path`"),
        ("[[banks]]\nname = \"x\"\ngti = \"y\"\n", "unknown field `gti`"),
        ("[[banks]]\nname = \"x y\"\npath = \"y\"\n", "not made of letters"),
    ] {
        sandbox.write("cerberus.toml", banks);
        let outcome = sandbox.run("memory show");
        assert_eq!(outcome.status(), 2);
        assert!(outcome.stderr().contains(why), "{}", outcome.text());
    }
    sandbox.write("cerberus.toml", "");
    for (line, why) in [
        ("memory bank update", "names no shared bank"),
        ("memory bank remove x", "names no shared bank"),
        ("memory bank add x http://example.org/r", "not file, git, ssh or https"),
        ("memory bank add x ../nowhere", "the folder `../nowhere`"),
        ("memory bank add x ../rules --rev abc", "full id of a commit"),
        ("memory bank add ../x ../rules", "not made of letters"),
        ("memory bank add .. ../rules", "not made of letters"),
    ] {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
        assert!(outcome.stderr().contains(why), "{}", outcome.text());
    }
    rules(&sandbox);
    let outcome = sandbox.run("memory bank add x ../rules --folder nothing");
    assert_eq!(outcome.status(), 1, "{}", outcome.text());
    assert!(outcome.stderr().contains("contains no memory"), "{}", outcome.text());
    assert_eq!(sandbox.read("cerberus.toml"), "");
    sandbox.ok("memory bank add x ../rules --yes");
    let again = sandbox.run("memory bank add x ../rules --yes");
    assert!(again.stderr().contains("already exists"), "{}", again.text());
    let unknown = sandbox.run("memory bank update y");
    assert!(unknown.stderr().contains("name one of: x"), "{}", unknown.text());
}

#[test]
fn a_bank_in_a_folder_is_read_without_its_settings() {
    let sandbox = Sandbox::bank();
    // The process of git that serves a fetch would hide all branches.
    rules(&sandbox).git("config transfer.hideRefs refs");
    sandbox.ok("memory bank add team ../rules --branch main --yes");
    let inside = sandbox.run("memory bank add other ../rules/.memories");
    assert!(inside.stderr().contains("is not the folder of a git repository"), "{}", inside.text());
}

#[test]
fn checks_fail_without_a_shared_bank_in_the_cache() {
    let sandbox = Sandbox::bank();
    rules(&sandbox);
    sandbox.ok("memory bank add team ../rules --yes");
    sandbox.commit("pin");
    sandbox.remove("../home/cache");
    for line in ["memory review-diff", "check"] {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 3, "{}", outcome.text());
        let why = "not checked: the shared bank `team` is not in the cache: run `cerberus memory bank fetch`";
        assert!(outcome.stderr().contains(why), "{}", outcome.text());
        assert_eq!(outcome.stderr().matches("team").count(), 1, "{}", outcome.text());
    }
}

#[test]
fn tokens_in_urls_are_not_printed() {
    let sandbox = Sandbox::bank();
    let url = "https://t0ken@localhost:1/x";
    sandbox.write("cerberus.toml", format!("[[banks]]\nname = \"x\"\ngit = \"{url}\"\n"));
    for line in ["memory bank list", "memory bank list --json", "memory bank update"] {
        let text = sandbox.run(line).text();
        assert!(text.contains("https://***@localhost:1/x") && !text.contains("t0ken"), "{text}");
    }
}
