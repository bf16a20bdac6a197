"""Markers: how published chat templates end a turn, and how models mark their reasoning.

A token is written in lower case, with plain bars and underscores: "<|end_of_sentence|>" stands for
DeepSeek's full-width one too. A marker that is missing here is told by its shape and by the words
in its name; see the module boundary.
"""

from __future__ import annotations

import re
from enum import Enum, auto


class Kind(Enum):
    """What a marker does to a reply."""

    END = auto()
    """Ends the reply: nothing behind it is read."""
    TURN = auto()
    """Begins a turn: the model's own where the reply begins with it, otherwise an invented one."""
    OPEN = auto()
    """Opens reasoning."""
    CLOSE = auto()
    """Closes reasoning: what stands before it is no answer, opened or not."""
    BREAK = auto()
    """Parts a reply like the end of a line."""
    TEXT = auto()
    """Belongs to the text: a tag that holds an answer, or dresses it."""
    UNKNOWN = auto()
    """Looks like a turn of a template that is not known: the reply cannot be told."""


ENDS = {
    "ChatML (Qwen, SmolLM2, Yi, InternLM2, Kimi K2)": "<|im_end|>",
    "GPT-2's end of text (Qwen, Phi, Falcon, OLMo)": "<|endoftext|>",
    "Llama 3": "<|eot_id|> <|eom_id|> <|end_of_text|>",
    "Llama 4": "<|eot|> <|eom|>",
    "Llama 2, Mistral, Zephyr": "</s>",
    "Gemma": "<end_of_turn> <eos>",
    "Gemma 4": "<turn|>",
    "Phi-3 and harmony (gpt-oss)": "<|end|> <|return|> <|call|>",
    "DeepSeek and ERNIE 4.5": "<|end_of_sentence|>",
    "Command R": "<|end_of_turn_token|> <|end_response|>",
    "EXAONE": "[|endofturn|]",
    "OpenChat, Starling": "<|end_of_turn|>",
    "Apertus, nanochat": "<|assistant_end|>",
    "Seed-OSS": "<seed:eos>",
    "InternLM": "<eoa> <eoh>",
    "Idefics2, SmolVLM": "<end_of_utterance>",
    "Solar": "<|flush|>",
    "Grok 2": "<|separator|>",
    "Hunyuan": "<|eos|>",
    "Qwen-7B": "<|endofdocument|>",
}
"""End-of-turn markers, by the templates that publish them."""

TURNS = {
    "ChatML": "<|im_start|>",
    "Kimi K2": "<|im_user|> <|im_assistant|> <|im_system|>",
    "Llama 3": "<|start_header_id|>",
    "Llama 4": "<|header_start|>",
    "Llama 2, Mistral": "[inst] [/inst] <sys> [system_prompt]",
    "Gemma": "<start_of_turn>",
    "Gemma 4": "<|turn>",
    "Phi-3, Zephyr, GLM-4": "<|user|> <|assistant|> <|system|> <|observation|> <|tool|>",
    "harmony (gpt-oss)": "<|start|>",
    "DeepSeek": "<|user|> <|assistant|>",
    "Command R": "<|start_of_turn_token|> <|user_token|> <|chatbot_token|> <|system_token|>",
    "EXAONE": "[|user|] [|assistant|] [|system|]",
    "Granite": "<|start_of_role|>",
    "Apertus, nanochat": "<|user_start|> <|assistant_start|> <|system_start|>",
    "Seed-OSS": "<seed:bos>",
    "OpenAssistant": "<|prompter|>",
    "Guanaco and others": "<user> <human> <assistant> <bot>",
}
"""What begins a turn, by the templates that publish it."""

