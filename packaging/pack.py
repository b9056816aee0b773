#!/usr/bin/env python3
"""Packs built binaries for a release: archives, npm packages, wheels, MCPB bundles, the Gemini CLI
extension, a Homebrew formula, `server.json` of the MCP registry, the installers, and the checksums of all of them.

    python3 packaging/pack.py --binaries DIR --out DIST

`DIR/TARGET/cerberus` (`cerberus.exe` on Windows) is the binary of a Rust target; targets without one
are skipped, unless `--all` asks for every one of them. Only the standard library of Python 3.11 is
used. The same inputs give the same bytes: the time in all files is SOURCE_DATE_EPOCH, by default 0.

The address of the repository has one source: `repository` under `[package]` in `Cargo.toml`. Without
it, the repository of a GitHub workflow (`GITHUB_SERVER_URL`, `GITHUB_REPOSITORY`) is used. Without
both, what needs an address is skipped with a message.
"""

import argparse
import base64
import gzip
import hashlib
import io
import json
import lzma
import os
import pathlib
import re
import sys
import tarfile
import time
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
ZIP_TIME = time.gmtime(max(EPOCH, 315532800))[:6]  # zip files begin in 1980

# Rust target: npm platform, npm processor, wheel platform. The binaries for musl are static, so the
# packages for Linux carry them and run with any C library. The binaries for glibc are in archives
# only; for a trial, a package carries one if there is no binary for musl.
TARGETS = {
    "x86_64-unknown-linux-musl": (
        "linux", "x64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"),
    "aarch64-unknown-linux-musl": (
        "linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"),
    "x86_64-unknown-linux-gnu": ("linux", "x64", "linux_x86_64"),
    "aarch64-unknown-linux-gnu": ("linux", "arm64", "linux_aarch64"),
    "x86_64-apple-darwin": ("darwin", "x64", "macosx_10_12_x86_64"),
    "aarch64-apple-darwin": ("darwin", "arm64", "macosx_11_0_arm64"),
    "x86_64-pc-windows-msvc": ("win32", "x64", "win_amd64"),
    "aarch64-pc-windows-msvc": ("win32", "arm64", "win_arm64"),
}

CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text())
MANIFEST, WORKSPACE = CARGO["package"], CARGO["workspace"]["package"]
NAME, VERSION = MANIFEST["name"], WORKSPACE["version"]
DOCUMENTS = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"]


def repository():
    if url := MANIFEST.get("repository"):
        return url.rstrip("/")
    if name := os.environ.get("GITHUB_REPOSITORY"):
        return f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{name}"
    return None


def exe(target):
    return "cerberus.exe" if "windows" in target else "cerberus"


def documents():
    """The files beside the binary in an archive."""
    files = {name: (ROOT / name).read_bytes() for name in DOCUMENTS}
    for folder in ["man", "completions"]:
        for path in sorted((ROOT / folder).iterdir()):
            files[f"{folder}/{path.name}"] = path.read_bytes()
    return files


def tar(files, executables):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), EPOCH
            info.mode = 0o755 if name in executables else 0o644
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zipped(files, executables):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, ZIP_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = (0o100755 if name in executables else 0o100644) << 16
            archive.writestr(info, data)
    return out.getvalue()


def archive(target, binary):
    folder = f"cerberus-{VERSION}-{target}"
    files = {f"{folder}/{exe(target)}": binary}
    files |= {f"{folder}/{name}": data for name, data in documents().items()}
    executables = {f"{folder}/{exe(target)}"}
    if "windows" in target:
        return f"{folder}.zip", zipped(files, executables)
    # The binary is a fifth smaller than with gzip.
    return f"{folder}.tar.xz", lzma.compress(tar(files, executables), preset=9)


def npm_base(url):
    base = {"version": VERSION, "license": WORKSPACE["license"]}
    if url:
        base |= {"homepage": url, "repository": {"type": "git", "url": f"git+{url}.git"}}
    return base


