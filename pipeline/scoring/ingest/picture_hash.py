"""Hash the pixels of a picture that a record contains as PNG.

Pillow is loaded only for a record that contains one. An untrusted picture is bounded before it is
decoded.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct
from dataclasses import dataclass, field

MAX_SIDE = 4096
"""Longest side in pixels of a picture that is decoded."""

_KEPT = 4096
_HEAD = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


@dataclass
class PixelHashes:
    """Knows the pictures that it has seen, as every sample of a row shows the same."""

    _seen: dict[bytes, str] = field(default_factory=dict)

    def hash_png(self, data: str) -> str:
        """Return the pixel hash of a PNG in base 64; "" if it cannot be decoded."""
        key = hashlib.sha256(data.encode("utf-8", "replace")).digest()
        if key not in self._seen:
            if len(self._seen) >= _KEPT:
                self._seen.clear()
            self._seen[key] = _hash_decoded(data)
        return self._seen[key]


def _hash_decoded(data: str) -> str:
    try:
        png = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return ""
    if not png.startswith(_HEAD) or len(png) < len(_HEAD) + 8:
        return ""
    if max(struct.unpack_from(">II", png, len(_HEAD))) > MAX_SIDE:
        return ""
    from facelet.renderers.api import pixel_hash_png  # loads Pillow

    try:
        return pixel_hash_png(png)
    except ValueError:
        return ""
