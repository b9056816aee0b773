#!/usr/bin/env python3
"""Fit the two models that decide whether a rule gets an anchor.

usage: fit.py [--write] CASES.jsonl ANSWERS.jsonl [ANSWERS.jsonl ...]

ANSWERS come from `score.py --answers`, made without and with hints and with --foreign; CASES are their rules. The first model
(crates/engine/src/rank/rule_kind.rs) tells from the wording of a rule whether it is working advice, the second
(crates/engine/src/rank/calibrate.rs) gives the probability that the first answer is right; the first model is an
input of it, for each rule by that of the other code bases. Code bases that are held out are ignored. --write writes both to
crates/engine/src/weights/quality.toml.
Prints for each model the coefficients fitted on all code bases, and its quality on each tenth of the code bases by the model of
the others.
Uses the standard library only.
"""
import argparse, collections, hashlib, json, math, pathlib, re, tomllib

WORDING = ["process", "project", "code", "commands", "names", "length", "phrase", "verb"]
EVIDENCE = ["score", "lead", "rest", "effective_words", "process", "unknown_names", "general", "length", "missing_hints", "found_hints",
            "found_names", "missing_names", "definition", "test_mismatch", "without_demand"]
FILE = pathlib.Path(__file__).parents[2] / "crates/engine/src/weights/quality.toml"
HEAD = """# Written by benches/anchors/fit.py: the two models that decide whether a rule gets an anchor, fitted on
# 3,000 searches (benches/README.md). crates/engine/src/rank/rule_kind.rs and calibrate.rs explain the features.
"""
SHORT = 10  # number of lines from which length counts, as in calibrate.rs
NAMES = 3  # more names do not count, as there
RIDGE = 0.1  # keeps coefficients finite if a feature separates the classes completely
FOLDS = 10
STEM_LEN, N_STEMS, STEM_RIDGE = 5, 120, 5.0  # of the words that tell working advice
CODE_AS_ADVICE = 0.04  # share of the rules about code that may be taken for working advice
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

def stems(rule):
    """The beginnings of the words outside of back-ticks."""
    return {word[:STEM_LEN] for part in rule.lower().split("`")[::2] for word in re.findall("[a-z]+", part) if len(word) > 1}

def fit_stems(data, n_stems=N_STEMS):
    """Weights of stems added to known log odds, by gradient descent; data are (stems, log odds, outcome). The heaviest frequent ones stay."""
    counts = collections.Counter(stem for own, _, _ in data for stem in own)
    weights = {stem: 0.0 for stem, count in counts.items() if count >= 4}
    for keep in (None, n_stems):
        if keep:
            heaviest = sorted(weights, key=lambda stem: (-abs(weights[stem]) * math.sqrt(counts[stem]), stem))[:keep]
            weights = {stem: weights[stem] for stem in sorted(heaviest)}
        for _ in range(60):
            gradient = {stem: STEM_RIDGE * weight for stem, weight in weights.items()}
            for own, logit, outcome in data:
                error = probability(logit + sum(weights.get(stem, 0.0) for stem in own)) - outcome
                for stem in own:
                    if stem in weights:
                        gradient[stem] += error
            for stem in weights:
                # Each of the some ten stems of a rule moves its log odds.
                weights[stem] -= gradient[stem] / (STEM_RIDGE + counts[stem])
    return weights

class KindModel:
    """The log odds that a rule is working advice: features of its wording, and stems."""
    def __init__(self, rules):
        self.features = fit([(wording(row), process, 1.0) for row, _, process in rules])
        self.stems = fit_stems([(own, dot(self.features, wording(row)), process) for row, own, process in rules])

    def logit(self, row, own):
        return dot(self.features, wording(row)) + sum(self.stems.get(stem, 0.0) for stem in own)

def evidence(row, logit):
    e = row["evidence"]
    process = max(-2.0, min(4.0, logit))
    found_names = min(NAMES, e["nFoundNames"])
    return [1.0, e["score"], e["lead"], e["rest"], math.log(max(1.0, e["nEffective"])), process, min(e["nUnknownNames"], 2),
            e["wording"]["general"], math.log(max(SHORT, e["nLines"])), e["nHints"] - e["nFoundHints"], e["nFoundHints"],
            found_names, min(NAMES, e["nNames"]) - found_names, e["isDefinition"],
            e["isTestMismatch"], e["isWithoutDemand"]]

