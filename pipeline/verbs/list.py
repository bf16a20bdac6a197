"""List suites and tasks with their rows and what they cost to ask.

Without a suite it lists all suites with their configs and rows. With a suite it lists the configs
with their tasks, rows, requests, prompt tokens (characters/4) and pictures. The cost is a lower
bound: one item of the lowest difficulty, played by the task's reference player, times the rows.

Examples:
  facelet list
  facelet list SUITE
  facelet list SUITE profile=smoke

Exit status: 0 listed, 2 a bad word.
"""

from __future__ import annotations

from dataclasses import dataclass

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.command.setting_keys import key, list_profile_names, list_suite_names
from facelet.pipeline.shell_commands import format_command


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is listed."""

    suite: str = key(
        "The suite whose configs are listed.",
        "",
        allowed="name of a suite, or a file that ends in .yaml",
        shown="all suites",
        known=list_suite_names,
        place=True,
    )
    profile: str = key(
        "How many items, how deep.",
        "paper",
        allowed=", ".join(list_profile_names()),
        known=list_profile_names,
    )


def run(settings: Settings) -> int:
    """Print the list and return 0.

    Raises:
        ValueError: there is no such suite or profile.
    """
    from facelet.pipeline.dataset_info import align_table

    if settings.suite:
        table = _list_configs(settings.suite, settings.profile)
        print(sanitize_text("\n".join(align_table(table, left=(0, 1)))))
        command = format_command("eval", "openai/NAME", settings.suite, profile=settings.profile)
        print(sanitize_text(f"\nevaluate a model on it: {command}"))
        return 0
    table = [("suite", "configs", "rows")]
    for suite in list_suite_names():
        count, rows = _count_suite(suite, settings.profile)
        table.append((suite, str(count), rows))
    print(sanitize_text("\n".join(align_table(table, left=(0,)))))
    print(sanitize_text(f"\ntasks and cost of one: {format_command('list', table[1][0])}"))
    return 0


def _count_suite(suite: str, profile: str) -> tuple[int, str]:
    """Return the configs of a suite and its rows as text; "+" where some items vary in rows."""
    from facelet.pipeline.build.build_plan import count_rows
    from facelet.pipeline.verbs import build

    plan = build.prepare_build(build.Settings(suites=(suite,), profile=profile)).plan
    counts = [count_rows(cells) for cells in plan.cells_by_config().values()]
    return len(counts), f"{sum(filter(None, counts)):,}" + "+" * (None in counts)


def _list_configs(suite: str, profile: str) -> list[tuple[str, ...]]:
    """Return a table of the configs of a suite, with the sum of each column."""
    from facelet.pipeline.suite_costs import estimate_costs
    from facelet.pipeline.verbs import build

    plan = build.prepare_build(build.Settings(suites=(suite,), profile=profile)).plan
    costs = list(estimate_costs(plan))
    numbers = [(one.rows, one.requests, one.tokens, one.pictures) for one in costs]
    sums = tuple(map(sum, zip(*numbers, strict=True)))
    names = [(one.config, one.task) for one in costs] + [("all", "")]
    return [
        ("config", "task", "rows", "requests", "prompt tokens", "pictures"),
        *(
            (*name, *(f"{number:,}" for number in row))
            for name, row in zip(names, [*numbers, sums], strict=True)
        ),
    ]
