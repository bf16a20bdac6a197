"""The report as text: Markdown tables of the figures, and the short summary for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from facelet.pipeline.dataset.chances import words

_SHARES = (
    *("accuracy", "rate", "correct", "gain", "bias", "tpr", "tnr"),
    *("adherence", "coverage", "apa", "terminated"),
)
"""How the names of shares end; shares are written in percent, other figures as they are."""

_ALWAYS = ("correct", "wrong", "unparsed", "missing")
"""Statuses that the overview shows even where there are none."""

_LEADING = ("accuracy", "strict_accuracy", "parse_rate")
_UNDEFINED = "n/a"

NAME, REASON = 100, 400
"""Most characters of a name, and of a reason, that are shown."""


def document(results: Mapping[str, Any]) -> str:
    """Return the whole report as a Markdown document."""
    dataset = results["dataset"]
    lines = [
        f"# Scores on {escape(dataset['name'])}",
        "",
        f"Dataset content hash: `{dataset['content_hash'] or 'unknown (no manifest.json)'}`. "
        f"Scored by {results['generator']} by replaying every prediction. Shares in percent, with "
        "95% intervals (Wilson where rows are independent, else cluster bootstrap by base puzzle). "
        "Missing predictions and API errors count as wrong.",
        "",
        "## Inputs",
        "",
        *inputs(results),
    ]
    if results["not_scored"]:
        names = ", ".join(f"`{name}`" for name in results["not_scored"])
        lines += [
            "",
            f"Not scored, because no prediction names them (all=true counts them): {names}",
        ]
    if results["unavailable"]:
        lines += ["", "Not scored, because their tasks cannot be had here:", ""]
        lines += [
            f"- `{part['config']}/{part['split']}`: {escape(part['reason'], REASON)}"
            for part in results["unavailable"]
        ]
    for model in results["models"]:
        lines += ["", f"## {escape(model['model'])}", "", *overview(model)]
        for config, split, report in splits(model):
            lines += ["", f"### {escape(config)} ({escape(split)})", ""]
            lines += _details(report)
    if results["comparisons"]:
        lines += ["", "## Paired comparisons", "", *comparisons(results["comparisons"])]
    return "\n".join(lines) + "\n"


def summary(results: Mapping[str, Any]) -> str:
    """Return what a terminal shows: each model's overview, and what was wrong with the files."""
    lines = [*inputs(results)]
    for account in results["inputs"]:
        name = escape(account["file"])
        for example in account["broken_examples"][:3]:
            unit = next(iter(example))
            lines.append(f"  {name}: {unit} {example[unit]}: {printable(example['reason'])}")
        if account["unknown_examples"]:
            shown = ", ".join(printable(key) for key in account["unknown_examples"][:3])
            lines.append(f"  {name}: ids that name no row: {shown}")
    for model in results["models"]:
        lines += ["", f"model: {escape(model['model'])}", *overview(model)]
        for config, split, report in splits(model):
            if report["samples_per_item"] > 1:
                lines.append(
                    f"  {config}/{split}: {report['samples_per_item']} samples an item; "
                    "a figure is the mean over them, and absent samples count as wrong"
                )
    if results["comparisons"]:
        lines += ["", *comparisons(results["comparisons"])]
    if results["not_scored"]:
        lines += ["", "not scored (no prediction names them): " + ", ".join(results["not_scored"])]
    lines += [
        f"{part['config']}/{part['split']} is not scored: {printable(part['reason'], REASON)}"
        for part in results["unavailable"]
    ]
    return "\n".join(lines)


def inputs(results: Mapping[str, Any]) -> list[str]:
    """Return the table of input files."""
    rows = [
        (
            escape(account["file"]),
            ", ".join(f"{name} ({count})" for name, count in account["formats"].items()) or "none",
            account["predictions"],
            account["broken"],
            account["unknown_ids"],
        )
        for account in results["inputs"]
    ]
    return table(("file", "format (records)", "predictions", "broken", "unknown ids"), rows)


def overview(model: Mapping[str, Any]) -> list[str]:
    """Return the table with one line for each config and split of a model."""
    counts = [report["counts"] for _, _, report in splits(model)]
    statuses = [
        status
        for status in (counts[0] if counts else ())
        if status in _ALWAYS or any(count[status] for count in counts)
    ]
    chances = any(report["chance"] for _, _, report in splits(model))
    rows = []
    for config, split, report in splits(model):
        figures = report["cells"][0]["figures"]
        rows.append(
            (
                config if split == "test" else f"{config}/{split}",
                report["items"],
                *(cell(name, figures[name]) for name in _LEADING),
                *((escape(words(report["chance"])),) if chances else ()),
                *(report["counts"][status] for status in statuses),
            )
        )
    chance = ("chance",) if chances else ()
    return table(("config", "rows", *map(_title, _LEADING), *chance, *statuses), rows)


