"""Walls that hold for families and painters that do not exist yet, without a list of their names.

A family is any folder of `generators` but `core` and `options`; a paper's room is any folder of
`pipeline/papers`. The walls that name fixed rooms stand in pyproject.toml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest

from facelet.pipeline.papers.paper_registry import load_papers

ROOT = Path(__file__).parents[1]
SHARED = ("core", "options")
HOUSE = "facelet.pipeline.papers"
UNNAMED = ("pipeline", "generators/core")
"""Where no paper is named, docstrings, comments and templates included."""
NAMING = ("pipeline/papers",)
"""Where papers are named even so: their rooms."""
CALLERS = ("pipeline.command", "pipeline.docs", "pipeline.adapters", "pipeline.python_api")
"""Packages that may import verbs: those that list, document, call or wrap them."""


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("facelet", cache_dir=None, exclude_type_checking_imports=True)


def module_room(module: str) -> str:
    """Return the second and third name of a module: "generators.cube", "pipeline.build"."""
    return ".".join(module.split(".")[1:3])


def find_faults(graph: grimp.ImportGraph) -> list[str]:
    """Return the imports that no wall should let through, a line each."""
    packages = {name.split(".")[-1] for name in graph.find_children("facelet.generators")}
    families = packages - set(SHARED)
    rooms = {name for name in graph.find_children(HOUSE) if graph.find_children(name)}
    return sorted(
        f"{why}: {importer} imports {imported}"
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
        for why in (
            *broken_walls(importer, imported, families),
            *broken_paper_walls(importer, imported, rooms),
        )
    )


def broken_walls(importer: str, imported: str, families: set[str]) -> Iterator[str]:
    """Yield the walls that an import breaks."""
    here, there = module_room(importer), module_room(imported)
    of_family = {f"{layer}.{name}" for layer in ("generators", "pipeline") for name in families}
    in_family = here.partition(".")[2] in families
    if here.startswith("generators."):
        if in_family and there in of_family and there != here:
            yield "a family imports another"
        if here == "generators.options" and there in of_family:
            yield "options import a family"
        if here == "generators.core" and (there in of_family or there == "generators.options"):
            yield "core imports what stands on it"
        if there.startswith("renderers.") and there != "renderers.scenes":
            yield "generators know more of renderers than scenes"
    if there == "pipeline.verbs" and here not in (there, *CALLERS):
        yield "a room imports a verb"
    # A verb may be one family's: it is the outermost room, and loads what it needs when it runs.
    if here.startswith("pipeline") and here != "pipeline.verbs" and there in of_family:
        if not in_family:
            yield "what is there for all families imports one"
        elif here.partition(".")[2] != there.partition(".")[2]:
            yield "a family's room of the pipeline imports another family"


def broken_paper_walls(importer: str, imported: str, rooms: set[str]) -> Iterator[str]:
    """Yield the walls of the papers' rooms that an import breaks."""
    here, there = (".".join(module.split(".")[:4]) for module in (importer, imported))
    if there in rooms and here != there:
        yield (
            "a paper imports another" if here in rooms else "what is there for all papers needs one"
        )


def paper_mentions(root: Path) -> list[str]:
    """Return the lines outside of the rooms that name a paper: by its folder or by its name."""
    words = {word for one in load_papers().values() for word in (one.name, one.source.name)}
    pattern = re.compile(rf"(?<![a-z])(?:{'|'.join(map(re.escape, words))})(?![a-z])", re.I)
    skipped = tuple(root / name for name in NAMING)
    return [
        f"{path.relative_to(root)}:{number}: {line.strip()}"
        for folder in UNNAMED
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in (".py", ".jinja", ".json", ".yaml", ".md")
        and not any(path.is_relative_to(part) for part in skipped)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_paper_is_named_outside_of_its_room() -> None:
    assert len(load_papers()) >= 5
    assert paper_mentions(ROOT) == []


@pytest.mark.parametrize("said", ["Cube Bench, A.7", "suite=MARBLE", "inf_bench.forward_2d"])
@pytest.mark.parametrize(
    "place", ["pipeline/cli.py", "generators/core/task.py", "pipeline/a.jinja"]
)
def test_a_paper_that_is_named_is_found(tmp_path: Path, place: str, said: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text(f"marbles, cube benches\n# {said}\n")
    (tmp_path / "pipeline" / "papers").mkdir(parents=True)
    (tmp_path / "pipeline" / "papers" / "room.py").write_text(said)
    assert paper_mentions(tmp_path) == [f"{place}:2: # {said}"]


def test_no_import_breaks_a_wall(graph: grimp.ImportGraph) -> None:
    assert len(graph.modules) > 200
    assert find_faults(graph) == []


@pytest.mark.parametrize(
    ("importer", "imported", "why"),
    [
        ("generators.jigsaw.pieces", "generators.cube.engine.moves", "a family imports another"),
        ("generators.arcade.tasks.chess", "generators.cube.engine", "a family imports another"),
        (
            "generators.options.letter_placement",
            "generators.labyrinth.board",
            "options import a family",
        ),
        ("generators.core.task", "generators.jigsaw.hull", "core imports what stands on it"),
        (
            "generators.core.task",
            "generators.options.fairness_statistics",
            "core imports what stands on it",
        ),
        ("generators.jigsaw.hull", "renderers.painters.shapes", "generators know more"),
        ("generators.arcade.board", "renderers.brushes", "generators know more"),
        (
            "pipeline.audit.dataset_audit",
            "generators.cube.engine",
            "what is there for all families",
        ),
        ("pipeline.dataset_info", "pipeline.cube.table_cache", "what is there for all families"),
        ("pipeline.cube.states", "generators.jigsaw.hull", "a family's room of the pipeline"),
        ("pipeline.papers.marble", "pipeline.papers.evolarena.layouts", "a paper imports another"),
        (
            "pipeline.papers.paper_rows",
            "pipeline.papers.marble.layouts",
            "what is there for all papers",
        ),
        ("pipeline.card.citations", "pipeline.papers.marble", "what is there for all papers"),
        ("pipeline.audit.dataset_audit", "pipeline.verbs.audit", "a room imports a verb"),
    ],
)
def test_a_planted_import_is_found(
    graph: grimp.ImportGraph, importer: str, imported: str, why: str
) -> None:
    names = f"facelet.{importer}", f"facelet.{imported}"
    added = [name for name in ("facelet.generators.arcade", *names) if name not in graph.modules]
    for name in added:
        graph.add_module(name)
    graph.add_import(importer=names[0], imported=names[1])
    try:
        (found,) = find_faults(graph)
    finally:
        graph.remove_import(importer=names[0], imported=names[1])
        for name in added:
            graph.remove_module(name)
    assert found.startswith(why)


def test_imports_down_the_house_are_free(graph: grimp.ImportGraph) -> None:
    for importer, imported in (
        ("generators.arcade.tasks.chess", "generators.core.task"),
        ("generators.arcade.tasks.chess", "generators.arcade.board"),
        ("generators.arcade.board", "renderers.scenes.boards"),
        ("pipeline.arcade.replays", "generators.arcade.board"),
        ("pipeline.cube.states", "pipeline.resource_providers"),
        ("pipeline.verbs.certify", "pipeline.cube.settings"),
    ):
        assert not list(
            broken_walls(f"facelet.{importer}", f"facelet.{imported}", {"cube", "arcade"})
        )
