"""Against: a model's accuracy beside what is won without looking, or by looking at a part.

A model that is no better than a player who never looks has shown nothing of what is asked; one that
is no better than a shortcut may do no more than that. Both are said where so many are not told
apart: where the lower end of the model's interval is not above the figure.
"""

from __future__ import annotations

from collections.abc import Sequence

from facelet.pipeline.dataset import floors
from facelet.pipeline.scoring.telling import schema
from facelet.pipeline.scoring.telling.text_tables import escape


def against(report: schema.Split) -> list[str]:
    """Return lines about what the accuracy over all rows is not above, and if planning is measured.

    [] where it is above all and answers are needed.
    """
    floor, figure = report["floor"], report["cells"][0]["figures"].get("accuracy")
    lines = [said] if (said := floors.planning(floor)) else []
    if floor is None or floor["of"] != "answers" or figure is None or figure["low"] is None:
        return [*lines, ""] if lines else []
    low = figure["low"]
    if low <= floor["value"]:
        lines.append(
            f"Not above the floor: {floor['value']:.1%} is won without looking at the puzzle "
            f"({escape(floor['player'])})."
        )
    if beaten := [
        f"{one['value']:.1%} by looking at {escape(one['looks_at'])}"
        for one in floor.get("shortcuts", {}).values()
        if low <= one["value"]
    ]:
        lines.append(f"Not above a shortcut: {'; '.join(beaten)}.")
    return [*lines, ""] if lines else []


def beaten(report: schema.Split) -> str:
    """Return the least of chance, the floor and a shortcut that an accuracy is not above, or ""."""
    figure = report["cells"][0]["figures"].get("accuracy")
    if figure is None or figure["low"] is None:
        return ""
    chance, floor = report["chance"], report["floor"]
    won: list[tuple[str, float]] = []
    if chance is not None and chance["of"] == "answers":
        won.append(("chance", chance["value"]))
    if floor is not None and floor["of"] == "answers":
        won.append(("the floor", floor["value"]))
        won += [("a shortcut", one["value"]) for one in floor.get("shortcuts", {}).values()]
    low = figure["low"]
    return next((name for name, value in won if low <= value), "")


def unseeing(floor: floors.Record | None, cells: Sequence[schema.Cell]) -> dict[str, list[str]]:
    """Return columns of what is won at the level of each cell by chance, without looking, in part.

    Args:
        floor: the config's floor.
        cells: cells; that of all levels has no figure. Of those that are split by a column nothing
            is said.
    """
    told = [] if floor is None else floors.by_level(floor)
    levels = {level["difficulty"]: (level, looked) for _, level, looked in told}
    if any(part["by"] for part in cells) or not any(p["difficulty"] in levels for p in cells):
        return {}
    shortcuts = dict.fromkeys(name for _, looked in levels.values() for name in looked)
    found: dict[str, list[str]] = {name: [] for name in ("chance", "floor", *shortcuts)}
    for part in cells:
        place = part["difficulty"]
        level = None if place is None else levels.get(place)
        known = None if level is None else level[0]
        chance = None if known is None else known["chance"]
        found["chance"].append("-" if chance is None else f"{100 * chance:.1f}")
        found["floor"].append("-" if known is None else f"{100 * known['value']:.1f}")
        for name in shortcuts:
            one = None if level is None else level[1].get(name)
            found[name].append("-" if one is None else f"{100 * one['value']:.1f}")
    return {escape(name): column for name, column in found.items()}
