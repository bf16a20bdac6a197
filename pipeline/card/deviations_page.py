"""Render the page DEVIATIONS.md: differences from the papers, readings, and settings.

    python -m facelet.pipeline.card.deviations_page > DEVIATIONS.md        # make deviations

Tasks declare them (`Task.deviations`); a card has the lines of its own tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from facelet.generators.core import task_registry
from facelet.generators.core.deviations import Deviation
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.papers import paper_registry

HEAD = """\
# Deviations

How Facelet's tasks differ from the papers that define them (Differences), and what they do where a
paper is silent or contradicts itself (Readings). The setting, if there is one, restores the choice
of the paper or of its published code; the suites `*_as_published` set all of them, for example
`SUITES={paper}_as_published`. Prompts have the papers' content in other words; answer formats are
kept to the letter. Dataset cards add the reasons. `make deviations` generates this page.
"""

PARTS = {
    "Differences": ("tasks", "paper", "here", "setting"),
    "Readings": ("tasks", "here", "setting"),
}
"""Parts of the page, and the columns of their tables."""


def paper_title(task: str) -> str:
    """Return the title of the paper that a task is from; "" if it is from none."""
    found = paper_registry.find_task_paper(task)
    return "" if found is None else found.source.name


PROMPTS = Deviation(
    "prompts are printed in appendices, or are in the data",
    "the same content in other words; answer formats to the letter",
    "words are the authors'; rules, formats and numbers are facts",
)
"""A difference of all tasks of all papers."""


def iterate_deviations(tasks: Iterable[AnyTask]) -> Iterator[tuple[str, list[str], Deviation]]:
    """Yield title of the paper, names of the tasks, and deviation: equal ones once, in order."""
    found: dict[tuple[str, Deviation], list[str]] = {}
    for task in tasks:
        if paper_title(task.name):
            found.setdefault((paper_title(task.name), PROMPTS), []).append(task.name)
        for deviation in task.deviations:
            found.setdefault((paper_title(task.name), deviation), []).append(task.name)
    yield from ((title, names, deviation) for (title, deviation), names in found.items())


def render_table(tasks: Iterable[AnyTask]) -> list[str]:
    """Return the deviations of tasks as a Markdown table, with reasons; [] if there are none."""
    rows = []
    for _, names, deviation in iterate_deviations(tasks):
        named = "all" if deviation is PROMPTS else ", ".join(f"`{name}`" for name in names)
        stated = deviation.paper or "(silent, or contradictory)"
        cells = (named, stated, deviation.here, deviation.why, deviation.setting or "none")
        rows.append(_row(*cells))
    if not rows:
        return []
    head = _row("task", "in the paper", "here", "why", "setting for the other choice")
    return [head, _row(*["---"] * 5), *rows]


def render_page() -> str:
    """Return the text of DEVIATIONS.md."""
    papers = paper_registry.load_papers()
    text = [HEAD.format(paper=next(iter(papers)))]
    for part, heads in PARTS.items():
        text.append(f"## {part}\n")
        for title in (one.source.name for one in papers.values()):
            every = [
                task for task in task_registry.tasks().values() if paper_title(task.name) == title
            ]
            if rows := list(_rows(every, readings=part == "Readings")):
                text += [f"### {title}\n", _row(*heads), _row(*["---"] * len(heads)), *rows, ""]
    return "\n".join(text)


def _rows(every: list[AnyTask], readings: bool) -> Iterator[str]:
    """Yield the rows of a paper; equal tasks are named once, and reasons are left out.

    Args:
        every: all tasks of the paper.
        readings: whether the readings are wanted, or the differences.
    """
    found: dict[Deviation, list[str]] = {}
    for _, names, deviation in iterate_deviations(every):
        if deviation is not PROMPTS and readings == (not deviation.paper):
            found.setdefault(deviation._replace(why=""), []).extend(names)
    before = ""
    for deviation, names in found.items():
        named = _name_tasks(names, [task.name for task in every])
        stated = () if readings else (deviation.paper,)
        yield _row("" if named == before else named, *stated, deviation.here, deviation.setting)
        before = named


def _name_tasks(names: list[str], every: list[str]) -> str:
    """Return tasks as a cell: families of which all are named, and those left out if few are.

    Args:
        names: the tasks.
        every: all tasks of the paper.
    """
    families: dict[str, list[str]] = {}
    for name in every:
        families.setdefault(name.partition("/")[0], []).append(name)
    whole = [one for one, members in families.items() if set(members) <= set(names)]
    if len(whole) == len(families):
        return "all"
    rest = [name for name in names if name.partition("/")[0] not in whole]
    others = [name for name in every if name not in names]
    few = len(others) < len(names) / 2
    # The family goes without saying if the paper's tasks have only one.
    start = every[0].index("/") + 1 if len(families) == 1 else 0
    listed = [f"{one}/*" for one in whole] + [name[start:] for name in rest]
    if few:
        listed = [name[start:] for name in others]
    return ("all except " if few else "") + ", ".join(f"`{name}`" for name in listed)


def _row(*cells: str) -> str:
    """Return a row of a Markdown table."""
    return f"|{'|'.join(cell.replace('|', chr(92) + '|') for cell in cells)}|"


if __name__ == "__main__":
    print(render_page(), end="")
