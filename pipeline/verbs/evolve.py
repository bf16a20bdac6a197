"""Propose what to build next, by what a model scored.

Proposes what to build next for a model and writes the suites that build it. By rule:

  curriculum  the level to train on next: one up where it wins more than {UP:.0%} of the highest
              level that it can do at all, that level where it wins less, one down where it wins
              less than {DOWN:.0%} of every level
  capability  the levels around the one at which it wins half of what guessing leaves. A logistic
              curve is fitted to the answers; levels of the 95% interval are built, or the next
              {BEYOND} where the answers do not bound it
  failures    the levels that were asked, with rows in proportion to what failed
  siblings    the hardest level that it wins more than {UP:.0%} of, with params that make it harder
              (a better opponent, fewer turns, nothing shown of earlier turns), one by one and all

Beside each proposal stands the level that a ladder would reach on average with these accuracies
(`facelet ladder`). The seed of the command that is printed is a new one, so other puzzles come up.

Examples:
  facelet evolve results=out.score/run-0001 dataset=out
  facelet evolve results=out.score/run-0001 dataset=out rule=capability out=limits.yaml
  facelet evolve results=out.score/run-0001 dataset=out rule=siblings out=harder.yaml
  facelet build 'suites=[limits.yaml]' seed=724 out=data/out/limits

Exit status: 0 written, 1 nothing can evolve, 2 a bad word or a file that cannot be used.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.command.keys import key
from facelet.pipeline.commands import command
from facelet.pipeline.evolve.proposing import BEYOND, DOWN, UP, Rule, propose
from facelet.pipeline.ladder.climbing import FIVE, VISITS
from facelet.pipeline.words import plain

COUNT = 2 * FIVE * VISITS
"""Rows of a level: enough for two climbs of a ladder."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Whose results lead to which levels."""

    results: Path = key("What `facelet score` wrote.", allowed="a results.json, or its folder")
    dataset: Path = key(
        "Its manifest is read.", allowed="the folder of the dataset that was scored"
    )
    model: str = key("Whose results count.", "", allowed="a name", shown="the only one")
    rule: Rule = key("How the next levels are chosen.", "curriculum")
    configs: tuple[str, ...] = key(
        "The configs that evolve.", (), allowed="names of configs; [] for all"
    )
    count: int = key("Rows of a level (failures: on average).", COUNT, low=1, high=100_000)
    suffix: str = key(
        "Added to the names of the suites.", "_next", allowed="letters a-z, digits and _"
    )
    out: Path = key(
        "Where the suites are written.", Path("evolved.yaml"), allowed="a file ending in .yaml"
    )


def facts() -> dict[str, float]:
    """Return the limits that the help names."""
    return {"UP": UP, "DOWN": DOWN, "BEYOND": BEYOND}


def run(settings: Settings) -> int:
    """Write the suites and return the exit status.

    Raises:
        ValueError: a value will not do, or the results or the dataset cannot be used.
    """
    from facelet.pipeline.dataset import reading
    from facelet.pipeline.dataset.files import write_text
    from facelet.pipeline.evolve.reading import read, results_of
    from facelet.pipeline.evolve.telling import told
    from facelet.pipeline.evolve.writing import document, fresh_seed

    out, suffix = settings.out, settings.suffix
    if out.suffix != ".yaml":
        raise ValueError(f"out={out} does not end in .yaml; `facelet build` reads such files")
    if not suffix.replace("_", "").isalnum() or not suffix.isascii() or suffix != suffix.lower():
        raise ValueError(f"suffix={suffix} is not allowed; use letters a-z, digits and _")
    manifest = reading.manifest(settings.dataset)
    found = read(results_of(settings.results), manifest, settings.model, settings.configs)
    for reason in found.left_out:
        print(plain(f"left out: {reason}"))
    if not found.results:
        print("nothing can evolve")
        return 1
    proposals = propose(found.results, settings.rule, settings.count)
    if not proposals:
        print("no level is solved for which the task has harder params")
        return 1
    write_text(out, document(found, proposals, suffix))
    print(plain("\n".join(told(found, proposals))))
    seed = fresh_seed(manifest, found.model, settings.rule)
    again = command("build", suites=f"[{out}]", seed=seed, out="data/out/NAME")
    print(plain(f"\nwritten: {out}\nnext: {again}"))
    return 0