def npm_name(system, processor):
    return f"{NAME}-{system}-{processor}"


def npm_tarball(package, files, executables):
    files = {"package.json": (json.dumps(package, indent=2) + "\n").encode()} | files
    files = {f"package/{name}": data for name, data in files.items()}
    packed = tar(files, {f"package/{name}" for name in executables})
    packed = gzip.compress(packed, 9, mtime=EPOCH)
    return f"npm/{package['name']}-{VERSION}.tgz", packed


def npm_platform(target, binary, url):
    system, processor, _ = TARGETS[target]
    program = f"bin/{exe(target)}"
    package = {
        "name": npm_name(system, processor),
        "description": f"The binary of {NAME} for {system} {processor}",
        "os": [system],
        "cpu": [processor],
        "files": ["bin"],
        "preferUnplugged": True,
    } | npm_base(url)
    return npm_tarball(package, {program: binary, **licences()}, {program})


def licences():
    return {name: (ROOT / name).read_bytes() for name in ["LICENSE-APACHE", "LICENSE-MIT"]}


def npm_main(url):
    platforms = {npm_name(*it[:2]): VERSION for it in TARGETS.values()}
    package = json.loads((HERE / "npm/package.json").read_text()) | npm_base(url)
    package["description"] = MANIFEST["description"]
    package["optionalDependencies"] = dict(sorted(platforms.items()))
    if url:
        package["mcpName"] = mcp_name(url)
    files = {"bin/cerberus.js": (HERE / "npm/bin/cerberus.js").read_bytes()}
    files |= {"README.md": (ROOT / "README.md").read_bytes(), **licences()}
    return npm_tarball(package, files, {"bin/cerberus.js"})


