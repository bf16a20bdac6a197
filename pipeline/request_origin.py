"""Recognize requests that a page of another site sends to a server of this machine.

A browser lets any page send requests to loopback, under the name of the page's own site if that
name resolves to this machine. It always sends the header Host, and Origin with whatever could
change something.
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit


def is_loopback(name: str | None) -> bool:
    """Return whether a host name or address can only mean this machine."""
    try:
        return name == "localhost" or ip_address(name or "").is_loopback
    except ValueError:
        return False


def explain_foreign_request(host: str, origin: str | None, *, local: bool) -> str | None:
    """Return why a request may come from a page of another site; None if it cannot.

    Args:
        host: the header Host; "" if missing.
        origin: the header Origin; None if missing.
        local: whether only this machine can reach the server.
    """
    try:
        named = urlsplit(f"//{host}").hostname
    except ValueError:
        named = None
    if local and not is_loopback(named):
        return f"the header Host must name this machine, not {host[:80]!r}; use localhost"
    if origin is not None and origin.partition("://")[2].lower() != host.lower():
        return f"the header Origin must be the server's own address, not {origin[:80]!r}"
    return None
