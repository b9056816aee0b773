//! `check --fix`: only what holds is written, and each document is handled alone.

use crate::sandbox::Sandbox;

const BODY: &str = "(parcel):\n    street, town = parcel.address.split(',', 1)\n    label = street.strip() + ' ' + town.strip()\n    return label.upper()\n";

/// Commits files, then what `change` does to them.
fn changed(files: &[(&str, &str)], change: impl Fn(&Sandbox)) -> Sandbox {
    let sandbox = Sandbox::empty();
    for (path, text) in files {
        sandbox.write(path, text);
    }
    sandbox.commit("start");
    change(&sandbox);
    sandbox.commit("change");
    sandbox
}

/// Checks what a correction leaves in `AGENTS.md`, and whether the next check finds an error.
#[track_caller]
fn check_fix(sandbox: &Sandbox, expected: &str, has_error: bool) -> String {
    let outcome = sandbox.run("check --fix --yes");
    let text = sandbox.read("AGENTS.md");
    assert!(text.contains(expected), "{text}{}", outcome.text());
    assert_eq!(
        sandbox.run("check").status(),
        i32::from(has_error),
        "{}",
        outcome.text()
    );
    outcome.text()
}

#[test]
fn the_module_and_the_name_must_hold_together() {
    let label = format!("def postal_label{BODY}");
    let init = "from ._label import postal_label\n";
    let files: &[(&str, &str)] = &[
        ("kit/__init__.py", ""),
        ("kit/post/__init__.py", init),
        ("kit/post/_label.py", &label),
        (
            "AGENTS.md",
            "# Kit\n\nUse `kit.post.postal_label` for labels.\n",
        ),
    ];
    let rename = |sandbox: &Sandbox, folder: &str, export: &str| {
        sandbox.edit(
            &format!("kit/{folder}/_label.py"),
            "postal_label",
            "address_label",
        );
        sandbox.write(format!("kit/{folder}/__init__.py"), export);
    };
    let new_init = "from ._label import address_label\n";
    let sandbox = changed(files, |it| rename(it, "post", new_init));
    check_fix(&sandbox, "Use `kit.post.address_label` for", false);
    let sandbox = changed(files, |it| rename(it, "post", "from . import _label\n"));
    let why = check_fix(&sandbox, "Use `kit.post.postal_label` for", true);
    assert!(
        why.contains("--fix leaves it: the parts before its last one"),
        "{why}"
    );
    let sandbox = changed(files, |it| {
        it.git("mv kit/post kit/mail");
        rename(it, "mail", new_init);
    });
    check_fix(&sandbox, "Use `kit.post.postal_label` for", true);
}

#[test]
fn the_package_of_a_function_is_part_of_its_name() {
    let code = "package queue\n\nfunc DrainParallel(jobs []Job) error {\n\tgroup := newGroup(len(jobs))\n\tfor _, job := range jobs {\n\t\tgroup.Go(job.Run)\n\t}\n\treturn group.Wait()\n}\n";
    let files: &[(&str, &str)] = &[
        ("queue/drain.go", code),
        (
            "AGENTS.md",
            "# Jobs\n\nCall `queue.DrainParallel()` at night.\n",
        ),
    ];
    let sandbox = changed(files, |it| {
        it.edit("queue/drain.go", "DrainParallel", "DrainAll")
    });
    check_fix(&sandbox, "Call `queue.DrainAll()` at", false);
    let sandbox = changed(files, |it| {
        it.edit("queue/drain.go", "DrainParallel", "DrainAll");
        it.edit("queue/drain.go", "package queue", "package jobs");
    });
    check_fix(&sandbox, "Call `queue.DrainParallel()` at", true);
}

#[test]
fn a_line_is_kept_only_if_the_lines_up_to_it_are_the_same() {
    let code: String = (0..60)
        .map(|n| format!("fn step_{n}() {{ run({n}, \"{n}\"); }}\n"))
        .collect();
    let files: &[(&str, &str)] = &[
        ("src/steps.rs", &code),
        (
            "AGENTS.md",
            "# Steps\n\nSee `src/steps.rs:40` and `src/steps.rs`.\n",
        ),
    ];
    let move_file = |sandbox: &Sandbox| {
        sandbox.write("src/flow/mod.rs", "mod steps;\n");
        sandbox.git("mv src/steps.rs src/flow/steps.rs");
    };
    let sandbox = changed(files, move_file);
    check_fix(
        &sandbox,
        "See `src/flow/steps.rs:40` and `src/flow/steps.rs`.",
        false,
    );
    let sandbox = changed(files, |it| {
        move_file(it);
        it.edit(
            "src/flow/steps.rs",
            "fn step_3()",
            "use crate::run;\nfn step_3()",
        );
    });
    let why = check_fix(
        &sandbox,
        "See `src/steps.rs:40` and `src/flow/steps.rs`.",
        true,
    );
    assert!(
        why.contains("--fix leaves it: the lines up to the named one"),
        "{why}"
    );
}

