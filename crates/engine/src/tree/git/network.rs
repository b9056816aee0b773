//! Runs the git commands that use the network: `ls-remote` and `fetch`.
//!
//! They run in a repository that cerberus created, so that no setting of a project has an effect; the
//! settings of the user (credentials, proxies) have. Only a few protocols are allowed, a submodule is
//! never fetched, no hook runs, and time and size are limited.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::process::OVERRIDES;

/// The protocols that a URL may use. `ext` and others would run a command that the URL names.
const PROTOCOLS: &str = "file:git:ssh:https";

const SETTINGS: &[&str] = &[
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "maintenance.auto=false",
    "gc.auto=0",
    "fetch.writeCommitGraph=false",
    "core.logAllRefUpdates=false",
];

/// Maximum number of bytes that are read from git.
const MAX_OUTPUT: u64 = 32 * 1024 * 1024;
const MAX_MESSAGE: u64 = 64 * 1024;

/// Time between looks at the size of the repository.
const SIZE_PAUSE: Duration = Duration::from_millis(250);

/// Limits of a command.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub time: Duration,
    /// Maximum size of the files that git writes, in bytes.
    pub bytes: u64,
}

/// Why a URL cannot be used, if it cannot.
pub fn url_fault(url: &str) -> Option<String> {
    let shown = url.escape_debug();
    if url.is_empty() || url.starts_with('-') || url.contains(char::is_control) {
        return Some(format!("`{shown}` is not a URL"));
    }
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (scheme, rest),
        None if url.contains("::") => {
            return Some(format!("`{shown}` would run a command; use file, git, ssh or https"));
        }
        // `user@host:path`, as git writes ssh.
        None if url.split_once(':').is_some_and(|(host, _)| !host.contains('/')) => ("ssh", url),
        None => return Some(format!("`{shown}` is not a URL; name a folder with `path`")),
    };
    if !PROTOCOLS.split(':').any(|known| known == scheme) {
        return Some(format!("the protocol of `{shown}` is not file, git, ssh or https"));
    }
    let authority = rest.split('/').next().unwrap_or_default();
    let is_secret = authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
    if is_secret && url.contains("://") {
        return Some(
            "the URL has a password; let git store it, as with `git credential`".to_owned(),
        );
    }
    None
}

/// Runs git in the repository `folder` and returns its output, or why it failed.
pub(super) fn run(
    folder: &Path,
    args: &[&str],
    input: &[u8],
    limits: Limits,
) -> Result<Vec<u8>, String> {
    let mut command = Command::new("git");
    command.arg("--git-dir").arg(folder);
    for setting in OVERRIDES.iter().chain(SETTINGS) {
        command.args(["-c", setting]);
    }
    let child = command
        .args(args)
        .current_dir(folder)
        // Those of a hook of git, in which cerberus may run.
        .env_remove("GIT_OBJECT_DIRECTORY")
        .env_remove("GIT_ALTERNATE_OBJECT_DIRECTORIES")
        .env_remove("GIT_NAMESPACE")
        .env("GIT_ALLOW_PROTOCOL", PROTOCOLS)
        .env("GIT_PROTOCOL_FROM_USER", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        // A person is asked by git itself only, not by a command in the background.
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else { return Err("git is not installed".to_owned()) };
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let mut output = Vec::new();
    let mut message = Vec::new();
    let ended = std::thread::scope(|scope| {
        // If git ends early, it does not need the rest.
        scope.spawn(move || stdin.map(|mut stdin| drop(stdin.write_all(input))));
        scope.spawn(|| stdout.map(|it| read_limited(it, MAX_OUTPUT, &mut output)));
        scope.spawn(|| stderr.map(|it| read_limited(it, MAX_MESSAGE, &mut message)));
        wait(&mut child, folder, limits)
    });
    match ended? {
        true => Ok(output),
        false => Err(failure(&String::from_utf8_lossy(&message))),
    }
}

/// Reads the first `limit` bytes, and skips the rest, so that the writer does not wait.
fn read_limited(mut pipe: impl Read, limit: u64, bytes: &mut Vec<u8>) {
    let _ = (&mut pipe).take(limit).read_to_end(bytes);
    let _ = std::io::copy(&mut pipe, &mut std::io::sink());
}

/// Waits for the end of a command and returns whether it succeeded, or which limit it exceeded.
fn wait(child: &mut Child, folder: &Path, limits: Limits) -> Result<bool, String> {
    let start = Instant::now();
    let (mut pause, mut last_size) = (Duration::from_micros(500), start);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) => {}
            Err(error) => return Err(format!("failed to wait for git: {error}")),
        }
        let exceeded = if start.elapsed() > limits.time {
            Some(format!("no answer within {} s", limits.time.as_secs()))
        } else if last_size.elapsed() > SIZE_PAUSE {
            last_size = Instant::now();
            let limit = limits.bytes / 1024 / 1024;
            (size(folder) > limits.bytes).then(|| format!("it sends more than {limit} MB"))
        } else {
            None
        };
        if let Some(why) = exceeded {
            let _ = child.kill();
            let _ = child.wait();
            return Err(why);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(8));
    }
}

/// Returns the size of the packs of a repository, those that git is receiving among them.
pub(super) fn size(folder: &Path) -> u64 {
    let packs = ignore::WalkBuilder::new(folder.join("objects"))
        .standard_filters(false)
        .follow_links(false)
        .build();
    packs.flatten().filter_map(|it| it.metadata().ok()).map(|it| it.len()).sum()
}

/// Returns the message of git that names the cause.
fn failure(message: &str) -> String {
    let is_cause =
        |line: &&str| ["fatal: ", "error: ", "ERR "].iter().any(|it| line.starts_with(it));
    let cause = message.lines().find(is_cause).or_else(|| message.lines().next());
    let cause =
        cause.unwrap_or("git failed").trim_start_matches("fatal: ").trim_start_matches("error: ");
    cause.escape_debug().to_string().replace("\\'", "'").replace("\\\"", "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_urls_of_the_allowed_protocols_without_passwords_are_used() {
        for url in [
            "https://example.org/team/rules.git",
            "git@example.org:team/rules.git",
            "ssh://git@example.org/team/rules",
            "file:///srv/git/rules.git",
            "git://127.0.0.1:9418/rules",
            "https://ada@example.org/rules",
        ] {
            assert_eq!(url_fault(url), None, "{url}");
        }
        for (url, why) in [
            ("ext::sh -c touch% /tmp/x", "would run a command"),
            ("ext://sh", "protocol"),
            ("http://example.org/rules", "protocol"),
            ("--upload-pack=touch x", "not a URL"),
            ("../rules", "`path`"),
            ("", "not a URL"),
            ("https://example.org/\u{1b}[2J", "not a URL"),
            ("https://ada:secret@example.org/rules", "password"),
        ] {
            let fault = url_fault(url).expect(url);
            assert!(fault.contains(why) && !fault.contains("secret"), "{url}: {fault}");
        }
    }

    #[test]
    fn the_cause_of_a_failure_is_the_first_fatal_line() {
        let message = "warning: filtering not recognized by server, ignoring\nfatal: couldn't find remote ref x\n";
        assert_eq!(failure(message), "couldn't find remote ref x");
        assert_eq!(failure(""), "git failed");
    }
}
