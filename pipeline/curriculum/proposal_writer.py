"""Format proposals as a table, and write them as YAML suites for `facelet build`.

A level gets an entry of its own where counts differ, else the levels of a config share one. The
suite has a new name, and the proposed build a new seed, so questions repeat only by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict

from omegaconf import OmegaConf

from facelet.generators.core.seeding import digest_names
from facelet.pipeline.curriculum.ladder.expected_level import estimate_reach
from facelet.pipeline.curriculum.proposals import ConfigResult, LevelProposal
from facelet.pipeline.curriculum.results_reader import CurriculumInput
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset_info import align_table


def format_proposals(found: CurriculumInput, proposals: Sequence[LevelProposal]) -> list[str]:
    """Return the proposals as lines of a table."""
    results = {result.config: result for result in found.results}
    rows = [("config", "scored", "ladder", "next", "rows", "why")]
    for proposal in proposals:
        result = results[proposal.config]
        rows.append(
            (
                proposal.config,
                " ".join(f"{one.level}:{one.accuracy:.0%}" for one in result.level_results),
                f"{_mean_reached_level(result):.1f}",
                ",".join(map(str, proposal.counts)),
                ",".join(map(str, dict.fromkeys(proposal.counts.values()))),
                proposal.why,
            )
        )
    return [f"model: {found.model}", *align_table(rows, left=(0, 1, 3, 4, 5))]


def _mean_reached_level(result: ConfigResult) -> float:
    """Return the level that a ladder over the levels that were asked reaches on average."""
    levels = [one.level for one in result.level_results]
    return estimate_reach([one.accuracy for one in result.level_results], levels).below


SEEDS = 10**6
MIXED_SUFFIX = "harder"
"""What the name of an entry ends with that has several params changed; of one it is the param."""


class SuiteEntry(TypedDict):
    """A suite as its YAML has it: what it builds, by name."""

    tasks: dict[str, dict[str, object]]


def build_suites(
    found: CurriculumInput, proposals: Sequence[LevelProposal], suffix: str
) -> dict[str, SuiteEntry]:
    """Return suites that build some proposals, as plain values.

    Args:
        found: the model's results.
        proposals: the proposals.
        suffix: the suffix of the names of the suites.
    """
    made: dict[str, SuiteEntry] = {}
    for proposal in proposals:
        source = found.sources[proposal.config]
        tasks = made.setdefault(f"{source.suite}{suffix}", {"tasks": {}})["tasks"]
        name = proposal.config.partition(".")[2]
        params = {**source.params, **proposal.params}
        for entry, levels, count in _iterate_entries(name, proposal.counts):
            changed = [*proposal.params] if len(proposal.params) < 2 else [MIXED_SUFFIX]
            tasks["_".join((entry, *changed))] = {
                "task": source.task,
                **({"params": params} if params else {}),
                "sweep": {source.knob: levels},
                "count": count,
            }
    return made


def _iterate_entries(name: str, counts: Mapping[int, int]) -> Iterator[tuple[str, list[int], int]]:
    """Yield name, levels and rows a level of each entry of a config."""
    if len(set(counts.values())) == 1:
        yield name, list(counts), next(iter(counts.values()))
        return
    yield from ((f"{name}_l{level:02d}", [level], count) for level, count in counts.items())


def render_suites(found: CurriculumInput, proposals: Sequence[LevelProposal], suffix: str) -> str:
    """Return the YAML, with the reasons as comments.

    Args:
        found: the model's results.
        proposals: the proposals.
        suffix: the suffix of the names of the suites.
    """
    lines = ["# Written by `facelet evolve`; `facelet build 'suites=[this file]'` builds it."]
    lines += [f"# {proposal.config}: {proposal.why}." for proposal in proposals]
    body = OmegaConf.to_yaml(OmegaConf.create(build_suites(found, proposals, suffix)))
    return "\n".join(lines) + "\n" + body


def derive_seed(manifest: Manifest, model: str, rule: str) -> int:
    """Return a seed derived from the dataset, the model and the rule, other than the dataset's own.

    Args:
        manifest: the manifest of the scored dataset.
        model: name of the model.
        rule: the rule.
    """
    known = "None" if manifest.seed is None else manifest.seed
    names = ("evolve", manifest.content_hash, known, model, rule)
    seed = int.from_bytes(digest_names(*names), "big") % SEEDS
    return seed if seed != manifest.seed else SEEDS
