#!/usr/bin/env python3
"""Score `cerberus memory reanchor` on symbols whose new place is known, with the history and from the lock file alone.

usage: score.py PAIRS.tsv CASES TREES MIRROR [--bin cerberus] [--banks DIR] [--pair NAME,...] [--only history|lock]
                [--misses] [--results FILE]

PAIRS.tsv has a line for each pair: name, repository (owner/name), old commit, new commit; further columns are ignored. CASES/NAME.jsonl
has a case a line: {"id", "language", "kind", "old": {"file", "symbol"}, "new": the same or null for deleted code, "note"}. TREES/NAME/old
and new have the code of both commits, MIRROR/<owner>+<name>/repo the repository with all commits between them.

All symbols of a pair are anchored at the old commit, in a repository that borrows the objects of the mirror. Then HEAD and the files are
set to the new commit and `reanchor --dry-run` is run twice: with the repository, and after `.git` was taken away. With --banks the
anchored banks are stored there and used again, as long as the lock file is written the same way.

Right: the new file and symbol, or `gone` or `ambiguous` for deleted code. Wrong: any other place. Lost: no place, though there is one.
Deleted code counts as "deleted, look-alike" if the note says that similar code remains. The last line is one JSON object.
"""
import argparse
import collections
import json
import os
import re
import resource
import shutil
import subprocess
import tempfile

KINDS = ["unchanged", "edited", "file_moved", "moved_symbol", "moved_and_edited", "renamed", "renamed_and_edited", "deleted",
         "deleted, look-alike"]
LOOK_ALIKE = re.compile(r"; look-alike \S.* (\d\.\d+) is from ")
MIN_LIKENESS = 0.45


def git(root, *args):
    done = subprocess.run(["git", "-C", root, "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", *args], capture_output=True)
    if done.returncode:
        raise RuntimeError(f"git {args[0]}: {done.stderr.decode('utf-8', 'replace').strip()[-300:]}")