#[test]
fn a_folder_of_one_segment_is_never_rewritten() {
    let files: &[(&str, &str)] = &[
        ("guides/start.md", "Begin with the depot.\n"),
        ("guides/end.md", "Close the depot at night.\n"),
        (
            "AGENTS.md",
            "# Depot\n\nWrite into `guides/`, `./guides/` or [them](guides/).\nSee `guides/start.md`.\n",
        ),
    ];
    let sandbox = changed(files, |it| _ = it.git("mv guides handbook"));
    let expected = "into `guides/`, `./guides/` or [them](guides/).\nSee `handbook/start.md`.";
    check_fix(&sandbox, expected, true);
}

#[test]
fn a_name_that_the_next_check_cannot_read_is_not_written() {
    let code = format!("def postal_label{BODY}");
    let files: &[(&str, &str)] = &[
        ("depot.py", &code),
        ("AGENTS.md", "# Depot\n\nUse `postal_label` for labels.\n"),
    ];
    let sandbox = changed(files, |it| it.edit("depot.py", "postal_label", "label"));
    check_fix(&sandbox, "Use `postal_label` for", true);
}

/// A project with two documents that name a file that moved, the first with these bytes.
fn two_documents(bytes: &[u8]) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "docs/night.md",
        "Close the depot.\nCount the shelves.\nLock it.\n",
    );
    sandbox.write("AGENTS.md", bytes);
    sandbox.write("CONTRIBUTING.md", "# Help\n\nRead `docs/night.md` too.\n");
    sandbox.commit("start");
    sandbox.git("mv docs/night.md docs/closing.md");
    sandbox.commit("rename");
    sandbox
}

const MOVED: &str = "# Depot\r\n\r\nRead `docs/night.md` – first.\r\n";

#[test]
fn the_encoding_of_a_document_is_kept() {
    let utf16 = |unit: fn(u16) -> [u8; 2], text: &str| -> Vec<u8> {
        [0xFEFF]
            .into_iter()
            .chain(text.encode_utf16())
            .flat_map(unit)
            .collect()
    };
    let encodings = |text: &str| {
        [
            text.as_bytes().to_vec(),
            format!("\u{FEFF}{text}").into_bytes(),
            utf16(u16::to_le_bytes, text),
            utf16(u16::to_be_bytes, text),
        ]
    };
    let fixed = MOVED.replace("night", "closing");
    for (bytes, expected) in encodings(MOVED).into_iter().zip(encodings(&fixed)) {
        let sandbox = two_documents(&bytes);
        let outcome = sandbox.run("check --fix --yes");
        assert_eq!(outcome.status(), 0, "{}", outcome.text());
        assert_eq!(
            std::fs::read(sandbox.path("AGENTS.md")).expect("readable"),
            expected
        );
        assert!(
            sandbox
                .read("CONTRIBUTING.md")
                .contains("`docs/closing.md`")
        );
    }
}

#[test]
fn a_document_that_cannot_be_written_does_not_stop_the_others() {
    let mut bytes = MOVED.as_bytes().to_vec();
    bytes.push(0xFF);
    let sandbox = two_documents(&bytes);
    let outcome = sandbox.run("check --fix --yes");
    assert_eq!(outcome.status(), 3, "{}", outcome.text());
    assert!(
        outcome
            .stderr()
            .contains("`AGENTS.md` was not corrected: it has bytes")
    );
    assert_eq!(
        std::fs::read(sandbox.path("AGENTS.md")).expect("readable"),
        bytes
    );
    assert!(
        sandbox
            .read("CONTRIBUTING.md")
            .contains("`docs/closing.md`")
    );

    let sandbox = two_documents(MOVED.as_bytes());
    let outcome = sandbox.run_while_edited("check --fix --yes", "AGENTS.md", "An edit.");
    assert_eq!(outcome.status(), 3, "{}", outcome.text());
    assert!(
        outcome.stderr().contains("`AGENTS.md` was not corrected: "),
        "{}",
        outcome.text()
    );
    assert!(sandbox.read("AGENTS.md").starts_with(MOVED));
    assert!(
        sandbox
            .read("CONTRIBUTING.md")
            .contains("`docs/closing.md`")
    );
}

#[test]
fn a_block_keeps_the_byte_order_mark_of_its_file() {
    let sandbox = Sandbox::anchored();
    sandbox.write("AGENTS.md", "\u{FEFF}# Shop\n\nRules.\n");
    sandbox.ok("memory inject --into AGENTS.md");
    let text = sandbox.read("AGENTS.md");
    assert!(
        text.starts_with("\u{FEFF}# Shop\n") && text.contains("cerberus:start"),
        "{text}"
    );
    assert_eq!(text.matches('\u{FEFF}').count(), 1);
}

/// Text of a file that shares no line with that of another name.
fn steps(name: &str) -> String {
    let step = |n: usize| format!("{name} step {n}: read, compare and store {name}_{n}\n");
    (1..20).map(step).collect()
}

