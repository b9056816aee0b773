#!/usr/bin/env python3
"""Measures how many stale references `cerberus check` finds, by replaying the history of repositories.

    replay.py CERBERUS SCRATCH REPOSITORY...

For each repository, an old commit T0 is chosen on the first-parent history, and references to its
files, symbols and commands are written into a document that is committed on T0 and then merged into
HEAD. What became of each target is decided with git and regular expressions, not with cerberus:

- gone: the path is not in HEAD; no line of HEAD defines the name and no file of code contains it as
  a word; no manifest has the command.
- moved: `git diff -M80%` between T0 and HEAD names the new path, at least .6 of the lines below the
  leading comment are the same, there are at least five of them, no other file has this content, and
  the commit that added the new path does not have the old one (which would be a copy).
  A folder moved if at least .8 of its files did, to the same folder. The references to them are
  samples of their own.
- holds: the path is in HEAD; a line of HEAD defines the name; a manifest has the command.

Prints one line per repository and the sums: new places are right, wrong, or none. New places of
targets of which git knows none are not judged, but are in the details. `--details FILE` writes one
line of JSON per reference. `--at` sets the age of T0, as a share of the history.
"""
import argparse
import collections
import difflib
import json
import random
import re
import subprocess
from pathlib import Path

DEFINITION = re.compile(
    r"^\s*(?:export\s+(?:default\s+)?)?(?:pub(?:\([a-z]+\))?\s+)?(?:async\s+)?(?:abstract\s+)?"
    r"(?:def|class|func|fn|function|struct|enum|trait|interface|type)\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w{5,})\b"
)
CODE = (".py", ".go", ".rs", ".ts", ".tsx", ".js", ".java")
# Files whose mention of a name is no use of it.
NO_CODE = [":(exclude)*.md", ":(exclude)*.mdx", ":(exclude)*.rst", ":(exclude)*.txt", ":(exclude)*.lock", ":(exclude)*.snap",
           ":(exclude)*.ipynb", ":(exclude)*.html", ":(exclude)*.csv", ":(exclude)*.svg"]
COMMIT = ["-c", "user.name=replay", "-c", "user.email=replay@example.org"]


def git(repository, *args, data=None):
    run = subprocess.run(["git", "-C", str(repository), *args], input=data, capture_output=True, check=False)
    return run.stdout.decode("utf-8", "replace")


def files(repository, commit):
    return [name for name in git(repository, "ls-tree", "-r", "-z", "--name-only", commit).split("\0") if name]


def definitions(repository, commit):
    """Returns the names that code defines, with one of their files."""
    pattern = r"^\s*(export |pub |pub\([a-z]+\) |async |default |abstract )*(def|class|func|fn|function|struct|enum|trait|interface|type) "
    out = git(repository, "grep", "-I", "-E", pattern, commit, "--", *[f"*{ending}" for ending in CODE])
    found = {}
    for line in out.split("\n"):
        parts = line.split(":", 2)
        match = DEFINITION.match(parts[2]) if len(parts) == 3 else None
        if match:
            found.setdefault(match[1], parts[1])
    return found


def scripts(repository, commit, paths):
    """Returns the commands that root manifests define."""
    found = set()
    for path in paths:
        if path.count("/") > 1:
            continue
        if path.endswith("package.json"):
            try:
                names = json.loads(git(repository, "show", f"{commit}:{path}")).get("scripts", {})
            except (json.JSONDecodeError, AttributeError):
                names = {}
            found |= {f"npm run {name}" for name in names}
        elif path.endswith("Makefile"):
            text = git(repository, "show", f"{commit}:{path}")
            found |= {f"make {name}" for name in re.findall(r"^([a-zA-Z][\w-]*):(?!=)", text, re.M)}
    return found


def scripts_of(repository, commit, paths):
    """Returns the commands that any manifest defines."""
    found = set()
    for path in paths:
        if path.endswith("package.json"):
            try:
                found |= {f"npm run {name}" for name in json.loads(git(repository, "show", f"{commit}:{path}")).get("scripts", {})}
            except (json.JSONDecodeError, AttributeError):
                pass
        elif path.rsplit("/", 1)[-1] in ("Makefile", "GNUmakefile") or path.endswith(".mk"):
            text = git(repository, "show", f"{commit}:{path}")
            found |= {f"make {name}" for line in re.findall(r"^([\w ./-]+):(?!=)", text, re.M) for name in line.split()}
    return found


def body(text):
    """Returns the lines below the leading comment."""
    lines = [line.strip() for line in text.split("\n")]
    is_comment = re.compile(r"$|//|#(?!include|!?\[)|/\*|\*|--|;|<!--|\"\"\"").match
    start = next((idx for idx, line in enumerate(lines) if not is_comment(line)), len(lines))
    return [line for line in lines[start:] if line]