def memory(binary, root, *args):
    done = subprocess.run([binary, "memory", *args, "--project", root, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(args[:4])}: exit status {done.returncode}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def set_commit(root, commit):
    """The files are already there; HEAD and the index have to match them."""
    git(root, "update-ref", "--no-deref", "HEAD", commit)
    git(root, "read-tree", commit)
    subprocess.run(["git", "-C", root, "update-index", "-q", "--refresh"], capture_output=True)


def replace_tree(root, new):
    for name in os.listdir(root):
        if name not in (".memories", ".git"):
            path = os.path.join(root, name)
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    shutil.copytree(new, root, dirs_exist_ok=True, symlinks=True)


def anchor(binary, root, cases, bank):
    """Anchors the old symbols. Returns the ids of those that were refused."""
    if bank and os.path.isdir(bank):
        shutil.copytree(bank, os.path.join(root, ".memories"))
        return json.load(open(os.path.join(bank, "refused.json")))
    memory(binary, root, "init")
    refused = []
    for case in cases:
        place = f"{case['old']['file']}::{case['old']['symbol']}"
        add = ["add", f"Example of {case['id']}", "--id", case["id"].lower(), "--to"]
        try:
            memory(binary, root, *add, place)
        except RuntimeError:
            try:
                # The cases name the first of several definitions of a name.
                memory(binary, root, *add, f"{place}#1")
            except RuntimeError:
                refused.append(case["id"].lower())
    if bank:
        shutil.copytree(os.path.join(root, ".memories"), bank, ignore=shutil.ignore_patterns("indices"))
        json.dump(refused, open(os.path.join(bank, "refused.json"), "w"))
    return refused


def same(a, b):
    """Two spellings of one symbol may differ in the outer module or class."""
    return a == b or a.endswith("." + b) or b.endswith("." + a)


def judge(case, got):
    place = (got or {}).get("new")
    if got is None or got["state"] in ("gone", "ambiguous") or not place:
        return "right" if case["new"] is None else "lost"
    if case["new"] is None:
        return "wrong"
    symbol = re.sub(r"#\d+$", "", place["symbol"] or "")
    is_right = place["file"] == case["new"]["file"] and same(symbol, case["new"]["symbol"])
    return "right" if is_right else "wrong"


def kind_of(case):
    found = LOOK_ALIKE.search(case["note"])
    return "deleted, look-alike" if case["kind"] == "deleted" and found and float(found[1]) >= MIN_LIKENESS else case["kind"]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("pairs"); p.add_argument("cases"); p.add_argument("trees"); p.add_argument("mirror")
    p.add_argument("--bin", default="cerberus"); p.add_argument("--banks"); p.add_argument("--pair")
    p.add_argument("--only", choices=["history", "lock"]); p.add_argument("--misses", action="store_true"); p.add_argument("--results")
    a = p.parse_args()
    binary = shutil.which(a.bin) or os.path.abspath(a.bin)
    modes = [a.only] if a.only else ["history", "lock"]
    tables = {mode: collections.defaultdict(collections.Counter) for mode in modes}
    seconds, results = collections.Counter(), open(a.results, "w", encoding="utf-8") if a.results else None
    for line in open(a.pairs, encoding="utf-8"):
        pair, repo, old, new = line.rstrip("\n").split("\t")[:4]
        path = os.path.join(a.cases, pair + ".jsonl")
        if not os.path.exists(path) or (a.pair and pair not in a.pair.split(",")):
            continue
        cases = [json.loads(case) for case in open(path, encoding="utf-8")]
        with tempfile.TemporaryDirectory() as folder:
            root = os.path.join(folder, "tree")
            shutil.copytree(os.path.join(a.trees, pair, "old"), root, symlinks=True)
            git(root, "init", "-q")
            with open(os.path.join(root, ".git", "objects", "info", "alternates"), "w") as file:
                file.write(os.path.abspath(os.path.join(a.mirror, repo.replace("/", "+"), "repo", "objects")) + "\n")
            set_commit(root, old)
            refused = anchor(binary, root, cases, a.banks and os.path.join(a.banks, pair))
            replace_tree(root, os.path.join(a.trees, pair, "new"))
            set_commit(root, new)
            for mode in modes:
                if mode == "lock":
                    shutil.rmtree(os.path.join(root, ".git"))
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                found = {it["id"]: it for it in memory(binary, root, "reanchor", "--dry-run")["results"]}
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                seconds[mode] += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                for case in cases:
                    got = found.get(case["id"].lower())
                    verdict = "unanchored" if case["id"].lower() in refused else judge(case, got)
                    for key in ("all", pair, case["language"], kind_of(case)):
                        tables[mode][key][verdict] += 1
                    place = (got or {}).get("new") or {}
                    said = {"mode": mode, "id": case["id"], "verdict": verdict, "kind": kind_of(case), "state": (got or {}).get("state"),
                            "old": case["old"], "wanted": case["new"], "got": [place.get("file"), place.get("symbol")]}
                    if results:
                        results.write(json.dumps(said | {"note": case["note"], "reason": (got or {}).get("reason")}) + "\n")
                    if a.misses and verdict != "right":
                        print(json.dumps(said))
    summary = {}
    for mode, table in tables.items():
        print(f"--- {mode}, {seconds[mode]:.1f} s of processors")
        for key, counts in sorted(table.items(), key=lambda it: (it[0] in KINDS, it[0] == "all", it[0])):
            n = counts["right"] + counts["wrong"] + counts["lost"]
            rates = {verdict: round(counts[verdict] / max(1, n), 4) for verdict in ("right", "wrong", "lost")}
            print(f"{key:22} n={n:5} right={rates['right']:.3f} wrong={rates['wrong']:.3f} lost={rates['lost']:.3f}"
                  + (f" unanchored={counts['unanchored']}" if counts["unanchored"] else ""))
            if key == "all":
                summary[mode] = {"n": n, **rates, "unanchored": counts["unanchored"]}
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