#[test]
fn a_file_whose_new_path_was_given_to_another_one_is_followed_on() {
    let [rates, ports] = ["rates", "ports"].map(steps);
    let files: &[(&str, &str)] = &[
        ("conf/rates.txt", &rates),
        ("conf/ports.txt", &ports),
        ("AGENTS.md", "# Conf\n\nRates are in `conf/rates.txt`.\n"),
    ];
    let exchange = |sandbox: &Sandbox| {
        sandbox.git("mv conf/fees.txt conf/old.txt");
        sandbox.git("mv conf/ports.txt conf/fees.txt");
        sandbox.git("mv conf/old.txt conf/costs.txt");
    };
    let moved = |sandbox: &Sandbox| drop(sandbox.git("mv conf/rates.txt conf/fees.txt"));
    let sandbox = changed(files, moved);
    exchange(&sandbox);
    sandbox.commit("exchange");
    check_fix(&sandbox, "in `conf/costs.txt`", false);
    // The exchange changes lines of both files, too.
    let sandbox = changed(files, moved);
    exchange(&sandbox);
    sandbox.edit("conf/costs.txt", "rates step 3", "fees step 3");
    sandbox.edit("conf/fees.txt", "ports step 3", "fees step 3");
    sandbox.commit("exchange and edit");
    check_fix(&sandbox, "in `conf/costs.txt`", false);
    // Nothing is known of an exchange that is not committed.
    let sandbox = changed(files, moved);
    exchange(&sandbox);
    check_fix(&sandbox, "in `conf/rates.txt`", true);
}

#[test]
fn a_file_whose_path_was_given_to_another_one_before_it_was_removed_is_followed() {
    let [rates, ports] = ["rates", "ports"].map(steps);
    let files: &[(&str, &str)] = &[
        ("conf/rates.txt", &rates),
        ("conf/ports.txt", &ports),
        ("AGENTS.md", "# Conf\n\nRates are in `conf/rates.txt`.\n"),
    ];
    let sandbox = changed(files, |it| {
        it.write("conf/ports.txt", &rates);
        it.write("conf/rates.txt", &ports);
    });
    sandbox.git("mv conf/rates.txt conf/hosts.txt");
    sandbox.commit("move the ports");
    check_fix(&sandbox, "in `conf/ports.txt`", false);
    // A file that was edited in every line, step by step, is the same one.
    let sandbox = changed(files, |it| {
        it.edit("conf/rates.txt", "read, compare", "fetch, compare");
        let half = it.read("conf/rates.txt").replace("store", "keep");
        it.write("conf/rates.txt", half);
    });
    sandbox.write("conf/rates.txt", "all of it is new\n".repeat(19));
    sandbox.commit("write it anew");
    sandbox.git("mv conf/rates.txt conf/fees.txt");
    sandbox.commit("move the rates");
    check_fix(&sandbox, "in `conf/fees.txt`", false);
}

#[test]
fn the_label_of_a_link_that_is_defined_elsewhere_is_left() {
    let guide = steps("guide");
    let text = "# Kit\n\nRead [`docs/guide.md`] first.\n\n[`docs/guide.md`]: docs/guide.md\n";
    let files: &[(&str, &str)] = &[("docs/guide.md", &guide), ("AGENTS.md", text)];
    let rename = |it: &Sandbox| drop(it.git("mv docs/guide.md docs/manual.md"));
    let why = check_fix(&changed(files, rename), "[`docs/guide.md`] first", true);
    assert!(why.contains("it is the label of a link"), "{why}");
    let inline = "# Kit\n\nRead [`docs/guide.md`](docs/guide.md) first.\n";
    let files: &[(&str, &str)] = &[("docs/guide.md", &guide), ("AGENTS.md", inline)];
    let expected = "[`docs/manual.md`](docs/manual.md) first";
    check_fix(&changed(files, rename), expected, false);
}

#[test]
fn a_path_with_a_name_is_kept_only_if_the_name_has_the_same_code() {
    let other = "(crate):\n    for lid in crate.lids:\n        lid.open(force=True)\n    return len(crate.lids)\n";
    let code = format!("def postal_label{BODY}\n\ndef count_lids{other}");
    let files: &[(&str, &str)] = &[
        ("post/labels.py", &code),
        (
            "AGENTS.md",
            "# Post\n\nLabels come from `post/labels.py::postal_label` only.\n",
        ),
    ];
    let moved = |it: &Sandbox| drop(it.git("mv post/labels.py post/texts.py"));
    check_fix(
        &changed(files, moved),
        "`post/texts.py::postal_label`",
        false,
    );
    let sandbox = changed(files, |it| {
        moved(it);
        it.edit("post/texts.py", "postal_label", "town_label");
        it.edit("post/texts.py", "count_lids", "postal_label");
    });
    let why = check_fix(&sandbox, "`post/labels.py::postal_label`", true);
    assert!(
        why.contains("the code of the name is not the same"),
        "{why}"
    );
}
