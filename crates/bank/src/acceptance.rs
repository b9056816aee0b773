//! What a person accepted and an agent must not change: the patterns and commands that break a rule.
//!
//! They deny code and commands, so only a person puts them into force. A bank that writes for an agent marks each
//! pattern that the agent sets with its name (`pattern_by`): such a pattern is proposed. It refuses to change or remove
//! one without that mark. All writes of memories pass here, so that no command or tool can do otherwise.

use std::borrow::Cow;

use anyhow::Result;
use cerberus_markdown::frontmatter;
use cerberus_markdown::frontmatter::{FieldValue, Frontmatter};
use cerberus_model::{UserError, refuse, shell_word};

use super::Bank;

/// The key with the name of the agent that proposes a pattern.
pub const PROPOSED_BY: &str = "pattern_by";

impl Bank {
    /// Returns the bank for the writes of an agent with this name.
    pub fn for_agent(self, name: &str) -> Self {
        let name: String = name.chars().filter(|c| !c.is_control()).collect();
        let name = name.trim();
        let agent = if name.is_empty() { "an agent" } else { name };
        Self {
            agent: Some(agent.to_owned()),
            ..self
        }
    }

    /// Returns the agent that writes.
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// Refuses to change or remove the pattern of a memory with this text, if an agent writes and a person accepted it.
    pub fn check_pattern_is_free(&self, id: &str, text: &str) -> Result<()> {
        let front = frontmatter::parse(text).frontmatter;
        if self.agent.is_some() && has_pattern(&front) && front.pattern_by.is_none() {
            return Err(accepted(id).into());
        }
        Ok(())
    }

    /// Returns the text that the writer may store in a file: with the mark of an agent at a pattern that it set.
    pub(super) fn admitted<'t>(&self, file: &str, text: &'t str) -> Result<Cow<'t, str>> {
        let Some(agent) = &self.agent else {
            return Ok(Cow::Borrowed(text));
        };
        let old_text = match self.bytes_at(file)? {
            Some(_) => self.read(file)?.text,
            None => String::new(),
        };
        let old = frontmatter::parse(&old_text).frontmatter;
        let new = frontmatter::parse(text).frontmatter;
        let mut mark = old.pattern_by.clone();
        if pattern(&old) != pattern(&new) {
            let name = file.strip_suffix(".md").unwrap_or(file);
            let id = old.id.as_deref().unwrap_or(name);
            self.check_pattern_is_free(id, &old_text)?;
            mark = Some(agent.clone());
        }
        let mark = mark.filter(|_| has_pattern(&new));
        if mark == new.pattern_by {
            return Ok(Cow::Borrowed(text));
        }
        let marked = match &mark {
            Some(by) => frontmatter::set(text, PROPOSED_BY, FieldValue::Scalar(by)),
            None => frontmatter::remove(text, PROPOSED_BY),
        };
        let marked = marked.map_err(|error| {
            UserError::usage(format!("{file}: {}", error.message)).hint(error.hint)
        })?;
        if frontmatter::parse(&marked).frontmatter.pattern_by != mark {
            return refuse(
                format!("`{file}`: the pattern cannot be marked"),
                "write the frontmatter as lines of `key: value`",
            );
        }
        Ok(Cow::Owned(marked))
    }
}

/// Returns the patterns and commands that break a rule, and the replacement.
fn pattern(front: &Frontmatter) -> (&Option<String>, &[String], &Option<String>) {
    (&front.pattern, &front.command, &front.instead)
}

fn has_pattern(front: &Frontmatter) -> bool {
    front.pattern.is_some() || !front.command.is_empty()
}

fn accepted(id: &str) -> UserError {
    let command = format!("cerberus memory pattern {}", shell_word(id));
    UserError::usage(format!(
        "a person accepted the pattern of `{id}`; ask before you change or remove it"
    ))
    .hint(format!("a person can replace it: {command} --set FILE"))
    .hint(format!("a person can remove it: {command} --remove"))
}

#[cfg(test)]
mod tests {
    use cerberus_model::MemoryId;

    use super::*;
    use crate::ImportChanges;
    use crate::lockfile::Anchors;

    const ACCEPTED: &str = "---\ntype: rule\ncommand: [git push -f]\n---\n\nNo force.\n";
    const PLAIN: &str = "---\ntype: rule\n---\n\nNo force.\n";

    fn id(text: &str) -> MemoryId {
        text.parse().expect("a valid id")
    }

    fn banks() -> (tempfile::TempDir, Bank, Bank) {
        let folder = tempfile::tempdir().expect("a folder");
        let person = Bank::new(folder.path().join("bank"));
        person.create().expect("created");
        let agent = person.clone().for_agent("helper\n");
        (folder, person, agent)
    }

    fn by(bank: &Bank, file: &str) -> Option<String> {
        let text = bank.read(file).expect("a memory").text;
        frontmatter::parse(&text).frontmatter.pattern_by
    }

    #[test]
    fn an_agent_only_proposes_patterns() {
        let (_folder, person, agent) = banks();
        agent.create_text(&id("a"), ACCEPTED).expect("created");
        assert_eq!(by(&person, "a.md").as_deref(), Some("helper"));
        // It can neither accept its own pattern nor claim that another one set it.
        agent.rewrite("a.md", ACCEPTED).expect("written");
        assert_eq!(by(&person, "a.md").as_deref(), Some("helper"));
        let other = ACCEPTED.replace("type: rule", "type: rule\npattern_by: me");
        agent.rewrite("a.md", &other).expect("written");
        assert_eq!(by(&person, "a.md").as_deref(), Some("helper"));
        agent
            .rewrite("a.md", &ACCEPTED.replace("push -f", "push"))
            .expect("its own");
        person.rewrite("a.md", ACCEPTED).expect("accepted");
        assert_eq!(by(&person, "a.md"), None);
        let changes = ImportChanges {
            created: vec![(id("b"), ACCEPTED.to_owned())],
            ..ImportChanges::default()
        };
        agent.import(&changes).expect("imported");
        assert_eq!(by(&person, "b.md").as_deref(), Some("helper"));
        agent.create_text(&id("c"), PLAIN).expect("created");
        assert_eq!(person.read("c.md").expect("a memory").text, PLAIN);
    }

    #[test]
    fn an_agent_does_not_change_what_a_person_accepted() {
        let (_folder, person, agent) = banks();
        person.create_text(&id("a"), ACCEPTED).expect("created");
        let import = |text: &str| {
            let changed = vec![("a.md".to_owned(), text.to_owned())];
            agent.import(&ImportChanges {
                changed,
                ..ImportChanges::default()
            })
        };
        for text in [
            PLAIN.to_owned(),
            ACCEPTED.replace("push -f", "push"),
            ACCEPTED.replace("command", "instead: x\ncommand"),
            ACCEPTED.replace("---\n\n", "pattern: x\n---\n\n"),
            ACCEPTED.replace("type: rule", "[broken"),
        ] {
            let error = agent.rewrite("a.md", &text).expect_err(&text);
            assert!(
                format!("{error:#}").contains("a person accepted"),
                "{error:#}"
            );
            import(&text).expect_err(&text);
        }
        agent
            .delete(&[("a.md", Anchors::new())], &Anchors::new())
            .expect_err("refused");
        assert_eq!(person.read("a.md").expect("a memory").text, ACCEPTED);
        // Its text is free.
        agent
            .rewrite("a.md", &ACCEPTED.replace("No force", "Never force"))
            .expect("written");
        assert_eq!(by(&person, "a.md"), None);
        person
            .delete(&[("a.md", Anchors::new())], &Anchors::new())
            .expect("deleted");
    }
}
