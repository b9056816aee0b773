#!/usr/bin/env bash
# Runs the check of the action in a sample repository with a recorded `gh`, and compares what it does:
# annotations, exit status, one comment that is created, updated and deleted.
#
#   bash action/try.sh target/debug/cerberus
set -euo pipefail

CERBERUS=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
export CERBERUS HOME="$temp" GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com

# A `gh` that stores one comment in a file.
mkdir "$temp/bin"
cat > "$temp/bin/gh" <<'GH'
#!/usr/bin/env bash
echo "$*" >> "$STATE/calls"
case "$*" in
    *"--method DELETE"*) rm "$STATE/comment" ;;
    *"--method P"*) cat > "$STATE/comment" ;;
    *"--paginate"*) if [ -f "$STATE/comment" ]; then echo 7; fi ;;
esac
GH
chmod +x "$temp/bin/gh"
export PATH="$temp/bin:$PATH" STATE="$temp"

mkdir -p "$temp/project/src" && cd "$temp/project"
git init -q -b main
printf 'def close_session(session):\n    """Close the session when the request ends."""\n    session.flush()\n    session.close()\n' > src/db.py
# shellcheck disable=SC2016
printf '# Notes\n\nThe code is in %s.\n' '`src/db.py`' > AGENTS.md
"$CERBERUS" memory init > /dev/null
"$CERBERUS" memory add "Close the session when the request ends, @team *now*" --id close-session > /dev/null
git add . && git commit -qm one
git checkout -qb change

export INPUT_PATHS="" INPUT_ARGUMENTS="" INPUT_SINCE="" INPUT_COMMENT=true BASE_REF=main PULL_REQUEST=5
export GITHUB_REPOSITORY=owner/name GITHUB_OUTPUT="$temp/output" GITHUB_STEP_SUMMARY="$temp/summary"
expect() {
    local status=0
    : > "$temp/calls"
    python3 "$here/check.py" > "$temp/out" 2>&1 || status=$?
    [ "$status" = "$1" ] || { echo "status $status"; cat "$temp/out"; exit 1; }
}
has() { grep -qF -- "$2" "$temp/$1" || { echo "$1 has no: $2"; cat "$temp/$1"; exit 1; }; }

sed -i 's/request ends/request has ended/' src/db.py && git commit -qam "a change of the example"
expect 0
has calls "--method POST repos/owner/name/issues/5/comments"
has comment "Rules about this change"
has comment "<code>close-session</code>"
has comment "&#64;team &#42;now&#42;"
echo "ok   the rule of a changed example is in a new comment, escaped"

git mv src/db.py src/database.py && git commit -qm "a move"
expect 1
has out "::error file=AGENTS.md,line=3"
has output "errors=2"
has calls "--method PATCH repos/owner/name/issues/comments/7"
has comment "out of date"
echo "ok   errors are annotated, fail the step, and update the comment"

git reset -q --hard main && git commit -q --allow-empty -m nothing
expect 0
has calls "--method DELETE repos/owner/name/issues/comments/7"
[ ! -f "$temp/comment" ]
expect 0
[ "$(wc -l < "$temp/calls")" = 1 ]
echo "ok   without anything to say the comment is deleted, and no other is written"

"$CERBERUS" memory add "Do not call \`print()\`, use the logger" --id no-print --no-anchor > /dev/null
sed -i '1a pattern: |\n  language: Python\n  rule:\n    pattern: print($$$)' .memories/no-print.md
git add . && git commit -qm "a rule with a pattern" && git branch -f main
echo 'print("debug")' >> src/db.py && git commit -qam "a print"
expect 1
has out "src/db.py,line=5"
echo "ok   an added line that breaks an accepted pattern is annotated and fails the step"
[ "$(git worktree list | wc -l)" = 1 ]

{ cat src/db.py; printf '# %01100000d\n' 0; } > src/large.py && git add . && git commit -qm "a large file"
expect 3
has out "::warning file=src/large.py,title=cerberus%3A not checked::the pattern of \`no-print\`"
echo "ok   a file that is too large to be checked fails the step"
git reset -q --hard HEAD~1
