"""The tasks: what they make, how players fare, refinement over rounds, and the chance level."""

from __future__ import annotations

import dataclasses
from itertools import permutations, product

import numpy as np
import pytest
from jigsaw_block import has_connected_bumps

from facelet.generators.core.prompts import TextPart
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Outcome, Reject, Status
from facelet.generators.jigsaw.assemblies.solver import find_assemblies
from facelet.generators.jigsaw.assemblies.validator import is_closed_cube
from facelet.generators.jigsaw.assembly_task import replies
from facelet.generators.jigsaw.assembly_task.episode import MEASURES, reference_reply, right_answers
from facelet.generators.jigsaw.geometry.cube_surface import FACES, SYMMETRIES, Placement
from facelet.generators.jigsaw.geometry.pieces import ORIENTATIONS, format_piece, piece_rows
from facelet.generators.jigsaw.tasks import assemble, assemble_easy, perception
from facelet.renderers.scenes.jigsaw import AZIMUTHS, ELEVATIONS, JigsawPieces

HARD, EASY, READING = assemble.TASK, assemble_easy.TASK, perception.TASK


def make_item(task, index=0, **values):
    """Item number `index`, as the pipeline makes it, and the number of rejected draws."""
    params = task.params(**values)
    params.validate()
    for attempt in range(1000):
        try:
            return task.generate(params, Draw((0, "test"), index, attempt), None)[0], attempt
        except Reject:
            continue
    raise AssertionError("a thousand draws were rejected")


def format_answer(placements) -> str:
    return f"{replies.OPENING}\n{replies.format_lines(placements)}"


def shown_text(prompt) -> str:
    return "\n".join(
        part.text
        for message in prompt.messages
        for part in message.parts
        if isinstance(part, TextPart)
    )


# --- what is made ---------------------------------------------------------------------------------

GRID = [
    (missing, flips, modality)
    for missing, flips, modality in product(range(1, 7), (False, True), ("images", "arrays"))
]


@pytest.mark.parametrize(("missing", "flips", "modality"), GRID)
def test_the_whole_grid(missing: int, flips: bool, modality: str) -> None:
    for index in range(5):
        puzzle, _ = make_item(HARD, index, missing=missing, flips=flips, modality=modality)
        assert (puzzle.missing_count, len(puzzle.given)) == (missing, 6 - missing)
        assert all(has_connected_bumps(piece_rows(piece)) for piece in puzzle.pieces)
        assert len(find_assemblies(puzzle.pieces, flips, dict(puzzle.given))) == puzzle.assemblies
        assert puzzle.distinct_count == 1
        row = HARD.encode(puzzle)
        space = {1: 1, 2: 2, 3: 6, 4: 24, 5: 120, 6: 720}[missing] * (8 if flips else 4) ** missing
        assert row["search_space"] == space
        right = puzzle.assemblies * ((48 if flips else 24) if missing == 6 else 1)
        assert row["chance"] == right / space
        scenes = list(HARD.open(puzzle).prompt().iterate_scenes())
        if modality == "images":
            assert scenes == [
                JigsawPieces(tuple(map(format_piece, puzzle.pieces)), puzzle.views, "ABCDEF")
            ]
        else:
            assert scenes == [] and puzzle.views == ()
        assert any((p.left, p.top) in ORIENTATIONS[4:] for p in puzzle.solution) <= flips


def test_defaults_are_the_papers_two_settings() -> None:
    hard, easy = make_item(HARD)[0], make_item(EASY)[0]
    assert (hard.search_space, hard.modality, hard.missing_count) == (188_743_680, "images", 6)
    assert (easy.search_space, easy.modality, easy.missing_count) == (32, "arrays", 2)


def test_cells_that_differ_in_modality_or_feedback_have_the_same_puzzles() -> None:
    one, _ = make_item(HARD, 3, modality="images")
    other, _ = make_item(HARD, 3, modality="arrays", feedback="binary")
    assert (one.pieces, one.solution, one.given) == (other.pieces, other.solution, other.given)


