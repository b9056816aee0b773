"""How each agent is run without a terminal, and the calls of its tools."""

import json
from pathlib import Path


class Client:
    """`args` and `env` run the agent; the other methods return the calls of its tools."""

    spawn = None
    patches_by_shell = False
    has_stop = True
    compacts = False
    # Whether `--with` can start it.
    is_reader = True
    # To which hosts `--with` sends with a login only. Without any, it is refused.
    hosts = frozenset()

    def env(self, home, url):
        return {}

    def login(self, home):
        """Returns the environment of a user with a login and no further configuration."""
        return {}

    def add_tools(self, home, marker):
        """Adds tools and hooks to the configuration of a user, which write files whose names start with `marker`."""

    def shell(self, command):
        return {"tool": "bash", "input": {"command": command, "description": "a command"}}


class Claude(Client):
    binary = "claude"
    compacts = True
    hosts = frozenset({"api.anthropic.com"})

    def args(self, prompt):
        return ["-p", prompt, "--dangerously-skip-permissions"]

    def env(self, home, url):
        return {
            "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-fake-000", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            # Root may skip the permissions only in a sandbox.
            "IS_SANDBOX": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
        }

    def login(self, home):
        return {
            "ANTHROPIC_API_KEY": "sk-ant-fake-000", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
        }

    def add_tools(self, home, marker):
        hook = {"hooks": [{"type": "command", "command": f"touch {marker}-hook"}]}
        hooks = {"SessionStart": [hook], "UserPromptSubmit": [hook], "Stop": [hook]}
        (home / ".claude").mkdir(exist_ok=True)
        (home / ".claude/settings.json").write_text(json.dumps({"hooks": hooks}))
        server = {"type": "stdio", "command": "touch", "args": [f"{marker}-server"]}
        (home / ".claude.json").write_text(json.dumps({"mcpServers": {"mark": server}}))

    def read(self, path):
        return {"tool": "Read", "input": {"file_path": str(path)}}

    def edit(self, project, file, old, new):
        return {"tool": "Edit", "input": {"file_path": str(project / file), "old_string": old, "new_string": new}}

    def shell(self, command):
        return {"tool": "Bash", "input": {"command": command, "description": "a command"}}

    def spawn(self, prompt):
        return [{"tool": "Agent", "input": {"description": "sub", "prompt": prompt, "subagent_type": "general-purpose", "run_in_background": False}}]


class Codex(Client):
    binary = "codex"
    compacts = True
    hosts = frozenset({"api.openai.com"})
    patches_by_shell = True

    def args(self, prompt):
        bypass = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
        return ["exec", "--json", *bypass, prompt]

    def env(self, home, url):
        settings = home / ".codex/config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(
            f"""
model = "gpt-5.5"
model_auto_compact_token_limit = 100000
model_provider = "fake"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects."{home.parent / "project"}"]
trust_level = "trusted"
"""
        )
        return {"FAKE_KEY": "x"}

    def login(self, home):
        (home / ".codex").mkdir()
        (home / ".codex/auth.json").write_text(json.dumps({"OPENAI_API_KEY": "sk-fake-000", "tokens": None, "last_refresh": None}))
        return {}

    def add_tools(self, home, marker):
        hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": f"touch {marker}-hook"}]}]}
        (home / ".codex/hooks.json").write_text(json.dumps({"hooks": hooks}))
        with (home / ".codex/config.toml").open("r+") as settings:
            text = settings.read()
            settings.seek(0)
            server = f'[mcp_servers.mark]\ncommand = "touch"\nargs = ["{marker}-server"]\n'
            settings.write(f'notify = ["touch", "{marker}-notify"]\n{text}\n{server}')

    def read(self, path):
        return self.shell(f"cat {path}")

    def edit(self, project, file, old, new):
        patch = f"*** Begin Patch\n*** Update File: {file}\n@@\n-{old}\n+{new}\n*** End Patch\n"
        return {"custom": "apply_patch", "text": patch}

    def shell(self, command):
        return {"tool": "exec_command", "input": {"cmd": command}}

    def spawn(self, prompt):
        spawn = {"tool": "spawn_agent", "namespace": "multi_agent_v1", "input": {"message": prompt}}
        # The session would end before the subagent.
        return [spawn, self.shell("sleep 3")]


class Copilot(Client):
    binary = "copilot"
    # It asks there for the host of its models.
    hosts = frozenset({"api.github.com"})

    def args(self, prompt):
        return ["-p", prompt, "--allow-all"]

    def env(self, home, url):
        return {
            "COPILOT_OFFLINE": "true", "COPILOT_ALLOW_ALL": "true", "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
            "COPILOT_PROVIDER_TYPE": "openai", "COPILOT_PROVIDER_API_KEY": "fake-key-000", "COPILOT_MODEL": "claude-sonnet-4.5",
            "COPILOT_AUTO_UPDATE": "false",
        }

    def login(self, home):
        return {"COPILOT_GITHUB_TOKEN": "github_pat_fake000", "COPILOT_AUTO_UPDATE": "false"}

    def add_tools(self, home, marker):
        (home / ".copilot").mkdir()
        server = {"type": "local", "command": "touch", "args": [f"{marker}-server"], "tools": ["*"]}
        (home / ".copilot/mcp-config.json").write_text(json.dumps({"mcpServers": {"mark": server}}))
        hooks = {"sessionStart": [{"type": "command", "bash": f"touch {marker}-hook"}]}
        (home / ".copilot/hooks").mkdir()
        (home / ".copilot/hooks/mark.json").write_text(json.dumps({"version": 1, "hooks": hooks}))

    def read(self, path):
        return {"tool": "view", "input": {"path": str(path)}}

    def edit(self, project, file, old, new):
        return {"tool": "edit", "input": {"path": str(project / file), "old_str": old, "new_str": new}}

    def spawn(self, prompt):
        task = {"description": "sub", "prompt": prompt, "agent_type": "general-purpose", "name": "sub1", "mode": "sync"}
        return [{"tool": "task", "input": task}]


