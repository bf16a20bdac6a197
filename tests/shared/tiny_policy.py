"""A policy of a few thousand weights that says the right reply or a wrong one, and learns which.

It reads the chat, pictures included, by a tiny random model of transformers; two logits say which
reply it gives. REINFORCE with the mean of a group as its baseline.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tiny_models
import torch

STEPS, GROUP, READ = 10, 4, 150
"""Steps of the optimizer, rollouts of each, and the letters that are read of a chat's end."""


class TinyPolicy(torch.nn.Module):
    """The policy; `seeing_model` says whether it takes pictures."""

    def __init__(self, seeing: bool) -> None:
        super().__init__()
        torch.manual_seed(0)
        torch.set_num_threads(1)  # the model is too small to share
        made = tiny_models.seeing_model() if seeing else tiny_models.reading_model()
        self.model, self.processor = made
        self.takes_pictures = seeing
        self.head = torch.nn.Linear(16, 2)
        # It begins mostly right, as one wrong move ends some episodes, and nothing is learned then.
        torch.nn.init.constant_(self.head.bias, 0.0)
        with torch.no_grad():
            self.head.bias[0] = 1.5
        self.log_likelihoods: list[torch.Tensor] = []

    def logits(self, text: str, images: list[Any]) -> torch.Tensor:
        """Return the two logits for a chat."""
        if self.takes_pictures:
            parts = [{"type": "image", "image": one} for one in images]
            chat = [{"role": "user", "content": [*parts, {"type": "text", "text": text[-READ:]}]}]
            told = {"tokenize": True, "return_dict": True, "return_tensors": "pt"}
            read = self.processor.apply_chat_template(chat, add_generation_prompt=True, **told)
        else:
            assert not images
            read = self.processor(text[-READ:], return_tensors="pt")
            read.pop("token_type_ids", None)
        states = self.model(**read, output_hidden_states=True).hidden_states[-1]
        return self.head(states[0, -1])

    def choose_right(self, text: str, images: list[Any]) -> bool:
        """Return whether it gives the right reply; note how likely that was."""
        chances = torch.log_softmax(self.logits(text, images), -1)
        taken = int(torch.multinomial(chances.detach().exp(), 1))
        self.log_likelihoods.append(chances[taken])
        return taken == 0


def train_policy(policy: TinyPolicy, rollout: Callable[[int], float]) -> list[float]:
    """Train for STEPS steps; return the mean reward of each.

    Args:
        policy: the policy.
        rollout: plays row n with `policy.choose_right`, and returns the reward.
    """
    optimizer = torch.optim.AdamW(policy.parameters(), lr=0.03)
    before = [weight.detach().clone() for weight in policy.parameters()]
    means = []
    for step in range(STEPS):
        rewards, chances = [], []
        for _ in range(GROUP):
            policy.log_likelihoods = []
            rewards.append(rollout(step))
            chances.append(torch.stack(policy.log_likelihoods).sum())
        mean = sum(rewards) / GROUP
        pairs = zip(rewards, chances, strict=True)
        loss = -sum((reward - mean) * chance for reward, chance in pairs) / GROUP
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        means.append(mean)
    pairs = zip(before, policy.parameters(), strict=True)
    assert all(torch.isfinite(weight).all() for weight in policy.parameters())
    assert sum(not old.equal(new) for old, new in pairs) > len(before) / 2
    return means


def read_chat(chat: list[dict[str, Any]]) -> tuple[str, list[Any]]:
    """Return the words and the pictures of a chat in the form of chat completions."""
    from base64 import b64decode
    from io import BytesIO

    from PIL import Image

    words, images = [], []
    for message in chat:
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "text":
                words.append(part["text"])
            else:
                data = part["image_url"]["url"].partition(",")[2]
                images.append(Image.open(BytesIO(b64decode(data))).convert("RGB"))
    return "\n".join(words), images
