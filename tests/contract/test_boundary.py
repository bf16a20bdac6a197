"""The reply boundary, over all readers of the registry.

Twenty markers that end a turn and twenty tags around reasoning stand around the replies of every
task. A quarter of each is taken out of the table of markers first: of these no wrong reply may
count, and what is not told apart counts for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.replay import replay
from facelet.generators.core.replies import boundary
from facelet.generators.core.replies.boundary import visible_text
from facelet.generators.core.replies.markers import TABLE
from facelet.generators.core.task import Status
from facelet.generators.core.text_game import Game

TERMINATORS = {
    "<|im_end|>": "<|im_start|>{}\n",
    "<|endoftext|>": "{}: ",
    "<|eot_id|>": "<|start_header_id|>{}<|end_header_id|>\n\n",
    "<|end_of_text|>": "<|start_of_role|>{}<|end_of_role|>",
    "</s>": "<|{}|>\n",
    "<end_of_turn>\n": "<start_of_turn>{}\n",
    "<|end|>": "<|start|>{}<|message|>",
    "<\uff5cend\u2581of\u2581sentence\uff5c>": "<\uff5c{}\uff5c>",
    "<|END_OF_TURN_TOKEN|>": "<|START_OF_TURN_TOKEN|><|{}_TOKEN|>",
    "[|endofturn|]\n": "[|{}|]",
    "<|end_of_turn|>": "GPT4 Correct {}: ",
    "<|eot|>": "<|header_start|>{}<|header_end|>\n\n",
    "<seed:eos>": "<seed:bos>{}\n",
    "<|return|>": "<|start|>{}<|channel|>final<|message|>",
    "<|assistant_end|>": "<|{}_start|>",
}
UNLISTED_TERMINATORS = {
    "<|eom_id|>": "<|start_header_id|>{}<|end_header_id|>\n\n",
    "<end_of_utterance>\n": "{}: ",
    "<|eos|>": "<|hy_{}|>",
    "<|turn_over|>": "<|next_up|>{}\n",
    "<|stop_token|>": "<|{}_begins|>",
}
TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<thoughts>": "</thoughts>",
    "<REASONING>": "</REASONING>",
    "<reflection>": "</reflection>",
    "<scratchpad>": "</scratchpad>",
    "<analysis>": "</analysis>",
    "[THINK]": "[/THINK]",
    "<seed:think>": "</seed:think>",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "\u25c1think\u25b7": "\u25c1/think\u25b7",
    "<|channel|>analysis<|message|>": "<|end|><|start|>assistant<|channel|>final<|message|>",
}
UNLISTED_TAGS = {
    "<reason>": "</reason>",
    "<longcat_think>": "</longcat_think>",
    "<unused94>": "</unused95>",
    "<musing>": "</musing>",
    "<inner_voice>": "</inner_voice>",
}
HELD = ("<|eom_id|>", "<end_of_utterance>", "<|eos|>", "<reason>", "</reason>")
HELD += ("<longcat_think>", "</longcat_think>", "<unused94>", "<unused95>")


def test_there_are_twenty_of_each_and_a_quarter_is_unlisted() -> None:
    for listed, unlisted in ((TERMINATORS, UNLISTED_TERMINATORS), (TAGS, UNLISTED_TAGS)):
        assert (len(listed), len(unlisted)) == (15, 5)
        assert not set(listed) & set(unlisted)


def turns(end: str, header: str, right: str, wrong: str) -> Iterator[tuple[str, str]]:
    """Yield replies whose turn ends, and what an invented turn says behind it."""
    user, own = header.format("user"), header.format("assistant")
    yield "ended", f"{right}{end}"
    yield "closed", f"{right}{end}{user}And now?{end}{own}{wrong}{end}"
    yield "open", f"{right}{end}{user}And now?\n{own}{wrong}"
    yield "without opener", f"{right}{end}user\nAnd now?{end}assistant\n{wrong}{end}"


def reasoned(opened: str, closed: str, right: str, wrong: str) -> Iterator[tuple[str, str]]:
    """Yield replies behind reasoning that holds another answer."""
    yield "closed", f"{opened}\nIt could be this.\n\n{wrong}\n{closed}\n{right}"
    yield "without opener", f"It could be this.\n\n{wrong}\n{closed}\n{right}"


@pytest.mark.parametrize("name", task_registry.task_names())
def test_every_reader_reads_the_reply_and_nothing_else(
    name: str, make_case: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for token in HELD:
        monkeypatch.delitem(TABLE, token)
    task: Any = task_registry.load_task(name)
    instances = [one for one in make_case(name, task.params()).instances if task.gold_answer(one)]
    found = list(misread(task, instances))
    assert not found, "\n".join(f"{kind}: {text!r}" for kind, text in found[:9])


def misread(task: Any, instances: list[Any]) -> Iterator[tuple[str, str]]:
    """Yield what is not read as the right reply alone is."""
    replies = task.reference(instances[0])
    right = replies[-1]
    others = (reply for one in instances for reply in task.reference(one))
    wrong = next((reply for reply in others if reply != right), f"{right} again")

    def read(text: str) -> tuple[Any, ...]:
        if isinstance(task, Game):
            value = task.read(text).value
            return value is not None, value
        outcome = replay(task.open(instances[0]), (*replies[:-1], text))
        return outcome.status is not Status.UNPARSED and bool(outcome.answer), outcome.answer

    expected = read(right)
    assert expected[0]
    for listed, families, texts in (
        (True, TERMINATORS, turns),
        (False, UNLISTED_TERMINATORS, turns),
        (True, TAGS, reasoned),
        (False, UNLISTED_TAGS, reasoned),
    ):
        for one, other in families.items():
            for kind, text in texts(one, other, right, wrong):
                found = read(text)
                if found != expected and (listed or found[0]):
                    yield f"{one} {kind}", text
            if texts is reasoned:
                for text in (f"{one}\nI see.\n\n{right}", f"Well.\n{one} So:\n{right}"):
                    if read(text)[0]:
                        yield f"{one} open", text


SILENT = {
    "comment of HTML": "<!-- {} -->",
    "comment of HTML in lines": "<!--\n{}\n-->",
    "open comment of HTML": "I see.\n<!-- {}",
    "comment of LaTeX": "\\begin{{comment}}\n{}\n\\end{{comment}}",
    "comment of code": "/* {} */",
    "comment of code in lines": "/*\n{}\n*/",
    "unknown tag": "<foo>{}</foo>",
    "unknown tag in lines": "<foo>\n{}\n</foo>",
    "unknown tag with an attribute": '<foo kind="b">\n{}\n</foo>',
    "unknown tag with a word": "<foo bar>\n{}\n</foo>",
    "draft": "<draft_answer>\n{}\n</draft_answer>",
    "junk before": "<foo>{}",
    "junk with a word before": "<foo bar>\n{}",
    "junk with a bar before": "<|foo|>assistant_two\n<foo_bar>\n{}",
}
LINES = {
    "lines of LaTeX": "% ",
    "lines of code": "// ",
    "lines of a program": "# ",
}


@pytest.mark.parametrize("name", task_registry.task_names())
def test_what_is_not_said_aloud_is_no_answer(name: str, make_case: Callable[..., Any]) -> None:
    task: Any = task_registry.load_task(name)
    instances = [one for one in make_case(name, task.params()).instances if task.gold_answer(one)]
    replies = task.reference(instances[0])
    right = replies[-1]
    texts = {kind: form.format(right) for kind, form in SILENT.items()}
    for kind, sign in LINES.items():
        said = "\n".join(sign + line for line in right.split("\n"))
        texts[kind] = f"```python\n{said}\n```"

    def is_read(text: str) -> bool:
        if isinstance(task, Game):
            return task.read(text).value is not None
        outcome = replay(task.open(instances[0]), (*replies[:-1], text))
        return outcome.status is not Status.UNPARSED and bool(outcome.answer)

    assert is_read(right)
    assert not [kind for kind, text in texts.items() if is_read(text)]
    assert is_read(f"<!-- I see. -->\n{right}")


SHOWN = {
    "<!-- A -->B": "B",
    "// A\nB": "B",
    "50% of it: B": "50% of it: B",
    "see http://a.b: B": "see http://a.b: B",
    "```python\n# A\n```\nB": "```python\n\n```\nB",
    "# B": "# B",
    "Answer: <foo>B</foo>": "Answer: <foo>B</foo>",
    "<foo>A</foo>B": "B",
    '<answer type="final">B</answer>': '<answer type="final">B</answer>',
    "<foo/>B": "<foo/>B",
    "B <foo>": "B <foo>",
    "B<|im_end|>\n<|im_start|>assistant\nC": "B",
    "<|im_start|>assistant\nB<|im_end|>": "B",
    "Assistant: B\nUser: and now?\nAssistant: C": "B",
    "### Assistant\nB\n### Instruction:\nAnd now?": "B",
    "user\nWhat is it?\nassistant\nB": "",
    "<|channel|>analysis<|message|>A<|end|>": "",
    "analysisIt is A.assistantfinalB": "B",
    "<think>I end with </s> or <|im_end|>.</think>B": "B",
    "<think>A<|im_end|>\n<|im_start|>user\n<think></think>B": "",
    "B <s>A</s>": "B",
    "<s> B</s> A": "B",
    "<answer>B": "<answer>B",
    "<code>\nB": "<code>\nB",
    "<details><summary>A</summary></details>B": "<details><summary>A</summary></details>B",
    "My Move: <left> for now.": "My Move: <left> for now.",
    "<musing>\nB": "",
    "B\n<musing>\nA": "B",
    "A </musing> B": "B",
    "<musing>\nA\n</musing>\nB": "B",
    "<my_answer>\nB\n</my_answer>": "<my_answer>\nB\n</my_answer>",
    "B<|odd_thing|>user\nA": "",
    "<|odd_thing|>B": "B",
    "a<b>c and List<int> d": "a<b>c and List<int> d",
    "<B>\n<DECREASE>": "<B>\n<DECREASE>",
}


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_the_reply(text: str) -> None:
    assert visible_text(text) == SHOWN[text]
    assert boundary.without_comments(boundary._visible_text(text, boundary.TAIL)) == SHOWN[text]


@pytest.mark.parametrize(
    "piece",
    [
        "<|a|>",
        "<think>",
        "</x>",
        "\nUser:",
        "<a_b",
        "[|",
        "<|channel|>",
        "<x y=",
        "<think></think>",
        "<!--",
        "/*",
        "\n//",
        "```python\n#",
        "\\begin{comment}",
    ],
)
def test_the_time_is_linear(piece: str) -> None:
    assert len(visible_text(piece * (2_000_000 // len(piece)))) <= boundary.TAIL + 1
