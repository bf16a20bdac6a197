"""Facelet: spatial-reasoning datasets with proven labels, and the scorer that replays answers.

Names are imported when they are first used, so `import facelet` costs nothing:

    environment   play episodes of any task: rows, open_row, run
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from facelet.pipeline import environment

__version__ = "0.1.0"
__all__ = ["__version__", "environment"]

_PLACES = {"environment": "facelet.pipeline.environment"}


def __getattr__(name: str) -> Any:
    """Import a public name when it is asked for."""
    if name not in _PLACES:
        raise AttributeError(f"module 'facelet' has no attribute {name!r}; it has {__all__}")
    return import_module(_PLACES[name])


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
