#!/usr/bin/env python3
"""Fit the model behind `match` (src/engine/rank/calibrate.rs) to rules with known examples.

usage: fit_match.py ANSWERS_DIR CASES.jsonl [CASES.jsonl ...] [--threshold 0.7] [--now A,B,C,D]

CASES has one JSON object per line: {"id", "rule", "corpus"?, "gold": [{"file", "symbol"}, ...]}; without "corpus" it is the
id's part before its last "-"; an empty "gold" means that the corpus holds no example. ANSWERS_DIR has the output of
`cerberus memory anchor-test --rules FILE --explain --json` over the cases of one corpus, in files named
CORPUS.MODE.jsonl. MODE is any name (none, hint, half: without hints, with hints, with half of them wrong). An answer
belongs to the case of the same corpus and rule.

The model is logistic, its outcome whether the first answer's file is right, its features those of an answer's "evidence":
  score   score of the first answer as a share of the maximum
  lead    distance to the best answer in another file, as a share of the score
  known   ln(1 + nKnown), the number of the rule's words and hints that occur in the code
A feature is justified if removing it raises the log loss on corpora that the fit has not seen. `size` (of the first
answer) is tested too and does not help; neither did the score of the file, the share of words found in names, coverage,
the share of unknown words and the length of the rule.

Prints the log loss of three models (the current one, --now; fitted on all corpora; fitted without the evaluated corpus),
and by mode: precision above the threshold, refused (rules without an example below it) and recall (right answers above
it). Uses the standard library only.
"""
import argparse, collections, json, math, os, sys

CURRENT = "-8.75,8.5,3.5,2.75"  # the constants of src/engine/rank/calibrate.rs
FEATURES = ["score", "lead", "known"]
RIDGE = 0.05  # keeps coefficients finite if a feature separates the classes completely; otherwise negligible

Row = collections.namedtuple("Row", "corpus mode features right negative")

def read(answers_dir, case_files):
    cases = {}
    for path in case_files:
        for line in open(path, encoding="utf-8"):
            case = json.loads(line)
            cases[case.get("corpus") or case["id"].rsplit("-", 1)[0], case["rule"]] = case
    rows = []
    for name in sorted(os.listdir(answers_dir)):
        corpus, mode = name.split(".")[:2]
        for line in open(os.path.join(answers_dir, name), encoding="utf-8"):
            answer = json.loads(line)
            case = cases.get((corpus, answer["rule"]))
            if case is None:
                sys.exit(f"{name}: no case of `{corpus}` has the rule: {answer['rule']}")
            if "evidence" not in answer:
                sys.exit(f"{name}: no evidence; was it made with --explain?")
            evidence, first = answer["evidence"], (answer["candidates"] or [{"file": None, "size": 0}])[0]
            features = dict(score=evidence["score"], lead=evidence["lead"], known=math.log(1 + evidence["nKnown"]), size=first["size"])
            right = first["file"] in {gold["file"] for gold in case["gold"]}
            rows.append(Row(corpus, mode, features, right, not case["gold"]))
    return rows

def inputs(row, names):
    return [1.0] + [row.features[name] for name in names]

def probability(coefficients, x):
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, sum(c * v for c, v in zip(coefficients, x))))))

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

def fit(rows, names):
    """Newton's method on the penalised log likelihood."""
    data, n = [(inputs(row, names), row.right) for row in rows], len(names) + 1
    coefficients = [0.0] * n
    for _ in range(40):
        gradient = [RIDGE * c * (i > 0) for i, c in enumerate(coefficients)]
        hessian = [[RIDGE * (i == j > 0) + 1e-9 * (i == j) for j in range(n)] for i in range(n)]
        for x, right in data:
            p = probability(coefficients, x)
            for i in range(n):
                gradient[i] += (p - right) * x[i]
                for j in range(n):
                    hessian[i][j] += p * (1 - p) * x[i] * x[j]
        coefficients = [c - s for c, s in zip(coefficients, solve(hessian, gradient))]
    return coefficients

def unseen(rows, names):
    """Returns the probability of each row by a model fitted on the other corpora, and these models."""
    models = {c: fit([row for row in rows if row.corpus != c], names) for c in sorted({row.corpus for row in rows})}
    return [probability(models[row.corpus], inputs(row, names)) for row in rows], models

def log_loss(rows, probabilities):
    return -sum(math.log(max(1e-9, p if row.right else 1 - p)) for row, p in zip(rows, probabilities)) / len(rows)

def report(title, rows, probabilities, threshold):
    print(f"{title}: log loss {log_loss(rows, probabilities):.3f}")
    for mode in sorted({row.mode for row in rows}):
        mine = [(row, p) for row, p in zip(rows, probabilities) if row.mode == mode]
        share = lambda hits: f"{sum(hits) / len(hits):.2f}" if hits else "none"
        print(f"  {mode:6s} n={len(mine):3d}"
              f" precision={share([row.right for row, p in mine if p >= threshold])}"
              f" refused={share([p < threshold for row, p in mine if row.negative])}"
              f" recall={share([row.right and p >= threshold for row, p in mine if not row.negative])}"
              f" precision at 0.85={share([row.right for row, p in mine if p >= 0.85])}")

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("answers"); p.add_argument("cases", nargs="+")
    p.add_argument("--threshold", type=float, default=0.7); p.add_argument("--now", default=CURRENT)
    a = p.parse_args()
    rows = read(a.answers, a.cases)
    now = [float(value) for value in a.now.split(",")]
    report("current", rows, [probability(now, inputs(row, FEATURES)) for row in rows], a.threshold)
    fitted = fit(rows, FEATURES)
    report("fitted on all", rows, [probability(fitted, inputs(row, FEATURES)) for row in rows], a.threshold)
    probabilities, models = unseen(rows, FEATURES)
    report("without the evaluated corpus", rows, probabilities, a.threshold)
    print("coefficients: intercept, " + ", ".join(FEATURES))
    for name, model in [("all", fitted)] + [(f"without {corpus}", model) for corpus, model in models.items()]:
        print(f"  {name:24s} " + "  ".join(f"{c:6.2f}" for c in model))
    print("log loss over unseen corpora, by features")
    for names in [FEATURES] + [[f for f in FEATURES if f != left] for left in FEATURES] + [FEATURES + ["size"]]:
        print(f"  {'+'.join(names):24s} {log_loss(rows, unseen(rows, names)[0]):.3f}")

if __name__ == "__main__":
    main()
