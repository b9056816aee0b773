//! `memory search`, whole memories and sections of them.

use expect_test::expect;

use crate::sandbox::Sandbox;

const NOTES: &str = "\
---
type: decision
tags: [release]
---
# Release plan

<!-- ANCHOR:summary -->
Ship every second Tuesday.
<!-- /ANCHOR:summary -->

<!-- ANCHOR:next-steps -->
Write the changelog, tag the commit, publish the packages and tell the support team \
what changed, so that nobody is surprised on Wednesday morning.
<!-- /ANCHOR:next-steps -->
";

fn notes() -> Sandbox {
    let sandbox = Sandbox::bank();
    sandbox.memory("release", NOTES);
    sandbox
}

#[test]
fn memories_are_found_by_their_words() {
    let sandbox = notes();
    sandbox.memory("other", "Close sessions.\n");
    sandbox.session(expect![[r#"
        $ cerberus memory search changelog
        release  `changelog` section next-steps
          Release plan
        [exit 0]

        $ cerberus memory search "sessions closing" --content
        other  `sessions` `closing`
        Close sessions.
        [exit 0]
    "#]]);
}

#[test]
fn only_the_requested_sections_are_returned() {
    let sandbox = notes();
    sandbox.session(expect![[r#"
        $ cerberus memory search release --section summary --content
        release  `release`
          summary release.md:7-9
          5 of 81 tokens, 93.8 % saved (o200k_base)
        Ship every second Tuesday.
        [exit 0]

        $ cerberus memory search release --anchors NEXT,summary --content
        release  `release`
          next-steps release.md:11-13
          summary release.md:7-9
          35 of 81 tokens, 56.8 % saved (o200k_base)
        Write the changelog, tag the commit, publish the packages and tell the support team what changed, so that nobody is surprised on Wednesday morning.

        ---

        Ship every second Tuesday.
        [exit 0]
    "#]],
    );
}

#[test]
fn a_missing_section_is_a_warning() {
    let sandbox = notes();
    sandbox.session(expect![[r#"
        $ cerberus memory search release --section summary,next-stps --content
        release  `release`
          summary release.md:7-9
          5 of 81 tokens, 93.8 % saved (o200k_base)
        Ship every second Tuesday.
        --- stderr
        warning: `release` has no section `next-stps`: it has release-plan, summary, next-steps; did you mean `next-steps`?
        [exit 0]

        $ cerberus memory search release --anchors nothing-like-it --content --json
        {
          "didYouMean": [],
          "query": "release",
          "results": [
            {
              "file": "release.md",
              "id": "release",
              "missing": [
                {
                  "id": "nothing-like-it",
                  "nearest": null
                }
              ],
              "recency": "Q",
              "score": "Q",
              "sections": [],
              "signals": [
                {
                  "contribution": 0.5,
                  "rank": 1,
                  "signal": "keyword"
                },
                {
                  "contribution": 0.5,
                  "rank": 1,
                  "signal": "vector"
                }
              ],
              "tokenMetrics": {
                "actualTokens": 0,
                "fullFileTokens": 81,
                "savingsPercent": null,
                "tokenizer": "o200k_base"
              },
              "why": [
                "`release`"
              ]
            }
          ],
          "skipped": 0,
          "warnings": [
            "`release` has no section `nothing-like-it`: it has release-plan, summary, next-steps"
          ]
        }
        [exit 0]
    "#]],
    );
}

#[test]
fn savings_may_be_negative() {
    let sandbox = Sandbox::bank();
    let text = "all of it is said here at some length ".repeat(20);
    let tags = [
        "<!-- ANCHOR:a -->",
        "<!-- ANCHOR:b -->",
        &text,
        "<!-- /ANCHOR:b -->",
        "<!-- /ANCHOR:a -->",
    ];
    sandbox.memory("twice", tags.join("\n"));
    let found = sandbox.json("memory search length --anchors a,b");
    let metrics = &found["results"][0]["tokenMetrics"];
    let saved = metrics["savingsPercent"]
        .as_f64()
        .expect("something was found");
    assert!(saved < 0.0, "{metrics}");
    assert!(
        metrics["actualTokens"].as_u64() > metrics["fullFileTokens"].as_u64(),
        "{metrics}"
    );
}

#[test]
fn inner_markers_are_removed_except_in_code() {
    let sandbox = Sandbox::bank();
    sandbox.memory(
        "deep",
        "<!-- ANCHOR:out -->\r\nword\r\n<!-- ANCHOR:in -->\r\n```\r\n<!-- ANCHOR:code -->\r\n```\r\n\
         <!-- /ANCHOR:in -->\r\n<!-- /ANCHOR:out -->\r\n",
    );
    let found = sandbox.json("memory search word --anchors out --content");
    let content = found["results"][0]["content"].as_str().expect("a text");
    assert!(
        content.contains("```\r\n<!-- ANCHOR:code -->\r\n```"),
        "{content:?}"
    );
    assert!(!content.contains("ANCHOR:in"), "{content:?}");
}

#[test]
fn query_syntax_characters_are_ignored() {
    let sandbox = notes();
    let queries = [
        "ship/tuesday",
        "ship AND NOT",
        "ship* (",
        "ship'",
        "Ship:",
        "ship-x",
        "\u{1F600} ship",
    ];
    for query in queries {
        let outcome = sandbox.run(&format!("memory search --json -- \"{query}\""));
        assert_eq!(outcome.status(), 0, "{}", outcome.text());
        assert!(
            outcome.stdout().contains("\"id\":\"release\""),
            "{}",
            outcome.text()
        );
    }
}

#[test]
fn archived_memories_are_found_only_on_request() {
    let sandbox = notes();
    sandbox.memory("past", "---\nstatus: archived\n---\nRelease on Mondays.\n");
    let ids = |line: &str| {
        let found = sandbox.json(line);
        let results = found["results"].as_array().expect("results").iter();
        results
            .filter_map(|it| it["id"].as_str())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(ids("memory search release"), "release");
    assert_eq!(ids("memory search release --status archived"), "past");
    assert_eq!(ids("memory search release --tag none"), "");
}

#[test]
fn no_results_is_a_failure_in_both_formats() {
    let sandbox = notes();
    sandbox.session(expect![[r#"
        $ cerberus memory search zebra
        --- stderr
        cerberus: no memory matches `zebra`
        hint: try other words, or list all memories with `cerberus memory show`
        [exit 1]

        $ cerberus memory search "?!"
        --- stderr
        cerberus: the query contains no words
        hint: use a word of the memory, as in `cerberus memory search session`
        [exit 2]
    "#]]);
    let in_json = sandbox.run("memory search zebra --json");
    assert_eq!(in_json.status(), 1, "{}", in_json.text());
}

#[test]
fn explain_shows_the_signals_and_their_scores() {
    let sandbox = notes();
    sandbox.memory("near", "Tuesdays are calm. See [[memory:release]].\n");
    sandbox.session(expect![[r#"
        $ cerberus memory search changelog --explain
        release  `changelog` section next-steps
          Release plan
          score Q: keyword 1 (+Q), vector 1 (+Q)
        near  related to `release`
          Tuesdays are calm. See [[memory:release]].
          score Q: graph 1 (+Q)
        [exit 0]
    "#]]);
}

#[test]
fn any_characters_are_accepted_in_a_query() {
    let sandbox = Sandbox::bank();
    sandbox.memory(
        "langs",
        "Use C++ for async/await? No: don't. `UserRepository` stays.\n",
    );
    let queries = [
        "async/await",
        "C++",
        "don't",
        "'\" (",
        "async AND NOT (await",
        "NEAR(async, await)",
        "body: async*",
        "user repository",
        "UserRepository",
        "async -- ; DROP TABLE",
    ];
    for query in queries {
        let mut command = sandbox.command("memory search --json --");
        let outcome = sandbox.outcome(query, command.arg(query).output().expect("it runs"));
        let has_word = query.chars().any(char::is_alphanumeric);
        assert_eq!(
            outcome.status(),
            if has_word { 0 } else { 2 },
            "{query}: {}",
            outcome.text()
        );
    }
}

#[test]
fn dates_filter_and_recency_raises_the_score() {
    let sandbox = Sandbox::bank();
    let memory = |id: &str, kind: &str, date: &str| {
        sandbox.memory(
            id,
            format!("---\ntype: {kind}\ncreated_at: {date}\n---\nShip boats.\n"),
        );
    };
    memory("a-old", "journal", "2024-01-01");
    memory("b-new", "journal", "2026-01-01T12:00:00Z");
    memory("c-rule", "rule", "2026-01-02");
    memory("d-future", "journal", "2027-01-01");
    sandbox.memory("e-undated", "Ship boats.\n");
    let ids = |line: &str| {
        let found: serde_json::Value =
            serde_json::from_str(&sandbox.run(&format!("{line} --json")).stdout()).expect("JSON");
        let results = found["results"].as_array().expect("results").iter();
        results
            .filter_map(|it| it["id"].as_str())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        ids("memory search boats"),
        "b-new d-future a-old c-rule e-undated"
    );
    assert_eq!(
        ids("memory search boats --since 2026-01-01"),
        "b-new d-future c-rule"
    );
    assert_eq!(ids("memory search boats --until 2026-01-01"), "b-new a-old");
    assert_eq!(
        ids("memory search boats --until 2026-01-01T11:00:00Z"),
        "a-old"
    );
    sandbox.write("cerberus.toml", "[memory]\nrecency_boost_factor = 1.0\n");
    assert_eq!(
        ids("memory search boats"),
        "a-old b-new c-rule d-future e-undated"
    );
    sandbox.session(expect![[r#"
        $ cerberus memory search boats --since yesterday
        --- stderr
        cerberus: `--changed-after yesterday` is not a date
        hint: use a date or a time, as in `--changed-after 2026-01-15` or `--changed-after 2026-01-15T09:30:00Z`
        [exit 2]
    "#]]);
}

#[test]
fn a_misspelt_word_gets_a_suggestion() {
    let sandbox = notes();
    sandbox.session(expect![[r#"
        $ cerberus memory search chnagelog
        --- stderr
        cerberus: no memory matches `chnagelog`
        hint: did you mean `changelog`?
        [exit 1]
    "#]]);
}

#[test]
fn a_changed_file_is_reread_and_no_other() {
    let sandbox = notes();
    sandbox.memory("other", "Close sessions.\n");
    assert!(sandbox.ok("memory search sessions").contains("other"));
    sandbox.memory("other", "Open doors.\n");
    assert!(sandbox.ok("memory search doors").contains("other"));
    assert_eq!(sandbox.run("memory search sessions").status(), 1);
    sandbox.remove(".memories/other.md");
    assert_eq!(sandbox.run("memory search doors").status(), 1);
    sandbox.memory("copy", "---\nid: release\n---\nDoors again.\n");
    sandbox.session(expect![[r#"
        $ cerberus memory search doors
        release  `doors`
          Doors again.
        --- stderr
        warning: `release.md` is ignored: `copy.md` already has the id `release`
        [exit 0]
    "#]]);
}
