//! Runs the git commands that use the network: `ls-remote` and `fetch`.
//!
//! They run in a repository that cerberus created, so that no setting of a project has an effect; the
//! settings of the user (credentials, proxies) have. Only a few protocols are allowed, a submodule is
//! never fetched, no hook runs, and time and size are limited.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};

use super::process::OVERRIDES;
use cerberus_model::text::masked;

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

/// Maximum number of bytes of an error message.
const MAX_MESSAGE: u64 = 64 * 1024;

/// Time between looks at the size of the repository.
const SIZE_PAUSE: Duration = Duration::from_millis(250);

/// Limits of a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) time: Duration,
    /// Maximum size of the files that git writes, in bytes.
    pub(super) bytes: u64,
}

/// Why a URL cannot be used, if it cannot.
pub fn url_fault(url: &str) -> Option<String> {
    let shown = masked(url);
    let shown = shown.escape_debug();
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
    input: &str,
    limits: Limits,
) -> Result<Vec<u8>, String> {
    let no_file = |error| format!("failed to use a temporary file: {error}");
    // Not pipes: what git leaves running, such as the shared connection of ssh, holds them open.
    let file = || tempfile::tempfile().map_err(no_file);
    let (mut stdin, stdout, stderr) = (file()?, file()?, file()?);
    stdin.write_all(input.as_bytes()).and_then(|()| stdin.rewind()).map_err(no_file)?;
    let mut command = Command::new("git");
    #[cfg(unix)]
    let group = Group::new().map_err(|error| format!("failed to start `sh`: {error}"))?;
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, group.id());
    let child = command
        .arg("--git-dir")
        .arg(folder)
        .args(OVERRIDES.iter().chain(SETTINGS).flat_map(|setting| ["-c", setting]))
        .args(args)
        .current_dir(folder)
        // Those of a hook of git, in which cerberus may run.
        .env_remove("GIT_OBJECT_DIRECTORY")
        .env_remove("GIT_ALTERNATE_OBJECT_DIRECTORIES")
        .env_remove("GIT_NAMESPACE")
        .env("GIT_ALLOW_PROTOCOL", PROTOCOLS)
        .env("GIT_PROTOCOL_FROM_USER", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        // A person is asked by git itself only, not by a command in the background, which the terminal
        // would stop.
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("SSH_ASKPASS_REQUIRE", "force")
        .env("LC_ALL", "C")
        .stdin(stdin)
        .stdout(stdout.try_clone().map_err(no_file)?)
        .stderr(stderr.try_clone().map_err(no_file)?)
        .spawn();
    let Ok(mut child) = child else { return Err("git is not installed".to_owned()) };
    let n_bytes = |file: &File| file.metadata().map_or(0, |it| it.len());
    let ended = wait(&mut child, limits, || size(folder) + n_bytes(&stdout) + n_bytes(&stderr));
    let read = |mut file: File, limit: u64| {
        let mut bytes = Vec::new();
        file.rewind().and_then(|()| file.take(limit).read_to_end(&mut bytes)).map_err(no_file)?;
        Ok(bytes)
    };
    #[cfg(unix)]
    if ended.is_err() {
        group.kill();
    }
    match ended? {
        true => read(stdout, limits.bytes),
        false => Err(failure(&String::from_utf8_lossy(&read(stderr, MAX_MESSAGE)?))),
    }
}

/// The process group of git and its helpers, which do not end with it.
///
/// Its first process waits for the end of its input, which is the end of cerberus, however it ends
/// (Ctrl-C reaches the group of the terminal only), and then kills the group.
#[cfg(unix)]
struct Group(Child);

#[cfg(unix)]
impl Group {
    fn new() -> std::io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.args(["-c", "read -r line; kill -KILL 0"]).stdin(Stdio::piped());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(Self)
    }

    fn id(&self) -> i32 {
        Pid::from_child(&self.0).as_raw_nonzero().get()
    }

    fn kill(&self) {
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
    }
}

