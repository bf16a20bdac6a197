"""An adapter whose tool is not installed says what to install."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

ADAPTERS = {
    "gymnasium": ("gymnasium", "gymnasium"),
    "inspect_ai": ("inspect_ai", "inspect"),
    "lm_eval": ("lm_eval", "lm-eval"),
    "openenv": ("openenv", "openenv"),
    "skyrl": ("skyrl_gym", "skyrl"),
    "textarena": ("textarena", "textarena"),
    "trl": ("trl", "trl"),
    "lmms_eval": ("lmms_eval", "lmms-eval"),
    "verifiers": ("verifiers", "verifiers"),
}
"""Module of the adapter: the package that it needs, and the extra."""


@pytest.mark.parametrize("name", ADAPTERS)
def test_without_the_package_it_says_what_to_install(name, monkeypatch):
    package, extra = ADAPTERS[name]
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"facelet.pipeline.adapters.{name}", raising=False)
    with pytest.raises(ImportError, match=rf"pip install --upgrade 'facelet\[{extra}\]'"):
        import_module(f"facelet.pipeline.adapters.{name}")
