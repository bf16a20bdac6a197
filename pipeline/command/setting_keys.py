"""Define keys: the fields of a verb's settings, each described once, and complete them in shells.

The settings of a verb are a frozen dataclass whose fields are made by `key`. Parsing, errors, help,
completion and the documentation follow from the fields:

    @dataclass(frozen=True, kw_only=True)
    class Settings:
        dataset: Path = key("What to show.", allowed="a dataset folder", place=True)
        rows: int = key("Ids that are shown.", 3, low=0)
        draw: Literal["auto", "yes", "no"] = key("Whether pictures are drawn.", "auto")

The annotation selects how a value is parsed: bool, int, float, str, Path, a Literal, a tuple of
texts (a,b or [a,b]), or a Mapping (a JSON object); `X | None` if the default is None.

Completion works in bash, zsh and fish, with click's protocol and scripts. This module adds that
`key=value` is completed like `--key value`, and that no blank follows `key=`. Names that can be
read from file names are listed without an import.
"""

from __future__ import annotations

import os
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, Union, cast, get_args, get_origin

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

from facelet.generators.core.params import KEY, Param, list_params

NameLister = Callable[[], Sequence[str]]
"""Names that complete a value."""


@dataclass(frozen=True, slots=True)
class KeyMetadata(Param):
    """What a field of settings says about itself, beside what a param says.

    Attributes:
        above: whether `low` itself is not allowed.
        allowed: what may be given, in words; what follows from the type where it is "".
        shown: the default in words; the value itself where it is "".
        group: heading of the help under which it stands.
        place: whether a word without a key sets it; in the order of the fields.
        known: names that complete its value.
        paths: whether its text holds paths, which complete it.
        fix: what to do where a value is not allowed, for errors.
        free: whether it takes the words whose keys have a dot, as they are.
        anywhere: whether its path may be an address of a store, such as s3://bucket/folder.
    """

    exclusive_low: bool = False
    allowed: str = ""
    shown: str = ""
    group: str = ""
    positional: bool = False
    completions: NameLister | None = None
    paths: bool = False
    fix: str = ""
    takes_dotted_words: bool = False
    may_be_remote: bool = False


def key(
    doc: str,
    default: object = MISSING,
    *,
    low: int | None = None,
    high: int | None = None,
    above: bool = False,
    allowed: str = "",
    shown: str = "",
    group: str = "",
    place: bool = False,
    known: NameLister | None = None,
    paths: bool = False,
    fix: str = "",
    free: bool = False,
    anywhere: bool = False,
) -> Any:
    """Return a field of settings; see Key for more of what it says.

    Args:
        doc: its meaning, in one or two sentences.
        default: its default; without one it is needed.
        low: least allowed number.
        high: greatest allowed number.
        above: whether `low` itself is not allowed.
        allowed: what may be given, where that does not follow from the type.
        shown: the default in words.
        group: heading of the help.
        place: whether a word without a key sets it.
        known: names that complete its value.
        paths: whether paths complete it.
        fix: what to do where a value is not allowed.
        free: whether it takes the words whose keys have a dot.
        anywhere: whether its path may be an address of a store.
    """
    about = KeyMetadata(
        doc,
        low,
        high,
        exclusive_low=above,
        allowed=allowed,
        shown=shown,
        group=group,
        positional=place,
        completions=known,
        paths=paths,
        fix=fix,
        takes_dotted_words=free,
        may_be_remote=anywhere,
    )
    if isinstance(default, dict):
        return field(default_factory=dict, metadata={KEY: about})
    return field(default=default, metadata={KEY: about})


@dataclass(frozen=True, slots=True)
class VerbKey:
    """A key of a verb.

    Attributes:
        name: its name.
        about: what it says about itself.
        kind: the type of its values: bool, int, float, str, Path, tuple, Mapping or Literal.
        choices: the values of a Literal; none for other kinds.
        default: the default; MISSING where it is needed.
        optional: whether None is a value.
    """

    name: str
    about: KeyMetadata
    kind: Any
    choices: tuple[str, ...]
    default: object
    optional: bool

    @property
    def is_required(self) -> bool:
        """Whether there is no default."""
        return self.default is MISSING

    @property
    def takes_list(self) -> bool:
        """Whether its text is a list, separated by commas."""
        return self.kind is tuple or (self.kind is str and self.about.paths)

    def describe_allowed(self) -> str:
        """Return what may be given, in words."""
        if self.about.allowed:
            return self.about.allowed
        if self.choices:
            return ", ".join(self.choices)
        if self.kind is bool:
            return "true, false"
        if self.kind in (int, float):
            return self.describe_bounds()
        return {Path: "a path", tuple: "names, separated by commas"}.get(self.kind, "a text")

    def describe_bounds(self) -> str:
        """Return which numbers are allowed, in words."""
        low, high = self.about.low, self.about.high
        what = "whole number" if self.kind is int else "number"
        if low is not None and high is not None and not self.about.exclusive_low:
            return f"a {what} from {low} to {high}"
        parts = []
        if low is not None:
            parts.append(f"above {low}" if self.about.exclusive_low else f"of at least {low}")
        if high is not None:
            parts.append(f"at most {high}")
        return f"a {what} {' and '.join(parts)}" if parts else f"any {what}"

    def describe_default(self) -> str:
        """Return the default as help shows it; "" where there is none to show."""
        if self.about.shown or self.default in (MISSING, None):
            return self.about.shown
        if isinstance(self.default, bool):
            return str(self.default).lower()
        if isinstance(self.default, tuple):
            return f"[{','.join(map(str, self.default))}]"
        return "{}" if isinstance(self.default, Mapping) else str(self.default)


