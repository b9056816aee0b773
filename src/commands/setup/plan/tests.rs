//! Settings that setup writes and removes again.

mod odd_files;

use super::*;

fn server(agent: &str) -> Content<'static> {
    Content::of(&Agent::named(agent).expect(agent).settings[0].write)
}

fn hooks(agent: &str) -> Content<'static> {
    let agent = Agent::named(agent).expect(agent);
    Content::of_hooks(agent, agent.hooks.as_ref().expect("it has hooks"))
}

#[test]
fn an_empty_object_of_servers_that_was_there_stays() {
    let contents = [server("cursor")];
    for old in [
        "{\n\t\"mcpServers\": {}\n}",
        "{\n    \"mcpServers\": {}\n}\n",
        "{\"mcpServers\":{}}",
    ] {
        let new = edited(old.as_bytes(), &contents, false)
            .expect("merged")
            .text;
        let back = edited(&new, &contents, true).expect("removed").text;
        assert_eq!(String::from_utf8_lossy(&back), old);
    }
}

#[test]
fn settings_on_one_line_are_restored() {
    let contents = [server("vscode")];
    for old in [
        "{\"servers\":{\"x\":{\"command\":\"x\"}}}",
        "{\"servers\": {\"x\": {\"command\": \"x\"}, \"y\": 1}}\n",
        "{ \"servers\": { \"x\": 1 } }\n",
        "{\"inputs\":[]}",
    ] {
        let new = edited(old.as_bytes(), &contents, false)
            .expect("merged")
            .text;
        let line = String::from_utf8_lossy(&new).into_owned();
        assert!(!line.trim_end().contains('\n'), "{line}");
        assert_eq!(
            edited(&new, &contents, false).map(|it| it.text),
            Ok(new.clone())
        );
        let back = edited(&new, &contents, true).expect("removed").text;
        assert_eq!(String::from_utf8_lossy(&back), old);
    }
}
