"""Every folder of tests is collected: pytest skips folders such as `build` by default."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parent


def test_no_folder_of_tests_is_left_out(request: pytest.FixtureRequest) -> None:
    folders = {path.parent for path in ROOT.rglob("test_*.py")}
    names = {part for folder in folders for part in folder.relative_to(ROOT).parts}
    patterns = request.config.getini("norecursedirs")
    left_out = [name for name in sorted(names) if any(fnmatch(name, one) for one in patterns)]
    assert "build" in names
    assert left_out == []
