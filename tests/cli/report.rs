//! `memory report`.

use expect_test::expect;

use crate::project;
use crate::sandbox::Sandbox;

const HOSTILE: &str = "</script><script>alert(1)</script>";

fn page(sandbox: &Sandbox) -> String {
    sandbox.ok("memory report --html -")
}

/// Returns the content of an element of the page, selected by id.
fn part<'a>(page: &'a str, id: &str, end: &str) -> &'a str {
    let start = page
        .find(&format!("id=\"{id}\""))
        .unwrap_or_else(|| panic!("no element `{id}`"));
    let rest = &page[start..];
    &rest[..rest.find(end).expect("it ends")]
}

/// Checks that every tag is closed and that no tag, URL or attribute makes a browser load or run
/// anything.
#[track_caller]
fn check_harmless(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        let name = tag
            .split([' ', '/'])
            .find(|part| !part.is_empty())
            .expect("a name");
        assert!(
            !["script", "img", "iframe", "object", "link", "form", "base"].contains(&name),
            "<{tag}>"
        );
        for word in [" on", " style=", " src=", "javascript:", "data:"] {
            let outside = tag.split('"').step_by(2).collect::<String>();
            assert!(!outside.contains(word) || name == "meta", "<{tag}>");
        }
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "</{name}> closes what is open"),
            None if ["!DOCTYPE", "meta", "input", "hr", "br"].contains(&name) => {}
            None => open.push(name),
        }
        if name == "style" && !tag.starts_with('/') {
            rest = &rest[rest.find("</style>").expect("it ends")..];
        }
    }
    assert!(open.is_empty(), "{open:?} are closed");
    assert!(
        !page
            .chars()
            .any(|c| c != '\n' && c != '\t' && c.is_control())
    );
    assert!(!page.contains(['\u{202e}', '\u{2066}']));
}

#[test]
fn a_page_lists_each_memory_with_its_example_and_state() {
    let sandbox = Sandbox::anchored();
    sandbox.memory(
        "sessions",
        "---\ntype: decision\n---\n# Why\n\nSee [[memory:close-session]] and [[shop/gone.py]].\n",
    );
    sandbox.ok("memory pin add \"Be kind\" --id kind");
    sandbox.git("mv web/html.ts web/markup.ts");
    sandbox.edit("shop/accounts.py", "r=8", "r=16");
    sandbox.remove("api/limit.go");
    let lock = sandbox.lock();
    let page = page(&sandbox);
    check_harmless(&page);
    assert_eq!(sandbox.lock(), lock, "nothing is recorded");
    for (id, text, _) in project::RULES {
        let article = part(&page, &format!("m-{id}"), "</article>");
        assert!(
            article.contains(&text.replace('\'', "&#39;")) || article.contains(text),
            "{article}"
        );
    }
    let moved = part(&page, "m-escape-html", "</article>");
    assert!(
        moved.contains(">moved<") && moved.contains("web/markup.ts::escapeHtml"),
        "{moved}"
    );
    assert!(
        moved.contains("<span class=\"d\">escapeHtml</span>"),
        "{moved}"
    );
    let edited = part(&page, "m-hash-passwords", "</article>");
    assert!(
        edited.contains(">edited") && edited.contains("16"),
        "{edited}"
    );
    let gone = part(&page, "m-limit-clients", "</article>");
    assert!(
        gone.contains("gone, needs a decision") && !gone.contains("<pre"),
        "{gone}"
    );
    let work = part(&page, "changes", "</section>");
    assert!(
        work.contains("cerberus memory anchor limit-clients"),
        "{work}"
    );
    let links = part(&page, "links", "</main>");
    assert!(links.contains("shop/gone.py"), "{links}");
    let decision = part(&page, "m-sessions", "</article>");
    assert!(decision.contains("<h4>Why</h4>"), "{decision}");
    assert!(
        decision.contains("<a href=\"#m-close-session\">"),
        "{decision}"
    );
    assert!(part(&page, "pins", "</section>").contains("Be kind"));
}

#[test]
fn a_page_says_what_is_wrong_in_documents_how_sure_examples_are_and_what_agents_get() {
    let sandbox = Sandbox::anchored();
    sandbox.write("AGENTS.md", "See [limits](api/limit.go).\n");
    sandbox.write(".codex/config.toml", "model = \"x\"\n");
    sandbox.commit("Instructions");
    sandbox.git("mv api/limit.go api/limits.go");
    sandbox.ok("memory anchor close-session --to shop/db.py::request_session");
    let page = page(&sandbox);
    check_harmless(&page);
    let documents = part(&page, "documents", "</main>");
    assert!(
        documents.contains("AGENTS.md:1") && documents.contains("api/limits.go"),
        "{documents}"
    );
    let summary = part(&page, "summary", "</section>");
    for row in [
        "example chosen by hand</th><td class=\"number\">1<",
        "example found by words</th><td class=\"number\">3<",
    ] {
        assert!(summary.contains(row), "{row}: {summary}");
    }
    let agents = part(&page, "agents", "</section>");
    assert!(agents.contains("cerberus setup codex"), "{agents}");
    for sentence in [
        "1 error and 0 warnings in",
        "4 of 5 rules with an example, 1 waiting for one.",
        "codex gets 0 of 5 rules.",
    ] {
        assert!(page.contains(sentence), "{sentence}: {page}");
    }
    let report = sandbox.json("memory report");
    assert_eq!(report["documents"]["errors"], 1);
}

