"""What a dataset is called and how it is cited: by its suites, the same on every day."""

from __future__ import annotations

import re
from typing import Any

import pytest
from typed import resolve_words

from facelet.pipeline.card import citations
from facelet.pipeline.command.setting_keys import list_conf_files
from facelet.pipeline.dataset.manifest_file import Citation, to_plain
from facelet.pipeline.publish.dataset_diff import parse_version
from facelet.pipeline.publish.hub_repository import add_citation_address


def manifest(*suites: str, name: str = "facelet-paper", **said: Any) -> dict[str, Any]:
    """Return what citing reads of a manifest."""
    return {
        "name": name,
        "profile": "paper",
        "code_version": "0.1.0+abc",
        "content_hash": "12" * 16,
        "configs": {f"{suite}.one": {"suite": suite} for suite in suites},
        **({"citation": to_plain(Citation(**said))} if said else {}),
    }


def parse_fields(entry: str) -> dict[str, str]:
    """Return the fields of an entry; one that is not whole is an error."""
    head, *lines, tail = entry.splitlines()
    assert re.fullmatch(r"@misc\{[a-z0-9-]+,", head) and tail == "}"
    assert all(line.endswith(",") for line in lines[:-1]) and not lines[-1].endswith(",")
    found = {}
    for line in lines:
        name, _, text = line.removesuffix(",").partition(" = ")
        assert text.startswith("{") and text.endswith("}") and is_balanced(text), line
        found[name.strip()] = text[1:-1]
    return found


def is_balanced(text: str) -> bool:
    depth = 0
    for sign in re.sub(r"\\[{}]", "", text):
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return False
    return depth == 0


@pytest.mark.parametrize(
    ("suites", "name", "title"),
    [
        (["cube_bench"], "facelet-paper", "Facelet: Cube Bench"),
        (["cube_bench_as_published"], "facelet-paper", "Facelet: Cube Bench (as published)"),
        (["cubebench", "marble"], "mine", "mine: CubeBench and MARBLE"),
        (["cubebench_variants"], "facelet-smoke", "facelet-smoke: CubeBench (variants)"),
        (["my_own", "inf_bench"], "facelet-paper", "Facelet: my_own and Inf-Bench"),
        (
            list_conf_files("suite"),
            "facelet-paper",
            "Facelet: Cube Bench, CubeBench, EvolArena, Inf-Bench, MARBLE and spatial",
        ),
    ],
)
def test_a_dataset_is_called_after_its_suites(suites, name, title):
    assert citations.dataset_title(manifest(*suites, name=name)) == title
    found = parse_fields(citations.dataset_bibtex(manifest(*suites, name=name)))
    assert found["title"] == f"{{{title}}}".replace("_", r"\_")
    assert all(suite.replace("_", r"\_") in found["note"] for suite in suites)


def test_author_year_and_address_have_defaults_and_can_be_told():
    found = parse_fields(citations.dataset_bibtex(manifest("marble")))
    assert found["author"] == "{The Facelet authors}", "a group's name in braces of its own"
    assert (found["year"], found["url"]) == (str(citations.YEAR), "path/to/this/dataset")
    assert "12" * 16 in found["note"]
    said = {"author": "A. Person and B. Pérson", "year": 2031, "address": "https://x.org/a_b"}
    found = parse_fields(citations.dataset_bibtex(manifest("marble", **said)))
    assert (found["author"], found["year"], found["url"]) == tuple(map(str, said.values()))


def test_every_suite_has_a_paper_with_an_entry():
    for suite in set(list_conf_files("suite")) - {"spatial"}:
        source = citations.find_suite_paper(suite)
        assert source is not None
        found = parse_fields(citations.paper_bibtex(source))
        assert source.title in found["title"] and found["author"]
    assert citations.find_suite_paper("cube_benches") is None
    assert citations.find_suite_paper("spatial") is None, "its tasks are from no paper"


def test_a_published_entry_has_the_version_and_the_address_of_its_repository():
    home, version = "https://hub/datasets/o/n", parse_version("1.2.0")
    found = parse_fields(
        add_citation_address(citations.dataset_bibtex(manifest("marble")), home, version)
    )
    assert (found["url"], found["version"]) == (home, "1.2.0")
    told = manifest("marble", address="https://x.org/y")
    assert (
        parse_fields(add_citation_address(citations.dataset_bibtex(told), home, version))["url"]
        == "https://x.org/y"
    )


def test_the_keys_are_read_and_checked():
    words = ["author=A. {van der} B", "year=2030", "address=https://x.org"]
    assert resolve_words(words)[0].citation == Citation("A. {van der} B", 2030, "https://x.org")
    assert resolve_words([])[0].citation == Citation()


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("author=A}{B", "author='A}{B' cannot be cited; use one line"),
        ("author={A", "braces in pairs"),
        ("author=A\nB", "cannot be cited"),
        ("year=30", "year=30 is out of range"),
        ("address=x.org", "address='x.org' is not an address; write https://"),
        ("address=https://x.org/}", "is not an address"),
    ],
)
def test_what_cannot_be_cited_is_refused(word, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        resolve_words([word])
