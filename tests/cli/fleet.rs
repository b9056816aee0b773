//! `fleet`: many repositories are read with git alone, and a later run reads what changed.

use serde_json::Value;

use crate::sandbox::Sandbox;

const HASH: &str =
    "---\ntype: rule\n---\n\nHash the password with a fresh salt before the account is stored\n";
const CLOSE: &str =
    "---\ntype: rule\n---\n\nClose the database session in a finally block when the request ends\n";

/// A bank `rules` and the repository `shop`, which pins it and has an example of each rule.
fn shop() -> (Sandbox, Sandbox) {
    let sandbox = Sandbox::bank();
    sandbox.git("init -q -b main ../rules");
    let rules = sandbox.beside("rules");
    rules.git("config uploadpack.allowFilter true");
    rules.write(".memories/hash.md", HASH);
    rules.write(".memories/close.md", CLOSE);
    rules.commit("rules");
    sandbox.git("config uploadpack.allowFilter true");
    let url = format!("file://{}", rules.path(".").canonicalize().expect("there").display());
    sandbox.ok(&format!("memory bank add team {url} --branch main --yes"));
    sandbox.ok("memory anchor hash");
    sandbox.ok("memory anchor close");
    sandbox.commit("the rules of the team");
    (sandbox, rules)
}

fn repository<'v>(report: &'v Value, name: &str) -> &'v Value {
    let all = report["repositories"].as_array().expect("a list");
    let is_named = |it: &&Value| it["place"].as_str().is_some_and(|place| place.ends_with(name));
    all.iter().find(is_named).unwrap_or_else(|| panic!("{name}: {report}"))
}

fn rule<'v>(repository: &'v Value, id: &str) -> &'v Value {
    let rules = repository["rules"].as_array().expect("a list");
    rules.iter().find(|it| it["id"] == id).unwrap_or_else(|| panic!("{id}: {repository}"))
}

#[test]
fn a_fleet_shows_who_is_behind_and_where_examples_drifted_or_are_missing() {
    let (sandbox, rules) = shop();
    for name in ["api", "web"] {
        sandbox.git(&format!("clone -q . ../{name}"));
    }
    let (api, web) = (sandbox.beside("api"), sandbox.beside("web"));
    rules.write(".memories/new.md", "---\ntype: rule\n---\n\nEscape HTML entities in text\n");
    rules.commit("a new rule");
    web.ok("memory bank update --yes");
    web.edit(
        "cerberus.toml",
        "branch = \"main\"",
        "branch = \"main\"\noff = [{ id = \"close\", reason = \"no database\" }]",
    );
    web.commit("update");
    api.edit("shop/accounts.py", "salt + digest", "digest");
    api.edit("shop/accounts.py", "salt = secrets.token_bytes(16)\n        digest = hashlib.scrypt(password.encode(), salt=salt, n=16384, r=8, p=1)", "digest = md5(password)");
    api.edit(".memories/anchors.lock", "id = \"close\"", "id = \"gone\"");
    api.commit("drift");
    sandbox.git("init -q ../plain");
    let plain = sandbox.beside("plain");
    plain.write("a.py", "x = 1\n");
    plain.commit("code");
    let url = format!("file://{}", sandbox.path("../api").canonicalize().expect("there").display());
    sandbox.write("fleet.txt", format!("# ours\n.\n../web\n../plain main\n{url}\n"));
    plain.git("branch -m main");

    let report = sandbox.json("fleet report fleet.txt");
    assert_eq!(report["counts"]["repositories"], 4, "{report}");
    assert_eq!(report["counts"]["behind"], 2);
    assert_eq!(report["counts"]["withoutBank"], 1);
    let shop = repository(&report, "shop");
    assert_eq!(shop["banks"][0]["state"], "old");
    assert_eq!(shop["banks"][0]["behind"], 1);
    assert_eq!(rule(shop, "hash")["state"], "held");
    let web = repository(&report, "web");
    assert_eq!(web["banks"][0]["state"], "current");
    assert_eq!(rule(web, "new")["state"], "unanchored");
    assert_eq!(rule(web, "close")["reason"], "no database");
    // The same facts through the transport of git, with blobs of single files.
    let api = repository(&report, "api");
    assert_eq!(rule(api, "hash")["state"], "drifted", "{api}");
    assert_eq!(rule(api, "hash")["file"], "shop/accounts.py");
    assert_eq!(rule(api, "close")["state"], "unanchored");
    let rules = report["rules"].as_array().expect("a list");
    let close = rules.iter().find(|it| it["id"] == "close").expect("the rule");
    assert_eq!(
        (&close["held"], &close["unanchored"], &close["off"]),
        (&1.into(), &1.into(), &1.into())
    );

    let printed = sandbox.ok("fleet report fleet.txt");
    assert!(printed.contains("4 repositories: 2 behind, 1 without a bank"), "{printed}");
    assert!(
        printed.contains("team is 1 commit behind; drifted: hash; unanchored: close"),
        "{printed}"
    );
    let page = sandbox.ok("fleet report fleet.txt --html -");
    assert!(page.contains("Rules of 4 repositories") && page.contains("no database"));

    // Parts of two jobs are the same report.
    sandbox.write("1.txt", ".\n../web\n");
    sandbox.write("2.txt", format!("../plain main\n{url}\n"));
    sandbox.ok("fleet report 1.txt --part 1.json --state one");
    // A part is replaced, another file is not.
    sandbox.write("notes.json", "{}");
    let refused = sandbox.run("fleet report 1.txt --part notes.json --state one");
    assert_eq!((refused.status(), &*sandbox.read("notes.json")), (2, "{}"));
    sandbox.ok("fleet report 1.txt --part 1.json --state one");
    sandbox.ok("fleet report 2.txt --part 2.json --state two");
    assert_eq!(sandbox.json("fleet join 1.json 2.json"), report);
    assert_eq!(sandbox.ok("fleet join 2.json 1.json --html -"), page);
}

