"""Writing: proposals as the YAML of suites, which `facelet build` takes as it takes its own.

A level gets an entry of its own where counts differ, else the levels of a config share one. The
suite has another name, and the build that is proposed another seed, so that nothing that was asked
comes up again but by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict

from omegaconf import OmegaConf

from facelet.generators.core.seeding import digest
from facelet.pipeline.dataset.manifests import Manifest
from facelet.pipeline.evolve.proposing import Proposal
from facelet.pipeline.evolve.reading import Found

SEEDS = 10**6
MIXED = "harder"
"""What the name of an entry ends with that has several params changed; of one it is the param."""


class Suite(TypedDict):
    """A suite as its YAML has it: what it builds, by name."""

    tasks: dict[str, dict[str, object]]


def suites(found: Found, proposals: Sequence[Proposal], suffix: str) -> dict[str, Suite]:
    """Return the suites that build some proposals, as plain values.

    Args:
        found: where they come from.
        proposals: the proposals.
        suffix: what is added to the names of the suites.
    """
    made: dict[str, Suite] = {}
    for proposal in proposals:
        source = found.sources[proposal.config]
        tasks = made.setdefault(f"{source.suite}{suffix}", {"tasks": {}})["tasks"]
        name = proposal.config.partition(".")[2]
        params = {**source.params, **proposal.changed}
        for entry, levels, count in _entries(name, proposal.counts):
            changed = [*proposal.changed] if len(proposal.changed) < 2 else [MIXED]
            tasks["_".join((entry, *changed))] = {
                "task": source.task,
                **({"params": params} if params else {}),
                "sweep": {source.knob: levels},
                "count": count,
            }
    return made


def _entries(name: str, counts: Mapping[int, int]) -> Iterator[tuple[str, list[int], int]]:
    """Yield name, levels and rows a level of each entry of a config."""
    if len(set(counts.values())) == 1:
        yield name, list(counts), next(iter(counts.values()))
        return
    for level, count in counts.items():
        yield f"{name}_l{level:02d}", [level], count


def document(found: Found, proposals: Sequence[Proposal], suffix: str) -> str:
    """Return the YAML, with the reasons as comments.

    Args:
        found: where the proposals come from.
        proposals: the proposals.
        suffix: what is added to the names of the suites.
    """
    lines = ["# Written by `facelet evolve`; `facelet build 'suites=[this file]'` builds it."]
    lines += [f"# {proposal.config}: {proposal.why}." for proposal in proposals]
    body = OmegaConf.to_yaml(OmegaConf.create(suites(found, proposals, suffix)))
    return "\n".join(lines) + "\n" + body


def fresh_seed(manifest: Manifest, model: str, rule: str) -> int:
    """Return a seed that follows from the dataset, the model and the rule, and is not its own.

    Args:
        manifest: the manifest of the dataset that was scored.
        model: name of the model.
        rule: the rule.
    """
    known = "None" if manifest.seed is None else manifest.seed
    names = ("evolve", manifest.content_hash, known, model, rule)
    seed = int.from_bytes(digest(*names), "big") % SEEDS
    return seed if seed != manifest.seed else SEEDS
