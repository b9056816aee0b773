#!/bin/sh
# Installs the binary of cerberus for this machine, after its checksum was verified.
#
#   CERBERUS_VERSION        version, by default the one that this script was released with
#   CERBERUS_INSTALL_DIR    folder, by default ~/.local/bin
#   CERBERUS_DOWNLOADS      address of the folder with the archives and SHA256SUMS
set -eu

repository="@REPOSITORY@"
version="${CERBERUS_VERSION:-@VERSION@}"
folder="${CERBERUS_INSTALL_DIR:-$HOME/.local/bin}"
downloads="${CERBERUS_DOWNLOADS:-$repository/releases/download/v$version}"

fail() {
    echo "cerberus: $1" >&2
    exit 3
}

system=$(uname -s)
case "$(uname -m)" in
    x86_64 | amd64) machine=x86_64 ;;
    arm64 | aarch64) machine=aarch64 ;;
    *) fail "no binary for the processor $(uname -m); build it with: cargo install --locked --features all-languages cerberus-memory" ;;
esac
case "$system" in
    Linux) target="$machine-unknown-linux-musl" ;; # static, for any C library
    Darwin) target="$machine-apple-darwin" ;;
    *) fail "no binary for $system; build it with: cargo install --locked --features all-languages cerberus-memory" ;;
esac

download() {
    if command -v curl >/dev/null 2>&1; then
        curl --fail --silent --show-error --location --retry 3 --output "$2" "$1"
    elif command -v wget >/dev/null 2>&1; then
        wget --quiet --output-document "$2" "$1"
    else
        fail "curl or wget is needed"
    fi || fail "failed to download $1"
}

checksum() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum "$1"
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 "$1"
    else
        fail "sha256sum or shasum is needed to verify the download"
    fi | cut -d ' ' -f 1
}

name="cerberus-$version-$target"
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT INT TERM
download "$downloads/$name.tar.xz" "$temp/$name.tar.xz"
download "$downloads/SHA256SUMS" "$temp/SHA256SUMS"
expected=$(awk -v name="$name.tar.xz" '$2 == name { print $1 }' "$temp/SHA256SUMS")
actual=$(checksum "$temp/$name.tar.xz")
[ -n "$expected" ] || fail "SHA256SUMS has no line for $name.tar.xz"
[ "$expected" = "$actual" ] || fail "the checksum of $name.tar.xz differs: nothing was installed"

tar -xJf "$temp/$name.tar.xz" -C "$temp" || fail "failed to unpack $name.tar.xz: tar needs xz (the package xz-utils or xz)"
mkdir -p "$folder"
# A rename replaces a binary that is running.
cp "$temp/$name/cerberus" "$folder/.cerberus.new"
chmod 755 "$folder/.cerberus.new"
mv -f "$folder/.cerberus.new" "$folder/cerberus"
echo "installed $("$folder/cerberus" --version) in $folder"
case ":$PATH:" in
    *":$folder:"*) ;;
    *) echo "next: put $folder on PATH" ;;
esac
