"""Write a site to a temporary folder, mark it as ours, and move it into place as a whole.

A folder that this program did not make is never replaced. A reader never sees half of a site. Its
pictures are PNG files named by the hash of their pixels, each written once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from facelet.pipeline.dataset.whole_folder import write_folder

MARK = ".facelet-site"
"""Stands in every site; a folder with it may be replaced by another site."""


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

    @staticmethod
    def picture_path(digest: str) -> str:
        """Return the path of a picture in the site, by the hash of its pixels."""
        return f"pictures/{digest[:2]}/{digest}.png"

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
