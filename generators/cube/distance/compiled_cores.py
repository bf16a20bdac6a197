"""Load the compiled cores of the solvers and of the coset search on first use.

So everything of the cube that needs no search works where they were not compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.core.compiled_parts import CompiledPart, load_compiled, missing_part_error

_PACKAGE = "facelet.generators.cube.distance"

if TYPE_CHECKING:
    from facelet.generators.cube.distance import _core as core
    from facelet.generators.cube.distance import _coset as coset
    from facelet.generators.cube.distance import _two_phase as two_phase
else:
    core = CompiledPart(f"{_PACKAGE}._core", "the exact solver")
    coset = CompiledPart(f"{_PACKAGE}._coset", "the coset search")
    two_phase = CompiledPart(f"{_PACKAGE}._two_phase", "the two-phase solver")


def is_compiled() -> bool:
    """Return whether the exact solver was compiled, and may be used."""
    return load_compiled(f"{_PACKAGE}._core") is not None


def require_solver() -> None:
    """Refuse, before any work, what the exact solver is needed for.

    Raises:
        NotCompiled: it was not compiled.
    """
    if not is_compiled():
        raise missing_part_error("the exact solver")


def require_coset_search() -> None:
    """Refuse, before any work, what the coset search is needed for.

    Raises:
        NotCompiled: it was not compiled.
    """
    if load_compiled(f"{_PACKAGE}._coset") is None:
        raise missing_part_error("the coset search")


__all__ = ["core", "coset", "is_compiled", "require_coset_search", "require_solver", "two_phase"]
