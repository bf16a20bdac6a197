"""Settings of `facelet certify`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from facelet.generators.cube.distance import two_phase_solver
from facelet.generators.cube.distance.pruning_tables import count_processors
from facelet.pipeline.argument_text import can_show_progress
from facelet.pipeline.command.setting_keys import key

STANDARD = Path("-")
"""Standard input or output."""

EXACT, QUICK = "With mode=exact", "With mode=quick"


@dataclass(frozen=True, kw_only=True)
class CertifySettings:
    """What is proven of which lines, and where the answers go."""

    state: str = key(
        "A state to answer, instead of an input.",
        "",
        allowed="a maneuver or a facelet string",
        shown="none",
        place=True,
    )
    mode: Literal["exact", "quick"] = key(
        "exact proves the depth; quick prints a solution of usually 18 to 20 moves within "
        "milliseconds, an upper bound that is not proven (half turns count one).",
        "exact",
    )
    metric: Literal["htm", "qtm"] = key("Half turns count one (htm) or two (qtm).", "htm")
    workers: int | None = key(
        "Lines that are searched at the same time.", None, low=1, shown="all cores"
    )
    ordered: bool = key(
        "false: answers come as soon as they are done, each with the number of its line.", True
    )
    input: Path = key(
        "Where the lines come from.", STANDARD, allowed="a file; - for standard input"
    )
    output: Path = key("Where the answers go.", STANDARD, allowed="a file; - for standard output")
    progress: bool | None = key("Show progress on stderr.", None, shown="if stderr is a terminal")
    table: Literal["small", "default", "large"] = key(
        "Size of the pruning table: small (22 MB) for depths up to about 13, default (0.3 GB), "
        "large (2.6 GB) for many states from depth 17 on. Built once, on first use.",
        "default",
        group=EXACT,
    )
    limit: int | None = key(
        "Nodes that mode=exact may search for a line, some tens of millions a second; one that "
        "takes more is answered with not_proven_within and bounds.",
        None,
        low=1,
        shown="none",
        group=EXACT,
    )
    first_moves: bool = key(
        "Also list the first moves of all optimal solutions.", False, group=EXACT
    )
    claims: bool = key(
        "Hold the proven depth against the claimed one, and end with a table by claimed depth on "
        "stderr. A maneuver claims its length as typed; a line may claim another depth behind a "
        "#, as in: R U F2 # 3.",
        False,
        group=EXACT,
    )
    cache: Path | None = key(
        "Where tables are kept.", None, allowed="a folder", shown="~/.cache/facelet", group=EXACT
    )
    nodes: int | None = key(
        "Positions that mode=quick looks at for each line: more find shorter solutions.",
        None,
        low=1,
        high=two_phase_solver.MAX_NODES,
        shown=f"{two_phase_solver.NODES}",
        group=QUICK,
    )

    @property
    def thread_count(self) -> int:
        """Searches at the same time; as many as there are processors by default."""
        return self.workers or count_processors()

    @property
    def shows_progress(self) -> bool:
        """Whether progress is shown on stderr."""
        return can_show_progress(self.progress)

    def __post_init__(self) -> None:
        """Refuse keys that the mode would not heed.

        Raises:
            ValueError: there is one.
        """
        if self.state and self.input != STANDARD:
            raise ValueError(f"state={self.state} and input={self.input}: leave one of them out")
        quick = self.mode == "quick"
        if not quick and self.nodes is not None:
            raise ValueError(
                f"nodes={self.nodes} needs mode=quick; an exact search ends with its proof: leave "
                "nodes out, or bound the search with limit=..."
            )
        usual = {one.name: one.default for one in fields(self)}
        for name in ("table", "first_moves", "claims", "cache", "limit"):
            if quick and getattr(self, name) != usual[name]:
                raise ValueError(
                    f"{name}={str(getattr(self, name)).lower()} needs mode=exact; leave it out, or "
                    "leave out mode=quick"
                )
        if quick and self.metric != "htm":
            raise ValueError(
                f"metric={self.metric}: mode=quick counts half turns as one; use metric=htm, or "
                "mode=exact"
            )
