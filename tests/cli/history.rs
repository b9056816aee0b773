//! `memory reanchor` in a repository: the walk through its commits, and clones that lack some.

use crate::sandbox::Sandbox;

const LOAD: &str = "def load_rows(path, limit):
    rows = []
    with open(path) as source:
        for line in source:
            cells = line.strip().split(\",\")
            if len(cells) > limit:
                raise ValueError(cells)
            rows.append(cells)
    return rows
";

/// The code of [`LOAD`] after two commits that each changed half of it.
const LOAD_EDITED: &str = "def read_table(table, limit):
    found = []
    with open(table) as source:
        for row in csv.reader(source):
            check_width(row, limit)
            found.append(row)
    return found
";

const STORE: &str = "def store_rows(path, rows):
    with open(path, \"w\") as target:
        for cells in rows:
            target.write(\",\".join(cells))
            target.write(\"\\n\")
    return len(rows)
";

/// A repository with an anchor to `shop/rows.py::load_rows`, recorded at its first commit.
fn anchored() -> Sandbox {
    let sandbox = Sandbox::bank();
    sandbox.write("shop/rows.py", format!("{LOAD}\n\n{STORE}"));
    sandbox.commit("rows");
    sandbox.ok("memory add \"Read no more cells than the limit\" --id limit --anchor-to shop/rows.py::load_rows");
    sandbox.commit("rule");
    sandbox
}

/// Moves, renames and edits the example in four commits, so that its name, its file and most of its
/// code differ in the end.
fn in_small_steps(sandbox: &Sandbox) {
    sandbox.git("mv shop/rows.py shop/tables.py");
    sandbox.commit("rename the file");
    sandbox.edit("shop/tables.py", "load_rows", "read_table");
    sandbox.commit("rename the function");
    sandbox.edit("shop/tables.py", "path, limit", "table, limit");
    sandbox.edit(
        "shop/tables.py",
        "open(path) as source",
        "open(table) as source",
    );
    sandbox.edit("shop/tables.py", "rows = []", "found = []");
    sandbox.edit(
        "shop/tables.py",
        "rows.append(cells)",
        "found.append(cells)",
    );
    sandbox.edit("shop/tables.py", "return rows\n", "return found\n");
    sandbox.commit("rename the variables");
    sandbox.write("shop/tables.py", format!("{LOAD_EDITED}\n\n{STORE}"));
    sandbox.commit("use the library");
}

fn finding(sandbox: &Sandbox, line: &str) -> serde_json::Value {
    sandbox.json(line)["results"][0].clone()
}

fn place(finding: &serde_json::Value) -> String {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
    let new = &finding["new"];
    format!(
        "{} {}::{}",
        text(&finding["state"]),
        text(&new["file"]),
        text(&new["symbol"])
    )
}

#[test]
fn an_example_is_followed_through_small_steps() {
    let sandbox = anchored();
    in_small_steps(&sandbox);
    let found = finding(&sandbox, "memory reanchor --dry-run");
    assert_eq!(
        place(&found),
        "renamed shop/tables.py::read_table",
        "{found:#}"
    );
    let steps: Vec<&str> = found["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| step["reason"].as_str().expect("a reason"))
        .collect();
    assert_eq!(steps.len(), 4, "{steps:?}");
    assert_eq!(steps[0], "`shop/rows.py` was renamed");
    assert_eq!(
        steps[1],
        "`shop/tables.py::load_rows` was replaced by it: the same code"
    );
    let printed = sandbox
        .run("memory reanchor --dry-run --explain limit")
        .stdout();
    let commit = sandbox.git("rev-parse --short=12 HEAD~3");
    assert!(
        printed.contains(&format!("commit {} shop/tables.py", commit.trim())),
        "{printed}"
    );
}

#[test]
fn a_method_is_followed_after_only_its_class_was_renamed() {
    let sandbox = Sandbox::bank();
    let method = format!("    {}", LOAD.trim_end().replace('\n', "\n    "));
    sandbox.write("shop/rows.py", format!("class Rows:\n{method}\n"));
    sandbox.commit("rows");
    sandbox.ok("memory add \"Read no more cells than the limit\" --id limit --anchor-to shop/rows.py::Rows.load_rows");
    sandbox.edit("shop/rows.py", "class Rows", "class Tables");
    sandbox.commit("rename the class");
    sandbox.edit("shop/rows.py", "path, limit", "table, limit");
    sandbox.edit(
        "shop/rows.py",
        "open(path) as source",
        "open(table) as source",
    );
    sandbox.commit("edit the method");
    let found = finding(&sandbox, "memory reanchor --dry-run");
    assert_eq!(
        place(&found),
        "renamed shop/rows.py::Tables.load_rows",
        "{found:#}"
    );
}

#[test]
fn asking_for_an_explanation_writes_nothing() {
    let sandbox = anchored();
    sandbox.edit("shop/rows.py", "load_rows", "read_table");
    sandbox.commit("rename the function");
    let lock = sandbox.lock();
    sandbox.ok("memory reanchor --explain limit");
    assert_eq!(sandbox.lock(), lock);
    sandbox.ok("memory reanchor");
    assert_ne!(sandbox.lock(), lock);
}

#[test]
fn code_that_existed_beside_the_example_is_not_its_successor() {
    let sandbox = Sandbox::bank();
    let twin = LOAD
        .replace("load_rows", "load_rows_strictly")
        .replace("ValueError", "KeyError");
    sandbox.write("shop/rows.py", LOAD);
    sandbox.write("shop/strict.py", &twin);
    sandbox.commit("rows");
    sandbox.ok("memory add \"Read no more cells than the limit\" --id limit --anchor-to shop/rows.py::load_rows");
    sandbox.remove("shop/rows.py");
    sandbox.commit("delete the example");
    let found = finding(&sandbox, "memory reanchor --dry-run");
    assert_eq!(place(&found), "gone -::-", "{found:#}");
}

#[test]
fn a_name_that_another_function_took_over_does_not_keep_the_anchor() {
    let sandbox = anchored();
    sandbox.write(
        "shop/rows.py",
        format!(
            "{}\n\n{}",
            LOAD.replace("load_rows", "load_all"),
            STORE.replace("store_rows", "load_rows")
        ),
    );
    sandbox.commit("rename both");
    let found = finding(&sandbox, "memory reanchor --dry-run");
    assert_eq!(place(&found), "renamed shop/rows.py::load_all", "{found:#}");
}

#[test]
fn a_name_that_similar_code_took_over_does_not_keep_the_anchor() {
    let variant = LOAD
        .replace("load_rows", "load_text_rows")
        .replace("open(path)", "open(path, newline=\"\")");
    let sandbox = Sandbox::bank();
    sandbox.write("shop/rows.py", format!("{LOAD}\n\n{variant}"));
    sandbox.commit("rows");
    sandbox.ok("memory add \"Read no more cells than the limit\" --id limit --anchor-to shop/rows.py::load_rows");
    let (old, new) = (
        LOAD.replace("load_rows", "load_plain_rows"),
        variant.replace("load_text_rows", "load_rows"),
    );
    sandbox.write("shop/rows.py", format!("{old}\n\n{new}"));
    sandbox.commit("rename both");
    let found = finding(&sandbox, "memory reanchor --dry-run");
    assert_eq!(
        place(&found),
        "renamed shop/rows.py::load_plain_rows",
        "{found:#}"
    );
}

#[test]
fn an_example_that_was_edited_beside_a_copy_keeps_its_name() {
    let sandbox = anchored();
    let edited = LOAD.replace("    return rows\n", "    rows.sort()\n    return rows\n");
    let copy = LOAD.replace("load_rows", "load_plain_rows");
    sandbox.write("shop/rows.py", format!("{copy}\n\n{edited}\n\n{STORE}"));
    sandbox.commit("sort the rows in the old function");
    let found = finding(&sandbox, "memory reanchor --dry-run");
    assert_eq!(place(&found), "edited shop/rows.py::load_rows", "{found:#}");
}

#[test]
fn a_method_is_followed_to_the_base_of_its_class() {
    let class =
        |name: &str, method: &str| format!("class {name}(Table):\n    size = 3\n{method}\n");
    let method = "    def header(self):\n        return self.rows[0]\n";
    let sandbox = Sandbox::bank();
    sandbox.write("shop/table.py", "class Table:\n    limit = 10\n");
    sandbox.write("shop/prices.py", class("Prices", method));
    sandbox.write("shop/orders.py", class("Orders", method));
    sandbox.commit("tables");
    sandbox.ok("memory add \"The first row is the header\" --id header --anchor-to shop/prices.py::Prices.header");
    sandbox.write(
        "shop/table.py",
        format!("class Table:\n    limit = 10\n\n{method}"),
    );
    sandbox.write("shop/prices.py", class("Prices", ""));
    sandbox.write("shop/orders.py", class("Orders", ""));
    sandbox.commit("move the method up");
    let found = finding(&sandbox, "memory reanchor --dry-run");
    assert_eq!(
        place(&found),
        "renamed shop/table.py::Table.header",
        "{found:#}"
    );
}

#[test]
fn a_method_is_followed_if_all_implementations_are_renamed_and_rewritten() {
    let write = |sandbox: &Sandbox, declaration: &str, bodies: [&str; 3]| {
        sandbox.write(
            "src/Writer.java",
            format!("interface Writer {{\n  void {declaration};\n}}\n"),
        );
        for (class, body) in ["Json", "Xml", "Csv"].into_iter().zip(bodies) {
            let field = "  private final Target target;\n";
            let method = format!("  @Override\n  public void {declaration} {{\n    {body}\n  }}\n");
            let text = format!("class {class} implements Writer {{\n{field}\n{method}}}\n");
            sandbox.write(format!("src/{class}.java"), text);
        }
    };
    let sandbox = Sandbox::bank();
    let old = [
        "target.append(root);",
        "target.open(); target.append(tag);",
        "target.line(header);",
    ];
    write(&sandbox, "write()", old);
    sandbox.commit("writers");
    sandbox.ok("memory add \"Append the root\" --id root --anchor-to src/Json.java::Json.write");
    sandbox.commit("rule");
    let new = [
        "page.json(page.root(), target);",
        "page.tags(target).close();",
        "for (Row row : page) { target.line(row); }",
    ];
    write(&sandbox, "render(Page page)", new);
    sandbox.commit("render pages");
    let found = finding(&sandbox, "memory reanchor --dry-run");
    assert_eq!(
        place(&found),
        "renamed src/Json.java::Json.render",
        "{found:#}"
    );
    assert_eq!(
        found["drift"], true,
        "it is for a person to accept: {found:#}"
    );
}

#[test]
fn a_statement_shows_which_method_got_the_body() {
    let sandbox = Sandbox::bank();
    let other = "  void start() {\n    server.listen(port);\n  }\n";
    let old = "  @Parameters\n  public static Collection<Story[]> getStories() {\n    return storiesOf(currentDraft);\n  }\n";
    let new = "  static class Provider extends ArgumentProvider {\n    @Override\n    public List<Object> arguments() {\n      return storiesOf(currentDraft);\n    }\n  }\n";
    sandbox.write(
        "src/RoundTrip.java",
        format!("class RoundTrip {{\n{old}\n{other}}}\n"),
    );
    sandbox.commit("stories");
    sandbox.ok(
        "memory add \"Read the stories\" --id stories --anchor-to src/RoundTrip.java::RoundTrip.getStories",
    );
    sandbox.commit("rule");
    sandbox.write(
        "src/RoundTrip.java",
        format!("class RoundTrip {{\n{new}\n{other}}}\n"),
    );
    sandbox.commit("a provider");
    let found = finding(&sandbox, "memory reanchor --dry-run");
    let expected = "renamed src/RoundTrip.java::RoundTrip.Provider.arguments";
    assert_eq!(place(&found), expected, "{found:#}");
    assert_eq!(
        found["drift"], true,
        "it is for a person to accept: {found:#}"
    );
}

#[test]
fn a_constant_may_become_a_function_in_place() {
    let sandbox = Sandbox::bank();
    sandbox.write("web/limit.ts", "export const limit = 12 * 1024;\n");
    sandbox.commit("limit");
    sandbox.ok(
        "memory add \"Bound the size of an upload\" --id bound --anchor-to web/limit.ts::limit",
    );
    sandbox.write(
        "web/limit.ts",
        "export function limit() {\n  return 12 * 1024;\n}\n",
    );
    sandbox.commit("a function");
    assert_eq!(
        place(&finding(&sandbox, "memory reanchor --dry-run")),
        "edited web/limit.ts::limit"
    );
}

#[test]
fn a_clone_without_old_objects_says_what_it_could_not_read() {
    let sandbox = anchored();
    in_small_steps(&sandbox);
    // The versions of the file after the first and the second step.
    for revision in ["HEAD~3", "HEAD~2"] {
        let object = sandbox.git(&format!("rev-parse {revision}:shop/tables.py"));
        let (folder, name) = object.trim().split_at(2);
        let path = format!(".git/objects/{folder}/{name}");
        if sandbox.exists(&path) {
            sandbox.remove(&path);
        }
    }
    let found = finding(&sandbox, "memory reanchor --dry-run");
    let reason = found["reason"].as_str().expect("a reason");
    let is_followed = place(&found) == "renamed shop/tables.py::read_table";
    assert!(
        is_followed || reason.contains("not in this clone"),
        "{found:#}"
    );
    assert!(!reason.contains("lacks commit"), "{reason}");
}

#[test]
fn a_blobless_clone_follows_an_unchanged_move() {
    let sandbox = anchored();
    sandbox.git("mv shop/rows.py shop/tables.py");
    sandbox.edit("shop/orders.py", "return label", "return label.strip()");
    sandbox.commit("rename the file");
    sandbox.git("config uploadpack.allowFilter true");
    sandbox.git(&format!(
        "clone -q --filter=blob:none file://{} {}",
        sandbox.path("").display(),
        sandbox.path("../clone").display()
    ));
    let clone = sandbox.beside("clone");
    clone.write("shop/tables.py", format!("# Tables.\n{LOAD}\n\n{STORE}"));
    let found = finding(&clone, "memory reanchor --dry-run");
    assert_eq!(
        place(&found),
        "moved shop/tables.py::load_rows",
        "{found:#}"
    );
}

#[test]
fn a_shallow_clone_says_that_it_lacks_the_commit() {
    let sandbox = anchored();
    in_small_steps(&sandbox);
    let head = sandbox.git("rev-parse HEAD");
    sandbox.write(".git/shallow", head);
    sandbox.git(
        "-c gc.pruneExpire=now -c core.logAllRefUpdates=false reflog expire --expire=now --all",
    );
    sandbox.git("prune --expire=now");
    let found = finding(&sandbox, "memory reanchor --dry-run");
    let reason = found["reason"].as_str().expect("a reason");
    let is_followed = place(&found) == "renamed shop/tables.py::read_table";
    assert!(is_followed || reason.contains("lacks commit"), "{found:#}");
}

#[test]
fn an_anchor_recorded_before_a_rebase_is_followed() {
    let sandbox = Sandbox::bank();
    sandbox.commit("base");
    sandbox.write("shop/rows.py", format!("{LOAD}\n\n{STORE}"));
    sandbox.commit("rows");
    sandbox.ok("memory add \"Read no more cells than the limit\" --id limit --anchor-to shop/rows.py::load_rows");
    sandbox.git("add --all");
    // The commit of the anchor is no ancestor any more.
    sandbox.git("commit -q --amend -m rebased");
    sandbox.edit("shop/rows.py", "load_rows", "read_rows");
    sandbox.commit("rename");
    let found = finding(&sandbox, "memory reanchor --dry-run");
    assert_eq!(
        place(&found),
        "renamed shop/rows.py::read_rows",
        "{found:#}"
    );
    assert_eq!(
        found["steps"].as_array().map(Vec::len),
        Some(1),
        "{found:#}"
    );
}

#[test]
fn an_anchor_is_followed_after_a_rebase_of_its_branch() {
    let sandbox = Sandbox::bank();
    sandbox.commit("base");
    sandbox.git("branch -M main");
    sandbox.git("checkout -q -b topic");
    sandbox.write("shop/rows.py", format!("{LOAD}\n\n{STORE}"));
    sandbox.commit("rows");
    sandbox.ok("memory add \"Read no more cells than the limit\" --id limit --anchor-to shop/rows.py::load_rows");
    sandbox.commit("rule");
    in_small_steps(&sandbox);
    sandbox.git("checkout -q main");
    sandbox.write("shop/more.py", STORE);
    sandbox.commit("more");
    sandbox.git("checkout -q topic");
    sandbox.git("rebase -q main");
    let commit = sandbox.lock();
    let commit = commit
        .lines()
        .find_map(|line| line.strip_prefix("commit = "))
        .expect("a commit");
    let commit = commit.trim_matches('"');
    let is_ancestor = format!("git merge-base --is-ancestor {commit} HEAD");
    let known = sandbox.shell(&is_ancestor).status().expect("git");
    assert_eq!(known.code(), Some(1), "the recorded commit was rewritten");
    let found = finding(&sandbox, "memory reanchor --dry-run");
    assert_eq!(
        place(&found),
        "renamed shop/tables.py::read_table",
        "{found:#}"
    );
}

#[test]
fn a_shallow_clone_knows_the_look_alikes_of_the_lock_file() {
    let sandbox = Sandbox::bank();
    let twin = LOAD
        .replace("load_rows", "load_rows_strictly")
        .replace("ValueError", "KeyError");
    sandbox.write("shop/rows.py", LOAD);
    sandbox.write("shop/strict.py", &twin);
    sandbox.commit("rows");
    sandbox.ok("memory add \"Read no more cells than the limit\" --id limit --anchor-to shop/rows.py::load_rows");
    sandbox.commit("rule");
    sandbox.remove("shop/rows.py");
    sandbox.commit("delete the example");
    sandbox.git(&format!(
        "clone -q --depth 1 file://{} {}",
        sandbox.path("").display(),
        sandbox.path("../clone").display()
    ));
    let clone = sandbox.beside("clone");
    let found = finding(&clone, "memory reanchor --dry-run");
    assert_eq!(place(&found), "gone -::-", "{found:#}");
    // Without them, the similar code is taken for the example.
    let lock = clone.lock();
    let lines = lock
        .lines()
        .filter(|line| !line.starts_with("look_alikes = "));
    clone.write(
        ".memories/anchors.lock",
        lines.map(|line| format!("{line}\n")).collect::<String>(),
    );
    let found = finding(&clone, "memory reanchor --dry-run");
    assert_eq!(
        place(&found),
        "renamed shop/strict.py::load_rows_strictly",
        "{found:#}"
    );
}

/// Merges two branches that each changed the lock file, and returns git's status.
fn merged(sandbox: &Sandbox, on_branch: &str, on_main: &str) -> bool {
    sandbox.git("branch -M main");
    sandbox.git("checkout -q -b other");
    sandbox.ok(on_branch);
    sandbox.commit("on the branch");
    sandbox.git("checkout -q main");
    sandbox.ok(on_main);
    sandbox.commit("on main");
    sandbox.git_or_empty("merge -q other");
    !sandbox.lock().contains("<<<<<<<")
}

#[test]
fn a_lock_file_with_anchors_of_two_branches_is_merged_by_the_next_command() {
    let sandbox = anchored();
    let is_clean = merged(
        &sandbox,
        "memory add \"Write a line break after each row\" --id rows-break --anchor-to shop/rows.py::store_rows",
        "memory add \"Ship with a label\" --id rows-label --anchor-to shop/orders.py::ship",
    );
    assert!(!is_clean, "git merges adjacent entries itself");
    sandbox.ok("memory reanchor");
    let lock = sandbox.lock();
    for id in ["limit", "rows-break", "rows-label"] {
        assert!(lock.contains(&format!("id = \"{id}\"")), "{lock}");
    }
    assert!(
        !lock.contains("<<<<<<<") && !lock.contains("======="),
        "{lock}"
    );
    sandbox.commit("merge");
    assert_eq!(sandbox.run("memory reanchor --check --strict").status(), 0);
}

#[test]
fn an_anchor_that_two_branches_changed_needs_a_choice() {
    let sandbox = anchored();
    merged(
        &sandbox,
        "memory anchor limit --to shop/rows.py::store_rows",
        "memory anchor limit --to shop/orders.py::ship",
    );
    let check = sandbox.run("memory reanchor --check");
    assert_eq!(check.status(), 3, "{}", check.text());
    assert!(
        check.text().contains("with `cerberus memory reanchor`"),
        "{}",
        check.text()
    );
    let outcome = sandbox.run("memory reanchor");
    assert_eq!(outcome.status(), 1, "{}", outcome.text());
    let text = outcome.text();
    assert!(
        text.contains("both sides of the merge changed the anchor of `limit`"),
        "{text}"
    );
    assert!(
        text.contains("memory anchor limit --to shop/rows.py::store_rows`"),
        "{text}"
    );
    assert!(
        sandbox.lock().contains("symbol = \"ship\""),
        "{}",
        sandbox.lock()
    );
    sandbox.ok("memory anchor limit --to shop/rows.py::store_rows");
    assert_eq!(sandbox.run("memory reanchor --check").status(), 0);
}

/// Commits what `change` does on a branch that starts at `main`, and checks `main` out again.
fn on_branch(sandbox: &Sandbox, change: &[&str]) {
    sandbox.git("branch -M main");
    sandbox.git("checkout -q -b other");
    for command in change {
        sandbox.ok(command);
    }
    sandbox.commit("on the branch");
    sandbox.git("checkout -q main");
}

#[test]
fn a_conflict_of_one_anchor_keeps_the_other_anchors_of_both_sides() {
    let sandbox = anchored();
    on_branch(
        &sandbox,
        &[
            "memory anchor limit --to shop/rows.py::store_rows",
            "memory add \"Close it\" --id aclose --anchor-to shop/orders.py::ship",
        ],
    );
    sandbox.ok("memory anchor limit --to shop/orders.py::ship");
    sandbox.ok("memory add \"Ship it\" --id zzz --anchor-to shop/orders.py::ship");
    sandbox.commit("on main");
    sandbox.git_or_empty("merge -q other");
    let outcome = sandbox.run("memory reanchor --json");
    assert_eq!(outcome.status(), 1, "{}", outcome.text());
    let report = sandbox.json_of(outcome);
    assert_eq!(
        report["undecided"],
        serde_json::json!(["limit"]),
        "{report:#}"
    );
    let lock = sandbox.lock();
    for id in ["aclose", "limit", "zzz"] {
        assert!(lock.contains(&format!("id = \"{id}\"")), "{id}: {lock}");
    }
}

#[test]
fn an_anchor_that_one_side_removed_does_not_come_back() {
    let sandbox = anchored();
    sandbox.ok("memory add \"Ship it\" --id ship --anchor-to shop/orders.py::ship");
    sandbox.commit("ship");
    on_branch(&sandbox, &["memory anchor limit --clear"]);
    sandbox.ok("memory add \"Keep it\" --id lamp --anchor-to shop/orders.py::ship");
    sandbox.commit("on main");
    sandbox.git_or_empty("merge -q other");
    sandbox.ok("memory reanchor");
    let lock = sandbox.lock();
    assert!(
        !lock.contains("id = \"limit\"") && lock.contains("id = \"lamp\""),
        "{lock}"
    );
}

#[test]
fn the_same_code_with_another_fingerprint_is_no_conflict() {
    let sandbox = anchored();
    sandbox.git("branch -M main");
    sandbox.git("checkout -q -b other");
    sandbox.edit("shop/rows.py", "load_rows", "read_rows");
    sandbox.commit("rename");
    sandbox.ok("memory reanchor");
    sandbox.commit("reanchor");
    sandbox.git("checkout -q main");
    sandbox.write("notes.txt", "x");
    sandbox.commit("notes");
    sandbox.edit("shop/rows.py", "load_rows", "read_rows");
    sandbox.commit("the same rename");
    sandbox.ok("memory reanchor");
    sandbox.commit("reanchor");
    sandbox.git_or_empty("merge -q other");
    assert!(sandbox.lock().contains("<<<<<<< "), "git merges it itself");
    let outcome = sandbox.run("memory reanchor");
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
    assert!(sandbox.lock().contains("read_rows"));
}

#[test]
fn a_changed_anchor_that_the_other_side_removed_is_kept_if_its_memory_exists() {
    for (removal, is_kept) in [
        ("memory anchor limit --clear", true),
        ("memory delete limit", false),
    ] {
        let sandbox = anchored();
        on_branch(
            &sandbox,
            &["memory anchor limit --to shop/rows.py::store_rows"],
        );
        sandbox.ok(removal);
        sandbox.commit("on main");
        sandbox.git_or_empty("merge -q other");
        assert!(
            sandbox.lock().contains("<<<<<<< "),
            "{removal}: git merges it itself"
        );
        let outcome = sandbox.run("memory reanchor");
        // Somebody has to decide, unless nothing is left to anchor.
        assert_eq!(outcome.status(), i32::from(is_kept), "{}", outcome.text());
        assert_eq!(
            sandbox.lock().contains("id = \"limit\""),
            is_kept,
            "{removal}"
        );
        let text = outcome.stderr();
        assert_eq!(
            text.contains("one side of the merge removed"),
            is_kept,
            "{removal}: {text}"
        );
    }
}