REASONING = {
    "DeepSeek-R1, QwQ, Qwen3": "<think> </think>",
    "Claude, prompts": "<thinking> </thinking>",
    "Kimi-VL": "<think> </think>",
    "EXAONE Deep": "<thought> </thought>",
    "prompts of papers": "<thoughts> </thoughts>",
    "GRPO recipes": "<reasoning> </reasoning>",
    "Reflection 70B": "<reflection> </reflection>",
    "prompts of agents": "<scratchpad> </scratchpad>",
    "reasoning as analysis": "<analysis> </analysis>",
    "Magistral": "[think] [/think]",
    "Nemotron prompts": "<reason> </reason>",
    "Seed-OSS": "<seed:think> </seed:think>",
    "Command A Reasoning": "<|start_thinking|> <|end_thinking|>",
    "OpenThinker, Sky-T1": "<|begin_of_thought|> <|end_of_thought|>",
    "Apertus": "<|inner_prefix|> <|inner_suffix|>",
    "LongCat": "<longcat_think> </longcat_think>",
    "MedGemma": "<unused94> <unused95>",
    "Gemma 4": "<|channel> <channel|>",
    "Phi-4 Reasoning, GLM": "<|think|> <|/think|>",
    "struck out": "<del> </del>",
    "struck out, as HTML writes it": "<strike> </strike>",
}
"""The pairs of tags around what is no answer, by the models or recipes that write them."""

BREAKS = (
    "<|begin_of_box|> <|end_of_box|> <|begin_of_solution|> <|end_of_solution|> <|begin_of_text|>"
    " <s> <bos> <|start_response|> <|startoftext|> <|end_header_id|> <|header_end|> <|im_middle|>"
    " <|im_sep|> <|end_of_role|> <|message|> <|begin_of_sentence|> <|start_text|> <|end_text|>"
    " <pad> <unk> <|pad|> <|constrain|> <|python_tag|> <br> <hr>"
)
"""Special tokens that a reply goes on behind."""

HOLDING = (
    "answer answers final final_answer finalanswer final_output output result response reply"
    " solution choice option letter label code action actions command commands move moves query"
    " guess step steps state board grid array matrix json list attempt_completion"
    " a b i u p em strong span div pre sub sup mark kbd tt font center blockquote details summary"
    " ul ol li dl dt dd table thead tbody tr td th h1 h2 h3 h4 h5 h6 img image"
)
"""Tags that hold an answer or dress a text, so that one that never closes opens no reasoning."""

ROLES = "user|human|system|assistant|tool|model|bot|ai|developer|observation|prompter|function|gpt"
ROLE_NAMED = re.compile(rf"(?:\b|_)(?:{ROLES})(?:\b|_)")
ROLE_BEHIND = re.compile(rf"\s*(?P<role>{ROLES})(?![\w'])", re.IGNORECASE)
OWN = ("assistant", "model", "bot", "ai", "gpt", "chatbot_token", "/inst")
"""Roles of the model itself."""
REASONS = re.compile(
    r"think|thought|reason|reflect|scratch|analy[sz]|monolog|ponder|delib|rationale"
)
"""What names of tags around reasoning hold."""
CLOSES = re.compile(r"^/|(?:\b|_)(?:end|suffix|close|stop)|end$")
STOPS = re.compile(r"(?:\b|_)(?:end|eo[a-z]{1,3}|stop)(?:\b|_|of)|end$")
"""What names of tokens that end something hold."""


def _table() -> dict[str, tuple[Kind, str]]:
    table = {f"<{name}>": (Kind.TEXT, name) for name in HOLDING.split()}
    table |= {f"</{name}>": (Kind.TEXT, name) for name in HOLDING.split()}
    table |= {token: (Kind.BREAK, "") for token in BREAKS.split()}
    for kind, tokens in ((Kind.TURN, TURNS), (Kind.END, ENDS)):
        table |= {token: (kind, "") for each in tokens.values() for token in each.split()}
    for pair in REASONING.values():
        opened, closed = pair.split()
        family = opened.strip("<>|[]").removesuffix("ing")
        table[opened], table[closed] = (Kind.OPEN, family), (Kind.CLOSE, family)
    return table


TABLE = _table()
"""What each known token does, and of which family it is."""
