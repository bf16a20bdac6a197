"""Build titles, BibTeX entries and paper lists of datasets."""

from __future__ import annotations

import re
from collections.abc import Mapping

from facelet.pipeline.dataset.manifest_file import Record
from facelet.pipeline.papers import paper_registry
from facelet.pipeline.papers.paper import PaperSource

AUTHOR = "The Facelet authors"
"""Who made a dataset, where nobody says otherwise."""

YEAR = 2026
"""Year of this release, for citations: no card may depend on the day on which it is written."""

PLACE = "path/to/this/dataset"
"""Stands in a card where its reader writes the dataset's folder or repository."""

_UNNAMED = 3
"""So many suites are named in a title; of more, their papers alone."""

_TEX = {sign: f"\\{sign}" for sign in "&%$#_"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "{": r"\{",
    "}": r"\}",
}


def find_suite_paper(suite: str) -> PaperSource | None:
    """Return the paper that a suite is from, or None."""
    found = paper_registry.find_suite_paper(suite)
    return None if found is None else found.source


def list_suites(manifest: Record) -> list[str]:
    """Return the suites of a dataset, each once."""
    return list(dict.fromkeys(config["suite"] for config in manifest["configs"].values()))


def list_papers(manifest: Record) -> list[PaperSource]:
    """Return the papers of a dataset, each once."""
    found = map(find_suite_paper, list_suites(manifest))
    return list(dict.fromkeys(source for source in found if source is not None))


def dataset_title(manifest: Record) -> str:
    """Return the title of a dataset: its name, if somebody gave it one, and its suites."""
    usual = manifest["name"] == f"facelet-{manifest['profile']}"
    suites = list_suites(manifest)
    parts = list(
        dict.fromkeys(_suite_title(suite, short=len(suites) > _UNNAMED) for suite in suites)
    )
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{'Facelet' if usual else manifest['name']}: {listed}"


def _suite_title(suite: str, *, short: bool) -> str:
    """Return what a suite is called: after its paper, and by its own name if it has none."""
    if (found := paper_registry.find_suite_paper(suite)) is None:
        return suite
    own, name = found.suite_ending(suite) or "", found.source.name
    return name if short or not own else f"{name} ({own.replace('_', ' ')})"


def dataset_author(manifest: Record) -> str:
    """Return the author of a dataset."""
    return str(_citation_fields(manifest).get("author") or AUTHOR)


def _citation_fields(manifest: Record) -> Mapping[str, object]:
    """Return what the builder said of how to cite a dataset."""
    return manifest.get("citation") or {}


def dataset_bibtex(manifest: Record) -> str:
    """Return the entry of a dataset.

    Its `url` is the address that the builder named, or PLACE.
    """
    said, people, suites = (
        _citation_fields(manifest),
        dataset_author(manifest),
        list_suites(manifest),
    )
    fields = {
        # In braces of their own, the words of a group's name are not taken for those of a person.
        "author": f"{{{people}}}" if people == AUTHOR else people,
        "title": f"{{{_escape_tex(dataset_title(manifest))}}}",
        "year": str(said.get("year") or YEAR),
        "url": str(said.get("address") or PLACE),
        "note": _escape_tex(
            f"{'Suite' if len(suites) == 1 else 'Suites'} {', '.join(suites)}. Made by Facelet "
            f"{manifest['code_version']}, content hash {manifest['content_hash']}"
        ),
    }
    return _format_entry(_slugify_key(dataset_title(manifest)), fields)


def paper_bibtex(source: PaperSource) -> str:
    """Return the entry of a paper."""
    people = re.sub(r",\s+", " and ", source.authors)
    fields = {
        "author": people if people != "anonymous" else "Anonymous",
        "title": f"{{{_escape_tex(source.title)}}}",
        "note": source.state.capitalize(),
    }
    return _format_entry(_slugify_key(source.name), fields)


def _format_entry(key: str, fields: Mapping[str, str]) -> str:
    lines = ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items() if text)
    return f"@misc{{{key},\n{lines}\n}}"


def _slugify_key(text: str) -> str:
    """Return a text as the key of an entry."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _escape_tex(text: str) -> str:
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
        raise ValueError(f"address={text!r} is not an address; write https://...")
    return text
