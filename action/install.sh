#!/usr/bin/env bash
# Finds the version of cerberus for the action (`version`), and downloads and verifies it (`download`).
set -euo pipefail

fail() {
    echo "::error title=cerberus::$1"
    exit 3
}

# The inputs of the steps are environment variables of the action.
# shellcheck disable=SC2153
case "$1" in
    version)
        version=${INPUT_VERSION#v}
        if [ -z "$version" ] && [[ "$ACTION_REF" =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]]; then
            version=${ACTION_REF#v}
        fi
        if [ -z "$version" ]; then
            version=$(gh api "repos/$ACTION_REPOSITORY/releases/latest" --jq .tag_name) ||
                fail "there is no release of $ACTION_REPOSITORY; name an installed binary with the input 'binary'"
            version=${version#v}
        fi
        [[ "$version" =~ ^[0-9A-Za-z.+-]+$ ]] || fail "'$version' is not a version"
        {
            echo "version=$version"
            echo "folder=$RUNNER_TOOL_CACHE/cerberus/$version"
        } >> "$GITHUB_OUTPUT"
        ;;
    download)
        case "$RUNNER_ARCH" in
            X64) machine=x86_64 ;;
            ARM64) machine=aarch64 ;;
            *) fail "no binary for the processor $RUNNER_ARCH" ;;
        esac
        case "$RUNNER_OS" in
            Linux) archive="cerberus-$VERSION-$machine-unknown-linux-musl.tar.xz" ;;
            macOS) archive="cerberus-$VERSION-$machine-apple-darwin.tar.xz" ;;
            Windows) archive="cerberus-$VERSION-$machine-pc-windows-msvc.zip" ;;
            *) fail "no binary for $RUNNER_OS" ;;
        esac
        temp=$(mktemp -d)
        trap 'rm -rf "$temp"' EXIT
        gh release download "v$VERSION" --repo "$ACTION_REPOSITORY" --dir "$temp" \
            --pattern "$archive" --pattern SHA256SUMS || fail "failed to download $archive"
        cd "$temp"
        grep " $archive\$" SHA256SUMS > expected || fail "SHA256SUMS has no line for $archive"
        { sha256sum --check expected || shasum -a 256 --check expected; } > /dev/null 2>&1 ||
            fail "the checksum of $archive differs"
        case "$archive" in
            *.zip) unzip -q "$archive" ;;
            *) tar -xJf "$archive" ;;
        esac
        mkdir -p "$FOLDER"
        cp "${archive%.tar.xz}"*/cerberus* "$FOLDER/" 2>/dev/null || cp "${archive%.zip}"/cerberus* "$FOLDER/"
        ;;
esac
