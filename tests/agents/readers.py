"""To which host `check --with AGENT` sends code: recorded requests of real agents.

Each agent is run twice: with a provider on loopback in the configuration of the user, and with a login only. Names are resolved by
a server in this process, to loopback, and a second server records the names of the TLS connections: so each host that an agent
asks for is recorded, and nothing leaves the machine.
"""

import json
import os
import re
import shutil
import socket
import socketserver
import struct
import subprocess
import tempfile
import threading
from pathlib import Path

from model import Model

ANSWER = {"findings": [{"id": 0, "outOfDate": False, "reason": "a file of the reader"}]}


class Resolver(socketserver.ThreadingUDPServer):
    """Answers each question for an IPv4 address with loopback."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            query, connection = self.request
            end = query.index(b"\0", 12) + 5
            is_address = query[end - 4 : end - 2] == b"\0\1"
            head = query[:2] + b"\x81\x80" + struct.pack(">HHHH", 1, int(is_address), 0, 0)
            answer = b"\xc0\x0c\0\1\0\1" + struct.pack(">IH", 60, 4) + socket.inet_aton("127.0.0.1")
            connection.sendto(head + query[12:end] + (answer if is_address else b""), self.client_address)

    def __init__(self):
        super().__init__(("127.0.0.1", 53), Resolver.Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Door(socketserver.ThreadingTCPServer):
    """Records the names of TLS connections and closes them."""

    allow_reuse_address = True
    daemon_threads = True

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.settimeout(5)
            hello = b""
            try:
                while len(hello) < 5 or len(hello) < 5 + int.from_bytes(hello[3:5], "big"):
                    more = self.request.recv(65536)
                    if not more:
                        return
                    hello += more
            except OSError:
                return
            self.server.hosts.add(server_name(hello))

    def __init__(self):
        super().__init__(("127.0.0.1", 443), Door.Handler)
        self.hosts = set()
        threading.Thread(target=self.serve_forever, daemon=True).start()


def server_name(hello):
    """Returns the name in the first message of a TLS client."""
    place = 43
    place += 1 + hello[place]
    place += 2 + int.from_bytes(hello[place : place + 2], "big")
    place += 1 + hello[place]
    end = place + 2 + int.from_bytes(hello[place : place + 2], "big")
    place += 2
    while place < end:
        kind, length = struct.unpack(">HH", hello[place : place + 4])
        if kind == 0:
            return hello[place + 9 : place + 4 + length].decode()
        place += 4 + length
    return "?"


def make_project(folder):
    """Makes a project with a document that names a file that is gone."""

    def run(*command):
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)

    def commit(message):
        run("git", "add", "-A")
        run("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", message)

    (folder / "lib").mkdir()
    (folder / "lib/pay.py").write_text("def refund(payment):\n    return -payment\n")
    (folder / "AGENTS.md").write_text("# Shop\n\nRefunds are in `lib/pay.py`.\n")
    run("git", "init", "-q")
    commit("Code")
    run("git", "rm", "-q", "lib/pay.py")
    commit("Drop refunds")


class Run:
    """A run of `check --with` and the hosts that got requests."""

    def __init__(self, client, args, is_local, failure=None, answer=None, prepare=None):
        self.folder = Path(tempfile.mkdtemp(prefix=f"readers-{client.binary}-"))
        project, self.home = self.folder / "project", self.folder / "home"
        project.mkdir()
        self.home.mkdir()
        make_project(project)
        text = json.dumps(ANSWER) if answer is None else answer
        model = Model([{"text": text}] * 20, [], text, failure)
        env = client.env(self.home, model.url) if is_local else client.login(self.home)
        if is_local:
            client.add_tools(self.home, self.folder / "ran")
        if prepare:
            env |= prepare(project, self.home, model.url) or {}
        folders = {f"XDG_{kind}_HOME": str(self.home / f".{kind.lower()}") for kind in ("CACHE", "DATA", "STATE")}
        env = {
            "HOME": str(self.home), "TERM": "dumb", "XDG_CONFIG_HOME": str(self.home / ".config"), **folders, **env,
            "PATH": f"{args.clients.resolve()}:{os.environ['PATH']}",
        }
        command = [str(args.cerberus.resolve()), "check", "--json", "--with", client.binary]
        door = args.door
        door.hosts.clear()
        done = subprocess.run(command, cwd=project, env=env, timeout=400, check=False, capture_output=True, text=True)
        model.close()
        self.status, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr
        self.requests = [text for name in model.requests for text in model.requests[name]]
        self.hosts = set(door.hosts)
        self.ran = sorted(path.name for path in self.folder.glob("ran*"))
        (self.folder / "requests.json").write_text(json.dumps(self.requests, indent=1))


# How a model fails, and what the report of cerberus must have of that.
FAILURES = {
    "401": ((401, "Invalid API key provided", "authentication_error"), "Invalid API key|401"),
    "429": ((429, "You exceeded your current quota", "insufficient_quota"), "quota"),
    "500": ((500, "The server had an error", "server_error"), "server had an error|high demand|500"),
    "silence": ("silence", "no progress for"),
}


def failure(kind):
    """Returns the answer of a model that fails, and the pattern of its cause."""
    form, cause = FAILURES[kind]
    if isinstance(form, str):
        return form, cause
    status, message, code = form
    return (status, {"type": "error", "error": {"type": code, "message": message, "code": code, "status": code}}), cause


def check(client, args):
    """Prints to which host the code goes, and the causes of failures, and returns the number of failures."""
    failures = 0

    def expect(label, run, **parts):
        nonlocal failures
        wrong = [part for part, holds in parts.items() if not holds]
        failures += len(wrong)
        note = f"   FAILED: {', '.join(wrong)} (recorded in {run.folder}): {run.stderr} {run.stdout}" if wrong else ""
        print(f"    --with {client.binary}, {label:24} {len(run.requests)} request(s) to loopback, hosts {sorted(run.hosts)}{note}", flush=True)
        if not wrong:
            shutil.rmtree(run.folder)

    run = Run(client, args, is_local=True)
    expect(
        "a provider on loopback", run, dismissed=run.status == 0, sent=len(run.requests) > 0, said="sends it to `127.0.0.1:" in run.stderr,
        hosts=not run.hosts & client.hosts, tools=not run.ran,
    )
    run = Run(client, args, is_local=False)
    expect(
        "none", run, status=run.status == 3, sent=not run.requests, printed="lib/pay.py" in run.stdout, hosts=run.hosts >= client.hosts,
        refused=client.hosts or "which nobody chose" in run.stdout,
    )
    for kind in FAILURES:
        form, cause = failure(kind)
        run = Run(client, args, is_local=True, failure=form)
        expect(
            kind, run, status=run.status == 3, printed="lib/pay.py" in run.stdout, cause=re.search(cause, run.stdout, re.IGNORECASE), tools=not run.ran,
        )
    for kind, answer in (("prose around the answer", f"In `{{}}` {{I see\n```json\n{json.dumps(ANSWER)}\n```\nDone: }}"),):
        run = Run(client, args, is_local=True, answer=answer)
        expect(kind, run, dismissed=run.status == 0)
    wrong = json.dumps({"findings": [{"id": "0", "outOfDate": False}, 5]})
    run = Run(client, args, is_local=True, answer=wrong)
    expect("wrong items", run, status=run.status == 3, printed="lib/pay.py" in run.stdout, again=any("invalid type: string" in text for text in run.requests))
    return failures
