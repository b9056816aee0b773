//! The commands that a command line runs. Nothing is run, and no variable is expanded.
//!
//! The line is parsed with the grammar of the index. A part that cannot be read, or a program that is only known
//! when the line runs, is named, so that no answer pretends to cover it.

mod programs;
#[cfg(test)]
mod tests;
mod words;

use cerberus_engine::syntax::language;
use cerberus_engine::syntax::parse::tree;
use cerberus_model::Language;
use cerberus_model::text::shell::{is_assignment, program_name};
use tree_sitter::Node;

use self::programs::Run;
use self::words::UNKNOWN;

/// Maximum depth of commands in commands. Deeper ones are not read.
const MAX_DEPTH: usize = 16;

/// Maximum number of bytes of texts in commands that are read, together.
const MAX_REREAD: usize = 1024 * 1024;

/// Maximum number of bytes of a part that could not be read, as it is named.
const MAX_SHOWN: usize = 40;

/// The commands that a command line runs.
#[derive(Debug, Default)]
pub struct Commands {
    /// The words of each command. A command that runs another one (`sudo`, `bash -c`) comes before it. In a word, `$`
    /// is a value that is not known.
    pub commands: Vec<Vec<String>>,
    /// The programs and parts that are not known before the command line runs, or that could not be read.
    pub unread: Vec<String>,
    /// Number of bytes of texts in commands that were read.
    n_reread: usize,
}

/// Returns the commands of a command line, in their order: those between operators, in substitutions, after
/// programs such as `sudo` and `xargs`, and in the texts that a shell gets.
pub fn commands(line: &str) -> Commands {
    let mut found = Commands::default();
    found.read(line, 0);
    found
}

/// The input of a command, as far as it is known.
#[derive(Debug, Clone, Default)]
enum Input {
    /// Nothing is known to come: the terminal, or a file.
    #[default]
    None,
    /// The output of another program.
    Unknown,
    Text(String),
}

impl Input {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::None | Self::Unknown => None,
        }
    }
}

/// The words of a command, and its input.
#[derive(Debug, Default)]
struct Simple {
    words: Vec<String>,
    /// The number of words before each line break that the grammar reads as a part of the next word.
    line_breaks: Vec<usize>,
    input: Option<String>,
    /// The position after the last word in the line.
    end: usize,
}

impl Commands {
    /// Reads a line and adds its commands.
    fn read(&mut self, line: &str, depth: usize) {
        let tables = language::tables(Language::Shell);
        let Some(tree) = tables.and_then(|tables| tree(tables, line)) else {
            self.unread.push(shown(line));
            return;
        };
        let mut reader = Reader {
            found: self,
            line,
            depth,
            open: Vec::new(),
            stages: Vec::new(),
            last_output: Input::None,
            is_lost: false,
        };
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            reader.enter(node);
            if cursor.goto_first_child() {
                reader.open.push(node);
                continue;
            }
            reader.leave(node);
            while !cursor.goto_next_sibling() {
                let Some(parent) = reader.open.pop() else {
                    return;
                };
                cursor.goto_parent();
                reader.leave(parent);
            }
        }
    }

    /// Adds a command and everything that it runs.
    fn add(&mut self, words: &[String], input: &Input, depth: usize) {
        let n_settings = words.iter().take_while(|word| is_assignment(word)).count();
        let words = &words[n_settings..];
        let Some(program) = words.first() else { return };
        if program.contains(UNKNOWN) || depth == MAX_DEPTH {
            self.unread.push(shown(program));
            return;
        }
        self.commands.push(words.to_vec());
        let is_xargs = program_name(program) == "xargs";
        for run in programs::runs(words) {
            match run {
                Run::Command(mut words) => {
                    if is_xargs && let Input::Text(text) = input {
                        words.extend(text.split_whitespace().map(str::to_owned));
                    }
                    self.add(&words, input, depth + 1);
                }
                Run::Text(text) => self.add_text(program, &text, depth),
                Run::Input => match input {
                    Input::None => {}
                    Input::Unknown => self.unread.push(shown(program)),
                    Input::Text(text) => self.add_text(program, text, depth),
                },
            }
        }
    }

    /// Adds the commands of a text that a program runs.
    fn add_text(&mut self, program: &str, text: &str, depth: usize) {
        self.n_reread += text.len();
        if self.n_reread > MAX_REREAD || depth == MAX_DEPTH {
            self.unread.push(shown(program));
        } else {
            self.read(text, depth + 1);
        }
    }
}

