"""Patterns of reasoning: the lexical count, counts of transcripts, faults of analysers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from arcade_published import publish_games, write_transcripts

from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord
from facelet.pipeline.scoring.ingest.reasoning_patterns import (
    NAMES,
    count_lexical_cues,
    find_analyser,
    pattern_metrics,
    read_annotations,
)
from facelet.pipeline.scoring.scorer import ScoreSettings, score


def test_sentences_with_a_cue_are_counted() -> None:
    text = "The goal is far; recall the rules. Wait, I check that. Next I will ask. The result?"
    assert count_lexical_cues(text) == {"associate": 1, "verify": 1, "plan": 1, "feedback": 1}
    assert count_lexical_cues("My Query: 1, 2") == dict.fromkeys(NAMES, 0)
    assert count_lexical_cues("Checkered nextdoor planet") == dict.fromkeys(NAMES, 0)


def test_counts_of_a_transcript_are_bounded_and_named() -> None:
    def make_message(patterns: Any) -> list[dict[str, Any]]:
        return [{"role": "assistant", "content": "x", "patterns": patterns}]

    assert read_annotations(
        [*make_message({"plan": 2}), *make_message({"plan": 1, "verify": 3})]
    ) == (0, 3, 3, 0)
    assert read_annotations([{"role": "user", "content": "x", "patterns": {"plan": 1}}]) is None
    assert read_annotations(None) is None
    for bad in ({"luck": 1}, {"plan": -1}, {"plan": 1e9}, {"plan": float("nan")}, {"plan": "1"}, 3):
        with pytest.raises(UnreadableRecord):
            read_annotations(make_message(bad))


def test_analysers_are_found_by_name() -> None:
    assert find_analyser("none") is None and find_analyser("lexical") is count_lexical_cues
    assert (
        find_analyser("facelet.pipeline.scoring.ingest.reasoning_patterns:count_lexical_cues")
        is count_lexical_cues
    )
    for name in ("lexicon", "no.such.module:f", "math:pi", "math:nothing"):
        with pytest.raises(ValueError, match="patterns="):
            find_analyser(name)
    with pytest.raises(ValueError, match="luck=1"):
        pattern_metrics(["x"], None, lambda reply: {"luck": 1})


def test_figures_are_occurrences_a_turn(tmp_path: Path) -> None:
    """Counts that come with the first transcript replace those of the analyser there."""
    root = publish_games(tmp_path / "data", ["min_max"], [1], 4)
    file = write_transcripts(root, tmp_path / "said.jsonl", "model", lambda row: True)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    turns = 0
    for number, line in enumerate(lines):
        said = [one for one in line["messages"] if one["role"] == "assistant"]
        turns += len(said)
        for message in said:
            message["content"] = "I check it. Next I will ask.\n" + message["content"]
            if number == 0:
                message["patterns"] = {"verify": 5}
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    first = sum(one["role"] == "assistant" for one in lines[0]["messages"])
    settings = ScoreSettings(resamples=100, analyse=count_lexical_cues)
    (model,) = score(root, [file], settings).results["models"]
    (split,) = model["configs"]["evolarena.min_max"]["splits"].values()
    figures = {name: one["value"] for name, one in split["cells"][0]["figures"].items()}
    assert figures["accuracy"] == 1
    assert figures["pattern_verify"] == pytest.approx((turns - first + 5 * first) / turns)
    assert figures["pattern_plan"] == pytest.approx((turns - first) / turns)
    assert figures["pattern_associate"] == figures["pattern_feedback"] == 0
    (model,) = score(root, [file], ScoreSettings(resamples=100)).results["models"]
    (split,) = model["configs"]["evolarena.min_max"]["splits"].values()
    assert split["cells"][0]["figures"]["pattern_verify"]["value"] == 5  # those alone that came
