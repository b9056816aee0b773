#!/usr/bin/env python3
"""Measure whether the rules that are declared for a folder are injected when a commit touches it.

usage: replay.py MIRROR OWNER/NAME... [--commits 40] [--budget 600] [--bin cerberus] [--misses]

MIRROR has one git directory for each repository: MIRROR/<owner>+<name>/repo. For each repository, the tree of HEAD is copied
to a temporary folder and its rule files are imported without examples. Then the files that each of the last commits touched
are given to `memory inject --file`, for the last commits that touch a file for which a rule is declared. A rule is declared
for a file if one of its `paths` matches the file. Uses the standard library only.

Prints for each repository, and for all:
  fit       commits whose declared rules all fit into the budget
  recall    their declared rules that are given
  over      commits whose declared rules do not fit
  declared  the given rules of these commits that are declared ones: nothing else may take their place
"""
import argparse, io, json, os, re, shutil, subprocess, sys, tempfile

ENVELOPE = 60  # tokens of the text around the rules


def run(*args, **options):
    return subprocess.run(args, capture_output=True, **options)


def matcher(globs):
    """Returns a function that tells whether one of the globs matches a path."""
    def pattern(glob):
        glob = glob.strip().removeprefix("./").lstrip("/")
        out, i = "", 0
        while i < len(glob):
            if glob[i:i + 3] == "**/":
                out, i = out + "(?:.*/)?", i + 3
            elif glob[i:i + 2] == "**":
                out, i = out + ".*", i + 2
            elif glob[i] == "*":
                out, i = out + "[^/]*", i + 1
            elif glob[i] == "?":
                out, i = out + "[^/]", i + 1
            elif glob[i] == "{" and "}" in glob[i:]:
                end = glob.index("}", i)
                inner = "|".join(pattern(part) for part in glob[i + 1:end].split(","))
                out, i = out + f"(?:{inner})", end + 1
            else:
                out, i = out + re.escape(glob[i]), i + 1
        return out
    # As in a .gitignore, a glob without a folder matches a name in any folder.
    expressions = [re.compile(("(?:.*/)?" if "/" not in g.strip("/") else "") + pattern(g) + "$") for g in globs]
    return lambda path: any(e.match(path) for e in expressions)


def extract(git_dir, folder, commit="HEAD"):
    """Writes the files of a commit that the git directory has; a partial clone lacks large ones."""
    listing = run("git", f"--git-dir={git_dir}", "ls-tree", "-rz", commit, check=True).stdout.split(b"\0")
    blobs = [(line.split()[2], line.split(b"\t", 1)[1].decode(errors="replace")) for line in listing if line.startswith(b"100")]
    environment = dict(os.environ, GIT_NO_LAZY_FETCH="1")
    names = b"\n".join(name for name, _ in blobs)
    out = io.BytesIO(run("git", f"--git-dir={git_dir}", "cat-file", "--batch", input=names, env=environment).stdout)
    for _, path in blobs:
        header = out.readline().split()
        if len(header) < 3:
            continue
        content = out.read(int(header[2]) + 1)[:-1]
        full = os.path.join(folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as f:
            f.write(content)


def replay(binary, git_dir, n_commits, budget, misses):
    counts = dict(commits=0, fit=0, declared=0, given=0, over=0, over_given=0, over_declared=0)
    with tempfile.TemporaryDirectory() as root:
        extract(git_dir, root)
        command = lambda *args: run(binary, "memory", *args, "--project", root)
        command("init")
        done = command("import", "--yes", "--no-anchor")
        if done.returncode not in (0, 1):
            sys.exit(done.stderr.decode())
        memories = json.loads(command("show", "--json").stdout)["memories"]
        rules = {m["id"]: matcher(m["paths"]) for m in memories if m["paths"]}
        log = run("git", f"--git-dir={git_dir}", "log", "--no-merges", "--no-renames", "-n", "4000", "--format=%x00", "--name-only", check=True)
        for touched in log.stdout.decode(errors="replace").split("\0"):
            files = [f for f in touched.split("\n") if f and os.path.isfile(os.path.join(root, f))]
            declared = {rule for rule, matches in rules.items() if any(map(matches, files))}
            if not declared or len(files) > 40:
                continue
            names = [part for f in files for part in ("--file", f)]
            report = json.loads(command("inject", "--json", "--no-examples", "--budget", str(budget), *names).stdout)
            given = {m["id"] for m in report["memories"]}
            unlimited = json.loads(command("inject", "--json", "--no-examples", "--budget", "1000000", *names).stdout)
            all_given = {m["id"]: m for m in unlimited["memories"]}
            needed = sum(len(m["text"]) / 4 + 20 for i, m in all_given.items() if i in declared)
            counts["commits"] += 1
            if given >= declared or needed + ENVELOPE <= budget:
                counts["fit"] += 1
                counts["declared"] += len(declared)
                counts["given"] += len(declared & given)
                if misses and not given >= declared:
                    print("MISS", files[:3], sorted(declared - given)[:5])
            else:
                counts["over"] += 1
                counts["over_given"] += len(given)
                counts["over_declared"] += len(declared & given)
            if counts["commits"] == n_commits:
                break
    return counts


def line(name, c):
    ratio = lambda a, b: f"{a / b:.3f}" if b else "-"
    print(f"{name:48} {c['commits']:4} {c['fit']:4} {ratio(c['given'], c['declared']):>6} {c['over']:4} {ratio(c['over_declared'], c['over_given']):>8}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("mirror"); p.add_argument("repositories", nargs="+"); p.add_argument("--commits", type=int, default=40)
    p.add_argument("--budget", type=int, default=600); p.add_argument("--bin", default="cerberus"); p.add_argument("--misses", action="store_true")
    a = p.parse_args()
    binary = shutil.which(a.bin) or os.path.abspath(a.bin)
    print(f"{'repository':48} {'n':>4} {'fit':>4} {'recall':>6} {'over':>4} {'declared':>8}")
    total = {}
    for name in a.repositories:
        counts = replay(binary, os.path.join(a.mirror, name.replace("/", "+"), "repo"), a.commits, a.budget, a.misses)
        line(name, counts)
        total = {key: total.get(key, 0) + value for key, value in counts.items()}
    line("all", total)


if __name__ == "__main__":
    main()