def wheel(target, binary, url):
    stem = f"{NAME.replace('-', '_')}-{VERSION}"
    tag = TARGETS[target][2]
    metadata = [
        "Metadata-Version: 2.4",
        f"Name: {NAME}",
        f"Version: {VERSION}",
        f"Summary: {MANIFEST['description']}",
        f"Keywords: {','.join(MANIFEST['keywords'])}",
        "License-Expression: MIT OR Apache-2.0",
        "License-File: LICENSE-APACHE",
        "License-File: LICENSE-MIT",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
    ]
    metadata += [f"Project-URL: Repository, {url}"] if url else []
    # The MCP registry looks for this line to see that the package belongs to the server.
    marker = f"\n<!-- mcp-name: {mcp_name(url)} -->\n" if url else ""
    readme = (ROOT / "README.md").read_text()
    tags = "".join(f"Tag: py3-none-{it}\n" for it in tag.split("."))
    info = f"{stem}.dist-info"
    program = f"{stem}.data/scripts/{exe(target)}"
    files = {
        f"cerberus_memory/{path.name}": path.read_bytes()
        for path in sorted((HERE / "python/cerberus_memory").glob("*.py"))
    }
    files |= {
        program: binary,
        f"{info}/METADATA": ("\n".join(metadata) + "\n\n" + readme + marker).encode(),
        f"{info}/WHEEL": (
            f"Wheel-Version: 1.0\nGenerator: packaging/pack.py\nRoot-Is-Purelib: false\n{tags}"
        ).encode(),
        f"{info}/entry_points.txt": (
            b"[console_scripts]\ncerberus-memory = cerberus_memory.__main__:main\n"
        ),
    }
    files |= {f"{info}/licenses/{name}": data for name, data in licences().items()}
    record = "".join(f"{name},{record_hash(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    return f"pypi/{stem}-py3-none-{tag}.whl", zipped(files, {program})


def record_hash(data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"


def mcpb(target, binary):
    system, processor, _ = TARGETS[target]
    manifest = json.loads((HERE / "mcpb/manifest.json").read_text())
    program = f"server/{exe(target)}"
    manifest |= {"version": VERSION, "description": MANIFEST["description"]}
    manifest["server"]["entry_point"] = program
    manifest["server"]["mcp_config"]["command"] = "${__dirname}/" + program
    manifest["compatibility"] = {"platforms": [system]}
    files = {"manifest.json": (json.dumps(manifest, indent=2) + "\n").encode(), program: binary}
    name = f"cerberus-{VERSION}-{system}-{processor}.mcpb"
    return name, zipped(files | licences(), {program})


def gemini():
    """The extension, once for each name of a platform: `gemini extensions install` downloads the
    file of a release whose name begins with the platform, and expects the manifest at its root."""
    folder = ROOT / "plugins/gemini"
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    packed = gzip.compress(tar(files | licences(), set()), 9, mtime=EPOCH)
    return {f"{system}.cerberus.tar.gz": packed for system in ["linux", "darwin", "win32"]}


def mcp_name(url):
    """The name in the MCP registry, which the login with GitHub may publish."""
    owner, name = re.fullmatch(r"https://[^/]+/([^/]+)/([^/]+)", url).groups()
    return f"io.github.{owner}/{name}"


def server_json(url, bundles):
    server = json.loads((HERE / "server.json").read_text())
    server |= {"name": mcp_name(url), "version": VERSION}
    server["repository"] = {"url": url, "source": "github"}
    for package in server["packages"]:
        package["version"] = VERSION
    for name, data in bundles.items():
        server["packages"].append({
            "registryType": "mcpb",
            "identifier": f"{url}/releases/download/v{VERSION}/{name}",
            "fileSha256": hashlib.sha256(data).hexdigest(),
            "transport": {"type": "stdio"},
        })
    return (json.dumps(server, indent=2) + "\n").encode()


def formula(url, archives):
    text = (HERE / "homebrew/cerberus.rb").read_text()
    text = text.replace("@VERSION@", VERSION).replace("@REPOSITORY@", url)
    text = text.replace("@DESCRIPTION@", MANIFEST["description"])
    for target in TARGETS:
        data = archives.get(f"cerberus-{VERSION}-{target}.tar.xz")
        if data is not None:
            text = text.replace(f"@{target}@", hashlib.sha256(data).hexdigest())
    if missing := re.findall(r"@[a-z0-9_-]+@", text):
        print(f"skipped the Homebrew formula: no archive for {', '.join(missing)}")
        return None
    return text.encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binaries", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--all", action="store_true", help="fail if the binary of a target is missing")
    args = parser.parse_args()
    binaries = {}
    for target in TARGETS:
        path = args.binaries / target / exe(target)
        if path.exists():
            binaries[target] = path.read_bytes()
        elif args.all:
            sys.exit(f"no binary `{path}`")
    if not binaries:
        sys.exit(f"no binaries in `{args.binaries}`: expected TARGET/cerberus")

    url = repository()
    packed = dict(archive(target, binary) for target, binary in binaries.items())
    archives, bundles, platforms = dict(packed), {}, set()
    # The targets are in the order of preference for a platform.
    for target, binary in binaries.items():
        platform = TARGETS[target][:2]
        if platform in platforms:
            continue
        platforms.add(platform)
        packed |= dict([npm_platform(target, binary, url), wheel(target, binary, url)])
        bundles |= dict([mcpb(target, binary)])
    packed |= bundles
    packed |= gemini()
    packed |= dict([npm_main(url)])
    if url:
        packed["server.json"] = server_json(url, bundles)
        if text := formula(url, archives):
            packed["cerberus.rb"] = text
        for installer in ["install.sh", "install.ps1"]:
            text = (HERE / installer).read_text()
            packed[installer] = text.replace("@REPOSITORY@", url).replace("@VERSION@", VERSION).encode()
    else:
        print("no repository is known: server.json, the formula and the installers are skipped")
    sums = {name: data for name, data in packed.items() if "/" not in name}
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(sums.items())]
    packed["SHA256SUMS"] = "".join(lines).encode()
    for name, data in packed.items():
        path = args.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        print(f"{len(data):>12,}  {path}")


if __name__ == "__main__":
    main()
