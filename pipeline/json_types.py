"""JSON values: what a JSON text may hold, as a type."""

from __future__ import annotations

from typing import TypeAlias

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
"""Any value of a JSON text."""