/// Reads the syntax tree of a line.
struct Reader<'c, 't> {
    found: &'c mut Commands,
    line: &'t str,
    depth: usize,
    /// The ancestors of the node.
    open: Vec<Node<'t>>,
    /// For each open pipeline, the output of its last stage.
    stages: Vec<Input>,
    /// The output of the last command.
    last_output: Input,
    /// Whether the grammar read on at the wrong place.
    is_lost: bool,
}

impl<'t> Reader<'_, 't> {
    fn source(&self, node: Node<'t>) -> &'t str {
        &self.line[node.byte_range()]
    }

    fn parent(&self) -> Option<Node<'t>> {
        self.open.last().copied()
    }

    fn enter(&mut self, node: Node<'t>) {
        if node.is_error() || node.is_missing() {
            let around = self.parent().filter(|_| node.is_missing());
            let text = self.source(around.unwrap_or(node));
            self.found.unread.push(shown(text));
        }
        if node.kind() == "pipeline" {
            // A pipeline after the mark of a here-document continues the command before it.
            let continues = self
                .parent()
                .is_some_and(|parent| parent.kind() == "heredoc_redirect");
            let output = if continues {
                std::mem::take(&mut self.last_output)
            } else {
                Input::None
            };
            self.stages.push(output);
        }
    }

    fn leave(&mut self, node: Node<'t>) {
        match node.kind() {
            "command" => {
                let simple = self.simple(node);
                self.add(simple);
            }
            "redirected_statement" if node.child_by_field_name("body").is_none() => {
                let mut simple = Simple::default();
                self.add_redirections(node, &mut simple);
                self.add(simple);
            }
            "redirected_statement" => {
                let body = node.child_by_field_name("body");
                if body.is_some_and(|body| body.kind() != "command") {
                    self.leave_compound(node);
                }
            }
            "heredoc_body" => self.add_back_quoted(node),
            "heredoc_end" => self.check_end(node),
            "pipeline" => {
                self.stages.pop();
            }
            _ if node.is_named() => self.leave_compound(node),
            _ => {}
        }
    }

    /// The output of a stage that is not one command is not known.
    fn leave_compound(&mut self, node: Node<'t>) {
        let is_stage = self
            .parent()
            .is_some_and(|parent| parent.kind() == "pipeline");
        if is_stage
            && node.kind() != "comment"
            && let Some(stage) = self.stages.last_mut()
        {
            *stage = Input::Unknown;
        }
    }

    /// Adds a command that is read to its end.
    fn add(&mut self, simple: Simple) {
        if self.is_lost {
            return;
        }
        let mut ancestors = self.open.iter().rev().map(Node::kind);
        let mut parent = ancestors.next();
        if parent == Some("redirected_statement") {
            parent = ancestors.next();
        }
        let is_stage = parent == Some("pipeline");
        let before = if is_stage {
            self.stages.last().cloned()
        } else if self.stages.is_empty() {
            None
        } else {
            Some(Input::Unknown)
        };
        let input = match simple.input {
            Some(text) => Input::Text(text),
            None => before.unwrap_or_default(),
        };
        let mut start = 0;
        for end in simple.line_breaks {
            self.found
                .add(&simple.words[start..end], &Input::None, self.depth);
            start = end;
        }
        self.found.add(&simple.words[start..], &input, self.depth);
        let output = match programs::output(&simple.words, input.text()) {
            Some(text) => Input::Text(text),
            None => Input::Unknown,
        };
        if is_stage && let Some(stage) = self.stages.last_mut() {
            stage.clone_from(&output);
        }
        self.last_output = output;
    }

    /// Reads the words of a command, and its redirections, which may be around it.
    fn simple(&self, node: Node<'t>) -> Simple {
        let mut simple = Simple::default();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "variable_assignment" | "subshell" | "comment" => {}
                "file_redirect" => self.add_file_redirection(child, &mut simple),
                "herestring_redirect" => self.set_input(child, &mut simple),
                _ => self.add_word(child, &mut simple),
            }
        }
        if let Some(parent) = self.parent()
            && parent.kind() == "redirected_statement"
        {
            self.add_redirections(parent, &mut simple);
        }
        simple
    }

    /// Reads the redirections of a statement. The grammar counts the arguments after one to it.
    fn add_redirections(&self, statement: Node<'t>, simple: &mut Simple) {
        let mut cursor = statement.walk();
        for child in statement.children(&mut cursor) {
            match child.kind() {
                "file_redirect" => self.add_file_redirection(child, simple),
                "herestring_redirect" => self.set_input(child, simple),
                "heredoc_redirect" => self.add_here_document(child, simple),
                _ => {}
            }
        }
    }

    fn add_file_redirection(&self, redirection: Node<'t>, simple: &mut Simple) {
        let mut cursor = redirection.walk();
        let mut is_target = true;
        for child in redirection.children(&mut cursor) {
            match child.kind() {
                "file_descriptor" => {}
                "<&-" | ">&-" => is_target = false,
                _ if !child.is_named() => {}
                _ if is_target => is_target = false,
                _ => self.add_word(child, simple),
            }
        }
    }

    fn add_here_document(&self, redirection: Node<'t>, simple: &mut Simple) {
        let mut cursor = redirection.walk();
        let mut children = redirection.children(&mut cursor);
        let mut is_argument = false;
        for child in children.by_ref() {
            match child.kind() {
                "heredoc_start" => is_argument = true,
                "heredoc_body" => simple.input = Some(self.source(child).to_owned()),
                "heredoc_end" | "pipeline" => is_argument = false,
                "file_redirect" => self.add_file_redirection(child, simple),
                "herestring_redirect" => self.set_input(child, simple),
                "&&" | "||" => is_argument = false,
                _ if is_argument && child.is_named() => self.add_word(child, simple),
                _ => {}
            }
        }
    }

    fn set_input(&self, redirection: Node<'t>, simple: &mut Simple) {
        let mut cursor = redirection.walk();
        if let Some(text) = redirection.named_children(&mut cursor).last() {
            simple.input = Some(words::value(text, self.line));
        }
    }

    fn add_word(&self, node: Node<'t>, simple: &mut Simple) {
        let gap = self.line.get(simple.end..node.start_byte());
        let gap = gap.unwrap_or_default();
        if self.source(node).starts_with('\n') {
            simple.line_breaks.push(simple.words.len());
        }
        match simple.words.last_mut() {
            Some(word) if gap == "\\\n" => word.push_str(&words::value(node, self.line)),
            _ => words::add(node, self.line, &mut simple.words),
        }
        simple.end = node.end_byte();
    }

    /// Tabs before the end of a here-document are allowed after `<<-` only. The grammar always allows them.
    fn check_end(&mut self, end: Node<'t>) {
        let Some(redirection) = self.parent() else {
            return;
        };
        let has_tabs =
            self.line[..end.start_byte()].ends_with('\t') || self.source(end).starts_with('\t');
        if has_tabs && !self.source(redirection).starts_with("<<-") {
            self.found.unread.push(shown(self.source(redirection)));
            self.is_lost = true;
        }
    }

    /// Adds the substitutions in back quotes of a here-document, which the grammar reads as text.
    fn add_back_quoted(&mut self, body: Node<'t>) {
        let text = self.source(body);
        let mark = self.parent().and_then(|parent| {
            let mut cursor = parent.walk();
            let mut children = parent.children(&mut cursor);
            children.find(|child| child.kind() == "heredoc_start")
        });
        let is_quoted = mark.is_some_and(|mark| self.source(mark).contains(['\'', '"', '\\']));
        if is_quoted {
            return;
        }
        for (idx, quoted) in text.split('`').enumerate() {
            if idx % 2 == 1 {
                self.found.add_text(quoted, quoted, self.depth);
            }
        }
    }
}

/// Returns a part of a line that was not read, as it is named.
fn shown(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    let mut end = first.len().min(MAX_SHOWN);
    while !first.is_char_boundary(end) {
        end -= 1;
    }
    first[..end].to_owned()
}