def splits(model: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield config, split and report of a model."""
    for config, content in model["configs"].items():
        for split, report in content["splits"].items():
            yield config, split, report


def comparisons(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of paired comparisons."""
    rows = []
    for pair in found:
        ends = (pair["low"], pair["high"])
        interval = "" if None in ends else f" [{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]"
        difference = pair["difference"]
        rows.append(
            (
                pair["config"] if pair["split"] == "test" else f"{pair['config']}/{pair['split']}",
                *(escape(name) for name in pair["models"]),
                _UNDEFINED if difference is None else f"{100 * difference:+.1f}{interval}",
                pair["only_first"],
                pair["only_second"],
                _UNDEFINED if pair["p_value"] is None else f"{pair['p_value']:.3g}",
                pair["test"] or _UNDEFINED,
            )
        )
    header = ("config", "first", "second", "difference", "only first", "only second", "p", "test")
    return table(header, rows)


def _details(report: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    axis = report["difficulty_axis"]
    shown: set[str] = set()
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for part in report["cells"]:
        groups.setdefault(tuple(part["by"]), []).append(part)
    for by, cells in groups.items():
        # What no row of a cell is about, such as the accuracy of reflections, is left out.
        cells = [part for part in cells if any(f["units"] for f in part["figures"].values())]
        names = list(
            dict.fromkeys(
                name for part in cells for name, f in part["figures"].items() if f["units"]
            )
        )
        if set(names) <= shown and len({tuple(part["by"].values()) for part in cells}) == 1:
            continue  # Split by what has one value only: the table before says it all.
        shown |= set(names)
        rows = [
            (
                *(escape(str(value)) for value in part["by"].values()),
                "all" if part["difficulty"] is None else part["difficulty"],
                part["items"],
                *(cell(name, part["figures"].get(name)) for name in names),
            )
            for part in cells
        ]
        titles = [_title(name, report["called"]) for name in names]
        lines += ["", *table((*by, axis, "rows", *titles), rows)]
        for part in cells:
            if part["difficulty"] is None and "confusion" in part:
                lines += ["", *_confusion(part)]
        for metric in dict.fromkeys(name for part in cells for name in part.get("histograms", ())):
            lines += ["", *_histogram(metric, axis, by, cells)]
    return lines[1:]


def _histogram(
    metric: str, axis: str, by: Sequence[str], cells: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return the counts of a metric's values, a line a cell."""
    shown = [part for part in cells if metric in part.get("histograms", ())]
    values = shown[0]["histograms"][metric]["values"]
    rows = [
        (
            *(escape(str(value)) for value in part["by"].values()),
            "all" if part["difficulty"] is None else part["difficulty"],
            *part["histograms"][metric]["counts"],
            part["histograms"][metric]["others"],
        )
        for part in shown
    ]
    titles = (f"{_title(metric)} {value:g}" for value in values)
    return table((*by, axis, *titles, "others"), rows)


def _confusion(part: Mapping[str, Any]) -> list[str]:
    confusion = part["confusion"]
    where = ", ".join(f"{name} {value}" for name, value in part["by"].items())
    rows = [
        (gold, *counts) for gold, counts in zip(confusion["gold"], confusion["counts"], strict=True)
    ]
    return table((f"gold \\ answer{' of ' + where if where else ''}", *confusion["answer"]), rows)


def cell(name: str, figure: Mapping[str, Any] | None) -> str:
    """Return a figure and its interval, such as "61.9 [52.1, 70.8]"."""
    if figure is None or figure["value"] is None:
        return _UNDEFINED
    scale, digits = (100, 1) if name.endswith(_SHARES) else (1, 3)
    text = f"{scale * figure['value']:.{digits}f}"
    if figure["low"] is not None:
        text += f" [{scale * figure['low']:.{digits}f}, {scale * figure['high']:.{digits}f}]"
    return text


def table(header: Sequence[Any], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return a Markdown table with columns of equal width."""
    cells = [[str(value) for value in row] for row in (header, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |"
        for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return lines


def escape(text: str, most: int = NAME) -> str:
    """Return a text from a stranger's file as one harmless cell of a Markdown table."""
    shown = printable(text, most)
    for sign in "\\`|<>[]":
        shown = shown.replace(sign, f"\\{sign}")
    return shown


def printable(text: str, most: int = NAME) -> str:
    """Return the text without control characters, at most so many of it."""
    short = text if len(text) <= most else text[: most - 1] + "…"
    return "".join(sign if sign.isprintable() else "�" for sign in short)


def _title(name: str, called: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the head of a figure's column, with what papers call it where that differs."""
    return name.replace("_", " ") + (f" ({called[name]})" if name in called else "")
