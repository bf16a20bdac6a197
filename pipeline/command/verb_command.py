"""Present a verb as a click command: its options, its words, its help and its completions.

`--key value`, `--key=value` and `key=value` are equivalent. The module of a verb has a docstring,
`Settings` and `run(settings) -> exit status`. It is imported only when its keys are needed, so that
a list of verbs costs nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from keyword import iskeyword
from types import ModuleType
from typing import TypeVar

import click
from click.shell_completion import CompletionItem

from facelet.pipeline.command import help_pages, shell_completion
from facelet.pipeline.command.argument_parser import parse_settings
from facelet.pipeline.command.setting_keys import VerbKey, list_verb_keys

S = TypeVar("S")

_WORDS = "key=value"
"""Name of the argument that takes the words; no key can have it."""


class VerbCommand(click.Command):
    """A verb of the command line."""

    def __init__(self, name: str, load: Callable[[], ModuleType], text: str = "") -> None:
        """Name a verb.

        Args:
            name: the verb.
            load: returns its module.
            text: what it does.
        """
        super().__init__(
            name,
            help=text,
            short_help=text.partition("\n")[0].rstrip("."),
            context_settings={
                "help_option_names": ["-h", "--help"],
                "ignore_unknown_options": True,
                "token_normalize_func": _normalize_key_name,
            },
        )
        self.load = cache(load)

    def verb_keys(self) -> dict[str, VerbKey]:
        """Return its keys by name."""
        return {one.name: one for one in list_verb_keys(self.load().Settings)}

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return its options, and the argument that takes its words."""
        if not self.params:
            self.params = [
                _build_option(one)
                for one in self.verb_keys().values()
                if not one.about.takes_dotted_words
            ]
            self.params.append(
                click.Argument([_WORDS], nargs=-1, shell_complete=self._complete_word)
            )
        return super().get_params(ctx)

    def get_help(self, ctx: click.Context) -> str:
        """Return the page that explains it."""
        return self.render_help()

    def render_help(self) -> str:
        """Return the page that explains it."""
        text = self.help or ""
        facts = getattr(self.load(), "help_placeholders", None)
        return help_pages.render_help_page(
            str(self.name),
            text.format_map(facts()) if facts else text,
            tuple(self.verb_keys().values()),
        )

    def invoke(self, ctx: click.Context) -> int:
        """Run it and return the exit status."""
        module = self.load()
        hidden = getattr(module, "redact_error", None)
        try:
            settings = self.parse_context(ctx, module.Settings)
        except ValueError as error:
            if hidden is None:
                raise
            raise ValueError(hidden(str(error))) from None
        return int(module.run(settings))

    def parse_context(self, ctx: click.Context, kind: type[S]) -> S:
        """Return what was typed as its settings.

        Raises:
            ValueError: a word or a value is bad.
        """
        keys = self.verb_keys()
        texts = {name: list(ctx.params.get(name) or ()) for name in keys}
        words = list(ctx.params.get(_WORDS) or ())
        for name, one in keys.items():
            if one.kind is bool and texts[name] and "=" in (word := texts[name][-1]):
                words.insert(0, word)  # `--flag key=value` is two words
                texts[name][-1] = "true"
        self._assign_words(words, texts, keys)
        given = {name: told for name, told in texts.items() if told}
        return parse_settings(kind, given, str(self.name))

    def _assign_words(
        self, words: list[str], texts: dict[str, list[str]], keys: dict[str, VerbKey]
    ) -> None:
        """Take the words that click leaves: key=value, and those without a key."""
        free = next((name for name, one in keys.items() if one.about.takes_dotted_words), "")
        places = [name for name, one in keys.items() if one.about.positional]
        told = iter(words)
        for word in told:
            name, equals, value = word.lstrip("-").partition("=")
            if word.startswith("-") and name and not equals:
                equals, value = "=", next(told, "")
            if not equals and (place := next((one for one in places if not texts[one]), "")):
                texts[place].append(word)
                continue
            if not equals and places and keys[places[-1]].takes_list:
                texts[places[-1]][-1] += f",{word}"  # `*.jsonl`, which the shell has expanded
                continue
            if not equals or not name.strip():
                usage = help_pages.format_usage(str(self.name), tuple(keys.values()))
                raise ValueError(
                    f"unexpected argument {word!r}; write words as key=value, such as seed=1, and "
                    f"quote a value with blanks: {usage}"
                )
            name = name.strip()
            if free and "." in name:
                texts[free].append(f"{name}={value}")
            else:
                texts.setdefault(_normalize_key_name(name), []).append(value)

    def _complete_word(
        self, ctx: click.Context, _: click.Parameter, text: str
    ) -> list[CompletionItem[object]]:
        """Return what a word may become: key=value, or the value of a key that needs no name."""
        name, equals, value = text.partition("=")
        keys = self.verb_keys()
        if equals:
            found = shell_completion.complete_value(keys[name], value) if name in keys else []
            return [CompletionItem(f"{name}={one}") for one in found]
        typed = {str(word).partition("=")[0] for word in ctx.params.get(_WORDS) or ()}
        free = [
            one
            for one in keys.values()
            if not (one.about.takes_dotted_words or one.name in typed or ctx.params.get(one.name))
        ]
        placed = [one for one in free if one.about.positional][:1]
        return [
            *(CompletionItem(f"{one.name}=") for one in free if one.name.startswith(text)),
            *(
                CompletionItem(item)
                for one in placed
                for item in shell_completion.complete_value(one, text)
            ),
        ]


def _normalize_key_name(name: str) -> str:
    """Return the name of a key: --max-depth is --max_depth."""
    return name.replace("-", "_")


def _build_option(one: VerbKey) -> click.Option:
    """Return the option of a key; its text is read later, as that of a word is."""

    def complete_option(
        ctx: click.Context, _: click.Parameter, text: str
    ) -> list[CompletionItem[object]]:
        return [CompletionItem(value) for value in shell_completion.complete_value(one, text)]

    names = [f"--{one.name}", one.name]
    option = partial(
        click.Option,
        names,
        multiple=True,
        type=str,
        help=one.about.doc,
        shell_complete=complete_option,
    )
    return option(is_flag=False, flag_value="true") if one.kind is bool else option()


def read_docstring(package: str, name: str) -> str:
    """Return the docstring of a verb's module without importing it."""
    source = (files(package) / f"{_module_file_name(name)}.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(source)) or ""


def load_verb_module(package: str, name: str) -> ModuleType:
    """Return the module of a verb."""
    return import_module(f"{package}.{_module_file_name(name)}")


def _module_file_name(name: str) -> str:
    """Return the name of a verb's module: with _ for -, and behind a word of Python's own."""
    return name.replace("-", "_") + "_" * iskeyword(name)
