"""The check of the action: annotations, the exit status, and one comment on the pull request.

Texts of the repository are untrusted: they are escaped, and they are not passed to a shell.
"""

import html
import json
import os
import shlex
import subprocess
import sys

MARKER = "<!-- cerberus check -->"
MAX_ITEMS = 20
MAX_CHARS = 300
CERBERUS = os.environ["CERBERUS"]


def run(*command, **options):
    return subprocess.run(command, text=True, encoding="utf-8", capture_output=True, **options)


def git(*args):
    return run("git", *args)


def base():
    """The commit from which the change starts, or none."""
    since = os.environ.get("INPUT_SINCE", "")
    if since == "none":
        return None
    reference = since or os.environ.get("BASE_REF", "")
    if not reference:
        return None
    for name in [reference, f"origin/{reference}"]:
        found = git("merge-base", "HEAD", name)
        if found.returncode == 0:
            return found.stdout.strip()
    print(f"::warning title=cerberus::`{reference}` is not fetched: everything is checked. "
          "Set `fetch-depth: 0` for actions/checkout")
    return None


def check(since):
    args = shlex.split(os.environ.get("INPUT_PATHS", ""))
    args += shlex.split(os.environ.get("INPUT_ARGUMENTS", ""))
    args += ["--since", since] if since else []
    annotated = run(CERBERUS, "check", "--format", "github", *args)
    sys.stdout.write(annotated.stdout)
    sys.stderr.write(annotated.stderr)
    report = run(CERBERUS, "check", "--json", *args)
    return annotated.returncode, json.loads(report.stdout) if report.stdout else None


def review(since):
    """Annotates added lines that break an accepted pattern of a rule. Without a bank there is none. Returns the status, and
    the rules about the changed code."""
    reviewed = run(CERBERUS, "memory", "review-diff", since, "--format", "github")
    if reviewed.returncode == 2:
        return 0, []
    sys.stdout.write(reviewed.stdout)
    sys.stderr.write(reviewed.stderr)
    report = run(CERBERUS, "memory", "review-diff", since, "--json")
    return reviewed.returncode, json.loads(report.stdout)["rules"] if report.stdout else []


def shown(text):
    """Escapes HTML, markdown and mentions of users."""
    text = " ".join(text.split())
    text = text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 1] + "…"
    text = html.escape(text)
    return "".join(f"&#{ord(c)};" if c in "@`*_[]#|\\~!:" else c for c in text)


def body(rules, report):
    lines = []
    if rules:
        lines += ["### Rules about this change", ""]
        lines += [f"- {shown(it['rule'])} (<code>{shown(it['id'])}</code>)" for it in rules[:MAX_ITEMS]]
        if len(rules) > MAX_ITEMS:
            lines.append(f"- and {len(rules) - MAX_ITEMS} others")
        lines.append("")
    errors = [it for it in (report or {}).get("findings", []) if it["severity"] == "error"]
    if errors:
        lines += [f"### {len(errors)} out of date", ""]
        for it in errors[:MAX_ITEMS]:
            lines.append(f"- <code>{shown(it['file'])}:{it['line']}</code> {shown(it['message'])}")
        if len(errors) > MAX_ITEMS:
            lines.append(f"- and {len(errors) - MAX_ITEMS} others")
        lines.append("")
    return "\n".join([MARKER, *lines]) if lines else None


def comment(text):
    """Creates, updates or deletes the comment of an earlier run."""
    repository, number = os.environ["GITHUB_REPOSITORY"], os.environ["PULL_REQUEST"]
    comments = f"repos/{repository}/issues/{number}/comments"
    found = run("gh", "api", "--paginate", comments, "--jq",
                f'.[] | select(.user.type == "Bot" and (.body | startswith("{MARKER}"))) | .id')
    if found.returncode:
        return found
    ids = found.stdout.split()
    if text is None:
        return run("gh", "api", "--method", "DELETE", f"repos/{repository}/issues/comments/{ids[0]}") if ids else found
    target = ["PATCH", f"repos/{repository}/issues/comments/{ids[0]}"] if ids else ["POST", comments]
    return run("gh", "api", "--method", *target, "--input", "-", input=json.dumps({"body": text}))


def main():
    since = base()
    status, report = check(since)
    rules = []
    if since and status != 2:
        reviewed, rules = review(since)
        status = max(status, reviewed)
    n_errors = report["summary"]["errors"] if report else 0
    if output := os.environ.get("GITHUB_OUTPUT"):
        with open(output, "a", encoding="utf-8") as file:
            file.write(f"errors={n_errors}\n")
    if since and os.environ.get("PULL_REQUEST") and os.environ.get("INPUT_COMMENT") == "true":
        text = body(rules, report)
        if text and (summary := os.environ.get("GITHUB_STEP_SUMMARY")):
            with open(summary, "a", encoding="utf-8") as file:
                file.write(text + "\n")
        written = comment(text)
        if written.returncode:
            # A pull request from a fork has a token that only reads.
            print(f"::notice title=cerberus::the comment was not written: {' '.join(written.stderr.split())}")
    sys.exit(status)


if __name__ == "__main__":
    main()
