#!/usr/bin/env python3
"""Measure which rule comes first for lines that are about to be committed.

usage: score_changes.py CASES.jsonl CORPORA [--bin cerberus] [--whole-file] [--lines N] [--misses] [--corpus NAME]

CASES has a rule a line with the symbols that show it: {"id", "corpus", "rule", "gold": [{"file", "symbol"}, …]}; CORPORA has
a folder for each corpus. In a copy of each, every rule is anchored to its first symbol. Then each other symbol in another file is
taken out, the rest committed, the symbol put back and staged, and `memory inject --diff` is run: the rule should come first.
--lines N puts back the middle N lines only. --whole-file asks with `--file` instead, so that the lines are not known.
Uses the standard library only. The last line is one JSON object.
"""
import argparse, collections, json, os, shutil, subprocess, sys, tempfile


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("cases"); p.add_argument("corpora"); p.add_argument("--bin", default="cerberus"); p.add_argument("--corpus")
    p.add_argument("--whole-file", action="store_true"); p.add_argument("--lines", type=int); p.add_argument("--misses", action="store_true")
    a = p.parse_args()
    binary = shutil.which(a.bin) or os.path.abspath(a.bin)
    by_corpus = collections.defaultdict(list)
    for line in open(a.cases, encoding="utf-8"):
        case = json.loads(line)
        if case["gold"] and a.corpus in (None, case["corpus"]) and os.path.isdir(os.path.join(a.corpora, case["corpus"])):
            by_corpus[case["corpus"]].append(case)
    ranks, sizes, weights = [], [], []
    for corpus, cases in sorted(by_corpus.items()):
        with tempfile.TemporaryDirectory() as folder:
            root = os.path.join(folder, "tree")
            shutil.copytree(os.path.join(a.corpora, corpus), root, symlinks=True, ignore=shutil.ignore_patterns(".git", ".memories"))
            for case, rank, share in replay(binary, root, cases, a):
                ranks.append(rank); sizes.append(share); weights.append(case["id"])
                if a.misses and rank not in (1, 2, 3):
                    print(f"MISS {case['id']}: rank {rank}")
    n = collections.Counter(weights)
    total = len(n)
    at = lambda k: round(sum(1 / n[i] for i, rank in zip(weights, ranks) if rank and rank <= k) / total, 3)
    pairs = len(ranks)
    of_pairs = lambda k: round(sum(1 for rank in ranks if rank and rank <= k) / pairs, 3)
    print(json.dumps({"pairs": pairs, "rules": total, "hit1": of_pairs(1), "hit3": of_pairs(3), "hit1_by_rule": at(1), "hit3_by_rule": at(3),
                      "share_given": round(sum(sizes) / pairs, 3), "lost": round(sum(1 for rank in ranks if not rank) / pairs, 3)}))


def replay(binary, root, cases, options):
    """Yields each case with the rank of its rule and the share of the rules that are given."""
    def git(*args):
        subprocess.run(["git", "-C", root, "-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "core.hooksPath=/dev/null", "-c",
                        "core.autocrlf=false", *args], check=True, capture_output=True)

    def memory(*args, may_fail=False):
        done = subprocess.run([binary, "memory", *args, "--project", root], capture_output=True, text=True)
        if done.returncode not in (0, 1) and not may_fail:
            sys.exit(f"{' '.join(args[:3])}: exit status {done.returncode}: {done.stderr.strip()[-300:]}")
        return done.stdout

    def add(gold, *args):
        """Adds a memory with its example, of several definitions of a name the first."""
        place = f"{gold['file']}::{gold['symbol']}"
        return memory("add", *args, "--to", place, may_fail=True) or memory("add", *args, "--to", f"{place}#1", may_fail=True)

    present = lambda gold: gold.get("symbol") and os.path.isfile(os.path.join(root, gold["file"]))
    cases = [case for case in cases if present(case["gold"][0])]
    memory("init")
    for case in cases:
        add(case["gold"][0], case["rule"], "--id", case["id"])
    anchored = {it["id"] for it in json.loads(memory("show", "--anchored", "--json"))["memories"]}
    cases = [case for case in cases if case["id"] in anchored]
    targets = []
    for case in cases:
        others = [gold for gold in case["gold"][1:] if present(gold) and gold["file"] != case["gold"][0]["file"]]
        for gold in others:
            # The lines of the symbol, from an anchor that is removed again.
            # A symbol that a macro defines cannot be one.
            if not add(gold, "Place of an example", "--id", "place-of-example"):
                continue
            shown = json.loads(memory("show", "place-of-example", "--json"))
            anchor = (shown.get("memories") or [shown])[0].get("anchor")
            memory("delete", "place-of-example")
            if anchor:
                targets.append((case, gold["file"], anchor["startLine"], anchor["endLine"]))
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "base")
    for case, file, first, last in targets:
        if options.lines and last - first + 1 > options.lines:
            first += max(1, (last - first + 1 - options.lines) // 2)
            last = first + options.lines - 1
        path = os.path.join(root, file)
        whole = open(path, "rb").read()
        lines = whole.splitlines(keepends=True)
        with open(path, "wb") as out:
            out.write(b"".join(lines[:first - 1] + lines[last:]))
        git("commit", "-qam", "without")
        with open(path, "wb") as out:
            out.write(whole)
        git("add", file)
        how = ["--file", file] if options.whole_file else ["--diff"]
        found = json.loads(memory("inject", *how, "--budget", "100000", "--no-examples", "--json"))
        given = [it["id"] for it in found["memories"]]
        git("commit", "-qm", "with")
        yield case, given.index(case["id"]) + 1 if case["id"] in given else None, len(given) / len(cases)


if __name__ == "__main__":
    main()
