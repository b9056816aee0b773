#!/usr/bin/env python3
"""Fit the columns of crates/engine/src/weights/relevance.toml to what was judged.

usage: fit.py file CORPORA [CORPORA ...] [--hints TSV] | fit.py task MIRROR [--keep FOLDER]
       with [--bin cerberus] [--strength NUMBER] [--write]

Takes the features of each rule from `cerberus memory inject --explain --json` and fits the weights of one occasion, those that the
table already has there, by logistic regression: for `file` conditional on the file, so that the right rule comes before the others of
its bank (the pairs of score_pairs.py, each rule with the same weight), for `task` on the rules of the development set of trial.jsonl. The
weights are drawn to the present ones, --strength times as much as one pair draws.

Prints the log loss of each of five parts, left out of the fit, with the present and with the fitted weights, and the weights that change.
--write rewrites them in the table, rounded; measure with the other scripts before you keep them. Not fitted here: `lines`, of which the
rows of the file are 0.4 times those of `file`, `edit`, whose pairs of a rule and a hunk only the hook sees, and the points of `session`.
Uses the standard library only.
"""
import argparse, collections, hashlib, json, math, os, re, shutil, sys, tempfile

import score_pairs
import trial

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "crates", "engine", "src", "weights", "relevance.toml")
N_PARTS = 5
N_STEPS = 300


def read_weights(occasion):
    """Returns the weights of an occasion by feature."""
    with open(TABLE, encoding="utf-8") as f:
        rows = re.findall(r"^(\w+) = \{(.*)\}$", f.read(), re.M)
    cells = {feature: dict(re.findall(r"(\w+) = (-?[\d.]+)", row)) for feature, row in rows}
    return {feature: float(row[occasion]) for feature, row in cells.items() if occasion in row}


def write_weights(occasion, weights):
    with open(TABLE, encoding="utf-8") as f:
        text = f.read()
    for feature, value in weights.items():
        text = re.sub(rf"(?m)^({feature} = \{{.*\b{occasion} = )-?[\d.]+", rf"\g<1>{value:.3g}", text)
        text = re.sub(rf"(?m)^({feature} = \{{.*\b{occasion} = -?\d+)(?=[ ,])", r"\1.0", text)
    with open(TABLE, "w", encoding="utf-8") as f:
        f.write(text)


def explained(bank, *args):
    done = bank.memory("inject", *args, "--budget", "1000000", "--no-examples", "--explain", "--json")
    return json.loads(done.stdout).get("features", {})


def pairs(a):
    """Yields for each pair its group, its weight, the features of the right rule and of the others."""
    cases_of = score_pairs.read_cases(a.cases, a.folders)
    hints = dict(line.rstrip("\n").split("\t", 1) for line in open(a.hints, encoding="utf-8")) if a.hints else {}
    for corpus, cases in sorted(cases_of.items()):
        source = score_pairs.find(a.folders, corpus)
        with tempfile.TemporaryDirectory(dir=os.path.dirname(source)) as folder:
            bank, anchored = score_pairs.open_bank(a.bin, source, folder, cases, hints, False)
            for case in anchored:
                files = score_pairs.asked_files(case)
                for file in files:
                    features = explained(bank, "--file", file)
                    known = score_pairs.holding(bank.root, cases, file)
                    others = [it for id, it in features.items() if id != case["id"] and id not in known]
                    if case["id"] in features and others:
                        yield corpus, 1 / len(files), [features[case["id"]]], others


def tasks(a):
    """Yields for each task its repository, the features of the rules that it needs and of the others."""
    with tempfile.TemporaryDirectory() as temporary, open(os.path.join(trial.HERE, "trial.jsonl"), encoding="utf-8") as f:
        for task in filter(lambda task: task["set"] == "dev", map(json.loads, f)):
            name = task["repository"].replace("/", "+")
            folder = os.path.join(a.keep or temporary, name)
            trial.prepare(a.bin, os.path.join(a.folders[0], name, "repo"), task["base"], folder)
            features = trial.inject(a.bin, folder, task, "query+file", 1500, "--explain").get("features", {})
            texts = {it["id"]: trial.plain(it["text"]) for it in trial.memories(a.bin, folder)}
            starts = [start for kind in ("code", "work") for rule in task[kind] for start in rule]
            is_right = lambda id: any(texts.get(id, "").startswith(start) for start in starts)
            yield name, 1, [it for id, it in features.items() if is_right(id)], [it for id, it in features.items() if not is_right(id)]


