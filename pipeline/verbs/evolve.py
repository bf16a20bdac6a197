"""Propose what to build next for a model, from its results.

Writes the suites that build the proposal. Rules:

  curriculum  the level to train on next: one up if the model wins more than {UP:.0%} of the highest
              level that it can do at all, that level if it wins less, one down if it wins less
              than {DOWN:.0%} of every level
  capability  the levels around the one at which it wins half of what guessing leaves. A logistic
              curve is fitted to the answers. Levels of the 95% interval are built, or the next
              {BEYOND} if the answers do not bound it
  failures    the levels that were asked, with rows in proportion to the failures
  siblings    the hardest level of which it wins more than {UP:.0%}, with params that make it harder
              (a better opponent, fewer turns, no view of earlier turns), one by one and all

Each proposal includes the mean level that a ladder would reach with these accuracies
(`facelet ladder`). The printed command has a new seed, so puzzles differ.

Examples:
  facelet evolve results=out.score/run-0001 dataset=out
  facelet evolve results=out.score/run-0001 dataset=out rule=capability out=limits.yaml
  facelet evolve results=out.score/run-0001 dataset=out rule=siblings out=harder.yaml
  facelet build 'suites=[limits.yaml]' seed=724 out=data/out/limits

Exit status: 0 written, 1 nothing can evolve, 2 a bad argument or an unusable file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.curriculum.ladder.climb import VISIT_QUESTIONS, VISITS
from facelet.pipeline.curriculum.proposals import (
    DEMOTE_BELOW,
    EXTRA_LEVELS,
    PROMOTE_ABOVE,
    Rule,
    count_all_wins,
    propose_levels,
)
from facelet.pipeline.shell_commands import format_command

COUNT = 2 * VISIT_QUESTIONS * VISITS
"""Rows of a level: enough for two climbs of a ladder."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The results, and the rule."""

    results: Path = key("Results of `facelet score`.", allowed="a results.json, or its folder")
    dataset: Path = key(
        "The scored dataset; its manifest is read.", allowed="the folder of the scored dataset"
    )
    model: str = key("The model.", "", allowed="a name", shown="the only one")
    rule: Rule = key("How the next levels are chosen.", "curriculum")
    wins: Literal["above_guessing", "all"] = key(
        "Which wins the rules compare with their limits: those above what guessing wins, or all, "
        "as the games' paper does (C.1).",
        "above_guessing",
    )
    configs: tuple[str, ...] = key(
        "The configs to evolve.", (), allowed="names of configs; [] for all"
    )
    count: int = key("Rows of a level (failures: on average).", COUNT, low=1, high=100_000)
    suffix: str = key(
        "Suffix of the names of the suites.", "_next", allowed="letters a-z, digits and _"
    )
    out: Path = key("File for the suites.", Path("evolved.yaml"), allowed="a file ending in .yaml")


def help_placeholders() -> dict[str, float]:
    """Return the limits that the help names."""
    return {"UP": PROMOTE_ABOVE, "DOWN": DEMOTE_BELOW, "BEYOND": EXTRA_LEVELS}


def run(settings: Settings) -> int:
    """Write the suites and return the exit status.

    Raises:
        ValueError: a value is not allowed, or the results or the dataset cannot be used.
    """
    from facelet.pipeline.curriculum.proposal_writer import (
        derive_seed,
        format_proposals,
        render_suites,
    )
    from facelet.pipeline.curriculum.results_reader import read_model_results, read_results_file
    from facelet.pipeline.dataset import dataset_reader
    from facelet.pipeline.dataset.atomic_files import write_text

    out, suffix = settings.out, settings.suffix
    if out.suffix != ".yaml":
        raise ValueError(f"out={out} does not end in .yaml, as `facelet build` requires")
    if not suffix.replace("_", "").isalnum() or not suffix.isascii() or suffix != suffix.lower():
        raise ValueError(f"suffix={suffix} is not allowed; use letters a-z, digits and _")
    manifest = dataset_reader.read_manifest(settings.dataset)
    found = read_model_results(
        read_results_file(settings.results), manifest, settings.model, settings.configs
    )
    for reason in found.left_out:
        print(sanitize_text(f"left out: {reason}"))
    if not found.results:
        print("nothing can evolve")
        return 1
    results = found.results if settings.wins == "above_guessing" else count_all_wins(found.results)
    proposals = propose_levels(results, settings.rule, settings.count)
    if not proposals:
        print("no solved level has harder params")
        return 1
    write_text(out, render_suites(found, proposals, suffix))
    print(sanitize_text("\n".join(format_proposals(found, proposals))))
    seed = derive_seed(manifest, found.model, settings.rule)
    again = format_command("build", suites=f"[{out}]", seed=seed, out="data/out/NAME")
    print(sanitize_text(f"\nwritten: {out}\nnext: {again}"))
    return 0
