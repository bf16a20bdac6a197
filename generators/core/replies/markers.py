"""List the markers that end turns and enclose reasoning, with the documents that define them.

A source is a repository of the Hugging Face Hub or of GitHub and a file in it, or a page. A token
is written in lower case, with plain bars and underscores: "<|end_of_sentence|>" also matches
DeepSeek's token with full-width signs. A marker that is not listed is recognized by its shape and
by the words in its name; see the module boundary.
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
    """Closes reasoning: the text before it is no answer, opened or not."""
    BREAK = auto()
    """Parts a reply like the end of a line."""
    TEXT = auto()
    """Belongs to the text: a tag that holds an answer, or dresses it."""
    UNKNOWN = auto()
    """Looks like a turn of a template that is not known: the reply cannot be told."""


ENDS = {
    "ChatML: Qwen/Qwen3-8B tokenizer_config.json chat_template": "<|im_end|>",
    "GPT-2: openai-community/gpt2 tokenizer.json": "<|endoftext|>",
    "Llama 3: meta-llama/Llama-3.1-8B-Instruct tokenizer_config.json": (
        "<|eot_id|> <|eom_id|> <|end_of_text|>"
    ),
    "Llama 4: meta-llama/Llama-4-Scout-17B-16E-Instruct tokenizer_config.json": "<|eot|> <|eom|>",
    "Llama 2, Mistral: mistralai/Mistral-7B-Instruct-v0.3 tokenizer_config.json": "</s>",
    "Gemma: google/gemma-2-9b-it tokenizer_config.json chat_template": "<end_of_turn> <eos>",
    "Gemma 4: ai.google.dev/gemma/docs/core/prompt-formatting-gemma4": "<turn|>",
    "Phi-3: microsoft/Phi-3-mini-4k-instruct tokenizer_config.json chat_template": "<|end|>",
    "harmony: openai/harmony docs/format.md": "<|end|> <|return|> <|call|>",
    "DeepSeek: deepseek-ai/DeepSeek-R1 tokenizer_config.json": "<|end_of_sentence|>",
    "Command R: CohereLabs/c4ai-command-r-v01 tokenizer_config.json": "<|end_of_turn_token|>",
    "Command R7B: CohereLabs/c4ai-command-r7b-12-2024 tokenizer_config.json": "<|end_response|>",
    "EXAONE: LGAI-EXAONE/EXAONE-3.5-7.8B-Instruct tokenizer_config.json": "[|endofturn|]",
    "OpenChat: openchat/openchat-3.5-0106 tokenizer_config.json chat_template": "<|end_of_turn|>",
    "nanochat: karpathy/nanochat nanochat/tokenizer.py": "<|assistant_end|>",
    "Seed-OSS: ByteDance-Seed/Seed-OSS-36B-Instruct tokenizer_config.json": "<seed:eos>",
    "InternLM: internlm/internlm-chat-7b modeling_internlm.py": "<eoa> <eoh>",
    "Idefics2: HuggingFaceM4/idefics2-8b processor_config.json chat_template": "<end_of_utterance>",
    "Solar Open: upstage/Solar-Open-100B chat_template.jinja": "<|flush|>",
    "Grok 2: xai-org/grok-2 README.md": "<|separator|>",
    "Hunyuan: tencent/Hunyuan-A13B-Instruct tokenizer_config.json": "<|eos|>",
    "observed: what parts documents in training data": "<|endofdocument|>",
}
"""End-of-turn markers, by the published document that defines each, or where it was observed."""

TURNS = {
    "ChatML: Qwen/Qwen3-8B tokenizer_config.json chat_template": "<|im_start|>",
    "Kimi K2: moonshotai/Kimi-K2-Instruct tokenizer_config.json": (
        "<|im_user|> <|im_assistant|> <|im_system|>"
    ),
    "Llama 3: meta-llama/Llama-3.1-8B-Instruct tokenizer_config.json": "<|start_header_id|>",
    "Llama 4: meta-llama/Llama-4-Scout-17B-16E-Instruct tokenizer_config.json": "<|header_start|>",
    "Mistral: mistralai/Mistral-Small-24B-Instruct-2501 tokenizer_config.json": (
        "[inst] [/inst] [system_prompt]"
    ),
    "Llama 2, its system prompt without doubled brackets: observed": "<sys>",
    "Gemma: google/gemma-2-9b-it tokenizer_config.json chat_template": "<start_of_turn>",
    "Gemma 4: ai.google.dev/gemma/docs/core/prompt-formatting-gemma4": "<|turn>",
    "Phi-3: microsoft/Phi-3-mini-4k-instruct tokenizer_config.json chat_template": (
        "<|user|> <|assistant|> <|system|>"
    ),
    "GLM-4: zai-org/GLM-4.5 chat_template.jinja": "<|observation|>",
    "Phi-4 mini: microsoft/Phi-4-mini-instruct tokenizer_config.json": "<|tool|>",
    "harmony: openai/harmony docs/format.md": "<|start|>",
    "DeepSeek: deepseek-ai/DeepSeek-R1 tokenizer_config.json": "<|user|> <|assistant|>",
    "Command R: CohereLabs/c4ai-command-r-v01 tokenizer_config.json": (
        "<|start_of_turn_token|> <|user_token|> <|chatbot_token|> <|system_token|>"
    ),
    "EXAONE: LGAI-EXAONE/EXAONE-3.5-7.8B-Instruct tokenizer_config.json": (
        "[|user|] [|assistant|] [|system|]"
    ),
    "Granite: ibm-granite/granite-3.3-8b-instruct tokenizer_config.json": "<|start_of_role|>",
    "nanochat: karpathy/nanochat nanochat/tokenizer.py": "<|user_start|> <|assistant_start|>",
    "Apertus: swiss-ai/Apertus-8B-Instruct-2509 chat_template.jinja": "<|system_start|>",
    "Seed-OSS: ByteDance-Seed/Seed-OSS-36B-Instruct tokenizer_config.json": "<seed:bos>",
    "OpenAssistant: OpenAssistant/oasst-sft-4-pythia-12b-epoch-3.5 README.md": "<|prompter|>",
    "observed in replies of models tuned on dialogues in tags": "<user> <human> <assistant> <bot>",
}
"""What begins a turn, by the published document that defines it, or where it was observed."""

REASONING = {
    "DeepSeek-R1: deepseek-ai/DeepSeek-R1 tokenizer_config.json chat_template": "<think> </think>",
    "Kimi-VL, with triangles: moonshotai/Kimi-VL-A3B-Thinking README.md": "<think> </think>",
    "prompts of Claude: docs.anthropic.com, chain of thought prompting": "<thinking> </thinking>",
    "EXAONE Deep: LGAI-EXAONE/EXAONE-Deep-7.8B tokenizer_config.json": "<thought> </thought>",
    "observed: prompts of papers": "<thoughts> </thoughts>",
    "observed: recipes of GRPO training": "<reasoning> </reasoning>",
    "Reflection: mattshumer/Reflection-Llama-3.1-70B README.md": "<reflection> </reflection>",
    "observed: prompts of agents": "<scratchpad> </scratchpad>",
    "observed: reasoning as analysis": "<analysis> </analysis>",
    "Magistral: mistralai/Magistral-Small-2509 tekken.json": "[think] [/think]",
    "observed: prompts that ask for reasons": "<reason> </reason>",
    "Seed-OSS: ByteDance-Seed/Seed-OSS-36B-Instruct README.md": "<seed:think> </seed:think>",
    "Command A Reasoning: CohereLabs/command-a-reasoning-08-2025 tokenizer_config.json": (
        "<|start_thinking|> <|end_thinking|>"
    ),
    "Sky-T1, OpenThinker: NovaSky-AI/Sky-T1-32B-Preview README.md": (
        "<|begin_of_thought|> <|end_of_thought|>"
    ),
    "Apertus: swiss-ai/Apertus-8B-Instruct-2509 chat_template.jinja": (
        "<|inner_prefix|> <|inner_suffix|>"
    ),
    "LongCat: meituan-longcat/LongCat-Flash-Thinking README.md": (
        "<longcat_think> </longcat_think>"
    ),
    "MedGemma: google/medgemma-27b-text-it README.md": "<unused94> <unused95>",
    "Gemma 4: ai.google.dev/gemma/docs/core/prompt-formatting-gemma4": "<|channel> <channel|>",
    "observed: tags of reasoning with bars": "<|think|> <|/think|>",
    "struck out, as HTML writes it": "<del> </del>",
    "struck out, as older HTML writes it": "<strike> </strike>",
}
"""Pairs of tags around text that is no answer, by defining document or where observed."""

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

HOLDS = re.compile(
    r"^(?!.*(?:wrong|draft|reject|example|sample|discard))(?:.*(?:answer|final|solution|result"
    r"|response|reply|output|choice|option|action|command|move|plan|step|board|grid|array|matrix"
    r"|state)|(?:json|code|text)$)"
)
"""What names of unknown tags around an answer hold."""

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
