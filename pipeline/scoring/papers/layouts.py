"""Which of our figures stands in which cell of the papers' tables, and what the papers set.

The records, and what they mean, are those of facelet.pipeline.scoring.papers.places.
"""

from __future__ import annotations

from facelet.pipeline.scoring.papers import evolarena, inf_bench
from facelet.pipeline.scoring.papers.places import Layout, Line, Place

_MODALITIES = ("image_text", "image", "text")
_OBSERVATIONS = ("symbolic", "net", "face", "vertex")
_HORIZONS = ("short", "long")


def _cube_bench() -> tuple[Layout, ...]:
    depths = (1, 2, 3)
    metric = {"metric": "htm"}
    faces = [
        Place("face_recognition", figure, depth)
        for figure in ("element_accuracy", "matrix_accuracy")
        for depth in depths
    ]
    checks = [
        Place("verification", figure, 5)
        for figure in ("balanced_accuracy", "parse_rate", "label_bias")
    ]
    choices = [
        Place("move_prediction", figure, 1, {"modality": modality})
        for modality in _MODALITIES
        for figure in ("accuracy", "parse_rate")
    ]
    second = ("final_accuracy", "gain", "error_fix_rate", "overthink_rate")
    thoughts = [Place("reflection", "initial_accuracy", 1)] + [
        Place(config, figure, 1)
        for config in ("reflection_unredacted", "reflection")
        for figure in second
    ]
    effects = [
        Place("move_effect", figure, depth)
        for depth in depths
        for figure in ("micro_accuracy", "macro_f1", "kappa_of_answers")
    ]
    curve = (
        *(Place("learning_curve", "solved_rate", 3), None, None),
        Place("learning_curve", "solved_at_1_rate", 3),
        Place("learning_curve", "solved_within_3_rate", 3),
        Place("learning_curve", "median_attempts", 3),
        Place("learning_curve", "attempts_all", 3),
    )
    told = {"reflection": "redacted", "reflection_unredacted": "unredacted"}
    hundred = 100
    return (
        Layout(
            "cube_bench",
            "3",
            (Line((*faces, *checks)),),
            {
                "face_recognition": metric | {"variant": "clean"},
                "verification": metric | {"variant": "clean", "polarity": "affirmed"},
            },
            {"face_recognition": hundred, "verification": hundred},
        ),
        Layout(
            "cube_bench",
            "4",
            (Line(tuple(choices)),),
            {"move_prediction": metric | {"variant": "clean", "modality": "matched"}},
            {"move_prediction": hundred},
        ),
        Layout(
            "cube_bench",
            "5",
            (Line(tuple(thoughts)),),
            {
                name: metric | {"variant": "clean", "verdict": "incorrect", "condition": condition}
                for name, condition in told.items()
            },
            dict.fromkeys(told, hundred),
        ),
        Layout(
            "cube_bench",
            "6",
            (Line(tuple(effects)),),
            {"move_effect": metric | {"options": "paper"}},
            {"move_effect": hundred},
        ),
        Layout(
            "cube_bench",
            "7",
            (Line(curve),),
            {"learning_curve": metric | {"max_attempts": 6, "redraw": "attempt"}},
            {},
        ),
    )


def _navigation(config: str, *figures: str) -> tuple[Place, ...]:
    return tuple(
        Place(config, figure, None, {"observation": observation, "horizon": horizon})
        for figure in figures
        for observation in _OBSERVATIONS
        for horizon in _HORIZONS
    )


def _cubebench() -> tuple[Layout, ...]:
    base = {"metric": "htm", "observation": "matched", "steps": 20}
    plain = {"navigate": base | {"reward": "none", "agent": "basic", "mode": "code"}}
    rewards = {"no reward": "navigate"} | {
        name: f"reward_{name}" for name in ("face", "sticker", "heuristic")
    }
    agents = {
        "Basic": "navigate",
        "Standard-Solver": "standard_solver",
        "Ideal-Solver": "ideal_solver",
    }
    symbolic = {"observation": "symbolic", "horizon": "short"}
    modes = tuple(
        Place(config, figure, None, symbolic)
        for config in ("no_code", "navigate")
        for figure in ("accuracy", "move_ratio")
    )
    five, every, short = 5, (1, 2, 3, 4, 8, 12, 16, 20), (1, 2, 3, 4)
    return (
        Layout(
            "cubebench",
            "2",
            (Line(_navigation("navigate", "accuracy", "make_moves")),),
            plain,
            {"navigate": five},
            {"navigate": every},
        ),
        Layout(
            "cubebench",
            "3",
            tuple(
                Line(_navigation(config, "accuracy"), {"reward": name})
                for name, config in rewards.items()
            ),
            plain
            | {
                f"reward_{name}": base | {"reward": name, "agent": "basic", "mode": "code"}
                for name in ("face", "sticker", "heuristic")
            },
            dict.fromkeys(rewards.values(), five),
            dict.fromkeys(rewards.values(), every),
        ),
        Layout(
            "cubebench",
            "4",
            tuple(
                Line(_navigation(config, "accuracy"), {"agent": name})
                for name, config in agents.items()
            ),
            plain
            | {
                f"{name}_solver": base | {"reward": "none", "agent": name, "mode": "code"}
                for name in ("standard", "ideal")
            },
            dict.fromkeys(agents.values(), five),
            dict.fromkeys(agents.values(), every),
        ),
        Layout(
            "cubebench",
            "5",
            (Line(_navigation("navigate", "accuracy", "move_ratio")),),
            plain,
            {"navigate": five},
            {"navigate": every},
        ),
        Layout(
            "cubebench",
            "6",
            (Line(modes),),
            plain | {"no_code": {"metric": "htm", "mode": "no_code", "reward": "none"}},
            {"navigate": five, "no_code": five},
            {"navigate": short, "no_code": short},
        ),
    )


def _marble() -> tuple[Layout, ...]:
    places = (
        Place("plan_correctness", "f1"),
        Place("fill_blanks", "accuracy"),
        Place("assemble", "accuracy"),
        Place("assemble_easy", "accuracy"),
        Place("maze", "accuracy"),
        Place("maze_easy", "accuracy"),
    )
    conditions = {
        "assemble": {"missing": 6, "modality": "images", "feedback": "none"},
        "maze": {"turns": 4, "setting": "visual", "budget": "unlimited"},
        "maze_easy": {"turns": 2, "setting": "overlay_symbolic", "budget": "unlimited"},
    }
    items = {
        "plan_correctness": 512,
        "fill_blanks": 512,
        "assemble": 1000,
        "assemble_easy": 1000,
        "maze": 1000,
        "maze_easy": 1000,
    }
    return (Layout("marble", "2", (Line(places),), conditions, items),)


LAYOUTS = (
    *_cube_bench(),
    *_cubebench(),
    *evolarena.layouts(),
    *_marble(),
    *inf_bench.layouts(),
)
