//! Tests of running agents and reading their answers.

use std::process::Stdio;

use super::*;

fn agent(typed: &str) -> Agent {
    Agent::new(typed).expect("valid clients")
}

fn run(script: &str, input: &str, limits: Limits) -> Result<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["-c".to_owned(), script.to_owned()];
    agent(script).output_within(&mut command("sh", &arguments, folder.path()), input, limits)
}

const LONG: Limits = Limits {
    total: MAX_TIME,
    silence: MAX_TIME,
};

#[test]
fn a_choice_is_recorded_under_the_name_of_the_program() {
    for (typed, name) in [
        ("claude", "claude"),
        ("/opt/bin/read.sh --key x", "read.sh"),
        ("KEY=secret python3 reader.py", "python3"),
    ] {
        assert_eq!(agent(typed).name(), name);
    }
}

#[test]
fn a_command_gets_the_input_in_an_empty_folder() {
    let long = "x".repeat(300_000);
    let ask = |script| run(script, &long, LONG);
    assert_eq!(ask("cat").expect("an answer"), long);
    assert_eq!(ask("ls -a | wc -l").expect("an answer").trim(), "2");
    assert_eq!(ask("exec <&-; echo early").expect("an answer"), "early\n");
    let failure = ask("echo one >&2; echo 'not logged in' >&2; exit 3").expect_err("failed");
    assert!(
        failure.to_string().ends_with("failed: one; not logged in"),
        "{failure}"
    );
    let large = run("yes", "", LONG).expect_err("too much").to_string();
    assert_eq!(large, "the output of `yes` has more than 4 MB");
}

#[cfg(unix)]
#[test]
fn the_processes_of_an_agent_end_with_its_time_its_silence_and_its_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    // The other end of the pipe closes when the last process of the agent ends.
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .expect("mkfifo runs");
    assert!(made.success());
    let short = Duration::from_secs(1);
    for (end, limits, expected) in [
        (
            "sleep 1000",
            Limits {
                total: short,
                ..LONG
            },
            Err("showed no answer in 1 s"),
        ),
        (
            "sleep 1000",
            Limits {
                silence: short,
                ..LONG
            },
            Err("showed no progress for 1 s"),
        ),
        ("echo done", LONG, Ok("done\n")),
    ] {
        // A process that is left behind has the output, too.
        let script = format!("exec 3>{}; sleep 1000 & {end}", pipe.display());
        let path = pipe.clone();
        let reader = Command::new("cat").arg(path).stdout(Stdio::null()).spawn();
        match (run(&script, "", limits), expected) {
            (Ok(output), Ok(expected)) => assert_eq!(output, expected),
            (Err(error), Err(why)) => assert!(error.to_string().contains(why), "{error}"),
            (result, _) => panic!("{result:?}"),
        }
        assert!(
            reader
                .expect("it starts")
                .wait()
                .expect("it ends")
                .success()
        );
    }
}

#[test]
fn a_message_that_is_repeated_is_no_progress_and_is_shown() {
    let limits = Limits {
        silence: Duration::from_secs(3),
        ..LONG
    };
    let script =
        "while :; do n=$((n + 1)); echo \"waiting for network, attempt $n\"; sleep .1; done";
    let error = run(script, "", limits)
        .expect_err("it is ended")
        .to_string();
    assert!(
        error.contains("showed no progress for 3 s and was ended; it printed: waiting for network"),
        "{error}"
    );
}

#[test]
fn the_text_is_found_in_the_output_of_each_client() {
    for (name, output) in [
        (
            "claude",
            r#"{"type":"result","is_error":false,"result":"TEXT"}"#,
        ),
        (
            "codex",
            "{\"type\":\"thread.started\"}\n\
             {\"type\":\"item.completed\",\"item\":{\"type\":\"reasoning\",\"text\":\"hm\"}}\n\
             {\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"TEXT\"}}\n\
             {\"type\":\"turn.completed\"}\n",
        ),
        (
            "copilot",
            "{\"type\":\"user.message\",\"data\":{\"content\":\"request\"}}\n\
             {\"type\":\"assistant.message\",\"data\":{\"content\":\"TEXT\"}}\n\
             {\"type\":\"result\"}\n",
        ),
        (
            "gemini",
            "{\"type\":\"message\",\"role\":\"user\",\"content\":\"request\"}\n\
             {\"type\":\"message\",\"role\":\"assistant\",\"content\":\"TE\"}\n\
             {\"type\":\"message\",\"role\":\"assistant\",\"content\":\"XT\"}\n",
        ),
        (
            "opencode",
            "{\"type\":\"step_start\"}\n{\"type\":\"text\",\"part\":{\"text\":\"TEXT\"}}\n{\"type\":\"step_finish\"}\n",
        ),
    ] {
        let client = agent(name).client.expect(name).headless;
        assert_eq!(client.text(output).as_deref(), Some("TEXT"), "{name}");
        let noisy = format!("(node:1) Warning: {{ it is old\n{output}");
        assert_eq!(client.text(&noisy).as_deref(), Some("TEXT"), "{name}");
        assert_eq!(client.text("Not logged in"), None, "{name}");
    }
}
