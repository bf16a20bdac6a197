"""Word guessing: the monitor against a twin, the bound over words and any letters, the words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, make_puzzles

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.word_guessing import TASK, Puzzle, State, WordGuessing
from facelet.generators.arcade.word_list import LENGTHS, read_words, word_part_lengths
from facelet.generators.core.seeding import make_generator


class Twin:
    """Case N.17."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.places: dict[str, set[int]] = {}
        self.length, self.counted = len(row["word"]), row["counted"]
        for place, letter in enumerate(row["word"].upper()):
            self.places.setdefault(letter, set()).add(place)

    def answer_line(self, line: str) -> str:
        found = re.fullmatch(r"My Guess: ([A-Za-z]+)", line)
        if not found or len(found[1]) != self.length:
            return INVALID
        told = ["W"] * self.length
        for place, letter in enumerate(found[1].upper()):
            if letter in self.places:
                told[place] = "R" if place in self.places[letter] else "G"
        for letter, places in self.places.items() if self.counted else ():
            # Of the places at which it was guessed only so many are told as the word has.
            named = [place for place in range(self.length) if found[1].upper()[place] == letter]
            named.sort(key=lambda place: told[place] != "R")
            for place in named[len(places) :]:
                told[place] = "W"
        if "G" not in told and "W" not in told:
            self.has_won = True
        return "".join(told)


def test_as_published_it_is_as_printed() -> None:
    compare_games(TASK, Twin, transcripts=600, published=True)


def test_a_fault_is_found() -> None:
    class Faulty(WordGuessing):
        """A letter that was told once is W the next time."""

        def step(self, puzzle: Any, state: Any, said: Any, luck: Any) -> State:
            heard, word = "", puzzle.word
            for place, letter in enumerate(said.args[0].lower()):
                again = letter in said.args[0].lower()[:place]
                sign = "W" if again or letter not in word else "G"
                heard += "R" if word[place] == letter else sign
            return State(heard)

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def make_puzzle(word: str, *, counted: bool = False) -> Puzzle:
    return Puzzle(blank_terms("information_probing", turns=99), len(word), 1, counted, word)


@pytest.mark.parametrize(("length", "bound"), [(4, 11), (8, 12), (12, 15)])
def test_the_player_finds_all_words_and_any_letters(length: int, bound: int) -> None:
    """No list of words is behind the bound."""
    rng = make_generator("letters", length)
    drawn = ["".join(chr(97 + int(k)) for k in rng.integers(26, size=length)) for _ in range(150)]
    few = ["".join(chr(122 - int(k)) for k in rng.integers(length, size=length)) for _ in range(50)]
    for word in (*read_words(length), *drawn, *few, "z" * length, "zyxwvutsrqpo"[:length]):
        for puzzle in (make_puzzle(word), make_puzzle(word, counted=True)):
            said, won = TASK.play_reference(puzzle)
            assert won and len(said) <= bound == TASK.bound(puzzle), word


def test_the_player_finds_all_rows_of_a_few_letters() -> None:
    for letters in product("eqzx", repeat=4):
        for counted in (False, True):
            said, won = TASK.play_reference(make_puzzle("".join(letters), counted=counted))
            assert won and len(said) <= 11


@pytest.mark.parametrize("level", [4, 6, 9, 40, 99])
def test_longer_ones_are_made_of_words(level: int) -> None:
    (puzzle,) = make_puzzles(TASK, TASK.params(level=level), 1)
    assert puzzle.length == len(puzzle.word) == 12 + (level - 2) // 2
    assert puzzle.joined == len(word_part_lengths(puzzle.length)) > 1
    for other in TASK.draw_lookalikes(puzzle, 10, make_generator("longer", level)):
        said, won = TASK.play_reference(replace(other, terms=puzzle.terms))
        assert won and len(said) <= TASK.bound(puzzle)


def test_the_words_are_words() -> None:
    assert {length: len(read_words(length)) for length in LENGTHS} == {
        4: 522,
        5: 481,
        8: 383,
        12: 187,
    }
    for length in LENGTHS:
        found = read_words(length)
        assert list(found) == sorted(set(found))
        assert all(re.fullmatch("[a-z]+", word) and len(word) == length for word in found)
    for length in range(12, 65):
        assert sum(word_part_lengths(length)) == length and set(word_part_lengths(length)) <= set(
            LENGTHS
        )
    with pytest.raises(ValueError, match="length=7"):
        read_words(7)
    with pytest.raises(ValueError, match="length=11"):
        word_part_lengths(11)
