"""Runs real agents against a fake model and checks in the recorded requests which rules reach the model, and how often.

usage: run.py CERBERUS FOLDER [AGENT...]

FOLDER is `node_modules/.bin` of the folder in which npm installed the agents; an agent that is not there is skipped with a
message. Each agent runs without a terminal in a project with the settings of `cerberus setup`, in a network namespace that has only
loopback (`unshare --net`, which needs root). The model is a server in this process (model.py) that answers with fixed steps.
Each rule has a marker word. The requests repeat the history, so the last request of a conversation has the marker as
often as the rule arrived, and the first request that has it says when.

Then `check --with` is run with each agent (readers.py): with a provider on loopback in the configuration of its user, to which the code must
go, and without one. No tool, server or hook of the user may run, and a failure must show its cause.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import readers
from clients import CLIENTS
from model import Model

TASK = "MAINTASK Add a function to the shop that formats the invoice number of an order with leading zeros"
SUBTASK = "SUBTASK Wait"
OLD = "    return -total(payment)"

# The rules with their markers, their paths and their examples. A rule with paths does not come at the start of a session.
RULES = [
    ("RULEEVERY", "Always write plain English in every message", None, None),
    ("RULETASK", "Format the invoice number of an order with leading zeros", "shop/invoice.py", "format_number"),
    ("RULEEDIT", "Round a refund with `round_price`", "lib/pay.py", "refund"),
    ("RULESHELL", "Translate a greeting with `translated`", "lib/greet.py", "greet"),
    ("RULEPATCH", "Parse a date with `parse_utc`", "lib/dates.py", "parse"),
    ("RULESTOP", "Never call print", "lib/report.py", None),
    # Its command is denied in its folder.
    ("RULEDENY", "Never create a file with touch", "lib/new.py", None),
]
PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
# An agent, the agents for which the project is set up, and more arguments.
CASES = [(name, [name], []) for name in CLIENTS] + [
    # It also runs the hooks of Claude Code.
    ("copilot", ["copilot", "claude"], []),
    ("claude", ["claude"], ["--plugin-dir", str(PLUGINS / "claude")]),
    ("copilot", [], ["--plugin-dir", str(PLUGINS / "agent-plugins")]),
]
# The first and the last line of each text of cerberus.
START, END = "<cerberus-memory> Data of this project", "</cerberus-memory>"

# Further rules for the task, with which the answer to the prompt is as long as it may be.
N_FILLERS = 80
FILLER = "as the tax office expects it in a file of this kind, and the same in its header, its index and its name"
PATTERN = "pattern: |\n  language: Python\n  rule:\n    pattern: print($$$)\n"
DENIED = "command: [touch]\ninstead: an edit\n"
FILES = {
    "lib/pay.py": f"import decimal\n\n\ndef total(items):\n    return sum(map(decimal.Decimal, items))\n\n\ndef refund(payment):\n{OLD}\n",
    "shop/invoice.py": "def format_number(order):\n    return str(order.number).zfill(8)\n",
    "lib/greet.py": "def greet(name):\n    return 'hello ' + name\n",
    "lib/dates.py": "def parse(text):\n    return text\n",
    "lib/report.py": "def report(rows):\n    return rows\n",
}


def make_project(folder, cerberus, agents):
    def run(*command):
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)

    def commit(message):
        run("git", "add", "-A")
        run("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", message)

    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    run("git", "init", "-q")
    commit("Code")
    run(cerberus, "memory", "init")
    for marker, text, path, symbol in RULES:
        paths = ["--path", path] if path else []
        example = ["--to", f"{path}::{symbol}"] if symbol else ["--no-anchor"]
        run(cerberus, "memory", "add", f"{marker} {text}", "--id", marker.lower(), *paths, *example)
    for number in range(N_FILLERS):
        text = f"Format the invoice number of an order in export {number} of the shop with leading zeros, {FILLER}"
        (folder / f".memories/filler-{number}.md").write_text(f"---\npaths: [shop/invoice.py]\n---\n{text}\n")
    run(cerberus, "memory", "pin", "add", "RULEPIN Keep answers short")
    for name, keys in (("rulestop", PATTERN), ("ruledeny", DENIED)):
        rule = folder / f".memories/{name}.md"
        head, body = rule.read_text()[4:].split("---\n", 1)
        rule.write_text(f"---\n{head}{keys}---\n{body}")
    for agent in agents:
        run(cerberus, "setup", agent, "--yes")
    commit("Rules")
    # A broken rule from before the session, which no edit of the session reports.
    report = folder / "lib/report.py"
    report.write_text("def report(rows):\n    print(rows)\n    return rows\n")
    os.utime(report, (time.time() - 3600,) * 2)


def steps(client, project):
    """Returns the steps of the main conversation, by name, and those of the subagent."""
    new = "    return -round_price(total(payment))"
    greet = "sed -i s/hello/translated/ lib/greet.py"
    main = [
        ("read", client.read(project / "lib/pay.py")),
        ("edit", client.edit(project, "lib/pay.py", OLD, new)),
        ("edit again", client.edit(project, "lib/pay.py", new, f"{new}  # round_price")),
        ("denied", client.shell("cd lib && touch denied.py")),
        ("shell", client.shell(greet)),
        ("shell again", {"full": client.compacts, **client.shell(greet.replace("hello", "name"))}),
        ("edit later", client.edit(project, "lib/pay.py", f"{new}  # round_price", f"{new}  # round_price again")),
    ]
    if client.patches_by_shell:
        patch = "*** Begin Patch\n*** Update File: lib/dates.py\n@@\n-    return text\n+    return parse_utc(text)\n*** End Patch\n"
        # Before the compaction, and so before the start of the subagent.
        main.insert(4, ("patch", client.shell(f"apply_patch <<'EOF'\n{patch}EOF")))
    if client.spawn:
        main.extend(("subagent", step) for step in client.spawn(SUBTASK))
    main += [("stop", {"text": "All done."}), ("second stop", {"text": "All done again."})]
    sub = [client.shell("sed -i s/total/round_price/ lib/pay.py"), {"text": "Sub done."}]
    return main, sub


def run_agent(client, args, setups, more):
    """Runs an agent and returns the recorded requests and the names of the steps."""
    folder = Path(tempfile.mkdtemp(prefix=f"agents-{client.binary}-"))
    project, home, bin_folder = folder / "project", folder / "home", folder / "bin"
    for new in (project, home, bin_folder):
        new.mkdir()
    (bin_folder / "cerberus").symlink_to(args.cerberus.resolve())
    os.environ.update({"HOME": str(home), "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"})
    make_project(project, bin_folder / "cerberus", setups)
    main, sub = steps(client, project)
    model = Model([step for _, step in main], sub)
    folders = {f"XDG_{kind}_HOME": str(home / f".{kind.lower()}") for kind in ("CACHE", "DATA", "STATE")}
    env = {
        "HOME": str(home), "TERM": "dumb", "XDG_CONFIG_HOME": str(home / ".config"), **folders, **client.env(home, model.url),
        "PATH": f"{bin_folder}:{args.clients.resolve()}:{os.environ['PATH']}",
    }
    command = [str(args.clients.resolve() / client.binary), *client.args(TASK), *more]
    with (folder / "output.txt").open("wb") as output:
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(command, cwd=project, env=env, timeout=300, check=False, **streams)
    model.close()
    (folder / "requests.json").write_text(json.dumps(model.requests, indent=1))
    return folder, model.requests, [name for name, _ in main]


def expected(client):
    """Returns for each conversation and marker the moment at which the rule arrives."""
    rules = {"RULEPIN": "start", "RULEEVERY": "start", "RULETASK": "start", "RULEEDIT": "edit", "RULEDENY": "denied", "RULESHELL": "shell"}
    rules |= {"RULEPATCH": "patch"} if client.patches_by_shell else {}
    rules |= {"RULESTOP": "stop"} if client.has_stop else {}
    table = {("main", marker): moment for marker, moment in rules.items()}
    if client.compacts:
        table.pop(("main", "RULESTOP"), None)
        again = {"RULEPIN": "start", "RULEEVERY": "start", "RULEEDIT": "edit later"}
        again |= {"RULESTOP": "stop"} if client.has_stop else {}
        table |= {("compacted", marker): moment for marker, moment in again.items()}
    if client.spawn:
        table |= {("sub", "RULEPIN"): "start", ("sub", "RULEEVERY"): "start", ("sub", "RULEEDIT"): "step 1"}
    return table


def arrival(texts, names, marker):
    """Returns the step before the first request with a marker, and how often the last request has it."""
    number = next((number for number, text in enumerate(texts) if marker in text), None)
    if number is None:
        return "never", 0
    step = names[number - 1] if number <= len(names) else "the end"
    return "start" if number == 0 else step, texts[-1].count(marker)


def check(client, requests, names, project):
    """Prints a row of the table for each rule, and returns the number of failures."""
    failures = 0
    n_steps = len(names) - (not client.has_stop)
    n_requests = len(requests["main"])
    names = {"main": names, "sub": ["step 1", "step 2"]}
    if client.compacts:
        start = names["main"].index("shell again") + 1
        names["compacted"] = names["main"][start:]
        requests["main"], requests["compacted"] = requests["main"][:start], requests["main"][start:]
    for (conversation, marker), moment in expected(client).items():
        found = arrival(requests[conversation], names[conversation], marker)
        is_right = found == (moment, 1)
        failures += not is_right
        note = "" if is_right else f"   EXPECTED {moment}, 1 time"
        print(f"    {conversation:9} {marker:9} {found[0]:10} {found[1]} time(s){note}")
    given = {(name, marker) for name in names for text in requests[name][-1:] for marker in re.findall("RULE[A-Z]+", text)}
    others = given - set(expected(client))
    texts = [text.replace("&lt;", "<") for conversation in names for text in requests[conversation][-1:]]
    for holds, problem in (
        (not others, f"rules at no moment: {sorted(others)}"),
        (n_requests == n_steps, f"{n_requests} requests for {n_steps} steps"),
        (not (project / "lib/denied.py").exists(), "the denied command ran"),
        (all(text.count(START) == text.count(END) for text in texts), "a text of cerberus is cut"),
    ):
        if not holds:
            failures += 1
            print(f"    FAILED: {problem}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cerberus", type=Path)
    parser.add_argument("clients", type=Path, help="the folder node_modules/.bin")
    parser.add_argument("agents", nargs="*", help=", ".join(CLIENTS))
    args = parser.parse_args()
    interfaces = [line.split(":")[0].strip() for line in Path("/proc/net/dev").read_text().splitlines()[2:]]
    if interfaces != ["lo"]:
        os.execvp("unshare", ["unshare", "--net", "--mount", sys.executable, *sys.argv])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    resolver = Path(tempfile.mkstemp(prefix="agents-resolver-")[1])
    resolver.write_text("nameserver 127.0.0.1\n")
    subprocess.run(["mount", "--bind", resolver, "/etc/resolv.conf"], check=True)
    readers.Resolver()
    args.door = readers.Door()
    failures = 0
    for name, setups, more in CASES:
        client = CLIENTS[name]
        if args.agents and name not in args.agents:
            continue
        if not (args.clients / client.binary).exists():
            print(f"{name} is not installed: skipped")
            continue
        folder, requests, names = run_agent(client, args, setups, more)
        print(f"{name}, set up for {' and '.join(setups) or 'nothing'} {' '.join(more)} (recorded in {folder})", flush=True)
        n_failures = check(client, requests, names, folder / "project")
        failures += n_failures
        if not n_failures:
            shutil.rmtree(folder)
    for name, client in CLIENTS.items():
        is_named = not args.agents or name in args.agents
        if is_named and client.is_reader and (args.clients / client.binary).exists():
            failures += readers.check(client, args)
    resolver.unlink()
    sys.exit(f"{failures} failures" if failures else 0)


if __name__ == "__main__":
    main()
