"""What is typed behind a verb, as its settings, and verbs called with words."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, TypeVar

import click

from facelet.pipeline.command.verb_command import VerbCommand, load_verb
from facelet.pipeline.config import settings_resolver as configs
from facelet.pipeline.config.build_settings import Settings

S = TypeVar("S")


def parse_words(kind: type[S], words: Sequence[str], verb: str = "") -> S:
    """Return the settings that words of the command line mean."""
    module = ModuleType(verb)
    module.Settings = kind  # type: ignore[attr-defined]
    command = VerbCommand(verb, lambda: module)
    try:
        return command.parse_context(command.make_context(verb, list(words)), kind)
    except click.UsageError as error:
        raise ValueError(error.format_message()) from error


def parse_settings(name: str, words: Sequence[str]) -> Any:
    """Return the settings of a verb that words mean."""
    return parse_words(load_verb(name).load().Settings, words, name)


def resolve_words(words: Sequence[str]) -> tuple[Settings, str]:
    """Return the configuration that words behind `facelet build` mean."""
    return configs.resolve_settings(parse_settings("build", words))


def run_verb(name: str, words: Sequence[str]) -> int:
    """Run a verb with words; return its exit status, and raise the errors that the door tells."""
    return int(load_verb(name).load().run(parse_settings(name, words)))
