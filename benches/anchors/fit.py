#!/usr/bin/env python3
"""Fit the two models that decide whether a rule gets an anchor.

usage: fit.py [--write] CASES.jsonl ANSWERS.jsonl [ANSWERS.jsonl ...]

ANSWERS come from `score.py --answers`, made without and with hints and with --foreign; CASES are their rules. The first model
(crates/engine/src/rank/rule_kind.rs) tells from the wording of a rule whether it is working advice, the second
(crates/engine/src/rank/calibrate.rs) gives the probability that the first answer is right; the first model as it is in the program is an
input of it. Code bases that are held out are ignored. --write writes both to crates/engine/src/weights/quality.toml: run it twice, since the
second model depends on the first as it was.
Prints for each model the coefficients fitted on all code bases, and its quality on each tenth of the code bases by the model of
the others.
Uses the standard library only.
"""
import argparse, hashlib, json, math, pathlib, tomllib

WORDING = ["process", "project", "code", "commands", "names", "length", "phrase", "verb"]
EVIDENCE = ["score", "lead", "rest", "effective_words", "process", "unknown_names", "general", "length", "missing_hints", "found_hints",
            "definition", "test_mismatch", "tool"]
FILE = pathlib.Path(__file__).parents[2] / "crates/engine/src/weights/quality.toml"
KIND_MODEL = [tomllib.loads(FILE.read_text(encoding="utf-8"))["working_advice"][name] for name in ["intercept"] + WORDING]
HEAD = """# Written by benches/anchors/fit.py: the two models that decide whether a rule gets an anchor, fitted on
# 3,000 searches (benches/README.md). crates/engine/src/rank/rule_kind.rs and calibrate.rs explain the features.
"""
RIDGE = 0.1  # keeps coefficients finite if a feature separates the classes completely
FOLDS = 10
FOREIGN_WEIGHT = 0.15  # rules asked in other code bases are many, and rare in use

def dot(coefficients, x):
    return sum(c * v for c, v in zip(coefficients, x))

def probability(logit):
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))

def solve(matrix, right):
    n, rows = len(right), [line[:] + [value] for line, value in zip(matrix, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(n):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]

def fit(data):
    """Newton's method on the penalised log likelihood; data are (inputs, outcome, weight)."""
    n = len(data[0][0])
    coefficients = [0.0] * n
    for _ in range(30):
        gradient = [RIDGE * c * (i > 0) for i, c in enumerate(coefficients)]
        hessian = [[RIDGE * (i == j > 0) + 1e-9 * (i == j) for j in range(n)] for i in range(n)]
        for x, outcome, weight in data:
            p = probability(dot(coefficients, x))
            for i in range(n):
                gradient[i] += weight * (p - outcome) * x[i]
                for j in range(n):
                    hessian[i][j] += weight * p * (1 - p) * x[i] * x[j]
        coefficients = [c - s for c, s in zip(coefficients, solve(hessian, gradient))]
    return coefficients

def read(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]

def wording(row):
    return [1.0] + [row["evidence"]["wording"][name] for name in WORDING]

def process_logit(row):
    return dot(KIND_MODEL, wording(row))

def evidence(row):
    e = row["evidence"]
    process = max(-2.0, min(4.0, process_logit(row)))
    return [1.0, e["score"], e["lead"], e["rest"], math.log(max(1.0, e["nEffective"])), process, min(e["nUnknownNames"], 2),
            e["wording"]["general"], math.log(max(1, e["nLines"])), e["nHints"] - e["nFoundHints"], e["nFoundHints"], e["isDefinition"],
            e["isTestMismatch"], e["isTool"]]

def fold(corpus):
    return hashlib.sha256(corpus.encode()).digest()[0] % FOLDS

def show(names, coefficients):
    print("  " + "  ".join(f"{name} {c:.2f}" for name, c in zip(["intercept"] + names, coefficients)))

def table(comment, title, names, coefficients):
    rows = [f"{name} = {round(c, 2)}" for name, c in zip(["intercept"] + names, coefficients)]
    return "\n".join(["", f"# {comment}", f"[{title}]"] + rows) + "\n"

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--write", action="store_true"); p.add_argument("cases"); p.add_argument("answers", nargs="+")
    a = p.parse_args()
    home = {case["id"]: case["corpus"] for case in read(a.cases)}
    kinds = {case["id"]: case["kind"] for case in read(a.cases)}
    rows = [row for path in a.answers for row in read(path) if row["evidence"] and not row["held"]]
    corpora = sorted({row["corpus"] for row in rows})
    rules = {row["id"]: row for row in rows if row["kind"] != "foreign"}

    def kind_model(without):
        return fit([(wording(row), kinds[i] == "process", 1.0) for i, row in rules.items() if fold(home[i]) != without])

    folds = sorted({fold(corpus) for corpus in corpora})
    models = {number: kind_model(number) for number in folds}
    advice = kind_model(None)
    print("working advice:"); show(WORDING, advice)
    for kind in ("process", "code", "absent"):
        logits = [(dot(models[fold(home[i])], wording(row)), process_logit(row)) for i, row in rules.items() if kinds[i] == kind]
        share = lambda which: sum(pair[which] > 0 for pair in logits) / max(1, len(logits))
        print(f"  {kind:8s} n={len(logits):3d} taken for working advice {share(0):.3f}, by the model in the program {share(1):.3f}")

    def data(row):
        return evidence(row), row["first"], FOREIGN_WEIGHT if row["kind"] == "foreign" else 1.0

    first = fit([data(row) for row in rows])
    print("the first answer is right:"); show(EVIDENCE, first)
    if a.write:
        FILE.write_text(HEAD + table("Log odds that a rule is working advice.", "working_advice", WORDING, advice)
                        + table("Log odds that the first answer is right.", "first_answer", EVIDENCE, first), encoding="utf-8")
    judged = []
    for number in folds:
        model = fit([data(row) for row in rows if fold(row["corpus"]) != number])
        judged += [(probability(dot(model, evidence(row))), row) for row in rows if fold(row["corpus"]) == number]
    own = [(p, row["first"]) for p, row in judged if row["kind"] != "foreign" and process_logit(row) <= 0]
    for low, high in ((0, .2), (.2, .35), (.35, .5), (.5, .7), (.7, .8), (.8, .9), (.9, 1.01)):
        right = [first for p, first in own if low <= p < high]
        print(f"  {low:.2f} to {min(high, 1):.2f}: {len(right):4d} answers, right {sum(right) / max(1, len(right)):.2f}")

if __name__ == "__main__":
    main()
