"""Tiny random models of transformers, of a few thousand weights, that read single bytes."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

MARKS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
EYES = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
SIZES = {
    "hidden_size": 16,
    "intermediate_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "head_dim": 8,
}


def make_tokenizer(template, marks=MARKS):
    """A tokenizer of single bytes with the template of a family of models."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    whole = Tokenizer(models.BPE({sign: n for n, sign in enumerate(letters)}, []))
    whole.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    whole.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=whole,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=list(marks),
    )
    found = find_spec("trl")  # Not imported: only its templates are needed.
    assert found and found.origin, "TRL is not installed, whose templates of chats these are"
    path = Path(found.origin).parent / "chat_templates" / f"{template}.jinja"
    tokenizer.chat_template = path.read_text()
    return tokenizer


def reading_model():
    """A random model of a few thousand weights and a tokenizer of single bytes."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    tokenizer = make_tokenizer("qwen3")
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        **SIZES,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen3ForCausalLM(config), tokenizer


def seeing_model():
    """A random model of a few thousand weights that sees, and its processor."""
    from transformers import (
        Qwen2VLImageProcessor,
        Qwen3VLConfig,
        Qwen3VLForConditionalGeneration,
        Qwen3VLProcessor,
        Qwen3VLVideoProcessor,
    )

    tokenizer = make_tokenizer("qwen3_vl", (*MARKS, *EYES))
    start, end, image, video = tokenizer.convert_tokens_to_ids(list(EYES))
    pixels = {"patch_size": 16, "size": {"shortest_edge": 32 * 32, "longest_edge": 64 * 64}}
    processor = Qwen3VLProcessor(
        Qwen2VLImageProcessor(**pixels),
        tokenizer,
        Qwen3VLVideoProcessor(),
        chat_template=tokenizer.chat_template,
    )
    config = Qwen3VLConfig(
        text_config={
            "vocab_size": len(tokenizer),
            **SIZES,
            "rope_scaling": {"rope_type": "default", "mrope_section": [2, 1, 1]},
            "eos_token_id": tokenizer.eos_token_id,
            "pad_token_id": tokenizer.pad_token_id,
        },
        vision_config={
            "depth": 1,
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_heads": 2,
            "out_hidden_size": 16,
            "num_position_embeddings": 16,
            "deepstack_visual_indexes": [0],
        },
        image_token_id=image,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=end,
    )
    return Qwen3VLForConditionalGeneration(config), processor
