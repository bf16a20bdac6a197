"""Our rows of Cube Bench's tables 3 to 7."""

from __future__ import annotations

from facelet.pipeline.papers.places import Layout, Line, Part, Place

_MODALITIES = ("image_text", "image", "text")
_DEPTHS = (1, 2, 3)
_HUNDRED = 100
_METRIC = {"metric": "htm", "items": "as_published"}
_CLEAN = _METRIC | {"variant": "clean"}

_FACES = [
    Place("face_recognition", figure, depth)
    for figure in ("element_accuracy", "matrix_accuracy")
    for depth in _DEPTHS
]
_CHECKS = [
    Place("verification", figure, 5) for figure in ("balanced_accuracy", "parse_rate", "label_bias")
]
_CHOICES = [
    Place("move_prediction", figure, 1, {"modality": modality})
    for modality in _MODALITIES
    for figure in ("accuracy", "parse_rate")
]
_THOUGHTS = [
    Place(part, figure, 1)
    for part in ("reflection_unredacted", "reflection")
    for figure in ("final_accuracy", "gain", "error_fix_rate", "overthink_rate")
]
_EFFECTS = [
    Place("move_effect", figure, depth)
    for depth in _DEPTHS
    for figure in ("micro_accuracy", "macro_f1", "kappa")
]
_CURVE = (
    *(Place("recovery", "recovered_rate", 3), None, None),
    *(
        Place("recovery", figure, 3)
        for figure in (
            *("recovered_at_1_rate", "recovered_within_3_rate", "median_attempts", "attempts_all"),
        )
    ),
)


def _reflection(name: str, condition: str) -> Part:
    told, verdict = {"condition": condition}, {"verdict": "incorrect"}
    return Part(name, "cube/reflection", told, _CLEAN | verdict, _HUNDRED)


LAYOUTS = (
    Layout(
        "3",
        (Line((*_FACES, *_CHECKS)),),
        (
            Part("face_recognition", "cube/face_recognition", {}, _CLEAN, _HUNDRED),
            Part(
                "verification",
                "cube/verification",
                {},
                _CLEAN | {"polarity": "affirmed", "template": "full_face", "misses": "move"},
                _HUNDRED,
            ),
        ),
    ),
    Layout(
        "4",
        (Line(tuple(_CHOICES)),),
        (
            Part(
                "move_prediction",
                "cube/move_prediction",
                {},
                _CLEAN | {"modality": "matched"},
                _HUNDRED,
            ),
        ),
    ),
    Layout(
        "5",
        (Line((Place("reflection", "initial_accuracy", 1), *_THOUGHTS)),),
        (
            _reflection("reflection", "redacted"),
            _reflection("reflection_unredacted", "unredacted"),
        ),
    ),
    Layout(
        "6",
        (Line(tuple(_EFFECTS)),),
        (Part("move_effect", "cube/move_effect", {}, _METRIC | {"options": "paper"}, _HUNDRED),),
    ),
    Layout(
        "7",
        (Line(_CURVE),),
        (
            Part(
                "recovery",
                "cube/recovery",
                {},
                _METRIC | {"max_attempts": 6, "redraw": "attempt", "deviation": "teacher"},
            ),
        ),
    ),
)
