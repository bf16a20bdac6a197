"""Items: what a reader of others' items hands on, whatever form they came in.

A reader drops nothing: of each line it makes an `ImportedItem`, or a `RejectedItem` that says why
not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Params
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.importing.item_lines import ItemLine


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """An item of others that became rows of ours.

    Attributes:
        line: where it stands.
        own: its own id, as its file spells it.
        task: the task that judges it.
        params: the params that its rows are of.
        instances: its rows, at least one.
        draw: what our part of it, such as options, was drawn from.
    """

    line: ItemLine
    own_id: str
    task: AnyTask
    params: Params
    instances: Sequence[object]
    draw: Draw


@dataclass(frozen=True, slots=True)
class RejectedItem:
    """What no row was made of.

    Attributes:
        line: where it stands.
        reason: why, in words.
        own: its own id; "" where none could be read.
    """

    line: ItemLine
    reason: str
    own_id: str = ""


@dataclass(frozen=True, slots=True)
class ImportedItems:
    """All that was read.

    Attributes:
        suite: the suite that the rows form.
        items: what became rows, in the order of the files.
        broken: what did not.
        tables: hashes of the tables that labels were proven with, by name.
    """

    suite: str
    items: Sequence[ImportedItem]
    rejected: Sequence[RejectedItem]
    tables: dict[str, str] = field(default_factory=dict)
