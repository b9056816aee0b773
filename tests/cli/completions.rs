//! `completions`.

use crate::sandbox::Sandbox;

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    let sandbox = Sandbox::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.ok(&format!("completions {shell}"));
        assert!(script.contains("reanchor") && script.contains("min-quality"), "{shell}");
    }
    assert_eq!(sandbox.run("completions tcsh").status(), 2);
}
