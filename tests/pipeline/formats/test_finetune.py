"""Fine-tuning sets: what trainers document, levels, targets that are right, no test start."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import datasets
import pytest
from PIL import Image

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Status
from facelet.pipeline.cli import main
from facelet.pipeline.formats.finetune_writer import iterate_samples

TASKS = [
    f"{family}/{way}_deformation" for family in ("shapes", "cube") for way in ("forward", "inverse")
]


def make_examples(folder: Path, *words: str) -> list[dict[str, Any]]:
    assert main(["finetune", f"out={folder}", *words]) == 0
    return [json.loads(line) for line in (folder / "train.jsonl").read_text().splitlines()]


def load_folder(folder: Path) -> Any:
    return datasets.load_dataset(
        "json", data_files=str(folder / "train.jsonl"), split="train", cache_dir=str(folder / "c")
    )


@pytest.mark.parametrize("shown", ["text", "picture"])
def test_messages_as_trl_and_axolotl_want_them(shown: str, tmp_path: Path) -> None:
    """TRL: prompt-completion chats under `messages`, parts of type text and image, a list `images`.

    Axolotl's chat_template reads the same: role and content, or parts with a type.
    """
    words = ["task=shapes/inverse_deformation", "count=6", "highest=3", f"params=[input:{shown}]"]
    lines = make_examples(tmp_path / "set", *words)
    table = load_folder(tmp_path / "set")
    assert len(lines) == len(table) == 6
    for line in table:
        assert [m["role"] for m in line["messages"]] == ["system", "user", "assistant"]
        contents = [m["content"] for m in line["messages"]]
        if shown == "text":
            assert all(isinstance(content, str) for content in contents)
            continue
        parts = [part for content in contents for part in content]
        assert {part["type"] for part in parts} == {"text", "image"}
        assert sum(part["type"] == "image" for part in parts) == len(line["images"]) == 2
        for name in line["images"]:
            with Image.open(tmp_path / "set" / name) as image:
                assert image.format == "PNG"


def test_sharegpt_as_llama_factory_wants_it(tmp_path: Path) -> None:
    """data/README.md of LLaMA-Factory: turns of human and gpt, one <image> a picture."""
    words = ["task=cube/forward_deformation", "count=4", "highest=2", "form=sharegpt"]
    make_examples(tmp_path / "set", *words)
    about = json.loads((tmp_path / "set" / "dataset_info.json").read_text())["facelet"]
    assert about["formatting"] == "sharegpt" and about["file_name"] == "train.jsonl"
    for line in load_folder(tmp_path / "set"):
        assert set(about["columns"].values()) <= set(line)
        turns = line["conversations"]
        assert [turn["from"] for turn in turns] == ["human", "gpt"]
        said = "".join(turn["value"] for turn in turns)
        assert said.count("<image>") == len(line["images"]) == 2 and line["system"]


@pytest.mark.parametrize("name", TASKS)
def test_targets_are_right_and_levels_even(name: str) -> None:
    task = task_registry.load_task(name)
    for target in ("letter", "reasoning"):
        found = list(iterate_samples(task, {"input": "text"}, 25, 10, target, 0))  # type: ignore[arg-type]
        assert Counter(s.level for s in found) == {n: 3 if n <= 5 else 2 for n in range(1, 11)}
        for sample in found:
            outcome = task.open(task.decode(sample.row)).reply(sample.target)
            assert outcome.status is Status.CORRECT and outcome.strict  # type: ignore[union-attr]
            assert sample.row["half"] == "train"


def test_no_start_is_in_a_test_set() -> None:
    task = task_registry.load_task("shapes/forward_deformation")
    trained = {
        s.row["canonical"] for s in iterate_samples(task, {"input": "text"}, 600, 3, "letter", 0)
    }
    tested = set()
    for index in range(600):
        (instance,) = task.generate(task.params(input="text"), Draw((0, "x"), index), None)
        tested.add(task.encode(instance)["canonical"])
    assert len(trained) > 500 and len(tested) > 500 and not trained & tested


def test_sets_are_the_same_each_time(tmp_path: Path) -> None:
    words = ["task=shapes/forward_deformation", "count=6", "target=reasoning"]
    assert make_examples(tmp_path / "a", *words) == make_examples(tmp_path / "b", *words)


def test_a_set_is_mixed_over_tracks(tmp_path: Path) -> None:
    names = ["forward_2d_text", "forward_25d_text", "forward_3d_text"]
    words = [f"task={','.join(f'inf_bench.{name}' for name in names)}", "highest=2"]
    lines = make_examples(tmp_path / "set", *words, "count=14")
    asked = [line["messages"][0]["content"] for line in lines]
    kinds = ["cube" if "cube" in t else "2.5d" if "layers" in t else "2d" for t in asked]
    assert kinds == [*["2d", "2.5d", "cube"] * 4, "2d", "2.5d"]
    assert all(len(line["messages"]) == 3 for line in lines)
    assert len({line["messages"][1]["content"] for line in lines}) == 14


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("inf_bench.forward_2d,inf_bench.forward_2d_text", "some have none"),
        ("inf_bench.forward_4d", "inf_bench has inf_bench.forward_2d"),
        ("inf_bench.forward_2d,inf_bench.forward_2d", "names one twice"),
    ],
)
def test_tracks_that_do_not_mix_are_refused(
    task: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["finetune", f"task={task}", f"out={tmp_path / 'set'}", "count=4"]) == 2
    assert said in capsys.readouterr().err


def test_small_worlds_say_when_they_are_used_up() -> None:
    task = task_registry.load_task("shapes/forward_deformation")
    with pytest.raises(ValueError, match="fine-tuning set itself"):
        list(iterate_samples(task, {"half": "test"}, 1, 1, "letter", 0))
    with pytest.raises(ValueError, match="no levels"):
        list(iterate_samples(task_registry.load_task("labyrinth/plan"), {}, 1, 1, "letter", 0))


@pytest.mark.parametrize(
    "words",
    [["task=shapes/forward_deformation"], ["out=x"],
     ["task=nothing/nothing", "out=x"],
     ["task=shapes/forward_deformation", "out=x", "form=csv"],
     ["task=shapes/forward_deformation", "out=x", "target=all"],
     ["task=shapes/forward_deformation", "out=x", "count=0"],
     ["task=shapes/forward_deformation", "out=x", "params=[input]"],
     ["task=shapes/forward_deformation", "out=x", "params=[input:sound]"]],
)  # fmt: skip
def test_bad_words_are_refused(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["finetune", *words]) == 2


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    assert main(["finetune", "task=shapes/forward_deformation", f"out={tmp_path}"]) == 2


def test_sets_with_pictures_open_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "set"
    words = ["task=cube/forward_deformation", f"out={out}", "count=3", "highest=2"]
    assert main(["finetune", *words, "form=messages", "params=[input:picture]"]) == 0
    lines = [json.loads(line) for line in (out / "train.jsonl").read_text().splitlines()]
    moved = tmp_path / "moved.parquet"
    (out / "train.parquet").rename(moved)
    monkeypatch.chdir("/")
    loaded = datasets.load_dataset(
        "parquet", data_files=str(moved), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert [row["messages"] for row in loaded] == [line["messages"] for line in lines]
    for row, line in zip(loaded, lines, strict=True):
        for picture, name in zip(row["images"], line["images"], strict=True):
            assert picture.tobytes() == Image.open(out / name).convert(picture.mode).tobytes()
