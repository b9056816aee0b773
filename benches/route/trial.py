#!/usr/bin/env python3
"""Measure which of the rules that a change needs are injected for it, on the tasks of trial.jsonl.

usage: trial.py MIRROR [--set dev|held-out] [--bin cerberus] [--importer cerberus] [--keep FOLDER] [--budget 1500]
                [--text NUMBER] [--misses] [--lines]

MIRROR has one git directory for each repository: MIRROR/<owner>+<name>/repo. The tree of the commit `base` is copied, its rule
files are imported with examples, and each task is asked for in four ways: with its text as query and its file named, with the
file only, with the text only, and at the start of a session. --keep stores the trees with their banks, to import them once.
--text prints what is injected for a task, --misses the rules that are not given, --lines one line for each task. Uses the
standard library only. The last line is one JSON object.

A task is a commit after `base`: its title, and the source file with the most changed lines. A rule is relevant if the author of the change
needs to know it or could break it: `code` is about what is written, `work` about what is run or checked. A rule is named by the
start of its text; where several rules say the same, one of them is enough.

Prints of the relevant rules how many are given, the recall, of those about code and work, and `short`: how many of them only
with the start of their text; of the given rules the share that is relevant (`useful`); the mean number of tokens; and how
many of the examples are under a relevant rule.
"""
import argparse, json, os, shutil, subprocess, sys, tempfile

from replay import extract, run

HERE = os.path.dirname(os.path.abspath(__file__))
WAYS = ("query+file", "file", "query", "start")


def prepare(importer, git_dir, base, folder):
    """Copies the tree of a commit and imports its rules, unless that was done before."""
    if not os.path.isdir(os.path.join(folder, ".memories")):
        extract(git_dir, folder, base)
        for args in (["init"], ["import", "--yes"]):
            done = run(importer, "memory", *args, "--project", folder)
            if done.returncode not in (0, 1):
                sys.exit(done.stderr.decode())


def inject(binary, folder, task, way, budget, *options):
    args = []
    if "query" in way:
        args += ["--query", task["task"]]
    if "file" in way:
        args += ["--file", task["file"]]
    done = run(binary, "memory", "inject", "--project", folder, "--json", "--budget", str(budget), *args, *options)
    if done.returncode != 0:
        sys.exit(done.stderr.decode())
    return json.loads(done.stdout)


def plain(text):
    return " ".join(text.split())


def score(task, report):
    """Returns which of the relevant rules are given, and how many examples are, and of these how many under a relevant rule."""
    given = [plain(memory["text"]) for memory in report["memories"]]
    has = lambda starts: any(text.startswith(start) for text in given for start in starts)
    starts = [start for kind in ("code", "work") for rule in task[kind] for start in rule]
    whole = [plain(memory["text"]) for memory in report["memories"] if not memory.get("isShortened")]
    is_short = lambda starts: has(starts) and not any(text.startswith(start) for text in whole for start in starts)
    examples = [plain(memory["text"]) for memory in report["memories"] if memory["example"]]
    under = sum(any(text.startswith(start) for start in starts) for text in examples)
    return {"code": [has(rule) for rule in task["code"]], "work": [has(rule) for rule in task["work"]], "rules": len(given),
            "useful": sum(any(text.startswith(start) for start in starts) for text in given),
            "short": sum(map(is_short, task["code"] + task["work"])), "tokens": report["usedTokens"], "examples": len(examples), "under": under}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("mirror"); p.add_argument("--set"); p.add_argument("--bin", default="cerberus"); p.add_argument("--importer")
    p.add_argument("--keep"); p.add_argument("--budget", type=int, default=1500); p.add_argument("--text", type=int)
    p.add_argument("--ways", default=",".join(WAYS)); p.add_argument("--misses", action="store_true"); p.add_argument("--lines", action="store_true")
    a = p.parse_args()
    absolute = lambda name: shutil.which(name) or os.path.abspath(name)
    binary, importer = absolute(a.bin), absolute(a.importer or a.bin)
    tasks = [json.loads(line) for line in open(os.path.join(HERE, "trial.jsonl"), encoding="utf-8")]
    totals = {}
    with tempfile.TemporaryDirectory() as temporary:
        for number, task in enumerate(tasks):
            if a.set not in (None, task["set"]) or a.text not in (None, number):
                continue
            name = task["repository"].replace("/", "+")
            folder = os.path.join(a.keep or temporary, name)
            prepare(importer, os.path.join(a.mirror, name, "repo"), task["base"], folder)
            for way in a.ways.split(","):
                report = inject(binary, folder, task, way, a.budget)
                if a.text is not None and way == "query+file":
                    print(report["text"])
                found = score(task, report)
                if a.lines:
                    print(f"{number:3} {name[:28]:28} {way:11}", {key: f"{sum(v)}/{len(v)}" if isinstance(v, list) else v for key, v in found.items()})
                if a.misses and way == "query+file":
                    why = {plain(skipped["id"]): skipped["why"] for skipped in report["skipped"]}
                    shown = {plain(m["text"]): m["id"] for m in memories(binary, folder)}
                    for kind in ("code", "work"):
                        for is_given, rule in zip(found[kind], task[kind]):
                            if not is_given:
                                ids = [i for text, i in shown.items() if any(text.startswith(start) for start in rule)]
                                print(f"  MISS {number} {kind}: {rule[0]} | {'; '.join(why.get(i, '?') for i in ids)}")
                for key in (name, task["set"], "all"):
                    total = totals.setdefault(key, {}).setdefault(way, dict.fromkeys(("relevant", "given", "code", "code_given", "work", "work_given", "rules", "useful", "short", "tokens", "examples", "under", "tasks"), 0))
                    total["tasks"] += 1
                    for kind in ("code", "work"):
                        total[kind] += len(found[kind]); total[f"{kind}_given"] += sum(found[kind])
                        total["relevant"] += len(found[kind]); total["given"] += sum(found[kind])
                    for part in ("rules", "useful", "short", "tokens", "examples", "under"):
                        total[part] += found[part]
    ratio = lambda part, whole: round(part / whole, 3) if whole else None
    print(f"{'':32} {'':11} {'given':>9} {'recall':>6} {'code':>6} {'work':>6} {'useful':>7} {'short':>5} {'tokens':>6} {'examples':>8}")
    for key, ways in totals.items():
        for way, t in ways.items():
            print(f"{key[:32]:32} {way:11} {t['given']:4}/{t['relevant']:<4} {ratio(t['given'], t['relevant'])!s:>6} {ratio(t['code_given'], t['code'])!s:>6}"
                  f" {ratio(t['work_given'], t['work'])!s:>6} {ratio(t['useful'], t['rules'])!s:>7} {t['short']:5} {t['tokens'] // t['tasks']:6} {t['under']:4}/{t['examples']}")
    print(json.dumps(totals))


def memories(binary, folder):
    return json.loads(run(binary, "memory", "show", "--json", "--project", folder).stdout)["memories"]


if __name__ == "__main__":
    main()
