"""Place classes in slots: each item shows every class once and one class twice, balanced.

Cube Bench, appendix A.7.2: the class shown twice follows a target mix that depends on how often
each class can be doubled at all; the slots rotate. Everything here follows from the whole list of
items in order, so every worker computes the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from facelet.generators.core.seeding import Draw, Name, make_generator
from facelet.generators.options.fairness_statistics import doubling_target


@dataclass(frozen=True, slots=True)
class ClassMix:
    """Which classes the slots of one item hold.

    Attributes:
        classes: one class a slot, in the order of all classes: the multiset of this item.
        doubled: the class that is shown twice because the target asks for it; "" if none could be.
        number: how many earlier items have the same multiset.
    """

    classes: tuple[str, ...]
    doubled: str
    number: int


def doublable_classes(sizes: Mapping[str, int]) -> tuple[str, ...]:
    """Return the classes with at least two options.

    Args:
        sizes: class -> number of distinct options of it.
    """
    return tuple(label for label, size in sizes.items() if size >= 2)


def draw_mixes(
    sizes: Sequence[Mapping[str, int]],
    slots: int,
    twice: Sequence[Collection[str]] | None = None,
) -> list[ClassMix]:
    """Return the mix of every item.

    Each class that an item has gets one slot. Each remaining slot goes to the class, among those
    that may take it and have an unused option, that is farthest below its target so far; the
    earlier class on a tie.

    Args:
        sizes: for each item, class -> number of distinct options of it;
            the same classes everywhere.
        slots: number of slots of an item.
        twice: for each item, the classes that may take a remaining slot; all of them by default.

    Raises:
        ValueError: an item has fewer options than slots, or more classes.
    """
    allowed = twice or [doublable_classes(item) for item in sizes]
    target = target_mix(sizes, allowed)
    shown: Counter[str] = Counter()
    earlier: Counter[tuple[str, ...]] = Counter()
    result = []
    for total, item in enumerate(sizes, 1):
        used = Counter(label for label, size in item.items() if size > 0)
        if used.total() > slots or sum(item.values()) < slots:
            raise ValueError(
                f"item {total - 1} has {dict(item)} options; {slots} slots need as many options "
                "and no more classes"
            )
        shown.update(used)
        doubled = ""
        while used.total() < slots:
            free = [label for label, size in item.items() if size > used[label]]
            spare = [label for label in free if label in allowed[total - 1]] or free
            label = max(spare, key=lambda name: target[name] * slots * total - shown[name])
            doubled = doubled or label
            used[label] += 1
            shown[label] += 1
        classes = tuple(label for label in item for _ in range(used[label]))
        result.append(ClassMix(classes, doubled, earlier[classes]))
        earlier[classes] += 1
    return result


def target_mix(
    sizes: Sequence[Mapping[str, int]], twice: Sequence[Collection[str]] | None = None
) -> dict[str, float]:
    """Return the share of slots that each class should have, estimated over all items.

    Of four slots one goes to each of three classes, the fourth in proportion to the smoothed share
    of items in which the class can be doubled (alpha = 1).

    Args:
        sizes: as for `draw_mixes`.
        twice: as for `draw_mixes`.
    """
    classes = list(sizes[0])
    allowed = twice or [doublable_classes(item) for item in sizes]
    feasible = [sum(label in each for each in allowed) for label in classes]
    target = doubling_target(feasible, len(sizes))
    return dict(zip(classes, map(float, target), strict=True))


def arrange_slots(mix: ClassMix, path: tuple[Name, ...]) -> tuple[str, ...]:
    """Return the classes of an item in slot order.

    Items of one multiset come in blocks of as many items as there are slots. Inside a block one
    random arrangement is rotated through all places in random order, so that over a block each slot
    holds each class equally often.

    Args:
        mix: the item's mix.
        path: names of the cell, as in Draw.
    """
    slots = len(mix.classes)
    names = (*path, "arrangement", *mix.classes)
    block = mix.number // slots
    base = make_generator(*names, "block", block).permutation(slots)
    turn = Draw(names, mix.number).deal_card("rotation", range(slots))
    return tuple(mix.classes[int(base[(slot - turn) % slots])] for slot in range(slots))
