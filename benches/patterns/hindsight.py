"""Checks historical commits against today's rules: how often they hit, and whether the lines were changed later.

usage: hindsight.py CERBERUS SCRATCH N_COMMITS OUT BANKS REPOSITORY...

The patterns of the bank of each repository (BANKS/NAME, a copy of a `.memories` folder) are run over N_COMMITS older
commits (evenly spread over the 2,000 before the newest 50 of the first-parent history).
A line that is hit counts as `gone` if it is not in the newest commit (git blame --reverse), and as `fixed` if, beside
that, the commit that removed it adds a line in the same hunk which the rule does not hit and which has a name of the
rule's text that the line lacked. The base rate is the share of all added lines of the files with a hit that are gone.
"""
import json
import os
import re
import shutil
import subprocess
import sys

EXTENSIONS = "py go rs java js jsx mjs cjs ts tsx mts".split()
NAME = re.compile(r"[A-Za-z_][\w]*")


def main():
    cerberus, scratch, wanted, out, banks = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
    with open(out, "a") as file:
        for source in sys.argv[6:]:
            name = os.path.basename(os.path.dirname(source)) if source.rstrip("/").endswith("/repo") else os.path.basename(source.rstrip("/"))
            folder = os.path.join(scratch, name)
            env = {**os.environ, "XDG_STATE_HOME": folder + "/.git/state", "XDG_CACHE_HOME": folder + "/.git/cache"}
            run = lambda *args: subprocess.run(args, cwd=folder, env=env, capture_output=True, text=True, errors="replace")
            if not os.path.exists(folder):
                subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", source, folder], check=True)
                run("git", "config", "core.sparseCheckout", "true")
                run("git", "config", "core.sparseCheckoutCone", "false")
                os.makedirs(folder + "/.git/info", exist_ok=True)
                wanted_files = [f"*.{it}\n" for it in EXTENSIONS + ["md", "mdc", "toml"]] + ["/.cursorrules\n", "/.windsurfrules\n"]
                open(folder + "/.git/info/sparse-checkout", "w").write("".join(wanted_files))
            newest = run("git", "rev-parse", "origin/HEAD").stdout.strip() or run("git", "rev-parse", "HEAD").stdout.strip()
            run("git", "checkout", "-q", "-f", "--detach", newest)
            shutil.rmtree(folder + "/.memories", ignore_errors=True)
            shutil.copytree(os.path.join(banks, name), folder + "/.memories")
            rules = {it["id"]: it for it in json.loads(run(cerberus, "--json", "memory", "report").stdout)["memories"]}
            n_patterns = sum(1 for it in rules.values() if (it.get("pattern") or {}).get("pattern"))
            history = run("git", "log", "--first-parent", "--format=%H", "-n", "2050", newest, "--", *[f"*.{it}" for it in EXTENSIONS]).stdout.split()[50:]
            step = max(1, len(history) // wanted)
            totals = {"lines": 0, "commits": 0, "hits": 0}
            for commit in reversed(history[::step][:wanted]):
                if run("git", "checkout", "-q", "-f", "--detach", commit).returncode:
                    continue
                result = run("timeout", "60", cerberus, "--json", "memory", "review-diff", commit + "^1")
                try:
                    report = json.loads(result.stdout)
                except ValueError:
                    continue
                totals["commits"] += 1
                totals["lines"] += report["summary"]["addedLines"]
                for hit in report["findings"]:
                    row = {"repo": name, "commit": commit, **{key: hit[key] for key in ("id", "file", "line", "code", "message")}}
                    if hit["id"] != "exists-already":
                        totals["hits"] += 1
                        row.update(later(run, commit, newest, hit))
                    file.write(json.dumps(row) + "\n")
            file.write(json.dumps({"repo": name, "newest": newest, "rules": len(rules), "patterns": n_patterns, **totals}) + "\n")
            file.flush()
            print(f"{name}: {totals}, {n_patterns} patterns of {len(rules)} rules", flush=True)


def later(run, commit, newest, hit):
    """Returns what became of a line, and of all lines that its commit added to the file."""
    blame = run("git", "blame", "--reverse", "--first-parent", "-s", "-l", f"{commit}..{newest}", "--", hit["file"]).stdout.split("\n")
    last = [line.split(" ", 1)[0].lstrip("^") for line in blame if line]
    diff = run("git", "diff", "-U0", commit + "^1", commit, "--", hit["file"]).stdout
    added = []
    for match in re.finditer(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", diff, re.M):
        added.extend(range(int(match[1]), int(match[1]) + int(match[2] or 1)))
    if not last:
        return {"gone": None}
    is_gone = lambda line: line <= len(last) and not newest.startswith(last[line - 1][:30])
    row = {"gone": is_gone(hit["line"]), "n_added": len(added), "n_added_gone": sum(map(is_gone, added))}
    if row["gone"]:
        end = last[hit["line"] - 1]
        path = ["git", "rev-list", "--first-parent", "--reverse", f"{end}..{newest}", "--", hit["file"]]
        removal = (run(*path).stdout.split() or [""])[0]
        row["removal"] = removal
        hunks = re.split(r"^(?=@@ )", run("git", "show", "-m", "--first-parent", "-U0", "--format=", removal, "--", hit["file"]).stdout, flags=re.M)[1:]
        for hunk in hunks:
            lines = hunk.split("\n")[1:]
            if any(it.startswith("-") and it[1:].strip() == hit["code"].strip() for it in lines):
                instead = [it[1:] for it in lines if it.startswith("+")]
                wanted = set(NAME.findall(hit["message"])) - set(NAME.findall(hit["code"]))
                row["instead"] = [it.strip()[:160] for it in instead[:8]]
                row["removed"] = [it[1:].strip()[:160] for it in lines if it.startswith("-")][:8]
                row["named"] = sorted(wanted & {name for it in instead for name in NAME.findall(it) if len(name) > 3})
    return row


main()
