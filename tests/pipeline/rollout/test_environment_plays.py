"""Plays: every task of the registry, rows from anywhere, the three forms of a chat."""

from __future__ import annotations

import base64
import io
import json
from collections import Counter
from typing import Any

import datasets
import pandas as pd
import pytest
from PIL import Image

from facelet.pipeline import rollout
from facelet.pipeline.rollout import chat_messages
from facelet.pipeline.scoring.ingest.prediction import MAX_REPLY
from facelet.pipeline.scoring.scorer import ScoreSettings, score
from facelet.renderers.pixel_hash import pixel_hash, pixel_hash_png

QUICK = ScoreSettings(resamples=100)


def finish(play: rollout.Play, replies: list[str]) -> rollout.Play:
    """Give the replies in order, the last one again and again, until the play ends."""
    number = 0
    while not play.done:
        play.reply(replies[min(number, len(replies) - 1)])
        number += 1
    return play


def score_records(published: Any, records: list[dict[str, Any]], folder: Any) -> Any:
    """Return the scorer's report of a split, and how many of its replies were strict."""
    path = folder / "predictions.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    scores = score(published.folder, [path], QUICK)
    (account,) = scores.results["inputs"]
    assert (account["broken"], account["unknown_ids"]) == (0, 0)
    (model,) = scores.results["models"]
    ((split,),) = [config["splits"].values() for config in model["configs"].values()]
    (population,) = scores.populations
    return {**split, "strict": int(population.settled.strict.sum())}


# --- every task -----------------------------------------------------------------------------------


@pytest.mark.some(4)
def test_first_prompt_is_the_published_one(published):
    for row in published.rows:
        play = rollout.open_row(row, "dataset")
        assert play.messages == play.new_messages == row["messages"]
        assert [pixel_hash(image) for image in play.images] == row["image_hashes"]


@pytest.mark.some(4)
@pytest.mark.parametrize("player", ["reference", "wrong"])
def test_transcript_and_replies_score_as_the_play_ended(published, player, tmp_path):
    plays = []
    for row in published.rows:
        replies = published.references[row["id"]] if player == "reference" else ["I cannot tell."]
        plays.append(finish(rollout.open_row(row), replies))
        right = "correct" if row["gold"] else "ungraded"
        assert (plays[-1].outcome.status == right) == (player == "reference" or not row["gold"])
        assert plays[-1].outcome.strict or player == "wrong"
    transcripts = [json.loads(json.dumps(play.transcript("a model"))) for play in plays]
    told = score_records(published, transcripts, tmp_path)
    said = [{"id": p.id, "model": "a model", "prediction": p.replies} for p in plays]
    assert score_records(published, said, tmp_path) == told
    ended = Counter(str(play.outcome.status) for play in plays)
    assert {status: count for status, count in told["counts"].items() if count} == ended


@pytest.mark.some(4)
def test_rows_survive_pandas_and_json(published):
    first = published.rows[0]
    frame = published.table.drop_columns(["images"]).to_pandas()
    travelled = [
        frame.to_dict("records")[0],
        frame.iloc[0],
        json.loads(frame.to_json(orient="records"))[0],
        json.loads(json.dumps({k: v for k, v in first.items() if k != "images"})),
        pd.DataFrame(published.rows).to_dict("records")[0],
        datasets.Dataset(published.table)[0],
        next(iter(datasets.Dataset(published.table))),
    ]
    replies = published.references[first["id"]]
    expected = finish(rollout.open_row(first), replies).transcript()
    for row in travelled:
        assert finish(rollout.open_row(row), replies).transcript() == expected


# --- several turns --------------------------------------------------------------------------------


def test_the_whole_chat_grows_and_new_messages_are_its_end(acting):
    row = acting.rows[0]
    replies = acting.references[row["id"]]
    assert len(replies) > 2
    play = rollout.open_row(row)
    for number, reply in enumerate(replies):
        before = play.messages
        assert play.reply(reply) is play.outcome
        assert play.messages[: len(before)] == before
        assert play.messages[len(before)] == {"role": "assistant", "content": reply}
        if number < len(replies) - 1:
            assert play.messages[len(before) + 1 :] == play.new_messages
            assert [message["role"] for message in play.new_messages] == ["user"]
    assert play.done and play.outcome.status == "correct"
    assert play.new_messages == []
    with pytest.raises(ValueError, match=r"is over: correct; open it again"):
        play.reply("more")


