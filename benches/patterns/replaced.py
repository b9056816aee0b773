"""Finds functions that a later commit replaced by an older one, and functions that stayed.

usage: replaced.py OUT REPOSITORY...

Reads the first-parent history of each repository (MIRRORS/OWNER+NAME/repo). A function f2 is a candidate if a commit
removes its last definition and f1, which is older than f2, is defined before and after that commit, and

- `call`: that commit changes a call of f2 into one of f1 in a line that is equal but for the name and its qualifier, and
  at least half of the removed calls of f2 have a similar line with f1, or
- `import`: f1 has the same name in another file, and the file of f2 gets an import of the name or a qualified call.

Neither function calls the other when f2 is added (no wrapper, no extracted part), and f2 has three lines or more. Tests,
generated and vendored files do not count. Writes one JSON line for each candidate, with the code of both functions for
the reader who labels it, and one for each function that is still in the newest commit (`stayed`).
"""
import difflib
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict

FAMILY = {"py": "py", "go": "go", "rs": "rs", "java": "java", "js": "js", "jsx": "js", "mjs": "js", "cjs": "js", "ts": "js", "tsx": "js", "mts": "js"}
SKIPPED = re.compile(
    r"(^|/)(tests?|__tests__|testing|testdata|specs?|e2e|mocks?|__mocks__|fixtures?|examples?|benche?s?|benchmarks?|vendor(ed)?|_vendor|third_party"
    r"|node_modules|external|generated|gen|dist|docs?|scripts?|tools|migrations|migrate|samples?|demo|cookbook)(/|$)|(^|/)test_|_test\.|\.test\.|\.spec\.|Tests?\.java$"
    r"|conftest|[-_]tests?/|Test\.\w+$|\.stories\.|\.min\.js|\.d\.ts$|\.pb\.|_pb2|\.gen\.", re.I)
DEFINITIONS = {
    "py": [re.compile(r"^\s*(?:async\s+)?def\s+(\w+)\s*[\(\[]")],
    "go": [re.compile(r"^func\s+(?:\([^)]*\)\s*)?(\w+)\s*[\[\(]")],
    "rs": [re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe|extern\s+\"[^\"]*\")\s+)*fn\s+(\w+)")],
    "java": [re.compile(r"^\s+(?:(?:public|private|protected|static|final|synchronized|default)\s+)+(?:<[^=;]+?>\s+)?[\w<>\[\],.? ]+?\s(\w+)\s*\([^;=]*$")],
    "js": [re.compile(r"^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(\w+)\s*[<(]"),
           re.compile(r"^\s*(?:export\s+)?(?:const|let|var)\s+(\w+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^=]*\)\s*(?::[^=]+)?=>|\w+\s*=>|<[\w, ]+>\(|\($)"),
           re.compile(r"^\s+(?:(?:public|private|protected|static|async|override|readonly)\s+)*#?(\w+)\s*(?:<[^()]*>)?\([^;]*\)\s*(?::\s*[^;={]+)?\{\s*$")],
}
KEYWORDS = set("if for while switch catch function return with do else constructor super new describe it test".split())
COMMON = set("main init new setup run get set create update delete render handler default toString equals hashCode from into fmt next parse build start "
             "stop close open read write execute apply call load save clone copy add remove find send name value type size length clear reset keys values "
             "items format print error log info warn debug assert string error wrap unwrap map filter push pop insert append drop eq cmp hash len iter "
             "drain poll flush encode decode serialize deserialize validate check process handle String Error Close Get Set New Run Len Less Swap Write Read".split())
WORD = re.compile(r"[A-Za-z_$][\w$]*|\d+|[^\sA-Za-z_$\d]")
HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)")


def definition(family, line):
    for regex in DEFINITIONS[family]:
        match = regex.match(line)
        if match and match[1] not in KEYWORDS:
            return match[1]
    return None


