"""Runs `review-diff` at historical commits, and counts its hints at functions that exist already.

usage: exists.py CERBERUS SCRATCH MIRRORS CASES OUT

CASES is the output of replaced.py (or a selection of it). Each repository is checked out (only its source files)
at each commit that added a case, and the change of that commit is checked. Writes one JSON line per commit to OUT, and
prints the recall over the cases with a label other than `other`, the hints at functions that stayed, and all hints.
"""
import collections
import json
import os
import subprocess
import sys
import time

EXTENSIONS = "py go rs java js jsx mjs cjs ts tsx mts".split()


def main():
    cerberus, scratch, mirrors, cases, out = sys.argv[1:6]
    commits = collections.defaultdict(dict)
    for line in open(cases):
        case = json.loads(line)
        commits[case["repo"]][case["added"]] = None
    done = {(row["repo"], row["commit"]) for row in map(json.loads, open(out))} if os.path.exists(out) else set()
    with open(out, "a") as file:
        for repo, wanted in commits.items():
            folder = os.path.join(scratch, repo.replace("/", "+"))
            mirror = os.path.join(mirrors, repo.replace("/", "+"), "repo")
            env = {**os.environ, "XDG_STATE_HOME": folder + "/.git/state", "XDG_CACHE_HOME": folder + "/.git/cache"}
            run = lambda *args: subprocess.run(args, cwd=folder, env=env, capture_output=True, text=True)
            if not os.path.exists(folder):
                subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", mirror, folder], check=True)
                run("git", "config", "core.sparseCheckout", "true")
                run("git", "config", "core.sparseCheckoutCone", "false")
                os.makedirs(folder + "/.git/info", exist_ok=True)
                open(folder + "/.git/info/sparse-checkout", "w").write("".join(f"*.{it}\n" for it in EXTENSIONS))
            # In the order of the history, so that few files change from one checkout to the next.
            order = subprocess.run(["git", "-C", mirror, "rev-list", "--first-parent", "--reverse", "HEAD"], capture_output=True, text=True).stdout.split()
            for commit in order:
                if commit not in wanted or (repo, commit) in done:
                    continue
                if (it := run("git", "checkout", "-q", "-f", "--detach", commit)).returncode:
                    print(f"{repo} {commit}: {it.stderr[:200]}", flush=True)
                    continue
                if not os.path.exists(folder + "/.memories"):
                    run(cerberus, "memory", "init")
                start = time.time()
                result = run("timeout", "90", cerberus, "--json", "memory", "review-diff", commit + "^1")
                seconds = time.time() - start
                try:
                    report = json.loads(result.stdout)
                except ValueError:
                    print(f"{repo} {commit}: {result.stderr[:200]}", flush=True)
                    continue
                row = {"repo": repo, "commit": commit, "seconds": round(seconds, 2), "added_lines": report["summary"]["addedLines"],
                       "hints": [it for it in report["findings"] if it["id"] == "exists-already"]}
                file.write(json.dumps(row) + "\n")
                file.flush()
            print(f"{repo}: {len(wanted)} commits", file=sys.stderr, flush=True)
    summary([json.loads(line) for line in open(cases)], {(row["repo"], row["commit"]): row for row in map(json.loads, open(out))})


def summary(cases, rows):
    lines, hints = sum(row["added_lines"] for row in rows.values()), sum(len(row["hints"]) for row in rows.values())
    print(f"{len(rows)} commits, {lines} added lines, {hints} hints, {1000 * hints / max(1, lines):.2f} per 1,000 lines")
    seconds = sorted(row["seconds"] for row in rows.values())
    print(f"median {seconds[len(seconds) // 2]} s, 95 % {seconds[len(seconds) * 95 // 100]} s")
    counts = collections.defaultdict(lambda: [0, 0, 0])
    for case in cases:
        row = rows.get((case["repo"], case["added"]))
        if not row:
            continue
        own = [it for it in row["hints"] if it["file"] == case["file"] and last(it["message"].split("`")[1]) == case["f2"]]
        count = counts[case.get("label", case["kind"])]
        count[0] += 1
        count[1] += bool(own)
        count[2] += any(last(it["example"].split("::")[-1]) == case.get("f1") for it in own)
    for label, (n, n_any, n_right) in counts.items():
        print(f"{label}: {n} functions, {n_any} with a hint, {n_right} with the function that replaced it")


def last(name):
    return name.split(".")[-1]


main()
