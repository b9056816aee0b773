"""Derives a pattern for each pair of good and bad code, and tests it.

usage: pairs.py CERBERUS PAIRS > RESULTS     (PAIRS: the output of extract.py)

Each pair becomes a memory twice: with its code blocks (`full`), and as text alone (`text`). The pattern of
the text alone is then tested with the blocks, which it did not see. Prints one JSON line per pair and the
figures on stderr.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SCOPES = {"ts": "typescript", "tsx": "typescript", "js": "javascript", "py": "python", "rs": "rust"}


def memory(pair, mode):
    text = " ".join((pair["text"] or pair["heading"] or "Rule").split())
    scope = f"scope: language:{SCOPES.get(pair['language'], pair['language'])}\n" if mode == "text" else ""
    lines = f"---\nid: {mode}-{pair['id']}\ntype: rule\n{scope}heading: {json.dumps(pair['heading'], ensure_ascii=False)}\n---\n\n{text}\n"
    if mode != "text":
        for label in ("bad", "good"):
            for code in pair[label]:
                lines += f"\n{label.capitalize()}:\n\n```{pair['language']}\n{code}\n```\n"
    return lines


def main():
    cerberus, path = sys.argv[1:3]
    pairs = [json.loads(line) for line in open(path)]
    folder = tempfile.mkdtemp(prefix="pairs-")
    env = {**os.environ, "XDG_STATE_HOME": folder + "/state"}
    run = lambda *args: subprocess.run([cerberus, *args], cwd=folder, env=env, capture_output=True, text=True)
    subprocess.run(["git", "init", "-q"], cwd=folder)
    run("memory", "init")
    for pair in pairs:
        for mode in ("text", "full"):
            open(f"{folder}/.memories/{mode}-{pair['id']}.md", "w").write(memory(pair, mode))
    report = json.loads(run("--json", "memory", "report").stdout)
    patterns = {m["id"]: m.get("pattern") or {} for m in report["memories"]}
    # The pattern of the text becomes the accepted one of the memory with the blocks, and is tested there.
    tested = {"text": [0, 0], "full": [0, 0]}
    for pair in pairs:
        for mode in ("text", "full"):
            pattern = patterns[f"{mode}-{pair['id']}"].get("pattern")
            pair[f"from_{mode}"] = pattern
            if not pattern:
                continue
            block = "pattern: |\n" + "".join(f"  {line}\n" for line in pattern.splitlines())
            text = memory(pair, "full").replace("\ntype: rule\n", "\ntype: rule\n" + block, 1)
            open(f"{folder}/.memories/full-{pair['id']}.md", "w").write(text)
            test = json.loads(run("--json", "memory", "pattern", f"full-{pair['id']}").stdout)["test"]
            pair[f"test_{mode}"] = test
            tested[mode][0] += 1
            tested[mode][1] += test["nBad"] > len(test["misses"]) and not test["falseHits"]
    for pair in pairs:
        print(json.dumps(pair, ensure_ascii=False))
    repositories = len({pair["repo"] for pair in pairs})
    print(f"{len(pairs)} pairs of {repositories} repositories", file=sys.stderr)
    for mode, (derived, right) in tested.items():
        print(f"{mode}: {derived} derived, {right} hit the bad code and not the good", file=sys.stderr)
    shutil.rmtree(folder)


main()