def commits(repository):
    """Yields each commit as (id, files), with files as {path: [(first new line, removed, added)]}."""
    globs = [f"*.{ext}" for ext in FAMILY]
    args = ["git", "-C", repository, "log", "--first-parent", "-m", "--reverse", "--no-renames", "--no-color", "--no-ext-diff", "-U0", "-p",
            "--format=%x01%H %ct", "--", *globs]
    process = subprocess.Popen(args, stdout=subprocess.PIPE, text=True, errors="replace")
    commit, files, path, hunks, in_header = None, {}, None, None, True
    for line in process.stdout:
        line = line.rstrip("\n")
        if line.startswith("\x01"):
            if commit:
                yield commit, files
            commit, files, hunks = tuple(line[1:].split()), {}, None
        elif line.startswith("diff --git "):
            path, hunks, in_header = line.rsplit(" b/", 1)[-1], None, True
            family = FAMILY.get(path.rsplit(".", 1)[-1])
            if family and not SKIPPED.search(path):
                hunks = files.setdefault(path, [])
        elif hunks is None:
            continue
        elif line.startswith("@@"):
            match = HUNK.match(line)
            hunks.append((int(match[1]), [], []))
            in_header = False
        elif in_header:
            continue
        elif hunks and line.startswith("-"):
            hunks[-1][1].append(line[1:])
        elif hunks and line.startswith("+"):
            hunks[-1][2].append(line[1:])
    if commit:
        yield commit, files


def call(tokens, place):
    """Returns the line without the qualifier and the name of the call at a place: what else it has."""
    start = place
    while start >= 2 and tokens[start - 1] in (".", ":", ">") :
        start -= 1
        while start >= 1 and tokens[start - 1] in (".", ":", "-", "?"):
            start -= 1
        if start >= 1 and re.match(r"[A-Za-z_$]", tokens[start - 1]):
            start -= 1
    return tokens[:start] + ["@"] + tokens[place + 1:]


def call_rest(line, name):
    tokens = WORD.findall(line)
    return next((call(tokens, idx) for idx in calls(tokens) if tokens[idx] == name), None)


def calls(tokens):
    return [idx for idx, token in enumerate(tokens[:-1]) if tokens[idx + 1] in "(<" and re.match(r"[A-Za-z_$]", token)]


def replacements(removed, added, name):
    """Returns for each removed line with a call of `name` the other name that an added line calls, which is else equal
    except for the qualifier, with True; or which is similar, with False; or None."""
    if not removed:
        return
    added = [WORD.findall(line) for line in added[:60] if "(" in line and len(line) < 300]
    added = [it for it in added if len(it) <= 80 and name not in it]
    for line in [it for it in removed if len(it) < 300][:40]:
        tokens = WORD.findall(line)
        places = [idx for idx in calls(tokens) if tokens[idx] == name]
        if not places or len(tokens) > 150:
            continue
        rest = call(tokens, places[0])
        best = (0.0, None)
        for other in added:
            for place in calls(other):
                its = call(other, place)
                if its == rest:
                    best = max(best, (2.0, other[place]), key=lambda it: it[0])
                elif best[0] < 1 and abs(len(its) - len(rest)) < 8 and its.index("@") == rest.index("@") and its[:1] == rest[:1]:
                    ratio = difflib.SequenceMatcher(None, rest, its, autojunk=False).ratio()
                    best = max(best, (ratio, other[place]), key=lambda it: it[0])
        yield (best[1], best[0] == 2.0) if best[0] >= 0.8 else (None, False)


def qualifier(line, name):
    """Returns what is before the dot of the call of `name` in a line, or None if it does not call it."""
    match = re.search(rf"([\w$\])]*)(\.|::)?\b{re.escape(name)}\s*[(<]", line)
    return None if not match else (match[1] + (match[2] or "") if match[2] else "")


def is_import(line, name):
    return bool(re.match(rf"\s*(import|from|(pub(\(\w+\))? )?use|export)\b.*\b{re.escape(name)}\b", line)
                or re.match(rf"\s*(const|let|var)\b.*\b{re.escape(name)}\b.*\brequire\(", line) or re.match(rf"\s*{re.escape(name)}\s*,\s*$", line))