class Gemini(Client):
    binary = "gemini"
    has_stop = False
    hosts = frozenset({"generativelanguage.googleapis.com"})

    def args(self, prompt):
        return ["-m", "gemini-2.5-flash", "--yolo", "-p", prompt]

    def env(self, home, url):
        settings = home / ".gemini/settings.json"
        settings.parent.mkdir(parents=True)
        auth = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
        quiet = {"privacy": {"usageStatisticsEnabled": False}, "general": {"disableAutoUpdate": True}}
        settings.write_text(json.dumps({"security": auth, **quiet}))
        return {"GEMINI_API_KEY": "fake", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}

    def login(self, home):
        self.env(home, "")
        return {"GEMINI_API_KEY": "fake"}

    def add_tools(self, home, marker):
        path = home / ".gemini/settings.json"
        settings = json.loads(path.read_text())
        settings["mcpServers"] = {"mark": {"command": "touch", "args": [f"{marker}-server"]}}
        settings["hooks"] = {"SessionStart": [{"hooks": [{"type": "command", "name": "mark", "command": f"touch {marker}-hook"}]}]}
        path.write_text(json.dumps(settings))

    def read(self, path):
        return {"tool": "read_file", "input": {"file_path": str(path)}}

    def edit(self, project, file, old, new):
        arguments = {"file_path": str(project / file), "instruction": "edit", "old_string": old, "new_string": new}
        return {"tool": "replace", "input": arguments}

    def shell(self, command):
        return {"tool": "run_shell_command", "input": {"command": command}}


class Opencode(Client):
    binary = "opencode"
    compacts = True
    has_stop = False

    def args(self, prompt):
        return ["run", prompt]

    def env(self, home, url):
        settings = home / ".config/opencode/opencode.json"
        settings.parent.mkdir(parents=True)
        model = {"name": "fake", "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}
        options = {"baseURL": f"{url}/v1", "apiKey": "x"}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": options, "models": {"fake-model": model}}
        names = {"model": "fake/fake-model", "small_model": "fake/fake-model"}
        settings.write_text(json.dumps({"autoupdate": False, "share": "disabled", **names, "provider": {"fake": provider}}))
        return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}

    def add_tools(self, home, marker):
        path = home / ".config/opencode/opencode.json"
        settings = json.loads(path.read_text())
        settings["mcp"] = {"mark": {"type": "local", "command": ["touch", f"{marker}-server"], "enabled": True}}
        path.write_text(json.dumps(settings))
        plugins = path.parent / "plugins"
        plugins.mkdir()
        (plugins / "mark.js").write_text(f'await Bun.write("{marker}-plugin", "x")\nexport const Mark = async () => ({{}})\n')

    def read(self, path):
        return {"tool": "read", "input": {"filePath": str(path)}}

    def edit(self, project, file, old, new):
        return {"tool": "edit", "input": {"filePath": str(project / file), "oldString": old, "newString": new}}

    def spawn(self, prompt):
        return [{"tool": "task", "input": {"description": "sub", "prompt": prompt, "subagent_type": "general"}}]


class Qwen(Client):
    binary = "qwen"
    is_reader = False

    def args(self, prompt):
        return ["--yolo", "-p", prompt]

    def env(self, home, url):
        settings = home / ".qwen/settings.json"
        settings.parent.mkdir(parents=True)
        auth = {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}}
        quiet = {"privacy": {"usageStatisticsEnabled": False}, "general": {"disableAutoUpdate": True}}
        settings.write_text(json.dumps({"security": auth, **quiet}))
        return {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "fake-model"}

    def read(self, path):
        return {"tool": "read_file", "input": {"file_path": str(path)}}

    def edit(self, project, file, old, new):
        return {"tool": "edit", "input": {"file_path": str(project / file), "old_string": old, "new_string": new}}

    def shell(self, command):
        # It edits the file itself in place of `sed -i`.
        command = command.replace("sed -i", "perl -pi -e")
        return {"tool": "run_shell_command", "input": {"command": command, "is_background": False}}


class Pi(Client):
    binary = "pi"
    is_reader = False
    has_stop = False

    def args(self, prompt):
        return ["-p", "--provider", "fake", "--model", "fake-model", prompt]

    def env(self, home, url):
        models = home / ".pi/agent/models.json"
        models.parent.mkdir(parents=True)
        provider = {"baseUrl": f"{url}/v1", "apiKey": "x", "api": "openai-completions", "models": [{"id": "fake-model"}]}
        models.write_text(json.dumps({"providers": {"fake": provider}}))
        return {}

    def read(self, path):
        return {"tool": "read", "input": {"path": str(path)}}

    def edit(self, project, file, old, new):
        return {"tool": "edit", "input": {"path": str(project / file), "edits": [{"oldText": old, "newText": new}]}}


CLIENTS = {client.binary: client for client in (Claude(), Codex(), Copilot(), Gemini(), Opencode(), Qwen(), Pi())}
