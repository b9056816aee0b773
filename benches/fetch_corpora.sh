#!/usr/bin/env bash
# Fetches the corpora of `cargo bench`: Django with pip, and the sources of Go and its tools with
# apt. Existing corpora are not fetched again.
# usage: benches/fetch_corpora.sh DIR
set -euo pipefail
dir=${1:?usage: fetch_corpora.sh DIR}
mkdir -p "$dir"
tmp=$(mktemp -d "$dir/.tmp.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

if [ ! -d "$dir/django" ]; then
    python3 -m pip download -q --no-deps --no-binary django -d "$tmp" django==5.1
    echo "848a5980e8efb76eea70872fb0e4bc5e371619c70fffbe48e3e1b50b2c09455d  $tmp/Django-5.1.tar.gz" | sha256sum -c --quiet
    mkdir "$tmp/django"
    tar -xzf "$tmp/Django-5.1.tar.gz" -C "$tmp/django" --strip-components=1
    mv "$tmp/django" "$dir/django"
fi

# The version of the installed Debian is sufficient, because the figures are ratios on one tree.
if [ ! -d "$dir/go" ]; then
    mkdir "$tmp/go"
    (cd "$tmp" && apt-get download -qq golang-1.19-src golang-golang-x-tools-dev golang-golang-x-sys-dev)
    for package in "$tmp"/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$tmp/go" --wildcards '*.go'
    done
    mv "$tmp/go" "$dir/go"
fi