def mine(repository, name, out):
    live = defaultdict(lambda: defaultdict(Counter))     # family, name -> file -> number of definitions
    born = defaultdict(dict)                             # (family, name) -> file -> (index, commit)
    history, cases = [], []
    stayed = {}
    for index, ((commit, time), files) in enumerate(commits(repository)):
        history.append(commit)
        added, removed = defaultdict(Counter), defaultdict(Counter)
        for path, hunks in files.items():
            family = FAMILY[path.rsplit(".", 1)[-1]]
            for _, old, new in hunks:
                for line in old:
                    if found := definition(family, line):
                        removed[family, found][path] += 1
                for line in new:
                    if found := definition(family, line):
                        added[family, found][path] += 1
        n_definitions = sum(len(it) for it in added.values())
        before = {key: {path: n for path, n in live[key[0]][key[1]].items() if n > 0} for key in removed}
        for (family, found), paths in removed.items():
            for path, n in paths.items():
                live[family][found][path] -= n
        for (family, found), paths in added.items():
            for path, n in paths.items():
                if sum(n for n in live[family][found].values() if n > 0) == 0 and (family, found) not in removed:
                    born[family, found] = {}
                if live[family][found][path] <= 0 and (family, found) not in removed:
                    born[family, found][path] = (index, commit, n_definitions)
                elif live[family][found][path] <= 0:
                    # Moved: it is as old as the oldest that the commit removed.
                    old = [born[family, found][it] for it in removed[family, found] if it in born[family, found]]
                    born[family, found][path] = min(old) if old else (index, commit, n_definitions)
                live[family][found][path] += n
        for (family, found), paths in removed.items():
            if len(found) < 4 or found in COMMON or (family, found) in added or found.startswith("__"):
                continue
            left = {path: n for path, n in live[family][found].items() if n > 0}
            case = None
            if not left:
                births = [born[family, found][path] for path in before[family, found] if path in born[family, found]]
                if not births or len(before[family, found]) > 1 or min(births)[0] == 0:
                    continue
                birth = min(births)
                votes, exact, n_calls = Counter(), Counter(), 0
                places = {}
                for path, hunks in files.items():
                    if FAMILY[path.rsplit(".", 1)[-1]] != family:
                        continue
                    for line, old, new in hunks:
                        for instead, is_equal in replacements([it for it in old if found in it and definition(family, it) != found], new, found):
                            n_calls += 1
                            if instead:
                                votes[instead] += 1
                                exact[instead] += is_equal
                                places.setdefault(instead, f"{path}:{line}")
                if not votes:
                    continue
                instead, n = votes.most_common(1)[0]
                if instead == found or instead in COMMON or len(instead) < 4 or n * 2 < n_calls or (family, instead) in added or (family, instead) in removed:
                    continue
                homes = {path: born[family, instead].get(path) for path, n in live[family][instead].items() if n > 0}
                homes = {path: it for path, it in homes.items() if it and it[0] < birth[0]}
                if 1 <= len(homes) <= 2:
                    case = {"kind": "call", "f1": instead, "files": sorted(homes), "at": places[instead], "n_calls": n_calls, "n_equal": n, "n_exact": exact[instead]}
            else:
                for path in paths:
                    if path in left or path not in born[family, found] or born[family, found][path][0] == 0:
                        continue
                    birth = born[family, found][path]
                    homes = {it: born[family, found].get(it) for it in left}
                    homes = {it: at for it, at in homes.items() if at and at[0] < birth[0]}
                    imported = [(line, it) for line, _, new in files[path] for it in new if is_import(it, found)]
                    # Or a call gets another qualifier and is else equal.
                    moved = [] if imported else [
                        (line, other) for line, old, new in files[path] for it in old if found in it for other in new if found in other
                        if definition(family, it) != found and None not in (a := qualifier(it, found), b := qualifier(other, found)) and a != b and b
                        and call_rest(it, found) == call_rest(other, found)]
                    lines = imported + moved
                    if 1 <= len(homes) <= 2 and lines:
                        case = {"kind": "import", "f1": found, "files": sorted(homes), "at": f"{path}:{lines[0][0]}", "added": lines[0][1].strip()[:120]}
                        before[family, found] = {path: 1}
            if case:
                cases.append({"repo": name, "family": family, "f2": found, "file": next(iter(before[family, found])), "added": birth[1],
                              "n_definitions": birth[2], "removed": commit, **{k if k != "added" else "line": v for k, v in case.items()}})
    n_cases = 0
    for case in cases:
        if (body := check(repository, case)) and is_strict({**case, **body}):
            out.write(json.dumps({**case, **body}) + "\n")
            n_cases += 1
    for family, names in live.items():
        for found, paths in names.items():
            for path, n in paths.items():
                it = born[family, found].get(path)
                if n == 1 and it and it[0] > 0 and it[2] <= 40 and len(found) >= 3:
                    stayed[path, found] = it
    for (path, found), (index, commit, _) in sorted(stayed.items()):
        out.write(json.dumps({"repo": name, "kind": "stayed", "family": FAMILY[path.rsplit(".", 1)[-1]], "f2": found, "file": path, "added": commit}) + "\n")
    out.flush()
    print(f"{name}: {len(history)} commits, {len(cases)} candidates, {n_cases} cases, {len(stayed)} stayed", flush=True)


