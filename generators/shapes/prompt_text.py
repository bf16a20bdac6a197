"""Write what prompts say about shapes: codes, pictures, and operations.

Prompts state every decision of facelet.generators.shapes.shape_codes that can change an answer.
"""

from __future__ import annotations

from facelet.generators.shapes.shape_codes import (
    COLOUR_NAMES,
    COLOURS,
    SEPARATOR,
    TYPE_NAMES,
    ShapeRules,
    Space,
)

_FILLER = "fill(layer)"
"""How filling is written where another shape fills."""
_FILLED = (
    "every empty quadrant{of_layers} gets a copy of the piece that stands in the same quadrant of "
    "the layer whose code is given"
)
_QUADRANTS = (
    "Quadrant 1 is the top right, 2 the bottom right, 3 the bottom left, 4 the top left: clockwise."
)
_PIECES = (
    "A filled quadrant holds one piece: a type ("
    + ", ".join(f"{letter} = {name}" for letter, name in TYPE_NAMES.items())
    + ") and a color ("
    + ", ".join(f"{letter} = {COLOUR_NAMES[letter]}" for letter in COLOURS)
    + ")."
)
_LAYER_CODE = (
    "The code of a layer lists quadrants 1 to 4, two characters each: the letter of the type, then "
    "that of the color, or -- where the quadrant is empty. Su--Ry-- has an uncolored star in "
    "quadrant 1 and a yellow rectangle in quadrant 3."
)
_LAYERS = (
    "A shape has one to four layers, numbered from the lowest, layer 1, to the top. Its code joins "
    "the codes of its layers by colons, the lowest first: in Su--Ry--:----Wp-- a purple windmill "
    "stands in layer 2 on the yellow rectangle of layer 1."
)

CODING = (
    "A code is one line: the codes of the layers, the lowest first, joined by colons, each of four "
    "quadrants from the top right clockwise, two characters each: the letter of the type (C, R, W, "
    "F, S), then that of the color (r, g, b, y, p, c, u, w), or -- where the quadrant is empty."
)
CODES: dict[Space, str] = {
    "2d": "Shapes are given by their codes.",
    "2.5d": "Shapes are given by their codes, the lowest layer first.",
}
_DRAWN = (
    "A circle is drawn as a quarter of a disc, a rectangle as a square, a windmill as a sail with "
    "one slanted side, the same way round in all quadrants, a fan as a narrow wedge that stands "
    "clear of both sides of its quadrant, a star as a spike."
)
PICTURES: dict[Space, str] = {
    "2d": "A picture shows the four quadrants of a shape around a thin cross; empty ones are "
    f"blank. {_DRAWN}",
    "2.5d": "A picture shows a shape from above, its quadrants around a thin cross. Each layer is "
    "drawn smaller than the one below it, so that all layers are seen: the largest pieces are in "
    "layer 1, the smallest in the highest. Ticks on the cross mark how far the pieces of each "
    f"layer reach. {_DRAWN}",
}

_SUPPORT = (
    "Layers rest on each other: in every layer above the first, each group of neighbouring filled "
    "quadrants (1-2, 2-3, 3-4, 4-1 are neighbours) has a filled quadrant directly below at least "
    "one of its own. So a lone quadrant, or each of two opposite ones, needs a filled quadrant "
    "right below it; of two neighbours, three or four in a row, one with a filled quadrant below "
    "is enough."
)

_BRIEF = {
    "cut": "the right half (quadrants 1 and 2) is removed",
    "rotate_cw": "a turn by 90 degrees clockwise",
    "rotate_ccw": "a turn by 90 degrees counterclockwise",
    "mirror": "left and right are swapped",
    "color(x)": "the {painted} {gets} the color x",
    "fill(Tx)": "the piece Tx goes into every empty quadrant{of_layers}",
    _FILLER: _FILLED,
    "stack(layer)": "the given layer is put on top",
}
_USUAL = {
    "cut": "the pieces in quadrants 1 and 2{of_each} are removed, the right half of the shape"
    "{sink}",
    "rotate_cw": "{all_turn} 90 degrees clockwise: what was in quadrant 1 is then in 2, 2 in 3, 3 "
    "in 4, 4 in 1",
    "rotate_ccw": "{all_turn} 90 degrees counterclockwise: what was in quadrant 1 is then in 4, 4 "
    "in 3, 3 in 2, 2 in 1",
    "mirror": "left and right are swapped: quadrants 1 and 4 change places, and so do 2 and 3; "
    "pieces keep their type and color",
    "color(x)": "every piece of the {painted} gets the color with the letter x; types stay, empty "
    "quadrants stay empty",
    "fill(Tx)": "a piece of type T and color x goes into every empty quadrant{of_layers}; filled "
    "ones stay",
    _FILLER: _FILLED + "; filled ones stay",
    "stack(layer)": "the layer whose code is given comes down on the shape from above, in one "
    "piece, until one of its pieces meets a filled quadrant right below it; it then joins the "
    "layer in which it stopped, or is a new one; what ends up above layer 4 is lost",
}
_DETAILS = {
    "cut": "Cutting CrRgWbSy leaves ----WbSy.",
    "rotate_cw": "Turning Cr--Wb-- clockwise gives --Cr--Wb.",
    "rotate_ccw": "Turning Cr--Wb-- counterclockwise gives --Wb--Cr: the Wb of quadrant 3 is then "
    "in 2, the Cr of quadrant 1 in 4.",
    "mirror": "Mirroring CrRg---- gives ----RgCr.",
    "color(x)": "color(b) makes Cb--Wb-- of Cr--Wg--.",
    "fill(Tx)": "fill(Sp) makes CrSpWgSp of Cr--Wg--.",
    _FILLER: "fill(SpFrRgWc) makes CrFrWgWc of Cr--Wg--.",
    "stack(layer)": "stack(--Rg----) on Cr------ gives CrRg----, as nothing is below its piece; on "
    "CrCr---- it gives CrCr----:--Rg----.",
}
_LAYERED = {
    "cut": " Cutting CrCr--Cr:SgSg---- leaves ------Cr: layer 2 is empty and gone.",
    "color(x)": " color(b) makes CrCrCrCr:Sb------ of CrCrCrCr:Sg------: layer 2 is the top.",
    "fill(Tx)": " fill(Sp) makes CrCrCrCr:SgSpSpSp of CrCrCrCr:Sg------.",
    _FILLER: " fill(SpFrRgWc) makes CrCrCrCr:SgFrRgWc of CrCrCrCr:Sg------.",
}