#[test]
fn a_pin_is_some_commits_behind_or_no_longer_in_the_history() {
    let (sandbox, rules) = shop();
    for n in 0..3 {
        rules.write("README.md", format!("{n}\n"));
        rules.commit("more");
    }
    let newest = rules.git("rev-parse HEAD").trim().to_owned();
    let report = sandbox.json("fleet report .");
    let bank = &repository(&report, "shop")["banks"][0];
    assert_eq!((&bank["behind"], &bank["newest"]), (&3.into(), &newest.as_str().into()));
    let pinned = &report["banks"][0]["pinned"][0];
    assert_eq!((&pinned["behind"], &pinned["repositories"]), (&3.into(), &1.into()));
    assert_eq!(pinned["commit"], bank["commit"]);
    let printed = sandbox.ok("fleet report .");
    assert!(printed.contains("3 commits behind: 1 repository"), "{printed}");
    assert!(sandbox.ok("fleet report . --html -").contains("3 commits behind"));

    rules.git("checkout -q --orphan other");
    rules.commit("rewritten");
    rules.git("branch -M main");
    let report = sandbox.json("fleet report .");
    let shop = repository(&report, "shop");
    assert_eq!(shop["banks"][0]["behind"], Value::Null);
    let warning = "the branch main of the bank `team` does not contain the pinned commit";
    assert_eq!(shop["warnings"][0], warning, "{report}");
}