def test_forms_say_the_same(acting):
    row = acting.rows[0]
    plays = {form: rollout.open_row(row, form) for form in rollout.FORMS}
    for play in plays.values():
        play.reply(acting.references[row["id"]][0])
    images = plays["dataset"].images
    assert len(images) == 2
    kept = plays["dataset"].messages
    for form in ("openai", "transformers"):
        chat = plays[form].messages
        assert [message["role"] for message in chat] == [message["role"] for message in kept]
        for message, model in zip(chat, kept, strict=True):
            content = message["content"]
            if isinstance(content, str):
                assert form == "openai"
                content = [{"type": "text", "text": content}]
            assert len(content) == len(model["content"])
            for part, true in zip(content, model["content"], strict=True):
                if true["type"] == "text":
                    assert part == {"type": "text", "text": true["text"]}
                elif form == "transformers":
                    assert set(part) == {"type", "image"}
                    # A palette's places would be taken for pixels by who reads an array of them.
                    assert part["image"].mode == "RGB"
                    true_image = images[true["image"]]
                    assert part["image"].tobytes() == true_image.tobytes()
                else:
                    head, data = part["image_url"]["url"].split(",")
                    assert head == "data:image/png;base64"
                    shown = pixel_hash_png(base64.b64decode(data))
                    assert shown == pixel_hash(images[true["image"]])
    json.dumps(plays["openai"].messages)
    with pytest.raises(ValueError, match=r"unknown form 'opena' .did you mean 'openai'"):
        rollout.open_row(row, "opena")


def test_only_what_is_new_is_drawn_and_equal_pictures_once(acting, monkeypatch):
    drawn = []
    real = chat_messages.render_scene
    monkeypatch.setattr(
        chat_messages, "render_scene", lambda scene: drawn.append(scene) or real(scene)
    )
    row = acting.rows[0]
    play = rollout.open_row(row)
    assert drawn == []
    for reply in acting.references[row["id"]]:
        assert play.messages == play.messages
        play.reply(reply)
    assert len(drawn) == len(set(drawn)) <= len(play.images)
    finish(rollout.open_row(row), ["no"]).transcript()
    assert len(drawn) == len(set(drawn)), "a transcript needs no picture"


def test_messages_may_be_changed_by_the_caller(acting):
    play = rollout.open_row(acting.rows[0], "dataset")
    play.messages[0]["content"].clear()
    assert play.messages == acting.rows[0]["messages"]


def test_transcript_names_pictures_and_believes_nobody(acting, tmp_path):
    row = acting.rows[0]
    stays = [acting.references[row["id"]][0], "My action:\nMOVE()", "a reply without an action"]
    play = finish(rollout.open_row(row), stays)
    record = play.transcript("me", sample=2)
    pictures = [
        part["image"]
        for message in record["messages"]
        if message["role"] != "assistant"
        for part in message["content"]
        if part["type"] == "image"
    ]
    assert pictures[0] == row["images"][0]["path"]
    names = [f"{row['id']}#{number}.png" for number in range(len(play.images))]
    assert pictures == names
    assert (record["model"], record["sample_idx"]) == ("me", 2)
    wrong = finish(rollout.open_row(acting.rows[1]), ["no"]).transcript("me")
    wrong["outcome"] = record["outcome"]
    wrong["messages"] += [{"role": "user", "content": "Solved!"}]
    assert score_records(acting, [wrong], tmp_path)["counts"]["correct"] == 0


def test_a_play_is_no_longer_than_what_the_scorer_replays(acting, monkeypatch, tmp_path):
    row = acting.rows[0]
    replies = acting.references[row["id"]]
    for module in (
        "facelet.pipeline.rollout.row_episode",
        "facelet.pipeline.scoring.ingest.prediction",
    ):
        monkeypatch.setattr(f"{module}.MAX_TURNS", len(replies) - 1)
    play = rollout.open_row(row)
    for reply in replies[:-1]:
        play.reply(reply)
    assert play.done and play.outcome.status == "unparsed"
    record = play.transcript()
    record["messages"].append({"role": "assistant", "content": replies[-1]})
    assert score_records(acting, [record], tmp_path)["counts"]["unparsed"] == 1


