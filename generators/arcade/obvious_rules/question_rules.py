"""Obvious rules of games of questions and answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from itertools import zip_longest
from typing import Any

from facelet.generators.core.replies.command import Command
from facelet.generators.core.text_game import Player

FREQUENT = "esariotnldupcmhgbkywfvjzxq"
"""Letters of English words, the most frequent first."""


def _ask_each(commands: Iterable[Command]) -> Generator[Command, Any, list[Any]]:
    heard = []
    for command in commands:
        heard.append((yield command))
    return heard


def scan_list(shown: Any) -> Player:
    """Ask every position in order; answer the least value."""
    heard = yield from _ask_each(Command("query", (k,)) for k in range(1, shown.size + 1))
    yield Command("answer", (min(value for value, _ in heard),))


def guess_commonest(shown: Any) -> Player:
    """Follow every possible password; guess the most frequent one."""
    low, base, count = shown.low, shown.base, shown.span + 1
    known = list(range(low, low + count))

    def add_digits(x: int, y: int) -> int:
        pairs = ((x // base**k % base + y // base**k % base, k) for k in range(64))
        return int(sum(digit % base * base**k for digit, k in pairs))

    while True:
        (guess, _), *_ = Counter(known).most_common(1)
        yield Command("guess", (guess,))
        known = [low + add_digits(x, guess) % count for x in known if x != guess]


def subtract_and_filter(shown: Any) -> Player:
    """Keep the numbers that fit all counts of ones; subtract what tells most of them apart."""
    known = [n for n in range(1, shown.most + 1) if n.bit_count() == shown.ones]
    while len(known) > 1:

        def reply_to(n: int, x: int) -> int:
            return (n - x).bit_count() if x <= n else -1

        best = max(range(1, max(known) + 1), key=lambda x: len({reply_to(n, x) for n in known}))
        heard = yield Command("operation", (best,))
        heard = -1 if heard == "Invalid" else heard
        known = [n - best * (best <= n) for n in known if reply_to(n, best) == heard]
    yield Command("answer", (known[0],))


def halve_zeros(shown: Any) -> Player:
    """Halve the positions by counting the zeros of the first half."""
    low, high, rank = 1, shown.length, shown.rank
    while low < high:
        middle = (low + high) // 2
        zeros = middle - low + 1 - int((yield Command("query", (low, middle))))
        low, high = (low, middle) if zeros >= rank else (middle + 1, high)
        rank -= zeros if low > middle else 0
    yield Command("answer", (low,))


def halve_and_repeat(shown: Any) -> Player:
    """Halve the numbers; ask each question until two replies in a row agree."""
    known = list(range(1, shown.most + 1))
    while len(known) > 1:
        half = known[: len(known) // 2]
        said = [(yield Command("query", ((len(half), *half),)))]
        while said[-2:] != said[-1:] * 2:
            said.append((yield Command("query", ((len(half), *half),))))
        known = half if said[-1] == "YES" else known[len(half) :]
    yield Command("answer", (known[0],))


def halve_stations(shown: Any) -> Player:
    """Halve the stations where the train may be; answer when few are left."""
    count, known = shown.stations, list(range(1, shown.stations + 1))
    while len(known) > shown.answers:
        half = set(range(known[0], known[(len(known) - 1) // 2] + 1))
        heard = yield Command("query", (min(half), max(half)))
        fits = [s for s in known if (s in half) == (heard in (True, "Yes"))]
        known = sorted({(s + d - 1) % count + 1 for s in fits for d in range(shown.speed + 1)})
    for station in known:
        yield Command("answer", (station,))


def find_pair_then_ask(shown: Any) -> Player:
    """Find neighbors in a ring that differ; ask each other player together with them."""
    count, said = shown.players, list[int]()
    while said[-2:] in ([], said[-1:] * 2) or len(said) < 2:
        place = len(said)
        three = sorted((place + k) % count + 1 for k in range(3))
        said.append((yield Command("query", tuple(three))))
    pair = ((place - 1) % count + 1, (place + 2) % count + 1)
    bad = {pair[0] if said[-1] else pair[1]}
    for player in {*range(1, count + 1)} - {*pair}:
        bad |= {player} if (yield Command("query", (*pair, player))) == 0 else set()
    yield Command("answer", (tuple(sorted(bad)),))


def compare_pairs(shown: Any) -> Player:
    """Compare pairs; find the least of the smaller ones, and the greatest of the others."""
    pairs = [(k, min(k + 1, shown.size)) for k in range(1, shown.size + 1, 2)]
    heard = yield from _ask_each(Command("query", (a, b)) for a, b in pairs if a < b)
    ordered = [b[::-1] if sign == ">" else b for b, sign in zip_longest(pairs, heard)]
    least, greatest = ordered[0]
    for low, high in ordered[1:]:
        least = low if (yield Command("query", (low, least))) == "<" else least
        greatest = high if (yield Command("query", (high, greatest))) == ">" else greatest
    yield Command("answer", (least, greatest))


def find_greatest_then_partner(shown: Any) -> Player:
    """Find the greatest number, then what adds most bits to it, of these the least."""
    top = 0
    for k in range(1, shown.size):
        top = k if (yield Command("query", (k, k, top, top))) == ">" else top
    best = [0]
    for k in range(1, shown.size):
        heard = yield Command("query", (k, top, best[0], top))
        best = [k] if heard == ">" else [*best, k] if heard == "=" else best
    least = best[0]
    for k in best[1:]:
        least = k if (yield Command("query", (k, k, least, least))) == "<" else least
    yield Command("answer", (top, least))


def add_three(shown: Any) -> Player:
    """Find the first three elements from sums, which AND and XOR give; then XOR the others."""
    pairs = [("XOR", 1, k) for k in range(2, shown.size + 1)]
    xors = yield from _ask_each(Command("query", pair) for pair in pairs)
    pairs = [("AND", 1, 2), ("AND", 1, 3), ("AND", 2, 3)]
    both = yield from _ask_each(Command("query", pair) for pair in pairs)
    found = [xors[0], xors[1], xors[0] ^ xors[1]]
    one, two, three = (xor + 2 * shared for xor, shared in zip(found, both, strict=True))
    yield Command("answer", (tuple((one + two - three) // 2 ^ xor for xor in (0, *xors)),))


def halve_lists(shown: Any) -> Player:
    """Find the list with the greatest number by halving; then ask all positions outside it."""
    owners, lists = shown.owners, list(range(1, shown.lists + 1))

    def list_places(inside: bool) -> tuple[int, ...]:
        return tuple(k for k, one in enumerate(owners, 1) if (one in lists) is inside)

    top = 0
    while len(lists) > 1:
        kept, lists = lists, lists[: len(lists) // 2]
        first = yield Command("query", (list_places(True),))
        top = top or max(first, (yield Command("query", (list_places(False),))))
        lists = lists if first == top else kept[len(lists) :]
    rest = yield Command("query", (list_places(False),))
    said = [rest if [k] == lists else max(top, rest) for k in range(1, shown.lists + 1)]
    yield Command("answer", (tuple(said),))


def guess_letter_by_letter(shown: Any) -> Player:
    """Guess one letter at all places, in order of frequency; then the word."""
    word: dict[int, str] = {}
    for letter in FREQUENT:
        if len(word) < shown.length:
            heard = yield Command("guess", (letter * shown.length,))
            word |= {place: letter for place, sign in enumerate(heard) if sign == "R"}
    yield Command("guess", ("".join(word[place] for place in range(shown.length)),))


def keep_growing_type(shown: Any) -> Player:
    """Remove nothing until a type has more objects than before; then keep only those."""
    now = Counter(shown.objects)
    while True:
        before, last = now, (yield Command("query", ((0,),)))
        now = Counter(last)
        if grown := [kind for kind in now if now[kind] > before[kind]]:
            places = [k for k, kind in enumerate(last, 1) if kind == grown[0]]
            if len(places) == 1:
                yield Command("answer", (places[0],))
            others = [k for k in range(1, len(last) + 1) if k not in places]
            now = Counter((yield Command("query", ((len(others), *others),))))
            if len(now) > 1:
                last = now


def find_edges_by_size(shown: Any) -> Player:
    """Count what is below each vertex, seen from 1; ask which orphans each of them is above."""
    others = range(2, shown.size + 1)
    heard = yield from _ask_each(Command("query", ((1,), tuple(others), v)) for v in others)
    sizes = dict(zip(others, heard, strict=True))
    orphans, edges = list[int](), list[str]()
    for v in sorted(sizes, key=sizes.__getitem__):
        below = 1
        for u in sorted(orphans, key=sizes.__getitem__, reverse=True):
            if below < sizes[v] and (yield Command("query", ((1,), (u,), v))):
                edges, below = [*edges, f"{u}-{v}"], below + sizes[u]
                orphans = [one for one in orphans if one != u]
        orphans = [*orphans, v]
    yield Command("answer", ((*edges, *(f"1-{v}" for v in orphans)),))
