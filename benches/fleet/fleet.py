#!/usr/bin/env python3
"""Measures `cerberus fleet report` on made repositories.

    python3 benches/fleet/fleet.py --cerberus target/release/cerberus [--work FOLDER] [10 100 1000]

Makes bare repositories with 60 files each, a bank of ten rules that they pin, and anchors to their
own code. Half of them are read through `file://`, half through a `git daemon` on the loopback. For
each number it prints the time and the memory of the first run, of a second run after one repository
changed, of one `git ls-remote` for each repository, which a second run cannot do without, and of a run
that continues one that was killed half way.
"""

import argparse, atexit, os, pathlib, resource, shutil, signal, socket, subprocess, sys, tempfile, time

CODE = '''"""Module {n} of the service."""

import hashlib


def checksum_{n}(payload, salt):
    """Hash the payload {n} with its salt before it is stored."""
    digest = hashlib.sha256()
    digest.update(salt)
    digest.update(payload)
    return digest.hexdigest()
'''
RULE = "---\ntype: rule\nhints: [checksum_{n}]\n---\n\nHash the payload {n} with its salt before it is stored\n"
WHO = "a <a@example.org> 1700000000 +0000"


def git(*args, cwd=None, data=None):
    done = subprocess.run(["git", *args], cwd=cwd, input=data, capture_output=True, check=True)
    return done.stdout.decode().strip()


