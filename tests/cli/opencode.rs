//! The plugin of opencode, run by node as opencode 1 and 2 run it.

use std::path::Path;
use std::process::Command;

use crate::sandbox::{Sandbox, print_skipped};

#[test]
fn the_plugin_gives_the_same_rules_in_both_generations() {
    if Command::new("node").arg("--version").output().is_err() {
        return print_skipped("node is not installed");
    }
    let said = ["1", "2"].map(|generation| {
        let sandbox = Sandbox::anchored();
        sandbox.memory("uv", "---\ntype: rule\ncommand: pip install\n---\n\nNever use pip\n");
        let paths = "---\ntype: rule\npaths: backend/shop/auth/\n---\n\n";
        sandbox.memory("salt", format!("{paths}Hash the password with a salt of 16 bytes\n"));
        let paths = "---\ntype: rule\npaths: web/\n---\n\n";
        sandbox.memory("names", format!("{paths}Escape the names of accounts in markup\n"));
        // More than a session starts with.
        for n in 0..60 {
            let rule = format!("---\ntype: rule\n---\n\nAlways do thing {n} well\n");
            sandbox.memory(&format!("thing-{n}"), rule);
        }
        sandbox.ok("setup opencode --yes");
        let plugin = sandbox.read(".opencode/plugins/cerberus.js");
        sandbox.write("plugin.mjs", plugin);
        let host = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/opencode_host.mjs");
        let program = Path::new(env!("CARGO_BIN_EXE_cerberus")).parent().expect("a folder");
        let script = "PATH=$1:$PATH exec node \"$2\" \"$PWD/plugin.mjs\" \"$3\" backend/shop/auth/passwords.py";
        let mut command = sandbox.shell(script);
        let command = command.arg("sh").arg(program).args([host, generation]);
        let output = command.output().expect("node runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    });
    assert_eq!(said[0], said[1]);
    let of = |moment: &str| {
        said[0]
            .lines()
            .find(|line| line.starts_with(moment))
            .expect(moment)
    };
    assert!(of("started").contains("thing 1 "));
    assert!(!of("started").contains("16 bytes") && !of("started").contains("names of accounts"));
    assert!(of("denied").contains("forbids `pip install x`"));
    assert!(of("edited").contains("16 bytes"));
    assert!(of("asked").contains("thing 1 "));
    assert!(of("asked").contains("names of accounts") && !of("asked").contains("16 bytes"));
    assert!(of("compacted").contains("thing 1 "));
}
