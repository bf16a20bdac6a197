"""A model's row beside the papers': the right cells, and every difference named."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from typed import resolve_words

from facelet.generators.core import task_registry
from facelet.pipeline.curriculum.ladder.expected_level import estimate_reach
from facelet.pipeline.papers import paper_registry
from facelet.pipeline.papers.evolarena import layouts as evolarena
from facelet.pipeline.papers.paper import SUITE_ENDINGS
from facelet.pipeline.papers.paper_rows import Climbed, build_paper_tables, find_best_match
from facelet.pipeline.papers.printed_tables import load_tables
from facelet.pipeline.scoring.aggregate.estimates import Estimate
from facelet.pipeline.scoring.aggregate.label_metrics import confusion_formulas

SUITE_FILES = Path(__file__).parents[3] / "conf" / "suite"


def make_cell(difficulty, by=(), **figures):
    parts = {
        name: {"value": value, "low": value - 0.1, "high": value + 0.2}
        for name, value in figures.items()
    }
    return {"difficulty": difficulty, "by": dict(by), "figures": parts}


MODALITIES = ("image_text", "image", "text")
MODEL = {
    "model": "tester",
    "configs": {
        "cube_bench.move_prediction": {
            "splits": {
                "test": {
                    "task": "cube/move_prediction",
                    "cells": [
                        make_cell(None, accuracy=0.9, parse_rate=0.9),
                        make_cell(1, accuracy=0.8, parse_rate=0.8),
                        *(
                            make_cell(1, {"modality": name}, accuracy=0.25 * place, parse_rate=1)
                            for place, name in enumerate(MODALITIES, 1)
                        ),
                    ],
                }
            }
        }
    },
}
MANIFEST = {
    "configs": {
        "cube_bench.move_prediction": {
            "params": {
                "metric": "htm",
                "items": "as_published",
                "depth": [1, 2],
                "variant": "clean",
                "modality": "matched",
            },
            "splits": {
                "test": {
                    "cells": [
                        {"difficulty": 1, "label": "d01", "items": 100},
                        {"difficulty": 2, "label": "d02", "items": 7},
                    ]
                }
            },
        }
    }
}


def test_a_row_stands_in_the_papers_layout():
    (part,) = build_paper_tables(MODEL, MANIFEST)
    assert (part["paper"], part["table"]) == ("cube_bench", "4")
    (row,) = part["rows"]
    assert row["setting"] == {} and row["values"] == [25, 100, 50, 100, 75, 100]
    assert row["intervals"][0] == pytest.approx([15, 45])
    assert part["comparable"] and part["reasons"] == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda about: about["params"].update(variant="dimmed"),
            "move_prediction: variant is dimmed, clean in the paper",
        ),
        (
            lambda about: about["params"].pop("metric"),
            "move_prediction: metric is not set, htm in the paper",
        ),
        (
            lambda about: about["splits"]["test"]["cells"][0].update(items=18),
            "move_prediction: the items are 18 at d01; 100 each in the paper",
        ),
    ],
)
def test_what_is_otherwise_than_in_the_paper_is_named(change, reason):
    manifest = copy.deepcopy(MANIFEST)
    change(manifest["configs"]["cube_bench.move_prediction"])
    (part,) = build_paper_tables(MODEL, manifest)
    assert not part["comparable"] and part["reasons"] == [reason]


def test_the_kappa_of_table_6_counts_what_is_missing_as_section_4_3_6_does():
    """There q_i = Pr(pred = i), over all labels: an answer that is missing is in no class."""
    gold, said = ["DECREASE", "INCREASE"] * 10, ["DECREASE"] * 12 + [None] * 8
    shares = [(gold.count(c) / 20, said.count(c) / 20) for c in ("DECREASE", "INCREASE")]
    by_chance = sum(pi * q for pi, q in shares)
    counts = np.array([[6, 0, 0, 4], [0, 0, 0, 0], [6, 0, 0, 4]], dtype=float).ravel()
    figures = {name: float(of(counts)) for name, of in confusion_formulas(3).items()}
    assert figures["kappa"] == pytest.approx((6 / 20 - by_chance) / (1 - by_chance))
    assert figures["kappa"] != pytest.approx(figures["kappa_of_answers"])
    cells = [make_cell(None), make_cell(1, **figures)]
    split = {"task": "cube/move_effect", "cells": cells}
    model = {"model": "m", "configs": {"cube_bench.move_effect": {"splits": {"test": split}}}}
    (part,) = build_paper_tables(model, {})
    assert part["table"] == "6" and part["rows"][0]["values"][2] == figures["kappa"]


def test_without_a_manifest_nothing_is_comparable():
    (part,) = build_paper_tables(MODEL, {})
    assert part["reasons"] == ["no manifest records how cube_bench.move_prediction was made"]


def test_a_dataset_of_no_paper_has_no_table():
    assert not list(
        build_paper_tables({"model": "tester", "configs": {"own.task": {"splits": {}}}}, {})
    )


@cache
def suite_entries(*suites):
    """Return the entries of some suites, by name."""
    settings, _ = resolve_words([f"suites=[{','.join(suites)}]"])
    return {entry.name: entry for entry in settings.entries}


LAYOUTS = [
    (paper, layout) for paper in paper_registry.load_papers().values() for layout in paper.layouts
]


@pytest.mark.parametrize(
    ("paper", "layout"), LAYOUTS, ids=[f"{one.name}-{each.number}" for one, each in LAYOUTS]
)
def test_layouts_fit_their_tables_and_our_suites(paper, layout):
    table = load_tables(paper.name)[layout.number]
    printed = [dict(row.setting) for row in table.rows]
    for line in layout.lines:
        assert len(line.figures) == len(table.columns)
        assert dict(line.setting) in printed
    there = {path.stem for path in SUITE_FILES.glob("*.yaml")}
    names = (f"{paper.name}_{ending}".removesuffix("_") for ending in SUITE_ENDINGS)
    suites = [name for name in names if name in there]
    entries = suite_entries(*suites)
    for part in layout.parts:
        assert entries[part.name].task == part.task
        params = entries[part.name].params
        fields = task_registry.load_task(part.task).params.__dataclass_fields__
        assert {*part.defining_params, *part.conditions} <= set(fields), part.name
        for name, wanted in part.defining_params.items():
            assert params.get(name, fields[name].default) == wanted, part.name


@pytest.mark.parametrize(
    "paper", paper_registry.load_papers().values(), ids=lambda paper: paper.name
)
def test_each_printed_table_has_a_layout_or_a_reason(paper):
    laid_out = {layout.number for layout in paper.layouts}
    for number in load_tables(paper.name):
        assert (number in laid_out) != (number in paper.left_out), number
    assert all(reason.endswith(".") for reason in paper.left_out.values())


@pytest.mark.parametrize(
    ("items", "rows", "reasons"),
    [
        (16, 512, []),
        (16, 496, ["plan_correctness: 496 rows in all; 512 in the paper"]),
        (8, 512, ["plan_correctness: 8 items in all; 16 in the paper"]),
    ],
)
def test_maps_and_rows_are_counted_separately(items, rows, reasons):
    name = "marble_as_published.plan_correctness"
    cells = [make_cell(None, f1=0.5)]
    model, manifest = make_results((name, "chamber/plan_correctness", {}, cells))
    levels = [{"difficulty": at, "label": f"s{at:02d}", "items": items // 4} for at in (7, 12, 18)]
    manifest["configs"][name]["splits"]["test"] = {"items": items, "rows": rows, "cells": levels}
    (part,) = build_paper_tables(model, manifest)
    assert [reason for reason in part["reasons"] if "in all" in reason] == reasons
    assert not [reason for reason in part["reasons"] if "the items are" in reason]


def test_the_ends_of_an_interval_stand_in_columns():
    name = "cube_bench_as_published.recovery"
    params = {"max_attempts": 6, "redraw": "attempt", "deviation": "teacher"}
    made = (name, "cube/recovery", params, [make_cell(3, recovered_rate=0.4)])
    (part,) = build_paper_tables(*make_results(made))
    assert part["rows"][0]["values"][:3] == pytest.approx([40, 30, 60])


def score_config(config, **accuracies):
    cells = [make_cell(None, accuracy=0.5)]
    cells += [
        make_cell(int(level[1:]), accuracy=value, turns_when_solved=4.0)
        for level, value in accuracies.items()
    ]
    return {config: {"splits": {"test": {"cells": cells}}}}


def test_a_class_is_the_mean_of_its_games_and_those_that_are_missing_are_named():
    configs = score_config("evolarena.guess_max", l1=0.5, l2=0.25, l3=0.0)
    configs |= score_config("evolarena.min_max", l1=1.0, l2=0.75, l3=0.5)
    found = {
        part["table"]: part for part in build_paper_tables({"model": "m", "configs": configs}, {})
    }
    assert set(found) == {"2", "5", "7", "25", "33"}
    # Half of the width of a mean of two intervals that are each 0.3 wide.
    half_widths = found["7"]["rows"][0]["values"][15:18]
    assert half_widths == pytest.approx([15 / 2**0.5] * 3)
    (row,) = found["25"]["rows"]
    assert row["values"] == [50.0, 25.0, 0.0]
    (row,) = found["2"]["rows"]
    assert row["values"] == [75.0, 50.0, 25.0, *[None] * 9, 75.0, 50.0, 25.0]
    # Of a mean of two, each 10 and 20 points wide, the ends are 10 / sqrt(2) and 20 / sqrt(2) away.
    assert row["intervals"][0] == pytest.approx([75 - 10 / 2**0.5, 75 + 20 / 2**0.5])
    assert not found["2"]["comparable"]
    assert "bit_query was not scored" in found["2"]["reasons"]
    assert "safepath_finding was not scored" in found["2"]["reasons"]


@pytest.mark.parametrize("paper_class", evolarena.CLASSES)
def test_the_games_of_a_class_are_the_papers(paper_class):
    """The printed mean of a class is that of the printed tables of its games."""
    games = set(evolarena.CLASSES[paper_class].values())
    assert len(games) == 10
    printed = load_tables("evolarena")
    place = 3 * list(evolarena.CLASSES).index(paper_class)
    model = "QwQ-32B"  # of other models the printed means are not always those of the printed games

    def class_values(number):
        return next(row.values for row in printed[number].rows if row.model == model)

    means = np.mean([class_values(number) for number in games], axis=0)
    differences = np.abs(means - class_values("2")[place : place + 3])
    assert np.count_nonzero(differences < 0.01) >= 2 and differences.max() < 1


def test_every_game_stands_in_its_own_table():
    printed = load_tables("evolarena")
    for games in evolarena.CLASSES.values():
        for game, number in games.items():
            (task,) = {column.setting["task"] for column in printed[number].columns}
            assert OTHERWISE.get(task, task.lower()) == game.replace("_", "")
            assert [column.setting["level"] for column in printed[number].columns] == [
                *("easy", "medium", "hard")
            ]


OTHERWISE = {
    "SafepathFinder": "safepathfinding",
    "BitGuessing": "binarynumberguessing",
    "DarkMaze": "darkmazeexploration",
    "FindBiggest": "findingbiggest",
    "FindHidden": "hiddennumberfinding",
    "GeoGame": "geometricdistance",
    "LegendaryTree": "treediscovery",
    "ListQuery": "linkedlistquery",
    "MagneticField": "magneticfieldexploration",
    "MimicHunt": "mimichunting",
    "VladikMaze": "mazenavigation",
    "Wordle": "wordguessing",
    "PizzaSlice": "pizzaslicing",
    "RPD": "passwordbreaking",
    "RainbowCandy": "rainbowcandyfactory",
    "RotaryLock": "rotarylaserlock",
    "PaperNumber": "papernumbering",
}


def test_r_is_what_the_accuracies_lead_one_to_expect():
    configs = score_config("inf_bench.forward_2d", l1=1.0, l2=1.0, l3=0.0, l4=0.0)
    configs |= score_config("inf_bench.inverse_3d_text", l1=0.25)
    first, second = build_paper_tables({"model": "m", "configs": configs}, {})
    assert (first["table"], second["table"]) == ("1", "2")
    # Levels 1 and 2 are always passed and level 3 never: it is failed twice.
    assert first["rows"][0]["values"] == [3.0, *[None] * 5]
    # One level: three of five guesses are right, or the ladder falls below it.
    assert second["rows"][0]["values"][-1] == pytest.approx((90 + 15 + 1) / 1024)
    assert not first["comparable"] and "not climbed" in first["reasons"][-1]


def test_r_has_the_baselines_of_the_accuracies_at_all_levels():
    configs = score_config("inf_bench.forward_2d", l1=1.0, l2=0.5)
    cells = configs["inf_bench.forward_2d"]["splits"]["test"]["cells"]
    for cell in cells:
        cell["figures"]["accuracy"]["baselines"] = {"chance": 0.25, "floor": 0.5}
    del cells[-1]["figures"]["accuracy"]["baselines"]["floor"]
    (table,) = build_paper_tables({"model": "m", "configs": configs}, {})
    claim = table["rows"][0]["claims"][0]
    assert claim["baselines"] == {"chance": estimate_reach([0.25, 0.25], [1, 2]).failed}
    assert claim["verdict"] == "no verdict"  # it has no interval


def test_climbed_r_is_what_tables_of_r_show():
    cells = [make_cell(level, accuracy=1.0) for level in (1, 2)]
    config = "inf_bench_as_published.forward_2d"
    params = {"space": "2d", "replaced": 1, "types": "four", "filling": False, "steps": "any"}
    made = make_results((config, "shapes/forward_deformation", params, cells))
    for reason in ("", "the mean is over 2 of the paper's 10 climbs"):

        def climb(name, samples, reason=reason):
            assert (name, samples) == (config, 1)
            return Climbed(Estimate(1.5, 1.0, 2.0, "posterior", 10), reason)

        (table,) = build_paper_tables(*made, climb)
        assert table["rows"][0]["values"] == [1.5, *[None] * 5]
        assert table["rows"][0]["intervals"][0] == [1.0, 2.0]
        assert [one for one in table["reasons"] if "climb" in one] == (
            [f"forward_2d: {reason}"] if reason else []
        )


def test_the_vote_of_five_replies_is_a_row_of_its_own():
    def make_track(name, **params):
        cells = [make_cell(1, accuracy=1.0)]
        told = {"input": "picture", "replaced": 1, "start": "solved", **params}
        return name, "cube/forward_deformation", told, cells

    plain = make_track("inf_bench_as_published.forward_3d")
    chain = make_track("inf_bench_methods.forward_3d_step_by_step", prompt="step_by_step")
    for samples, rows in (
        (1, ["none", "Zero-shot CoT"]),
        (5, ["none", "Zero-shot CoT", "CSc"]),
    ):

        def climb(name, wanted, samples=samples):
            known = wanted in (1, samples)
            return Climbed(Estimate(float(wanted)), "") if known else None

        found = {
            one["table"]: one for one in build_paper_tables(*make_results(plain, chain), climb)
        }
        assert [row["setting"]["method"] for row in found["5"]["rows"]] == rows
    assert [row["values"][4] for row in found["5"]["rows"]] == [1.0, 0.0, 4.0]


def test_what_a_method_adds_stands_in_tables_of_differences():
    def make_track(name, shares, **params):
        cells = [make_cell(level, accuracy=share) for level, share in enumerate(shares, 1)]
        told = {"input": "picture", "replaced": 1, "start": "solved", **params}
        return name, "cube/forward_deformation", told, cells

    plain = make_track("inf_bench_as_published.forward_3d", (1.0, 1.0, 0.0, 0.0))
    acting = make_track("inf_bench_methods.forward_3d_react", (1.0, 0.0, 0.0, 0.0), method="react")
    # Alone, the row that others are compared with is that of table 1.
    assert [part["table"] for part in build_paper_tables(*make_results(plain))] == ["1"]
    found = {part["table"]: part for part in build_paper_tables(*make_results(plain, acting))}
    assert set(found) == {"1", "4"}
    none, react = found["4"]["rows"]
    assert (none["setting"], react["setting"]) == ({"method": "none"}, {"method": "ReAct"})
    # R is 3 in one reply and 2 by acting, in the fifth column, which is 3D forward.
    assert (none["values"][4], react["values"][4]) == (3.0, -1.0)
    reasons = found["4"]["reasons"]
    assert "inverse_3d_react was not scored" in reasons and not found["4"]["comparable"]
    assert not [reason for reason in reasons if "tree" in reason or "usually" in reason]


def make_results(*made):
    """Return what `build_paper_tables` takes: of each config its name, task, params, and share at levels."""  # noqa: E501
    scores, configs = {}, {}
    for name, task, params, cells in made:
        defaults = task_registry.load_task(task).params()
        fields = {field: getattr(defaults, field) for field in defaults.__dataclass_fields__}
        fields |= {"items": "as_published"} if "items" in fields else {}
        there = [part["difficulty"] for part in cells]
        scores[name] = {"splits": {"test": {"task": task, "cells": cells}}}
        about = [{"difficulty": at, "label": f"d{at:02d}", "items": 100} for at in there if at]
        configs[name] = {"params": {**fields, **params}, "splits": {"test": {"cells": about}}}
    return {"model": "tester", "configs": scores}, {"configs": configs}


def choice_config(name, accuracy, **params):
    """Return a config of the move prediction."""
    cells = [make_cell(1, {"modality": each}, accuracy=accuracy) for each in MODALITIES]
    return name, "cube/move_prediction", params, cells


def effect_config(name, accuracy, **params):
    """Return a config of the move effect."""
    figures = {"micro_accuracy": accuracy}
    return name, "cube/move_effect", params, [make_cell(depth, **figures) for depth in (1, 2, 3)]


def test_a_suite_of_ones_own_has_its_row_whatever_its_configs_are_called():
    (part,) = build_paper_tables(*make_results(choice_config("mine.first", 0.5)))
    assert (part["paper"], part["table"]) == ("cube_bench", "4")
    assert part["rows"][0]["values"][::2] == [50, 50, 50]
    assert part["comparable"] and part["reasons"] == []


def test_a_config_of_the_papers_name_and_another_task_has_no_row():
    other = ("cube_bench.move_prediction", "cube/step_by_step", {}, [make_cell(1, accuracy=1.0)])
    assert not list(build_paper_tables(*make_results(other)))


def test_of_several_configs_the_one_counts_that_is_made_as_in_the_paper():
    usual = effect_config("cube_bench.move_effect", 0.25, options="even")
    paper = effect_config("cube_bench_variants.move_effect_paper", 0.5, options="paper")
    (part,) = build_paper_tables(*make_results(usual))
    assert part["rows"][0]["values"][0] == 25
    assert part["reasons"] == ["move_effect: options is even, paper in the paper"]
    for order in ((usual, paper), (paper, usual)):
        (part,) = build_paper_tables(*make_results(*order))
        assert part["rows"][0]["values"][0] == 50 and part["comparable"]


def test_of_equal_configs_that_of_the_papers_own_suite_counts():
    own, other = choice_config("cube_bench.move_prediction", 0.5), choice_config("mine.moves", 0.75)
    published = choice_config("cube_bench_as_published.move_prediction", 0.25)
    for made, value in (((other, own), 50), ((other, own, published), 25), ((other,), 75)):
        (part,) = build_paper_tables(*make_results(*made))
        assert part["rows"][0]["values"][0] == value and part["comparable"]


def test_one_that_fills_more_cells_counts_before_one_of_the_papers_own_suite():
    empty = ("cube_bench.move_prediction", "cube/move_prediction", {}, [make_cell(2, accuracy=1.0)])
    (part,) = build_paper_tables(*make_results(empty, choice_config("mine.moves", 0.75)))
    assert part["rows"][0]["values"][0] == 75


def test_parts_of_one_task_are_told_apart_by_their_params():
    figures = {"final_accuracy": 0.75, "initial_accuracy": 0.5}
    params = {"condition": "unredacted", "verdict": "incorrect"}
    thought = ("mine.thoughts", "cube/reflection", params, [make_cell(1, **figures)])
    (part,) = build_paper_tables(*make_results(thought))
    assert part["rows"][0]["values"] == [None, 75.0, *[None] * 7]
    assert part["reasons"] == ["reflection was not scored"]


def test_what_false_statements_are_about_is_a_condition_of_table_3():
    def checked_config(**params):
        figures = {"balanced_accuracy": 0.75}
        (part,) = build_paper_tables(
            *make_results(("a.b", "cube/verification", params, [make_cell(5, **figures)]))
        )
        assert part["table"] == "3"
        return part["reasons"][1:]

    assert checked_config(misses="near") == ["a.b: misses is near, move in the paper"]
    assert checked_config(misses="move") == []
    assert checked_config(misses="move", template="row") == [
        "a.b: template is row, full_face in the paper"
    ]


def test_a_param_that_the_paper_does_not_name_is_told_where_it_is_unusual():
    (part,) = build_paper_tables(*make_results(choice_config("mine.first", 0.5, draws=7)))
    (reason,) = part["reasons"]
    assert reason.startswith("mine.first: draws is 7, ") and ", usually " in reason
    # The paper's way stands in the task's deviations.
    faces = [make_cell(depth, element_accuracy=0.5) for depth in (1, 2, 3)]
    for covered, told in ((0, 0), (1, 1)):
        made = ("mine.faces", "cube/face_recognition", {"covered": covered}, faces)
        (part,) = build_paper_tables(*make_results(made))
        assert sum("covered" in reason for reason in part["reasons"]) == told


def test_states_instead_of_scrambles_are_told():
    (part,) = build_paper_tables(
        *make_results(choice_config("cube_bench.move_prediction", 0.5, items="distinct"))
    )
    (reason,) = part["reasons"]
    assert reason == "move_prediction: items is distinct, as_published in the paper"


@pytest.mark.parametrize(
    "paper", paper_registry.load_papers().values(), ids=lambda paper: paper.name
)
def test_no_param_of_our_suites_is_unusual(paper):
    """So a row of ours is no less a comparison than the paper's conditions make it."""
    compared = 0
    for suite in (f"{paper.name}_{ending}".removesuffix("_") for ending in SUITE_ENDINGS):
        if not (SUITE_FILES / f"{suite}.yaml").exists():
            continue
        entries = {entry.name: entry for entry in resolve_words([f"suites=[{suite}]"])[0].entries}
        for layout in paper.layouts:
            for part in (part for part in layout.parts if part.name in entries):
                entry = entries[part.name]
                model, manifest = make_results(
                    (f"{suite}.{part.name}", entry.task, entry.params, [])
                )
                match = find_best_match(paper, layout, part, model["configs"], manifest)
                assert match is not None, part.name
                assert not [each for each in match.reasons if "usually" in each]
                compared += 1
    assert compared > 5
