"""Facelet: spatial-reasoning datasets with proven labels, and the scorer that replays answers.

Names are imported when they are first used, so `import facelet` costs nothing:

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
    from facelet.pipeline.rollout.memory_dataset import create_dataset
    from facelet.pipeline.rollout.streams.row_stream import stream

__all__ = ["Permutation", "__version__", "create_dataset", "environment", "stream"]

_PLACES = {
    "create_dataset": ("facelet.pipeline.rollout.memory_dataset", "create_dataset"),
    "environment": ("facelet.pipeline.rollout", ""),
    "Permutation": ("facelet.generators.core.keyed_permutation", "Permutation"),
    "stream": ("facelet.pipeline.rollout.streams.row_stream", "stream"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is asked for."""
    if name not in _PLACES:
        raise AttributeError(f"module 'facelet' has no attribute {name!r}; it has {__all__}")
    module, part = _PLACES[name]
    return getattr(import_module(module), part) if part else import_module(module)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
