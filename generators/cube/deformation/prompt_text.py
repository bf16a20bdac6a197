"""Prompt texts about cubes: how codes and pictures are read, and what rotations do."""

from __future__ import annotations

CODES = (
    "A cube is given as its six faces, Up (U), Down (D), Left (L), Right (R), Front (F) and "
    "Back (B), each as three rows of three colors (y yellow, w white, r red, o orange, g "
    "green, b blue). Each face is written as seen by someone who looks straight at it: F, R, "
    "B and L with U at the top, U with B at the top, D with F at the top."
)
CODING = (
    "A code is one line: the six faces Up (U), Down (D), Left (L), Right (R), Front (F) and Back "
    "(B) in this order, each its letter, a colon and three rows of three colors with slashes "
    "between, with commas between the faces: U:yyy/yyy/yyy,D:www/www/www,L:rrr/rrr/rrr and so on "
    "(y yellow, w white, r red, o orange, g green, b blue). Each face is written as seen by "
    "someone who looks straight at it: F, R, B and L with U at the top, U with B at the top, D "
    "with F at the top."
)
PICTURES = (
    "A picture shows each cube twice, so that all six faces are seen: on the left with Up (U)"
    " on top, Front (F) in front and Right (R) on the right; on the right the same cube "
    "turned over, with Down (D) on top, Left (L) in front and Back (B) on the right."
)

RULES = (
    (
        "Rotations are written in the usual notation (R, R', R2, r, M, x and so on) and carried "
        "out from left to right."
    ),
    (
        "Rotations, carried out from left to right:\n"
        "- U, D, L, R, F, B turn that face by 90 degrees, clockwise for someone who looks "
        "straight at it; u, d, l, r, f, b turn the same way, with the layer next to it.\n"
        "- M turns the layer between Left and Right, in the direction of L; E that between Up and"
        " Down, in the direction of D; S that between Front and Back, in the direction of F.\n"
        "- x, y, z turn the whole cube in the direction of R, U and F.\n"
        "- An apostrophe turns the other way (R'), a 2 by 180 degrees (R2)."
    ),
    (
        "Rotations, carried out from left to right. The names U, D, L, R, F, B stay with the "
        "sides of space, whatever color comes to be there:\n"
        "- U, D, L, R, F, B turn that face by 90 degrees, clockwise for someone who looks "
        "straight at it. The nine colors of the face go round with it, and a row of three goes "
        "from each of its four neighbours to the next: U: F to L to B to R to F. D: F to R to B "
        "to L to F. R: F to U to B to D to F. L: F to D to B to U to F. F: U to R to D to L to U."
        " B: U to L to D to R to U.\n"
        "- u, d, l, r, f, b turn that face and the layer next to it together, the same way: r "
        "moves the right and the middle layer, and the left one stays.\n"
        "- M turns only the layer between Left and Right, in the direction of L (F to D to B to U"
        " to F); E only that between Up and Down, in the direction of D (F to R to B to L to F); "
        "S only that between Front and Back, in the direction of F (U to R to D to L to U). The "
        "centers of four faces move with it.\n"
        "- x turns the whole cube in the direction of R, y in that of U, z in that of F: all "
        "faces move, and the two at the ends of the axis turn in place.\n"
        "- An apostrophe turns the other way by 90 degrees (R'), a 2 turns by 180 degrees (R2)."
    ),
)
"""The least that will do, the usual, all details."""
