//! Tests of the reading of command lines, also against bash.

#![expect(
    clippy::disallowed_methods,
    reason = "a test runs lines with bash in a temporary folder"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::*;

/// Checks the commands that a line runs, and the parts that are not known.
#[track_caller]
fn check(line: &str, expected: &[&str]) {
    let Commands {
        commands, unread, ..
    } = commands(line);
    let mut found: Vec<String> = commands.iter().map(|words| words.join(" ")).collect();
    for part in unread {
        found.push(format!("? {part}"));
    }
    assert_eq!(found, expected, "{line}");
}

#[test]
fn commands_are_found_in_commands() {
    check(
        "A=1 b 2>&1 >c | d && ! e; if f; then g; fi",
        &["b", "d", "e", "f", "g"],
    );
    check(
        "sudo -u x A=1 timeout -k 2 5 b",
        &["sudo -u x A=1 timeout -k 2 5 b", "timeout -k 2 5 b", "b"],
    );
    check("a \"$(b c)\" `d`", &["b c", "d", "a $ $"]);
    check("bash -lc 'a && b'", &["bash -lc a && b", "a", "b"]);
    check("bash <<E\na\nE\nb", &["bash", "a", "b"]);
    check("cat > x <<E && b\na\nE\nc", &["cat", "b", "c"]);
    check(
        "a -m \"$(cat <<'E'\n1) say \"x\" && b\nE\n)\" && c",
        &["cat", "a -m $", "c"],
    );
    check(
        "ls | xargs -n 1 a b; find . -exec c {} \\; -exec d {} +",
        &[
            "ls",
            "xargs -n 1 a b",
            "a b",
            "find . -exec c {} ; -exec d {} +",
            "c {}",
            "d {} +",
        ],
    );
    check(
        "$A b; eval \"$C\"; command -v d",
        &["eval $C", "command -v d", "? $A", "? $C"],
    );
    check("diff <(a) 2> b > c d", &["a", "diff $ d"]);
    check("a b\\\nc d\\ e", &["a bc d e"]);
    check("> f a b", &["a b"]);
    check(
        "echo \"a b\" | sh; curl x | sh",
        &["echo a b", "sh", "a b", "curl x", "sh", "? sh"],
    );
}

#[test]
fn commands_in_commands_have_a_limited_length() {
    let found = commands(&"eval ".repeat(MAX_REREAD / 5));
    assert!(!found.unread.is_empty());
}

#[test]
fn any_text_is_read() {
    let deep = "$(".repeat(10_000);
    let sudo = "sudo ".repeat(10_000);
    for text in [
        "", "'", "\"$(", "a \\", "$(((", "\"\\", "\\\n", "<", "<<", "<<\n", "`", &deep, &sudo,
    ] {
        let _ = commands(text);
    }
}

proptest::proptest! {
    #[test]
    fn no_command_is_empty(line in "(\\$\\(|`|\\(|\\)|'|\"|<<|<<<|E|&>|[;&|#\\\\> \n]|bash -c |sudo |a){0,40}") {
        for words in commands(&line).commands {
            proptest::prop_assert!(!words.is_empty());
        }
    }
}

/// Programs that are often not installed, with their options that have a value. A script in the place of each runs the command
/// after its options.
const STAND_INS: &[(&str, &str)] = &[
    ("sudo", "-u|--user"),
    ("doas", "-u"),
    ("uv", "--with|-p"),
    ("npx", "-p"),
    ("conda", "-n"),
    ("poetry", ""),
    ("hatch", ""),
    ("pipenv", ""),
    ("pdm", ""),
    ("rye", ""),
    ("pnpm", ""),
    ("yarn", ""),
    ("bundle", ""),
    ("mise", ""),
    ("direnv", ""),
    ("su", ""),
];

/// Writes the program `zap`, which writes its arguments to the file `log`, and the stand-ins.
fn write_programs(folder: &Path) {
    let log = folder.join("log");
    let zap = format!("#!/bin/sh\necho \"$*\" >> '{}'\n", log.display());
    write_program(&folder.join("zap"), &zap);
    for (name, with_value) in STAND_INS {
        let with_value = if with_value.is_empty() {
            "--none"
        } else {
            with_value
        };
        let script = format!(
            "#!/bin/bash\n\
             case $1 in run | exec) shift ;; esac\n\
             [ {name} = direnv ] && shift\n\
             while :; do case $1 in\n\
               -c | --command) eval \"$2\"; exit ;;\n\
               --command=*) eval \"${{1#*=}}\"; exit ;;\n\
               --) shift; break ;;\n\
               {with_value}) shift 2 ;;\n\
               -*) shift ;;\n\
               root) [ {name} = su ] || break; shift ;;\n\
               *) break ;;\n\
             esac; done\n\
             exec env \"$@\"\n"
        );
        write_program(&folder.join(name), &script);
    }
}

fn write_program(path: &Path, script: &str) {
    fs::write(path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs a line with bash, and returns whether it ran `zap -rf`.
fn runs_zap(line: &str, folder: &Path) -> bool {
    let log = folder.join("log");
    let _ = fs::remove_file(&log);
    let here = folder.join("here");
    let _ = fs::create_dir(&here);
    let output = Command::new("bash")
        .args(["-c", line])
        .current_dir(&here)
        .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
        .stdin(Stdio::null())
        .output()
        .expect("bash");
    drop(output);
    let log = fs::read_to_string(&log).unwrap_or_default();
    log.lines().any(|line| is_hit(&format!("zap {line}")))
}

/// Returns whether a line has a command that the pattern `zap -rf` matches.
fn is_hit(line: &str) -> bool {
    let pattern = crate::command::CommandPattern::parse("zap -rf").expect("a pattern");
    let found = commands(line).commands;
    found.iter().any(|words| pattern.matches(words))
}

#[test]
fn lines_are_read_as_bash_runs_them() {
    let folder = tempfile::tempdir().unwrap();
    write_programs(folder.path());
    let mut faults = Vec::new();
    let mut n_lines = 0;
    for entry in include_str!("lines.txt").lines() {
        let Some((sign @ ("+" | "-" | "?"), line)) = entry.split_once(' ') else {
            continue;
        };
        let line = line.replace('↵', "\n");
        let mut forms = vec![line.clone()];
        if !line.contains(['\n', '#']) && !line.ends_with('&') {
            forms.push(format!("f() {{ {line}\n}}; f"));
        }
        for form in forms {
            n_lines += 1;
            if runs_zap(&form, folder.path()) != (sign != "-") {
                faults.push(format!("bash does not do what the list says: {form:?}"));
            }
            let unread = commands(&form).unread;
            let is_right = match sign {
                "?" => !unread.is_empty(),
                _ => is_hit(&form) == (sign == "+"),
            };
            if !is_right {
                faults.push(format!("read as the opposite: {form:?}, unread {unread:?}"));
            }
        }
    }
    assert!(n_lines >= 300, "{n_lines}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
