"""Tools: live calls in a step, recorded as the reply, drawn for the model, and scored."""

from __future__ import annotations

import inspect
import json

import pytest

from facelet.generators.cube.engine import notation
from facelet.pipeline import rollout
from facelet.pipeline.scoring.scorer import ScoreSettings, score
from facelet.renderers.api import Drawing
from facelet.renderers.pixel_hash import pixel_hash


@pytest.fixture(params=["symbolic", "net", "face", "vertex"])
def navigating(publish, request):
    return publish("cube/navigate", depth=2, observation=request.param)


def test_a_live_step_is_replayed_by_its_record(navigating, tmp_path):
    (row, *_) = navigating.rows
    play = rollout.open_row(row)
    opening = play.messages
    looking = play.tools()
    seen = looking.list_allowed_functions["get_observation"]()
    if row["observation"] == "symbolic":
        assert isinstance(seen, str) and len(seen) == 54
    else:
        assert isinstance(seen, Drawing)
        assert pixel_hash(seen) == row["image_hashes"][0]
    with pytest.raises(ValueError, match="F2"):
        looking.list_allowed_functions["make_move"]("F2")
    assert play.messages == opening, "live calls leave the play as it is"
    assert play.reply(f"I look first.\n{looking.build_recorded_reply()}") is None
    step = play.tools()
    turns = notation.parse_maneuver(row["solution"])
    for turn in turns:
        for _ in range(2 if turn.endswith("2") else 1):
            step.list_allowed_functions["make_move"](turn[0] if turn.endswith("2") else turn)
    outcome = play.reply(step.build_recorded_reply())
    assert outcome is play.outcome and outcome.status == "correct"
    assert outcome.metrics["illegal"] == 1 and outcome.metrics["observations"] == 1
    assert play.tools() is None
    path = tmp_path / "out.jsonl"
    path.write_text(json.dumps(play.transcript("me")) + "\n")
    results = score(navigating.folder, [path], ScoreSettings(resamples=100)).results
    ((split,),) = [c["splits"].values() for c in results["models"][0]["configs"].values()]
    assert split["counts"]["correct"] == 1


def test_functions_keep_what_a_tool_schema_is_made_of(publish):
    knobs = {"depth": 2, "observation": "face", "agent": "ideal"}
    functions = (
        rollout.open_row(publish("cube/navigate", **knobs).rows[0]).tools().list_allowed_functions
    )
    assert set(functions) == {
        "make_move",
        "get_observation",
        "apply_view_transformation",
        "solve",
        "final_answer",
    }
    for name, function in functions.items():
        assert function.__name__ == name and inspect.getdoc(function)
    assert list(inspect.signature(functions["make_move"]).parameters) == ["move"]


def test_functions_are_those_that_the_prompt_names(publish):
    row = publish("cube/navigate", depth=2, observation="net").rows[0]
    functions = rollout.open_row(row).tools().list_allowed_functions
    assert list(functions) == ["make_move", "get_observation", "final_answer"]
    without_code = publish("cube/navigate", depth=2, observation="net", mode="no_code").rows[0]
    assert rollout.open_row(without_code).tools() is None


def test_tasks_of_replies_have_none(publish):
    for name in ("cube/move_prediction", "labyrinth/act"):
        assert rollout.open_row(publish(name).rows[0]).tools() is None
