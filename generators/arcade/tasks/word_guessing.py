"""Word guessing: find a hidden word by which letters of a guess it has, and where.

EvolArena, cases N.17 and N.18. A guess is as long as the word and need not be a word. The reply has
a sign for each letter: R if the word has it at this place, G if only elsewhere, W if not at all.
Letters are not counted: each is judged by itself. In the published setting a repeated letter gets R
or G as often as the word has it, R first, and then W.

The reference player knows no words. It first guesses rows of letters until it has tried all 26, or
found as many as the word has places: ceil(26 / n) guesses at most. Then it tries the d letters of
the word at every open place where they are possible. Every wrong guess rules out a letter at each
open place, so d more guesses suffice; d is at most n, and at most 26. A guessed letter of the word
gets R or G at one place at least, even where letters are counted; so only a letter with W at all
its places is ruled out everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from string import ascii_lowercase

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    ArcadeGame,
    ArcadeParams,
    ArcadePuzzle,
    Command,
    CommandForm,
    Deviation,
    Draw,
    Luck,
    Player,
    Sample,
    below,
    blank_terms,
    column,
    number_to_digits,
    several,
)
from facelet.generators.arcade.word_list import LENGTHS, read_words, word_part_lengths

BY_USE = "etaoinshrdlcumwfgypbvkjxqz"
"""The letters, the most common ones of English first."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The word."""

    length: int = column("how many letters the word has", role="puzzle")
    joined: int = column("how many English words it is made of", role="puzzle")
    counted: bool = column("whether a repeated letter is told as often as it is there")
    word: str = column("the word, in lower case", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The reply to the last guess."""

    heard: str = ""


class WordGuessing(ArcadeGame[ArcadeParams, Puzzle, State]):
    """A player finds a word by signs for its letters."""

    name = "arcade/word_guessing"
    version = 5
    category = "information_probing"
    forms = (CommandForm("guess", "My Guess: {word}", "My Guess: WORD"),)
    sample = Sample(
        Puzzle(blank_terms("information_probing"), 5, 1, False, "eagle"),
        (Command("guess", ("geese",)), Command("guess", ("elate",)), Command("guess", ("eagle",))),
        "The hidden word has 5 letters; it is EAGLE.",
    )
    deviations = (
        Deviation(
            "",
            "each letter of a guess is judged separately, as the rules are printed",
            "W means that a letter is not in the word, so one that is cannot be W",
            "published=true",
        ),
        Deviation(
            "",
            "hidden words are common English words, from level 2 on several joined",
            "the text requires English; a player that knows the few long words needs fewer "
            "guesses for them",
            "published=true",
        ),
        Deviation(
            "",
            "a guess need not be an English word",
            "the second of two statements is more exact, and no word list is needed",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        lengths = _part_lengths(params)
        count = self.capacity(params)
        word = _number_to_word(draw.unique_number("word", count), lengths)
        terms = self.terms(params, draw, first_luck=1 / count)
        return Puzzle(terms, len(word), len(lengths), params.published, word)

    def capacity(self, params: ArcadeParams) -> int:
        return prod(len(read_words(length)) for length in _part_lengths(params))

    def rules(self, puzzle: Puzzle) -> str:
        length = puzzle.length
        hidden = (
            f"It is a common English word of {length} letters."
            if puzzle.joined == 1
            else f"It has {length} letters and is made of {puzzle.joined} common English words, "
            "written one after the other without a blank. I call all of it the word."
        )
        repeated = (
            "A letter that you repeat is told R or G as often as the word has it: R first, then G "
            "from left to right. Where there are no more of it, it is W."
            if puzzle.counted
            else "Each letter of the guess is judged by itself, also where it is repeated."
        )
        return (
            f"Guess the word. A word is hidden. {hidden} In each turn you guess: give exactly "
            f"{length} letters, which need not be an English word. Small and capital letters are "
            f"the same. I say {length} signs, one for each letter of your guess in order:\n"
            "- R: the word has this letter at this place.\n"
            "- G: the word has this letter, but not at this place.\n"
            "- W: the word does not have this letter.\n"
            f"{repeated} If your guess is the word, you win.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The word has {puzzle.length} letters. Guess."

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        count = len(command.args[0])
        return "" if count == puzzle.length else f"give {puzzle.length} letters, not {count}"

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        guess, word = command.args[0].lower(), puzzle.word
        pairs = list(zip(guess, word, strict=True))
        left = [letter for own, letter in pairs if letter != own]
        heard = ""
        for own, letter in pairs:
            if own == letter:
                heard += "R"
            elif own not in (left if puzzle.counted else word):
                heard += "W"
            else:
                heard += "G"
                if puzzle.counted:
                    left.remove(own)
        return State(heard)

    def observe(self, puzzle: Puzzle, state: State) -> str:
        return state.heard

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return True if state.heard == "R" * puzzle.length else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        if rng.random() < 0.5:
            return Command("guess", (_draw_word(puzzle, rng),))
        letters = (ascii_lowercase[place] for place in several(rng, 26, puzzle.length))
        return Command("guess", ("".join(letters),))

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        return [replace(puzzle, word=_draw_word(puzzle, rng)) for _ in range(count)]

    def bound(self, shown: Puzzle) -> int:
        return -(-len(BY_USE) // shown.length) + min(shown.length, len(BY_USE))

    def player(self, shown: Puzzle) -> Player:
        length = shown.length
        open_ = [set(BY_USE) for _ in range(length)]
        has: set[str] = set()
        tried = ""
        while True:
            if len(tried) < len(BY_USE) and len(has) < length:
                guess = BY_USE[len(tried) : len(tried) + length]
                tried += guess
                guess += "".join(
                    _commonest_letter(open_[place]) for place in range(len(guess), length)
                )
            else:
                for letters in open_:
                    letters &= has
                guess = _choose_guess(open_, has)
            heard = yield Command("guess", (guess,))
            confirmed = {letter for letter, sign in zip(guess, heard, strict=True) if sign != "W"}
            has |= confirmed
            for place, (letter, sign) in enumerate(zip(guess, heard, strict=True)):
                if sign == "R":
                    open_[place] = {letter}
                elif letter in confirmed:
                    open_[place].discard(letter)
                else:
                    for letters in open_:
                        letters.discard(letter)


TASK = WordGuessing()


def _commonest_letter(letters: set[str]) -> str:
    """Return the most common of these letters."""
    return min(letters, key=BY_USE.index)


def _choose_guess(places: Sequence[set[str]], has: set[str]) -> str:
    """Return a guess of letters that are possible at their places.

    Args:
        places: the possible letters of each place; changed where a letter has one place left.
        has: the letters of the word.
    """
    for letter in sorted(has):
        where = [place for place, letters in enumerate(places) if letter in letters]
        if len(where) == 1:
            places[where[0]].intersection_update({letter})
    guess = [""] * len(places)
    # Places with the fewest letters first, each with the letter chosen least so far.
    for place in sorted(range(len(places)), key=lambda place: (len(places[place]), place)):
        guess[place] = min(places[place], key=lambda letter: (guess.count(letter), letter))
    return "".join(guess)


def _word_length(params: ArcadeParams) -> int:
    """Return the length of the words; beyond 12 it grows by a letter every second level."""
    size = params.level_size(4, 8, 12, 1)
    return size if size <= 12 else 12 + (size - 11) // 2


def _part_lengths(params: ArcadeParams) -> tuple[int, ...]:
    """Return the lengths of the joined words; as published one word, where there is one."""
    length = _word_length(params)
    return (length,) if params.published and length in LENGTHS else word_part_lengths(length)


def _number_to_word(number: int, lengths: Sequence[int]) -> str:
    """Return the word with this number among words of these lengths, joined."""
    places = number_to_digits(number, [len(read_words(length)) for length in lengths])
    return "".join(read_words(length)[place] for length, place in zip(lengths, places, strict=True))


def _draw_word(puzzle: Puzzle, rng: np.random.Generator) -> str:
    """Draw a word that may be hidden, all equally likely."""
    lengths = (puzzle.length,) if puzzle.joined == 1 else word_part_lengths(puzzle.length)
    drawn = (read_words(part)[below(rng, len(read_words(part)))] for part in lengths)
    return "".join(drawn)
