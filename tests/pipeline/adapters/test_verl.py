"""verl: the Parquet file and the reward function, by their documented shapes."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest
from served import write_streams

from facelet.pipeline import family_modules
from facelet.pipeline.adapters import verl
from facelet.pipeline.rollout.row_opener import rows

PARTS = {
    "drawn.plan": ("labyrinth/plan", {"turns": 1, "setting": "visual"}),
    "mazes.plan": ("labyrinth/plan", {"turns": 2, "setting": "symbolic"}),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_streams(tmp_path_factory.mktemp("verl") / "rows", PARTS, 3)


def test_a_file_holds_what_a_trainer_needs_and_no_answer(folder, tmp_path):
    assert verl.write(str(folder), ["drawn"], tmp_path / "a.parquet", "test") == 3
    made = pq.read_table(tmp_path / "a.parquet").to_pylist()
    for row, published in zip(made, rows(folder, "drawn.plan"), strict=True):
        assert row["data_source"] == "drawn.plan"
        assert row["reward_model"] == {"style": "rule", "ground_truth": published["id"]}
        text = "".join(message["content"] for message in row["prompt"])
        assert text.count("<image>") == len(row["images"]) > 0
        assert row["images"][0]["bytes"][:4] == b"\x89PNG"
    verl.write(str(folder), ["mazes"], tmp_path / "b.parquet", "test")
    assert "images" not in pq.read_schema(tmp_path / "b.parquet").names


def test_scores_are_by_replay(folder, tmp_path):
    verl.write(str(folder), ["mazes"], tmp_path / "b.parquet", "test")
    published = {row["id"]: row for row in rows(folder)}
    for row in pq.read_table(tmp_path / "b.parquet").to_pylist():
        truth = row["reward_model"]["ground_truth"]
        task = family_modules.load_task(published[truth]["task"])
        (said,) = task.reference(task.decode(published[truth]))
        told = (row["data_source"], said, truth, row["extra_info"])
        assert verl.compute_score(*told) == {"score": 1.0, "acc": 1.0}
        wrong = (told[0], "I do not know.", *told[2:])
        assert verl.compute_score(*wrong) == {"score": 0.0, "acc": 0.0}
        assert verl.compute_score(*told, format=1.0)["score"] in (0.0, 1.0)
    with pytest.raises(ValueError, match="extra_info"):
        verl.compute_score("", "", truth)
    with pytest.raises(ValueError, match="no row"):
        verl.compute_score("", "", "nothing", {"dataset": str(folder)})


def test_episodes_are_played_by_a_tool(folder, publish, tmp_path):
    acting = publish("labyrinth/act", turns=2, setting="visual")
    verl.write(str(acting.folder), ["suite.act"], tmp_path / "c.parquet", "test")
    verl.write_tools(tmp_path / "tools.yaml")
    assert "facelet.pipeline.adapters.verl_tools.ReplyTool" in (tmp_path / "tools.yaml").read_text()
    for row in pq.read_table(tmp_path / "c.parquet").to_pylist():
        named, extra = row["reward_model"]["ground_truth"], row["extra_info"]
        assert row["agent_name"] == "tool_agent" and extra["need_tools_kwargs"]
        created = {"id": named, "dataset": str(acting.folder)}
        assert extra["tools_kwargs"] == {"reply": {"create_kwargs": created}}
        told = ("suite.act", "what was said", named)
        assert verl.compute_score(*told, extra)["score"] == 0
        extra |= {"facelet_replies": acting.references[named]}
        assert verl.compute_score(*told, extra) == {"score": 1.0, "acc": 1.0}
    verl.write(str(folder), ["mazes"], tmp_path / "b.parquet", "test")
    kinds = {row["agent_name"] for row in pq.read_table(tmp_path / "b.parquet").to_pylist()}
    assert kinds == {"single_turn_agent"}


def test_what_its_tools_cannot_is_refused(publish, tmp_path):
    thinking = publish("cube/reflection")
    with pytest.raises(ValueError, match=r"suite.reflection: a turn begins a new chat, and verl"):
        verl.write(str(thinking.folder), ["suite"], tmp_path / "d.parquet", "test")