def show(repository, commit, path):
    found = subprocess.run(["git", "-C", repository, "show", f"{commit}:{path}"], capture_output=True, text=True, errors="replace")
    return found.stdout.split("\n") if found.returncode == 0 else []


def body(lines, family, name):
    """Returns the lines of the first function with this name, by indentation."""
    for idx, line in enumerate(lines):
        if definition(family, line) != name:
            continue
        indent = len(line) - len(line.lstrip())
        end = idx + 1
        while end < len(lines) and end < idx + 200:
            own = lines[end]
            depth = len(own) - len(own.lstrip())
            if own.strip() and depth <= indent and not re.match(r"\s*[)\]>{]|\s*where\b", own):
                # A closing bracket ends a function of a language with brackets, and belongs to it.
                return lines[idx:end + (1 if own.strip().startswith("}") else 0)]
            end += 1
        return lines[idx:end]
    return []


def is_strict(case):
    """Returns whether a call is equal but for the name, or an import names a function at the top level."""
    if case["kind"] == "call":
        return case["n_exact"] > 0
    name, heads = re.escape(case["f1"]), (case["new"][:1], case["old"][:1])
    is_import = re.match(rf"\s*(import|from|(pub(\(\w+\))? )?use|export|const|let|var)\b|\s*\w+\s*,\s*$|.*(\.|::){name}", case["line"])
    is_method = case["family"] in ("py", "js", "rs") and any(head.isspace() for head in heads)
    is_wrapper = any(re.search(rf"\b{name}\b\s*\(", line) for line in case["new"].split("\n")[1:])
    return bool(is_import) and not is_method and not is_wrapper


def check(repository, case):
    """Reads both functions at the commit that added the newer one; returns them, or None if the case is refused."""
    family = case["family"]
    new = body(show(repository, case["added"], case["file"]), family, case["f2"])
    if len(new) < 3:
        return None
    for path in case["files"]:
        old = body(show(repository, case["added"] + "^1", path), family, case["f1"])
        still = body(show(repository, case["removed"], path), family, case["f1"])
        if not old or not still:
            continue
        names = lambda lines, name: any(re.search(rf"\b{re.escape(name)}\b", it) for it in lines[1:])
        if case["kind"] == "call" and (names(new, case["f1"]) or names(old, case["f2"])):
            continue
        if case["kind"] == "import" and any(re.search(rf"\.{re.escape(case['f1'])}\(|::{re.escape(case['f1'])}\(", it) for it in new[1:]):
            continue
        return {"f1_file": path, "n_lines": len(new), "new": "\n".join(new[:60]), "old": "\n".join(old[:60])}
    return None


def main():
    with open(sys.argv[1], "a") as out:
        for repository in sys.argv[2:]:
            parent = os.path.dirname(repository.rstrip("/"))
            name = os.path.basename(parent).replace("+", "/")
            mine(repository, name, out)


main()