#[cfg(unix)]
impl Drop for Group {
    /// Ends the first process only: what git leaves running, such as its cache of passwords, stays.
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for the end of a command and returns whether it succeeded, or which limit it exceeded.
fn wait(child: &mut Child, limits: Limits, size: impl Fn() -> u64) -> Result<bool, String> {
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
            (size() > limits.bytes).then(|| format!("it sends more than {limit} MB"))
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
fn size(folder: &Path) -> u64 {
    let packs = ignore::WalkBuilder::new(folder.join("objects"))
        .standard_filters(false)
        .follow_links(false)
        .build();
    packs.flatten().filter_map(|it| it.metadata().ok()).map(|it| it.len()).sum()
}

/// What ssh says if it had to ask, which it cannot here, and how to answer beforehand.
const QUESTIONS: [(&str, &str); 2] = [
    (
        "Permission denied (",
        "no passphrase can be asked for here: add the key with `ssh-add` first",
    ),
    ("Host key verification failed", "connect once with `ssh`, to accept the key of the host"),
];

/// Returns the message of git that names the cause.
fn failure(message: &str) -> String {
    let asked = |line: &str| QUESTIONS.iter().find(|(said, _)| line.contains(said));
    if let Some((line, (_, answer))) =
        message.lines().find_map(|line| Some((line.trim_end().trim_end_matches('.'), asked(line)?)))
    {
        return format!("{}; {answer}", masked(line).escape_debug());
    }
    let is_cause =
        |line: &&str| ["fatal: ", "error: ", "ERR "].iter().any(|it| line.starts_with(it));
    let cause = message.lines().find(is_cause).or_else(|| message.lines().next());
    let cause =
        cause.unwrap_or("git failed").trim_start_matches("fatal: ").trim_start_matches("error: ");
    masked(cause).escape_debug().to_string().replace("\\'", "'").replace("\\\"", "\"")
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
    #[cfg(unix)]
    fn the_helpers_of_git_end_at_the_limit() {
        use rustix::fs::{Mode, OFlags, open};
        let temp = tempfile::tempdir().expect("a temp folder");
        let fifo = temp.path().join("fifo");
        let (bank, folder) = (temp.path().join("bank"), temp.path().join("folder"));
        let call = |program: &str, args: &[&str]| {
            let done = Command::new(program).current_dir(&temp).args(args).output();
            assert!(done.is_ok_and(|it| it.status.success()), "{program} {args:?}");
        };
        call("mkfifo", &["fifo"]);
        call("git", &["init", "--quiet", "bank"]);
        call("git", &["init", "--quiet", "--bare", "folder"]);
        // The process of git that serves the bank reads its settings.
        call("git", &["-C", "bank", "config", "include.path", &fifo.display().to_string()]);
        let url = format!("file://{}", bank.display());
        let limits = Limits { time: Duration::from_millis(300), bytes: 1024 * 1024 };
        let (ended, has_ended) = std::sync::mpsc::channel();
        let opened = || open(&fifo, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty());
        std::thread::scope(|scope| {
            // Releases a helper that is left, so that the test fails instead of waiting.
            let is_in_time = scope.spawn(move || {
                let is_in_time = has_ended.recv_timeout(Duration::from_secs(20)).is_ok();
                drop((!is_in_time).then(opened));
                is_in_time
            });
            let output = run(&folder, &["ls-remote", &url], "", limits);
            ended.send(()).expect("the thread waits");
            assert_eq!(output, Err("no answer within 0 s".to_owned()));
            assert!(is_in_time.join().expect("no panic"));
        });
        // The pipe has no reader any more.
        while opened().is_ok() {
            std::thread::yield_now();
        }
    }

    #[test]
    #[cfg(unix)]
    fn the_helpers_of_git_end_with_cerberus() {
        let group = Group::new().expect("a shell");
        let mut helper = Command::new("sleep");
        std::os::unix::process::CommandExt::process_group(&mut helper, group.id());
        let mut helper = helper.arg("60").spawn().expect("it starts");
        let Group(shell) = &group;
        assert!(helper.try_wait().is_ok_and(|it| it.is_none()), "{shell:?} waits");
        // As if cerberus had ended: the pipe is closed.
        let mut group = std::mem::ManuallyDrop::new(group);
        drop(group.0.stdin.take());
        assert_eq!(helper.wait().expect("it ends").code(), None, "killed");
        group.0.wait().expect("it ends");
    }

    #[test]
    fn what_ssh_cannot_ask_names_the_way_out() {
        let message = "git@host: Permission denied (publickey).\r\nfatal: Could not read from remote repository.\n";
        assert_eq!(
            failure(message),
            "git@host: Permission denied (publickey); no passphrase can be asked for here: add the key with `ssh-add` first"
        );
    }

    #[test]
    fn the_cause_of_a_failure_is_the_first_fatal_line() {
        let message = "warning: filtering not recognized by server, ignoring\nfatal: couldn't find remote ref x\n";
        assert_eq!(failure(message), "couldn't find remote ref x");
        assert_eq!(failure(""), "git failed");
    }
}
