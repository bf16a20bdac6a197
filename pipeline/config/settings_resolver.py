"""Resolve the typed arguments of a build to its settings.

typed words (here) -> Hydra's configuration (compose) -> settings (checking)

The plain keys of `facelet build` are fields of `BuildArguments`, which describes them; dotted keys
reach into a task of a suite (`mine.move_effect.max_depth=20`) or into the sizes of the pieces of
work (`stage.emit.rows=512`).
"""

from __future__ import annotations

import re
from dataclasses import fields

from facelet.pipeline.argument_text import expand_home, split_key_value, unknown_word_error
from facelet.pipeline.command.shell_completion import list_conf_files
from facelet.pipeline.config.build_keys import FAMILY_KEYS, BuildArguments
from facelet.pipeline.config.build_settings import Settings
from facelet.pipeline.config.config_validator import settings_from_config
from facelet.pipeline.config.hydra_loader import UnknownConfigPath, compose_config

Value = str | int | bool | tuple[str, ...]
"""What a plain key may hold."""

_GROUPS = {"profile": "profile", "suites": "suite", "runner": "runner"}
"""Keys that choose files of a folder of `conf`."""

_PLACES = {item.name: f"family.{item.family}.{item.name}" for item in FAMILY_KEYS}
"""Where the configuration holds what families are told."""

_OWN = (".yaml", ".yml")
"""Endings of files of suites that lie anywhere."""


def resolve_settings(typed: BuildArguments) -> tuple[Settings, str]:
    """Return the settings that what was typed asks for, and the whole configuration as YAML.

    Raises:
        ValueError: a key is unknown, or a value is not allowed.
    """
    said: dict[str, Value | None] = {item.name: getattr(typed, item.name) for item in fields(typed)}
    values = {
        name: value
        for name, value in said.items()
        if value is not None and name not in ("show", "dotted")
    }
    texts = {name: _format_value(value) for name, value in values.items()}
    own = [name for name in typed.suites or () if name.endswith(_OWN)]
    if own:
        values["suites"] = tuple(name for name in typed.suites or () if name not in own)
    overrides = [_format_override(name, value) for name, value in values.items()]
    for key, group in _GROUPS.items():
        chosen = values.get(key, ())
        for name in chosen if isinstance(chosen, tuple) else [str(chosen)]:
            if name not in list_conf_files(group):
                raise unknown_word_error(key.removesuffix("s"), name, list_conf_files(group))
    if values.get("suites") == () and not own:
        raise ValueError(
            f"suites=[] builds nothing; name one of {', '.join(list_conf_files('suite'))}"
        )
    files, dotted = (
        [expand_home(name) for name in own],
        [split_key_value(word) for word in typed.dotted],
    )
    try:
        composed = compose_config(overrides, files, dotted)
    except UnknownConfigPath as error:
        raise unknown_word_error(error.what, error.part, error.known) from None
    return settings_from_config(composed, texts), composed.text


def _format_value(value: Value) -> str:
    """Return a value as it is typed."""
    if isinstance(value, tuple):
        return f"[{','.join(value)}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _format_override(name: str, value: Value) -> str:
    """Return a plain key as a Hydra override, quoted so that Hydra reads it as it stands."""
    target = _GROUPS.get(name, _PLACES.get(name, name))
    if isinstance(value, tuple):
        return f"{target}=[{','.join(_quote_text(item) for item in value)}]"
    if isinstance(value, bool | int):
        return f"{target}={str(value).lower()}"
    return f"{target}={value if name in _GROUPS else _quote_text(value)}"


def _quote_text(text: str) -> str:
    """Return a text as a quoted value of Hydra: backslashes count only in front of a quote."""
    inner = re.sub(r'(\\*)("|$)', lambda m: m[1] * 2 + (r"\"" if m[2] else ""), text)
    return '"' + inner.replace("${", r"\${") + '"'
