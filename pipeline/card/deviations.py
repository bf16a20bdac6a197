"""The page DEVIATIONS.md: where defaults differ from what the papers published, and the way back.

    python -m facelet.pipeline.card.deviations > DEVIATIONS.md        # make deviations

Tasks say it themselves (`Task.deviations`); a card has the lines of its own tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from facelet.generators.core import registry
from facelet.generators.core.deviations import Deviation
from facelet.pipeline.families import AnyTask
from facelet.pipeline.papers import rooms

HEAD = """\
# Deviations

Where a default differs from what a paper published, why, and the setting that brings the paper's
choice back. The suites `*_as_published` set all of them at once: `SUITES={paper}_as_published`.
This page is made from the tasks (`make deviations`); each dataset's card has the part that is about
its own tasks.
"""


def paper(task: str) -> str:
    """Return the title of the paper that a task is from; "" if it is from none."""
    found = rooms.of_task(task)
    return "" if found is None else found.source.name


PROMPTS = Deviation(
    "prompts are printed in its appendices, or are in its data",
    "prompts say the same in other words; formats of answers are kept to the letter",
    "words are the authors'; rules, formats and numbers are facts",
)
"""What all tasks of all papers do otherwise."""


def lines(tasks: Iterable[AnyTask]) -> Iterator[tuple[str, list[str], Deviation]]:
    """Yield title of the paper, names of the tasks, and deviation: equal ones once, in order."""
    found: dict[tuple[str, Deviation], list[str]] = {}
    for task in tasks:
        if paper(task.name):
            found.setdefault((paper(task.name), PROMPTS), []).append(task.name)
        for deviation in task.deviations:
            found.setdefault((paper(task.name), deviation), []).append(task.name)
    for (title, deviation), names in found.items():
        yield title, names, deviation


def table(tasks: Iterable[AnyTask]) -> list[str]:
    """Return the deviations of tasks as a Markdown table; [] if there are none."""
    rows = []
    for _, names, deviation in lines(tasks):
        named = "all" if deviation is PROMPTS else ", ".join(f"`{name}`" for name in names)
        cells = (named, *_texts(deviation))
        rows.append(f"| {' | '.join(map(_cell, cells))} |")
    if not rows:
        return []
    head = "| task | in the paper | here | why | the paper's way |"
    return [head, "| --- | --- | --- | --- | --- |", *rows]


def page() -> str:
    """Return the text of DEVIATIONS.md."""
    every = list(registry.tasks().values())
    known = rooms.papers()
    parts = [HEAD.format(paper=next(iter(known)))]
    for title in (one.source.name for one in known.values()):
        rows = table(task for task in every if paper(task.name) == title)
        if rows:
            parts.append("\n".join([f"## {title}", "", *rows]) + "\n")
    return "\n".join(parts)


def _texts(deviation: Deviation) -> tuple[str, str, str, str]:
    return deviation.paper, deviation.here, deviation.why, _way_back(deviation)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _way_back(deviation: Deviation) -> str:
    if not deviation.restore:
        return "no param"
    return f"`{deviation.restore}`" if deviation.params else deviation.restore


if __name__ == "__main__":
    print(page(), end="")
