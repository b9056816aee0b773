"""Compares the hits of exported patterns with those of the real ast-grep.

usage: compare.py CERBERUS AST_GREP CLONE     (a clone with a bank that has patterns)

Puts `sgconfig.yml` and a folder of rules into the clone, and removes them. ast-grep reports every match,
cerberus one per line; lines are compared.
"""
import json
import os
import shutil
import subprocess
import sys


def main():
    cerberus, ast_grep, folder = sys.argv[1:4]
    env = {**os.environ, "XDG_STATE_HOME": os.path.abspath(folder) + "/.git/state"}
    run = lambda *args: subprocess.run(args, cwd=folder, env=env, capture_output=True, text=True)
    memories = json.loads(run(cerberus, "--json", "memory", "report").stdout)["memories"]
    ids = [m["id"] for m in memories if (m.get("pattern") or {}).get("pattern")]
    found = json.loads(run(cerberus, "--json", "memory", "review-diff", "--all").stdout)["findings"]
    config, rules = f"{folder}/sgconfig.yml", f"{folder}/.compared-rules"
    equal = different = 0
    for id in ids:
        shutil.rmtree(rules, ignore_errors=True)
        os.mkdir(rules)
        open(config, "w").write("ruleDirs: [.compared-rules]\n")
        open(f"{rules}/rule.yml", "w").write(run(cerberus, "memory", "pattern", id, "--format", "ast-grep").stdout)
        scan = run(ast_grep, "scan", "--json=stream").stdout.splitlines()
        theirs = {(hit["file"], hit["range"]["start"]["line"] + 1) for hit in map(json.loads, scan)}
        ours = {(hit["file"], hit["line"]) for hit in found if hit["id"] == id}
        equal += len(ours & theirs)
        different += len(ours ^ theirs)
        print(id, len(ours), len(theirs), sorted(ours ^ theirs)[:3])
    shutil.rmtree(rules, ignore_errors=True)
    if os.path.exists(config):
        os.remove(config)
    print("equal", equal, "different", different)


main()