#[test]
fn what_was_read_is_used_again_until_the_repository_changes() {
    let (sandbox, _) = shop();
    sandbox.ok("memory add \"Ours\" --id ours --no-anchor");
    sandbox.commit("ours");
    sandbox.ok("fleet report . --state ../state");
    let records = sandbox.read("../state/records.jsonl");
    assert_eq!(records.lines().count(), 1);
    // A run that was killed while it wrote the second record.
    let marked = records.replace("\"ours\"", "\"marked\"");
    sandbox.write("../state/records.jsonl", format!("{marked}{{\"version\":1,\"pla"));
    let report = sandbox.json("fleet report . --state ../state");
    assert_eq!(rule(&report["repositories"][0], "marked")["state"], "unanchored");
    sandbox.write("shop/new.py", "x = 1\n");
    sandbox.commit("more");
    let report = sandbox.json("fleet report . --state ../state");
    assert_eq!(rule(&report["repositories"][0], "ours")["state"], "unanchored");
    assert_eq!(sandbox.read("../state/records.jsonl").lines().count(), 1);
    // A damaged state is read again.
    sandbox.write("../state/records.jsonl", [0xFF, 0x0A, 0x7B, 0x0A]);
    sandbox.ok("fleet report . --state ../state");
}

#[test]
fn a_repository_that_cannot_be_read_does_not_hide_the_others() {
    let (sandbox, rules) = shop();
    sandbox.git("init -q ../empty");
    sandbox.write("fleet.txt", ".\nfile:///nowhere/api\n. nothing\n../empty\n");
    let outcome = sandbox.run("fleet report fleet.txt");
    assert_eq!(outcome.status(), 1, "{}", outcome.text());
    assert!(
        outcome.stdout().contains("4 repositories: 0 behind, 3 not read"),
        "{}",
        outcome.text()
    );
    for why in ["it has no branch `nothing`", "it has no commit"] {
        assert!(outcome.stdout().contains(why), "{why}: {}", outcome.text());
    }
    let report = sandbox.json("fleet report fleet.txt");
    assert!(repository(&report, "nowhere/api")["error"].is_string());
    // A bank that is gone: its texts are in the cache, the newest commit is not known.
    rules.git("branch -m main other");
    let report = sandbox.json("fleet report .");
    let shop = repository(&report, "shop");
    assert_eq!(shop["banks"][0]["state"], "unknown");
    assert_eq!(rule(shop, "hash")["state"], "held");
    // Damaged files are warnings.
    sandbox.write(".memories/banks.lock", "version = 1\nbank = 3\n");
    sandbox.write(".memories/anchors.lock", "<<<<<<< ours\n");
    sandbox.write("cerberus.toml", "[[banks]]\nname = \"x\"\n");
    sandbox.commit("damaged");
    let report = sandbox.json("fleet report .");
    let warnings = &repository(&report, "shop")["warnings"];
    for part in ["banks.lock", "anchors.lock", "either `git` or `path`"] {
        assert!(warnings.to_string().contains(part), "{part}: {warnings}");
    }
}

#[test]
fn errors_of_the_command_line_have_the_place_and_a_hint() {
    let sandbox = Sandbox::shop();
    sandbox.write("empty.txt", "# nothing\n");
    sandbox.write("words.txt", "\n. main more\n");
    sandbox.write("branch.txt", ". --upload-pack=x\n");
    sandbox.write("ext.txt", "ext::sh\n");
    sandbox.write("part.json", "{\"version\":1}\n");
    sandbox.write("new.json", "{\"version\":7,\"repositories\":[]}\n");
    for (line, why) in [
        ("fleet report empty.txt", "no repository is named"),
        ("fleet report words.txt", "words.txt:2: unexpected `more`"),
        ("fleet report branch.txt", "branch.txt:1: `--upload-pack=x` is not a branch"),
        ("fleet report ext.txt", "ext.txt:1: `ext::sh` would run a command"),
        ("fleet report nowhere", "`nowhere` not found"),
        ("fleet report web", "contains no repository"),
        ("fleet report . --jobs 0", "--jobs"),
        ("fleet report . --html cerberus.toml", "is not an HTML page"),
        ("fleet report . --html - --json", "both write to the standard output"),
        ("fleet join part.json", "is not a part of a report"),
        ("fleet join new.json", "is of version 7"),
        ("fleet join nowhere.json", "nowhere.json"),
    ] {
        let outcome = sandbox.run(line);
        assert_ne!(outcome.status(), 0, "{line}");
        assert!(outcome.stderr().contains(why), "{line}: {}", outcome.text());
    }
}
