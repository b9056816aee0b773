#!/usr/bin/env python3
"""Score `cerberus memory anchor-test` on rules of public instruction files.

usage: score.py CORPORA [--bin cerberus] [--hints] [--cases FILE ...] [--foreign N] [--answers OUT.jsonl] [--misses]

CORPORA has one folder per line of corpora.tsv (id, repository, commit, `fit` or `held`). Cases are JSON objects, one per line:
{"id", "corpus", "language", "rule", "kind", "gold": [{"file", "symbol"}], "accept"?: [{"path", "code"}]}. `kind` is `code` (the
code base has an example), `absent` (it has none) or `process` (no code can show it). An answer is right if its file has a gold
example, or if its path and its lines match an `accept` pattern, unless judgements.jsonl, made by reading answers, says otherwise:
`good` and `fair` are right (with --strict only `good`), `wrong` is not. --foreign N also asks N rules of other corpora of the same
language, where every answer counts as wrong. --answers writes the answers for fit.py.
"""
import argparse, collections, hashlib, json, os, re, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

def read_jsonl(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]

def read_tsv(path):
    with open(path, encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f if line.strip()]

def source(root, candidate):
    """The lines of a candidate with the annotations and comments above it."""
    with open(os.path.join(root, candidate["file"]), encoding="utf-8", errors="replace") as f:
        lines = f.read().split("\n")
    first = candidate["startLine"] - 1
    while first > 0 and re.match(r"\s*(\*|/\*|//|@|#\[)", lines[first - 1]):
        first -= 1
    return "\n".join(lines[first:candidate["endLine"]])

class Judge:
    def __init__(self, corpora, strict):
        path = os.path.join(HERE, "judgements.jsonl")
        verdicts = read_jsonl(path) if os.path.exists(path) else []
        self.verdicts = {(v["id"], v["file"], v["symbol"]): v["verdict"] for v in verdicts}
        self.corpora, self.strict = corpora, strict

    def is_right(self, case, candidate):
        # One of several definitions of a name has a number, which the verdicts lack.
        symbol = candidate["symbol"] and re.sub(r"#\d+$", "", candidate["symbol"])
        verdict = self.verdicts.get((case["id"], candidate["file"], symbol))
        if verdict:
            return verdict == "good" or (verdict == "fair" and not self.strict)
        if candidate["file"] in {gold["file"] for gold in case["gold"]}:
            return True
        patterns = [p for p in case.get("accept", []) if re.search(p["path"], candidate["file"])]
        if not patterns or candidate["endLine"] - candidate["startLine"] >= 200:
            return False
        text = source(os.path.join(self.corpora, case["corpus"]), candidate)
        return any(re.search(p["code"], text, re.M) for p in patterns)

def ask(binary, root, cases, hints):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as f:
        for case in cases:
            f.write(json.dumps({"rule": case["rule"], "hints": hints.get(case["id"], [])}) + "\n")
        f.flush()
        command = [binary, "memory", "anchor-test", "--project", root, "--rules", f.name, "--limit", "8", "--explain", "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{root}: {done.stderr.strip()[-500:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.strip()]

def share(flags):
    flags = list(flags)
    return f"{sum(flags) / len(flags):.3f}" if flags else "-"

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("corpora"); p.add_argument("--bin", default="cerberus"); p.add_argument("--hints", action="store_true")
    p.add_argument("--cases", nargs="+", default=[os.path.join(HERE, name) for name in ("wild.jsonl", "imported.jsonl", "held_out.jsonl")]); p.add_argument("--foreign", type=int, default=0)
    p.add_argument("--answers"); p.add_argument("--misses", action="store_true"); p.add_argument("--strict", action="store_true")
    a = p.parse_args()
    cases = [case for path in a.cases for case in read_jsonl(path)]
    hints = {key: words.split(" ") for key, words in read_tsv(os.path.join(HERE, "hints.tsv"))} if a.hints else {}
    held = {row[0] for row in read_tsv(os.path.join(HERE, "corpora.tsv")) if row[3] == "held"}
    judge = Judge(a.corpora, a.strict)
    by_corpus, rows, written = collections.defaultdict(list), [], []
    for case in cases:
        by_corpus[case["corpus"]].append(case)
    for corpus, own in sorted(by_corpus.items()):
        others = [c for c in cases if c["corpus"] != corpus and c["kind"] == "code" and c["language"] == own[0]["language"]]
        others.sort(key=lambda c: hashlib.sha256((corpus + c["id"]).encode()).digest())
        asked = [(case, False) for case in own] + [(case, True) for case in others[:a.foreign]]
        answers = ask(a.bin, os.path.join(a.corpora, corpus), [case for case, _ in asked], hints)
        for (case, is_foreign), answer in zip(asked, answers, strict=True):
            right = [not is_foreign and judge.is_right(case, c) for c in answer["candidates"]]
            files = list(dict.fromkeys(c["file"] for c in answer["candidates"]))[:5]
            row = dict(id=case["id"], corpus=corpus, kind="foreign" if is_foreign else case["kind"], held=corpus in held,
                       first=any(right[:1]), five=any(r for r, c in zip(right, answer["candidates"]) if c["file"] in files),
                       anchored=answer["anchor"] is not None)
            rows.append(row)
            quality = answer["candidates"][0]["quality"] if answer["candidates"] else 0.0
            written.append(row | dict(hints=a.hints, quality=quality, evidence=answer.get("evidence")))
            if a.misses and not row["first"] and row["kind"] == "code":
                got = answer["candidates"][0] if answer["candidates"] else {"file": None, "symbol": None}
                print(f"{case['id']}: {case['rule']}\n    got {got['file']}::{got['symbol']}")
    if a.answers:
        with open(a.answers, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(row) + "\n" for row in written)
    for name, part in (("fit", [r for r in rows if not r["held"]]), ("held out", [r for r in rows if r["held"]])):
        code = [r for r in part if r["kind"] == "code"]
        anchored = [r for r in part if r["anchored"] and r["kind"] != "foreign"]
        of = lambda kind: share(r["anchored"] for r in part if r["kind"] == kind)
        print(f"{name:8s} rules with an example: {len(code)}, right first {share(r['first'] for r in code)}, among five files"
              f" {share(r['five'] for r in code)}, anchored {of('code')}, rightly {share(r['first'] and r['anchored'] for r in code)};"
              f" anchors: {len(anchored)}, right {share(r['first'] for r in anchored)};"
              f" anchored without reason: process {of('process')}, absent {of('absent')}, foreign {of('foreign')}")

if __name__ == "__main__":
    main()
