"""Facelet: spatial-reasoning datasets with proven labels, and the scorer that replays answers.

Names are imported when they are first used, so `import facelet` costs nothing:

    build            make a dataset, with the keys of `facelet build`
    score            score predictions and return `Scores`: pandas frames, pages
    load_results     the `Scores` of an earlier run
    environment      play episodes of any task: rows, open_row, run
    create_dataset   rows of one task in memory, scored one by one
    stream           endless rows of a task or a suite, by number, for training
    Permutation      a seeded order of any number of rows that each worker computes by itself
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from facelet._version import __version__

if TYPE_CHECKING:
    from facelet.generators.core.keyed_permutation import Permutation
    from facelet.pipeline import rollout as environment
    from facelet.pipeline.python_api import Scores, build, load_results, score
    from facelet.pipeline.rollout.memory_dataset import create_dataset
    from facelet.pipeline.rollout.streams.row_stream import stream

__all__ = [
    "Permutation",
    "Scores",
    "__version__",
    "build",
    "create_dataset",
    "environment",
    "load_results",
    "score",
    "stream",
]

_PLACES = {
    "create_dataset": "facelet.pipeline.rollout.memory_dataset",
    "Permutation": "facelet.generators.core.keyed_permutation",
    "stream": "facelet.pipeline.rollout.streams.row_stream",
    **dict.fromkeys(("build", "load_results", "score", "Scores"), "facelet.pipeline.python_api"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is asked for."""
    if name == "environment":
        return import_module("facelet.pipeline.rollout")
    if name not in _PLACES:
        raise AttributeError(f"module 'facelet' has no attribute {name!r}; it has {__all__}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
