"""Prove the claims of a public puzzle set again, or refute them with a witness.

Facelet downloads nothing: folder= contains the set's files. `facelet audit-set list` shows each
set with its source, licence and claim, and the files that the folder must contain. The verdict of
an item is one of

  holds         the claim is proven again
  refuted       a witness shows that it is wrong, such as a shorter or a second solution; a short
                checker that shares no code with the engine accepts the witness
  not proven    neither, within nodes=
  not read      the item is not in the set's format

The results are SET.jsonl (id, verdict, reason, witness), summary.md and, where the licence allows,
corrections.jsonl (id, field, was, is). Repeated items and the entropy of the answers are counted
among all items, whatever limit= is.

Examples:
  facelet audit-set list
  facelet audit-set boxoban folder=boxoban-levels out=field/boxoban
  facelet audit-set deepcubea folder=deepcubea limit=100 nodes=300000000

Exit status: 0 nothing is refuted, 1 something is, 2 a bad argument, file or folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.set_audit.set_registry import list_set_names

LIST = "list"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Which set is audited, and how much of it."""

    set: str = key(
        "The set.",
        allowed="a set of `facelet audit-set list`, or list",
        place=True,
        known=lambda: (LIST, *list_set_names()),
    )
    folder: Path | None = key("The set's files.", None, allowed="a folder", shown="none")
    out: Path | None = key("Where the results go.", None, allowed="a folder", shown="field/SET")
    limit: int = key("Items that are checked: a sample if the set has more.", 1000, low=1)
    seed: int = key("Selects the sample.", 0, low=0)
    nodes: int = key(
        "Positions that the search for one item may look at; some tens of millions a second for "
        "cubes.",
        20_000_000,
        low=1,
    )
    table: Literal["small", "default", "large"] = key(
        "Size of the table that proves cubes; see `facelet certify`.", "default"
    )
    workers: int | None = key(
        "Items that are checked at the same time.", None, low=1, high=256, shown="all cores"
    )


def run(settings: Settings) -> int:
    """Audit a set; 0 if nothing is refuted, 1 if something is.

    Raises:
        ValueError: a key or a file does not fit.
        OSError: a file cannot be read or written.
    """
    from facelet.generators.cube.distance.pruning_tables import count_processors
    from facelet.pipeline.set_audit.audit_runner import audit_set
    from facelet.pipeline.set_audit.puzzle_set import CheckBudget
    from facelet.pipeline.set_audit.set_registry import describe_sets, load_set
    from facelet.pipeline.set_audit.set_result import write_results
    from facelet.pipeline.shell_commands import format_command

    if settings.set == LIST:
        print(describe_sets())
        return 0
    puzzle_set = load_set(settings.set)
    if settings.folder is None:
        raise ValueError(f"folder= is missing; name the folder with {puzzle_set.form}")
    out = settings.out or Path("field") / settings.set
    if out.exists() and not out.is_dir():
        raise ValueError(f"out={out} is no folder; name another")
    result = audit_set(
        puzzle_set,
        settings.folder,
        limit=settings.limit,
        seed=settings.seed,
        budget=CheckBudget(settings.nodes, settings.table),
        workers=settings.workers or count_processors(),
    )
    chosen = {"limit": settings.limit, "seed": settings.seed, "nodes": settings.nodes}
    command = format_command("audit-set", settings.set, **chosen)
    print(write_results(settings.set, puzzle_set, result, out, command), end="")
    return 1 if result.count_verdicts()["refuted"] else 0
