"""Write the datasheet of a dataset: uses, origin, biases and limits.

Said once, for the card and for the Croissant file: each statement has a heading for people and,
where there is one, the name of its property in Croissant's vocabulary for responsible AI (rai:...,
version 1.0). The Hub makes a Croissant file of its own and fills none of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.row_columns import is_training


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a datasheet.

    Attributes:
        heading: for people.
        rai: the property of Croissant's vocabulary that holds it; "" for none.
        text: what is said, plain sentences.
    """

    heading: str
    rai: str
    text: str


def build_datasheet(manifest: Manifest, people: Sequence[str]) -> list[Statement]:
    """Return the statements about a dataset.

    Args:
        manifest: its manifest.
        people: for each paper that measured people, what it says of them.
    """
    splits = list(dict.fromkeys(split for _, split, _ in manifest.iterate_splits()))
    training = [name for name in splits if is_training(name)]
    stated = [
        Statement("Intended use", "rai:dataUseCases", _describe_uses(training)),
        Statement(
            "Origin",
            "rai:dataCollection",
            "All rows were made by a program from a configuration and a seed: puzzles are drawn, "
            "solved or simulated exactly, drawn as pictures and put into words. Nothing was "
            "collected from the web or from people, and nobody labelled anything by hand.",
        ),
        Statement(
            "People in the data",
            "rai:personalSensitiveInformation",
            "There are none: no names, faces, opinions or other personal information.",
        ),
        Statement("Biases", "rai:dataBiases", _describe_biases()),
        Statement("Known limits", "rai:dataLimitations", _describe_limits(manifest)),
        Statement(
            "Upkeep",
            "rai:dataReleaseMaintenancePlan",
            "A published version never changes. A fault is corrected in a new version, whose "
            "changelog lists the changed rows and the reason.",
        ),
    ]
    if people:
        stated.append(Statement("How people do", "", " ".join(people)))
    return stated


def _describe_uses(training: Sequence[str]) -> str:
    measured = (
        "Measuring how well language and vision-language models see, reason and plan in space, by "
        "difficulty."
    )
    if training:
        measured += f" The splits named {', '.join(training)} are for training and tuning."
    return (
        f"{measured} A score describes performance on puzzles of this kind; it is no evidence "
        "that a model can be trusted to move anything in the world."
    )


def _describe_biases() -> str:
    return (
        "Prompts are in English and in one wording for each config. Pictures are clean drawings in "
        "a few fixed palettes that tell much by colour, with none of the noise of photographs. "
        "Difficulties have equal counts as far as the supply goes, which is not how often they "
        "occur; so an average over them weighs rare puzzles as much as common ones."
    )


def _describe_limits(manifest: Manifest) -> str:
    """Return where guessing does better than chance, what is short, and what was left out."""
    configs = manifest.configs
    above = [
        name
        for name, config in configs.items()
        if (floor := config.floor) is not None and floor.get("reason", "chance") != "chance"
    ]
    short = [
        name
        for name, config in configs.items()
        if any(cell.items < cell.asked for split in config.splits.values() for cell in split.cells)
    ]
    found = [
        "The programs that make and solve the puzzles are public, so a model that may run code can "
        "compute answers instead of reasoning."
    ]
    if above:
        found.append(
            "Players that never look at the puzzle may do better than chance in "
            f"{', '.join(above)}; the fairness audit shows by how much."
        )
    if short:
        found.append(f"There are fewer puzzles than requested in {', '.join(short)}.")
    if manifest.left_out:
        found.append("Some configs were left out; the card lists them.")
    return " ".join(found)
