"""Starts the binary, for `uvx cerberus-memory`, `pipx run cerberus-memory` and
`python -m cerberus_memory`."""

import os
import subprocess
import sys
import sysconfig


def find_binary():
    """Return the path of the binary, which pip installs with the scripts of its environment."""
    name = "cerberus" + (sysconfig.get_config_var("EXE") or "")
    folders = [
        os.path.dirname(sys.argv[0]),
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))
        if hasattr(sysconfig, "get_preferred_scheme")
        else "",
        # `pip install --target`
        os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"),
    ]
    for folder in folders:
        path = os.path.join(folder, name)
        if folder and os.path.isfile(path):
            return path
    sys.exit(f"cerberus: `{name}` is not in {', '.join(filter(None, folders))}")


def main():
    binary = find_binary()
    if os.name == "nt":
        sys.exit(subprocess.run([binary, *sys.argv[1:]], check=False).returncode)
    os.execv(binary, [binary, *sys.argv[1:]])


if __name__ == "__main__":
    main()