def commit(folder, files, message, parent=False):
    """Writes a commit of files into a bare repository."""
    out = [f"commit refs/heads/main\nauthor {WHO}\ncommitter {WHO}\ndata {len(message)}\n{message}\n".encode()]
    if parent:
        out.append(b"from refs/heads/main^0\n")
    for path, text in files.items():
        data = text.encode()
        out.append(f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n")
    git("fast-import", "--quiet", cwd=folder, data=b"".join(out))


def bare(folder):
    git("init", "-q", "--bare", "-b", "main", "--template=", str(folder))
    git("config", "uploadpack.allowFilter", "true", cwd=folder)


def template(work, cerberus, env, rules):
    """Returns the files of a project that pins the bank and has its own anchors."""
    project = work / "template"
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir()
    git("init", "-q", "-b", "main", cwd=project)
    for n in range(60):
        path = project / f"src/part_{n}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(CODE.format(n=n))
    run = lambda *args: subprocess.run([cerberus, *args], cwd=project, env=env, check=True, capture_output=True)
    run("memory", "init")
    run("memory", "bank", "add", "team", rules, "--branch", "main", "--yes")
    for n in range(9):
        run("memory", "anchor", f"rule-{n}", "--to", f"src/part_{n}.py::checksum_{n}")
    names = ["cerberus.toml", ".memories/banks.lock", ".memories/anchors.lock"]
    names += [f"src/part_{n}.py" for n in range(60)]
    return {name: (project / name).read_text() for name in names}


def processor(daemon):
    """Returns the user and the system time of all ended children, and of those of the daemon, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    fields = pathlib.Path(f"/proc/{daemon}/stat").read_text().rsplit(")", 1)[1].split()
    user, system, child_user, child_system = (int(field) / os.sysconf("SC_CLK_TCK") for field in fields[11:15])
    return used.ru_utime + user + child_user, used.ru_stime + system + child_system


def measure(command, env, cwd, daemon, kill_after=None):
    start, before = time.monotonic(), processor(daemon)
    output, errors = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    with subprocess.Popen(command, env=env, cwd=cwd, stdout=output, stderr=errors) as child:
        if kill_after is not None:
            time.sleep(kill_after)
            child.send_signal(signal.SIGKILL)
        peak = 0
        while child.poll() is None:
            try:
                status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
                peak = max([peak] + [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")])
            except OSError:
                pass
            time.sleep(0.05)
    output.seek(0)
    errors.seek(0)
    text, errors = output.read().decode(), errors.read().decode()
    if kill_after is None and child.returncode != 0:
        sys.exit(f"exit {child.returncode}: {text[-500:]} {errors[-2000:]}")
    user, system = (after - then for after, then in zip(processor(daemon), before))
    used = f"{user:.1f} s user and {system:.1f} s system time, load {os.getloadavg()[0]:.1f}"
    return time.monotonic() - start, peak // 1024, text, used


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cerberus", required=True)
    parser.add_argument("--work", default="/tmp/cerberus-fleet")
    parser.add_argument("--jobs", default="8")
    parser.add_argument("counts", nargs="*", type=int, default=[10, 100, 1000])
    args = parser.parse_args()
    cerberus, work = str(pathlib.Path(args.cerberus).resolve()), pathlib.Path(args.work)
    shutil.rmtree(work, ignore_errors=True)
    (work / "repos").mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    daemon = subprocess.Popen(["git", "daemon", "--export-all", f"--base-path={work}", "--listen=127.0.0.1",
                               f"--port={port}", "--reuseaddr", "--max-connections=0"], stderr=subprocess.DEVNULL)
    atexit.register(daemon.terminate)
    time.sleep(1)
    env = {**os.environ, "XDG_CACHE_HOME": str(work / "cache"), "XDG_CONFIG_HOME": str(work / "config")}
    rules = work / "rules.git"
    bare(rules)
    commit(rules, {f".memories/rule-{n}.md": RULE.format(n=n) for n in range(10)}, "rules")
    files = template(work, cerberus, env, f"git://127.0.0.1:{port}/rules.git")
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores", flush=True)
    for n in range(max(args.counts)):
        own = dict(files)
        own["README.md"] = f"# Repository {n}\n"
        own["src/part_50.py"] += f"\n\nVALUE = {n}\n"
        own[".memories/own.md"] = f"---\ntype: rule\n---\n\nRule of repository {n}\n"
        if n % 5 == 0:  # the code of an example is other code
            own["src/part_3.py"] = "def checksum_3(x):\n    return [y for y in x if y] or None\n"
        if n % 7 == 0:  # code around an example changed
            own["src/part_4.py"] += f"\n\nOTHER = {n}\n"
        folder = work / f"repos/{n:04}.git"
        bare(folder)
        commit(folder, own, "one")
    commit(rules, {".memories/rule-0.md": RULE.format(n=0) + "\nMore.\n"}, "two", parent=True)
    for count in args.counts:
        places = [f"file://{work}/repos/{n:04}.git" if n % 2 else f"git://127.0.0.1:{port}/repos/{n:04}.git" for n in range(count)]
        listed = work / "fleet.txt"
        listed.write_text("\n".join(places) + "\n")
        command = [cerberus, "fleet", "report", str(listed), "--state", str(work / f"state-{count}"), "--jobs", args.jobs]
        first, peak, text, used = measure(command, env, work, daemon.pid)
        print(f"{count}: first run {first:.1f} s, {used}, {peak} MB", flush=True)
        print("   ", text.splitlines()[0])
        folder = work / f"repos/{count // 2:04}.git"
        commit(folder, {"src/part_5.py": "def checksum_5():\n    pass\n"}, "change", parent=True)
        second, peak, text, used = measure(command, env, work, daemon.pid)
        print(f"{count}: second run after one change {second:.1f} s, {used}, {peak} MB", flush=True)
        print("   ", text.splitlines()[0])
        floor, _, _, used = measure(["xargs", "-a", str(listed), "-P", args.jobs, "-I", "{}", "git", "ls-remote", "{}", "HEAD"],
                                    env, work, daemon.pid)
        print(f"{count}: git ls-remote of each repository {floor:.1f} s, {used}", flush=True)
        killed = command[:4] + ["--state", str(work / f"killed-{count}"), "--jobs", args.jobs]
        measure(killed, env, work, daemon.pid, kill_after=first / 2)
        records = work / f"killed-{count}/records.jsonl"
        n_read = len(records.read_text().splitlines()) if records.exists() else 0
        rest, _, text, _ = measure(killed, env, work, daemon.pid)
        print(f"{count}: killed after {first / 2:.1f} s with {n_read} read; the next run {rest:.1f} s", flush=True)
        print("   ", text.splitlines()[0])


main()
