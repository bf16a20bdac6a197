"""The committed letters: complete, distinct, and what their maker makes."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from facelet.renderers.painters import glyphs

MAKER = Path(__file__).with_name("make_glyphs.py")


@pytest.mark.parametrize("size", glyphs.SIZES)
def test_every_printable_character_is_there_and_differs_from_all_others(size: int) -> None:
    drawn = {character: glyphs.render_line(character, size) for character in glyphs.CHARACTERS}
    assert len(drawn) == 95
    assert not drawn.pop(" ").any()
    for glyph in drawn.values():
        assert glyph.shape[0] == glyphs.SIZES[size]
        assert 0 < glyph.max() <= glyphs.LEVELS
    assert len({glyph.tobytes() for glyph in drawn.values()}) == 94


@pytest.mark.parametrize("size", glyphs.SIZES)
def test_a_line_is_its_glyphs_side_by_side(size: int) -> None:
    parts = [glyphs.render_line(character, size) for character in "Front 7!"]
    assert np.array_equal(glyphs.render_line("Front 7!", size), np.concatenate(parts, axis=1))
    assert glyphs.render_line("", size).shape == (glyphs.SIZES[size], 0)


@pytest.mark.parametrize("size", glyphs.SIZES)
def test_capitals_stand_on_one_baseline(size: int) -> None:
    first, last = glyphs.capital_rows(size)
    for letter in "EFHTXZ":
        rows = np.flatnonzero(glyphs.render_line(letter, size).any(axis=1))
        assert (rows[0], rows[-1] + 1) == (first, last)


def test_refuses_other_characters_and_sizes() -> None:
    with pytest.raises(ValueError, match="no glyph for 'é'"):
        glyphs.render_line("é", 12)
    with pytest.raises(ValueError, match=r"no glyphs of size 13; choose one of \[12, 20, 32\]"):
        glyphs.render_line("a", 13)


@pytest.mark.parametrize("size", glyphs.SIZES)
def test_the_atlas_is_what_its_maker_makes(size: int) -> None:
    # Another FreeType may shade an edge differently: the shapes must agree, not every level.
    made = runpy.run_path(str(MAKER))["draw_strip"](size)
    kept = np.concatenate([glyphs.render_line(c, size) for c in glyphs.CHARACTERS], axis=1)
    assert made.shape == (kept.shape[0] + 1, kept.shape[1] + 1)
    levels = made[1:, :-1] // (255 // glyphs.LEVELS)
    assert np.corrcoef(levels.ravel(), kept.ravel())[0, 1] > 0.95


def test_the_licence_of_the_font_lies_beside_the_atlas() -> None:
    notice = glyphs.ATLAS.with_name("glyphs-LICENSE.txt").read_text(encoding="utf-8")
    assert "Bitstream Vera Fonts Copyright" in notice and "glyphs.png" in notice