def fold(corpus):
    return hashlib.sha256(corpus.encode()).digest()[0] % FOLDS

def show(names, coefficients):
    print("  " + "  ".join(f"{name} {c:.2f}" for name, c in zip(["intercept"] + names, coefficients)))

def table(comment, title, names, coefficients):
    names = names if len(names) == len(coefficients) else ["intercept"] + names
    rows = [f"{name} = {round(c, 2)}" for name, c in zip(names, coefficients)]
    return "\n".join(["", f"# {comment}", f"[{title}]"] + rows) + "\n"

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--write", action="store_true"); p.add_argument("cases"); p.add_argument("answers", nargs="+")
    a = p.parse_args()
    cases = {case["id"]: case for case in read(a.cases)}
    home, kinds = ({i: case[name] for i, case in cases.items()} for name in ("corpus", "kind"))
    words = {i: stems(case["rule"]) for i, case in cases.items()}
    rows = [row for path in a.answers for row in read(path) if row["evidence"] and not row["held"]]
    corpora = sorted({row["corpus"] for row in rows})
    rules = {row["id"]: row for row in rows if row["kind"] != "foreign"}

    def kind_model(without):
        return KindModel([(row, words[i], kinds[i] == "process") for i, row in rules.items() if fold(home[i]) != without])

    folds = sorted({fold(corpus) for corpus in corpora})
    models = {number: kind_model(number) for number in sorted({fold(home[i]) for i in rules})}
    advice = kind_model(None)
    # The model without the rule's code base: with so many stems, the other has learnt the rules by heart.
    left_out = {i: models[fold(home[i])].logit(row, words[i]) for i, row in rules.items()}
    about_code = sorted(logit for i, logit in left_out.items() if kinds[i] == "code")
    shift = about_code[round(len(about_code) * (1 - CODE_AS_ADVICE))]
    advice.features[0] -= shift
    process_logit = lambda row: left_out[row["id"]] - shift if row["id"] in left_out else advice.logit(row, words[row["id"]])
    print("working advice:"); show(WORDING, advice.features)
    for kind in ("process", "code", "absent"):
        taken = [process_logit(row) > 0 for i, row in rules.items() if kinds[i] == kind]
        print(f"  {kind:8s} n={len(taken):3d} taken for working advice {sum(taken) / max(1, len(taken)):.3f}")

    def data(row):
        return evidence(row, process_logit(row)), row["first"], FOREIGN_WEIGHT if row["kind"] == "foreign" else 1.0

    first = fit([data(row) for row in rows])
    # Of a rule that is known to be about code, more answers are right than its wording says.
    known = [(dot(first, evidence(row, -math.inf)), row["first"]) for row in rows if row["kind"] in ("code", "absent")]
    code = 0.0
    for _ in range(30):
        chances = [(probability(logit + code), outcome) for logit, outcome in known]
        code += sum(outcome - p for p, outcome in chances) / sum(p * (1 - p) for p, _ in chances)
    print(f"known to be about code: {code:.2f}")
    print("the first answer is right:"); show(EVIDENCE, first)
    if a.write:
        FILE.write_text(HEAD + table("Log odds that a rule is working advice.", "working_advice", WORDING, advice.features)
                        + table("Log odds that the first answer is right.", "first_answer", EVIDENCE + ["code"], first + [code])
                        + table(f"What words add to the log odds of working advice, by their first {STEM_LEN} letters.", "stems", *zip(*sorted(advice.stems.items()))),
                        encoding="utf-8")
    judged = []
    for number in folds:
        model = fit([data(row) for row in rows if fold(row["corpus"]) != number])
        judged += [(probability(dot(model, data(row)[0])), row) for row in rows if fold(row["corpus"]) == number]
    own = [(p, row["first"]) for p, row in judged if row["kind"] != "foreign" and process_logit(row) <= 0]
    for low, high in ((0, .2), (.2, .35), (.35, .5), (.5, .7), (.7, .8), (.8, .9), (.9, 1.01)):
        right = [first for p, first in own if low <= p < high]
        print(f"  {low:.2f} to {min(high, 1):.2f}: {len(right):4d} answers, right {sum(right) / max(1, len(right)):.2f}")

if __name__ == "__main__":
    main()