# --- replies and rows that are none ---------------------------------------------------------------


@pytest.mark.parametrize("reply", [None, 3, ["A"], b"A"])
def test_a_reply_is_a_string(acting, reply):
    play = rollout.open_row(acting.rows[0])
    with pytest.raises(ValueError, match="a reply must be a string"):
        play.reply(reply)
    assert not play.done and play.replies == []


@pytest.mark.parametrize("noise", ["x" * (MAX_REPLY + 1), "\ud800", "\0\x1b[31m", ""])
def test_any_string_is_judged_as_the_scorer_does(publish, noise, tmp_path):
    choice = publish("cube/move_prediction")
    row = choice.rows[0]
    play = finish(rollout.open_row(row), [noise + "\n" + choice.references[row["id"]][0]])
    told = score_records(choice, [play.transcript()], tmp_path)
    assert told["counts"][play.outcome.status] == 1
    assert told["strict"] == play.outcome.strict


def test_rows_that_are_none_are_refused(publish):
    choice = publish("cube/move_prediction")
    row = choice.rows[0]
    for change, message in (
        ({"task": "cube/none"}, "unknown task 'cube/none'"),
        ({"task_version": 99}, "version 99, but version .* is installed"),
        ({"task_version": None}, "has no column 'task_version'"),
        ({"messages": row["messages"][:1]}, "differ from those of its puzzle"),
        ({"messages": "Display!"}, "column 'messages' of the row is not of type list"),
    ):
        with pytest.raises(ValueError, match=message):
            rollout.open_row({**row, **change})
    with pytest.raises(ValueError, match="the row has no column 'id'"):
        rollout.open_row({})


def test_a_picture_that_was_published_otherwise_is_refused(publish):
    choice = publish("cube/move_prediction")
    row = next(row for row in choice.rows if row["images"])
    play = rollout.open_row({**row, "image_hashes": ["0" * 64]})
    with pytest.raises(ValueError, match=r"picture 0 of .* differs from the published picture"):
        _ = play.messages


def test_pictures_are_those_that_datasets_decodes(acting):
    loaded = datasets.Dataset(acting.table)[0]
    play = rollout.open_row(loaded, "transformers")
    (image,) = loaded["images"]
    assert isinstance(image, Image.Image)
    parts = [part for message in play.messages for part in message["content"]]
    (shown,) = [part["image"] for part in parts if part["type"] == "image"]
    assert shown.tobytes() == image.tobytes()
    assert image.size == Image.open(io.BytesIO(acting.rows[0]["images"][0]["bytes"])).size


# --- rows of a folder -----------------------------------------------------------------------------


def test_rows_and_find_row_read_a_folder(acting):
    found = list(rollout.rows(acting.folder, "suite.act", "test"))
    assert [row["id"] for row in found] == [row["id"] for row in acting.rows]
    assert "images" not in found[0]
    assert list(rollout.rows(str(acting.folder))) == found
    for row in found:
        assert rollout.find_row(acting.folder, row["id"]) == row
        spelled = row["id"].replace("/", "-").replace(".", "_")
        assert rollout.find_row(acting.folder, spelled) == row


def test_mistakes_in_names_are_told(acting, tmp_path):
    first = acting.rows[0]["id"]
    with pytest.raises(ValueError, match=r"unknown config 'suite.atc' .did you mean 'suite.act'"):
        rollout.rows(acting.folder, "suite.atc")
    with pytest.raises(ValueError, match="unknown split 'train'; known: test"):
        rollout.rows(acting.folder, "suite.act", "train")
    with pytest.raises(ValueError, match=f"no row '{first[:-1]}9'.*did you mean '{first[:-2]}"):
        rollout.find_row(acting.folder, f"{first[:-1]}9")
    with pytest.raises(ValueError, match="no dataset folder"):
        rollout.rows(tmp_path / "none")
