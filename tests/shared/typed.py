"""What is typed behind a verb, as its settings, and verbs called with words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from facelet.pipeline.command.group import verb
from facelet.pipeline.command.verb import read
from facelet.pipeline.config import resolve as configs
from facelet.pipeline.config.settings import Settings


def settings_of(name: str, words: Sequence[str]) -> Any:
    """Return the settings of a verb that words mean."""
    return read(verb(name).load().Settings, words, name)


def resolve(words: Sequence[str]) -> tuple[Settings, str]:
    """Return the configuration that words behind `facelet build` mean."""
    return configs.resolve(settings_of("build", words))


def run(name: str, words: Sequence[str]) -> int:
    """Run a verb with words; return its exit status, and raise the errors that the door tells."""
    return int(verb(name).load().run(settings_of(name, words)))
