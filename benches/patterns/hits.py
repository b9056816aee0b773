"""Hits of derived patterns in whole repositories.

usage: hits.py CERBERUS OUT REPOSITORY...

Imports the rule documents of each repository (a clone; its .memories are replaced), derives patterns, and
writes one JSON line per hit to OUT: repository, commit, rule, file, line, code.
"""
import json
import os
import shutil
import subprocess
import sys


def main():
    cerberus, out = sys.argv[1:3]
    with open(out, "w") as file:
        for folder in sys.argv[3:]:
            env = {**os.environ, "XDG_STATE_HOME": folder + "/.git/state"}
            run = lambda *args: subprocess.run(args, cwd=folder, env=env, capture_output=True, text=True).stdout
            shutil.rmtree(folder + "/.memories", ignore_errors=True)
            run(cerberus, "memory", "init")
            run(cerberus, "memory", "import", "--no-anchor")
            commit = run("git", "rev-parse", "--short=12", "HEAD").strip()
            rules = json.loads(run(cerberus, "--json", "memory", "report"))["memories"]
            derived = [m["id"] for m in rules if (m.get("pattern") or {}).get("pattern")]
            found = json.loads(run(cerberus, "--json", "memory", "review-diff", "--all"))
            name = os.path.basename(folder.rstrip("/"))
            for hit in found["findings"]:
                row = {"repo": name, "commit": commit, "id": hit["id"], "rule": hit["message"]}
                file.write(json.dumps({**row, **{k: hit[k] for k in ("file", "line", "code")}}) + "\n")
            lines = found["summary"]["addedLines"]
            print(f"{name}: {len(rules)} rules, {len(derived)} derived, {len(found['findings'])} hits in {lines} lines")


main()
