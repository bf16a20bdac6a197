"""Whether a version can be released: what `make release VERSION=` asks first.

    python src/building/releasing.py 0.2.0

The tree is clean, the version is the same wherever it stands, the changelog has a heading of it
with a date, no tag of it is there, and the address of the repository is a real one.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]

OWNER = "OWNER"
"""What stands in addresses for as long as nobody has said where the repository is."""


def objections(version: str, root: Path = ROOT) -> list[str]:
    """Return what stands against a release, a line each; nothing if it can be made.

    Args:
        version: such as "0.2.0".
        root: the sources.
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        return [f"VERSION={version} is no version; write three numbers, such as 0.2.0"]
    found = []
    if changed := _git(root, "status", "--porcelain"):
        found.append(f"the tree is not clean: commit or drop {len(changed.splitlines())} changes")
    project = tomllib.loads(_text(root / "pyproject.toml"))["project"]
    said = {
        "pyproject.toml": project["version"],
        "src/facelet/__init__.py": _first(
            r'^__version__ = "(.*)"', _text(root / "src/facelet/__init__.py")
        ),
        "CITATION.cff": _first(r"^version: (.*)", _text(root / "CITATION.cff")),
    }
    found += [f"{file} says {one}: write {version}" for file, one in said.items() if one != version]
    heading = rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$"
    if not re.search(heading, _text(root / "CHANGELOG.md"), re.MULTILINE):
        found.append(f"CHANGELOG.md has no heading '## {version} (year-month-day)': write it")
    if _git(root, "tag", "--list", f"v{version}"):
        found.append(f"there is a tag v{version} already: choose a later version")
    for name, address in project["urls"].items():
        if f"/{OWNER}/" in f"{address}/":
            found.append(f"pyproject.toml: the URL {name} still has {OWNER}: write whose it is")
    return found


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _first(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else "nothing"


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main() -> None:
    """Print the objections.

    Raises:
        SystemExit: there are some.
    """
    found = objections(sys.argv[1])
    if found:
        raise SystemExit("\n".join(f"not ready: {line}" for line in found))
    print(f"version {sys.argv[1]}: tree, versions, changelog, tag and addresses are in order")


if __name__ == "__main__":
    main()
