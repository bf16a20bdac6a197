"""Present the verbs as a click group, and each verb as a command with its help page.

The module of a verb has a docstring, `Settings` and `run(settings) -> exit status`. It is imported
only when its keys are needed, so that a list of verbs costs nothing. `--key value`, `--key=value`
and `key=value` are equivalent.

A help page has the usage, the description, the keys in groups and an example. The description is
the docstring of the verb's module; everything about keys follows from its settings. If the module
has a function `help_placeholders`, its values replace `{name}` in the docstring.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from keyword import iskeyword
from types import ModuleType
from typing import TypeVar

import click
from click.shell_completion import CompletionItem

from facelet.pipeline.argument_text import unknown_word_error
from facelet.pipeline.command import setting_keys
from facelet.pipeline.command.argument_parser import parse_settings
from facelet.pipeline.command.setting_keys import VerbKey, list_verb_keys
from facelet.pipeline.verbs import VERBS

WIDTH = 100

_END = ("\nExample:", "\nExamples:")


def render_help_page(verb: str, text: str, keys: Sequence[VerbKey]) -> str:
    """Return the help of a verb.

    Args:
        verb: the verb.
        text: what it does; examples, if any, are its last part.
        keys: its keys.
    """
    place = max(text.find(mark) for mark in _END)
    head, tail = (text, "") if place < 0 else (text[:place], text[place:])
    parts = [format_usage(verb, keys), "", head.strip()]
    for group in dict.fromkeys(one.about.group for one in keys):
        parts += ["", f"{group or 'Keys'}:"]
        parts += [
            line for one in keys if one.about.group == group for line in iterate_key_lines(one)
        ]
    parts += [
        "",
        "Keys stand with their defaults. key=value, --key=value and --key value are the same.",
    ]
    return "\n".join([*parts, *([tail.rstrip()] if tail else [])])


def format_usage(verb: str, keys: Sequence[VerbKey]) -> str:
    """Return how a verb is called, in a line."""
    words = ["facelet", verb]
    for one in keys:
        if one.about.positional:
            words.append(one.name.upper() if one.is_required else f"[{one.name.upper()}]")
        elif one.is_required:
            words.append(f"{one.name}=...")
    return " ".join([*words, "[key=value ...]"])


def iterate_key_lines(one: VerbKey) -> Iterator[str]:
    """Yield the lines of a help page that explain a key: default, meaning, allowed values."""
    if one.about.takes_dotted_words:
        yield f"  {one.about.shown}"
    elif one.is_required:
        yield f"  {one.name}=... (required)"
    else:
        yield f"  {one.name}={one.describe_default() or '...'}"
    text = one.about.doc
    if not one.about.takes_dotted_words:
        text += f" Allowed: {one.describe_allowed().removesuffix('.')}."
    yield from textwrap.wrap(text, WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)


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
        return render_help_page(
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
                usage = format_usage(str(self.name), tuple(keys.values()))
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
            found = setting_keys.complete_value(keys[name], value) if name in keys else []
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
                for item in setting_keys.complete_value(one, text)
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
        return [CompletionItem(value) for value in setting_keys.complete_value(one, text)]

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


PACKAGE = "facelet.pipeline.verbs"

START = """\
facelet VERB --help explains a verb and all its keys. facelet completion bash (zsh, fish) prints
what makes your shell complete verbs, keys and values.

Start here:
  facelet list                                     # suites and tasks, with rows and cost
  facelet build profile=smoke                      # a small dataset, in a minute
  facelet info data/out/facelet-smoke
  facelet play dataset=data/out/facelet-smoke      # take an item yourself
  facelet eval openai/NAME SUITE profile=smoke     # build, ask a model, score and report
  facelet build depths=1-20                        # the papers' counts at every depth
  facelet score data/out/facelet-paper FILE.jsonl"""


class VerbGroup(click.Group):
    """All verbs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the verbs, in the order of work."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> VerbCommand | None:
        """Return a verb; None if there is none of that name."""
        return load_verb(cmd_name) if cmd_name in VERBS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb that words begin with, and the others.

        Raises:
            ValueError: there is no such verb.
        """
        if args[0] not in VERBS and not ctx.resilient_parsing:
            raise unknown_word_error("verb", args[0], VERBS)
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs."""
        formatter.write("facelet VERB [key=value ...]\n\n")
        formatter.write(f"{self.help}\n\nVerbs:\n")
        widest = max(map(len, VERBS))
        for name in VERBS:
            formatter.write(f"  {name:<{widest}}  {load_verb(name).short_help}\n")
        formatter.write(f"\n{START}\n")


@cache
def load_verb(name: str) -> VerbCommand:
    """Return a verb by its name."""
    return VerbCommand(
        name, partial(load_verb_module, PACKAGE, name), read_docstring(PACKAGE, name)
    )


GROUP = VerbGroup(
    "facelet",
    help="Certified, rendered, fairness-balanced spatial-reasoning datasets, and their scorer.",
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[],
)


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print the version, and which parts are compiled."""
    if asked and not ctx.resilient_parsing:
        from facelet.pipeline.command.version_text import render_version

        click.echo(render_version())
        ctx.exit()


click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version, and which parts are compiled.",
)(GROUP)
