"""Write a site to a temporary folder, mark it as ours, and move it into place as a whole.

A folder that this program did not make is never replaced. A reader never sees half of a site. Its
pictures are PNG files named by the hash of their pixels, each written once; chats name them by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from facelet.pipeline.dataset.atomic_files import write_folder
from facelet.pipeline.rollout.row_episode import Play
from facelet.renderers.api import encode_png
from facelet.renderers.pixel_hash import pixel_hash

MARK = ".facelet-site"
"""Stands in every site; a folder with it may be replaced by another site."""

MOST_TEXT = 100_000
"""Most characters of a reply that are shown; of a longer one, its end."""

Part = str | dict[str, str]
"""A text, or a picture: its hash under "p"."""

SiteMessage = tuple[str, list[Part]]
"""A message: its role and its parts."""


@contextmanager
def open_site_folder(out: Path) -> Iterator[Path]:
    """Yield an empty folder to write a site into; it takes the place of `out` at the end.

    Raises:
        ValueError: `out` contains something else, or another program writes a site there.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise ValueError(f"out={out} is a file or a link; name a new folder")
    if out.is_dir() and any(out.iterdir()) and not (out / MARK).is_file():
        raise ValueError(
            f"out={out} contains files that are not a site of this program; name a new folder, or "
            "empty this one"
        )
    with write_folder(out) as beside:
        (beside / MARK).write_text(
            "Made by facelet, which may replace this folder.\n", encoding="utf-8"
        )
        yield beside


class SitePictures:
    """The folder of a site's pictures.

    Attributes:
        folder: the folder.
    """

    def __init__(self, site: Path) -> None:
        """Begin with the pictures of a site."""
        self.folder = site / "pictures"
        self._there: set[str] = set()

    def add_picture(self, digest: str, data: bytes) -> str:
        """Write a picture, unless it is there, and return its name in data.

        Args:
            digest: the hash of its pixels.
            data: the PNG file.
        """
        if digest not in self._there:
            path = self.folder / digest[:2] / f"{digest}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            self._there.add(digest)
        return digest

    def list_prompt(self, row: Mapping[str, Any]) -> list[SiteMessage]:
        """Return the prompt of a row, which has its pictures."""
        names = [
            self.add_picture(digest, image["bytes"])
            for digest, image in zip(row["image_hashes"], row["images"], strict=True)
        ]
        return [
            (
                message["role"],
                [
                    part["text"] if part["type"] == "text" else {"p": names[part["image"]]}
                    for part in message["content"]
                ],
            )
            for message in row["messages"]
        ]

    def list_chat(self, play: Play) -> list[SiteMessage]:
        """Return the whole chat of a play."""
        images = iter([self.add_picture(pixel_hash(one), encode_png(one)) for one in play.images])
        messages: list[SiteMessage] = []
        for message in play.transcript()["messages"]:
            content: Any = message["content"]
            if isinstance(content, str):
                messages.append((message["role"], [content[-MOST_TEXT:]]))
                continue
            parts = [
                part["text"] if part["type"] == "text" else {"p": next(images)} for part in content
            ]
            messages.append((message["role"], parts))
        return messages
