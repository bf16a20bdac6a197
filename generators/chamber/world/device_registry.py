"""Find all devices: each module of `devices` exports one, registered under its kind."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from facelet.generators.chamber import devices
from facelet.generators.chamber.world.device_protocol import Device


@cache
def devices_by_kind() -> dict[str, Device]:
    """Return all devices by kind, sorted.

    Raises:
        TypeError: a module exports no DEVICE.
        ValueError: two share a kind or a letter.
    """
    found: dict[str, Device] = {}
    for info in pkgutil.iter_modules(devices.__path__, f"{devices.__name__}."):
        device = getattr(importlib.import_module(info.name), "DEVICE", None)
        if not isinstance(device, Device):
            raise TypeError(f"{info.name} exports no DEVICE; every module of devices must")
        for other in found.values():
            if device.kind == other.kind or device.letter == other.letter:
                raise ValueError(f"{info.name} has the kind or letter of {other.kind}; take others")
        found[device.kind] = device
    return dict(sorted(found.items()))


def find_device(kind: str) -> Device:
    """Return the device of a kind.

    Raises:
        ValueError: there is none; the message lists those there are.
    """
    try:
        return devices_by_kind()[kind]
    except KeyError:
        raise ValueError(f"no device {kind!r}; known are {', '.join(devices_by_kind())}") from None