def is_same(repository, old, path, new):
    """Returns whether a file is the same one below its leading comment."""
    a, b = body(git(repository, "show", f"{old}:{path}")), body(git(repository, "show", f"HEAD:{new}"))
    return len(a) >= 5 and len(a) + len(b) < 20000 and difflib.SequenceMatcher(None, a, b, autojunk=False).ratio() >= 0.6


def is_copied(repository, path, new):
    """Returns whether the commit that added a new path has the old one too."""
    added = git(repository, "log", "--first-parent", "-m", "--no-renames", "--diff-filter=A", "--format=%H", "HEAD", "--", new).split()
    return not added or bool(git(repository, "ls-tree", added[-1], "--", path))


def moved_files(repository, old, paths, renames, rng, n):
    """Returns a sample of the moved files of `paths` with their new paths."""
    listing = [line.split("\t", 1) for line in git(repository, "ls-tree", "-r", "HEAD").split("\n") if line]
    listing += [line.split("\t", 1) for line in git(repository, "ls-tree", "-r", old).split("\n") if line]
    content = {path: row.split()[2] for row, path in listing}
    copies = collections.defaultdict(set)
    for row, path in listing:
        copies[row.split()[2]].add(path)
    found = []
    candidates = sorted(path for path in paths if path in renames)
    rng.shuffle(candidates)
    for path in candidates:
        new = renames[path]
        is_unique = not copies[content[path]] - {path, new}
        if is_unique and is_same(repository, old, path, new) and not is_copied(repository, path, new):
            found.append((path, new))
        if len(found) == n:
            break
    return found


def moved_folders(before, now, renames):
    """Returns the folders that moved, with their new paths."""
    within = collections.defaultdict(list)
    for path in before:
        for end in range(1, path.count("/") + 1):
            within["/".join(path.split("/")[:end])].append(path)
    folders_now = {"/".join(path.split("/")[:end]) for path in now for end in range(1, path.count("/") + 1)}
    names = {folder.split("/", start)[-1] for folder in folders_now for start in range(folder.count("/") + 1)}
    found = []
    for folder, own in within.items():
        if "/" not in folder or folder in names or len(own) < 3:
            continue
        votes = collections.Counter()
        for path in own:
            rest = path[len(folder):]
            new = renames.get(path, "")
            votes[new[: -len(rest)] if new.endswith(rest) else ""] += 1
        new, count = votes.most_common(1)[0]
        if new and count >= 0.8 * len(own):
            found.append((folder, new))
    return found


