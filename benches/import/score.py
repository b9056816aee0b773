#!/usr/bin/env python3
"""Scores `cerberus memory import` on labelled units of rule documents.

usage: score.py LABELS… --repositories DIR --bin CERBERUS [--misses]

A label is a line of JSON: {"corpus", "file", "line", "text", "rule"}; DIR contains the repositories by the name of
their corpus. An imported memory covers the units from its first to its last line, and an introduction above it that
its text contains. Recall: the share of units labelled as rules that a memory covers, taken or proposed. Precision: the share of
taken memories that cover such a unit; the same share of the proposed ones is counted apart.
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path


def imported(binary, repository, file):
    """Returns the first line, the last line and the words of each memory, and whether it is proposed."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, file)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(repository, file), target)
        run = lambda *words: subprocess.run(
            [binary, "--project", folder, "memory", *words], capture_output=True, text=True, check=True
        ).stdout
        run("init")
        report = json.loads(run("import", str(target), "--dry-run", "--no-anchor", "--json"))
    # A copy within the document is in the bank with the first one.
    added = [item for item in report["items"] if item["outcome"] in ("added", "duplicate")]
    return [(item["line"], item["endLine"], words(item["text"]), "doubt" in item) for item in added]


def words(text):
    return " ".join(re.findall(r"\w+", text.lower())) + " "


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("labels", nargs="+")
    parser.add_argument("--repositories", required=True)
    parser.add_argument("--bin", default="cerberus")
    parser.add_argument("--misses", action="store_true")
    args = parser.parse_args()
    documents = defaultdict(list)
    for path in args.labels:
        with open(path, encoding="utf-8") as lines:
            for label in map(json.loads, lines):
                documents[label["corpus"], label["file"]].append(label)
    total = defaultdict(int)
    for (corpus, file), labels in documents.items():
        memories = imported(args.bin, Path(args.repositories, corpus), file)
        rules = [label for label in labels if label["rule"]]
        missed = [it for it in rules if not any(covers(memory, it) for memory in memories)]
        wrong, right = {False: [], True: []}, {False: 0, True: 0}
        for memory in memories:
            covered = [it for it in labels if covers(memory, it)]
            if any(it["rule"] for it in covered):
                right[memory[3]] += 1
            elif covered:
                wrong[memory[3]].append(covered[0])
        counts = {"rules": len(rules), "found": len(rules) - len(missed), "right": right[False], "wrong": len(wrong[False])}
        counts |= {"proposedRight": right[True], "proposedWrong": len(wrong[True])}
        for key, count in counts.items():
            total[key] += count
        print(row(f"{corpus}/{file}", counts))
        if args.misses:
            for name, units in [("missed", missed), ("wrong", wrong[False]), ("wrongly proposed", wrong[True])]:
                for unit in units:
                    print(f"    {name} {unit['line']}: {unit['text'][:150]}")
    print(row("all", total))
    recall, precision = shares(total)
    print(json.dumps({"recall": round(recall, 4), "precision": round(precision, 4), **total}))


def covers(memory, unit):
    first, last, text, _ = memory
    introduction = words(unit["text"].rsplit(". ", 1)[-1])
    is_prefix = unit["text"].endswith(":") and unit["line"] < first and introduction in text
    return first <= unit["line"] <= last or is_prefix


def shares(counts):
    n_memories = counts["right"] + counts["wrong"]
    return counts["found"] / max(counts["rules"], 1), counts["right"] / max(n_memories, 1)


def row(name, counts):
    recall, precision = shares(counts)
    n_memories = counts["right"] + counts["wrong"]
    return f"{name:44} recall {recall:.3f} ({counts['found']}/{counts['rules']})  precision {precision:.3f} ({counts['right']}/{n_memories})"


if __name__ == "__main__":
    sys.exit(main())
