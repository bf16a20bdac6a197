"""Present the verbs as a click group that loads a verb only for its keys or to run it."""

from __future__ import annotations

from functools import cache, partial

import click

from facelet.pipeline.argument_text import unknown_word_error
from facelet.pipeline.command.verb_command import VerbCommand, load_verb_module, read_docstring
from facelet.pipeline.verbs import VERBS

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
