"""Citing: what a dataset is called after its suites, how it is cited, and its tasks' papers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

AUTHOR = "The Facelet authors"
"""Who made a dataset, where nobody says otherwise."""

YEAR = 2026
"""Year of this release, for citations: no card may depend on the day on which it is written."""

PLACE = "path/to/this/dataset"
"""Stands in a card where its reader writes the dataset's folder or repository."""

_NAMED = 3
"""So many suites are named in a title; of more, their papers alone."""

_TEX = {sign: f"\\{sign}" for sign in "&%$#_"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "{": r"\{",
    "}": r"\}",
}


@dataclass(frozen=True, slots=True)
class Source:
    """Where a suite's tasks come from, for the card's citation.

    Attributes:
        name: what it is called for short.
        title: of the paper.
        authors: of it, with commas; "and others" at the end for more.
        state: what else is known of it, such as "under review"; "" for nothing.
        people: what it says of how people do, in a sentence; "" if it measured none.
    """

    name: str
    title: str
    authors: str
    state: str = ""
    people: str = ""

    @property
    def by(self) -> str:
        """Its authors and state, in words."""
        return ", ".join(filter(None, (self.authors, self.state)))


SOURCES = {
    "cube_bench": Source(
        "Cube Bench",
        "Cube Bench: A Benchmark for Spatial Visual Reasoning in MLLMs",
        "Dhruv Anand, Ehsan Shareghi",
    ),
    "cubebench": Source(
        "CubeBench",
        "CubeBench: Diagnosing Interactive, Long-Horizon Spatial Reasoning under Partial "
        "Observations",
        "Huan-ang Gao, Zikang Zhang, Tianwei Luo and others",
    ),
    "evolarena": Source(
        "EvolArena",
        "EvolArena: An Evolving Arena for Multi-Turn Reasoning in LLMs",
        "anonymous",
        "under review",
        "EvolArena measured no people; most of its games come from Codeforces, where the problems "
        "are rated 2453 on average (1700 to 3500).",
    ),
    "marble": Source(
        "MARBLE",
        "MARBLE: A Hard Benchmark for Multimodal Spatial Reasoning and Planning",
        "anonymous",
        "under review",
        "MARBLE reports of people, on its own items: 37.5% of fill-the-blanks, 0.0% of cubes and "
        "85.0% of easy cubes, 55.0% of mazes and 80.0% of easy mazes (table 6).",
    ),
    "inf_bench": Source(
        "Inf-Bench",
        "Ascending the Infinite Ladder: Benchmarking Spatial Deformation Reasoning in "
        "Vision-Language Models",
        "anonymous",
        "under review",
        "Inf-Bench reports of people, as mean R of ten ladders on its own items, forward and "
        "inverse: 31.5 and 17.3 in 2D, 17.5 and 16.3 in 2.5D, 6.7 and 5.3 in 3D with pictures "
        "(table 1); 7.2 and 5.7, 6.4 and 4.1, 1.9 and 1.3 with codes (table 2).",
    ),
}
"""The papers that define the suites' tasks, by suite."""


def source_of(suite: str) -> Source | None:
    """Return the paper of a suite; "cube_bench_variants" has the one of "cube_bench"."""
    for name, source in SOURCES.items():
        if suite == name or suite.startswith(f"{name}_"):
            return source
    return None


def suites_of(manifest: Mapping[str, Any]) -> list[str]:
    """Return the suites of a dataset, each once."""
    return list(dict.fromkeys(config["suite"] for config in manifest["configs"].values()))


def sources_of(manifest: Mapping[str, Any]) -> list[Source]:
    """Return the papers of a dataset, each once."""
    found = map(source_of, suites_of(manifest))
    return list(dict.fromkeys(source for source in found if source is not None))


def title(manifest: Mapping[str, Any]) -> str:
    """Return the title of a dataset: its name, if somebody gave it one, and its suites."""
    usual = manifest["name"] == f"facelet-{manifest['profile']}"
    suites = suites_of(manifest)
    parts = list(dict.fromkeys(_called(suite, short=len(suites) > _NAMED) for suite in suites))
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{'Facelet' if usual else manifest['name']}: {listed}"


def _called(suite: str, *, short: bool) -> str:
    """Return what a suite is called: after its paper, and by its own name if it has none."""
    source = source_of(suite)
    if source is None:
        return suite
    own = next(suite[len(name) + 1 :] for name, other in SOURCES.items() if other == source)
    return source.name if short or not own else f"{source.name} ({own.replace('_', ' ')})"


def author(manifest: Mapping[str, Any]) -> str:
    """Return who made a dataset."""
    return str(_said(manifest).get("author") or AUTHOR)


def _said(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what the builder said of how to cite a dataset."""
    return manifest.get("citation") or {}


def bibtex(manifest: Mapping[str, Any]) -> str:
    """Return the entry of a dataset.

    Its `url` is the address that the builder named, or PLACE.
    """
    said, people, suites = _said(manifest), author(manifest), suites_of(manifest)
    fields = {
        # In braces of their own, the words of a group's name are not taken for those of a person.
        "author": f"{{{people}}}" if people == AUTHOR else people,
        "title": f"{{{_tex(title(manifest))}}}",
        "year": str(said.get("year") or YEAR),
        "url": str(said.get("address") or PLACE),
        "note": _tex(
            f"{'Suite' if len(suites) == 1 else 'Suites'} {', '.join(suites)}. Made by Facelet "
            f"{manifest['code_version']}, content hash {manifest['content_hash']}"
        ),
    }
    return _entry(_slug(title(manifest)), fields)


def paper(source: Source) -> str:
    """Return the entry of a paper."""
    people = re.sub(r",\s+", " and ", source.authors)
    fields = {
        "author": people if people != "anonymous" else "Anonymous",
        "title": f"{{{_tex(source.title)}}}",
        "note": source.state.capitalize(),
    }
    return _entry(_slug(source.name), fields)


def _entry(key: str, fields: Mapping[str, str]) -> str:
    lines = ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items() if text)
    return f"@misc{{{key},\n{lines}\n}}"


def _slug(text: str) -> str:
    """Return a text as the key of an entry."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _tex(text: str) -> str:
    """Return plain text as BibTeX reads it."""
    return "".join(_TEX.get(sign, sign) for sign in text)


def check_author(text: str) -> str:
    """Return an author as BibTeX can read it.

    Raises:
        ValueError: it has line breaks, or braces that do not pair.
    """
    depth = 0
    for sign in text:
        depth += (sign == "{") - (sign == "}")
        if depth < 0 or not sign.isprintable():
            break
    if depth or not all(map(str.isprintable, text)):
        raise ValueError(
            f"author={text!r} cannot be cited; use one line, several people as A. Person and "
            "B. Person, and braces in pairs"
        )
    return text


def check_address(text: str) -> str:
    """Return an address that a citation may name.

    Raises:
        ValueError: it is no address.
    """
    if not re.fullmatch(r"https?://[^\s{}\\\"<>]{1,500}", text):
        raise ValueError(f"address={text!r} is no address; write https://...")
    return text
