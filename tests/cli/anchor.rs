//! `memory anchor`.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn candidates_are_listed_and_nothing_is_stored() {
    let sandbox = Sandbox::anchored();
    let before = sandbox.lock();
    let listed = sandbox.ok("memory anchor close-session --candidates 2");
    assert!(listed.contains("request_session"), "{listed}");
    let hinted = sandbox.ok("memory anchor close-session --candidates 2 --hint Session");
    let keep = "store one with: cerberus memory anchor close-session --hint Session --pick 1\n";
    assert!(hinted.contains(keep), "{hinted}");
    sandbox.ok("memory anchor escape-html --to web/cart.ts --dry-run");
    sandbox.ok("memory anchor escape-html --clear --dry-run");
    sandbox.ok("memory anchor escape-html --pick 1 --dry-run");
    assert_eq!(sandbox.lock(), before);
}

#[test]
fn an_anchor_is_found_picked_and_cleared() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory add \"Escape HTML entities in text\" --id escape --no-anchor");
    sandbox.session(expect![[r#"
        $ cerberus memory anchor escape
        anchored escape to web/html.ts::escapeHtml (quality Q)
        [exit 0]

        $ cerberus memory anchor esc --to web/cart.ts::addToCart
        anchored escape to web/cart.ts::addToCart (chosen by hand)
        [exit 0]

        $ cerberus memory anchor escape
        --- stderr
        cerberus: `escape` is anchored manually, to `web/cart.ts::addToCart`
        hint: list other candidates with `cerberus memory anchor escape --candidates 5`
        hint: remove it with `cerberus memory anchor escape --clear`, then anchor again
        [exit 2]

        $ cerberus memory anchor escape --pick 1
        anchored escape to web/html.ts::escapeHtml (chosen by hand)
        [exit 0]

        $ cerberus memory anchor escape --clear --dry-run
        would remove the anchor of escape
        [exit 0]

        $ cerberus memory anchor escape --clear
        removed the anchor of escape
        [exit 0]

        $ cerberus memory anchor escape --clear
        escape has no anchor
        [exit 0]
    "#]]);
    assert!(!sandbox.lock().contains("[[anchor]]"));
}

#[test]
fn a_hint_finds_the_example() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory add \"Hang velvet curtains\" --id hang --no-anchor --kind code");
    sandbox.session(expect![[r#"
        $ cerberus memory anchor hang
        hang is not anchored: no code contains any of its words
        not found in the code: `hang`
        not found in the code: `velvet`
        not found in the code: `curtains`
        [exit 1]

        $ cerberus memory anchor hang --hint escapeHtml
        anchored hang to web/html.ts::escapeHtml (quality Q)
        [exit 0]
    "#]]);
}

#[test]
fn an_impossible_anchor_is_refused() {
    let sandbox = Sandbox::anchored();
    sandbox.ok("memory add \"Be kind\" --id kind --scope universal");
    sandbox.session(expect![[r#"
        $ cerberus memory anchor kind
        --- stderr
        cerberus: `kind` cannot be anchored: a universal memory is never anchored
        hint: set a scope like `project:<name>` in its frontmatter
        [exit 2]

        $ cerberus memory anchor hang-curtains --pick 3
        --- stderr
        cerberus: `hang-curtains` has no candidates: no code contains its words
        hint: specify one with `cerberus memory anchor hang-curtains --to FILE::SYMBOL`
        [exit 2]

        $ cerberus memory anchor close-session --pick 1 --clear
        --- stderr
        cerberus: the argument `--pick <RANK>` cannot be used with `--clear`
        hint: see cerberus memory anchor --help
        [exit 2]

        $ cerberus memory anchor close-sesion
        --- stderr
        cerberus: memory `close-sesion` not found
        hint: did you mean `close-session`?
        [exit 2]

        $ cerberus memory anchor close-session --min-quality 2
        --- stderr
        cerberus: invalid value `2` for `--min-quality <QUALITY>`: must be between 0 and 1
        hint: see cerberus memory anchor --help
        [exit 2]
    "#]]);
}

#[test]
fn a_manual_location_is_checked() {
    let sandbox = Sandbox::anchored();
    let before = sandbox.lock();
    for place in [
        "web/none.ts",
        "web/html.ts::escapeXml",
        "../shop/web/html.ts",
        "web",
    ] {
        let outcome = sandbox.run(&format!("memory anchor escape-html --to {place}"));
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
    }
    assert_eq!(sandbox.lock(), before);
}

#[test]
fn the_kind_is_recorded_with_every_choice() {
    let sandbox = Sandbox::anchored();
    let kind = |id: &str| sandbox.json(&format!("memory show {id}"))["memories"][0]["kind"].clone();
    for (flags, expected) in [
        ("--kind process --candidates 3", serde_json::Value::Null),
        ("--kind process --clear --dry-run", serde_json::Value::Null),
        ("--kind process --clear", "process".into()),
        ("--kind code --to web/cart.ts", "code".into()),
        ("--kind process --none", "process".into()),
    ] {
        sandbox.ok(&format!("memory anchor hang-curtains {flags}"));
        assert_eq!(kind("hang-curtains"), expected, "{flags}");
    }
    sandbox.session(expect![[r#"
        $ cerberus memory anchor escape-html --clear
        removed the anchor of escape-html
        [exit 0]

        $ cerberus memory anchor escape-html --kind process
        recorded that escape-html is of the kind process
        escape-html is not anchored: the rule has `kind: process`, so that no code is searched for
        if it is about code: cerberus memory anchor escape-html --kind code
        [exit 1]

        $ cerberus memory anchor escape-html --none --hint word
        --- stderr
        cerberus: the argument `--none` cannot be used with `--hint <WORD>`
        hint: see cerberus memory anchor --help
        [exit 2]
    "#]]);
    assert_eq!(kind("escape-html"), "process");
}

#[test]
fn further_examples_and_counter_examples_are_recorded() {
    let sandbox = Sandbox::anchored();
    let main = sandbox.json("memory show close-session")["memories"][0]["anchor"].clone();
    sandbox.ok("memory anchor escape-html --to web/html.ts::escapeHtml");
    sandbox.session(expect![[r#"
        $ cerberus memory anchor escape-html --also web/cart.ts::addToCart --dry-run
        would add an example of escape-html: web/cart.ts::addToCart
        [exit 0]

        $ cerberus memory anchor escape-html --also web/html.ts::escapeHtml
        --- stderr
        cerberus: it is the main example of this memory already
        hint: name other code, as in `--also FILE::SYMBOL`
        [exit 2]

        $ cerberus memory anchor escape-html --drop web/cart.ts::addToCart
        --- stderr
        cerberus: `escape-html` has no further example at `web/cart.ts::addToCart`
        hint: list them with `cerberus memory show escape-html`
        [exit 2]

        $ cerberus memory anchor hang-curtains --not web/cart.ts::addToCart
        --- stderr
        cerberus: `hang-curtains` has no anchor, so it has no further examples
        hint: anchor it first: cerberus memory anchor hang-curtains --to FILE::SYMBOL
        hint: or write code that breaks the rule in its text, in a code block below `Bad:`
        [exit 2]
    "#]]);
    sandbox.ok("memory anchor escape-html --not web/cart.ts::addToCart");
    let lock = sandbox.lock();
    assert!(lock.contains("role = \"not\""), "{lock}");
    assert!(
        lock.contains("addToCart("),
        "the code of a short counter-example: {lock}"
    );
    sandbox.ok(&format!(
        "memory anchor escape-html --also {}::{}",
        main["file"].as_str().expect("a file"),
        main["symbol"].as_str().expect("a symbol")
    ));
    let others = &sandbox.json("memory show escape-html")["memories"][0]["anchor"]["others"];
    assert_eq!(others[0]["role"], "also");
    assert_eq!(others[0]["symbol"], main["symbol"]);
    assert_eq!(others[1]["role"], "not");
    let shown = sandbox.ok("memory show escape-html");
    assert!(shown.contains("\n  not web/cart.ts::addToCart"), "{shown}");
    // Neither is injected, and another main example keeps them.
    assert!(!sandbox.ok("memory inject").contains("addToCart"));
    sandbox.ok("memory anchor escape-html --to web/html.ts");
    assert_eq!(sandbox.lock().matches("[[anchor.example]]").count(), 2);
    sandbox.ok("memory anchor escape-html --drop web/cart.ts::addToCart");
    assert_eq!(sandbox.lock().matches("[[anchor.example]]").count(), 1);
}

#[test]
fn every_further_example_is_followed_and_no_counter_example() {
    let sandbox = Sandbox::anchored();
    sandbox.ok("memory anchor escape-html --to web/html.ts::escapeHtml");
    sandbox.ok("memory anchor escape-html --also web/cart.ts::addToCart");
    sandbox.ok("memory anchor escape-html --not web/cart.ts");
    let text = sandbox.read("web/cart.ts");
    sandbox.write("web/basket.ts", &text);
    sandbox.remove("web/cart.ts");
    let report = sandbox.json_of(sandbox.run("memory reanchor --check --json"));
    let moved = report["results"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|it| it["role"] == "also");
    assert_eq!(moved.expect("a finding")["new"]["file"], "web/basket.ts");
    sandbox.ok("memory reanchor");
    let lock = sandbox.lock();
    assert!(
        lock.contains("file = \"web/basket.ts\"\nsymbol = \"addToCart\""),
        "{lock}"
    );
    assert!(
        lock.contains("role = \"not\"\nfile = \"web/cart.ts\""),
        "{lock}"
    );
    sandbox.ok("memory reanchor --check");
    sandbox.write("web/basket.ts", "export const nothing = 1;\n");
    let failed = sandbox.run("memory reanchor --check");
    assert_eq!(failed.status(), 1, "{}", failed.text());
    assert!(
        failed.text().contains("--drop web/basket.ts::addToCart"),
        "{}",
        failed.text()
    );
}

#[test]
fn one_of_several_definitions_needs_a_number_or_parameters() {
    let sandbox = Sandbox::bank();
    sandbox.write("Mailer.java", "class Mailer {\n  void send(String to) {}\n\n  void send(String to, int times) {\n    retry(times);\n  }\n}\n");
    sandbox.commit("a mailer");
    sandbox.ok("memory add \"Escape HTML entities in text\" --id escape");
    sandbox.session(expect![[r#"
        $ cerberus memory anchor escape --to Mailer.java::send
        --- stderr
        cerberus: `send` is ambiguous in `Mailer.java`
        hint: specify one of: `Mailer.send#1` or `Mailer.send(String to)` in line 2, `Mailer.send#2` or `Mailer.send(String to, int times)` in line 4
        [exit 2]

        $ cerberus memory anchor escape --to Mailer.java::send#2
        anchored escape to Mailer.java::Mailer.send#2 (chosen by hand)
        [exit 0]

        $ cerberus memory anchor escape --to "Mailer.java::send(String,int)"
        anchored escape to Mailer.java::Mailer.send#2 (chosen by hand)
        [exit 0]

        $ cerberus memory anchor escape --also "Mailer.java::send(String)"
        added an example of escape: Mailer.java::send(String)
        [exit 0]

        $ cerberus memory anchor escape --also Mailer.java::send#2
        --- stderr
        cerberus: it is the main example of this memory already
        hint: name other code, as in `--also FILE::SYMBOL`
        [exit 2]

        $ cerberus memory linked Mailer.java::Mailer.send
        escape  rule
          anchored to Mailer.java::Mailer.send#2
        [exit 0]

        $ cerberus memory linked Mailer.java::send#1
        --- stderr
        cerberus: no memory mentions or is anchored to `Mailer.java::send#1`
        hint: list all links with `cerberus memory links`
        [exit 1]

        $ cerberus memory anchor escape --drop "Mailer.java::send(String)"
        removed an example of escape: Mailer.java::send(String)
        [exit 0]
    "#]]);
}
