//! `setup`.

use std::collections::BTreeMap;
use std::path::Path;

use expect_test::expect;

use crate::sandbox::Sandbox;

/// Returns the names of all agents: those of their files.
fn agents() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/agents");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let name = path.file_stem().and_then(|name| name.to_str());
            names.push(name.expect("a name").to_owned());
        }
    }
    assert!(names.len() > 10);
    names
}

#[test]
fn the_agents_of_the_project_are_set_up_after_a_diff_and_removed_again() {
    let sandbox = Sandbox::bank();
    sandbox.write("CLAUDE.md", "# Notes\n");
    sandbox.write(
        ".mcp.json",
        "{\n  // ours\n  \"mcpServers\": {\n    \"x\": { \"command\": \"y\" }\n  }\n}\n",
    );
    sandbox.commit("an agent");
    sandbox.session(expect![[r#"
        $ cerberus setup
        --- .mcp.json
        +++ .mcp.json
        @@ -3,3 +3,8 @@
           "mcpServers": {
        -    "x": { "command": "y" }
        +    "x": { "command": "y" },
        +    "cerberus": {
        +      "type": "stdio",
        +      "command": "cerberus",
        +      "args": ["mcp"]
        +    }
           }
        --- .claude/settings.json
        +++ .claude/settings.json
        @@ -0,0 +1,92 @@
        +{
        +  "hooks": {
        +    "SessionStart": [
        +      {
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude session-start || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "SubagentStart": [
        +      {
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude subagent-start || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "UserPromptSubmit": [
        +      {
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude prompt || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "PreToolUse": [
        +      {
        +        "matcher": "Edit|Write|MultiEdit|NotebookEdit",
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude edit || true",
        +            "timeout": 30
        +          }
        +        ]
        +      },
        +      {
        +        "matcher": "Bash",
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude command || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "PostToolUse": [
        +      {
        +        "matcher": "Edit|Write|MultiEdit|NotebookEdit",
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude after-edit || true",
        +            "timeout": 30
        +          }
        +        ]
        +      },
        +      {
        +        "matcher": "Bash",
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude after-command || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "Stop": [
        +      {
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude stop || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ]
        +  }
        +}
        --- stderr
        cerberus: nothing was written, because nobody can be asked
        hint: write without a question: add --yes
        [exit 2]

        $ cerberus setup --check
        --- .mcp.json
        +++ .mcp.json
        @@ -3,3 +3,8 @@
           "mcpServers": {
        -    "x": { "command": "y" }
        +    "x": { "command": "y" },
        +    "cerberus": {
        +      "type": "stdio",
        +      "command": "cerberus",
        +      "args": ["mcp"]
        +    }
           }
        --- .claude/settings.json
        +++ .claude/settings.json
        @@ -0,0 +1,92 @@
        +{
        +  "hooks": {
        +    "SessionStart": [
        +      {
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude session-start || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "SubagentStart": [
        +      {
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude subagent-start || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "UserPromptSubmit": [
        +      {
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude prompt || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "PreToolUse": [
        +      {
        +        "matcher": "Edit|Write|MultiEdit|NotebookEdit",
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude edit || true",
        +            "timeout": 30
        +          }
        +        ]
        +      },
        +      {
        +        "matcher": "Bash",
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude command || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "PostToolUse": [
        +      {
        +        "matcher": "Edit|Write|MultiEdit|NotebookEdit",
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude after-edit || true",
        +            "timeout": 30
        +          }
        +        ]
        +      },
        +      {
        +        "matcher": "Bash",
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude after-command || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "Stop": [
        +      {
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude stop || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ]
        +  }
        +}
        .mcp.json: not complete (claude)
        .claude/settings.json: missing (claude)
        [exit 1]

        $ cerberus setup --yes
        --- .mcp.json
        +++ .mcp.json
        @@ -3,3 +3,8 @@
           "mcpServers": {
        -    "x": { "command": "y" }
        +    "x": { "command": "y" },
        +    "cerberus": {
        +      "type": "stdio",
        +      "command": "cerberus",
        +      "args": ["mcp"]
        +    }
           }
        --- .claude/settings.json
        +++ .claude/settings.json
        @@ -0,0 +1,92 @@
        +{
        +  "hooks": {
        +    "SessionStart": [
        +      {
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude session-start || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "SubagentStart": [
        +      {
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude subagent-start || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "UserPromptSubmit": [
        +      {
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude prompt || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "PreToolUse": [
        +      {
        +        "matcher": "Edit|Write|MultiEdit|NotebookEdit",
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude edit || true",
        +            "timeout": 30
        +          }
        +        ]
        +      },
        +      {
        +        "matcher": "Bash",
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude command || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "PostToolUse": [
        +      {
        +        "matcher": "Edit|Write|MultiEdit|NotebookEdit",
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude after-edit || true",
        +            "timeout": 30
        +          }
        +        ]
        +      },
        +      {
        +        "matcher": "Bash",
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude after-command || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ],
        +    "Stop": [
        +      {
        +        "hooks": [
        +          {
        +            "type": "command",
        +            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude stop || true",
        +            "timeout": 30
        +          }
        +        ]
        +      }
        +    ]
        +  }
        +}
        updated .mcp.json (claude)
        created .claude/settings.json (claude)
        commit them: git add .mcp.json .claude/settings.json
        [exit 0]

        $ cerberus setup
        .mcp.json: up to date (claude)
        .claude/settings.json: up to date (claude)
        [exit 0]

        $ cerberus setup --check
        .mcp.json: up to date (claude)
        .claude/settings.json: up to date (claude)
        [exit 0]

        $ cerberus setup --remove --yes
        --- .mcp.json
        +++ .mcp.json
        @@ -3,8 +3,3 @@
           "mcpServers": {
        -    "x": { "command": "y" },
        -    "cerberus": {
        -      "type": "stdio",
        -      "command": "cerberus",
        -      "args": ["mcp"]
        -    }
        +    "x": { "command": "y" }
           }
        --- .claude/settings.json
        +++ .claude/settings.json
        @@ -1,92 +0,0 @@
        -{
        -  "hooks": {
        -    "SessionStart": [
        -      {
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude session-start || true",
        -            "timeout": 30
        -          }
        -        ]
        -      }
        -    ],
        -    "SubagentStart": [
        -      {
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude subagent-start || true",
        -            "timeout": 30
        -          }
        -        ]
        -      }
        -    ],
        -    "UserPromptSubmit": [
        -      {
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude prompt || true",
        -            "timeout": 30
        -          }
        -        ]
        -      }
        -    ],
        -    "PreToolUse": [
        -      {
        -        "matcher": "Edit|Write|MultiEdit|NotebookEdit",
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude edit || true",
        -            "timeout": 30
        -          }
        -        ]
        -      },
        -      {
        -        "matcher": "Bash",
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude command || true",
        -            "timeout": 30
        -          }
        -        ]
        -      }
        -    ],
        -    "PostToolUse": [
        -      {
        -        "matcher": "Edit|Write|MultiEdit|NotebookEdit",
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude after-edit || true",
        -            "timeout": 30
        -          }
        -        ]
        -      },
        -      {
        -        "matcher": "Bash",
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude after-command || true",
        -            "timeout": 30
        -          }
        -        ]
        -      }
        -    ],
        -    "Stop": [
        -      {
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude stop || true",
        -            "timeout": 30
        -          }
        -        ]
        -      }
        -    ]
        -  }
        -}
        updated .mcp.json (claude)
        removed .claude/settings.json (claude)
        [exit 0]

        $ cerberus setup --remove
        nothing to remove
        [exit 0]
    "#]]);
    assert_eq!(sandbox.git("status --porcelain"), "");
}

#[test]
fn a_project_without_an_agent_needs_a_name() {
    let sandbox = Sandbox::empty();
    sandbox.session(expect![[r#"
        $ cerberus setup
        --- stderr
        cerberus: this project has no files of an agent
        hint: name one: claude, codex, cursor, gemini, copilot, vscode, antigravity, opencode, qwen, cline, continue, aider, pi, droid, git
        hint: for example: cerberus setup claude
        [exit 2]

        $ cerberus setup zed
        --- stderr
        cerberus: invalid value `zed` for `[AGENT]...` [possible values: claude, codex, cursor, gemini, copilot, vscode, antigravity, opencode, qwen, cline, continue, aider, pi, droid, git]
        hint: see cerberus setup --help
        [exit 2]
    "#]]);
}

#[test]
fn a_file_that_git_ignores_is_not_to_be_committed() {
    let sandbox = Sandbox::empty();
    sandbox.write(".gitignore", ".mcp.json\n");
    let shown = sandbox.run("setup claude --yes").stdout();
    let expected = "commit them: git add .claude/settings.json\n\
        git ignores, so other clones do not have: .mcp.json\n";
    assert!(shown.contains(expected), "{shown}");
}

#[test]
fn what_is_written_for_every_agent_is_removed_to_the_byte() {
    let sandbox = Sandbox::empty();
    for (path, text) in [
        (
            ".claude/settings.json",
            "{\n  \"model\": \"m\", // why\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [] }\n    ]\n  }\n}\n",
        ),
        (
            ".codex/config.toml",
            "# mine\nmodel = \"m\" # why\n\n[mcp_servers.x]\ncommand = \"y\"\n",
        ),
        (
            ".cursor/hooks.json",
            "{\r\n    \"version\": 1,\r\n    \"hooks\": {\r\n        \"stop\": [\r\n            { \"command\": \"x\" }\r\n        ]\r\n    }\r\n}\r\n",
        ),
        (".gemini/settings.json", "{\n\t\"theme\": \"dark\"\n}"),
        (
            ".vscode/mcp.json",
            "{\n  \"inputs\": [],\n  \"servers\": {\n    \"x\": { \"url\": \"y\" }, // last\n  },\n}\n",
        ),
        (
            "opencode.jsonc",
            "/* top */\n{\n  \"mcp\": {\n    \"x\": { \"type\": \"local\" }\n  }\n}\n",
        ),
        (".git/hooks/pre-commit", "#!/bin/sh\n\nmake lint\n"),
    ] {
        sandbox.write(path, text);
    }
    let before = files(&sandbox);
    let all = agents().join(" ");
    assert_eq!(sandbox.run(&format!("setup {all} --check")).status(), 1);
    assert_eq!(files(&sandbox), before, "--check writes nothing");
    sandbox.ok(&format!("setup {all} --yes"));
    let written = files(&sandbox);
    assert_eq!(written.len(), 14, "{:?}", written.keys());
    for text in written.values() {
        assert!(text.contains("cerberus"), "{text}");
    }
    sandbox.ok(&format!("setup {all} --check"));
    sandbox.ok(&format!("setup {all} --yes"));
    assert_eq!(
        files(&sandbox),
        written,
        "running it twice has no further effect"
    );
    sandbox.ok("setup --remove --yes");
    assert_eq!(files(&sandbox), before);
    assert!(
        !sandbox.exists(".github") && !sandbox.exists(".opencode"),
        "no empty folder remains"
    );
}

/// Returns the texts of the settings files of all agents.
fn files(sandbox: &Sandbox) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for path in [
        ".mcp.json",
        ".claude/settings.json",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".cursor/mcp.json",
        ".cursor/hooks.json",
        ".gemini/settings.json",
        ".github/mcp.json",
        ".github/hooks/cerberus.json",
        ".vscode/mcp.json",
        ".agents/mcp_config.json",
        "opencode.json",
        "opencode.jsonc",
        ".opencode/plugins/cerberus.js",
        ".git/hooks/pre-commit",
    ] {
        if sandbox.exists(path) {
            found.insert(path.to_owned(), sandbox.read(path));
        }
    }
    found
}

#[test]
fn edited_entries_stay() {
    let sandbox = Sandbox::bank();
    sandbox.ok("setup claude cursor --yes");
    sandbox.edit(".mcp.json", "\"mcp\"", "\"mcp\", \"--tools\", \"core\"");
    sandbox.edit(
        ".cursor/hooks.json",
        "run cursor edit",
        "run cursor edit --json",
    );
    sandbox.commit("edited");
    sandbox.session(expect![[r#"
        $ cerberus setup claude cursor --check
        kept an edited entry in .mcp.json: { "type": "stdio", "command": "cerberus", "args": ["mcp", "--tools", "core"] }
        .claude/settings.json: up to date (claude)
        .cursor/mcp.json: up to date (cursor)
        kept an edited entry in .cursor/hooks.json: command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run cursor edit --json || true
        [exit 0]

        $ cerberus setup --remove --yes
        --- .claude/settings.json
        +++ .claude/settings.json
        @@ -1,92 +0,0 @@
        -{
        -  "hooks": {
        -    "SessionStart": [
        -      {
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude session-start || true",
        -            "timeout": 30
        -          }
        -        ]
        -      }
        -    ],
        -    "SubagentStart": [
        -      {
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude subagent-start || true",
        -            "timeout": 30
        -          }
        -        ]
        -      }
        -    ],
        -    "UserPromptSubmit": [
        -      {
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude prompt || true",
        -            "timeout": 30
        -          }
        -        ]
        -      }
        -    ],
        -    "PreToolUse": [
        -      {
        -        "matcher": "Edit|Write|MultiEdit|NotebookEdit",
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude edit || true",
        -            "timeout": 30
        -          }
        -        ]
        -      },
        -      {
        -        "matcher": "Bash",
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude command || true",
        -            "timeout": 30
        -          }
        -        ]
        -      }
        -    ],
        -    "PostToolUse": [
        -      {
        -        "matcher": "Edit|Write|MultiEdit|NotebookEdit",
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude after-edit || true",
        -            "timeout": 30
        -          }
        -        ]
        -      },
        -      {
        -        "matcher": "Bash",
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude after-command || true",
        -            "timeout": 30
        -          }
        -        ]
        -      }
        -    ],
        -    "Stop": [
        -      {
        -        "hooks": [
        -          {
        -            "type": "command",
        -            "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude stop || true",
        -            "timeout": 30
        -          }
        -        ]
        -      }
        -    ]
        -  }
        -}
        --- .cursor/mcp.json
        +++ .cursor/mcp.json
        @@ -1,9 +0,0 @@
        -{
        -  "mcpServers": {
        -    "cerberus": {
        -      "type": "stdio",
        -      "command": "cerberus",
        -      "args": ["mcp"]
        -    }
        -  }
        -}
        --- .cursor/hooks.json
        +++ .cursor/hooks.json
        @@ -3,12 +3,2 @@
           "hooks": {
        -    "sessionStart": [
        -      {
        -        "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run cursor session-start || true"
        -      }
        -    ],
        -    "beforeShellExecution": [
        -      {
        -        "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run cursor command || true"
        -      }
        -    ],
             "postToolUse": [
        kept an edited entry in .mcp.json: { "type": "stdio", "command": "cerberus", "args": ["mcp", "--tools", "core"] }
        kept an edited entry in .cursor/hooks.json: command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run cursor edit --json || true
        removed .claude/settings.json (claude)
        removed .cursor/mcp.json (cursor)
        updated .cursor/hooks.json (cursor)
        [exit 0]
    "#]]);
    assert!(sandbox.read(".mcp.json").contains("core") && !sandbox.exists(".cursor/mcp.json"));
    assert!(sandbox.read(".cursor/hooks.json").contains("--json"));
}

#[test]
fn one_file_that_cannot_be_edited_stops_all() {
    let sandbox = Sandbox::empty();
    sandbox.write(".gemini/settings.json", "{ \"a\": ");
    sandbox.write(".codex/config.toml", "mcp_servers = 1\n");
    sandbox.session(expect![[r#"
        $ cerberus setup claude gemini --yes
        --- stderr
        cerberus: failed to edit `.gemini/settings.json`: it is not valid JSON: Expected value after colon in object property on line 1 column 8
        hint: fix the file, and run the command again; nothing was written
        [exit 2]

        $ cerberus setup claude codex --yes
        --- stderr
        cerberus: failed to edit `.codex/config.toml`: its `mcp_servers` has no place for a table
        hint: fix the file, and run the command again; nothing was written
        [exit 2]
    "#]]);
    assert_eq!(
        sandbox.git("status --porcelain"),
        "?? .codex/\n?? .gemini/\n"
    );
}

#[cfg(unix)]
#[test]
fn links_out_of_the_project_are_refused() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::empty();
    let outside = sandbox.path("../outside");
    std::fs::create_dir(&outside).expect("created");
    std::fs::write(outside.join("mcp.json"), "{}").expect("written");
    symlink(&outside, sandbox.path(".claude")).expect("a link");
    symlink(&outside, sandbox.path(".github")).expect("a link");
    symlink(outside.join("mcp.json"), sandbox.path(".mcp.json")).expect("a link");
    symlink("nowhere", sandbox.path(".codex")).expect("a link");
    for agent in ["claude", "copilot", "codex"] {
        for flag in ["--yes", "--remove --yes", "--check"] {
            let outcome = sandbox.run(&format!("setup {agent} {flag}"));
            assert_eq!(outcome.status(), 2, "{}", outcome.text());
        }
    }
    let left: Vec<_> = std::fs::read_dir(&outside).expect("a folder").collect();
    assert_eq!(left.len(), 1, "nothing was created outside");
    assert_eq!(
        std::fs::read_to_string(outside.join("mcp.json")).expect("a file"),
        "{}"
    );
}

#[cfg(unix)]
#[test]
fn a_failed_write_restores_the_files_before() {
    use std::os::unix::fs::PermissionsExt;
    let Some(sandbox) = Sandbox::empty().unprivileged() else {
        return;
    };
    sandbox.write(".mcp.json", "{\"a\": 1}\n");
    sandbox.write(".gemini/x", "");
    let folder = sandbox.path(".gemini");
    let set = |mode| std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode));
    set(0o555).expect("changed");
    let outcome = sandbox.run("setup claude gemini --yes");
    set(0o755).expect("changed");
    assert_eq!(outcome.status(), 3, "{}", outcome.text());
    assert_eq!(sandbox.read(".mcp.json"), "{\"a\": 1}\n");
    assert!(!sandbox.exists(".claude"), "{}", outcome.text());
}

#[cfg(unix)]
#[test]
fn hooks_are_silent_without_cerberus() {
    let sandbox = Sandbox::empty();
    sandbox.ok(&format!("setup {} --yes", agents().join(" ")));
    let mut n_commands = 0;
    for path in [
        ".claude/settings.json",
        ".codex/hooks.json",
        ".cursor/hooks.json",
        ".gemini/settings.json",
        ".github/hooks/cerberus.json",
    ] {
        let settings: serde_json::Value = serde_json::from_str(&sandbox.read(path)).expect("JSON");
        for command in commands(&settings) {
            n_commands += 1;
            check_silent(&sandbox, &command);
        }
    }
    assert_eq!(n_commands, 32);
    check_silent(&sandbox, &sandbox.read(".git/hooks/pre-commit"));
}

/// Runs a script where only the tools of the system are on `PATH`.
#[cfg(unix)]
fn check_silent(sandbox: &Sandbox, script: &str) {
    assert!(!Path::new("/usr/bin/cerberus").exists() && !Path::new("/bin/cerberus").exists());
    let output = sandbox
        .shell(script)
        .env("PATH", "/usr/bin:/bin")
        .output()
        .expect("it runs");
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
}

/// Returns all commands of hooks in settings.
#[cfg(unix)]
fn commands(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::Array(items) => items.iter().flat_map(commands).collect(),
        serde_json::Value::Object(map) => map
            .iter()
            .flat_map(|(key, value)| match (key.as_str(), value.as_str()) {
                ("command" | "bash", Some(text)) if text.contains("hooks run") => {
                    vec![text.to_owned()]
                }
                _ => commands(value),
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_linked_worktree_has_the_hooks_of_its_repository() {
    let sandbox = Sandbox::bank();
    sandbox.commit("all");
    sandbox.git("worktree add -q ../linked");
    let linked = sandbox.beside("linked");
    linked.ok("setup git --yes");
    assert!(
        sandbox
            .read(".git/hooks/pre-commit")
            .contains("hooks run git commit")
    );
    linked.ok("setup git --check");
    linked.ok("setup --remove --yes");
    assert!(!sandbox.exists(".git/hooks/pre-commit"));
}

#[test]
fn hooks_of_git_outside_of_the_project_are_not_changed() {
    let sandbox = Sandbox::bank();
    std::fs::create_dir(sandbox.path("../hooks")).expect("a new folder");
    sandbox.git("config core.hooksPath ../hooks");
    let outcome = sandbox.run("setup git --yes");
    assert_eq!(outcome.status(), 2);
    let text = outcome.text();
    assert!(
        text.contains("`core.hooksPath` of git names its folder"),
        "{text}"
    );
    assert!(
        text.contains("hint: add the lines of `cerberus hooks print git`"),
        "{text}"
    );
    sandbox.ok("setup claude --yes");
    sandbox.ok("setup --remove --yes");
    assert!(!sandbox.exists(".mcp.json") && !sandbox.exists("../hooks/pre-commit"));
}
