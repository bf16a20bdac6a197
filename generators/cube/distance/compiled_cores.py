"""The compiled cores of the solvers and of the coset search, loaded when they are first used.

So everything of the cube that needs no search works where they were not compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.core.compiled import Part, found, missing

_PACKAGE = "facelet.generators.cube.distance"

if TYPE_CHECKING:
    from facelet.generators.cube.distance import _core as core
    from facelet.generators.cube.distance import _coset as coset
    from facelet.generators.cube.distance import _two_phase as two_phase
else:
    core = Part(f"{_PACKAGE}._core", "the exact solver")
    coset = Part(f"{_PACKAGE}._coset", "the coset search")
    two_phase = Part(f"{_PACKAGE}._two_phase", "the two-phase solver")


def there() -> bool:
    """Return whether the exact solver was compiled, and may be used."""
    return found(f"{_PACKAGE}._core") is not None


def demand() -> None:
    """Refuse, before any work, what the exact solver is needed for.

    Raises:
        NotCompiled: it was not compiled.
    """
    if not there():
        raise missing("the exact solver")


def demand_cosets() -> None:
    """Refuse, before any work, what the coset search is needed for.

    Raises:
        NotCompiled: it was not compiled.
    """
    if found(f"{_PACKAGE}._coset") is None:
        raise missing("the coset search")


__all__ = ["core", "coset", "demand", "demand_cosets", "there", "two_phase"]
