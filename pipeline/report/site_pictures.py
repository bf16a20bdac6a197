"""Write the pictures of a site: PNG files named by the hash of their pixels, each once."""

from __future__ import annotations

from pathlib import Path


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
