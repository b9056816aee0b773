#!/usr/bin/env python3
"""Measures whether `cerberus check` knows which claims of a document are about now.

    stance.py CERBERUS [--set stance.jsonl] [--show]

Each row of the set is a name in a sentence of a real document, with the labels of two readers: "now", or
why the sentence is no claim that it is there ("gone", "unwanted", "future", "example", "other"). Examples and others
are left out, since the history of a project decides about them, and so are rows on which the readers
do not agree whether it is about now. Each sentence is written into a document of a scratch repository, with a file in the place of its name. Then the files are removed. The
check takes a name as a claim about now if it reports an error for it. Prints the counts for both
halves of the set, which are divided by repository.
"""
import argparse
import collections
import json
import re
import subprocess
import tempfile
from pathlib import Path


NOT_NOW = ("gone", "unwanted", "future")


def document(row, path):
    """The text around the name, with `path` in its place."""
    headings = [part.strip() for part in row["heading"].split(" > ") if part.strip()]
    sentence = row["sentence"]
    if sentence.lstrip().startswith("#"):
        headings = headings[:-1]
    form = {"link": "({}", "span": "`{}`"}.get(row["form"], "{}")
    at = sentence.find(form.format(row["span"]))
    at = sentence.find(row["span"], max(at, 0))
    sentence = sentence[:at] + path + sentence[at + len(row["span"]):]
    titles = [f"{'#' * (level + 1)} {title}\n" for level, title in enumerate(headings)]
    before = re.sub(r"^(#+|```|~~~).*", "", row["before"])
    return "\n".join([*titles, before, "", sentence, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cerberus")
    parser.add_argument("--set", default=Path(__file__).parent / "stance.jsonl")
    parser.add_argument("--show", action="store_true", help="print the rows that are wrong")
    args = parser.parse_args()
    rows = [json.loads(line) for line in Path(args.set).read_text().splitlines()]
    rows = [row for row in rows if row["labels"] == ["now", "now"] or all(it in NOT_NOW for it in row["labels"])]
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        git = ["git", "-C", folder, "-c", "user.name=stance", "-c", "user.email=stance@example.org", "-c", "core.hooksPath=/dev/null"]
        subprocess.run([*git, "init", "-q"], check=True)
        (root / "docs").mkdir()
        (root / "part").mkdir()
        for idx, row in enumerate(rows):
            path = f"part/p{idx}x.py"
            (root / path).write_text(f"n = {idx}\n")
            (root / "docs" / f"d{idx}.md").write_text(document(row, path))
        for message in ("Write", "Remove"):
            subprocess.run([*git, "add", "-A"], check=True)
            subprocess.run([*git, "commit", "-qm", message], check=True)
            for file in (root / "part").iterdir():
                file.unlink()
        run = subprocess.run([Path(args.cerberus).resolve(), "check", "docs", "--all", "--json"], cwd=folder, capture_output=True, text=True, check=False)
        findings = {(it["file"], it["claim"].removeprefix("../")): it for it in json.loads(run.stdout)["findings"]}
    for idx, row in enumerate(rows):
        found = findings.get((f"docs/d{idx}.md", f"part/p{idx}x.py"))
        read = "unread" if found is None else "now" if found["severity"] == "error" else "not now"
        label = "now" if row["labels"][0] == "now" else "not now"
        counts[row["half"], label, read] += 1
        if args.show and read != label:
            print(f"{row['id']} {row['half']} {row['labels']} -> {read}: `{row['span']}`: {row['sentence'][:300]}")
    for half in sorted({row["half"] for row in rows}):
        own = {key[1:]: count for key, count in counts.items() if key[0] == half}
        print(half, " ".join(f"[{label} -> {read}: {count}]" for (label, read), count in sorted(own.items())))
        for label in ("now", "not now"):
            n_all = sum(count for key, count in own.items() if key[0] == label)
            n_read = sum(count for key, count in own.items() if key[1] == label)
            right = own.get((label, label), 0)
            print(f"  {label}: precision {right / max(1, n_read):.3f}, recall {right / max(1, n_all):.3f} of {n_all}")


if __name__ == "__main__":
    main()
