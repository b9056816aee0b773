"""Compares what the hook denies with the labels of commands.txt.

usage: score.py CERBERUS

Prints each wrong line, and the share of right ones, with the time of the hook. `text` is the share of the lines to deny for
which the text of the rule alone gives a hint, and the share of the other lines for which it does.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def read(path):
    rules = []
    for line in path.read_text().splitlines():
        if line.startswith("> "):
            text, commands = line[2:].rsplit(" | ", 1)
            rules.append((text, commands, []))
        elif line[:2] in ("- ", "+ "):
            rules[-1][2].append((line[0] == "-", line[2:].replace("\\n", "\n")))
    return rules


def hook(cerberus, folder, line, session):
    event = json.dumps({"session_id": session, "cwd": str(folder), "tool_input": {"command": line}})
    start = time.perf_counter()
    command = [cerberus, "hooks", "run", "claude", "command"]
    answer = subprocess.run(command, input=event, capture_output=True, text=True, cwd=folder, check=True).stdout
    return answer, (time.perf_counter() - start) * 1000


def main():
    cerberus = str(Path(sys.argv[1]).resolve())
    wrong, times, hints = [], [], {True: [0, 0], False: [0, 0]}
    rules = read(Path(__file__).parent / "commands.txt")
    for number, (text, commands, lines) in enumerate(rules):
        folder = Path(tempfile.mkdtemp())
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        (folder / ".memories").mkdir()
        rule = folder / ".memories/rule.md"
        for has_command in (True, False):
            listed = json.dumps(commands.split(", "))
            front = f"type: rule\ncommand: {listed}\n" if has_command else "type: rule\n"
            rule.write_text(f"---\n{front}---\n\n{text}\n")
            for idx, (is_forbidden, line) in enumerate(lines):
                answer, ms = hook(cerberus, folder, line, f"{number} {idx}")
                if not has_command:
                    hints[is_forbidden][0] += bool(answer)
                    hints[is_forbidden][1] += 1
                    continue
                times.append(ms)
                if ('"deny"' in answer) != is_forbidden:
                    wrong.append((text, "-+"[not is_forbidden], line))
    n_lines = len(times)
    for text, label, line in wrong:
        print(f"{label} {line!r}   ({text})")
    print(f"{len(rules)} rules, {n_lines} lines, {n_lines - len(wrong)} right: {1 - len(wrong) / n_lines:.3f}")
    print(f"hook: median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms")
    (n_hit, n_bad), (n_false, n_good) = hints[True], hints[False]
    print(f"text: hints for {n_hit} of {n_bad} lines to deny, for {n_false} of {n_good} others")


if __name__ == "__main__":
    main()
