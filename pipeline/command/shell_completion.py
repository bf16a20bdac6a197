"""Complete keys and values in bash, zsh and fish.

The protocol and the scripts are click's. This module adds that `key=value` is completed like `--key
value`, and that no blank follows `key=`. Names that file names show are listed without an import.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

from facelet.pipeline.command.setting_keys import VerbKey

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
