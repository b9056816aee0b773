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
    "from_guide", "other_paths", "query_words", "query_cosine", "file_words", "file_code", "marked_parts", "same_moment",
    "checking", "emphatic",
]
RIDGE = 3.0
OTHER_WEIGHT = 0.4
MAX_GIVEN = 6


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


def fit(x, y, task):
    """Returns the weights that make the labelled rules of each task the most probable ones of their bank."""
    deviation = x.std(0) + 1e-6
    z = (x - x.mean(0)) / deviation
    has_label = np.bincount(task, y) > 0
    z, y, task = z[has_label[task]], y[has_label[task]], task[has_label[task]]
    task = np.unique(task, return_inverse=True)[1]
    aim = y / np.bincount(task, y)[task]
    weights = np.zeros(z.shape[1])
    for _ in range(30):
        odds = np.exp(z @ weights)
        share = odds / np.bincount(task, odds)[task]
        means = np.zeros((task.max() + 1, len(weights)))
        np.add.at(means, task, z * share[:, None])
        gradient = z.T @ (share - aim) + RIDGE * weights
        curvature = (z * share[:, None]).T @ z - means.T @ means + RIDGE * np.eye(len(weights))
        weights -= np.linalg.solve(curvature, gradient)
    return weights / deviation


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
            y.append(1.0 if memory in rule else OTHER_WEIGHT if memory in others else 0.0)
            is_rule.append(memory in rule)
            of_task.append(number)
            of_repository.append(task["corpus"])
    x, y, is_rule = np.array(x), np.array(y, float), np.array(is_rule)
    of_task, of_repository = np.array(of_task), np.array(of_repository)
    for name, weight in zip(FEATURES, fit(x, y, of_task)):
        print(f"{name} = {weight:.2f}")
    scores = np.zeros(len(x))
    for repository in set(of_repository):
        is_out = of_repository == repository
        scores[is_out] = x[is_out] @ fit(x[~is_out], y[~is_out], of_task[~is_out])
    for n_most in range(1, MAX_GIVEN + 3):
        n_given = n_right = n_found = n_known = 0
        for number in range(len(tasks)):
            rules = np.where(of_task == number)[0]
            given = rules[np.argsort(-scores[rules], kind="stable")][:n_most]
            n_given += len(given)
            n_right += (y[given] > 0).sum()
            n_known += is_rule[rules].any()
            n_found += is_rule[given].any()
        print(f"{n_most} given: found {n_found} of {n_known}, right {n_right / max(1, n_given):.2f}")


if __name__ == "__main__":
    main()
