"""Define our rows of Cube Bench's tables 3 to 8."""

from __future__ import annotations

from facelet.pipeline.papers.paper import (
    IntervalFigure,
    LayoutCell,
    LayoutRow,
    PaperPart,
    TableFigure,
    TableLayout,
)

_MODALITIES = ("image_text", "image", "text")
_DEPTHS = (1, 2, 3)
_HUNDRED = 100
_METRIC = {"metric": "htm", "items": "as_published"}
_CLEAN = _METRIC | {"variant": "clean"}

_FACES = [
    TableFigure("face_recognition", figure, depth)
    for figure in ("element_accuracy", "matrix_accuracy")
    for depth in _DEPTHS
]
_CHECKS = [
    TableFigure("verification", figure, 5)
    for figure in ("balanced_accuracy", "parse_rate", "label_bias")
]
_CHOICES = [
    TableFigure("move_prediction", figure, 1, {"modality": modality})
    for modality in _MODALITIES
    for figure in ("accuracy", "parse_rate")
]
_THOUGHTS = [
    TableFigure(part, figure, 1)
    for part in ("reflection_unredacted", "reflection")
    for figure in ("final_accuracy", "gain", "error_fix_rate", "overthink_rate")
]
_EFFECTS = [
    TableFigure("move_effect", figure, depth)
    for depth in _DEPTHS
    for figure in ("micro_accuracy", "macro_f1", "kappa")
]
_ABSTAIN = [
    TableFigure("step_abstain", f"macro_{figure}")
    for figure in ("coverage", "selective_accuracy", "idk_rate", "apa")
]
_RECOVERED = TableFigure("recovery", "recovered_rate", 3)
_CURVE: tuple[LayoutCell, ...] = (
    _RECOVERED,
    IntervalFigure(_RECOVERED, "low"),
    IntervalFigure(_RECOVERED, "high"),
    *(
        TableFigure("recovery", figure, 3)
        for figure in (
            *("recovered_at_1_rate", "recovered_within_3_rate", "median_attempts", "attempts_all"),
        )
    ),
)


def _reflection_part(name: str, condition: str) -> PaperPart:
    told, verdict = {"condition": condition}, {"verdict": "incorrect"}
    return PaperPart(name, "cube/reflection", told, _CLEAN | verdict, _HUNDRED)


LAYOUTS = (
    TableLayout(
        "3",
        (LayoutRow((*_FACES, *_CHECKS)),),
        (
            PaperPart("face_recognition", "cube/face_recognition", {}, _CLEAN, _HUNDRED),
            PaperPart(
                "verification",
                "cube/verification",
                {},
                _CLEAN | {"polarity": "affirmed", "template": "full_face", "misses": "move"},
                _HUNDRED,
            ),
        ),
    ),
    TableLayout(
        "4",
        (LayoutRow(tuple(_CHOICES)),),
        (
            PaperPart(
                "move_prediction",
                "cube/move_prediction",
                {},
                _CLEAN | {"modality": "matched"},
                _HUNDRED,
            ),
        ),
    ),
    TableLayout(
        "5",
        (LayoutRow((TableFigure("reflection", "initial_accuracy", 1), *_THOUGHTS)),),
        (
            _reflection_part("reflection", "redacted"),
            _reflection_part("reflection_unredacted", "unredacted"),
        ),
    ),
    TableLayout(
        "6",
        (LayoutRow(tuple(_EFFECTS)),),
        (
            PaperPart(
                "move_effect", "cube/move_effect", {}, _METRIC | {"options": "paper"}, _HUNDRED
            ),
        ),
    ),
    TableLayout(
        "7",
        (LayoutRow(_CURVE),),
        (
            PaperPart(
                "recovery",
                "cube/recovery",
                {},
                _METRIC | {"max_attempts": 6, "redraw": "attempt", "deviation": "teacher"},
            ),
        ),
    ),
    TableLayout(
        "8",
        (LayoutRow(tuple(_ABSTAIN)),),
        (
            PaperPart(
                "step_abstain",
                "cube/step_by_step",
                {"abstain": "teacher_on_abstain"},
                _CLEAN | {"idk_credit": 25},
                difficulties=(1, 2, 3),
            ),
        ),
    ),
)