def operation_names(world: ShapeRules) -> tuple[str, ...]:
    """Return how the operations of a world are written in its prompts."""
    *every, fill, other_fill, stack = _USUAL
    fills = [fill if world.filler == "piece" else other_fill]
    if world.space == "2d":
        return (*every, *fills)
    return (*every, *(fills if world.filling else []), stack)


def list_operations(world: ShapeRules) -> str:
    """Return which operations there are, for messages."""
    return f"the operations are {', '.join(operation_names(world))}"


def rules_text(world: ShapeRules, level: int) -> str:
    """Return the rules of shapes and operations.

    Args:
        world: the rules that apply.
        level: 0 for the least that will do, 1 for the usual, 2 for all details.
    """
    said = _USUAL if level else _BRIEF
    listed = _list_operation_texts(world, said, examples=level == 2)
    if not level:
        return f"Operations:\n{listed}"
    layered = world.space == "2.5d"
    parts = [
        f"A shape has four quadrants{' in each layer' if layered else ''}. {_QUADRANTS}",
        f"{_PIECES} {_LAYER_CODE}",
        *([_LAYERS] if layered else []),
        *([_SUPPORT] if layered and not world.floating else []),
    ]
    before = "Operations (a list is carried out from left to right):"
    return "\n\n".join(parts) + f"\n\n{before}\n{listed}"


def _list_operation_texts(world: ShapeRules, said: dict[str, str], *, examples: bool) -> str:
    layered = world.space == "2.5d"
    top = world.coloring == "top"
    filling = {
        "of_each": " of each layer" if layered else "",
        "sink": "; a layer that is then empty is gone, and the layers above it move down by one "
        "layer as they are"
        if layered
        else "",
        "all_turn": "all layers turn" if layered else "the shape turns",
        "painted": ("top layer" if top else "whole shape, all layers,") if layered else "shape",
        "gets": "gets",
        "of_layers": " of the layers that the shape has" if layered else "",
    }
    lines = []
    for name in operation_names(world):
        line = f"- {name}: {said[name].format(**filling)}."
        if examples:
            line += f" {_DETAILS[name]}"
            if layered and (top or name != "color(x)"):
                line += _LAYERED.get(name, "")
        lines.append(line)
    return "\n".join(lines)


def format_shown_code(world: ShapeRules, code: str) -> str:
    """Return a code as prompts give it, with several layers a line each."""
    layers = code.split(SEPARATOR)
    if world.space == "2d":
        return code
    named = ", ".join(f"layer {number}: {layer}" for number, layer in enumerate(layers, 1))
    return f"{code} ({named})"


def operation_examples(world: ShapeRules) -> list[tuple[str, str]]:
    """Return a shape and an operation for each kind, for rules that are shown in pictures."""
    fill = "fill(Fc)" if world.filler == "piece" else "fill(FcSgRpWu)"
    plain = [
        ("CrRgWbSy", "cut"),
        ("CrRgWbSy", "rotate_cw"),
        ("CrRgWbSy", "rotate_ccw"),
        ("CrRgWbSy", "mirror"),
    ]
    if world.space == "2d":
        return [*plain, ("CrRgWb--", "color(p)"), ("Cr--Wb--", fill)]
    layered = [(f"{code}:--RuWy--", word) for code, word in plain]
    filling = [("CrRgWbSy:--RuWy--", fill)] if world.filling else []
    return [
        *layered,
        ("CrRgWbSy:--RuWy--", "color(p)"),
        *filling,
        ("CrRgWbSy", "stack(--RuWy--)"),
    ]