def list_verb_keys(settings: type[Any]) -> tuple[VerbKey, ...]:
    """Return the keys of a verb's settings, in order.

    Raises:
        TypeError: a field was not made by `key`.
    """
    defaults = {
        item.name: item.default if item.default_factory is MISSING else item.default_factory()
        for item in fields(settings)
    }
    found = []
    for name, about, hint in list_params(settings):
        if not isinstance(about, KeyMetadata):
            raise TypeError(f"{settings.__qualname__}.{name} is not made by `key`")
        found.append(_build_verb_key(name, about, hint, defaults[name]))
    if len(found) < len(defaults):
        bare = sorted(set(defaults) - {one.name for one in found})
        raise TypeError(f"{settings.__qualname__}.{bare[0]} is not made by `key`")
    return tuple(found)


def _build_verb_key(name: str, about: KeyMetadata, hint: object, default: object) -> VerbKey:
    """Return a field by its annotation."""
    parts = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    kinds = [part for part in parts if part is not type(None)]
    kind = kinds[0]
    choices: tuple[str, ...] = ()
    if get_origin(kind) is Literal:
        choices = cast(tuple[str, ...], get_args(kind))
    else:
        kind = get_origin(kind) or kind
    return VerbKey(name, about, kind, choices, default, len(kinds) < len(parts))


PROGRAM, VARIABLE = "facelet", "_FACELET_COMPLETE"


def list_conf_files(group: str) -> list[str]:
    """Return the names of the files in a folder of `conf`."""
    names = (Path(item.name) for item in (files("facelet.conf") / group).iterdir())
    return sorted(name.stem for name in names if name.suffix == ".yaml")


def list_suite_names() -> list[str]:
    """Return the names of the suites."""
    return list_conf_files("suite")


def list_profile_names() -> list[str]:
    """Return the names of the profiles."""
    return list_conf_files("profile")


def list_runner_names() -> list[str]:
    """Return the names of the runners."""
    return list_conf_files("runner")


def list_task_names() -> list[str]:
    """Return the names of all tasks, told by their files' names."""
    return [
        f"{family.name}/{Path(item.name).stem}"
        for family in sorted(files("facelet.generators").iterdir(), key=lambda item: item.name)
        if (folder := family / "tasks").is_dir()
        for item in sorted(folder.iterdir(), key=lambda item: item.name)
        if item.name.endswith(".py") and not item.name.startswith("_")
    ]


def complete_value(one: VerbKey, text: str) -> list[str]:
    """Return what the value of a key, as far as it is typed, may become."""
    head = ""
    if one.takes_list:
        place = max(text.rfind(","), text.rfind("["))
        head, text = text[: place + 1], text[place + 1 :]
    found: Iterable[str] = one.choices
    if one.kind is bool:
        found = ("true", "false")
    elif one.about.completions is not None:
        found = one.about.completions()
    if one.kind is Path or one.about.paths:
        found = (*found, *_complete_paths(text))
    return [head + value for value in found if value.startswith(text)]


def _complete_paths(text: str) -> list[str]:
    """Return the paths that begin with a text; folders end with a slash."""
    folder, _, start = text.rpartition("/")
    place = Path(f"{folder}/" if "/" in text else ".").expanduser()
    try:
        there = sorted(place.iterdir())
    except (OSError, RuntimeError):
        return []
    return [
        text.removesuffix(start) + path.name + ("/" if path.is_dir() else "")
        for path in there
        if path.name.startswith(start) and (start or not path.name.startswith("."))
    ]


class BashCompletion(BashComplete):
    """Bash, which takes `key=value` for three words."""

    source_template = BashComplete.source_template.replace(
        "    return 0\n",
        "    [[ ${COMPREPLY[0]} == *[=/] ]] && compopt -o nospace\n\n    return 0\n",
    )
    _head = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor and the one under it, put together again."""
        words = split_arg_string(os.environ["COMP_WORDS"])
        cursor = int(os.environ["COMP_CWORD"])
        last = words[cursor] if cursor < len(words) else ""
        joined: list[str] = []
        for word in [*words[1:cursor], *filter(None, [last])]:
            if joined and (word == "=" or joined[-1].endswith("=")):
                joined[-1] += word
            else:
                joined.append(word)
        incomplete = joined.pop() if last else ""
        # Bash replaces only what stands behind the equals sign.
        self._head = f"{incomplete.partition('=')[0]}=" if incomplete != last else ""
        return joined, incomplete

    def format_completion(self, item: CompletionItem[object]) -> str:
        """Return an item without what bash keeps."""
        return f"{item.type},{str(item.value).removeprefix(self._head)}"


class ZshCompletion(ZshComplete):
    """Zsh; keys, values and paths, which click offers without a text, get no blank."""

    source_template = ZshComplete.source_template.replace(
        "compadd -U -V unsorted -a", "compadd -U -S '' -V unsorted -a"
    )


add_completion_class(BashCompletion, "bash")
add_completion_class(ZshCompletion, "zsh")
