#!/usr/bin/env python3
"""Fits the weights of a task. See README.md.

usage: fit.py TREES [--bin CERBERUS]
"""

import argparse
import json
import pathlib
import re
import subprocess

import numpy as np

FEATURES = [
    "from_guide", "other_paths", "query_words", "query_cosine", "file_words", "file_code",
    "checking", "emphatic", "only_tests", "only_documents", "declared_nearness",
]
RIDGE = 10.0
MAX_GIVEN = 5


def words(text):
    return set(re.findall(r"[A-Za-z_]{3,}", text.lower()))


def plain(text):
    return re.sub(r"\W+", " ", text.lower()).strip()


def run(binary, folder, *arguments):
    done = subprocess.run([binary, "memory", *arguments, "--json"], cwd=folder, capture_output=True, text=True)
    return json.loads(done.stdout)


def labelled(task, memories):
    """Returns the ids of the rule of a task, and of the others that concern it."""
    rule, others = set(), set()
    wanted = words(task["rule"])
    for memory in memories:
        known = words(memory["text"])
        if len(wanted & known) >= 0.8 * len(wanted) or (len(known) >= 5 and len(known & wanted) >= 0.9 * len(known)):
            rule.add(memory["id"])
        elif any(plain(start) in plain(memory["text"]) for start in task["also"]):
            others.add(memory["id"])
    return rule, others


def fit(x, y):
    mean, deviation = x.mean(0), x.std(0) + 1e-6
    z = np.c_[(x - mean) / deviation, np.ones(len(x))]
    weights, ridge = np.zeros(z.shape[1]), np.eye(z.shape[1]) * RIDGE
    ridge[-1, -1] = 0
    for _ in range(60):
        odds = 1 / (1 + np.exp(-np.clip(z @ weights, -30, 30)))
        gradient = z.T @ (odds - y) + ridge @ weights
        weights -= np.linalg.solve((z * (odds * (1 - odds) + 1e-9)[:, None]).T @ z + ridge, gradient)
    scaled = weights[:-1] / deviation
    return scaled, weights[-1] - (scaled * mean).sum()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trees", type=pathlib.Path)
    parser.add_argument("--bin", default="cerberus")
    arguments = parser.parse_args()
    binary = str(pathlib.Path(arguments.bin).absolute())
    x, y, is_rule, of_task, of_repository = [], [], [], [], []
    tasks = [json.loads(line) for line in open(pathlib.Path(__file__).parent / "tasks.jsonl")]
    for number, task in enumerate(tasks):
        tree = arguments.trees / task["corpus"]
        memories = run(binary, tree, "show")["memories"]
        rule, others = labelled(task, memories)
        features = run(binary, tree, "inject", "--query", task["task"], "--explain").get("features", {})
        for memory, values in features.items():
            x.append([values.get(name, 0.0) for name in FEATURES])
            y.append(memory in rule or memory in others)
            is_rule.append(memory in rule)
            of_task.append(number)
            of_repository.append(task["corpus"])
    x, y, is_rule = np.array(x), np.array(y, float), np.array(is_rule)
    of_task, of_repository = np.array(of_task), np.array(of_repository)
    weights, bias = fit(x, y)
    for name, weight in zip(FEATURES, weights):
        print(f"{name} = {weight:.2f}")
    print(f"bias = {bias:.2f}")
    scores = np.zeros(len(x))
    for repository in set(of_repository):
        is_out = of_repository == repository
        weights, bias = fit(x[~is_out], y[~is_out])
        scores[is_out] = x[is_out] @ weights + bias
    for threshold in (-9, -3.5, -3.25, -3, -2.75, -2.5, -2):
        n_given = n_right = n_found = n_known = 0
        for number in range(len(tasks)):
            rules = np.where(of_task == number)[0]
            given = rules[np.argsort(-scores[rules])][:MAX_GIVEN]
            given = given[scores[given] >= threshold]
            n_given += len(given)
            n_right += y[given].sum()
            n_known += is_rule[rules].any()
            n_found += is_rule[given].any()
        print(f"{threshold:6} given {n_given / len(tasks):.1f} found {n_found / n_known:.2f} right {n_right / max(1, n_given):.2f}")


if __name__ == "__main__":
    main()
