#!/usr/bin/env python3
"""Compares the errors of `cerberus check` in repositories with the judgements.

    judge.py CERBERUS JUDGEMENTS REPOSITORY...

Prints for each repository the errors that are judged true and false, and those that nobody judged.
"""
import json
import subprocess
import sys
from pathlib import Path


def main():
    cerberus, judgements, *repositories = sys.argv[1:]
    known = {}
    for line in Path(judgements).read_text().splitlines():
        row = json.loads(line)
        known[row["commit"], row["file"], row["line"], row["claim"]] = row
    sums = {"true": 0, "false": 0, "unjudged": 0}
    for repository in repositories:
        commit = subprocess.run(["git", "-C", repository, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        run = subprocess.run([cerberus, "check", "--project", repository, "--json"], capture_output=True, text=True, check=False)
        counts = {"true": 0, "false": 0, "unjudged": 0}
        for finding in json.loads(run.stdout)["findings"]:
            row = known.get((commit, finding["file"], finding["line"], finding["claim"]))
            counts[row["verdict"] if row else "unjudged"] += 1
            if row is None:
                print(f"unjudged: {repository}: {finding['file']}:{finding['line']}: {finding['claim']}: {finding['message']}")
        print(repository, counts, flush=True)
        for verdict, count in counts.items():
            sums[verdict] += count
    print("all", sums, f"precision {sums['true'] / max(1, sums['true'] + sums['false']):.3f}")


if __name__ == "__main__":
    main()
