"""Check whether a version can be released (`make release VERSION=`).

    python src/building/releasing.py 0.2.0            the checks that take no time
    python src/building/releasing.py 0.2.0 last       once all else is checked: what is left to do

The tree is clean, the version is the same wherever it stands, the changelog has a heading of it
with a date, and no tag of it is there. Addresses hold OWNER until it is known whose the repository
is: all else can be checked without it, but the last word is then no.
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


def find_objections(version: str, root: Path = ROOT) -> list[str]:
    """Return what stands against a release, a line each; nothing if it can be made.

    Args:
        version: such as "0.2.0".
        root: the sources.
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        return [f"VERSION={version} is not a version; write three numbers, such as 0.2.0"]
    found = []
    if changed := _run_git(root, "status", "--porcelain"):
        found.append(f"the tree is not clean: commit or drop {len(changed.splitlines())} changes")
    project = tomllib.loads(_read_text(root / "pyproject.toml"))["project"]
    said = {
        "pyproject.toml": project["version"],
        "src/facelet/_version.py": _first_match(
            r'^__version__ = "(.*)"', _read_text(root / "src/facelet/_version.py")
        ),
        "CITATION.cff": _first_match(r"^version: (.*)", _read_text(root / "CITATION.cff")),
    }
    found += [f"{file} says {one}: write {version}" for file, one in said.items() if one != version]
    heading = rf"^## {re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)$"
    day = re.search(heading, _read_text(root / "CHANGELOG.md"), re.MULTILINE)
    cited = _first_match(r"^date-released: (.*)", _read_text(root / "CITATION.cff"))
    if not day:
        found.append(f"CHANGELOG.md has no heading '## {version} (year-month-day)': write it")
    elif day[1] != cited:
        found.append(f"CITATION.cff is dated {cited}, CHANGELOG.md {day[1]}: write one day")
    if _run_git(root, "tag", "--list", f"v{version}"):
        found.append(f"there is a tag v{version} already: choose a later version")
    return found


def find_missing_owner(root: Path = ROOT) -> str:
    """Return a line that says where an owner's name is missing; "" if nowhere.

    Args:
        root: the sources.
    """
    found = {
        file: _read_text(root / file).count(f"/{OWNER}/")
        for file in ("pyproject.toml", "CITATION.cff")
    }
    if not any(found.values()):
        return ""
    told = ", ".join(f"{count} in {file}" for file, count in found.items() if count)
    return (
        f"the repository's owner is not named: write its name for {OWNER} in its addresses ({told})"
    )


def _read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _first_match(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else "nothing"


def _run_git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main(version: str, stage: str = "first") -> None:
    """Print what was checked, or what is left to do.

    Args:
        version: such as "0.2.0".
        stage: "first", or "last" when tests and packages are checked.

    Raises:
        SystemExit: something stands against a release.
    """
    found, owner = find_objections(version), find_missing_owner()
    if found:
        raise SystemExit("\n".join(f"not ready: {line}" for line in found))
    if stage == "first":
        print(f"version {version}: tree, versions, changelog and tag are in order")
        if owner:
            print(f"warning: {owner}; the rest is checked all the same")
        return
    print("checked: tree, versions, changelog, tag; lint, types, tests; wheels of every system")
    print("and sources, their metadata and README (twine), Linux and interface tags")
    if owner:
        raise SystemExit(f"not ready: {owner}, commit, and run this again")
    print("Ready. These two make it public:")
    print(f"  git tag -a v{version} -m 'Facelet {version}'")
    print(f"  git push origin v{version}   # .github/workflows/release.yml does the rest")


if __name__ == "__main__":
    main(*sys.argv[1:])