#[test]
fn a_report_without_git_says_that_the_documents_were_not_checked() {
    let sandbox = Sandbox::bank();
    sandbox.remove(".git");
    let page = page(&sandbox);
    assert!(page.contains("The documents were not checked."), "{page}");
    assert!(part(&page, "warnings", "</section>").contains("the documents were not checked"));
}

#[test]
fn the_same_bank_and_commit_give_the_same_page() {
    let sandbox = Sandbox::anchored();
    let mut later = sandbox.command("memory report --html -");
    let later = later
        .env("CERBERUS_NOW", "2027-01-02T03:04:05Z")
        .output()
        .expect("it runs");
    assert_eq!(page(&sandbox).as_bytes(), later.stdout);
    sandbox.ok("memory report --html report.html");
    assert_eq!(
        page(&sandbox),
        sandbox.read("report.html"),
        "its own file changes nothing"
    );
}

#[test]
fn text_from_the_repository_is_escaped() {
    let sandbox = Sandbox::bank();
    let code =
        format!("def g():\n    return \"{HOSTILE}\u{202e}\"  # \x1b[31m --> </code></pre>\n");
    sandbox.write("shop/<b>\"on.py", code);
    sandbox.memory(
        "evil",
        format!(
            "---\nid: 'a\"><script>'\ntype: rule\ntags: ['<i>', \"\\u202e\"]\ncategory: '\" onclick=x'\n---\n# {HOSTILE}\n\n\
             <img src=x onerror=x> ![p](http://e/y) [j](javascript:x) [d](data:text/html,x)\n\n<style>*{{}}</style>\n\n\
             [[src/\"><script>|<b>l</b>]] \u{202e} \x07\n\n```\"><script>\n</code></pre>\n```\n\n| a |\n|--:|\n| </td> |\n"
        ),
    );
    sandbox.memory("b", "---\ntype: rule\n---\ng\n");
    let place = ["memory", "anchor", "b", "--to", "shop/<b>\"on.py::g"];
    let done = sandbox.command("").args(place).output().expect("it runs");
    assert!(done.status.success(), "{done:?}");
    sandbox.memory(
        "broken",
        "---\nid: [<script>\n---\n<!-- ANCHOR:x --> never closed\n",
    );
    sandbox.memory("bytes", b"\xFF\xFE\0\xD8<script>");
    sandbox.ok(&format!("memory pin add \"{HOSTILE}\" --id p"));
    let page = page(&sandbox);
    check_harmless(&page);
    assert!(
        page.contains("&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}"),
        "{page}"
    );
    assert!(page.contains("\\u{1b}[31m"));
    assert!(page.contains("default-src 'none'; style-src 'sha256-"));
    assert!(!page.contains("unsafe-inline"));
}

#[test]
fn only_an_older_page_is_overwritten() {
    let sandbox = Sandbox::bank();
    sandbox.write("notes.md", "mine\n");
    sandbox.session(expect![[r#"
        $ cerberus memory report --html report.html
        wrote 0 memories to report.html, 10 KB
        0 errors and 0 warnings in 0 documents
        0 rules: 0 anchored, 0 waiting, 0 process, 0 no example
        [exit 0]

        $ cerberus memory report --html report.html
        wrote 0 memories to report.html, 10 KB
        0 errors and 0 warnings in 0 documents
        0 rules: 0 anchored, 0 waiting, 0 process, 0 no example
        [exit 0]

        $ cerberus memory report
        --- stderr
        cerberus: no output specified
        hint: write the page with `cerberus memory report --html report.html`
        [exit 2]

        $ cerberus memory report --html - --json
        --- stderr
        {
          "error": "--json and `--html -` both write to the standard output",
          "hints": [
            "specify a file for the page"
          ]
        }
        [exit 2]

        $ cerberus memory report --html notes.md
        --- stderr
        cerberus: `notes.md` exists and is not an HTML page
        hint: name another file, or remove this one first
        [exit 2]

        $ cerberus memory report --html shop
        --- stderr
        cerberus: `shop` is a folder
        hint: name a file, as in `shop/report.html`
        [exit 2]

        $ cerberus memory report --html no/where.html
        --- stderr
        cerberus: folder `no` not found
        hint: create it with `mkdir -p no`
        [exit 2]

        $ cerberus memory report --html .memories/anchors.lock
        --- stderr
        cerberus: `.memories/anchors.lock` is in the bank
        hint: name a file outside it, as in `report.html`
        [exit 2]

        $ cerberus memory report --html .memories/page.html
        --- stderr
        cerberus: `.memories/page.html` is in the bank
        hint: name a file outside it, as in `report.html`
        [exit 2]
    "#]]);
    assert_eq!(sandbox.read("notes.md"), "mine\n");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("notes.md", sandbox.path("link.html")).expect("a link");
        sandbox.session(expect![[r#"
            $ cerberus memory report --html link.html
            --- stderr
            cerberus: `link.html` is a symbolic link
            hint: name the file itself
            [exit 2]
        "#]]);
    }
}

#[test]
fn a_page_is_written_without_git_and_memories() {
    let sandbox = Sandbox::bank();
    sandbox.remove(".git");
    let page = page(&sandbox);
    check_harmless(&page);
    assert!(page.contains("No git commit found"), "{page}");
    assert!(page.contains("There are no rules."), "{page}");
}
