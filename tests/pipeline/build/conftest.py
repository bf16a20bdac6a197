from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest


@pytest.fixture
def toy(monkeypatch):
    """The toy family, installed for one test; the module toy_build builds it."""
    import toy_build

    from facelet.pipeline import resources
    from facelet.pipeline.build import manifest

    monkeypatch.setitem(sys.modules, "facelet.generators.toy.tasks.count", None)
    monkeypatch.setattr(manifest, "code_version", manifest.code_version)
    monkeypatch.setattr(resources, "PROVIDERS", dict(resources.PROVIDERS))
    toy_build.install()
    return toy_build


@pytest.fixture(scope="session")
def published():
    """A function: the hashes of all published files of a dataset folder, by path."""

    def hashes(out):
        return {
            path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(Path(out).rglob("*"))
            if path.is_file() and ".facelet" not in path.relative_to(out).parts
        }

    return hashes
