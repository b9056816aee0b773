//! Locations as people type them.

use super::*;

fn located(file: &str, symbol: Option<&str>) -> Result<String, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let twice = format!("{SERVER}\nclass Other:\n    def start(self): pass\n");
    write(folder.path(), &[("a.py", &twice), ("b.txt", "text\n")]);
    let found = locate(folder.path(), file, symbol).map(|it| it.found.symbol.unwrap_or_default());
    found.map_err(|error| {
        let failure = error
            .downcast_ref::<cerberus_model::error::UserError>()
            .expect("a failure with a hint");
        format!("{failure}; {}", failure.hints.join("; "))
    })
}

#[test]
fn locations_are_resolved_as_people_type_them() {
    assert_eq!(
        located("a.py", Some("Server.start")),
        Ok("Server.start".to_owned())
    );
    assert_eq!(
        located("a.py", Some("__init__")),
        Ok("Server.__init__".to_owned())
    );
    assert_eq!(located("a.py", None), Ok(String::new()));
    for (file, symbol, expected) in [
        (
            "a.py",
            "start",
            "`start` is ambiguous in `a.py`; specify one of: `Server.start`, `Other.start`",
        ),
        (
            "a.py",
            "Sever.start",
            "symbol `Sever.start` not found in `a.py`; it defines `Server.start`, `Server`",
        ),
        ("z.py", "f", "file `z.py` not found"),
        (
            "b.txt",
            "f",
            "`b.txt` has no symbols: its language is not supported; anchor to the whole file",
        ),
    ] {
        let error = located(file, Some(symbol)).expect_err(expected);
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn one_of_several_definitions_is_named_by_its_number_or_its_parameters() {
    let java = "class Mailer {\n  void send(String to) {}\n  void send(final String to, int times) {}\n  void send(Map<String, int[]> all,\n      int times) {}\n}\n";
    let rust = "impl Display for A {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) {}\n}\nimpl Debug for A {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) {}\n}\n";
    let python = "class A:\n    @property\n    def size(self): return 1\n    @size.setter\n    def size(self, value: int = 3): pass\n";
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        &[("A.java", java), ("a.rs", rust), ("a.py", python)],
    );
    let locate = |file: &str, symbol: &str| match locate(folder.path(), file, Some(symbol)) {
        Ok(located) => located.found.symbol.unwrap_or_default(),
        Err(error) => match error.downcast_ref::<cerberus_model::error::UserError>() {
            Some(error) => format!("{error}; {}", error.hints.join("; ")),
            None => error.to_string(),
        },
    };
    let all = "specify one of: `Mailer.send#1` or `Mailer.send(String to)` in line 2, `Mailer.send#2` or `Mailer.send(final String to, int times)` in line 3, `Mailer.send#3` or `Mailer.send(Map<String, int[]> all, int times)` in line 4";
    for (file, symbol, expected) in [
        ("A.java", "send#2", "Mailer.send#2"),
        ("A.java", "Mailer.send(String)", "Mailer.send#1"),
        ("A.java", "send(String,int)", "Mailer.send#2"),
        ("A.java", "send(to, times)", "Mailer.send#2"),
        (
            "A.java",
            "send(final String to, int times)",
            "Mailer.send#2",
        ),
        ("A.java", "send(Map<String,int[]>, int)", "Mailer.send#3"),
        (
            "A.java",
            "send",
            &format!("`send` is ambiguous in `A.java`; {all}"),
        ),
        (
            "A.java",
            "send#4",
            &format!("symbol `send#4` not found in `A.java`; {all}"),
        ),
        (
            "A.java",
            "send(int)",
            &format!("symbol `send(int)` not found in `A.java`; {all}"),
        ),
        (
            "a.rs",
            "fmt(f: &mut fmt::Formatter<'_>)",
            "`fmt(f: &mut fmt::Formatter<'_>)` is ambiguous in `a.rs`; specify one of: `A.fmt#1` in line 2, `A.fmt#2` in line 5",
        ),
        ("a.rs", "fmt#2", "A.fmt#2"),
        ("a.py", "size()", "A.size#1"),
        ("a.py", "size(int)", "A.size#2"),
        ("a.py", "size(value)", "A.size#2"),
    ] {
        assert_eq!(locate(file, symbol), expected, "{symbol}");
    }
}
