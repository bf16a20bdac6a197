from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typed import run_verb

from facelet.pipeline.audit import dataset_audit

Rows = list[list[Any]]


def audit_changed(
    toys: SimpleNamespace, out: Path, name: str, change: Callable[[Rows], Rows]
) -> dataset_audit.AuditReport:
    """Audit one toy config after a change to its first cell."""
    task = toys.tasks[name]
    cells = toys.fair_cells(task)
    cells["test", "d01"] = change(cells["test", "d01"])
    toys.write_config(out, task, cells)
    return dataset_audit.measure_dataset(out, toys.lookup)


def figures(report: dataset_audit.AuditReport) -> set[str]:
    """Names of the figures beyond their limit."""
    return {line.split(": ")[1].split(" is ")[0] for line in report.violations}


def test_a_fair_dataset_passes(toys: SimpleNamespace, toy_dataset: Path) -> None:
    record = dataset_audit.audit_dataset(toy_dataset, toys.lookup)
    assert sorted(record["configs"]) == ["toys.choice", "toys.effect", "toys.reading", "toys.yesno"]
    choice = record["configs"]["toys.choice"]["test"]
    assert choice["cells"]["d01"]["gold_deviation"] == {"value": 0.0, "at_most": 0.0, "n": 64}
    assert choice["cells"]["d01"]["gold_block"]["value"] == 4
    attack = choice["figures"]["attack_learned_options"]
    assert attack["n"] == 128 and 0.25 < attack["at_most"] < 0.6
    effect = record["configs"]["toys.effect"]["test"]["figures"]
    assert effect["class_jsd_target"]["value"] < effect["class_jsd_target"]["at_most"] < 0.05
    assert effect["class_jsd_uniform"]["value"] < 0.02
    reading = record["configs"]["toys.reading"]["test"]["cells"]["d01"]
    assert reading["token_jsd_uniform"]["value"] < 0.05
    assert reading["token_jsd_uniform"]["at_most"] == 0.25
    commonest = reading["commonest"]
    assert 0.15 < commonest["value"] < 0.4 and commonest["note"] == "elements"
    assert "chance" not in json.dumps(record["configs"]), "what is commonest is no chance level"
    assert record["dataset"]["canonical_in_two_splits"]["value"] == 0
    assert record["limited"] > 100


def test_the_audit_is_deterministic(toys: SimpleNamespace, toy_dataset: Path) -> None:
    assert dataset_audit.audit_dataset(toy_dataset, toys.lookup) == dataset_audit.audit_dataset(
        toy_dataset, toys.lookup
    )


def move_gold(toys: SimpleNamespace, item: Any, letter: str) -> Any:
    """The item with its right option moved to another letter."""
    options = list(item.options)
    old, new = (toys.letters.index(x) for x in (item.answer[0], letter))
    options[old], options[new] = options[new], options[old]
    return toys.replace(item, answer=(letter,), options=tuple(options))


def test_swapped_letters_break_the_blocks(toys: SimpleNamespace, tmp_path: Path) -> None:
    def swap_letters(cell: Rows) -> Rows:
        return [
            [move_gold(toys, r, "A") for r in rs] if i == 9 else rs for i, rs in enumerate(cell)
        ]

    first = audit_changed(toys, tmp_path / "a", "toy/choice", lambda cell: cell)
    assert not first.violations
    report = audit_changed(toys, tmp_path / "b", "toy/choice", swap_letters)
    assert figures(report) <= {"gold_deviation"}
    cell = toys.fair_cells(toys.tasks["toy/choice"])["test", "d01"]
    assert bool(report.violations) == (cell[9][0].answer[0] != "A")


def test_one_letter_for_all_is_found(toys: SimpleNamespace, tmp_path: Path) -> None:
    report = audit_changed(
        toys,
        tmp_path,
        "toy/choice",
        lambda cell: [[move_gold(toys, r, "C") for r in rs] for rs in cell],
    )
    assert figures(report) >= {"gold_deviation", "gold_p", "attack_always"}
    line = next(x for x in report.violations if x.startswith("toys.choice test/d01: gold_dev"))
    assert "is 3, allowed at most 0" in line
    with pytest.raises(
        dataset_audit.AuditError, match=r"toys\.choice test/d01: gold_deviation is 3"
    ) as error:
        dataset_audit.audit_dataset(tmp_path, toys.lookup)
    assert error.value.report.violations == report.violations


def test_yes_per_template_is_found(toys: SimpleNamespace, tmp_path: Path) -> None:
    """Yes and no are even overall, yet each template gives its answer away."""
    answers = {"cell": "yes", "row": "no"}
    report = audit_changed(
        toys,
        tmp_path,
        "toy/yesno",
        lambda cell: [[toys.replace(r, answer=(answers[r.form],)) for r in rs] for rs in cell],
    )
    assert figures(report) >= {"gold_by_form_deviation", "gold_by_form_p"}