def rows_of(groups, names):
    """Returns each group as its name, its weight, the vector of each rule, and which rules are right."""
    vector = lambda features: [features.get(name, 0.0) for name in names]
    return [(group, weight, [vector(it) for it in right + others], [1.0] * len(right) + [0.0] * len(others))
            for group, weight, right, others in groups]


def loss_and_slope(rows, weights, bias):
    """Returns the loss and its slope by each weight and the bias. Without a bias the rules of a pair are compared, with one each rule is
    judged alone."""
    loss, slope = 0.0, [0.0] * (len(weights) + 1)
    for _, weight, vectors, is_right in rows:
        scores = [sum(map(float.__mul__, vector, weights)) + (bias or 0.0) for vector in vectors]
        if bias is None:
            most = max(scores)
            odds = [math.exp(score - most) for score in scores]
            right, total = sum(map(float.__mul__, odds, is_right)), sum(odds)
            loss -= weight * math.log(right / total)
            errors = [odd / total - odd * is_one / right for odd, is_one in zip(odds, is_right)]
        else:
            chances = [1 / (1 + math.exp(-max(-30.0, min(30.0, score)))) for score in scores]
            loss -= weight * sum(math.log(chance if is_one else 1 - chance) for chance, is_one in zip(chances, is_right))
            errors = list(map(float.__sub__, chances, is_right))
        for vector, error in zip(vectors, errors):
            for idx, value in enumerate(vector):
                slope[idx] += weight * error * value
            slope[-1] += weight * error
    return loss, slope


def fit(rows, start, strength, has_bias):
    """Returns the weights with the least loss, drawn to `start`, and the bias."""
    values = start + [0.0]
    first, second = [0.0] * len(values), [0.0] * len(values)
    for step in range(1, N_STEPS + 1):
        _, slope = loss_and_slope(rows, values[:-1], values[-1] if has_bias else None)
        for idx in range(len(values) if has_bias else len(values) - 1):
            drawn = strength * (values[idx] - start[idx]) if idx < len(start) else 0.0
            one = (slope[idx] + drawn) / len(rows)
            first[idx] = 0.9 * first[idx] + 0.1 * one
            second[idx] = 0.99 * second[idx] + 0.01 * one * one
            mean, square = first[idx] / (1 - 0.9 ** step), second[idx] / (1 - 0.99 ** step)
            values[idx] -= 0.1 / (1 + step / 50) * mean / (math.sqrt(square) + 1e-9)
    return values[:-1], values[-1] if has_bias else None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("occasion", choices=["file", "task"]); p.add_argument("folders", nargs="+")
    p.add_argument("--cases", nargs="+", default=[os.path.join(score_pairs.ANCHORS, name) for name in ("wild.jsonl", "imported.jsonl")])
    p.add_argument("--bin", default="cerberus"); p.add_argument("--hints"); p.add_argument("--keep")
    p.add_argument("--strength", type=float, default=2.0); p.add_argument("--write", action="store_true")
    a = p.parse_args()
    a.bin = shutil.which(a.bin) or os.path.abspath(a.bin)
    present = read_weights(a.occasion)
    names, start = list(present), list(present.values())
    rows = rows_of((pairs if a.occasion == "file" else tasks)(a), names)
    if not rows:
        sys.exit("no case has features")
    has_bias = a.occasion == "task"
    part = lambda row: int(hashlib.sha256(row[0].encode()).hexdigest(), 16) % N_PARTS
    total = collections.Counter()
    for left_out in range(N_PARTS):
        inside, outside = [row for row in rows if part(row) != left_out], [row for row in rows if part(row) == left_out]
        if inside and outside:
            weights, bias = fit(inside, start, a.strength, has_bias)
            # The same weights, with the bias that fits them.
            present_bias = fit(inside, start, 1e6, True)[1] if has_bias else None
            total["present"] += loss_and_slope(outside, start, present_bias)[0]
            total["fitted"] += loss_and_slope(outside, weights, bias)[0]
    print({key: round(value / len(rows), 4) for key, value in total.items()}, f"log loss of {len(rows)} pairs or tasks, by the others")
    weights, _ = fit(rows, start, a.strength, has_bias)
    for name, old, new in zip(names, start, weights):
        if f"{old:.3g}" != f"{new:.3g}":
            print(f"{name:20} {old:8.3g} {new:8.3g}")
    if a.write:
        write_weights(a.occasion, dict(zip(names, weights)))


if __name__ == "__main__":
    main()
