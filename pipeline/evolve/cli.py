"""`facelet evolve`: what to build next, by what a model scored, as a file of suites."""

from __future__ import annotations

from collections.abc import Sequence

from facelet.pipeline.commands import command
from facelet.pipeline.dataset import reading
from facelet.pipeline.dataset.files import write_text
from facelet.pipeline.evolve.proposing import BEYOND, DOWN, RULES, UP, Proposal, Result, propose
from facelet.pipeline.evolve.reading import Found, read, results_of
from facelet.pipeline.evolve.writing import document, fresh_seed
from facelet.pipeline.info import table
from facelet.pipeline.ladder.climbing import FIVE, VISITS
from facelet.pipeline.ladder.expecting import expected
from facelet.pipeline.words import Key, check_range, expand, help_table, plain, read_words, unknown

COUNT = 2 * FIVE * VISITS
"""Rows of a level: enough for two climbs of a ladder."""

KEYS = (
    Key("results", "str", "", "a results.json, or its folder", "What `facelet score` wrote."),
    Key("dataset", "str", "", "the folder of the dataset that was scored", "Its manifest is read."),
    Key("model", "str", "the only one", "a name", "Whose results count."),
    Key("rule", "str", "curriculum", ", ".join(RULES), "How the next levels are chosen."),
    Key("configs", "list", "[]", "names of configs; [] for all", "The configs that evolve."),
    Key("count", "int", str(COUNT), "1 to 100000", "Rows of a level (failures: on average)."),
    Key("suffix", "str", "_next", "letters, digits and _", "Added to the names of the suites."),
    Key("out", "str", "evolved.yaml", "a file ending in .yaml", "Where the suites are written."),
)

HELP = f"""facelet evolve results=FILE dataset=DIR [key=value ...]

Proposes what to build next for a model and writes the suites that build it. By rule:

  curriculum  the level to train on next: one up where it wins more than {UP:.0%} of the highest
              level that it can do at all, that level where it wins less, one down where it wins
              less than {DOWN:.0%} of every level
  capability  the levels around the one at which it wins half of what guessing leaves. A logistic
              curve is fitted to the answers; levels of the 95% interval are built, or the next
              {BEYOND} where the answers do not bound it
  failures    the levels that were asked, with rows in proportion to what failed

Beside each proposal stands the level that a ladder would reach on average with these accuracies
(`facelet ladder`). The seed of the command that is printed is a new one, so other puzzles come up.

Keys:
{help_table(KEYS)}

Examples:
  facelet evolve results=out.score/run-0001 dataset=out
  facelet evolve results=out.score/run-0001 dataset=out rule=capability out=limits.yaml
  facelet build 'suites=[limits.yaml]' seed=724 out=data/out/limits

Exit status: 0 written, 1 nothing can evolve, 2 a bad word or a file that cannot be used.
"""


def run(words: Sequence[str]) -> int:
    """Write the suites that the words ask for and return the exit status.

    Raises:
        ValueError: a word is bad, or the results or the dataset cannot be used.
    """
    values = read_words(words, KEYS)
    for name in ("results", "dataset"):
        if name not in values:
            raise ValueError(f"{name}=... is needed; `facelet evolve --help` explains the keys")
    chosen = str(values.get("rule", "curriculum"))
    rule = next((one for one in RULES if one == chosen), None)
    if rule is None:
        raise unknown("rule", chosen, RULES)
    count = check_range("count", int(str(values.get("count", COUNT))), 1, 100_000)
    out = expand(str(values.get("out", "evolved.yaml")))
    if out.suffix != ".yaml":
        raise ValueError(f"out={out} does not end in .yaml; `facelet build` reads such files")
    suffix = str(values.get("suffix", "_next"))
    if not suffix.replace("_", "").isalnum() or not suffix.isascii() or suffix != suffix.lower():
        raise ValueError(f"suffix={suffix} is not allowed; use letters a-z, digits and _")
    manifest = reading.manifest(expand(str(values["dataset"])))
    configs = values.get("configs", [])
    found = read(
        results_of(expand(str(values["results"]))),
        manifest,
        str(values.get("model", "")),
        configs if isinstance(configs, list) else [],
    )
    for reason in found.left_out:
        print(plain(f"left out: {reason}"))
    if not found.results:
        print("nothing can evolve")
        return 1
    proposals = propose(found.results, rule, count)
    write_text(out, document(found, proposals, suffix))
    print(plain("\n".join(told(found, proposals))))
    seed = fresh_seed(manifest, found.model, rule)
    again = command("build", suites=f"[{out}]", seed=seed, out="data/out/NAME")
    print(plain(f"\nwritten: {out}\nnext: {again}"))
    return 0


def told(found: Found, proposals: Sequence[Proposal]) -> list[str]:
    """Return the proposals as lines of a table."""
    results = {result.config: result for result in found.results}
    rows = [("config", "scored", "ladder", "next", "rows", "why")]
    for proposal in proposals:
        result = results[proposal.config]
        rows.append(
            (
                proposal.config,
                " ".join(f"{one.level}:{one.accuracy:.0%}" for one in result.asked),
                f"{_reached(result):.1f}",
                ",".join(map(str, proposal.counts)),
                ",".join(map(str, dict.fromkeys(proposal.counts.values()))),
                proposal.why,
            )
        )
    return [f"model: {found.model}", *table(rows, left=(0, 1, 3, 4, 5))]


def _reached(result: Result) -> float:
    """Return the level that a ladder over the levels that were asked reaches on average."""
    levels = [one.level for one in result.asked]
    return expected([one.accuracy for one in result.asked], levels).below
