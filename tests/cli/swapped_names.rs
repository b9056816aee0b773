//! Names that were swapped, moved on or used again: the code is followed, not the name.

use crate::sandbox::Sandbox;

/// Two bodies with little in common, in each of some languages. `NAME` is the name of the function.
struct Language {
    file: &'static str,
    bodies: [&'static str; 3],
}

const LANGUAGES: &[Language] = &[
    Language {
        file: "depot/stock.py",
        bodies: [
            "def NAME(depot, limit):\n    found = []\n    for shelf in depot.shelves:\n        if shelf.weight > limit:\n            found.append(shelf.label)\n    return sorted(found)\n",
            "def NAME(depot, clock):\n    session = depot.open(clock.now())\n    try:\n        return session.flush(timeout=30)\n    finally:\n        session.close()\n",
            "def NAME(parcel):\n    street, town = parcel.address.split(',', 1)\n    return {'street': street.strip(), 'town': town.strip().upper()}\n",
        ],
    },
    Language {
        file: "depot/stock.go",
        bodies: [
            "func NAME(depot *Depot, limit int) []string {\n\tvar found []string\n\tfor _, shelf := range depot.Shelves {\n\t\tif shelf.Weight > limit {\n\t\t\tfound = append(found, shelf.Label)\n\t\t}\n\t}\n\treturn found\n}\n",
            "func NAME(depot *Depot, clock Clock) error {\n\tsession := depot.Open(clock.Now())\n\tdefer session.Close()\n\treturn session.Flush(30 * time.Second)\n}\n",
            "func NAME(parcel Parcel) (string, string) {\n\tparts := strings.SplitN(parcel.Address, \",\", 2)\n\treturn strings.TrimSpace(parts[0]), strings.ToUpper(parts[1])\n}\n",
        ],
    },
    Language {
        file: "depot/stock.ts",
        bodies: [
            "export function NAME(depot: Depot, limit: number): string[] {\n  const heavy = depot.shelves.filter((shelf) => shelf.weight > limit);\n  return heavy.map((shelf) => shelf.label).sort();\n}\n",
            "export async function NAME(depot: Depot, clock: Clock): Promise<void> {\n  const session = await depot.open(clock.now());\n  await session.flush({ timeout: 30 });\n  session.close();\n}\n",
            "export function NAME(parcel: Parcel): Address {\n  const [street, town] = parcel.address.split(\",\", 2);\n  return { street: street.trim(), town: town.trim().toUpperCase() };\n}\n",
        ],
    },
    Language {
        file: "depot/stock.rs",
        bodies: [
            "pub fn NAME(depot: &Depot, limit: u32) -> Vec<String> {\n    let heavy = depot.shelves.iter().filter(|shelf| shelf.weight > limit);\n    let mut labels: Vec<String> = heavy.map(|shelf| shelf.label.clone()).collect();\n    labels.sort();\n    labels\n}\n",
            "pub fn NAME(depot: &Depot, clock: &Clock) -> Result<()> {\n    let mut session = depot.open(clock.now())?;\n    session.flush(Duration::from_secs(30))?;\n    session.close()\n}\n",
            "pub fn NAME(parcel: &Parcel) -> Option<(String, String)> {\n    let (street, town) = parcel.address.split_once(',')?;\n    Some((street.trim().to_owned(), town.trim().to_uppercase()))\n}\n",
        ],
    },
];

impl Language {
    /// Returns a file with functions of these names, each with one of the bodies.
    fn text(&self, functions: &[(&str, usize)]) -> String {
        let code = functions
            .iter()
            .map(|(name, body)| self.bodies[*body].replace("NAME", name));
        code.collect::<Vec<_>>().join("\n\n")
    }
}

/// Returns where each anchor went, as `old → new`, with the rest of its line in the output.
fn followed(sandbox: &Sandbox) -> Vec<String> {
    let report = sandbox.json("memory reanchor --dry-run");
    let place = |it: &serde_json::Value| {
        let text = |key: &str| it[key].as_str().unwrap_or("-").to_owned();
        format!("{}::{}", text("file"), text("symbol"))
    };
    let results = report["results"].as_array().expect("results");
    let line = |it: &serde_json::Value| {
        let state = it["state"].as_str().unwrap_or("-");
        format!("{state} {} → {}", place(&it["old"]), place(&it["new"]))
    };
    results.iter().map(line).collect()
}

/// Anchors each of the first functions of a file, replaces the file in commits, and checks where the
/// anchors are now.
#[track_caller]
fn check(language: &Language, steps: &[&[(&str, usize)]], n_anchored: usize, expected: &[&str]) {
    let sandbox = Sandbox::bank();
    let file = language.file;
    sandbox.write(file, language.text(steps[0]));
    sandbox.commit("start");
    for (name, _) in &steps[0][..n_anchored] {
        let add = format!(
            "memory add \"A rule that {name} shows well\" --id {}",
            id(name)
        );
        sandbox.ok(&format!("{add} --to {file}::{name}"));
    }
    for step in &steps[1..] {
        sandbox.write(file, language.text(step));
        sandbox.commit("step");
    }
    let mut found = followed(&sandbox);
    found.sort();
    let expected: Vec<String> = expected
        .iter()
        .map(|line| line.replace("FILE", file))
        .collect();
    assert_eq!(found, expected, "{file}");
}

fn id(name: &str) -> String {
    name.replace('_', "-").to_lowercase()
}

#[test]
fn two_functions_that_swap_their_names_are_crossed_over() {
    for language in LANGUAGES {
        let steps: [&[(&str, usize)]; 2] = [
            &[("listHeavy", 0), ("flushAll", 1)],
            &[("listHeavy", 1), ("flushAll", 0)],
        ];
        let both = [
            "renamed FILE::flushAll → FILE::listHeavy",
            "renamed FILE::listHeavy → FILE::flushAll",
        ];
        check(language, &steps, 2, &both);
        check(language, &steps, 1, &both[1..]);
    }
}

#[test]
fn three_functions_that_rotate_their_names_are_followed() {
    for language in LANGUAGES {
        let steps: [&[(&str, usize)]; 2] = [
            &[("listHeavy", 0), ("flushAll", 1), ("addressOf", 2)],
            &[("listHeavy", 2), ("flushAll", 0), ("addressOf", 1)],
        ];
        let expected = [
            "renamed FILE::addressOf → FILE::listHeavy",
            "renamed FILE::flushAll → FILE::addressOf",
            "renamed FILE::listHeavy → FILE::flushAll",
        ];
        check(language, &steps, 3, &expected);
    }
}

#[test]
fn a_chain_of_renames_is_followed_in_one_commit_and_in_two() {
    let last: &[(&str, usize)] = &[("flushAll", 0), ("drainAll", 1)];
    let between: &[(&str, usize)] = &[("listHeavy", 0), ("drainAll", 1)];
    let first: &[(&str, usize)] = &[("listHeavy", 0), ("flushAll", 1)];
    let expected = [
        "renamed FILE::flushAll → FILE::drainAll",
        "renamed FILE::listHeavy → FILE::flushAll",
    ];
    for language in LANGUAGES {
        check(language, &[first, last], 2, &expected);
        check(language, &[first, between, last], 2, &expected);
    }
}

#[test]
fn a_name_that_was_used_again_for_the_anchored_code_is_followed() {
    for language in LANGUAGES {
        let steps: [&[(&str, usize)]; 2] =
            [&[("listHeavy", 0), ("flushAll", 1)], &[("flushAll", 0)]];
        check(
            language,
            &steps,
            1,
            &["renamed FILE::listHeavy → FILE::flushAll"],
        );
    }
}

#[test]
fn a_twin_that_was_there_before_is_not_the_code() {
    for language in LANGUAGES {
        let steps: [&[(&str, usize)]; 2] =
            [&[("listHeavy", 0), ("flushAll", 0)], &[("flushAll", 0)]];
        check(language, &steps, 1, &["gone FILE::listHeavy → -::-"]);
    }
}

#[test]
fn code_is_followed_before_the_commit_and_without_a_history() {
    for language in LANGUAGES {
        let sandbox = Sandbox::bank();
        let file = language.file;
        sandbox.write(file, language.text(&[("listHeavy", 0), ("flushAll", 1)]));
        sandbox.commit("start");
        for name in ["listHeavy", "flushAll"] {
            sandbox.ok(&format!(
                "memory add \"A rule of {name}\" --id {} --to {file}::{name}",
                id(name)
            ));
        }
        sandbox.write(file, language.text(&[("flushAll", 0), ("drainAll", 1)]));
        let expected = [
            format!("renamed {file}::flushAll → {file}::drainAll"),
            format!("renamed {file}::listHeavy → {file}::flushAll"),
        ];
        let sorted = || {
            let mut found = followed(&sandbox);
            found.sort();
            found
        };
        assert_eq!(sorted(), expected, "uncommitted");
        std::fs::remove_dir_all(sandbox.path(".git")).expect("it can be removed");
        assert_eq!(sorted(), expected, "the lock file alone");
    }
}

#[test]
fn files_that_move_on_or_swap_their_paths_are_followed() {
    let text = |language: &Language, body| language.text(&[("run", body)]);
    for language in LANGUAGES {
        for is_committed in [true, false] {
            let sandbox = Sandbox::bank();
            let ending = language.file.rsplit('.').next().expect("an ending");
            let path = |name: &str| format!("parts/{name}.{ending}");
            sandbox.write(path("one"), text(language, 0));
            sandbox.write(path("two"), text(language, 1));
            sandbox.commit("start");
            for name in ["one", "two"] {
                sandbox.ok(&format!(
                    "memory add \"Rule {name}\" --id {name} --to {}::run",
                    path(name)
                ));
            }
            sandbox.git(&format!("mv {} {}", path("two"), path("three")));
            sandbox.git(&format!("mv {} {}", path("one"), path("two")));
            if is_committed {
                sandbox.commit("move on");
            }
            let expected = [
                format!("moved {}::run → {}::run", path("one"), path("two")),
                format!("moved {}::run → {}::run", path("two"), path("three")),
            ];
            assert_eq!(followed(&sandbox), expected);
            sandbox.git(&format!("mv {} {}", path("three"), path("one")));
            if is_committed {
                sandbox.commit("swap");
            }
            let expected = [
                format!("moved {}::run → {}::run", path("one"), path("two")),
                format!("moved {}::run → {}::run", path("two"), path("one")),
            ];
            assert_eq!(followed(&sandbox), expected);
        }
    }
}

#[test]
fn an_anchor_recorded_before_the_first_commit_has_the_history() {
    let sandbox = Sandbox::empty();
    let language = &LANGUAGES[0];
    sandbox.write(
        language.file,
        language.text(&[("list_heavy", 0), ("flush_all", 1)]),
    );
    sandbox.ok("memory init");
    sandbox.ok(&format!(
        "memory add \"List heavy shelves\" --id heavy --to {}::list_heavy",
        language.file
    ));
    sandbox.commit("start");
    sandbox.write(
        language.file,
        language.text(&[("flush_all", 0), ("drain_all", 1)]),
    );
    sandbox.commit("rename");
    let file = language.file;
    assert_eq!(
        followed(&sandbox),
        [format!("renamed {file}::list_heavy → {file}::flush_all")]
    );
}

const DOCUMENT: &str = "# Depot\n\n- Call `listHeavy()` for the labels.\n";

/// Commits versions of a file after a document that names `listHeavy`, and returns what check prints.
fn checked(language: &Language, steps: &[&[(&str, usize)]]) -> (Sandbox, String) {
    let sandbox = Sandbox::empty();
    sandbox.write("AGENTS.md", DOCUMENT);
    for step in steps {
        sandbox.write(language.file, language.text(step));
        sandbox.commit("step");
    }
    let text = sandbox.run("check").stdout();
    (sandbox, text)
}

#[test]
fn check_names_the_code_of_a_removed_name_and_not_the_opposite() {
    let first: &[(&str, usize)] = &[("listHeavy", 0), ("flushAll", 1)];
    let swapped: &[(&str, usize)] = &[("flushAll", 0), ("listHeavy", 1)];
    let moved_on: &[(&str, usize)] = &[("flushAll", 0), ("drainAll", 1)];
    let renamed: &[(&str, usize)] = &[("heavyOf", 0), ("flushAll", 1)];
    let used_again: &[(&str, usize)] = &[("heavyLabels", 0), ("heavyOf", 1)];
    for language in LANGUAGES {
        let (_, text) = checked(language, &[first, moved_on]);
        assert!(
            text.contains(&format!("now `{}::flushAll`", language.file)),
            "one commit: {text}"
        );
        let (_, text) = checked(language, &[first, swapped, moved_on]);
        assert!(
            text.contains(&format!("now `{}::flushAll`", language.file)),
            "used again: {text}"
        );
        let (_, text) = checked(language, &[first, renamed, used_again]);
        assert!(
            text.contains(&format!("now `{}::heavyLabels`", language.file)),
            "later: {text}"
        );
    }
}

#[test]
fn a_name_that_the_document_has_for_other_code_is_not_written() {
    let sandbox = Sandbox::empty();
    let language = &LANGUAGES[0];
    let document = "# Depot\n\n- Call `list_heavy()` for labels, and `flush_all()` at night.\n";
    sandbox.write("AGENTS.md", document);
    sandbox.write(
        language.file,
        language.text(&[("list_heavy", 0), ("flush_all", 1)]),
    );
    sandbox.commit("start");
    sandbox.write(
        language.file,
        language.text(&[("flush_all", 0), ("drain_all", 1)]),
    );
    sandbox.commit("rename");
    let outcome = sandbox.run("check --fix --yes");
    assert_eq!(sandbox.read("AGENTS.md"), document, "{}", outcome.text());
    assert!(
        outcome
            .stdout()
            .contains("--fix leaves it: the document names it already")
    );
}

#[test]
fn a_method_of_a_class_whose_name_moved_on_is_named() {
    let body = "        Props made = new Props(Rarity.COMMON);\n        made.setDurability(100);\n        made.setStack(16);\n        return made;\n";
    let class = |bare: &str, tabbed: &str| {
        format!(
            "package depot;\n\nclass Kits {{\n    static Props {bare}() {{\n{body}    }}\n\n    static Props {tabbed}() {{\n        return {bare}().tab(Tabs.MAIN);\n    }}\n\n    void init() {{\n        add(\"a\", new Kit({tabbed}()));\n        add(\"b\", new Kit({bare}()));\n    }}\n}}\n"
        )
    };
    let sandbox = Sandbox::empty();
    sandbox.write("Kits.java", class("withoutTab", "plain"));
    sandbox.write(
        "AGENTS.md",
        "# Kits\n\n- Take `Kits.withoutTab()` for bare kits.\n",
    );
    sandbox.commit("start");
    sandbox.write("Kits.java", class("plain", "withTab"));
    sandbox.commit("rename");
    let text = sandbox.run("check").stdout();
    assert!(text.contains("now `Kits.java::Kits.plain`"), "{text}");
    sandbox.run("check --fix --yes");
    assert!(
        sandbox
            .read("AGENTS.md")
            .contains("Take `Kits.plain()` for")
    );
}

#[test]
fn check_follows_paths_that_moved_on() {
    let language = &LANGUAGES[0];
    let sandbox = Sandbox::empty();
    // Alike enough for git to pair the first with the last.
    let text = |name: &str| language.text(&[(name, 0), ("flush_all", 1), ("address_of", 2)]);
    sandbox.write("parts/one.py", text("list_heavy"));
    sandbox.write("parts/two.py", text("list_light"));
    sandbox.write(
        "AGENTS.md",
        "# Parts\n\n- Heavy shelves are in `parts/one.py`.\n",
    );
    sandbox.commit("start");
    sandbox.git("mv parts/two.py parts/three.py");
    sandbox.git("mv parts/one.py parts/two.py");
    sandbox.commit("move on");
    let text = sandbox.run("check").stdout();
    assert!(text.contains("now `parts/two.py`"), "{text}");
}