def references(repository, old, rng, n_gone, n_holds, n_moved):
    before, after = files(repository, old), files(repository, "HEAD")
    now = set(after)
    renames = {}
    fields = git(repository, "diff", "-M80%", "-l4000", "--name-status", "-z", "--diff-filter=R", old, "HEAD").split("\0")
    for idx in range(0, len(fields) - 2, 3):
        renames[fields[idx + 1]] = fields[idx + 2]

    def is_plain(path):
        return re.fullmatch(r"[\w./-]+", path) and path.count("/") >= 1 and "." in path.rsplit("/", 1)[-1]

    gone_paths = [path for path in before if path not in now and is_plain(path)]
    # A path that another one ends with is still found.
    suffixes = {"/".join(path.split("/")[start:]) for path in after for start in range(path.count("/") + 1)}
    gone_paths = [path for path in gone_paths if path not in suffixes]
    kept_paths = [path for path in before if path in now and is_plain(path)]
    old_names, new_names = definitions(repository, old), definitions(repository, "HEAD")
    removed = [name for name in old_names if name not in new_names]
    kept_names = [name for name in old_names if name in new_names]
    rng.shuffle(removed)
    gone_names, used = [], 0
    for name in removed:
        if len(gone_names) >= n_gone // 2:
            break
        if git(repository, "grep", "-l", "-w", "-F", "-e", name, "HEAD", "--", ".", *NO_CODE):
            used += 1
        else:
            gone_names.append(name)
    old_scripts = scripts(repository, old, before)
    gone_scripts = sorted(old_scripts - scripts_of(repository, "HEAD", after))
    kept_scripts = sorted(old_scripts & scripts_of(repository, "HEAD", after))

    def take(items, n):
        items = sorted(items)
        return rng.sample(items, min(n, len(items)))

    found = [("path", path, "gone", None) for path in take(gone_paths, n_gone // 2)]
    named = {path for _, path, _, _ in found}
    moved = dict(moved_files(repository, old, gone_paths, renames, rng, n_moved))
    found = [(kind, path, state, moved.pop(path, None)) for kind, path, state, _ in found]
    found += [("path", path, "gone", new) for path, new in moved.items() if path not in named]
    folders = [(path, new) for path, new in moved_folders(before, now, renames) if is_plain(f"{path}/a.b")]
    found += [("folder", f"{path}/", "gone", f"{new}/") for path, new in take(folders, n_moved // 2)]
    found += [("symbol", name, "gone", None) for name in gone_names]
    found += [("command", line, "gone", None) for line in take(gone_scripts, n_gone // 4)]
    found += [("path", path, "holds", None) for path in take(kept_paths, n_holds // 2)]
    found += [("symbol", name, "holds", None) for name in take(kept_names, n_holds // 2)]
    found += [("command", line, "holds", None) for line in take(kept_scripts, n_holds // 4)]
    return found, used


def replay(cerberus, scratch, repository, at, n_gone, n_holds, n_moved):
    rng = random.Random(f"{repository.name} {at}")
    clone = scratch / repository.parent.name if repository.name == "repo" else scratch / repository.name
    if not clone.exists():
        subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", str(repository), str(clone)], check=True)
    commits = git(clone, "rev-list", "--first-parent", "HEAD").split()
    old = commits[int(len(commits) * at)]
    head = git(clone, "rev-parse", "HEAD").strip()
    found, used = references(clone, old, rng, n_gone, n_holds, n_moved)
    rng.shuffle(found)
    template = {"path": "- The code is in `{}`.", "folder": "- The code is in `{}`.", "symbol": "- Use `{}` for this.", "command": "- Run `{}` first."}
    text = "# Notes\n\n" + "\n".join(template[kind].format(name) for kind, name, _, _ in found) + "\n"
    blob = git(clone, "hash-object", "-w", "--stdin", data=text.encode()).strip()

    def commit(base, *parents):
        listing = git(clone, "ls-tree", base) + f"100644 blob {blob}\tREPLAY.md\n"
        tree = git(clone, "mktree", "--missing", data=listing.encode()).strip()
        args = [arg for parent in parents for arg in ("-p", parent)]
        return git(clone, *COMMIT, "commit-tree", tree, *args, "-m", "replay").strip()

    merged = commit(head, head, commit(old, old))
    git(clone, "checkout", "--quiet", "--force", "--detach", merged)
    run = subprocess.run([cerberus, "check", "REPLAY.md", "--json", "--project", str(clone)], capture_output=True, cwd=clone, check=False)
    git(clone, "update-ref", "--no-deref", "HEAD", head)
    report = json.loads(run.stdout)
    errors = {finding["line"] - 3: finding for finding in report["findings"]}
    rows = []
    for idx, (kind, name, state, moved) in enumerate(found):
        error = errors.get(idx)
        rows.append({"repository": clone.name, "kind": kind, "name": name, "state": state, "moved": moved,
                     "reported": error is not None, "now": error and error.get("now")})
    return rows, used


def show(name, rows, used):
    def share(part, whole):
        return f"{len(part)}/{len(whole)}"

    cells = [name]
    for kind in ("path", "folder", "symbol", "command"):
        gone = [row for row in rows if row["kind"] == kind and row["state"] == "gone"]
        cells.append(f"{kind} {share([row for row in gone if row['reported']], gone)}")
    for kind in ("path", "folder"):
        moved = [row for row in rows if row["moved"] and row["kind"] == kind]
        places = [row["now"] for row in moved]
        wanted = [row["moved"].rstrip("/") for row in moved]
        right = sum(place == new for place, new in zip(places, wanted))
        none = places.count(None)
        cells.append(f"new {kind}: right {right} wrong {len(moved) - right - none} none {none}")
    holds = [row for row in rows if row["state"] == "holds"]
    cells.append(f"false alarms {share([row for row in holds if row['reported']], holds)}")
    cells.append(f"names without a definition but in use, omitted: {used}")
    print("  ".join(cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cerberus")
    parser.add_argument("scratch", type=Path)
    parser.add_argument("repository", nargs="+", type=Path)
    parser.add_argument("--gone", type=int, default=40)
    parser.add_argument("--holds", type=int, default=200)
    parser.add_argument("--moved", type=int, default=20)
    parser.add_argument("--at", type=float, nargs="+", default=[0.33])
    parser.add_argument("--details", type=Path)
    args = parser.parse_args()
    args.scratch.mkdir(parents=True, exist_ok=True)
    total, n_used = [], 0
    for repository, at in [(repository, at) for repository in args.repository for at in args.at]:
        rows, used = replay(args.cerberus, args.scratch, repository.resolve(), at, args.gone, args.holds, args.moved)
        show(f"{rows[0]['repository'] if rows else repository.name} {at}", rows, used)
        total += rows
        n_used += used
    show("all", total, n_used)
    if args.details:
        args.details.write_text("".join(json.dumps(row) + "\n" for row in total))


if __name__ == "__main__":
    main()
