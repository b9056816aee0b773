#!/usr/bin/env bash
# Fetches the code that `cargo bench` measures on, through pip.
# usage: benches/fetch_corpora.sh DIR
set -euo pipefail
dir=${1:?usage: fetch_corpora.sh DIR}
mkdir -p "$dir"
[ -d "$dir/django" ] && exit 0
tmp=$(mktemp -d "$dir/.tmp.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
python3 -m pip download -q --no-deps --no-binary django -d "$tmp" django==5.1
echo "848a5980e8efb76eea70872fb0e4bc5e371619c70fffbe48e3e1b50b2c09455d  $tmp/Django-5.1.tar.gz" | sha256sum -c --quiet
mkdir "$tmp/x"
tar -xzf "$tmp/Django-5.1.tar.gz" -C "$tmp/x" --strip-components=1
mv "$tmp/x" "$dir/django"
