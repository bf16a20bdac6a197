"""The verb build: a configuration in, a dataset folder out; see `facelet.pipeline.build.run`.

What takes seconds to import is imported once the configuration is known to be good, so that a bad
value fails at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from facelet.pipeline import families
from facelet.pipeline.build.plan import make_plan
from facelet.pipeline.build.summary import describe, summary
from facelet.pipeline.config.compose import resolve
from facelet.pipeline.config.keys import KEYS
from facelet.pipeline.config.precedence import followed, params_of
from facelet.pipeline.words import help_table, plain

HELP = f"""facelet build [key=value ...] [--show]

Makes a dataset: proves states of every depth asked for, composes the tasks of the chosen suites,
draws the pictures, writes Parquet shards, audits their fairness, writes card and manifest. A run
that was stopped, even killed, goes on where it was when the same command is given again; the
result is the same to the byte, on any number of workers.

Keys, with their defaults:
{help_table(KEYS)}
  <suite>.<task>.depths=..., .max_depth=..., .count=..., .params.<param>=...
      Settings of one task, such as mine.move_effect.max_depth=20 in a suite named mine.
  stage.compose.items=50, stage.compose.attempts=1000, stage.emit.rows=2048, stage.emit.group=128
      Sizes of the pieces of work.

What is typed for one task wins over what is typed for all, that over what a suite says, that over
the profile, and that over the defaults. A key that concerns none of the chosen configs is refused;
configs that it does not concern, and depths and levels that a task of a suite has not, are named.

  --show    print the whole configuration and the plan it makes, and build nothing

Examples:
  facelet build profile=smoke
  facelet build depths=1-8 'tasks=[move_prediction,move_effect]' out=data/out/moves
  facelet build profile=large splits=train:8,test:2 seed=7
"""


def run(overrides: Sequence[str]) -> int:
    """Build a dataset from the command line; 0 when it is made, 1 when the audit refuses it.

    Raises:
        ValueError: the configuration is bad, or the folder holds something else or is in use.
    """
    words = [word for word in overrides if word != "--show"]
    settings, text = resolve(words)
    params = {e.config: params_of(families.task(e.task)) for e in settings.entries}
    notes = followed(settings, params)
    plan = make_plan(settings)
    if "--show" in overrides:
        print(f"{text}\n{describe(plan)}")
        print("\n".join(f"# {note}" for note in notes), end="\n" if notes else "")
        return 0
    if not settings.quiet:
        for note in notes:
            print(plain(f"note: {note}"), file=sys.stderr)
    from facelet.pipeline.audit.audit import AuditError
    from facelet.pipeline.build.run import make
    from facelet.pipeline.build.stages import Build

    build = Build(settings, plan)
    try:
        manifest = make(build)
    except AuditError as error:
        print(f"facelet build: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here", file=sys.stderr)
        return 130
    if not settings.quiet:
        print(summary(settings.out, manifest, build.timer.seconds))
    return 0
