"""Train a model of transformers by policy gradient, through any door to Facelet's episodes.

    python conf/docs/examples/train_loop.py Qwen/Qwen3-0.6B --through stream
    python conf/docs/examples/train_loop.py Qwen/Qwen3-0.6B --through skyrl --dataset DIR
    python conf/docs/examples/train_loop.py Qwen/Qwen3-VL-2B-Instruct --pictures

REINFORCE with the mean of a group as its baseline: small enough to read, and what SkyRL, verl or a
loop of your own does on many cards. It needs PyTorch and transformers, and the door's extra.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import torch
import transformers

Chat = list[dict[str, Any]]
"""Messages whose content is a list of parts: texts, and pictures as Pillow images."""

Reply = Callable[[str], tuple[Chat, float, bool]]
"""Takes a reply; returns what is new, the reward of the step, and whether the episode is over."""


def stream_episodes(told: argparse.Namespace) -> Callable[[int], tuple[Chat, Reply]]:
    """Return what begins an episode of a stream; every group plays one row."""
    import facelet

    rows = facelet.stream(told.task, seed=7, levels=told.levels)

    def begin_episode(number: int) -> tuple[Chat, Reply]:
        play = rows.open(rows[number], "transformers")

        def send_reply(text: str) -> tuple[Chat, float, bool]:
            outcome = play.reply(text)
            if outcome is None:
                return play.new_messages, 0.0, False
            return [], float(outcome.status == "correct"), True

        return play.messages, send_reply

    return begin_episode


def skyrl_episodes(told: argparse.Namespace) -> Callable[[int], tuple[Chat, Reply]]:
    """Return what begins an episode of SkyRL's environment."""
    import skyrl_gym

    from facelet.pipeline.adapters import skyrl

    rows = skyrl.prompts(told.dataset, [told.config] if told.config else [])

    def begin_episode(number: int) -> tuple[Chat, Reply]:
        row = rows[number % len(rows)]
        env = skyrl_gym.make("facelet", env_config={}, extras=row)
        chat, _ = env.init(row["prompt"])

        def send_reply(text: str) -> tuple[Chat, float, bool]:
            step = env.step(text)
            return chat_to_parts(step["observations"]), step["reward"], step["done"]

        return chat_to_parts(chat), send_reply

    return begin_episode


def gymnasium_episodes(told: argparse.Namespace) -> Callable[[int], tuple[Chat, Reply]]:
    """Return what begins an episode of Gymnasium's environment."""
    import gymnasium
    from PIL import Image

    import facelet.pipeline.adapters.gymnasium  # noqa: F401 - it registers the environments

    env = gymnasium.make("facelet/rows-v0", dataset=told.dataset, config=told.config, split="train")

    def observation_to_chat(seen: dict[str, Any]) -> Chat:
        parts, at = [], 0
        for picture, place in zip(seen["images"], seen["places"], strict=True):
            parts.append({"type": "text", "text": seen["text"][at:place]})
            parts.append({"type": "image", "image": Image.fromarray(picture)})
            at = place
        parts.append({"type": "text", "text": seen["text"][at:]})
        return [{"role": "user", "content": [part for part in parts if part.get("text", "x")]}]

    def begin_episode(number: int) -> tuple[Chat, Reply]:
        seen, _ = env.reset(seed=number)

        def send_reply(text: str) -> tuple[Chat, float, bool]:
            seen, reward, over, _, _ = env.step(text)
            return [] if over else observation_to_chat(seen), float(reward), over

        return observation_to_chat(seen), send_reply

    return begin_episode


def chat_to_parts(chat: Chat) -> Chat:
    """Return messages of chat completions with their contents as parts, pictures opened."""
    from base64 import b64decode
    from io import BytesIO

    from PIL import Image

    def open_part(one: dict[str, Any]) -> dict[str, Any]:
        if one["type"] == "text":
            return one
        data = b64decode(one["image_url"]["url"].partition(",")[2])
        return {"type": "image", "image": Image.open(BytesIO(data)).convert("RGB")}

    found = []
    for message in chat:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        found.append({"role": message["role"], "content": [open_part(one) for one in parts]})
    return found


DOORS = {"stream": stream_episodes, "skyrl": skyrl_episodes, "gymnasium": gymnasium_episodes}