def test_doubled_class_and_slots_are_found(toys: SimpleNamespace, tmp_path: Path) -> None:
    report = audit_changed(
        toys,
        tmp_path,
        "toy/effect",
        lambda cell: [
            [toys.replace(r, answer=("UP", "DOWN", "UP", "SAME")) for r in rs] for rs in cell
        ],
    )
    assert figures(report) >= {"class_jsd_target", "slot_jsd", "slot_class_p", "double_slot_p"}


def test_options_that_tell_their_class_are_found(toys: SimpleNamespace, tmp_path: Path) -> None:
    def order_options(cell: Rows) -> Rows:
        spread = itertools.count()
        return [
            [
                toys.replace(
                    r, options=tuple(f"{c[0].lower()}{next(spread) % 5}" for c in r.answer)
                )
                for r in rs
            ]
            for rs in cell
        ]

    assert figures(audit_changed(toys, tmp_path, "toy/effect", order_options)) == {
        "attack_learned_options"
    }


def test_a_colour_that_is_nearly_always_there_is_found(
    toys: SimpleNamespace, tmp_path: Path
) -> None:
    def repeat_colour(cell: Rows) -> Rows:
        return [[toys.replace(r, answer=("U",) * 8 + r.answer[:1]) for r in rs] for rs in cell]

    report = audit_changed(toys, tmp_path, "toy/reading", repeat_colour)
    assert figures(report) == {"token_jsd_uniform"}
    assert report.violations[0].startswith("toys.reading test/d01: token_jsd_uniform is 0.")


def test_repeats_are_found(toys: SimpleNamespace, tmp_path: Path) -> None:
    report = audit_changed(toys, tmp_path, "toy/reading", lambda cell: [*cell[:-1], cell[0]])
    assert figures(report) == {"duplicate_rows", "duplicate_prompts", "duplicate_puzzles"}


def test_rows_that_are_few_trials_are_found_unless_it_is_declared_why(
    toys: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(cell: Rows) -> Rows:
        return [[toys.replace(r, number=7) for r in rs] for rs in cell]

    report = audit_changed(toys, tmp_path / "silent", "toy/reading", change)
    assert "effective_rows" in figures(report)
    why = "all look at one number"
    monkeypatch.setattr(type(toys.tasks["toy/reading"]), "shared_group", why)
    report = audit_changed(toys, tmp_path / "declared", "toy/reading", change)
    assert "effective_rows" not in figures(report)
    found = report.record["configs"]["toys.reading"]["test"]["figures"]["effective_rows"]
    assert found["note"] == f"declared: {why}" and "at_least" not in found


def test_a_false_label_is_found_with_its_row(toys: SimpleNamespace, tmp_path: Path) -> None:
    def falsify_label(cell: Rows) -> Rows:
        wrong = "A" if cell[5][1].answer != ("A",) else "B"
        cell[5][1] = toys.replace(cell[5][1], answer=(wrong,))
        return cell

    report = audit_changed(toys, tmp_path, "toy/choice", falsify_label)
    assert "false_labels" in figures(report)
    assert any("toys.choice/d01/000011: " in line for line in report.violations)


def test_shared_puzzles_and_families_are_found(toys: SimpleNamespace, tmp_path: Path) -> None:
    task = toys.tasks["toy/reading"]
    cells = toys.fair_cells(task)
    cells["train", "train-d01"][0] = cells["test", "d01"][0]
    toys.write_config(tmp_path, task, cells)
    report = dataset_audit.measure_dataset(tmp_path, toys.lookup)
    shared = {"canonical_in_two_splits", "family_in_two_splits", "group_in_two_splits"}
    # What the one row shows is the one class that both splits have, first and at any turn.
    shared |= {"shown_in_two_splits", "first_shown_in_train", "shown_in_train"}
    assert figures(report) == shared
    assert any("(n0)" in line for line in report.violations)


def test_gold_in_the_prompt_is_found(toys: SimpleNamespace, tmp_path: Path) -> None:
    task = toys.tasks["toy/reading"]
    telling = toys.replace(task, question=lambda item: f"It is {' '.join(item.answer)}, is it not?")
    toys.write_config(tmp_path, telling, toys.fair_cells(task, 8))
    assert figures(dataset_audit.measure_dataset(tmp_path, toys.lookup)) == {"gold_in_prompt"}


def test_the_verb_prints_and_judges(
    toys: SimpleNamespace, toy_dataset: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.setattr(dataset_audit.measure_dataset, "__defaults__", (toys.lookup,))
    assert run_verb("audit", [f"dataset={toy_dataset}"]) == 0
    printed = capsys.readouterr().out
    assert "toys.choice" in printed and "attack_longest" in printed and "0 beyond it" in printed
    task = toys.tasks["toy/reading"]
    cells = toys.fair_cells(task, 8)
    cells["test", "d01"][3] = cells["test", "d01"][4]
    toys.write_config(tmp_path, task, cells)
    assert run_verb("audit", [f"dataset={tmp_path}"]) == 1
    assert "duplicate_rows" in capsys.readouterr().err
    with pytest.raises(
        ValueError, match=r"dataset=\.\.\. is required: a folder with a built dataset"
    ):
        run_verb("audit", [])
    with pytest.raises(ValueError, match="unknown key 'data'"):
        run_verb("audit", ["data=x"])
