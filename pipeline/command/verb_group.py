"""The verbs as click's group, which loads a verb only when it is asked for its keys or is run."""

from __future__ import annotations

from functools import cache, partial

import click

from facelet.pipeline.command.verb import Verb, module_of, text_of
from facelet.pipeline.verbs import VERBS
from facelet.pipeline.words import unknown

PACKAGE = "facelet.pipeline.verbs"

START = """\
facelet VERB --help explains a verb and all its keys. facelet completion bash (zsh, fish) prints
what makes your shell complete verbs, keys and values.

Start here:
  facelet build profile=smoke                      # a small dataset, in seconds
  facelet info data/out/facelet-smoke
  facelet play dataset=data/out/facelet-smoke      # take an item yourself
  facelet build depths=1-20                        # the papers' counts at every depth
  facelet score dataset=data/out/facelet-paper predictions=FILE.jsonl"""


class Verbs(click.Group):
    """All verbs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the verbs, in the order of work."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Verb | None:
        """Return a verb; None if there is none of that name."""
        return verb(cmd_name) if cmd_name in VERBS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb that words begin with, and the others.

        Raises:
            ValueError: there is no such verb.
        """
        if args[0] not in VERBS and not ctx.resilient_parsing:
            raise unknown("verb", args[0], VERBS)
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs."""
        formatter.write("facelet VERB [key=value ...]\n\n")
        formatter.write(f"{self.help}\n\nVerbs:\n")
        widest = max(map(len, VERBS))
        for name in VERBS:
            formatter.write(f"  {name:<{widest}}  {verb(name).short_help}\n")
        formatter.write(f"\n{START}\n")


@cache
def verb(name: str) -> Verb:
    """Return a verb by its name."""
    return Verb(name, partial(module_of, PACKAGE, name), text_of(PACKAGE, name))


GROUP = Verbs(
    "facelet",
    help="Certified, rendered, fairness-balanced spatial-reasoning datasets, and their scorer.",
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[],
)


def _version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print the version, and which parts are compiled."""
    if asked and not ctx.resilient_parsing:
        from facelet.pipeline.command.version import version

        click.echo(version())
        ctx.exit()


click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Print the version, and which parts are compiled.",
)(GROUP)
