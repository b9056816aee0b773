//! `memory links` and `memory linked`: links from memories to files, symbols and memories.

use expect_test::expect;

use crate::sandbox::Sandbox;

const POOL: &str = "class Pool:\n    def close(self):\n        pass\n";

/// A project whose memories have links of every kind.
fn linked() -> Sandbox {
    let sandbox = Sandbox::bank();
    sandbox.write("src/pool.py", POOL);
    sandbox.write("src/start.py", "def start():\n    pass\n");
    sandbox.commit("code");
    sandbox.memory(
        "pools",
        "---\ntype: rule\n---\nFix the bug in [[src/pool.py::Pool.close]].\n\nThis supersedes \
         [[memory:old-pools]].\n",
    );
    sandbox.memory("old-pools", "Pools are never closed.\n");
    sandbox.memory(
        "start-up",
        "---\ntype: plan\nlinks: [\"[[memory:pools]]\"]\n---\nRewrite [[./src/../src/start.py]] \
         so that [[Pool.close|closing]] works.\n",
    );
    sandbox
}

#[test]
fn links_are_listed_with_relation_state_and_sentence() {
    let sandbox = linked();
    sandbox.session(expect![[r#"
        $ cerberus memory links
        pools.md:4	debugs	src/pool.py::Pool.close	live	Fix the bug in [[src/pool.py::Pool.close]].
        pools.md:6	supersedes	memory:old-pools	live	This supersedes [[memory:old-pools]].
        start-up.md:1	related_to	memory:pools	live	
        start-up.md:5	refactors	./src/../src/start.py	live	Rewrite [[./src/../src/start.py]] so that [[Pool.close|closing]] works.
        start-up.md:5	refactors	Pool.close	live	Rewrite [[./src/../src/start.py]] so that [[Pool.close|closing]] works.
        [exit 0]

        $ cerberus memory links --broken
        no broken links (5 in total)
        [exit 0]

        $ cerberus memory links pools
        pools.md:4	debugs	src/pool.py::Pool.close	live	Fix the bug in [[src/pool.py::Pool.close]].
        pools.md:6	supersedes	memory:old-pools	live	This supersedes [[memory:old-pools]].
        [exit 0]

        $ cerberus memory links pools --broken
        no broken links (2 in total)
        [exit 0]
    "#]]);
}

#[test]
fn broken_links_are_explained_and_fail() {
    let sandbox = linked();
    sandbox.write(
        "lib/moved.py",
        "def run():\n    pass\n\ndef other():\n    return 1\n",
    );
    sandbox.commit("before");
    sandbox.write("lib/renamed.py", sandbox.read("lib/moved.py"));
    sandbox.remove("lib/moved.py");
    sandbox.commit("renamed");
    sandbox.memory(
        "broken",
        "- [[src/gone.py]]\n- [[old/pool.py]]\n- [[SRC/pool.py]]\n- [[src/start.py::Pool]]\n\
         - [[lib/moved.py]]\n- [[src/pool.py::Pool.opened]]\n- [[src/pool.py#L3-L9]]\n\
         - [[../secret.txt]]\n- [[/etc/passwd]]\n- [[memory:pool]]\n- [[memory:Pools]]\n\
         - [[memory:pools#why]]\n- [[https://example.org/x]]\n- `[[src/code.py]]`\n",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory links --broken
        broken.md:1	related_to	src/gone.py	missing	did you mean `src/pool.py`?
        broken.md:2	related_to	old/pool.py	moved	now src/pool.py, the only file with that name
        broken.md:3	related_to	SRC/pool.py	moved	now src/pool.py, the name differs in case
        broken.md:4	related_to	src/start.py::Pool	moved	now src/pool.py::Pool, the symbol is defined there
        broken.md:5	related_to	lib/moved.py	moved	now lib/renamed.py, renamed in git
        broken.md:6	related_to	src/pool.py::Pool.opened	missing	the file does not define `Pool.opened`; did you mean `Pool`?
        broken.md:7	related_to	src/pool.py#L3-L9	missing	the file has only 3 lines
        broken.md:8	related_to	../secret.txt	outside	the path is outside the project
        broken.md:9	related_to	/etc/passwd	outside	the path is outside the project
        broken.md:10	related_to	memory:pool	missing	did you mean `memory:pools`?
        broken.md:11	related_to	memory:Pools	moved	now memory:pools, the name differs in case
        broken.md:12	related_to	memory:pools#why	missing	the memory has no section `why`
        [exit 1]
    "#]]);
    let stats = sandbox.ok("memory stats");
    assert!(stats.contains("links\tbroken\t12"), "{stats}");
}

#[test]
fn a_bank_without_links_is_reported() {
    let sandbox = Sandbox::bank();
    sandbox.session(expect![[r#"
        $ cerberus memory links
        there are no links: add one, as in `[[src/server.py]]`
        [exit 0]

        $ cerberus memory links --broken --json
        {
          "broken": 0,
          "edges": [],
          "total": 0,
          "warnings": []
        }
        [exit 0]

        $ cerberus memory linked src/x.py
        --- stderr
        cerberus: no memory mentions or is anchored to `src/x.py`
        hint: list all links with `cerberus memory links`
        [exit 1]
    "#]]);
}

#[test]
fn supersession_cycles_are_reported_and_hide_nothing() {
    let sandbox = Sandbox::bank();
    sandbox.memory("a", "Ships. [[supersedes::memory:b]]\n");
    sandbox.memory("b", "Ships. [[supersedes::memory:c]]\n");
    sandbox.memory(
        "c",
        "Ships. [[supersedes::memory:a]] [[depends on::memory:c]]\n",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory links
        a.md:1	supersedes	memory:b	live	[[supersedes::memory:b]]
        b.md:1	supersedes	memory:c	live	[[supersedes::memory:c]]
        c.md:1	supersedes	memory:a	live	[[supersedes::memory:a]] [[depends on::memory:c]]
        c.md:1	depends_on	memory:c	live	[[supersedes::memory:a]] [[depends on::memory:c]]
        --- stderr
        warning: `a`, `b`, `c` supersede each other in a cycle, so none of them is hidden
        [exit 0]

        $ cerberus memory search ships
        a  `ships`
          Ships. [[supersedes::memory:b]]
        b  `ships`
          Ships. [[supersedes::memory:c]]
        c  `ships`
          Ships. [[supersedes::memory:a]] [[depends on::memory:c]]
        --- stderr
        warning: `a`, `b`, `c` supersede each other in a cycle, so none of them is hidden
        [exit 0]
    "#]]);
}

#[test]
fn a_superseded_memory_is_found_only_on_request() {
    let sandbox = linked();
    sandbox.session(expect![[r#"
        $ cerberus memory search "pools never closed"
        pools  `pools` `closed`
          Fix the bug in [[src/pool.py::Pool.close]].
        start-up  `pools` `closed`
          Rewrite [[./src/../src/start.py]] so that [[Pool.close|closing]] works.
        [exit 0]

        $ cerberus memory search "pools never closed" --superseded
        old-pools  `pools` `closed`
          Pools are never closed.
        pools  `pools` `closed`
          Fix the bug in [[src/pool.py::Pool.close]].
        start-up  `pools` `closed`
          Rewrite [[./src/../src/start.py]] so that [[Pool.close|closing]] works.
        [exit 0]

        $ cerberus memory search never
        --- stderr
        cerberus: no memory matches `never`
        hint: 1 matching memory is archived, superseded or excluded by the filters: try `--superseded` or `--status archived`
        [exit 1]

        $ cerberus memory linked memory:old-pools
        pools  rule
          supersedes memory:old-pools pools.md:6  This supersedes [[memory:old-pools]].
        [exit 0]
    "#]]);
}

#[test]
fn memories_are_found_by_their_link_targets() {
    let sandbox = linked();
    sandbox.ok("memory add \"Close pools\" --id close-pools --anchor-to src/pool.py::Pool.close");
    sandbox.session(expect![[r#"
        $ cerberus memory linked src/pool.py
        close-pools  rule
          anchored to src/pool.py::Pool.close
        pools  rule
          debugs src/pool.py::Pool.close pools.md:4  Fix the bug in [[src/pool.py::Pool.close]].
        start-up  plan
          refactors Pool.close start-up.md:5  Rewrite [[./src/../src/start.py]] so that [[Pool.close|closing]] works.
        [exit 0]

        $ cerberus memory linked ./src//pool.py "rewrite start"
        start-up  plan
          refactors Pool.close start-up.md:5  Rewrite [[./src/../src/start.py]] so that [[Pool.close|closing]] works.
        pools  rule
          debugs src/pool.py::Pool.close pools.md:4  Fix the bug in [[src/pool.py::Pool.close]].
        close-pools  rule
          anchored to src/pool.py::Pool.close
        [exit 0]

        $ cerberus memory linked src/pool.py::Pool
        close-pools  rule
          anchored to src/pool.py::Pool.close
        pools  rule
          debugs src/pool.py::Pool.close pools.md:4  Fix the bug in [[src/pool.py::Pool.close]].
        start-up  plan
          refactors Pool.close start-up.md:5  Rewrite [[./src/../src/start.py]] so that [[Pool.close|closing]] works.
        [exit 0]

        $ cerberus memory linked Pool.close
        close-pools  rule
          anchored to src/pool.py::Pool.close
        pools  rule
          debugs src/pool.py::Pool.close pools.md:4  Fix the bug in [[src/pool.py::Pool.close]].
        start-up  plan
          refactors Pool.close start-up.md:5  Rewrite [[./src/../src/start.py]] so that [[Pool.close|closing]] works.
        [exit 0]

        $ cerberus memory linked src
        start-up  plan
          refactors ./src/../src/start.py start-up.md:5  Rewrite [[./src/../src/start.py]] so that [[Pool.close|closing]] works.
          refactors Pool.close start-up.md:5  Rewrite [[./src/../src/start.py]] so that [[Pool.close|closing]] works.
        close-pools  rule
          anchored to src/pool.py::Pool.close
        pools  rule
          debugs src/pool.py::Pool.close pools.md:4  Fix the bug in [[src/pool.py::Pool.close]].
        [exit 0]

        $ cerberus memory linked memory:pools
        start-up  plan
          related_to memory:pools start-up.md:1
        [exit 0]

        $ cerberus memory linked src/start.py --json
        {
          "memories": [
            {
              "file": "start-up.md",
              "id": "start-up",
              "reasons": [
                {
                  "context": "Rewrite [[./src/../src/start.py]] so that [[Pool.close|closing]] works.",
                  "line": 5,
                  "relation": "refactors",
                  "target": "./src/../src/start.py"
                }
              ],
              "score": null,
              "type": "plan"
            }
          ],
          "query": null,
          "targets": [
            "src/start.py"
          ],
          "warnings": []
        }
        [exit 0]

        $ cerberus memory linked ../x
        --- stderr
        cerberus: `../x` is outside the project
        hint: use a path from the project root, as in `src/server.py`
        [exit 2]

        $ cerberus memory linked
        --- stderr
        cerberus: the following required arguments were not provided: <TARGET>
        hint: see cerberus memory linked --help
        [exit 2]

        $ cerberus memory linked src/nothing.py
        --- stderr
        cerberus: no memory mentions or is anchored to `src/nothing.py`
        hint: list all links with `cerberus memory links`
        [exit 1]
    "#]]);
}

#[test]
fn a_broken_link_names_the_new_location_of_its_file() {
    let sandbox = linked();
    sandbox.write("core/pool.py", POOL);
    sandbox.remove("src/pool.py");
    let found = sandbox.json("memory linked core/pool.py");
    assert_eq!(found["memories"][0]["id"], "pools", "{found}");
    assert_eq!(
        found["memories"][0]["reasons"][0]["target"],
        "src/pool.py::Pool.close"
    );
}

#[test]
fn links_to_an_updated_memory_stay_valid() {
    let sandbox = linked();
    let sources = |sandbox: &Sandbox| {
        let found = sandbox.json("memory linked memory:pools");
        found["memories"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(sources(&sandbox), 1);
    sandbox.memory("pools", "Nothing is linked from here any more.\n");
    assert_eq!(sources(&sandbox), 1);
    assert!(!sandbox.ok("memory links").contains("pools.md"));
}

#[test]
fn names_with_dots_and_folders_are_indexed() {
    let sandbox = Sandbox::bank();
    sandbox.memory("v1.2", "Version [[src/a.py]]\n");
    sandbox.memory("sub/x", "Deep [[memory:v1.2]]\n");
    sandbox.memory("top", "[[memory:sub/x]] and [[memory:sub/x]]\n");
    assert_eq!(sandbox.json("memory links")["total"], 4);
    sandbox.memory("v1.2", "Version without a link\n");
    let report = sandbox.json("memory links");
    assert_eq!(
        (&report["total"], &report["broken"]),
        (&3.into(), &0.into()),
        "{report}"
    );
    sandbox.remove(".memories/sub/x.md");
    let report = sandbox.json("memory links");
    assert_eq!(
        (&report["total"], &report["broken"]),
        (&2.into(), &2.into()),
        "{report}"
    );
}
