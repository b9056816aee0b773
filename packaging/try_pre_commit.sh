#!/usr/bin/env bash
# Runs the hooks of this repository in a sample repository with pre-commit, which must be on PATH. With the
# wheel as a second argument, also a hook that installs it.
#
#   bash packaging/try_pre_commit.sh target/debug/cerberus [WHEEL]
set -euo pipefail

binary=$(realpath "$1")
wheel=${2:+$(realpath "$2")}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
export HOME="$temp" PRE_COMMIT_HOME="$temp/cache" GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com

mkdir "$temp/bin" "$temp/hooks" "$temp/project"
cp "$binary" "$temp/bin/cerberus"
cp "$root/.pre-commit-hooks.yaml" "$temp/hooks/"
git -C "$temp/hooks" init -q
git -C "$temp/hooks" add . && git -C "$temp/hooks" commit -qm hooks

cd "$temp/project"
git init -q
mkdir src
echo 'def main(): pass' > src/main.py
# shellcheck disable=SC2016
printf '# Notes\n\nThe code is in `src/main.py`.\n' > AGENTS.md
cat > .pre-commit-config.yaml <<YAML
repos:
  - repo: $temp/hooks
    rev: $(git -C "$temp/hooks" rev-parse HEAD)
    hooks: [{ id: cerberus-check }, { id: cerberus-anchors }]
YAML
PATH="$temp/bin:$PATH" cerberus memory init > /dev/null
git add . && git commit -qm one
PATH="$temp/bin:$PATH" pre-commit run --all-files
git mv src/main.py src/program.py && git commit -qm two
if PATH="$temp/bin:$PATH" pre-commit run --all-files > "$temp/out"; then
    echo "pre-commit passed with a wrong path"
    exit 1
fi
grep -F 'src/program.py' "$temp/out"
echo "ok   the hooks of the repository"

[ -n "$wheel" ] || exit 0
git mv src/program.py src/main.py && git commit -qm three
cat > .pre-commit-config.yaml <<YAML
repos:
  - repo: local
    hooks:
      - id: cerberus-check
        name: cerberus check
        entry: cerberus check
        language: python
        additional_dependencies: ["$wheel"]
        pass_filenames: false
        always_run: true
YAML
git add . && git commit -qm four
pre-commit run --all-files
echo "ok   a hook that installs the package"
