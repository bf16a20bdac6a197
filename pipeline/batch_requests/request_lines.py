"""Build the lines of batch files, name them, and split the files by the limits of an API.

OpenAI's batch API and vLLM's `run-batch` read lines of {"custom_id", "method", "url", "body"}, with
the body of a chat completion or of the Responses API. A custom_id has at most 64
letters, digits, - and _:

    mine-move_prediction-d01-000042     the first turn of a row
    mine-reflection-d01-000042--t2      its second turn
    mine-reflection-d01-000042--t2-s1   its second turn, sample 1
    mine-reflection-d01-000042--t1-s1   its first turn, sample 1, with the Responses API,
                                        which returns one answer per request

The scorer reads the first form, so it scores the answers to single questions directly.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from io import BufferedWriter
from pathlib import Path
from typing import Any

from facelet.pipeline.model_runner.sampling_options import SamplingOptions
from facelet.pipeline.rollout.chat_messages import Chat, Part

MAX_CUSTOM_ID = 64
"""Maximum length of a custom_id in characters."""

PICTURES = "pictures"
"""Folder of the pictures that requests name by their address."""

_SIGN = re.compile(r"[^A-Za-z0-9_-]")
_HASH_LETTERS = 16


def format_custom_id(
    identifier: str, turn: int = 1, sample: int = 0, *, shared: bool = True
) -> str:
    """Return the custom_id of a request; see the module.

    Args:
        identifier: id of the row.
        turn: number of the requested turn, from 1.
        sample: number of the play among those of the row, from 0.
        shared: whether all samples share one request at turn 1, as in chat completions.
    """
    name, end = _SIGN.sub("-", identifier), ""
    if turn > 1 or (sample and not shared):
        end = f"--t{turn}" + (f"-s{sample}" if sample else "")
    if len(name) + len(end) > MAX_CUSTOM_ID:
        mark = hashlib.blake2b(identifier.encode(), digest_size=_HASH_LETTERS // 2).hexdigest()
        name = f"{name[: MAX_CUSTOM_ID - len(end) - _HASH_LETTERS - 1]}-{mark}"
    return name + end


def build_request(
    name: str, model: str, chat: Chat, sampling: SamplingOptions, choices: int = 1
) -> dict[str, object]:
    """Return one line of a batch file.

    Args:
        name: its custom_id.
        model: the API's name of the model.
        chat: the messages, with pictures as addresses.
        sampling: further fields of the body.
        choices: number of answers to the request; more than 1 only with chat completions.
    """
    body = {**sampling.build_body(model, chat), **({"n": choices} if choices > 1 else {})}
    return {
        "custom_id": name,
        "method": "POST",
        "url": f"/v1{sampling.endpoint_path}",
        "body": body,
    }


class BatchWriter:
    """Writes the files of one batch into a folder.

    Attributes:
        written: number of lines so far.
        files: number of files so far.
    """

    def __init__(self, folder: Path, *, lines: int, size: int, prefix: str = "") -> None:
        """Store the limits.

        Args:
            folder: an empty folder for the files.
            lines: maximum number of lines of a file.
            size: maximum number of bytes of a file.
            prefix: address of the folder of pictures; "" writes them into the lines.
        """
        self._folder, self._lines, self._size, self._prefix = folder, lines, size, prefix
        self.written = self.files = 0
        self._left = self._room = 0
        self._file: BufferedWriter | None = None

    def close(self) -> None:
        """Close the last file."""
        if self._file is not None:
            self._file.close()

    def next_file_path(self, name: str) -> Path:
        """Return the path of another file of the folder."""
        return self._folder / name

    def write_line(self, line: Mapping[str, Any]) -> None:
        """Append a line; start the next file if this one is full.

        Raises:
            ValueError: the line alone exceeds the maximum size of a file.
        """
        data = (
            json.dumps({**line, "body": self._host_pictures(line["body"])}).encode("ascii") + b"\n"
        )
        if len(data) > self._size:
            raise ValueError(
                f"the request {line['custom_id']} has {len(data):,} bytes; a file may have at most "
                f"{self._size:,}. Allow more with mb=..., or host the pictures with pictures=URL"
            )
        if not self._left or len(data) > self._room:
            self.files += 1
            self.close()
            self._file = self.next_file_path(f"requests-{self.files:05d}.jsonl").open("wb")
            self._left, self._room = self._lines, self._size
        assert self._file is not None
        self._file.write(data)
        self._left, self._room = self._left - 1, self._room - len(data)
        self.written += 1

    def _host_pictures(self, body: Mapping[str, Any]) -> dict[str, object]:
        """Return a body with addresses for pictures, if the batch hosts them."""
        if not self._prefix:
            return dict(body)
        field = "messages" if "messages" in body else "input"
        chat = [
            message
            if isinstance(message["content"], str)
            else {**message, "content": [self._host_part(part) for part in message["content"]]}
            for message in body[field]
        ]
        return {**body, field: chat}

    def _host_part(self, part: Part) -> Part:
        """Return a part of a message; write a picture to a file named by the hash of its bytes."""
        if part["type"] not in ("image_url", "input_image"):
            return part
        nested = part["type"] == "image_url"
        url = part["image_url"]["url"] if nested else part["image_url"]
        data = base64.b64decode(url.partition(",")[2])
        name = f"{hashlib.sha256(data).hexdigest()[:32]}.png"
        path = self.next_file_path(PICTURES) / name
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        hosted = f"{self._prefix.rstrip('/')}/{name}"
        return {**part, "image_url": {"url": hosted} if nested else hosted}
