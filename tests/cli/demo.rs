//! `demo`.

use crate::sandbox::Sandbox;

#[test]
fn every_step_passes_and_the_repository_is_removed() {
    let sandbox = Sandbox::empty();
    let outcome = sandbox.run("demo");
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
    for shown in [
        "no longer exists",
        "+- Customers are stored by `add_member` in `shop/members.py`",
        "def add_member",
    ] {
        assert!(
            outcome.stdout().contains(shown),
            "{shown}: {}",
            outcome.text()
        );
    }
    assert_eq!(sandbox.json("demo")["ok"], true);
    let left = std::fs::read_dir(sandbox.path("..")).expect("a folder");
    let mut left: Vec<_> = left
        .filter_map(|it| it.ok()?.file_name().into_string().ok())
        .collect();
    left.sort();
    assert_eq!(left, ["home", "shop"], "temporary folders are gone");
    assert_eq!(sandbox.git("status --porcelain"), "");
}

#[test]
fn the_repository_is_kept_on_request() {
    let sandbox = Sandbox::empty();
    let outcome = sandbox.run("demo --keep ../kept");
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
    assert!(
        sandbox.exists("../kept/.memories/anchors.lock"),
        "{}",
        outcome.text()
    );
    let again = sandbox.run("demo --keep ../kept");
    assert_eq!(again.status(), 2, "{}", again.text());
    assert!(
        again
            .stderr()
            .contains("name a folder that does not exist yet"),
        "{}",
        again.text()
    );
}

#[test]
fn a_folder_in_a_project_with_memories_is_refused() {
    let sandbox = Sandbox::bank();
    let outcome = sandbox.run("demo --keep kept");
    assert_eq!(outcome.status(), 2, "{}", outcome.text());
    assert!(!sandbox.exists("kept"));
    let hint = "as in `cerberus demo --keep ../demo`";
    assert!(outcome.stderr().contains(hint), "{}", outcome.text());
}