class ModelPlayer:
    """A model, and how it reads and speaks."""

    def __init__(self, name: str, pictures: bool, length: int) -> None:
        """Load it.

        Args:
            name: a name on the Hub or a folder.
            pictures: whether it sees.
            length: most tokens of a reply.
        """
        kind = "AutoModelForImageTextToText" if pictures else "AutoModelForCausalLM"
        reader = "AutoProcessor" if pictures else "AutoTokenizer"
        self.model = getattr(transformers, kind).from_pretrained(name)
        self.reader = getattr(transformers, reader).from_pretrained(name)
        self.pictures, self.length = pictures, length
        config = self.model.config
        marks = ("image_token_id", "video_token_id", "vision_start_token_id")
        self.never = [getattr(config, mark) for mark in marks if hasattr(config, mark)]

    def generate_reply(self, chat: Chat) -> tuple[str, torch.Tensor]:
        """Return a reply to a chat, and the logarithm of how likely it was."""
        if not self.pictures:
            chat = [
                {**one, "content": "\n\n".join(part["text"] for part in one["content"])}
                for one in chat
            ]
        read = self.reader.apply_chat_template(
            chat, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
        )
        # A reply that says the sign of a picture would be read as one that nobody shows.
        barred = {"suppress_tokens": self.never} if self.never else {}
        with torch.no_grad():
            whole = self.model.generate(
                **read, max_new_tokens=self.length, do_sample=True, **barred
            )
        start = read["input_ids"].shape[1]
        read["input_ids"], read["attention_mask"] = whole, torch.ones_like(whole)
        if "mm_token_type_ids" in read:
            new = torch.zeros(1, whole.shape[1] - start, dtype=torch.long)
            read["mm_token_type_ids"] = torch.cat([read["mm_token_type_ids"], new], dim=1)
        logits = self.model(**read).logits[0, start - 1 : -1]
        logits[:, self.never] = float("-inf")
        chances = torch.log_softmax(logits, -1)
        said = whole[0, start:]
        tokenizer = getattr(self.reader, "tokenizer", self.reader)
        text = tokenizer.decode(said, skip_special_tokens=True)
        return text, chances.gather(1, said[:, None]).sum()


def play_rollout(player: ModelPlayer, chat: Chat, reply: Reply) -> tuple[float, torch.Tensor]:
    """Play an episode; return its reward, and the logarithm of how likely all replies were."""
    total, chances, over = 0.0, torch.zeros(()), False
    while not over:
        text, chance = player.generate_reply(chat)
        new, reward, over = reply(text)
        said = {"role": "assistant", "content": [{"type": "text", "text": text}]}
        chat, total, chances = [*chat, said, *new], total + reward, chances + chance
    return total, chances


def train_model() -> None:
    """Train, and print the mean reward of each step."""
    asked = argparse.ArgumentParser(description="Train on Facelet by policy gradient.")
    asked.add_argument("model", help="a name on the Hub or a folder")
    asked.add_argument("--through", choices=list(DOORS), default="stream")
    asked.add_argument("--task", default="cube/move_effect", help="of the stream")
    asked.add_argument("--levels", default="1-3", help="of the stream")
    asked.add_argument("--dataset", help="folder of rows, for the other doors")
    asked.add_argument("--config", default="", help="a config of the folder")
    asked.add_argument("--pictures", action="store_true", help="the model sees")
    asked.add_argument("--steps", type=int, default=1000)
    asked.add_argument("--group", type=int, default=8, help="rollouts of each row")
    asked.add_argument("--length", type=int, default=512, help="most tokens of a reply")
    asked.add_argument("--rate", type=float, default=1e-6)
    asked.add_argument("--out", default="trained")
    told = asked.parse_args()

    begin, player = DOORS[told.through](told), ModelPlayer(told.model, told.pictures, told.length)
    optimizer = torch.optim.AdamW(player.model.parameters(), lr=told.rate)
    for step in range(told.steps):
        played = [play_rollout(player, *begin(step)) for _ in range(told.group)]
        mean = sum(reward for reward, _ in played) / told.group
        loss = -sum((reward - mean) * chance for reward, chance in played) / told.group
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step + 1}: reward {mean:.3f}", flush=True)
    player.model.save_pretrained(told.out)
    player.reader.save_pretrained(told.out)


if __name__ == "__main__":
    train_model()
