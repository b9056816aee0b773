#!/usr/bin/env bash
# Packs a binary of this machine and installs each package into an empty environment, without a
# registry: npm and npx, pip, uvx and pipx, the shell installer. Tools that are not on PATH are
# skipped with a message.
#
#   bash packaging/try.sh target/release/cerberus
set -euo pipefail

binary=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"; [ -z "${server:-}" ] || kill "$server"' EXIT
target="$(uname -m | sed 's/arm64/aarch64/')-$(case $(uname -s) in Darwin) echo apple-darwin ;; *) echo unknown-linux-gnu ;; esac)"
version=$("$binary" --version)

mkdir -p "$temp/binaries/$target" "$temp/project" "$temp/home"
cp "$binary" "$temp/binaries/$target/cerberus"
strip "$temp/binaries/$target/cerberus" 2>/dev/null || true
GITHUB_REPOSITORY="${GITHUB_REPOSITORY:-owner/cerberus}" \
    python3 "$here/pack.py" --binaries "$temp/binaries" --out "$temp/dist"

cd "$temp/project"
git init -q
mkdir src
# shellcheck disable=SC2016
printf '# Notes\n\nThe program is in `src/main.py`.\n' > README.md
printf 'def main():\n    return 0\n' > src/main.py
git add . && git -c user.name=a -c user.email=a@example.com commit -qm project

# Runs `PROGRAM --version` and `PROGRAM check`, and prints the seconds since the last call.
began=$(date +%s%N)
try() {
    local name=$1
    shift
    [ "$("$@" --version)" = "$version" ] || { echo "$name: another version"; exit 1; }
    "$@" check > "$temp/out" 2>&1 || { cat "$temp/out"; exit 1; }
    echo "ok   $name ($((($(date +%s%N) - began) / 1000000)) ms with the installation)"
    began=$(date +%s%N)
}
skip() { echo "skip $1: not on PATH"; }

if command -v npm >/dev/null; then
    mkdir "$temp/npm"
    began=$(date +%s%N)
    # Offline, the packages of other platforms are skipped, as npm does for a wrong `os`.
    (cd "$temp/npm" && npm init -y >/dev/null 2>&1 &&
        npm install --offline --no-audit --no-fund --silent "$temp"/dist/npm/*.tgz)
    try "npm install" "$temp/npm/node_modules/.bin/cerberus"
    cp -r "$temp/npm/node_modules" "$temp/project/"
    echo node_modules > .git/info/exclude
    try "npx cerberus-memory" npx --no-install cerberus-memory
    rm -r node_modules
else
    skip npm
fi

wheel=$(echo "$temp"/dist/pypi/*.whl)
python3 -m venv "$temp/venv"
began=$(date +%s%N)
"$temp/venv/bin/pip" install --quiet --no-index --disable-pip-version-check "$wheel"
try "pip install" "$temp/venv/bin/cerberus"
try "python -m cerberus_memory" "$temp/venv/bin/python" -m cerberus_memory
if command -v uvx >/dev/null; then
    UV_CACHE_DIR="$temp/uv" try "uvx cerberus-memory" uvx --offline --from "$wheel" cerberus-memory
else
    skip uvx
fi
if command -v pipx >/dev/null; then
    export PIPX_HOME="$temp/pipx"
    try "pipx run cerberus-memory" pipx run --quiet --spec "$wheel" cerberus-memory
else
    skip pipx
fi

# The installer asks for the static binary.
static=${target/linux-gnu/linux-musl}
archive=$(echo "$temp"/dist/cerberus-*-"$target".tar.xz)
mkdir "$temp/served" "$temp/unpacked"
tar -xJf "$archive" -C "$temp/unpacked"
folder=$(basename "$archive" .tar.xz)
[ "$static" = "$target" ] || mv "$temp/unpacked/$folder" "$temp/unpacked/${folder%"$target"}$static"
packed="${folder%"$target"}$static.tar.xz"
tar -cJf "$temp/served/$packed" -C "$temp/unpacked" .
(cd "$temp/served" && { sha256sum "$packed" || shasum -a 256 "$packed"; } 2>/dev/null > SHA256SUMS)
python3 -u -m http.server --bind 127.0.0.1 --directory "$temp/served" 0 > "$temp/server.log" 2>&1 &
server=$!
for _ in $(seq 50); do
    port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$temp/server.log")
    [ -n "$port" ] && break
    sleep 0.1
done
began=$(date +%s%N)
export CERBERUS_DOWNLOADS="http://127.0.0.1:$port" CERBERUS_INSTALL_DIR="$temp/bin"
sh "$temp/dist/install.sh" > "$temp/out" || { cat "$temp/out"; exit 1; }
try "install.sh" "$temp/bin/cerberus"
sed -i.old -e 's/^[0-9a-e]/f/' -e t -e 's/^f/0/' "$temp/served/SHA256SUMS"
if sh "$temp/dist/install.sh" > "$temp/out" 2>&1; then
    echo "install.sh: accepted a wrong checksum"
    exit 1
fi
grep -q "checksum .* differs" "$temp/out"
echo "ok   install.sh refuses a wrong checksum"