def test_params_let_in_what_is_left_out_otherwise() -> None:
    """Several assemblies, twins and loose corners come up, when they are allowed, and only then."""
    found = {"several": 0, "loose": 0}
    for index in range(60):
        puzzle, attempt = make_item(
            HARD, index, unique=False, loose_corners=True, modality="arrays"
        )
        assert HARD.find_faults(puzzle) == []
        found["several"] += puzzle.assemblies > 1
        found["loose"] += not all(has_connected_bumps(piece_rows(piece)) for piece in puzzle.pieces)
        assert attempt <= 2
    assert min(found.values()) > 0


def test_symmetric_pieces_are_no_second_assembly() -> None:
    """Such cubes are kept, and every way to lay the piece on its own cells is right."""
    kept = 0
    for index in range(40):
        puzzle, _ = make_item(HARD, index, modality="arrays")
        assert HARD.encode(puzzle)["distinct_solutions"] == 1
        if puzzle.assemblies > 1:
            kept += 1
            answers = right_answers(find_assemblies(puzzle.pieces, True), flips=True)
            said_by = [HARD.open(puzzle).reply(format_answer(answer)) for answer in answers]
            assert len(said_by) == 48 * puzzle.assemblies
            assert all(one.status is Status.CORRECT for one in said_by)
    assert kept > 2


def test_twins_are_rejected_unless_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    hull = (0x6666,) * 6
    monkeypatch.setattr(
        "facelet.generators.jigsaw.assembly_task.task.draw_pieces", lambda rng, loose: hull
    )
    with pytest.raises(Reject, match="equal under the allowed moves"):
        HARD.generate(HARD.params(), Draw((0,), 0), None)
    with pytest.raises(Reject, match=r"there are \d+ assemblies"):
        HARD.generate(HARD.params(twins=True), Draw((0,), 0), None)


