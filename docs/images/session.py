#!/usr/bin/env python3
"""Runs a short session in a temporary repository and draws it as docs/images/session.svg. If `chromium`
is on PATH, the report of that repository is drawn as docs/images/report.png.

    python3 docs/images/session.py target/debug/cerberus
"""

import html
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap

WIDTH, LINE, CHAR, PAD = 100, 20, 8.43, 16
binary = pathlib.Path(sys.argv[1]).resolve()
shown = []


def run(line, show=True):
    done = subprocess.run(["bash", "-c", line], cwd=project, env=env, text=True, capture_output=True)
    if show:
        shown.append(("prompt", f"$ {line}"))
        for text in (done.stdout + done.stderr).rstrip().splitlines():
            shown.extend(("text", part) for part in textwrap.wrap(text, WIDTH, subsequent_indent="  ") or [""])


with tempfile.TemporaryDirectory() as temp:
    project = pathlib.Path(temp, "shop")
    project.mkdir()
    bin_folder = pathlib.Path(temp, "bin")
    bin_folder.mkdir()
    (bin_folder / "cerberus").symlink_to(binary)
    env = {**os.environ, "HOME": temp, "PATH": f"{bin_folder}:{os.environ['PATH']}", "CERBERUS_NOW": "2026-01-02T03:04:05Z"}
    for who in ["AUTHOR", "COMMITTER"]:
        env |= {f"GIT_{who}_NAME": "Ada", f"GIT_{who}_EMAIL": "ada@example.com", f"GIT_{who}_DATE": "2026-01-02T03:04:05Z"}
    (project / "src").mkdir()
    (project / "src/db.py").write_text(
        'def close_session(session):\n    """Close the session when the request ends."""\n    session.commit()\n    session.close()\n')
    (project / "AGENTS.md").write_text("# Notes\n\nSessions are closed by `close_session` in `src/db.py`.\n")
    run("git init -q && cerberus memory init && git add . && git commit -qm 'The shop'", show=False)
    run("cerberus memory add 'Close the session when the request ends'")
    run("git add . && git commit -qm 'A rule'", show=False)
    run("git mv src/db.py src/sessions.py && git commit -qm 'Name the file after what it does'")
    run("cerberus check")
    run("cerberus check --fix --yes | tail -n 3")
    run("cerberus memory report --html report.html", show=False)
    if chromium := shutil.which("chromium"):
        report = pathlib.Path(__file__).resolve().with_name("report.png")
        subprocess.run([
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=900,1460",
            f"--screenshot={report}", (project / "report.html").as_uri(),
        ], env=env, check=True, capture_output=True)
    run("cerberus memory reanchor")

height = len(shown) * LINE + 2 * PAD
lines = [
    f'<svg xmlns="http://www.w3.org/2000/svg" width="{int(WIDTH * CHAR + 2 * PAD)}" height="{height}" role="img">',
    "<title>A terminal session with cerberus</title>",
    '<rect width="100%" height="100%" rx="8" fill="#1e2127"/>',
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">',
]
for at, (kind, text) in enumerate(shown):
    color = "#98c379" if kind == "prompt" else "#e06c75" if text.startswith("error") else "#d7dae0"
    lines.append(f'<text x="{PAD}" y="{PAD + at * LINE + 14}" fill="{color}">{html.escape(text)}</text>')
pathlib.Path(__file__).with_name("session.svg").write_text("\n".join([*lines, "</g>", "</svg>", ""]))
for _, text in shown:
    print(text)
