#!/usr/bin/env python3
"""Measure which rules an agent is given before its edits, on the commits of edits.jsonl.

usage: edits.py MIRROR [--bin cerberus] [--importer cerberus] [--keep FOLDER] [--repository NAME] [--lines] [--examples FILE]

MIRROR has one git directory for each repository: MIRROR/<owner>+<name>/repo. The tree of the commit `base` is copied and its rule
files are imported with examples. Each hunk of the commit is then sent to `cerberus hooks run claude edit` as an edit, all in one
session. --keep stores the trees with their banks, to import them once. --lines prints one line for each commit, --examples writes
the given examples with the edit, to read them.

The rules of a commit were judged from its difference before the hook was run: `direct` ones are about something that it writes,
in the listed files, `general` ones hold for it as for nearly any change, `work` ones are about what is to be run or updated.
A rule is named by the start of its text.

Prints how many of the edits are answered, how many rules are given, the shares of them that are direct, and direct or general, the share of
the direct rules that are given, and how many of the given examples are under a direct or general rule. Uses the standard library
only. The last line is one JSON object.
"""
import argparse, collections, json, os, re, shutil, subprocess, sys, tempfile

from replay import run
from trial import memories, plain, prepare

HERE = os.path.dirname(os.path.abspath(__file__))
MAX_HUNKS = 40


def hunks(git_dir, commit):
    """Yields the path, the old and the new text of each hunk that adds a line."""
    diff = run("git", f"--git-dir={git_dir}", "diff", "-U3", "--no-renames", f"{commit}^", commit).stdout.decode(errors="replace")
    for part in re.split(r"(?m)^diff --git .*$", diff)[1:]:
        path = re.search(r"(?m)^\+\+\+ b/(.*)$", part)
        for hunk in re.split(r"(?m)^@@.*$", part)[1:] if path else []:
            lines = hunk.split("\n")
            side = lambda marks: "\n".join(line[1:] for line in lines if line[:1] and line[0] in marks)
            if any(line.startswith("+") for line in lines):
                yield path.group(1), side(" -"), side(" +")


def edit(binary, folder, session, path, old, new):
    """Returns the text that the hook answers with."""
    event = {"session_id": session, "cwd": folder, "hook_event_name": "PreToolUse", "tool_name": "Edit",
             "tool_input": {"file_path": os.path.join(folder, path), "old_string": old, "new_string": new}}
    done = subprocess.run([binary, "hooks", "run", "claude", "edit", "--project", folder], input=json.dumps(event).encode(), capture_output=True)
    if done.returncode != 0:
        sys.exit(done.stderr.decode())
    return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout.strip() else ""


def given(answer, rules):
    """Returns the rules of an answer, and whether each comes with its example."""
    # A rule starts in the first column, its example and its other lines do not.
    items = re.split(r"(?m)^- ", answer)[1:]
    for item in items:
        rule = max((rule for rule in rules if plain(rule["text"])[:60] in plain(item)), key=lambda rule: len(rule["text"]), default=None)
        if rule:
            yield rule, "\n  Example: " in item


def degree(task, rule, path):
    text = plain(rule["text"])
    for start, paths in task["direct"].items():
        if text.startswith(start):
            return "direct" if not paths or path in paths else "elsewhere"
    return next((kind for kind in ("general", "work") if any(map(text.startswith, task[kind]))), "other")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("mirror"); p.add_argument("--bin", default="cerberus"); p.add_argument("--importer"); p.add_argument("--keep")
    p.add_argument("--repository"); p.add_argument("--lines", action="store_true"); p.add_argument("--examples")
    a = p.parse_args()
    absolute = lambda name: shutil.which(name) or os.path.abspath(name)
    binary, importer = absolute(a.bin), absolute(a.importer or a.bin)
    total, shown = collections.Counter(), []
    with open(os.path.join(HERE, "edits.jsonl"), encoding="utf-8") as f:
        tasks = [json.loads(line) for line in f]
    with tempfile.TemporaryDirectory() as temporary:
        for task in tasks:
            if a.repository not in (None, task["repository"]):
                continue
            name = task["repository"].replace("/", "+")
            folder, git_dir = os.path.join(a.keep or temporary, name), os.path.join(a.mirror, name, "repo")
            prepare(importer, git_dir, task["base"], folder)
            rules, found = memories(binary, folder), collections.Counter()
            for path, old, new in list(hunks(git_dir, task["commit"]))[:MAX_HUNKS]:
                answer = edit(binary, folder, f"{os.getpid()} {task['commit']}", path, old, new)
                found["edits"] += 1
                found["answered"] += bool(answer)
                for rule, has_example in given(answer, rules):
                    kind = degree(task, rule, path)
                    found["rules"] += 1
                    found[kind] += 1
                    found["examples"] += has_example
                    found["under"] += has_example and kind in ("direct", "elsewhere", "general")
                    if has_example:
                        shown.append({"task": task["task"], "path": path, "new": new, "rule": rule["text"], "answer": answer, "degree": kind})
            if a.lines:
                print(f"{name[:32]:32} {task['task'][:48]:48} {dict(found)}")
            total += found
            total["wanted"] += len(task["direct"])
            total["commits"] += 1
    if a.examples:
        with open(a.examples, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(it) + "\n" for it in shown)
    direct = total["direct"] + total["elsewhere"]
    share = lambda part, whole: round(part / whole, 3) if whole else None
    print(json.dumps(dict(commits=total["commits"], edits=total["edits"], answered=total["answered"], rules=total["rules"],
                          direct=share(direct, total["rules"]), direct_or_general=share(direct + total["general"], total["rules"]),
                          recall=share(direct, total["wanted"]), examples=total["examples"], examples_under=total["under"])))


if __name__ == "__main__":
    main()