def test_views_are_drawn_from_the_papers_ranges() -> None:
    views = [view for index in range(80) for view in make_item(HARD, index)[0].views]
    for angles, (low, high) in zip(zip(*views, strict=True), (ELEVATIONS, AZIMUTHS), strict=True):
        assert low <= min(angles) <= low + 4 and high - 4 <= max(angles) <= high
        assert abs(np.mean(angles) - (low + high) / 2) < 4


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"missing": 0}, "missing=0 is out of range; use a whole number 1 to 6"),
        ({"modality": "sound"}, "modality='sound' is unknown; use one of images, arrays"),
        ({"rounds": 1}, "rounds=1 is out of range"),
        ({"flips": 1}, "flips=1 is neither true nor false"),
    ],
)
def test_bad_params_are_explained(values, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        HARD.params(**values).validate()


def test_false_rows_are_found() -> None:
    puzzle, _ = make_item(HARD, missing=3, flips=False, modality="arrays")
    index, place = puzzle.given[0]
    moved = (index, place._replace(left=place.top, top=place.left % 4 + 1))
    for fields, fault in [
        ({"assemblies": 2}, "there are 1 assemblies, not 2"),
        ({"given": (*puzzle.given[1:], puzzle.given[0])}, "not distinct, in order"),
        ({"given": (moved, *puzzle.given[1:])}, "the reference moves a given piece"),
        ({"solution": puzzle.solution[::-1]}, "does not close the cube"),
        ({"solution": puzzle.solution[:5]}, "not six pieces"),
        ({"pieces": (puzzle.pieces[0] ^ 2, *puzzle.pieces[1:])}, "does not close the cube"),
        ({"modality": "images"}, "the number of views"),
        ({"rounds": 3}, "several rounds and feedback"),
        ({"feedback": "loud"}, "unknown modality"),
    ]:
        faults = HARD.find_faults(dataclasses.replace(puzzle, **fields))
        assert any(fault in said for said in faults), (fields, faults)


# --- how players fare -----------------------------------------------------------------------------


def test_every_way_to_hold_the_cube_is_right() -> None:
    puzzle, _ = make_item(HARD)
    answers = list(right_answers([puzzle.solution], flips=True))
    assert len(set(answers)) == 48
    for answer in answers:
        outcome = replay(HARD.open(puzzle), [format_answer(answer)])
        assert outcome.status is Status.CORRECT and outcome.metrics["edit_distance"] == 0
        assert outcome.metrics["correct_faces"] == 6 == 6 * outcome.metrics["rotation_correct"]


def test_without_flips_a_mirror_image_breaks_the_rules() -> None:
    puzzle, _ = make_item(HARD, missing=6, flips=False)
    mirrored = tuple(map(SYMMETRIES[-1].move_placement, puzzle.solution))
    assert is_closed_cube(puzzle.pieces, mirrored)
    assert replay(HARD.open(puzzle), [format_answer(mirrored)]).status is Status.ILLEGAL
    turned = tuple(map(SYMMETRIES[5].move_placement, puzzle.solution))
    assert replay(HARD.open(puzzle), [format_answer(turned)]).status is Status.CORRECT


def test_metrics_of_a_wrong_answer() -> None:
    puzzle, _ = make_item(EASY)
    free = [index for index in range(6) if index not in dict(puzzle.given)]
    answer = list(puzzle.solution)
    one, other = free
    answer[one] = puzzle.solution[one]._replace(face=puzzle.solution[other].face)
    answer[other] = puzzle.solution[other]._replace(face=puzzle.solution[one].face)
    outcome = replay(EASY.open(puzzle), [format_answer(answer)])
    assert outcome.status is Status.WRONG and outcome.strict
    assert outcome.metrics["edit_distance"] == outcome.metrics["reference_edit_distance"] == 2
    assert outcome.metrics["correct_faces"] == 4 and outcome.metrics["rotation_correct"] == 1
    assert 1 <= outcome.metrics["connectivity_violations"] <= 8
    assert outcome.metrics["rounds"] == 1 and outcome.metrics["round_5_accuracy"] == 0
    named = {measure.metric for measure in MEASURES}
    assert named <= outcome.metrics.keys()


def test_an_answer_on_no_right_face_has_no_share_of_rotations() -> None:
    puzzle, _ = make_item(EASY)
    places = [place._replace(face=FACES[FACES.index(place.face) - 1]) for place in puzzle.solution]
    outcome = replay(EASY.open(puzzle), [format_answer(places)])
    assert outcome.metrics["reference_correct_faces"] == 0
    assert "reference_rotation_correct" not in outcome.metrics


def all_completions(puzzle):
    """All 32 answers to an easy puzzle."""
    free = [index for index in range(6) if index not in dict(puzzle.given)]
    faces = [puzzle.solution[index].face for index in free]
    for order in permutations(faces):
        for turns in product(ORIENTATIONS[:4], repeat=2):
            answer = list(puzzle.solution)
            for index, face, turn in zip(free, order, turns, strict=True):
                answer[index] = Placement(face, *turn)
            yield tuple(answer)


def test_one_of_the_32_easy_answers_is_right_unless_a_piece_is_symmetric() -> None:
    for index in range(40):
        puzzle, _ = make_item(EASY, index)
        answers = list(all_completions(puzzle))
        assert len(set(answers)) == 32 == puzzle.assemblies / puzzle.guess_probability
        right = [
            a for a in answers if replay(EASY.open(puzzle), [format_answer(a)]).status == "correct"
        ]
        assert puzzle.solution in right and len(right) == puzzle.assemblies


def test_random_players_reach_the_chance_level_of_the_easy_task() -> None:
    """6,400 draws; about 200 of them, with a standard deviation of 14 (4 are allowed)."""
    rng = np.random.default_rng(32)
    hits, expected = 0, 0.0
    for index in range(64):
        puzzle, _ = make_item(EASY, index)
        expected += 100 * puzzle.guess_probability
        answers = list(all_completions(puzzle))
        for pick in rng.integers(0, len(answers), 100):
            hits += (
                replay(EASY.open(puzzle), [format_answer(answers[pick])]).status is Status.CORRECT
            )
    assert abs(hits - expected) < 4 * (expected * 31 / 32) ** 0.5


# --- refinement -----------------------------------------------------------------------------------


def wrong_answer(puzzle):
    """An answer with two faces exchanged."""
    first, second, *rest = puzzle.solution
    return (first._replace(face=second.face), second._replace(face=first.face), *rest)


@pytest.mark.parametrize("feedback", ["binary", "detailed"])
def test_five_rounds(feedback: str) -> None:
    puzzle, _ = make_item(HARD, feedback=feedback)
    assert puzzle.rounds == 5
    episode = HARD.open(puzzle)
    assert "You have 5 tries" in shown_text(episode.prompt())
    for left in (4, 3, 2, 1):
        prompt = episode.reply(format_answer(wrong_answer(puzzle)))
        assert not isinstance(prompt, Outcome) and prompt == episode.prompt()
        told = shown_text(prompt)
        assert ("last try" in told) if left == 1 else (f"{left} tries left" in told)
        assert ("do not interlock" in told) == (feedback == "detailed")
        assert prompt.messages[0].role == "user"
    outcome = episode.reply(format_answer(puzzle.solution))
    assert isinstance(outcome, Outcome) and outcome.status is Status.CORRECT and outcome.strict
    curve = [outcome.metrics[f"round_{number}_accuracy"] for number in range(1, 6)]
    assert curve == [0, 0, 0, 0, 1] and outcome.metrics["rounds"] == 5


def test_refinement_ends_with_the_last_round_or_the_first_success() -> None:
    puzzle, _ = make_item(EASY, feedback="detailed", rounds=2)
    outcome = replay(EASY.open(puzzle), [format_answer(wrong_answer(puzzle))] * 3)
    assert outcome.status is Status.WRONG and outcome.metrics["rounds"] == 2
    outcome = replay(EASY.open(puzzle), [format_answer(puzzle.solution), "and more"])
    assert outcome.status is Status.CORRECT and outcome.metrics["round_1_accuracy"] == 1
    outcome = replay(EASY.open(puzzle), [format_answer(wrong_answer(puzzle))])
    assert outcome.status is Status.UNPARSED, "an unfinished transcript"


def test_unreadable_and_illegal_answers_cost_a_round_and_are_explained() -> None:
    puzzle, _ = make_item(EASY, feedback="detailed", rounds=4)
    episode = EASY.open(puzzle)
    assert "No answer could be read" in shown_text(episode.reply("I do not know."))
    crowded = (puzzle.solution[0]._replace(face=puzzle.solution[1].face), *puzzle.solution[1:])
    assert "share the" in shown_text(episode.reply(format_answer(crowded)))
    over = (puzzle.solution[0]._replace(left=2, top=1), *puzzle.solution[1:])
    assert "turns the piece over" in shown_text(episode.reply(format_answer(over)))
    outcome = episode.reply("nothing")
    assert outcome.status is Status.UNPARSED and not outcome.strict
    assert set(outcome.metrics) == {"rounds", *(f"round_{n}_accuracy" for n in range(1, 6))}


def test_detailed_feedback_names_the_conflicts_of_that_answer() -> None:
    puzzle, _ = make_item(HARD, feedback="detailed")
    episode = HARD.open(puzzle)
    told = shown_text(episode.reply(format_answer(wrong_answer(puzzle)))).split("\n")
    remarks = [line for line in told if line.startswith("- ")]
    outcome = replay(
        HARD.open(dataclasses.replace(puzzle, feedback="none", rounds=1)),
        [format_answer(wrong_answer(puzzle))],
    )
    conflicts = outcome.metrics["connectivity_violations"] + outcome.metrics["corner_conflicts"]
    assert len(remarks) == conflicts > 0


def test_the_reference_ends_every_episode_at_once() -> None:
    for task, feedback in product((HARD, EASY), ("none", "binary", "detailed")):
        puzzle, _ = make_item(task, feedback=feedback)
        outcome = task.open(puzzle).reply(reference_reply(puzzle))
        assert isinstance(outcome, Outcome)
        assert (outcome.status, outcome.metrics["rounds"]) == (Status.CORRECT, 1)


# --- perception -----------------------------------------------------------------------------------


def test_perception_counts_cells() -> None:
    instance, _ = make_item(READING)
    right = READING.reference(instance)[0]
    first = right.index("[[") + 2
    flipped = right[:first] + str(1 - int(right[first])) + right[first + 1 :]
    outcome = replay(READING.open(instance), [flipped])
    assert outcome.status is Status.WRONG and outcome.strict
    assert outcome.metrics == {
        "cell_accuracy": 24 / 25,
        "border_accuracy": 15 / 16,
        "piece_accuracy": 0.0,
    }


def test_perception_shows_one_piece_in_any_turn() -> None:
    pieces = {make_item(READING, index)[0].piece for index in range(100)}
    assert len(pieces) > 95
    (scene,) = READING.open(make_item(READING)[0]).prompt().iterate_scenes()
    assert isinstance(scene, JigsawPieces) and len(scene.pieces) == 1 and scene.names == ""
