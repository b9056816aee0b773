#!/usr/bin/env python3
"""Measure which rules come first for another file that shows them, on many code bases.

usage: score_pairs.py CORPORA [CORPORA ...] [--bin cerberus] [--cases FILE ...] [--half fit|out] [--hints TSV] [--all-rules] [--misses]

CORPORA have a folder for each corpus of the cases (see ../anchors/score.py for their format). The pairs are derived: the places
that show a rule are its gold symbols and the answers of ../anchors/judgements.jsonl that were read as good or fair, without those
read as wrong. The rule is anchored to the first place, and each other file with one is asked for, at most four of a rule, chosen by
a hash. The bank of a corpus has its rules with a place, with --all-rules also the others: rules about the work and rules that no
code shows.

Prints for each half of the corpora (by the SHA-256 of their names), by pairs and with the same weight for each rule: hit@1, hit@3,
the share of the bank that is given, how often the right rule is not given, and the first two again without the rules that are
known to hold in the file too ("others").
Uses the standard library only. The last line is one JSON object.
"""
import argparse, collections, hashlib, json, os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ANCHORS = os.path.join(HERE, "..", "anchors")
MAX_FILES = 4


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def half(corpus):
    return "fit" if int(digest(corpus)[:2], 16) % 2 else "out"


def read_jsonl(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def find(folders, corpus):
    return next((path for path in (os.path.join(folder, corpus) for folder in folders) if os.path.isdir(path)), None)


def read_cases(paths, folders):
    """Returns the cases of each corpus that is present, with the places that show each rule."""
    verdicts = collections.defaultdict(dict)
    for verdict in read_jsonl(os.path.join(ANCHORS, "judgements.jsonl")):
        verdicts[verdict["id"]][verdict["file"], verdict["symbol"]] = verdict["verdict"]
    by_corpus = collections.defaultdict(list)
    for path in paths:
        for case in read_jsonl(path):
            root = find(folders, case["corpus"])
            if not root:
                continue
            known = verdicts[case["id"]]
            gold = [(gold["file"], gold.get("symbol")) for gold in case["gold"]]
            right = [place for place in gold if known.get(place) != "wrong"]
            right += [place for place, verdict in known.items() if verdict != "wrong"]
            case["places"] = [place for place in dict.fromkeys(right) if os.path.isfile(os.path.join(root, place[0]))]
            by_corpus[case["corpus"]].append(case)
    return by_corpus


def asked_files(case):
    files = dict.fromkeys(file for file, _ in case["places"])
    files.pop(case["places"][0][0])
    return sorted(files, key=lambda file: digest(case["id"] + file))[:MAX_FILES]


def holding(root, cases, file):
    """Returns the ids of the rules that are known to hold in a file."""
    with open(os.path.join(root, file), encoding="utf-8", errors="replace") as f:
        text = f.read()
    shows = lambda accept: re.search(accept["path"], file) and re.search(accept["code"], text, re.M)
    return {case["id"] for case in cases
            if file in {place[0] for place in case["places"]} or any(map(shows, case.get("accept", [])))}


class Bank:
    """A copy of a code base with its rules."""

    def __init__(self, binary, source, folder):
        self.binary, self.root = binary, os.path.join(folder, "tree")
        shutil.copytree(source, self.root, copy_function=os.link, symlinks=True, ignore=shutil.ignore_patterns(".git", ".memories"))
        self.memory("init")

    def memory(self, *args, may_fail=False):
        done = subprocess.run([self.binary, "memory", *args, "--project", self.root], capture_output=True, text=True)
        if done.returncode not in (0, 1) and not may_fail:
            sys.exit(f"{' '.join(args[:3])}: exit status {done.returncode}: {done.stderr.strip()[-400:]}")
        return done

    def add(self, case, hints):
        """Adds a rule with its example, if it has one. A symbol that a macro defines cannot be one."""
        words = [part for word in hints.get(case["id"], "").split() for part in ("--hint", word)]
        hows = [["--no-anchor"]]
        if case["places"]:
            file, symbol = case["places"][0]
            # Of several definitions of a name the first.
            hows = [["--to", f"{file}::{symbol}{number}" if symbol else file] for number in ("", "#1")]
        for how in hows:
            if self.memory("add", case["rule"], "--id", case["id"], *how, *words, may_fail=True).returncode in (0, 1):
                break

    def ids(self):
        return [it["id"] for it in json.loads(self.memory("show", "--anchored", "--json").stdout)["memories"]]

    def inject(self, file):
        done = self.memory("inject", "--file", file, "--budget", "1000000", "--no-examples", "--json")
        return [it["id"] for it in json.loads(done.stdout)["memories"]]


def open_bank(binary, source, folder, cases, hints, all_rules):
    """Returns a bank, and those of the cases that have an anchor in it."""
    bank = Bank(binary, source, folder)
    for case in cases:
        if case["places"] or all_rules:
            bank.add(case, hints)
    anchored = set(bank.ids())
    return bank, [case for case in cases if case["id"] in anchored]


def replay(bank, cases, size, show_misses):
    for case in cases:
        for file in asked_files(case):
            ids = bank.inject(file)
            holds = holding(bank.root, cases, file)
            rank = ids.index(case["id"]) + 1 if case["id"] in ids else None
            others = rank and rank - sum(other in holds for other in ids[:rank - 1])
            if show_misses and rank not in (1, 2, 3):
                print(f"MISS {case['id']} {file}: rank {rank}; first {ids[:2]}")
            yield dict(id=case["id"], corpus=case["corpus"], rank=rank, others=others, share=len(ids) / size, chance=1 / size)


def figures(rows):
    n_of = collections.Counter(row["id"] for row in rows)
    total = lambda value, weight: sum(value(row) * weight(row) for row in rows) / sum(map(weight, rows))
    result = dict(pairs=len(rows), rules=len(n_of), corpora=len({row["corpus"] for row in rows}))
    for name, weight in (("", lambda row: 1), ("_by_rule", lambda row: 1 / n_of[row["id"]])):
        hit = lambda key, k: total(lambda row: row[key] is not None and row[key] <= k, weight)
        values = dict(hit1=hit("rank", 1), hit3=hit("rank", 3), others_hit1=hit("others", 1), others_hit3=hit("others", 3),
                      share_given=total(lambda row: row["share"], weight), lost=total(lambda row: row["rank"] is None, weight))
        result |= {key + name: round(value, 3) for key, value in values.items()}
    result["chance"] = round(total(lambda row: row["chance"], lambda row: 1), 3)
    return result


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("corpora", nargs="+"); p.add_argument("--bin", default="cerberus"); p.add_argument("--half", choices=["fit", "out"])
    p.add_argument("--cases", nargs="+", default=[os.path.join(ANCHORS, name) for name in ("wild.jsonl", "imported.jsonl")])
    p.add_argument("--hints", help="id<TAB>words, as ../anchors/hints.tsv"); p.add_argument("--all-rules", action="store_true")
    p.add_argument("--misses", action="store_true")
    a = p.parse_args()
    binary = shutil.which(a.bin) or os.path.abspath(a.bin)
    hints = dict(line.rstrip("\n").split("\t", 1) for line in open(a.hints, encoding="utf-8")) if a.hints else {}
    rows = []
    for corpus, cases in sorted(read_cases(a.cases, a.corpora).items()):
        if a.half not in (None, half(corpus)) or not any(case["places"] and asked_files(case) for case in cases):
            continue
        source = find(a.corpora, corpus)
        # Beside the corpora, so that files can be linked.
        with tempfile.TemporaryDirectory(dir=os.path.dirname(source)) as folder:
            bank, anchored = open_bank(binary, source, folder, cases, hints, a.all_rules)
            rows += replay(bank, anchored, len(cases) if a.all_rules else len(anchored), a.misses)
    by_half = {name: [row for row in rows if half(row["corpus"]) == name] for name in ("fit", "out")}
    print(json.dumps({name: figures(part) for name, part in by_half.items() if part}))


if __name__ == "__main__":
    main()
